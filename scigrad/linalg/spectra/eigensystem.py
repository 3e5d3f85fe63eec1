"""Derivatives of eigenvalues and eigenvectors of a general matrix: a v = v w, each column of v of norm 1.

A frame (w, v) may come from any algorithm; `attached` adds its derivatives in a. Equal eigenvalues are treated as in the
Hermitian case (spectrum.py, splitting.py): forward mode adapts the basis to its direction, reverse mode separates them by an
infinitesimal. Defective eigenvalues, which share an eigenvector, have no derivative: a perturbation eps moves them by eps^(1/2).
Tests for equal and for defective eigenvalues are in defects.py.

A direction may turn semisimple equal eigenvalues into a Jordan block, as [[0, 1], [0, 0]] does at the identity: it is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, Traced, differentiable, raw
from scigrad.autodiff_rules.boxes import Batched, Recorded, new_level

from ..foundation.factors import Factors, factorize
from ..foundation.gauge import looks, refuse, varies
from ..foundation.matrices import frobenius, is_diagonal, largest, mH, on_diagonal
from ..systems.solve import linear_solve
from .defects import adapted, close_pairs, refuse_defective, relative_gaps, sensitivity
from .gauge import among, column_sizes, forward_only, gaps, has_equal, indistinct, offsets, reciprocal_gaps, shared
from .lost_digits import warn_of_division
from .spectrum import direction
from .splitting import Split, parts, quotient, split


def attached(a: Any, w: Any, v: Any, gauge: str, vectors: bool) -> tuple[Any, Any]:
    """Return the frame (w, v) with its derivatives in a, in a basis that is adapted to the derivative."""
    if not isinstance(a, Traced):
        return w, v
    if type(a) is Batched:  # one level down the batch is an axis like any other, and what lies beneath can be seen
        return _under_vmap(a, w, v, gauge, vectors)
    size = 0 * np.abs(w) if gauge == "trust" else sensitivity(a, w, v)
    same, near = close_pairs(a, w, size, gauge)
    level = None
    if looks(gauge, a):
        tangent = direction(a)
        if tangent is not None and has_equal(same):
            v = adapted(v, tangent, same, gauge)
        if type(a) is Recorded and vectors and not varies(a.value) and has_equal(near):
            level = new_level()
    w, v = _attached(a, w, v, same, near, size, gauge, level, vectors)
    return w if level is None else split(w, level, offsets(near)), v


@differentiable("a")
def _under_vmap(a, w, v, gauge, vectors):
    del a, gauge, vectors
    return w, v


@_under_vmap.batched
def _(call, batched):
    return attached(*call[:-2])


@differentiable("a")
def _attached(a, w, v, same, near, size, gauge, level, vectors):
    del same, near, size, gauge, level, vectors  # for the rules
    lead = np.broadcast_shapes(a.shape[:-2], w.shape[:-1], v.shape[:-2])
    return np.broadcast_to(w, (*lead, w.shape[-1])), np.broadcast_to(v, (*lead, *v.shape[-2:]))


_attached.batch_leading(a=2, w=1, v=2, same=2, near=2, size=1)


def _factors(v: Any) -> Factors:
    return factorize("eig", raw(v), "general", False, "nan", check_condition=False)


# -- forward mode: a v = v w with v' = v z: x = v^-1 a' v gives w_i' = x_ii and z_ij = x_ij / (w_j - w_i). Each column keeps its
# norm, and its phase is left as it is: v_j' becomes orthogonal to v_j. (Magnus, On differentiating eigenvalues and eigenvectors,
# 1985.)


@_attached.jvp
def _(call, t):
    w, v = call.out
    if call.gauge == "check":
        refuse_defective(call.a, w, v, call.same, call.size, "eig" if call.vectors else "eigvals", varies(call.a))
    x = linear_solve(v, t.a @ v, factors=_factors(v))
    if looks(call.gauge, w):
        refuse(x, call.same & ~is_diagonal(call.same), frobenius(x), FORWARD)
    if call.gauge == "check" and call.vectors and varies(call.a) and has_equal(call.near):
        raise GaugeError(SECOND)
    w_dot = np.diagonal(x, axis1=-2, axis2=-1)
    if call.gauge == "check" and varies(call.a) and has_equal(call.near):
        w_dot = forward_only(w_dot, SECOND)
    z = reciprocal_gaps(w, call.same) * x
    if call.vectors and looks(call.gauge, w):
        warn_of_division("eig", z, relative_gaps(w, call.size, call.near & ~call.same), z)
    return w_dot, _orthogonal(v, v @ z)


def _orthogonal(v: Any, v_dot: Any) -> Any:
    return v_dot - v * np.sum(np.conjugate(v) * v_dot, axis=-2)[..., None, :]


# -- reverse mode: Re<v_bar, v' > = Re<s, z>, s = v^H v_bar less what would change the norm. With q_ij = s_ij / conj(w_j - w_i),
# a_bar = v^-H (diag(w_bar) + q) v^H. Among equal eigenvalues s has to be 0, and so has the imaginary part of s_ii, the phase.


@_attached.vjp
def _(call, g):
    w, v = call.out
    if call.gauge == "check":
        refuse_defective(call.a, w, v, call.same, call.size, "eig" if call.vectors else "eigvals", varies(call.a))
    q, touched = ZERO, None
    if g[1] is not ZERO:
        q, touched = _from_vectors(call, *parts(g[1], call.level))
    w_bar, checked = parts(g[0], call.level)[0], w if call.gauge == "check" else None
    diagonal = ZERO if w_bar is ZERO else on_diagonal(shared(w_bar, call.same, touched, checked, "eig"))
    if q is ZERO and call.gauge == "check" and varies(w_bar, (Batched, Split)) and has_equal(call.near):
        diagonal = forward_only(diagonal, SECOND)
    return {"a": linear_solve(v, (q + diagonal) @ mH(v), factors=_factors(v), adjoint=True)}


def _from_vectors(call: Any, v_bar: Any, slope: Any) -> tuple[Any, Any]:
    """q, and which vectors the loss looks at."""
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
    s_slope = None if not determined else slope if slope is ZERO else _turned(v, slope)[0]
    q, divided = quotient(s, s_slope, np.conjugate(gaps(w)), gaps(offsets(near)), same, near & ~is_diagonal(same), norm)
    if looks(call.gauge, w):
        warn_of_division("eig", divided, relative_gaps(w, call.size, near & ~same), q)
    return q, touched


def _turned(v: Any, v_bar: Any) -> tuple[Any, Any]:
    """v^H v_bar without the part along v itself, and that part's phase."""
    along = np.sum(np.conjugate(v) * v_bar, axis=-2)
    return mH(v) @ (v_bar - v * along[..., None, :]), np.imag(along)


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
