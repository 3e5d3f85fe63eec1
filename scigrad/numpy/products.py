"""Products of arrays: matmul and its relatives."""

import functools
import math
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, namespace_of, shape_of
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.autodiff_rules.declare import Multilinear
from scigrad.autodiff_rules.masked import Masked
from scigrad.autodiff_rules.partials import Elementwise, binary
from scigrad.autodiff_rules.spaces import project
from scigrad.autodiff_rules.trace import interception
from scigrad.typing import BinaryUfunc

from .composition import intercepts, numpy_composition, write
from .devices import bring_home
from .joining import assemble, stack
from .shaping import expand_dims, moveaxis, ravel, reshape, swapaxes, transpose
from .views import own_result

__all__ = [
    "cross",
    "dot",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
    "vecmat",
]


def conjugate(x: Any) -> Any:
    """Return the complex conjugate; x itself if it is real."""
    return (
        x
        if x is ZERO or (getattr(x, "dtype", None) or np.dtype(type(x))).kind != "c"
        else np.conjugate(x)
    )


def absorbing(function: Any) -> Any:
    """Declare that a product of several arrays is ZERO if one of them is."""

    @functools.wraps(function)
    def product(*args: Any, **kwargs: Any) -> Any:
        return ZERO if any(a is ZERO for a in args) else function(*args, **kwargs)

    return product


def _column(x: Any) -> Any:
    return reshape(x, (*shape_of(x), 1))


def _as_row(x: Any) -> Any:
    return reshape(x, (*shape_of(x)[:-1], 1, shape_of(x)[-1]))


# -- matmul


class _Product(Multilinear):
    """Product of matrices and vectors."""

    def __init__(self) -> None:
        super().__init__(np.matmul, ("x", "y"))
        self.short = interception[np.matmul] = binary(self, np.matmul, self.general)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return (
            self.short(*args)
            if len(args) == 2 and not kwargs
            else super().__call__(*args, **kwargs)
        )

    general = Elementwise.general

    def pull(self, kept: Any, parents: Any, g: Any) -> Any:
        if type(g) is Masked:
            return super().pull(self.call(kept[:2], kept[2], None), parents, g)
        x, y, result = kept[0], kept[1], []
        for i, parent in parents:
            c, own = _COTANGENTS[i](x, y, g), kept[i]
            result.append(
                (parent, c if c.shape == own.shape and c.dtype is own.dtype else project(c, own))
            )
        return result


matmul: Any = _Product()


# out = x y  =>  x_bar = g y^H,  y_bar = x^H g. A vector is a matrix of one row (x) or one column
# (y). Products with one shared matrix are summed over the batch inside the product, not afterwards
# by the projection. Operators, not our functions: on plain arrays, as most of these are, an
# operator is NumPy's own.


def _first_operand(x: Any, y: Any, g: Any) -> Any:
    rank, y = y.ndim, y.conj()
    if rank == 1:
        return (g if x.ndim == 1 else g[..., None]) * y
    if x.ndim == 1:
        return _vector_last(y, g)
    if x.ndim == 2 < rank:
        batch = tuple(range(-rank, -2))
        return tensordot(g, y, ((*batch, -1), (*batch, -1)))
    return g @ y.swapaxes(-1, -2)


def _second(x: Any, y: Any, g: Any) -> Any:
    rank, x = x.ndim, x.conj()
    if rank == 1:
        return x * g if y.ndim == 1 else x[:, None] * g[..., None, :]
    if y.ndim == 1:
        return _vector_first(g, x)
    if y.ndim == 2 < rank:
        x, g = _rows_together(x), _rows_together(g)
    return x.swapaxes(-1, -2) @ g


_COTANGENTS = _first_operand, _second
matmul.vjp(
    lambda call, g: {
        "x": lambda: _first_operand(call.x, call.y, g),
        "y": lambda: _second(call.x, call.y, g),
    }
)


def _rows_together(x: Any) -> Any:
    *lead, n = shape_of(x)
    return reshape(x, (math.prod(lead), n))


def _vector_first(g: Any, x: Any) -> Any:
    """Return the sum over rows and batch of g[..., i] x[..., i, :]."""
    return g @ x if x.ndim == 2 else ravel(g) @ _rows_together(x)


def _vector_last(y: Any, g: Any) -> Any:
    """Return the sum over columns and batch of y[..., i, j] g[..., j]."""
    if y.ndim == 2:
        return y @ g
    return tensordot(y, g, ((*range(y.ndim - 2), -1), tuple(range(g.ndim))))


@matmul.batched
def _(call, batched):
    x, y = call.x, call.y
    rank_x, rank_y = len(shape_of(x)) - batched.x, len(shape_of(y)) - batched.y
    if not rank_x or not rank_y:
        np.matmul(0.0, 0.0)  # raises NumPy's error
    if not batched.y and rank_y <= 2:
        return matmul(x, y)
    if not batched.x and rank_x <= 2:
        if rank_y > 1:
            return matmul(x, y)
        return matmul(y, swapaxes(x, 0, 1) if rank_x == 2 else x)
    lead = max(rank_x, rank_y, 2) - 2
    out = matmul(
        _matrices(x, batched.x, rank_x, lead, -2), _matrices(y, batched.y, rank_y, lead, -1)
    )
    dropped = [axis for axis, rank in ((-2, rank_x), (-1, rank_y)) if rank == 1]
    return reshape(
        out, tuple(n for i, n in enumerate(shape_of(out), -len(shape_of(out))) if i not in dropped)
    )


def _matrices(x: Any, own: bool, rank: int, lead: int, new: int) -> Any:
    """Return x with its vector as a matrix (the new axis at place `new`) and `lead` axes between
    batch and matrix.
    """
    size, core = shape_of(x)[:own], shape_of(x)[own:]
    if rank == 1:
        core = (1, *core) if new == -2 else (*core, 1)
    return reshape(x, (*size, *(1,) * (lead + 2 - len(core)), *core))


# -- what is built from it


@numpy_composition(np.dot)
@absorbing
def dot(a, b, out=None):
    """Sum over the last axis of a and the last but one of b, see `numpy.dot`."""
    rank_a, rank_b = len(shape_of(a)), len(shape_of(b))
    if not rank_a or not rank_b:
        return a * b
    return matmul(a, b) if rank_a == 1 or rank_b <= 2 else tensordot(a, b, (-1, -2))


@numpy_composition(np.inner)
@absorbing
def inner(a, b, /):
    """Sum over the last axes of both, see `numpy.inner`."""
    ranks = len(shape_of(a)), len(shape_of(b))
    return matmul(a, b) if ranks == (1, 1) else tensordot(a, b, (-1, -1)) if all(ranks) else a * b


@numpy_composition(np.vdot)
@absorbing
def vdot(a, b, /):
    """Sum conj(a) b over all elements, see `numpy.vdot`."""
    return matmul(*(x if len(shape_of(x)) == 1 else ravel(x) for x in (conjugate(a), b)))


@numpy_composition(np.outer)
@absorbing
def outer(a, b, out=None):
    """Return a[i] b[j] of the flattened arrays, without conjugation, see `numpy.outer`."""
    a, b = bring_home([assemble(a), assemble(b)], (a, b))
    return matmul(reshape(a, (-1, 1)), reshape(b, (1, -1)))


@numpy_composition(np.tensordot)
@absorbing
def tensordot(a, b, axes: Any = 2):
    """Sum over pairs of axes, see `numpy.tensordot`."""
    shape_a, shape_b = shape_of(a), shape_of(b)
    if isinstance(axes, (int, np.integer)):
        axes_a, axes_b = tuple(range(len(shape_a) - axes, len(shape_a))), tuple(range(axes))
    else:
        axes_a, axes_b = (tuple(int(n) for n in np.atleast_1d(side)) for side in axes)
    axes_a = tuple(n % len(shape_a) for n in axes_a)
    axes_b = tuple(n % len(shape_b) for n in axes_b)
    if [shape_a[n] for n in axes_a] != [shape_b[n] for n in axes_b]:
        raise ValueError(
            f"shape-mismatch for sum: axes {axes_a} of shape {shape_a} against axes {axes_b} of "
            f"shape {shape_b}"
        )
    free_a = [n for n in range(len(shape_a)) if n not in axes_a]
    free_b = [n for n in range(len(shape_b)) if n not in axes_b]
    rows, inner_size = math.prod(shape_a[n] for n in free_a), math.prod(shape_a[n] for n in axes_a)
    left = reshape(transpose(a, (*free_a, *axes_a)), (rows, inner_size))
    right = reshape(
        transpose(b, (*axes_b, *free_b)), (inner_size, math.prod(shape_b[n] for n in free_b))
    )
    return own_result(
        reshape(matmul(left, right), (*(shape_a[n] for n in free_a), *(shape_b[n] for n in free_b)))
    )


@numpy_composition(np.kron)
@absorbing
def kron(a, b):
    """Return the Kronecker product, see `numpy.kron`."""
    a, b = bring_home([assemble(a), assemble(b)], (a, b))
    shape_a, shape_b = shape_of(a), shape_of(b)
    rank = max(len(shape_a), len(shape_b))
    shape_a = (1,) * (rank - len(shape_a)) + shape_a
    shape_b = (1,) * (rank - len(shape_b)) + shape_b
    left = reshape(a, tuple(n for size in shape_a for n in (size, 1)))
    right = reshape(b, tuple(n for size in shape_b for n in (1, size)))
    return own_result(
        reshape(left * right, tuple(m * n for m, n in zip(shape_a, shape_b, strict=True)))
    )


@numpy_composition(np.cross)
@absorbing
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Return the vector product, see `numpy.cross`."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = moveaxis(a, axisa, 0), moveaxis(b, axisb, 0)
    if {a.shape[0], b.shape[0]} - {2, 3}:
        raise ValueError(
            "incompatible dimensions for cross product (dimension must be 2 or 3), not "
            f"{a.shape[0]} and {b.shape[0]}"
        )
    rank = max(a.ndim, b.ndim)
    a, b = (reshape(v, (v.shape[0], *(1,) * (rank - v.ndim), *v.shape[1:])) for v in (a, b))
    last = a[0] * b[1] - a[1] * b[0]
    if a.shape[0] == b.shape[0] == 2:
        return last
    if a.shape[0] == 2:
        parts = [a[1] * b[2], -a[0] * b[2], last]
    elif b.shape[0] == 2:
        parts = [-a[2] * b[1], a[2] * b[0], last]
    else:
        parts = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], last]
    return stack(parts, axisc)


# -- products of stacks of vectors


def _declare_product(name: str, compute: Any, doc: str) -> Any:
    """Declare vecdot, matvec or vecmat: NumPy's own (all exist since 2.2), otherwise a product of
    matrices.
    """
    ufunc = getattr(np, name, None)

    def product(x1, x2, /, out=None, **options):
        if x1 is ZERO or x2 is ZERO:
            return ZERO
        if ufunc is not None and not holds_traced((x1, x2, out)) and namespace_of(x1, x2) is np:
            return ufunc(x1, x2, out=out, **options)
        return write(out, compute(assemble(x1), assemble(x2), **options))

    product.__name__ = product.__qualname__ = name
    product.__doc__ = f"{doc}, see `numpy.{name}`."
    if ufunc is not None:
        intercepts(ufunc)(product)
    return product


def _vecdot(x1: Any, x2: Any, axis: int = -1, keepdims: bool = False) -> Any:
    x1, x2 = (v if axis == -1 else moveaxis(v, axis, -1) for v in (x1, x2))
    out = matmul(_as_row(conjugate(x1)), _column(x2))[..., 0, 0]
    return expand_dims(out, axis) if keepdims else own_result(out)


vecdot: BinaryUfunc = _declare_product(
    "vecdot", _vecdot, "Sum conj(x1) x2 over an axis, broadcast over the others"
)
matvec: BinaryUfunc = _declare_product(
    "matvec",
    lambda x1, x2: own_result(matmul(x1, _column(x2))[..., 0]),
    "Multiply matrices by vectors, broadcast over leading axes",
)
vecmat: BinaryUfunc = _declare_product(
    "vecmat",
    lambda x1, x2: own_result(matmul(_as_row(conjugate(x1)), x2)[..., 0, :]),
    "Multiply conjugate vectors by matrices, broadcast over leading axes",
)
# The same under the names of NumPy's linear algebra.
intercepts(np.linalg.matmul)(matmul)
intercepts(np.linalg.outer)(outer)
intercepts(np.linalg.tensordot)(tensordot)
intercepts(np.linalg.vecdot)(vecdot)
intercepts(np.linalg.cross)(cross)
