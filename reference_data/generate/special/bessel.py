"""j0 and j1: around their zeros, at the removable point 0 (j1(x)/x -> 1/2), through 8 and 5 (where
kernels switch), far out.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import scipy.special
from recording import Record, elementwise

POINTS = [0.0, 1e-300, 2.0**-60, 2.0**-20, 0.001953125, 0.5, 1.0, 2.0, 3.5, 5 - 2.0**-20, 5.0,
    5 + 2.0**-20, 6.75, 8.0,
          8 + 2.0**-19, 11.0, 25.5, 100.0, 1000.25, 16384.5, 1e6, 2.0**30]  # fmt: skip


def points(order: int) -> np.ndarray:
    """The points, the doubles next to the first zeros, and the floats next to them."""
    zeros = np.array([float(mp.besseljzero(order, k)) for k in (1, 2, 3, 10)])
    near = np.concatenate([zeros, zeros.astype(np.float32).astype(np.float64)])
    positive = np.concatenate([POINTS, near])
    return np.concatenate([positive, -positive[1::3]])


def records() -> list[Record]:
    return [
        elementwise("j0", "real", scipy.special.j0, lambda x: mp.besselj(0, x), points(0)),
        elementwise("j1", "real", scipy.special.j1, lambda x: mp.besselj(1, x), points(1)),
    ]
