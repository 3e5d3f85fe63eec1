"""Running sums and products."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def running(draw):
    yield "vector", (draw.array(5),), {}
    yield "flattened", (draw.array(2, 3),), {}
    yield "axis", (draw.array(2, 3),), {"axis": 0}
    yield "last axis", (draw.array(2, 3),), {"axis": -1}
    yield "one", (draw.array(2, 1),), {"axis": 1}
    yield "empty", (draw.array(2, 0),), {"axis": 1}
    yield "dtype", (draw.array(3),), {"dtype": np.result_type(draw.dtype, np.complex64)}


def products(draw):
    yield from running(draw)
    x = draw.array(6)
    x[2] = 0
    yield "a zero", (x,), {}
    x = x.copy()
    x[4] = 0
    yield "two zeros", (x,), {}


def standard(draw):
    yield "vector", (draw.array(4),), {}
    yield "axis", (draw.array(2, 3),), {"axis": 1}
    yield "initial", (draw.array(2, 3),), {"axis": 0, "include_initial": True}
    yield "number", (draw.array(1),), {"include_initial": True}
    yield "dtype", (draw.array(3),), {"dtype": np.result_type(draw.dtype, np.complex64)}


def needs_axis(draw):
    yield "no axis", (np.ones((2, 2)),), {}, ValueError, "axis"


def axis_errors(draw):
    yield "axis", (np.ones((2, 2)),), {"axis": 2}, np.exceptions.AxisError, "out of bounds"


def spec(name, samples, **options):
    return OpSpec(
        function=getattr(snp, name), reference=getattr(np, name), samples=samples, **options
    )


specs = [
    spec("cumsum", running, error_samples=axis_errors),
    spec("nancumsum", running),
    spec("cumprod", products, error_samples=axis_errors),
    spec("nancumprod", products),
    spec("cumulative_sum", standard, error_samples=needs_axis),
    spec("cumulative_prod", standard, error_samples=needs_axis),
]
