"""Special functions: scipy.special with derivatives of every order, at limit points too."""

from scigrad.autodiff_rules.public_names import collected, public_names

from .bessel import *
from .bessel_modified import *
from .entropy import *
from .error_functions import *
from .exponential_integrals import *
from .gamma import *
from .hypergeometric import *
from .interception import find as _find  # from now on, scipy.special's ufuncs find ours
from .log_sum_exp import *
from .logistic import *

__all__ = collected(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = public_names(__name__, __all__)
