"""C++ of the elements of nodes: each is computed once at an index, in the scope of a loop."""

import hashlib
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .levels import Plan, is_reshape, sort_nodes
from .nodes import (
    Buffer,
    Elementwise,
    Move,
    Node,
    Number,
    Parameter,
    Piece,
    Reduction,
    strides_of,
)
from .routines import TYPES

_ONE_EXPRESSION = re.compile(r"\s*out0 = ([^;{}]*);?\s*")
_INPUT = re.compile(r"\bin(\d)\b")
_NAME = re.compile(r"\w+|-?\d+")


class Index(NamedTuple):
    """Index of an element: its number in C order, and its places along the axes if known."""

    shape: tuple[int, ...]
    flat: str
    axes: tuple[str, ...] | None = None


def literal(value: Any, dtype: np.dtype[Any]) -> str:
    """Return a number as C++."""
    if dtype.kind == "c":
        parts = np.dtype(dtype.char.lower())
        number = complex(value)
        return f"{TYPES[dtype.char]}({literal(number.real, parts)}, {literal(number.imag, parts)})"
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.kind in "iu":
        return f"({TYPES[dtype.char]})({int(value)}LL)"
    number = float(value)
    if math.isnan(number):
        text = "CUDART_NAN"
    elif math.isinf(number):
        text = "-CUDART_INF" if number < 0 else "CUDART_INF"
    else:
        text = repr(number)
    return f"({text})" if dtype.char == "d" else f"((float)({text}))"


def affine(origin: int, terms: Sequence[tuple[int, str]]) -> str:
    """Return an expression for a sum of multiples."""
    found = [e if c == 1 else f"{c} * {e}" for c, e in terms if c and e != "0"]
    if origin or not found:
        found.append(str(origin))
    return found[0] if len(found) == 1 and " " not in found[0] else f"({' + '.join(found)})"


class Writer:
    """Lines of the kernel of a level, which name what they read."""

    def __init__(self, plan: Plan, level: int, index_type: str) -> None:
        self.plan, self.level, self.index_type = plan, level, index_type
        self.lines: list[str] = []
        self.before: list[str] = []  # numbers, which each thread computes once
        self.read: dict[Node, str] = {}  # what the kernel is given
        self.functions: dict[str, Elementwise] = {}
        self._scopes: list[dict[Any, str]] = [{}, {}]
        self._count = 0

    # -- lines

    def put(self, text: str) -> None:
        self.lines.append("  " * len(self._scopes) + text)

    def open(self, text: str) -> None:
        self.put(f"{text} {{")
        self._scopes.append({})

    def close(self) -> None:
        self._scopes.pop()
        self.put("}")

    def new(self, letter: str = "v") -> str:
        self._count += 1
        return f"{letter}{self._count}"

    # -- indices

    def axes(self, index: Index) -> tuple[str, ...]:
        """Return the places along the axes."""
        if index.axes is not None:
            return index.axes
        found, wide = ["0"] * len(index.shape), [i for i, n in enumerate(index.shape) if n > 1]
        for i in wide:
            below = math.prod(index.shape[i + 1 :])
            text = index.flat if below == 1 else f"({index.flat} / {below})"
            found[i] = self.named(text if i == wide[0] else f"({text} % {index.shape[i]})")
        return tuple(found)

    def at(self, shape: Sequence[int], axes: Sequence[str]) -> Index:
        """Return the index of places along the axes; those of length 1 have one place."""
        places = tuple("0" if n == 1 else e for e, n in zip(axes, shape, strict=True))
        flat = affine(0, list(zip(strides_of(shape), places, strict=True)))
        return Index(tuple(shape), self.named(flat), places)

    def named(self, text: str) -> str:
        """Return a variable for an index."""
        if _NAME.fullmatch(text):
            return text
        for scope in reversed(self._scopes):
            if text in scope:
                return scope[text]
        name = self._scopes[-1][text] = self.new("i")
        self.put(f"const {self.index_type} {name} = {text};")
        return name

    def source(self, node: Move, piece: Piece, index: Index) -> Index:
        """Return where an element of a moved value comes from."""
        shape = node.inputs[piece.source].shape
        if is_reshape(node):
            return Index(shape, index.flat, index.axes if shape == index.shape else None)
        axes = self.axes(index)
        terms = list(zip(piece.coefficients, axes, strict=True))
        flat = self.named(affine(piece.origin, terms))
        ways = _by_axes(node, piece, shape)
        if ways is None:
            return Index(shape, flat)
        places = [self.named(affine(o, list(zip(c, axes, strict=True)))) for o, c in ways]
        return Index(shape, flat, tuple(places))

    # -- values

    def value(self, node: Node, index: Index, dtype: Any = None) -> str:
        """Return an expression for an element, in a dtype."""
        if isinstance(node, Number):
            return literal(node.value, dtype or node.dtype or np.dtype(float))
        if node.size == 1:
            index = Index(node.shape, "0")
        key = node, index.flat
        found = next((s[key] for s in reversed(self._scopes) if key in s), None)
        if found is None:
            found = self._computed(node, index, key)
        # a kernel is given numbers in double precision
        own = node.kind if isinstance(node, Parameter) else node.dtype
        return found if dtype is None or dtype == own else f"({TYPES[dtype.char]})({found})"

    def _computed(self, node: Node, index: Index, key: Any) -> str:
        """Write an element; what is one number stands before the loops."""
        if node.size == 1 and len(self._scopes) > 1 and self.lines is not self.before:
            lines, scopes = self.lines, self._scopes
            self.lines, self._scopes = self.before, scopes[:1]
            found = self._computed(node, index, key)
            self.lines, self._scopes = lines, scopes
            return found
        found = self._element(node, index)
        self._scopes[-1][key] = found
        return found

    def _is_read(self, node: Node) -> bool:
        """Return whether a kernel before this one has stored a node."""
        return node in self.plan.stored and self.plan.level[node] < self.level

    def _prepare(self, node: Node, index: Index) -> None:
        """Compute what a value is made of at the same index, however many calls that takes."""

        def inputs(x: Node) -> list[Node]:
            return [y for y in x.inputs if self._is_next(y, index)]

        for x in sort_nodes([node], inputs=inputs)[:-1]:
            self.value(x, index)

    def _is_next(self, x: Node, index: Index) -> bool:
        if not isinstance(x, Elementwise) or x.shape != index.shape or x.size == 1:
            return False
        return not (self._is_read(x) or any((x, index.flat) in scope for scope in self._scopes))

    def _element(self, node: Node, index: Index) -> str:
        if self._is_read(node) or isinstance(node, (Buffer, Parameter)):
            return self._loaded(node, index)
        if isinstance(node, Elementwise):
            return self._calculated(node, index)
        if isinstance(node, Reduction):
            return self._added(node, index)
        assert isinstance(node, Move)
        return self._moved(node, index)

    def name_of(self, node: Node) -> str:
        """Return the name under which a kernel is given a value."""
        return self.read.setdefault(node, f"p{len(self.read)}")

    def _loaded(self, node: Node, index: Index) -> str:
        name = self.name_of(node)
        if isinstance(node, Parameter):
            return name
        found = self.new()
        self.put(f"const {TYPES[node.dtype.char]} {found} = {name}[{index.flat}];")
        return found

    def _calculated(self, node: Elementwise, index: Index) -> str:
        self._prepare(node, index)
        given = []
        for x, dtype in zip(node.inputs, node.routine.types, strict=True):
            place = index
            if x.shape != index.shape and x.size > 1:
                axes = self.axes(index)
                place = self.at(x.shape, axes[len(axes) - len(x.shape) :])
            given.append(self.value(x, place, dtype))
        found, kind = self.new(), TYPES[node.dtype.char]
        short = _ONE_EXPRESSION.fullmatch(node.routine.text)
        if (
            short
            and not node.routine.preamble
            and "_type" not in short[1]
            and "out0" not in short[1]
        ):
            text = _INPUT.sub(lambda m: given[int(m[1])], short[1])
            self.put(f"const {kind} {found} = {text};")
            return found
        self.functions[function_name(node)] = node
        self.put(f"{kind} {found};")
        self.put(f"{function_name(node)}({', '.join(given)}, {found});")
        return found

    def _moved(self, node: Move, index: Index) -> str:
        if len(node.pieces) == 1 and node.pieces[0].box is None:
            piece = node.pieces[0]
            return self.value(node.inputs[piece.source], self.source(node, piece, index))
        found, kind = self.new(), TYPES[node.dtype.char]
        self.put(f"{kind} {found} = 0;")
        axes = self.axes(index)
        for i, piece in enumerate(node.pieces):
            test = _condition_of(piece, axes, node.shape)
            self.open(f"{'else ' if i else ''}if ({test})")
            x = self.value(node.inputs[piece.source], self.source(node, piece, index))
            self.put(f"{found} = {x};")
            self.close()
        return found

    def _added(self, node: Reduction, index: Index) -> str:
        """Add all terms in one thread."""
        found = self.accumulator(node)
        places = list(self.axes(index))
        (x,) = node.inputs
        for axis in node.axes:
            name = self.new("k")
            places.insert(axis, name)
            self.open(f"for (int {name} = 0; {name} < {x.shape[axis]}; ++{name})")
        self.accumulate(node, found, self.at(x.shape, places))
        for _ in node.axes:
            self.close()
        result = self.new()
        kind = TYPES[node.dtype.char]
        self.put(f"const {kind} {result} = ({kind}){found};")
        return result

    def accumulator(self, node: Reduction) -> str:
        """Return a variable in which a reduction is made."""
        name = self.new("s")
        self.put(f"{sum_type(node)} {name} = {neutral(node)};")
        return name

    def accumulate(self, node: Reduction, name: str, index: Index) -> None:
        x = self.value(node.inputs[0], index)
        self.put(f"{name} = {node.operation}_of<{sum_type(node)}>({name}, {x});")


def function_name(node: Elementwise) -> str:
    """Return the name of the function of a routine, which is in the namespace of its own."""
    routine = node.routine
    types = "".join(t.char for t in (*routine.types, node.dtype)).replace("?", "b")
    digest = hashlib.sha1(f"{routine.text}{routine.preamble}".encode()).hexdigest()[:8]
    return f"routine_{digest}::of_{types}"


_SUM_TYPES = {"f": "double", "F": "complex<double>", "?": "int", "b": "int", "B": "int"} | {
    "h": "int", "H": "int"
}  # fmt: skip


def sum_type(node: Reduction) -> str:
    """Return the type in which a reduction is made: single precision is added in double."""
    if node.operation in ("max", "min") and node.dtype.char == "f":
        return "float"
    return _SUM_TYPES.get(node.dtype.char) or TYPES[node.dtype.char]


def neutral(node: Reduction) -> str:
    """Return what a reduction begins with."""
    if node.operation in ("sum", "any"):
        return "0"
    if node.operation in ("prod", "all"):
        return "1"
    sign = -1 if node.operation == "max" else 1
    if node.dtype.kind == "f":
        return literal(sign * math.inf, node.dtype)
    if node.dtype.kind == "b":
        return "0" if sign < 0 else "1"
    limits = np.iinfo(node.dtype)
    limit = limits.min if sign < 0 else limits.max
    return (
        f"({limit + (sign < 0)}LL{' - 1' if sign < 0 else ''})"
        if limit < 1 << 63
        else f"{limit}ULL"
    )


def _condition_of(piece: Piece, axes: Sequence[str], shape: Sequence[int]) -> str:
    """Return the condition that an index lies within the box of a piece."""
    tests = []
    for e, (first, last, step), n in zip(axes, piece.box or (), shape, strict=False):
        if first == last:
            tests += [f"{e} == {first}"] if n > 1 else []
            continue
        tests += [f"{e} >= {first}"] if first else []
        tests += [f"{e} <= {last}"] if last < n - 1 else []
        tests += [f"({e} - {first}) % {step} == 0"] if step > 1 else []
    return " && ".join(tests) or "true"


def _by_axes(
    node: Move, piece: Piece, shape: Sequence[int]
) -> list[tuple[int, tuple[int, ...]]] | None:
    """Return for each axis of the source the affine place along it; None if these run over."""
    if piece.box is not None:
        return None
    places = [int(i) for i in np.unravel_index(piece.origin, shape)] if shape else []
    ways = [[0] * len(node.shape) for _ in shape]
    lowest, highest = list(places), list(places)
    for j, (c, n) in enumerate(zip(piece.coefficients, node.shape, strict=True)):
        if not c or n == 1:
            continue
        rest = abs(c)
        for k, stride in enumerate(strides_of(shape)):
            along, rest = divmod(rest, stride)
            along = along if c > 0 else -along
            ways[k][j] = along
            (highest if along > 0 else lowest)[k] += along * (n - 1)
    if any(low < 0 for low in lowest) or any(h >= n for h, n in zip(highest, shape, strict=True)):
        return None
    return list(zip(places, map(tuple, ways), strict=True))
