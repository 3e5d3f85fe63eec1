"""Sums of weights over bins: bincount and histogram."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import TracedValueError, raw, shape_of
from scigrad.typing import Array, ArrayLike

from .composition import numpy_composition
from .devices import is_batched, on_host, upload
from .joining import assemble
from .sequences import linspace
from .shaping import ravel
from .sorting import searchsorted
from .taking import place_at

__all__ = ["bincount", "histogram", "histogram_bin_edges"]


@numpy_composition(np.bincount)
def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: int = 0) -> Array:
    """Count how often each integer occurs, or sum the weights of its occurrences, see
    `numpy.bincount`.

    Differentiable in the weights.
    """
    x = _whole_numbers(assemble(x))
    if minlength < 0:
        raise ValueError(f"bincount: minlength must not be negative, but is {minlength}.")
    count = max(int(on_host(np.max(x))) + 1 if x.size else 0, int(minlength))
    each = upload(np.ones(x.shape, int), x) if weights is None else assemble(weights).astype(float)
    if each.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    return place_at(each, x, 0, (count,))


def _whole_numbers(x: Any) -> Any:
    """Return the numbers to count as indices."""
    if is_batched(x):
        raise TracedValueError(
            "bincount: the length of the result is the largest number + 1, so it differs between "
            "the elements of the batch under vmap. With n known: numpy.sum(numpy.where(x[:, None] "
            "== numpy.arange(n), weights[:, None], 0), 0)."
        )
    if x.ndim != 1 or (x.size and x.dtype.kind not in "biu"):
        error = ValueError if x.ndim != 1 else TypeError
        raise error(
            f"bincount: a 1-D array of integers is needed, not one of shape {x.shape} and dtype "
            f"{x.dtype}."
        )
    if x.size and on_host(np.min(x)) < 0:
        raise ValueError("bincount: the list must have no negative elements.")
    return x.astype(int)


@numpy_composition(np.histogram)
def histogram(
    a: ArrayLike,
    bins: ArrayLike = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Array, ...]:
    """Return counts, or sums of weights, in bins, and the edges of the bins, see `numpy.histogram`.

    Differentiable in the weights; the edges, when they follow from the smallest and largest sample,
    in those samples. Counts change in steps, so their derivative with respect to the samples is 0.
    """
    a = ravel(assemble(a))
    weights = None if weights is None else ravel(assemble(weights))
    edges = _edges(a, bins, range)
    count = edges.shape[0] - 1
    place = _bins(a, edges)
    kept = upload(np.ones(a.shape, int), a) if weights is None else weights
    total = place_at(kept * (place < count), np.minimum(place, count - 1), 0, (count,))
    return (total / np.diff(edges) / np.sum(total) if density else total), edges


@numpy_composition(np.histogram_bin_edges)
def histogram_bin_edges(
    a: ArrayLike,
    bins: ArrayLike = 10,
    range: tuple[float, float] | None = None,
    weights: ArrayLike | None = None,
) -> Array:
    """Return the edges of the bins that `histogram` uses, see `numpy.histogram_bin_edges`."""
    return _edges(ravel(assemble(a)), bins, range)


def _edges(a: Any, bins: Any, limits: Any) -> Any:
    if shape_of(bins):
        bins = assemble(bins)
        if on_host(np.any(raw(bins[..., :-1] > bins[..., 1:]))):
            raise ValueError("`bins` must increase monotonically, when an array")
        return bins
    if isinstance(bins, str):
        if is_batched(a):
            raise TracedValueError(
                f"histogram: the number of bins of {bins!r} depends on the data; under vmap pass "
                "a number."
            )
        bins = len(np.histogram_bin_edges(on_host(raw(a)), bins, limits)) - 1
    if int(bins) < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if limits is not None or not a.size:
        return upload(np.histogram_bin_edges(np.zeros(0, a.dtype), bins, limits), a)
    first, last = np.min(a), np.max(a)
    if not on_host(np.all(raw(np.isfinite(first) & np.isfinite(last)))):
        raise ValueError(f"autodetected range of [{raw(first)}, {raw(last)}] is not finite")
    # one repeated sample has half a unit on either side
    width = 0.5 * (first == last).astype(first.dtype)
    return linspace(first - width, last + width, int(bins) + 1)


def _bins(a: Any, edges: Any) -> Any:
    """Return the bin of each sample, the last bin closed; the number of bins for a sample
    outside.
    """
    count = edges.shape[0] - 1
    place = np.where(a == edges[-1], count - 1, searchsorted(edges, a, "right") - 1)
    return np.where((place < 0) | (a > edges[-1]), count, place)
