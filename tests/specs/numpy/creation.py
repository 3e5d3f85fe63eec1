"""Arrays from what is there, or of one value."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def arrays(draw):
    yield "matrix", (draw.array(2, 3),), {}
    yield "number", (draw.array(),), {}
    yield "empty", (draw.array(0, 2),), {}


def listed(draw):
    yield "array", (draw.array(2, 3),), {}
    yield "list", ([draw.array(2), draw.array(2)],), {}
    yield "nested", ([[draw.array(), draw.array()], [draw.array(), draw.array()]],), {}
    yield "dtype", (draw.array(3),), {"dtype": np.result_type(draw.dtype, np.complex64)}


def new(draw):
    yield from listed(draw)
    yield "axes in front", (draw.array(3),), {"ndmin": 2}


def like(draw):
    yield from arrays(draw)
    yield "dtype", (draw.array(3),), {"dtype": np.result_type(draw.dtype, np.complex64)}
    yield "shape", (draw.array(3),), {"shape": (2, 2)}


def filled(draw):
    yield "value", (draw.array(2, 3), draw.array()), {}
    yield "row", (draw.array(2, 3), draw.array(3)), {}
    yield (
        "dtype",
        (draw.array(2), draw.array()),
        {"dtype": np.result_type(draw.dtype, np.complex64)},
    )


def full(draw):
    yield "value", ((2, 3), draw.array()), {}
    yield "row", ((2, 3), draw.array(3)), {}


def spec(name, samples, **options):
    return OpSpec(
        function=getattr(snp, name), reference=getattr(np, name), samples=samples, **options
    )


specs = [
    spec("asarray", listed),
    spec("asanyarray", listed),
    spec("ascontiguousarray", listed),
    spec("asfortranarray", listed),
    spec("array", new),
    spec("zeros_like", like),
    spec("ones_like", like),
    spec("full_like", filled),
    spec("full", full),
]
