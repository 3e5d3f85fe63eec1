"""jit: a function is run once, and afterwards what it did to its arrays."""

from __future__ import annotations

import functools
import itertools
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import GaugeError, TracedValueError, graph
from scigrad.autodiff_rules.containers import Tree, flatten
from scigrad.typing import Value

from .arguments import LEAVES, Rebuild, flatten_arguments, key_of_leaves, quick_key
from .captures import Captures
from .device import program_of
from .program import Doubt, Program
from .purity import Replay, draws_numbers
from .recording import record
from .tape import ClosesOverTraced, DifferentBranch, Slot, Tape
from .under_transforms import Variants, call_traced

Function = Callable[..., Any]
MOST_BRANCHES = 8  # programs for one signature
MOST_SIGNATURES = 64  # the programs of this many are kept
_LONG = 2.0  # seconds of recording that are worth a word
_log = logging.getLogger("scigrad")


class _Signature:
    """Programs for calls with arguments of the same types and shapes."""

    def __init__(self) -> None:
        self.programs: list[Recorded] = []
        self.captures: Captures | None = None
        self.is_eager = False  # too many branches, or a traced value from elsewhere


class Recorded:
    """A program with the structure of its results."""

    def __init__(self, program: Program, out: Value, tree: Tree) -> None:
        self.program = program
        self.seconds = 0.0  # recording and lowering took so long
        self.was_finite = True  # all results of the recorded run
        self.rebuild = _rebuilder(out, tree)

    def __call__(self, leaves: Sequence[Any]) -> Any:
        found = self.program(*leaves)
        for i in self.program.unseen:
            if not _has_finite_numbers(found[i]):
                raise Doubt  # the function itself warns
        return self.rebuild(found)


def _rebuilder(out: Value, tree: Tree) -> Function:
    """Return a function of the leaves of a result that puts them into its structure, which for
    tuples is an expression of Python's.
    """
    numbers = itertools.count()

    def written(x: Any) -> str:
        if type(x) is tuple:
            return f"({''.join(written(item) + ', ' for item in x)})"
        return "None" if x is None else f"leaves[{next(numbers)}]"

    text = written(out)
    leaves = tree.leaves("the result", out)
    if any(not isinstance(x, LEAVES) for x in leaves) or next(numbers) != len(leaves):
        return tree.unflatten
    is_nested = tree == flatten(eval(f"lambda leaves: {text}")(leaves))[1]
    return eval(f"lambda leaves: {text}") if is_nested else tree.unflatten


class Report(NamedTuple):
    """Parts of a program: calls that were recorded, instructions of the machine that stand for
    them, loops as pairs of rounds and calls in a round, functions that are called from Python,
    bytes of memory, and seconds of recording.
    """

    steps: int
    instructions: int
    loops: list[tuple[int, int]]
    calls: list[str]
    bytes: int
    seconds: float


class Jitted:
    """Function whose program is recorded; see `jit`."""

    def __init__(
        self, f: Function, static: frozenset[int], names: frozenset[str], branches: str
    ) -> None:
        functools.update_wrapper(self, f, updated=())
        self.settings = (f,)
        self.f, self.static, self.names, self.branches = f, static, names, branches
        self.signatures: OrderedDict[Any, _Signature] = OrderedDict()
        self.quick: dict[Any, _Signature] = {}  # the same, of arrays and numbers alone
        self.derived: dict[Any, Variants] = {}  # functions for traced arguments

    def report(self, *args: Any, **kwargs: Any) -> Report:
        """Return what the program for some arguments consists of; it is recorded if need be.

        Raises
        ------
        ValueError
            If f runs as it is for these arguments.
        """
        self(*args, **kwargs)
        leaves, rebuild = self._leaves(args, kwargs)
        signature = self.signatures.get((rebuild.key, key_of_leaves(leaves)[1]))
        if signature is None or not signature.programs:
            raise ValueError(
                "jit: there is no program for these arguments: the function runs as it is"
            )
        recorded = signature.programs[0]
        program = recorded.program
        return Report(
            program.steps,
            program.instructions,
            [(loop.rounds, loop.period) for loop in program.loops],
            program.calls,
            program.bytes,
            recorded.seconds,
        )

    def another(self, f: Function) -> Jitted:
        """Return another function that is recorded in the same way."""
        return Jitted(f, frozenset(), frozenset(), self.branches)

    def __reduce__(self) -> Any:
        return Jitted, (self.f, self.static, self.names, self.branches)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<jit of {self.f!r}>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and not graph.watchers and not graph.is_checking():
            signature = self.quick.get(quick_key(args))
            captures = signature and signature.captures
            if signature and signature.programs and captures and not captures.changed():
                try:
                    return signature.programs[0](args)
                except DifferentBranch:
                    pass
                except Exception:
                    return self.f(*args)
        leaves, rebuild = self._leaves(args, kwargs)
        varying, key, is_traced = key_of_leaves(leaves)
        if is_traced:
            if any(getattr(x, "_is_sealed", False) for x in leaves):
                return self.f(*args, **kwargs)  # a part of the program that is recorded
            return call_traced(self, leaves, rebuild, (rebuild.key, key))
        if graph.watchers or graph.is_checking():
            return self.f(*args, **kwargs)
        key = rebuild.key, key
        signature = self.signatures.get(key)
        if signature is None:
            signature = self._new_signature(key)
        elif signature.captures is not None and (name := signature.captures.changed()):
            _log.debug("jit: %s has changed, %s is recorded anew", name, self.f)
            signature.programs.clear()
            signature.captures = None
        if signature.is_eager:
            return self.f(*args, **kwargs)
        given = [leaves[i] for i in varying]
        for program in signature.programs:
            try:
                return program(given)
            except DifferentBranch:
                continue
            except Exception:
                return self.f(*args, **kwargs)
        return self._record(signature, args, kwargs, leaves, varying, rebuild)

    def _leaves(self, args: Any, kwargs: Any) -> tuple[list[Any], Rebuild]:
        """Return the leaves of the arguments, and how arguments are made of others."""
        if not kwargs and not self.static:
            return flatten_arguments(args)
        fixed = {i: args[i] for i in self.static if i < len(args)}
        named = {name: kwargs[name] for name in self.names if name in kwargs}
        varied = [None if i in fixed else x for i, x in enumerate(args)]
        rest = {name: x for name, x in kwargs.items() if name not in named}
        leaves, tree = flatten((tuple(varied), rest))
        return leaves, Rebuild(tree, fixed, named)

    def _new_signature(self, key: Any) -> _Signature:
        found = self.signatures[key] = _Signature()
        if len(self.signatures) > MOST_SIGNATURES:
            self.signatures.popitem(last=False)
            self.quick.clear()
        return found

    # -- recording

    def _record(
        self,
        signature: _Signature,
        args: Any,
        kwargs: Any,
        leaves: list[Any],
        varying: Sequence[int],
        rebuild: Rebuild,
    ) -> Any:
        objects = [x for i, x in enumerate(leaves) if i not in varying]
        objects += [*rebuild.fixed.values(), *rebuild.named.values()]
        captures = Captures([self.f, *objects])
        many_ways = len(signature.programs) == MOST_BRANCHES
        if many_ways or captures.are_too_many:
            signature.is_eager = True
            signature.programs.clear()
            reason = (
                f"takes more than {MOST_BRANCHES} ways for arguments of the same shapes"
                if many_ways
                else "uses too many objects that are no arguments"
            )
            _log.warning("jit: %s %s, and runs as it is from now on", self.f, reason)
            return self.f(*args, **kwargs)
        try:
            made = self._made(signature, captures, objects, leaves, varying, rebuild)
        except (ClosesOverTraced, GaugeError):
            return self.f(*args, **kwargs)
        except Exception:
            if not signature.programs or captures.changed():
                raise
            return self.f(*args, **kwargs)  # few values take this way, which cannot be recorded
        signature.programs.insert(0, made)
        if not kwargs and (quick := quick_key(args)) is not None and not self.static:
            self.quick[quick] = signature
        if not made.was_finite:
            return self.f(*args, **kwargs)  # f itself warns
        try:
            return made([leaves[i] for i in varying])
        except Doubt:
            return self.f(*args, **kwargs)

    def _made(
        self,
        signature: _Signature,
        captures: Captures,
        objects: list[Any],
        leaves: list[Any],
        varying: Sequence[int],
        rebuild: Rebuild,
    ) -> Recorded:
        """Return the program of a call, and note in the signature what it closes over."""
        start = time.perf_counter()
        if captures.holds_traced:
            raise ClosesOverTraced
        tape = Tape([Slot(leaves[i]) for i in varying], self.branches)
        out = record(tape, self.f, leaves, varying, rebuild)
        if drawn := captures.drew():
            raise draws_numbers(_called(self.f), drawn)
        found, tree = flatten(out)
        results = [tape.slot_of(x) for x in found]
        if captures.changed():  # work arrays and caches are filled; a second run leaves them so
            captures = Captures([self.f, *objects])
            signature.programs.clear()
        self._check_purity(tape, tree, results, captures, leaves, varying, rebuild)
        finite = [
            i for i, x in enumerate(results) if type(x) is Slot and _has_finite_numbers(x.value)
        ]
        program = program_of(tape, tape.arguments, results, finite)
        seconds = time.perf_counter() - start
        if seconds > _LONG:
            _log.info("jit: recorded %s in %.1f s, %d steps", self.f, seconds, program.steps)
        signature.captures = captures
        made = Recorded(program, out, tree)
        made.seconds = seconds
        values = [x.value for x in results if type(x) is Slot]
        made.was_finite = all(map(_has_finite_numbers, values))
        return made

    def _check_purity(
        self,
        tape: Tape,
        tree: Tree,
        results: list[Any],
        captures: Captures,
        leaves: list[Any],
        varying: Sequence[int],
        rebuild: Rebuild,
    ) -> None:
        """Refuse a function that does not do the same for the same arguments, or that changes what
        it uses.
        """
        name = _called(self.f)
        again, error = Replay(tape, name), None
        try:
            found, same = flatten(record(again, self.f, leaves, varying, rebuild))
            again.finish(same == tree, [again.slot_of(x) for x in found], results)
        except Exception as raised:
            error = raised
        if changed := captures.changed():
            raise TracedValueError(
                f"jit: {name} is not a function of its arguments: it changes {changed}, which a"
                " recorded program does not. Return the new value instead."
            )
        if error is not None:
            raise error


def _called(f: Function) -> str:
    return getattr(f, "__name__", repr(f))


def _has_finite_numbers(x: Any) -> bool:
    """Return whether a result has no NaN and no infinity; one without such numbers has none."""
    kind = type(x)
    if kind is np.float64 or kind is float:
        return isfinite(x)
    if kind is np.ndarray and x.dtype.kind in "fc":
        return isfinite(np.vdot(x, x).real) or bool(np.isfinite(x).all())
    return not (isinstance(x, np.generic) and x.dtype.kind in "fc") or bool(np.isfinite(x))


def jit(
    f: Function | None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    branches: str = "guard",
) -> Any:
    """Return a function that runs f once, and afterwards what f did to its arrays.

    Parameters
    ----------
    f : callable
        Function of containers of arrays, such as ``value_and_grad(g)``, ``hessian(g)`` or
        ``vmap(g)``. Without it a decorator is returned.
    static_argnums : int or sequence of int, optional
        Positional arguments that are no arrays; for each of their values f is recorded anew.
    static_argnames : str or sequence of str, optional
        The same for arguments given by name.
    branches : {"guard", "refuse"}, optional
        Where a value steers the program, as in ``if x > 0``, "guard" records which way was taken,
        and f anew when a value takes another, up to eight times; "refuse" raises.

    Returns
    -------
    callable
        Function of the same arguments, with the same results and errors. Derivatives and batches of
        it are recorded too.

    Raises
    ------
    TracedValueError
        If a shape depends on values, if f does not do the same for the same arguments (random
        numbers, counters) or changes what it closes over, or with "refuse" if a value steers it.

    Notes
    -----
    A program holds for arguments of the same types and shapes. Python's integers, strings and other
    objects among the arguments belong to the signature, and what f closes over is looked at before
    each run: where something has changed, f is recorded again. Where a check fails (a matrix is
    close to singular, a result is not finite) f itself runs, and raises or warns.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import jit, value_and_grad
    >>> loss = jit(value_and_grad(lambda x: np.sum(np.sin(x) ** 2)))
    >>> value, gradient = loss(np.array([0.0, np.pi / 4]))
    >>> print(gradient)
    [0. 1.]
    """
    if branches not in ("guard", "refuse"):
        raise ValueError(f'branches must be "guard" or "refuse", not {branches!r}')
    numbers = (static_argnums,) if isinstance(static_argnums, int) else static_argnums
    names = (static_argnames,) if isinstance(static_argnames, str) else static_argnames
    if any(i < 0 for i in numbers):
        raise ValueError("static_argnums counts from the first argument, and is not negative")
    if f is None:
        return lambda function: Jitted(function, frozenset(numbers), frozenset(names), branches)
    return Jitted(f, frozenset(numbers), frozenset(names), branches)
