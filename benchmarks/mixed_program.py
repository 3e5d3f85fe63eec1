"""Programs of many different operations on small arrays: a Kalman filter, and the Hessian of a sum
of squares.

The filter runs 20 steps on four states and two sensors, about 700 operations: products of small
matrices, solves, indexing, `maximum`, `stack` and sums, where both operands are traced. Its
gradient is with respect to the model: transition, observation and the logarithms of the noise. All
libraries run the same lines.
"""

from types import ModuleType
from typing import Any

import numpy as np

from . import THREADS
from .harness import Bar, Run, Subject

STEPS = 20
random = np.random.default_rng(0)
TRANSITION = np.kron(np.eye(2), [[1.0, 0.1], [0.0, 1.0]]) + 0.02 * random.standard_normal((4, 4))
OBSERVATION = np.array(
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
) + 0.05 * random.standard_normal((2, 4))
NOISE = np.log([0.1, 0.2, 0.1, 0.2, 0.5, 0.4])  # log noise of the four states and the two sensors
MODEL = TRANSITION, OBSERVATION, NOISE
READINGS = random.standard_normal((STEPS, 2)).cumsum(axis=0)
START, UNCERTAINTY = np.array([0.1, 0.2, -0.1, 0.3]), np.eye(4)
POINT = random.uniform(-1.5, 1.5, 50)


def negative_log_likelihood(xp: Any, model: Any, readings: Any, state: Any, covariance: Any) -> Any:
    """Minus the logarithm of the likelihood of the readings, and the roughness of the path."""
    transition, observation, noise = model
    process, sensors = xp.diag(xp.exp(noise[:4])), xp.diag(xp.exp(noise[4:]))
    total, path = 0.0, []
    for reading in readings:
        state = transition @ state
        covariance = transition @ covariance @ transition.T + process
        innovation = reading - observation @ state
        spread = observation @ covariance @ observation.T + sensors
        gain = xp.linalg.solve(spread, observation @ covariance).T
        state = state + gain @ innovation
        state = xp.maximum(state, 0.2 * state)  # a soft bound from below
        covariance = covariance - gain @ observation @ covariance
        determinant = spread[0, 0] * spread[1, 1] - spread[0, 1] * spread[1, 0]
        total = (
            total + xp.sum(innovation * xp.linalg.solve(spread, innovation)) + xp.log(determinant)
        )
        path.append(state[0] * state[2])
    path = xp.stack(path)
    return total + xp.sum((path[1:] - path[:-1]) ** 2)


def rosenbrock(xp: Any, x: Any) -> Any:
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def _numpy_like(xp: ModuleType, value_and_grad: Any) -> Run:
    f = value_and_grad(
        lambda model: negative_log_likelihood(xp, model, READINGS, START, UNCERTAINTY)
    )
    return lambda: f(MODEL)


# -- value and gradient of the filter


def scigrad() -> Run:
    from scigrad import numpy, value_and_grad

    return _numpy_like(numpy, value_and_grad)


def plain_numpy() -> Run:
    from scigrad import value_and_grad

    return _numpy_like(np, value_and_grad)


def autograd() -> Run:
    import autograd.numpy as anp
    from autograd import value_and_grad

    return _numpy_like(anp, value_and_grad)


def torch() -> Run:
    import torch

    torch.set_num_threads(THREADS)
    model = [torch.from_numpy(x) for x in MODEL]
    readings, state, covariance = (
        list(torch.from_numpy(READINGS)),
        torch.from_numpy(START),
        torch.from_numpy(UNCERTAINTY),
    )

    def run() -> tuple[Any, Any]:
        inputs = [x.detach().requires_grad_() for x in model]
        value = negative_log_likelihood(torch, inputs, readings, state, covariance)
        return value.detach(), torch.autograd.grad(value, inputs)

    return run


def jax() -> Run:
    import jax
    import jax.numpy as jnp

    readings, state, covariance = (jnp.asarray(x) for x in (READINGS, START, UNCERTAINTY))
    f = jax.jit(
        jax.value_and_grad(
            lambda model: negative_log_likelihood(jnp, model, readings, state, covariance)
        )
    )
    model = tuple(jnp.asarray(x) for x in MODEL)
    return lambda: jax.block_until_ready(f(model))


def check_filter(results: dict[str, Any]) -> None:
    """Against differences of the program on plain arrays."""

    def value_at(model: Any) -> float:
        return negative_log_likelihood(np, model, READINGS, START, UNCERTAINTY)

    direction = [np.random.default_rng(1).standard_normal(x.shape) for x in MODEL]
    ahead, behind = (
        value_at([x + t * d for x, d in zip(MODEL, direction, strict=True)]) for t in (1e-5, -1e-5)
    )
    for name, (value, gradient) in results.items():
        slope = sum(np.sum(np.asarray(g) * d) for g, d in zip(gradient, direction, strict=True))
        np.testing.assert_allclose(np.asarray(value), value_at(MODEL), rtol=1e-10, err_msg=name)
        np.testing.assert_allclose(slope, (ahead - behind) / 2e-5, rtol=1e-6, err_msg=name)


# -- the Hessian of Rosenbrock's function


def scigrad_hessian() -> Run:
    from scigrad import hessian

    f = hessian(lambda x: rosenbrock(np, x))
    return lambda: f(POINT)


def autograd_hessian() -> Run:
    import autograd.numpy as anp
    from autograd import hessian

    f = hessian(lambda x: rosenbrock(anp, x))
    return lambda: f(POINT)


def torch_hessian() -> Run:
    import torch

    torch.set_num_threads(THREADS)
    x = torch.from_numpy(POINT)
    return lambda: torch.autograd.functional.hessian(
        lambda x: rosenbrock(torch, x), x, vectorize=True
    )


def torch_func_hessian() -> Run:
    import torch

    f, x = torch.func.hessian(lambda x: rosenbrock(torch, x)), torch.from_numpy(POINT)
    return lambda: f(x)


def jax_hessian() -> Run:
    import jax
    import jax.numpy as jnp

    f, x = jax.jit(jax.hessian(lambda x: rosenbrock(jnp, x))), jnp.asarray(POINT)
    return lambda: jax.block_until_ready(f(x))


def check_hessian(results: dict[str, Any]) -> None:
    from scipy.optimize import rosen_hess

    for name, found in results.items():
        np.testing.assert_allclose(
            np.asarray(found), rosen_hess(POINT), rtol=1e-12, atol=1e-10, err_msg=name
        )


SUBJECTS = {
    "kalman": Subject(
        title="mixed program, a Kalman filter of 20 steps: value and gradient",
        ours="scigrad",
        contenders={
            "scigrad": scigrad,
            "scigrad, through NumPy's names": plain_numpy,
            "autograd": autograd,
            "torch eager": torch,
            "jax, jitted": jax,
        },
        bars=(Bar("torch eager", ratio=0.7), Bar("autograd", ratio=0.5)),
        check=check_filter,
        small=True,
        information=("scigrad, through NumPy's names",),
    ),
    "rosenbrock": Subject(
        title="Hessian of Rosenbrock's function of 50 variables",
        ours="scigrad",
        contenders={
            "scigrad": scigrad_hessian,
            "autograd": autograd_hessian,
            "torch eager": torch_hessian,
            "torch eager, torch.func": torch_func_hessian,
            "jax, jitted": jax_hessian,
        },
        bars=(Bar("torch eager"), Bar("autograd")),
        check=check_hessian,
        small=True,
    ),
}
