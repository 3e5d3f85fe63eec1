"""pad, in every mode."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def constant_samples(draw):
    yield "zeros", (draw.array(2, 3), 1), {}
    yield "widths", (draw.array(2, 3), ((1, 2), (0, 3))), {"constant_values": 3.0}
    yield "by axis", (draw.array(2, 2), {1: (0, 2)}), {"constant_values": ((1, 2), (3, 4))}
    yield "no width", (draw.array(2, 2), 0), {}
    yield "empty", (draw.array(0, 2), (1, 0)), {}


def repeated_samples(draw):
    for mode in ("edge", "reflect", "symmetric", "wrap"):
        yield mode, (draw.array(2, 3), (2, 1), mode), {}
        yield f"{mode}, further than the array", (draw.array(3), (7, 5)), {"mode": mode}
    for mode in ("reflect", "symmetric"):
        yield f"{mode}, odd", (draw.array(2, 3), ((1, 1), (2, 1)), mode), {"reflect_type": "odd"}
        yield (
            f"{mode}, odd, further than the array",
            (draw.array(3), (8, 5), mode),
            {"reflect_type": "odd"},
        )
        yield f"{mode} of one element", (draw.array(1), 2, mode), {"reflect_type": "odd"}


def computed_samples(draw):
    yield "ramp", (draw.array(2, 3), (2, 1), "linear_ramp"), {}
    yield "ramp to values", (draw.array(2, 3), 1, "linear_ramp"), {"end_values": ((1, 2), (3, 4))}
    yield "mean", (draw.array(2, 3), ((1, 0), (2, 1)), "mean"), {}
    yield "mean of two", (draw.array(4), 1, "mean"), {"stat_length": 2}
    x = np.array([[1.0, 5.0, 2.0], [4.0, -3.0, 7.0]], draw.dtype)
    if not draw.is_complex:
        for mode in ("maximum", "minimum", "median"):
            yield mode, (x, ((1, 0), (1, 2)), mode), {}
            yield f"{mode} of two", (x, 1, mode), {"stat_length": ((1, 2), (2, 1))}


def pad_samples(draw):
    yield from constant_samples(draw)
    yield from repeated_samples(draw)
    yield from computed_samples(draw)


def pad_errors(draw):
    x = np.ones(3)
    yield "mode", (x, 1, "unknown"), {}, ValueError, "not supported"
    yield "option", (x, 1, "edge"), {"constant_values": 1}, ValueError, "unsupported keyword"
    yield "negative", (x, -1), {}, ValueError, "negative"
    yield "no integer", (x, 1.5), {}, TypeError, "integral"
    yield "nothing to repeat", (np.ones(0), 1, "edge"), {}, ValueError, "can't extend empty axis"


specs = [OpSpec(function=snp.pad, reference=np.pad, samples=pad_samples, error_samples=pad_errors)]
