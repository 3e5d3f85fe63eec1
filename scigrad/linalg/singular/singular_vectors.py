"""The derivatives of singular vectors and singular values, a = u diag(s) v^H.

With p = u^H a' v, z_u = u^H u' and z_v = v^H v', both antihermitian,
    s_i' = Re p_ii,   (z_u + z_v)_ij = (p + p^H)_ij / (s_j - s_i),   (z_u - z_v)_ij = (p - p^H)_ij / (s_i + s_j),
    (1 - u u^H) u' = (1 - u u^H) a' v / s,   (1 - v v^H) v' = (1 - v v^H) a'^H u / s
(Townsend, Differentiating the singular value decomposition (2016), for complex matrices and any shape). What is open is the
phase of each pair, (z_u + z_v)_ii = 0; a common unitary matrix among equal singular values; two of them, and vectors from the
rest of the space, among those that are 0. The three divisors are treated alike: where one is 0, the numerator of a loss that
does not depend on the choice is 0 too, and l'Hopital's rule gives the quotient, as for eigh (splitting.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, differentiable, raw, shape_of

from ..foundation.failures import to_host
from ..foundation.gauge import exists, looks, refuse, varies
from ..foundation.matrices import frobenius, is_complex, is_diagonal, is_host, mH, on_diagonal
from ..spectra.gauge import (
    column_sizes,
    equal_pairs,
    gaps,
    has_equal,
    inverse,
    near_pairs,
    offsets,
    separate,
    shared,
    spectral_radius,
)
from ..spectra.lost_digits import warn_of_division
from ..spectra.splitting import parts, quotient
from .choices import (
    FORWARD,
    SECOND,
    check_cotangents,
    check_order,
    check_phases,
    halves,
    null,
    numerators,
    pair,
    pairs,
)
from .simple_triplets import cotangent

# -- which singular values are equal, and which are 0


def equal(s: Any, gauge: str) -> tuple[Any, Any]:
    """(..., k, k) whether two singular values are equal, and (..., k) whether one is 0: equal to a last one that is."""
    return _without_last(equal_pairs(_with_zero(s), gauge))


def nearly_equal(s: Any) -> tuple[Any, Any]:
    """The same for nearly equal and nearly 0."""
    return _without_last(near_pairs(_with_zero(s)))


def _with_zero(s: Any) -> Any:
    return -np.concatenate([s, np.zeros((*shape_of(s)[:-1], 1), s.dtype, like=raw(s))], axis=-1)


def _without_last(same: Any) -> tuple[Any, Any]:
    return same[..., :-1, :-1], same[..., :-1, -1]


def is_simple(s: Any) -> bool:
    """Return whether no two singular values are near, and none is near 0. False where a device would have to be
    synchronized."""
    return separate(_with_zero(raw(s)))


def is_open(same: Any, zero: Any) -> bool:
    """Return whether any are equal or 0. Synchronizes a device."""
    return has_equal(same) or bool(to_host(raw(zero)).any())


def steps(s: Any, near: Any, small: Any) -> Any:
    """Different numbers for equal singular values, different from 0 too for those that are 0, of the size of s."""
    size = spectral_radius(s)[..., None]
    return (offsets(near) + small * shape_of(small)[-1]) * np.where(size > 0, size, 1)


# -- derivatives


@differentiable("a")
def attached(a, u, s, vh, gauge, level):
    del gauge, level  # for the rules
    lead = np.broadcast_shapes(a.shape[:-2], u.shape[:-2], s.shape[:-1], vh.shape[:-2])  # many directions, many bases
    return tuple(np.broadcast_to(x, (*lead, *x.shape[-core:])) for x, core in ((u, 2), (s, 1), (vh, 2)))


attached.batch_leading(a=2, u=2, s=1, vh=2)


@attached.jvp
def _(call, t):
    u, s, vh = call.out
    u1, u2, v1, v2 = halves(u, vh, s)
    same, zero = equal(s, call.gauge)
    p = mH(u1) @ t.a @ v1
    by_u, by_v, places = t.a @ v1 - u1 @ p, mH(t.a) @ u1 - v1 @ mH(p), _places(s, same, zero)
    found = zip((p + mH(p), p - mH(p), by_u, by_v), places, strict=True)
    plus, minus, across_u, across_v = quotients = [x * inverse(divisor, none) for x, (divisor, _, none, _) in found]
    if looks(call.gauge, s) and is_open(*nearly_equal(s)):
        check, both, norm, off = call.gauge == "check", pairs(zero), frobenius(t.a), ~is_diagonal(same)
        if check and varies(call.a):
            raise GaugeError(SECOND)
        refuse(p + mH(p), same & off & ~both, norm, FORWARD, pair)  # decides the singular values themselves
        for x, where in ((p, both & off), (by_u, zero[..., None, :]), (by_v, zero[..., None, :])) if check else ():
            refuse(x, where, norm, FORWARD, null)
        _warn(s, places, quotients, quotients)
    du, dv = _moved(u1, u2, plus + minus, across_u), _moved(v1, v2, plus - minus, across_v)
    return du, np.real(np.diagonal(p, axis1=-2, axis2=-1)), mH(dv)


def _moved(x1: Any, x2: Any, twice: Any, across: Any) -> Any:
    """The tangent of vectors x1, and of the rest of the space x2, which stays orthogonal to them."""
    dx = x1 @ twice / 2 + across
    return np.concatenate([dx, -x1 @ (mH(across) @ x2)], axis=-1) if shape_of(x2)[-1] else dx


def _sums(s: Any) -> Any:
    return s[..., None, :] + s[..., :, None]


# With k_u = (u^H u_bar - its adjoint) / 2, c_u = (1 - u u^H) u_bar, and k_v, c_v alike:
# a_bar = u p_bar v^H + c_u / s v^H + u (c_v / s)^H,
# p_bar = diag(s_bar) + (k_u + k_v)_ij / (s_j - s_i) + (k_u - k_v)_ij / (s_i + s_j).
@attached.vjp
def _(call, g):
    u, s, vh = call.out
    thin = shape_of(u)[-1] == shape_of(s)[-1] == shape_of(vh)[-2]
    if thin and shape_of(s)[-1] and is_host(u, s, vh, *(x for x in g if x is not ZERO)) and is_simple(s):
        if call.gauge == "check" and is_complex(u):
            check_phases(u, vh, g[0], g[2])
        return {"a": cotangent(u, s, vh, *g)}
    same, zero = equal(s, call.gauge)
    s_bar = parts(g[1], call.level)[0]
    if g[0] is ZERO and g[2] is ZERO:
        k = shape_of(s)[-1]
        return {"a": (u[..., :k] * np.where(zero, 0, shared(s_bar, same))[..., None, :]) @ vh[..., :k, :]}
    plus, minus, across_u, across_v, touched = _from_vectors(call, (g[0], g[2]), same, zero)
    p_bar = plus + minus
    if s_bar is not ZERO:
        seen = (same & (touched > 0)[..., None, :]).any(axis=-1)
        p_bar = p_bar + on_diagonal(np.where(zero & ~seen, 0, shared(s_bar, same, touched)))
    u1, _, v1, _ = halves(u, vh, s)
    a_bar = (u1 @ p_bar + across_u) @ mH(v1)
    return {"a": a_bar if across_v is ZERO else a_bar + u1 @ mH(across_v)}


def _from_vectors(call: Any, cotangents: Any, same: Any, zero: Any) -> tuple[Any, ...]:
    """The four quotients, and which vectors the loss looks at."""
    u, s, vh = call.out
    sides = halves(u, vh, s)
    (u_bar, u_slope), (vh_bar, vh_slope) = (parts(x, call.level) for x in cotangents)
    both = (u_bar, mH(vh_bar))
    found = numerators(sides, *both)
    touched, norm = _sizes(s, *both)
    known = call.level is not None and u_slope is not None and vh_slope is not None and not varies(call.a)
    slopes: Any = (None,) * 4
    if known:
        slopes = numerators(sides, u_slope, mH(vh_slope))
        more, size = _sizes(s, u_slope, mH(vh_slope))
        touched, norm = touched + more, norm + size
    if call.gauge == "check":
        check_cotangents(found, sides, both, same, zero, norm)
        if not known:
            check_order(found[0], *nearly_equal(s), same, touched, norm)
    places = _places(s, same, zero)
    quotients, divided = _quotients(found, slopes, places, norm)
    if looks(call.gauge, s):
        _warn(s, places, divided, quotients)
    return (*quotients, touched)


def _sizes(s: Any, u_bar: Any, v_bar: Any) -> tuple[Any, Any]:
    """Return which singular vectors a cotangent touches, and its norm."""
    given = [x for x in (u_bar, v_bar) if x is not ZERO]
    return (sum(column_sizes(x)[..., : shape_of(s)[-1]] for x in given), sum(frobenius(x) for x in given))


def _places(s: Any, same: Any, zero: Any) -> list[tuple[Any, Any, Any, Any]]:
    """The divisors s_j - s_i, s_i + s_j, s, s: each, its step along the splitting, where it is 0, and where it is nearly so."""
    near, small = nearly_equal(s)
    step = steps(s, near, small)
    off = ~is_diagonal(same)
    return [
        (gaps(s), gaps(step), same, near & off),
        (_sums(s), _sums(step), pairs(zero), pairs(small)),
        *[(s[..., None, :], step[..., None, :], zero[..., None, :], small[..., None, :])] * 2,
    ]


def _relative_gaps(s: Any, divisor: Any, where: Any) -> Any:
    size = spectral_radius(s)[..., None, None]
    return np.where(where, np.abs(divisor) / np.where(size > 0, size, 1), np.inf)


def _quotients(numerators: Any, slopes: Any, places: Any, norm: Any) -> tuple[list[Any], list[Any]]:
    """The numerators by their divisors, and what of it was divided by a small one."""
    found = [
        (x, x) if x is ZERO else quotient(x, slope, *place, norm)
        for x, slope, place in zip(numerators, slopes, places, strict=True)
    ]
    return [q for q, _ in found], [d for _, d in found]


def _warn(s: Any, places: Any, divided: Any, quotients: Any) -> None:
    """Warn of the digits that small divisors cost."""
    for (divisor, _, none, near), d, q in zip(places, divided, quotients, strict=True):
        if q is not ZERO and exists(near & ~none):
            warn_of_division("svd", d, _relative_gaps(s, divisor, near & ~none), q)


__all__ = ["attached", "equal", "is_open", "is_simple", "nearly_equal", "steps"]
