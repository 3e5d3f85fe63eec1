"""The decorators that declare a function with derivative rules, and the forms that they make: how
a function of each is recorded, pushed forward, pulled back and batched.

    @elementwise                 y[i] = f(x[i], ...): one partial derivative for each argument
                                 (partials.py)
    @linear("x")                 linear in x (jointly, if several are named): only the adjoint is
                                 stated
    @differentiable("a", "b")    anything else: a forward rule, and a reverse rule where its
                                 transpose does not serve

and two special cases: `@multilinear("a", "b")` (a product: linear in each argument by itself, so
that the forward rule follows from the product rule) and `@constant` (partials.py: a derivative that
is zero wherever it exists).

A rule receives `call`: the inputs by name, `call.out`, and `call.saved`, which the kernel chose to
keep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from scigrad.typing import DeclaredFunction, Parameters, Result, Value

from . import graph
from .boxes import BOXES, LOWEST, VARYING, Recorded, Running, constant
from .containers import embed_outputs, fill_zeros, map_leaves, outputs, plan_for, spaces_of
from .graph import ATOMS, guarded, is_settled, new_serial, protect
from .masked import (
    Masked,
    Presence,
    call_if_callable,
    fill_absent,
    is_finite,
    kept_apart,
    leaves_masks_out,
    mark_absent,
    mask_by_patterns,
    pattern,
    patterns_of,
    presences,
    unmask,
    zero_absent,
)
from .messages import errors
from .primitive import Primitive, Rule, silent
from .spaces import Space, is_inexact, project, space, zeros
from .trace import ZERO, check_view, running

Core = Mapping[str, int] | None
_UNMASKED = VARYING | {type(ZERO)}


class Named(Primitive):
    """Function with derivatives by some of its arguments, which are named."""

    differentiable: tuple[str, ...]

    form = "in"
    pushed: Rule  # (call, tangents) -> the tangent of the output

    def __init__(self, kernel: Rule, arguments: Sequence[str], saves: bool = False) -> None:
        super().__init__(kernel, saves)
        unknown = [name for name in arguments if name not in self.names]
        if unknown or not arguments:
            raise TypeError(
                f"{self.__name__} has no argument {unknown or '(none was named)'}; it has "
                f"{self.names}"
            )
        self.differentiable = tuple(arguments)
        self.note(f"{self.form} {', '.join(arguments)}; forward and reverse mode, any order")

    def push(self, call: Any, tangents: Sequence[Any]) -> Any:
        for i, t in enumerate(tangents):
            if t is not ZERO:
                name = self.name_of(i, len(tangents))
                if name not in self.differentiable:
                    raise self.missing(name, "derivative")
        return embed_outputs(self.pushed(call, tangents), call[len(self.names)])


def linear(
    *arguments: str,
    saves: bool = False,
    core: Core = None,
    drops: bool = False,
    fills: bool = False,
) -> Callable[[Rule], Linear]:
    """Declare a function that is linear in some of its arguments together.

    Its adjoint is stated with ``@f.adjoint``; forward mode is the function itself.

    Parameters
    ----------
    *arguments : str
        Names of the arguments.
    saves : bool, optional
        Whether the kernel returns its output and data that the rules may use again.
    core : dict, optional
        Number of core axes of each array argument of a kernel that broadcasts over the axes before
        them. It is what `vmap` needs.
    drops, fills : bool, optional
        Whether elements of the arguments are left out, as an index does, and whether zeros are put
        between those that remain. No derivative passes there, not even one that is infinite times
        0.

    Returns
    -------
    callable
        Decorator.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linear
    >>> @linear("x")
    ... def total(x):
    ...     return np.sum(x, axis=-1)
    >>> @total.adjoint
    ... def _(call, g):
    ...     return np.broadcast_to(g[..., None], call.x.shape)
    >>> print(grad(total)(np.array([1.0, 2.0])))
    [1. 1.]
    """

    def declare(kernel: Rule) -> Linear:
        function = Linear(kernel, arguments, saves).over_leading(core)
        function.drops, function.fills = drops, fills
        return function

    return declare


class Linear(Named):
    """Function linear in the named arguments together. The graph keeps their spaces, not their
    data.
    """

    places: list[int]

    form = "linear in"
    # whether elements of the arguments are left out, and zeros put among those that remain
    drops = fills = False

    def __init__(self, kernel: Rule, linear: Sequence[str], saves: bool = False) -> None:
        super().__init__(kernel, linear, saves)
        self.places = [self.names.index(name) for name in linear]
        self.short: Any = _short(self) if self.places == [0] and not saves else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        out = self.short(args) if self.short and not kwargs else None
        return self.general(*args, **kwargs) if out is None else out

    # The short way does not serve all arguments.
    general: Callable[..., Any] = Primitive.__call__

    def adjoint(self, rule: Rule) -> Rule:
        """State the adjoint: rule(call, g) returns the cotangent (a dict by name if several
        arguments are linear).
        """
        self.rules["adjoint"] = rule
        return rule

    def linear_in(self, count: int) -> Sequence[int]:
        """Return the positions of the linear ones among `count` bound values."""
        return range(count - len(self.keyword)) if self.variadic else self.places

    def record(
        self, values: Sequence[Any], out: Value, saved: Any, parents: Sequence[tuple[int, Any]]
    ) -> Any:
        kept = list(values)
        for i in self.linear_in(len(values)):
            kept[i] = spaces_of(kept[i])
        return self.call(kept, spaces_of(out), saved)

    def pushed(self, call: Any, tangents: Sequence[Any]) -> Any:
        values = self.values_of(call)
        places = self.linear_in(len(values))
        for i in places:
            values[i] = fill_zeros(fill_absent(tangents[i]), values[i])
        out, kinds = self.evaluate(values)[0], [type(tangents[i]) for i in places]
        partly = self.fills or (len(kinds) > 1 and type(ZERO) in kinds)
        if not (Masked in kinds or (partly and not leaves_masks_out())) or not hasattr(
            out, "dtype"
        ):
            return out

        # The mask is computed later, when the program may have filled its condition or its index
        # again.
        writable = plan_for(tuple(map(type, values))).writable
        constants = [i for i in writable if i not in places]
        watch = graph.Watch(self.__name__, graph.settle(values, constants, 0))

        def present() -> Any:
            watch.look()
            given = zip(tangents, values, strict=True)
            patterns = [
                pattern(t) if i in places and t is not ZERO else x for i, (t, x) in enumerate(given)
            ]
            return self.evaluate(patterns)[0] != 0

        return Masked(out, Presence(present, *presences(tangents if Masked in kinds else ())))

    def cotangents(self, kept: Any, parents: Sequence[tuple[int, Any]], g: Any) -> dict[str, Any]:
        if type(g) is not Masked and not (
            self.drops and graph.needs_masks(parents) and not leaves_masks_out()
        ):
            return self.adjoint_of(kept, g if type(g) in VARYING else unmask(g)[0])
        patterns = Presence(lambda: self.adjoint_of(kept, pattern(g)), *presences([g]))
        return mask_by_patterns(self.adjoint_of(kept, fill_absent(g)), patterns)

    def pull(self, kept: Any, parents: Sequence[tuple[int, Any]], g: Any) -> list[tuple[Any, Any]]:
        # The short way: an array of which alone the result depends. It is measured by the Kalman
        # filter of mixed_program.py.
        short = (
            self.short
            and len(parents) == 1
            and not (parents[0][0] or self.drops)
            and "adjoint" in self.rules
        )
        if short and type(g) in VARYING:
            c = self.rules["adjoint"](kept, g)
            if type(c) in VARYING:
                x = kept[0]
                return [
                    (
                        parents[0][1],
                        c if c.dtype is x.dtype and c.shape == x.shape else project(c, x),
                    )
                ]
        return super().pull(kept, parents, g)

    def adjoint_of(self, kept: Any, g: Any) -> dict[str, Any]:
        """Return the cotangents by name."""
        if "adjoint" not in self.rules:
            raise self.missing(self.differentiable[0], "reverse")
        g = self.rules["adjoint"](kept, g)
        # else the cotangent of one container, a dict
        by_name = isinstance(g, dict) and set(g) <= set(self.differentiable)
        return g if by_name else {self.differentiable[0]: g}

    def absorb(self, values: Sequence[Any]) -> Any:
        return (
            ZERO
            if all(values[i] is ZERO for i in self.linear_in(len(values)))
            else super().absorb(values)
        )


def _short(primitive: Any) -> Rule:
    """Return the call of a function linear in its first argument: the result, or None where it
    needs the general way.
    """
    kernel, Call, arity, make = primitive.kernel, primitive.Call, primitive.arity, tuple.__new__

    def call(args: Sequence[Any]) -> Any:
        x = args[0] if len(args) == arity else None
        if type(x) is not Recorded or type(x._value) is not np.ndarray or x._level not in running:
            for kind in (type(x), type(getattr(x, "_value", None))):
                if kind in LOWEST:
                    return LOWEST[kind](primitive, args)
            return None
        rest = args[1:]
        if rest and not (ATOMS.issuperset(map(type, rest)) or all(map(is_settled, rest))):
            boxes, _, writable = plan_for(tuple(map(type, args)))
            if len(boxes) > 1 or writable:
                return None
        if x._base is not None:
            check_view(x)
        value = x._value
        out = kernel(value, *rest)
        # a kernel of an array of objects may return anything
        if type(out) is not np.ndarray and not isinstance(out, np.generic):
            return None
        before = make(Space, (value.shape, value.dtype, "numpy"))
        kept = make(Call, (before, *rest, make(Space, (out.shape, out.dtype, "numpy")), None))
        node = (
            new_serial(),
            primitive,
            kept if not guarded else protect(x._level, kept),
            ((0, x._node),),
        )
        return Recorded(out, x._level, node) if out.dtype.kind in "fc" else constant(out, primitive)

    return call


def differentiable(
    *arguments: str, saves: bool = False, core: Core = None
) -> Callable[[Callable[Parameters, Result]], DeclaredFunction[Parameters, Result]]:
    """Declare a function that is differentiable in some of its arguments.

    Its rules are stated with ``@f.jvp`` and ``@f.vjp``; without `vjp` the transpose of `jvp` is
    taken.

    Parameters
    ----------
    *arguments : str
        Names of the arguments.
    saves : bool, optional
        Whether the kernel returns its output and data that the rules may use again.
    core : dict, optional
        Number of core axes of each array argument of a kernel that broadcasts over the axes before
        them. It is what `vmap` needs.

    Returns
    -------
    callable
        Decorator.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import differentiable, grad
    >>> @differentiable("x")
    ... def norm(x):
    ...     return np.sqrt(np.sum(x * x))
    >>> @norm.jvp
    ... def _(call, t):
    ...     return np.sum(call.x * t.x) / call.out
    >>> print(grad(norm)(np.array([3.0, 4.0])))
    [0.6 0.8]
    """
    return lambda kernel: Differentiable(kernel, arguments, saves).over_leading(core)  # pyright: ignore[reportReturnType]


class Differentiable(Named):
    """Function given by a forward rule, and by a reverse rule where the transpose of the forward
    rule is slow or wrong at degenerate values.
    """

    # What becomes of masks: "apart", rules receive zeros and elements of a batch are told apart;
    # "taken", the reverse rule receives cotangents as Masked; "placed", it does, and since places
    # alone tell what depends on what, the rules of other numbers find the masks.
    masks = "apart"

    def jvp(self, rule: Rule) -> Rule:
        """State the forward rule: rule(call, t) returns the tangent of the output; t.<name> may be
        ZERO.
        """
        self.rules["jvp"] = rule
        return rule

    def vjp(self, rule: Rule) -> Rule:
        """State the reverse rule: rule(call, g) returns cotangents by name, each an array or a
        function that computes it.
        """
        self.rules["vjp"] = rule
        return rule

    is_silent = True
    pull: Callable[..., Any] = silent(Primitive.pull)

    @silent
    def pushed(self, call: Any, tangents: Sequence[Any]) -> Any:
        if "jvp" not in self.rules:
            raise self.missing(self.differentiable[0], "forward")
        out = self.rules["jvp"](call, self.call(list(map(fill_absent, tangents)), None, None))
        if Masked not in map(type, tangents):
            return out
        if self.masks == "placed":
            patterns = Presence(
                lambda: self.rules["jvp"](
                    self._of_patterns(call), self.call(patterns_of(tangents), None, None)
                ),
                *presences(tangents),
            )
            return mask_by_patterns(out, patterns, mark_absent)
        parts = [(t, self.name_of(i, len(tangents))) for i, t in enumerate(tangents)]
        return kept_apart(out, self, call, None, parts)

    def cotangents(self, kept: Any, parents: Sequence[tuple[int, Any]], g: Any) -> dict[str, Any]:
        clean = type(g) in _UNMASKED or (
            isinstance(g, tuple) and _UNMASKED.issuperset(map(type, g))
        )
        values, masked = (g, []) if clean else unmask(g)
        seen = values if self.masks == "apart" else g
        if self.rows and any(type(fill_absent(x)) in BOXES for x, _ in masked):
            # a rule run for each element of an outer batch finds cotangents of other shapes
            masked = []
        found = (
            self.rules["vjp"](kept, seen)
            if "vjp" in self.rules
            else self.transposed(kept, parents, seen)
        )
        if masked and self.masks == "placed":
            leaves, rebuilt = outputs(g)
            patterns = Presence(
                lambda: self.rules["vjp"](self._of_patterns(kept), rebuilt(patterns_of(leaves))),
                *presences(leaves),
            )
            return mask_by_patterns(found, patterns, mark_absent)
        return (
            {name: kept_apart(c, self, kept, name, masked) for name, c in found.items()}
            if masked
            else found
        )

    def _of_patterns(self, call: Any) -> Any:
        """Return a call of the function with other numbers."""
        values = self._factors(self.values_of(call))
        return self.call(values, *self.evaluate(values))

    def _factors(self, values: list[Any]) -> list[Any]:
        """Return patterns in the place of what varies, other numbers for each argument: b / a is no
        filter where b is a.
        """
        names = [self.name_of(i, len(values)) for i in range(len(values))]
        vary = [name in self.differentiable for name in names]
        return [
            pattern(x) ** (1 + (i + 1) / 7) if own else x
            for i, (x, own) in enumerate(zip(values, vary, strict=True))
        ]

    # The forward rule is linear in the tangents: recorded at zero tangents its graph is that of the
    # linear map.
    def transposed(self, kept: Any, parents: Sequence[tuple[int, Any]], g: Any) -> dict[str, Any]:
        if "jvp" not in self.rules:
            raise self.missing(self.differentiable[0], "reverse")
        names = {self.name_of(position, self.count(kept)) for position, _ in parents} & {
            *self.differentiable
        }
        inputs: list[Any] = []

        def varying(x: Any) -> Any:
            inputs.append(graph.new_node(None, True, ()))
            return Recorded(zeros(x), level, inputs[-1]) if is_inexact(x) else ZERO

        with Running() as level:
            tangents = {
                name: map_leaves(varying, getattr(kept, name))
                for name in self.names
                if name in names
            }
            tangent = self.rules["jvp"](
                kept, self.Call(**{name: tangents.get(name, ZERO) for name in self.Call._fields})
            )
            row = outputs(embed_outputs(tangent, kept.out))[0]
            nodes = [x._node if type(x) is Recorded and x._level == level else None for x in row]
            if graph.uses(nodes, self):
                raise errors.its_own_transpose(self.__name__)
            found = iter(graph.pull(nodes, outputs(g)[0], inputs))
        return {name: map_leaves(lambda _: next(found), getattr(kept, name)) for name in tangents}


def multilinear(*arguments: str, core: Core = None) -> Callable[[Rule], Multilinear]:
    """Declare a product, a function that is linear in each of some arguments by itself.

    Its cotangents are stated with ``@f.vjp``; forward mode follows from the product rule.

    Parameters
    ----------
    *arguments : str
        Names of the arguments.
    core : dict, optional
        Number of core axes of each array argument of a kernel that broadcasts over the axes before
        them. It is what `vmap` needs.

    Returns
    -------
    callable
        Decorator.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, multilinear
    >>> @multilinear("x", "y")
    ... def product(x, y):
    ...     return x * y
    >>> @product.vjp
    ... def _(call, g):
    ...     return {"x": g * np.conj(call.y), "y": g * np.conj(call.x)}
    >>> print(*grad(product, (0, 1))(3.0, 4.0))
    4.0 3.0
    """
    return lambda kernel: Multilinear(kernel, arguments).over_leading(core)


class Multilinear(Differentiable):
    """Function linear in each named argument by itself; the forward rule is the product rule."""

    is_silent = False
    # The products are those of the program, and warn as NumPy's do.
    pull: Callable[..., Any] = Primitive.pull

    def pushed(self, call: Any, tangents: Sequence[Any]) -> Any:
        values, total = self.values_of(call), ZERO
        for i, t in enumerate(tangents):
            if type(t) is Masked:
                total = total + self._pushed_masked(values, i, t)
            elif t is not ZERO:
                total = total + self.evaluate([*values[:i], t, *values[i + 1 :]])[0]
        return total

    # A factor counts only where an element that is present meets it: where its own cotangent would
    # be present.
    def _pushed_masked(self, values: list[Any], i: int, t: Masked) -> Masked:
        others = Presence(lambda: self._factors(values))
        out = Presence(
            lambda: self.evaluate([*others()[:i], pattern(t), *others()[i + 1 :]])[0], t.presence
        )
        cotangents = Presence(
            lambda: self.rules["vjp"](self.call(others(), out(), None), pattern(out())), out
        )
        met = self._met(values, cotangents, i)
        return Masked(
            self.evaluate([*met[:i], t.value, *met[i + 1 :]])[0], Presence(lambda: out() != 0, out)
        )

    def cotangents(self, kept: Any, parents: Sequence[tuple[int, Any]], g: Any) -> dict[str, Any]:
        if type(g) is not Masked:
            return super().cotangents(kept, parents, g)
        values = self.values_of(kept)
        patterns = Presence(
            lambda: self.rules["vjp"](self.call(self._factors(values), kept.out, None), pattern(g)),
            g.presence,
        )
        met = self._met(values, patterns)
        return mask_by_patterns(
            self.rules["vjp"](self.call(met, kept.out, kept.saved), g.value), patterns
        )

    def _met(self, values: list[Any], cotangents: Presence, besides: int = -1) -> list[Any]:
        """Return the values with 0 in those elements of factors whose pattern of a cotangent is
        0.
        """
        result = list(values)
        for i, x in enumerate(values):
            name = self.name_of(i, len(values))
            if name in self.differentiable and i != besides and not is_finite(x):
                found = cotangents()[name]
                found = call_if_callable(found[i] if self.variadic else found)
                result[i] = zero_absent(
                    x, Presence(lambda found=found, x=x: project(found, space(x)) != 0)
                )
        return result

    def absorb(self, values: Sequence[Any]) -> Any:
        return ZERO
