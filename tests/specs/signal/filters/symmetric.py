"""Symmetric filters."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def first_order(draw):
    z1, c0 = np.array(-0.2, draw.real_dtype), np.array(1.7, draw.real_dtype)
    yield (
        "vector",
        (draw.array(18), c0, z1),
        {},
    )
    yield "rows, few terms", (draw.array(2, 12), c0, z1), {"precision": 1e-6}


def first_order_errors(draw):
    yield "pole", (np.ones(5), 1.0, 1.5), {}, ValueError, "less than 1"
    yield "short", (np.ones(5), 1.0, 0.9), {}, ValueError, "converge"
    yield "axes", (np.ones((5, 5, 5)), 1.0, 0.1), {}, ValueError, "1D or 2D"


def second_order(draw):
    if not draw.is_complex:
        r, omega = np.array(0.1, draw.dtype), np.array(0.9, draw.dtype)
        yield "vector", (draw.array(28), r, omega), {"precision": 1e-24}
        yield "rows", (draw.array(2, 26), r, omega), {"precision": 1e-22}


def short_second_order(draw):
    yield from second_order(draw)
    if not draw.is_complex:
        yield "few terms", (draw.array(2, 9), 0.2, 0.9, 1e-4), {}


def second_order_errors(draw):
    yield "pole", (np.ones(5), 1.5, 0.3), {}, ValueError, "less than 1"
    yield "short", (np.ones(5), 0.9, 0.3), {}, ValueError, "converge"


def images_and_taps(draw):
    yield "three and five taps", (draw.array(4, 5), draw.array(3), draw.array(5)), {}


def tap_errors(draw):
    yield "even", (np.ones((4, 4)), np.ones(2), np.ones(3)), {}, ValueError, "odd length"


def spec(name, samples, **given):
    return OpSpec(
        function=getattr(signal, name),
        reference=getattr(scipy.signal, name),
        samples=samples,
        **given,
    )


specs = [
    spec("symiirorder1", first_order, error_samples=first_order_errors),
    spec(
        "symiirorder2",
        short_second_order,
        gradient_samples=second_order,
        error_samples=second_order_errors,
    ),
    spec("sepfir2d", images_and_taps, error_samples=tap_errors),
]
