"""Cotangents of elements of one array are added into one array, whatever else is computed from
it.
"""

import numpy as np
import pytest

from scigrad import grad, hessian, jvp, vjp, vmap
from scigrad.numpy import getitem, index_analysis
from scigrad.testing import assert_close

X = np.array([0.3, -0.5, 0.7, 1.1])
Z = X + 1j * X[::-1] ** 2


@pytest.mark.parametrize(
    "take",
    [
        lambda x, i: x[i],
        lambda x, i: x[[i, i]],
        lambda x, i: np.take(x, i),
        lambda x, i: x[i : i + 1],
    ],
)
def test_a_loop_over_elements_makes_one_array_of_zeros(take, monkeypatch):
    made = []
    accumulated = index_analysis.accumulate_at
    monkeypatch.setattr(
        index_analysis, "accumulate_at", lambda x, places: made.append(x) or accumulated(x, places)
    )
    found = grad(lambda x: sum(np.sum(take(x, i) ** 2) for i in range(4)))(X)
    expected = grad(
        lambda x: np.sum(np.concatenate([np.ravel(take(x, i)) for i in range(4)]) ** 2)
    )(X)
    assert_close(found, expected)
    assert_close(found, 2 * X * np.size(take(X, 0)))
    assert len(made) == 2


def every_way(x, y):
    """Elements, slices, repeated positions, the array itself, a row of a view, an element of
    another input.
    """
    square = (x * x).reshape(2, 2)
    return (
        x[0] * y[1]
        + np.sum(x[1:] * x[:-1])
        + np.sum(x[[0, 0, 2]] ** 3)
        + np.sum(np.sin(x))
        + square[1, 0] * square[0, 1]
        + np.sum(np.take(x, [3, 3]) * y)
        + np.sum(x[x > 0.5]) * x[-1]
        + x[..., None][2, 0] * y[0]
    )


def by_differences(f, x, step=1e-6):
    """Return the transposed Jacobian."""
    return np.array([(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(x.size)])


def test_all_uses_of_an_array_together():
    y = np.array([1.5, -2.0])
    gx, gy = grad(every_way, (0, 1))(X, y)
    assert_close(gx, by_differences(lambda x: every_way(x, y), X), rtol=1e-8)
    assert_close(gy, by_differences(lambda y: every_way(X, y), y), rtol=1e-8)
    assert_close(jvp(lambda x: every_way(x, y), (X,), (X,))[1], gx @ X)


def test_second_order_and_batches():
    y = np.array([1.5, -2.0])
    h = hessian(lambda x: every_way(x, y))(X)
    assert_close(h, by_differences(lambda x: grad(every_way)(x, y), X), rtol=1e-7)
    rows = np.stack([X, X + 1])

    def loss(x):
        return np.sum(np.sin(x[0]) * x[1:]) + x[0] * x[3]

    assert_close(vmap(grad(loss))(rows), np.stack([grad(loss)(x) for x in rows]))
    assert_close(
        grad(lambda r: np.sum(vmap(loss)(r)))(rows), np.stack([grad(loss)(x) for x in rows])
    )
    assert_close(
        vmap(lambda i: grad(lambda x: x[i] ** 2 + x[0])(X))(np.array([0, 2])),
        2 * X * np.eye(4)[[0, 2]] + np.eye(4)[0],
    )


def test_complex_elements_and_the_dtype_of_the_array():
    _, pulled = vjp(lambda z: np.stack([z[0] * z[1], z[0].real + 1j * z[3], z[[2, 2]].sum()]), Z)
    g = np.array([1 - 2j, 0.5 + 1j, 2j])
    expected = np.array([g[0] * Z[1].conj() + g[1].real, g[0] * Z[0].conj(), 2 * g[2], -1j * g[1]])
    assert_close(pulled(g)[0], expected)
    assert (
        grad(lambda x: np.float32(2) * x[0] + np.sum(x[1:]))(X.astype(np.float32)).dtype
        == np.float32
    )


def test_the_pullback_may_be_called_again():
    _, pulled = vjp(lambda x: x[0] * x[1] + getitem(x, 0), X)
    first = pulled(1.0)[0]
    assert_close(pulled(1.0)[0], first)
    assert_close(first, np.array([X[1] + 1, X[0], 0, 0]))
