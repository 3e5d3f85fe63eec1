"""A gradient by coefficients and signal through a recursive filter: a long signal against running
the filter once, a short one against JAX, whose compiled loop has no overhead for each call.
"""

from typing import Any

import numpy as np
import scipy.signal

from .harness import Bar, Run, Subject

# order 8: 9 and 9 coefficients, poles well inside the unit circle
B, A = scipy.signal.butter(8, 0.4)
X = np.random.default_rng(0).standard_normal(1_000_000)
G = np.random.default_rng(1).standard_normal(X.size)
SHORT = 2000


def scigrad() -> Run:
    from scigrad import grad, signal

    def loss(b: Any, a: Any, x: Any) -> Any:
        return signal.lfilter(b, a, x) @ G

    f = grad(loss, argnums=(0, 1, 2))
    return lambda: f(B, A, X)


def forward() -> Run:
    return lambda: scipy.signal.lfilter(B, A, X)


def check(results: dict[str, Any]) -> None:
    """Against the filter run backwards in time, which is its adjoint."""
    if "scigrad" not in results:
        return
    by_b, by_a, by_x = results["scigrad"]
    y, w = results["scipy.signal.lfilter, forward"], scipy.signal.lfilter([1.0], A, G[::-1])[::-1]
    lagged = [w[k:] @ np.column_stack([X, y])[: X.size - k] for k in range(9)]
    np.testing.assert_allclose(
        by_x, scipy.signal.lfilter(B, A, G[::-1])[::-1], rtol=1e-6, atol=1e-8
    )
    np.testing.assert_allclose(by_b, [row[0] for row in lagged], rtol=1e-8)
    np.testing.assert_allclose(by_a, [-row[1] for row in lagged], rtol=1e-8)


# -- value and gradient for a short signal


def scigrad_short() -> Run:
    from scigrad import signal, value_and_grad

    f = value_and_grad(lambda b, a, x: signal.lfilter(b, a, x) @ G[:SHORT], argnums=(0, 1, 2))
    return lambda: f(B, A, X[:SHORT])


def jax_lfilter(b: Any, a: Any, x: Any) -> Any:
    """The recursion as a loop, the numerator as a convolution: faster than both in one loop, than
    an associative scan (1.4 ms already at order 4), than blocks of 50 samples, and than the loop
    unrolled.
    """
    import jax
    import jax.numpy as jnp

    def step(past: Any, forcing: Any) -> tuple[Any, Any]:
        y = forcing - past @ a[1:]
        return jnp.concatenate([y[None], past[:-1]]), y

    b, a = b / a[0], a / a[0]
    return jax.lax.scan(step, jnp.zeros(a.size - 1), jnp.convolve(x, b)[: x.size])[1]


def jax_short() -> Run:
    import jax
    import jax.numpy as jnp

    g, arrays = jnp.asarray(G[:SHORT]), tuple(jnp.asarray(v) for v in (B, A, X[:SHORT]))
    f = jax.jit(jax.value_and_grad(lambda b, a, x: jax_lfilter(b, a, x) @ g, argnums=(0, 1, 2)))
    return lambda: jax.block_until_ready(f(*arrays))


def check_short(results: dict[str, Any]) -> None:
    by_x = scipy.signal.lfilter(B, A, G[:SHORT][::-1])[::-1]
    for name, (value, (by_b, by_a, found)) in results.items():
        np.testing.assert_allclose(found, by_x, rtol=1e-6, atol=1e-8, err_msg=name)
        # Twice the numerator doubles the output, twice the denominator halves it.
        np.testing.assert_allclose([by_b @ B, by_a @ A], [value, -value], rtol=1e-8, err_msg=name)


SUBJECTS = {
    "long": Subject(
        title="lfilter, 10^6 samples, order 8: gradient by b, a and x",
        ours="scigrad",
        contenders={"scigrad": scigrad, "scipy.signal.lfilter, forward": forward},
        bars=(Bar("scipy.signal.lfilter, forward", ratio=6.0),),
        check=check,
    ),
    "short": Subject(
        title="lfilter, 2,000 samples, order 8: value and gradient by b, a and x",
        ours="scigrad",
        contenders={"scigrad": scigrad_short, "jax, jitted": jax_short},
        bars=(Bar("jax, jitted", ratio=1.5),),
        check=check_short,
        small=True,
    ),
}
