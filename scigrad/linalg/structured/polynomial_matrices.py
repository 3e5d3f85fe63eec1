"""Matrices made of the coefficients of a polynomial or of a population model: companion,
fiedler_companion, leslie; fiedler.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import namespace_of, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.numpy import atleast_1d
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike

from ..foundation.lapack import host
from ..foundation.matrices import is_host
from .construction import concatenate_vectors


def _monic(function: str, a: Any, text: str) -> Any:
    """Return the coefficients behind the first, divided by it. On a device it is not looked at."""
    if library(raw(a)) == "numpy" and (raw(a)[..., 0] == 0).any():
        raise ValueError(f"{function}: {text}")
    return a[..., 1:] / (1.0 * a[..., :1])


def _fill_matrix(values: Any, places: Any) -> Any:
    """Return a matrix of values: places[i, j] is k + 2 for values[k], 1 for the number 1 and 0 for
    0.
    """
    lead = shape_of(values)[:-1]
    numbers = [namespace_of(values).full((*lead, 1), k, values.dtype) for k in (0, 1)]
    return np.concatenate([*numbers, values], axis=-1)[..., places]


def companion(a: ArrayLike) -> Array:
    """Construct the companion matrix of a polynomial, whose eigenvalues are the roots.

    Parameters
    ----------
    a : (..., n) array_like
        Coefficients, highest power first. ``a[0]`` must not be 0.

    Returns
    -------
    matrix : (..., n - 1, n - 1) ndarray
        Companion matrix, with first row ``-a[1:] / a[0]``.

    Raises
    ------
    ValueError
        If there are fewer than two coefficients, or the first is 0 (not checked on a GPU).

    Notes
    -----
    See `scipy.linalg.companion`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.sum(linalg.companion(a)))(np.array([2.0, 4.0, 6.0])))
    [ 2.5 -0.5 -0.5]
    """
    a = atleast_1d(assemble(a))
    n = shape_of(a)[-1]
    if n < 2:
        raise ValueError(
            "companion: The length of `a` along the last axis must be at least 2, but its shape "
            f"is {shape_of(a)}."
        )
    text = "The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be zero."
    row = -_monic("companion", a, text)
    places = np.eye(n - 1, k=-1, dtype=int)
    places[0] = np.arange(n - 1) + 2
    return _fill_matrix(row, places)


def fiedler_companion(a: ArrayLike) -> Array:
    """Construct Fiedler's pentadiagonal companion matrix of a polynomial.

    Its eigenvalues are the roots.

    Parameters
    ----------
    a : (..., n) array_like
        Coefficients, highest power first. ``a[0]`` must not be 0.

    Returns
    -------
    matrix : (..., n - 1, n - 1) ndarray
        Companion matrix.

    Raises
    ------
    ValueError
        If the first coefficient is 0 (not checked on a GPU).

    Notes
    -----
    See `scipy.linalg.fiedler_companion`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.sum(linalg.fiedler_companion(a)))(np.array([2.0, 4.0, 6.0])))
    [ 2.5 -0.5 -0.5]
    """
    if is_host(a):
        return host("fiedler_companion")(a)
    a = atleast_1d(assemble(a))
    n = shape_of(a)[-1] - 1
    if n < 1:
        return a[..., :0]
    row = -_monic("fiedler_companion", a, "Leading coefficient is zero.")
    places = np.zeros((n, n), int)
    places[range(3, n, 2), range(1, n - 2, 2)] = 1
    places[range(2, n, 2), range(1, n - 1, 2)] = np.arange(2, n, 2) + 2
    places[range(0, n - 2, 2), range(2, n, 2)] = 1
    places[range(0, n - 1, 2), range(1, n, 2)] = np.arange(1, n, 2) + 2
    places[:2, 0] = [2, 1][:n]
    return _fill_matrix(row, places)


def leslie(f: ArrayLike, s: ArrayLike) -> Array:
    """Construct the Leslie matrix of a population by age.

    Parameters
    ----------
    f : (..., n) array_like
        Fecundities, the first row.
    s : (..., n - 1) array_like
        Survival probabilities, the subdiagonal. Batch axes broadcast.

    Returns
    -------
    matrix : (..., n, n) ndarray
        Leslie matrix.

    Raises
    ------
    ValueError
        If the lengths do not fit.

    Notes
    -----
    Linear in `f` and `s`. See `scipy.linalg.leslie`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> s = np.array([0.5])
    >>> growth = lambda f: np.max(np.abs(linalg.eigvals(linalg.leslie(f, s))))
    >>> print(grad(growth)(np.array([1.0, 4.0])).round(12))
    [0.66666667 0.16666667]
    """
    if is_host(f, s):
        return host("leslie")(f, s)
    f, s = atleast_1d(assemble(f)), atleast_1d(assemble(s))
    n = shape_of(f)[-1]
    if n != shape_of(s)[-1] + 1 or n < 2:
        raise ValueError(
            "leslie: Incorrect lengths for f and s. The length of s along the last axis must be "
            f"one less than the length of f, and at least 1; the shapes are {shape_of(f)} and "
            f"{shape_of(s)}."
        )
    places = np.zeros((n, n), int)
    places[0], places[range(1, n), range(n - 1)] = np.arange(n) + 2, np.arange(n, 2 * n - 1) + 2
    return _fill_matrix(concatenate_vectors(f, s), places)


def fiedler(a: ArrayLike) -> Array:
    """Construct Fiedler's symmetric matrix |a[i] - a[j]|.

    Parameters
    ----------
    a : (..., n) array_like
        Numbers.

    Returns
    -------
    matrix : (..., n, n) ndarray
        Fiedler matrix. An empty `a` gives shape (0,), as in SciPy.

    Notes
    -----
    At equal elements the derivative is 0, the subgradient of minimum norm. See
    `scipy.linalg.fiedler`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.sum(linalg.fiedler(a)))(np.array([1.0, 4.0, 6.0])))
    [-4.  0.  4.]
    """
    if is_host(a) and (np.size(a) or np.ndim(a) < 2):  # SciPy loses the shape of an empty batch
        return host("fiedler")(a)
    a = atleast_1d(assemble(a))
    if shape_of(a)[-1] == 0:
        return np.abs(a.ravel())
    return np.abs(a[..., :, None] - a[..., None, :])


__all__ = ["companion", "fiedler", "fiedler_companion", "leslie"]
