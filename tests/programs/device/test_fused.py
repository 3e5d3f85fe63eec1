"""Programs of CuPy arrays: each kind of node, and the calls between kernels, beside the function
itself.
"""

import threading

import numpy as np
import pytest

from scigrad import fft, grad, jit, linalg, special, value_and_grad, vmap
from scigrad import numpy as snp
from scigrad.autodiff_rules.containers import flatten

cupy = pytest.importorskip("cupy", reason="these are programs of CuPy arrays")
pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are


@pytest.fixture(autouse=True)
def without_the_kernel_of_small_programs(monkeypatch):
    monkeypatch.setattr("scigrad.programs.device.choice.one_kernel_of", lambda *_: None)


RANDOM = np.random.default_rng(11)


def drawn(*shape, dtype="d"):
    values = RANDOM.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RANDOM.normal(size=shape)
    return cupy.asarray(values.astype(dtype) if dtype not in "?l" else (4 * values).astype(dtype))


def program_of(compiled):
    (signature,) = compiled.signatures.values()
    return signature.programs[0].program


def compare(f, *args, calls=(), rtol=None):
    """Compare the program of a function with the function, at two points, and what it calls."""
    compiled = jit(f)
    compiled(*args)
    for point in (args, [x * x.dtype.type(2) if hasattr(x, "dtype") else x for x in args]):
        found, expected = flatten(compiled(*point))[0], flatten(f(*point))[0]
        assert len(found) == len(expected)
        for x, y in zip(found, expected, strict=True):
            assert type(x) is type(y)
            assert x.dtype == y.dtype
            assert x.shape == y.shape
            single = x.dtype.char in "fF"
            tolerance = rtol or (3e-6 if single else 1e-13)
            np.testing.assert_allclose(cupy.asnumpy(x), cupy.asnumpy(y), tolerance, 1e-300)
    program = program_of(compiled)
    assert tuple(program.calls) == tuple(calls)
    return program


@pytest.mark.parametrize("dtype", list("fdFD"))
def test_elementwise_chain_is_one_kernel(dtype):
    program = compare(
        lambda x, y: snp.exp(-snp.sin(x) ** 2) * 0.5 + snp.conj(x) / (2 + snp.abs(y)) - 1j * 0,
        drawn(3, 70, dtype=dtype), drawn(70, dtype=dtype),
    )  # fmt: skip
    assert program.instructions == 1


@pytest.mark.parametrize("dtype", list("?lfdFD"))
def test_arithmetic_of_each_dtype(dtype):
    compare(lambda x, y: (x + y, x * y, x == y, snp.where(x != y, x, y)), drawn(9, dtype=dtype),
            drawn(9, dtype=dtype))  # fmt: skip


def test_dtypes_of_mixed_arguments():
    x, n, b = drawn(7, dtype="f"), drawn(7, dtype="l"), drawn(7, dtype="?")
    compare(lambda x, n: (x * n, x + b, n * 0.5, x * np.float64(2), x * 2, n // 3), x, n)
    compare(lambda x, t: (x * t, t + x[0]), x, 0.25)


def test_casts_and_parts_of_complex_numbers():
    z = drawn(4, 5, dtype="D")
    compare(lambda z: (z.real, snp.imag(z), snp.real(z).astype("f"), z.astype("F")), z)
    compare(lambda z: (snp.sign(z), snp.abs(z) ** 2, snp.angle(z)), z)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 2), (1, 2)])
@pytest.mark.parametrize("shape", [(3, 5, 4), (2, 130, 3), (1, 3, 300), (70, 1, 2), (2, 0, 3)])
def test_sums_over_axes(shape, axis):
    x = drawn(*shape)
    compare(
        lambda x: (
            snp.sum(x * 3, axis=axis),
            snp.mean(x, axis=axis, keepdims=True) - x if x.size else x,
            snp.sum(x, axis=axis, keepdims=True) * 2,
        ),
        x, rtol=1e-12,
    )  # fmt: skip


@pytest.mark.parametrize("count", [3, 63, 64, 65, 1000, 1025, 70_000])
@pytest.mark.parametrize("dtype", list("ldfFD"))
def test_sums_of_all_lengths(count, dtype):
    x = drawn(2, count, dtype=dtype)
    absolute = 1e-3 * count if dtype in "fF" else 1e-10 * count

    def f(x):
        return snp.sum(x), snp.sum(x, axis=1), snp.sum(x.T, axis=0)

    for found, expected in zip(jit(f)(x), f(x), strict=True):
        assert found.dtype == expected.dtype
        assert float(abs(found - expected).max()) <= absolute


def test_views_of_views():
    x = drawn(6, 8)
    compare(lambda x: snp.sin(x[::2, 1:])[:, ::-1].T.reshape(3, 7)[1:] * 2, x)
    compare(lambda x: snp.concatenate([x[1:], x[:1] ** 2], axis=0) - snp.flip(x, 1), x)
    compare(lambda x: snp.stack([x[0], snp.cos(x[1]), x[2, ::-1]], axis=1)[::-1], x)
    compare(lambda x: snp.diagonal(snp.exp(x[:, :6])) + snp.ravel(x.T)[:6], x)
    compare(lambda x: snp.broadcast_to(snp.log(snp.abs(x[2])), (3, 8)) + x[:3, None, :][:, 0], x)


def test_pullbacks_of_views_are_parts_of_the_kernel():
    x = drawn(9, 5)
    compare(grad(lambda x: snp.sum(x[1:] ** 2 * x[:-1] - x[::2, 1:4].sum())), x)
    compare(value_and_grad(lambda x: snp.sum((x[1:] - x[:-1]) ** 2 * x.T[0, 0])), x)


def test_numbers_and_arrays_without_axes():
    x, zero = drawn(5), drawn()
    compare(lambda x, z, t: (x * z, z * 2, snp.exp(z) * t, x[1] - z), x, zero, 0.5)
    compare(lambda x, w: x * w, x, 0.5j)


def test_empty_arrays():
    compare(lambda x: (snp.sin(x), snp.sum(x), snp.sum(x, axis=1), x.T, x + 1), drawn(3, 0))


def test_arguments_of_any_strides():
    f = value_and_grad(lambda x: snp.sum(snp.sin(x) * snp.arange(6.0).reshape(2, 3).T.sum()))
    program = jit(f)
    big = drawn(8, 9)
    for x in (big[:4, :3].copy(), big[::2, ::3], big.T[:4, :3], big[3::-1, :3]):
        for found, expected in zip(program(x), f(x), strict=True):
            np.testing.assert_allclose(cupy.asnumpy(found), cupy.asnumpy(expected), 1e-13)
    assert len(program.signatures) == 1


def test_calls_between_kernels():
    x = drawn(16, dtype="D")
    compare(
        value_and_grad(lambda x: snp.sum(snp.abs(fft.fft(snp.exp(-snp.abs(x)) * x)) ** 2)),
        x, calls=("fft", "ifft"), rtol=1e-11,
    )  # fmt: skip
    a = drawn(5, 5) + 6 * cupy.eye(5)
    program = jit(value_and_grad(lambda a: snp.sum(linalg.solve(a @ a.T, a[0]) ** 2)))
    value, gradient = program(a)
    expected = value_and_grad(lambda a: snp.sum(linalg.solve(a @ a.T, a[0]) ** 2))(a)
    np.testing.assert_allclose(float(value), float(expected[0]), 1e-12)
    np.testing.assert_allclose(cupy.asnumpy(gradient), cupy.asnumpy(expected[1]), 1e-10)


def test_special_functions_are_parts_of_kernels():
    x = cupy.abs(drawn(300)) + 0.5
    program = compare(value_and_grad(lambda x: snp.sum(special.gammaln(x))), x, rtol=1e-12)
    assert program.instructions == 1
    compare(lambda x: special.logsumexp(x * 3), x)
    compare(value_and_grad(lambda x: special.logsumexp(x.reshape(10, 30), axis=1)[2]), x,
            rtol=1e-12)  # fmt: skip
    compare(value_and_grad(lambda x: snp.sum(special.erf(x) * special.xlogy(x, x))), x, rtol=1e-12)
    compare(grad(lambda x: snp.sum(special.softmax(x.reshape(30, 10), axis=1) ** 2)), x,
            rtol=1e-11)  # fmt: skip


@pytest.mark.parametrize("dtype", list("fD"))
def test_short_products_of_matrices_are_sums(dtype):
    a, b = drawn(30, 5, dtype=dtype), drawn(2, 5, 4, dtype=dtype)
    program = compare(lambda a, b: snp.exp(0.1 * (a @ b)) + 1, a, b, rtol=1e-5)
    assert program.instructions == 1
    compare(lambda a, b: a @ b, drawn(20, 30), drawn(30, 3), calls=("matmul",), rtol=1e-12)


def test_batches_of_derivatives():
    def f(x):
        return snp.log(1.0 + snp.sum(snp.exp(x))) + snp.sin(x[0]) * snp.sum(x * x)

    compare(vmap(grad(f)), drawn(40, 8), rtol=1e-12)


def test_results_are_the_same_in_each_run_and_have_memory_of_their_own():
    x = drawn(100_000)
    program = jit(value_and_grad(lambda x: snp.sum(snp.sin(x) / 3)))
    first, gradient = program(x)
    kept = gradient.copy()
    for _ in range(3):
        again, other = program(x)
        assert float(again) == float(first)
        assert other.data.ptr != gradient.data.ptr
    other[:] = 0
    assert bool((gradient == kept).all())
    same = jit(lambda x: (x, x[1:], snp.transpose(x) * 1))(x)
    same[0][:] = 0
    same[1][:] = 0
    assert float(abs(x).max()) > 0


def test_two_threads_and_two_streams():
    program = jit(value_and_grad(lambda x: snp.sum(snp.cos(x) * snp.sum(x))))
    program(drawn(5000))
    failures = []

    def run(seed):
        x = cupy.asarray(np.random.default_rng(seed).normal(size=5000))
        expected = float(snp.sum(cupy.cos(x) * x.sum()))
        with cupy.cuda.Stream(non_blocking=True) as stream:
            for _ in range(20):
                found = program(x)[0]
                stream.synchronize()
                if abs(float(found) - expected) > 1e-11 * abs(expected) + 1e-9:
                    failures.append((seed, float(found), expected))

    threads = [threading.Thread(target=run, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_long_chains_are_lowered_without_recursion():
    def f(x):
        for _ in range(1500):
            x = x * 0.999 + 0.001
        return snp.sum(x)

    compare(f, drawn(10))
