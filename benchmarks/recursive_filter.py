"""A gradient by coefficients and signal through a recursive filter, against running the filter once."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from .harness import Bar, Run, Subject

B, A = scipy.signal.butter(8, 0.4)  # order 8: 9 and 9 coefficients, poles well inside the unit circle
X = np.random.default_rng(0).standard_normal(1_000_000)
G = np.random.default_rng(1).standard_normal(X.size)


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
    np.testing.assert_allclose(by_x, scipy.signal.lfilter(B, A, G[::-1])[::-1], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(by_b, [row[0] for row in lagged], rtol=1e-8)
    np.testing.assert_allclose(by_a, [-row[1] for row in lagged], rtol=1e-8)


SUBJECT = Subject(
    title="lfilter, 10^6 samples, order 8: gradient by b, a and x",
    ours="scigrad",
    contenders={"scigrad": scigrad, "scipy.signal.lfilter, forward": forward},
    bars=(Bar("scipy.signal.lfilter, forward", ratio=6.0),),
    check=check,
)
