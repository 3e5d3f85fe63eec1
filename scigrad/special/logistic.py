"""The logistic function, its inverse and its logarithm."""

from __future__ import annotations

from .ufuncs import library_values, ufunc


@ufunc
def expit(x):
    """Logistic sigmoid 1 / (1 + exp(-x)), for real x.

    Its derivative is expit(x) expit(-x), which keeps its digits in both tails. See scipy.special.expit.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.expit(0.0), grad(special.expit)(0.0))
    0.5 0.25
    """
    return library_values("expit", x)


@expit.partials
def _(call):
    return (lambda: call.out * expit(-call.x),)


@ufunc
def logit(x):
    """log(x / (1 - x)), the inverse of expit, for real x in [0, 1]; nan outside.

    Its derivative is 1 / (x (1 - x)), infinite at 0 and 1. See scipy.special.logit.
    """
    return library_values("logit", x)


@logit.partials
def _(call):
    return (lambda: 1 / (call.x * (1 - call.x)),)


@ufunc
def log_expit(x):
    """log(expit(x)) without underflow, for real x. Its derivative is expit(-x). See scipy.special.log_expit."""
    return library_values("log_expit", x)


@log_expit.partials
def _(call):
    return (lambda: expit(-call.x),)


__all__ = ["expit", "log_expit", "logit"]
