"""Cosine, sine and tangent of matrices, circular and hyperbolic, from the exponential, as SciPy
computes them.
"""

import functools
from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike

from ..foundation.lapack import host
from ..foundation.matrices import as_float, is_complex, is_host, largest, undress
from ..systems.solve import solve
from .expm import expm
from .frechet import as_square, blocks
from .schur_basis import function_of
from .schur_parlett import SchurParlett

# norms above which a quotient, and below which a difference of exponentials loses digits
_LARGE, _SMALL = 4, 0.5


def cosm(A: ArrayLike) -> Array:
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
    return _evaluated("cosm", A)


def sinm(A: ArrayLike) -> Array:
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
    return _evaluated("sinm", A)


def tanm(A: ArrayLike) -> Array:
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
    Differentiable through `expm` and `solve`. Matrices of large norm are treated as in `funm` on
    the host, because their cosine and sine are large and almost linearly dependent. See
    `scipy.linalg.tanm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.tanm(a)))(np.diag([0.0, np.pi / 4])).round(12) + 0.0)
    [[1. 0.]
     [0. 2.]]
    """
    return _evaluated("tanm", A)


def coshm(A: ArrayLike) -> Array:
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
    return _evaluated("coshm", A)


def sinhm(A: ArrayLike) -> Array:
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
    return _evaluated("sinhm", A)


def tanhm(A: ArrayLike) -> Array:
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
    Differentiable through `expm` and `solve`. Matrices of large norm are treated as in `funm` on
    the host. See `scipy.linalg.tanhm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.tanhm(a)))(np.diag([0.0, 1.0])).round(12) + 0.0)
    [[1.         0.        ]
     [0.         0.41997434]]
    """
    return _evaluated("tanhm", A)


def _evaluated(name: str, given: Any) -> Any:
    given = undress(name, "A", given)
    size, tangent = _size(given), name in _TANGENTS
    if tangent and _LARGE < size < np.inf:  # a quotient of exponentials loses digits
        # each matrix as if it were alone: its neighbors decide nothing
        if is_host(given) and np.ndim(given) > 2:
            return np.stack([_evaluated(name, x) for x in np.asarray(given)])
        return function_of(
            as_square(name, "A", given, "expected square array_like input"),
            name,
            _TANGENTS[name],
            None,
            "raise",
        )
    small = 0 < size < _SMALL
    if _is_scipys(given) and not small:
        return host(name)(given)
    a, circular = as_square(name, "A", given, "expected square array_like input"), name[3] != "h"
    if tangent:
        return solve(
            _half(a, small, circular, False), _half(a, small, circular, True), check_finite=False
        )
    return _half(a, small, circular, name.startswith("sin"))


def _half(a: Any, small: bool, circular: bool, odd: bool) -> Any:
    """Return the cosine or the (odd) sine. For a small matrix they are the blocks of exp([[0, a],
    [a, 0]]): exp(a) - exp(-a) cancels.
    """
    z, n = 1j * a if circular else a, shape_of(a)[-1]
    if circular and not is_complex(a):
        return np.imag(expm(z)) if odd else np.real(expm(z))
    if small:
        sine_or_cosine = (
            expm(blocks(None, z, z))[..., :n, n:] if odd else expm(blocks(None, z, z))[..., :n, :n]
        )
        return -1j * sine_or_cosine if circular and odd else sine_or_cosine
    if odd:
        return (-0.5j if circular else 0.5) * (expm(z) - expm(-z))
    return (expm(z) + expm(-z)) / 2


def _size(a: Any) -> float:
    """Return a bound of the norms of square matrices of the host, else 0."""
    a = raw(assemble(a))
    shape = shape_of(a)
    if (
        len(shape) < 2
        or shape[-1] != shape[-2]
        or library(a) != "numpy"
        or a.dtype.kind not in "biufc"
    ):
        return 0.0
    return as_float(largest(a.astype("D"), tuple(range(len(shape)))) * shape[-1])


def _is_scipys(a: Any) -> bool:
    """Return whether SciPy computes the value: that of one matrix of the host. SciPy loops over a
    batch, expm does not, but rounds in another way, which single precision shows. Of unsigned
    integers SciPy takes the wrong negative.
    """
    if not is_host(a) or np.asarray(a).dtype.kind == "u":
        return False
    return np.ndim(a) == 2 or (
        np.ndim(a) > 2 and np.size(a) > 0 and np.asarray(a).dtype.char in "fF"
    )


_TANGENTS = {
    name: functools.partial(SchurParlett, func=func)
    for name, func in (("tanm", np.tan), ("tanhm", np.tanh))
}


__all__ = ["coshm", "cosm", "sinhm", "sinm", "tanhm", "tanm"]
