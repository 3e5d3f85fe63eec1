"""Values of psi^(n) over the whole real line and the complex plane.

SciPy's polygamma is -(-1)^n n! zeta(n + 1, x) with the Hurwitz zeta function, for real x only. For x < 0 that sum takes a
term for each unit of |x| and cancels at even n, so the reflection formula (DLMF 5.15.6) is used there; complex arguments
go by recurrence to Re z > 15 and the asymptotic series there (DLMF 5.15.5, 5.15.8 and its derivatives).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel


def polygamma_values(n: Any, x: Any) -> Any:
    """psi^(n)(x) of concrete arrays; n an integer or an array of integers that broadcasts with x."""
    x = x if hasattr(x, "dtype") else np.asarray(x)[()]
    wide, dtype = np.result_type(x.dtype, np.float64), np.result_type(x.dtype, np.float16)
    y = x.astype(wide)  # the pieces of the reflection formula would lose float32's last digits
    if not np.ndim(n):
        return _order(int(n), y).astype(dtype)[()]
    n = n if hasattr(n, "dtype") else np.asarray(n)
    out = np.zeros_like(y + n)
    on_host = n.get() if hasattr(n, "get") else n  # orders choose formulas, so they are read
    for order in np.unique(on_host).tolist():
        out = np.where(n == order, _order(order, y), out)
    return out.astype(dtype)


def _order(n: int, x: Any) -> Any:
    if n < 0:
        raise ValueError(f"polygamma: the order n is {n}, but derivatives of digamma are counted from 0")
    if n == 0:
        return kernel("special.psi")(x)
    is_complex = x.dtype.kind == "c"
    with np.errstate(all="ignore"):  # poles and infinities give the values that they should
        left = x.real < 0.5 if is_complex else x < 0
        right = (_complex_right_half if is_complex else _real_right_half)(n, np.where(left, 1 - x, x))
        return np.where(left, (-1) ** n * right - math.pi ** (n + 1) * _cotangent_derivative(n, x), right)


def _real_right_half(n: int, x: Any) -> Any:
    return (-1) ** (n + 1) * math.factorial(n) * kernel("special.zeta")(n + 1.0, x)


def _cotangent_derivative(n: int, x: Any) -> Any:
    """The n-th derivative of cot at pi x: a polynomial in the cotangent c, from c' = -(1 + c^2). The factor 1 + c^2 is
    split off as 1 / sin^2, which does not cancel far from the real axis."""
    polynomial = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(n - 1):
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([-1.0, 0.0, -1.0])
    rest = x - np.rint(x.real)
    if x.dtype.kind == "c":  # below exp(-2 pi 100) nothing is left of it beside psi
        rest = rest.real + 1j * np.clip(rest.imag, -100, 100)
    sine = np.sin(math.pi * rest)
    cotangent = np.cos(math.pi * rest) / sine
    *lower, value = (float(c) for c in polynomial.deriv().coef)
    for coefficient in reversed(lower):
        value = value * cotangent + coefficient
    return -value / (sine * sine)


_SHIFT, _TERMS = 15, 13


def _bernoulli(count: int) -> list[Fraction]:
    b = [Fraction(1)]
    for m in range(1, count):
        b.append(-sum((math.comb(m + 1, k) * b[k] for k in range(m)), Fraction(0)) / (m + 1))
    return b


_BERNOULLI = _bernoulli(2 * _TERMS + 1)


def _complex_right_half(n: int, z: Any) -> Any:
    shift = _SHIFT + n
    total = sum((1 / (z + k) ** (n + 1) for k in range(1, shift)), start=1 / z ** (n + 1)) * math.factorial(n)
    w = 1 / (z + shift)
    w2, series = w * w, 0.0
    for k in range(_TERMS, 0, -1):
        series = (series + float(_BERNOULLI[2 * k] * math.factorial(2 * k + n - 1) / math.factorial(2 * k))) * w2
    tail = w**n * (math.factorial(n - 1) + math.factorial(n) * w / 2 + series)
    return (-1) ** (n + 1) * (total + tail)
