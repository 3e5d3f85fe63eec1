"""What solve_continuous_are and solve_discrete_are return solves the equation and stabilizes the
closed loop; otherwise they raise, or mark it.
"""

import warnings

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, linalg
from scigrad.testing import make_array
from scigrad.testing.arrays import to_host

FUNCTIONS = linalg.solve_continuous_are, linalg.solve_discrete_are
LinAlgError = np.linalg.LinAlgError


def problem(seed, given="", reached=True, is_complex=False):
    """Random a, b, q, r, and e and s where given; without `reached`, the input does not reach an
    unstable mode.
    """
    rng = np.random.default_rng(seed)

    def normal(*shape):
        x = rng.standard_normal(shape)
        return x + 1j * rng.standard_normal(shape) if is_complex else x

    n, k = int(rng.integers(1 if reached else 2, 7)), int(rng.integers(1, 3))
    a, b, c, d = normal(n, n), normal(n, k), normal(n, n), normal(k, k)
    if not reached:
        t = normal(n, n)
        a[-1], b[-1] = 0, 0
        a[-1, -1] = 1.5
        a, b = t @ a @ np.linalg.inv(t), t @ b
    arrays = [a, b, c.conj().T @ c, d.conj().T @ d + 0.1 * np.eye(k)]
    e = normal(n, n) if "e" in given else None
    if e is not None and not reached:  # the modes are those of e^-1 a
        arrays[:2] = e @ a, e @ b
    return *arrays, e, 0.1 * normal(n, k) if "s" in given else None


def residual_and_excess(discrete, a, b, q, r, e, s, x):
    """The residual over the sum of the terms, and how far the closed loop is from stable."""
    e, s = np.eye(len(a)) if e is None else e, np.zeros_like(b) if s is None else s
    a_h, b_h, e_h = a.conj().T, b.conj().T, e.conj().T
    if discrete:
        k = np.linalg.solve(r + b_h @ x @ b, b_h @ x @ a + s.conj().T)
        terms = [a_h @ x @ a, -e_h @ x @ e, -(a_h @ x @ b + s) @ k, q]
    else:
        k = np.linalg.solve(r, b_h @ x @ e + s.conj().T)
        terms = [a_h @ x @ e, e_h @ x @ a, -(e_h @ x @ b + s) @ k, q]
    values = scipy.linalg.eigvals(a - b @ k, e)
    excess = np.abs(values).max() - 1 if discrete else values.real.max()
    return np.abs(sum(terms)).max() / sum(np.abs(term).max() for term in terms), excess


def call(function, arrays, balanced, backend):
    on_backend = [None if y is None else make_array(y, backend) for y in arrays]
    return to_host(function(*on_backend, balanced))


@pytest.mark.parametrize("backend", ["numpy", "device"])
@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("given", ["", "e", "s", "es"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_solution_solves_and_stabilizes_or_is_refused(function, given, balanced, backend):
    count = 0
    for seed in range(20 if backend == "numpy" else 4):
        for reached in (True, False):
            arrays = problem(seed, given, reached, seed % 2 == 1)
            try:
                x = call(function, arrays, balanced, backend)
            except LinAlgError:
                continue
            discrete = function is linalg.solve_discrete_are
            residual, excess = residual_and_excess(discrete, *arrays, x)
            assert residual < 1e-8, (seed, reached)
            assert excess < 0, (seed, reached)
            assert reached
            count += 1
    assert count >= (18 if backend == "numpy" else 3)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_no_solution_is_marked_and_has_no_derivative(function):
    good = problem(2, "e")
    others = (problem(seed, "e", reached=False) for seed in range(99))
    bad = next(other for other in others if other[1].shape == good[1].shape)
    a, b, q, r, e = (np.stack(pair) for pair in zip(good[:5], bad[:5], strict=True))
    x, info = function(a, b, q, r, e, on_fail="info")
    assert info.tolist() == [0, 1]
    assert np.isnan(x[1]).all()
    gradient = grad(lambda q: np.nansum(function(a, b, q, r, e, on_fail="nan")))(q)
    assert np.isfinite(gradient[0]).all()
    assert not gradient[1].any()
    with pytest.raises(LinAlgError, match=r"without a stabilizing solution at batch index \(1,\)"):
        grad(lambda q: np.sum(function(a, b, q, r, e)))(q)


def test_a_solution_with_few_digits_warns():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((50, 50)), rng.standard_normal((50, 2))
    for on_fail in ("raise", "nan"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            linalg.solve_continuous_are(a, b, np.eye(50), np.eye(2), on_fail=on_fail)
        assert [w.category for w in caught] == [scipy.linalg.LinAlgWarning] * (on_fail == "raise")
        assert all("relative residual" in str(w.message) for w in caught)
