"""Diagonals and triangles of matrices, and matrices made from them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Space, backends, count_axis_from_end, linear, zeros
from scigrad.autodiff_rules.backends import is_on_device
from scigrad.typing import Array, ArrayLike, DTypeLike, Out

from .composition import intercepts, linear_in_array, numpy_composition
from .devices import one_kernel, places_in, upload
from .joining import assemble
from .shaping import broadcast_to, ravel, reshape
from .views import blank, own_result, view

__all__ = [
    "diag", "diag_indices_from", "diagflat", "diagonal", "fill_diagonal", "trace", "tril",
    "tril_indices_from", "triu", "triu_indices_from", "vander",
]  # fmt: skip


@intercepts(np.diagonal)
@view("a")
def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return a diagonal of two axes, as the last axis of the result, see `numpy.diagonal`."""
    return np.diagonal(a, offset, axis1, axis2)


diagonal.drops = True


@diagonal.adjoint
def _(call, g):
    return _zeros_with_diagonal(g, call.offset, call.axis1, call.axis2, call.a.shape)


@diagonal.batched
def _(call, batched):
    axis1, axis2 = count_axis_from_end((call.axis1, call.axis2), call.a.ndim - 1)
    return diagonal(call.a, call.offset, axis1, axis2)


@linear("values")
def _zeros_with_diagonal(values, offset, axis1, axis2, shape):
    """Return zeros of a shape with the last axis of `values` on a diagonal of two axes."""
    home, n = backends.library(values), values.shape[-1]
    if (
        home != "numpy"
        and shape[-2:] == (n, n)
        and (axis1, axis2) == (len(shape) - 2, len(shape) - 1)
    ):
        # one launch, where an assignment takes several
        if home == "cupy":
            return element_on_diagonal(*places_in(shape, values), values[..., None])
        eye = backends.namespace(home).eye(n, dtype=bool)
        return np.where(eye, values[..., None], values.dtype.type(0))
    out = zeros(Space(shape, values.dtype, home))
    rows = np.arange(values.shape[-1])
    # a view: writing here fills `out`
    matrices = np.moveaxis(out, (axis1, axis2), (-2, -1)) if out.ndim > 2 or axis1 else out
    matrices[..., rows + max(-offset, 0), rows + max(offset, 0)] = values
    return out


_zeros_with_diagonal.fills = True


@one_kernel
def element_on_diagonal(i: Any, j: Any, value: Any) -> Any:
    """Return a matrix with values on its diagonal, from the numbers of rows and columns."""
    return np.where(i == j, value, value.dtype.type(0))


@_zeros_with_diagonal.adjoint
def _(call, g):
    return diagonal(g, call.offset, call.axis1, call.axis2)


@_zeros_with_diagonal.batched
def _(call, batched):
    axis1, axis2 = count_axis_from_end((call.axis1, call.axis2), len(call.shape))
    return _zeros_with_diagonal(
        call.values, call.offset, axis1, axis2, (call.values.shape[0], *call.shape)
    )


@numpy_composition(np.diag, linear=True)
def diag(v: ArrayLike, k: int = 0) -> Array:
    """Return the diagonal of a matrix, or the matrix with a given diagonal, see `numpy.diag`."""
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError(f"diag: input must be 1- or 2-d, not of shape {v.shape}")
    n = v.shape[0] + abs(k)
    return _zeros_with_diagonal(v, k, 0, 1, (n, n))


@numpy_composition(np.diagflat, linear=True)
def diagflat(v: ArrayLike, k: int = 0) -> Array:
    """Return the matrix with all elements of v on a diagonal, see `numpy.diagflat`."""
    return diag(ravel(assemble(v)), k)


@numpy_composition(np.trace, linear=True)
def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
) -> Array:
    """Return the sum of a diagonal, see `numpy.trace`."""
    return np.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


@numpy_composition(np.fill_diagonal)
def fill_diagonal(a: ArrayLike, val: ArrayLike, wrap: bool = False) -> None:
    """Write into the diagonal of a traced array, in place as `numpy.fill_diagonal` does."""
    if a.ndim < 2 or (a.ndim > 2 and len(set(a.shape)) > 1):
        raise ValueError(
            f"fill_diagonal: needs two axes, or more of one length, not shape {a.shape}"
        )
    rows, columns = a.shape[:2]
    if a.ndim > 2 or not wrap:
        index = (np.arange(min(a.shape)),) * a.ndim
    else:  # the diagonal starts again below an empty row in a tall matrix
        index = np.unravel_index(np.arange(0, rows * columns, columns + 1), a.shape)
    count = len(index[0])
    values = np.ravel(val)
    a[index] = values[np.arange(count) % values.shape[0]] if values.shape[0] != 1 else values[0]


# The same of the last two axes, under the names of NumPy's linear algebra.
intercepts(np.linalg.diagonal)(lambda x, /, *, offset=0: diagonal(x, offset, -2, -1))
intercepts(np.linalg.trace)(
    lambda x, /, *, offset=0, dtype=None: trace(x, offset, -2, -1, dtype=dtype)
)


# -- triangles


@one_kernel
def _element_of_triangle(i: Any, j: Any, x: Any, k: int, lower: bool) -> Any:
    return np.where(i + k >= j if lower else i + k <= j, x, x.dtype.type(0))


def _declare_triangle(function: Any) -> Any:
    """Declare tril or triu, which are their own adjoints; of a vector they are the triangle of the
    matrix with equal rows.
    """

    @intercepts(function)
    @linear_in_array("m")
    def triangle(m, k=0):
        if is_on_device(m) and m.ndim > 1:
            return _element_of_triangle(*places_in(m.shape, m), m, k, function is np.tril)
        return function(m, k)

    @triangle.adjoint
    def _(call, g):
        return triangle(g, call.k)

    @triangle.batched
    def _(call, batched):
        m = call.m
        if m.ndim == 2:
            size, n = m.shape
            m = broadcast_to(reshape(m, (size, 1, n)), (size, n, n))
        return triangle(m, call.k)

    triangle.drops = triangle.fills = True
    triangle.__name__ = triangle.__qualname__ = function.__name__
    triangle.__doc__ = (
        f"Return a triangle of matrices, zeros elsewhere, see `numpy.{function.__name__}`."
    )
    return triangle


tril: Callable[..., Array]
triu: Callable[..., Array]
tril, triu = _declare_triangle(np.tril), _declare_triangle(np.triu)


def _indices(original: Any, part: str) -> Any:
    @numpy_composition(original, constant=True)
    def function(arr, *args, **kwargs):
        return tuple(upload(i, arr) for i in original(blank(arr.shape), *args, **kwargs))

    function.__name__ = function.__qualname__ = original.__name__
    function.__doc__ = f"Return the indices of {part}, see `numpy.{original.__name__}`."
    return function


tril_indices_from: Callable[..., Array] = _indices(np.tril_indices_from, "a lower triangle")
triu_indices_from: Callable[..., Array] = _indices(np.triu_indices_from, "an upper triangle")
diag_indices_from: Callable[..., Array] = _indices(np.diag_indices_from, "the main diagonal")


@numpy_composition(np.vander)
def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Array:
    """Return the Vandermonde matrix, whose columns are powers of x, see `numpy.vander`."""
    if x.ndim != 1:
        raise ValueError(
            f"vander: x must be a one-dimensional array or sequence, not of shape {x.shape}"
        )
    # the dtype is NumPy's choice
    powers = powers_of(x.astype(np.promote_types(x.dtype, int)), len(x) if N is None else N)
    return own_result(powers[:, ::-1]) if increasing else powers


def powers_of(x: Any, count: int) -> Any:
    """Return x^(count - 1), ..., x, 1 along a new last axis."""
    powers = [np.ones_like(x)]
    for _ in range(1, count):
        powers.append(powers[-1] * x)
    return (
        np.stack(powers[:count][::-1], axis=-1) if count else np.zeros_like(x, shape=(*x.shape, 0))
    )
