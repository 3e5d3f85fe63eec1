"""The vector spaces of values: shape, dtype and device; zero and projection.

A cotangent lives in the space of its value. `project` maps a computed cotangent to that space: it
sums over broadcast axes, drops the imaginary part for a real value and restores the dtype (all
adjoints of inclusions).
"""

from typing import Any, NamedTuple

import numpy as np

from . import backends
from .messages import errors
from .trace import ZERO, Traced, as_scalar, check_type, raw


class Space(NamedTuple):
    """Shape, dtype and library of an array, without its data."""

    shape: tuple[int, ...]
    dtype: Any
    library: str = "numpy"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))


_OF_NUMBERS = {kind: Space((), np.dtype(kind)) for kind in (bool, int, float, complex)}


def space(x: Any) -> Space:
    """Return the space of an array, number, traced value (its logical shape) or Space."""
    kind = type(x)
    if kind is np.ndarray or issubclass(kind, np.generic):
        return tuple.__new__(Space, (x.shape, x.dtype, "numpy"))
    if kind is Space:
        return x
    if kind in _OF_NUMBERS:
        return _OF_NUMBERS[kind]
    # first: it refuses arrays of libraries whose dtypes are not NumPy's
    library = backends.library(raw(x))
    dtype = getattr(x, "dtype", None)
    return Space(shape_of(x), np.dtype(dtype if dtype is not None else np.result_type(x)), library)


def namespace_of(*values: Any) -> Any:
    """Return the array functions of the library that owns the concrete arrays behind values: the
    module numpy or cupy.
    """
    for x in values:
        while isinstance(x, Traced):
            x = x._value
        if type(x) is np.ndarray:
            if x.ndim:
                break
        elif type(x) not in _OF_NUMBERS and not isinstance(x, np.generic):
            return backends.namespace(backends.library(*map(raw, values)))
    return np


def shape_of(x: Any) -> tuple[int, ...]:
    shape = getattr(x, "shape", None)
    return np.shape(x) if shape is None else shape


def is_inexact(x: Any) -> bool:
    """Return whether x can have a derivative: real or complex floating point."""
    dtype = getattr(x, "dtype", None)
    return dtype.kind in "fc" if dtype is not None else isinstance(x, (float, complex))


def is_number(x: Any) -> bool:
    """Return whether x is an array or a number of any kind."""
    return hasattr(x, "dtype") or isinstance(x, (int, float, complex))


def check_arithmetic(x: Any) -> None:
    """Refuse values with another arithmetic than the traced array that would stand for them.

    These are a matrix, a masked array, an array of torch's or JAX's, and a sparse array, which
    follows none of NumPy's protocols.
    """
    if hasattr(x, "tocsr"):
        raise errors.sparse_beside_traced()
    check_type(type(x))


def zeros(x: Any) -> Any:
    """Return the zero of the space of x."""
    s = space(x)
    found = (np if s.library == "numpy" else backends.namespace(s.library)).zeros(s.shape, s.dtype)
    return found if s.shape else as_scalar(found)


def materialize(t: Any, x: Any) -> Any:
    """Return `t`, or the zero of the space of x when t is ZERO and x an array."""
    return zeros(x) if t is ZERO and is_number(x) else t


def project(g: Any, x: Any) -> Any:
    """Return the orthogonal projection of a cotangent to the space of x."""
    try:
        if g.dtype is x.dtype and g.shape == x.shape:
            return g
    except AttributeError:  # a Python number on either side
        g = g if hasattr(g, "dtype") else np.asarray(g)[()]
    s = space(x)
    if hasattr(g, "presence"):
        return g.projected(s)
    if g.shape != s.shape:
        g = sum_to(g, s.shape)
    if g.dtype.kind == "c" and s.dtype.kind != "c":
        g = g.real
    return g if g.dtype == s.dtype else g.astype(s.dtype)


def sum_to(g: Any, shape: tuple[int, ...]) -> Any:
    """Return the sum over the axes along which an array of a shape was repeated."""
    if g.ndim < len(shape):
        g = g.reshape((*(1,) * (len(shape) - g.ndim), *g.shape))
    lead = g.ndim - len(shape)
    axes = (
        *range(lead),
        *(lead + i for i, n in enumerate(shape) if n == 1 and g.shape[lead + i] != 1),
    )
    if any(m != n != 1 for m, n in zip(g.shape[lead:], shape, strict=True)):
        raise errors.wrong_shape("a cotangent computed by a rule", shape, g.shape)
    g = g.sum(axis=axes) if axes else g
    return g if g.shape == shape else g.reshape(shape)


def embed(t: Any, x: Any) -> Any:
    """Return a computed tangent in the space of x: broadcast to its shape, in its dtype."""
    if t is ZERO:
        return t
    try:
        if t.shape == x.shape and t.dtype == x.dtype:
            return t
    except AttributeError:  # a Python number on either side
        t = t if hasattr(t, "dtype") else np.asarray(t)[()]
    s = space(x)
    if hasattr(t, "presence"):
        return t.embedded(s)
    if t.shape != s.shape:
        try:
            # a number of the host too
            t = np.broadcast_to(t, s.shape) if t.shape or s.library == "numpy" else t + zeros(s)
        except ValueError:
            raise errors.wrong_shape("a tangent computed by a rule", s.shape, t.shape) from None
    return t if t.dtype == s.dtype else t.astype(s.dtype)


def count_axis_from_end(axis: Any, rank: int) -> Any:
    """Return an axis, several, or None (all) of an array of `rank` axes, as negative numbers."""
    if axis is None:
        return tuple(range(-rank, 0))
    if isinstance(axis, (tuple, list)):
        return tuple(count_axis_from_end(a, rank) for a in axis)
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    return axis - rank if axis >= 0 else axis
