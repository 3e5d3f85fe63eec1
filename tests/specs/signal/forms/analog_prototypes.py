"""Analog prototypes, by their ripples."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec

from ..design.recursive_design import RAISED


def one_ripple(draw):
    if not draw.is_complex:
        for order in (1, 2, 5):
            yield f"order {order}", (order, np.array(12.0, draw.dtype)), {}


def two_ripples(draw):
    if not draw.is_complex:
        for order in (1, 2, 5):
            yield (
                f"order {order}",
                (order, np.array(0.7, draw.dtype), np.array(45.0, draw.dtype)),
                {},
            )


def order_errors(draw):
    yield "order", (1.5, 3.0), {}, ValueError, "nonnegative integer"


def order_errors_of_two(draw):
    yield "order", (1.5, 3.0, 30.0), {}, ValueError, "nonnegative integer"


def spec(name, **given):
    return OpSpec(function=getattr(signal, name), reference=getattr(scipy.signal, name), **given)


specs = [
    spec("cheb1ap", samples=one_ripple, error_samples=order_errors),
    spec("cheb2ap", samples=one_ripple, error_samples=order_errors, known_failures=RAISED),
    spec("ellipap", samples=two_ripples, error_samples=order_errors_of_two, known_failures=RAISED),
]
