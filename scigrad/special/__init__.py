"""Special functions: scipy.special with derivatives of every order, at limit points too.

Names, parameters and values are those of SciPy; functions that it lacks are marked with a star.
Second derivatives of inverses of distribution functions at the probabilities 0 and 1 are nan where
the first ones are infinite or depend on rounding.

Gamma and beta functions
    gamma, gammaln, loggamma, gammasgn, rgamma, multigammaln, poch, psi, digamma, polygamma
    gammainc, gammaincc, gammaincinv, gammainccinv
    beta, betaln, betainc, betaincc, betaincinv, betainccinv
    binom, comb, perm, factorial, factorial2, factorialk, stirling2, bernoulli, euler
Error functions and integrals of elementary functions
    erf, erfc, erfcx, erfi, erfinv, erfcinv, dawsn, wofz, voigt_profile, fresnel, modfresnelm
    modfresnelp, owens_t
    exp1, expi, expn, sici, shichi, spence
Bessel functions
    jv, jn, yv, yn, iv, kv, kn, hankel1, hankel2
    jve, yve, ive, kve, hankel1e, hankel2e: exponentially scaled
    j0, j1, y0, y1, i0, i0e, i1, i1e, k0, k0e, k1, k1e: of order 0 and 1
    jvp, yvp, ivp, kvp, h1vp, h2vp: derivatives
    spherical_jn, spherical_yn, spherical_in, spherical_kn, riccati_jn, riccati_yn
    itj0y0, it2j0y0, iti0k0, it2i0k0: integrals
    besselpoly, wright_bessel, log_wright_bessel: relatives
    jn_zeros, jnp_zeros, yn_zeros, ynp_zeros, jnyn_zeros, jnjnp_zeros, y0_zeros, y1_zeros, y1p_zeros
    lmbda
    airy, airye, itairy, ai_zeros, bi_zeros
    kelvin, ber, bei, ker, kei, berp, beip, kerp, keip
    kelvin_zeros, ber_zeros, bei_zeros, ker_zeros, kei_zeros, berp_zeros, beip_zeros, kerp_zeros
    keip_zeros
    struve, modstruve, itstruve0, it2struve0, itmodstruve0
Hypergeometric and parabolic cylinder functions
    hyp0f1, hyp1f1, hyp2f1, hyperu
    pbdv, pbvv, pbwa, pbdv_seq, pbvv_seq, pbdn_seq
Elliptic functions and integrals
    ellipk, ellipkm1, ellipkinc, ellipe, ellipeinc, ellipj, agm
    elliprc, elliprd, elliprf, elliprg, elliprj
    ellip_harm, ellip_harm_2, ellip_normal
Legendre functions and spherical harmonics
    legendre_p, legendre_p_all, assoc_legendre_p, assoc_legendre_p_all, lpmv, lqn, lqmn
    sph_legendre_p, sph_legendre_p_all, sph_harm_y, sph_harm_y_all
Orthogonal polynomials
    eval_legendre, eval_jacobi, eval_gegenbauer, eval_laguerre, eval_genlaguerre, assoc_laguerre
    eval_hermite, eval_hermitenorm
    eval_chebyt, eval_chebyu, eval_chebyv*, eval_chebyw*, eval_chebyc, eval_chebys
    eval_sh_legendre, eval_sh_jacobi, eval_sh_chebyt, eval_sh_chebyu, eval_sh_chebyv*
    eval_sh_chebyw*
    legendre, jacobi, gegenbauer, laguerre, genlaguerre, hermite, hermitenorm
    chebyt, chebyu, chebyc, chebys, sh_legendre, sh_jacobi, sh_chebyt, sh_chebyu
    roots_legendre, roots_jacobi, roots_gegenbauer, roots_laguerre, roots_genlaguerre, roots_hermite
    roots_hermitenorm
    roots_chebyt, roots_chebyu, roots_chebyc, roots_chebys, roots_sh_legendre, roots_sh_jacobi
    roots_sh_chebyt, roots_sh_chebyu
    p_roots, j_roots, cg_roots, l_roots, la_roots, h_roots, he_roots: older names
    t_roots, u_roots, c_roots, s_roots: older names
    ps_roots, js_roots, ts_roots, us_roots: older names
Mathieu and spheroidal functions
    mathieu_a, mathieu_b, mathieu_cem, mathieu_sem, mathieu_even_coef, mathieu_odd_coef
    mathieu_modcem1, mathieu_modcem2, mathieu_modsem1, mathieu_modsem2
    pro_cv, pro_ang1, pro_rad1, pro_rad2, pro_ang1_cv, pro_rad1_cv, pro_rad2_cv, pro_cv_seq
    obl_cv, obl_ang1, obl_rad1, obl_rad2, obl_ang1_cv, obl_rad1_cv, obl_rad2_cv, obl_cv_seq
Distributions, and their inverses by each parameter
    ndtr, ndtri, ndtri_exp, log_ndtr, nrdtrimn, nrdtrisd
    stdtr, stdtrit, stdtridf, chdtr, chdtrc, chdtri, chdtriv, fdtr, fdtrc, fdtri, fdtridfd
    gdtr, gdtrc, gdtria, gdtrib, gdtrix, btdtria, btdtrib
    bdtr, bdtrc, bdtri, bdtrik, bdtrin, nbdtr, nbdtrc, nbdtri, nbdtrik, nbdtrin, pdtr, pdtrc, pdtri
    pdtrik
    chndtr, chndtrix, chndtridf, chndtrinc, nctdtr, nctdtrit, nctdtridf, nctdtrinc
    ncfdtr, ncfdtri, ncfdtridfn, ncfdtridfd, ncfdtrinc
    kolmogorov, kolmogi, smirnov, smirnovi, tklmbda
Logarithms, powers, sums of exponentials, losses
    logsumexp, softmax, log_softmax, softplus, expit, logit, log_expit
    entr, rel_entr, kl_div, huber, pseudo_huber
    boxcox, boxcox1p, inv_boxcox, inv_boxcox1p, xlogy, xlog1py, log1p, expm1, exprel, cosm1, powm1
    exp2, exp10, cbrt, round
    radian, sindg, cosdg, tandg, cotdg, sinc, diric
Other functions
    zeta, zetac, lambertw, wrightomega
    erf_zeros, fresnel_zeros, fresnelc_zeros, fresnels_zeros
Errors
    errstate, geterr, seterr, SpecialFunctionError, SpecialFunctionWarning
"""

# SciPy makes the names of roots of polynomials when it is imported, unseen by type checkers.
# pyright: reportUnsupportedDunderAll=false

from typing import TYPE_CHECKING

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
        c_roots,  # pyright: ignore[reportAttributeAccessIssue]
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
        h_roots,  # pyright: ignore[reportAttributeAccessIssue]
        he_roots,  # pyright: ignore[reportAttributeAccessIssue]
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
        l_roots,  # pyright: ignore[reportAttributeAccessIssue]
        laguerre,
        legendre,
        lmbda,
        lqmn,
        lqn,
        mathieu_even_coef,
        mathieu_odd_coef,
        obl_cv_seq,
        p_roots,  # pyright: ignore[reportAttributeAccessIssue]
        pbdn_seq,
        pbdv_seq,
        pbvv_seq,
        perm,
        pro_cv_seq,
        ps_roots,  # pyright: ignore[reportAttributeAccessIssue]
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
        s_roots,  # pyright: ignore[reportAttributeAccessIssue]
        seterr,
        sh_chebyt,
        sh_chebyu,
        sh_jacobi,
        sh_legendre,
        stirling2,
        t_roots,  # pyright: ignore[reportAttributeAccessIssue]
        ts_roots,  # pyright: ignore[reportAttributeAccessIssue]
        u_roots,  # pyright: ignore[reportAttributeAccessIssue]
        us_roots,  # pyright: ignore[reportAttributeAccessIssue]
        y0_zeros,
        y1_zeros,
        y1p_zeros,
        yn_zeros,
        ynp_zeros,
    )  # fmt: skip

from scigrad.autodiff_rules.messages.public_names import collect_names, public_names

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
from .kelvin import *
from .kolmogorov import *
from .lambert import *
from .legendre_functions import *
from .log_sum_exp import *
from .logistic import *
from .losses import *
from .machinery.interception import find as _find  # from now on, scipy.special's ufuncs find ours
from .mathieu import *
from .noncentral import *
from .normal_distribution import *
from .orthogonal_polynomials import *
from .quadrature import *
from .spheroidal import *
from .struve import *
from .zeta import *

__all__ = [
    "SpecialFunctionError", "SpecialFunctionWarning", "ai_zeros", "bei_zeros", "beip_zeros",
    "ber_zeros", "bernoulli", "berp_zeros", "bi_zeros", "c_roots", "chebyc", "chebys", "chebyt",
    "chebyu", "comb", "ellip_normal", "erf_zeros", "errstate", "euler", "factorial", "factorial2",
    "factorialk", "fresnel_zeros", "fresnelc_zeros", "fresnels_zeros", "gegenbauer", "genlaguerre",
    "geterr", "h_roots", "he_roots", "hermite", "hermitenorm", "jacobi", "jn_zeros", "jnjnp_zeros",
    "jnp_zeros", "jnyn_zeros", "kei_zeros", "keip_zeros", "kelvin_zeros", "ker_zeros", "kerp_zeros",
    "l_roots", "laguerre", "legendre", "lmbda", "lqmn", "lqn", "mathieu_even_coef",
    "mathieu_odd_coef", "obl_cv_seq", "p_roots", "pbdn_seq", "pbdv_seq", "pbvv_seq", "perm",
    "pro_cv_seq", "ps_roots", "riccati_jn", "riccati_yn", "roots_chebyc", "roots_chebys",
    "roots_chebyt", "roots_chebyu", "roots_hermite", "roots_hermitenorm", "roots_laguerre",
    "roots_legendre", "roots_sh_chebyt", "roots_sh_chebyu", "roots_sh_legendre", "s_roots",
    "seterr", "sh_chebyt", "sh_chebyu", "sh_jacobi", "sh_legendre", "stirling2", "t_roots",
    "ts_roots", "u_roots", "us_roots", "y0_zeros", "y1_zeros", "y1p_zeros", "yn_zeros", "ynp_zeros",
]  # fmt: skip
_SCIPYS = tuple(__all__)
__all__ += collect_names(__name__)

if not TYPE_CHECKING:  # type checkers report a misspelt name only if there is no __getattr__
    __getattr__, __dir__ = public_names(__name__, __all__, _SCIPYS)
