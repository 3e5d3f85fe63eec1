"""Errors about a call name the function that the program called, not one of those inside of it.

Every function is called with arrays that are filled again, with arrays of two devices, and with
cotangents and tangents that are NaN. What the errors of the core are about has to be a public name.
"""

import contextlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from scigrad import (
    DeviceMismatch,
    InPlaceError,
    MissingKernel,
    MissingRule,
    debug_nans,
    linalg,
    linearize,
    vjp,
    vmap,
)
from scigrad import numpy as snp
from scigrad.autodiff_rules import differentiable, graph
from scigrad.autodiff_rules.containers import flatten, map_leaves
from scigrad.autodiff_rules.spaces import is_inexact
from scigrad.testing import OpSpec, load_specs, make_array
from scigrad.testing.hard_arguments import value_or_error

SPECS = load_specs(Path(__file__).parent.parent / "specs")
ABOUT_A_CALL = InPlaceError, DeviceMismatch, MissingRule, FloatingPointError
# "solve: ...", "solve of a traced array ...", "the cotangent of 'a' in solve is NaN",
# "a tangent inside of solve is NaN"
NAMED = re.compile(r"(?:^|.*(?:of|in) )[\w.]*?(\w+)(?:: | of a traced array| is NaN)")


def filled(f, x, others):
    with mock.patch.object(graph, "COPIED", -1):
        out, pull = vjp(f, x)
        for other in others:
            other[...] = ~other if other.dtype.kind == "b" else 1 - other
        pull(map_leaves(np.ones_like, out))


def on_two_devices(f, x, others):
    vjp(f, make_array(x, "device"))


def pulled_back_nan(f, x, others):
    with debug_nans():
        out, pull = vjp(f, x)
        pull(map_leaves(lambda y: y * np.nan, out))


def pushed_forward_nan(f, x, others):
    with debug_nans():
        linearize(f, x)[1](x * np.nan)


USES = [filled, on_two_devices, pulled_back_nan, pushed_forward_nan]


def errors(spec: OpSpec, use: Any) -> Iterator[Exception]:
    """Yield the errors of the core of calls in which one leaf of the arguments varies."""
    for case in spec.cases(np.float64)[:1]:
        leaves, tree = flatten(case.args)
        arrays = [x for x in leaves if isinstance(x, np.ndarray) and x.dtype.kind in "biufc"]
        for place in (i for i, x in enumerate(leaves) if is_inexact(x)):
            mine = {id(x): x.copy() for x in arrays}
            given = [mine.get(id(x), x) for x in leaves]

            def f(x, place=place, given=given, tree=tree, case=case):
                args = tree.unflatten([*given[:place], x, *given[place + 1 :]])
                outs = flatten(spec.function(*args, **case.kwargs))[0]
                return [y for y in outs if is_inexact(y)]

            others = [x for i, x in mine.items() if i != id(leaves[place])]
            with contextlib.suppress(MissingKernel):  # the stand-in lacks functions, as CuPy does
                if isinstance(error := value_or_error(use, f, leaves[place], others), ABOUT_A_CALL):
                    yield error


def public_names() -> set[str]:
    ours = (module for name, module in sys.modules.items() if name.startswith("scigrad."))
    names = {name for module in ours if "__dir__" in vars(module) for name in dir(module)}
    return names | {"input"}  # "the value of an input is NaN" is a text too


def unknown_arguments(error: Exception, name: str) -> set[str]:
    """The arguments that an error about devices names, and no public function of this name has."""
    if not isinstance(error, DeviceMismatch):
        return set()
    ours = (module for path, module in sys.modules.items() if path.startswith("scigrad."))
    homes = (module for module in ours if "__dir__" in vars(module) and name in dir(module))
    known = {x for home in homes for x in inspect.signature(getattr(home, name)).parameters}
    # the operands of ufuncs, and of operators, have no names but these
    known |= {"x", "y"} if isinstance(getattr(np, name, None), np.ufunc) else set()
    return set(re.findall(r"argument '(\w+)", str(error))) - known


def wrong_arguments(x: np.ndarray) -> Iterator[np.ndarray]:
    """Yield what many functions refuse: another shape, negative matrices, objects."""
    yield from (x[None, ..., None], -x, x.astype(object))


def called_with(function: Any, tree: Any, leaves: list[Any], options: dict[str, Any]) -> Any:
    return function(*tree.unflatten(leaves), **options)


def refusals(spec: OpSpec) -> Iterator[str]:
    """Yield the texts of the errors of calls in which one argument is wrong."""
    for case in spec.cases(np.float64)[:1]:
        leaves, tree = flatten(case.args)
        for place, x in enumerate(leaves):
            for wrong in wrong_arguments(x) if isinstance(x, np.ndarray) and is_inexact(x) else ():
                given = [*leaves[:place], wrong, *leaves[place + 1 :]]
                error = value_or_error(called_with, spec.function, tree, given, case.kwargs)
                if isinstance(error, Exception):
                    yield str(error)


# compositions of spec files, which call one function before the other
COMPOSED = {"linalg.lstsq", "linalg.pinv", "signal.dlsim", "signal.cont2discrete"}


def test_refusals_name_the_function_that_was_called():
    public, wrong, count = public_names(), {}, 0
    for spec in SPECS:
        called = getattr(spec.function, "__name__", "")
        room = spec.name.partition(".")[0]
        if room in ("fft", "linalg", "signal") and called in public and spec.name not in COMPOSED:
            for text in refusals(spec):
                named = re.match(r"(\w+): ", text)
                count += named is not None
                if named and named[1] in public and named[1] != called:
                    wrong[spec.name] = text
    assert count > 150
    assert not wrong


@pytest.mark.fills_arrays
@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
def test_errors_name_public_functions(use):
    public, wrong, count = public_names(), {}, 0
    for spec in SPECS:
        for error in errors(spec, use) if spec.differentiable else ():
            found = NAMED.match(str(error))
            count += 1
            if found is None or found[1] not in public or unknown_arguments(error, found[1]):
                wrong[spec.name] = str(error)
    assert count > 500
    assert not wrong


def test_a_batch_without_a_rule_is_one_of_the_public_function():
    with pytest.raises(MissingRule, match=r"^partition: no batching rule"):
        vmap(lambda place: snp.partition(np.arange(5.0), place))(np.arange(2))


def test_a_function_of_the_program_keeps_its_name():
    @differentiable("x")
    def _mine(x, w):
        return x * w

    _mine.jvp(lambda call, t: _mine(t.x, call.w))
    with pytest.raises(DeviceMismatch, match=r"^mine: argument 'x' .* argument 'w'"):
        on_two_devices(lambda x: _mine(x, np.ones(3)), np.ones(3), ())


def test_arguments_have_the_names_of_the_public_function():
    band = np.ones((1, 3))
    with pytest.raises(DeviceMismatch, match=r"^solve_banded: argument 'ab' .* argument 'b'"):
        linalg.solve_banded((0, 0), make_array(band, "device"), np.ones(3))
    with pytest.raises(
        DeviceMismatch, match=r"^concatenate: argument 'arrays\[0\]' .* 'arrays\[1\]'"
    ):
        snp.concatenate([make_array(band, "device"), band])
