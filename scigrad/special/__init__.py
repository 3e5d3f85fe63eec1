"""Special functions: scipy.special with derivatives of every order, at limit points too."""

# SciPy makes the names of roots of polynomials when it is imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from typing import TYPE_CHECKING

from scigrad.autodiff_rules.public_names import collected, public_names

from .airy import *
from .bessel import *
from .bessel_derivatives import *
from .bessel_modified import *
from .bessel_modified_orders import *
from .bessel_orders import *
from .bessel_spherical import *
from .beta import *
from .boxcox import *
from .chebyshev import *
from .convenience import *
from .discrete_distributions import *
from .distributions import *
from .ellipsoidal_harmonics import *
from .elliptic import *
from .entropy import *
from .error_functions import *
from .exponential_integrals import *
from .gamma import *
from .gamma_incomplete import *
from .hypergeometric import *
from .integrals import *
from .interception import find as _find  # from now on, scipy.special's ufuncs find ours
from .kelvin import *
from .kolmogorov import *
from .lambert import *
from .legendre_functions import *
from .log_sum_exp import *
from .logistic import *
from .losses import *
from .mathieu import *
from .noncentral import *
from .orthogonal_polynomials import *
from .quadrature import *
from .spheroidal import *
from .struve import *
from .zeta import *

if TYPE_CHECKING:  # SciPy's own objects, without a number to differentiate; found when asked for
    from scipy.special import (
        SpecialFunctionError,
        SpecialFunctionWarning,
        ai_zeros,
        bei_zeros,
        beip_zeros,
        ber_zeros,
        bernoulli,
        berp_zeros,
        bi_zeros,
        c_roots,
        chebyc,
        chebys,
        chebyt,
        chebyu,
        comb,
        ellip_normal,
        erf_zeros,
        errstate,
        euler,
        factorial,
        factorial2,
        factorialk,
        fresnel_zeros,
        fresnelc_zeros,
        fresnels_zeros,
        gegenbauer,
        genlaguerre,
        geterr,
        h_roots,
        he_roots,
        hermite,
        hermitenorm,
        jacobi,
        jn_zeros,
        jnjnp_zeros,
        jnp_zeros,
        jnyn_zeros,
        kei_zeros,
        keip_zeros,
        kelvin_zeros,
        ker_zeros,
        kerp_zeros,
        l_roots,
        laguerre,
        legendre,
        lmbda,
        lqmn,
        lqn,
        mathieu_even_coef,
        mathieu_odd_coef,
        obl_cv_seq,
        p_roots,
        pbdn_seq,
        pbdv_seq,
        pbvv_seq,
        perm,
        pro_cv_seq,
        ps_roots,
        riccati_jn,
        riccati_yn,
        roots_chebyc,
        roots_chebys,
        roots_chebyt,
        roots_chebyu,
        roots_hermite,
        roots_hermitenorm,
        roots_laguerre,
        roots_legendre,
        roots_sh_chebyt,
        roots_sh_chebyu,
        roots_sh_legendre,
        s_roots,
        seterr,
        sh_chebyt,
        sh_chebyu,
        sh_jacobi,
        sh_legendre,
        stirling2,
        t_roots,
        ts_roots,
        u_roots,
        us_roots,
        y0_zeros,
        y1_zeros,
        y1p_zeros,
        yn_zeros,
        ynp_zeros,
    )

__all__ = [
    "SpecialFunctionError", "SpecialFunctionWarning", "ai_zeros", "bei_zeros", "beip_zeros", "ber_zeros", "bernoulli",
    "berp_zeros", "bi_zeros", "c_roots", "chebyc", "chebys", "chebyt", "chebyu", "comb", "ellip_normal", "erf_zeros",
    "errstate", "euler", "factorial", "factorial2", "factorialk", "fresnel_zeros", "fresnelc_zeros", "fresnels_zeros",
    "gegenbauer", "genlaguerre", "geterr", "h_roots", "he_roots", "hermite", "hermitenorm", "jacobi", "jn_zeros",
    "jnjnp_zeros", "jnp_zeros", "jnyn_zeros", "kei_zeros", "keip_zeros", "kelvin_zeros", "ker_zeros", "kerp_zeros",
    "l_roots", "laguerre", "legendre", "lmbda", "lqmn", "lqn", "mathieu_even_coef", "mathieu_odd_coef", "obl_cv_seq",
    "p_roots", "pbdn_seq", "pbdv_seq", "pbvv_seq", "perm", "pro_cv_seq", "ps_roots", "riccati_jn", "riccati_yn", "roots_chebyc",
    "roots_chebys", "roots_chebyt", "roots_chebyu", "roots_hermite", "roots_hermitenorm",
    "roots_laguerre", "roots_legendre", "roots_sh_chebyt", "roots_sh_chebyu",
    "roots_sh_legendre", "s_roots", "seterr", "sh_chebyt", "sh_chebyu", "sh_jacobi", "sh_legendre", "stirling2", "t_roots",
    "ts_roots", "u_roots", "us_roots", "y0_zeros", "y1_zeros", "y1p_zeros", "yn_zeros", "ynp_zeros",
]  # fmt: skip
_SCIPYS = tuple(__all__)
__all__ += collected(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = public_names(__name__, __all__, _SCIPYS)
