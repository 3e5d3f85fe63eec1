"""jit: a function is run once, and afterwards what it did to its arrays."""

from __future__ import annotations

import contextlib
import functools
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from scigrad.autodiff_rules import GaugeError, graph, jvp
from scigrad.autodiff_rules.containers import flatten
from scigrad.autodiff_rules.recording import Transformed

from .arguments import Call, key_of_object, quick_key
from .captures import Captures
from .program import Doubt
from .recording import Recorded, record
from .tape import ClosesOverTraced, DifferentBranch
from .under_transforms import Variants, push_forward

Function = Callable[..., Any]
MOST_BRANCHES = 8  # programs for one signature
MOST_SIGNATURES = 64  # the programs of this many are kept
_log = logging.getLogger("scigrad")


class _Signature:
    """Programs for calls with arguments of the same types and shapes."""

    def __init__(self) -> None:
        self.programs: list[Recorded] = []
        self.is_eager = False  # too many branches, or objects that are looked at

    def forget_if_changed(self, f: Function) -> None:
        """Take all programs away if something that the function uses has changed."""
        if self.programs and (name := self.programs[0].captures.changed()):
            _log.debug("jit: %s has changed, %s is recorded anew", name, f)
            self.programs.clear()

    def give_up(self, f: Function, reason: str) -> None:
        """Let the function run as it is from now on."""
        _log.warning("jit: %s %s runs as it is from now on", f, reason)
        self.is_eager = True
        self.programs.clear()


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


class Jitted(Transformed):
    """Function whose program is recorded; see `jit`."""

    def __init__(
        self,
        f: Function,
        static: frozenset[int] = frozenset(),
        names: frozenset[str] = frozenset(),
        branches: str = "guard",
    ) -> None:
        super().__init__(jit, f)
        self.f, self.static, self.names, self.branches = f, static, names, branches
        self.signatures: OrderedDict[Any, _Signature] = OrderedDict()
        self.quick: dict[Any, _Signature] = {}  # the same, of arrays and numbers alone
        self.derived: dict[Any, Variants] = {}  # functions for traced arguments
        self.transforms: dict[Any, Jitted] = {}  # gradients, batches, ... of this function

    def report(self, *args: Any, **kwargs: Any) -> Report:
        """Return what the program for some arguments consists of; it is recorded if need be.

        Raises
        ------
        ValueError
            If f runs as it is for these arguments.
        """
        self(*args, **kwargs)
        signature = self.signatures.get(self._call(args, kwargs).key)
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

    def under_transform(self, apply: Function, f: Function, *settings: Any) -> Jitted:
        """Return a transform of this function, made once: `grad(jit(f))` is `jit(grad(f))`."""
        leaves, tree = flatten(settings)
        key = apply, tree.spec, tuple(map(key_of_object, leaves))
        if key not in self.transforms:
            made = Transformed(apply, self.f, *settings)
            self.transforms[key] = Jitted(made, self.static, self.names, self.branches)
        return self.transforms[key]

    def under_jvp(
        self, primals: Any, tangents: Any, has_aux: bool, allow_constant: bool
    ) -> Callable[..., Any]:
        """Return `jvp` of this function, of primals and then of tangents, made once."""
        if not all(isinstance(x, (tuple, list)) for x in (primals, tangents)):
            jvp(self.f, primals, tangents)  # raises
        settings = len(primals), has_aux, allow_constant
        return self.under_transform(push_forward, self.f, *settings)

    def __reduce__(self) -> Any:
        return Jitted, (self.f, self.static, self.names, self.branches)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        is_watched = bool(graph.watchers) or graph.checking.get()
        signature = None if kwargs or is_watched else self.quick.get(quick_key(args))
        given: Sequence[Any] = args
        if signature is None:
            call = self._call(args, kwargs)
            if call.is_traced and not call.is_sealed:
                return self._variants(call)(call)
            if is_watched or call.is_sealed:  # a part of the program that is recorded
                return self.f(*args, **kwargs)
            signature, given = self._signature(call.key), call.given
        signature.forget_if_changed(self.f)
        for program in signature.programs:
            try:
                return program(given)
            except DifferentBranch:
                continue
            except Exception:
                return self.f(*args, **kwargs)
        if not signature.is_eager:
            made = self._record(signature, self._call(args, kwargs))
            if made is not None and made.was_finite:
                with contextlib.suppress(Doubt):
                    return made(given)
        return self.f(*args, **kwargs)  # f itself warns where something is not finite

    def _call(self, args: Any, kwargs: dict[str, Any]) -> Call:
        return Call(args, kwargs, self.static, self.names)

    def _signature(self, key: Any) -> _Signature:
        if key not in self.signatures:
            self.signatures[key] = _Signature()
            if len(self.signatures) > MOST_SIGNATURES:
                self.signatures.popitem(last=False)
                self.quick.clear()
        return self.signatures[key]

    def _variants(self, call: Call) -> Variants:
        if call.key not in self.derived:
            make = functools.partial(Jitted, branches=self.branches)
            self.derived[call.key] = Variants(self.f, call, make)
        return self.derived[call.key]

    def _record(self, signature: _Signature, call: Call) -> Recorded | None:
        """Add the program of a call and return it; None if the function has to run as it is."""
        captures = Captures([self.f, *call.constants])
        if len(signature.programs) == MOST_BRANCHES:
            way = signature.programs[0].way
            signature.give_up(
                self.f,
                f"takes more than {MOST_BRANCHES} ways for arguments of the same shapes, decided"
                f" {way}: scigrad.while_loop takes as many steps as values say, scigrad.cond and"
                " numpy.where need no way. It",
            )
        elif captures.are_too_many:
            signature.give_up(self.f, "uses too many objects that are no arguments, and")
        if signature.is_eager:
            return None
        try:
            made = record(self.f, call, self.branches, captures)
        except (ClosesOverTraced, GaugeError):
            return None
        except Exception:
            if signature.programs and not captures.changed():
                return None  # few values take this way, which cannot be recorded
            raise
        if made.captures is not captures:
            signature.programs.clear()
        signature.programs.insert(0, made)
        quick = None if call.kwargs or self.static else quick_key(call.args)
        if quick is not None:
            self.quick[quick] = signature
        return made


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
