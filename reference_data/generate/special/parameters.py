"""Functions in a shape parameter, an order or a degree, for which there is no closed derivative:
values and that derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import scipy.special
from recording import DIGITS, Record, _errors, exact, number

COUNT = 40
Z, ORDER, SHAPE = (1e-2, 1e2), (-5.0, 20.0), (0.1, 10.0)


def lower(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True)


def upper(a: Any, x: Any) -> Any:
    return mp.gammainc(a, x, mp.inf, regularized=True)


def beta(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


def student(v: Any, t: Any) -> Any:
    tail = beta(v / 2, mp.mpf(1) / 2, v / (v + t * t)) / 2
    return tail if t < 0 else 1 - tail


# Function, its truth, the parameter, and for each argument an interval: logarithmic if it is
# positive and wide, with x relative to a for the incomplete gamma functions.
ROWS = [
    ("gammainc", lower, 0, (1e-2, 1e3), (0.05, 20.0)),
    ("gammaincc", upper, 0, (1e-2, 1e3), (0.05, 20.0)),
    ("betainc", beta, 0, (0.1, 1e2), (0.1, 1e2), (0.0, 1.0)),
    ("betainc", beta, 1, (0.1, 1e2), (0.1, 1e2), (0.0, 1.0)),
    ("chdtr", lambda v, x: lower(v / 2, x / 2), 0, (0.1, 1e2), (0.05, 20.0)),
    ("stdtr", student, 0, (0.1, 1e2), (-9.0, 9.0)),
    ("jv", mp.besselj, 0, ORDER, Z),
    ("yv", mp.bessely, 0, ORDER, Z),
    ("iv", mp.besseli, 0, ORDER, Z),
    ("kv", mp.besselk, 0, ORDER, Z),
    ("hyp0f1", mp.hyp0f1, 0, SHAPE, (-30.0, 30.0)),
    ("hyp1f1", mp.hyp1f1, 0, (-10.0, 10.0), SHAPE, (-30.0, 30.0)),
    ("hyp1f1", mp.hyp1f1, 1, (-10.0, 10.0), SHAPE, (-30.0, 30.0)),
    ("hyperu", mp.hyperu, 0, (0.3, 5.0), SHAPE, (0.1, 30.0)),
    ("hyperu", mp.hyperu, 1, (0.3, 5.0), SHAPE, (0.1, 30.0)),
    ("hyp2f1", mp.hyp2f1, 0, (-5.0, 5.0), (-5.0, 5.0), SHAPE, (-5.0, 0.95)),
    ("hyp2f1", mp.hyp2f1, 2, (-5.0, 5.0), (-5.0, 5.0), SHAPE, (-5.0, 0.95)),
    ("zeta", mp.zeta, 0, (1.01, 30.0), Z),
]


def drawn(random: np.random.Generator, low: float, high: float) -> np.ndarray:
    wide = low > 0 and high / low > 100
    x = (
        np.exp(random.uniform(np.log(low), np.log(high), COUNT))
        if wide
        else random.uniform(low, high, COUNT)
    )
    return x.astype(np.float32).astype(np.float64)


def record(
    name: str, truth: Callable[..., Any], position: int, *domains: tuple[float, float]
) -> Record:
    random = np.random.default_rng(len(name) + position)
    args = [drawn(random, *domain) for domain in domains]
    if name in ("gammainc", "gammaincc", "chdtr"):
        args[1] = (args[0] * args[1]).astype(np.float32).astype(np.float64)
    values, slopes = [], []
    for point in zip(*args, strict=True):
        p = [exact(x) for x in point]
        with mp.workdps(3 * DIGITS):  # both tails of a distribution have to keep 15 digits
            values.append(truth(*p))
            slopes.append(
                number(
                    mp.re(
                        mp.diff(
                            lambda t, p=p: truth(*p[:position], t, *p[position + 1 :]), p[position]
                        )
                    )
                )
            )
    absent = np.full(COUNT, np.nan)
    first = tuple(np.array(slopes) if k == position else absent for k in range(len(args)))
    kernel = getattr(scipy.special, name)
    with mp.workdps(DIGITS):
        truths = [mp.re(v) for v in values]
        ulp = {
            kind: _errors(lambda *_: kernel(*args), args[0], truths, kind) for kind in ("float64",)
        }
    ulp["float32"] = absent
    return Record(
        name,
        f"in argument {position}",
        tuple(args),
        np.array([number(v) for v in truths]),
        first=first,
        ulp=ulp,
    )


def records() -> list[Record]:
    return [record(*row) for row in ROWS]
