"""Freedom of choice in singular vectors, and the detection of losses that depend on it.

A matrix does not determine the phase of each pair, a common unitary matrix among equal singular values, one for each side among
those that are 0, and the bases that full_matrices=True adds. A loss that does not depend on them has cotangents without a
component along them, here and, by the test of splitting.py, at infinitesimally rotated bases.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, constant, namespace_of, shape_of

from ..foundation.matrices import is_complex, mH, on_diagonal
from ..spectra.gauge import (
    among,
    antihermitian,
    everywhere,
    exists,
    frobenius,
    has_equal,
    indistinct,
    is_diagonal,
    refuse,
    refuse_turned,
)
from ..spectra.simple_spectrum import phase_moments
from ..spectra.splitting import along, beyond_turning, turn


def halves(u: Any, vh: Any, s: Any) -> tuple[Any, Any, Any, Any]:
    """Return the singular vectors that belong to a singular value, and the rest of the space, if requested."""
    k, v = shape_of(s)[-1], mH(vh)
    return u[..., :k], u[..., k:], v[..., :k], v[..., k:]


def numerators(halves: Any, u_bar: Any, v_bar: Any) -> tuple[Any, Any, Any, Any]:
    """k_u + k_v, k_u - k_v, c_u, c_v."""
    u1, u2, v1, v2 = halves
    (k_u, c_u), (k_v, c_v) = _side(u1, u2, u_bar), _side(v1, v2, v_bar)
    return k_u + k_v, k_u - k_v, c_u, c_v


def _side(x1: Any, x2: Any, x_bar: Any) -> tuple[Any, Any]:
    m, k = shape_of(x1)[-2:]
    if x_bar is ZERO:
        return ZERO, ZERO
    first = x_bar[..., :k]
    inner = mH(x1) @ first
    across = ZERO if m == k else first - x1 @ inner
    if shape_of(x2)[-1]:
        across = across - x2 @ (mH(x_bar[..., k:]) @ x1)
    return antihermitian(inner), across


def pairs(zero: Any) -> Any:
    return zero[..., None, :] & zero[..., :, None]


# -- tests


def check_phases(u: Any, vh: Any, u_bar: Any, vh_bar: Any) -> None:
    sides = [(x, x_bar) for x, x_bar in ((u, u_bar), (mH(vh), mH(vh_bar))) if x_bar is not ZERO]
    if sides:
        moments, norm = sum(phase_moments(*side) for side in sides), sum(frobenius(x_bar) for _, x_bar in sides)
        refuse(on_diagonal(moments), is_diagonal(moments), norm, REVERSE, pair)


def check_cotangents(found: Any, halves: Any, cotangents: Any, same: Any, zero: Any, norm: Any) -> None:
    """Raise where numerators, or a component in the rest of the space, show that a loss depends on the choice."""
    plus, minus, *across = found
    refuse(plus, same, norm, REVERSE, pair)
    if exists(zero):
        for x, where in ((minus, pairs(zero)), *((x, zero[..., None, :]) for x in across if x is not ZERO)):
            refuse(x, where, norm, REVERSE, null)
    for x in _beyond(halves, cotangents):
        refuse(x, everywhere(x), norm, REVERSE, _rest)


def _beyond(halves: Any, cotangents: Any) -> list[Any]:
    sides = [(rest, x_bar, shape_of(rest)[-1]) for rest, x_bar in zip(halves[1::2], cotangents, strict=True)]
    return [antihermitian(mH(rest) @ x_bar[..., -n:]) for rest, x_bar, n in sides if n and x_bar is not ZERO]


def check_trial(u: Any, s: Any, vh: Any, cotangents: Any, trials: Any, same: Any, zero: Any, norm: Any) -> None:
    """The same a step away, in the direction in which the vectors were turned."""
    norm = norm + sum(frobenius(t) for t in trials if t is not ZERO)
    (du, dvh), (u_bar, vh_bar), (du_bar, dvh_bar) = turned(u, vh, same, zero), cotangents, trials
    for x, dx, x_bar, trial in ((u, du, u_bar, du_bar), *[tuple(mH(y) for y in (vh, dvh, vh_bar, dvh_bar))]):
        if x_bar is not ZERO:
            _check_side(x, dx, x_bar, trial, shape_of(s)[-1], norm)


# With the whole space in [x1, x2], k of all its pairs turns as in splitting.py. What of x1' = x1 z + b lies beyond x1 adds the
# terms with b; c = 2 x2 k_21, and k_22 = 0.
def _check_side(x: Any, dx: Any, x_bar: Any, trial: Any, n: int, norm: Any) -> None:
    def found(x: Any, x_bar: Any) -> list[Any]:
        return [*_side(x[..., :n], x[..., n:], x_bar), *_beyond((x[..., :n], x[..., n:]), (x_bar,))]

    (k, c, *_), (dk, dc, *beyond) = found(x, x_bar), along(found, (x, x_bar), (dx, trial))
    x1, dx1 = x[..., :n], dx[..., :n]
    z = mH(x1) @ dx1
    b = dx1 - x1 @ z
    dk = beyond_turning(dk, k, z)
    if c is not ZERO:
        dk, dc = dk - antihermitian(mH(b) @ c), dc - c @ z + 2 * b @ k + x1 @ (mH(b) @ c)
    for slope in (dk, dc, *beyond):
        if slope is not ZERO:
            refuse_turned(slope, norm, REVERSE, "singular vectors whose singular values are equal, or 0")


def turned(u: Any, vh: Any, same: Any, zero: Any) -> tuple[Any, Any]:
    """An infinitesimal change of the vectors along all that is open: common among equal values, one for each side at 0."""
    return _turned(u, same, zero, 1), mH(_turned(mH(vh), same, zero, -1))


@constant
def _turned(x, same, zero, sign):
    m, n = x.shape[-2:]
    k = zero.shape[-1]
    rest = np.broadcast_to(namespace_of(zero).ones(n - k, bool), (*zero.shape[:-1], n - k))
    together = np.zeros((*same.shape[:-2], n, n), bool, like=same)
    together[..., :k, :k] = same & ~pairs(zero)
    own = pairs(np.concatenate([zero, rest], axis=-1))
    whole = turn(namespace_of(same).ones((n, n), bool), is_complex(x))
    out = x @ (np.where(together, whole, 0) + sign * np.where(own, whole, 0)).astype(x.dtype)
    if m > n and zero.any():
        rows, columns = (np.cumsum(namespace_of(same).ones(size)) for size in (m, n))
        beyond = np.sin(rows[:, None] ** 2 + sign * columns).astype(x.dtype)
        out = out + np.where(zero[..., None, :], beyond - x @ (mH(x) @ beyond), 0)
    return out


_turned.batch_leading(x=2, same=2, zero=1)


def check_order(plus: Any, near: Any, small: Any, same: Any, touched: Any, norm: Any) -> None:
    if has_equal(among(touched, indistinct(plus, near, same, norm))) or exists(small & (touched > 0)):
        raise GaugeError(SECOND)


# -- texts


def pair(i: int, j: int) -> str:
    text = f"the choice of singular vectors {i} and {j}, whose singular values are equal"
    return f"the common phase of singular vectors {i}" if i == j else text


def null(_: int, j: int) -> str:
    return f"the choice of singular vectors {j}, whose singular value is 0"


def _rest(*_: int) -> str:
    return "the choice of a basis for what full_matrices=True adds"


REVERSE = (
    "svd: the loss depends on {what}, which the matrix does not determine, so it has no derivative here. Write it with "
    "quantities that do not depend on the choice (u f(s) v^H, v f(s) v^H, |u|^2, a projector), fix the phase with "
    "canonical=True, or say what you mean: gauge='project' drops that part of the derivative."
)
FORWARD = (
    "svd: this derivative depends on {what}: it was asked for in a direction that separates them, after the vectors had been "
    "chosen for another one (linearize, or two directions at once). Use jvp or hvp, which choose them for one direction, or "
    "reverse mode for a gradient."
)
SECOND = (
    "svd: second derivatives through singular vectors of equal singular values, of nearly equal ones (closer than sqrt(eps) "
    "max(s)), or of those that are nearly 0, are not determined by the first-order rule. The first derivative is available, so "
    "are second derivatives of functions of the singular values alone (svdvals) by forward over reverse mode (hvp, hessian)."
)

__all__ = [
    "FORWARD", "SECOND", "check_cotangents", "check_order", "check_phases", "check_trial", "halves", "null", "numerators", "pair",
    "pairs", "turned",
]  # fmt: skip
