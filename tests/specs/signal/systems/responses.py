"""Frequency responses and group delays."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def taps(draw, count):
    values = 0.3 * draw.array(count)
    values[0] += 2
    return values


def angles(draw):
    return np.array([0.3, 1.1, 2.5], draw.real_dtype)


def polynomials(draw):
    yield "frequencies", (taps(draw, 3), taps(draw, 2), angles(draw)), {}
    yield "a number of them", (taps(draw, 2), taps(draw, 3), 4), {}
    yield "whole circle in Hz", (taps(draw, 2), taps(draw, 2), 3, True), {"fs": 10.0}
    yield (
        "finite response, with the highest",
        (taps(draw, 3), taps(draw, 1), 3),
        {"include_nyquist": True},
    )
    yield "several at once", (taps(draw, 6).reshape(3, 2, 1), taps(draw, 2), angles(draw)), {}


def polynomial_errors(draw):
    yield "negative number", (np.ones(2), np.ones(2), -3), {}, ValueError, "nonnegative"


def roots(draw):
    yield (
        "frequencies",
        (0.5 * draw.array(2), 0.3 * draw.array(3), np.array(2.0, draw.real_dtype), angles(draw)),
        {},
    )
    yield (
        "a number of them",
        (0.5 * draw.array(1), 0.3 * draw.array(1), np.array(2.0, draw.real_dtype), 3),
        {"whole": True, "fs": 4.0},
    )


def sections(draw):
    rows = 0.3 * draw.array(2, 6)
    rows[:, 3] = 1
    yield "frequencies", (rows, angles(draw)), {}
    yield "a number of them", (rows[:1], 3), {"whole": True, "fs": 4.0}


def of_sections(f):
    """Rows (b0, b1, b2, a1, a2) as sections: column 3 may not vary."""

    def call(rows, *args, **kwargs):
        return f(
            np.concatenate([rows[:, :3], rows[:, :1] * 0 + 1, rows[:, 4:]], axis=1), *args, **kwargs
        )

    call.__name__, call.__module__ = f.__name__, "scigrad.signal"
    return call


def section_errors(draw):
    yield "columns", (np.ones((1, 5)),), {}, ValueError, "n_sections, 6"


def integers(draw):
    sos = np.array([[1, -2, 3, 1, 0, 0], [2, 1, 0, 1, 0, 0]], np.int8)
    yield "frequencies", (sos, angles(draw)), {}


def analog(draw):
    yield "frequencies", (taps(draw, 2), taps(draw, 3), angles(draw)), {}


def analog_roots(draw):
    yield (
        "frequencies",
        (draw.array(1), draw.array(2), np.array(2.0, draw.real_dtype), angles(draw)),
        {},
    )


def systems(draw):
    yield "frequencies", ((taps(draw, 3), taps(draw, 2)), angles(draw)), {}
    yield "a number of them", ((taps(draw, 2), taps(draw, 3)), 3), {"whole": True, "fs": 4.0}


specs = [
    OpSpec(
        function=signal.freqz,
        reference=scipy.signal.freqz,
        samples=polynomials,
        error_samples=polynomial_errors,
    ),
    OpSpec(function=signal.freqz_zpk, reference=scipy.signal.freqz_zpk, samples=roots),
    OpSpec(
        function=signal.freqz_sos,
        reference=scipy.signal.freqz_sos,
        samples=integers,
        error_samples=section_errors,
    ),
    OpSpec(
        function=of_sections(signal.freqz_sos),
        reference=of_sections(scipy.signal.freqz_sos),
        samples=sections,
    ),
    OpSpec(
        function=signal.sosfreqz,
        reference=scipy.signal.sosfreqz,
        samples=integers,
        error_samples=section_errors,
    ),
    OpSpec(function=signal.freqs, reference=scipy.signal.freqs, samples=analog),
    OpSpec(function=signal.freqs_zpk, reference=scipy.signal.freqs_zpk, samples=analog_roots),
    OpSpec(function=signal.group_delay, reference=scipy.signal.group_delay, samples=systems),
]
