"""Sorting, searching and sets, of numbers that all differ."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def different(draw, *shape):
    """Well separated numbers in random order."""
    size = int(np.prod(shape))
    x = draw.rng.permutation(size) + draw.uniform(-0.3, 0.3, size)
    if draw.is_complex:
        x = x + 1j * draw.real(size)
    return x.reshape(shape).astype(draw.dtype)


def sorted_samples(draw):
    yield "vector", (different(draw, 5),), {}
    yield "axis", (different(draw, 3, 2),), {"axis": 0}
    yield "flattened", (different(draw, 2, 3),), {"axis": None}
    yield "stable", (different(draw, 2, 3),), {"stable": True}
    yield "kind", (different(draw, 4),), {"kind": "mergesort"}
    yield "empty", (different(draw, 2, 0),), {}


def partitioned(draw):
    yield "vector", (different(draw, 5), 2), {}
    yield "axis", (different(draw, 3, 2), 1), {"axis": 0}
    yield "several", (different(draw, 5), (1, 3)), {}


def positions(draw):
    yield "flattened", (different(draw, 2, 3),), {}
    yield "axis", (different(draw, 2, 3),), {"axis": 1}
    yield "keepdims", (different(draw, 2, 3),), {"axis": 0, "keepdims": True}


def vectors(draw):
    yield "vector", (different(draw, 5),), {}
    yield "matrix", (different(draw, 2, 2),), {}


def repeated(draw):
    yield "different", (different(draw, 5),), {}
    yield "matrix", (different(draw, 2, 3),), {}


def unique_samples(draw):
    yield from repeated(draw)
    yield (
        "everything",
        (different(draw, 4),),
        {"return_index": True, "return_inverse": True, "return_counts": True},
    )
    yield "rows", (different(draw, 3, 2),), {"axis": 0}


def lexsort_samples(draw):
    yield "keys", (np.array([[1.0, 2.0, 1.0, 2.0], [3.0, 1.0, 2.0, 1.0]], draw.real_dtype),), {}
    yield "axis", (draw.integers(0, 3, 2, 4, 2).astype(draw.real_dtype),), {"axis": 0}


def searched(draw):
    if not draw.is_complex:
        a = np.array([0.0, 1.0, 2.0, 3.0], draw.dtype)
        yield "left", (a, np.array([0.5, 2.0, -1.0], draw.dtype)), {}
        yield "right", (a, np.array([[0.5], [2.0]], draw.dtype)), {"side": "right"}
        yield (
            "sorter",
            (a[::-1].copy(), np.array([0.5, 2.0], draw.dtype)),
            {"sorter": np.arange(4)[::-1]},
        )


def digitized(draw):
    if not draw.is_complex:
        x = np.array([[0.2, 6.4], [3.0, 1.6]], draw.dtype)
        yield "increasing", (x, np.array([0.0, 1.0, 2.5, 4.0, 10.0], draw.dtype)), {}
        yield "decreasing", (x, np.array([10.0, 3.0, 1.0], draw.dtype)), {"right": True}


def membership(draw):
    a = different(draw, 2, 3)
    yield "some", (a, a[0]), {}
    yield "inverted", (a, a[1]), {"invert": True}


def flags(draw):
    yield "matrix", (np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]]).astype(draw.dtype),), {}


def compressed(draw):
    x = draw.array(2, 3)
    yield "flattened", (np.array([True, False, True, True]), x), {}
    yield "axis", (np.array([True, False, True]), x), {"axis": 1}


def extracted(draw):
    yield "mask", (np.array([[True, False, True], [False, True, False]]), draw.array(2, 3)), {}


def spec(name, samples, **options):
    return OpSpec(
        function=getattr(snp, name), reference=getattr(np, name), samples=samples, **options
    )


def position_specs(*names):
    return [spec(name, positions) for name in names]


_SIZE = {
    (law, "any"): "the shape of the result depends on the data" for law in ("batching", "shapes")
}

specs = [
    spec("sort", sorted_samples),
    spec("argsort", sorted_samples),
    spec(
        "sort_complex",
        vectors,
        known_failures={("single_precision", "any"): "sort_complex of float32 is complex64"},
    ),
    spec("partition", partitioned),
    spec("argpartition", partitioned),
    spec("lexsort", lexsort_samples),
    *position_specs("argmax", "argmin", "nanargmax", "nanargmin"),
    spec("searchsorted", searched),
    spec("digitize", digitized),
    spec("nonzero", flags),
    spec("flatnonzero", flags),
    spec("argwhere", flags),
    spec("compress", compressed),
    spec("extract", extracted),
    spec("unique", unique_samples, known_failures=_SIZE),
    spec("unique_all", repeated, known_failures=_SIZE),
    spec("unique_counts", repeated, known_failures=_SIZE),
    spec("unique_inverse", repeated, known_failures=_SIZE),
    OpSpec(
        function=snp.unique_values,
        reference=lambda x: np.sort(np.unique_values(x)),
        samples=repeated,
        known_failures=_SIZE,
    ),
    spec("isin", membership),
]
