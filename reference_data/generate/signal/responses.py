"""Frequency responses and group delays of digital filters, with derivatives by the frequency.

The response is the ratio of the polynomials at exp(i w), the group delay minus the slope of its
angle.
"""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import scipy.signal
from recording import Record, array_call, exact, number

FREQUENCIES = np.array([0.0625, 0.5, 0.78125, 1.0, 1.875, 2.5, 3.125])
FILTERS: dict[str, tuple[list[float], list[float]]] = {
    "two resonances": ([0.25, 0.5, -0.125], [1.0, -1.5, 1.375, -0.65625, 0.21875]),
    "near the circle": ([1.0, -1.40625, 1.0], [1.0, -1.40625, 0.984375]),
    "finite": ([0.5, -0.25, 0.75, 0.125], [1.0]),
    "scaled": ([2.0**20, 3.0], [2.0**20, 2.0**18]),
}


def response(b: list[float], a: list[float], w: Any) -> Any:
    above, below = (
        mp.fsum(exact(c) * mp.exp(mp.mpc(0, -k) * w) for k, c in enumerate(v)) for v in (b, a)
    )
    return above / below


def group_delay(b: list[float], a: list[float], w: Any) -> Any:
    h = response(b, a, w)
    return -mp.im(mp.diff(lambda v: response(b, a, v), w) / h)


def records() -> list[Record]:
    found = []
    kernels = {
        "freqz": (response, lambda w, b, a: scipy.signal.freqz(b, a, w)[1]),
        "group_delay": (group_delay, lambda w, b, a: scipy.signal.group_delay((b, a), w)[1]),
    }
    with mp.workdps(60):
        points = [exact(w) for w in FREQUENCIES]
        for function, (f, kernel) in kernels.items():
            for case, (b, a) in FILTERS.items():
                at = lambda w, f=f, b=b, a=a: f(b, a, w)  # noqa: E731
                slopes = [np.array([number(mp.diff(at, w, n)) for w in points]) for n in (1, 2)]
                made = array_call(
                    function, case, kernel, [at(w) for w in points], FREQUENCIES, b=b, a=a
                )
                made.first, made.second = (slopes[0],), (slopes[1],)
                found.append(made)
    return found
