"""Overhead of recording and of the reverse pass: 31 operations on 10 numbers, written with plain NumPy calls."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from .harness import Bar, Run, Subject

X = np.linspace(-1.0, 1.0, 10)


def chain(x: Any, xp: ModuleType) -> Any:
    for _ in range(10):
        x = xp.sin(x) * 1.1 + 0.5
    return xp.sum(x)


def scigrad() -> Run:
    from scigrad import value_and_grad

    f = value_and_grad(lambda x: chain(x, np))
    return lambda: f(X)


def autograd() -> Run:
    import autograd.numpy as anp
    from autograd import value_and_grad

    f = value_and_grad(lambda x: chain(x, anp))
    return lambda: f(X)


def torch() -> Run:
    import torch

    torch.set_num_threads(1)
    start = torch.from_numpy(X)

    def run() -> tuple[Any, Any]:
        x = start.clone().requires_grad_()
        y = chain(x, torch)
        y.backward()
        return y.detach(), x.grad

    return run


def jax() -> Run:
    import jax
    import jax.numpy as jnp

    f, x = jax.value_and_grad(lambda x: chain(x, jnp)), jnp.asarray(X)
    return lambda: jax.block_until_ready(f(x))


def check(results: dict[str, tuple[Any, Any]]) -> None:
    x, slope = X, np.ones_like(X)
    for _ in range(10):
        x, slope = np.sin(x) * 1.1 + 0.5, slope * 1.1 * np.cos(x)
    for name, (value, gradient) in results.items():
        np.testing.assert_allclose(np.asarray(value), x.sum(), rtol=1e-12, err_msg=name)
        np.testing.assert_allclose(np.asarray(gradient), slope, rtol=1e-10, atol=1e-14, err_msg=name)


SUBJECT = Subject(
    title="value and gradient of 31 operations on 10 elements",
    ours="scigrad",
    contenders={"scigrad": scigrad, "autograd": autograd, "torch eager": torch, "jax, not compiled": jax},
    bars=(Bar("autograd", ratio=0.5), Bar("torch eager", ratio=0.6)),
    check=check,
)
