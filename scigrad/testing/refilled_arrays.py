"""The law of plain arrays that a program fills again: a derivative is that of the numbers of the
call.
"""

import copy
import itertools
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import numpy as np

from scigrad.autodiff_rules import graph, linearize, vjp
from scigrad.autodiff_rules.backends import is_array
from scigrad.autodiff_rules.containers import flatten
from scigrad.autodiff_rules.messages.errors import InPlaceError
from scigrad.autodiff_rules.spaces import is_inexact

from .arrays import assert_close
from .cases import DOUBLE, over_varying_cases
from .gradcheck import directions
from .hard_arguments import value_or_error
from .opspec import Case, OpSpec


def refilled(spec: OpSpec, backend: str) -> None:
    """Check that constants, and counts that a call returned, may be filled again: the derivative is
    the same, or an error says so.

    One leaf of the arguments varies, another one in each case; the rest is filled between the call
    and the derivative, once as small arrays, which are copied, and once as large ones, which are
    looked at again; on a device they are not.
    """
    turn = itertools.count()
    ways = {"small": (np.inf, ())} | ({"large": (0, InPlaceError)} if backend == "numpy" else {})

    def check(case: Case, *_: Any) -> None:
        places = [i for i, leaf in enumerate(flatten(case.args)[0]) if is_inexact(leaf)]
        place = places[next(turn) % len(places)]
        expected = _derivatives(spec, case, place, lambda given: None)
        for size, (limit, refusal) in ways.items():
            with mock.patch.object(graph, "COPIED", limit):
                found = _derivatives(spec, case, place, _fill)
            _assert_kept(
                found,
                expected,
                refusal,
                f"after {size} arrays beside leaf {place} were filled again",
            )

    only_real = spec.cases(np.float64, gradient=True)
    over_varying_cases(spec, backend, check, dtypes=(np.float64,) if only_real else DOUBLE)


def _derivatives(
    spec: OpSpec, case: Case, place: int, write: Callable[[Any], None]
) -> dict[str, Any]:
    """Return what pullback and pushforward by one leaf give, or raise, when all else has been
    written to.
    """
    args, kwargs = copy.deepcopy((case.args, case.kwargs))
    x, counts = flatten(case.args)[0][place], []

    def f(x: Any) -> tuple[Any, ...]:
        outs = flatten(spec.function(*_with_leaf(args, place, x), **kwargs))[0]
        counts.extend(outs)
        return tuple(y for y in outs if is_inexact(y))

    recorded = value_or_error(lambda: (vjp(f, x), linearize(f, x)))
    if isinstance(recorded, Exception):  # a leaf that does not vary by itself
        return {"call": recorded}
    (out, pull), (_, push) = recorded
    write([args, kwargs, counts])
    g, t = directions("cotangent", out), directions("tangent", (x,))
    return {
        "pullback": value_or_error(lambda: pull(g)),
        "pushforward": value_or_error(lambda: push(*t)),
    }


def _assert_kept(found: dict[str, Any], expected: dict[str, Any], refusal: Any, what: str) -> None:
    for mode, truth in expected.items():
        if isinstance(truth, Exception) or isinstance(found[mode], refusal):
            continue
        if isinstance(found[mode], Exception):
            raise AssertionError(f"{mode} {what}: raises {found[mode]!r}") from found[mode]
        assert_close(found[mode], truth, 1e-12, f"{mode} {what}")


def _with_leaf(args: Sequence[Any], place: int, x: Any) -> list[Any]:
    """Return arguments with another leaf at a place; those without it are the same objects."""
    result: list[Any] = []
    for arg in args:
        leaves, tree = flatten(arg)
        if 0 <= place < len(leaves):
            leaves[place] = x
            arg = tree.unflatten(leaves)
        result.append(arg)
        place -= len(leaves)
    return result


def _fill(given: Any) -> None:
    """Write other numbers into arrays and lists, in containers of any depth."""
    if isinstance(given, tuple):
        for item in given:
            _fill(item)
    elif isinstance(given, (list, dict)):
        for key, item in enumerate(given) if isinstance(given, list) else given.items():
            if isinstance(item, (bool, int, float, complex)):
                given[key] = _other(np.asarray(item))[()]
            else:
                _fill(item)
    else:
        for x in flatten(given)[0]:
            if is_array(x) and x.dtype.kind in "biufc" and getattr(x.flags, "writeable", True):
                x[...] = _other(x)


def _other(x: Any) -> Any:
    """Return NaN; in place of integers, which may be positions, 0, or 1 if all are 0."""
    if x.dtype.kind in "fc":
        return np.full_like(x, np.nan)
    return ~x if x.dtype.kind == "b" else 0 * x if x.any() else x + 1
