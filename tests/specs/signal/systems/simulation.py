"""Responses of linear systems over time and frequency."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec

TIMES = np.linspace(0, 1.5, 6)


def matrices(draw, n, p, q):
    return draw.array(n, n), draw.array(n, p), draw.array(q, n), draw.array(q, p)


def coefficients(draw, count):
    values = 0.5 * draw.array(count)
    values[0] += 2
    return values


def driven(draw):
    if draw.is_complex:  # SciPy takes the real part
        return
    yield "polynomials", ((draw.array(2), coefficients(draw, 3)), draw.array(6)), {"T": TIMES}
    yield "two inputs", (matrices(draw, 2, 2, 1), draw.array(6, 2)), {"T": TIMES}
    yield (
        "held",
        (matrices(draw, 2, 1, 2), draw.array(6)),
        {"T": TIMES, "X0": draw.array(2), "interp": False},
    )
    yield (
        "later start",
        (matrices(draw, 2, 1, 1), draw.array(6)),
        {"T": TIMES + 0.5, "X0": draw.array(2)},
    )


def driven_errors(draw):
    yield (
        "times",
        (([1.0], [1.0, 2.0]), np.ones(3), np.array([0.0, 1.0, 3.0])),
        {},
        ValueError,
        "equally spaced",
    )
    yield (
        "start",
        (([1.0], [1.0, 2.0]), np.ones(2), np.array([-1.0, 0.0])),
        {},
        ValueError,
        "nonnegative",
    )
    yield (
        "rows",
        (([1.0], [1.0, 2.0]), np.ones(4), np.arange(3.0)),
        {},
        ValueError,
        "same number of rows",
    )
    yield (
        "inputs",
        (([1.0], [1.0, 2.0]), np.ones((3, 2)), np.arange(3.0)),
        {},
        ValueError,
        "that many inputs",
    )
    yield (
        "discrete",
        (signal.dlti([1.0], [1.0, 2.0]), np.ones(3), np.arange(3.0)),
        {},
        AttributeError,
        "continuous",
    )


def free(*state):
    def samples(draw):
        if not draw.is_complex:
            yield "polynomials", ((draw.array(2), coefficients(draw, 3)),), {"T": TIMES}
            yield "state space", (matrices(draw, 2, 1, 1), draw.array(*state)), {"T": TIMES}

    return samples


def with_default(*state):
    def samples(draw):
        yield from free(*state)(draw)
        if not draw.is_complex:
            yield "default times", ((draw.array(2), coefficients(draw, 3)),), {"N": 5}

    return samples


def discrete_driven(draw):
    if not draw.is_complex:
        yield "polynomials", ((draw.array(2), coefficients(draw, 3), 1), draw.array(6)), {}
        yield (
            "state space",
            ((*matrices(draw, 2, 2, 1), 1), draw.array(6, 2)),
            {"x0": draw.array(2)},
        )
        yield (
            "other times",
            ((*matrices(draw, 2, 1, 1), 1), draw.array(3)),
            {"t": np.array([0.0, 1.5, 4.0])},
        )


def discrete_free(draw):
    if not draw.is_complex:
        yield "polynomials", ((draw.array(2), coefficients(draw, 3), 1),), {"n": 5}
        yield "two inputs", ((*matrices(draw, 2, 2, 1), 1), draw.array(2)), {"n": 4}


def discrete_errors(draw):
    yield "continuous", (signal.lti([1.0], [1.0, 2.0]),), {}, AttributeError, "discrete"


def continuous_errors(draw):
    yield "discrete", (signal.dlti([1.0], [1.0, 2.0]),), {}, AttributeError, "continuous"


def frequencies(*dt):
    def samples(draw):
        w = np.array([0.3, 1.1, 2.0], draw.real_dtype)
        if not draw.is_complex:
            yield "polynomials", ((draw.array(2), coefficients(draw, 3), *dt), w), {}
            yield "state space", ((*matrices(draw, 3, 1, 1), *dt), w), {}
            k = np.array(2.0, draw.real_dtype)
            yield "zeros and poles", ((draw.array(1), draw.array(2), k, *dt), w), {}

    return samples


def default_frequencies(*dt):
    def samples(draw):
        yield from frequencies(*dt)(draw)
        if not draw.is_complex:
            yield "default", ((draw.array(2), coefficients(draw, 3), *dt),), {"n": 7}

    return samples


def several(*dt):
    def errors(draw):
        yield (
            "two inputs",
            ((np.eye(2), np.eye(2), np.ones((1, 2)), np.ones((1, 2)), *dt), [1.0]),
            {},
            ValueError,
            "SISO",
        )

    return errors


def spec(name, samples, **given):
    return OpSpec(
        function=getattr(signal, name),
        reference=getattr(scipy.signal, name),
        samples=samples,
        **given,
    )


LOST = {("extreme", "numpy"): "SciPy's way from state space to polynomials loses small values"}
OVERFLOWS = {("extreme", "numpy"): "scipy.linalg.expm overflows earlier"}

specs = [
    spec("lsim", driven, error_samples=driven_errors, known_failures=OVERFLOWS),
    spec(
        "impulse", with_default(2, 1), gradient_samples=free(2, 1), error_samples=continuous_errors
    ),
    spec("step", with_default(2), gradient_samples=free(2), error_samples=continuous_errors),
    spec("dlsim", discrete_driven),
    spec("dimpulse", discrete_free, error_samples=discrete_errors),
    spec("dstep", discrete_free, error_samples=discrete_errors),
    spec(
        "freqresp", default_frequencies(), gradient_samples=frequencies(), error_samples=several()
    ),
    spec("bode", default_frequencies(), gradient_samples=frequencies(), error_samples=several()),
    spec(
        "dfreqresp",
        default_frequencies(1),
        gradient_samples=frequencies(1),
        error_samples=several(1),
        known_failures=LOST,
    ),
    spec(
        "dbode",
        default_frequencies(1),
        gradient_samples=frequencies(1),
        error_samples=several(1),
        known_failures=LOST,
    ),
]
