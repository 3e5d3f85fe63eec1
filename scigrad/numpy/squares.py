"""Squares of functions with a kink: |z|, hypot, norm and std are not smooth where they vanish, their squares are.

The derivative of |x| at 0 is 0 by convention (docs/adr/0007), so that the product rule would make the second derivative of |x|^2
at 0, where 1/2 (|x|^2)'' = |x|'^2 + |x| |x|'' = 1, also 0. Therefore a traced |x| keeps its square, a smooth function of x, which
`**` with an even exponent, `square` and the product with itself use. Products, quotients and parts of such a value keep theirs.
All other functions of |x| follow the convention.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import Traced, differentiable
from scigrad.autodiff_rules.arguments import copied
from scigrad.autodiff_rules.boxes import Batched, Dual, Recorded
from scigrad.autodiff_rules.declare import Differentiable, Linear
from scigrad.autodiff_rules.plans import holds_traced
from scigrad.autodiff_rules.shortcuts import operands
from scigrad.autodiff_rules.trace import array_functions, check_view, interception

Function = Callable[..., Any]
_LISTS = frozenset((list, tuple))
_BOXES = frozenset((Recorded, Dual, Batched))
_LONGEST = 16  # steps to a known square, at most: a loop neither keeps all of its values nor computes one repeatedly


class Square(NamedTuple):
    """function(*arguments), not computed yet."""

    function: Function
    arguments: tuple[Any, ...]  # as they were: what is written later, into x[i] or into a plain array, does not reach them
    steps: int  # calls that it takes, with those for the squares of the arguments

    def __call__(self) -> Any:
        return self.function(*self.arguments)


def has_square(x: Any) -> bool:
    """Return whether x is a traced value with a known square."""
    return type(x) in _BOXES and x._square is not None


def read(args: Any) -> Any:
    """Return arrays for the lists that hold traced values."""
    if _LISTS.isdisjoint(map(type, args)):
        return args
    return [array_functions["assembled"](x) if type(x) in _LISTS and holds_traced(x) else x for x in args]


def with_square(out: Any, square: Function, *arguments: Any) -> Any:
    """Return `out` with the known square square(*arguments). Integers have no derivative, and squares of their own."""
    if type(out) in _BOXES and out.dtype.kind in "fc":
        steps = 1 + sum(x._square.steps for x in arguments if has_square(x))
        if steps <= _LONGEST:
            out._square = Square(square, _kept(arguments), steps)
    return out


def _kept(x: Any) -> Any:
    return tuple(map(_kept, x)) if type(x) is tuple else copied(x)


def shares_square(function: Function) -> Function:
    """Declare that the square of function(x, ...) is the function of the square, as it is for what selects elements."""

    @functools.wraps(function)
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        return handed_on(function(x, *args, **kwargs), function, x, args, kwargs)

    return call


def handed_on(out: Any, function: Function, x: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return `out`, which is function(x, *args, **kwargs), with the same function of the square of x as its square."""
    if has_square(x) and out is not x:
        with_square(out, lambda x, *args: function(squared(x), *args, **kwargs), x, *args)
    return out


def squared(x: Any, dtype: Any = None) -> Any:
    """Return x * x, for a modulus as a function of its argument; otherwise computed in a dtype, if one is given."""
    if has_square(x):
        check_view(x)
        return x._square()
    if isinstance(x, Traced) and x.dtype.kind == "f":
        return _squared_modulus(x)
    return x * x if dtype is None else np.multiply(x, x, dtype=dtype)


def squared_modulus(x: Any) -> Any:
    """Return |x|^2."""
    return _squared_modulus(x) if x.dtype.kind == "c" else squared(x)


@differentiable("z")
def _squared_modulus(z):
    if not np.iscomplexobj(z):
        return z * z
    return np.where(np.isinf(z), np.inf, z.real**2 + z.imag**2)  # |inf + i NaN| is infinite


_squared_modulus.jvp(lambda call, t: 2 * np.real(np.conjugate(call.z) * t.z))
_squared_modulus.batched(lambda call, batched: _squared_modulus(call.z))


@_squared_modulus.vjp
def _(call, g):
    absent = (g == 0) & np.isinf(call.z)  # an infinite element that a mask left out gets 0, as it does from |z|, not 0 * inf
    return {"z": 2 * g * np.where(absent, 0, call.z)}


class Rearrangement(Linear):
    """Function that moves the elements of its arrays and adds zeros: it maps squares to the square of its result."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not args and self.names[0] in kwargs:
            args = (kwargs.pop(self.names[0]),)
        args = read(args)
        out = super().__call__(*args, **kwargs)
        if type(out) in _BOXES and any(map(has_square, args)):
            count = len(args) if self.variadic else len(self.places)
            with_square(out, lambda *args: self(*map(squared, args[:count]), *args[count:], **kwargs), *args)
        return out


def rearrangement(*arguments: str) -> Callable[[Function], Rearrangement]:
    """Declare such a function, linear in the arguments that come first; state its adjoint as for `linear`."""
    return lambda kernel: Rearrangement(kernel, arguments)


class Kinked(Differentiable):
    """Function with a kink and a smooth square: `square`, of the same arguments."""

    square: Function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = read(args)
        out = super().__call__(*args, **kwargs)
        # with out= or where= it is not only the modulus
        return out if kwargs else with_square(out, self.square, *args)


def kinked(argument: str, square: Function) -> Callable[[Function], Kinked]:
    """Declare a function that is differentiable in an argument, up to a kink, and its smooth square."""

    def declare(kernel: Function) -> Kinked:
        function = Kinked(kernel, (argument,))
        function.square = square
        return function

    return declare


def declare_square(function: Any, square: Function) -> None:
    """Declare the square of an elementwise function that is declared already; it receives the dtype first."""
    plain = function.short

    def short(*args: Any) -> Any:
        out = plain(*args)
        return with_square(out, square, out.dtype, *args) if type(out) in _BOXES else out

    function.short = interception[function.kernel] = short


def for_known_squares(function: Any) -> Callable[[Function], None]:
    """Declare that an elementwise function calls the decorated one first if an argument has a known square.

    The decorated function may return NotImplemented.
    """
    plain = function.general  # where the short way leaves values with a known square

    def general(rule: Function, *args: Any) -> Any:
        out = rule(plain, *operands(args)) if any(map(has_square, args)) else NotImplemented
        return plain(*args) if out is NotImplemented else out

    return lambda rule: setattr(function, "general", functools.partial(general, rule))


def same_square(x: Any, y: Any) -> bool:
    """Return whether both are roots of one known square, as |x| and another |x| are."""
    if not (has_square(x) and has_square(y)):
        return False
    a, b = x._square, y._square
    return a is b or (a.function is b.function and all(map(_same, a.arguments, b.arguments)))


def _same(x: Any, y: Any) -> bool:
    if type(x) in _BOXES and type(x) is type(y):
        slots = (*Traced.__slots__, *type(x).__slots__)
        return all(getattr(x, name) is getattr(y, name) for name in slots if name not in ("_base", "_square"))
    return x is y or (type(x) is type(y) is tuple and len(x) == len(y) and all(map(_same, x, y)))
