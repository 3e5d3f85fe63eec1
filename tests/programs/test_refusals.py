"""jit: what a recorded program would do otherwise than its function is refused by name."""

import collections
import contextvars
import itertools
import random
import types
import weakref

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from scigrad import TracedValueError, jit

pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are


ITEMS = itertools.cycle([1.0, 1.0, 2.0])  # two equal runs prove nothing


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
        (lambda x: x * next(ITEMS), (), TracedValueError, "uses ITEMS, an iterator"),
        (_sets_an_item, (collections.UserDict(),), TracedValueError, "changes .*data"),
        (lambda x: brentq(lambda t: t**3 - x[1], 0, 5), (), TracedValueError, "brentq cannot take"),
        (
            lambda x: minimize(lambda t: np.sum((t - x) ** 2), x),
            (),
            TracedValueError,
            "minimize cannot take",
        ),
    ],
)
def test_what_a_program_would_do_otherwise_is_refused(f, others, error, message):
    with pytest.raises(error, match=message):
        jit(f)(np.array([1.0, 2.0]), *others)


def test_values_that_outlive_a_refused_recording_say_so():
    kept = types.SimpleNamespace()

    def f(x):
        kept.x = 2 * x
        return float(x)

    with pytest.raises(TracedValueError, match="float"):
        jit(f)(1.0)
    for use in (bool, int, float, np.sin, lambda x: x + 1, lambda x: f"{x:.2f}"):
        with pytest.raises(TracedValueError, match="kept after its transform"):
            use(kept.x)


@pytest.mark.parametrize(
    ("used", "read", "change"),
    [
        (collections.UserDict(a=1.0), lambda d: d["a"], lambda d: d.update(a=2.0)),
        (collections.ChainMap({"a": 1.0}), lambda d: d["a"], lambda d: d.update(a=2.0)),
        (contextvars.ContextVar("a", default=1.0), lambda v: v.get(), lambda v: v.set(2.0)),
        (weakref.ref(SETTINGS := np.ones(1)), lambda r: r()[0], lambda r: np.copyto(r(), 2.0)),
    ],
)
def test_what_other_containers_hold_is_looked_at(used, read, change):
    program = jit(lambda x: x * read(used))
    assert program(3.0) == 3
    change(used)
    assert program(3.0) == 6


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
