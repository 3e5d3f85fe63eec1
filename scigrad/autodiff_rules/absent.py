"""ZERO, the tangent of a constant and the cotangent of a value on which nothing depends."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from .trace import Traced


class Zero(Traced):
    """Zero of any space: absorbs products, vanishes in sums, passes through linear functions.

    Declared functions of ZERO follow their form, see `Primitive.absorb`.
    """

    __slots__ = ()
    _level = sys.maxsize  # type: ignore[assignment]  # asked before every transform
    __array_ufunc__ = None  # type: ignore[assignment]  # so that array + ZERO calls ZERO.__radd__

    def __init__(self) -> None:
        pass

    def _interpret(self, primitive: Any, values: Sequence[Any], boxes: Sequence[int], writable: Any) -> tuple[Any, Any]:
        return primitive.absorb(values), None

    def __repr__(self) -> str:
        return "ZERO"

    def __bool__(self) -> bool:
        return False

    def _other(self, other: Any) -> Any:
        return other

    def _negated(self, other: Any) -> Any:
        return -other

    def _self(self, *_: Any, **__: Any) -> Zero:
        return self

    def _apart(self, leaving: int = 0) -> Zero:
        return self

    __add__ = __radd__ = __rsub__ = _other
    __sub__ = _negated
    __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __truediv__ = __neg__ = __getitem__ = _self
    conj = sum = reshape = astype = copy = swapaxes = transpose = _self
    T = mT = real = imag = property(_self)  # type: ignore[assignment]


ZERO = Zero()
