"""cossin. A unitary matrix cannot vary freely, so the derivative laws vary the matrix whose polar
factor it is.
"""

import functools

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def of_polar(function, polar):
    """The angles and the middle factor of the polar factor of a matrix."""

    @functools.wraps(function)
    def of_a(a, p, q, *, separate=False, swap_sign=False):
        x = polar(a)[0]
        if isinstance(p, str):
            x, p, q = (x[..., :2, :1], x[..., :2, 1:], x[..., 2:, :1], x[..., 2:, 1:]), None, None
        return function(x, p, q, separate, swap_sign, compute_u=False, compute_vh=False)[1]

    return of_a


def matrix(draw, m, *batch):
    return draw.well_conditioned(m, batch)


def polar_samples(draw):
    for m, p, q in ((4, 2, 2), (3, 1, 2), (5, 3, 3), (5, 2, 3)):
        yield f"angles, {m}, {p}, {q}", (matrix(draw, m), p, q), {"separate": True}
        yield f"{m}, {p}, {q}", (matrix(draw, m), p, q), {"swap_sign": m == 5}
    yield "blocks", (matrix(draw, 4), "blocks", None), {}
    yield "batch", (matrix(draw, 4, 2), 2, 1), {}


def samples(draw):
    x = draw.unitary(5)
    yield "whole", (), {"X": x, "p": 2, "q": 3}
    yield "separate", (), {"X": x, "p": 3, "q": 3, "separate": True, "swap_sign": True}
    yield "without u", (), {"X": x, "p": 3, "q": 1, "compute_u": False}
    yield "without vh", (), {"X": x, "p": 1, "q": 1, "compute_vh": False}
    yield "batch", (), {"X": draw.unitary(4, (2,)), "p": 2, "q": 1}


def errors(draw):
    x, batch = draw.unitary(5), draw.unitary(5, (2,))
    yield "not square", (x[:3], 2, 2), {}, ValueError, "(?i)square"
    for where, given in (("", x), (" in a batch", batch)):
        yield "p" + where, (given, 5, 2), {}, ValueError, "invalid p=5, 0<p<5"
        yield "q" + where, (given, 2, -1), {}, ValueError, "invalid q=-1"
        yield "no partition" + where, (given,), {}, ValueError, "exactly four arrays"
    yield "NaN", (batch * np.nan, 2, 2), {}, ValueError, "infs or NaNs"
    yield (
        "blocks",
        ((x[None, :2, :2], x[None, :2, 2:], x[None, 2:, :2], x[None, 2:, 2:3]),),
        {},
        ValueError,
        "dimension|square",
    )


specs = [
    OpSpec(
        function=linalg.cossin, reference=scipy.linalg.cossin, samples=samples, error_samples=errors
    ),
    OpSpec(
        function=of_polar(linalg.cossin, linalg.polar),
        reference=of_polar(scipy.linalg.cossin, scipy.linalg.polar),
        samples=polar_samples,
    ),
]
