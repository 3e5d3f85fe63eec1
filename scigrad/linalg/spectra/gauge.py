"""Equal eigenvalues and free phases: their detection and their treatment in derivatives.

An eigenvector is determined up to a phase (a sign, if real), eigenvectors of equal eigenvalues up to a unitary matrix. A loss
that does not depend on the choice, such as a function of v f(w) v^H, has a derivative; a loss that does has none.

Eigenvalues are equal here if they differ by less than 64 n eps max|w|, the rounding of the algorithm that found them; a
cotangent depends on the choice if a component k_ij = (v_i^H v_bar_j - conj(v_j^H v_bar_i)) / 2 with equal eigenvalues, or the
phase k_ii, exceeds 100 sqrt(eps) (|v_bar| + max|w| |dv_bar/dw|) in the Frobenius norm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, constant, differentiable, namespace_of, raw, shape_of, stop_gradient
from scigrad.autodiff_rules.backends import library

from ..foundation.failures import to_host
from ..foundation.gauge import beyond
from ..foundation.matrices import is_diagonal, largest, mH


def equal_pairs(w: Any, gauge: str) -> Any:
    """(..., n, n): whether eigenvalues i and j are equal; they are sorted, so equality is passed on along chains."""
    return _grouped(w, 0.0 if gauge == "trust" else 64.0 * shape_of(w)[-1] * np.finfo(w.dtype).eps)


def near_pairs(w: Any) -> Any:
    """Equal, or so near to each other that their divided differences lose half of their digits."""
    return _grouped(w, _nearness(w))


def _nearness(w: Any) -> float:
    return max(64 * shape_of(w)[-1] * np.finfo(w.dtype).eps, np.sqrt(np.finfo(w.dtype).eps))


@constant
def _grouped(w, tolerance):
    limit = tolerance * largest(w, -1, True)
    number = np.cumsum(np.concatenate([np.zeros_like(w[..., :1]), 1.0 * ~(w[..., 1:] - w[..., :-1] <= limit)], axis=-1), axis=-1)
    return number[..., :, None] == number[..., None, :]


_grouped.batch_leading(w=1)


def has_equal(same: Any) -> bool:
    """Return whether any two eigenvalues are equal, anywhere in the batch. Synchronizes a device."""
    pairs = to_host(raw(same))
    return pairs.size > 0 and bool(pairs.sum() > pairs.size // pairs.shape[-1])


def separate(w: Any) -> bool:
    """Return whether no two eigenvalues are near, anywhere in the batch, and none of the masks is needed. False where a device
    would have to be synchronized."""
    w = raw(w)
    if library(w) != "numpy":
        return False
    return bool((w[..., 1:] - w[..., :-1] > _nearness(w) * largest(w, -1, True)).all())


@constant
def offsets(same):
    """Different numbers for equal eigenvalues, 0 for single ones."""
    n = same.shape[-1]
    place = np.cumsum(namespace_of(same).ones(n))
    return place - (same * place).sum(axis=-1) / same.sum(axis=-1)


offsets.batch_leading(same=2)


@constant
def adapted(w, v, t, gauge):
    """Eigenvectors that diagonalise a tangent t of the matrix among equal eigenvalues: those to which the eigenvectors of
    a + e t tend as e goes to 0. One eigh does it for all groups: group k is shifted to k, far from the others."""
    same = equal_pairs(w, gauge)
    n = w.shape[-1]
    x = np.where(same, mH(v) @ ((t + mH(t)) / 2) @ v, 0)
    size = largest(x, (-2, -1), True)
    first = np.argmax(same, axis=-1)  # the first member numbers the group
    shifted = x / np.where(size > 0, 4 * n * size, 1) + first[..., None] * namespace_of(x).eye(n)
    rotation = np.linalg.eigh(shifted)[1]
    alone = same.sum(axis=-1)[..., None, :] == 1
    return v @ np.where(alone, namespace_of(x).eye(n), np.where(same, rotation, 0)).astype(v.dtype)


adapted.batch_leading(w=1, v=2, t=2)


def among(touched: Any, same: Any) -> Any:
    """The equal pairs of which a loss looks at one."""
    return (same & (touched > 0)[..., None, :]) | is_diagonal(same)


def reciprocal_gaps(w: Any, same: Any) -> Any:
    """1 / (w_j - w_i), and 0 for equal ones."""
    return inverse(gaps(w), same)


def gaps(w: Any) -> Any:
    """w_j - w_i"""
    return w[..., None, :] - w[..., :, None]


def inverse(x: Any, none: Any) -> Any:
    """1 / x, and 0 at some places."""
    return np.where(none, 0, 1 / np.where(none, 1, x))


@constant
def relative_gaps(w, pairs):
    """|w_j - w_i| / max|w| of some pairs, and infinity elsewhere."""
    size = largest(w, -1, True)[..., None]
    return np.where(pairs, np.abs(w[..., None, :] - w[..., :, None]) / np.where(size > 0, size, 1), np.inf)


relative_gaps.batch_leading(w=1, pairs=2)


def shared(w_bar: Any, same: Any, touched: Any = None, w: Any = None, function: str = "eigh") -> Any:
    """Cotangents of eigenvalues; the mean among equal ones whose eigenvectors the loss does not look at. That changes nothing
    for a symmetric function of them, and is the subgradient of smallest norm for one that splits them, like the smallest.
    Only the value is averaged: the derivative of the cotangent, which second order needs, stays with its eigenvalue. If w is
    given, second derivatives of a loss that splits them are refused."""
    seen = None if touched is None else (same & (touched > 0)[..., None, :]).any(axis=-1)
    if w is not None:
        w_bar = _even(w_bar, w, same if seen is None else same & ~seen[..., None, :], function)
    mean = (same * w_bar[..., None, :]).sum(axis=-1) / same.sum(axis=-1)
    averaged = w_bar + stop_gradient(mean) - stop_gradient(w_bar)
    return averaged if seen is None else np.where(seen, w_bar, averaged)


@differentiable("w_bar", "w")
def _even(w_bar, w, same, function):
    """w_bar, which must not differ among equal eigenvalues w where it has derivatives."""
    del function
    return np.broadcast_to(w_bar, np.broadcast_shapes(w_bar.shape, w.shape, same.shape[:-1]))


_even.batch_leading(w_bar=1, w=1, same=2)


@_even.jvp
def _(call, t):
    _refuse_uneven(call, t.w_bar, t.w)
    return t.w_bar


@_even.vjp
def _(call, g):
    _refuse_uneven(call, ZERO, ZERO)
    return {"w_bar": g, "w": ZERO}


def _refuse_uneven(call: Any, w_bar_dot: Any, w_dot: Any) -> None:
    slopes = (np.zeros_like(x) if dot is ZERO else dot for x, dot in ((call.w_bar, w_bar_dot), (call.w, w_dot)))
    bad = to_host(raw(_uneven(call.w_bar, call.w, *slopes, call.same)))
    if bad.any():
        i, j = (int(k) for k in np.argwhere(bad)[0][-2:])
        raise GaugeError(UNEVEN.format(function=call.function, i=i, j=j))


# w_bar = f'(w) of a symmetric f differs as the rounding of equal eigenvalues makes it differ, f'' times that. How large f'' is,
# the derivatives say where w_bar itself, as at a minimum of f, is nothing but rounding.
@constant
def _uneven(w_bar, w, w_bar_dot, w_dot, same):
    epsilon, radius = np.finfo(w.dtype).eps, largest(w, -1)
    slope, speed = largest(w_bar_dot, -1), largest(w_dot, -1)
    size = largest(w_bar, -1) + radius * (slope / np.where(speed > 0, speed, np.inf))
    apart = np.abs(w[..., None, :] - w[..., :, None]) / np.where(radius > 0, radius, 1)[..., None, None]
    rounding = (64 * w.shape[-1] * epsilon + apart) * size[..., None, None]
    sizes = np.abs(w_bar)
    rounding = np.maximum(rounding, np.sqrt(epsilon) * np.maximum(sizes[..., None, :], sizes[..., :, None]))
    with np.errstate(invalid="ignore"):
        return same & (np.abs(w_bar[..., None, :] - w_bar[..., :, None]) > rounding)


_uneven.batch_leading(w_bar=1, w=1, w_bar_dot=1, w_dot=1, same=2)


@constant
def column_sizes(x):
    return np.abs(x).sum(axis=-2)


@constant
def spectral_radius(w):
    return largest(w, -1)


column_sizes.batch_leading(x=2)
spectral_radius.batch_leading(w=1)


def indistinct(k: Any, near: Any, same: Any, norm: Any) -> Any:
    """Near eigenvalues with k so small that the loss, up to rounding, does not depend on their basis: k / gap^2, which second
    derivatives need, has no digit left there. A loss that does depend on it has large derivatives, and right ones."""
    return same | (near & ~beyond(k, near, norm))


# v diag(x) v^H and diag(v^H a' v) do not show, to a reverse rule, how x would differ as equal eigenvalues separate.
@differentiable("x")
def forward_only(x, text):
    """x, whose derivatives in reverse mode are not determined."""
    del text
    return x


forward_only.jvp(lambda call, t: t.x)
forward_only.batched(lambda call, batched: forward_only(call.x, call.text))


@forward_only.vjp
def _(call, g):
    del g
    raise GaugeError(call.text)


REVERSE = (
    "eigh: the loss depends on {what}, which the matrix does not determine, so it has no derivative here. Write it with "
    "quantities that do not depend on the choice (v f(w) v^H, |v|^2, a projector), fix the phase with canonical=True, or say "
    "what you mean: gauge='project' drops that part of the derivative."
)
FORWARD = (
    "eigh: this derivative depends on {what}: it was asked for in a direction that separates them, after the eigenvectors had "
    "been chosen for another one (linearize, or two directions at once). Use jvp or hvp, which choose them for "
    "one direction, or reverse mode for a gradient."
)
SECOND = (
    "eigh: second derivatives through eigenvectors of equal eigenvalues, or of nearly equal ones (closer than sqrt(eps) max|w|), "
    "are not determined by the first-order rule. The first derivative is available, so are second derivatives of functions of "
    "the eigenvalues alone by forward over reverse mode (hvp, hessian). linalg.funm_herm has all derivatives of v f(w) v^H."
)
UNEVEN = (
    "{function}: a second derivative was asked for of a loss that weighs the equal eigenvalues {i} and {j} differently, as one "
    "of the smallest alone does (singular values are eigenvalues of [[0, a], [a^H, 0]]). As they separate it has one-sided "
    "slopes, of which the gradient is a mean, and no second derivative. Use a symmetric function of the equal ones: their sum or "
    "mean, or a smooth minimum (logsumexp)."
)
