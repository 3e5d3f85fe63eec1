"""Elementwise functions of special over the whole range: at 0, in the tails, and beside what is
singular.
"""

from __future__ import annotations

from typing import Any

import mpmath as mp
from recording import Record, in_closed_form, over_the_range

# Elementary derivatives cancel near 0, where those of higher functions do not, and 1 - p has to
# hold 1e-300.
DIGITS = {
    **dict.fromkeys(
        (
            "erfcx",
            "dawsn",
            "erfinv",
            "erfcinv",
            "ndtr",
            "log_ndtr",
            "ndtri",
            "ndtri_exp",
            "wrightomega",
        ),
        360,
    ),
    **dict.fromkeys(
        ("gamma", "rgamma", "gammaln", "loggamma", "digamma", "ber", "bei", "ker", "kei"), 200
    ),
    **dict.fromkeys(
        ("zetac", "y0", "y1", "k0", "k1", "k0e", "k1e", *(f"airy[{k}]" for k in range(4))), 60
    ),
}
SIZES = (
    1e-300, 1e-150, 1e-20, 1e-10, 1e-5, 1e-3, 0.1, 0.5, 0.9, 1 - 2.0**-20, 1 + 2.0**-20, 1.5, 2.9,
    7.3, 20.3, 40.3, 300.7, 1000.0, 1e5, 1e10, 1e16, 1e50, 1e160, 1e300,
)  # fmt: skip
SIGNED = (*SIZES, *(-x for x in SIZES))
INSIDE = tuple(x for x in SIGNED if abs(x) < 1)
UNIT = tuple(x for x in SIZES if x < 1)
BELOW_ONE = tuple(x for x in SIGNED if x < 1)
# points of functions that have no tails in mpmath
MODERATE = tuple(x for x in SIGNED if abs(x) <= 1e50)
# what oscillates loses digits far out, and the rest overflows
WAVES = tuple(x for x in SIGNED if abs(x) <= 301)
RIPPLES = tuple(x for x in WAVES if x > 0)
ANGLES = (*WAVES, 90 - 1e-8, 90 + 2.0**-40, -180 + 2.0**-40, 270.0 - 2.0**-30)
GAMMAS = (*RIPPLES, *(-x for x in UNIT), -1.5, -2 - 2.0**-20, -7 + 2.0**-20, -40.3, -165.5)
ROOT = mp.sqrt


def normal(x: Any) -> Any:
    return mp.erfc(-x / ROOT(2)) / 2


def hazard(x: Any) -> Any:
    return mp.exp(-x * x / 2) / ROOT(2 * mp.pi) / normal(x)


def quantile(p: Any) -> Any:
    return ROOT(2) * mp.erfinv(2 * p - 1)


def sparsity(p: Any) -> Any:
    """Return the slope of the normal quantile."""
    return ROOT(2 * mp.pi) * mp.exp(quantile(p) ** 2 / 2)


def gaussian(x: Any) -> Any:
    return 2 * mp.exp(-x * x) / ROOT(mp.pi)


def bell(x: Any) -> Any:
    return mp.exp(-x * x / 2) / ROOT(2 * mp.pi)


def scaled(x: Any) -> Any:
    return mp.exp(x * x) * mp.erfc(x)


def dawson(x: Any) -> Any:
    return ROOT(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def odds(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def slope(x: Any) -> Any:
    return mp.sech(x / 2) ** 2 / 4


def bend(x: Any) -> Any:
    return -slope(x) * mp.tanh(x / 2)


def ordinary(f: Any, order: int, sign: int) -> tuple[Any, Any]:
    """Return derivatives of J, Y (sign 1) and K (sign -1) of order 0 or 1 by those orders (DLMF
    10.6.2 and 10.29.2).
    """
    if order == 0:
        return lambda x: -f(1, x), lambda x: -sign * f(0, x) + f(1, x) / x
    return (
        lambda x: sign * f(0, x) - f(1, x) / x,
        lambda x: (2 / x**2 - sign) * f(1, x) - sign * f(0, x) / x,
    )


def modified(order: int) -> tuple[Any, Any]:
    """Return derivatives of I (DLMF 10.29.2)."""
    f = mp.besseli
    if order == 0:
        return lambda x: f(1, x), lambda x: f(0, x) - f(1, x) / x
    return lambda x: f(0, x) - f(1, x) / x, lambda x: (1 + 2 / x**2) * f(1, x) - f(0, x) / x


def times_exponential(
    f: Any, derivatives: tuple[Any, Any], order: int, sign: int
) -> tuple[Any, Any]:
    """Return derivatives of exp(-|x|) f or exp(x) f."""

    def first(x: Any) -> Any:
        s = sign * mp.sign(x)
        return mp.exp(s * x) * (derivatives[0](x) + s * f(order, x))

    def second(x: Any) -> Any:
        s = sign * mp.sign(x)
        return mp.exp(s * x) * (derivatives[1](x) + 2 * s * derivatives[0](x) + f(order, x))

    return first, second


def numerically(f: Any) -> tuple[Any, Any]:
    """Return differences, in steps of 10^-60 times the variable."""

    def first(x: Any) -> Any:
        h = x * mp.mpf(10) ** -60
        return mp.re(f(x + h) - f(x - h)) / (2 * h)

    def second(x: Any) -> Any:
        h = x * mp.mpf(10) ** -60
        return mp.re(f(x + h) - 2 * f(x) + f(x - h)) / h**2

    return first, second


def airy(f: Any) -> list[tuple[Any, Any]]:
    """Return derivatives of an Airy function and of its derivative, by the differential
    equation.
    """
    slope = lambda x: f(x, derivative=1)  # noqa: E731
    return [(slope, lambda x: x * f(x)), (lambda x: x * f(x), lambda x: f(x) + x * slope(x))]


def growth(x: Any) -> Any:
    """Return the slope of (exp(x) - 1)/x."""
    return (mp.exp(x) * (x - 1) + 1) / x**2


def omega(x: Any) -> Any:
    return mp.re(mp.lambertw(mp.exp(x)))


ROWS = {
    "erf": (SIGNED, gaussian, lambda x: -2 * x * gaussian(x)),
    "erfc": (SIGNED, lambda x: -gaussian(x), lambda x: 2 * x * gaussian(x)),
    "erfi": (WAVES, lambda x: gaussian(1j * x), lambda x: 2 * x * gaussian(1j * x)),
    "erfcx": (
        MODERATE,
        lambda x: 2 * x * scaled(x) - 2 / ROOT(mp.pi),
        lambda x: (4 * x * x + 2) * scaled(x) - 4 * x / ROOT(mp.pi),
    ),
    "dawsn": (
        MODERATE,
        lambda x: 1 - 2 * x * dawson(x),
        lambda x: (4 * x * x - 2) * dawson(x) - 2 * x,
    ),
    "erfinv": (
        INSIDE,
        lambda x: 1 / gaussian(mp.erfinv(x)),
        lambda x: 2 * mp.erfinv(x) / gaussian(mp.erfinv(x)) ** 2,
    ),
    "erfcinv": (
        tuple(x for x in SIZES if x < 1.9),
        lambda x: -1 / gaussian(mp.erfinv(1 - x)),
        lambda x: 2 * mp.erfinv(1 - x) / gaussian(mp.erfinv(1 - x)) ** 2,
    ),
    "ndtr": (SIGNED, bell, lambda x: -x * bell(x)),
    "log_ndtr": (MODERATE, hazard, lambda x: -hazard(x) * (x + hazard(x))),
    "ndtri": (UNIT, sparsity, lambda p: quantile(p) * sparsity(p) ** 2),
    "ndtri_exp": (
        tuple(-x for x in SIZES if 1e-50 < x < 200),
        *numerically(lambda y: quantile(mp.exp(y))),
    ),
    "expit": (SIGNED, slope, bend),
    "logit": (UNIT, lambda p: 1 / (p * (1 - p)), lambda p: (2 * p - 1) / (p * (1 - p)) ** 2),
    "log_expit": (SIGNED, lambda x: odds(-x), lambda x: -slope(x)),
    "softplus": (SIGNED, odds, slope),
    "gamma": (
        GAMMAS,
        lambda x: mp.gamma(x) * mp.psi(0, x),
        lambda x: mp.gamma(x) * (mp.psi(0, x) ** 2 + mp.psi(1, x)),
    ),
    "rgamma": (
        tuple(x for x in GAMMAS if abs(x) > 1e-50),
        lambda x: -mp.psi(0, x) / mp.gamma(x),
        lambda x: (mp.psi(0, x) ** 2 - mp.psi(1, x)) / mp.gamma(x),
    ),
    "gammaln": ((*SIZES, *GAMMAS), lambda x: mp.psi(0, x), lambda x: mp.psi(1, x)),
    "loggamma": (SIZES, lambda x: mp.psi(0, x), lambda x: mp.psi(1, x)),
    "digamma": ((*SIZES, *GAMMAS), lambda x: mp.psi(1, x), lambda x: mp.psi(2, x)),
    "zetac": (
        tuple(x for x in SIGNED if abs(x) <= 50),
        lambda x: mp.zeta(x, derivative=1),
        lambda x: mp.zeta(x, derivative=2),
    ),
    "exp1": (SIZES, lambda x: -mp.exp(-x) / x, lambda x: mp.exp(-x) * (x + 1) / x**2),
    "expi": (SIGNED, lambda x: mp.exp(x) / x, lambda x: mp.exp(x) * (x - 1) / x**2),
    "spence": (
        SIZES,
        lambda x: mp.log(x) / (1 - x),
        lambda x: 1 / (x * (1 - x)) + mp.log(x) / (1 - x) ** 2,
    ),
    "entr": (SIZES, lambda x: -mp.log(x) - 1, lambda x: -1 / x),
    "exprel": (SIGNED, growth, lambda x: (mp.exp(x) * (x * x - 2 * x + 2) - 2) / x**3),
    "exp10": (SIGNED, lambda x: mp.ln10 * mp.mpf(10) ** x, lambda x: mp.ln10**2 * mp.mpf(10) ** x),
    "cosm1": (SIGNED, lambda x: -mp.sin(x), lambda x: -mp.cos(x)),
    "sindg": (
        ANGLES,
        lambda x: mp.cos(x * mp.pi / 180) * mp.pi / 180,
        lambda x: -mp.sin(x * mp.pi / 180) * (mp.pi / 180) ** 2,
    ),
    "cosdg": (
        ANGLES,
        lambda x: -mp.sin(x * mp.pi / 180) * mp.pi / 180,
        lambda x: -mp.cos(x * mp.pi / 180) * (mp.pi / 180) ** 2,
    ),
    "tandg": (
        ANGLES,
        lambda x: mp.sec(x * mp.pi / 180) ** 2 * mp.pi / 180,
        lambda x: 2 * mp.tan(x * mp.pi / 180) * (mp.sec(x * mp.pi / 180) * mp.pi / 180) ** 2,
    ),
    "cotdg": (
        ANGLES,
        lambda x: -(mp.csc(x * mp.pi / 180) ** 2) * mp.pi / 180,
        lambda x: 2 * mp.cot(x * mp.pi / 180) * (mp.csc(x * mp.pi / 180) * mp.pi / 180) ** 2,
    ),
    **{f"j{n}": (WAVES, *ordinary(mp.besselj, n, 1)) for n in (0, 1)},
    **{f"y{n}": (RIPPLES, *ordinary(mp.bessely, n, 1)) for n in (0, 1)},
    **{f"i{n}": (WAVES, *modified(n)) for n in (0, 1)},
    **{f"k{n}": (RIPPLES, *ordinary(mp.besselk, n, -1)) for n in (0, 1)},
    **{f"i{n}e": (WAVES, *times_exponential(mp.besseli, modified(n), n, -1)) for n in (0, 1)},
    **{
        f"k{n}e": (RIPPLES[1:], *times_exponential(mp.besselk, ordinary(mp.besselk, n, -1), n, 1))
        for n in (0, 1)
    },
    "ellipk": (BELOW_ONE, *numerically(mp.ellipk)),
    "ellipe": (BELOW_ONE, *numerically(mp.ellipe)),
    "ellipkm1": (SIZES[1:], *numerically(lambda p: mp.ellipk(1 - p))),
    "wrightomega": (
        tuple(x for x in SIGNED if -1000 <= x <= 1e5),
        lambda x: omega(x) / (1 + omega(x)),
        lambda x: omega(x) / (1 + omega(x)) ** 3,
    ),
    **{
        f"airy[{k}]": (tuple(x for x in WAVES if abs(x) < 50), *row)
        for k, row in enumerate(airy(mp.airyai) + airy(mp.airybi))
    },
    "fresnel[0]": (
        WAVES,
        lambda x: mp.sin(mp.pi * x * x / 2),
        lambda x: mp.pi * x * mp.cos(mp.pi * x * x / 2),
    ),
    "fresnel[1]": (
        WAVES,
        lambda x: mp.cos(mp.pi * x * x / 2),
        lambda x: -mp.pi * x * mp.sin(mp.pi * x * x / 2),
    ),
    "sici[0]": (WAVES, lambda x: mp.sin(x) / x, lambda x: (x * mp.cos(x) - mp.sin(x)) / x**2),
    "sici[1]": (RIPPLES, lambda x: mp.cos(x) / x, lambda x: -(x * mp.sin(x) + mp.cos(x)) / x**2),
    "shichi[0]": (SIGNED, lambda x: mp.sinh(x) / x, lambda x: (x * mp.cosh(x) - mp.sinh(x)) / x**2),
    "shichi[1]": (SIZES, lambda x: mp.cosh(x) / x, lambda x: (x * mp.sinh(x) - mp.cosh(x)) / x**2),
    **{
        name: (tuple(x for x in RIPPLES if x > 1e-15), *numerically(lambda x, f=f: f(0, x)))
        for name, f in (("ber", mp.ber), ("bei", mp.bei), ("ker", mp.ker), ("kei", mp.kei))
    },
}


def log_ratio(x: Any, y: Any) -> Any:
    return mp.log(x / y)


def length(delta: Any, r: Any) -> Any:
    return mp.sqrt(delta**2 + r**2)


PAIRS = tuple(
    (x, y)
    for x in (1e-300, 1e-20, 0.3, 2.9, 1e100)
    for y in (1e-300, 1e-10, 0.3, 1e16, 1e100, 1e300)
    if x != y
)
RESIDUALS = tuple((delta, r) for delta in (1e-150, 1e-10, 0.5, 1e10) for r in SIGNED[::3])
SMALL = tuple(
    (v, x) for v in (0.0, 1.0, 2.5) for x in (1e-20, 1e-10, 1e-5, 1e-3, 0.5, 0.9, 1.1, 7.3)
)
# functions of two numbers: (points, first in x, second in x, first in y, second in y)
OF_TWO = {
    "rel_entr": (
        PAIRS,
        lambda x, y: log_ratio(x, y) + 1,
        lambda x, y: 1 / x,
        lambda x, y: -x / y,
        lambda x, y: x / y**2,
    ),
    "kl_div": (PAIRS, log_ratio, lambda x, y: 1 / x, lambda x, y: 1 - x / y, lambda x, y: x / y**2),
    "pseudo_huber": (
        RESIDUALS,
        lambda d, r: 2 * (length(d, r) - d) - r**2 / length(d, r),
        lambda d, r: 2 * d / length(d, r) - 2 + d * r**2 / length(d, r) ** 3,
        lambda d, r: d * r / length(d, r),
        lambda d, r: d**3 / length(d, r) ** 3,
    ),
}


def of_struve(f: Any) -> tuple[Any, ...]:
    def first(v: Any, x: Any) -> Any:
        return f(v - 1, x) - v / x * f(v, x)

    def second(v: Any, x: Any) -> Any:
        return f(v - 2, x) - (2 * v - 1) / x * f(v - 1, x) + v * (v + 1) / x**2 * f(v, x)

    return SMALL, None, None, first, second


OF_TWO |= {"struve": of_struve(mp.struveh), "modstruve": of_struve(mp.struvel)}


def quantile_of_lambda(x: Any, lmbda: Any) -> Any:
    """Return p with (p^lambda - (1 - p)^lambda)/lambda = x by Newton's iteration from the
    median.
    """
    p = mp.mpf(1) / 2 + x * 2 ** (lmbda - 2)
    for _ in range(14):
        p -= ((p**lmbda - (1 - p) ** lmbda) / lmbda - x) / (
            p ** (lmbda - 1) + (1 - p) ** (lmbda - 1)
        )
    return p


def of_kelvin(part: Any) -> Any:
    turn = mp.expjpi
    return lambda x: part(-turn(mp.mpf(3) / 4) * mp.besselj(1, x * turn(mp.mpf(3) / 4)))


TINY = (1e-300, 1e-100, 1e-20, 1e-10, 1e-5, 1e-3, 0.1)
MEANS = tuple(
    (a, b)
    for a in (1e-100, 1e-5, 0.7, 1e100, 1e150, 1e300)
    for b in (1e-100, 0.3, 1.5, 1e150, 1e300)
    if 1e-200 < a / b < 1e200
)
EXPONENTS = (*TINY, 0.7, 2.5, *(-x for x in TINY))
TRANSFORMED = tuple((y, lmbda) for y in (*TINY, 0.9, *(-x for x in TINY)) for lmbda in EXPONENTS)
CHOICES = tuple((x, y) for x in (2.5, 20.3, 1e5) for y in (1e-100, 1e-10, 0.3, -1e-10, -1e-5, -0.3))
# functions without short derivatives: the function, points, digits and the exponent of the step
OVER_THE_RANGE = {
    "berp": (of_kelvin(mp.re), tuple(x for x in RIPPLES if x > 1e-15), 200, 30),
    "beip": (of_kelvin(mp.im), tuple(x for x in RIPPLES if x > 1e-15), 200, 30),
    "agm": (mp.agm, MEANS, 2000, 300),
    "boxcox1p": (lambda x, lmbda: ((1 + x) ** lmbda - 1) / lmbda, TRANSFORMED, 2000, 100),
    "inv_boxcox1p": (lambda y, lmbda: (1 + lmbda * y) ** (1 / lmbda) - 1, TRANSFORMED, 3000, 100),
    "tklmbda": (
        quantile_of_lambda,
        tuple((x, v) for x in (*TINY[1:-1], -1e-5) for v in (-0.5, 0.3, 2.5)),
        600,
        60,
    ),
    "elliprg": (
        mp.elliprg,
        ((0.7, 0.3, 1e150), (1e150, 1.1, 0.9), (1e-5, 1e150, 1e5), (1e16, 1e16, 2e16)),
        700,
        60,
    ),
    "binom": (mp.binomial, CHOICES, 300, 40),
    "poch": (mp.rf, tuple((z, m) for z, m in CHOICES if z > 3), 300, 40),
}


def records() -> list[Record]:
    of_one = [
        in_closed_form(name, points, [by], DIGITS.get(name, 1000))
        for name, (points, *by) in ROWS.items()
    ]
    of_two = [
        in_closed_form(name, points, [by[:2], by[2:]], 2000)
        for name, (points, *by) in OF_TWO.items()
    ]
    return of_one + of_two + [over_the_range(name, *row) for name, row in OVER_THE_RANGE.items()]
