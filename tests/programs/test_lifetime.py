"""jit: signatures, threads, pickling and reports of programs."""

import itertools
import pickle
import re
import threading
from pathlib import Path

import numpy as np
import pytest

from scigrad import grad, jit, value_and_grad
from scigrad.programs.function import MOST_SIGNATURES
from scigrad.testing import assert_close
from scigrad.testing.recorded_programs import NOT_RECORDED

pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


X = np.linspace(0.5, 1.5, 5)


# -- life of a program


def test_signatures_are_forgotten():
    program = jit(lambda x: 2 * x)
    for n in range(MOST_SIGNATURES + 5):
        assert program(np.ones(n)).shape == (n,)
    assert len(program.signatures) == MOST_SIGNATURES


def test_threads_run_programs_at_a_time():
    program = jit(value_and_grad(rosenbrock))
    points = [X * i for i in range(1, 9)]
    expected = [value_and_grad(rosenbrock)(x) for x in points]
    failures = []

    def run(x, wanted):
        for _ in range(200):
            value, gradient = program(x)
            if not (np.isclose(value, wanted[0]) and np.allclose(gradient, wanted[1])):
                failures.append(x)

    threads = [
        threading.Thread(target=run, args=pair) for pair in zip(points, expected, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_pickled_programs_are_recorded_again():
    program = pickle.loads(pickle.dumps(jit(rosenbrock)))
    assert program(X) == rosenbrock(X)


def test_options_are_checked():
    with pytest.raises(ValueError, match="branches must be"):
        jit(rosenbrock, branches="both")
    with pytest.raises(ValueError, match="not negative"):
        jit(rosenbrock, static_argnums=-1)
    with pytest.raises(TypeError, match="array of objects"):
        jit(rosenbrock)(np.array([None]))


# -- what it says of itself


def test_reports():
    def f(x):
        for _ in range(30):
            x = np.sin(x) + x
        return x

    report = jit(f).report(X)
    assert report.steps == 60
    assert report.instructions < 20
    assert report.loops == [(30, 2)]
    assert report.calls == []
    assert jit(np.cumsum).report(X).calls == ["cumsum"]
    with pytest.raises(ValueError, match="there is no program"):
        grad(lambda c: jit(lambda x: c * x).report(3.0))(2.0)


def test_the_page_names_what_cannot_be_recorded():
    page = (Path(__file__).parents[2] / "docs" / "jit.md").read_text(encoding="utf-8")
    table = page.partition("| reason | functions |")[2].partition("\n\n")[0]
    assert set(re.findall("`([a-z_.0-9]+)`", table)) == set(NOT_RECORDED)


@pytest.mark.parametrize("n", [3, 3000])  # on the machine, and as calls
def test_results_share_no_memory(n):
    constant = np.arange(float(n))

    def f(x):
        y = x * 2
        return x, y, y, y[::-1], constant, np.conj(x), x * np.ones(n), np.reshape(y, (n, 1))

    jitted, x = jit(f), np.linspace(-1, 2, n)
    kept, found = jitted(x), [x, constant]
    for _ in range(2):
        found += jitted(x)
        assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(found, 2))
    for array in found[2:]:
        array[:] = 0.0
    assert_close(jitted(x), f(x), 0)
    assert_close(kept, f(x), 0)
