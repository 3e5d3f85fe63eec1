"""Traced values: their answers and refusals, and the protocols through which NumPy calls them.

How a transform interprets a call is in boxes.py; here are the common parts of all boxes.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .backends import is_array_type, is_foreign
from .messages import callers, errors, explanations

# NumPy's function or ufunc -> ours, for NumPy's protocols. Decorators and rooms fill it.
interception: dict[Any, Callable[..., Any]] = {}
# Array functions behind the operators and methods of traced values, by name; filled by
# scigrad.numpy.
array_functions: dict[str, Callable[..., Any]] = {}
# NumPy's functions that make an array `like=` another: ours are handed that one first.
creation: dict[Any, Callable[..., Any]] = {}
# Called for functions that are not in the table: a room may load itself and return one.
late_interception: list[Callable[[Any], Callable[..., Any] | None]] = []


running: set[int] = set()  # levels of the transforms that have not ended
sealed: set[int] = set()  # those of programs that `jit` records, which are no derivatives


class Traced:
    """Value inside a transform. `_value` lies one level down; it may itself be traced."""

    __slots__ = ("_base", "_level", "_value")
    _value: Any
    _level: int
    # the array that this one is a view of, its version then, and how the view is taken; see
    # numpy/views.py
    _base: tuple[Any, ...] | None
    # whether nothing may look at the value: a program is recorded, for other values too
    _is_sealed = False
    # whether it is a name for what it holds, which functions are given: numpy/fillable.py
    _is_holder = False
    # orders in memory that the array may have in NumPy
    _orders: Sequence[Any] = "CF"
    __array_priority__: float = 1000.0

    @property
    def _version(self) -> Any:
        """State of the array that a view remembers: an assignment to the array changes it."""
        return self._value

    @property
    def shape(self) -> tuple[int, ...]:
        try:
            return self._value.shape
        except AttributeError:  # a Python number
            return ()

    @property
    def ndim(self) -> int:
        return getattr(self._value, "ndim", 0)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def dtype(self) -> Any:
        try:
            return self._value.dtype
        except AttributeError:
            return np.result_type(self._value)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d traced array")
        return self.shape[0]

    def __bool__(self) -> bool:
        check_view(self)
        return bool(self._value)

    def __float__(self) -> float:
        raise explanations.no_concrete_scalar("float")

    def __complex__(self) -> complex:
        raise explanations.no_concrete_scalar("complex")

    def __int__(self) -> int:
        raise explanations.no_concrete_scalar("int")

    def __index__(self) -> int:
        raise explanations.no_concrete_scalar("operator.index")

    def __repr__(self) -> str:
        """Return what shows the plain value: `Traced(array([1., 2.]))`."""
        value = repr(self._value)
        return value if value.startswith("Traced(") else f"Traced({value})"

    if TYPE_CHECKING:  # scigrad.numpy installs the operators and methods

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...

    # -- NumPy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        function = interception.get(ufunc) or _find_late(ufunc)
        try:
            if method == "__call__" and not kwargs:
                return function(*inputs)
            return _ufunc_method(function, ufunc, method, inputs, kwargs)
        except errors.TracedValueError:
            # it takes the traced array inside, or refuses it
            if any(is_wrapper(type(x)) for x in inputs):
                return NotImplemented
            raise

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        for kind in types:
            if is_wrapper(kind):
                return NotImplemented
            check_type(kind)
        found = interception.get(function)
        if found is None and function in creation:
            return creation[function](self, *args, **kwargs)
        return (found or _find_late(function))(*args, **kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return plain_array(self, sys._getframe(1), explanations.traced_into_plain_array)  # pyright: ignore[reportPrivateUsage]

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return array_functions["__array_namespace__"]()

    # -- in-place assignment: functional, through the one name that the user holds

    def __setitem__(self, index: Any, value: Any) -> None:
        written = array_functions["is_written"]
        if isinstance(value, Traced) and value._base is not None and written(self, index, value):
            return  # the end of x[i] += v, which Python runs as y = x[i]; y += v; x[i] = y
        new = array_functions["set_at"](self, index, value)
        if self._base is None:
            self._become(new)
        else:
            array_functions["assign_to_view"](self, new)

    def _become(self, other: Any) -> None:
        """Take over the value and derivative of `other`, as `x[i] = v` and `x += v` do."""
        if type(other) is not type(self) or other._level != self._level:
            raise errors.write_across_levels()
        for name in (*Traced.__slots__, *type(self).__slots__):
            setattr(self, name, getattr(other, name))
        self._base = None

    def _apart(self, leaving: int = sys.maxsize) -> Traced:
        """Return the same value under a name of its own.

        A transform keeps such copies of values of another level, so that a later `x[i] = v` through
        the user's name does not reach them.
        """
        check_running(self)
        check_view(self)
        new = object.__new__(type(self))
        for name in (*Traced.__slots__, *type(self).__slots__):
            # a later transform, as vmap of a pullback, puts its box around what is to be stripped
            setattr(
                new,
                name,
                apart(getattr(self, name), leaving)
                if self._level > leaving
                else getattr(self, name),
            )
        new._base = None
        return new


class Zero(Traced):
    """Zero of any space: absorbs products, vanishes in sums, passes through linear functions.

    Declared functions of ZERO follow their form, see `Primitive.absorb`.
    """

    __radd__: Callable[..., Any]
    __rsub__: Callable[..., Any]
    __getitem__: Callable[..., Any]
    __matmul__: Callable[..., Any]
    __neg__: Callable[..., Any]
    __rmatmul__: Callable[..., Any]
    __rmul__: Callable[..., Any]
    __truediv__: Callable[..., Any]
    astype: Callable[..., Any]
    copy: Callable[..., Any]
    reshape: Callable[..., Any]
    sum: Callable[..., Any]
    swapaxes: Callable[..., Any]
    transpose: Callable[..., Any]
    imag: property
    mT: property
    real: property

    __slots__ = ()
    _level = sys.maxsize  # type: ignore[assignment]  # asked before every transform
    __array_ufunc__ = None  # type: ignore[assignment]  # so that array + ZERO calls ZERO.__radd__

    def __init__(self) -> None:
        pass

    def _interpret(
        self, primitive: Any, values: Sequence[Any], boxes: Sequence[int], writable: Any
    ) -> tuple[Any, Any]:
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


@functools.cache
def check_type(kind: type) -> None:
    """Refuse arrays with another arithmetic beside a traced one: matrices, masked arrays, arrays
    with units, torch's.
    """
    if is_foreign(kind):
        raise errors.foreign_array(kind)
    masked = any(base.__module__ == "numpy.ma" for base in kind.__mro__)
    # astropy's quantities
    own = issubclass(kind, np.ndarray) and kind.__array_ufunc__ is not np.ndarray.__array_ufunc__
    if own or masked or issubclass(kind, np.matrix) or is_wrapper(kind):
        raise explanations.beside_other_array(kind)


@functools.cache
def is_wrapper(kind: type) -> bool:
    """Return whether a type of another library has arrays inside and computes with these by NumPy's
    protocol for ufuncs.

    These are the arrays of xarray, pint, dask and pandas. Operators and ufuncs of a traced array
    leave the call to them, as an array of NumPy's does.
    """
    protocol = getattr(kind, "__array_ufunc__", None)
    return (
        protocol is not None
        and not issubclass(kind, (np.ndarray, Traced))
        and not is_array_type(kind)
    )


@functools.cache
def is_labelled(kind: type) -> bool:
    """Return whether a wrapper is an array and labels, which numpy.asarray drops; without units or
    a computation that waits.
    """
    return is_wrapper(kind) and kind.__module__.partition(".")[0] in ("pandas", "xarray")


def take_off_labels(x: Any) -> Any:
    """Return the array inside of one with labels, which may be traced; other values as they are."""
    if not is_labelled(type(x)):
        return x
    data = getattr(x, "data", None)
    return data if isinstance(data, Traced) else np.asarray(x)


def check_running(x: Traced) -> None:
    """Refuse a box whose transform has ended."""
    if x._level not in running:
        raise errors.escaped_value()


def check_view(x: Traced) -> bool:
    """Return whether the array of a view was assigned to after the view was taken, which brings it
    up to date.
    """
    if x._base is None or x._base[0]._version is x._base[1]:
        return False
    array_functions["refresh_view"](x)
    return True


def apart(x: Any, leaving: int = sys.maxsize) -> Any:
    """Return a value under a name of its own, if the user could assign into it (see Traced._apart).

    Values that leave a transform are stripped of what was made inside of it, above its level.
    """
    return x._apart(leaving) if isinstance(x, Traced) else x


def own(kind: type, level: int, x: Any) -> bool:
    """Return whether an output x of a transformed function is a box of this kind and level, up to
    date.

    A box of a later transform, which has ended by then, is refused.
    """
    if type(x) is not kind or x._level != level:
        if isinstance(x, Traced) and level < x._level < sys.maxsize:  # ZERO stands above all
            raise errors.escaped_value()
        return False
    if x._base is not None:
        check_view(x)
    return True


def plain_array(x: Any, frame: Any, refusal: Callable[[Any], Exception]) -> Any:
    """Return what np.asarray makes of a traced value when it is called in a frame.

    An operator of scipy.sparse calls it before x's own __rmatmul__, and needs a 0-d object array
    then (SciPy 1.15 to 1.17). For all other callers the derivative would be lost silently, and they
    are refused.
    """
    if not callers.in_sparse_operator(frame):
        raise refusal(frame)
    box = np.empty((), dtype=object)
    box[()] = x
    return box


def innermost(values: Sequence[Any], boxes: Sequence[int]) -> Any:
    """Return the traced value of the highest level among those at some positions."""
    top = values[boxes[0]]
    for i in boxes[1:]:
        if values[i]._level > top._level:
            top = values[i]
    return top


def raw(x: Any) -> Any:
    """Return the concrete array under all levels; in a program that `jit` records, what stands for
    the array.
    """
    while isinstance(x, Traced) and not x._is_sealed:
        if x._base is not None:
            check_view(x)
        x = x._value
    return x


def concrete(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare a function of concrete arrays that has no derivative, such as a factorization.

    `jit` records its calls as they are.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for x in (*args, *kwargs.values()):
            if isinstance(x, Traced) and x._is_sealed:
                return x._record(function, args, kwargs)
        return function(*args, **kwargs)

    return call


def as_scalar(x: Any) -> Any:
    """Return a host array without axes as NumPy's number, which may meet arrays on a device."""
    return x[()] if type(x) is np.ndarray and not x.ndim else x


def _find_late(function: Any) -> Callable[..., Any]:
    for find in late_interception:
        found = find(function)
        if found is not None:
            interception[function] = found
            return found
    raise explanations.not_intercepted(function)


def _ufunc_method(function: Any, ufunc: Any, method: str, inputs: Any, kwargs: Any) -> Any:
    answer = array_functions.get(f"ufunc.{method}")
    if answer is None:
        raise errors.unsupported_ufunc_use(ufunc.__name__, f"the method '{method}'")
    return answer(ufunc, function, *inputs, **kwargs)
