"""Values of a program on a device as expressions of an index.

A node says what its element at an index is: that of an array in memory, a number, a function of the
elements of others, an element of another at another index, or a sum of such.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Unfusible(TypeError):
    """Raised for what is no part of a kernel."""


class Node:
    """Value of a shape and a dtype; a dtype of None is that of Python's numbers, which adapt."""

    __slots__ = ("dtype", "inputs", "shape", "size")
    dtype: Any

    def __init__(self, shape: Sequence[int], dtype: Any, inputs: Sequence["Node"] = ()) -> None:
        self.shape, self.dtype = tuple(shape), None if dtype is None else np.dtype(dtype)
        self.inputs = tuple(inputs)
        self.size = math.prod(self.shape)


class Buffer(Node):
    """Array in memory: an argument, a constant or what a call returned."""

    __slots__ = ("array",)

    def __init__(self, shape: Sequence[int], dtype: Any, array: Any = None) -> None:
        super().__init__(shape, dtype)
        self.array = array  # a constant, None for what each run brings


class Number(Node):
    """Number that is known."""

    __slots__ = ("value",)

    def __init__(self, value: Any, dtype: Any) -> None:
        super().__init__((), dtype)
        self.value = value


class Parameter(Node):
    """Number of the host that each run brings; `kind` is that of a Python number or a dtype."""

    __slots__ = ("kind",)

    def __init__(self, value: Any) -> None:
        super().__init__((), getattr(value, "dtype", None))
        # NumPy's complex64 is no complex of Python's
        self.kind = np.dtype(complex if np.iscomplexobj(value) else float)


class Routine(NamedTuple):
    """Statements of C++ from ``in0, in1, ...`` of some types to ``out0``."""

    text: str
    types: tuple[np.dtype[Any], ...]
    preamble: str = ""
    row: Any = None  # a function of xsf_kernels.csv
    cost: int = 1


class Elementwise(Node):
    """Function of the elements of others, which are broadcast."""

    __slots__ = ("routine",)

    def __init__(self, dtype: Any, inputs: Sequence[Node], routine: Routine) -> None:
        super().__init__(np.broadcast_shapes(*[x.shape for x in inputs]), dtype, inputs)
        self.routine = routine


class Piece(NamedTuple):
    """Elements of a moved value within `box` (first, last, step for each axis; None: all), and
    where they come from: in C order, the element ``origin + sum(coefficients * index)`` of an
    input.
    """

    source: int
    box: tuple[tuple[int, int, int], ...] | None
    origin: int
    coefficients: tuple[int, ...]


class Move(Node):
    """Elements of others at other places, and zeros where no piece is."""

    __slots__ = ("pieces",)

    def __init__(
        self, shape: Sequence[int], dtype: Any, inputs: Sequence[Node], pieces: Sequence[Piece]
    ) -> None:
        super().__init__(shape, dtype, inputs)
        self.pieces = tuple(pieces)


class Reduction(Node):
    """Sum, product or largest element over axes, which are left out."""

    __slots__ = ("axes", "operation")

    def __init__(self, dtype: Any, x: Node, axes: Sequence[int], operation: str) -> None:
        kept = [n for i, n in enumerate(x.shape) if i not in axes]
        super().__init__(kept, dtype, [x])
        self.axes, self.operation = tuple(axes), operation

    @property
    def count(self) -> int:
        """Number of elements that make one of the result."""
        return math.prod(self.inputs[0].shape[i] for i in self.axes)


def strides_of(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a contiguous array, in elements."""
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def broadcast(x: Node, shape: Sequence[int]) -> Node:
    """Return a value repeated to a shape."""
    if x.shape == tuple(shape):
        return x
    steps = [0 if n == 1 else s for n, s in zip(x.shape, strides_of(x.shape), strict=True)]
    coefficients = *[0] * (len(shape) - len(steps)), *steps
    return Move(shape, x.dtype, [x], [Piece(0, None, 0, coefficients)])


def reshape_node(x: Node, shape: Sequence[int]) -> Node:
    """Return the elements in C order in another shape."""
    if x.shape == tuple(shape):
        return x
    return Move(shape, x.dtype, [x], [Piece(0, None, 0, strides_of(shape))])
