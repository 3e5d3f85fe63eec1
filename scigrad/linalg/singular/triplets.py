"""The decomposition behind svd: a = u diag(s) v^H, in bases that are adapted to the derivative. Its rules are in
singular_vectors.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, constant, differentiable, namespace_of
from scigrad.autodiff_rules.boxes import Batched, Recorded, new_level

from ..foundation.gauge import looks, varies
from ..foundation.matrices import largest, mH
from ..spectra.spectrum import direction
from ..spectra.splitting import split
from .singular_values import factored
from .singular_vectors import attached, equal, is_open, is_simple, nearly_equal, steps


def decomposed(a: Any, full: bool, driver: Any, gauge: str, on_fail: str) -> tuple[Any, Any, Any, Any]:
    """Return u, s, v^H and info, in bases that are adapted to the derivative (see spectrum.decomposed)."""
    if not isinstance(a, Traced):
        return _decomposition(a, full, driver, on_fail)
    if type(a) is Batched:
        return _under_vmap(a, full, driver, gauge, on_fail)
    u, s, vh, info = _frame(a, full, driver, on_fail)
    level = near = small = None
    if looks(gauge, a) and not is_simple(s):
        near, small = nearly_equal(s)
        tangent = direction(a)
        if tangent is not None and is_open(*equal(s, gauge)):
            u, vh = _adapted(u, s, vh, tangent, gauge)
        if type(a) is Recorded and not varies(a.value) and is_open(near, small):
            level = new_level()
    u, s, vh = attached(a, u, s, vh, gauge, level)
    return u, s if level is None else split(s, level, steps(s, near, small)), vh, info


@differentiable("a")
def _under_vmap(a, full, driver, gauge, on_fail):
    del gauge
    return _decomposition(a, full, driver, on_fail)


@_under_vmap.batched
def _(call, batched):
    return decomposed(*call[:-2])


def _decomposition(a: Any, full: bool, driver: Any, on_fail: str) -> tuple[Any, Any, Any, Any]:
    u, s, vh, info = factored("svd", a, full, driver, on_fail)
    return u, s, vh, info[()]


@constant
def _frame(a, full, driver, on_fail):
    return _decomposition(a, full, driver, on_fail)


_frame.batch_leading(a=2)


@constant
def _adapted(u, s, vh, t, gauge):
    """Singular vectors to which those of a + e t tend as e goes to 0: eigenvectors of u^H t v among equal singular values,
    singular vectors of what t does between the null spaces. One SVD finds them all, in which the groups are far apart."""
    same, zero = equal(s, gauge)
    k = s.shape[-1]
    u1, v1 = u[..., :k], mH(vh[..., :k, :])
    p = mH(u1) @ t @ v1
    x = np.where(same & ~zero[..., None, :], (p + mH(p)) / 2, 0)
    ur, vr = (np.where(zero[..., None, :], 0, y) for y in (u1, v1))
    rest = t - ur @ (mH(ur) @ t)
    rest = rest - (rest @ vr) @ mH(vr)
    place = np.where(zero, 0, k - np.argmax(same, axis=-1))
    shifted = ur @ (x * _shrinking(x) + place[..., None] * namespace_of(x).eye(k, dtype=x.dtype)) @ mH(vr)
    new_u, _, new_vh = np.linalg.svd(shifted + rest * _shrinking(t), full_matrices=u.shape[-1] > k or vh.shape[-2] > k)
    alone = (same.sum(axis=-1) == 1) & ~zero
    left, right = _padded(alone, zero, u.shape[-1]), _padded(alone, zero, vh.shape[-2])
    return np.where(left[..., None, :], u, new_u).astype(u.dtype), np.where(right[..., None], vh, new_vh).astype(vh.dtype)


def _padded(alone: Any, zero: Any, n: int) -> Any:
    """The vectors that stay: those of single values, and the rest of the space if no value is 0."""
    rest = np.broadcast_to(~zero.any(axis=-1)[..., None], (*alone.shape[:-1], n - alone.shape[-1]))
    return np.concatenate([alone, rest], axis=-1)


_adapted.batch_leading(u=2, s=1, vh=2, t=2)


def _shrinking(x: Any) -> Any:
    """A factor that makes a matrix small against 1 in every norm."""
    size = largest(x, (-2, -1), True)
    return 1 / np.where(size > 0, 4 * sum(x.shape[-2:]) * size, 1)


__all__ = ["decomposed"]
