"""jit: derivatives and batches of recorded functions, which are recorded."""

import itertools

import numpy as np
import pytest

from scigrad import grad, hessian, jit, jvp, vjp, vmap
from scigrad.testing import assert_close

pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


X = np.linspace(0.5, 1.5, 5)


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: grad(f),
        lambda f: hessian(f),
        lambda f: lambda x: jvp(f, (x,), (np.ones(5),)),
        lambda f: lambda x: vjp(f, x)[1](1.0),
        lambda f: lambda x: vmap(f)(np.stack([x, 2 * x])),
        lambda f: lambda x: vmap(grad(f))(np.stack([x, 2 * x])),
        lambda f: grad(lambda x: vmap(f)(np.stack([x, 2 * x])).sum()),
        lambda f: grad(lambda x: np.sum(grad(f)(x) ** 2)),
        lambda f: hessian(lambda x: np.sum(grad(f)(x) ** 2)),
    ],
)
def test_transforms_of_programs_and_programs_of_transforms(transform):
    expected = transform(rosenbrock)(X)
    assert_close(transform(jit(rosenbrock))(X), expected, 1e-12)
    assert_close(jit(transform(rosenbrock))(X), expected, 1e-12)
    assert_close(jit(transform(jit(rosenbrock)))(X), expected, 1e-12)


@pytest.mark.parametrize("transform", [grad, hessian, vmap, lambda f: vmap(grad(f), in_axes=[0])])
def test_transforms_of_a_program_are_programs_made_once(transform):
    program = jit(rosenbrock)
    x = np.stack([X, 2 * X]) if transform not in (grad, hessian) else X
    assert transform(program).report(x).calls == []
    assert transform(program) is transform(program)


@pytest.mark.parametrize("transform", [grad, hessian])
def test_derivatives_of_a_function_that_calls_a_program_are_recorded(transform):
    counter = itertools.count().__next__

    def f(x):
        counter()
        return rosenbrock(x)

    program = jit(f)
    derivative = transform(lambda x: program(2 * x) + np.sum(x**3))
    derivative(X)
    after_recording = counter()
    expected = transform(lambda x: rosenbrock(2 * x) + np.sum(x**3))(X + 1)
    assert_close(derivative(X + 1), expected, 1e-12)
    assert counter() == after_recording + 1
