"""LU factors of many matrices together, on a device."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import linalg
from scigrad.testing import assert_close, device, make_array
from scigrad.testing.arrays import to_host
from scigrad.testing.draw import normal

rng = np.random.default_rng(31)
random = partial(normal, rng)


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (5, 3), (3, 5), (12, 12)])
def test_factors_and_pivots_are_lapack_s(kind, shape):
    a = random(4, 5, *shape, dtype=kind)
    a[1] = np.round(a[1])  # equal candidates
    lu, piv = to_host(linalg.lu_factor(make_array(a, "device"), on_fail="nan"))
    assert lu.dtype == kind
    for index in np.ndindex(4, 5):
        expected = scipy.linalg.lapack.get_lapack_funcs("getrf", (a[index],))(a[index])
        assert piv[index].tolist() == expected[1].tolist()
        assert_close(lu[index], expected[0], 1e-12 if kind in "dD" else 1e-4)


def test_singular_matrices_warn_with_their_place():
    a = np.stack([np.eye(3)] * 5)
    a[2, 1] = 0
    with pytest.warns(scipy.linalg.LinAlgWarning, match=r"number 2 is exactly zero.*batch index \(2,\)"):
        lu, _ = to_host(linalg.lu_factor(make_array(a, "device")))
    assert_close(lu, a, 1e-15)
    before = device.sync_count
    info = linalg.lu_factor(make_array(a, "device"), on_fail="info")[2]
    assert device.sync_count == before
    assert info.get().tolist() == [0, 0, 2, 0, 0]
