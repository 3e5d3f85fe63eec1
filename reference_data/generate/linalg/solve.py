"""solve: Hilbert matrices scaled to integers (exact in float32 too) and random ones, real and
complex.

The recorded error is what an ill-conditioned system must cost: about cond(a) units, whatever the
algorithm.
"""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import scipy.linalg
from recording import Record, array_call, exact, singles


def scaled_hilbert(n: int) -> np.ndarray:
    """lcm(1 .. 2n - 1) / (i + j + 1): integers below 2^24 up to n = 8."""
    scale = math.lcm(*range(1, 2 * n))
    return np.array([[scale // (i + j + 1) for j in range(n)] for i in range(n)], dtype=np.float64)


def solution(a: np.ndarray, b: np.ndarray) -> list:
    x = mp.lu_solve(
        mp.matrix([[exact(v) for v in row] for row in a]), mp.matrix([exact(v) for v in b])
    )
    return [x[i] for i in range(len(b))]


def records() -> list[Record]:
    random = np.random.default_rng(12)
    systems = {f"Hilbert, n={n}": (scaled_hilbert(n), np.ones(n)) for n in (2, 3, 4, 5, 6, 7, 8)}
    for n in (1, 2, 5, 12):
        systems[f"random real, n={n}"] = (singles(random, n, n), singles(random, n))
        systems[f"random complex, n={n}"] = tuple(
            singles(random, *s, complex_values=True) for s in ((n, n), (n,))
        )
    graded = singles(random, 6, 6) * 2.0 ** -np.arange(0, 60, 10)[:, None]
    systems["rows graded from 1 to 2^-50"] = (graded, singles(random, 6))
    with mp.workdps(100):
        return [
            array_call("solve", name, scipy.linalg.solve, solution(a, b), a, b)
            for name, (a, b) in systems.items()
        ]
