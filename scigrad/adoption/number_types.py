"""Types of numbers and questions about types, for traced values: `float(x)`, `isinstance(x, T)`.

A traced value is of the type that it would have without a transform: an array, or NumPy's number
of its dtype, which is a `float` or `complex` of Python's too.
"""

import sys
from types import FrameType
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, TracedValueError, raw
from scigrad.autodiff_rules.boxes import Batched
from scigrad.math import as_number
from scigrad.numpy.fillable import Fillable, content
from scigrad.numpy.joining import assemble

from .array_classes import Viewed
from .stand_ins import Function, put_in_place, stand_in

# packages in which int(x) of a traced value is a plain number
int_is_constant: set[str] = set()


# -- conversions


def _float(*args: Any) -> Any:
    x = content(args[0]) if args else 0.0
    return as_number(float, x) if isinstance(x, Traced) else float(x)


def _complex(*args: Any, **kwargs: Any) -> Any:
    args = (*map(content, args),)
    if not any(isinstance(x, Traced) for x in args):
        return complex(*args, **kwargs)
    x, *imaginary = (as_number(complex, x) if isinstance(x, Traced) else x for x in args)
    return x + 1j * imaginary[0] if imaginary else x


def _int(*args: Any) -> int:
    x = content(args[0]) if args else 0
    if not isinstance(x, Traced):
        return int(x, *args[1:])
    if x.size != 1 or isinstance(x, Batched):
        raise TypeError("int() of a batch, or of a traced array, is not one number")
    return int(take_integers(x, sys._getframe(1)))


def take_integers(x: Any, frame: FrameType) -> Any:
    """Return the plain value of a traced one of which a frame needs integers, if its package was
    adopted so.
    """
    package = frame.f_globals.get("__name__", "")
    if not any(f"{package}.".startswith(f"{name}.") for name in int_is_constant):
        root = package.partition(".")[0]
        raise TracedValueError(
            f"int(x) of a traced value in {package}, or x as a place, has no derivative, and what "
            "is computed from it may depend on x. Where it is a count or a place, "
            f'scigrad.adopt("{root}", int_is_constant=True) takes it as a constant.'
        )
    return raw(x)


def _range(*args: Any) -> range:
    # Numba's takes them, whose functions run in Python here
    return range(*(int(x) if isinstance(x, np.floating) else x for x in args))


def _round(x: Any, *digits: Any) -> Any:
    found = round(content(x), *digits)
    # a number that is rounded to no digits is an integer
    plain = isinstance(x, Traced) and not digits and not isinstance(found, Traced)
    return int(found) if plain and not np.ndim(found) else found


def _keeping(kind: type) -> Function:
    """Return numpy.float64 and its like as functions of traced values."""

    def convert(*args: Any, **kwargs: Any) -> Any:
        x = content(args[0]) if args else 0
        if isinstance(x, (list, tuple)):
            x = assemble(x)
        return x.astype(kind) if isinstance(x, Traced) else kind(x, *args[1:], **kwargs)

    return convert


# -- questions


def stands_for(x: Any) -> type:
    """Return the type that a traced value would have without a transform."""
    if isinstance(x, Viewed):
        return x.kind
    value = raw(x)
    if x.ndim or isinstance(x, Fillable):
        return np.ndarray if isinstance(value, Traced) else type(value)
    return type(value) if type(value) in (float, complex) else x.dtype.type


def _type(*args: Any, **kwargs: Any) -> type:
    if len(args) == 1 and isinstance(args[0], Traced):
        return stands_for(args[0])
    return type(*args, **kwargs)


def _isinstance(x: Any, types: Any) -> bool:
    if isinstance(x, Traced):
        return issubclass(stands_for(x), types)
    if isinstance(x, types):
        return True
    # objects of our classes, where SciPy's are asked for
    asked = types if isinstance(types, tuple) else (types,)
    ours = (getattr(other, "__wrapped__", other) for other in map(stand_in, asked))
    return any(isinstance(kind, type) and isinstance(x, kind) for kind in ours)


def _hasattr(x: Any, name: str) -> bool:
    return hasattr(stands_for(x), name) if isinstance(x, Traced) else hasattr(x, name)


for _original, _other in (
    (float, _float),
    (complex, _complex),
    (int, _int),
    (range, _range),
    (round, _round),
    (type, _type),
    (isinstance, _isinstance),
    (hasattr, _hasattr),
):
    put_in_place(_original, _other)
for _kind in (np.float64, np.float32, np.complex128, np.complex64, np.longdouble, np.clongdouble):
    put_in_place(_kind, _keeping(_kind))
