"""Derivatives that users state for their own functions: custom rules, implicit equations, checkpoints."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from . import errors
from .absent import ZERO
from .declarations import constant, differentiable
from .spaces import flatten, is_inexact, is_number, map_leaves, materialize, zeros
from .trace import innermost
from .transforms import jvp as _jvp
from .transforms import linearize, vjp
from .vectorize import vmap

Function = Callable[..., Any]


def stop_gradient(x: Any) -> Any:
    """x, an array or a container of arrays, with its derivative declared to be zero."""
    return map_leaves(_stopped, x)


@constant
def _stopped(x: Any) -> Any:
    return x


_stopped.batched(lambda call, batched: _stopped(call.x))  # a call: the values of the batch may be traced


def custom_rule(f: Function, *, jvp: Function | None = None, vjp: Function | None = None) -> Function:
    """f with derivatives that you state.

    Parameters
    ----------
    f : function of positional containers of arrays that returns one container; it is run on plain arrays. Arguments
        that hold no floating-point array are passed on as they are
    jvp : jvp(args, out, tangents) -> tangent of out; tangents is a tuple like args, ZERO where an argument is constant
    vjp : vjp(args, out, g) -> tuple of cotangents, one container for each argument (None: the argument has none)

    Raises
    ------
    TypeError : neither rule is given
    MissingRule : the mode that is asked for has no rule
    """
    if jvp is None and vjp is None:
        raise TypeError("custom_rule(f, jvp=rule, vjp=rule) needs one of the two rules, or both")

    @functools.wraps(f)
    def function(*args: Any) -> Any:
        shape = _Layout(args)
        outputs: list[Any] = []  # the structure of f's output, known once f has run

        def run(*leaves: Any) -> tuple[Any, ...]:
            outs, tree = flatten(f(*shape.unflatten(leaves)))
            outputs[:] = [tree]
            return tuple(outs)

        def push(leaves: Any, outs: Any, tangents: Any) -> list[Any]:
            found, tree = flatten(jvp(shape.unflatten(leaves), outputs[0].unflatten(outs), shape.unflatten(tangents)))  # type: ignore[misc]
            if tree != outputs[0]:
                raise errors.wrong_structure("the tangent that a jvp rule returns", outputs[0], tree)
            return found

        def pull(leaves: Any, outs: Any, seeds: Any) -> list[Any]:
            return shape.flatten_parts(vjp(shape.unflatten(leaves), outputs[0].unflatten(outs), outputs[0].unflatten(seeds)))  # type: ignore[misc]

        run.__name__ = getattr(f, "__name__", "custom_rule")
        outs = _flat_rule(run, jvp and push, vjp and pull)(*shape.leaves)
        return outputs[0].unflatten(outs)

    return function


class _Layout:
    """Positional arguments as one flat list of leaves."""

    def __init__(self, args: tuple[Any, ...]) -> None:
        parts = [flatten(arg) for arg in args]
        self.leaves = [leaf for leaves, _ in parts for leaf in leaves]
        self.trees = [(tree, len(leaves)) for leaves, tree in parts]

    def unflatten(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments again; ZERO for one whose leaves are all ZERO, zeros for the rest of a partly varying one."""
        result, rest = [], iter(zip(leaves, self.leaves, strict=True))
        for tree, count in self.trees:
            part = list(itertools.islice(rest, count))
            absent = count > 0 and all(p is ZERO for p, _ in part)
            full = [zeros(x) if p is ZERO and is_number(x) else p for p, x in part]
            result.append(ZERO if absent else tree.unflatten(full))
        return tuple(result)

    def function_of(self, f: Function, varied: list[int]) -> Function:
        """f as a function of some leaves of its arguments."""
        return lambda *some: f(*self.unflatten(_replaced(self.leaves, varied, some)))

    def flatten_parts(self, parts: Any) -> list[Any]:
        if not isinstance(parts, (tuple, list)) or len(parts) != len(self.trees):
            raise errors.not_a_cotangent_each(len(self.trees), parts)
        result: list[Any] = []
        for part, (tree, count) in zip(parts, self.trees, strict=True):
            absent = part is None or part is ZERO
            found, given = ([ZERO] * count, tree) if absent else flatten(part)
            if given != tree:
                raise errors.wrong_structure("the cotangent that a vjp rule returns for an argument", tree, given)
            result.extend(found)
        return result


def _flat_rule(run: Function, push: Any, pull: Any) -> Any:
    """A primitive of a flat list of arrays, which batches by batching the function and its rules."""

    def kernel(*leaves: Any) -> Any:
        outs = run(*leaves)
        if innermost(outs) is not None:
            raise errors.closes_over_traced(run.__name__)
        return outs

    kernel.__name__ = run.__name__
    primitive = differentiable("leaves")(kernel)
    if push:
        primitive.jvp(lambda call, t: push(call.leaves, call.out, t.leaves))
    if pull:

        @primitive.vjp
        def _(call: Any, g: Any) -> Any:
            seeds = [materialize(c, o) for c, o in zip(g, call.out, strict=True)]
            return {"leaves": pull(call.leaves, call.out, seeds)}

    @primitive.batched
    def _(call: Any, batched: Any) -> Any:
        axes = tuple(0 if own else None for own in batched.leaves)

        def over_batch(rule: Function) -> Function:
            return lambda leaves, outs, parts: vmap(rule, in_axes=(axes, 0, 0))(tuple(leaves), tuple(outs), tuple(parts))

        def summed(leaves: Any, outs: Any, seeds: Any) -> list[Any]:
            found = over_batch(pull)(leaves, outs, seeds)
            return [c if own or c is ZERO else c.sum(axis=0) for c, own in zip(found, batched.leaves, strict=True)]

        return _flat_rule(vmap(run, in_axes=axes), push and _tangents_over_batch(push, axes), pull and summed)(*call.leaves)

    return primitive


def _tangents_over_batch(push: Function, axes: tuple[Any, ...]) -> Function:
    """A forward rule under vmap: the tangent of a shared input may be ZERO or shared, never batched."""
    return lambda leaves, outs, tangents: vmap(push, in_axes=(axes, 0, axes))(tuple(leaves), tuple(outs), tuple(tangents))


def checkpoint(f: Function) -> Function:
    """f, whose intermediate values are computed again in the reverse pass instead of being kept.

    f takes and returns containers of arrays, positionally; a value that it uses from outside must be passed to it.

    Raises
    ------
    TracedValueError : f uses a traced value that is not among its arguments
    """
    return custom_rule(f, jvp=lambda args, out, t: _pushed(f, args, t), vjp=lambda args, out, g: _pulled(f, args, g))


def _pushed(f: Function, args: Any, tangents: Any) -> Any:
    """The tangent of f; in a container that varies, integers and whatever else is no floating-point array do not."""
    layout = _Layout(args)
    directions = layout.flatten_parts(tangents)
    varied = [i for i, t in enumerate(directions) if t is not ZERO and is_inexact(layout.leaves[i])]
    return _jvp(layout.function_of(f, varied), [layout.leaves[i] for i in varied], [directions[i] for i in varied])[1]


def _pulled(f: Function, args: Any, g: Any) -> tuple[Any, ...]:
    """The cotangents of all floating-point arrays among f's arguments."""
    layout = _Layout(args)
    varied = [i for i, x in enumerate(layout.leaves) if is_inexact(x)]
    found = vjp(layout.function_of(f, varied), *(layout.leaves[i] for i in varied))[1](g)
    return layout.unflatten(_replaced([ZERO] * len(layout.leaves), varied, found))


def _replaced(items: Sequence[Any], places: Sequence[int], values: Sequence[Any]) -> list[Any]:
    new = dict(zip(places, values, strict=True))
    return [new.get(i, x) for i, x in enumerate(items)]


def implicit(equation: Function, solve: Function, linear_solve: Function) -> Function:
    """The solution x(theta) of equation(x, theta) = 0, with both rules from the implicit function theorem.

    With A = dF/dx and B = dF/dtheta at the solution: x' = -A^-1 B theta', and theta_bar = -B^H A^-H g.

    Parameters
    ----------
    equation : F(x, *theta), differentiable, of the shape of x (one array)
    solve : solve(*theta) -> x, any algorithm; it is not differentiated
    linear_solve : linear_solve(matvec, b, *, adjoint, x, theta) -> A^-1 b, or A^-H b when `adjoint` (matvec then applies A^H)
    """

    def forward(theta: Any, x: Any, tangents: Any) -> Any:
        right = _pushed(lambda *theta: equation(x, *theta), theta, tangents)
        matvec = linearize(lambda y: equation(y, *theta), x)[1]
        return linear_solve(matvec, -right, adjoint=False, x=x, theta=theta)

    def reverse(theta: Any, x: Any, g: Any) -> Any:
        pull_x = vjp(lambda y: equation(y, *theta), x)[1]
        w = linear_solve(lambda v: pull_x(v)[0], g, adjoint=True, x=x, theta=theta)
        return _pulled(lambda *theta: equation(x, *theta), theta, -w)

    return custom_rule(solve, jvp=forward, vjp=reverse)
