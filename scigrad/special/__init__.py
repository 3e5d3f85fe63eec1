"""Special functions: scipy.special with derivatives of every order, at limit points too."""

from scigrad.autodiff_rules.public_names import public_names

from .bessel import j0, j1
from .bessel_modified import i0, i0e, i1, i1e
from .entropy import entr
from .error_functions import erf, erfc
from .gamma import digamma, gamma, gammaln, loggamma, polygamma, psi, rgamma
from .interception import find as _find  # noqa: F401  (from now on, scipy.special's ufuncs find ours)
from .log_sum_exp import log_softmax, logsumexp, softmax
from .logistic import expit, log_expit, logit

__all__ = [
    "digamma", "entr", "erf", "erfc", "expit", "gamma", "gammaln", "i0", "i0e", "i1", "i1e", "j0", "j1", "log_expit",
    "log_softmax", "loggamma", "logit", "logsumexp", "polygamma", "psi", "rgamma", "softmax",
]  # fmt: skip

__getattr__, __dir__ = public_names(__name__, __all__)
