"""Cosine, sine and tangent of matrices, circular and hyperbolic, from the exponential, as SciPy computes them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.joining import assembled

from ..foundation.lapack import host
from ..foundation.matrices import is_complex, is_host, largest
from ..systems.solve import solve
from .expm import expm
from .frechet import as_square, blocks, matrix_function
from .schur_basis import OnHost
from .schur_parlett import SchurParlett

_LARGE, _SMALL = 4, 0.5


def cosm(A):
    """Compute the cosine of a matrix, (exp(iA) + exp(-iA)) / 2.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.

    Returns
    -------
    cosm : (..., n, n) ndarray
        Cosine of `A`.

    Raises
    ------
    ValueError
        If `A` is not square.

    Notes
    -----
    Differentiable through `expm`. See `scipy.linalg.cosm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.cosm(a)))(np.diag([0.0, np.pi / 2])).round(12) + 0.0)
    [[ 0.  0.]
     [ 0. -1.]]
    """
    small = _is_small(A)
    if _is_scipys(A) and not small:
        return host("cosm")(A)
    a = _square("cosm", A)
    if small and is_complex(a):
        return _cosine_and_sine(1j * a)[0]
    return (expm(1j * a) + expm(-1j * a)) / 2 if is_complex(a) else np.real(expm(1j * a))


def sinm(A):
    """Compute the sine of a matrix, (exp(iA) - exp(-iA)) / 2i.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.

    Returns
    -------
    sinm : (..., n, n) ndarray
        Sine of `A`.

    Raises
    ------
    ValueError
        If `A` is not square.

    Notes
    -----
    Differentiable through `expm`. See `scipy.linalg.sinm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.sinm(a)))(np.diag([0.0, np.pi / 2])).round(12) + 0.0)
    [[1. 0.]
     [0. 0.]]
    """
    small = _is_small(A)
    if _is_scipys(A) and not small:
        return host("sinm")(A)
    a = _square("sinm", A)
    if small and is_complex(a):
        return -1j * _cosine_and_sine(1j * a)[1]
    return -0.5j * (expm(1j * a) - expm(-1j * a)) if is_complex(a) else np.imag(expm(1j * a))


def tanm(A):
    """Compute the tangent of a matrix, cosm(A)^-1 sinm(A).

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.

    Returns
    -------
    tanm : (..., n, n) ndarray
        Tangent of `A`.

    Raises
    ------
    ValueError
        If `A` is not square.
    numpy.linalg.LinAlgError
        If ``cosm(A)`` is singular.

    Notes
    -----
    Differentiable through `expm` and `solve`. Matrices of large norm are treated as in `funm` on the host, because their cosine
    and sine are large and almost linearly dependent. See `scipy.linalg.tanm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.tanm(a)))(np.diag([0.0, np.pi / 4])).round(12) + 0.0)
    [[1. 0.]
     [0. 2.]]
    """
    if _is_large(A):
        return _each(tanm, A) if is_host(A) and np.ndim(A) > 2 else matrix_function(_square("tanm", A), _TANGENTS["tanm"])
    if _is_scipys(A) and not _is_small(A):
        return host("tanm")(A)
    a = _square("tanm", A)
    return solve(cosm(a), sinm(a), check_finite=False)


def coshm(A):
    """Compute the hyperbolic cosine of a matrix, (exp(A) + exp(-A)) / 2.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.

    Returns
    -------
    coshm : (..., n, n) ndarray
        Hyperbolic cosine of `A`.

    Raises
    ------
    ValueError
        If `A` is not square.

    Notes
    -----
    Differentiable through `expm`. See `scipy.linalg.coshm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.coshm(a)))(np.diag([0.0, 1.0])).round(12) + 0.0)
    [[0.         0.        ]
     [0.         1.17520119]]
    """
    small = _is_small(A)
    if _is_scipys(A) and not small:
        return host("coshm")(A)
    a = _square("coshm", A)
    if small:
        return _cosine_and_sine(a)[0]
    return (expm(a) + expm(-a)) / 2


def sinhm(A):
    """Compute the hyperbolic sine of a matrix, (exp(A) - exp(-A)) / 2.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.

    Returns
    -------
    sinhm : (..., n, n) ndarray
        Hyperbolic sine of `A`.

    Raises
    ------
    ValueError
        If `A` is not square.

    Notes
    -----
    Differentiable through `expm`. See `scipy.linalg.sinhm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.sinhm(a)))(np.diag([0.0, 1.0])).round(12) + 0.0)
    [[1.         0.        ]
     [0.         1.54308063]]
    """
    small = _is_small(A)
    if _is_scipys(A) and not small:
        return host("sinhm")(A)
    a = _square("sinhm", A)
    if small:
        return _cosine_and_sine(a)[1]
    return (expm(a) - expm(-a)) / 2


def tanhm(A):
    """Compute the hyperbolic tangent of a matrix, coshm(A)^-1 sinhm(A).

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.

    Returns
    -------
    tanhm : (..., n, n) ndarray
        Hyperbolic tangent of `A`.

    Raises
    ------
    ValueError
        If `A` is not square.
    numpy.linalg.LinAlgError
        If ``coshm(A)`` is singular.

    Notes
    -----
    Differentiable through `expm` and `solve`. Matrices of large norm are treated as in `funm` on the host. See
    `scipy.linalg.tanhm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.tanhm(a)))(np.diag([0.0, 1.0])).round(12) + 0.0)
    [[1.         0.        ]
     [0.         0.41997434]]
    """
    if _is_large(A):
        return _each(tanhm, A) if is_host(A) and np.ndim(A) > 2 else matrix_function(_square("tanhm", A), _TANGENTS["tanhm"])
    if _is_scipys(A) and not _is_small(A):
        return host("tanhm")(A)
    a = _square("tanhm", A)
    return solve(coshm(a), sinhm(a), check_finite=False)


def _cosine_and_sine(a: Any) -> tuple[Any, Any]:
    """cosh(a) and sinh(a), the blocks of exp([[0, a], [a, 0]]): where a is small, exp(a) - exp(-a) cancels."""
    both, n = expm(blocks(None, a, a)), shape_of(a)[-1]
    return both[..., :n, :n], both[..., :n, n:]


def _is_large(a: Any) -> bool:
    """Return whether a quotient of exponentials loses digits."""
    return _LARGE < _size(a) < np.inf


def _is_small(a: Any) -> bool:
    """Return whether a difference of exponentials loses digits."""
    return 0 < _size(a) < _SMALL


def _size(a: Any) -> float:
    """A bound of the norms of square matrices of the host, else 0."""
    a = raw(assembled(a))
    shape = shape_of(a)
    if len(shape) < 2 or shape[-1] != shape[-2] or library(a) != "numpy" or np.asarray(a).dtype.kind not in "biufc":
        return 0.0
    return float(largest(np.asarray(a).astype("D"), tuple(range(len(shape)))) * shape[-1])


def _each(function: Callable[[Any], Any], a: Any) -> Any:
    """Each matrix of a batch as if it were alone, so that its neighbours do not decide how it is computed."""
    return np.stack([function(x) for x in np.asarray(a)])


def _is_scipys(a: Any) -> bool:
    """One matrix of the host: SciPy loops over a batch, expm does not, but rounds in another way, which single precision shows.
    Of unsigned integers SciPy takes the wrong negative."""
    if not is_host(a) or np.asarray(a).dtype.kind == "u":
        return False
    return np.ndim(a) == 2 or (np.ndim(a) > 2 and np.size(a) > 0 and np.asarray(a).dtype.char in "fF")


def _square(function: str, a: Any) -> Any:
    return as_square(function, "A", a, "expected square array_like input")


_TANGENTS = {
    name: OnHost(name, functools.partial(SchurParlett, func=func), False, None)
    for name, func in (("tanm", np.tan), ("tanhm", np.tanh))
}


__all__ = ["coshm", "cosm", "sinhm", "sinm", "tanhm", "tanm"]
