"""Conjugates, parts, absolute values and phases."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

from .arithmetic import one_array, real_only, unary

specs = [
    real_only("fabs", 2.0),
    unary("conjugate"),
    unary("real"),
    unary("imag"),
    unary("angle", 2.0),
    unary("absolute", 2.0),
    unary("sign", 2.0),
    OpSpec(function=snp.real_if_close, reference=np.real_if_close, samples=one_array(1.0)),
]
