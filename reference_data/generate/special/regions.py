"""The commonest special functions of real numbers by regions of their arguments: values, and
derivatives in every argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import scipy.special
from recording import DIGITS, Record, exact, number, ulp_error

COUNT = 16
SMALL, MAIN, LARGE, BELOW = (1e-8, 0.1), (0.1, 10.0), (10.0, 1000.0), (-10.0, -0.1)
UNIT, TAIL, BOTH = (0.01, 0.99), (1e-8, 0.01), (-5.0, 5.0)


def lower(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True)


def upper(a: Any, x: Any) -> Any:
    return mp.gammainc(a, x, mp.inf, regularized=True)


def beta(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


def normal(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def student(v: Any, t: Any) -> Any:
    tail = beta(v / 2, mp.mpf(1) / 2, v / (v + t * t)) / 2
    return tail if t < 0 else 1 - tail


def scaled_i(n: int) -> Callable[[Any], Any]:
    return lambda x: mp.exp(-abs(x)) * mp.besseli(n, x)


def scaled_k(n: int) -> Callable[[Any], Any]:
    return lambda x: mp.exp(x) * mp.besselk(n, x)


def modified(x: Any) -> Any:
    """K_0(x exp(pi i/4)) by its power series (DLMF 10.31.2), of which mpmath's besselk takes a
    limit: seconds a point.
    """
    with mp.extradps(20 + int(x)):
        z = x * mp.expjpi(mp.mpf(1) / 4)
        total, term, harmonic, k = mp.mpc(0), mp.mpc(1), -mp.log(z / 2) - mp.euler, 0
        while k < abs(z) or abs(term) > mp.eps * abs(total):
            total, k = total + term * harmonic, k + 1
            term, harmonic = term * z * z / (4 * k * k), harmonic + mp.mpf(1) / k
        return total


def kelvin(x: Any) -> Any:
    """J_0(x exp(3 pi i/4))."""
    return mp.besselj(0, x * mp.expjpi(mp.mpf(3) / 4))


def of_one(**functions: Any) -> dict[str, Any]:
    """Return rows of functions of one number: the truth and an interval for each region."""
    return {name: (truth, {region: (interval,) for region, interval in regions.items()})
            for name, (truth, regions) in functions.items()}  # fmt: skip


SIGNED = {"small": SMALL, "main": MAIN, "negative": BELOW}
POSITIVE = {"small": SMALL, "main": MAIN, "large": (10.0, 500.0)}
WAVE = {"small": SMALL, "main": MAIN, "large": LARGE}
KELVIN = {"main": MAIN, "large": (10.0, 100.0)}
FUNCTIONS = of_one(
    gamma=(mp.gamma, {"small": SMALL, "main": MAIN, "large": (10.0, 150.0), "negative": BELOW}),
    gammaln=(
        lambda x: mp.log(abs(mp.gamma(x))),
        {"small": SMALL, "main": MAIN, "large": LARGE, "negative": BELOW},
    ),
    rgamma=(mp.rgamma, {"small": SMALL, "main": MAIN, "negative": BELOW}),
    digamma=(mp.digamma, {"small": SMALL, "main": MAIN, "large": LARGE, "negative": BELOW}),
    erf=(mp.erf, SIGNED),
    erfc=(mp.erfc, {"small": SMALL, "main": MAIN, "negative": (-5.0, -0.1)}),
    erfcx=(
        lambda x: mp.exp(x * x) * mp.erfc(x),
        {"main": MAIN, "large": LARGE, "negative": (-5.0, -0.1)},
    ),
    erfi=(mp.erfi, {"small": SMALL, "main": (0.1, 5.0)}),
    erfinv=(mp.erfinv, {"tail": TAIL, "main": UNIT}),
    dawsn=(lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x), WAVE),
    ndtr=(normal, {"main": (-5.0, 5.0), "negative": (-30.0, -5.0)}),
    log_ndtr=(lambda x: mp.log(normal(x)), {"main": (-5.0, 5.0), "negative": (-100.0, -5.0)}),
    ndtri=(lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), {"tail": (1e-4, 0.01), "main": UNIT}),
    expit=(lambda x: 1 / (1 + mp.exp(-x)), SIGNED),
    logit=(lambda p: mp.log(p / (1 - p)), {"tail": TAIL, "main": UNIT}),
    log_expit=(lambda x: -mp.log1p(mp.exp(-x)), SIGNED),
    exp1=(mp.e1, POSITIVE),
    expi=(mp.ei, SIGNED),
    exprel=(lambda x: mp.expm1(x) / x, SIGNED),
    spence=(lambda x: mp.polylog(2, 1 - x), {"small": SMALL, "main": (0.1, 1.9)}),
    entr=(lambda x: -x * mp.log(x), {"small": SMALL, "main": MAIN}),
    j0=(lambda x: mp.besselj(0, x), WAVE),
    j1=(lambda x: mp.besselj(1, x), WAVE),
    y0=(lambda x: mp.bessely(0, x), WAVE),
    y1=(lambda x: mp.bessely(1, x), WAVE),
    i0=(lambda x: mp.besseli(0, x), POSITIVE),
    i1=(lambda x: mp.besseli(1, x), POSITIVE),
    i0e=(scaled_i(0), WAVE),
    i1e=(scaled_i(1), WAVE),
    k0=(lambda x: mp.besselk(0, x), POSITIVE),
    k1=(lambda x: mp.besselk(1, x), POSITIVE),
    k0e=(scaled_k(0), WAVE),
    k1e=(scaled_k(1), WAVE),
    ellipk=(mp.ellipk, {"small": SMALL, "main": UNIT, "negative": BELOW}),
    ellipe=(mp.ellipe, {"small": SMALL, "main": UNIT, "negative": BELOW}),
    lambertw=(lambda x: mp.lambertw(x), {"small": SMALL, "main": MAIN, "large": LARGE}),
    wrightomega=(lambda x: mp.lambertw(mp.exp(x)), {"main": BOTH, "large": (10.0, 100.0)}),
    ber=(kelvin, KELVIN),
    bei=(lambda x: -1j * kelvin(x), KELVIN),
    berp=(lambda x: mp.diff(kelvin, x), KELVIN),
    beip=(lambda x: -1j * mp.diff(kelvin, x), KELVIN),
    ker=(modified, KELVIN),
    kei=(lambda x: -1j * modified(x), KELVIN),
    kerp=(lambda x: mp.diff(modified, x), KELVIN),
    keip=(lambda x: -1j * mp.diff(modified, x), KELVIN),
    zetac=(lambda x: mp.zeta(x) - 1, {"main": (1.1, 10.0), "large": (10.0, 40.0)}),
)
FUNCTIONS |= {
    "gammainc": (
        lower,
        {"main": ((0.1, 10.0), (0.1, 10.0)), "large": ((200.0, 300.0), (200.0, 300.0))},
    ),
    "gammaincc": (
        upper,
        {"main": ((0.1, 10.0), (0.1, 10.0)), "large": ((200.0, 300.0), (200.0, 300.0))},
    ),
    "beta": (mp.beta, {"main": (MAIN, MAIN), "large": ((10.0, 100.0), (10.0, 100.0))}),
    "betaln": (lambda a, b: mp.log(mp.beta(a, b)), {"main": (MAIN, MAIN), "large": (LARGE, LARGE)}),
    "betainc": (
        beta,
        {
            "main": ((0.3, 10.0), (0.3, 10.0), UNIT),
            "large": ((10.0, 100.0), (10.0, 100.0), (0.2, 0.8)),
        },
    ),
    "binom": (mp.binomial, {"main": ((5.1, 20.0), (0.1, 5.0))}),
    "poch": (lambda z, m: mp.rf(z, m), {"main": (MAIN, (0.1, 5.0))}),
    "zeta": (mp.zeta, {"main": ((1.1, 10.0), (0.5, 10.0))}),
    "jv": (mp.besselj, {"main": ((0.1, 10.0), MAIN), "large": ((0.1, 10.0), LARGE)}),
    "yv": (mp.bessely, {"main": ((0.1, 10.0), MAIN), "large": ((0.1, 10.0), LARGE)}),
    "iv": (mp.besseli, {"main": ((0.1, 10.0), MAIN), "large": ((0.1, 10.0), (10.0, 300.0))}),
    "kv": (mp.besselk, {"main": ((0.1, 10.0), MAIN), "large": ((0.1, 10.0), (10.0, 300.0))}),
    "struve": (mp.struveh, {"main": ((0.1, 5.0), MAIN)}),
    "chdtr": (lambda v, x: lower(v / 2, x / 2), {"main": ((1.0, 20.0), (0.5, 30.0))}),
    "chdtrc": (lambda v, x: upper(v / 2, x / 2), {"main": ((1.0, 20.0), (0.5, 30.0))}),
    "stdtr": (student, {"main": ((1.0, 30.0), (-5.0, 5.0))}),
    "fdtr": (
        lambda a, b, x: beta(a / 2, b / 2, a * x / (a * x + b)),
        {"main": ((1.0, 20.0), (1.0, 20.0), (0.1, 5.0))},
    ),
    "xlogy": (lambda x, y: x * mp.log(y), {"main": (MAIN, MAIN)}),
    "xlog1py": (lambda x, y: x * mp.log1p(y), {"small": (MAIN, SMALL), "main": (MAIN, MAIN)}),
    "rel_entr": (lambda x, y: x * mp.log(x / y), {"main": (MAIN, MAIN)}),
    "agm": (mp.agm, {"main": (MAIN, (10.5, 20.0))}),
    "ellipkinc": (mp.ellipf, {"main": ((0.1, 1.5), UNIT)}),
    "ellipeinc": (mp.ellipe, {"main": ((0.1, 1.5), UNIT)}),
    "elliprc": (mp.elliprc, {"main": (MAIN, (10.5, 20.0))}),
    "elliprf": (mp.elliprf, {"main": ((0.1, 1.0), (1.5, 3.0), (4.0, 10.0))}),
    "elliprd": (mp.elliprd, {"main": ((0.1, 1.0), (1.5, 3.0), (4.0, 10.0))}),
    "hyp0f1": (mp.hyp0f1, {"main": ((0.1, 10.0), BOTH)}),
    "hyp1f1": (mp.hyp1f1, {"main": (BOTH, (0.5, 10.0), BOTH)}),
    "hyperu": (mp.hyperu, {"main": ((0.3, 5.0), (0.5, 5.0), (0.5, 10.0))}),
    "hyp2f1": (mp.hyp2f1, {"main": (BOTH, BOTH, (0.5, 10.0), (-0.9, 0.9))}),
}


def drawn(random: np.random.Generator, low: float, high: float) -> np.ndarray:
    wide = low > 0 and high / low > 50
    x = (
        np.exp(random.uniform(np.log(low), np.log(high), COUNT))
        if wide
        else random.uniform(low, high, COUNT)
    )
    return x.astype(np.float32).astype(np.float64)


def record(
    name: str, truth: Callable[..., Any], region: str, intervals: tuple[tuple[float, float], ...]
) -> Record:
    random = np.random.default_rng([*name.encode(), *region.encode()])
    args = tuple(drawn(random, *interval) for interval in intervals)
    points = [tuple(map(exact, point)) for point in zip(*args, strict=True)]
    kernel, ulp, orders = getattr(scipy.special, name), {}, np.eye(len(args), dtype=int)
    with mp.workdps(DIGITS):
        values = [mp.re(truth(*point)) for point in points]
        first = tuple(
            np.array([number(mp.re(mp.diff(truth, point, tuple(map(int, n))))) for point in points])
            for n in orders
        )
        for dtype in (np.float64, np.float32):
            actual = np.real(kernel(*(x.astype(dtype) for x in args)))
            ulp[dtype.__name__] = np.array(
                [ulp_error(a, t, dtype) for a, t in zip(actual, values, strict=True)]
            )
    return Record(name, region, args, np.array([number(v) for v in values]), first=first, ulp=ulp)


def records() -> list[Record]:
    return [
        record(name, truth, region, intervals)
        for name, (truth, regions) in sorted(FUNCTIONS.items())
        for region, intervals in regions.items()
    ]
