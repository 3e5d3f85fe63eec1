"""Loops and branches with JAX's signatures: values, derivatives, batches, programs."""

import time

import numpy as np
import pytest

from scigrad import (
    TracedValueError,
    checkpoint,
    cond,
    fori_loop,
    grad,
    hessian,
    jit,
    jvp,
    scan,
    switch,
    vmap,
    while_loop,
)
from scigrad.testing import assert_close, gradcheck, gradgradcheck

pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are
XS = np.array([0.3, -0.2, 0.5, 0.1])


def scanned(rate, xs):
    return scan(lambda c, x: (rate * c + x, {"y": c * x}), 1.0, xs)


def by_hand(rate, xs):
    c, ys = 1.0, []
    for x in xs:
        ys.append(c * x)
        c = rate * c + x
    return c, {"y": np.stack(ys)}


def test_scan_is_the_loop():
    assert_close(scanned(2.0, XS), by_hand(2.0, XS), 1e-14)
    found = scan(lambda c, x: (c + x, c), 0.0, XS, reverse=True)
    assert_close(found[1], np.array([0.4, 0.6, 0.1, 0.0]), 1e-14)
    assert scan(lambda c, _: (c * 2, None), 1.0, length=3) == (8.0, None)


@pytest.mark.parametrize("wrap", [lambda f: f, checkpoint])
def test_derivatives_of_scan(wrap):
    def loss(rate, xs):
        def step(carry, x):
            rate, c = carry
            return (rate, np.sin(rate * c) + x), c * x

        (_, c), ys = scan(wrap(step), (rate, 1.0), xs)
        return c + np.sum(ys**2)

    assert gradcheck(loss, 0.7, XS)
    assert gradgradcheck(loss, 0.7, XS)
    expected = grad(loss, (0, 1))(0.7, XS)
    assert_close(jit(grad(loss, (0, 1)))(0.7, XS), expected, 1e-13)
    assert_close(jit(hessian(loss))(0.7, XS), hessian(loss)(0.7, XS), 1e-12)
    rates = np.array([0.1, 0.7])
    assert_close(vmap(lambda r: loss(r, XS))(rates)[1], loss(0.7, XS), 1e-13)


def test_a_scan_of_nothing_has_the_shapes_of_one():
    carry, ys = scan(lambda c, x: (c, (x * 2, c)), 1.0, np.zeros((0, 3)))
    assert carry == 1.0
    assert [y.shape for y in ys] == [(0, 3), (0,)]


def test_carries_and_lengths_are_checked():
    with pytest.raises(TypeError, match=r"shape \(\) became one of \(2,\)"):
        scan(lambda c, x: (np.stack([c, c]), x), 1.0, XS)
    with pytest.raises(TypeError, match="structure"):
        fori_loop(0, 2, lambda i, c: (c, c), 1.0)
    with pytest.raises(ValueError, match="arrays of one length"):
        scan(lambda c, x: (c, x), 1.0, (XS, XS[1:]))
    with pytest.raises(ValueError, match="neither"):
        scan(lambda c, x: (c, x), 1.0)


def test_fori_loop_is_the_loop():
    def f(x):
        return fori_loop(1, 5, lambda i, y: y * x + i, 1.0)

    expected = 1.0
    for i in range(1, 5):
        expected = expected * 1.5 + i
    assert f(1.5) == jit(f)(1.5) == expected
    assert gradcheck(f, 1.5)


def test_while_loop_ends_for_each_element_by_itself():
    def f(x):
        return while_loop(lambda y: y < 100, lambda y: 2 * y, x)

    x = np.array([3.0, 50.0, 200.0])
    expected = np.array([192.0, 100.0, 200.0])
    assert_close(np.array([f(v) for v in x]), expected, 1e-14)
    assert_close(vmap(f)(x), expected, 1e-14)
    assert_close(vmap(grad(f))(x), np.array([64.0, 2.0, 1.0]), 1e-14)
    program = jit(f)
    assert_close(np.array([program(v) for v in x]), expected, 1e-14)
    assert_close(jit(vmap(f))(x), expected, 1e-14)
    assert jvp(f, (3.0,), (1.0,))[1] == 64.0


def newton(a):
    """Return the root of a in a number of steps that depends on it, and the number."""

    def step(state):
        i, x, _ = state
        change = (x * x - a) / (2 * x)
        return i + 1, x - change, change

    return while_loop(lambda s: (np.abs(s[2]) > 1e-12 * s[1]) & (s[0] < 50), step, (0, 1, 1.0 * a))


def powers(a, b):
    """Return the largest eigenvector and eigenvalue of a matrix, by steps of a loop in a loop."""

    def step(state):
        x, _ = state
        y = while_loop(lambda y: np.sum(y * y) < 100, lambda y: a @ y + 0 * b, x)
        x = y / np.sqrt(np.sum(y * y))
        return x, x @ a @ x

    return while_loop(lambda s: np.sum((a @ s[0] - s[1] * s[0]) ** 2) > 1e-20, step, (b, 0.0))


def test_while_loop_takes_as_many_steps_as_values_say():
    program, gradient = jit(newton), jit(grad(lambda a: newton(a)[1]))
    for a in (1.5, 2.0, 1e4, 1e-3, 0.5, 7.0, 70.0, 700.0, 1e8, 1e9):
        steps, root, change = newton(a)
        assert_close(program(a), (np.int64(steps), root, change), 1e-14)
    assert program.report(2.0).calls.count("while_loop") == 1
    assert_close(gradient(2.0), grad(lambda a: newton(a)[1])(2.0), 1e-14)
    program = jit(powers)
    for scale in (1.5, 2.0, 3.0):
        a, b = scale * np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.0, scale])
        assert_close(program(a, b), powers(a, b), 1e-12)
    assert len(program.quick) == 1
    ((signature,)) = program.quick.values()
    assert len(signature.programs) == 1


def test_while_loop_with_an_index_is_recorded_step_by_step():
    def f(a):
        def step(state):
            i, total = state
            return i + 1, total + np.arange(20.0)[i]

        return while_loop(lambda state: state[1] < a, step, (0, 0.0))[1]

    program = jit(f)
    for a in (3.0, 8.0, 20.0):
        assert program(a) == f(a)


def test_while_loop_refuses_other_shapes_and_clocks():
    with pytest.raises(TypeError, match=r"shape \(2,\) became one of \(4,\)"):
        jit(lambda a: while_loop(lambda x: np.sum(x) < a, lambda x: np.tile(x, 2), np.ones(2)))(9.0)
    with pytest.raises(TracedValueError, match="two runs with the same ones differ"):
        jit(lambda a: while_loop(lambda x: x < a, lambda x: x + time.time(), 0.0))(1e3)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_cond_selects():
    def f(x):
        return cond(x > 0, np.sqrt, lambda y: -y, x)

    x = np.array([4.0, -1.0, 0.0])
    assert_close(vmap(f)(x), np.array([2.0, 1.0, 0.0]), 1e-14)
    assert_close(vmap(grad(f))(x), np.array([0.25, -1.0, -1.0]), 1e-14)
    program, gradient = jit(f), jit(grad(f))
    assert_close(np.array([program(v) for v in x]), np.array([2.0, 1.0, 0.0]), 1e-14)
    assert_close(np.array([gradient(v) for v in x]), np.array([0.25, -1.0, -1.0]), 1e-14)


def test_switch_counts_indices_out_of_range_as_the_nearest():
    branches = [lambda x: x, lambda x: x**2, lambda x: x**3]
    index = np.array([-3, 0, 1, 2, 9])
    expected = np.array([2.0, 2.0, 4.0, 8.0, 8.0])
    assert_close(np.array([switch(i, branches, 2.0) for i in index]), expected, 1e-14)
    batched = vmap(lambda i: switch(i, branches, 2.0))
    assert_close(batched(index), expected, 1e-14)
    assert_close(jit(batched)(index), expected, 1e-14)
    assert grad(lambda x: switch(1, branches, x))(3.0) == 6.0
    with pytest.raises(ValueError, match="a branch at least"):
        switch(0, [])
