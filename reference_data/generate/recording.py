"""How a record of reference data is computed, measured and written.

A subject's file offers `records()`: a list of `Record`. Truth comes from mpmath at `DIGITS` digits,
arguments are exactly representable where they are meant to be (most in float32 too, so that one
truth serves both precisions), and each record keeps the error that SciPy's own kernel had on the
machine that wrote it. `nan` as a derivative means: there is none.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np

DIGITS = 50
NOT_THERE = np.array(np.nan)


@dataclass
class Record:
    """One function at many points (elementwise), or one call with arrays."""

    function: str
    case: str
    arguments: tuple[np.ndarray, ...]
    value: np.ndarray
    first: tuple[np.ndarray, ...] = ()
    second: tuple[np.ndarray, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    ulp: dict[str, np.ndarray] = field(default_factory=dict)


def number(z: Any) -> complex | float:
    """An mpmath number, rounded once."""
    return complex(z) if isinstance(z, mp.mpc) else float(z)


def exact(z: Any) -> Any:
    """A NumPy number as mpmath has it, without rounding."""
    return (
        mp.mpc(float(z.real), float(z.imag))
        if isinstance(z, complex | np.complexfloating)
        else mp.mpf(float(z))
    )


def ulp_error(actual: Any, truth: Any, kind: type) -> float:
    """|actual - truth| in units in the last place of the truth, in the precision `kind` (float32,
    float64).
    """
    scale = kind(float(abs(truth)))
    if not np.isfinite(scale):  # a pole, or a truth beyond the range of this precision
        return 0.0 if abs(actual) == np.inf else np.inf
    if not np.isfinite(actual):
        return np.inf
    return float(abs(exact(actual) - truth) / mp.mpf(float(np.spacing(abs(scale)))))


def elementwise(
    function: str,
    case: str,
    kernel: Callable[..., Any],
    f: Callable[[Any], Any],
    points: Iterable[Any],
    orders: int = 2,
) -> Record:
    """A function of one variable: values, derivatives by mpmath's own differentiation, the error of
    `kernel`.
    """
    x = np.array(list(points))
    with mp.workdps(DIGITS):
        truth = [f(exact(v)) for v in x]
        derivatives = [np.array([_derivative(f, v, n) for v in x]) for n in range(1, orders + 1)]
        ulp = {name: _errors(kernel, x, truth, name) for name in ("float64", "float32")}
    return Record(
        function,
        case,
        (x,),
        np.array([number(t) for t in truth]),
        *((d,) for d in derivatives),
        ulp=ulp,
    )


def _derivative(f: Callable[[Any], Any], x: Any, order: int) -> Any:
    try:
        value = number(mp.diff(f, exact(x), order))
    except (ValueError, ZeroDivisionError):  # a pole
        return np.nan
    return value if np.isfinite(value) else np.nan


def over_the_range(
    function: str, f: Callable[..., Any], points: Iterable[Any], digits: int, step: int
) -> Record:
    """A function of one or more variables at points of all sizes: central differences, with steps
    of 10^-step times the variable.

    Derivatives below the range of double precision are 0, beyond it infinite. The digits have to
    hold the squares of the steps beside the largest and the smallest numbers.
    """
    arguments = tuple(
        np.array(x) for x in zip(*(np.atleast_1d(point) for point in points), strict=True)
    )
    with mp.workdps(digits):
        at = [tuple(map(exact, row)) for row in zip(*arguments, strict=True)]
        value = np.array([_in_range(mp.re(f(*row))) for row in at])
        found = [
            [_differences(f, row, i, mp.mpf(10) ** -step) for row in at]
            for i in range(len(arguments))
        ]
        first, second = (
            tuple(np.array([_in_range(both[n]) for both in rows]) for rows in found) for n in (0, 1)
        )
    return Record(
        function,
        "range",
        arguments,
        value,
        first,
        second,
        ulp=dict.fromkeys(("float64", "float32"), np.array(np.nan)),
    )


def in_closed_form(
    function: str, points: Iterable[Any], derivatives: Iterable[Any], digits: int
) -> Record:
    """A function of real variables at points of all sizes, without values.

    First and second derivative in each argument are mpmath's functions; nan where there is None.
    """
    arguments = tuple(
        np.array(x) for x in zip(*(np.atleast_1d(point) for point in points), strict=True)
    )
    with mp.workdps(digits):
        at = [tuple(map(exact, row)) for row in zip(*arguments, strict=True)]
        found = [
            [np.array([_in_range(mp.re(f(*row))) if f else np.nan for row in at]) for f in pair]
            for pair in derivatives
        ]
    first, second = zip(*found, strict=True)
    return Record(
        function,
        "range",
        arguments,
        NOT_THERE,
        first,
        second,
        ulp=dict.fromkeys(("float64", "float32"), NOT_THERE),
    )


def _differences(
    f: Callable[..., Any], at: tuple[Any, ...], i: int, relative: Any
) -> tuple[Any, Any]:
    step = (abs(at[i]) or 1) * relative
    below, middle, above = (mp.re(f(*at[:i], at[i] + k * step, *at[i + 1 :])) for k in (-1, 0, 1))
    return (above - below) / (2 * step), (above - 2 * middle + below) / step**2


def _in_range(x: Any) -> float:
    return float(x) if abs(x) < mp.mpf(2) ** 1024 else float("inf") * int(mp.sign(x))


def _errors(kernel: Callable[..., Any], x: np.ndarray, truth: list[Any], name: str) -> np.ndarray:
    kind = np.dtype(name).type
    with np.errstate(all="ignore"):
        low = x.astype(_single(x)) if name == "float32" else x
        actual = kernel(low)
        return np.array(
            [
                ulp_error(a, t, kind) if v == w else np.nan
                for a, t, v, w in zip(actual, truth, x, low, strict=True)
            ]
        )


def _single(x: np.ndarray) -> type:
    return np.complex64 if x.dtype.kind == "c" else np.float32


def array_call(
    function: str,
    case: str,
    kernel: Callable[..., Any],
    truth: Any,
    *arguments: np.ndarray,
    first: tuple = (),
    **options: Any,
) -> Record:
    """One call with arrays. The recorded error is normwise: max |error| in units of eps * max
    |truth|.
    """
    flat = (
        [t for row in truth for t in (row if isinstance(row, list) else [row])]
        if isinstance(truth, list)
        else [truth]
    )
    shape = np.shape(truth)
    ulp = {}
    for name in ("float64", "float32"):
        low = [a.astype(_single(a)) if name == "float32" else a for a in arguments]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ill-conditioned matrices are the point
            actual = np.ravel(kernel(*low, **options))
        error = max(
            (abs(exact(a) - t) for a, t in zip(actual, flat, strict=True) if mp.isfinite(t)),
            default=mp.mpf(0),
        )
        scale = max((abs(t) for t in flat if mp.isfinite(t)), default=mp.mpf(1)) or mp.mpf(1)
        ulp[name] = np.array(float(error / (scale * float(np.finfo(name).eps))))
    value = np.array([number(t) for t in flat]).reshape(shape)
    return Record(function, case, arguments, value, first=first, options=options, ulp=ulp)


def singles(random: np.random.Generator, *shape: int, complex_values: bool = False) -> np.ndarray:
    """Standard-normal numbers that float32 holds exactly, as float64 or complex128."""
    x = random.standard_normal(shape).astype(np.float32).astype(np.float64)
    return x + 1j * singles(random, *shape) if complex_values else x


def _three_digits(error: Any) -> np.ndarray:
    """Errors rounded to 10 bits, the zeros behind which need no space in the archive."""
    fraction, exponent = np.frexp(np.asarray(error, np.float32))
    return np.ldexp(np.rint(fraction * 1024) / 1024, exponent).astype(np.float32)


def write(records: list[Record], path: Path) -> None:
    """One compressed .npz: `index` is JSON, and the numbers of one dtype are one array, since every
    member of the archive costs as much as thirty numbers. `index["arrays"]` says where each array
    lies, by the record's number and its part.
    """
    arrays: dict[str, np.ndarray] = {}
    entries = []
    for i, record in enumerate(records):
        counts = {
            "arguments": len(record.arguments),
            "first": len(record.first),
            "second": len(record.second),
        }
        entries.append(
            {"function": record.function, "case": record.case, "options": record.options, **counts}
        )
        groups = {
            "argument": record.arguments,
            "first": record.first,
            "second": record.second,
            "value": (record.value,),
        }
        for group, members in groups.items():
            arrays |= {f"{i}.{group}.{k}": np.asarray(member) for k, member in enumerate(members)}
        arrays |= {f"{i}.ulp.{name}": _three_digits(error) for name, error in record.ulp.items()}
    places, numbers = {}, dict[str, list[np.ndarray]]()
    for name, array in arrays.items():
        same = numbers.setdefault(array.dtype.str[1:], [])
        places[name] = [array.dtype.str[1:], sum(map(len, same)), array.shape]
        same.append(array.ravel())
    index = json.dumps({"records": entries, "arrays": places}, separators=(",", ":"))
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        path,
        index=np.array(index),
        **{kind: np.concatenate(same) for kind, same in numbers.items()},
    )
