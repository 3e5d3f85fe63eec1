"""Functions in all the forms that Python has, with a second body."""

import inspect
import linecache
import traceback
import warnings
from importlib import import_module

import pytest

from scigrad import TracedValueError, adopt, grad
from scigrad.testing import gradcheck

HIDDEN = """
    import functools
    import math
    import operator
    from math import sin as sine
    import numpy as np

    TABLE = {"array": np.array, "call": lambda x: np.array([x, x]).sum()}

    class Indexed:
        __getitem__ = np.array
        total = staticmethod(lambda x: np.asarray([x, 2.0]).prod())

        def __init__(self):
            self.xp = np
            self.function = lambda x: self.xp.array([x]).sum()

        @property
        def method(self):
            return lambda x, make=np.array: make([x]).sum()

    indexed = Indexed()
    half = functools.partial(math.pow, 0.5)

    def decorate(f):
        return functools.wraps(f)(lambda *args: f(*args))

    @decorate
    def all_of_them(x):
        y = TABLE["array"]([x, 1.0]).sum() + TABLE["call"](x) + Indexed.total(x)
        y = y + indexed.function(x) * indexed.method(x) + half(x) * sine(x)
        first, second = map(float, (x, 2.0))
        return y + first * second + indexed[x, x][1] + getattr(np, "array")([x])[0]

    @functools.lru_cache
    def cached(x):
        return math.exp(x)

    def of_cached(x):
        return cached(2.0) * cached(x)
    """

SYNTAX = '''
    """A module with a page."""
    from __future__ import annotations
    import contextlib
    import numpy as np
    count = 0

    class Base:
        def value(self, x):
            return np.array([x, x]).sum()

    class Derived(Base):
        __private = 2.0

        def value(self, x):
            """A page."""
            global count
            count += 1
            return super().value(x) * self.__private + len(__class__.__name__) * x

    def counter():
        total = 0.0

        def add(x):
            nonlocal total
            total = total + np.array([x]).sum()
            return total

        return add

    def generated(x):
        yield from (np.array([x, i]).sum() for i in range(3))

    @contextlib.contextmanager
    def managed(x):
        yield np.array([x])[0]

    def everything(x, *rest, key: int = 1, **kwargs: float):
        if (y := np.array([x, 2.0]).sum()) > 0:
            label = f"{float(y):.3f} {np.array([x])[0]!r:>5}"
        add = counter()
        add(x)
        with managed(x) as z:
            y = y + z
        match np.array([x, 1.0]):
            case np.ndarray():
                y = y + 100.0
            case found:
                y = y + found[0]
        try:
            raise ValueError(np.array([x])[0])
        except ValueError as error:
            y = y + error.args[0]
        pick = lambda a, b=np.array([1.0])[0]: np.array([a, b]).sum()
        return y + Derived().value(x) + add(x) + sum(generated(x)) + pick(x) + len(label)
    '''


def test_functions_are_found_wherever_they_are(write):
    write(hidden=HIDDEN)
    module = import_module("hidden")
    adopt("hidden")
    gradcheck(module.all_of_them, 0.7)
    gradcheck(module.of_cached, 0.7)


def test_syntax(write):
    write(syntax=SYNTAX)
    plain = import_module("syntax").everything(0.7)
    adopt("syntax")
    module = import_module("syntax")
    assert module.everything(0.7) == plain
    assert module.Derived.value.__doc__ == "A page."
    # an array of traced values is none for a pattern: both ways give the same derivative here
    assert grad(module.everything)(0.7) == pytest.approx(1 + 1 + 1 + 1 + 2 * 2 + 7 + 2 + 3 + 1)
    assert module.count == 3


def test_packages_with_modules_relative_imports_and_data(write):
    folder = write(
        whole__in____init__="""
            from numpy import *
            from .parts import scaled
            from . import parts as p

            def late(x):
                from .late_part import g
                return g(x) + p.offset(x)
            """,
        whole__in__parts="""
            from pathlib import Path
            import numpy

            FACTOR = float((Path(__file__).parent / "factor.txt").read_text())

            def scaled(x):
                return FACTOR * numpy.array([x, 1.0]).sum()

            def offset(x):
                return 2 * x
            """,
        whole__in__late_part="""
            from numpy import *

            def g(x):
                return sum(array([x, x * x]))
            """,
    )
    (folder / "whole" / "factor.txt").write_text("3.5")
    adopt("whole")
    whole = import_module("whole")
    assert grad(whole.scaled)(0.7) == 3.5
    gradcheck(whole.late, 0.7)
    assert import_module("whole.late_part").__spec__.parent == "whole"


def test_lines_of_errors_and_warnings(write):
    write(
        lines="""
            import warnings
            import numpy as np

            def fails(x):
                y = np.array([x])
                warnings.warn("here", stacklevel=1)
                return y[0] / int(y[0] * 0 + 1)  # line 8
            """
    )
    adopt("lines")
    lines = import_module("lines")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(TracedValueError, match="int_is_constant") as refused:
            grad(lines.fails)(0.7)
    assert [(w.filename, w.lineno) for w in caught] == [(lines.__file__, 7)]
    frames = traceback.extract_tb(refused.value.__traceback__)
    assert [frame.lineno for frame in frames if frame.filename == lines.__file__] == [8]
    assert "line 8" in linecache.getline(lines.__file__, 8)
    assert "stacklevel" in inspect.getsource(lines.fails)
