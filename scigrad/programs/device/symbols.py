"""Arrays that record what a kernel does to them: a kernel that is called with symbols runs its own
lines, and each function that these call becomes a node.

For the kernels a symbol is an array of a library of its own, whose functions are CuPy's where they
work element by element. What does not is refused, and the step remains a call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from scigrad.typing import Value

from . import routines
from .moves import find_pieces
from .nodes import Buffer, Move, Node, Number, Reduction, Unfusible, broadcast, reshape_node

_SHORT = 16  # terms of an element of a product that a thread adds
_NUMBERS = (bool, int, float, complex)


class Symbol(np.lib.mixins.NDArrayOperatorsMixin):
    """Python's number that a program does not know."""

    __slots__ = ("node",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, node: Node) -> None:
        self.node = node

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method == "reduce" and ufunc in _OF_UFUNC:
            return _reduction(_OF_UFUNC[ufunc], *inputs, **{"axis": 0, **options})
        (out,) = options.pop("out", (None,))
        if method != "__call__" or options:
            raise Unfusible
        if ufunc is np.matmul:
            return _product(*inputs)
        if ufunc is np.frexp:
            return _parts_of_float(*inputs)
        node = routines.elementwise(_device_function(ufunc), [node_of(x) for x in inputs])
        if out is None:
            return Array(node)
        if not isinstance(out, Array) or out.shape != node.shape:
            raise Unfusible
        out.node = routines.convert_dtype(node, out.dtype)  # a kernel's own array, of no views
        return out

    def __array_function__(self, function: Any, kinds: Any, args: Any, options: Any) -> Any:
        del kinds
        name = function.__name__
        if name in _MOVES:
            return moved(function, args, options)
        if name not in _FUNCTIONS:
            raise Unfusible
        return _FUNCTIONS[name](*args, **options)

    def __bool__(self) -> bool:
        raise Unfusible

    __float__ = __int__ = __complex__ = __index__ = __array__ = __bool__  # type: ignore[assignment]


class Array(Symbol):
    """Array or number of NumPy's."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        return self.node.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.node.shape

    @property
    def ndim(self) -> int:
        return len(self.node.shape)

    @property
    def size(self) -> int:
        return self.node.size

    @property
    def T(self) -> Any:
        return moved(np.transpose, [self], {})

    @property
    def mT(self) -> Any:
        return self.swapaxes(-1, -2)

    @property
    def real(self) -> Any:
        return _component("real", self)

    @property
    def imag(self) -> Any:
        return _component("imag", self)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        if index == ():
            return self
        return moved(operator.getitem, [self, index], {})

    def astype(self, dtype: Any, copy: bool = True, casting: str = "unsafe") -> Any:
        del copy, casting
        return Array(routines.convert_dtype(self.node, dtype))

    def copy(self, order: str = "C") -> Any:
        del order
        return self

    def conj(self) -> Any:
        return np.conjugate(self)

    conjugate = conj

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        return moved(lambda x: x.reshape(*shape, order=order), [self], {})

    def transpose(self, *axes: Any) -> Any:
        return moved(lambda x: x.transpose(*axes), [self], {})

    def ravel(self, order: str = "C") -> Any:
        return self.reshape(-1, order=order)

    def squeeze(self, axis: Any = None) -> Any:
        return moved(np.squeeze, [self, axis], {})

    def swapaxes(self, first: int, second: int) -> Any:
        return moved(np.swapaxes, [self, first, second], {})


def node_of(x: Any) -> Node:
    """Return the node of a symbol, a number or an array on the device."""
    if isinstance(x, Symbol):
        return x.node
    if type(x) in _NUMBERS:
        return Number(x, None)
    if isinstance(x, np.generic) or (type(x) is np.ndarray and not x.ndim):
        return Number(x.item(), x.dtype)
    if not hasattr(x, "__cuda_array_interface__"):
        raise Unfusible
    if x.size and all(n == 1 or s == 0 for n, s in zip(x.shape, x.strides, strict=True)):
        return broadcast(Number(x[(0,) * x.ndim].item(), x.dtype), x.shape)
    return Buffer(x.shape, x.dtype, x.copy("C"))


def as_symbol(node: Node) -> Symbol:
    """Return a node as the value that kernels expect."""
    return Symbol(node) if node.dtype is None else Array(node)


def _device_function(ufunc: Any) -> Any:
    import cupy

    name = ufunc.__name__
    return getattr(cupy if getattr(np, name, None) is ufunc else _special(), name)


def _special() -> Any:
    from scigrad.special.machinery import xsf_kernels

    return xsf_kernels


# -- functions


def moved(function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]) -> Any:
    """Return what a function makes that only moves elements."""
    found: list[Node] = []

    def lifted(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return type(x)(map(lifted, x))
        if not isinstance(x, Symbol) and not hasattr(x, "__cuda_array_interface__"):
            return x
        found.append(node_of(x))
        return len(found) - 1, _PLACE

    marked = [lifted(x) for x in args]
    if not found or any(x.dtype is None for x in found):
        raise Unfusible

    def call(*arrays: np.ndarray) -> Any:
        def restored(x: Any) -> Any:
            if isinstance(x, tuple) and len(x) == 2 and x[1] is _PLACE:
                return arrays[x[0]]
            return type(x)(map(restored, x)) if isinstance(x, (list, tuple)) else x

        return function(*map(restored, marked), **options)

    dtype = np.result_type(*[x.dtype for x in found])
    pieces = find_pieces(call, [np.broadcast_to(np.zeros((), dtype), x.shape) for x in found])
    if pieces is None:
        raise Unfusible
    return Array(
        Move(pieces[0], dtype, [routines.convert_dtype(x, dtype) for x in found], pieces[1])
    )


_PLACE = object()


def _parts_of_float(x: Any) -> Any:
    """Return the mantissa and the exponent of a number."""
    texts = {x.dtype: "int e; out0 = frexp(in0, &e)", "i": "frexp(in0, &out0)"}
    return [Array(routines.written(text, kind, x.node)) for kind, text in texts.items()]


def _component(name: str, x: Any) -> Any:
    if x.dtype.kind != "c":
        return x if name == "real" else np.zeros_like(x)
    return Array(routines.written(f"out0 = in0.{name}()", x.dtype.char.lower(), x.node))


def _where(condition: Any, x: Any, y: Any) -> Any:
    import cupy

    # The ufunc behind cupy.where has no name of its own.
    where = cupy._sorting.search._where_ufunc
    nodes = [routines.convert_dtype(node_of(condition), bool), node_of(x), node_of(y)]
    return Array(routines.elementwise(where, nodes))


def _triangle(x: Any, k: int) -> Any:
    """Return the mask of what does not lie above the k-th diagonal."""
    import cupy

    return cupy.tri(*x.shape[-2:], k, dtype=bool)


def _product(a: Any, b: Any) -> Any:
    """Return a product of matrices as sums, where these are short: others are the library's."""
    if not isinstance(a, Array) or not isinstance(b, Array) or min(a.ndim, b.ndim) < 2:
        raise Unfusible
    if a.shape[-1] > _SHORT or a.dtype != b.dtype or a.dtype.kind not in "fc":
        raise Unfusible
    return np.sum(a[..., :, None, :] * np.swapaxes(b, -1, -2)[..., None, :, :], axis=-1)


def _reduction(
    operation: str, x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False
) -> Any:
    node = node_of(x)
    axes = tuple(range(len(node.shape))) if axis is None else axis
    axes = normalize_axis_tuple(axes, len(node.shape))
    kind = dtype or getattr(np.empty((1,), node.dtype), operation)().dtype
    if operation in ("max", "min") and (node.dtype.kind == "c" or not node.size):
        raise Unfusible
    if kind.char not in routines.TYPES:
        raise Unfusible
    out: Node = routines.convert_dtype(node, kind)
    if axes:
        out = Reduction(kind, out, axes, operation)
    if keepdims:
        out = reshape_node(out, [1 if i in axes else n for i, n in enumerate(node.shape)])
    return Array(out)


def _reducing(operation: str) -> Callable[..., Any]:
    def run(x: Any, axis: Any = None, dtype: Any = None, out: Value = None, **options: Any) -> Any:
        if out is not None:
            raise Unfusible
        return _reduction(operation, x, axis, dtype, **options)

    return run


def _extreme(operation: str) -> Callable[..., Any]:
    return lambda x, axis=None, keepdims=False: _reduction(operation, x, axis, None, keepdims)


def _filled(value: Any) -> Callable[..., Any]:
    def run(x: Any, dtype: Any = None, shape: Any = None) -> Any:
        number = Number(value, dtype or x.dtype)
        return Array(broadcast(number, x.shape if shape is None else shape))

    return run


def _range(*args: Any, **options: Any) -> Any:
    import cupy

    return Array(node_of(cupy.arange(*args, **options)))


def _dtypes(*values: Any) -> list[Any]:
    """Return dtypes for arrays, and numbers for Python's."""
    return [
        x.dtype if isinstance(x, Array) else 0.0 if isinstance(x, Symbol) else x for x in values
    ]


_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": _reducing("sum"), "prod": _reducing("prod"),
    "max": _extreme("max"), "min": _extreme("min"),
    "any": _extreme("any"), "all": _extreme("all"),
}  # fmt: skip
_OF_UFUNC = {
    np.add: "sum", np.multiply: "prod", np.maximum: "max", np.minimum: "min",
    np.logical_or: "any", np.logical_and: "all",
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "tril": lambda x, k=0: _where(_triangle(x, k), x, 0),
    "triu": lambda x, k=0: _where(_triangle(x, k - 1), 0, x),
    **_REDUCTIONS,
    "amax": _REDUCTIONS["max"], "amin": _REDUCTIONS["min"],
    "where": _where,
    "clip": lambda x, low, high: np.minimum(np.maximum(x, low), high),
    "real": lambda x: x.real, "imag": lambda x: x.imag,
    "shape": lambda x: x.shape, "ndim": lambda x: x.ndim, "size": lambda x: x.size,
    "zeros_like": _filled(0), "ones_like": _filled(1),
    "iscomplexobj": lambda x: x.dtype.kind == "c", "isrealobj": lambda x: x.dtype.kind != "c",
    "result_type": lambda *values: np.result_type(*_dtypes(*values)),
    "copy": lambda x, order="K": x,
    "arange": _range,
}  # fmt: skip
_MOVES = frozenset({
    "transpose", "reshape", "ravel", "broadcast_to", "expand_dims", "squeeze", "moveaxis",
    "swapaxes", "rollaxis", "stack", "concatenate", "vstack", "hstack", "column_stack", "dstack",
    "flip", "fliplr", "flipud", "roll", "rot90", "diagonal", "diag", "take",
    "repeat", "tile", "matrix_transpose", "take_along_axis",
})  # fmt: skip
for _name, _function in _REDUCTIONS.items():
    setattr(Array, _name, _function)


# -- the library of symbols


class _Room:
    """Functions of a room for symbols: CuPy's for what does not involve any."""

    def __init__(self, room: str) -> None:
        self.room = room

    def __getattr__(self, name: str) -> Any:
        if self.room == "special":
            function = getattr(_special(), name)
            return lambda *args: Array(routines.elementwise(function, [*map(node_of, args)]))
        if self.room != "numpy":
            raise Unfusible
        import cupy

        def call(*args: Any, **options: Any) -> Any:
            if any(isinstance(x, Symbol) for x in args):
                return getattr(np, name)(*args, **options)
            return Array(node_of(getattr(cupy, name)(*args, **options)))

        return call


def kernel_module(room: str) -> Any:
    """Return the functions of a room for symbols."""
    return _Room(room)
