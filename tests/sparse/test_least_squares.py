"""lsqr and lsmr find the minimum for every damping, guess and right-hand side."""

from itertools import product

import numpy as np
import pytest

from scigrad import sparse

DRAW = np.random.default_rng(7)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("shape", [(9, 5), (5, 9), (6, 6)])
@pytest.mark.parametrize(("method", "limit"), [("lsqr", "iter_lim"), ("lsmr", "maxiter")])
def test_the_minimum_is_found_whatever_the_options(method, limit, shape, dtype):
    m, n = shape
    a, b = (2 * np.eye(m, n) + 0.3 * DRAW.normal(size=shape)).astype(dtype), DRAW.normal(size=m)
    if np.dtype(dtype).kind == "c":
        a = a * np.exp(1j * np.arange(n))
    tolerance = 1e-5 if dtype is np.float32 else 1e-12
    options = {"atol": tolerance, "btol": tolerance, limit: 200}
    guesses = (None, np.ones(n, dtype), np.full(n, 1e3, dtype))
    for damp, x0, scale in product((0.0, 0.5, -0.5, 3.0), guesses, (1.0, 0.0, 1e-3)):
        right, guess = (scale * b).astype(dtype), np.zeros(n) if x0 is None else x0
        whole = np.concatenate([a, damp * np.eye(n)]).astype(complex)
        rest = np.concatenate([right - a.astype(complex) @ guess, np.zeros(n)])
        expected = guess + np.linalg.lstsq(whole, rest, rcond=None)[0]
        size = 1 + np.linalg.norm(guess)
        solver = getattr(sparse.linalg, method)
        x, *found = solver(a, right, damp, x0=x0, **options)
        assert np.linalg.norm(x - expected) <= 100 * tolerance * size
        norms = [np.linalg.norm(right - a @ x), np.linalg.norm(whole @ (x - guess) - rest)]
        ours = found[2:4] if method == "lsqr" else found[2:3]
        for norm, truth in zip(ours, norms[-len(ours) :], strict=True):
            assert abs(norm - truth) <= 100 * tolerance * size
        again = solver(a, right, damp, x0=x0, return_info=True, **options)[0]
        assert np.linalg.norm(again - x) <= 100 * tolerance * size
