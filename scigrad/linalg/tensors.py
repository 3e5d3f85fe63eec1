"""Diagonals, norms by axis, and equations of tensors, under NumPy's names.

Everything is a composition, so derivatives of every order follow; norms of plain arrays are
NumPy's.
"""

import math
from typing import Any

import numpy as np

from scigrad import numpy as array_functions
from scigrad.numpy.call_stack import call_as_step
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, Axes, DTypeLike, Order

from .foundation.failures import LinAlgError
from .foundation.matrices import is_host, undress
from .singular_values.norms import is_in_range, norm
from .systems.solve import inv, solve

# -- parts


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """Return a diagonal of each matrix, as the last axis.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrix, or batch of matrices.
    offset : int, optional
        Diagonal to take, positive above the main one.

    Returns
    -------
    diagonal : (..., k) ndarray
        Elements ``x[..., i, i + offset]``.

    Notes
    -----
    See `numpy.linalg.diagonal`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda x: np.prod(linalg.diagonal(x)))(np.array([[2.0, 1.0], [1.0, 3.0]])))
    [[3. 0.]
     [0. 2.]]
    """
    return array_functions.diagonal(assemble(x), offset, -2, -1)


def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Array:
    """Compute the sum of a diagonal of each matrix.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrix, or batch of matrices.
    offset : int, optional
        Diagonal to sum, positive above the main one.
    dtype : dtype, optional
        Dtype of the sum.

    Returns
    -------
    trace : (...) ndarray
        Sums.

    Notes
    -----
    See `numpy.linalg.trace`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda x: linalg.trace(x @ x))(np.array([[2.0, 1.0], [5.0, 3.0]])))
    [[ 4. 10.]
     [ 2.  6.]]
    """
    return array_functions.trace(assemble(x), offset, -2, -1, dtype)


# -- norms


def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Order | None = "fro") -> Array:
    """Compute a norm of each matrix.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrix, or batch of matrices.
    keepdims : bool, optional
        Whether the axes are kept with length 1.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}, optional
        Norm, as in `norm`.

    Returns
    -------
    norms : (...) ndarray
        Norms.

    Notes
    -----
    Derivatives as for `norm`. See `numpy.linalg.matrix_norm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(linalg.matrix_norm)(np.array([[3.0, 0.0], [0.0, 4.0]])))
    [[0.6 0. ]
     [0.  0.8]]
    """
    if is_host(x) and is_in_range(out := np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord), ord):
        return out
    return norm(assemble(x), ord, (-2, -1), keepdims, check_finite=False)


def vector_norm(
    x: ArrayLike, /, *, axis: Axes | None = None, keepdims: bool = False, ord: float = 2
) -> Array:
    """Compute a norm of vectors along one or several axes.

    Parameters
    ----------
    x : array_like
        Vectors.
    axis : int or tuple of ints, optional
        Axes, which count as one. By default all.
    keepdims : bool, optional
        Whether the axes are kept with length 1.
    ord : float, optional
        Exponent p, inf, -inf or 0, as in `norm`.

    Returns
    -------
    norms : float or ndarray
        Norms.

    Notes
    -----
    Derivatives as for `norm`. See `numpy.linalg.vector_norm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(linalg.vector_norm)(np.array([3.0, 4.0])))
    [0.6 0.8]
    """
    if is_host(x) and is_in_range(
        out := np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord), ord
    ):
        return out
    x = assemble(x)
    if axis is not None and not isinstance(axis, tuple):
        return norm(x, ord, axis, keepdims, check_finite=False)
    axes = tuple(range(x.ndim)) if axis is None else tuple(n % x.ndim for n in axis)
    rest = tuple(n for n in range(x.ndim) if n not in axes)
    flat = np.transpose(x, rest + axes).reshape(
        (*(x.shape[n] for n in rest), math.prod(x.shape[n] for n in axes))
    )
    out = norm(flat, ord, -1, check_finite=False)
    return (
        out.reshape(tuple(1 if n in axes else size for n, size in enumerate(x.shape)))
        if keepdims
        else out
    )


# -- equations of tensors


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: tuple[Any, ...] | None = None) -> Array:
    """Solve the tensor equation tensordot(a, x, x.ndim) = b.

    Parameters
    ----------
    a : array_like
        Tensor of shape ``b.shape + x.shape``, with as many elements in the first part as in the
        second.
    b : array_like
        Right-hand side.
    axes : tuple of ints, optional
        Axes of `a` that are moved to the end first.

    Returns
    -------
    x : ndarray
        Solution.

    Raises
    ------
    numpy.linalg.LinAlgError
        If shapes do not fit, or `a` is singular.

    Notes
    -----
    Derivatives as for `solve`. See `numpy.linalg.tensorsolve`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.diag([1.0, 2.0, 4.0, 5.0]).reshape(2, 2, 2, 2)
    >>> print(grad(lambda b: np.sum(linalg.tensorsolve(a, b)))(np.ones((2, 2))))
    [[1.   0.5 ]
     [0.25 0.2 ]]
    """
    a, b = assemble(undress("tensorsolve", "a", a)), assemble(undress("tensorsolve", "b", b))
    if axes is not None:
        moved = [n % a.ndim for n in axes]
        a = np.transpose(a, [n for n in range(a.ndim) if n not in moved] + moved)
    shape = a.shape[len(b.shape) :]
    n = math.prod(shape)
    if a.size != n * n or b.size != n:
        raise LinAlgError(
            "tensorsolve: Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == "
            f"prod(a.shape[:b.ndim]), but 'a' is {a.shape} and 'b' {b.shape}."
        )
    x: Any = call_as_step(solve, a.reshape(n, n), b.reshape(n), check_finite=False)
    return x.reshape(shape)


def tensorinv(a: ArrayLike, ind: int = 2) -> Array:
    """Compute the inverse of a as the map x -> tensordot(a, x, ind).

    Parameters
    ----------
    a : array_like
        Tensor whose first `ind` axes have as many elements as the others.
    ind : int, optional
        Number of axes of the result of the map.

    Returns
    -------
    inverse : ndarray
        Inverse, of shape ``a.shape[ind:] + a.shape[:ind]``.

    Raises
    ------
    ValueError
        If `ind` is not positive.
    numpy.linalg.LinAlgError
        If `a` is not square in this sense, or singular.

    Notes
    -----
    Derivatives as for `inv`. See `numpy.linalg.tensorinv`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.diag([1.0, 2.0]).reshape(2, 1, 2)
    >>> print(grad(lambda a: np.sum(linalg.tensorinv(a, 1)))(a).ravel())
    [-1.   -0.5  -0.5  -0.25]
    """
    if ind <= 0:
        raise ValueError(f"tensorinv: Invalid ind argument: {ind} is not positive.")
    a = assemble(undress("tensorinv", "a", a))
    shape = a.shape[ind:] + a.shape[:ind]
    n = math.prod(a.shape[ind:])
    if math.prod(a.shape[:ind]) != n:
        raise LinAlgError(
            f"tensorinv: the first {ind} axes of 'a', whose shape is {a.shape}, must have as many "
            "elements as the others."
        )
    inverse: Any = call_as_step(inv, a.reshape(n, n), check_finite=False)
    return inverse.reshape(shape)


__all__ = ["diagonal", "matrix_norm", "tensorinv", "tensorsolve", "trace", "vector_norm"]
