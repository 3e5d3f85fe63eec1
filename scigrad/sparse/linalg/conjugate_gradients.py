"""The method of conjugate gradients for a batch of systems, by functions that a device has too.

Each part of a step is one kernel on a card.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, stop_gradient
from scigrad.numpy.devices import on_host, one_kernel

from .operators import apply_operator


def _inner(u: Any, v: Any) -> Any:
    return (u.conj() * v).sum(-1)


def _size(u: Any) -> Any:
    return np.sqrt(_inner(u, u).real)


@one_kernel
def _next_direction(z: Any, p: Any, rho: Any, before: Any, active: Any) -> Any:
    """Return the next direction."""
    return z + p * np.where(active, rho, 0) / np.where(active, before, 1)


@one_kernel
def _step_length(active: Any, alive: Any, rho: Any, curvature: Any) -> Any:
    """Return which systems go on, which of these have not converged, and the length of a step."""
    alive = alive & ~(active & ((curvature == 0) | ~np.isfinite(np.abs(curvature))))
    active = active & alive
    return alive, active, np.where(active, rho, 0) / np.where(active, curvature, 1)


@one_kernel
def _take_step(x: Any, r: Any, step: Any, p: Any, q: Any) -> Any:
    """Return the solution and its remainder after a step."""
    return x + step * p, r - step * q


@one_kernel
def _end_step(square: Any, tolerance: Any, iterations: Any, active: Any) -> Any:
    """Return the size of the remainder, the number of steps, and what has not converged."""
    residual = np.sqrt(square.real)
    return residual, iterations + active, active & ~(residual < tolerance)


def conjugate_gradients(
    A: Any, M: Any, b: Any, x0: Any, settings: dict[str, Any]
) -> tuple[Any, ...]:
    """Solve by iteration, and return solution, info, iterations and residuals. With a batched b
    every quantity is batched, and an element that has converged does not change any more.
    """
    norm_b = _size(b)
    tolerance = np.maximum(norm_b * settings["rtol"], settings["atol"])
    x, r, residual = b * 0, b, norm_b
    if x0 is not None:
        # a guess that is worse than 0 takes digits from the solution
        of_x0 = b - apply_operator(A, x0)
        worse = _size(of_x0) >= norm_b
        x, r = np.where(worse, x, x0), np.where(worse, r, of_x0)
        residual = _size(r)
    active = ~((residual < tolerance) | (norm_b == 0))
    p, rho, alive, iterations = r * 0, norm_b + 1, active | True, active * 0
    history = [residual]
    limit = settings["maxiter"] if settings["maxiter"] is not None else 10 * b.shape[0]
    is_seen = settings["return_info"] or settings["callback"] or type(raw(b)) is np.ndarray
    # a device makes so many steps before the host looks whether all have converged
    between = 1 if is_seen else 8
    for done in range(limit):
        if done % between == 0 and not np.any(on_host(raw(active))):
            break
        z = r if M is None else stop_gradient(apply_operator(M, r))
        rho, before = _inner(r, z), rho
        p = _next_direction(z, p, rho, before, active)
        q = apply_operator(A, p)
        alive, active, step = _step_length(active, alive, rho, _inner(p, q))
        x, r = _take_step(x, r, step, p, q)
        residual, iterations, active = _end_step(_inner(r, r), tolerance, iterations, active)
        if settings["return_info"]:
            history.append(residual)
        if settings["callback"]:
            settings["callback"](raw(x))
    # zero iterations count as not converged
    info = np.where(alive, np.where(active, np.maximum(iterations, 1), 0), -1)
    return x, info, iterations, np.stack(history, -1)


__all__ = ["conjugate_gradients"]
