"""Questions about arrays."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def questions(draw):
    yield "matrix", (draw.array(2, 3),), {}


def spec(name, samples, **options):
    return OpSpec(
        function=getattr(snp, name), reference=getattr(np, name), samples=samples, **options
    )


specs = [
    *(
        spec(name, questions)
        for name in ("shape", "ndim", "size", "iscomplexobj", "isrealobj", "result_type")
    ),
]
