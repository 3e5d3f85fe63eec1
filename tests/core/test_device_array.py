"""The stand-in device accepts what CuPy accepts and refuses what CuPy refuses, on a machine without
a GPU.
"""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse
import scipy.special

from scigrad.testing import device
from scigrad.testing.device import DeviceArray, kernel_module


@pytest.fixture
def x():
    return DeviceArray([1.0, 2.0, 3.0])


@pytest.fixture
def matrix():
    return DeviceArray(np.diag([1.0, 2.0, 4.0]))


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: x + 1,
        lambda x: 2 * x - np.float64(1) / x,
        lambda x: x @ x,
        lambda x: x**2 > np.asarray(3.0),
        lambda x: np.sum(np.sin(x)),
        lambda x: x.sum(axis=0, keepdims=True),
        lambda x: np.stack([x, x]),
        lambda x: np.where(x > 1, x, 0),
        lambda x: np.fft.fft(x).conj().real,
        lambda x: np.linalg.solve(np.diag(x), x),
        lambda x: np.einsum("i,j->ij", x, x).T,
        lambda x: x[x > 1],
        lambda x: x[np.array([0, 2])],
        lambda x: np.asarray([1.0, 2.0], like=x),
        lambda x: np.zeros_like(x) + np.zeros(3, like=x),
        lambda x: np.astype(x, np.float32),
    ],
)
def test_results_stay_on_the_device_and_agree_with_numpy(compute, x):
    result = compute(x)
    assert type(result) is DeviceArray
    expected = compute(x.get())
    np.testing.assert_array_equal(result.get(), expected)
    assert result.dtype == expected.dtype


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: x + np.ones(3),
        lambda x: np.ones(3) * x,
        lambda x: np.concatenate([x, np.ones(3)]),
        lambda x: x * [1.0, 2.0, 3.0],
        lambda x: np.array(x),
        lambda x: np.asarray(x),
        lambda x: scipy.special.i0e(x),
        lambda x: np.add.reduce(x),
        lambda x: float(x[0]),
        lambda x: int(x[0]),
        lambda x: range(x[0]),
        lambda x: bool(x[0] > 0),
        lambda x: x.tolist(),
        lambda x: kernel_module("special").i0e(np.ones(3)),
        lambda x: x.__setitem__(0, np.ones(1)),
        lambda x: scipy.sparse.eye_array(3, format="csr") @ x,
    ],
)
def test_hidden_copies_are_refused(compute, x):
    before = device.sync_count
    with pytest.raises((TypeError, ValueError)):
        compute(x)
    assert device.sync_count == before


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: x + np.asarray(3.0),  # CuPy takes numbers, no arrays of the host without axes
        lambda x: np.where(x > 0, np.asarray(1.0), x),
        lambda x: np.ones(3, like=x),  # NumPy sends device=None
        lambda x: np.eye(3, like=x),
        lambda x: np.full(3, 2.0, like=x),
        lambda x: np.sum(x, initial=0),
        lambda x: x.sum(initial=0),
        lambda x: np.sort(x, stable=True),
        lambda x: np.add(x, 1, where=x > 0),
        lambda x: np.logical_and(x * 1j, x * 1j),
        lambda x: np.spacing(x),
        lambda x: np.insert(x, 0, 1.0),
        lambda x: np.vecdot(x, x),
        lambda x: kernel_module("numpy").add.at(x * 1j, [0], 1.0),
        lambda x: kernel_module("numpy").subtract.at(x, [0], 1.0),
        lambda x: kernel_module("sparse").csr_array(DeviceArray([[1, 0], [0, 2]])),
        lambda x: kernel_module("sparse.linalg").spsolve(x, x, permc_spec="COLAMD"),
        lambda x: kernel_module("numpy").polyder,
    ],
)
def test_what_cupy_lacks_is_refused(compute, x):
    """Each was seen to raise with CuPy itself; NumPy does all of it."""
    with pytest.raises((TypeError, ValueError, AttributeError)):
        compute(x)


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: x > np.asarray(3.0),
        lambda x: np.zeros(3, like=x),
        lambda x: np.add(x, 1, dtype=np.float32),
        lambda x: np.full_like(x, 2.0),
        lambda x: 2j * x,
        lambda x: np.float64(2) * x,
        lambda x: x.sort(),
        lambda x: x.__setitem__(0, np.asarray(2.0)),
        lambda x: kernel_module("numpy").add.at(x, [0, 0], 1.0),
    ],
)
def test_what_cupy_takes_is_taken(compute, x):
    compute(x)


def test_reading_back_is_counted(x):
    before = device.sync_count
    x.get()
    with device.allow_implicit_syncs():
        assert float(x[1]) == 2.0
        assert bool(x[0] < x[1])
    assert device.sync_count == before + 3
    with pytest.raises(TypeError, match=r"x\.get\(\)"):
        float(x[1])


def test_memory_behaves_like_memory(x):
    host = np.ones(3)
    y = DeviceArray(host)
    y += x
    y[0] = 7.0
    np.testing.assert_array_equal(host, 1.0)
    view = y.reshape(3, 1)
    view[1] = 9.0
    np.testing.assert_array_equal(y.get(), [7.0, 9.0, 4.0])
    np.testing.assert_array_equal(np.add(x, 1, out=y).get(), y.get())
    for clone in (copy.deepcopy(y), pickle.loads(pickle.dumps(y))):
        np.testing.assert_array_equal(clone.get(), y.get())


def test_containers_come_back_as_they_were(matrix):
    result = np.linalg.eigh(matrix)
    assert type(result) is tuple  # CuPy's results have no names, but for unique_all and its like
    assert type(result[0]) is DeviceArray
    assert type(np.unique_all(matrix).values) is DeviceArray
    assert np.shape(matrix) == (3, 3)
    assert type(np.allclose(matrix, matrix)) is DeviceArray  # CuPy leaves it on the device


def test_kernels_are_those_that_cupy_has(x, matrix):
    special = kernel_module("special")
    np.testing.assert_array_equal(special.i0e(x).get(), scipy.special.i0e(x.get()))
    with pytest.raises(AttributeError, match="struve"):
        special.struve  # noqa: B018
    with pytest.raises(ModuleNotFoundError):
        kernel_module("stats")
    lu, pivots = kernel_module("linalg").lu_factor(matrix)
    assert type(lu) is type(pivots) is DeviceArray
    assert kernel_module("numpy").float32 is np.float32
    assert type(kernel_module("numpy").asarray([1.0])) is DeviceArray
    assert x.__array_namespace__() is kernel_module("numpy")


def test_sparse_arrays_and_factorizations_stay_on_the_device(x):
    data, indices, indptr = (
        DeviceArray([2.0, 4.0, 5.0]),
        DeviceArray([0, 1, 2]),
        DeviceArray([0, 1, 2, 3]),
    )
    a = kernel_module("sparse").csr_array((data, indices, indptr), shape=(3, 3))
    assert (a.format, a.shape, type(a.data)) == ("csr", (3, 3), DeviceArray)
    assert type(a).__module__ == "scigrad.testing.device"
    np.testing.assert_array_equal((a @ x).get(), [2.0, 8.0, 15.0])
    np.testing.assert_array_equal((x @ a).get(), [2.0, 8.0, 15.0])
    with pytest.raises(TypeError):
        a @ np.ones(3)
    solver = kernel_module("sparse.linalg")
    expected = [0.5, 0.5, 0.6]
    np.testing.assert_allclose(solver.splu(a.tocsc()).solve(x).get(), expected)
    seen = []
    operator = solver.LinearOperator(
        (3, 3), matvec=lambda v: (seen.append(type(v)), a @ v)[1], dtype=float
    )
    np.testing.assert_allclose(solver.cg(operator, x)[0].get(), expected)
    assert set(seen) == {DeviceArray}
