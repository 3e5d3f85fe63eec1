"""Functions of matrices: value and gradient of expm against the peers, sqrtm and logm against
SciPy.

expm, n = 100 and norm 10: ours takes 5 products of matrices and 4 squarings, the gradient twice as
many, 27 in all. PyTorch takes the exponential of a matrix of twice the order for the gradient (8 x
9 and 9), JAX a system of equations and its adjoint (6 products and 2 squarings, an LU and a solve,
three times); autograd has no rule. With nothing traced, sqrtm and logm are SciPy's own.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from .harness import Bar, Run, Subject

rng = np.random.default_rng(0)
A = rng.standard_normal((100, 100)) / 10
SMALL = rng.standard_normal((1000, 4, 4))
REGULAR = rng.standard_normal((200, 200)) + 2 * np.sqrt(200) * np.eye(200)


def scigrad(a: Any) -> Callable[[], Run]:
    def build() -> Run:
        from scigrad import linalg, value_and_grad

        f = value_and_grad(lambda a: np.sum(np.cos(linalg.expm(a))))
        return lambda: f(a)

    return build


def torch(a: Any) -> Callable[[], Run]:
    def build() -> Run:
        import torch

        torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
        start = torch.from_numpy(a)

        def run() -> tuple[Any, Any]:
            x = start.clone().requires_grad_()
            y = torch.linalg.matrix_exp(x).cos().sum()
            y.backward()
            return y.detach(), x.grad

        return run

    return build


def jax(a: Any) -> Callable[[], Run]:
    def build() -> Run:
        import jax
        import jax.numpy as jnp

        f, x = (
            jax.jit(jax.value_and_grad(lambda a: jnp.sum(jnp.cos(jax.scipy.linalg.expm(a))))),
            jnp.asarray(a),
        )
        return lambda: jax.block_until_ready(f(x))

    return build


def agree(results: dict[str, tuple[Any, Any]]) -> None:
    if "scigrad" not in results:
        return
    value, slope = results["scigrad"]
    for name, (other, gradient) in results.items():
        np.testing.assert_allclose(np.asarray(other), value, rtol=1e-9, err_msg=name)
        np.testing.assert_allclose(
            np.asarray(gradient), slope, rtol=0, atol=1e-9 * np.abs(slope).max(), err_msg=name
        )


def forward(name: str) -> Subject:
    def ours() -> Run:
        from scigrad import linalg

        function = getattr(linalg, name)
        return lambda: function(REGULAR)

    def scipy() -> Run:
        import scipy.linalg

        function = getattr(scipy.linalg, name)
        return lambda: function(REGULAR)

    return Subject(
        title=f"{name}, n = 200, nothing traced",
        ours="scigrad",
        contenders={"scigrad": ours, "scipy": scipy},
        bars=(Bar("scipy", extra=1e-4),),  # the same kernel: what differs is the machine's noise
    )


SUBJECTS = {
    "expm": Subject(
        title="expm, n = 100: value and gradient",
        ours="scigrad",
        contenders={"scigrad": scigrad(A), "torch": torch(A), "jax, jitted": jax(A)},
        bars=(Bar("torch"), Bar("jax, jitted")),
        check=agree,
    ),
    "small_expm": Subject(
        title="1,000 expm of 4 x 4: value and gradient",
        ours="scigrad",
        contenders={"scigrad": scigrad(SMALL), "torch": torch(SMALL)},
        bars=(Bar("torch"),),
        check=agree,
    ),
    "sqrtm": forward("sqrtm"),
    "logm": forward("logm"),
}
