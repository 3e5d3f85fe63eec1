"""The three ways to state a derivative, and the call that every declared function goes through.

    @elementwise                 y[i] = f(x[i], ...): one partial derivative for each argument
    @linear("x")                 linear in x (jointly, if several are named): only the adjoint is stated
    @differentiable("a", "b")    anything else: a forward and a reverse rule, side by side

and two special cases that need even less: `@multilinear("a", "b")` (a product: linear in each argument by itself, so the
forward rule follows from the product rule) and `@constant` (a derivative that is zero wherever it exists).
A rule receives `call`: the inputs by name, `call.out`, and `call.saved`, what the kernel chose to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import batching, shortcuts
from .boxes import ZERO, Node, Outputs
from .primitive import Primitive, Rule
from .spaces import Space, embed, materialize, project, space
from .trace import interception

_make = tuple.__new__  # a named tuple's own constructor is several times slower


class Constant(Primitive):
    """Piecewise constant (sign, floor, comparisons, argsort): no derivative passes, at any order."""

    is_constant = True

    def __init__(self, kernel: Rule) -> None:
        super().__init__(kernel)
        self.note("zero wherever they exist")

    def batch(self, values: Sequence[Any], batched: Sequence[bool], size: int, loop: bool) -> tuple[Any, Any]:
        if isinstance(self.kernel, np.ufunc):
            return self.evaluate(batching.aligned(values, batched))
        return super().batch(values, batched, size, loop)


class Elementwise(Primitive):
    """y[i] = f(x[i], ...), given by one partial derivative for each array argument."""

    is_simple = True
    short: Rule  # the call for positional arguments: what operators and NumPy's protocol use
    fixed: tuple[Any, ...] | None = None  # partials that are plain numbers: then nothing of the inputs is kept

    def __init__(self, kernel: Rule) -> None:
        super().__init__(kernel)
        self.note("element by element, forward and reverse mode, any order")
        self.rule: Rule = self._unstated
        way = {1: shortcuts.unary, 2: shortcuts.binary}.get(self.arity)
        self.short = way(self, kernel, super().__call__) if way else super().__call__
        if interception.get(kernel) is self:
            interception[kernel] = self.short

    def partials(self, rule: Any) -> Any:
        """State the partial derivatives: a function of `call` that returns one item for each argument (a function
        without arguments, a number, or None where there is no rule), or a plain tuple of numbers."""
        self.fixed = rule if isinstance(rule, tuple) else None
        self.rule = rule if callable(rule) else lambda _: rule
        return rule

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == self.arity:
            return self.short(*args)
        return super().__call__(*args, **kwargs)

    def partial(self, partials: Any, position: int) -> Any:
        p = partials[position]
        if p is None:
            raise self.missing(self.names[position], "derivative")
        return p() if callable(p) else p

    def _unstated(self, call: Any) -> Any:
        raise self.missing("", "derivative")

    def record(self, values: Sequence[Any], out: Any, saved: Any, parents: Sequence[tuple[int, Node]]) -> Any:
        if self.fixed is None:
            return _make(self.Call, (*values, out, saved))
        for position, _ in parents:
            v = values[position]
            if not hasattr(v, "shape") or v.shape != out.shape or v.dtype != out.dtype:
                return self.Call._make((*(space(v) for v in values), space(out), None))
        return None  # nothing to remember: cotangents and tangents are right as they come

    def push(self, call: Any, tangents: Sequence[Any]) -> Any:
        partials, total = self.rule(call), ZERO
        for position, t in enumerate(tangents):
            if t is not ZERO:
                p = self.partial(partials, position)
                total = total + (t if type(p) is int and p == 1 else p * t)
        return total if call is None else embed(total, call.out)

    def pull(self, node: Node, g: Any) -> Any:
        call = node.call
        partials = self.rule(call)
        result: list[tuple[Node, Any]] = []
        for position, parent in node.parents:
            p: Any = partials[position]
            if callable(p):
                p = p()
            elif p is None:
                raise self.missing(self.names[position], "derivative")
            c = g * p.conjugate() if type(p) is not int else g if p == 1 else g * p
            result.append((parent, c if call is None else project(c, call[position])))
        return result

    def batch(self, values: Sequence[Any], batched: Sequence[bool], size: int, loop: bool) -> tuple[Any, Any]:
        return self.evaluate(batching.aligned(values, batched))

    def absorb(self, values: Sequence[Any]) -> Any:
        if self.fixed is not None:
            terms = [p * v for p, v in zip(self.fixed, values, strict=True) if v is not ZERO]
            return sum(terms[1:], start=terms[0]) if terms else ZERO
        return ZERO if len(values) > 1 else super().absorb(values)


class Linear(Primitive):
    """Linear in the named arguments together. The graph keeps their spaces, not their data."""

    def __init__(self, kernel: Rule, linear: Sequence[str], saves: bool = False) -> None:
        super().__init__(kernel, saves)
        self.differentiable = _checked(self, linear)
        self.places = [self.names.index(name) for name in linear]
        self.note(f"linear in {', '.join(linear)}; forward and reverse mode, any order")

    def adjoint(self, rule: Rule) -> Rule:
        """State the adjoint: rule(call, g) returns the cotangent (a dict by name if several arguments are linear)."""
        self.rules["adjoint"] = rule
        return rule

    def record(self, values: Sequence[Any], out: Any, saved: Any, parents: Sequence[tuple[int, Node]]) -> Any:
        kept = list(values)
        for i in range(len(values) - len(self.keyword)) if self.variadic else self.places:
            kept[i] = space(kept[i])
        outs = tuple(space(o) for o in out) if isinstance(out, tuple) else space(out)
        return self.call(kept, outs, saved)

    def push(self, call: Any, tangents: Sequence[Any]) -> Any:
        values = _flat(self, call)
        for i, t in enumerate(tangents):
            name = self.name_of(i, len(values))
            if name in self.differentiable:
                values[i] = materialize(t, values[i])
            elif t is not ZERO:
                raise self.missing(name, "derivative")
        return _embedded(self.evaluate(values)[0], call.out)

    def pull(self, node: Node, g: Any) -> Any:
        if "adjoint" not in self.rules:
            raise self.missing(self.differentiable[0], "reverse")
        g = self.rules["adjoint"](node.call, g)
        return _to_parents(self, node, g if isinstance(g, dict) else {self.differentiable[0]: g})

    def absorb(self, values: Sequence[Any]) -> Any:
        for i, v in enumerate(values):
            if v is not ZERO and self.name_of(i, len(values)) in self.differentiable:
                return super().absorb(values)
        return ZERO


class Differentiable(Primitive):
    """Given by a forward and a reverse rule."""

    def __init__(self, kernel: Rule, arguments: Sequence[str], saves: bool = False) -> None:
        super().__init__(kernel, saves)
        self.differentiable = _checked(self, arguments)
        self.note(f"in {', '.join(arguments)}; forward and reverse mode, any order")

    def jvp(self, rule: Rule) -> Rule:
        """State the forward rule: rule(call, t) returns the tangent of the output; t.<name> may be ZERO."""
        self.rules["jvp"] = rule
        return rule

    def vjp(self, rule: Rule) -> Rule:
        """State the reverse rule: rule(call, g) returns cotangents by name, each an array or a function that computes it."""
        self.rules["vjp"] = rule
        return rule

    def push(self, call: Any, tangents: Sequence[Any]) -> Any:
        t = self.call(tangents, None, None)
        for name in self.names:
            if name not in self.differentiable and getattr(t, name) is not ZERO:
                raise self.missing(name, "derivative")
        if "jvp" not in self.rules:
            raise self.missing(self.differentiable[0], "forward")
        return _embedded(self.rules["jvp"](call, t), call.out)

    def pull(self, node: Node, g: Any) -> Any:
        if "vjp" not in self.rules:
            raise self.missing(self.differentiable[0], "reverse")
        return _to_parents(self, node, self.rules["vjp"](node.call, g))


class Multilinear(Differentiable):
    """Linear in each named argument by itself; the forward rule is the product rule."""

    def push(self, call: Any, tangents: Sequence[Any]) -> Any:
        values, total = _flat(self, call), ZERO
        for i, t in enumerate(tangents):
            if t is not ZERO:
                if self.name_of(i, len(values)) not in self.differentiable:
                    raise self.missing(self.name_of(i, len(values)), "derivative")
                total = total + self.evaluate([*values[:i], t, *values[i + 1 :]])[0]
        return _embedded(total, call.out)

    def absorb(self, values: Sequence[Any]) -> Any:
        return ZERO


# -- what the forms share


def _checked(primitive: Primitive, arguments: Sequence[str]) -> tuple[str, ...]:
    unknown = [name for name in arguments if name not in primitive.names]
    if unknown or not arguments:
        raise TypeError(f"{primitive.__name__} has no argument {unknown or '(none was named)'}; it has {primitive.names}")
    return tuple(arguments)


def _flat(primitive: Primitive, call: Any) -> list[Any]:
    inputs = list(call[:-2])
    return [*inputs[0], *inputs[1:]] if primitive.variadic else inputs


def _embedded(tangent: Any, out: Any) -> Any:
    if isinstance(out, tuple) and type(out) is not Space:
        return [embed(t, o) for t, o in zip(tangent, out, strict=True)]
    return embed(tangent, out)


def _to_parents(primitive: Any, node: Node, cotangents: dict[str, Any]) -> list[tuple[Node, Any]]:
    """Each parent with its cotangent, computed only now and put into the parent's space."""
    result = []
    count = primitive.count(node.call) if primitive.variadic else 0
    for position, parent in node.parents:
        name = primitive.name_of(position, count) if primitive.variadic else primitive.names[position]
        if name not in cotangents:
            raise primitive.missing(name, "reverse")
        c, x = cotangents[name], getattr(node.call, name)
        if primitive.variadic:
            c, x = c[position], x[position]
        if callable(c):
            c = c()
        if c is not ZERO:
            result.append((parent, project(c, x)))
    return result


# -- the words


def elementwise(kernel: Any) -> Elementwise:
    """Declare y[i] = f(x[i], ...); state its partials with `@f.partials`. Takes a function or a ufunc."""
    return Elementwise(kernel)


def constant(kernel: Any) -> Constant:
    """Declare a function whose derivative is zero wherever it exists."""
    return Constant(kernel)


def linear(*arguments: str, saves: bool = False) -> Callable[[Rule], Linear]:
    """Declare a function linear in the named arguments together; state its adjoint with `@f.adjoint`."""
    return lambda kernel: Linear(kernel, arguments, saves)


def differentiable(*arguments: str, saves: bool = False) -> Callable[[Rule], Differentiable]:
    """Declare any other function; state its rules with `@f.jvp` and `@f.vjp`. With `saves`, the kernel returns the
    output and what the rules may reuse."""
    return lambda kernel: Differentiable(kernel, arguments, saves)


def multilinear(*arguments: str) -> Callable[[Rule], Multilinear]:
    """Declare a product: linear in each named argument by itself; state its cotangents with `@f.vjp`."""
    return lambda kernel: Multilinear(kernel, arguments)


__all__ = ["Outputs", "Primitive", "constant", "differentiable", "elementwise", "linear", "multilinear"]
