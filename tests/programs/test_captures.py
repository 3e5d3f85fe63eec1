"""jit: what a function uses beside its arguments is looked at before each run."""

import array
import collections
import contextlib
import dataclasses
import enum
import functools
import itertools
import logging
import sys
import types
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
import scipy.signal
import scipy.sparse

from scigrad import TracedValueError, jit
from scigrad.programs.captures import fingerprint

pytestmark = pytest.mark.fills_arrays  # under check_writes functions run as they are


class InSlots:
    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number

    def __call__(self, x):
        return x * self.number


class Base:
    shared = 2.0


class Derived(Base):
    def __init__(self, number):
        self.number = number

    @property
    def twice(self):
        return self.number * TABLE[0]

    def __getitem__(self, i):
        return TABLE[i]


class Named(NamedTuple):
    numbers: list
    scale: float = 1.0


class Kind(enum.IntEnum):
    DOUBLE = 2


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    numbers: list
    shared: ClassVar[float] = 1.0


TABLE = [2.0]


def _filling(owner, key, value):
    return lambda: owner.__setitem__(key, value)


# what f uses, how it is changed, and f
def _without_dictionary():
    named, frozen = Named([2.0]), Frozen([2.0])
    scaled = lambda x, u: x * u.numbers[0] * u.scale  # noqa: E731
    yield "named tuple", named, _filling(named.numbers, 0, 3.0), scaled
    shared = lambda x, u: x * u.numbers[0] * u.shared  # noqa: E731
    yield "frozen", frozen, _filling(frozen.numbers, 0, 3.0), shared
    counts = {Kind.DOUBLE: 2.0}
    yield "enum", counts, _filling(counts, Kind.DOUBLE, 3.0), lambda x, u: x * u[Kind.DOUBLE]


def _cases():
    yield from _without_dictionary()
    slots, derived = InSlots(2.0), Derived(2.0)
    yield "slots", slots, lambda: setattr(slots, "number", 3.0), lambda x, u: x * u.number
    yield "a call", slots, lambda: setattr(slots, "number", 5.0), lambda x, u: u(x)
    yield "property", derived, lambda: setattr(derived, "number", 3.0), lambda x, u: x * u.twice
    yield "global", derived, _filling(TABLE, 0, 7.0), lambda x, u: x * u.twice
    yield "operator", derived, _filling(TABLE, 0, 9.0), lambda x, u: x * u[0]
    yield "base", derived, lambda: setattr(Base, "shared", 3.0), lambda x, u: x * u.shared
    yield "hidden", derived, lambda: setattr(derived, "shared", 4.0), lambda x, u: x * u.shared
    name = "number"
    yield "name", derived, lambda: setattr(derived, name, 8.0), lambda x, u: x * getattr(u, name)
    yield "vars", derived, lambda: setattr(derived, name, 9.0), lambda x, u: x * vars(u)[name]
    space = types.SimpleNamespace(number=2.0)
    yield "namespace", space, lambda: setattr(space, "number", 3.0), lambda x, u: x * u.number
    for kind in (collections.deque, functools.partial(array.array, "d")):
        numbers = kind([2.0])
        yield "sequence", numbers, _filling(numbers, 0, 3.0), lambda x, u: x * u[0]
    octets = bytearray(b"2")
    yield "bytes", octets, _filling(octets, 0, 3), lambda x, u: x * u[0]
    many = [np.ones(1) for _ in range(3000)]
    yield "many", many, _filling(many[2999], 0, 3.0), lambda x, u: x * u[2999][0]
    matrix = scipy.sparse.csr_array(np.eye(3))
    yield "sparse", matrix, _filling(matrix.data, 0, 3.0), lambda x, u: (u @ (x * np.ones(3)))[0]
    system = scipy.signal.TransferFunction([1.0], [1.0, 2.0])
    yield "system", system, lambda: setattr(system, "num", [3.0]), lambda x, u: x * u.num[0]
    masked = np.ma.masked_array([1.0, 2.0], mask=[False, False])
    yield "mask", masked, _filling(masked, 1, np.ma.masked), lambda x, u: x * float(np.ma.sum(u))
    table = pytest.importorskip("xarray").DataArray(np.ones(3))
    yield "labels", table, _filling(table, 0, 3.0), lambda x, u: x * u.values[0]
    values = [2.0]
    cached = functools.lru_cache(lambda: values[0])

    def renew():
        values[0] = 3.0
        cached.cache_clear()

    yield "cache", cached, renew, lambda x, u: x * u()


@pytest.mark.parametrize(
    ("used", "change", "f"), [pytest.param(*case, id=name) for name, *case in _cases()]
)
def test_changes_are_seen(used, change, f):
    closed, static = jit(lambda x: f(x, used)), jit(f, static_argnums=1)
    before = f(2.0, used)
    assert closed(2.0) == static(2.0, used) == before
    change()
    assert f(2.0, used) != before
    assert closed(2.0) == static(2.0, used) == f(2.0, used)


def test_functions_are_looked_at():
    def f(x, a=[1.0], *, b=[1.0]):  # noqa: B006
        return x * a[0] * b[0] * f.number

    f.number = 1.0
    program = jit(f)
    assert program(2.0) == 2
    f.__defaults__[0][0] = 2.0
    assert program(2.0) == 4
    f.__kwdefaults__["b"][0] = 2.0
    assert program(2.0) == 8
    f.number = 2.0
    assert program(2.0) == 16
    f.__defaults__ = ([1.0],)
    assert program(2.0) == 8
    other = lambda x: x  # noqa: E731
    plain = lambda x: 2 * x  # noqa: E731
    program = jit(plain)
    assert program(2.0) == 4
    plain.__code__ = other.__code__
    assert program(2.0) == 2


def test_modules_that_a_function_imports_are_looked_at(monkeypatch):
    module = types.ModuleType("module_of_a_user")
    module.number, module.__file__ = 2.0, __file__
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def f(x):
        import module_of_a_user

        return x * module_of_a_user.number

    program = jit(f)
    assert program(2.0) == 4
    module.number = 3.0
    assert program(2.0) == 6


@pytest.mark.parametrize("shape", [(65,), (9, 8), (100, 2), (40, 50), (7, 11, 30)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "c16"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_each_element_of_a_small_array_is_looked_at(shape, dtype, order):
    x = np.ones(shape, dtype, order)
    for y in (x, x[::-1], x[..., ::2]):
        before = fingerprint(y)
        for i in range(0, y.size, max(1, y.size // 50)):
            index = np.unravel_index(i, y.shape)
            y[index] += 1
            assert fingerprint(y) != before
            y[index] -= 1
        assert fingerprint(y) == before


def test_a_work_array_may_be_filled():
    work = np.zeros(4)

    def f(x):
        for k in range(4):
            work[k] = k
        return x * np.sum(work)

    program = jit(f)
    assert program(2.0) == 12
    work[:] = 0
    assert program(2.0) == 12
    assert work.tolist() == [0, 1, 2, 3]


def test_a_change_in_another_branch_is_refused():
    seen = []

    @jit
    def f(x):
        if x > 0:
            seen.append(1)
        return 2 * x

    assert f(-1.0) == -2
    with pytest.raises(TracedValueError, match="changes seen"):
        f(1.0)


def _caught(x, numbers):
    with contextlib.suppress(Exception):
        return x * numbers()
    return x


@pytest.mark.parametrize(
    ("f", "where"),
    [
        (lambda x, numbers: x * numbers(), "test_captures"),
        (_caught, "test_captures"),
        (lambda x, numbers: (2 * x, numbers()), "returned"),
        (lambda x, numbers: [2 * x] * numbers(), "returned"),
        (lambda x, numbers: x if numbers() % 2 else -x, "test_captures|before it returns"),
    ],
)
def test_two_runs_that_differ_are_refused(f, where):
    numbers = itertools.count(1).__next__
    with pytest.raises(TracedValueError, match=f"not a function of its arguments.*({where})"):
        jit(lambda x: f(x, numbers))(1.0)


def test_too_many_objects_run_as_they_are(caplog):
    used = [[float(k)] for k in range(20_000)]
    program = jit(lambda x: x * used[19_999][0])
    with caplog.at_level(logging.WARNING, "scigrad"):
        assert program(1.0) == 19_999
    assert "too many objects" in caplog.text
    used[19_999][0] = 1.0
    assert program(1.0) == 1
