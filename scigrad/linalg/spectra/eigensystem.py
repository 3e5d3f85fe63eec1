"""Derivatives of eigenvalues and eigenvectors of a general matrix: a v = v w, each column of v of norm 1.

A frame (w, v) comes from whatever algorithm found it; `attached` gives it its derivatives in a. Equal eigenvalues are treated
as in the Hermitian case (spectrum.py, splitting.py): forward mode turns the basis to suit its direction, reverse mode lets the
loss say how it would treat eigenvalues that differ. Where eigenvalues coalesce and share an eigenvector (a Jordan block) they
have no derivative: eps^(1/2) is how they move.

Eigenvalue i moves by at most eps c_i under rounding of the entries of a, with c_i = |y_i| |a| |v_i| and y = v^-1 (Higham,
Accuracy and Stability of Numerical Algorithms, 2nd ed., section 7.3, for linear systems); rescaling rows and columns does not
change that. Eigenvalues closer than 64 n eps max(c_i, c_j) count as equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, Traced, constant, differentiable, raw
from scigrad.autodiff_rules.boxes import Batched, Recorded, new_level
from scigrad.numpy.call_stack import warn

from ..foundation.factors import Factors, factorize
from ..foundation.failures import LinAlgError, to_host
from ..foundation.matrices import largest, mH
from ..systems.solve import linear_solve
from .gauge import (
    above_rounding,
    among,
    column_sizes,
    forward_only,
    frobenius,
    has_equal,
    indistinct,
    is_diagonal,
    looks,
    offsets,
    on_diagonal,
    reciprocal_gaps,
    refuse,
    shared,
)
from .spectrum import direction, varies
from .splitting import parts, split


def attached(a: Any, w: Any, v: Any, gauge: str, vectors: bool) -> tuple[Any, Any]:
    """The frame (w, v) with its derivatives in a, in a basis that suits the derivative asked for."""
    if not isinstance(a, Traced):
        return w, v
    if type(a) is Batched:  # one level down the batch is an axis like any other, and what lies beneath can be seen
        return _under_vmap(a, w, v, gauge, vectors)
    level = None
    same, near = _close(a, w, v, gauge)
    if looks(gauge, a) and has_equal(near):
        tangent = direction(a)
        if tangent is not None and has_equal(same):
            v = _adapted(v, tangent, same)
        if type(a) is Recorded and vectors and not varies(a.value):
            level = new_level()
    w, v = _attached(a, w, v, same, near, gauge, level, vectors)
    return (w if level is None else split(w, level, offsets(near))), v


@differentiable("a")
def _under_vmap(a, w, v, gauge, vectors):
    del a, gauge, vectors
    return w, v


@_under_vmap.batched
def _(call, batched):
    return attached(*call[:-2])


# -- which eigenvalues are equal, and which have no derivative


def _close(a: Any, w: Any, v: Any, gauge: str) -> tuple[Any, Any]:
    """Pairs that count as equal, and those whose divided differences lose half of their digits."""
    if gauge == "trust":
        same = _within(w, 0 * np.abs(w))
        return same, same
    size = _sensitivity(a, w, v)
    epsilon = np.finfo(raw(w).dtype).eps
    return _within(w, 64 * w.shape[-1] * epsilon * size), _within(w, np.sqrt(epsilon) * size)


@constant
def _within(w, limit):
    gaps = np.abs(w[..., None, :] - w[..., :, None])
    return gaps <= np.maximum(limit[..., None, :], limit[..., :, None])


@constant
def _sensitivity(a, w, v):
    """c_i, or what replaces it where v has no inverse."""
    y = _inverse(v)
    size = (np.abs(y) * (np.abs(a) @ np.abs(v)).mT).sum(axis=-1)
    size = np.where(np.isfinite(size), size, largest(a, (-2, -1), True)[..., 0])
    return np.maximum(size, np.abs(w))


def _inverse(v: Any) -> Any:
    try:
        with np.errstate(all="ignore"):
            return np.linalg.inv(v)
    except np.linalg.LinAlgError:
        out = np.full_like(v, np.nan)
        for index in np.ndindex(v.shape[:-2]):
            if np.linalg.cond(v[index]) < 1 / np.finfo(v.dtype).eps:
                out[index] = np.linalg.inv(v[index])
        return out


_within.batch_leading(w=1, limit=1)
_sensitivity.batch_leading(a=2, w=1, v=2)


# Two equal eigenvalues whose vectors enclose the angle s: (a - w)(v_j - v_i <v_i, v_j>) / s has the size (gap + rounding) / s,
# the element of the Jordan block that joins them.
@constant
def _joined(a, w, v, same):
    overlap = np.abs(mH(v) @ v)
    sine = np.sqrt(np.maximum(1 - overlap**2, 0))
    norm = frobenius(a)[..., None, None]
    epsilon = np.finfo(w.dtype).eps
    gaps = np.abs(w[..., None, :] - w[..., :, None])
    alone = np.eye(w.shape[-1], dtype=bool, like=w)
    return same & ~alone & (gaps + w.shape[-1] * epsilon * norm > 0.1 * np.sqrt(epsilon) * norm * sine)


@constant
def _worst_condition(v, close):
    """The largest 1 / |cosine of left and right eigenvector| of eigenvalues that are close but not equal, if that is large."""
    condition = np.sqrt((np.abs(_inverse(v)) ** 2).sum(axis=-1))[..., None] * close
    return np.where(condition > np.finfo(v.dtype).eps ** -0.25, condition, 0)


_joined.batch_leading(a=2, w=1, v=2, same=2)
_worst_condition.batch_leading(v=2, close=2)


def _refuse_defective(a: Any, w: Any, v: Any, same: Any, near: Any) -> None:
    joined = to_host(raw(_joined(a, w, v, same)))
    if joined.any():
        i, j = (int(k) for k in np.argwhere(joined)[0][-2:])
        raise LinAlgError(
            f"eig: eigenvalues {i} and {j} are equal and share one eigenvector: the matrix is defective, up to rounding, and its "
            "eigenvalues have no derivative there. Functions of the matrix do (expm, a power, det, trace): use them instead of "
            "eigenvalues; gauge='project' goes on without this test."
        )
    worst = to_host(raw(_worst_condition(v, near & ~same)))
    if worst.size and worst.max() > 0:
        from scipy.linalg import LinAlgWarning

        warn(
            f"eig: the matrix is nearly defective: two eigenvalues are close and have the condition number {worst.max():.1e}; "
            "their derivatives lose that many digits.",
            LinAlgWarning,
        )


@constant
def _adapted(v, t, same):
    """Eigenvectors that diagonalise a tangent t of the matrix among equal eigenvalues. One eig does it for all groups: group k
    is shifted to k, far from the others, and each found vector put in the place of a member of its group."""
    n = v.shape[-1]
    x = np.where(same, _inverse(v) @ t @ v, 0)
    x = np.where(np.isfinite(x), x, 0)  # of a Jordan block, which the rules refuse
    size = largest(x, (-2, -1), True)
    first = np.argmax(same, axis=-1)  # the first member numbers the group
    shifted = x / np.where(size > 0, 4 * n * size, 1) + first[..., None] * np.eye(n, like=x)
    found, rotation = np.linalg.eig(shifted)
    rank = np.argsort(np.argsort(first, axis=-1, stable=True), axis=-1)
    rank = np.broadcast_to(rank, found.shape)  # one matrix may be asked in many directions
    order = np.take_along_axis(np.argsort(np.real(found), axis=-1), rank, axis=-1)
    rotation = np.take_along_axis(rotation, order[..., None, :], axis=-1)
    alone = same.sum(axis=-1)[..., None, :] == 1
    u = (v @ np.where(alone, np.eye(n, like=x), np.where(same, rotation, 0))).astype(v.dtype)
    return u / np.sqrt((np.abs(u) ** 2).sum(axis=-2, keepdims=True))


_adapted.batch_leading(v=2, t=2, same=2)


# -- derivatives


@differentiable("a")
def _attached(a, w, v, same, near, gauge, level, vectors):
    del same, near, gauge, level, vectors  # for the rules
    lead = np.broadcast_shapes(a.shape[:-2], w.shape[:-1], v.shape[:-2])
    return np.broadcast_to(w, (*lead, w.shape[-1])), np.broadcast_to(v, (*lead, *v.shape[-2:]))


_attached.batch_leading(a=2, w=1, v=2, same=2, near=2)


def _factors(v: Any) -> Factors:
    return factorize("eig", raw(v), "general", False, "nan", check_condition=False)


# a v = v w with v' = v z: x = v^-1 a' v gives w_i' = x_ii and z_ij = x_ij / (w_j - w_i). Each column keeps its norm, and its
# phase is left as it is: v_j' becomes orthogonal to v_j. (Magnus, On differentiating eigenvalues and eigenvectors, 1985.)
@_attached.jvp
def _(call, t):
    w, v = call.out
    if call.gauge == "check":
        _refuse_defective(call.a, w, v, call.same, call.near)
    x = linear_solve(v, t.a @ v, factors=_factors(v))
    if looks(call.gauge, w):
        refuse(x, call.same & ~is_diagonal(call.same), frobenius(x), FORWARD)
    if call.gauge == "check" and call.vectors and varies(call.a) and has_equal(call.near):
        raise GaugeError(SECOND)
    w_dot = np.diagonal(x, axis1=-2, axis2=-1)
    if call.gauge == "check" and varies(call.a) and has_equal(call.near):
        w_dot = forward_only(w_dot, SECOND)
    v_dot = v @ (reciprocal_gaps(w, call.same) * x)
    return w_dot, v_dot - v * np.sum(np.conjugate(v) * v_dot, axis=-2)[..., None, :]


# Re<v_bar, v' > = Re<s, z> with s = v^H v_bar, less what would change the norm: a_bar = v^-H (diag(w_bar) + q) v^H with
# q_ij = s_ij / conj(w_j - w_i). Among equal eigenvalues s has to be 0, and so has the imaginary part of s_ii, the phase.
@_attached.vjp
def _(call, g):
    w, v = call.out
    if call.gauge == "check":
        _refuse_defective(call.a, w, v, call.same, call.near)
    w_bar, _ = parts(g[0], call.level)
    if g[1] is ZERO:
        w_bar = shared(w_bar, call.same)
        unseen = call.gauge == "check" and varies(w_bar) and has_equal(call.near)
        q = on_diagonal(forward_only(w_bar, SECOND) if unseen else w_bar)
    else:
        q = _from_vectors(call, *parts(g[1], call.level), w_bar)
    return {"a": linear_solve(v, q @ mH(v), factors=_factors(v), adjoint=True)}


def _from_vectors(call: Any, v_bar: Any, slope: Any, w_bar: Any) -> Any:
    w, v = call.out
    same, near = call.same, call.near
    s, phase = _turned(v, v_bar)
    touched, norm = column_sizes(v_bar), frobenius(v_bar)
    determined = call.level is not None and slope is not None and not varies(call.a)
    if determined and slope is not ZERO:
        touched, norm = touched + column_sizes(slope), norm + largest(w, -1) * frobenius(slope)
    if call.gauge == "check":
        refuse(np.where(is_diagonal(same), on_diagonal(phase), s), same, norm, REVERSE)
        if not determined and has_equal(among(touched, indistinct(s, near, same, norm))):
            raise GaugeError(SECOND)
    q = np.conjugate(reciprocal_gaps(w, same)) * s
    if determined and slope is not ZERO:
        q = _by_slopes(q, s, w, _turned(v, slope)[0], same, near, norm)
    return q if w_bar is ZERO else q + on_diagonal(shared(w_bar, same, touched))


def _turned(v: Any, v_bar: Any) -> tuple[Any, Any]:
    """v^H v_bar without the part along v itself, and that part's phase."""
    along = np.sum(np.conjugate(v) * v_bar, axis=-2)
    return mH(v) @ (v_bar - v * along[..., None, :]), np.imag(along)


def _by_slopes(q: Any, s: Any, w: Any, slope: Any, same: Any, near: Any, norm: Any) -> Any:
    """The limit of s_ij / conj(w_j - w_i) among close eigenvalues, from the slopes along the splitting, as in spectrum.py."""
    pairs = near & ~is_diagonal(same)
    limit = reciprocal_gaps(offsets(near), ~pairs) * slope
    rest = s - limit * np.conjugate(w[..., None, :] - w[..., :, None])
    rest = np.where(same | ~above_rounding(rest, norm), 0, rest)
    return np.where(pairs, limit + np.conjugate(reciprocal_gaps(w, same)) * rest, q)


REVERSE = (
    "eig: the loss depends on {what}, which the matrix does not determine, so it has no derivative here. Write it with "
    "quantities that do not depend on the choice (v f(w) v^-1, |v|^2), fix the phase with canonical=True, or say what you mean: "
    "gauge='project' drops that part of the derivative."
)
FORWARD = (
    "eig: this derivative depends on {what}: it was asked for in a direction that separates them, after the eigenvectors had "
    "been chosen for another one (linearize, or two directions at once). Use jvp or hvp, which choose them for "
    "one direction, or reverse mode for a gradient."
)
SECOND = (
    "eig: second derivatives through eigenvectors of equal eigenvalues, or of nearly equal ones, are not determined by the "
    "first-order rule. The first derivative is available, so are second derivatives of functions of the eigenvalues alone by "
    "forward over reverse mode (hvp, hessian). Functions of the matrix (expm, sqrtm, a power) have derivatives of every order."
)
__all__ = ["REVERSE", "attached"]
