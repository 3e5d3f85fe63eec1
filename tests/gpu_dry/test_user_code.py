"""Programs of users, written with plain NumPy and SciPy's names, on CuPy's arrays: values and gradients as on the host."""

from __future__ import annotations

import cupy
import numpy as np
import pytest

from scigrad import fft, grad, hessian, jvp, linalg, signal, special, vmap
from scigrad.testing import assert_close

X = np.random.default_rng(0).uniform(0.5, 1.5, (4, 4)) + 4 * np.eye(4)
B, A = np.array([1.0, 0.5]), np.array([1.0, -0.3])

PROGRAMS = {
    "plain numpy": lambda x: np.sum(np.sin(x) * np.exp(-(x**2))) + np.max(x) + np.linalg.norm(x),
    "log-likelihood of a normal distribution": lambda x: (
        0.5 * linalg.slogdet(x @ x.T)[1] + (linalg.solve(x @ x.T, x[0]) * x[0]).sum()
    ),
    "power of a spectrum": lambda x: (abs(fft.rfft(x, axis=-1)) ** 2 * np.arange(3.0, like=x)).sum(),
    "entropy": lambda x: special.entr(x / x.sum()).sum() + special.gammaln(x).sum(),
    "filtered signal": lambda x: (signal.lfilter(*(np.asarray(c, like=x) for c in (B, A)), x) ** 2).sum(),
    "eigenvalues": lambda x: np.log(linalg.eigvalsh(x @ x.T)).sum(),
    "assembled by index": lambda x: (x[np.array([0, 2])] * x[1:3, ::-1]).sum() + np.where(x > 1, x, 0 * x).sum(),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_of_the_host(name):
    program = PROGRAMS[name]
    found = grad(program)(cupy.asarray(X))
    assert type(found) is cupy.ndarray
    assert_close(found, grad(program)(X))


def test_other_transforms():
    x = cupy.asarray(X)
    loss = PROGRAMS["entropy"]
    assert_close(jvp(loss, (x,), (x,))[1], jvp(loss, (X,), (X,))[1])
    assert_close(vmap(grad(lambda row: special.entr(row).sum()))(x), grad(lambda row: special.entr(row).sum())(X))
    assert_close(hessian(lambda v: (np.sin(v) * v[::-1]).sum())(x[0]), hessian(lambda v: (np.sin(v) * v[::-1]).sum())(X[0]))
