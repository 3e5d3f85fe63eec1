"""Exponentials, logarithms, circular and hyperbolic functions, real and complex."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

from .arithmetic import binary, one_array, unary


def ldexp_samples(draw):
    if not draw.is_complex:
        yield "powers of two", (draw.real(3), np.array([0, 2, -3])), {}


specs = [
    unary("exp"),
    unary("exp2"),
    unary("expm1"),
    unary("log", 2.0),
    unary("log2", 2.0),
    unary("log10", 2.0),
    unary("log1p", 1.0),
    unary("sin"),
    unary("cos"),
    unary("tan"),
    unary("arcsin", 0.0, 0.9),
    unary("arccos", 0.0, 0.9),
    unary("arctan"),
    unary("sinh"),
    unary("cosh"),
    unary("tanh"),
    unary("arcsinh"),
    unary("arccosh", 3.0),
    unary("arctanh", 0.0, 0.9),
    unary("sinc"),
    binary("arctan2", (1.0, 0.9), (2.0, 1.0), False),
    binary("logaddexp", (0.0, 2.0), (0.0, 2.0), False),
    binary("logaddexp2", (0.0, 2.0), (0.0, 2.0), False),
    OpSpec(function=snp.ldexp, reference=np.ldexp, samples=ldexp_samples),
    OpSpec(function=snp.frexp, reference=np.frexp, samples=one_array(1.5, -2.6)),
]
