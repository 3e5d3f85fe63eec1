"""Values of psi^(n) over the whole real line and the complex plane.

In the right half plane: the recurrence up to Re z > 15 and the asymptotic series there (DLMF
5.15.5, 5.15.8 and their derivatives); in the left one the reflection formula (DLMF 5.15.6). SciPy's
polygamma takes real x only, sums a term of the zeta series for each unit of -x, which cancels at
even n, and is several times slower.
"""

import math
from typing import Any

import numpy as np

from scigrad.autodiff_rules import backends
from scigrad.numpy.devices import on_host, one_kernel
from scigrad.numpy.joining import assemble

from .machinery.ufuncs import library_values


def polygamma_values(n: Any, x: Any) -> Any:
    """Return psi^(n)(x) of concrete arrays, an array without axes for numbers; n broadcasts
    with x.
    """
    x = assemble(x)
    if getattr(x, "dtype", np.dtype(object)).kind not in "fciub":  # None is an array of objects
        raise TypeError(f"polygamma: x must be real or complex numbers, but is {x!r}")
    n = n if type(n) in (int, float) else assemble(n)
    dtype = np.result_type(
        getattr(n, "dtype", n), x.dtype if x.dtype.kind in "fc" else np.float64, np.float32
    )
    # the pieces of the reflection formula would lose float32's last digits
    y = x.astype(np.result_type(x.dtype, np.float64))[()]
    if not np.ndim(n):
        return _check_order(n, y).astype(dtype).reshape(y.shape)
    out = np.full_like(y + n, np.nan)
    # the formulas depend on the orders, which are read on the host
    for order in np.unique(on_host(n)).tolist():
        out = np.where(n == order, _check_order(order, y), out)
    return out.astype(dtype)


@one_kernel
@np.errstate(all="ignore")
def digamma_values(x: Any) -> Any:
    """Return digamma by the library, and by reflection for real x near a pole on the left.

    SciPy's real function forms x + n inside of its sum, and has 8 digits at -7 + 1e-9.
    """
    value = library_values("psi", x)
    x = assemble(x)
    if x.dtype.kind == "c" or (backends.library(x) == "numpy" and not np.any(x < 0)):
        return value
    near = (x < 0) & (np.abs(x - np.rint(x)) < 0.25)
    y = np.where(near, x, -0.25).astype(np.result_type(x.dtype, np.float64))
    reflected = library_values("psi", 1 - y) - math.pi * _cotangent(y)[1]
    return np.where(near & (x != np.rint(x)), reflected, value).astype(value.dtype)[()]


def _check_order(order: Any, x: Any) -> Any:
    if not (order >= 0 and float(order).is_integer()):
        return np.full_like(x, np.nan)
    n = int(order)
    if n == 0:
        return digamma_values(x)
    with np.errstate(all="ignore"):  # at poles and infinities the values are right
        # at real x of both signs only the poles differ
        left = x.real < (0.5 if x.dtype.kind == "c" else 0)
        # on a device this would synchronize
        if backends.library(x) == "numpy" and not np.any(left):
            return _right_half(n, x)
        right = _right_half(n, np.where(left, 1 - x, x))
        return np.where(
            left, (-1) ** n * right - math.pi ** (n + 1) * _cotangent_derivative(n, x), right
        )


def _cotangent_derivative(n: int, x: Any) -> Any:
    """Return the n-th derivative of cot at pi x: a polynomial in the cotangent c, from c' = -(1 +
    c^2).

    The factor 1 + c^2 is split off as 1 / sin^2, which does not cancel far from the real axis.
    """
    polynomial = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(n - 1):
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([-1.0, 0.0, -1.0])
    sine, cotangent = _cotangent(x)
    *lower, value = (float(c) for c in polynomial.deriv().coef)
    for coefficient in reversed(lower):
        value = value * cotangent + coefficient
    return -value / (sine * sine)


def _cotangent(x: Any) -> tuple[Any, Any]:
    """Return the sine and the cotangent of pi x, from the distance of x to the next integer."""
    rest = x - np.rint(x.real)
    # there its distance to +-i is below exp(-2 pi 100), negligible beside psi
    if x.dtype.kind == "c":
        rest = rest.real + 1j * np.clip(rest.imag, -100, 100)
    sign = np.where(rest.real < 0, -1, 1)
    # sine and cosine change places, so that the cotangent of pi/2 is exactly 0
    beside = np.abs(rest.real) > 0.25
    angle = math.pi * np.where(beside, 0.5 - sign * rest, rest)
    sine, cosine = np.sin(angle), np.cos(angle)
    sine, cosine = np.where(beside, sign * cosine, sine), np.where(beside, sine, cosine)
    return sine, cosine / sine


_SHIFT = 15
_BERNOULLI = (  # B_2, B_4, ... (DLMF 24.2.1)
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
    -174611 / 330, 854513 / 138, -236364091 / 2730, 8553103 / 6,
)  # fmt: skip


def _right_half(n: int, z: Any) -> Any:
    shift = _SHIFT + n
    total = sum(
        (_integer_power(1 / (z + k), n + 1) for k in range(1, shift)),
        start=_integer_power(1 / z, n + 1),
    )
    w = 1 / (z + shift)
    w2, series = w * w, 0.0
    # the terms over n!: B_2k (2k + n - 1)! / ((2k)! n!) w^(2k)
    for k in range(len(_BERNOULLI), 0, -1):
        series = (series + _BERNOULLI[k - 1] * (math.comb(2 * k + n - 1, n) / (2 * k))) * w2
    total = total + _integer_power(w, n) * (1 / n + w / 2 + series)
    return (-1) ** (n + 1) * total * (float(math.factorial(n)) if n <= 170 else math.inf)


def _integer_power(w: Any, n: int) -> Any:
    """Return w^n by squaring: NumPy's own power is slow from 3 on, and inexact for complex
    numbers.
    """
    if n == 1:
        return w
    half = _integer_power(w, n // 2)
    return half * half * w if n % 2 else half * half
