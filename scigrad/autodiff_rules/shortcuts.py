"""The short way through an elementwise or linear call: boxes of one transform, plain numbers and arrays.

Most calls are of this kind, and on small arrays the time of Python dominates that of the arithmetic. The functions here do the
work of `_interpret`, `evaluate` and `record` together, and leave all other calls to the general way. Their gain is measured by
benchmarks/sine_chain.py, 31 operations on 10 elements, and benchmarks/mixed_program.py.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .absent import ZERO
from .boxes import STRONG, Batched, Dual, Recorded, constant
from .graph import ATOMS, Watched, guarded, is_settled, new_serial, protect, settled
from .plans import plan
from .spaces import Space, check_arithmetic
from .trace import Traced, array_functions, check_view, is_labelled, running, scalar

_LISTS = frozenset((list, tuple, memoryview))
_NUMBERS = frozenset((np.float64, float, int))
_PLAIN = _NUMBERS | {np.ndarray}
_BOXES = frozenset((Recorded, Dual, Batched))
VARYING = STRONG | _BOXES  # what lies in a box and may be given to rules as it is
_KNOWN = _PLAIN | _BOXES
_make = tuple.__new__

Function = Callable[..., Any]


def short(primitive: Any, kernel: Function, general: Function) -> Function:
    """Return the call for positional arguments, which operators and NumPy's protocol use."""
    way = {1: unary, 2: binary}.get(primitive.arity) if primitive.is_simple else None
    return way(primitive, kernel, general) if way else general


def operands(args: Sequence[Any]) -> Sequence[Any]:
    """Return lists as the arrays that NumPy makes of them; beside a traced value refuse other arithmetic than that of arrays."""
    traced = any(isinstance(x, Traced) for x in args)
    for x in args:
        if type(x) in _LISTS:
            return operands([array_functions["assembled"](x) if type(x) in _LISTS else x for x in args])
        if traced and type(x) not in _KNOWN and not is_labelled(type(x)):
            check_arithmetic(x)
    return tuple(map(scalar, args))


def linear(primitive: Any) -> Function:
    """Return the call of a function linear in its first argument: the result, or None where it needs the general way.

    `plain` says that nothing is traced among the other arguments.
    """
    kernel, Call, arity = primitive.kernel, primitive.Call, primitive.arity

    def call(args: Sequence[Any], plain: bool = False) -> Any:
        x = args[0] if len(args) == arity else None
        if type(x) is not Recorded or type(x._value) is not np.ndarray or x._level not in running:
            return None
        value, rest = x._value, args[1:]
        if rest and not plain and not ATOMS.issuperset(map(type, rest)):
            boxes, containers, writable = plan(args)
            if len(boxes) > 1 or writable != containers or (writable and not all(is_settled(args[i]) for i in writable)):
                return None
        if x._base is not None:
            check_view(x)
        out = kernel(value, *rest)
        if type(out) is not np.ndarray and not isinstance(out, np.generic):  # of an array of objects
            return None
        before, after = _make(Space, (value.shape, value.dtype, "numpy")), _make(Space, (out.shape, out.dtype, "numpy"))
        kept = _make(Call, (before, *rest, after, None))
        node = new_serial(), primitive, kept if not guarded else protect(x._level, kept), ((0, x._node),)
        return Recorded(out, x._level, node) if out.dtype.kind in "fc" else constant(out, primitive)

    return call


def unary(primitive: Any, kernel: Function, general: Function) -> Function:
    def call(x: Any) -> Any:
        kind = type(x)
        if kind in _PLAIN:
            return kernel(x)
        if kind not in _BOXES or x._level not in running:
            return general(x)
        if x._base is not None:
            check_view(x)
        value = x._value
        if type(value) in STRONG:
            out = kernel(value)
        elif type(value) in _BOXES:
            out = call(value)
        else:
            return general(x)
        if kind is Recorded:
            kept = (value, out) if primitive.fixed is None else None
            return Recorded(
                out, x._level, (new_serial(), primitive, kept if not guarded else protect(x._level, kept), ((0, x._node),))
            )
        if kind is Dual:
            return Dual(out, x._level, ZERO if x._tangent is ZERO else primitive.push((value, out), (x._tangent,)))
        return Batched(out, x._level, x._loop)

    return call


def binary(primitive: Any, kernel: Function, general: Function) -> Function:
    def call(x: Any, y: Any) -> Any:
        kind, other = type(x), type(y)
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
        elif (kind is Recorded and other is np.ndarray) or (kind is np.ndarray and other is Recorded):
            return _beside_array(primitive, kernel, call, general, x, y)
        else:
            return _unrecorded(primitive, call, general, x, y)
        level = box._level
        if level not in running or type(box._value) not in VARYING:
            return general(x, y)
        if box._base is not None:
            check_view(box)
        out = call(u, v) if type(u) in _BOXES or type(v) in _BOXES else kernel(u, v)
        kept = (u, v, out) if primitive.fixed is None else _spaces(primitive, u, v, out, parents)
        return Recorded(out, level, (new_serial(), primitive, kept if not guarded else protect(level, kept), parents))

    return call


def _beside_array(primitive: Any, kernel: Function, call: Function, general: Function, x: Any, y: Any) -> Any:
    """Compute a call of a recorded value and a plain array, which the program may write to."""
    position = 0 if type(x) is Recorded else 1
    box = y if position else x
    level, value = box._level, box._value
    if level not in running or type(value) not in VARYING:
        return general(x, y)
    if box._base is not None:
        check_view(box)
    u, v = (x, value) if position else (value, y)
    out, parents = call(u, v) if type(value) in _BOXES else kernel(u, v), ((position, box._node),)
    if primitive.fixed is not None:
        kept, called = _spaces(primitive, u, v, out, parents), primitive
    else:
        array, large = settled(u if position else v, level)
        kept = (array, v, out) if position else (u, array, out)
        called = Watched(primitive, [array]) if large else primitive
    return Recorded(out, level, (new_serial(), called, kept if not guarded else protect(level, kept), parents))


def _spaces(primitive: Any, u: Any, v: Any, out: Any, parents: Any) -> Any:
    """Return what is kept where the partials are numbers: nothing, if cotangents need no projection."""
    x, dtype, shape = v if parents[0][0] else u, out.dtype, out.shape
    if x.dtype is dtype and x.shape == shape and (len(parents) == 1 or (v.dtype is dtype and v.shape == shape)):
        return None
    return primitive.record((u, v), out, None, parents)


def _unrecorded(primitive: Any, call: Function, general: Function, x: Any, y: Any) -> Any:
    """Compute a call with dual numbers or batches, both of one transform or one beside a plain value."""
    first, second = type(x) in _BOXES, type(y) in _BOXES
    box, beside = (x, y) if first else (y, x)
    kind, level = type(box), getattr(box, "_level", None)
    if kind is Recorded or level not in running:
        return general(x, y)
    if first and second:
        if type(y) is not kind or y._level != level:
            return general(x, y)
        check_view(y)
    elif type(beside) not in _PLAIN:
        return general(x, y)
    check_view(box)
    u, v = x._value if first else x, y._value if second else y
    if (first and type(u) not in VARYING) or (second and type(v) not in VARYING):
        return general(x, y)
    if kind is Batched:
        if not (primitive.is_elementwise and _aligned(u, v, first, second)):
            return general(x, y)
        return Batched(call(u, v), level, (first and x._loop) or (second and y._loop))
    tangents = x._tangent if first else ZERO, y._tangent if second else ZERO
    out = call(u, v)
    return Dual(out, level, primitive.push(primitive.call((u, v), out, None), tangents))


def _aligned(u: Any, v: Any, first: bool, second: bool) -> bool:
    """Return whether arrays with the batch on axis 0 of those that have one broadcast as they are."""
    if first and second:
        return u.ndim == v.ndim
    return type(v) in _NUMBERS or v.ndim < u.ndim if first else type(u) in _NUMBERS or u.ndim < v.ndim
