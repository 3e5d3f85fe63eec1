"""jit: what a user sees of a recorded function."""

import itertools
import logging
import re
from dataclasses import dataclass

import numpy as np
import pytest

import scigrad
from scigrad import TracedValueError, grad, hessian, jit, jvp, linalg, value_and_grad
from scigrad.programs.function import MOST_BRANCHES
from scigrad.testing import assert_close

pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are
random = np.random.default_rng(3)


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def count_runs(f):
    """Return a function that counts the runs of its body where nobody looks, and the counter."""
    counter = itertools.count().__next__

    def counted(*args):
        counter()
        return f(*args)

    return counted, counter


X = np.linspace(0.5, 1.5, 5)


# -- programs run in place of the function


def test_the_function_is_not_run_again():
    f, counter = count_runs(rosenbrock)
    program = jit(value_and_grad(f))
    program(X)
    after_recording = counter()
    for point in (X, X + 1, -X):
        assert_close(program(point), value_and_grad(rosenbrock)(point), 1e-13)
    assert counter() == after_recording + 1


@dataclass
class State:
    position: np.ndarray
    mass: float
    name: str = "first"


def test_containers_named_arguments_and_static_ones():
    def f(state, power, *, scale):
        return {"y": state.position**power * scale, "m": (state.mass, None)}

    program = jit(f, static_argnums=1, static_argnames="scale")
    for state in (State(X, 2.0), State(2 * X, 3.0)):
        for power in (2, 3):
            found = program(state, power, scale=2)
            assert_close(found["y"], state.position**power * 2, 1e-14)
            assert found["m"] == (state.mass, None)


def test_sparse_arrays_are_arguments():
    a = scigrad.sparse.csr_array(np.array([[2.0, 1.0], [0.0, 3.0]]))
    program = jit(lambda a, b: a @ b)
    program(a, np.ones(2))
    assert_close(program(2 * a, np.ones(2)), np.array([6.0, 6.0]), 1e-14)


def test_methods_see_attributes_as_they_are():
    class Spring:
        def __init__(self, k):
            self.k = k

        @jit
        def energy(self, x):
            return np.sum(self.k * x**2)

    spring = Spring(2.0)
    assert spring.energy(X) == pytest.approx(2 * np.sum(X**2))
    spring.k = 3.0
    assert spring.energy(X) == pytest.approx(3 * np.sum(X**2))
    assert Spring(5.0).energy(X) == pytest.approx(5 * np.sum(X**2))


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_dtypes_are_those_of_the_function(dtype):
    def f(x):
        return (np.sum(x * x), x / 2, 1 + x[:2])

    x = X.astype(dtype)
    for found, expected in zip(jit(f)(x), f(x), strict=True):
        assert found.dtype == expected.dtype
        assert_close(found, expected, 1e-6)


def test_integers_and_truth_values():
    def f(n, mask, x):
        return (n + 1, n // 2, ~mask, np.where(mask, x, -x), x[n])

    n, mask = np.array([2, 0, 1]), np.array([True, False, True, True, False])
    program = jit(f)
    for args in ((n, mask, X), (n[::-1], ~mask, X + 1)):
        for found, expected in zip(program(*args), f(*args), strict=True):
            assert found.dtype == expected.dtype
            assert_close(found, expected, 1e-14)


def test_results_are_the_callers_own():
    constant = np.ones(3)
    program = jit(lambda x: (x, x[:2], constant, x + 0))
    first = program(np.zeros(3))
    for y in first:
        y[...] = 7
    second = program(np.zeros(3))
    assert [float(y.sum()) for y in second] == [0, 0, 3, 0]
    assert constant.sum() == 3


@pytest.mark.parametrize("n", [10, 5000])
def test_a_work_array_that_is_filled_again(n):
    def f(x):
        w = np.ones(n)
        y = np.sum(x * w)
        w[:] = 2
        view = np.broadcast_to(w, (2, n))
        y = y + np.sum(x * view)
        w[:] = 3
        return y + np.sum(np.concatenate([x * w, w])) + np.sum(x * view)

    x = np.linspace(0, 1, n)
    assert_close(jit(f)(x), f(x), 1e-13)
    assert_close(jit(f)(2 * x), f(2 * x), 1e-13)


# -- branches


def test_branches_are_recorded_when_they_are_met():
    program = jit(lambda x: 2 * x if x > 0 else -x)
    assert [program(x) for x in (1.0, -2.0, 3.0, -4.0)] == [2.0, 2.0, 6.0, 4.0]


def test_many_branches_run_as_they_are(caplog):
    def f(x):
        for i in range(20):
            if x < i:
                return x * i
        return x

    program = jit(f)
    with caplog.at_level(logging.WARNING, "scigrad"):
        assert [program(i - 0.5) for i in range(15)] == [(i - 0.5) * i for i in range(15)]
    assert f"more than {MOST_BRANCHES} ways" in caplog.text
    assert re.search(r"decided at .*test_function.py:\d+: .*while_loop", caplog.text)


def test_branches_are_refused_by_option():
    with pytest.raises(TracedValueError, match=r"bool\(\) of a traced value at .*test_function.py"):
        jit(lambda x: x if x > 0 else -x, branches="refuse")(1.0)


@pytest.mark.parametrize("f", [float, complex, lambda x: x[x > 0], np.unique])
def test_values_that_a_program_cannot_depend_on_are_refused(f):
    with pytest.raises(TracedValueError):
        jit(f)(X[0] if f in (float, complex) else X)


# -- nothing is stale


def test_captured_arrays_cells_and_globals_are_looked_at():
    a, scale = np.arange(3.0), [2.0]
    program = jit(lambda x: np.sum(a * x) * scale[0])
    assert program(np.ones(3)) == 6
    a[1] = 5
    assert program(np.ones(3)) == 14
    scale[0] = 1.0
    assert program(np.ones(3)) == 7
    a = np.ones(3)
    assert program(np.ones(3)) == 3


def test_large_captured_arrays_are_looked_at():
    a = np.ones((200, 50))
    program = jit(lambda x: np.sum(a * x))
    program(1.0)
    a[:] = 2
    assert program(1.0) == 20_000


def _helper(x):
    return x * FACTOR


FACTOR = 2.0


def test_globals_of_functions_that_are_called(monkeypatch):
    program = jit(lambda x: _helper(x) + 1)
    assert program(1.0) == 3
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert program(1.0) == 6
    monkeypatch.setitem(globals(), "_helper", lambda x: -x)
    assert program(1.0) == 0


def test_random_numbers_are_refused_by_name():
    rng = np.random.default_rng(0)
    with pytest.raises(TracedValueError, match="draws from rng"):
        jit(lambda x: x * rng.normal())(1.0)


def test_a_function_that_changes_what_it_uses_is_refused():
    seen = []

    def f(x):
        seen.append(1)
        return 2 * x

    with pytest.raises(TracedValueError, match="changes seen"):
        jit(f)(1.0)


def test_errors_that_a_function_catches_are_part_of_its_way():
    @jit
    def f(a):
        try:
            return linalg.cholesky(a)
        except linalg.LinAlgError:
            return 0 * a

    identity = np.eye(2)
    for a in (-identity, identity, -identity, 4 * identity):  # the recorded call raises
        assert_close(f(a), f.f(a), 1e-15)


def test_arrays_with_another_arithmetic_are_refused():
    masked = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])
    for x in (masked, np.ones((2, 2)).view(np.matrix)):
        with pytest.raises(TracedValueError, match="differ from those of an array"):
            jit(lambda x: np.sum(x * x))(x)


class OfHashZero:
    """Object whose hash is that of all others."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return 0


def test_equal_static_values_of_different_types_are_different():
    program = jit(lambda x, n: x * 0 + 1 / np.float64(n[0]), static_argnums=1)
    with np.errstate(divide="ignore"):
        found = [program(1.0, (n,)) for n in (0.0, -0.0)]
    assert found == [np.inf, -np.inf]
    name = jit(lambda x, n: x * len(str(n)), static_argnums=1)
    assert [name(1.0, (n,)) for n in (1, 1.0, True)] == [4, 6, 7]
    number = jit(lambda x, n: x * n.number, static_argnums=1)
    assert [number(1.0, OfHashZero(n)) for n in (1, 2)] == [1, 2]


def test_a_closed_over_traced_value_is_differentiated():
    assert grad(lambda c: jit(lambda x: c * x)(3.0))(2.0) == 3.0
    assert jit(grad(lambda c: jit(lambda x: c * x)(3.0)))(2.0) == 3.0


# -- errors, warnings and contexts are those of the function


def test_errors_are_those_of_the_function():
    program = jit(lambda a, b: linalg.solve(a, b))
    a, b = np.array([[2.0, 1.0], [1.0, 3.0]]), np.ones(2)
    assert_close(program(a, b), linalg.solve(a, b), 1e-14)
    with pytest.raises(linalg.LinAlgError, match="solve: argument 'a' of shape"):
        program(0 * a, b)
    with pytest.raises(ValueError, match="must not contain infs or NaNs"):
        program(a * np.nan, b)
    assert_close(program(a + 1, b), linalg.solve(a + 1, b), 1e-14)


def test_warnings_are_those_of_the_function():
    program = jit(np.log)
    program(2.0)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert program(0.0) == -np.inf


def test_ill_conditioned_systems_warn():
    program = jit(lambda a, b: linalg.solve(a, b))
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    program(a, np.ones(2))
    near = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-16 * 3]])
    with pytest.warns(Warning, match="[Ii]ll-conditioned"):
        program(near, np.ones(2))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_masked_branches_have_the_derivatives_of_the_function():
    def f(x):
        return np.sum(np.where(x > 0, np.sqrt(np.abs(x)), 0.0))

    program = jit(grad(f))
    for x in (np.array([1.0, 4.0]), np.array([0.0, 4.0]), np.array([1.0, -2.0])):
        assert_close(program(x), grad(f)(x), 1e-13)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_debug_nans_looks_into_the_function():
    program = jit(grad(lambda x: np.sqrt(x) * 0))
    program(1.0)
    with scigrad.debug_nans(), pytest.raises(FloatingPointError):
        program(0.0)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "transform",
    [
        lambda f: hessian(lambda a: np.sum(f(a))),
        lambda f: grad(lambda a: np.sum(f(a))),
        lambda f: lambda a: jvp(f, (a,), (np.arange(4.0).reshape(2, 2),)),
    ],
)
@pytest.mark.parametrize(
    "f",
    [np.abs, linalg.norm, lambda a: linalg.norm(a, np.inf), lambda a: linalg.eigh(a + a.T)[0]],
)
def test_kinks_and_equal_eigenvalues_are_those_of_the_function(f, transform):
    program = jit(transform(f))
    for a in (np.array([[1.0, 2.0], [3.0, 5.0]]), np.zeros((2, 2)), np.eye(2)):
        assert_close(program(a), transform(f)(a), 1e-10)


def test_errors_of_floating_point_numbers_and_texts_are_refused():
    def caught(x):
        with np.errstate(divide="raise"):
            try:
                return 1 / x
            except FloatingPointError:
                return 0 * x

    with pytest.raises(TracedValueError, match=r"errstate.*test_function"):
        jit(caught)(np.ones(2))
    with pytest.raises(TracedValueError, match=r"format\(\)"):
        jit(lambda x: f"{x:.2f}")(1.0)


def test_calls_without_an_effect_are_left_out():
    def f(x):
        return np.sum(np.conj(x) * 1.0 / np.ones(3) * np.sin(x))

    assert jit(f).report(random.normal(size=3)).steps == 3
    x = np.array([np.inf + 1j, 1j, 0])
    with np.errstate(invalid="ignore"):
        assert_close(jit(lambda x: x * (1 + 0j))(x), x * (1 + 0j), 0)
    assert jit(lambda x: x * 1.0)(np.arange(3, dtype=np.float32)).dtype == np.float32
    assert jit(lambda x: x * np.ones(3))(np.arange(3, dtype=np.float32)).dtype == np.float64
