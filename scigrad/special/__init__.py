"""Special functions: scipy.special with derivatives of every order, at limit points too."""

from scigrad.autodiff_rules.public_names import collected, public_names

from .bessel import *
from .bessel_modified import *
from .bessel_modified_orders import *
from .bessel_orders import *
from .beta import *
from .convenience import *
from .distributions import *
from .elliptic import *
from .entropy import *
from .error_functions import *
from .exponential_integrals import *
from .gamma import *
from .gamma_incomplete import *
from .hypergeometric import *
from .interception import find as _find  # from now on, scipy.special's ufuncs find ours
from .kelvin import *
from .log_sum_exp import *
from .logistic import *
from .struve import *

__all__ = collected(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = public_names(__name__, __all__)
