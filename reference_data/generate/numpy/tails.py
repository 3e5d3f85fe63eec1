"""Elementwise functions of NumPy over the whole range of numbers: at 0, in the tails, and beside
what is singular.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import mpmath as mp
from recording import Record, over_the_range

STEP, DIGITS = 350, (2000, 3500)  # digits for functions of one number, and of two
SIZES = (
    1e-300, 1e-200, 1e-155, 1e-100, 1e-20, 1e-10, 1e-8, 1e-5, 1e-3, 0.1, 0.5, 0.9, 1 - 2.0**-20,
    1 - 2.0**-50, 1 + 2.0**-50, 1 + 2.0**-20, 1.5, 2.0, 3.0, 7.0, 20.0, 40.0, 100.0, 300.0, 400.0,
    700.0, 1000.0, 1e5, 1e8, 1e10, 1e16, 1e50, 1e100, 1e154, 1e160, 1e200, 1e300,
)  # fmt: skip
SIGNED = (*SIZES, *(-x for x in SIZES))
INSIDE = tuple(x for x in SIGNED if abs(x) < 1)
ABOVE_ONE = tuple(x for x in SIZES if x > 1)
ABOVE_MINUS_ONE = tuple(x for x in SIGNED if x > -1)
FEW = (1e-300, 1e-160, 1e-10, 0.5, 1.0, 3.0, 40.0, 1e10, 1e160, 1e300)
PAIRS = tuple((sign * x, y) for x, y in product(FEW, FEW) for sign in (1, -1))
SUMS = (
    -1e300,
    -1000.0,
    -40.0,
    -20.0,
    -1.0,
    -1e-10,
    0.0,
    1e-10,
    1e-300,
    1.0,
    20.0,
    40.0,
    400.0,
    1e300,
)
POWERS = tuple(
    (x, y) for x in FEW for y in (-3.0, -1.0, -0.5, -1e-10, 1e-10, 0.5, 1.0, 2.0, 2.5, 300.0)
)


def root(x: Any) -> Any:
    return mp.cbrt(x) if x > 0 else -mp.cbrt(-x)


def cardinal_sine(x: Any) -> Any:
    return mp.sin(mp.pi * x) / (mp.pi * x)


def of_sum(x: Any, y: Any) -> Any:
    """Return log(exp(x) + exp(y)); what is below 10^-2000 is nothing."""
    return max(x, y) + (mp.log1p(mp.exp(-abs(x - y))) if abs(x - y) < 5000 else 0)


OF_ONE = {
    "exp": (mp.exp, SIGNED),
    "exp2": (lambda x: mp.mpf(2) ** x, (*SIGNED, 1024.0, -1073.5)),
    "expm1": (mp.expm1, SIGNED),
    "log": (mp.log, SIZES),
    "log2": (lambda x: mp.log(x, 2), SIZES),
    "log10": (mp.log10, SIZES),
    "log1p": (lambda x: mp.log(1 + x), ABOVE_MINUS_ONE),
    "sin": (mp.sin, SIGNED),
    "cos": (mp.cos, SIGNED),
    "tan": (mp.tan, SIGNED),
    "arcsin": (mp.asin, INSIDE),
    "arccos": (mp.acos, INSIDE),
    "arctan": (mp.atan, SIGNED),
    "sinh": (mp.sinh, SIGNED),
    "cosh": (mp.cosh, SIGNED),
    "tanh": (mp.tanh, SIGNED),
    "arcsinh": (mp.asinh, SIGNED),
    "arccosh": (mp.acosh, ABOVE_ONE),
    "arctanh": (mp.atanh, INSIDE),
    "sinc": (cardinal_sine, SIGNED),
    "sqrt": (mp.sqrt, SIZES),
    "cbrt": (root, SIGNED),
    "reciprocal": (lambda x: 1 / x, SIGNED),
    "square": (lambda x: x * x, SIGNED),
}
OF_TWO = {
    "arctan2": (mp.atan2, PAIRS),
    "hypot": (mp.hypot, PAIRS),
    "divide": (lambda x, y: x / y, PAIRS),
    "logaddexp": (of_sum, tuple(product(SUMS, SUMS))),
    "logaddexp2": (
        lambda x, y: of_sum(x * mp.ln2, y * mp.ln2) / mp.ln2,
        tuple(product(SUMS, SUMS)),
    ),
    "power": (lambda x, y: x**y, POWERS),
}


def records() -> list[Record]:
    pairs = zip((OF_ONE, OF_TWO), DIGITS, strict=True)
    return [
        over_the_range(name, *row, digits, STEP)
        for rows, digits in pairs
        for name, row in rows.items()
    ]
