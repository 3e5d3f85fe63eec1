"""Derivatives of det at matrices of every rank, against the exact expansion in integers, orders 1
to 3, all mixes of modes.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from scigrad import grad, jvp, linalg, value_and_grad, vmap
from scigrad.testing import assert_close


def permutations_with_signs(n):
    for p in itertools.permutations(range(n)):
        inversions = sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n))
        yield p, (-1) ** inversions


def polarized(a, *directions):
    """The mixed derivative of det at a along the directions: the sum over permutations p, and over
    ways to give each direction a row of its own, of sign(p) times entries (i, p(i)) of a or of the
    direction that got the row. Exact in integers.
    """
    n, total = len(a), 0
    for p, sign in permutations_with_signs(n):
        for rows in itertools.permutations(range(n), len(directions)):
            term = sign
            for i in range(n):
                source = directions[rows.index(i)] if i in rows else a
                term *= source[i][p[i]]
            total += term
    return total


def along(f, t):
    return lambda x: jvp(f, (x,), (t,))[1]


def against(f, t):
    return lambda x: np.sum(grad(f)(x) * t)


CASES = [(n, rank) for n in (2, 3, 4) for rank in range(n + 1)]


@pytest.fixture(params=CASES, ids=lambda case: f"n{case[0]}-rank{case[1]}")
def integers(request):
    n, rank = request.param
    rng = np.random.default_rng(100 * n + rank)
    a = rng.integers(-3, 4, (n, rank)) @ rng.integers(-3, 4, (rank, n))
    return a, [rng.integers(-3, 4, (n, n)) for _ in range(3)]


@pytest.mark.parametrize(
    "modes",
    [m for k in (1, 2, 3) for m in itertools.product((along, against), repeat=k)],
    ids=lambda modes: "".join("f" if m is along else "r" for m in modes),
)
def test_derivatives_at_any_rank_are_exact(integers, modes):
    a, directions = integers
    f = linalg.det
    for mode, t in zip(modes, directions, strict=False):
        f = mode(f, t.astype(float))
    scale = max(1.0, *(float(np.abs(x).max()) for x in (a, *directions))) ** len(a) * 24
    expected = polarized(a.tolist(), *(t.tolist() for t in directions[: len(modes)]))
    assert abs(f(a.astype(float)) - expected) <= 1e-12 * scale


def test_ranks_differ_within_a_batch():
    batch = np.stack(
        [np.diag([1.0, 2, 3]), np.diag([1.0, 2, 0]), np.diag([0, 5.0, 0]), np.zeros((3, 3))]
    )
    t = np.arange(9.0).reshape(3, 3)
    third = along(along(grad(linalg.det), t), t.T)
    assert_close(vmap(third)(batch), np.stack([third(a) for a in batch]), 1e-12)


def test_graded_singular_values():
    """The Hilbert matrix of order 5: singular values from 1.6 to 3.3e-6, where products of inverses
    would cancel.
    """
    exact = [[Fraction(1, i + j + 1) for j in range(5)] for i in range(5)]
    t = np.eye(5, dtype=int)[::-1]
    found = np.array(exact, float), t.astype(float)
    for order, f in enumerate(
        (linalg.det, along(linalg.det, found[1]), along(along(linalg.det, found[1]), found[1]))
    ):
        expected = float(polarized(exact, *[t.tolist()] * order))
        assert abs(f(found[0]) - expected) <= 1e-9 * abs(expected)


def test_underflow_of_the_value_does_not_reach_the_gradient():
    a = 1e-160 * np.array([[2.0, 1.0], [1.0, 3.0]])
    assert linalg.det(a) == 0 or linalg.det(a) < 1e-300
    assert_close(grad(linalg.det)(a), 1e-160 * np.array([[3.0, -1.0], [-1.0, 2.0]]), 1e-14)


def test_single_precision_is_answered_in_double_as_scipy_does_and_stays_single_for_numpy():
    # SciPy 1.18 eliminates in single precision: 1e30 squared is infinite
    a = 1e15 * np.eye(2, dtype=np.float32)
    assert linalg.det(a) == pytest.approx(1e30, rel=1e-6)
    value, gradient = value_and_grad(linalg.det)(a)
    assert value.dtype == np.float64
    assert gradient.dtype == np.float32
    assert_close(gradient, a, 1e-6)
    assert value_and_grad(np.linalg.det)(np.eye(2, dtype=np.float32))[0].dtype == np.float32


def test_no_logarithm_of_a_singular_matrix():
    with pytest.raises(np.linalg.LinAlgError, match=r"slogdet.*Use det"):
        grad(lambda a: linalg.slogdet(a)[1])(np.zeros((2, 2)))
