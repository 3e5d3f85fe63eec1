"""Factors that the caller passes to solve: they fail and warn as those that solve makes itself, and
those of another matrix are refused.
"""

import warnings

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, linalg, value_and_grad, vmap
from scigrad.testing import assert_close

rng = np.random.default_rng(5)
POLICIES = "raise", "nan", "info"


def positive_definite(n):
    a = rng.standard_normal((n, n))
    return a @ a.T + n * np.eye(n)


def outcome(*args, **options):
    """Where a solution is NaN and info, or the type of an error, with the types of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = linalg.solve(*args, **options)
        except ValueError as error:  # LinAlgError is one
            return type(error), []
    x, *info = found if isinstance(found, tuple) else (found,)
    return np.isnan(x).tolist(), [i.tolist() for i in info], [w.category for w in caught]


SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
FAILING = {
    "ill": np.diag([1.0, 1e-20]), "singular": SINGULAR, "NaN": np.full((2, 2), np.nan),
    "batch": np.stack([np.eye(2), SINGULAR]),
}  # fmt: skip


@pytest.mark.parametrize("on_fail", POLICIES)
@pytest.mark.parametrize("name", FAILING)
@pytest.mark.parametrize("assume_a", ["gen", "pos"])
def test_they_fail_and_warn_as_own_ones(assume_a, name, on_fail):
    a, b = FAILING[name], np.ones((2, 1))
    own = {"assume_a": assume_a, "on_fail": on_fail}
    factor = linalg.lu_factor if assume_a == "gen" else linalg.cho_factor
    given = factor(a, check_finite=False, on_fail="nan")
    expected = outcome(a, b, **own)
    assert outcome(a, b, factors=given, **own) == expected
    if name != "ill" or on_fail == "raise":
        assert expected != ([[False], [False]], [], [])
    if on_fail == "nan":
        loss = lambda a: np.nansum(linalg.solve(a, b, factors=given, **own))  # noqa: E731
        assert np.isfinite(grad(loss)(a)).all() or name == "ill"


def changed(a):
    out = a.copy()
    out[-1, -1] *= 1 + 1e-9
    return out


def refused_calls(n):
    a = positive_definite(n)
    rows, columns = np.logspace(0, -30, n)[:, None], np.logspace(-30, 0, n)
    return {
        "shape": (a, linalg.lu_factor(np.eye(n + 1)), {}),
        "batch": (np.stack([a, 2 * a]), linalg.lu_factor(a), {}),
        "lu_factor": (a, linalg.lu_factor(changed(a)), {}),
        "graded rows": (rows * a, linalg.lu_factor(rows * changed(a)), {}),
        "graded columns": (columns * a, linalg.lu_factor(columns * changed(a)), {}),
        "cho_factor": (a, linalg.cho_factor(changed(a)), {}),
        "the other triangle": (np.triu(a), linalg.cho_factor(a, lower=True), {}),
        "singular": (a, (np.zeros((n, n)), np.arange(n)), {}),
        "precision": (a, linalg.lu_factor(a.astype("f")), {}),
        "complex": (a, linalg.lu_factor(1j * a), {}),
        "diagonal": (a, linalg.lu_factor(a), {"assume_a": "diagonal"}),
        "upper": (a, linalg.lu_factor(a), {"assume_a": "upper triangular"}),
        "symmetric": (np.triu(a), linalg.lu_factor(np.triu(a)), {"assume_a": "sym"}),
    }


@pytest.mark.parametrize("n", [2, 5, 70])
def test_factors_of_another_matrix_are_refused(n):
    for name, (a, factors, options) in refused_calls(n).items():
        for on_fail in POLICIES:
            found = outcome(a, np.ones((n, 1)), factors=factors, on_fail=on_fail, **options)
            assert found == (ValueError, []), (name, on_fail)


@pytest.mark.parametrize("lower", [False, True])
def test_they_are_compared_with_the_part_that_is_read(lower):
    a, b = positive_definite(4), np.ones(4)
    half = np.tril(a) if lower else np.triu(a)

    def loss(a, **options):
        return np.sum(linalg.solve(a, b, assume_a="pos", lower=lower, **options) ** 2)

    found = value_and_grad(loss)(half, factors=linalg.cho_factor(half, lower))
    assert_close(found, value_and_grad(loss)(half), 1e-11)


@pytest.mark.parametrize("factors", [
    (1, 2), 3, "ab", (), scipy.linalg.lu(np.eye(2)), scipy.linalg.qr(np.eye(2)),
    linalg.ldl_factor(np.eye(2)), linalg.lu_factor(np.eye(2), on_fail="info"),
    (np.eye(2), np.array([0, 2])), (np.eye(2), np.array([0.0, 1.0])), (np.ones(2), 1),
])  # fmt: skip
def test_what_is_no_result_of_a_factorization_is_refused(factors):
    with pytest.raises(ValueError, match=r"^solve: 'factors' must be the pair that lu_factor"):
        linalg.solve(np.eye(2), np.ones(2), factors=factors)


@pytest.mark.parametrize("kind", "dDfF")
@pytest.mark.parametrize("n", [1, 3, 64, 100])
def test_those_of_hard_matrices_are_recognized(n, kind):
    normal = rng.standard_normal((n, n))
    growing = np.eye(n) - np.tril(np.ones((n, n)), -1)
    growing[:, -1] = 1
    scales = np.exp(5 * rng.standard_normal((n, 1)))
    matrices = [normal * scales, normal * scales.T, scipy.linalg.hilbert(n), growing,
                np.ones((n, n)), np.zeros((n, n)), normal * 1e30, normal * 1e-30]  # fmt: skip
    for a in matrices:
        a = (a.astype(kind) * (1 + 1j if kind in "DF" else 1)).astype(kind)
        factors = linalg.lu_factor(a, on_fail="nan")
        linalg.solve(a, np.ones(n, kind), factors=factors, on_fail="nan")


def test_those_of_a_batch_under_vmap():
    a, b = np.stack([positive_definite(3) for _ in range(4)]), rng.standard_normal((4, 3))
    for factor in (linalg.lu_factor, linalg.cho_factor):
        found = vmap(lambda a, b, factor=factor: linalg.solve(a, b, factors=factor(a)))(a, b)
        assert_close(found, np.linalg.solve(a, b[..., None])[..., 0], 1e-12)


def test_the_caller_may_fill_them_again():
    a, b = positive_definite(3), np.ones(3)
    factors = linalg.lu_factor(a)
    expected = grad(lambda a: np.sum(linalg.solve(a, b)))(a)

    def loss(a):
        x = linalg.solve(a, b, factors=factors)
        for array in factors:
            array[...] = 1
        return np.sum(x)

    assert_close(grad(loss)(a), expected, 1e-12)
