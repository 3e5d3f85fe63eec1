"""LU factors on a device, of many matrices together and of one."""

import ctypes
import sys
import types
from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import linalg
from scigrad.linalg.systems.lu import factored_by_cusolver
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


class OnGpu(np.ndarray):
    """An array that knows where it stands as CuPy's do."""

    data = property(lambda self: types.SimpleNamespace(ptr=self.ctypes.data))  # type: ignore[assignment]


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
def test_cusolver_is_called_as_it_wants_to_be(kind, shape, monkeypatch):
    """Its getrf overwrites a matrix stored by columns, counts rows from 1, and nothing reads its
    status.
    """

    def at(pointer, count, dtype):
        size = count * np.dtype(dtype).itemsize
        return np.frombuffer((ctypes.c_char * size).from_address(pointer), dtype)

    def getrf(handle, m, n, matrix, lda, work, pivots, status):
        whole = at(matrix, m * n, kind).reshape(n, m).T
        assert (handle, lda, at(work, 7, kind).size) == ("handle", m, 7)
        lu, found, info = scipy.linalg.lapack.get_lapack_funcs("getrf", (whole,))(whole)
        whole[...], at(pivots, min(m, n), np.int32)[...], at(status, 1, np.int32)[...] = (
            lu,
            found + 1,
            info,
        )

    prefix = {"f": "s", "d": "d", "F": "c", "D": "z"}[kind] + "getrf"
    cusolver = types.SimpleNamespace(**{prefix: getrf, prefix + "_bufferSize": lambda *args: 7})
    cuda = types.SimpleNamespace(device=types.SimpleNamespace(get_cusolver_handle=lambda: "handle"))
    cupy = types.SimpleNamespace(
        cuda=cuda, empty=lambda size, dtype: np.empty(size, dtype).view(OnGpu)
    )
    backends = "cupy_backends", "cupy_backends.cuda", "cupy_backends.cuda.libs"
    for name, module in [
        ("cupy", cupy),
        *((name, types.SimpleNamespace(cusolver=cusolver)) for name in backends),
    ]:
        monkeypatch.setitem(sys.modules, name, module)
    a = random(*shape, dtype=kind)
    before = a.copy()
    lu, pivots = factored_by_cusolver(a.view(OnGpu))
    expected = scipy.linalg.lapack.get_lapack_funcs("getrf", (a,))(a)
    assert_close(np.asarray(lu), expected[0], 1e-12 if kind in "dD" else 1e-4)
    assert pivots.tolist() == expected[1].tolist()
    assert np.array_equal(a, before)


def test_one_matrix_waits_once_and_only_to_warn():
    a = np.diag([1.0, 0, 2])
    with pytest.warns(
        scipy.linalg.LinAlgWarning, match=r"number 2 is exactly zero.*'a' of shape \(3, 3\)"
    ):
        linalg.lu_factor(make_array(a, "device"))
    before = device.sync_count
    linalg.lu_factor(make_array(np.eye(3), "device"))
    assert device.sync_count == before + 1
    info = linalg.lu_factor(make_array(a, "device"), on_fail="info")[2]
    assert device.sync_count == before + 1
    assert info.get() == 2


def test_singular_matrices_warn_with_their_place():
    a = np.stack([np.eye(3)] * 5)
    a[2, 1] = 0
    with pytest.warns(
        scipy.linalg.LinAlgWarning, match=r"number 2 is exactly zero.*batch index \(2,\)"
    ):
        lu, _ = to_host(linalg.lu_factor(make_array(a, "device")))
    assert_close(lu, a, 1e-15)
    before = device.sync_count
    info = linalg.lu_factor(make_array(a, "device"), on_fail="info")[2]
    assert device.sync_count == before
    assert info.get().tolist() == [0, 0, 2, 0, 0]
