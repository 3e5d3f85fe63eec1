"""Pairs of general matrices, a v = b v w: their eigenvalues alpha / beta, infinite ones among them, and derivatives.

With a rotation of the pair, b~ = p b + q a and a~ = p a - r b (p^2 + q r = 1), c = b~^-1 a~ has the same eigenvectors and the
eigenvalues nu = (p alpha - r beta) / (p beta + q alpha). Unless b is nearly singular there is no need to rotate: c = b^-1 a.
Eigenvalues and vectors come from LAPACK's QZ iteration on (a, b); c gives them their derivatives (eigensystem.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, constant, raw
from scigrad.autodiff_rules.backends import library

from ..foundation.factors import factorize
from ..foundation.matrices import largest
from ..systems.solve import linear_solve
from .eigensystem import attached
from .frames import each, frame, free, left_vectors

_ANGLES = 8  # rotations tried
_FAR_FROM_INFINITY = 1e-3


def pencil(a: Any, b: Any, homogeneous: bool, gauge: str, on_fail: str, left: bool, right: bool) -> tuple[Any, Any, Any, Any]:
    """Return w or (alpha, beta), left and right eigenvectors if requested, and info."""
    if library(raw(a)) != "numpy":
        return _on_device(a, b, homogeneous, gauge, on_fail, left, right)
    traced = isinstance(a, Traced) or isinstance(b, Traced)
    alpha, beta, u, v, info = _frame(a, b, left, left or right or traced, on_fail)
    if not traced:
        return np.stack([alpha, beta], axis=-2) if homogeneous else _quotient(alpha, beta), u, v, info
    p, q, r = _rotation(a, b, alpha, beta)
    rotated = bool(raw(q).any())
    top, bottom = _mixed(a, b, p, -r), _mixed(b, a, p, q)
    factors = factorize("eig", raw(bottom), "general", False, "nan", check_condition=False)
    c = linear_solve(bottom, top, factors=factors)
    scale = p[..., None] * beta + q[..., None] * alpha
    nu, v = attached(c, (p[..., None] * alpha - r[..., None] * beta) / scale, v, "eig", gauge, left or right)
    if left:
        u = left_vectors(v, u, lambda y: linear_solve(bottom, y, factors=factors, adjoint=True))
    alpha_of = p[..., None] * nu + r[..., None] if rotated else nu
    beta_of = p[..., None] - q[..., None] * nu if rotated else np.ones_like(nu)
    if homogeneous:
        return free(np.stack([alpha_of * scale, beta_of * scale], axis=-2), gauge, False), u, v, info
    return (_quotient(alpha_of, beta_of, beta == 0) if rotated else nu), u, v, info


def _mixed(x: Any, y: Any, p: Any, q: Any) -> Any:
    if not raw(q).any():
        return x
    return p[..., None, None] * x + q[..., None, None] * y


def _quotient(alpha: Any, beta: Any, infinite: Any = None) -> Any:
    """alpha / beta, with SciPy's infinity where beta is 0."""
    infinite = beta == 0 if infinite is None else infinite
    w = alpha / np.where(infinite, 1, beta)
    return np.where(infinite, np.where(alpha == 0, np.nan, np.inf), w).astype(w.dtype)


@constant
def _frame(a, b, left, vectors, on_fail):
    w, u, v, info = each(a, b, left, vectors, on_fail)
    return w[..., 0, :], w[..., 1, :], u, v, info


@constant
def _rotation(a, b, alpha, beta):
    """p, q, r: no rotation where all eigenvalues are far from infinity, else the one that keeps them farthest from it."""
    size_a, size_b = largest(a, (-2, -1)), largest(b, (-2, -1))
    both = (size_a > 0) & (size_b > 0)
    ratio = np.where(both, size_b / np.where(both, size_a, 1), 1)
    angles = np.pi * np.arange(_ANGLES) / _ANGLES
    x, y = alpha * ratio[..., None], beta
    sizes = np.hypot(np.abs(x), np.abs(y))
    turned = np.abs(y[..., None, :] * np.cos(angles)[:, None] + x[..., None, :] * np.sin(angles)[:, None])
    closest = (turned / np.where(sizes > 0, sizes, 1)[..., None, :]).min(axis=-1, initial=1)
    best = np.where(closest[..., 0] > _FAR_FROM_INFINITY, 0, closest.argmax(axis=-1))
    s = np.sin(angles)[best]
    kind = np.real(alpha).dtype
    return np.cos(angles)[best].astype(kind), (s * ratio).astype(kind), (s / ratio).astype(kind)


_frame.batch_leading(a=2, b=2)
_rotation.batch_leading(a=2, b=2, alpha=1, beta=1)


def _on_device(a: Any, b: Any, homogeneous: bool, gauge: str, on_fail: str, left: bool, right: bool) -> tuple[Any, ...]:
    """No library has the QZ iteration on a device: b^-1 a, which needs a regular b."""
    factors = factorize("eig", raw(b), "general", False, on_fail)
    c = linear_solve(b, a, factors=factors)
    w, _, v, info = frame(c, False, left or right or isinstance(c, Traced), on_fail)
    if v is not None:
        w, v = attached(c, w, v, "eig", gauge, left or right)
    u = left_vectors(v, None, lambda y: linear_solve(b, y, factors=factors, adjoint=True)) if left else None
    return np.stack([w, np.ones_like(w)], axis=-2) if homogeneous else w, u, v, info


__all__ = ["pencil"]
