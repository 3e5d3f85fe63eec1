"""The machine of jit: each instruction, rearrangements, loops, and what is left to Python."""

import itertools

import numpy as np
import pytest

import scigrad.numpy as sgnp
from scigrad import grad, hessian, jit, jvp, linalg, signal, value_and_grad
from scigrad.programs import codes
from scigrad.programs.machine import machine
from scigrad.testing import assert_close
from scigrad.testing.random_programs import draw_program

pytestmark = [
    pytest.mark.fills_arrays,  # under check_writes functions run as they are
    pytest.mark.skipif(machine() is None, reason="Numba compiles the machine"),
]
RNG = np.random.default_rng(5)
EDGES = np.array([0.0, -0.0, 1.0, -1.5, 0.5, np.inf, -np.inf, np.nan, 1e-300, 3e200])


def program_of(jitted):
    """Return the one program of a function."""
    (signature,) = jitted.signatures.values()
    return signature.programs[0].program


def operations(jitted):
    """Return the codes of the instructions."""
    return [int(row[0]) for row in program_of(jitted)._rows]


def agree(jitted, f, *points):
    with np.errstate(all="ignore"):
        for x in points:
            assert_close(jitted(*x), f(*x), 1e-14)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [n for n in codes.UNARY if n != "logical_not"])
def test_functions_of_one_number(name):
    def f(x):
        return getattr(sgnp, name)(x) + 0.0

    jitted = jit(f)
    agree(jitted, f, (EDGES,), (EDGES[::-1].copy(),), (RNG.normal(size=10),))
    assert codes.UNARY[name] in operations(jitted)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [n for n in codes.BINARY if not n.startswith("logical")])
def test_functions_of_two_numbers(name):
    def f(x, y):
        return getattr(sgnp, name)(x, y) + 0.0

    pairs = np.array(list(itertools.product(EDGES, EDGES))).T
    jitted = jit(f)
    agree(jitted, f, (pairs[0].copy(), pairs[1].copy()), (pairs[1].copy(), pairs[0].copy()))
    assert codes.BINARY[name] in operations(jitted)


def test_truth_values():
    def f(x, y):
        return np.where((x > 0) & ~(y > x) | (x == y), x, y)

    jitted = jit(f)
    x, y = RNG.normal(size=(2, 30))
    agree(jitted, f, (x, y), (y, x), (x, x))
    assert {codes.SELECT, codes.LOGICAL_AND, codes.LOGICAL_OR} <= set(operations(jitted))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
def test_complex_arithmetic(name):
    def f(x, y):
        return getattr(np, name)(x, y)

    x, y = RNG.normal(size=(2, 6, 2)).view(complex)[..., 0]
    jitted = jit(f)
    agree(jitted, f, (x, y), (y, x), (x, 1j * y.real), (1j * x.imag, y))
    assert codes.COMPLEX[name] in operations(jitted)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.exp(x) * np.conj(x),
        lambda x: np.abs(x) + x.real - x.imag,
        lambda x: x**2 / (1 + x),
        lambda x: np.sum(x, axis=0) @ x.T,
    ],
)
def test_complex_functions(f):
    x = RNG.normal(size=(3, 2, 2)).view(complex)[..., 0]
    agree(jit(f), f, (x,), (2 * x,))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x[::-1, 1:] * 2,
        lambda x: np.stack([x[0], x[1], 3 * x[0]]),
        lambda x: np.pad(x, 1) + 1,
        lambda x: np.diag(x[0]) @ x[:, :1],
        lambda x: np.tril(x @ x.T, -1).T,
        lambda x: np.concatenate([x, x], axis=1) * np.concatenate([x, 2 * x], axis=1),
        lambda x: np.broadcast_to(x[0], (5, 3)) * np.arange(5.0)[:, None],
        lambda x: np.roll(x, 1, axis=1).ravel()[::2],
        lambda x: np.moveaxis(x[None], 0, 2).reshape(3, 3),
        lambda x: np.sum(x, axis=0) + np.sum(x, axis=(0, 1)) + np.sum(x.T, axis=1, keepdims=True),
        lambda x: x[[0, 2, 0]] - x[[1, 1, 1]],
        lambda x: x - 0.0 * x + 1.0 * x,
    ],
)
def test_rearrangements(f):
    x = RNG.normal(size=(3, 3))
    for g in (f, grad(lambda x: np.sum(np.sin(f(x))))):
        agree(jit(g), g, (x,), (x.T,), (np.asfortranarray(2 * x),))


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("n", [1, 2, 5, 16, 17])
def test_systems(n, dtype):
    a = (RNG.normal(size=(n, n)) + (1j * RNG.normal(size=(n, n)) if dtype is complex else 0)) + 3
    for b in (RNG.normal(size=n).astype(dtype), RNG.normal(size=(n, 2)).astype(dtype)):

        def f(a, b):
            return np.sum(np.abs(linalg.solve(a, b)) ** 2)

        jitted = jit(value_and_grad(f, (0, 1)))
        for point in ((a, b), (a[::-1].copy(), 2 * b)):
            found, expected = jitted(*point), value_and_grad(f, (0, 1))(*point)
            assert_close(found, expected, 1e-9)
        assert any(c in (codes.LU, codes.Z_LU) for c in operations(jitted)) == (n <= 16)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("n", [1, 2, 5, 16, 17])
def test_exponentials(n, dtype):
    a = (RNG.normal(size=(n, n)) + (1j * RNG.normal(size=(n, n)) if dtype is complex else 0)) / n
    e = RNG.normal(size=(n, n)).astype(dtype)
    weights = RNG.normal(size=(n, n))

    def f(a):
        return np.sum(weights * np.abs(linalg.expm(a)) ** 2)

    def slope(a):
        return jvp(linalg.expm, (a,), (e,))

    turn = a - a.conj().T  # its exponential is unitary, with however many squarings
    for g in (value_and_grad(f), slope, grad(lambda a: np.sum(np.abs(slope(a)[1]) ** 2))):
        jitted = jit(g)
        for x in (a, a.T.copy(), 1e-3 * a, 20 * turn, 200 * turn, np.triu(a), 0 * a):
            assert_close(jitted(x), g(x), 1e-10)
        found = any(c in (codes.EXPM, codes.Z_EXPM) for c in operations(jitted))
        assert found == (1 < n <= 16)


def test_exponentials_of_what_is_not_finite():
    jitted = jit(value_and_grad(lambda a: np.sum(linalg.expm(a))))
    jitted(RNG.normal(size=(3, 3)))
    value, slope = jitted(np.full((3, 3), np.nan))
    assert np.isnan(value)
    assert np.isnan(slope).all()


@pytest.mark.parametrize("steps", [3, 20])
def test_exponentials_in_loops(steps):
    h, w = RNG.normal(size=(2, 4, 4))

    def f(controls):
        state = np.eye(4)[0]
        for c in controls:
            state = linalg.expm(0.1 * (h + c * w)) @ state
        return np.sum(state**3)

    jitted = jit(value_and_grad(f))
    controls = RNG.normal(size=steps)
    for point in (controls, 3 * controls, -controls):
        assert_close(jitted(point), value_and_grad(f)(point), 1e-12)  # errors of all steps
    assert steps < 10 or codes.REPEAT in operations(jitted)


# -- loops


def rk4(f, x, h):
    k1 = f(x)
    k2 = f(x + h / 2 * k1)
    k3 = f(x + h / 2 * k2)
    k4 = f(x + h * k3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def pendulum(p, x):
    for _ in range(60):
        x = rk4(lambda x: np.stack([x[1], -p[0] * np.sin(x[0]) - p[1] * x[1]]), x, 0.05)
    return np.sum(x**2)


def test_loops_are_found_forwards_and_backwards():
    f = value_and_grad(pendulum, (0, 1))
    jitted = jit(f)
    agree(jitted, f, (np.array([1.0, 0.1]), np.array([1.0, 0.0])), (np.ones(2), np.ones(2)))
    program = program_of(jitted)
    assert len(program.loops) == 2
    assert len(program._rows) < program.steps / 15


def test_loops_that_read_arrays_constants_and_each_other():
    times = np.linspace(0, 1, 40)
    weights = [float(w) for w in RNG.normal(size=40)]
    matrices = list(RNG.normal(size=(40, 2, 2)) / 3)

    def f(x, ys):
        kept = []
        for k in range(40):
            x = np.tanh(matrices[k] @ x + weights[k] * ys[k] + times[k])
            kept.append(x[0])
        return np.sum(np.stack(kept) * ys[:, 0]) + x[1]

    g = value_and_grad(f, (0, 1))
    jitted = jit(g)
    x, ys = RNG.normal(size=2), RNG.normal(size=(40, 2))
    agree(jitted, g, (x, ys), (ys[0], ys[::-1].copy()))
    assert program_of(jitted).loops


@pytest.mark.parametrize("step", ["every other", "growing", "modulo"])
def test_irregular_indices_are_no_loop_but_right(step):
    indices = {
        "every other": [k % 2 * (k // 2) for k in range(30)],
        "growing": [k * (k + 1) // 2 % 30 for k in range(30)],
        "modulo": [k % 3 for k in range(30)],
    }[step]

    def f(x, ys):
        for i in indices:
            x = np.sin(x + ys[i])
        return x

    g = value_and_grad(lambda x, ys: np.sum(f(x, ys)), (0, 1))
    agree(jit(g), g, (np.ones(2), RNG.normal(size=(30, 2))), (np.zeros(2), np.ones((30, 2))))


def test_a_loop_with_a_system_in_it():
    observation = np.array([[1.0, 0.0]])

    def f(q, ys):
        x, p, total = np.zeros(2), np.eye(2), 0.0
        transition = np.array([[1.0, 0.1], [0.0, 1.0]])
        for y in ys:
            x = transition @ x
            p = transition @ p @ transition.T + q * np.eye(2)
            s = observation @ p @ observation.T + 0.5
            gain = linalg.solve(s, observation @ p).T
            r = y - observation @ x
            x = x + gain @ r
            p = p - gain @ observation @ p
            total = total + np.sum(r * linalg.solve(s, r)) + np.log(s[0, 0])
        return total

    ys = RNG.normal(size=(50, 1))
    g = value_and_grad(f, (0, 1))
    jitted = jit(g)
    for q in (0.1, 0.7):
        assert_close(jitted(q, ys), g(q, ys), 1e-11)
    assert len(program_of(jitted).loops) >= 2
    assert len(operations(jitted)) < program_of(jitted).steps / 8


def test_loops_whose_first_rounds_are_others():
    def f(noise, readings):
        motion, drift = np.array([[1.0, 1.0], [0.0, 1.0]]), np.exp(noise[0]) * np.eye(2)
        state, covariance, total = np.zeros(2), 10.0 * np.eye(2), 0.0
        for reading in readings:
            state, covariance = motion @ state, motion @ covariance @ motion.T + drift
            innovation, spread = reading - state[0], covariance[0, 0] + np.exp(noise[1])
            gain = covariance[:, 0] / spread
            state = state + gain * innovation
            covariance = covariance - np.outer(gain, covariance[0])
            total = total + innovation**2 / spread + np.log(spread)
        return total

    g = value_and_grad(f)
    jitted = jit(g)
    for noise in (np.zeros(2), np.array([-1.0, 0.5])):
        for readings in RNG.normal(size=(2, 40)):
            assert_close(jitted(noise, readings), g(noise, readings), 1e-11)
    assert len(operations(jitted)) < program_of(jitted).steps / 8


def test_a_hessian_and_loops_within_batches():
    def f(x):
        return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    jitted = jit(hessian(f))
    agree(jitted, hessian(f), (RNG.normal(size=10),), (RNG.normal(size=10),))


# -- Python's lines


def test_large_arrays_and_other_functions_are_calls():
    b, a = np.array([0.2, 0.3, 0.1]), np.array([1.0, -0.4, 0.1])
    f = value_and_grad(lambda x: np.sum(signal.lfilter(b, a, x) ** 2))
    jitted = jit(f)
    agree(jitted, f, (RNG.normal(size=3000),), (RNG.normal(size=3000),))
    assert "lines" not in program_of(jitted).source


def test_programs_without_numba(monkeypatch):
    monkeypatch.setattr("scigrad.programs.program.machine", lambda: None)
    f = value_and_grad(pendulum, (0, 1))
    jitted = jit(f)
    agree(jitted, f, (np.array([1.0, 0.1]), np.array([1.0, 0.0])), (np.ones(2), np.ones(2)))
    assert not operations(jitted)


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_lengths_of_any_size_are_instructions(axis, scale):
    x = RNG.normal(size=(3, 5))
    jitted = jit(value_and_grad(lambda x: np.sum(np.linalg.norm(x, axis=axis))))
    agree(jitted, jitted.f, (x,), (scale * x,))
    assert not jitted.report(x).calls


def test_loops_with_lengths_are_loops():
    def f(x):
        y = x
        for _ in range(20):
            y = y / np.linalg.norm(y + x)
        return y

    jitted = jit(f)
    assert len(jitted.report(EDGES[1:5]).loops) == 1
    agree(jitted, f, (EDGES[1:5],), (RNG.normal(size=4),))


def test_six_rounds_of_which_no_two_are_alike():
    program = draw_program(5, 52)
    jitted = jit(value_and_grad(lambda *args: sgnp.real(program(*args)), (0, 1, 2, 3)))
    agree(jitted, jitted.f, program.point, program.point)
