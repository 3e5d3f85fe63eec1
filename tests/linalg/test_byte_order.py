"""Data in a foreign byte order, as files of astronomy and of older instruments hold it: some
kernels read it as it stands.
"""

import numpy as np
import optree
import pytest

from scigrad import linalg, vjp
from scigrad.testing import assert_close

rng = np.random.default_rng(41)
SQUARE = rng.standard_normal((4, 4)) + 4 * np.eye(4)
RIGHT = rng.standard_normal((4, 2))
CASES = {
    "inv": linalg.inv,
    "det": linalg.det,
    "lu": linalg.lu,
    "lu, indices": lambda a: linalg.lu(a, p_indices=True),
    "lu_factor": linalg.lu_factor,
    "qr": lambda a: linalg.qr(a, mode="economic"),
    "sqrtm": linalg.sqrtm,
    "expm": linalg.expm,
    "solve": lambda a: linalg.solve(a, RIGHT),
    "solve, banded": lambda a: linalg.solve(a, RIGHT, assume_a="banded"),
}


def foreign(a):
    return a.astype(a.dtype.newbyteorder(">" if np.little_endian else "<"))


@pytest.mark.parametrize("stack", [False, True], ids=["one matrix", "a batch"])
@pytest.mark.parametrize("is_complex", [False, True], ids=["real", "complex"])
@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_native_data(name, is_complex, stack):
    function, a = CASES[name], SQUARE * (1 + 0.5j) if is_complex else SQUARE
    a = np.stack([a, a.T]) if stack else a
    value, pull = vjp(function, a)
    found, pull_foreign = vjp(function, foreign(a))
    for x, y, z in zip(*map(optree.tree_leaves, (value, found, function(foreign(a)))), strict=True):
        assert_close(y, x, 1e-12)
        assert_close(z, x, 1e-12)
    ones = optree.tree_map(np.ones_like, value)
    assert_close(pull_foreign(ones)[0], pull(ones)[0], 1e-11)
