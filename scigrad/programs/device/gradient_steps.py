"""Parts of a step of the method of conjugate gradients, each of which is one kernel on a card."""

from typing import Any

import numpy as np

from scigrad.numpy.devices import one_kernel


@one_kernel
def next_direction(z: Any, p: Any, rho: Any, before: Any, active: Any) -> Any:
    """Return the next direction."""
    return z + p * np.where(active, rho, 0) / np.where(active, before, 1)


@one_kernel
def step_length(active: Any, alive: Any, rho: Any, curvature: Any) -> Any:
    """Return which systems go on, which of these have not converged, and the length of a step."""
    alive = alive & ~(active & ((curvature == 0) | ~np.isfinite(np.abs(curvature))))
    active = active & alive
    return alive, active, np.where(active, rho, 0) / np.where(active, curvature, 1)


@one_kernel
def take_step(x: Any, r: Any, step: Any, p: Any, q: Any) -> Any:
    """Return the solution and its remainder after a step."""
    return x + step * p, r - step * q


@one_kernel
def end_step(square: Any, tolerance: Any, iterations: Any, active: Any) -> Any:
    """Return the size of the remainder, the number of steps, and what has not converged."""
    residual = np.sqrt(square.real)
    return residual, iterations + active, active & ~(residual < tolerance)
