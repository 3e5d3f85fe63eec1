"""all, any, count_nonzero."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def flag_samples(draw):
    x = (draw.array(2, 3) > 0).astype(draw.dtype)
    yield "all", (x,), {}
    yield "axis", (x,), {"axis": 0}
    yield "keepdims", (x,), {"axis": (0, 1), "keepdims": True}


def spec(name, samples, **options):
    return OpSpec(
        function=getattr(snp, name), reference=getattr(np, name), samples=samples, **options
    )


specs = [
    spec("all", flag_samples),
    spec("any", flag_samples),
    spec("count_nonzero", flag_samples),
]
