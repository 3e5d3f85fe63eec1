"""Spherical Bessel functions and their derivatives, from order 0 and through the origin."""

import numpy as np
import scipy.special

from scigrad import special
from scigrad.testing import OpSpec

ORDERS = np.int16([0, 1, 2, 5])  # int16 goes with float32


def orders(draw):
    z = draw.uniform(0.5, 6, 4)
    z = (z + 1j * draw.uniform(-1, 1, 4)).astype(draw.dtype) if draw.is_complex else z
    yield "of each", (ORDERS, z), {}
    yield "number", (2, z[1]), {}
    yield "derivative", (ORDERS, z, True), {}
    yield "empty", (1, z[:0]), {}


def through_the_origin(draw):
    yield from orders(draw)
    if not draw.is_complex:
        yield "origin", (ORDERS, np.zeros(4, draw.dtype)), {}
        yield "derivative at the origin", (ORDERS[1:], np.zeros(3, draw.dtype), True), {}


def spec(name, **samples):
    return OpSpec(
        function=getattr(special, name), reference=getattr(scipy.special, name), **samples
    )


specs = [
    *(spec(name, samples=through_the_origin) for name in ("spherical_jn", "spherical_in")),
    *(
        spec(name, samples=through_the_origin, gradient_samples=orders)
        for name in ("spherical_yn", "spherical_kn")
    ),
]
