"""Derivatives that users state for their own functions: custom rules, implicit equations, checkpoints."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from . import errors
from .boxes import ZERO
from .declare import constant, differentiable
from .spaces import flatten, materialize, space
from .trace import innermost
from .transforms import jvp as _jvp
from .transforms import linearize, vjp
from .vectorize import vmap

Function = Callable[..., Any]


@constant
def stop_gradient(x: Any) -> Any:
    """x, with its derivative declared to be zero."""
    return x


stop_gradient.batched(lambda call, batched: call.x)


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
        raise TypeError("custom_rule needs jvp=, vjp= or both")

    @functools.wraps(f)
    def function(*args: Any) -> Any:
        shape = _Layout(args)
        outputs: list[Any] = []  # the structure of f's output, known once f has run

        def run(*leaves: Any) -> tuple[Any, ...]:
            outs, tree = flatten(f(*shape.unflatten(leaves)))
            outputs[:] = [tree]
            return tuple(outs)

        def push(leaves: Any, outs: Any, tangents: Any) -> list[Any]:
            return flatten(jvp(shape.unflatten(leaves), outputs[0].unflatten(outs), shape.unflatten(tangents)))[0]  # type: ignore[misc]

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
        result, start = [], 0
        for tree, count in self.trees:
            part = leaves[start : start + count]
            known = self.leaves[start : start + count]
            absent = count > 0 and all(p is ZERO for p in part)
            result.append(ZERO if absent else tree.unflatten([materialize(p, x) for p, x in zip(part, known, strict=True)]))
            start += count
        return tuple(result)

    def flatten_parts(self, parts: Any) -> list[Any]:
        if len(parts) != len(self.trees):
            raise ValueError(f"a vjp rule has to return {len(self.trees)} cotangents, one for each argument, not {len(parts)}")
        found: list[Any] = []
        for part, (_, count) in zip(parts, self.trees, strict=True):
            found.extend([ZERO] * count if part is None or part is ZERO else flatten(part)[0])
        return found


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

    def forward(args: Any, out: Any, tangents: Any) -> Any:
        varied = [i for i, t in enumerate(tangents) if t is not ZERO]
        return _jvp(_of(f, args, varied), [args[i] for i in varied], [tangents[i] for i in varied])[1]

    def reverse(args: Any, out: Any, g: Any) -> Any:
        varied = [i for i, arg in enumerate(args) if all(space(x).dtype.kind in "fc" for x in flatten(arg)[0])]
        found = dict(zip(varied, vjp(_of(f, args, varied), *(args[i] for i in varied))[1](g), strict=True))
        return tuple(found.get(i) for i in range(len(args)))

    return custom_rule(f, jvp=forward, vjp=reverse)


def _of(f: Function, args: Any, varied: list[int]) -> Function:
    """f as a function of some of its arguments."""

    def partial(*some: Any) -> Any:
        full = list(args)
        for i, value in zip(varied, some, strict=True):
            full[i] = value
        return f(*full)

    return partial


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
        varied = [i for i, t in enumerate(tangents) if t is not ZERO]
        right = _jvp(lambda *some: _of(equation, (x, *theta), [i + 1 for i in varied])(*some),
                     [theta[i] for i in varied], [tangents[i] for i in varied])[1]  # fmt: skip
        matvec = linearize(lambda y: equation(y, *theta), x)[1]
        return linear_solve(matvec, -right, adjoint=False, x=x, theta=theta)

    def reverse(theta: Any, x: Any, g: Any) -> Any:
        pull_x = vjp(lambda y: equation(y, *theta), x)[1]
        w = linear_solve(lambda v: pull_x(v)[0], g, adjoint=True, x=x, theta=theta)
        varied = [i for i, part in enumerate(theta) if all(space(v).dtype.kind in "fc" for v in flatten(part)[0])]
        pulled = vjp(_of(equation, (x, *theta), [i + 1 for i in varied]), *(theta[i] for i in varied))[1](-w)
        found = dict(zip(varied, pulled, strict=True))
        return tuple(found.get(i) for i in range(len(theta)))

    return custom_rule(solve, jvp=forward, vjp=reverse)
