"""Derivatives that users state for their own functions: custom rules, implicit equations,
checkpoints.
"""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

from scigrad.typing import Value

from .boxes import Batched, Dual, Recorded, returns_infinitesimals
from .containers import flatten, map_leaves
from .declare import Differentiable
from .graph import owner
from .masked import Masked, fill_absent, kept_apart, unbox_masked
from .messages import errors
from .partials import constant
from .recording import Arguments, Recording, Transformed, bare, copy_array, is_output
from .spaces import embed, is_inexact, is_number, materialize, shape_of
from .trace import ZERO, Traced, check_type, is_labelled, running
from .transforms import jvp as _jvp
from .transforms import linearize, vjp
from .vectorize import element_by_element, vmap

Function = Callable[..., Any]
P = ParamSpec("P")
R = TypeVar("R")


def stop_gradient(x: Any) -> Any:
    """Return the argument with its derivative declared to be zero.

    Parameters
    ----------
    x : array_like or container
        Arrays.

    Returns
    -------
    ndarray or container
        The same values in memory of their own, constant under all transforms.

    Examples
    --------
    >>> from scigrad import grad, stop_gradient
    >>> print(grad(lambda x: stop_gradient(x) * x)(3.0))
    3.0
    """
    if type(x) is np.ndarray and x.dtype.kind != "O":
        return x.copy()
    return x if isinstance(x, (int, float)) else map_leaves(lambda leaf: _stopped(bare(leaf)), x)


@constant
def _stopped(x: Any) -> Any:
    return copy_array(x)  # the program may write to it, and the graph keeps the argument


# a call: the values of the batch may be traced
_stopped.batched(lambda call, batched: _stopped(call.x))


def custom_rule(
    f: Callable[P, R], *, jvp: Function | None = None, vjp: Function | None = None
) -> Callable[P, R]:
    """Return a function with derivatives stated by the user.

    Parameters
    ----------
    f : callable
        Function of containers of arrays that returns one container, run on plain arrays. Numbers,
        strings, functions and other leaves that are not floating-point arrays are passed on
        unchanged, in the output too. Arguments given by name take their place among the positional
        ones; keyword-only ones are constants, which the rules receive by name.
    jvp : callable, optional
        ``jvp(args, out, tangents)`` returns the tangent of `out`; `tangents` is a tuple like
        `args`, with ZERO for a constant argument.
    vjp : callable, optional
        ``vjp(args, out, g)`` returns a tuple of cotangents, one container for each argument (None
        if there is none).

    Returns
    -------
    callable
        Function with the arguments and values of f.

    Raises
    ------
    TypeError
        If neither rule is given.
    MissingRule
        If a mode without a rule is used.
    TracedValueError
        If f or a rule uses a traced value that is not among its arguments.

    Notes
    -----
    Where f or a rule calls compiled code that does not take traced arrays,
    ``vmap(f, fallback="loop")`` runs it once for each element; `jacobian` does so by itself.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import custom_rule, grad
    >>> cube = custom_rule(lambda x: x**3, vjp=lambda args, out, g: (3 * args[0] ** 2 * g,))
    >>> print(grad(cube)(2.0))
    12.0
    """
    if jvp is None and vjp is None:
        raise TypeError("custom_rule(f, jvp=rule, vjp=rule) needs one of the two rules, or both")
    return attach_rules(f, jvp, vjp, plain=True)


def attach_rules(
    f: Function, jvp: Function | None, vjp: Function | None, plain: bool = False
) -> Function:
    """Return f with stated rules.

    If the rules are `plain`, for plain arrays only, a vmap that may loop runs them element by
    element.
    """
    return Transformed(_ruled, f, jvp, vjp, plain)


def _ruled(f: Function, jvp: Any, vjp: Any, plain: bool, args: Any, kwargs: dict[str, Any]) -> Any:
    if not kwargs:
        return Stated(f, jvp, vjp, plain)(*args)
    bound = inspect.signature(f).bind(*args, **kwargs)
    count = max(
        i + 1 for i, name in enumerate(bound.signature.parameters) if name in bound.arguments
    )
    bound.apply_defaults()
    options = {name: kwargs[name] for name in bound.kwargs if name in kwargs}  # keyword-only
    # no graph looks at the options again
    options = map_leaves(copy_array, options) if running else options
    f, jvp, vjp = (rule and functools.partial(rule, **options) for rule in (f, jvp, vjp))
    return Stated(f, jvp, vjp, plain)(*bound.args[: max(count, len(args))])


def _push_batch(jvp: Callable[..., Any], axes: tuple[Any, ...]) -> Callable[..., Any]:
    """Return the rule `jvp` for a batch along the axes of its arguments."""

    def push(args: Any, out: Value, tangents: Any) -> Any:
        # The tangent of a shared input may be ZERO or shared, never batched.
        of_t = tuple(None if t is ZERO else a for t, a in zip(tangents, axes, strict=True))
        return vmap(jvp, in_axes=(axes, 0, of_t))(args, out, tangents)

    return push


class Stated(Differentiable):
    """Function with stated rules, which batches by batching the function and its rules."""

    def __init__(self, f: Function, jvp: Any, vjp: Any, plain: bool) -> None:
        def kernel(*args: Any) -> Any:
            given, found = {id(owner(x)) for x in flatten(args)[0]}, self.checked(f, *args)
            # An argument that is returned becomes a value of the graph, and the program may fill
            # its own array again.
            return (
                map_leaves(lambda x: copy_array(x) if id(owner(x)) in given else x, found)
                if running
                else found
            )

        self.stated, self.plain = (f, jvp, vjp), plain
        self.recomputes = getattr(vjp, "func", None) is pull_back_function  # a checkpoint
        self.masks = "taken" if self.recomputes else "apart"
        kernel.__name__ = getattr(f, "__name__", None) or getattr(
            getattr(f, "func", f), "__name__", "custom_rule"
        )
        super().__init__(kernel, ("args",))
        if jvp:
            self.jvp(lambda call, t: self.checked(_pushed_by, jvp, call.args, call.out, t.args))
        if vjp:
            self.vjp(
                lambda call, g: {"args": self.checked(_pulled_by, vjp, call.args, call.out, g)}
            )

    def __call__(self, *args: Any) -> Any:
        if self.recomputes and returns_infinitesimals(self.stated[0], args):
            # as if without a checkpoint, which would hide them from what follows
            return self.stated[0](*args)
        return super().__call__(*args)

    def checked(self, rule: Function, *args: Any) -> Any:
        try:
            found = element_by_element(rule, *args) if self.plain else rule(*args)
        except (errors.TracedValueError, ValueError) as error:
            error.add_note(f"in {self.__name__} or a rule of it")
            raise
        refuse_closed(self, found, args)
        return map_leaves(_unlabelled, found) if running else found

    def batch(
        self, values: Sequence[Any], batched: Sequence[Any], size: int, loop: bool
    ) -> tuple[Any, Any]:
        if loop and self.plain:
            return super().batch(values, batched, size, loop)
        f, jvp, vjp = self.stated
        flags = [
            map_leaves(lambda _, b=b: b, x) if isinstance(b, bool) else b
            for b, x in zip(batched, values, strict=True)
        ]
        axes = tuple(map_leaves({True: 0, False: None}.get, b) for b in batched)

        def pull(args: Any, out: Value, g: Any) -> Any:
            found = vmap(_pulled_by, in_axes=(None, axes, 0, 0))(
                vjp, args, out, map_leaves(fill_absent, g)
            )
            parts = [(x, None) for x in flatten(g)[0] if is_inexact(x)]

            def summed(c: Any, own: bool) -> Any:
                # an input that the batch shares has the sum of the cotangents
                c = fill_absent(kept_apart(c, batched_rule, None, None, parts))
                return c if own or c is ZERO else c.sum(axis=0)

            return tuple(
                c if c is ZERO else map_leaves(summed, c, own)
                for c, own in zip(found, flags, strict=True)
            )

        try:
            if self.recomputes:
                return checkpoint(vmap(f, in_axes=axes))(*values), None
            batched_rule = Stated(
                vmap(f, in_axes=axes), jvp and _push_batch(jvp, axes), vjp and pull, self.plain
            )
            batched_rule.rows, batched_rule.masks = True, "taken"
            return batched_rule.evaluate(values)
        except (errors.MissingRule, TypeError) as error:
            if self.plain:
                error.add_note(
                    f'{self.__name__} is given the whole batch; vmap(f, fallback="loop") runs it '
                    "for each element"
                )
            raise

    def push(self, call: Any, tangents: Sequence[Any]) -> Any:
        if "jvp" not in self.rules:
            position = next(i for i, t in enumerate(tangents) if t is not ZERO)
            named = list(inspect.signature(self.stated[0]).parameters)[position : position + 1]
            raise errors.missing_rule(self.__name__, *named, mode="forward")
        return super().push(call, tangents)

    def transposed(self, kept: Any, parents: Sequence[tuple[int, Any]], g: Any) -> Any:
        try:
            return Differentiable.transposed(self, kept, parents, g)
        except errors.GaugeError:
            raise
        except (TypeError, ValueError) as error:
            raise errors.no_transpose(self.__name__) from error


def _unlabelled(x: Any) -> Any:
    """Return a leaf of what a function with stated rules returned; an object that may hold arrays
    is refused.
    """
    if x is ZERO or type(x) is Masked:
        return x
    x = bare(x)
    if is_labelled(type(x)):
        return np.asarray(x)
    check_type(type(x))
    if not is_output(x) and (hasattr(x, "dtype") or hasattr(x, "__dict__")) and not callable(x):
        raise errors.not_an_output(x)
    return x


def _pushed_by(jvp: Function, args: Any, out: Value, tangents: Any) -> Any:
    """Return the result of a forward rule for tangents without ZERO in containers, with ZERO for
    constants in the output.
    """
    full = (
        t if t is ZERO else map_leaves(materialize, t, x)
        for t, x in zip(tangents, args, strict=True)
    )
    return map_leaves(
        lambda t, y: embed(t, y) if is_inexact(y) else ZERO, jvp(args, out, tuple(full)), out
    )


def _pulled_by(vjp: Function, args: Any, out: Value, g: Any) -> Any:
    """Return the result of a reverse rule, one container for each argument, ZERO in those that have
    none.
    """
    found = vjp(
        args,
        out,
        map_leaves(lambda c, y: copy_array(materialize(c, y)) if is_number(y) else y, g, out),
    )
    if not isinstance(found, (tuple, list)) or len(found) != len(args):
        raise errors.not_a_cotangent_each(len(args), found)
    absent = (c is None or c is ZERO for c in found)
    parts = enumerate(zip(absent, found, args, strict=True))
    return tuple(
        ZERO if no else map_leaves(functools.partial(_fit_cotangent, i), c, x)
        for i, (no, c, x) in parts
    )


def _fit_cotangent(number: int, c: Any, x: Any) -> Any:
    """Return a cotangent of x; more axes than those of x would be summed."""
    wanted, found = shape_of(x), () if c is ZERO else shape_of(c)
    if len(found) > len(wanted) or any(
        m != n != 1 for m, n in zip(found[::-1], wanted[::-1], strict=False)
    ):
        raise errors.wrong_shape(
            f"the cotangent of argument {number} that a vjp returns", wanted, found
        )
    return c


def refuse_closed(f: Function, found: Any, given: Any) -> None:
    """Refuse a function whose output is traced by a transform that traces none of its arguments."""
    if not _levels(flatten(found)[0]) <= _levels(flatten(given)[0]):
        raise errors.closes_over_traced(getattr(f, "__name__", "implicit"))


def _levels(values: Sequence[Any]) -> set[int]:
    """Return the levels of all transforms that trace one of the values; ZERO and infinitesimals
    belong to none.
    """
    boxes = [x for x in map(fill_absent, values) if isinstance(x, Traced) and x is not ZERO]
    inner = [y for x in boxes for y in (x._value, getattr(x, "_tangent", None))]
    return {x._level for x in boxes if type(x) in (Recorded, Dual, Batched)}.union(
        _levels(inner) if inner else ()
    )


def checkpoint(f: Callable[P, R]) -> Callable[P, R]:
    """Return a function whose intermediate values are recomputed in the reverse pass, not kept.

    Parameters
    ----------
    f : callable
        Function of containers of arrays and constants. A traced value that it uses has to be among
        its arguments, and not a keyword-only one.

    Returns
    -------
    callable
        Function with the arguments, values and derivatives of f.

    Raises
    ------
    TracedValueError
        If f uses a traced value that is not among its arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import checkpoint, grad
    >>> print(grad(checkpoint(lambda x: np.sin(x) ** 2))(np.pi / 4))
    1.0
    """
    return attach_rules(
        f, functools.partial(push_forward_function, f), functools.partial(pull_back_function, f)
    )


def push_forward_function(f: Function, args: Any, out: Value, tangents: Any, **options: Any) -> Any:
    """Return the tangent of f; in a container that varies, leaves that are not floating-point
    arrays are constant.
    """
    full = tuple(
        map_leaves(lambda _: ZERO, x) if t is ZERO else t
        for t, x in zip(tangents, args, strict=True)
    )
    varies = [
        t is not ZERO and is_inexact(x)
        for t, x in zip(flatten(full)[0], flatten(args)[0], strict=True)
    ]
    (arrays, put), (directions, _) = _arrays(args, varies), _arrays(full, varies)
    return _arrays(out)[1](
        _jvp(lambda *some: _arrays(f(*put(some), **options))[0], arrays, directions)[1]
    )


def pull_back_function(
    f: Function, args: Any, out: Value, g: Any, **options: Any
) -> tuple[Any, ...]:
    """Return the cotangents of all floating-point arrays among the arguments of f."""
    arrays, put = _arrays(args, list(map(is_inexact, flatten(args)[0])))
    # Each array under another name, because an input of a recording needs no mask, and these are
    # results of other calls.
    again = Recording(
        lambda *some: _arrays(f(*put([+x for x in some]), **options))[0],
        Arguments("vjp", arrays, None),
        {},
    )
    return put([unbox_masked(c, again.level) for c in again.pull_masked(_arrays(g)[0])], ZERO)


def _arrays(container: Any, chosen: Sequence[bool] | None = None) -> tuple[list[Any], Function]:
    """Return the arrays of a container, or some of them, and a function that puts others in their
    place (`blank` in the rest).
    """
    leaves, tree = flatten(container)
    chosen = list(map(is_number, leaves)) if chosen is None else chosen

    def put(arrays: Sequence[Any], blank: Any = None) -> Any:
        new = iter(arrays)
        return tree.unflatten(
            [
                next(new) if own else x if blank is None else blank
                for x, own in zip(leaves, chosen, strict=True)
            ]
        )

    return [x for x, own in zip(leaves, chosen, strict=True) if own], put


# -- solutions of equations as functions of their parameters


def implicit(equation: Function, solve: Callable[P, R], linear_solve: Function) -> Callable[P, R]:
    """Return the solution of an equation as a function of its parameters, with derivative rules.

    The solution x(theta) of ``F(x, theta) = 0``. With A = dF/dx and B = dF/dtheta there, the
    implicit function theorem gives ``x' = -A^-1 B theta'`` and ``theta_bar = -B^H A^-H g``.

    Parameters
    ----------
    equation : callable
        ``equation(x, *theta)``, differentiable, of the shape of x (one array).
    solve : callable
        ``solve(*theta)`` returns x by any algorithm, which is not differentiated. Its keyword-only
        arguments, such as a tolerance, are its own.
    linear_solve : callable
        ``linear_solve(matvec, b, *, adjoint, x, theta)`` returns A^-1 b, or A^-H b if `adjoint`;
        `matvec` then applies A^H.

    Returns
    -------
    callable
        Function with the arguments and values of `solve`.

    Raises
    ------
    TracedValueError
        If a function uses a traced value that is not among its arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, implicit, jacobian
    >>> def linear_solve(matvec, b, *, adjoint, x, theta):
    ...     return b / matvec(np.ones_like(x))
    >>> root = implicit(lambda x, a: x**2 - a, lambda a: np.sqrt(a), linear_solve)
    >>> print(grad(root)(4.0))  # 1 / (2 sqrt(a))
    0.25

    For a system of equations the columns of the matrix are its products with the basis:

    >>> from scigrad import linalg
    >>> def linear_solve(matvec, b, *, adjoint, x, theta):
    ...     return linalg.solve(np.stack([matvec(e) for e in np.eye(x.size)], axis=1), b)
    >>> def newton(a):  # x0 + x1 = a0 and x0 x1 = a1
    ...     x = np.array([0.0, 1.0])
    ...     for _ in range(20):
    ...         x = x - np.linalg.solve([[1.0, 1.0], x[::-1]], system(x, a))
    ...     return x
    >>> system = lambda x, a: np.stack([x[0] + x[1], x[0] * x[1]]) - a
    >>> pair = implicit(system, newton, linear_solve)
    >>> print(jacobian(pair)(np.array([3.0, 2.0])).round(6))  # the solution is 2, 1
    [[ 2. -1.]
     [-1.  1.]]
    """
    rules = (
        functools.partial(rule, equation, linear_solve)
        for rule in (_implicit_forward, _implicit_reverse)
    )
    return attach_rules(
        functools.update_wrapper(functools.partial(_solve_equation, equation, solve), solve),
        *rules,
        plain=True,
    )


def _solve_equation(equation: Function, solve: Function, *theta: Any, **options: Any) -> Any:
    x = solve(*theta, **options)
    # no rule looks at what the equation closes over unless theta is traced
    if running:
        _check_equation(equation, equation(x, *theta), x, theta)
    return x


def _check_equation(equation: Function, value: Any, x: Any, theta: Any) -> None:
    refuse_closed(equation, value, (x, theta))
    if (found := shape_of(value)) != (wanted := shape_of(x)):
        raise errors.wrong_shape("implicit: the value of the equation", wanted, found)


def _implicit_forward(
    equation: Function, linear_solve: Function, theta: Any, x: Any, tangents: Any, **_: Any
) -> Any:
    right = push_forward_function(lambda *theta: equation(x, *theta), theta, x, tangents)
    value, matvec = linearize(lambda y: equation(y, *theta), x)
    _check_equation(equation, value, x, theta)
    return linear_solve(matvec, -right, adjoint=False, x=x, theta=theta)


def _implicit_reverse(
    equation: Function, linear_solve: Function, theta: Any, x: Any, g: Any, **_: Any
) -> Any:
    value, pull_x = vjp(lambda y: equation(y, *theta), x)
    _check_equation(equation, value, x, theta)
    w = linear_solve(lambda v: pull_x(v)[0], g, adjoint=True, x=x, theta=theta)
    return pull_back_function(lambda *theta: equation(x, *theta), theta, x, -w)
