"""Products of vectors and matrices, most of them under NumPy's names, and sketches, products with
random matrices.

Plain arrays go to NumPy. Everything else is a composition, so derivatives of every order follow.
"""

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad import numpy as array_functions
from scigrad.autodiff_rules import linear, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, Seed

from .foundation.failures import LinAlgError
from .foundation.lapack import host
from .foundation.matrices import as_matrix, is_host, undress


def _operands(function: str, x1: Any, x2: Any) -> tuple[Any, Any]:
    """Return two arguments as arrays. Masked ones have no such products in NumPy."""
    return assemble(undress(function, "x1", x1)), assemble(undress(function, "x2", x2))


def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Compute the matrix product.

    Parameters
    ----------
    x1 : (..., m, n) array_like
        Matrices, or one vector.
    x2 : (..., n, k) array_like
        Matrices, or one vector. Batch axes broadcast.

    Returns
    -------
    product : (..., m, k) ndarray
        Product, without the axis of a vector.

    Notes
    -----
    See `numpy.linalg.matmul`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> print(grad(lambda x: np.sum(linalg.matmul(a, x)))(np.ones(2)))
    [4. 6.]
    """
    return array_functions.matmul(*_operands("matmul", x1, x2))


def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Compute the outer product x1[i] x2[j] of two vectors.

    Parameters
    ----------
    x1, x2 : (m,), (n,) array_like
        Vectors. Neither is conjugated.

    Returns
    -------
    product : (m, n) ndarray
        Outer product.

    Raises
    ------
    ValueError
        If an argument is not a vector.

    Notes
    -----
    See `numpy.linalg.outer`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> x2 = np.array([1.0, 2.0, 3.0])
    >>> print(grad(lambda x1: np.sum(linalg.outer(x1, x2)))(np.ones(2)))
    [6. 6.]
    """
    x1, x2 = assemble(x1), assemble(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            f"outer: Input arrays must be one-dimensional, not of shapes {shape_of(x1)} and "
            f"{shape_of(x2)}."
        )
    return array_functions.outer(x1, x2)


def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """Compute the scalar product of vectors, the sum of conj(x1) x2 along an axis.

    Parameters
    ----------
    x1, x2 : (..., n) array_like
        Vectors along `axis`. The other axes broadcast.
    axis : int, optional
        Axis of the vectors.

    Returns
    -------
    product : (...) ndarray
        Scalar products.

    Notes
    -----
    See `numpy.linalg.vecdot`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda x: linalg.vecdot(x, x))(np.array([1.0, 2.0])))
    [2. 4.]
    """
    return array_functions.vecdot(*_operands("vecdot", x1, x2), axis=axis)


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """Compute the vector product of vectors of three elements.

    Parameters
    ----------
    x1, x2 : (..., 3) array_like
        Vectors along `axis`. The other axes broadcast.
    axis : int, optional
        Axis of the vectors.

    Returns
    -------
    product : (..., 3) ndarray
        Vector products.

    Raises
    ------
    ValueError
        If vectors do not have three elements.

    Notes
    -----
    See `numpy.linalg.cross`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> x2 = np.array([1.0, 2.0, 3.0])
    >>> print(grad(lambda x1: linalg.cross(x1, x2)[0])(np.ones(3)) + 0.0)
    [ 0.  3. -2.]
    """
    x1, x2 = assemble(x1), assemble(x2)
    if shape_of(x1)[axis] != 3 or shape_of(x2)[axis] != 3:
        raise ValueError(
            "cross: Both input arrays must be (arrays of) 3-dimensional vectors, but the lengths "
            f"along axis={axis} are {shape_of(x1)[axis]} and {shape_of(x2)[axis]}."
        )
    return array_functions.cross(x1, x2, axis=axis)


def multi_dot(arrays: Sequence[ArrayLike], *, out: Array | None = None) -> Array:
    """Compute the product of several matrices, in the order that takes the fewest multiplications.

    Parameters
    ----------
    arrays : sequence of array_like
        At least two matrices. The first and the last may be vectors.
    out : ndarray, optional
        Array for the result. Not with traced arrays.

    Returns
    -------
    product : ndarray
        Product of all matrices.

    Raises
    ------
    ValueError
        If there are fewer than two arrays, or shapes do not fit.
    numpy.linalg.LinAlgError
        If an array has the wrong number of axes.

    Notes
    -----
    See `numpy.linalg.multi_dot`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> print(grad(lambda x: linalg.multi_dot([x, a, x]))(np.ones(2)))
    [ 7. 13.]
    """
    if is_host(*arrays, out):
        return np.linalg.multi_dot(arrays, out=out)
    if out is not None:
        raise TypeError("multi_dot: out= is not available on traced arrays; use what is returned")
    items = [assemble(x) for x in arrays]
    if len(items) < 2:
        raise ValueError(f"multi_dot: Expecting at least two arrays, not {len(items)}.")
    for i, x in enumerate(items):
        if x.ndim != 2 and (x.ndim != 1 or 0 < i < len(items) - 1):
            raise LinAlgError(
                f"multi_dot: array {i} must be two-dimensional (the first and the last array may "
                f"be one-dimensional), but it has shape {shape_of(x)}."
            )
    row, column = items[0].ndim == 1, items[-1].ndim == 1
    items[0] = items[0][None] if row else items[0]
    items[-1] = items[-1][:, None] if column else items[-1]
    splits = _splits([shape_of(x)[0] for x in items] + [shape_of(items[-1])[1]])
    product = _chain_product(items, splits, 0, len(items) - 1)
    product = product[0] if row else product
    return product[..., 0] if column else product


def _splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return where each product of neighbors i ... j is best cut, for matrices k of shape
    (sizes[k], sizes[k + 1]). (Cormen, Leiserson, Rivest and Stein, Introduction to Algorithms,
    section 15.2.)
    """
    n, splits = len(sizes) - 1, {}
    cost = {(i, i): 0 for i in range(n)}
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            options = [
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            ]
            cost[i, j], splits[i, j] = min(options)
    return splits


def _chain_product(items: list[Any], splits: dict[tuple[int, int], int], i: int, j: int) -> Any:
    if i == j:
        return items[i]
    k = splits[i, j]
    return _chain_product(items, splits, i, k) @ _chain_product(items, splits, k + 1, j)


def khatri_rao(a: ArrayLike, b: ArrayLike) -> Array:
    """Compute the column-wise Kronecker product, whose column k is kron(a[:, k], b[:, k]).

    Parameters
    ----------
    a : (..., m, k) array_like
        Matrix, or batch of matrices.
    b : (..., n, k) array_like
        Matrix, or batch of matrices. Batch axes broadcast.

    Returns
    -------
    product : (..., m n, k) ndarray
        Khatri-Rao product.

    Raises
    ------
    ValueError
        If an argument is not a matrix, or the numbers of columns differ.

    Notes
    -----
    Linear in each argument. See `scipy.linalg.khatri_rao`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> b = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> print(grad(lambda a: np.sum(linalg.khatri_rao(a, b)))(np.ones((1, 2))))
    [[4. 6.]]
    """
    a, b = assemble(undress("khatri_rao", "a", a)), assemble(undress("khatri_rao", "b", b))
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(
            f"khatri_rao: The both arrays should be 2-dimensional, not of shapes {shape_of(a)} "
            f"and {shape_of(b)}."
        )
    if shape_of(a)[-1] != shape_of(b)[-1]:
        raise ValueError(
            "khatri_rao: The number of columns for both arrays should be equal, but they have "
            f"{shape_of(a)[-1]} and {shape_of(b)[-1]}."
        )
    product = a[..., :, None, :] * b[..., None, :, :]
    *lead, m, n, k = shape_of(product)
    return product.reshape((*lead, m * n, k))


# -- random sketches. The sketch is constant, so its application is linear.


def clarkson_woodruff_transform(
    input_matrix: ArrayLike, sketch_size: int, *random: Seed, **named: Seed
) -> Array:
    """Compute a sketch of a matrix.

    The sketch has few rows, and its products with vectors x have nearly the norms ``|a x|``.
    Each row of the matrix is added to one randomly chosen row of the result, or subtracted from it.

    Parameters
    ----------
    input_matrix : (..., n, d) array_like
        Matrix, or batch of matrices.
    sketch_size : int
        Number of rows of the result.
    rng : numpy.random.Generator or int, optional
        Generator, or its seed, which makes the same sketch at each call. By default a new sketch at
        each call.
    seed : optional
        Older name of `rng`, as in SciPy.

    Returns
    -------
    sketch : (..., sketch_size, d) ndarray
        Sketch, with the random numbers of SciPy, in the precision of the matrix.

    Notes
    -----
    Linear in the matrix. See `scipy.linalg.clarkson_woodruff_transform`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.ones((4, 2))
    >>> print(grad(lambda a: np.sum(linalg.clarkson_woodruff_transform(a, 2, rng=0) ** 2))(a))
    [[6. 6.]
     [6. 6.]
     [6. 6.]
     [2. 2.]]
    """
    if is_host(input_matrix) and (
        type(input_matrix) is not np.ndarray or input_matrix.dtype.char not in "fF"
    ):
        return host("clarkson_woodruff_transform")(input_matrix, sketch_size, *random, **named)
    a = as_matrix("clarkson_woodruff_transform", "input_matrix", input_matrix, square=False)
    from scipy.sparse import eye_array

    s = host("clarkson_woodruff_transform")(
        eye_array(shape_of(a)[-2], format="csc"), sketch_size, *random, **named
    )
    return _sketched(a, s, False)


clarkson_woodruff_transform.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
    inspect.Parameter("input_matrix", inspect.Parameter.POSITIONAL_OR_KEYWORD),
    inspect.Parameter("sketch_size", inspect.Parameter.POSITIONAL_OR_KEYWORD),
    inspect.Parameter("rng", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None),
    inspect.Parameter("seed", inspect.Parameter.KEYWORD_ONLY, default=None),
])  # fmt: skip


@linear("a", core={"a": 2})
def _sketched(a, s, adjoint):
    """Return s a, or s^T a, for a sparse s on the host."""
    s = s.T if adjoint else s
    if library(a) != "numpy":
        return np.asarray(s.toarray(), a.dtype, like=a) @ a
    flat = np.moveaxis(a, -2, 0)
    product = (s @ flat.reshape((a.shape[-2], flat[:1].size))).astype(a.dtype, copy=False)
    return np.moveaxis(product.reshape((s.shape[0], *flat.shape[1:])), 0, -2)


_sketched.adjoint(lambda call, g: _sketched(g, call.s, not call.adjoint))


__all__ = [
    "clarkson_woodruff_transform",
    "cross",
    "khatri_rao",
    "matmul",
    "multi_dot",
    "outer",
    "vecdot",
]
