"""Copies, and arrays of another dtype."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

from .creation import arrays


def converted(draw):
    yield "complex", (draw.array(2, 2), np.result_type(draw.dtype, np.complex64).name), {}
    yield "the same", (draw.array(2, 2), draw.dtype.name), {"copy": False}
    if not draw.is_complex:
        yield "integers", (4 * draw.array(3), "int64"), {}


def spec(name, samples, **options):
    return OpSpec(
        function=getattr(snp, name), reference=getattr(np, name), samples=samples, **options
    )


specs = [
    spec("copy", arrays),
    spec("astype", converted),
]
