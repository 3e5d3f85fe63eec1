"""pad, in every mode.

Modes that repeat elements (edge, reflect, symmetric, wrap) take them at the positions that NumPy's
own pad returns for 0, 1, 2, ...; the others append values computed from the array (an extremum, a
mean, a ramp) at both ends, axis by axis.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Space, linear, shape_of, space, zeros
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.typing import Array, ArrayLike, Value

from .composition import numpy_composition
from .conversion import copy
from .devices import place_beside
from .indexing import getitem
from .joining import assemble, concatenate
from .shaping import broadcast_to
from .taking import take

__all__ = ["pad"]

_STATISTICS = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}
_OPTIONS = {
    "constant": {"constant_values"},
    "linear_ramp": {"end_values"},
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
    "edge": set(),
    "wrap": set(),
    "empty": set(),
    **{name: {"stat_length"} for name in _STATISTICS},
}


@numpy_composition(np.pad)
def pad(array: ArrayLike, pad_width: ArrayLike, mode: str = "constant", **kwargs: Any) -> Array:
    """Return an array with elements added at both ends of its axes, see `numpy.pad`.

    Differentiable in the array and in `constant_values` and `end_values`. A function as `mode`
    writes into plain vectors and is refused for traced arrays.
    """
    if mode not in _OPTIONS:
        raise ValueError(
            f"mode '{mode}' is not supported"
            if isinstance(mode, str)
            else "pad: a function as mode is not available with traced arrays; join what it "
            "computes with numpy.concatenate."
        )
    unknown = set(kwargs) - _OPTIONS[mode]
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    widths = _widths(array, pad_width)
    if mode == "constant":
        return _constant(array, widths, kwargs.get("constant_values", 0))
    if mode == "empty":
        return _zero_padded(array, widths)
    if (
        0 in array.shape
        and mode not in ("mean",)
        and any(n == 0 and any(w) for n, w in zip(array.shape, widths, strict=True))
    ):
        raise ValueError(
            f"can't extend empty axis {array.shape.index(0)} using modes other than 'constant' or "
            "'empty'"
        )
    out = array
    for axis, width in enumerate(widths):
        if any(width):
            out = _extended(out, axis, width, mode, kwargs)
    return copy(array) if out is array else out


def _widths(array: Any, pad_width: Any) -> list[tuple[int, int]]:
    """Return (before, after) for each axis, from an int, a pair, one entry an axis, or a dict by
    axis.
    """
    rank = array.ndim
    if isinstance(pad_width, dict):
        given = {axis % rank: width for axis, width in pad_width.items()}
        pad_width = [given.get(axis, 0) for axis in range(rank)]
        pad_width = [(w, w) if np.ndim(w) == 0 else tuple(w) for w in pad_width]
    widths = np.asarray(pad_width)
    if widths.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    return [(int(a), int(b)) for a, b in np.broadcast_to(widths, (rank, 2))]


def _pairs_for_axes(value: Any, rank: int) -> Any:
    """Return a pair (before, after) for each axis; the entries may be traced."""
    return (
        broadcast_to(assemble(value), (rank, 2))
        if holds_traced([value])
        else np.broadcast_to(np.asarray(value), (rank, 2))
    )


# -- constant


@linear("x")
def _zero_padded(x, widths):
    shape = tuple(a + n + b for n, (a, b) in zip(x.shape, widths, strict=True))
    out = zeros(Space(shape, *space(x)[1:]))
    out[_inside(x.shape, widths)] = x
    return out


def _inside(shape: Any, widths: Any) -> tuple[slice, ...]:
    return tuple(slice(a, a + n) for n, (a, _) in zip(shape, widths, strict=True))


_zero_padded.fills = True


@_zero_padded.adjoint
def _(call, g):
    return getitem(g, _inside(call.x.shape, call.widths))


@_zero_padded.batched
def _(call, batched):
    return _zero_padded(call.x, [(0, 0), *call.widths])


def _constant(x: Any, widths: list[tuple[int, int]], values: Any) -> Any:
    if not holds_traced([values]):
        out = _zero_padded(x, widths)
        if not np.any(values):
            return out
        border = place_beside(np.pad(np.zeros(x.shape), widths, constant_values=values), x)
        return out + border
    values = _pairs_for_axes(values, x.ndim)
    for axis, (before, after) in enumerate(widths):
        x = _frame_axis(x, axis, values[axis, 0], before, values[axis, 1], after)
    return x


def _frame_axis(x: Any, axis: int, left: Any, before: int, right: Any, after: int) -> Any:
    """Return x along an axis between `before` copies of left and `after` of right (which broadcast
    against a slice of x).
    """
    shape = list(shape_of(x))
    parts = []
    for value, count in ((left, before), (right, after)):
        shape[axis] = count
        parts.append(broadcast_to(value, tuple(shape)).astype(x.dtype))
    return concatenate([parts[0], x, parts[1]], axis)


# -- everything else, along one axis


def _extended(x: Any, axis: int, width: tuple[int, int], mode: str, options: dict[str, Any]) -> Any:
    before, after = width
    if mode == "linear_ramp":
        return _ramps(x, axis, width, _pairs_for_axes(options.get("end_values", 0), x.ndim)[axis])
    if mode in _STATISTICS:
        left, right = _statistics(x, axis, _STATISTICS[mode], options.get("stat_length"))
        return _frame_axis(x, axis, left, before, right, after)
    n = x.shape[axis]
    if options.get("reflect_type", "even") == "odd":
        return _odd(x, axis, width, mode)
    return take(x, np.pad(np.arange(n), width, mode=mode), axis)


def _odd(x: Any, axis: int, width: tuple[int, int], mode: str) -> Any:
    """Reflect repeatedly about the values at the ends: sign x[place] + first x[0] + last x[-1].

    The three factors are determined from NumPy's results for 0, 1, 2, ... and for their squares; a
    constant is unchanged.
    """
    end = max(x.shape[axis] - 1, 1)
    line = np.arange(x.shape[axis])
    place = np.pad(line, width, mode)
    value = np.pad(line, width, mode, reflect_type="odd")
    square = np.pad(line**2, width, mode, reflect_type="odd")
    within = place * (place - end)
    sign = np.where(within, (square - end * value) // np.where(within, within, 1), 1)
    last = (value - sign * place) // end
    out: Value = 0
    for factor, places in (
        (sign, place),
        (1 - sign - last, np.array([0])),
        (last, np.array([x.shape[axis] - 1])),
    ):
        out = out + place_beside(factor.reshape(-1, *(1,) * (x.ndim - 1 - axis)), x) * take(
            x, places, axis
        )
    return out


def _ramps(x: Any, axis: int, width: tuple[int, int], ends: Any) -> Any:
    """Return straight lines from the edges to the end values, which they reach at the last
    element.
    """
    parts = []
    for edge, end, count, step in (
        (0, ends[0], width[0], 1),
        (x.shape[axis] - 1, ends[1], width[1], -1),
    ):
        steps = place_beside(
            (np.arange(count) / max(count, 1))[::step].reshape(-1, *(1,) * (x.ndim - 1 - axis)), x
        )
        parts.append(((1 - steps) * end + steps * take(x, np.array([edge]), axis)).astype(x.dtype))
    return concatenate([parts[0], x, parts[1]], axis)


def _statistics(x: Any, axis: int, function: Any, stat_length: Any) -> tuple[Any, Any]:
    """Return a statistic of the first and of the last elements along an axis."""
    n = x.shape[axis]
    lengths = (
        [n, n]
        if stat_length is None
        else [min(int(m), n) for m in np.broadcast_to(stat_length, (x.ndim, 2))[axis]]
    )
    if min(lengths) < 1 and function in (np.max, np.min):
        raise ValueError("stat_length of 0 yields no value for padding")
    before = (slice(None),) * axis
    first = getitem(x, (*before, slice(None, lengths[0])))
    last = getitem(x, (*before, slice(n - lengths[1], None)))
    return function(first, axis=axis, keepdims=True), function(last, axis=axis, keepdims=True)
