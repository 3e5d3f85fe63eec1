"""i0e and i1e: at 0 (where exp(-|x|) has a kink), through 2 and 8 (where kernels switch), and far
out.

At 0 the second derivative of i0e and i1e does not exist from both sides; the first of i0e neither.
By the rule of this library the value at a kink is the subgradient of least norm, 0 for i0e. i1e is
differentiable there: 1/2.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import scipy.special
from recording import Record, elementwise

POINTS = [2.0**-60, 2.0**-20, 0.001953125, 0.125, 0.5, 1.0, 2 - 2.0**-22, 2.0, 2 + 2.0**-22, 3.75,
    8 - 2.0**-20, 8.0,
          8 + 2.0**-19, 9.5, 20.0, 50.25, 104.0, 350.0, 700.0, 714.0, 1024.0, 16384.5,
          1e5]  # fmt: skip


def scaled(order: int, sign: int):
    """exp(-|x|) I_order(x) on one side of 0, so that no derivative straddles the kink."""
    return lambda x: mp.exp(-sign * x) * mp.besseli(order, x)


def joined(function: str, kernel, order: int) -> Record:
    positive = elementwise(function, "real", kernel, scaled(order, 1), POINTS)
    negative = elementwise(function, "real", kernel, scaled(order, -1), [-x for x in POINTS[::2]])
    zero = elementwise(function, "real", kernel, scaled(order, 1), [0.0])
    zero.first, zero.second = (np.array([0.5 if order else 0.0]),), (np.array([np.nan]),)
    parts = (zero, positive, negative)

    def join(name: str) -> tuple[np.ndarray, ...]:
        return (np.concatenate([getattr(part, name)[0] for part in parts]),)

    ulp = {kind: np.concatenate([part.ulp[kind] for part in parts]) for kind in zero.ulp}
    value = np.concatenate([part.value for part in parts])
    return Record(
        function, "real", join("arguments"), value, join("first"), join("second"), ulp=ulp
    )


def records() -> list[Record]:
    return [joined("i0e", scipy.special.i0e, 0), joined("i1e", scipy.special.i1e, 1)]
