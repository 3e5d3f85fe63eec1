"""Traced values: boxes with a level, the graph that reverse mode records, and the protocols through which NumPy meets them.

Every running transform has a level, a number from one counter that only grows. A transform inside another one starts
later, so the highest level among the arguments of a call is the innermost transform, and that one interprets the call:
it unboxes its own values, calls the function again one level down, and boxes what comes back. There is no stack and no
state of a thread, so an exception leaves nothing behind.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import errors

new_level = itertools.count(1).__next__
new_serial = itertools.count().__next__

# What NumPy's protocols find here: NumPy's function or ufunc -> ours. Filled by declarations and by the rooms.
interception: dict[Any, Callable[..., Any]] = {}
# Array functions behind the operators and methods of traced values, by name; filled by scigrad.numpy.
array_functions: dict[str, Callable[..., Any]] = {}
# NumPy's functions that make an array `like=` another: ours are handed that one first.
creation: dict[Any, Callable[..., Any]] = {}
# Asked when NumPy meets a function that is not in the table: a room may load itself and answer.
late_interception: list[Callable[[Any], Callable[..., Any] | None]] = []


PENDING = object()  # in the place of a version: what has been computed for this array is not yet written to it


class Traced:
    """A value inside a transform. `value` lies one level down; it may itself be traced."""

    __slots__ = ("base", "level", "value")
    value: Any
    level: int
    base: tuple[Traced, Any] | None  # the array that this one is a view of, and its version then
    __array_priority__ = 1000.0

    @property
    def version(self) -> Any:
        """What a view remembers of its array: an assignment to the array gives it another value."""
        return self.value

    @property
    def shape(self) -> tuple[int, ...]:
        return getattr(self.value, "shape", ())

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def dtype(self) -> Any:
        dtype = getattr(self.value, "dtype", None)
        return np.result_type(self.value) if dtype is None else dtype

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d traced array")
        return self.shape[0]

    def __bool__(self) -> bool:
        return bool(self.value)

    def __float__(self) -> float:
        raise errors.no_concrete_scalar("float")

    def __complex__(self) -> complex:
        raise errors.no_concrete_scalar("complex")

    def __int__(self) -> int:
        raise errors.no_concrete_scalar("int")

    def __index__(self) -> int:
        raise errors.no_concrete_scalar("operator.index")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r}, level={self.level})"

    if TYPE_CHECKING:  # scigrad.numpy installs the operators and methods

        def __getattr__(self, name: str) -> Any: ...

    # -- NumPy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        function = interception.get(ufunc) or _find_late(ufunc)
        if method == "__call__" and not kwargs:
            return function(*inputs)
        return _ufunc_method(function, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        found = interception.get(function)
        if found is None and function in creation:
            return creation[function](self, *args, **kwargs)
        return (found or _find_late(function))(*args, **kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        # scipy.sparse asks np.asanyarray(x) before it lets x's own __rmatmul__ answer, which it does only for a 0-d
        # object array (SciPy 1.15 to 1.17). Everybody else would silently lose the derivative.
        if sys._getframe(1).f_globals.get("__name__", "").startswith("scipy.sparse"):  # pyright: ignore[reportPrivateUsage]
            box = np.empty((), dtype=object)
            box[()] = self
            return box
        raise errors.traced_into_plain_array()

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return array_functions["__array_namespace__"]()

    # -- in-place assignment: functional, through the one name that the user holds

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.base is not None:
            if self.base[0] is not value or self.base[1] is not PENDING:
                raise errors.write_to_view()
            self.base = None  # the second half of x[i] += v
        self.become(array_functions["set_at"](self, index, value))

    def become(self, other: Any) -> None:
        """Take over the value and derivative of `other`, as `x[i] = v` and `x += v` do."""
        if type(other) is not type(self) or other.level != self.level:
            raise errors.write_across_levels()
        for name in (*Traced.__slots__, *type(self).__slots__):
            setattr(self, name, getattr(other, name))
        self.base = None

    def lend(self, result: Any) -> Any:
        """The first half of `x[i] += v`, which Python runs as y = x[i]; y += v; x[i] = y: what is to be written to x
        through the view y. Until that is done x is out of date, so that `y += v` alone, which NumPy would show in x, raises
        when x is used."""
        assert self.base is not None
        check_view(self)
        self.base[0].base = (result, PENDING)
        return result

    def apart(self) -> Traced:
        """The same value under a name of its own: what a transform keeps of a value of another level, because a later
        `x[i] = v` through the user's name must not reach it."""
        if self.base is not None:
            check_view(self)
        new = object.__new__(type(self))
        for name in (*Traced.__slots__, *type(self).__slots__):
            setattr(new, name, getattr(self, name))
        new.base = None
        return new


def check_view(x: Traced) -> None:
    """Refuse a view whose array was assigned to after the view was taken."""
    while x.base is not None:
        x, version = x.base
        if version is PENDING:
            raise errors.pending_write()
        if x.version is not version:
            raise errors.stale_view()


def apart(x: Any) -> Any:
    """A value under a name of its own, if it is one that the user could assign into (see Traced.apart)."""
    return x.apart() if isinstance(x, Traced) else x


def own(kind: type, level: int, x: Any) -> bool:
    """Whether x is a box of this kind and level, up to date: asked of what a transformed function returns."""
    if type(x) is not kind or x.level != level:
        return False
    if x.base is not None:
        check_view(x)
    return True


def innermost(values: Sequence[Any]) -> Traced | None:
    """The traced value of the highest level, if there is one."""
    top = None
    for value in values:
        if isinstance(value, Traced) and (top is None or value.level > top.level):
            top = value
    return top


def raw(x: Any) -> Any:
    """The concrete array under all levels."""
    while isinstance(x, Traced):
        x = x.value
    return x


def _find_late(function: Any) -> Callable[..., Any]:
    for find in late_interception:
        found = find(function)
        if found is not None:
            interception[function] = found
            return found
    raise errors.not_intercepted(function)


def _ufunc_method(function: Any, ufunc: Any, method: str, inputs: Any, kwargs: Any) -> Any:
    answer = array_functions.get(f"ufunc.{method}")
    if answer is None:
        raise errors.unsupported_ufunc_use(ufunc.__name__, f"the method '{method}'")
    return answer(ufunc, function, *inputs, **kwargs)


# -- reverse mode ---------------------------------------------------------------------------------------------------


class Node(NamedTuple):
    """One recorded call. `parents` pairs an argument's position with the node that computed it; an input of the
    transform has no primitive. Nodes are told apart by their serial number, which grows as the function runs."""

    serial: int
    primitive: Any
    call: Any
    parents: Sequence[tuple[int, Any]]


def new_node(primitive: Any, call: Any, parents: Sequence[tuple[int, Node]]) -> Node:
    return tuple.__new__(Node, (new_serial(), primitive, call, parents))


class Recorded(Traced):
    """A value whose computation reverse mode records."""

    __slots__ = ("node",)

    def __init__(self, value: Any, level: int, node: Node) -> None:
        self.value = value
        self.level = level
        self.node = node
        self.base = None

    def interpret(self, primitive: Any, values: Sequence[Any]) -> tuple[Any, Any]:
        level = self.level
        inner: list[Any] = []
        parents: list[tuple[int, Node]] = []
        for value in values:
            if type(value) is Recorded and value.level == level:
                if value.base is not None:
                    check_view(value)
                parents.append((len(inner), value.node))
                inner.append(value.value)
            else:
                inner.append(apart(value))
        out, saved = primitive.evaluate(inner)
        if primitive.is_constant:
            return out, saved
        node = new_node(primitive, primitive.record(inner, out, saved, parents), parents)
        if primitive.is_simple:
            return Recorded(out, level, node), saved
        if type(out) is tuple or isinstance(out, tuple):
            boxes = [Recorded(o, level, new_node(PICK, (i, len(out)), ((0, node),))) if _smooth(o) else o for i, o in enumerate(out)]
            return rebuild(out, boxes), saved
        return Recorded(out, level, node) if _smooth(out) else out, saved


class Dual(Traced):
    """A value with its tangent: forward mode."""

    __slots__ = ("tangent",)

    def __init__(self, value: Any, level: int, tangent: Any) -> None:
        self.value = value
        self.level = level
        self.tangent = tangent
        self.base = None

    def interpret(self, primitive: Any, values: Sequence[Any]) -> tuple[Any, Any]:
        level = self.level
        inner: list[Any] = []
        tangents: list[Any] = []
        for value in values:
            own = type(value) is Dual and value.level == level
            if own and value.base is not None:
                check_view(value)
            inner.append(value.value if own else value)
            tangents.append(value.tangent if own else ZERO)
        out, saved = primitive.evaluate(inner)
        if primitive.is_constant:
            return out, saved
        tangent = primitive.push(primitive.call(inner, out, saved), tangents)
        if isinstance(out, tuple):
            boxes = [Dual(o, level, t) if _smooth(o) else o for o, t in zip(out, tangent, strict=True)]
            return rebuild(out, boxes), saved
        return Dual(out, level, tangent) if _smooth(out) else out, saved


class Batched(Traced):
    """A value under vmap: axis 0 of `value` is the batch, which the function does not see."""

    __slots__ = ("loop",)

    def __init__(self, value: Any, level: int, loop: bool = False) -> None:
        self.value = value
        self.level = level
        self.loop = loop
        self.base = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape[1:]

    def __bool__(self) -> bool:
        raise errors.batched_truth("the truth")

    def interpret(self, primitive: Any, values: Sequence[Any]) -> tuple[Any, Any]:
        level, size = self.level, self.value.shape[0]
        inner: list[Any] = []
        batched: list[bool] = []
        loop = False
        for value in values:
            own = type(value) is Batched and value.level == level
            if own and value.base is not None:
                check_view(value)
            inner.append(value.value if own else value)
            batched.append(own)
            loop = loop or (own and value.loop)
        out, saved = primitive.batch(inner, batched, size, loop)
        if isinstance(out, tuple):
            return rebuild(out, [o if o is None else Batched(o, level, loop) for o in out]), saved
        return Batched(out, level, loop), saved


def _smooth(out: Any) -> bool:
    dtype = getattr(out, "dtype", None)
    return dtype.kind in "fc" if dtype is not None else isinstance(out, (float, complex))


def rebuild(out: Any, items: list[Any]) -> Any:
    """A tuple or named tuple like `out` with other items."""
    return out._make(items) if hasattr(out, "_make") else tuple(items)


# -- the absent tangent -----------------------------------------------------------------------------------------------


class Zero(Traced):
    """The tangent of what does not vary: absorbs products, vanishes in sums, passes through linear functions."""

    __slots__ = ()
    level = sys.maxsize  # type: ignore[assignment]  # asked before every transform
    __array_ufunc__ = None  # type: ignore[assignment]  # so that array + ZERO asks ZERO

    def __init__(self) -> None:
        pass

    def interpret(self, primitive: Any, values: Sequence[Any]) -> tuple[Any, Any]:
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

    def lend(self, result: Any) -> Any:
        """The first half of `x[i] += v`, which Python runs as y = x[i]; y += v; x[i] = y: what is to be written to x
        through the view y. Until that is done x is out of date, so that `y += v` alone, which NumPy would show in x, raises
        when x is used."""
        assert self.base is not None
        check_view(self)
        self.base[0].base = (result, PENDING)
        return result

    def apart(self) -> Zero:
        return self

    __add__ = __radd__ = __rsub__ = _other
    __sub__ = _negated
    __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __truediv__ = __neg__ = __getitem__ = _self
    conj = sum = reshape = astype = copy = swapaxes = transpose = _self
    T = mT = real = imag = property(_self)  # type: ignore[assignment]


ZERO = Zero()


class Outputs(tuple[Any, ...]):
    """Cotangents of a call with several outputs; ZERO where none has arrived."""

    __slots__ = ()

    def __add__(self, other: Any) -> Outputs:
        return Outputs(a + b for a, b in zip(self, other, strict=True))


class _Pick:
    """One output of a call with several."""

    def pull(self, node: Node, g: Any) -> list[tuple[Node, Any]]:
        position, count = node.call
        return [(node.parents[0][1], Outputs(g if i == position else ZERO for i in range(count)))]

    def count(self, call: Any) -> int:
        return 1

    def push(self, call: Any, tangents: Any) -> Any:
        return tangents[0][call[0]] if tangents[0] is not ZERO else ZERO


PICK = _Pick()
