"""jit: what a recorded program would do otherwise than its function is refused by name."""

import random
import types

import numpy as np
import pytest

from scigrad import TracedValueError, jit

pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are


def _catches(x):
    try:
        return 10.0 * float(x[0])
    except TypeError:
        return x[0]


def _fills_a_host_array(x):
    out = np.zeros(2)
    out[0] = x[1]
    return out


def _appends(x, found):
    found.append(x)
    return sum(found)


def _sets_an_item(x, found):
    found["last"] = x
    return 2 * x


def _sets_an_attribute(x, found):
    found.last = x
    return 2 * x


@pytest.mark.parametrize(
    ("f", "others", "error", "message"),
    [
        (_catches, (), TracedValueError, "float"),
        (_fills_a_host_array, (), TracedValueError, "float"),
        (_appends, ([1.0],), TracedValueError, "changes a list"),
        (_sets_an_item, ({"first": 1.0},), TracedValueError, "changes a list, a dict"),
        (_sets_an_attribute, (types.SimpleNamespace(),), TracedValueError, "changes"),
        (lambda x: 2 * x if np.random.rand() < 2 else x, (), TracedValueError, "numpy.random"),  # noqa: NPY002
        (lambda x: x * random.choice([2.0, 2.0]), (), TracedValueError, "draws from random, "),
    ],
)
def test_what_a_program_would_do_otherwise_is_refused(f, others, error, message):
    with pytest.raises(error, match=message):
        jit(f)(np.array([1.0, 2.0]), *others)


def test_functions_of_integers_or_of_nothing_are_constant():
    assert jit(lambda a, b: a * b)(2, 3) == 6
    assert np.array_equal(jit(lambda: np.ones(2))(), np.ones(2))


def test_objects_that_answer_for_any_attribute_are_looked_at_without_asking_them():
    class Settings(dict):
        __getattr__ = dict.__getitem__

    settings = Settings(k=2.0)
    f = jit(lambda x: x * settings.k)
    assert f(3.0) == 6
    settings["k"] = 5.0
    assert f(3.0) == 15


def test_a_function_with_a_long_list_runs_as_it_is(caplog):
    numbers = [float(i) for i in range(20_000)]
    f = jit(lambda x: x * numbers[3])
    assert f(2.0) == f(2.0) == 6
    assert "too many objects" in caplog.text
