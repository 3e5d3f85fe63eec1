"""Cholesky factors that are large enough for the blocked reverse sweep, which the laws' small
matrices never reach.
"""

import numpy as np
import pytest

from scigrad import grad, hvp, jvp, linalg, vjp, vmap
from scigrad.linalg.systems.cholesky import BLOCK, WORTH_A_SWEEP

rng = np.random.default_rng(5)
ORDERS = (WORTH_A_SWEEP + 1, BLOCK, BLOCK + 1, 2 * BLOCK + 3)


def normal(*shape: int, dtype: str = "d"):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype in "FD" else x).astype(dtype)


def definite(n: int, dtype: str = "d"):
    x = normal(n, n, dtype=dtype)
    return (x @ x.conj().T / n + np.eye(n)).astype(dtype)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("dtype", "dDfF")
@pytest.mark.parametrize("n", ORDERS)
def test_the_sweep_is_the_adjoint_of_forward_mode(n, dtype, lower):
    a, t, g = definite(n, dtype), normal(n, n, dtype=dtype), normal(n, n, dtype=dtype)
    _, tangent = jvp(lambda a: linalg.cholesky(a, lower=lower), (a,), (t,))
    _, pullback = vjp(lambda a: linalg.cholesky(a, lower=lower), a)
    (cotangent,) = pullback(g)
    assert cotangent.dtype == a.dtype
    assert not np.any(np.triu(cotangent, 1) if lower else np.tril(cotangent, -1))
    left, right = np.sum(g.conj() * tangent).real, np.sum(cotangent.conj() * t).real
    scale = np.linalg.norm(g) * np.linalg.norm(tangent)
    assert abs(left - right) < 50 * np.finfo(dtype).eps * scale


def test_second_order_and_batches_at_that_size():
    n = ORDERS[0]
    a, t, g = definite(n), normal(n, n), normal(n, n)
    loss = lambda a: np.sum(np.sin(g * linalg.cholesky(a, lower=True)))  # noqa: E731
    step = 1e-5
    difference = (grad(loss)(a + step * t) - grad(loss)(a - step * t)) / (2 * step)
    _, product = hvp(loss, (a,), (t,))
    np.testing.assert_allclose(product, difference, rtol=0, atol=1e-7 * np.abs(product).max())
    batch = np.stack([a, 2 * a])
    np.testing.assert_allclose(
        vmap(grad(loss))(batch),
        np.stack([grad(loss)(a), grad(loss)(2 * a)]),
        rtol=1e-11,
        atol=1e-13,
    )


@pytest.mark.parametrize("k", [-500, 500])
def test_the_sweep_scales_exactly(k):
    a, g = definite(2 * BLOCK), normal(2 * BLOCK, 2 * BLOCK)
    gradient = grad(lambda a: np.sum(g * linalg.cholesky(a, lower=True)))
    scaled = gradient(np.ldexp(a, k))
    assert np.array_equal(scaled, np.ldexp(gradient(a), -k // 2))
