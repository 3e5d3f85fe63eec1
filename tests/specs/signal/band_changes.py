"""Changes of the band and of time by polynomials."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def coefficients(draw, count):
    values = 0.5 * draw.array(count)
    values[0] += 2
    return values


def changes(*numbers, **constant):
    def samples(draw):
        given = [np.array(v, draw.real_dtype) for v in numbers]  # fmt: skip
        yield (
            "first order over second",
            (coefficients(draw, 2), coefficients(draw, 3), *given),
            constant,
        )
        yield "of one order", (coefficients(draw, 3), coefficients(draw, 3), *given), constant
        yield (
            "a number over first order",
            (coefficients(draw, 1), coefficients(draw, 2), *given),
            constant,
        )

    return samples


def regular_fractions(draw):
    yield "vectors", (coefficients(draw, 3), coefficients(draw, 4)), {}
    yield "two outputs", (draw.array(2, 3), coefficients(draw, 3)), {}


def fractions(draw):
    yield from regular_fractions(draw)
    yield (
        "zeros first",
        (coefficients(draw, 2), np.concatenate([np.zeros(1, draw.dtype), coefficients(draw, 2)])),
        {},
    )


def fraction_errors(draw):
    yield "zero", (np.ones(2), np.zeros(2)), {}, ValueError, "at least on nonzero"
    yield "matrix", (np.ones(2), np.ones((2, 2))), {}, ValueError, "rank-1"


def spec(name, samples, **given):
    return OpSpec(
        function=getattr(signal, name),
        reference=getattr(scipy.signal, name),
        samples=samples,
        **given,
    )


UNDERFLOWS = {
    (
        "extreme",
        "numpy",
    ): "powers of the frequencies under- or overflow in another order than SciPy's"
}
LOST = {
    (
        "missing",
        "numpy",
    ): (
        "SciPy multiplies coefficients that do not depend on the frequency by its power 0, NaN "
        "where it is NaN"
    )
}

specs = [
    spec(
        "normalize",
        fractions,
        gradient_samples=regular_fractions,
        error_samples=fraction_errors,
        known_failures={
            (
                "narrow",
                "numpy",
            ): "SciPy takes a vector of truth values for a column of several outputs"
        },
    ),
    spec("lp2lp", changes(1.7), known_failures=UNDERFLOWS | LOST),
    spec("lp2hp", changes(1.7)),
    spec("lp2bp", changes(1.7, 0.6), known_failures=UNDERFLOWS | LOST),
    spec("lp2bs", changes(1.7, 0.6)),
    spec("bilinear", changes(fs=0.7)),
]
