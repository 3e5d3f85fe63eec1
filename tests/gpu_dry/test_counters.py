"""The dry run counts what a card would do: launches, synchronisations, copies."""

import cupy
import cupy_on_cpu
import numpy as np
import pytest


def test_launches_and_copies_are_counted():
    x = cupy.asarray(np.arange(4.0))
    before = cupy_on_cpu.counters()
    y = x + 1
    after = cupy_on_cpu.counters()
    assert after["launches"] - before["launches"] == 1
    assert (after["to_host"], after["to_device"]) == (before["to_host"], before["to_device"])
    np.testing.assert_array_equal(y.get(), [1.0, 2.0, 3.0, 4.0])
    assert cupy_on_cpu.counters()["to_host"] == after["to_host"] + 1


POISON = """
#include <cupy/complex.cuh>
extern "C" __global__ void unwritten(double *out) {
    complex<double> z, zero = complex<double>();
    double *heap = new double[1], local;
    out[0] = heap[0]; out[1] = local; out[2] = z.real(); out[3] = z.imag();
    out[4] = zero.real() + zero.imag();
    delete[] heap;
}
"""


def test_what_no_kernel_wrote_is_poison():
    zeros = cupy.zeros(8)
    del zeros
    assert np.isnan(cupy.empty(8).get()).all()  # memory that is handed out again
    out = cupy.ones(5)
    cupy.RawKernel(POISON, "unwritten")((1,), (1,), (out,))
    heap, *local, value = out.get()
    assert np.isnan(heap)
    assert np.all(np.abs(local) > 1e300)
    assert value == 0  # `complex<double>()` is a value, from which sums of CuPy's reductions start


def test_threads_wait_for_each_other():
    kernel = cupy.RawKernel(
        """extern "C" __global__ void reversed(const double* x, double* y, int n) {
            extern __shared__ double block[];
            block[threadIdx.x] = x[threadIdx.x];
            __syncthreads();
            y[threadIdx.x] = block[n - 1 - threadIdx.x];
        }""",
        "reversed",
    )
    x, y = cupy.arange(64.0), cupy.empty(64)
    kernel((1,), (64,), (x, y, np.int32(64)), shared_mem=64 * 8)
    np.testing.assert_array_equal(y.get(), np.arange(64.0)[::-1])


@pytest.mark.parametrize("n", [64, 98, 5000])
def test_warps_wait_for_themselves_and_for_the_block(n):
    np.testing.assert_array_equal(cupy.cumsum(cupy.ones(n)).get(), np.arange(1.0, n + 1))


def test_indices_beyond_the_shape_are_no_sparse_matrix():
    from cupyx.scipy import sparse

    a = sparse.csr_matrix(
        (cupy.ones(2), cupy.asarray([0, 5]), cupy.asarray([0, 1, 2])), shape=(2, 3)
    )
    with pytest.raises(ValueError, match="indices must be < 3"):
        a @ cupy.ones(3)


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "coo_array"])
def test_sparse_arrays_are_made_of_dense_ones_and_back(kind):
    from cupyx.scipy import sparse

    x = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    a = getattr(sparse, kind)(cupy.asarray(x))
    np.testing.assert_array_equal(a.toarray().get(), x)
    np.testing.assert_array_equal((a + a).toarray().get(), 2 * x)
    np.testing.assert_array_equal((a @ a.T).toarray().get(), x @ x.T)


def test_a_routine_that_is_not_there_says_so():
    from cupy_backends.cuda.libs import cublas

    with pytest.raises(NotImplementedError, match="the dry run lacks"):
        cublas.isamax(1, 2, 3, 4, 5)


def test_a_kernel_may_be_a_template():
    code = (
        "template<class T> __global__ void twice(const T* x, T* y) { y[threadIdx.x] = 2 * "
        "x[threadIdx.x]; }"
    )
    module = cupy.RawModule(
        code=code, options=("-std=c++17",), name_expressions=("twice<float>", "twice<double>")
    )
    y = cupy.empty(3)
    module.get_function("twice<double>")((1,), (3,), (cupy.arange(3.0), y))
    np.testing.assert_array_equal(y.get(), [0.0, 2.0, 4.0])
