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


def test_jvp_of_a_program_is_a_program_made_once():
    def f(p, y, scale=1.0):
        return scale * rosenbrock(p["x"] * y), p["x"]

    program, given, along = jit(lambda *args: f(*args)), ({"x": X}, 2.0), ({"x": np.ones(5)}, 0.5)
    for factor in (1, 2):
        point = {"x": factor * X}, given[1]
        assert_close(jvp(program, point, along), jvp(f, point, along), 1e-13)
    (made,) = program.transforms.values()
    assert made.report(*given, *along).calls == []
    value, tangent, aux = jvp(program, given, along, has_aux=True)
    assert_close((value, tangent, aux), jvp(f, given, along, has_aux=True), 1e-13)
    slope = grad(lambda x: jvp(program, ({"x": x}, 2.0), along)[1][0])
    assert_close(slope(X), grad(lambda x: jvp(f, ({"x": x}, 2.0), along)[1][0])(X), 1e-12)


@pytest.mark.parametrize(
    ("primals", "tangents", "error"),
    [
        (X, X, TypeError),
        ((X,), (X, X), TypeError),
        ((X,), (X[:2],), ValueError),
        ((3,), (1.0,), TypeError),
    ],
)
def test_errors_of_jvp_of_a_program_are_those_of_jvp(primals, tangents, error):
    for f in (np.sum, jit(lambda x: np.sum(x))):
        with pytest.raises(error):
            jvp(f, primals, tangents)
