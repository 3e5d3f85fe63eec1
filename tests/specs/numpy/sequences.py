"""Numbers at equal distances or ratios."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

from .calculus import double_precision


def steps_samples(draw):
    yield "numbers", (draw.array(), draw.array(), 4), {}
    yield "arrays", (draw.array(2, 1), draw.array(3)), {"num": 3, "axis": -1}
    yield "without the end", (draw.array(2), draw.array(), 3), {"endpoint": False}
    yield "step", (draw.array(), draw.array(2), 3), {"retstep": True}
    yield "one", (draw.array(), draw.array(), 1), {}
    yield "none", (draw.array(2), draw.array(), 0), {}
    yield (
        "dtype",
        (draw.array(), draw.array(), 3),
        {"dtype": np.result_type(draw.dtype, np.complex64)},
    )


def steps_errors(draw):
    yield "number", (0.0, 1.0, -1), {}, ValueError, "non-negative"


def powers_samples(draw):
    yield "numbers", (draw.array(), draw.array(), 4), {}
    yield "arrays", (draw.array(2), draw.array()), {"num": 3, "axis": -1}
    yield "base", (draw.array(2), draw.array()), {"num": 3, "base": 2.0}
    yield "bases", (draw.array(), draw.array(), 3, True, draw.positive(2)), {"axis": -1}


def ratios_samples(draw):
    sign = 1j if draw.is_complex else 1
    start, stop = (
        draw.positive(2).astype(draw.dtype),
        (2 + draw.positive(2)).astype(draw.dtype) * sign,
    )
    yield "arrays", (start, stop, 4), {}
    yield "without the end", (start, stop[0], 3, False), {"axis": -1}
    yield "negative", (-start, -stop, 3), {}


def ratios_errors(draw):
    yield "zero", (0.0, 1.0), {}, ValueError, "cannot include zero"


_END = "the last number is the end point that was given, also where the first is NaN"


def spec(name, samples, errors=None, **options):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
        **options,
    )


specs = [
    spec("linspace", steps_samples, steps_errors),
    spec("logspace", powers_samples),
    spec(
        "geomspace",
        ratios_samples,
        ratios_errors,
        known_failures=double_precision("geomspace") | {("missing", "numpy"): _END},
    ),
]
