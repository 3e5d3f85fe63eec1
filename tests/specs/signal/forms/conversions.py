"""Conversions between polynomials, zeros and poles, and second-order sections; normalize."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def roots(draw):
    k = np.array(2.0, draw.real_dtype)
    yield "zeros and poles", (draw.array(2), draw.array(3), k), {}
    yield "poles alone", (draw.array(2)[:0], draw.array(2), k), {}
    yield "several outputs", (draw.array(2, 2), draw.array(2), k), {}


def conjugate_pairs(draw):
    if not draw.is_complex:  # under vmap the roots are always complex
        yield (
            "conjugate pairs",
            (np.array([2.0, -3.0, 2.5], draw.dtype), np.array([2.0, 0.5, 0.4, 0.3], draw.dtype)),
            {},
        )


def polynomials(draw):
    yield from conjugate_pairs(draw)
    if not draw.is_complex:
        yield (
            "distinct",
            (np.array([2.0, -3.0, 0.5], draw.dtype), np.array([2.0, 0.5, -0.4, 0.1], draw.dtype)),
            {},
        )


def sections(draw):
    rows = 0.3 * draw.array(2, 6)
    rows[:, [0, 3]] += 2
    yield "two sections", (rows,), {}


def distinct_sections(draw):
    if not draw.is_complex:
        yield (
            "two sections",
            (
                np.array(
                    [[2.0, -3.0, 0.5, 1.0, 0.5, -0.4], [1.0, 0.2, 0.5, 1.0, 0.1, 0.3]], draw.dtype
                ),
            ),
            {},
        )


def paired(draw):
    k = np.array(2.0, draw.real_dtype)
    if not draw.is_complex:
        z, p = np.array([0.9, -0.4, 0.3], draw.dtype), np.array([0.7, -0.2, 0.5], draw.dtype)
        yield "three", (z, p, k), {}
        yield "more poles", (z[:1], p, k), {}
        yield "as few as possible", (z[:2], p[:2], k, "minimal"), {}
        yield "sections of first order and none", (z[:1], p, k, "minimal"), {}
        yield "analog", (z[:2], p, k), {"analog": True}


def unpaired(draw):
    yield "complex", ([1j], [0.5], 1.0), {}, ValueError, "conjugate"


def coefficients(draw, count):
    values = 0.5 * draw.array(count)
    values[0] += 2
    return values


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


specs = [
    OpSpec(function=signal.zpk2tf, reference=scipy.signal.zpk2tf, samples=roots),
    OpSpec(
        function=signal.tf2zpk,
        reference=scipy.signal.tf2zpk,
        samples=polynomials,
        gradient_samples=conjugate_pairs,
    ),
    OpSpec(function=signal.sos2tf, reference=scipy.signal.sos2tf, samples=sections),
    OpSpec(function=signal.sos2zpk, reference=scipy.signal.sos2zpk, samples=distinct_sections),
    OpSpec(
        function=signal.zpk2sos,
        reference=scipy.signal.zpk2sos,
        samples=paired,
        error_samples=unpaired,
    ),
    OpSpec(function=signal.tf2sos, reference=scipy.signal.tf2sos, samples=polynomials),
    spec(
        "normalize",
        fractions,
        gradient_samples=regular_fractions,
        error_samples=fraction_errors,
    ),
]
