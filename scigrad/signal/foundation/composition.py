"""Functions of this room that are composed: SciPy's own on plain arrays, ours where an argument is
traced.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from scigrad.autodiff_rules import Traced, TracedValueError, kernel, namespace_of, raw
from scigrad.autodiff_rules.containers import flatten, holds_traced
from scigrad.autodiff_rules.trace import as_scalar
from scigrad.numpy.composition import plain_argument
from scigrad.numpy.devices import bring_home, is_batched, on_host
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, Documented

_NUMBERS = frozenset((int, float, str, bool))
_HOST = _NUMBERS | {np.ndarray, complex, type(None)}
# integers that wrap sooner than int64, or are never negative
_NARROW = frozenset(map(np.dtype, "?bBhHiIlLqQe")) - {np.dtype(np.int64)}
_dtype = operator.itemgetter(1)
_LONG = 20_000  # samples
_SINGLE = {
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.complex64),
}


def scipy_composition(
    *, own: Any = False, integers: str = "numbers"
) -> Callable[[Documented], Documented]:
    """Declare the composition that stands for SciPy's function of that name on traced arguments,
    and on a device without it.

    It stands for SciPy's function on plain arrays too if `own`, a truth value or a
    function of the arguments, says so: where it is much faster.
    """

    def declare(function: Any) -> Any:
        scipys = kernel(f"signal.{function.__name__}")

        @functools.wraps(function)
        def either(*args: Any, **kwargs: Any) -> Any:
            if is_plain(*args, *kwargs.values()) and not (
                own is True or (own and own(*args, **kwargs))
            ):
                return scipys(*args, **kwargs)
            return function(*args, **kwargs)

        return own_function(integers=integers, scipys=function.__name__)(either)

    return declare


def own_function(
    *, integers: str = "numbers", scipys: str = ""
) -> Callable[[Documented], Documented]:
    """Declare a function that keeps single precision.

    Arrays of integers are `numbers`, which widen it as NumPy promotes and whose products do not
    wrap; `places`, which do not widen it; or `samples`, of which results have the dtype. Numbers go
    at once to SciPy's function of the name `scipys`: the designs of fixed filters.
    """
    kinds = "fc" if integers == "places" else "fciu"

    def declare(function: Any) -> Any:
        @functools.wraps(function)
        def in_precision(*args: Any, **kwargs: Any) -> Any:
            if not kwargs and _NUMBERS.issuperset(map(type, args)):
                return (getattr(scipy.signal, scipys) if scipys else function)(*args)
            args, kwargs = (
                tuple(map(plain_argument, args)),
                {name: plain_argument(value) for name, value in kwargs.items()},
            )
            leaves: Any = (*args, *kwargs.values())
            leaves = leaves if _HOST.issuperset(map(type, leaves)) else flatten(leaves)[0]
            given = [(x, getattr(x, "dtype", None)) for x in leaves]
            if not _NARROW.isdisjoint(map(_dtype, given)):
                leaves, tree = flatten((args, kwargs))
                args, kwargs = tree.unflatten([_widened(x, integers == "samples") for x in leaves])
            return _keep_precision(function(*args, **kwargs), given, kinds)

        return in_precision

    return declare


def _widened(x: Any, only_numbers: bool) -> Any:
    """Return a number of such a dtype as one of Python's, an array of such integers as int64, of
    uint64 as float64: neither products nor negatives wrap.
    """
    if getattr(x, "dtype", None) not in _NARROW:
        return x
    if isinstance(x, np.generic):
        return x.item()
    is_wide = only_numbers or type(x) is not np.ndarray or x.dtype == np.float16
    return x if is_wide else x.astype(np.promote_types(x.dtype, np.int64))


def is_long(*args: Any, **kwargs: Any) -> bool:
    """Return whether signals of floating-point numbers are so long that matrices and batches are
    faster than loops.
    """
    arrays = [value for value in (*args, *kwargs.values()) if hasattr(value, "dtype")]
    return any(x.size > _LONG for x in arrays) and all(x.dtype.char in "fdFD" for x in arrays)


def is_plain(*given: Any) -> bool:
    """Return whether SciPy's own function answers: nothing is traced, nothing on a device."""
    return _HOST.issuperset(map(type, given)) or (
        not holds_traced(given) and namespace_of(*flatten(given)[0]) is np
    )


def constant_result(function: Any, instead: Any = None) -> Any:
    """Declare a function of SciPy's through which no derivative passes; its values are those of the
    numbers that are traced.
    """
    scipys = kernel(f"signal.{function.__name__}", instead)

    @functools.wraps(function)
    def concrete(*args: Any, **kwargs: Any) -> Any:
        if holds_traced(args) or (kwargs and holds_traced(kwargs)):
            leaves, tree = flatten((args, kwargs))
            args, kwargs = tree.unflatten([number(leaf, function.__name__) for leaf in leaves])
        return scipys(*args, **kwargs)

    concrete.is_constant = True  # type: ignore[attr-defined]
    return concrete


def number(x: Any, name: str) -> Any:
    """Return the concrete value of a traced number or array, which is no element of a batch."""
    if is_batched(x):
        raise TracedValueError(
            f"{name} needs one concrete value, and has many under vmap. Call it outside of vmap."
        )
    return as_scalar(raw(x) if isinstance(x, Traced) else x)


def _keep_precision(out: Array, given: list[tuple[Any, Any]], kinds: str) -> Any:
    """Return floating-point results in single precision if the arrays of these kinds among the
    arguments promote to it.
    """
    # no module given as `xp`
    arrays = [(x, dtype) for x, dtype in given if isinstance(dtype, np.dtype)]
    dtypes = {
        dtype for x, dtype in arrays if dtype.kind in kinds and (dtype.kind in "fc" or x.ndim)
    }
    return (
        out
        if dtypes.isdisjoint(_SINGLE.values()) or np.result_type(*dtypes) not in _SINGLE.values()
        else _to_single(out)
    )


def _to_single(out: Array) -> Any:
    if isinstance(out, (tuple, list)):
        return getattr(out, "_make", type(out))(map(_to_single, out))
    if isinstance(out, dict):
        return {name: _to_single(value) for name, value in out.items()}
    out = (
        np.asarray(out)[()]
        if isinstance(out, (float, complex)) and not hasattr(out, "dtype")
        else out
    )
    return out.astype(_SINGLE[out.dtype]) if getattr(out, "dtype", None) in _SINGLE else out


def floating(*values: Any) -> list[Any]:
    """Return the values as arrays, lists of traced numbers too, integers in the real floating-point
    dtype of the others.
    """
    arrays = list(values)
    if not all(map(_is_host_array, values)):
        arrays = bring_home(list(map(assemble, values)), values)
    if all(v.dtype.char in "dDfF" for v in arrays):
        return arrays
    dtype = np.result_type(*(v.dtype for v in arrays), np.float16)
    dtype = np.dtype(float) if dtype == np.float16 else np.finfo(dtype).dtype
    return [
        v if v.dtype.kind in "fc" and v.dtype != np.float16 else v.astype(dtype) for v in arrays
    ]


def _is_host_array(value: Any) -> bool:
    if isinstance(value, Traced):
        return type(value._value) is np.ndarray
    return type(value) is np.ndarray and value.ndim > 0


def signals(*values: Any) -> list[Any]:
    """Return the values as `floating` does; numbers, which have no axis of time, are refused."""
    arrays = floating(*values)
    refuse_if(
        not all(v.ndim for v in arrays), "x must be at least 1-D: a signal has an axis of time"
    )
    return arrays


def real(name: str, *values: Any) -> list[Any]:
    """Return the values as `floating` does; complex ones are refused, of which SciPy's function of
    that name drops a part.
    """
    arrays = floating(*values)
    if any(v.dtype.kind == "c" for v in arrays):
        raise TypeError(
            f"{name} is differentiable for real arguments only: pass x.real instead of a complex x."
        )
    return arrays


def vectors(*values: Any) -> list[Any]:
    """Return the values as `floating` does, numbers as vectors of one element."""
    return [np.reshape(v, (1,)) if not v.ndim else v for v in floating(*values)]


def anywhere(condition: Any) -> bool:
    """Return whether a condition holds anywhere, in any element of a batch."""
    return bool(np.any(on_host(raw(condition))))


def refuse_if(condition: Any, text: str) -> None:
    """Raise a ValueError if a condition holds, anywhere if it is one of arrays."""
    if condition is True or (condition is not False and anywhere(condition)):
        raise ValueError(text)


def last(x: Any, axis: int) -> Any:
    """Return x with an axis moved behind all others."""
    return x if axis == -1 or axis == x.ndim - 1 else np.moveaxis(x, axis, -1)


def back(x: Any, axis: int) -> Any:
    """Return x with its last axis moved to where it came from."""
    return x if axis in (-1, x.ndim - 1) else np.moveaxis(x, -1, axis)


def pad_ends(x: Any, before: int, after: int, kind: str = "zeros") -> Any:
    """Return x with more samples at both ends of its last axis: its reflection ("even", "odd"), its
    ends ("edge"), or zeros.
    """
    return (
        np.pad(x, [(0, 0)] * (x.ndim - 1) + [(before, after)], **_CONTINUED[kind])
        if before or after
        else x
    )


_CONTINUED = {
    "even": {"mode": "reflect"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
    "zeros": {},
}
_CONTINUED |= {kind: {"mode": kind} for kind in ("edge", "reflect", "symmetric", "wrap")} | {
    "constant": {"mode": "edge"}
}
