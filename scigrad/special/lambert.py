"""Lambert's W function and the Wright omega function (DLMF 4.13)."""

from typing import Any

import numpy as np

from .ufuncs import no_ufunc, row


@no_ufunc(lambda z, k, tol, out: np.exp(-out) / (1 + out), None, None)
def lambertw(z, k=0, tol=1e-8) -> Any:
    """Compute Lambert's W function.

    The complex solutions w of ``w exp(w) = z`` (DLMF 4.13.1). The derivative is ``exp(-w)/(1 +
    w)``, infinite at the branch point ``-exp(-1)`` of k = 0 and -1. Within 1e-8 of it SciPy's
    values of the branch -1 lie between the solution and -1.

    Parameters
    ----------
    z : array_like
        Argument, real or complex.
    k : array_like of ints, optional
        Branch; 0 is the principal one.
    tol : float, optional
        Tolerance of the iteration.

    At 0.5: (0.351733711+0j), derivative (0.520418642+0j).
    """


def _growth(w: Any) -> Any:
    return w / (1 + w)


@row(lambda z, out: _growth(np.where(np.isinf(out), 1e30, out)))
def wrightomega(z) -> Any:
    """Compute the Wright omega function.

    The solution w of ``w + log(w) = z``, real or complex. The derivative is ``w/(1 + w)``.

    Parameters
    ----------
    z : array_like
        Argument, real or complex; the branch cuts are the lines x +- i pi for x <= -1.

    At 0.5: 0.766248608, derivative 0.433828287.
    """


__all__ = ["lambertw", "wrightomega"]
