"""Functions of elements in one kernel, without a program: the value of a composed function, and all
cotangents that a rule gives.

What a function does to its arguments is found out by calling it with symbols, once for the dtypes;
what is no function of single elements, or asks for values, is called as it is. CuPy's own loop runs
the kernel over arrays of any shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, backends
from scigrad.autodiff_rules.spaces import project

from .kernels import REDUCTIONS, THREADS_OF_XSF, functions_source, is_included
from .levels import Plan, is_serial, sort_nodes
from .nodes import (
    Buffer,
    Elementwise,
    Move,
    Node,
    Number,
    Parameter,
    Piece,
    Reduction,
    Unfusible,
)
from .routines import TYPES
from .symbols import as_symbol, node_of
from .writer import Index, Writer, literal

_SIZE = 13  # elements of a symbol: as many as no function expects
_STACK = 2048  # bytes for tables beside calls of functions that call themselves
_LARGEST_TABLE = 64  # numbers of a constant that is part of a kernel
_LONG = 100  # cost from which elements that are read several times are kept
_VARIANTS = 8  # numbers of Python that are part of a kernel; further ones are given to another
_NUMBERS = (int, float, complex)
_known: dict[Any, dict[Any, _Kernel | None]] = {}


def pulled(primitive: Any, kept: Sequence[Any], parents: Sequence[Any], g: Any) -> Any:
    """Return what `pull` of an elementwise function does for plain arrays, None if it has to be
    called.
    """
    places = tuple([i for i, _ in parents])
    if any(isinstance(x, Traced) for x in kept) or not all(
        map(backends.is_on_device, (kept[i] for i in places))
    ):
        return None

    def rule(*values: Any) -> list[Any]:
        *inputs, seed = values
        return [c for _, c in primitive.pull(tuple(inputs), [(i, None) for i in places], seed)]

    rule.__name__ = primitive.__name__
    found = in_one_kernel(rule, (primitive, places), (*kept, g))
    if found is None:
        return None
    pairs = zip(parents, found, strict=True)
    return [(parent, project(c, kept[i])) for (i, parent), c in pairs]


def made_of_elements(function: Callable[..., Any], values: Sequence[Any]) -> Any:
    """Return what a function of elements makes of some values, an array or several."""

    def listed(*symbols: Any) -> Any:
        found = function(*symbols)
        return found if isinstance(found, tuple) else [found]

    if any(isinstance(x, Traced) for x in values):
        return function(*values)
    found = in_one_kernel(listed, function, values)
    if found is None:
        return function(*values)
    return tuple(found) if len(found) > 1 else found[0]


def in_one_kernel(function: Callable[..., Any], key: Any, values: Sequence[Any]) -> Any:
    """Return the arrays that a function of elements makes of some values, None if it has to be
    called; `key` tells functions apart.
    """
    if backends.chosen.get():
        return None
    known = _known.setdefault((key, tuple(map(_type_of, values))), {})
    numbers = tuple([repr(x) for x in values if type(x) in _NUMBERS])
    if numbers not in known and len(known) > _VARIANTS:
        numbers = None
    if numbers not in known:
        known[numbers] = _kernel_of(function, values, given=numbers is None)
    kernel = known[numbers]
    return None if kernel is None else kernel(values)


def _type_of(x: Any) -> Any:
    """Return what decides on a kernel but for numbers of Python."""
    dtype = getattr(x, "dtype", None)
    if dtype is not None:
        return dtype.char, backends.is_on_device(x)
    return type(x), x if type(x) in (bool, str) else None


def _kernel_of(function: Callable[..., Any], values: Sequence[Any], given: bool) -> _Kernel | None:
    """Return the kernel of a function, None if it saves no launch; numbers of Python are part of
    it unless they are `given`.
    """
    try:
        nodes = [_node_of(x, given) for x in values]
        symbols = [x if n is None else as_symbol(n) for x, n in zip(values, nodes, strict=True)]
        return _Kernel(function.__name__, nodes, [node_of(x) for x in function(*symbols)])
    except Exception:  # whatever a function does that symbols do not: it is called
        return None


def _node_of(x: Any, given: bool) -> Node | None:
    """Return the node of an argument, None for what stands for itself."""
    if backends.is_on_device(x):
        return Buffer((_SIZE,), x.dtype)
    if given and type(x) is int:
        raise Unfusible
    if type(x) in (float, complex):
        return Parameter(x) if given else None
    if isinstance(x, np.generic) and x.dtype.kind in "fc":
        return Parameter(x)
    if hasattr(x, "dtype"):
        raise Unfusible
    return None


class _Kernel:
    """Kernel of some results, each of which is an argument or made by it."""

    def __init__(self, name: str, given: Sequence[Node | None], results: Sequence[Node]) -> None:
        order = sort_nodes(results)
        if not all(map(_is_of_elements, order)) or any(x.shape != (_SIZE,) for x in results):
            raise Unfusible
        self._places = [given.index(x) if x in given else None for x in results]
        made = [x for x in results if x not in given]
        writer = _Elements(Plan(order, made), 0, "int")
        index = Index((_SIZE,), "0")
        for node in order:
            writer.tabulate(node)
        for i, node in enumerate(made):
            writer.lines.append(f"y{i} = {writer.value(node, index, node.dtype)};")
        self._read = [given.index(x) for x in writer.read]
        calls = sum(isinstance(x, (Elementwise, Reduction)) for x in order)
        if calls < 2 and len(made) < 2:
            raise Unfusible
        self._run, self._options = _compile_elements(writer, made), {}
        self._name, self._is_deep = name, any(map(is_included, writer.tables))
        if any(f.routine.row is not None for f in writer.functions.values()):
            self._options = {"block_size": THREADS_OF_XSF}

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        if self._is_deep:
            _grant_stack(self._name)
        found = self._run(*[values[i] for i in self._read], **self._options)
        made = iter(found if isinstance(found, tuple) else (found,))
        return [next(made) if i is None else values[i] for i in self._places]


class _Elements(Writer):
    """Lines of an element, whose arguments CuPy's loop has read."""

    def __init__(self, plan: Plan, level: int, index_type: str) -> None:
        super().__init__(plan, level, index_type)
        self.tables: dict[Node, str] = {}

    def tabulate(self, node: Node) -> None:
        """Write what a node has of an element as an array, if it is a constant, or its elements
        take long to compute.
        """
        kind, name = TYPES[(node.dtype or np.dtype(float)).char], f"t{len(self.tables)}"
        if isinstance(node, Buffer) and node.array is not None:
            numbers = [literal(x, node.dtype) for x in node.array.get().ravel().tolist()]
            self.before.append(f"const {kind} {name}[] = {{{', '.join(numbers)}}};")
        elif _has_elements(node) and _takes_long(node):
            places = [self.new("k") for _ in node.shape[:-1]]
            self.put(f"{kind} {name}[{node.size // _SIZE}];")
            for place, count in zip(places, node.shape, strict=False):
                self.open(f"for (int {place} = 0; {place} < {count}; ++{place})")
            index = self.at(node.shape, (*places, "0"))
            self.put(f"{name}[{index.flat} / {_SIZE}] = {self.value(node, index)};")
            for _ in places:
                self.close()
        else:
            return
        self.tables[node] = name

    def _element(self, node: Node, index: Index) -> str:
        name = self.tables.get(node)
        if name is None:
            return super()._element(node, index)
        return f"{name}[{index.flat}{f' / {_SIZE}' if _has_elements(node) else ''}]"

    def _loaded(self, node: Node, index: Index) -> str:
        return self.name_of(node)


def _takes_long(node: Node) -> bool:
    return isinstance(node, Elementwise) and len(node.shape) > 1 and node.routine.cost > _LONG


def _has_elements(node: Node) -> bool:
    return node.shape[-1:] == (_SIZE,)


def _is_of_elements(node: Node) -> bool:
    """Return whether a node is made of the same elements of others, or of numbers. Elements are the
    last axis.
    """
    if isinstance(node, Move):
        return all(_keeps_elements(node, piece) for piece in node.pieces)
    if isinstance(node, Reduction):
        (x,) = node.inputs
        return is_serial(node) and not (_has_elements(x) and len(x.shape) - 1 in node.axes)
    if isinstance(node, Buffer):
        return _has_elements(node) == (node.array is None) and node.size <= _LARGEST_TABLE
    return isinstance(node, (Number, Parameter, Elementwise))


def _keeps_elements(node: Move, piece: Piece) -> bool:
    if not _has_elements(node.inputs[piece.source]):
        return True
    *others, last = piece.coefficients
    is_whole = piece.box is None or piece.box[-1] == (0, _SIZE - 1, 1)
    multiples = [c % _SIZE for c in (piece.origin, *others)]
    return _has_elements(node) and is_whole and last == 1 and not any(multiples)


def _compile_elements(writer: Writer, made: Sequence[Node]) -> Any:
    import cupy

    before, functions, options = functions_source(writer.functions)
    given = [
        f"{_name_of_type(getattr(x, 'kind', x.dtype))} {name}" for x, name in writer.read.items()
    ]
    results = [f"{_name_of_type(x.dtype)} y{i}" for i, x in enumerate(made)]
    body = "\n".join([*writer.before, *writer.lines])
    preamble = f"{before}\n{functions}\n{REDUCTIONS}"
    return cupy.ElementwiseKernel(
        ", ".join(given), ", ".join(results), body, "elements", preamble=preamble, options=options
    )


def _grant_stack(name: str) -> None:
    from scigrad.special.machinery import xsf_kernels

    xsf_kernels.grant_stack(f"special.{name}", _STACK)


def _name_of_type(dtype: Any) -> str:
    assert dtype.char in TYPES
    return dtype.name
