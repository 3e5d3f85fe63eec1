"""The method of conjugate gradients for a batch of systems, by functions that a device has too."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, stop_gradient
from scigrad.numpy.devices import on_host

from .operators import apply_operator


def _inner(u: Any, v: Any) -> Any:
    return (u.conj() * v).sum(axis=-1)


def conjugate_gradients(
    A: Any, M: Any, b: Any, x0: Any, settings: dict[str, Any]
) -> tuple[Any, ...]:
    """Solve by iteration, and return solution, info, iterations and residuals. With a batched b
    every quantity is batched, and an element that has converged does not change any more.
    """
    norm_b = np.sqrt(_inner(b, b).real)
    tolerance = np.maximum(norm_b * settings["rtol"], settings["atol"])
    x, r, residual = b * 0, b, norm_b
    if x0 is not None:
        # a guess that is worse than 0 takes digits from the solution
        of_x0 = b - apply_operator(A, x0)
        worse = np.sqrt(_inner(of_x0, of_x0).real) >= norm_b
        x, r = np.where(worse, x, x0), np.where(worse, r, of_x0)
        residual = np.sqrt(_inner(r, r).real)
    active = ~((residual < tolerance) | (norm_b == 0))
    p, rho, alive, iterations, history = (
        r * 0,
        norm_b * 0 + 1,
        active | True,
        active * 0,
        [residual],
    )
    limit = settings["maxiter"] if settings["maxiter"] is not None else 10 * b.shape[0]
    # what is active has made every iteration
    while np.any(on_host(raw(active & (iterations < limit)))):
        z = r if M is None else stop_gradient(apply_operator(M, r))
        rho, before = _inner(r, z), rho
        p = z + p * (rho / before)
        q = apply_operator(A, p)
        curvature = _inner(p, q)
        alive = alive & ~(active & ((curvature == 0) | ~np.isfinite(abs(curvature))))
        active = active & alive
        step = np.where(active, rho, 0) / np.where(active, curvature, 1)
        rho = np.where(active, rho, 1)
        x, r = x + step * p, r - step * q
        residual = np.sqrt(_inner(r, r).real)
        iterations, active = iterations + active, active & ~(residual < tolerance)
        if settings["return_info"]:
            history.append(residual)
        if settings["callback"]:
            settings["callback"](raw(x))
    # zero iterations count as not converged
    info = np.where(alive, np.where(active, np.maximum(iterations, 1), 0), -1)
    return x, info, iterations, np.stack(history, axis=-1)


__all__ = ["conjugate_gradients"]
