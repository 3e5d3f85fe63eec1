"""Changes of the band and of time, by polynomials and by zeros and poles."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec

from .conversions import coefficients


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


def changes_of_roots(count, fs=False):
    def samples(draw):
        numbers = [np.array(v, draw.real_dtype) for v in (2.0, 1.5, 0.7)[: count + 1 - fs]] + [
            3
        ] * fs
        z, p = -draw.positive(1).astype(draw.dtype), -draw.positive(3).astype(draw.dtype)
        if draw.is_complex:
            # Real ones lie on the branch cut of the square root.
            z, p = z + np.array([0.4j], draw.dtype), p + np.array([0.5j, -0.5j, 0.3j], draw.dtype)
        yield "zero and poles", (z, p, *numbers), {}
        yield "poles alone", (z[:0], p[:2], *numbers), {}

    def errors(draw):
        yield (
            "improper",
            (np.ones(2), np.ones(1), 1.0, *(2.0, 1.0)[:count]),
            {},
            ValueError,
            "Improper",
        )

    return {"samples": samples, "error_samples": errors}


specs = [
    spec("lp2lp", changes(1.7), known_failures=UNDERFLOWS | LOST),
    spec("lp2hp", changes(1.7)),
    spec("lp2bp", changes(1.7, 0.6), known_failures=UNDERFLOWS | LOST),
    spec("lp2bs", changes(1.7, 0.6)),
    spec("bilinear", changes(fs=0.7)),
    spec("lp2lp_zpk", **changes_of_roots(1)),
    spec("lp2hp_zpk", **changes_of_roots(1)),
    spec("lp2bp_zpk", **changes_of_roots(2)),
    spec("lp2bs_zpk", **changes_of_roots(2)),
    spec("bilinear_zpk", **changes_of_roots(1, fs=True)),
]
