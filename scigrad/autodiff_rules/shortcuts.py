"""The short way through an elementwise call: reverse mode over plain arrays, one input that varies, nothing nested.

That is what most calls are, and on small arrays they cost what Python costs, not what the arithmetic costs. The functions
here do what `interpret`, `evaluate` and `record` do together, and leave everything else to `general`. What they spare
is measured by benchmarks/sine_chain.py, 31 operations on 10 elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .boxes import Batched, Dual, Node, Recorded, new_serial
from .spaces import check_arithmetic
from .trace import Traced

_LISTS = frozenset((list, tuple))
_PLAIN = frozenset((np.ndarray, np.float64, float, int))
_STRONG = frozenset((np.ndarray, np.float64))  # what rules may be given as it is
_KNOWN = _PLAIN | {Recorded, Dual, Batched}
_make = tuple.__new__  # a named tuple's own constructor is several times slower

Function = Callable[..., Any]


def unary(primitive: Any, kernel: Function, general: Function) -> Function:
    """f(x) for a plain x, or an x that reverse mode records over a plain value."""
    call_type = primitive.Call

    def call(x: Any) -> Any:
        kind = type(x)
        if kind is Recorded:
            value = x.value
            if type(value) in _STRONG and x.base is None:
                out = kernel(value)
                kept = _make(call_type, (value, out, None)) if primitive.fixed is None else None
                return Recorded(out, x.level, _make(Node, (new_serial(), primitive, kept, ((0, x.node),))))
        elif kind in _PLAIN:
            return kernel(x)
        return general(x)

    return call


def binary(primitive: Any, kernel: Function, general: Function) -> Function:
    """f(x, y) where one is as above and the other is plain: most products and sums with constants."""
    call_type = primitive.Call

    def call(x: Any, y: Any) -> Any:
        if type(x) is Recorded and type(y) in _PLAIN:
            value = x.value
            if type(value) in _STRONG and x.base is None:
                out, parents = kernel(value, y), ((0, x.node),)
                if primitive.fixed is None:
                    kept = _make(call_type, (value, y, out, None))
                else:
                    kept = primitive.record((value, y), out, None, parents)
                return Recorded(out, x.level, _make(Node, (new_serial(), primitive, kept, parents)))
        elif type(y) is Recorded and type(x) in _PLAIN:
            value = y.value
            if type(value) in _STRONG and y.base is None:
                out, parents = kernel(x, value), ((1, y.node),)
                if primitive.fixed is None:
                    kept = _make(call_type, (x, value, out, None))
                else:
                    kept = primitive.record((x, value), out, None, parents)
                return Recorded(out, y.level, _make(Node, (new_serial(), primitive, kept, parents)))
        elif type(x) in _PLAIN and type(y) in _PLAIN:
            return kernel(x, y)
        if type(x) in _LISTS or type(y) in _LISTS:  # NumPy computes with them; rules should not have to
            x, y = (np.asarray(v) if type(v) in _LISTS else v for v in (x, y))
        elif isinstance(x, Traced) and type(y) not in _KNOWN:
            check_arithmetic(y)
        elif isinstance(y, Traced) and type(x) not in _KNOWN:
            check_arithmetic(x)
        return general(x, y)

    return call
