"""Choices between elements: maximum and its relatives, where, clip, select, choose."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

from .arithmetic import binary


def where_samples(draw):
    mask = np.array([True, False, True])
    yield "arrays", (mask, draw.array(3), draw.array(3)), {}
    yield "broadcast", (mask, draw.array(2, 1), draw.array()), {}
    yield "a Python number", (mask, draw.array(3), 0.0), {}
    yield "condition broadcast", (np.array([[True], [False]]), draw.array(3), draw.array(1, 3)), {}


def clip_samples(draw):
    if not draw.is_complex:
        x = np.array([[-1.5, -0.2, 0.3], [0.1, 0.8, 2.0]], draw.dtype)
        yield "both", (x, -0.5, 0.5), {}
        yield "arrays", (x, draw.uniform(-0.9, -0.4, 3), draw.uniform(0.4, 0.7, 2, 1)), {}
        yield "from below", (x, -0.5, None), {}
        yield "from above", (x, None, 0.5), {}
        yield "keywords", (x,), {"min": -0.5, "max": 0.5}


def nan_to_num_samples(draw):
    yield "finite", (draw.array(2, 2),), {}
    yield "options", (draw.array(2),), {"copy": True, "nan": 1.0, "posinf": 2.0, "neginf": -2.0}


def select_samples(draw):
    a, b = np.array([True, False, False]), np.array([True, True, False])
    yield "arrays", ([a, b], [draw.array(3), draw.array(3)]), {}
    yield "default", ([a, b], [draw.array(3), draw.array(2, 3)], draw.array(3)), {}


def choose_samples(draw):
    yield "vectors", (np.array([1, 0, 2]), [draw.array(3), draw.array(3), draw.array(3)]), {}
    yield "broadcast", (np.array([[0], [1]]), [draw.array(2), draw.array(2, 1)]), {}
    yield "wrap", (np.array([-1, 3, 0]), [draw.array(3), draw.array(3)]), {"mode": "wrap"}
    yield "clip", (np.array([-1, 3, 0]), [draw.array(3), draw.array(3)]), {"mode": "clip"}


def heaviside_samples(draw):
    if not draw.is_complex:
        yield "steps", (np.array([-1.0, 2.0, 0.5], draw.dtype), draw.real(3)), {}


specs = [
    binary("maximum", (0.0, 1.0), (2.5, 1.0)),
    binary("minimum", (0.0, 1.0), (2.5, 1.0)),
    binary("fmax", (0.0, 1.0), (2.5, 1.0)),
    binary("fmin", (0.0, 1.0), (2.5, 1.0)),
    binary("copysign", (2.0, 1.0), (-2.0, 1.0), False),
    OpSpec(function=snp.where, reference=np.where, samples=where_samples),
    OpSpec(function=snp.clip, reference=np.clip, samples=clip_samples),
    OpSpec(function=snp.nan_to_num, reference=np.nan_to_num, samples=nan_to_num_samples),
    OpSpec(function=snp.select, reference=np.select, samples=select_samples),
    OpSpec(function=snp.choose, reference=np.choose, samples=choose_samples),
    OpSpec(function=snp.heaviside, reference=np.heaviside, samples=heaviside_samples),
]
