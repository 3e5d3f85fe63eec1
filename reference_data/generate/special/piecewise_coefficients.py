"""The polynomials of `scigrad/host/compiled.py`: writes `piecewise_coefficients.npz` beside it,
in one minute.

Chebyshev interpolation at 50 digits in each piece, as powers of the distance to a center, rounded
once. The center is the middle of the piece, or a root of the function that is not farther from the
piece than its width: there the first coefficient is the value at the rounded root, and the relative
accuracy is full. `TABLES` has the grids; what a table lacks is nan, the sign for SciPy's function
to be called: the rows before and behind the pieces, and half of the rows where a function is
tabulated on one side of 0. Where a function is even or odd, one half is stored.

    python reference_data/generate/special/piecewise_coefficients.py
        all of it, with the largest error of each table
    python reference_data/generate/special/piecewise_coefficients.py erf j0
        some, without writing
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np

DEGREE = 9
FILE = Path(__file__).resolve().parents[3] / "scigrad" / "host" / "piecewise_coefficients.npz"
F = Callable[[Any], Any]


class Table(NamedTuple):
    """Pieces of u = shift + slope |x| from `start` to `stop`, 2**bits to each power of two, for
    each of the signs of x.
    """

    f: F
    stop: float
    bits: int = 6
    start: float = 1.0
    shift: float = 1.0
    slope: float = 1.0
    signs: tuple[int, ...] = (1, -1)
    parity: int = 0
    roots: tuple[Any, ...] = ()


def upper_tail(x: Any) -> Any:
    return mp.erfc(x / mp.sqrt(2)) / 2


def log_normal(x: Any) -> Any:
    return mp.log1p(-upper_tail(x)) if x > 0 else mp.log(upper_tail(-x))


def logistic(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def bessel_roots(order: int) -> tuple[Any, ...]:
    return tuple(mp.besseljzero(order, k) for k in range(1, 11))


def tables() -> dict[str, Table]:
    odd: dict[str, Any] = {"signs": (1,), "parity": -1}
    even: dict[str, Any] = {"signs": (1,), "parity": 1}
    positive: dict[str, Any] = {"shift": 0.0, "signs": (1,), "bits": 5}
    extremum = mp.findroot(mp.digamma, 1.4616)
    return {
        "erf": Table(mp.erf, 8.0, **odd, roots=(0,)),
        "erfinv": Table(mp.erfinv, 1.0, 5, 2.0**-12, slope=-1.0, **odd, roots=(0,)),
        "gammaln": Table(mp.loggamma, 2.0**12, start=2.0**-8, **positive, roots=(1, 2)),
        "gaussian": Table(lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x), 8.0, 7, **even),
        "i0e": Table(lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), 2.0**10, 5, **even),
        "i1e": Table(lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), 2.0**10, 5, **odd, roots=(0,)),
        "j0": Table(lambda x: mp.besselj(0, x), 32.0, **even, roots=bessel_roots(0)),
        "j1": Table(lambda x: mp.besselj(1, x), 32.0, **odd, roots=(0, *bessel_roots(1))),
        "log_ndtr": Table(log_normal, 8.0),
        "logistic_density": Table(lambda x: logistic(x) * logistic(-x), 32.0, **even),
        "ndtr": Table(lambda x: upper_tail(-x), 8.0),
        "psi": Table(mp.digamma, 2.0**12, start=2.0**-8, **positive, roots=(extremum,)),
    }  # fmt: skip


def polynomial(
    f: F, left: Any, right: Any, roots: tuple[Any, ...], degree: int = DEGREE
) -> list[float]:
    """Return the center of a piece and the coefficients of the powers of the distance to it."""
    near = [r for r in roots if left - (right - left) <= r <= right + (right - left)]
    root = near[0] if near else None
    center = mp.mpf(float(root if near else (left + right) / 2))
    terms = degree if near else degree + 1
    nodes = [
        (left + right) / 2 + (right - left) / 2 * mp.cos(mp.pi * (2 * j + 1) / (2 * terms))
        for j in range(terms)
    ]
    divided = [f(x) / (x - root) if near else f(x) for x in nodes]
    for k in range(1, terms):
        for j in range(terms - 1, k - 1, -1):
            divided[j] = (divided[j] - divided[j - 1]) / (nodes[j] - nodes[j - k])
    powers = [divided[-1]]
    for j in range(terms - 2, -1, -1):  # Newton's form, multiplied out
        powers = times(powers, nodes[j] - center)
        powers[0] += divided[j]
    powers = times(powers, root - center) if near else powers
    return [float(center), *map(float, powers)]


def times(powers: list[Any], zero: Any) -> list[Any]:
    """Return the coefficients of (t - zero) p(t)."""
    return [a - zero * b for a, b in zip([0, *powers], [*powers, 0], strict=True)]


def edges(table: Table) -> Iterator[tuple[Any, Any]]:
    count = round(np.log2(table.stop / table.start)) << table.bits
    powers, pieces = np.divmod(np.arange(count + 1), 1 << table.bits)
    u = table.start * np.ldexp(1 + np.ldexp(pieces, -table.bits), powers)
    x = (u - table.shift) / table.slope
    yield from ((mp.mpf(min(pair)), mp.mpf(max(pair))) for pair in itertools.pairwise(x))


def rows(table: Table) -> np.ndarray:
    found, nothing = [], [np.nan] * (DEGREE + 2)
    for sign in (1, -1):
        f = lambda x, sign=sign: table.f(sign * x)  # noqa: E731
        some = sign in table.signs
        if table.parity and not some:
            continue
        found += [
            nothing,
            *(polynomial(f, *ends, table.roots) if some else nothing for ends in edges(table)),
            nothing,
        ]
    return np.array(found)


def largest_error(table: Table, numbers: np.ndarray) -> tuple[float, float]:
    """Return the largest error in units in the last place of some hundreds of points, and where."""
    worst = (0.0, 0.0)
    random = np.random.default_rng(1)
    half = len(numbers) // (1 if table.parity else 2)
    for which, sign in enumerate((1, -1)):
        for k, (left, right) in enumerate(edges(table) if sign in table.signs else ()):
            for x in random.uniform(float(left), float(right), 3):
                center, *coefficients = numbers[which * half + 1 + k]
                t, y = x - center, 0.0
                for c in reversed(coefficients):
                    y = y * t + c
                truth = table.f(mp.mpf(sign * x))
                error = float(abs(y - truth) / mp.mpf(float(np.spacing(abs(float(truth))))))
                worst = max(worst, (error, sign * x))
    return worst


def exponential() -> dict[str, np.ndarray]:
    """Return the polynomial of exp beside 0; 1/log(2), log(2) in two parts, the sign of x, the end
    of |x|.
    """
    # products with the exponents are exact
    half, top = mp.log(2) / 2, mp.ldexp(mp.nint(mp.ldexp(mp.log(2), 40)), -40)
    _, *numbers = polynomial(mp.exp, -half, half, (), 12)
    written = {
        "exp": np.array(numbers),
        "exp grid": np.array([1 / mp.log(2), top, mp.log(2) - top, 1, 708], float),
    }
    # by exp(-x)
    return written | {"expit": written["exp"], "expit grid": written["exp grid"] * [1, 1, 1, -1, 1]}


if __name__ == "__main__":
    mp.mp.dps = 50
    written = exponential()
    for name, table in tables().items():
        if name in (sys.argv[1:] or tables()):
            written[name] = rows(table)
            error, x = largest_error(table, written[name])
            print(f"{name}: {len(written[name])} rows, at most {error:.2f} ULP, at {x}", flush=True)
            grid = [table.shift, table.slope, np.nextafter(table.start, 0), table.stop, table.bits]
            written[f"{name} grid"] = np.array([*grid, table.parity])
    if not sys.argv[1:]:
        np.savez_compressed(FILE, **written)
