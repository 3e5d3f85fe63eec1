"""The smallest useful system of equations: the overhead of a call that is not differentiated, and
of one that is.
"""

from types import ModuleType
from typing import Any

import numpy as np

from . import THREADS
from .harness import Bar, Run, Subject

A, B = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([9.0, 8.0])  # the solution is 2, 3
BY_B = np.array([0.4, 2.8])  # a^-T of twice the solution


def scigrad() -> Run:
    from scigrad import linalg

    solve = linalg.solve
    return lambda: solve(A, B)


def scipy() -> Run:
    from scipy import linalg

    solve = linalg.solve
    return lambda: solve(A, B)


def numpy() -> Run:
    solve = np.linalg.solve
    return lambda: solve(A, B)


def check(results: dict[str, np.ndarray]) -> None:
    for name, x in results.items():
        np.testing.assert_allclose(x, [2.0, 3.0], rtol=1e-14, err_msg=name)


# -- value and gradient of the sum of the squares of the solution


def loss(xp: ModuleType, a: Any, b: Any) -> Any:
    return xp.sum(xp.linalg.solve(a, b) ** 2)


def scigrad_gradient() -> Run:
    from scigrad import linalg, value_and_grad

    f = value_and_grad(lambda a, b: np.sum(linalg.solve(a, b) ** 2), argnums=(0, 1))
    return lambda: f(A, B)


def autograd_gradient() -> Run:
    import autograd.numpy as anp
    from autograd import value_and_grad

    f = value_and_grad(lambda pair: loss(anp, *pair))
    return lambda: f((A, B))


def torch_gradient() -> Run:
    import torch

    torch.set_num_threads(THREADS)
    fixed = torch.from_numpy(A), torch.from_numpy(B)

    def run() -> tuple[Any, Any]:
        a, b = (x.detach().requires_grad_() for x in fixed)
        value = loss(torch, a, b)
        return value.detach(), torch.autograd.grad(value, (a, b))

    return run


def jax_gradient() -> Run:
    import jax
    import jax.numpy as jnp

    f = jax.jit(jax.value_and_grad(lambda a, b: loss(jnp, a, b), argnums=(0, 1)))
    a, b = jnp.asarray(A), jnp.asarray(B)
    return lambda: jax.block_until_ready(f(a, b))


def by_hand() -> Run:
    def run() -> tuple[Any, Any]:
        x = np.linalg.solve(A, B)
        w = np.linalg.solve(A.T, 2 * x)
        return x @ x, (-w[:, None] * x, w)

    return run


def check_gradient(results: dict[str, Any]) -> None:
    for name, (value, (by_a, by_b)) in results.items():
        np.testing.assert_allclose(np.asarray(value), 13.0, rtol=1e-13, err_msg=name)
        np.testing.assert_allclose(np.asarray(by_b), BY_B, rtol=1e-13, err_msg=name)
        np.testing.assert_allclose(
            np.asarray(by_a), -np.outer(BY_B, [2.0, 3.0]), rtol=1e-13, err_msg=name
        )


SUBJECTS = {
    "plain": Subject(
        title="solve, 2 x 2, nothing traced",
        ours="scigrad",
        contenders={"scigrad": scigrad, "scipy": scipy, "numpy": numpy},
        bars=(Bar("scipy", extra=1e-6), Bar("numpy")),
        check=check,
        information=("numpy",),  # checks less: no warning when the matrix is ill-conditioned
        small=True,
    ),
    "gradient": Subject(
        title="solve, 2 x 2: value and gradient by both of the sum of squares",
        ours="scigrad",
        contenders={
            "scigrad": scigrad_gradient,
            "autograd": autograd_gradient,
            "torch eager": torch_gradient,
            "jax, jitted": jax_gradient,
            "numpy, by hand": by_hand,
        },
        bars=(Bar("torch eager", ratio=0.7),),
        check=check_gradient,
        information=("numpy, by hand",),
        small=True,
    ),
}
