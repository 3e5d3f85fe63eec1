"""jit: numbers of Python's among the arguments remain such, and arrays keep their precision."""

import numpy as np
import pytest

from scigrad import cond, fori_loop, grad, jit, jvp, scan, value_and_grad, vmap, while_loop
from scigrad.autodiff_rules.containers import flatten
from scigrad.testing import assert_close

pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are


def looped(x, p):
    t = p
    for _ in range(12):
        x, t = x + 0.1 * t * x, t / 2 + 0.1
    return x, t


def steered(x, p):
    return x * (p + 1) if abs(p) > 1 else x / (p - 3)


def until(x, p):
    return while_loop(lambda c: c[1] < 4, lambda c: (c[0] * (2 * p), c[1] + 1), (x, 0))


FUNCTIONS = {
    "product": lambda x, p: x * p,
    "twice": lambda x, p: x * (2 * p),
    "numbers": lambda x, p: (2 * p, p * 2, -p, +p, abs(p), p - 1, 1 - p, p / 3, 3 / p, p + p),
    "power": lambda x, p: (p**2, p**3, p**-1, 2**p, p**0.5, x**p, p**p, x * p**2),
    "questions": lambda x, p: (p == 1.5, p != 1.5, x * (p == 2)),
    "functions": lambda x, p: (np.sin(p), np.exp(p) * x, np.sqrt(p + 5) * x, np.abs(p)),
    "in place": lambda x, p: add_in_place(p) * x,
    "number of NumPy's": lambda x, p: (np.float32(2) * p * x, np.float64(2) * p * x),
    "elements": lambda x, p: (x[0] * p, np.sum(x * p) * (1 / p), np.stack([x[0], x[1]]) * p),
    "loop": looped,
    "steered": steered,
    "scan": lambda x, p: scan(lambda c, y: (c * p, c + 3 * p * y), x[0], x),
    "fori": lambda x, p: fori_loop(0, 9, lambda i, c: (c[0] * (2 * p), c[1] + 0.1), (x, p)),
    "while": until,
    "cond": lambda x, p: cond(abs(p) > 1, lambda: x * (2 * p), lambda: x * (p - 2)),
}
REAL = {
    "order": lambda x, p: (p > 1, p <= 3.0, x * (p < 2), (p > 1) & (p < 3), (p > 1) + (p < 3)),
    "whole": lambda x, p: (p // 0.4, p % 0.4, divmod(p, 0.4), round(p, 1), round(p), 7 // p),
    "sums": lambda x, p: (np.sum(p), np.mean(p) + x, np.std(p), np.sum(p > 1), x + np.ravel(p)),
    "parts": lambda x, p: (p.real, p.imag, p.conjugate(), x + p.real),
    "chosen": lambda x, p: x * cond(p > 1, lambda: 2 * p, lambda: 3 - p),
}
EVERY = FUNCTIONS | REAL


def add_in_place(p):
    q = p
    q += 1
    q *= 2
    q **= 2
    return q - p


def kinds(out):
    return [getattr(leaf, "dtype", type(leaf)) for leaf in flatten(out)[0]]


def assert_same(found, expected, digits=1e-5):
    assert kinds(found) == kinds(expected)
    assert_close(found, expected, digits)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("points", [(1.5, 0.75, -2.5), (1.5 + 0.5j, 0.5j), (2, 3), (True,)])
@pytest.mark.parametrize("name", EVERY)
def test_results_have_the_types_of_the_function_as_it_is(name, points, dtype):
    if name in REAL and type(points[0]) is complex:
        return  # complex numbers have no order
    f, x = EVERY[name], np.linspace(0.5, 1.5, 4).astype(dtype)
    program = jit(f)
    for p in points:
        assert_same(program(x, p), f(x, p))
        assert_same(program(x, p), f(x, p))


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize("name", EVERY)
def test_derivatives_have_the_types_of_those_of_the_function_as_it_is(name, dtype):
    if name == "parts":
        return  # under transforms those of a number are NumPy's
    f, x = EVERY[name], np.linspace(0.5, 1.5, 4).astype(dtype)

    def loss(x, p):
        return p * np.sum(np.abs(x)) + sum(np.sum(np.abs(y) ** 2) for y in flatten(f(x, p))[0])

    def pushed(x, p):
        return jvp(f, (x, p), (x, 0.5))[1]

    batched, two = vmap(f, in_axes=(0, None)), np.stack([x, 2 * x])
    plain = [(value_and_grad(loss, (0, 1)), x), (grad(loss), x), (pushed, x), (batched, two)]
    for derivative, given in plain:
        program = jit(derivative)
        for p in (1.5, 1.25):
            assert_same(program(given, p), derivative(given, p))


def test_numbers_keep_their_value_where_another_name_is_assigned_to():
    def f(x):
        first, total = x[0], np.sum(x)
        kept = total
        first += 1
        total *= 2
        return first * x[0] * total * kept

    x = np.array([2.0, 3.0])
    assert jit(f)(x) == f(x) == 3 * 2 * 10 * 5
    assert_close(jit(grad(f))(x), grad(f)(x), 1e-14)
    assert_close(grad(jit(f))(x), grad(f)(x), 1e-14)


@pytest.mark.parametrize("f", [lambda p: 1 / (1 / p), lambda p: 1 / p**600, lambda p: p**-1.5])
def test_errors_of_numbers_are_those_of_python(f):
    program = jit(f)
    assert program(3.0) == pytest.approx(f(3.0))
    with pytest.raises((ZeroDivisionError, OverflowError)):
        program(0.0)


def test_a_root_of_a_negative_number_is_complex():
    program = jit(lambda p: 2 * p**0.5)
    for p in (4.0, -4.0, 9.0, -9.0):
        assert program(p) == 2 * p**0.5


def test_loops_of_numbers_are_loops_of_the_machine():
    def f(x, p):
        t = p
        for _ in range(100):
            x, t = x + 0.01 * t * x, t + 0.1 * p
        return x, t

    x = np.linspace(0.5, 1.5, 4)
    assert [rounds for rounds, _ in jit(f).report(x, 0.5).loops] == [99]
