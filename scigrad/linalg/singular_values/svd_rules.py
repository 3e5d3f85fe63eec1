"""The derivatives of singular vectors and singular values, a = u diag(s) v^H.

With p = u^H a' v, z_u = u^H u' and z_v = v^H v', both antihermitian,
    s_i' = Re p_ii,
    (z_u + z_v)_ij = (p + p^H)_ij / (s_j - s_i),   (z_u - z_v)_ij = (p - p^H)_ij / (s_i + s_j),
    (1 - u u^H) u' = (1 - u u^H) a' v / s,   (1 - v v^H) v' = (1 - v v^H) a'^H u / s
(Townsend, Differentiating the singular value decomposition (2016), for complex matrices and any
shape). What is open is the phase of each pair, (z_u + z_v)_ii = 0; a common unitary matrix among
equal singular values; two of them, and vectors from the rest of the space, among those that are 0;
and the bases that full_matrices=True adds.

The divisors are differences between the eigenvalues -s, 0 and s of [[0, a], [a^H, 0]], and treated
as those of eigh (equal_eigenvalues.py). The splitting of pairs is symmetric, and so is the mean of
cotangents, which is 0 where s is.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import (
    ZERO,
    constant,
    differentiable,
    jvp,
    namespace_of,
    raw,
    shape_of,
    stop_gradient,
    vjp,
)
from scigrad.autodiff_rules.backends import is_on_device, library
from scigrad.autodiff_rules.boxes import Batched
from scigrad.numpy.devices import one_kernel, places_in

from ..eigenvalues import degenerate_eigenvalues as equal
from ..eigenvalues.eigensystem import apply_in_pieces, check_phases, touched_columns
from ..foundation import failures
from ..foundation.decompositions import svd
from ..foundation.failures import refuse_gauge, varies
from ..foundation.matrices import (
    antihermitian,
    are_plain,
    diagonal,
    frobenius,
    is_complex,
    is_diagonal,
    largest,
    mH,
    place_on_diagonal,
)
from .any_rank import Spectrum, factor_svd, fitting_spectrum


def decompose(a: Any, full: bool, driver: Any, gauge: str, on_fail: str, vectors: bool = True,
               symmetric: bool = False) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """Return u, s, v^H and info, with derivatives."""
    u, s, vh, info = factor_svd("svd", a, full, driver, on_fail, vectors or varies(a))
    return *attach_svd_rules(a, u, s, vh, gauge, vectors, symmetric), info


def singular_values(a: Any, rounding: float = 0.0, symmetric: bool = False) -> Any:
    """Return the singular values, differentiable, without a derivative of those up to `rounding`;
    for a `symmetric` function of them the slopes of equal ones may be any with the same sum.
    """
    s = decompose(a, False, None, "check", failures.policy(raw(a), "raise"), False, symmetric)[1]
    return np.where(s > rounding, s, stop_gradient(s)) if rounding else s


def values_of(a: Any, spectrum: Spectrum) -> Any:
    """Return the singular values of a given decomposition, differentiable; those that are 0 stay 0.
    Derivatives, which few losses take, decompose the matrix anew.
    """
    # nothing is read back from a device for values that few losses look at
    if library(spectrum.s) != "numpy" or not _has_equal(spectrum.s):
        return _values(a, spectrum)
    return _but_for_zeros(decompose(a, False, None, "check", "nan", False)[1])


def _has_equal(s: Any) -> bool:
    """Return whether values that do not count as 0 are near each other."""
    rounding, near = equal.tolerances(s)
    among = equal.group_values(-s, near) & (s > rounding * s[..., :1])[..., None, :]
    return equal.has_pair(among)


def _but_for_zeros(s: Any) -> Any:
    """Return singular values, without a derivative of those that count as 0."""
    return np.where(s > equal.tolerances(s)[0] * s[..., :1], s, stop_gradient(s))


@differentiable("a", core={"a": 2})
def _values(a, spectrum):
    return fitting_spectrum(spectrum, a).s


_values.jvp(lambda call, t: jvp(_decomposed_anew, (call.a,), (t.a,))[1])
_values.vjp(lambda call, g: {"a": vjp(_decomposed_anew, call.a)[1](g)[0]})


def _decomposed_anew(a: Any) -> Any:
    return _but_for_zeros(decompose(a, False, None, "project", "nan", False)[1])


def attach_svd_rules(
    a: Any, u: Any, s: Any, vh: Any, gauge: str, vectors: bool, symmetric: bool = False
) -> tuple[Any, Any, Any]:
    """Return the decomposition with its derivatives in a."""
    if not varies(a):
        return u, s, vh
    if type(a) is Batched:
        return equal.under_vmap(
            lambda *frame: attach_svd_rules(*frame, gauge, vectors, symmetric), a, u, s, vh
        )
    k = shape_of(s)[-1]
    same, near, simple = equal.closeness(s, gauge, True)

    def to_direction(t: Any) -> tuple[Any, ...]:
        new_u, new_vh = _adapted(u, same, vh, t)
        return new_u, s, new_vh

    (u, s, vh), level = equal.prepare_frame(a, (u, s, vh), same, gauge, to_direction, simple)
    u, s, vh = _svd_frame(a, u, s, vh, gauge, level, vectors, symmetric, simple)
    step = None if level is None else equal.steps(equal.mirrored(s), near)[..., :k:-1]
    return u, equal.split(s, level, step), vh


@constant(core={"u": 2, "same": 2, "vh": 2, "t": 2})
def _adapted(u, same, vh, t):
    """Return the limits of the singular vectors of a + e t for e -> 0: eigenvectors of u^H t v
    among equal singular values, singular vectors of what t does between the null spaces. One SVD
    finds them all, in which the groups are far apart.
    """
    k = same.shape[-1] // 2
    same, zero = same[..., :k:-1, :k:-1], same[..., k, :k:-1]
    u1, v1 = u[..., :k], mH(vh[..., :k, :])
    p = mH(u1) @ t @ v1
    x = np.where(same & ~zero[..., None, :], (p + mH(p)) / 2, 0)
    ur, vr = (np.where(zero[..., None, :], 0, y) for y in (u1, v1))
    rest = t - ur @ (mH(ur) @ t)
    rest = rest - (rest @ vr) @ mH(vr)
    place = np.where(zero, 0, k - np.argmax(same, axis=-1))
    shifted = (
        ur @ (x * _shrinking(x) + place[..., None] * namespace_of(x).eye(k, dtype=x.dtype)) @ mH(vr)
    )
    new_u, _, new_vh = svd(shifted + rest * _shrinking(t), u.shape[-1] > k or vh.shape[-2] > k)
    alone = (same.sum(axis=-1) == 1) & ~zero
    left, right = (
        _vectors_that_stay(alone, zero, u.shape[-1]),
        _vectors_that_stay(alone, zero, vh.shape[-2]),
    )
    return np.where(left[..., None, :], u, new_u).astype(u.dtype), np.where(
        right[..., None], vh, new_vh
    ).astype(vh.dtype)


def _vectors_that_stay(alone: Any, zero: Any, n: int) -> Any:
    """Return a mask of the vectors that stay: those of single values, and the rest of the space if
    no value is 0.
    """
    rest = np.broadcast_to(~zero.any(axis=-1)[..., None], (*alone.shape[:-1], n - alone.shape[-1]))
    return np.concatenate([alone, rest], axis=-1)


def _shrinking(x: Any) -> Any:
    """Return a factor that makes a matrix small against 1 in every norm."""
    size = largest(x, (-2, -1), True)
    return 1 / np.where(size > 0, 4 * sum(x.shape[-2:]) * size, 1)


# -- derivatives


@differentiable("a", core={"a": 2, "u": 2, "s": 1, "vh": 2})
def _svd_frame(a, u, s, vh, gauge, level, vectors, symmetric, simple):
    del gauge, level, vectors, symmetric, simple
    # many directions, many bases
    lead = np.broadcast_shapes(a.shape[:-2], u.shape[:-2], s.shape[:-1], vh.shape[:-2])
    return tuple(
        np.broadcast_to(x, (*lead, *x.shape[-core:])) for x, core in ((u, 2), (s, 1), (vh, 2))
    )


def _known_pairs(call: Any, w: Any) -> tuple[Any, Any, bool]:
    """Return what is known of -s, 0 and s, with masks."""
    alone = is_diagonal(w) if call.simple else None
    return (alone, alone, True) if call.simple else equal.closeness(w, call.gauge)


def _divisors(w: Any, same: Any, near: Any, simple: bool) -> list[equal.Divisor]:
    """Return the divisors s_j - s_i, s_j + s_i, and s_j twice, for both sides: blocks of the
    differences of w = (-s, 0, s).
    """
    k = shape_of(w)[-1] // 2
    step, near = (
        (None, None) if simple else (equal.gaps(equal.steps(w, near)), near & ~is_diagonal(near))
    )
    whole, size = (equal.gaps(w), step, same, near), largest(w, -1, True)[..., None]
    blocks = (slice(None, k, -1), _name_pair), (slice(k), _null), *[(slice(k, k + 1), _null)] * 2
    return [
        equal.Divisor(*(x if x is None else x[..., rows, :k:-1] for x in whole), size, what)
        for rows, what in blocks
    ]


def _vector_halves(u: Any, vh: Any, s: Any) -> tuple[Any, Any, Any, Any]:
    """Return the singular vectors that belong to a singular value, and the rest of the space, if
    requested.
    """
    k, v = shape_of(s)[-1], mH(vh)
    return u[..., :k], u[..., k:], v[..., :k], v[..., k:]


@_svd_frame.jvp
def _(call, t):
    u, s, vh = call.out
    u1, u2, v1, v2 = _vector_halves(u, vh, s)
    w, p = equal.mirrored(s), mH(u1) @ t.a @ v1
    closeness, s_dot = _known_pairs(call, w), np.real(diagonal(p))
    s_dot = equal.slopes_of_values(call, "svd", s_dot, call.gauge == "check" and not closeness[2])
    k, still = shape_of(s)[-1], is_diagonal(p)
    # a common rotation of the vectors of equal values other than 0 leaves the sum of these as it is
    if call.symmetric:
        still = still | (closeness[0][..., :k:-1, :k:-1] & ~closeness[0][..., k, None, :k:-1])
    numerators = (
        np.where(still, 0, p + mH(p)),
        p - mH(p),
        t.a @ v1 - u1 @ p,
        mH(t.a) @ u1 - v1 @ mH(p),
    )
    norm = frobenius(t.a)
    plus, minus, across_u, across_v = (
        equal.push_quotient(call, "svd", x, d, norm, call.vectors)
        for x, d in zip(numerators, _divisors(w, *closeness), strict=True)
    )
    du, dv = (
        _vectors_tangent(u1, u2, plus + minus, across_u),
        _vectors_tangent(v1, v2, plus - minus, across_v),
    )
    return du, s_dot, mH(dv)


def _vectors_tangent(x1: Any, x2: Any, twice: Any, across: Any) -> Any:
    """Return the tangent of vectors x1, and of the rest of the space x2, which stays orthogonal to
    them.
    """
    dx = x1 @ twice / 2 + across
    return np.concatenate([dx, -x1 @ (mH(across) @ x2)], axis=-1) if shape_of(x2)[-1] else dx


# Let k_u = (u^H u_bar - its adjoint) / 2, c_u = (1 - u u^H) u_bar, and k_v, c_v alike. Then
# a_bar = u p_bar v^H + c_u / s v^H + u (c_v / s)^H,
# p_bar = diag(s_bar) + (k_u + k_v)_ij / (s_j - s_i) + (k_u - k_v)_ij / (s_i + s_j).
@_svd_frame.vjp
def _(call, g):
    u, s, vh = call.out
    k, thin = shape_of(s)[-1], shape_of(u)[-1] == shape_of(s)[-1] == shape_of(vh)[-2]
    if call.simple and k and thin and are_plain(u, s, vh, *(x for x in g if x is not ZERO)):
        return {"a": _simple_cotangent(call.gauge, u, s, vh, *g)}
    sides, w = _vector_halves(u, vh, s), equal.mirrored(s)
    closeness = _known_pairs(call, w)
    p_bar = across_u = across_v = ZERO
    seen, s_bar = None, equal.value_and_slope(g[1], call.level)[0]
    if not (g[0] is ZERO is g[2]):
        given, rounding = [g[0], mH(g[2])], equal.rounding(s_bar, s)
        if call.gauge == "check":
            _check_rest(sides, given, rounding)
        numerators, divisors = lambda *bars: _numerators(sides, *bars), _divisors(w, *closeness)
        (plus, minus, across_u, across_v), seen = equal.quotients(
            call, "svd", given, numerators, divisors, rounding, k
        )
        p_bar = plus + minus
    if s_bar is not ZERO:
        looked, near = (
            None if seen is None else equal.mirrored(seen, 1),
            call.gauge == "check" and not closeness[2],
        )
        w_bar = equal.mirrored(s_bar)
        w_bar = equal.of_values(call, "svd", w, w_bar, closeness[0], near, looked)
        p_bar = p_bar + place_on_diagonal(w_bar[..., :k:-1])
    a_bar = (sides[0] @ p_bar + across_u) @ mH(sides[2])
    return {"a": a_bar if across_v is ZERO else a_bar + sides[0] @ mH(across_v)}


def _numerators(sides: Any, u_bar: Any, v_bar: Any) -> list[Any]:
    """Return what `_divisors` divides in reverse mode: k_u + k_v, k_u - k_v, c_u, c_v, where k is
    the antihermitian part of u^H u_bar and c its part outside of the range of u.
    """
    u1, u2, v1, v2 = sides
    (k_u, c_u), (k_v, c_v) = _side(u1, u2, u_bar), _side(v1, v2, v_bar)
    return [k_u + k_v, k_u - k_v, c_u, c_v]


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


def _check_rest(sides: Any, given: Any, rounding: Any) -> None:
    """Refuse a loss that depends on the bases that full_matrices=True adds."""
    norm = sum(frobenius(x) for x in given if x is not ZERO) + rounding
    what = "the choice of a basis for what full_matrices=True adds"
    for rest, x_bar in zip(sides[1::2], given, strict=True):
        if (n := shape_of(rest)[-1]) and x_bar is not ZERO:
            x = antihermitian(mH(rest) @ x_bar[..., -n:])
            refuse_gauge(x, True, norm, equal.text(equal.REVERSE, "svd"), lambda *_: what)


def _name_pair(i: int, j: int) -> str:
    both = f"the choice of singular vectors {i} and {j}, whose singular values are equal"
    return f"the common phase of singular vectors {i}" if i == j else both


def _null(_: int, j: int) -> str:
    return f"the choice of singular vectors {j}, whose singular value is 0"


# -- plain arrays whose singular values all differ from each other and from 0. c_u =
# u_bar - u (u^H u_bar) is 0 where u is square. So a_bar = (u x + u_bar / s) v^H with x = p_bar -
# (u^H u_bar) / s for tall matrices, the adjoint of that for wide ones, and u p_bar v^H for square
# ones. Columns of u_bar and v_bar that are 0 are left out of u^H u_bar and v^H v_bar.


def _simple_cotangent(
    gauge: str, u: Any, s: Any, vh: Any, u_bar: Any, s_bar: Any, vh_bar: Any
) -> Any:
    if gauge == "check":
        check_phases("svd", [(u, u_bar), (mH(vh), mH(vh_bar))], s_bar, s, _name_pair)
    s_bar = np.zeros_like(s) if s_bar is ZERO else s_bar
    if u_bar is ZERO is vh_bar:
        return (u * s_bar[..., None, :]) @ vh
    if type(s) is not np.ndarray and is_on_device(s):
        return _cotangent_on_card(u, s, vh, u_bar, s_bar, vh_bar)
    return apply_in_pieces(_one_piece, s.ndim - 1, u, s[..., None, :], vh, u_bar, s_bar, vh_bar)


def _cotangent_on_card(u: Any, s: Any, vh: Any, u_bar: Any, s_bar: Any, vh_bar: Any) -> Any:
    """Return the same in few launches."""
    k, inner_u, inner_v = (
        s.shape[-1],
        _adjoint_product(u, u_bar),
        _adjoint_product(mH(vh), mH(vh_bar)),
    )
    given = (inner_u, inner_u.mT, inner_v, inner_v.mT, s_bar[..., None, :], s[..., None, :])
    tall = (u.shape[-2] > k) - (vh.shape[-1] > k)
    x = _middle_element(*places_in((k, k), s), *given, s[..., None], tall)
    if tall > 0:
        return (u @ x + _over_values(u_bar, s)) @ vh
    if tall < 0:
        return u @ (x @ vh + mH(_over_values(mH(vh_bar), s)))
    return u @ x @ vh


def _adjoint_product(v: Any, v_bar: Any) -> Any:
    """Return v^H v_bar."""
    return np.zeros((1, 1), v.dtype, like=v) if v_bar is ZERO else mH(v) @ v_bar


def _over_values(v_bar: Any, s: Any) -> Any:
    return 0 if v_bar is ZERO else v_bar / s[..., None, :]


@one_kernel
def _middle_element(
    i: Any, j: Any, x: Any, x_mirrored: Any, y: Any, y_mirrored: Any,
    s_bar: Any, s: Any, s_of_row: Any, tall: int,
) -> Any:  # fmt: skip
    """Return p_bar, less x / s if there are more rows than columns, y^H / s in the opposite case,
    of x = u^H u_bar and y = v^H v_bar.
    """
    if is_complex(x):
        x_mirrored, y_mirrored = np.conjugate(x_mirrored), np.conjugate(y_mirrored)
    first, second = x - x_mirrored, y - y_mirrored
    apart = np.where(i == j, 1, s - s_of_row)
    plus = np.where(i == j, s_bar, (first + second) / (2 * apart))
    p_bar = plus + (first - second) / (2 * (s + s_of_row))
    return p_bar - x / s if tall > 0 else p_bar - y_mirrored / s_of_row if tall < 0 else p_bar


def _one_piece(u: Any, s: Any, vh: Any, u_bar: Any, s_bar: Any, vh_bar: Any) -> Any:
    v, v_bar, i = mH(vh), mH(vh_bar), np.arange(s.shape[-1])
    inner_u, inner_v = _inner(u, u_bar), _inner(v, v_bar)
    k_u, k_v = inner_u - mH(inner_u), inner_v - mH(inner_v)
    gaps = s - s.mT
    gaps[..., i, i] = np.inf
    x = (k_u + k_v) / gaps
    x += (k_u - k_v) / (s + s.mT)
    x *= 0.5
    x[..., i, i] += s_bar
    if u.shape[-2] > v.shape[-2]:
        return (u @ (x - inner_u / s) + u_bar / s) @ vh
    if u.shape[-2] < v.shape[-2]:
        return u @ mH(v @ (mH(x) - inner_v / s) + v_bar / s)
    return u @ x @ vh


def _inner(v: Any, v_bar: Any) -> Any:
    """Return v^H v_bar."""
    out, columns = np.zeros((*v.shape[:-2], *v.shape[-1:] * 2), v.dtype), touched_columns(v_bar)
    if columns.stop:
        out[..., columns] = mH(v) @ v_bar[..., columns]
    return out
