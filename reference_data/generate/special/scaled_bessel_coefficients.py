"""The polynomials of the CUDA kernels i0e and i1e (`scaled_bessel_coefficients.py`): prints them.

Chebyshev interpolation at 60 digits, turned into powers of the local variable and rounded once. The
local variables are x - 1, (x - 5)/4 and 16/x - 1: the first two subtractions lose nothing where the
function is large, and the shifts are exact powers of two. Near 0, i1e is fitted divided by x, so
that its zero comes out with full relative accuracy. Interpolation at Chebyshev nodes is near enough
to minimax: the truncation is at most 0.22 of the machine epsilon (float64, middle piece).

    python reference_data/generate/special/scaled_bessel_coefficients.py
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import mpmath as mp
import numpy as np

# near, middle, far: fours, as `three_pieces` takes them
TERMS = {"float64": (20, 24, 24), "float32": (12, 16, 8)}


def scaled(order: int, x: mp.mpf) -> mp.mpf:
    return mp.exp(-x) * mp.besseli(order, x)


def near(order: int, t: mp.mpf) -> mp.mpf:
    """i0e(x) or i1e(x)/x with x = t + 1; no node of the interpolation is x = 0."""
    x = t + 1
    return scaled(order, x) / x**order


def far(order: int, t: mp.mpf) -> mp.mpf:
    """sqrt(x) exp(-x) I_order(x) with x = 16/(t + 1); 1/sqrt(2 pi) at infinity (DLMF 10.40.1)."""
    x = 16 / (t + 1)
    return mp.sqrt(x) * scaled(order, x)


def interpolate(f: Callable[[mp.mpf], mp.mpf], terms: int) -> list[mp.mpf]:
    """Coefficients, in powers of t, of the polynomial that meets f at the Chebyshev nodes of [-1,
    1].
    """
    angles = [mp.pi * (2 * j + 1) / (2 * terms) for j in range(terms)]
    values = [f(mp.cos(angle)) for angle in angles]
    chebyshev = [
        2 * mp.fsum(v * mp.cos(k * a) for v, a in zip(values, angles, strict=True)) / terms
        for k in range(terms)
    ]
    chebyshev[0] /= 2
    powers = [mp.mpf(0)] * terms
    before, now = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]  # T_0 and T_1 in powers of t
    for c in chebyshev:
        for i, b in enumerate(before):
            powers[i] += c * b
        after = [mp.mpf(0), *(2 * b for b in now)]  # T_{k+1} = 2 t T_k - T_{k-1}
        for i, b in enumerate(before):
            after[i] -= b
        before, now = now, after
    return powers


def tables(order: int, dtype: str) -> list[list[float]]:
    close, middle, last = TERMS[dtype]
    polynomials = [
        interpolate(lambda t: near(order, t), close),
        [
            c * mp.mpf(4) ** k / 3**k
            for k, c in enumerate(interpolate(lambda t: scaled(order, 3 * t + 5), middle))
        ],
        interpolate(lambda t: far(order, t), last),
    ]
    kind = np.dtype(dtype).type
    return [[float(kind(mp.nstr(c, 30))) for c in p] for p in polynomials]


if __name__ == "__main__":
    mp.mp.dps = 60
    for order, dtype in itertools.product((0, 1), TERMS):
        print(f"i{order}e, {dtype}:")
        for table in tables(order, dtype):
            print(
                "    ("
                + ", ".join(
                    np.format_float_scientific(np.dtype(dtype).type(c), trim="0") for c in table
                )
                + "),"
            )
