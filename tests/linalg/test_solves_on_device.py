"""Solvers with a structure on the stand-in for a device: nothing is waited for unless a failure has
to raise.
"""

import numpy as np
import pytest

from scigrad import grad, linalg
from scigrad.testing import device, make_array

rng = np.random.default_rng(37)
B = np.ones((3, 1))


def band(*batch):
    return rng.standard_normal((*batch, 3, 3)) + 4 * np.array([[0], [1], [0]])


def matrix(*batch):
    return rng.standard_normal((*batch, 3, 3)) + 5 * np.eye(3)


def column(*batch):
    return rng.standard_normal((*batch, 3)) + np.array([5, 0, 0])


FUNCTIONS = {
    "solve_banded": (band, lambda a, b, fail: linalg.solve_banded((1, 1), a, b, on_fail=fail)),
    "solveh_banded": (
        lambda *batch: band(*batch)[..., 1:, :],
        lambda a, b, fail: linalg.solveh_banded(a, b, lower=True, on_fail=fail),
    ),
    "cholesky_banded": (
        lambda *batch: band(*batch)[..., 1:, :],
        lambda a, b, fail: linalg.cholesky_banded(a, lower=True, on_fail=fail),
    ),
    "cho_solve_banded": (
        lambda *batch: band(*batch)[..., 1:, :],
        lambda a, b, fail: linalg.cho_solve_banded((a, True), b),
    ),
    "solve_toeplitz": (column, lambda a, b, fail: linalg.solve_toeplitz(a, b, on_fail=fail)),
    "matmul_toeplitz": (column, lambda a, b, fail: linalg.matmul_toeplitz(a, b)),
    "solve_circulant": (
        column,
        lambda a, b, fail: linalg.solve_circulant(a, b[:, 0], on_fail=fail, baxis=-1),
    ),
    "pinvh": (matrix, lambda a, b, fail: linalg.pinvh(a, on_fail=fail)),
    "lu": (matrix, lambda a, b, fail: linalg.lu_factor(a, on_fail=fail)[0]),
    "lu_solve": (
        matrix,
        lambda a, b, fail: linalg.lu_solve(linalg.lu_factor(a, on_fail="nan"), b, on_fail=fail),
    ),
    "factorized": (matrix, lambda a, b, fail: linalg.factorized(a, on_fail=fail).solve(b)),
    "factorized, tall": (
        lambda *batch: matrix(*batch)[..., :2],
        lambda a, b, fail: linalg.factorized(a, on_fail=fail).solve(b),
    ),
    "logdet": (matrix, lambda a, b, fail: linalg.factorized(a, on_fail=fail).logdet()),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_a_device_is_not_waited_for(name, batch):
    draw, function = FUNCTIONS[name]
    a, b = make_array((draw(*batch), B), "device")
    before = device.sync_count
    for policy in ("nan", "info"):

        def loss(a, policy=policy):
            found = function(a, b, policy)
            return np.sum((found[0] if isinstance(found, tuple) else found) ** 2)

        assert type(grad(loss)(a)).__name__ == "DeviceArray"
    assert device.sync_count == before
