"""Small programs of CuPy arrays are one kernel: each instruction, loops, checks, memory."""

import itertools
import re
import threading

import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import grad, hessian, jit, linalg, value_and_grad
from scigrad.programs import codes
from scigrad.testing import assert_close
from scigrad.testing.arrays import to_host
from scigrad.testing.random_programs import draw_program

cupy = pytest.importorskip("cupy")
from scigrad.programs.device.one_kernel import OneKernel  # noqa: E402  (where CuPy is installed)

pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are
RNG = np.random.default_rng(5)
EDGES = np.array([0.0, -0.0, 1.0, -1.5, 0.5, np.inf, -np.inf, np.nan, 1e-300, 3e200])


def normal(dtype, *shape):
    x = RNG.normal(size=shape)
    return x + 1j * RNG.normal(size=shape) if dtype is complex else x


def on_device(*values):
    return tuple(cupy.asarray(x) if np.ndim(x) else x for x in values)


def program_of(jitted):
    """Return the one program of a function, which is one kernel."""
    (signature,) = jitted.signatures.values()
    program = signature.programs[0].program
    assert isinstance(program, OneKernel)
    return program


def agree(f, *points, rtol=1e-13):
    """Check the program of f beside f, at several points; return the function that has it."""
    jitted = jit(f)
    for x in points:
        x = on_device(*x)
        found, expected = to_host(jitted(*x)), to_host(f(*x))
        assert_close(found, expected, rtol, floor=1e-300)
    program_of(jitted)
    return jitted


@pytest.fixture(params=["ascending", "descending", "random"])
def order(request, monkeypatch):
    """Let the threads of a block run in an order, where CuPy runs on the CPU."""
    monkeypatch.setenv("CUPY_ON_CPU_ORDER", request.param)


@pytest.mark.parametrize("name", [n for n in codes.UNARY if n != "logical_not"])
def test_functions_of_one_number(name):
    def f(x):
        return getattr(snp, name)(x) + 0.0

    agree(f, (EDGES,), (EDGES[::-1].copy(),), (RNG.normal(size=10),))


@pytest.mark.parametrize("name", [n for n in codes.BINARY if not n.startswith("logical")])
def test_functions_of_two_numbers(name):
    def f(x, y):
        return getattr(snp, name)(x, y) + 0.0

    pairs = np.array(list(itertools.product(EDGES, EDGES))).T
    agree(f, (pairs[0].copy(), pairs[1].copy()), (pairs[1].copy(), pairs[0].copy()))


def test_truth_values():
    def f(x, y):
        return snp.where((x > 0) & ~(y > x) | (x == y), x, y), x > y

    x, y = RNG.normal(size=(2, 30))
    agree(f, (x, y), (y, x), (x, x))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
@pytest.mark.parametrize("size", [3, 40])
def test_complex_arithmetic(name, size):
    x, y = normal(complex, size), normal(complex, size)
    agree(getattr(snp, name), (x, y), (y, x), (x, 1j * y.real), (1j * x.imag, y))


@pytest.mark.parametrize("name", ["negative", "conjugate", "exp", "square", "reciprocal"])
def test_functions_of_one_complex_number(name):
    x = normal(complex, 6)
    agree(lambda x: getattr(snp, name)(x) + 0.0, (x,), (2 * x,), (x.real + 0j,))


def test_parts_of_complex_numbers():
    def f(x):
        y = x * x
        return snp.real(y) * snp.imag(y), snp.abs(y), snp.isfinite(y), snp.real(snp.exp(y)) * x

    for size in (3, 20):
        x = normal(complex, size)
        agree(f, (x,), (x + 1,))


@pytest.mark.parametrize("shape", [(2, 3), (5, 7), (20, 40), (3, 300)])
@pytest.mark.parametrize("dtype", [float, complex])
def test_sums(shape, dtype, order):
    x = normal(dtype, *shape)

    def f(x):
        y = x * x
        return snp.sum(y), snp.sum(y, axis=0), snp.sum(y, axis=1) * 2, snp.sum(x)

    agree(f, (x,), (3 * x,), rtol=1e-12)


@pytest.mark.parametrize("sizes", [(2, 2, 2), (4, 4, 4), (3, 20, 5), (20, 30, 25), (1, 70, 1)])
@pytest.mark.parametrize("dtype", [float, complex])
def test_products_of_matrices(sizes, dtype, order):
    n, k, m = sizes
    a, b, c = normal(dtype, n, k), normal(dtype, k, m), normal(dtype, m, 2)
    agree(lambda a, b, c: (a * 2) @ (b.T * 3).T @ c, (a, b, c), (2 * a, b, c), rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 4, 5, 16])
@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("columns", [(), (1,), (9,)])
def test_systems(n, dtype, columns, order):
    a, b = normal(dtype, n, n) + 2 * np.eye(n)[::-1], RNG.normal(size=(n, *columns))

    def f(a, b):
        x = linalg.solve(a, b)
        return x, grad(lambda a, b: snp.real(snp.sum(linalg.solve(a, b) ** 2)), (0, 1))(a, b)

    agree(f, (a, b), (a.T.copy(), 2 * b), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:Diagonal number:RuntimeWarning")  # CuPy's, beside the error
def test_a_singular_matrix_raises_as_without_jit():
    jitted = jit(lambda a, b: linalg.solve(a, b))
    a, b = on_device(np.eye(3) + 1.0, np.ones(3))
    jitted(a, b)
    program_of(jitted)
    with pytest.raises(np.linalg.LinAlgError):
        jitted(cupy.ones((3, 3)), b)
    assert_close(to_host(jitted(a, b)), np.full(3, 0.25), 1e-14)


def oscillator(p, x):
    for _ in range(20):
        x = x + 0.01 * snp.stack([x[1], -p[0] * snp.sin(x[0]) - p[1] * x[1]])
    return snp.sum(x**2)


def test_loops_forwards_and_backwards(order):
    f = value_and_grad(oscillator, (0, 1))
    jitted = agree(
        f,
        (np.array([1.0, 0.1]), np.array([1.0, 0.0])),
        (np.array([2.0, 0.1]), np.array([0.5, 0.1])),
    )
    assert len(jitted.report(*on_device(np.array([1.0, 0.1]), np.array([1.0, 0.0]))).loops) == 2


def test_rounds_beside_a_loop_are_taken_into_it():
    def f(x):
        y = x
        for _ in range(9):
            y = snp.sin(y) * 0.9 + x
        return snp.log(snp.sum(y * y))

    jitted = agree(value_and_grad(f), (np.linspace(0.1, 1, 10),), (np.linspace(2, 1, 10),))
    kernel = program_of(jitted).source.partition("program(")[2]
    rounds = [int(count) for count in re.findall(r"int k = 0; k < (\d+)", kernel)]
    assert rounds == [7, 6]  # the second loop is lowered with five rounds


@pytest.mark.parametrize("n", [6, 40, 200])
def test_loops_whose_elements_meet(n, order):
    """Each round needs what other threads have computed in it and in the one before it."""

    def f(x, m, series):
        total, before = 0.0, x
        for k in range(12):
            following = snp.sin(snp.roll(x, 1)) + 0.1 * (x[::-1] * series[k]) + 0.05 * before
            x, before = following / snp.sum(following**2), x
            total = total + snp.sum(x * m)
        return total

    x, m, series = RNG.normal(size=n), RNG.normal(size=n), RNG.normal(size=12)
    agree(value_and_grad(f, (0, 1, 2)), (x, m, series), (m, x, series), rtol=1e-11)


def test_loops_of_matrices_and_systems(order):
    def f(a, x, one):
        for _ in range(10):
            a = a @ a / snp.sum(a * a) + 0.1 * a.T
            x = linalg.solve(a + one, x) + a[0]
        return snp.real(snp.sum(x * snp.conj(x)))

    a, x, one = RNG.normal(size=(3, 3)), RNG.normal(size=3), 3 * np.eye(3)
    f = value_and_grad(f, (0, 1))
    agree(f, (a, x, one), (a.T.copy(), 2 * x, one), rtol=1e-11)
    agree(f, (a + 0j, x + 1j * x[::-1], one), (a * 1j, x + 0j, one), rtol=1e-11)


@pytest.mark.parametrize("n", [10, 100])
def test_hessian_whose_zeros_are_known(n):
    def f(x):
        return snp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    agree(hessian(f), (RNG.normal(size=n),), (RNG.normal(size=n),))


def test_arguments_of_other_strides_and_numbers_of_the_host():
    def f(x, c, z):
        return x * c + z, snp.sum(x.T * 2)

    jitted = jit(f)
    x = cupy.asarray(RNG.normal(size=(6, 8)))
    for given in (x, cupy.asfortranarray(x), cupy.asarray(RNG.normal(size=(12, 8)))[::-2]):
        for c, z in ((0.5, 1j), (2.0, 3 - 1j)):
            assert_close(to_host(jitted(given, c, z)), to_host(f(given, c, z)), 1e-13)
    program_of(jitted)


def test_empty_arrays_arguments_and_constants_as_results():
    def f(x, y):
        return x, x[:0], y, snp.sum(y[:0] * 2), x.T

    x, y = RNG.normal(size=(2, 3)), RNG.normal(size=5)
    jitted = agree(f, (x, y), (2 * x, y))
    given = on_device(x, y)
    first = jitted(*given)
    first[0][...] = 0  # the caller's own
    assert_close(to_host(given[0]), x, 0)
    assert_close(to_host(jitted(*given)[0]), x, 0)


def test_arguments_of_other_dtypes_are_left_to_other_programs():
    for kind in (np.int64, np.float32):
        x, k = cupy.asarray(RNG.normal(size=(4, 3))), cupy.asarray(3, kind)
        jitted = jit(lambda x, k: snp.sin(x) * k)
        jitted(x, k)
        assert_close(to_host(jitted(2 * x, k)), to_host(snp.sin(2 * x) * k), 1e-13)


def test_results_repeat_bit_for_bit():
    jitted = jit(lambda x: snp.sum(snp.sin(x) * x))
    x = cupy.asarray(RNG.normal(size=1000))
    assert len({float(jitted(x)) for _ in range(5)}) == 1


def test_threads_and_streams_have_memories_of_their_own():
    jitted = jit(value_and_grad(oscillator, (0, 1)))
    p, points = cupy.array([1.0, 0.1]), [cupy.array([0.1 * k, 0.2]) for k in range(8)]
    expected = [to_host(jitted(p, x)) for x in points]
    found = [None] * len(points)

    def run(k):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            out = jitted(p, points[k])
            stream.synchronize()
        found[k] = to_host(out)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(points))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_close(found, expected, 1e-13)


@pytest.mark.parametrize(
    "number", [pytest.param(k, marks=() if k < 8 else pytest.mark.slow) for k in range(200)]
)
def test_random_programs(number, order):
    program = draw_program(5, number)
    f = value_and_grad(lambda *args: snp.real(program(*args)), (0, 1, 2, 3))
    jitted = jit(f)
    for factor in (1, 1 + 1e-9):
        point = [
            cupy.asarray(x * factor) if np.ndim(x) or number % 2 else x * factor
            for x in program.point
        ]
        tolerance = 30 * program.tolerance
        assert_close(to_host(jitted(*point)), to_host(f(*point)), tolerance, floor=tolerance / 1e3)


@pytest.mark.parametrize("n", [4, 5000])  # one kernel, and fused ones
def test_arrays_of_a_device_that_a_function_uses_are_looked_at(n):
    used, large = cupy.ones(n), cupy.ones(1 << 18)
    jitted = jit(lambda x: x * (2 * used) + large[0])
    x = cupy.asarray(RNG.normal(size=n))
    assert_close(to_host(jitted(x)), to_host(2 * x + 1), 0)
    used[n - 1] = 3.0
    assert_close(to_host(jitted(x)), to_host(x * (2 * used) + 1), 0)
    large[:] = 2.0
    assert_close(to_host(jitted(x)), to_host(x * (2 * used) + 2), 0)
