"""The logistic function, its inverse and its logarithm."""

from __future__ import annotations

import numpy as np

from scigrad.autodiff_rules import elementwise

from .ufuncs import library_values, ufunc


@ufunc
def expit(x):
    """Logistic sigmoid 1 / (1 + exp(-x)), for real x.

    Its derivative is expit(x) expit(-x), which keeps its digits in both tails; the higher ones keep theirs near 0, too. See
    scipy.special.expit.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.expit(0.0), grad(special.expit)(0.0))
    0.5 0.25
    """
    return library_values("expit", x)


@expit.partials
def _(call):
    return (lambda: density(call.x),)


# The product rule on s(x) s(-x) would take the difference s(-x) - s(x), which loses every digit near 0; it is -tanh(x/2).
@elementwise
def density(x):
    """expit(x) expit(-x), the density of the logistic distribution; its derivative is -tanh(x/2) times itself."""
    return expit(x) * expit(-x)


@density.partials
def _(call):
    return (lambda: -np.tanh(call.x / 2) * call.out,)


@ufunc
def logit(x):
    """log(x / (1 - x)), the inverse of expit, for real x in [0, 1]; nan outside.

    Its derivative is 1 / (x (1 - x)), infinite at 0 and 1. See scipy.special.logit.
    """
    return library_values("logit", x)


@logit.partials
def _(call):
    return (lambda: logit_slope(call.x),)


@elementwise
def logit_slope(x):
    """1 / (x (1 - x)); its derivative is (2 x - 1) times its square, which keeps its digits near 1/2."""
    return np.reciprocal(x * (1 - x))


@logit_slope.partials
def _(call):
    return (lambda: (2 * call.x - 1) * np.square(call.out),)


@ufunc
def log_expit(x):
    """log(expit(x)) without underflow, for real x. Its derivative is expit(-x). See scipy.special.log_expit."""
    return library_values("log_expit", x)


@log_expit.partials
def _(call):
    return (lambda: expit(-call.x),)


__all__ = ["expit", "log_expit", "logit"]
