"""Logistic functions."""

import numpy as np
import scipy.special

from scigrad import special
from scigrad.testing import OpSpec


def line(draw):
    if not draw.is_complex:
        yield "tails", (np.array([-40.0, -3.0, 0.0, 2.0, 40.0], draw.dtype),), {}
        yield "matrix", (draw.real(2, 3),), {}
        yield "number", (draw.real()[()],), {}
        yield "empty", (draw.real(0),), {}


def extremes(draw):
    yield from line(draw)
    if not draw.is_complex:
        yield "extremes", (np.array([-np.inf, -800.0, 800.0, np.inf], draw.dtype),), {}


def unit_interval(draw):
    if not draw.is_complex:
        yield "inside", (draw.uniform(0.05, 0.95, 5),), {}
        yield "number", (draw.uniform(0.1, 0.9)[()],), {}


def closed_interval(draw):
    yield from unit_interval(draw)
    if not draw.is_complex:
        yield "ends and outside", (np.array([0.0, 1.0, -0.5, 2.0], draw.dtype),), {}


def complex_input(draw):
    yield (
        "complex",
        (np.array([1.0 + 1.0j]),),
        {},
        TypeError,
        "is a function of real numbers.*numpy.real",
    )


def size(draw, n):
    return (draw.real(n),), {}


specs = [
    OpSpec(function=special.softplus, reference=scipy.special.softplus, samples=line),
    OpSpec(
        function=special.expit,
        reference=scipy.special.expit,
        samples=extremes,
        gradient_samples=line,
        error_samples=complex_input,
        size=size,
    ),
    OpSpec(
        function=special.log_expit,
        reference=scipy.special.log_expit,
        samples=extremes,
        gradient_samples=line,
        error_samples=complex_input,
        size=size,
    ),
    OpSpec(
        function=special.logit,
        reference=scipy.special.logit,
        samples=closed_interval,
        gradient_samples=unit_interval,
        error_samples=complex_input,
        size=lambda draw, n: ((draw.uniform(0, 1, n),), {}),
    ),
]
