"""Checks of derivatives against finite differences, and of forward against reverse mode."""

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import inner, jvp, linearize, vjp, zeros
from scigrad.autodiff_rules.containers import flatten, map_leaves
from scigrad.autodiff_rules.spaces import is_inexact

from .arrays import assert_close, beside, dense, to_host
from .draw import Draw

# Central differences of order 4: the truncation error is a thirtieth of step**4, so that a step of
# 2**-11 leaves rounding. Those of order 2, with an eighth of it, take half of the values and
# confirm nearly all derivatives to seven digits.
_STENCILS = {2: ((1, 1 / 2),), 4: ((1, 2 / 3), (2, -1 / 12))}
_STEP = 2.0**-11

Function = Callable[..., Any]


def directional_difference(
    f: Function, args: Sequence[Any], tangents: Sequence[Any], step: float = _STEP, order: int = 4
) -> Any:
    """Return the derivative of f in a direction by central differences of order 2 or 4."""

    def shifted(k: float) -> Any:
        return f(
            *(
                map_leaves(lambda x, d: x + k * step * d, a, t)
                for a, t in zip(args, tangents, strict=True)
            )
        )

    terms = [(shifted(k), shifted(-k), w / step) for k, w in _STENCILS[order]]
    leaves = [
        sum((flatten(plus)[0][i] - flatten(minus)[0][i]) * w for plus, minus, w in terms)
        for i in range(len(flatten(terms[0][0])[0]))
    ]
    return flatten(terms[0][0])[1].unflatten(leaves)


def directions(name: str, container: Any) -> Any:
    """Return a random element of the space of every leaf, on its device."""
    draw = Draw(name)
    return map_leaves(lambda x: beside(draw.like(to_host(x)), x), container)


def check_forward(
    f: Function, args: Sequence[Any], rtol: float = 1e-7, step: float = _STEP
) -> tuple[Any, Any, Any]:
    """Raise AssertionError unless jvp agrees with finite differences; return the direction, the
    value and the derivative.
    """
    tangents = directions("tangent", tuple(args))
    # whether a result is constant, the differences tell
    out, found = jvp(f, args, tangents, allow_constant=True)

    def compare(order: int, step: float) -> None:
        # A derivative that is exactly zero meets the rounding of the differences, a few
        # eps |f| / step.
        floor = 16 * np.finfo(float).eps / step * largest(out)
        true = directional_difference(f, args, tangents, step, order)
        assert_close(found, true, rtol, "forward derivative", floor)

    with contextlib.suppress(AssertionError):
        compare(2, step / 8)
        return tangents, out, found
    compare(4, step)
    return tangents, out, found


def largest(container: Any) -> float:
    """Return the largest finite modulus in a container."""
    sizes = (np.abs(x[np.isfinite(x)]) for x in map(np.asarray, flatten(to_host(container))[0]))
    return float(max((np.max(s, initial=0.0) for s in sizes), default=0.0))


def check_law(
    f: Function, args: Sequence[Any], rtol: float = 1e-10, forward_mode: Any = None
) -> tuple[Any, Any, Any]:
    """Raise AssertionError unless Re<g, jvp(t)> = Re<vjp(g), t> for random t and g, or for what
    `check_forward` returned.

    Return the value, the tangent and the cotangents.
    """
    t = directions("tangent", tuple(args)) if forward_mode is None else forward_mode[0]
    out, forward = (
        jvp(f, args, t, allow_constant=True) if forward_mode is None else forward_mode[1:]
    )
    g = directions("cotangent", out)
    back = vjp(f, *args, allow_constant=True)[1](g)
    check_adjoint(g, forward, back, t, rtol)
    return out, forward, back


def check_adjoint(g: Any, forward: Any, back: Any, t: Any, rtol: float, floor: float = 0.0) -> None:
    """Raise AssertionError unless Re<g, forward> = Re<back, t> for the pushforward of t and the
    pullback of g.
    """
    left, right = float(to_host(inner(g, forward))), float(to_host(inner(back, t)))
    scale = inner_size(g, forward) + inner_size(back, t)
    if not abs(left - right) <= rtol * scale + floor + np.finfo(float).tiny:
        raise AssertionError(
            f"the law: Re<g, jvp(t)> = {left!r}, Re<vjp(g), t> = {right!r}, scale {scale:.3g}"
        )


def check_alone(
    f: Function, args: Sequence[Any], positions: Sequence[int], rtol: float = 1e-10
) -> None:
    """Raise AssertionError unless some arguments have the same first and second derivatives alone
    as when the others vary too.

    Rules receive the absent tangent ZERO there.
    """
    t = directions("tangent", tuple(args))
    g = directions("cotangent", f(*args))

    def both_modes(f: Function, *x: Any) -> Any:
        out, pullback = vjp(f, *x)
        return out, pullback(g)

    (_, together), pushforward = linearize(functools.partial(both_modes, f), *args)
    for i, x in ((i, args[i]) for i in positions):
        before, after = tuple(args[:i]), tuple(args[i + 1 :])

        def alone(v: Any, before: Any = before, after: Any = after) -> Any:
            return f(*before, v, *after)

        only = tuple(t[i] if j == i else map_leaves(zeros, v) for j, v in enumerate(args))
        tangent, second = pushforward(*only)
        (_, (back,)), (found_tangent, (found,)) = jvp(
            functools.partial(both_modes, alone), (x,), (t[i],), allow_constant=True
        )
        assert_close(back, together[i], rtol, f"cotangent of argument {i} alone")
        assert_close(found_tangent, tangent, rtol, f"tangent of argument {i} alone")
        # The second derivative of a linear f is 0, and what stands there is rounding of the
        # first one, which differs between two ways of computing it.
        rounding = 1e-13 * float(sum(np.sum(np.abs(to_host(leaf))) for leaf in flatten(back)[0]))
        what = f"second derivative in argument {i} alone"
        assert_close(found, second[i], rtol, what, rounding)


def inner_size(a: Any, b: Any) -> float:
    """Return the sum of the moduli of what an inner product adds up."""
    pairs = zip(flatten(to_host(a))[0], flatten(to_host(b))[0], strict=True)
    return float(sum(np.sum(np.abs(u) * np.abs(v)) for u, v in pairs))


def _checkable(f: Function, args: Sequence[Any]) -> Function:
    """Return f with dense outputs, since SciPy may store values in another order; raise if there is
    nothing to check.
    """
    for i, arg in enumerate(args):
        if not all(is_inexact(x) for x in flatten(arg)[0]):
            raise TypeError(
                f"gradcheck: argument {i} is not floating point; pass it by a lambda instead"
            )
    for what, container in (("argument", tuple(args)), ("output", f(*args))):
        if not any(is_inexact(x) for x in flatten(container)[0]):
            raise TypeError(
                f"gradcheck: there is nothing to check, because no {what} is floating point"
            )
    return lambda *x: dense(f(*x))


def gradcheck(f: Function, *args: Any, rtol: float = 1e-7, step: float = _STEP) -> bool:
    """Check the first derivatives of a function at a point.

    Parameters
    ----------
    f : callable
        Function of containers of floating-point arrays.
    *args : array_like or container
        Point, farther from kinks than ``2 * step``.
    rtol : float, optional
        Relative error allowed between `jvp` and central differences, of order 2 or, where these do
        not confirm it, of order 4. Forward and reverse mode have to agree to 1e-10.
    step : float, optional
        Step of the differences of order 4, eight times that of the others.

    Returns
    -------
    bool
        True.

    Raises
    ------
    TypeError
        If an argument is not floating point, or there is nothing to check.
    AssertionError
        If forward mode disagrees with the differences, or reverse mode with forward mode.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad.testing import gradcheck
    >>> gradcheck(lambda x: np.sin(x) * x, np.array([0.5, 2.0]))
    True
    """
    f = _checkable(f, args)
    check_law(f, args, forward_mode=check_forward(f, args, rtol, step))
    return True


def second_order_functions(f: Function, args: Sequence[Any]) -> tuple[Function, Function]:
    """Return x -> vjp at x of a fixed cotangent, and x -> jvp at x of a fixed tangent."""
    t = directions("fixed tangent", tuple(args))
    out = f(*args)
    g = directions("fixed cotangent", out)
    return (lambda *x: vjp(f, *x)[1](g)), (lambda *x: jvp(f, x, t)[1])


def gradgradcheck(f: Function, *args: Any, rtol: float = 1e-6, step: float = _STEP) -> bool:
    """Check the second derivatives of a function at a point, forward and reverse over each mode.

    Parameters
    ----------
    f : callable
        Function of containers of floating-point arrays.
    *args : array_like or container
        Point, farther from kinks than ``2 * step``.
    rtol : float, optional
        Relative error allowed between `jvp` and central differences, of order 2 or, where these do
        not confirm it, of order 4. Forward and reverse mode have to agree to 1e-10.
    step : float, optional
        Step of the differences of order 4, eight times that of the others.

    Returns
    -------
    bool
        True.

    Raises
    ------
    TypeError
        If an argument is not floating point, or there is nothing to check.
    AssertionError
        If forward mode disagrees with the differences, or reverse mode with forward mode.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad.testing import gradgradcheck
    >>> gradgradcheck(lambda x: np.sin(x) * x, np.array([0.5, 2.0]))
    True
    """
    f = _checkable(f, args)
    for derivative in second_order_functions(f, args):
        check_law(derivative, args, forward_mode=check_forward(derivative, args, rtol, step))
    return True
