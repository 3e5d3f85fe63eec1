"""get_window, with the parameters of every window that has some."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def parametric(draw):
    def number(value):
        return np.array(value, draw.dtype)

    if draw.is_complex:
        return
    for bins in (True, False):
        yield f"kaiser, {bins}", (("kaiser", number(3.0)), 6, bins), {}
        yield f"gaussian, {bins}", (("gaussian", number(1.5)), 6, bins), {}
        yield (
            f"general_gaussian, {bins}",
            (("general_gaussian", number(1.3), number(2.0)), 7, bins),
            {},
        )
        yield f"general_hamming, {bins}", (("general_hamming", number(0.6)), 6, bins), {}
        yield (
            f"general_cosine, {bins}",
            (("general cosine", np.array([0.5, 0.4, 0.1], draw.dtype)), 6, bins),
            {},
        )
        yield f"tukey, {bins}", (("tukey", number(0.45)), 8, bins), {}
        yield f"taylor, {bins}", (("taylor", 4, number(33.0)), 6, bins), {}
        yield f"chebwin, {bins}", (("chebwin", number(60.0)), 7, bins), {}
    yield "a number is kaiser", (number(2.0), 5), {}
    yield "kaiser_symmetric", (("kaiser_symmetric", number(2.0)), 5), {}
    yield "kaiser at 0", (("kaiser", number(0.0)), 5), {}
    yield "kaiser_bessel_derived", (("kbd", number(4.0)), 8, False), {}
    yield "exponential around a center", (("exponential", number(1.3), number(2.0)), 5), {}
    yield "exponential", (("poisson", None, number(2.0)), 5, False), {}
    yield "tukey from end to end", (("tukey", number(1.5)), 5), {}
    yield "tukey without ends", (("tukey", number(-0.5)), 5), {}
    yield "taylor, not scaled", (("taylor", 3, number(40.0), False), 5), {}
    yield "chebwin of even length", (("cheb", number(50.0)), 6, False), {}


def errors(draw):
    yield "unknown name", ("flatbottom", 5), {}, ValueError, "Invalid window name"
    yield "no parameter", ("kaiser", 5), {}, ValueError, "must have parameters"
    yield "no samples", ("hann", 0), {}, ValueError, "not a positive integer"


DIVIDED = "SciPy's gaussian and tukey divide by a square, or lose the end, at 1e-300; ours do not"
CENTER = "the middle of general_gaussian is 1, whatever its parameters are"


specs = [
    OpSpec(
        function=signal.get_window,
        reference=scipy.signal.get_window,
        samples=parametric,
        error_samples=errors,
        known_failures={("extreme", "numpy"): DIVIDED, ("missing", "numpy"): CENTER},
    ),
]
