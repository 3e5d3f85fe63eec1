"""The polynomials of `scigrad/special/kernels/i0e.py`: prints its tables.

Chebyshev interpolation at 60 digits, turned into powers of the local variable and rounded once. The local variables are
x - 1, (x - 5)/4 and 16/x - 1: the first two subtractions lose nothing where exp(-x) I0(x) is large, and the shifts are
exact powers of two. Interpolation at Chebyshev nodes is within a few per cent of minimax here, since the coefficients fall
by a factor of 4 to 10 a term; the truncation is below a tenth of a unit in the last place everywhere.

    python reference_data/generate/special/i0e_coefficients.py
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
import numpy as np

TERMS = {"float64": (20, 24, 24), "float32": (12, 16, 8)}  # near, middle, far: multiples of four, see `scalar`


def i0e(x: mp.mpf) -> mp.mpf:
    return mp.exp(-x) * mp.besseli(0, x)


def far(t: mp.mpf) -> mp.mpf:
    """sqrt(x) i0e(x) with x = 16/(t + 1); 1/sqrt(2 pi) at infinity (DLMF 10.40.1)."""
    x = 16 / (t + 1)
    return mp.sqrt(x) * i0e(x)


def interpolate(f: Callable[[mp.mpf], mp.mpf], terms: int) -> list[mp.mpf]:
    """Coefficients, in powers of t, of the polynomial that meets f at the Chebyshev nodes of [-1, 1]."""
    angles = [mp.pi * (2 * j + 1) / (2 * terms) for j in range(terms)]
    values = [f(mp.cos(angle)) for angle in angles]
    chebyshev = [2 * mp.fsum(v * mp.cos(k * a) for v, a in zip(values, angles, strict=True)) / terms for k in range(terms)]
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


def tables(dtype: str) -> list[list[float]]:
    near, middle, last = TERMS[dtype]
    polynomials = [
        interpolate(lambda t: i0e(t + 1), near),
        [c * mp.mpf(4) ** k / 3**k for k, c in enumerate(interpolate(lambda t: i0e(3 * t + 5), middle))],
        interpolate(far, last),
    ]
    kind = np.dtype(dtype).type
    return [[float(kind(mp.nstr(c, 30))) for c in p] for p in polynomials]


if __name__ == "__main__":
    mp.mp.dps = 60
    for dtype in TERMS:
        print(f"{dtype}:")
        for table in tables(dtype):
            print("    (" + ", ".join(np.format_float_scientific(np.dtype(dtype).type(c), trim="0") for c in table) + "),")
