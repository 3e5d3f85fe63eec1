"""expit, and logsumexp of short vectors, with its gradient (the softmax) and with weights of either
sign.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import scipy.special
from recording import DIGITS, Record, array_call, elementwise, exact, number

EXPIT = [
    0.0,
    2.0**-60,
    2.0**-20,
    0.25,
    1.0,
    3.5,
    17.0,
    36.75,
    40.0,
    88.0,
    104.0,
    700.0,
    709.5,
    745.0,
    1000.0,
]
VECTORS = {
    "ordinary": [0.5, -1.25, 3.0, 0.0],
    "one": [-2.5],
    "large": [1000.0, 1000.0],
    "far below": [-1000.0, -1000.5, -1001.0],
    "spread": [1e3, -1e3, 0.0],
    "a small addend": [0.0, -36.75, -40.0],
    "cancelling peak": [1e-3, -30.0, -31.5],
    "with -inf": [-np.inf, 1.0, 2.0],
}
WEIGHTED = {
    "weights": ([0.5, -1.25, 3.0], [2.0, 0.5, 0.125]),
    "a zero weight": ([5000.0, 1.0, 2.0], [0.0, 1.0, 1.0]),
    "a negative weight": ([1.0, 0.5], [1.0, -1.0]),
}


def logistic(x: mp.mpf) -> mp.mpf:
    return 1 / (1 + mp.exp(-x))


def _case(name: str, a: list[float], b: list[float] | None = None) -> Record:
    x = np.array(a)
    weights = np.ones_like(x) if b is None else np.array(b)
    with mp.workdps(DIGITS):
        shares = [
            exact(w) * (mp.exp(exact(v)) if v > -np.inf else mp.mpf(0))
            for v, w in zip(x, weights, strict=True)
        ]
        total = mp.fsum(shares)
        gradient = (np.array([number(s / total) for s in shares]),)
        kernel = scipy.special.logsumexp
        if b is None:
            return array_call("logsumexp", name, kernel, mp.log(total), x, first=gradient)
        by_weight = np.array(
            [number((mp.exp(exact(v)) if v > -np.inf else mp.mpf(0)) / total) for v in x]
        )
        return array_call(
            "logsumexp",
            name,
            lambda u, w: kernel(u, b=w),
            mp.log(total),
            x,
            weights,
            first=(*gradient, by_weight),
        )


def records() -> list[Record]:
    points = [*EXPIT, *(-x for x in EXPIT[1:])]
    expit = elementwise("expit", "real", scipy.special.expit, logistic, points)
    plain = [_case(name, a) for name, a in VECTORS.items()]
    return [expit, *plain, *(_case(name, a, b) for name, (a, b) in WEIGHTED.items())]
