"""Assignment as a function, at indices of every form."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

from .indexing import CUBE, MASK, MATRIX, ROWS


def picked(shape, index):
    return np.zeros(shape)[index].shape


def set_samples(draw):
    for shape, cases in (((2, 3), MATRIX), ((2, 3, 2), CUBE)):
        for name, index in cases.items():
            yield name, (draw.array(*shape), index, draw.array(*picked(shape, index))), {}
    yield "broadcast", (draw.array(2, 3), (slice(None), ROWS), draw.array(2, 1)), {}
    yield "a number", (draw.array(2, 3), MASK, draw.array()), {}
    yield "axes of length 1 in front", (draw.array(2, 3), 0, draw.array(1, 1, 3)), {}
    yield "separated, broadcast", (draw.array(2, 3, 2), CUBE["separated"], draw.array(3)), {}
    if draw.is_complex:
        yield "real into complex", (draw.array(3), slice(1, None), draw.real(2)), {}


def set_errors(draw):
    yield "shape", (np.ones(3), slice(None), np.ones(2)), {}, ValueError, "could not broadcast"
    yield "complex", (np.ones(3), 0, 1j), {}, TypeError, "imaginary part"
    yield "beyond", (np.ones(3), 3, 1.0), {}, IndexError, "out of bounds"


def assigned(x, index, value):
    out = x.copy()
    out[index] = value
    return out


def added(x, index, value):
    out = x.copy()
    np.add.at(out, index, value)
    return out


def add_samples(draw):
    for shape, cases in (((2, 3), MATRIX), ((2, 3, 2), CUBE)):
        for name, index in cases.items():
            if name not in ("true", "false", "no index"):  # numpy.add.at takes none of these
                yield name, (draw.array(*shape), index, draw.array(*picked(shape, index))), {}
    yield "broadcast", (draw.array(2, 3), (slice(None), ROWS), draw.array(2, 1)), {}
    yield "a number", (draw.array(2, 3), ROWS, draw.array()), {}


specs = [
    OpSpec(function=snp.set_at, reference=assigned, samples=set_samples, error_samples=set_errors),
    OpSpec(function=snp.add_at, reference=added, samples=add_samples),
]
