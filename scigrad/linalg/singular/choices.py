"""Freedom of choice in singular vectors, and the detection of losses that depend on it.

A matrix does not determine the phase of each pair, a common unitary matrix among equal singular values, one for each side among
those that are 0, and the bases that full_matrices=True adds. A loss that does not depend on them has cotangents without a
component along them.
"""

from __future__ import annotations

from typing import Any

from scigrad.autodiff_rules import ZERO, GaugeError, shape_of

from ..foundation.gauge import exists, refuse
from ..foundation.matrices import antihermitian, everywhere, frobenius, is_diagonal, mH, on_diagonal
from ..spectra.gauge import among, has_equal, indistinct
from ..spectra.simple_spectrum import phase_moments


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
    "FORWARD", "SECOND", "check_cotangents", "check_order", "check_phases", "halves", "null", "numerators", "pair",
    "pairs",
]  # fmt: skip
