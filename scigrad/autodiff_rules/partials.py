"""The decorators `constant` and `elementwise`, the forms of functions that they make, and the short
way through the most frequent calls.

Most calls are of boxes of one transform, plain numbers and arrays, and on small arrays the time of
Python dominates that of the arithmetic. The functions at the end do the work of `_interpret`,
`evaluate` and `record` together, and leave all other calls to the general way. Their gain is
measured by benchmarks/sine_chain.py, 31 operations on 10 elements, and benchmarks/mixed_program.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from scigrad.typing import Value

from . import vectorize
from .boxes import BOXES, LOWEST, STRONG, VARYING, Batched, Dual, Recorded
from .graph import Watched, guarded, new_serial, protect, settle_kept
from .messages import errors
from .primitive import Primitive, Rule
from .spaces import check_arithmetic, embed, project, space
from .trace import (
    ZERO,
    Traced,
    array_functions,
    as_scalar,
    check_view,
    interception,
    is_labelled,
    running,
)

_LISTS = frozenset((list, tuple, memoryview))
_NUMBERS = frozenset((np.float64, float, int))
# A module whose `pulled` computes all cotangents of an elementwise function at once, by the module
# of the arrays' type. A room registers it.
FUSED: dict[str, str] = {}
_PLAIN = _NUMBERS | {np.ndarray}

Function = Callable[..., Any]


def constant(
    kernel: Any = None, *, data_dependent_shape: bool = False, core: Mapping[str, int] | None = None
) -> Any:
    """Declare a function whose derivative is zero wherever it exists.

    Parameters
    ----------
    kernel : callable or ufunc
        Function of arrays.
    data_dependent_shape : bool, optional
        Whether the values of the arguments decide on the shape of the result, as the number of
        peaks does. Such a function is refused under vmap. Let it return positions, and take the
        values at them by indexing, which is differentiable.
    core : dict, optional
        As for `linear`.

    Returns
    -------
    Constant
        Function through which no derivative passes; a decorator if there is no kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import constant, grad
    >>> @constant
    ... def step(x):
    ...     return np.heaviside(x, 1.0)
    >>> print(grad(lambda x: x * step(x))(3.0))
    1.0
    """
    if kernel is None:
        return lambda kernel: constant(kernel, data_dependent_shape=data_dependent_shape, core=core)
    return Constant(kernel, data_dependent_shape).over_leading(core)


class Constant(Primitive):
    """Piecewise constant function (sign, floor, comparisons, argsort): no derivative passes, at any
    order.
    """

    is_constant = True

    def __init__(self, kernel: Rule, data_dependent_shape: bool = False) -> None:
        super().__init__(kernel)
        self.data_dependent_shape = data_dependent_shape
        self.decides = not {"d->?", "dd->?"}.isdisjoint(getattr(kernel, "types", ()))
        self.note("zero wherever they exist")

    def batch(
        self, values: Sequence[Any], batched: Sequence[bool], size: int, loop: bool
    ) -> tuple[Any, Any]:
        if self.data_dependent_shape:
            raise errors.data_dependent_shape(self.__name__)
        if isinstance(self.kernel, np.ufunc):
            return self.evaluate(vectorize.align_batches(values, batched))
        return super().batch(values, batched, size, loop)


def elementwise(kernel: Any = None, *, outputs: int = 1) -> Any:
    """Declare a function that acts element by element, ``y[i] = f(x[i], ...)``.

    Its partial derivatives are stated with ``@f.partials``.

    Parameters
    ----------
    kernel : callable or ufunc
        Function of one or more arrays.
    outputs : int, optional
        Number of outputs; a function with several returns a tuple.

    Returns
    -------
    Elementwise
        Function with derivatives of all orders and batching; a decorator if there is no kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import elementwise, grad
    >>> @elementwise
    ... def square(x):
    ...     return x * x
    >>> @square.partials
    ... def _(call):
    ...     return (lambda: 2 * call.x,)
    >>> print(grad(square)(3.0))
    6.0
    """
    return (
        Elementwise(kernel, outputs)
        if kernel is not None
        else lambda kernel: Elementwise(kernel, outputs)
    )


class Elementwise(Primitive):
    """Function y[i] = f(x[i], ...), with a partial derivative for each array argument (and for each
    output if there are several).

    Its rules receive, and the graph keeps, the inputs and the output in one tuple: (x, ..., out).
    """

    is_simple: bool
    fixed: Any

    is_elementwise = True
    # partials that were stated as numbers and functions of (x, ..., out)
    direct: tuple[Any, ...] | None = None
    ufunc: Any = property(lambda self: self.kernel)  # the function has the attributes of its ufunc

    def __init__(self, kernel: Rule, outputs: int = 1) -> None:
        super().__init__(kernel)
        self.outputs = outputs
        self.is_simple = outputs == 1
        self.note("element by element, forward and reverse mode, any order")
        self.rule: Rule = self._unstated
        # the call for positional arguments, which operators and NumPy's protocol use
        ways: dict[int, Rule] = {1: unary, 2: binary} if self.is_simple else {}
        self.short: Rule = ways.get(self.arity, lambda *_: self.general)(self, kernel, self.general)
        if interception.get(kernel) is self:
            interception[kernel] = self.short

    def partials(self, rule: Any) -> Any:
        """State the partial derivatives.

        They are a function of `call` that returns one item for each argument (a function without
        arguments, an array or a number, or None where there is no rule), for several outputs a
        tuple of such tuples; or such a tuple itself, of numbers, None and functions of (x, ...,
        out).
        """
        if isinstance(rule, tuple):
            self.direct = rule
            self.fixed = rule if all(isinstance(p, (int, float, complex)) for p in rule) else None
        else:
            self.rule = rule
        return rule

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == self.arity:
            return self.short(*args)
        return super().__call__(*args, **kwargs)

    def general(self, *args: Any) -> Any:
        """Call the function with positional arguments that the short way does not serve."""
        for kind in map(type, args):
            if kind in LOWEST and (out := LOWEST[kind](self, args)) is not None:
                return out
        return Primitive.__call__(self, *operands(args))

    if TYPE_CHECKING:  # the attributes of a ufunc are installed below

        def __getattr__(self, name: str) -> Any: ...

    def call(self, values: Sequence[Any], out: Value, saved: Any) -> Any:
        return (*values, out)

    def record(
        self, values: Sequence[Any], out: Value, saved: Any, parents: Sequence[tuple[int, Any]]
    ) -> Any:
        if self.fixed is None:
            return (*values, out)
        dtype, shape = out.dtype, out.shape
        for position, _ in parents:
            x = values[position]
            if x.dtype is not dtype or x.shape != shape:
                return (*map(space, values), space(out))
        return None  # nothing to remember: cotangents and tangents are right as they come

    def stated(self, kept: Any) -> Sequence[Any]:
        """Return the partials as they were stated: for each argument, or for each output a tuple of
        such.
        """
        return self.rule(self.Call._make((*kept, None)))

    def partial(self, partials: Sequence[Any], position: int, kept: Any) -> Any:
        """Return a partial as a number or an array."""
        p = partials[position]
        if p is None:
            raise self.missing(self.names[position], "derivative")
        return p if not callable(p) else p(*kept) if self.direct else as_scalar(p())

    def _unstated(self, call: Any) -> Any:
        raise self.missing("", "derivative")

    def push(self, kept: Any, tangents: Sequence[Any]) -> Any:
        partials = self.direct or self.stated(kept)
        if self.outputs > 1:
            return [
                embed(self.pushed(p, kept, tangents), out)
                for p, out in zip(partials, kept[-1], strict=True)
            ]
        total = self.pushed(partials, kept, tangents)
        return total if kept is None else embed(total, kept[-1])

    def pushed(self, partials: Sequence[Any], kept: Any, tangents: Sequence[Any]) -> Any:
        total = ZERO
        for position, t in enumerate(tangents):
            if t is not ZERO:
                p = partials[position]
                if type(p) is not int:
                    t = self.partial(partials, position, kept) * t
                elif p != 1:
                    t = p * t
                total = t if total is ZERO else total + t
        return total

    def pull(self, kept: Any, parents: Sequence[tuple[int, Any]], g: Any) -> list[tuple[Any, Any]]:
        if kept and type(g) not in _PLAIN and (fused := FUSED.get(type(g).__module__)):
            found = import_module(fused).pulled(self, kept, parents, g)
            if found is not None:
                return found
        direct, result = self.direct, []
        partials: Any = direct or self.stated(kept)
        # the graph sums the shares
        for row, seed in ((partials, g),) if self.is_simple else zip(partials, g, strict=True):
            for position, parent in parents if seed is not ZERO else ():
                p: Any = row[position]
                if type(p) is int:
                    c = seed if p == 1 else -seed if p == -1 else seed * p
                else:
                    p = p(*kept) if direct and callable(p) else self.partial(row, position, kept)
                    c = seed * p.conjugate()
                if kept and ((x := kept[position]).dtype is not c.dtype or x.shape != c.shape):
                    c = project(c, x)
                result.append((parent, c))
        return result

    def batch(
        self, values: Sequence[Any], batched: Sequence[bool], size: int, loop: bool
    ) -> tuple[Any, Any]:
        return self.evaluate(vectorize.align_batches(values, batched))

    def absorb(self, values: Sequence[Any]) -> Any:
        if self.fixed is not None:
            terms = [p * v for p, v in zip(self.fixed, values, strict=True) if v is not ZERO]
            return sum(terms[1:], start=terms[0]) if terms else ZERO
        linear = self.kernel is np.multiply or (self.kernel is np.divide and values[1] is not ZERO)
        return ZERO if linear else super().absorb(values)


for _name in dir(np.ufunc):
    if not _name.startswith("_"):
        setattr(Elementwise, _name, property(lambda self, name=_name: getattr(self.ufunc, name)))


# -- the short way


def operands(args: Sequence[Any]) -> Sequence[Any]:
    """Return lists as the arrays that NumPy makes of them; beside a traced value refuse other
    arithmetic than that of arrays.
    """
    traced = any(isinstance(x, Traced) for x in args)
    for x in args:
        if type(x) in _LISTS:
            return operands(
                [array_functions["assembled"](x) if type(x) in _LISTS else x for x in args]
            )
        if traced and type(x) not in _PLAIN and type(x) not in VARYING and not is_labelled(type(x)):
            check_arithmetic(x)
    return tuple([x[()] if type(x) is np.ndarray and not x.ndim else x for x in args])


def unary(primitive: Any, kernel: Function, general: Function) -> Function:
    def call(x: Any) -> Any:
        kind = type(x)
        if kind in _PLAIN:
            return kernel(x)
        if kind not in BOXES or x._level not in running:
            return general(x)
        if x._base is not None:
            check_view(x)
        value = x._value
        if type(value) in STRONG:
            out = kernel(value)
        elif type(value) in VARYING:
            out = call(value)
        else:
            return general(x)
        if kind is Recorded:
            kept = (value, out) if primitive.fixed is None else None
            return Recorded(
                out,
                x._level,
                (
                    new_serial(),
                    primitive,
                    kept if not guarded else protect(x._level, kept),
                    ((0, x._node),),
                ),
            )
        if kind is Dual:
            return Dual(
                out,
                x._level,
                ZERO if x._tangent is ZERO else primitive.push((value, out), (x._tangent,)),
            )
        return Batched(out, x._level, x._loop)

    return call


def binary(primitive: Any, kernel: Function, general: Function) -> Function:
    def call(x: Any, y: Any) -> Any:
        kind, other, called = type(x), type(y), primitive
        if kind is Recorded and other in _NUMBERS:
            box, u, v, parents = x, x._value, y, ((0, x._node),)
        elif kind is other is Recorded and x._level == y._level and type(y._value) in VARYING:
            if y._base is not None:
                check_view(y)
            box, u, v, parents = x, x._value, y._value, ((0, x._node), (1, y._node))
        elif kind in _NUMBERS and other is Recorded:
            box, u, v, parents = y, x, y._value, ((1, y._node),)
        elif kind in _PLAIN and other in _PLAIN:
            return kernel(x, y)
        elif kind is Recorded and other is np.ndarray:
            y, called = _settled(primitive, y, x._level)
            box, u, v, parents = x, x._value, y, ((0, x._node),)
        elif kind is np.ndarray and other is Recorded:
            x, called = _settled(primitive, x, y._level)
            box, u, v, parents = y, x, y._value, ((1, y._node),)
        else:
            return _unrecorded(primitive, call, general, x, y)
        level = box._level
        if level not in running or type(box._value) not in VARYING:
            return general(x, y)
        if box._base is not None and check_view(box):
            return call(x, y)
        out = kernel(u, v) if type(u) in _PLAIN and type(v) in _PLAIN else call(u, v)
        kept = (
            (u, v, out) if primitive.fixed is None else primitive.record((u, v), out, None, parents)
        )
        return Recorded(
            out,
            level,
            (new_serial(), called, kept if not guarded else protect(level, kept), parents),
        )

    return call


def _settled(primitive: Any, x: np.ndarray, level: int) -> tuple[Any, Any]:
    """Return a plain array beside a recorded value, a copy if it is small, and what is called: the
    program may write to the array.
    """
    if primitive.fixed is not None:
        return x, primitive
    x, large = settle_kept(x, level)
    return x, Watched(primitive, [x]) if large else primitive


def _unrecorded(primitive: Any, call: Function, general: Function, x: Any, y: Any) -> Any:
    """Compute a call with dual numbers or batches, both of one transform or one beside a plain
    value.
    """
    if getattr(x, "_is_holder", False) or getattr(y, "_is_holder", False):
        content = array_functions["content"]
        return array_functions["fillable"](call(content(x), content(y)))
    first, second = type(x) in BOXES, type(y) in BOXES
    box, beside = (x, y) if first else (y, x)
    kind, level = type(box), getattr(box, "_level", None)
    if kind is Recorded or kind not in BOXES or level not in running:
        return general(x, y)
    if first and second:
        if type(y) is not kind or y._level != level:
            return general(x, y)
        if y._base is not None:
            check_view(y)
    elif type(beside) not in _PLAIN:
        return general(x, y)
    if box._base is not None:
        check_view(box)
    u, v = x._value if first else x, y._value if second else y
    if (first and type(u) not in VARYING) or (second and type(v) not in VARYING):
        return general(x, y)
    if kind is Batched:
        if not (primitive.is_elementwise and _batches_broadcast(u, v, first, second)):
            return general(x, y)
        return Batched(call(u, v), level, (first and x._loop) or (second and y._loop))
    tangents = x._tangent if first else ZERO, y._tangent if second else ZERO
    out = call(u, v)
    return Dual(out, level, primitive.push(primitive.call((u, v), out, None), tangents))


def _batches_broadcast(u: Any, v: Any, first: bool, second: bool) -> bool:
    """Return whether arrays with the batch on axis 0 of those that have one broadcast as they
    are.
    """
    if first and second:
        return u.ndim == v.ndim
    return (
        type(v) in _NUMBERS or v.ndim < u.ndim if first else type(u) in _NUMBERS or u.ndim < v.ndim
    )
