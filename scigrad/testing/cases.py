"""Cases of a spec on a backend, the function of the arguments that vary, and batches of them: what
laws are checked on.
"""

import dataclasses
import functools
import itertools
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import MissingKernel, space
from scigrad.autodiff_rules.boxes import Dual, Recorded
from scigrad.autodiff_rules.containers import flatten
from scigrad.autodiff_rules.graph import sort_nodes
from scigrad.autodiff_rules.messages.callers import own_path
from scigrad.autodiff_rules.primitive import Primitive
from scigrad.autodiff_rules.recording import Arguments, Recording
from scigrad.autodiff_rules.spaces import is_inexact

from .arrays import beside, make_array
from .draw import Draw
from .opspec import Case, OpSpec

DOUBLE = (np.float64, np.complex128)
_COMPLEX = {np.dtype(x): np.dtype(z) for x, z in ("fF", "dD")}
_OF_OTHER_KIND = _COMPLEX | {z: x for x, z in _COMPLEX.items()}


class NothingShown(Exception):
    """Raised where a law holds only because no sample could violate it; not a failure."""


class NoKernel(NothingShown):
    """Raised where the backend has no kernel for any sample."""


class NothingVaries(NothingShown):
    """Raised where no sample has a floating-point argument, which is allowed for a function without
    rules of its own.
    """


def over_cases(spec: OpSpec, backend: str, check: Callable[[OpSpec, Case, str], None],
    gradient: bool = False,
                dtypes: Any = DOUBLE) -> None:  # fmt: skip
    ran = missing = 0
    for dtype in dtypes:
        for case in spec.cases(dtype, gradient):
            try:
                check(
                    spec,
                    Case(
                        case.name, make_array(case.args, backend), make_array(case.kwargs, backend)
                    ),
                    backend,
                )
                ran += 1
            except Exception as error:
                if backend == "numpy" or not isinstance(error, MissingKernel):
                    error.add_note(f"in {spec.name}, case '{case.name}', {np.dtype(dtype)}")
                    raise
                missing += 1
    if not ran:
        if missing:
            raise NoKernel(f"{spec.name}: {backend} has no kernel")
        raise AssertionError(f"{spec.name}: the spec yields no sample at all")


def varying(spec: OpSpec, case: Case) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a case as a function of the floating-point leaves of its positional arguments, with
    its floating-point outputs.
    """
    leaves, tree = flatten(case.args)
    places = [i for i, x in enumerate(leaves) if is_inexact(x)]

    def f(*some: Any) -> Any:
        full = list(leaves)
        for i, x in zip(places, some, strict=True):
            full[i] = x
        outs = flatten(spec.function(*tree.unflatten(full), **case.kwargs))[0]
        assert all(is_inexact(y) for y in outs if isinstance(y, (Recorded, Dual))), (
            "integers and truth values have no derivative"
        )
        return tuple(y for y in outs if is_inexact(y))

    return f, tuple(leaves[i] for i in places)


def over_varying(
    spec: OpSpec, backend: str, check: Callable[[Any, Any], None], dtypes: Any = DOUBLE
) -> None:
    """Call check(f, x) for the floating-point leaves x of each case; there has to be at least
    one.
    """
    over_varying_cases(spec, backend, lambda _, f, x: check(f, x), dtypes)


def over_varying_cases(
    spec: OpSpec, backend: str, check: Callable[[Case, Any, Any], None], dtypes: Any
) -> None:
    """Call check(case, f, x) as `over_varying` calls check(f, x)."""
    shown = False

    def check_case(spec: OpSpec, case: Case, _: str) -> None:
        nonlocal shown
        f, x = varying(spec, case)
        if x:
            check(case, f, x)
            shown = shown or any(space(v).size for v in x)

    over_cases(spec, backend, check_case, gradient=True, dtypes=dtypes)
    if not shown:
        unshown = AssertionError if isinstance(spec.function, Primitive) else NothingVaries
        raise unshown(f"{spec.name}: no sample has a floating-point argument that could vary")


def arguments_alone(spec: OpSpec) -> Callable[[tuple[Any, ...]], Sequence[int]]:
    """Return what gives for the varying leaves of each case, one after the other, the positions of
    those that it shows by themselves: all, or of some samples of a `whole` as few as show all.
    """
    if spec.whole is None:
        return lambda x: range(len(x))
    cases = [case for dtype in DOUBLE for case in spec.cases(dtype, gradient=True)]
    shown = [x for _, x in (varying(spec, case) for case in cases) if all(map(np.size, x))]
    counts, turns = Counter(map(len, shown)), defaultdict[int, Iterator[int]](itertools.count)

    def positions(x: tuple[Any, ...]) -> Sequence[int]:
        if not all(map(np.size, x)):
            return range(len(x))
        step = min(len(x), counts[len(x)])
        return range(next(turns[len(x)]) % step, len(x), step) if x else ()

    return positions


def shown_of_whole(spec: OpSpec) -> Iterator[bool]:
    """Yield for each case of the whole that varies whether it is among the samples of a spec."""
    for dtype in DOUBLE:
        names = {case.name for case in spec.cases(dtype, gradient=True)}
        for case in (spec.whole or spec).cases(dtype, gradient=True):
            if varying(spec, case)[1]:
                yield case.name in names


def alternating(spec: OpSpec) -> OpSpec:
    """Return a spec whose samples, where there are real and complex ones of the same name, take
    turns: one is complex, the next one real.

    So every option is shown, and both kinds of numbers are, in half of the time.
    """

    @functools.cache
    def names(dtype: Any) -> set[str]:
        return {case.name for case in spec.cases(dtype, gradient=True)}

    def samples(draw: Draw) -> Iterator[Case]:
        cases = spec.cases(draw.dtype, gradient=True)
        shared = [case.name for case in cases if case.name in names(_OF_OTHER_KIND[draw.dtype])]
        left_out = set(shared[int(draw.is_complex) :: 2])
        yield from (case for case in cases if case.name not in left_out)

    return dataclasses.replace(spec, gradient_samples=samples, whole=spec)


def one_if_composed(spec: OpSpec) -> OpSpec:
    """Return the spec of a composition with one sample of each dtype, the one that calls the most
    functions; that of a function with rules as it is.

    A composition records rules of public functions and of other rooms alone, which have samples of
    their own, and its derivatives of second order are sums of products of theirs.
    """
    if isinstance(spec.function, Primitive):
        return spec
    return _with_some(spec, lambda cases, calls: [case.name for case in cases])


def one_of_each_call(spec: OpSpec, numbers: bool = False) -> OpSpec:
    """Return the spec with one sample of each dtype, the last that is not empty, of those that call
    the same functions with rules, with the same options; that of a composition with one in all.
    With `numbers`, samples without an array are others.
    """

    def last_names(cases: list[Case], calls: list[Any]) -> Any:
        found: dict[Any, str] = {}
        for case, called in zip(cases, calls, strict=True):
            x = varying(spec, case)[1]
            kind = called, numbers and any(map(np.ndim, x))
            if kind not in found or all(map(np.size, x)):
                found[kind] = case.name
        return found.values()

    return _with_some(spec, last_names)


def _with_some(spec: OpSpec, choose: Callable[[list[Case], list[Any]], Any]) -> OpSpec:
    """Return the spec with the samples that are chosen by name, and of a composition with the one
    that calls the most functions; a process looks once for the calls.
    """

    @functools.cache
    def names(dtype: Any) -> set[str]:
        cases = spec.cases(dtype, gradient=True)
        calls = [calls_of(*varying(spec, case)) for case in cases]
        rules = [{rule for rule, _ in called} for called in calls]
        composed = not isinstance(spec.function, Primitive)
        if cases and composed and not any(_is_own(r, spec) for r in set().union(*rules)):
            return {cases[int(np.argmax([*map(len, rules)]))].name}
        return set(choose(cases, calls))

    def samples(draw: Draw) -> Iterator[Case]:
        cases = spec.cases(draw.dtype, gradient=True)
        yield from (case for case in cases if case.name in names(draw.dtype))

    return dataclasses.replace(spec, gradient_samples=samples)


def calls_of(f: Callable[..., Any], x: tuple[Any, ...]) -> frozenset[Any]:
    """Return the functions with rules that are in the graph of a call, each with its options."""
    found: set[Any] = set()
    if not x:  # the call itself may fail, or last: no law runs it
        return frozenset()
    for _, rule, kept, _ in sort_nodes(Recording(f, Arguments("vjp", x, None), {}).nodes):
        # watched primitives, and those of leaves, wrap another one
        while hasattr(rule, "inner") or hasattr(rule, "primitive"):
            rule = getattr(rule, "inner", None) or rule.primitive
        if isinstance(rule, Primitive):
            values = enumerate(kept) if isinstance(kept, tuple) else ()
            found.add((rule, tuple((i, v) for i, v in values if type(v) in (bool, int, str))))
    return frozenset(found)


def _is_own(rule: Primitive, spec: OpSpec) -> bool:
    """Return whether a rule is neither of another room nor of a public function of another name."""
    home, path = rule.__module__.split("."), own_path(rule.__module__, rule.__name__)
    if rule.__name__ == spec.function.__name__:
        return True
    if home[0] == "scigrad" and home[1] not in ("autodiff_rules", spec.room.partition(".")[0]):
        return False
    return getattr(sys.modules.get(path.rpartition(".")[0]), rule.__name__, None) is not rule


SCALES = (1.0, 0.96)  # keep structure (Hermitian, triangular) and stay near the sample


def batch_of(x: tuple[Any, ...], choice: tuple[bool, ...]) -> tuple[list[Any], list[list[Any]]]:
    """Return a batch of each chosen argument, and its elements one by one."""
    batch = [
        np.stack([beside(s * v, *x) for s in SCALES]) if own else v
        for v, own in zip(x, choice, strict=True)
    ]
    return batch, [
        [b[i] if own else b for b, own in zip(batch, choice, strict=True)]
        for i in range(len(SCALES))
    ]


def stacked(rows: list[Any]) -> tuple[Any, ...]:
    return tuple(np.stack(column) for column in zip(*rows, strict=True))
