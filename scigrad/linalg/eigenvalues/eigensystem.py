"""Derivatives of eigenvalues and eigenvectors, a v = v w, of Hermitian matrices (w is real) and of
general ones (w is complex, each column of v has norm 1).

A frame (w, v) may come from any algorithm; `attach_eigen_rules` adds its derivatives in a. With x =
v^-1 a' v they are w_i' = x_ii and v' = v z, z_ij = x_ij / (w_j - w_i); the phase of a column is
left as it is, v_j' orthogonal to v_j (Magnus, On differentiating eigenvalues and eigenvectors,
1985). In reverse mode a_bar = v^-H (diag(w_bar) + q) v^H with q_ij = s_ij / conj(w_j - w_i), where
s = v^H v_bar is taken without what would change the norm of a column, and of a unitary v its
antihermitian part alone. equal_eigenvalues.py says what a quotient is where eigenvalues are equal.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, constant, differentiable, namespace_of
from scigrad.autodiff_rules.backends import is_on_device
from scigrad.autodiff_rules.boxes import Batched
from scigrad.numpy.devices import one_kernel, places_in
from scigrad.typing import Value

from ..foundation.decompositions import eigh
from ..foundation.failures import choice, looks, refuse_gauge, varies
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
from . import degenerate_eigenvalues as equal
from .eig_gauge import (
    close_pairs,
    column_products,
    refuse_defective,
    rotation,
    sensitivity,
    solve_frame,
    spectral_inverse,
)


def attach_eigen_rules(
    a: Any, w: Any, v: Any, function: str, gauge: str, vectors: bool
) -> tuple[Any, Any]:
    """Return the frame (w, v) with its derivatives in a, in a basis that suits them."""
    if not varies(a):
        return w, v
    if type(a) is Batched:
        return equal.under_vmap(
            lambda *frame: attach_eigen_rules(*frame, function, gauge, vectors), a, w, v
        )
    same, near, size, simple = _closeness(a, w, v, gauge)

    def to_direction(t: Any) -> tuple[Any, ...]:
        return w, diagonalize_tangent_in_groups(v, t, same, gauge, is_complex(w))

    (w, v), level = equal.prepare_frame(a, (w, v), same, gauge, to_direction, simple)
    w, v = _eigen_frame(a, w, v, same, near, size, function, gauge, level, vectors, simple)
    return equal.split(w, level, None if level is None else equal.steps(w, near)), v


def _closeness(a: Any, w: Any, v: Any, gauge: str) -> tuple[Any, Any, Any, bool]:
    """Return (same, near, size, simple): masks (..., n, n) of equal and of nearly equal pairs of
    eigenvalues; the size that a difference is compared with; True if it is known that no pair is
    near. On a card the others are None then.
    """
    if is_complex(w):
        size = 0 * np.abs(w) if gauge == "trust" else sensitivity(a, w, v)
        same, near = close_pairs(a, w, size, gauge)
        return same, near, size, looks(gauge, w) and not equal.has_pair(near)
    same, near, simple = equal.closeness(w, gauge)
    return same, near, None if same is None else largest(w, -1, True), simple


@constant(core={"v": 2, "t": 2, "same": 2})
def diagonalize_tangent_in_groups(v, t, same, gauge, general):
    """Return the limits of the eigenvectors of a + e t for e -> 0, which diagonalize the tangent t
    among equal eigenvalues of a. One decomposition does it for all groups: group k is shifted to k,
    far from the others.
    """
    x = np.where(same, (spectral_inverse(v) if general else mH(v)) @ t @ v, 0)
    # not at a Jordan block of the matrix itself, which the rules refuse
    x = np.where(np.isfinite(x), x, 0)
    # the first member numbers the group
    size, first = largest(x, (-2, -1), True), np.argmax(same, axis=-1)
    one = namespace_of(x).eye(x.shape[-1])
    shifted = x / np.where(size > 0, 4 * x.shape[-1] * size, 1) + first[..., None] * one
    turn = rotation(shifted, first, gauge) if general else eigh(shifted)[1]
    alone = same.sum(axis=-1)[..., None, :] == 1
    u = (v @ np.where(alone, one, np.where(same, turn, 0))).astype(v.dtype)
    return u / np.sqrt((np.abs(u) ** 2).sum(axis=-2, keepdims=True)) if general else u


@differentiable("a", core={"a": 2, "w": 1, "v": 2, "same": 2, "near": 2, "size": 1})
def _eigen_frame(a, w, v, same, near, size, function, gauge, level, vectors, simple):
    del same, near, size, function, gauge, level, vectors, simple
    lead = np.broadcast_shapes(a.shape[:-2], w.shape[:-1], v.shape[:-2])
    return np.broadcast_to(w, (*lead, w.shape[-1])), np.broadcast_to(v, (*lead, *v.shape[-2:]))


def _divisor(call: Any) -> equal.Divisor:
    w = call.out[0]
    if call.simple:
        return equal.Divisor(equal.gaps(w), None, is_diagonal(w), None, None)
    size = np.maximum(call.size[..., None, :], call.size[..., :, None])
    return equal.Divisor(
        equal.gaps(w),
        equal.gaps(equal.steps(w, call.near)),
        call.same,
        call.near & ~is_diagonal(w),
        size,
    )


def _is_near(call: Any) -> bool:
    """Return whether eigenvalues are so near each other that second derivatives have to be
    refused.
    """
    return call.gauge == "check" and not call.simple and equal.has_pair(call.near)


def _check_frame(call: Any) -> bool:
    """Refuse defective matrices; return whether the matrix is a general one."""
    w, v = call.out
    if (general := is_complex(w)) and call.gauge == "check":
        refuse_defective(
            call.a, w, v, call.same, call.size, "eig" if call.vectors else "eigvals", varies(call.a)
        )
    return general


@_eigen_frame.jvp
def _(call, t):
    v, general = call.out[1], _check_frame(call)
    y = t.a @ v
    x = solve_frame(v, y, False) if general else mH(v) @ y
    w_dot = diagonal(x)
    z = equal.push_quotient(
        call,
        call.function,
        np.where(is_diagonal(x), 0, x),
        _divisor(call),
        frobenius(x),
        call.vectors,
    )
    w_dot = equal.slopes_of_values(call, call.function, w_dot, _is_near(call))
    v_dot = v @ z
    return (
        (w_dot, v_dot - v * column_products(v, v_dot)[..., None, :])
        if general
        else (np.real(w_dot), v_dot)
    )


@_eigen_frame.vjp
def _(call, g):
    (w, v), general = call.out, _check_frame(call)
    if call.simple and not general and are_plain(w, v, *(x for x in g if x is not ZERO)):
        return {"a": _simple_cotangent(call, w, v, *g)}
    w_bar, seen, rows = equal.value_and_slope(g[0], call.level)[0], None, ZERO
    if g[1] is not ZERO:
        rounding = equal.rounding(w_bar, w if call.size is None else call.size)
        numerators = lambda v_bar: [_numerator(v, v_bar, general)]  # noqa: E731
        (q,), seen = equal.quotients(
            call, call.function, [g[1]], numerators, [_divisor(call)], rounding
        )
        rows = q @ mH(v)
    if w_bar is not ZERO:
        if not call.simple:
            w_bar = equal.of_values(call, call.function, w, w_bar, call.same, _is_near(call), seen)
        rows = rows + w_bar[..., None] * mH(v)
    return {"a": solve_frame(v, rows, True) if general else v @ rows}


def _numerator(v: Any, v_bar: Any, general: bool) -> Any:
    if v_bar is ZERO:
        return ZERO
    if not general:
        return antihermitian(mH(v) @ v_bar)
    part = column_products(v, v_bar)
    return mH(v) @ (v_bar - v * part[..., None, :]) + place_on_diagonal(1j * np.imag(part))


# -- plain arrays whose eigenvalues are all simple, what most losses take. Of a_bar only
# the Hermitian part counts, so any x with x + x^H = 2 q may stand in the place of q. Losses often
# look at some eigenvectors only, the first or the last ones: then v_bar is 0 but for columns t, k
# but for rows and columns t, and x_tt = q_tt, x_ut = 2 q_ut = s_ut / (w_t - w_u), 0 elsewhere,
# makes two of three products smaller.


def _simple_cotangent(call: Any, w: Any, v: Any, w_bar: Any, v_bar: Any) -> Any:
    w_bar = np.zeros_like(w) if w_bar is ZERO else w_bar
    if v_bar is ZERO or not v.size:
        return (v * w_bar[..., None, :]) @ mH(v)
    if call.gauge == "check":
        check_phases(call.function, [(v, v_bar)], w_bar, w)
    if type(v) is not np.ndarray and is_on_device(v):
        x = mH(v) @ v_bar
        given = x, x.mT, w[..., None, :], w[..., None], w_bar[..., None, :]
        return v @ _inner_element(*places_in(x.shape, x), *given) @ mH(v)
    columns = touched_columns(v_bar)
    return apply_in_pieces(
        lambda *arrays: _one_piece(*arrays, columns), v.ndim - 2, w, v, w_bar, v_bar
    )


@one_kernel
def _inner_element(i: Any, j: Any, x: Any, mirrored: Any, w: Any, w_of_row: Any, w_bar: Any) -> Any:
    k = x - (np.conjugate(mirrored) if is_complex(x) else mirrored)
    return np.where(i == j, w_bar, k / (2 * np.where(i == j, 1, w - w_of_row)))


def check_phases(function: str, sides: list[Any], w_bar: Any, w: Any, what: Any = choice) -> None:
    """Refuse a loss that depends on the phases of vectors v, or on common ones of both sides: (v^H
    v_bar - v_bar^H v)_ii / 2.
    """
    sides = [(v, v_bar) for v, v_bar in sides if v_bar is not ZERO]
    if sides and is_complex(sides[0][0]):
        moments = place_on_diagonal(
            sum(1j * (v.real * v_bar.imag - v.imag * v_bar.real).sum(axis=-2) for v, v_bar in sides)
        )
        norm = sum(frobenius(v_bar) for _, v_bar in sides) + equal.rounding(w_bar, w)
        refuse_gauge(moments, is_diagonal(moments), norm, equal.text(equal.REVERSE, function), what)


def _one_piece(w: Any, v: Any, w_bar: Any, v_bar: Any, columns: slice) -> Any:
    adjoint = mH(v)
    x = adjoint @ v_bar[..., columns]
    inner = x[..., columns, :]
    inner -= mH(inner)
    inner *= 0.5
    gaps = w[..., None, columns] - w[..., :, None]
    j = np.arange(inner.shape[-1])
    i = j + columns.start
    gaps[..., i, j] = np.inf
    x /= gaps
    x[..., i, j] = w_bar[..., columns]
    y = v * w_bar[..., None, :]
    y[..., columns] = v @ x
    return y @ adjoint


# -- savings of memory: columns that are 0 are left out, and large batches are treated in pieces

_PIECE = 1 << 16  # elements: some arrays of so many stay in the second-level cache


def apply_in_pieces(function: Callable[..., Any], depth: int, *arrays: Any) -> Any:
    """Apply a function that broadcasts over the first `depth` axes to pieces of that batch that
    stay in the cache. All arrays have the whole batch; ZERO is handed on.
    """
    lead = arrays[0].shape[:depth]
    step = max(
        1, _PIECE // max(1, *(int(np.prod(x.shape[depth:])) for x in arrays if x is not ZERO))
    )
    if int(np.prod(lead)) <= step:
        return function(*arrays)
    flat = [x if x is ZERO else x.reshape(-1, *x.shape[depth:]) for x in arrays]
    out: Value = None
    for start in range(0, len(flat[0]), step):
        piece = slice(start, start + step)
        found = function(*(x if x is ZERO else x[piece] for x in flat))
        out = np.empty((len(flat[0]), *found.shape[1:]), found.dtype) if out is None else out
        out[piece] = found
    return out.reshape(*lead, *out.shape[1:])


def touched_columns(x_bar: Any) -> slice:
    """Return the slice of the columns from the first to the last that is not 0, anywhere in the
    batch. A loss that looks at some vectors only leaves the others out.
    """
    if x_bar is ZERO or not x_bar.size:
        return slice(0, 0)
    # the first matrix of the batch is a guess, which the other ones must confirm
    found = np.flatnonzero(x_bar[(0,) * (x_bar.ndim - 2)].any(axis=0))
    first, end = (int(found[0]), int(found[-1]) + 1) if found.size else (0, 0)
    more = x_bar.ndim > 2 and (x_bar[..., :first].any() or x_bar[..., end:].any())
    return slice(0, x_bar.shape[-1]) if more else slice(first, end)
