"""Programs of arrays with a long common axis: a thread for each element of it."""

import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import jit, value_and_grad
from scigrad.testing import assert_close
from scigrad.testing.arrays import to_host

cupy = pytest.importorskip("cupy")
from scigrad.programs.device.one_kernel import OneKernel  # noqa: E402  (where CuPy is installed)

pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are
RNG = np.random.default_rng(3)
PARAMETERS = np.array([10.0, 28.0, 8 / 3])


@pytest.fixture(params=["ascending", "descending", "random"], autouse=True)
def order(request, monkeypatch):
    """Let the threads of a block run in an order, where CuPy runs on the CPU."""
    monkeypatch.setenv("CUPY_ON_CPU_ORDER", request.param)


def kernels(f, *points, rtol=1e-12):
    """Check the program of f beside f, at several points; return the names of its kernels."""
    jitted = jit(f)
    for x in points:
        x = [cupy.asarray(part) for part in x]
        assert_close(to_host(jitted(*x)), to_host(f(*x)), rtol)
    (signature,) = jitted.signatures.values()
    program = signature.programs[0].program
    assert isinstance(program, OneKernel)
    return [launch.name for launch in program.launches]


def slope(p, y):
    return snp.stack([p[0] * (y[1] - y[0]), y[0] * (p[1] - y[2]) - y[1], y[0] * y[1] - p[2] * y[2]])


def lorenz(p, y):
    for _ in range(9):
        middle = y + 0.0025 * slope(p, y)
        y = y + 0.005 * slope(p, middle)
    return y


@pytest.mark.parametrize("n", [130, 1000])
def test_states_of_a_differential_equation(n):
    f = value_and_grad(lambda p, y: snp.sum(lorenz(p, y) ** 2), (0, 1))
    y = RNG.normal(size=(3, n))
    found = kernels(f, (PARAMETERS, y), (PARAMETERS[::-1].copy(), 1 + y))
    assert found == ["before", "lanes", "adding", "behind"]


def test_results_of_lanes_and_of_other_dtypes():
    def f(p, y):
        y = lorenz(p, y)
        return y, y[0] > 0, snp.sum(y, axis=0), snp.sum(y, axis=1), y[2, 7], y[:, ::-1]

    y = RNG.normal(size=(3, 200))
    assert "lanes" in kernels(f, (PARAMETERS, y), (PARAMETERS, -y))


def test_complex_lanes():
    def f(c, z):
        w = z
        for _ in range(30):
            w = 0.5 * w * w + c[0] * snp.conj(w) + snp.exp(0.1j * w) - c[1]
            w = w / (1 + snp.real(w) ** 2 + snp.imag(w) ** 2)
        return snp.real(snp.sum(w * snp.conj(w)))

    z = RNG.normal(size=160) + 1j * RNG.normal(size=160)
    c = np.array([0.1 + 0.2j, 0.3])
    found = kernels(value_and_grad(f, (0, 1)), (c, z), (2 * c, 1j * z))
    assert "lanes" in found


def test_lanes_that_need_each_other_are_no_lanes():
    def f(x):
        for _ in range(40):
            x = snp.sin(x) + 0.1 * snp.roll(x, 1) + snp.cos(x) * 0.3 - x * 0.01
            x = x / (1 + x * x) + 0.2 * x
        return snp.sum(x * x)

    x = RNG.normal(size=150)
    assert kernels(value_and_grad(f), (x,), (2 * x,)) == ["program"]


def test_sums_that_lanes_need_again():
    """What depends on a sum is computed behind it, whichever phase it would belong to."""

    def f(p, y):
        y = lorenz(p, y)
        y = y / snp.sqrt(snp.sum(y * y))
        return snp.sum(snp.sin(y) * y[0])

    y = RNG.normal(size=(3, 140))
    kernels(value_and_grad(f, (0, 1)), (PARAMETERS, y), (2 * PARAMETERS, y))


def test_series_and_tables_beside_lanes():
    def f(p, y, series):
        total = 0.0
        for k in range(14):
            y = y + 0.01 * slope(p, y) * series[k] + (0.1, 0.2, 0.3, 0.5)[k % 4] * snp.cos(y)
            total = total + snp.sum(y[1] * series[13 - k])
        return total

    y, series = RNG.normal(size=(3, 129)), RNG.normal(size=14)
    point = PARAMETERS, y, series
    assert "lanes" in kernels(value_and_grad(f, (0, 1, 2)), point, (PARAMETERS, y, series[::-1]))
