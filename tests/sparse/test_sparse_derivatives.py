"""sparsity, coloring, jacobian and hessian: the values are the dense ones, and the passes as many
as the colors.
"""

import numpy as np
import pytest
import scipy.sparse

import scigrad
from scigrad import grad, sparse, vmap
from scigrad.sparse import derivatives
from scigrad.testing import assert_close

DRAW = np.random.default_rng(4)
N = 21


def banded(x):
    return x[1:-1] * np.sin(x[:-2]) + x[2:] ** 2


def scattered(x):
    return np.concatenate([x[5:9] * x[0], np.array([1.0, 2.0]) * x[3], x[::4] ** 3])


def wide(x):
    return np.stack([np.sum(x[:10] ** 2), np.prod(x[10:])])


@pytest.mark.parametrize("f", [banded, scattered, wide, lambda x: np.cumsum(x) ** 2])
def test_pattern_and_values_are_those_of_the_dense_jacobian(f):
    x = DRAW.uniform(0.5, 1.5, N)
    dense = scigrad.jacobian(f)(x)
    pattern = sparse.sparsity(f, x)
    assert pattern.toarray().tolist() == (dense != 0).tolist()
    found = sparse.jacobian(f, pattern)(x)
    assert found.format == "csr"
    assert_close(found.toarray(), dense, rtol=1e-13)


def test_hessians_and_derivatives_of_them():
    def f(x):
        return np.sum((x[1:] - x[:-1] ** 2) ** 2) + x[0] * x[-1]

    x = DRAW.uniform(0.5, 1.5, N)
    pattern = sparse.sparsity(grad(f), x)
    of = sparse.hessian(f, pattern)
    assert_close(of(x).toarray(), scigrad.hessian(f)(x), rtol=1e-12)
    assert_close(
        grad(lambda x: of(x).power(2).sum())(x),
        grad(lambda x: np.sum(scigrad.hessian(f)(x) ** 2))(x),
        rtol=1e-11,
    )


@pytest.mark.parametrize(("f", "passes"), [(banded, 3), (wide, 1)])
def test_the_passes_are_as_many_as_the_colors_in_the_better_mode(f, passes, monkeypatch):
    x, seen = DRAW.uniform(0.5, 1.5, N), []
    pattern = sparse.sparsity(f, x)
    monkeypatch.setattr(
        derivatives, "vmap", lambda push: lambda seeds: seen.append(len(seeds)) or vmap(push)(seeds)
    )
    sparse.jacobian(f, pattern)(x)
    sparse.jacobian(f, pattern, check=False)(x)
    assert seen == [passes + 1, passes]


def test_columns_of_a_color_share_no_row():
    a = scipy.sparse.random_array((60, 80), density=0.03, rng=DRAW, format="csr")
    colors = sparse.coloring(a)
    for color in range(colors.max() + 1):
        assert (a[:, colors == color] != 0).sum(axis=1).max() <= 1
    assert sparse.coloring(np.eye(3)).tolist() == [0, 0, 0]


def quadratic(pattern):
    """A function with this Hessian pattern, and no constant entries."""
    rows, cols = pattern.nonzero()
    weights = np.random.default_rng(1).normal(size=rows.size)
    return lambda x: np.sum(weights * x[rows] * x[cols] ** 2)


@pytest.mark.parametrize("density", [0.03, 0.1, 0.4])
def test_values_are_read_from_the_colors_of_a_star_coloring(density):
    for _ in range(4):
        a = scipy.sparse.random_array((25, 25), density=density, rng=DRAW, format="csr")
        pattern, f, x = scipy.sparse.csr_array(a + a.T), quadratic(a), DRAW.normal(size=25)
        dense = scigrad.hessian(f)(x)
        colors = sparse.coloring(pattern, star=True)
        for i, j in zip(*np.triu(pattern.toarray(), 1).nonzero(), strict=True):
            assert colors[i] != colors[j]
        full = scipy.sparse.csr_array(pattern + scipy.sparse.eye_array(25))
        assert_close(sparse.hessian(f, full)(x).toarray(), dense, rtol=1e-12)
        assert_close(
            sparse.hessian(f, scipy.sparse.triu(full))(x).toarray(), np.triu(dense), rtol=1e-12
        )


def test_the_hessian_of_an_arrow_takes_two_passes(monkeypatch):
    n, seen = 300, []
    arrow = scipy.sparse.lil_array((n, n))
    arrow[-1], arrow[:, -1] = 1, 1
    arrow.setdiag(1)
    x = DRAW.normal(size=n)

    def f(x):
        return np.sum(x[:-1] ** 3) + np.sin(x[-1]) * np.sum(x[:-1])

    monkeypatch.setattr(
        derivatives, "vmap", lambda push: lambda seeds: seen.append(len(seeds)) or vmap(push)(seeds)
    )
    found = sparse.hessian(f, arrow)(x)
    assert seen == [3]  # one of them is checked
    assert sparse.coloring(arrow).max() == n - 1
    expected = np.diag(np.append(6 * x[:-1], -np.sin(x[-1]) * x[:-1].sum()))
    expected[-1, :-1] = expected[:-1, -1] = np.cos(x[-1])
    assert_close(found.toarray(), expected, rtol=1e-12)


def test_a_long_vector_takes_few_passes_to_find_the_pattern():
    n, calls = 4000, []

    def f(x):
        calls.append(x.shape)
        return x[1:] * x[:-1]

    pattern = sparse.sparsity(f, DRAW.uniform(0.5, 1.5, n))
    assert pattern.nnz == 2 * (n - 1)
    assert len(calls) == 1


def test_an_entry_that_is_not_in_the_pattern_is_refused():
    def upwind(u):
        return np.where(u > 0, u - np.roll(u, 1), np.roll(u, -1) - u)

    u = np.arange(1.0, 7.0)
    right, left = sparse.sparsity(upwind, u), sparse.sparsity(upwind, -u)
    of = sparse.jacobian(upwind, right)
    for call in (
        lambda u: of(u),
        lambda u: vmap(lambda u: of(u).data)(np.stack([-u, u])),
        lambda u: grad(lambda u: of(u).sum())(u),
    ):
        with pytest.raises(ValueError, match="is not in the pattern"):
            call(-u)
    with pytest.raises(ValueError, match="is not in the pattern"):
        sparse.hessian(lambda u: np.sum(u[1:] ** 2 * u[:-1]), np.eye(6))(u)
    assert_close(sparse.jacobian(upwind, left + right)(-u).toarray(), scigrad.jacobian(upwind)(-u))
    assert sparse.jacobian(upwind, right, check=False)(-u).nnz == right.nnz
    assert np.isnan(sparse.jacobian(lambda u: u * np.nan, np.eye(6))(u).data).all()


def test_jacobians_of_what_is_complex_or_has_another_shape_are_refused():
    x, square, row = np.arange(1.0, 4.0), np.ones((3, 3)), np.ones((1, 3))
    for f, pattern, point in (
        (lambda x: np.exp(1j * x), square, x),
        (lambda x: np.sum(np.exp(1j * x))[None], row, x),
        (lambda x: x**2, square, x + 0j),
        (lambda x: abs(x) ** 2, square, x + 0j),
        (lambda x: x**2, np.ones((4, 3)), x),
        (lambda x: x**2, np.ones((3, 4)), x),
        (np.sum, row, x),
        (lambda x: x[:, None], square, x),
        (lambda x: (x, x), square, x),
        (lambda x: x**2, np.ones(3), x),
    ):
        with pytest.raises(ValueError, match="is not that of a real vector's real function"):
            sparse.jacobian(f, pattern)(point)
    assert_close(
        sparse.jacobian(lambda x: x**2, np.eye(3))([1.0, 2.0, 3.0]).toarray(),
        np.diag([2.0, 4.0, 6.0]),
    )
