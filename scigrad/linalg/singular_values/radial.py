"""Functions of the length of a vector, with derivatives of every order where it is 0.

With D = (1/r) d/dr, f(|x|) as a function of s = |x|^2 has the derivatives D^j f / 2^j. They are
integrals of derivatives of f

    D^j f(r) = 1 / (2^(j-1) (j-1)!) * integral over 0 < u < 1 of (1 - u^2)^(j-1) f^(2j)(u r),

by which nothing is divided by r, and of which f^(2j)(0) / (2j-1)!! is left at r = 0.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import jvp, raw, shape_of, stop_gradient
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.devices import place_beside
from scigrad.numpy.infinitesimals import differentiation_order
from scigrad.typing import Array, ArrayLike

from ..foundation.matrices import as_array
from .norms import norm

# The integral is taken where two formulas of Gauss agree, and D f as it stands agrees with it but
# for the digits that it loses: not where f varies within (0, r), nor where an odd derivative of f
# is not 0 at 0, as the third of (1 + r) exp(-r).
_NODES = 12, 10
_ROUNDING = 64


def radial(
    f: Callable[[Any], Any], x: ArrayLike, axis: int | None = -1, *, keepdims: bool = False
) -> Array:
    """Compute a function of the length of vectors, f(|x|), for an even f.

    Parameters
    ----------
    f : callable
        Even function of an array, element by element, written with differentiable functions: a
        function of ``r`` that is smooth as one of ``r**2``.
    x : array_like
        Vectors, real or complex.
    axis : int, optional
        Axis of the vectors, by default the last; None for the length of all elements together.
    keepdims : bool, optional
        Whether the axis is kept with length 1.

    Returns
    -------
    fx : float or ndarray
        Function of the lengths of the vectors.

    Raises
    ------
    ValueError
        If `f` changes the shape of its argument; if it is not even, but has a slope at 0, and is
        differentiated there.

    Notes
    -----
    All derivatives exist at ``x = 0``, where ``f(norm(x))`` has those to the third order. The
    gradient is ``f'(r) / r * x``, at 0 ``f''(0) x``; near 0, where that quotient would lose digits,
    it is an integral of ``f''``. f may depend on other traced values.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import hessian, linalg
    >>> print(hessian(lambda x: linalg.radial(lambda r: (1 + r) * np.exp(-r), x))(np.zeros(2)))
    [[-1. -0.]
     [-0. -1.]]
    """
    x = as_array("radial", "x", x)
    fixed = stop_gradient(x)
    r = norm(fixed, axis=axis, keepdims=keepdims, check_finite=False)
    # |x|^2 - |fixed|^2, which is 0
    total = np.real(np.conjugate(x - fixed) * (x + fixed)).sum(axis=axis, keepdims=keepdims)
    out, power = _check_radius(f, r), 1.0
    if differentiation_order(x):
        _refuse_odd(f, r)
    for j in range(1, differentiation_order(x) + 1):
        power = power * total / (2 * j)
        out = out + _nth_derivative(f, r, j) * power
    return out


def _check_radius(f: Callable[[Any], Any], r: Any) -> Any:
    out = f(r)
    if shape_of(out) != shape_of(r):
        raise ValueError(
            f"radial: f must work element by element, but makes shape {shape_of(out)} of shape "
            f"{shape_of(r)}."
        )
    return out


def _refuse_odd(f: Callable[[Any], Any], r: Any) -> None:
    """Raise if a vector is 0 and f is not even (on a GPU nothing is read back)."""
    plain = raw(r)
    if library(plain) != "numpy" or plain.all():
        return
    zero = np.zeros((), plain.dtype)
    value, slope, bend = (abs(raw(g(zero))) for g in (f, _slope(f), _slope(_slope(f))))
    if slope**2 > np.finfo(plain.dtype).eps * value * bend:
        raise ValueError(
            f"radial: f must be even, but has the slope {slope:.3g} at 0, where f(|x|) has no "
            "derivative then."
        )


def _nth_derivative(f: Callable[[Any], Any], r: Any, j: int) -> Any:
    """Return D^j f at the lengths r."""
    zero, safe = r == 0, np.where(r == 0, 1, r)
    (finer, coarser), applied = _integrals(f, r, j), _apply_derivative(f, j)(safe)
    a, b, c, size = (
        np.abs(stop_gradient(x)) for x in (finer, finer - coarser, finer - applied, f(r))
    )
    rounding = _ROUNDING * np.finfo(a.dtype).eps
    near = (b <= rounding * a) & (c <= rounding * size / safe / safe ** (2 * j - 1))
    return np.where(zero | near, finer, applied)


def _integrals(f: Callable[[Any], Any], r: Any, j: int) -> list[Any]:
    """Return D^j f at the lengths r by both formulas."""
    formulas = [np.polynomial.legendre.leggauss(count) for count in _NODES]
    u, weights = (np.concatenate(parts) / 2 for parts in zip(*formulas, strict=True))
    u = (u + 0.5).reshape(-1, *(1,) * len(shape_of(r)))
    weights = (
        weights.reshape(u.shape) * (1 - u * u) ** (j - 1) / (2 ** (j - 1) * math.factorial(j - 1))
    )
    for _ in range(2 * j):
        f = _slope(f)
    terms = place_beside(weights, r) * f(place_beside(u, r) * r)
    return [terms[: _NODES[0]].sum(axis=0), terms[_NODES[0] :].sum(axis=0)]


def _apply_derivative(f: Callable[[Any], Any], j: int) -> Callable[[Any], Any]:
    for _ in range(j):
        f = _over_r(_slope(f))
    return f


def _over_r(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda r: f(r) / r


def _slope(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda r: jvp(f, (r,), (np.ones_like(r),))[1]


__all__ = ["radial"]
