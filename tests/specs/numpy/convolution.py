"""Convolutions and correlations of vectors."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def sequences(draw):
    for mode in ("full", "same", "valid"):
        yield mode, (draw.array(4), draw.array(3), mode), {}
        yield f"{mode}, the second longer", (draw.array(2), draw.array(5)), {"mode": mode}
        yield f"{mode}, even", (draw.array(4), draw.array(2), mode), {}
    yield "one element", (draw.array(3), draw.array(1)), {}
    if draw.is_complex:
        yield "real and complex", (draw.real(3), draw.array(2)), {}


def with_number(draw):
    yield from sequences(draw)
    yield "a number", (draw.array(3), draw.array()), {}


def sequence_errors(draw):
    yield "empty", (np.ones(3), np.ones(0)), {}, ValueError, "empty"
    yield "mode", (np.ones(3), np.ones(2), "some"), {}, ValueError, "mode"


def spec(name, samples, errors=None):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
    )


specs = [
    spec("convolve", with_number, sequence_errors),
    spec("correlate", sequences, sequence_errors),
]
