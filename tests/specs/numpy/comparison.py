"""Comparisons, tests, logic, rounding and bits: constant functions, held to their values."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

_SPECIAL = np.array([1.5, -2.5, 0.0, -0.0, np.inf, -np.inf, np.nan, 3.0])


def real_numbers(draw):
    if not draw.is_complex:
        yield "special values", (_SPECIAL.astype(draw.dtype),), {}
        yield "number", (draw.real(),), {}


def numbers(draw):
    yield "special values", (_SPECIAL.astype(draw.dtype),), {}
    yield "number", (draw.array(),), {}


def pairs(draw):
    x = draw.integers(-2, 3, 6).astype(draw.dtype)
    yield "vectors", (x, draw.integers(-2, 3, 6).astype(draw.dtype)), {}
    yield "broadcast", (draw.array(2, 1), draw.array(3)), {}
    yield "a Python number", (x, 1.0), {}


def real_pairs(draw):
    if not draw.is_complex:
        yield "vectors", (draw.real(4), draw.positive(4)), {}
        yield "broadcast", (draw.real(2, 1), draw.positive(3)), {}


def integer_pairs(draw):
    if draw.dtype == np.float64:
        yield "integers", (draw.integers(0, 60, 5), draw.integers(1, 6, 5)), {}


def integers(draw):
    if draw.dtype == np.float64:
        yield "integers", (draw.integers(-60, 60, 5),), {}


def rounded(draw):
    yield "whole", (10 * draw.array(4),), {}
    yield "decimals", (10 * draw.array(2, 2),), {"decimals": 1}


def close(draw):
    x = draw.array(3)
    yield "tolerance", (x, x * (1 + 1e-6)), {}
    yield "options", (x, x * (1 + 1e-3)), {"rtol": 1e-2, "atol": 0.0}
    yield (
        "NaN",
        (np.full(2, np.nan, draw.dtype), np.full(2, np.nan, draw.dtype)),
        {"equal_nan": True},
    )


def same(draw):
    x = draw.array(2, 3)
    yield "equal", (x, x.copy()), {}
    yield "different", (x, x + 1), {}
    yield "shapes", (x, x[0]), {}


def spec(name, samples):
    return OpSpec(function=getattr(snp, name), reference=getattr(np, name), samples=samples)


specs = [
    *(
        spec(name, pairs)
        for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
    ),
    *(spec(name, pairs) for name in ("logical_and", "logical_or", "logical_xor")),
    *(
        spec(name, numbers)
        for name in ("logical_not", "isfinite", "isinf", "isnan", "iscomplex", "isreal")
    ),
    *(spec(name, real_numbers) for name in ("signbit", "isposinf", "isneginf", "spacing")),
    *(spec(name, real_numbers) for name in ("floor", "ceil", "trunc", "rint", "fix")),
    *(spec(name, real_pairs) for name in ("floor_divide", "nextafter")),
    *(spec(name, integer_pairs) for name in ("gcd", "lcm", "left_shift", "right_shift")),
    *(spec(name, integer_pairs) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")),
    *(spec(name, integers) for name in ("invert", "bitwise_count")),
    spec("round", rounded),
    spec("around", rounded),
    spec("isclose", close),
    spec("allclose", close),
    spec("array_equal", same),
    spec("array_equiv", same),
]
