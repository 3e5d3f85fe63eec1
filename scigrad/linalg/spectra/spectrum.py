"""The decomposition behind eigh: a = v w v^H for whole Hermitian matrices, and its derivatives."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, Traced, constant, differentiable
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.boxes import Batched, Dual, Recorded, new_level

from ..foundation import failures
from ..foundation.gauge import looks, refuse, varies
from ..foundation.lapack import host
from ..foundation.matrices import (
    antihermitian,
    completed,
    frobenius,
    is_complex,
    is_diagonal,
    is_host,
    largest,
    mH,
    on_diagonal,
    restricted,
)
from .gauge import (
    FORWARD,
    REVERSE,
    SECOND,
    adapted,
    among,
    column_sizes,
    equal_pairs,
    forward_only,
    gaps,
    has_equal,
    indistinct,
    near_pairs,
    offsets,
    reciprocal_gaps,
    relative_gaps,
    separate,
    shared,
    spectral_radius,
)
from .lost_digits import warn_of_division
from .simple_spectrum import cotangent
from .splitting import Split, parts, quotient, split


def decomposed(a: Any, driver: Any, lower: bool, gauge: str, on_fail: str, eigvals_only: bool,
               read: bool | None = None) -> tuple[Any, Any, Any]:  # fmt: skip
    """Return w, v and info of Hermitian matrices, in a basis that is adapted to the derivative. The matrices are complete, or (on
    the host) stored in the lower (`read` is True) or the upper triangle of `a`.

    Equal eigenvalues leave the basis open. Forward mode takes the one that its direction selects; reverse mode has no direction
    and separates the eigenvalues instead (splitting.py).
    """
    if not isinstance(a, Traced):
        return _decomposition(a, driver, lower, on_fail, eigvals_only)
    if type(a) is Batched:  # one level down the batch is an axis like any other, and what lies beneath can be seen
        return _under_vmap(a, driver, lower, gauge, on_fail, eigvals_only, read)
    w, v, info = frame(a, driver, lower, on_fail)
    level = near = None
    if looks(gauge, a) and not separate(w) and has_equal(near := near_pairs(w)):
        tangent = direction(a)
        if tangent is not None and has_equal(equal_pairs(w, gauge)):
            v = adapted(w, v, completed(tangent, read), gauge)
        if type(a) is Recorded and not eigvals_only and not varies(a.value):
            level = new_level()
    w, v = _attached(a, w, v, gauge, level, not eigvals_only, read)
    return w if level is None else split(w, level, offsets(near)), v, info


def direction(a: Any) -> Any:
    """The tangent of the nearest forward mode beneath reverse mode, if there is one."""
    while type(a) is Recorded:
        a = a.value
    if type(a) is Split:
        return a.slope
    return a.tangent if type(a) is Dual and a.tangent is not ZERO else None


@differentiable("a")
def _under_vmap(a, driver, lower, gauge, on_fail, eigvals_only, read):
    del gauge, read
    return _decomposition(a, driver, lower, on_fail, eigvals_only)


@_under_vmap.batched
def _(call, batched):
    return decomposed(*call[:-2])


# -- values


@constant
def frame(a, driver, lower, on_fail):
    return _decomposition(a, driver, lower, on_fail, False)


frame.batch_leading(a=2)


def _decomposition(a: Any, driver: Any, lower: bool, on_fail: str, eigvals_only: bool) -> tuple[Any, Any, Any]:
    info = np.zeros(a.shape[:-2], np.intp, like=a)
    if on_fail != "raise":
        bad = failures.not_finite(a)
        a, info = failures.patched(a, bad), bad * -1
    try:
        w, v = _kernel(a, driver, lower, eigvals_only)
    except np.linalg.LinAlgError as error:
        codes = failures.unconverged("eigh", a, error, lambda x: np.linalg.eigvalsh(x, "L" if lower else "U"), on_fail)
        info, on_fail = np.where(codes != 0, codes, info), "nan"
        w, v = _kernel(failures.patched(a, codes != 0), driver, lower, eigvals_only)
    if on_fail == "raise":
        return w, v, info[()]
    return failures.marked_nan(w, info, 1), None if v is None else failures.marked_nan(v, info, 2), info[()]


def _kernel(a: Any, driver: Any, lower: bool, eigvals_only: bool) -> tuple[Any, Any]:
    if callable(driver) and library(a) == "numpy" and a.size:  # an algorithm for matrices of a special form
        return cast("tuple[Any, Any]", driver(a, eigvals_only))
    # NumPy's kernel is faster for a batch, but rounds in another way, which single precision shows
    if library(a) == "numpy" and a.size and (a.ndim == 2 or a.dtype.char in "fF"):
        found = host("eigh")(a, lower=lower, driver=driver or "evd", check_finite=False, eigvals_only=eigvals_only)
        return (found, None) if eigvals_only else tuple(found)
    triangle = "L" if lower else "U"
    if eigvals_only:
        return np.linalg.eigvalsh(a, triangle), None
    w, v = np.linalg.eigh(a, triangle)
    return w, v


# -- derivatives


@differentiable("a")
def _attached(a, w, v, gauge, level, vectors, read):
    del gauge, level, vectors, read  # for the rules
    lead = np.broadcast_shapes(a.shape[:-2], w.shape[:-1], v.shape[:-2])
    return np.broadcast_to(w, (*lead, w.shape[-1])), np.broadcast_to(v, (*lead, *v.shape[-2:]))


_attached.batch_leading(a=2, w=1, v=2)


# a v = v w and v^H v = 1, with v' = v z: x = v^H a' v gives w_i' = x_ii and z_ij = x_ij / (w_j - w_i), z_ii = 0 (the phase).
@_attached.jvp
def _(call, t):
    w, v = call.out
    x = mH(v) @ completed(t.a, call.read) @ v
    same = equal_pairs(w, call.gauge)
    if looks(call.gauge, w):
        refuse(x, same & ~is_diagonal(same), frobenius(x), FORWARD)
    w_dot = np.real(np.diagonal(x, axis1=-2, axis2=-1))
    if call.gauge == "check" and varies(call.a) and has_equal(near_pairs(w)):
        if call.vectors:
            raise GaugeError(SECOND)
        w_dot = forward_only(w_dot, SECOND)
    z = reciprocal_gaps(w, same) * x
    if call.vectors and looks(call.gauge, w) and not separate(w):
        warn_of_division("eigh", z, relative_gaps(w, near_pairs(w) & ~same), z)
    return w_dot, v @ z


# z is antihermitian, and so is all of s = v^H v_bar that matters: with k = (s - s^H) / 2, a_bar = v (diag(w_bar) + q) v^H and
# q_ij = k_ij / (w_j - w_i). Among equal eigenvalues k has to be 0.
@_attached.vjp
def _(call, g):
    w, v = call.out
    if is_host(w, v, *(x for x in g if x is not ZERO)) and separate(w):
        return {"a": cotangent(call.gauge, w, v, *g, call.read)}
    return {"a": restricted(_whole_cotangent(call, g), call.read)}


def _whole_cotangent(call: Any, g: Any) -> Any:
    w, v = call.out
    if separate(w):
        return v @ _by_gaps(call, *g) @ mH(v)
    same = equal_pairs(w, call.gauge)
    w_bar, _ = parts(g[0], call.level)
    if call.gauge == "check" and w_bar is not ZERO and varies(w_bar, (Batched, Split)) and has_equal(near_pairs(w)):
        w_bar = forward_only(w_bar, SECOND)
    checked = w if call.gauge == "check" else None
    if g[1] is ZERO:
        return (v * shared(w_bar, same, None, checked)[..., None, :]) @ mH(v)
    v_bar, slope = parts(g[1], call.level)
    k, touched, norm = antihermitian(mH(v) @ v_bar), column_sizes(v_bar), frobenius(v_bar)
    determined = call.level is not None and slope is not None and not varies(call.a)
    if determined and slope is not ZERO:
        touched, norm = touched + column_sizes(slope), norm + spectral_radius(w) * frobenius(slope)
    if call.gauge == "check":
        refuse(k, same, norm, REVERSE)
        if not determined and has_equal(among(touched, indistinct(k, near_pairs(w), same, norm))):
            raise GaugeError(SECOND)
    near, k_slope = near_pairs(w), antihermitian(mH(v) @ slope) if determined else None
    q, divided = quotient(k, k_slope, gaps(w), gaps(offsets(near)), same, near & ~is_diagonal(near), norm)
    if looks(call.gauge, w):
        warn_of_division("eigh", divided, relative_gaps(w, near & ~same), q)
    if w_bar is not ZERO:
        q = q + on_diagonal(shared(w_bar, same, touched, checked))
    return v @ q @ mH(v)


def _by_gaps(call: Any, w_bar: Any, v_bar: Any) -> Any:
    """v^H a_bar v where no two eigenvalues are near, and only phases are open."""
    w, v = call.out
    diagonal = ZERO if w_bar is ZERO else on_diagonal(w_bar)
    if v_bar is ZERO:
        return diagonal
    k = antihermitian(mH(v) @ v_bar)
    alone = is_diagonal(w)
    if call.gauge == "check" and is_complex(v):
        refuse(k, alone, frobenius(v_bar), REVERSE)
    return k / (gaps(w) + np.where(alone, np.inf, 0).astype(w.dtype)) + diagonal


# -- one phase for all machines


def canonical_phase(v: Any) -> Any:
    """Eigenvectors turned so that the first of their largest components is positive."""
    return v * np.conjugate(phases(v))


def phases(v: Any) -> Any:
    """The phase of the first of the largest components of each vector."""
    lead = np.take_along_axis(v, _first_large(v), axis=-2)
    return lead / np.abs(lead)


@constant
def _first_large(v):
    size = np.abs(v)  # components that differ by rounding alone count as equally large
    return np.argmax(size >= 0.99 * largest(v, -2, True), axis=-2)[..., None, :]


_first_large.batch_leading(v=2)


__all__ = ["canonical_phase", "decomposed", "direction", "frame", "phases"]
