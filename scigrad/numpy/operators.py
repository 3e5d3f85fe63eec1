"""Operators, methods and attributes of traced arrays, with the names of ndarray's, installed from
tables.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, raw
from scigrad.autodiff_rules.messages.errors import TracedValueError, other_arithmetic
from scigrad.autodiff_rules.partials import binary as shortened
from scigrad.autodiff_rules.trace import array_functions, check_type, is_wrapper

Function = Callable[..., Any]
_PLAIN = frozenset((np.ndarray, np.float64, float, int, complex, bool))
_operands: dict[type, bool] = dict.fromkeys(_PLAIN, True)


def _is_operand(kind: type) -> bool:
    """Return whether NumPy computes with x. For others (sparse arrays, arrays of xarray's) their
    own operator is called.
    """
    if kind not in _operands:
        protocol = getattr(kind, "__array_ufunc__", Ellipsis)
        known = protocol is Ellipsis and issubclass(
            kind, (int, float, complex, list, tuple, np.generic)
        )
        _operands[kind] = known or (
            protocol is not None and protocol is not Ellipsis and not is_wrapper(kind)
        )
    return _operands[kind]


def _as_operand(other: Any) -> Any:
    return array_functions["assembled"](other) if isinstance(other, (list, tuple)) else other


def install_operators(binary: Mapping[str, Function], unary: Mapping[str, Function]) -> None:
    """Install operators by the middle of their name: "add" gives __add__, __radd__ and __iadd__."""
    for name, function in binary.items():
        call = getattr(function, "short", function)
        forward = _forward(name, call)
        setattr(
            Traced,
            f"__{name}__",
            forward if call is function else shortened(function, function.kernel, forward),
        )
        if name not in ("eq", "ne", "lt", "le", "gt", "ge"):
            setattr(Traced, f"__r{name}__", _reflected(name, call))
            if name != "divmod":
                setattr(Traced, f"__i{name}__", _in_place(name, call))
    for name, function in unary.items():
        call = getattr(function, "short", function)
        setattr(Traced, f"__{name}__", lambda self, call=call: call(self))
    Traced.__hash__ = None  # type: ignore[assignment]  # as of every array, since == compares elements


def _forward(name: str, call: Function) -> Function:
    def operator(self: Traced, other: Any) -> Any:
        if type(other) in _PLAIN or isinstance(other, Traced):
            return call(self, other)
        return (
            call(self, _as_operand(other))
            if _is_operand(type(other))
            else _of_sparse(name, self, other)
        )

    return operator


def _reflected(name: str, call: Function) -> Function:
    def operator(self: Traced, other: Any) -> Any:
        if type(other) in _PLAIN:
            return call(other, self)
        return (
            call(_as_operand(other), self)
            if _is_operand(type(other))
            else _of_sparse(name, other, self)
        )

    return operator


def _of_sparse(name: str, left: Any, right: Any) -> Any:
    """Apply an operator with a sparse partner by the room of sparse arrays; leave other partners to
    their own operator.
    """
    other = right if isinstance(left, Traced) else left
    if not hasattr(other, "tocsr"):
        if not is_wrapper(type(other)):
            check_type(type(other))
        if type(other).__module__.startswith("astropy."):  # a unit, which no array can be given
            raise other_arithmetic(type(other))
        return NotImplemented
    return array_functions["sparse"](name, left, right)


def _in_place(name: str, call: Function) -> Function:
    """Compute `x += v`: x becomes the sum, if that has the shape of x and a dtype that NumPy would
    store in x.
    """

    def operator(self: Traced, other: Any) -> Any:
        if not (isinstance(other, Traced) or _is_operand(type(other))):
            return NotImplemented
        result = call(self, _as_operand(other))
        if result.shape != self.shape:
            raise ValueError(
                f"x {name}= y: x has shape {self.shape}, which the result, of shape "
                f"{result.shape}, does not fit"
            )
        if not np.can_cast(result.dtype, self.dtype, "same_kind"):
            raise TypeError(
                f"x {name}= y: the result has dtype {result.dtype}, which an array of dtype "
                f"{self.dtype} cannot hold. Write x = x + y (or the operator that you mean), or "
                "start from an array of that dtype."
            )
        if self._base is None and not result.shape and _is_scalar(raw(self)):
            # NumPy's scalars cannot be changed: `t = s; t += 1` gives t another value, and s keeps
            # its own
            return result
        if result.dtype != self.dtype:
            result = result.astype(self.dtype)
        if self._base is None:
            self._become(result)
        else:
            array_functions["assign_to_view"](self, result)
        return self

    return operator


def _is_scalar(value: Any) -> bool:
    """Return whether a traced value without axes is a scalar inside, not an array. Under vmap
    nearly all are.
    """
    value = value._value if isinstance(value, Traced) else value  # that of a recorded program
    return not hasattr(value, "ndim") or isinstance(value, np.generic) or value.ndim > 0


def install_methods(methods: Mapping[str, Function], attributes: Mapping[str, Function]) -> None:
    """Install methods, whose first argument is the array, and read-only attributes."""
    for name, function in methods.items():
        setattr(Traced, name, _method(name, function))
    for name, function in attributes.items():
        setattr(Traced, name, property(lambda self, function=function: function(self)))


def refuse_assignment(advice: Mapping[str, str]) -> None:
    """Refuse assignment to attributes of ndarray, which is meaningless without memory, and name the
    alternative.
    """
    allow_assignment(
        {
            name: _refusal(f"x.{name} = value on a traced array cannot be followed: {instead}.")
            for name, instead in advice.items()
        }
    )


def allow_assignment(setters: Mapping[str, Function]) -> None:
    """Install what an assignment to an attribute does."""
    for name, setter in setters.items():
        for kind in (Traced, *Traced.__subclasses__()):
            if name in vars(kind):
                setattr(kind, name, vars(kind)[name].setter(setter))


def _refusal(text: str) -> Function:
    def setter(self: Traced, value: Any) -> None:
        raise AttributeError(text)

    return setter


def _method(name: str, function: Function) -> Function:
    def method(self: Traced, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"See `numpy.ndarray.{name}`."
    return method


def refusal(name: str, advice: str) -> Function:
    """Return a method of ndarray that refuses its call, because the derivative would be lost."""

    def method(self: Traced, *args: Any, **kwargs: Any) -> Any:
        held = array_functions["content"](self)
        if type(held) is np.ndarray:
            return getattr(held, name)(*args, **kwargs)
        raise TracedValueError(f"{name}() of a traced array would drop its derivative. {advice}")

    return method
