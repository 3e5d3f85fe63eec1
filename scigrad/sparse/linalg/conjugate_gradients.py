"""The conjugate gradient iteration, for a batch of right-hand sides at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, stop_gradient
from scigrad.numpy.devices import on_host

from .operators import applied


def _inner(u: Any, v: Any) -> Any:
    return (u.conj() * v).sum(axis=-1)


def conjugate_gradients(A: Any, M: Any, b: Any, x0: Any, settings: dict[str, Any]) -> tuple[Any, ...]:
    """Iterate; return solution, info, iterations and residuals. With a batched b every quantity is batched, and an element that
    has converged does not change any more.
    """
    norm_b = np.sqrt(_inner(b, b).real)
    tolerance = np.maximum(norm_b * settings["rtol"], settings["atol"])
    x = b * 0 if x0 is None else np.where(norm_b == 0, b * 0, x0)
    r = b - applied(A, x) if x0 is not None else b
    residual = np.sqrt(_inner(r, r).real)
    active = ~((residual < tolerance) | (norm_b == 0))
    p, rho, alive, iterations, history = r * 0, norm_b * 0 + 1, active | True, active * 0, [residual]
    limit = settings["maxiter"] if settings["maxiter"] is not None else 10 * b.shape[0]
    while len(history) <= limit and np.any(on_host(raw(active))):
        z = r if M is None else stop_gradient(applied(M, r))
        rho, before = _inner(r, z), rho
        p = z + p * (rho / before)
        q = applied(A, p)
        curvature = _inner(p, q)
        alive = alive & ~(active & ((curvature == 0) | ~np.isfinite(abs(curvature))))
        active = active & alive
        step = np.where(active, rho, 0) / np.where(active, curvature, 1)
        rho = np.where(active, rho, 1)
        x, r = x + step * p, r - step * q
        residual = np.sqrt(_inner(r, r).real)
        iterations, active = iterations + active, active & ~(residual < tolerance)
        history.append(residual)
        if settings["callback"]:
            settings["callback"](raw(x))
    info = np.where(alive, np.where(active, np.maximum(iterations, 1), 0), -1)  # without an iteration: not converged either
    return x, info, iterations, np.stack(history, axis=-1)


__all__ = ["conjugate_gradients"]
