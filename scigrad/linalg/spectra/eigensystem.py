"""Derivatives of eigenvalues and eigenvectors of a general matrix: a v = v w, each column of v of norm 1.

A frame (w, v) may come from any algorithm; `attached` adds its derivatives in a. Equal eigenvalues are treated as in the
Hermitian case (spectrum.py, splitting.py): forward mode adapts the basis to its direction, reverse mode separates them by an
infinitesimal. Defective eigenvalues, which share an eigenvector, have no derivative: a perturbation eps moves them by eps^(1/2).
Tests for equal and for defective eigenvalues are in defects.py.

A direction may turn semisimple equal eigenvalues into a Jordan block, as [[0, 1], [0, 0]] does at the identity. The vectors then
have no derivative, the eigenvalues have those of the block. Second derivatives exist for functions of the eigenvalues that are
symmetric and holomorphic (or the real part of such), like sum(exp(w)): then the cotangents w_bar are equal too, the derivative of
a_bar = v^-H diag(w_bar) v^H has the elements l conj(x_ji) among equal eigenvalues, in any basis, and the limit l of (w_bar_j -
w_bar_i) / (w_j - w_i) follows from the infinitesimal separation. A second separation, by imaginary numbers, tests that l does not
depend on the direction in the complex plane. Other functions, such as |w|^2, are not differentiable at such a matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, Traced, constant, differentiable, raw, stop_gradient
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.boxes import Batched, Recorded, new_level

from ..foundation.factors import Factors, factorize
from ..foundation.failures import LinAlgError
from ..foundation.matrices import largest, mH, on_diagonal
from ..systems.solve import linear_solve
from .cancelling import cancelling, weighed
from .defects import adapted, close_pairs, ill_conditioned, refuse_defective, relative_gaps, sensitivity, warn_of_condition
from .gauge import (
    among,
    column_sizes,
    exists,
    forward_only,
    frobenius,
    gaps,
    has_equal,
    indistinct,
    is_diagonal,
    looks,
    offsets,
    reciprocal_gaps,
    refuse,
    refuse_turned,
    shared,
)
from .lost_digits import Nearness, warn_of_division
from .spectrum import direction, varies
from .splitting import BESIDE, Split, along, beyond_turning, on_trial, outcome, parts, quotient, split, turn


def attached(a: Any, w: Any, v: Any, gauge: str, vectors: bool) -> tuple[Any, Any]:
    """Return the frame (w, v) with its derivatives in a, in a basis that is adapted to the derivative."""
    if not isinstance(a, Traced):
        return w, v
    if type(a) is Batched:  # one level down the batch is an axis like any other, and what lies beneath can be seen
        return _under_vmap(a, w, v, gauge, vectors)
    size = 0 * np.abs(w) if gauge == "trust" else sensitivity(a, w, v)
    same, near = close_pairs(a, w, size, gauge)
    level = joined = None
    if looks(gauge, a):
        tangent = direction(a)
        if tangent is not None and has_equal(same):
            v, joined = adapted(v, tangent, same)
            joined = joined if exists(joined) else None
        if _splits(a, w, same, near, size, joined, vectors):
            level = new_level()
    w, v = _attached(a, w, v, same, near, size, joined, gauge, level, vectors)
    if level is None:
        return w, v
    if vectors:
        if type(a) is Recorded and gauge == "check" and has_equal(same):
            v = on_trial(v, level, v.value @ _turn(v.value, same))
        return split(w, level, offsets(near)), v
    return split(split(w, level, offsets(same)), level + BESIDE, 1j * offsets(same)), v


def _splits(a: Any, w: Any, same: Any, near: Any, size: Any, joined: Any, vectors: bool) -> bool:
    """Return whether equal eigenvalues have to be separated by an infinitesimal."""
    if not vectors:
        return joined is not None and type(a) is Recorded
    if varies(a.value):
        return False
    return has_equal(near) if type(a) is Recorded else exists(near & ~same) or ill_conditioned(a, w, size, near)


@differentiable("a")
def _under_vmap(a, w, v, gauge, vectors):
    del a, gauge, vectors
    return w, v


@_under_vmap.batched
def _(call, batched):
    return attached(*call[:-2])


@differentiable("a")
def _attached(a, w, v, same, near, size, joined, gauge, level, vectors):
    del same, near, size, joined, gauge, level, vectors  # for the rules
    lead = np.broadcast_shapes(a.shape[:-2], w.shape[:-1], v.shape[:-2])
    return np.broadcast_to(w, (*lead, w.shape[-1])), np.broadcast_to(v, (*lead, *v.shape[-2:]))


_attached.batch_leading(a=2, w=1, v=2, same=2, near=2, size=1, joined=0)


def _factors(v: Any) -> Factors:
    return factorize("eig", raw(v), "general", False, "nan", check_condition=False)


# -- forward mode: a v = v w with v' = v z: x = v^-1 a' v gives w_i' = x_ii and z_ij = x_ij / (w_j - w_i). Each column keeps its
# norm, and its phase is left as it is: v_j' becomes orthogonal to v_j. (Magnus, On differentiating eigenvalues and eigenvectors,
# 1985.)


@_attached.jvp
def _(call, t):
    w, v = call.out
    if call.gauge == "check":
        refuse_defective(call.a, w, v, call.same, call.size, "eig" if call.vectors else "eigvals")
    x = linear_solve(v, t.a @ v, factors=_factors(v))
    if looks(call.gauge, w):
        _refuse_direction(call, x)
    if call.gauge == "check" and call.vectors and varies(call.a) and has_equal(call.near):
        raise GaugeError(SECOND)
    w_dot = np.diagonal(x, axis1=-2, axis2=-1)
    if call.gauge == "check" and varies(call.a) and has_equal(call.near):
        w_dot = forward_only(w_dot, SECOND)
    return w_dot, _moved(call, x)


def _refuse_direction(call: Any, x: Any) -> None:
    """Raise where the basis does not suit the direction: x has to be diagonal among equal eigenvalues, or triangular."""
    open_pairs = call.same & ~is_diagonal(call.same)
    if call.joined is not None:
        if call.vectors and call.gauge == "check":
            raise LinAlgError(JOINED)
        n = open_pairs.shape[-1]
        open_pairs = open_pairs & ~(call.joined[..., None, None] & np.triu(np.ones((n, n), bool)))
    refuse(x, open_pairs, frobenius(x), FORWARD)


def _moved(call: Any, x: Any) -> Any:
    """v', with what is large among nearly equal eigenvalues apart from the rest."""
    w, v = call.out
    z = reciprocal_gaps(w, call.same) * x
    if call.level is None or not call.vectors:
        return _orthogonal(v, v @ z)
    between = call.near & ~call.same
    if not exists(between):
        return weighed(_orthogonal(v, v @ z), column_sizes(z), call.level, Nearness("eig"))
    limit = reciprocal_gaps(offsets(call.near), ~between) * x
    large = np.where(between, z, 0)
    tangents = [_orthogonal(v, v @ y) for y in (np.where(between, 0, z), limit, large)]
    return cancelling(*tangents, column_sizes(large), call.level, Nearness("eig", relative_gaps(w, call.size, between)))


def _orthogonal(v: Any, v_dot: Any) -> Any:
    return v_dot - v * np.sum(np.conjugate(v) * v_dot, axis=-2)[..., None, :]


# -- reverse mode: Re<v_bar, v' > = Re<s, z>, s = v^H v_bar less what would change the norm. With q_ij = s_ij / conj(w_j - w_i),
# a_bar = v^-H (diag(w_bar) + q) v^H. Among equal eigenvalues s has to be 0, and so has the imaginary part of s_ii, the phase.


@_attached.vjp
def _(call, g):
    w, v = call.out
    if call.gauge == "check":
        refuse_defective(call.a, w, v, call.same, call.size, "eig" if call.vectors else "eigvals")
    v_bar = q = touched = ZERO
    if g[1] is not ZERO:
        given, trial = outcome(g[1], call.level)
        v_bar, slope = parts(given, call.level)
        q, touched = _from_vectors(call, v_bar, slope, trial)
    w_bar, beside = _values_and_crossings(call, outcome(g[0], call.level)[0])
    touched, checked = None if touched is ZERO else touched, w if call.gauge == "check" else None
    diagonal = ZERO if w_bar is ZERO else on_diagonal(shared(w_bar, call.same, touched, checked, "eig"))
    if q is ZERO and call.gauge == "check" and varies(w_bar, (Batched, Split)) and has_equal(call.near):
        diagonal = forward_only(diagonal, SECOND)
    a_bar = linear_solve(v, (q + diagonal + beside) @ mH(v), factors=_factors(v), adjoint=True)
    if looks(call.gauge, w):
        warn_of_condition(call, a_bar, w_bar, v_bar, q, varies(call.a))
    return {"a": a_bar}


def _from_vectors(call: Any, v_bar: Any, slope: Any, trial: Any) -> tuple[Any, Any]:
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
        if trial is not None and has_equal(same):
            z = _turn(v, same)
            turned, _ = along(_turned, (v, v_bar), (v @ z, trial))
            size = norm if trial is ZERO else norm + frobenius(trial)
            refuse_turned(beyond_turning(turned, s, z), size, REVERSE)
        if not determined and has_equal(among(touched, indistinct(s, near, same, norm))):
            raise GaugeError(SECOND)
    s_slope = None if not determined else slope if slope is ZERO else _turned(v, slope)[0]
    q, divided = quotient(s, s_slope, np.conjugate(gaps(w)), gaps(offsets(near)), same, near & ~is_diagonal(same), norm)
    if looks(call.gauge, w) and exists(near & ~same):
        warn_of_division("eig", divided, relative_gaps(w, call.size, near & ~same), q)
    return q, touched


def _turn(v: Any, same: Any) -> Any:
    """z of a trial v' = v z that leaves norms and phases as they are, and real vectors real, as eig may return no other."""
    z = turn(same, library(raw(v)) != "numpy" or bool(raw(v).imag.any())).astype(v.dtype)
    return z - on_diagonal(np.sum(np.conjugate(v) * (v @ z), axis=-2))


def _turned(v: Any, v_bar: Any) -> tuple[Any, Any]:
    """v^H v_bar without the part along v itself, and that part's phase."""
    along = np.sum(np.conjugate(v) * v_bar, axis=-2)
    return mH(v) @ (v_bar - v * along[..., None, :]), np.imag(along)


# -- directions that make Jordan blocks of equal eigenvalues


def _values_and_crossings(call: Any, w_bar: Any) -> tuple[Any, Any]:
    """w_bar, and what stands beside it: 0, with the derivative l conj(x_ji)."""
    if call.level is None or call.vectors:
        return parts(w_bar, call.level)[0], ZERO
    outer, imaginary = parts(w_bar, call.level + BESIDE)
    w_bar, real = parts(outer, call.level)
    if real is None or imaginary is None:
        raise LinAlgError(KINK)
    if real is ZERO and imaginary is ZERO:
        real = imaginary = 0 * w_bar
    w, v = call.out
    pairs = call.same & ~is_diagonal(call.same) & call.joined[..., None, None]
    inverse = reciprocal_gaps(offsets(call.same), ~pairs)
    slopes = (real, 1j * parts(imaginary, call.level)[0])
    limit, other = (inverse * (slope[..., None, :] - slope[..., :, None]) for slope in slopes)
    if exists(_kinks(w_bar, limit, other, w, pairs)):
        raise LinAlgError(KINK)
    x = linear_solve(v, (call.a - stop_gradient(call.a)) @ v, factors=_factors(v))
    return w_bar, limit * mH(x)


@constant
def _kinks(w_bar, limit, other, w, pairs):
    """Return where cotangents of equal eigenvalues and their slopes are not equal, as they are for symmetric, holomorphic
    functions."""
    tolerance = 100 * np.sqrt(np.finfo(w.dtype).eps)
    radius, height = largest(w, -1)[..., None, None], largest(w_bar, -1)[..., None, None]
    size = np.maximum(largest(limit, (-2, -1), True), height / np.where(radius > 0, radius, 1))
    mean = (pairs * limit).sum(axis=-1, keepdims=True) / np.maximum(pairs.sum(axis=-1, keepdims=True), 1)
    bent = np.abs(limit - mean) + np.abs(limit - other) > tolerance * size
    return pairs & (bent | (np.abs(w_bar[..., None, :] - w_bar[..., :, None]) > tolerance * height))


_kinks.batch_leading(w_bar=1, limit=2, other=2, w=1, pairs=2)


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
JOINED = (
    "eig: a derivative was asked for in a direction that makes a defective matrix: equal eigenvalues become a Jordan block in "
    "it, as [[0, 1], [0, 0]] does at the identity. Their eigenvectors have no derivative in it. The eigenvalues have (eigvals), "
    "and so have functions of the matrix (expm, a power, det, trace)."
)
KINK = (
    "eig: a second derivative was asked for in a direction that makes a defective matrix: equal eigenvalues become a Jordan "
    "block in it, as [[0, 1], [0, 0]] does at the identity. There it exists for symmetric functions of the eigenvalues that are "
    "holomorphic, or the real part of such (sum(exp(w)).real), and this one is not: |w|, w.real ** 2, max(w.real) have a kink, "
    "and numpy.linalg.eigvals of a real matrix takes the real part (linalg.eigvals does not). Take derivatives in directions "
    "that keep the eigenvectors (hvp), or functions of the matrix (expm, a power, det, trace)."
)
__all__ = ["REVERSE", "attached"]
