"""Functions of one real number on large arrays by polynomials in pieces, where Numba is installed.

A piece is named by the first bits of u = shift + slope |x| as a floating-point number: 2^b equal
pieces to each power of two, which grow with |x|, or shrink towards 1. The polynomial of degree 9
about the center of a piece, or about a root nearby, has an error of two units in the last place at
most (docs/special_accuracy.md). It costs 2.6 ns, a dozen loads and nine fused multiplications and
additions, of which those of several elements are in flight at once; the series and branches of
SciPy's functions cost 7 to 90 ns. Outside of the pieces, where the table is nan, SciPy's function
computes: its poles, infinities and messages remain.
"""

import functools
import importlib
import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from scigrad.numpy.accelerators import accelerator, attempt

# elements: 0.4 ms of the cheapest functions, several times what it takes to hand them to a thread
LARGE = 1 << 16
_BLOCK = 1024  # elements, whose rows are found first, by vector instructions


def faster(function: Callable[..., Any], *args: np.ndarray) -> Callable[..., Any]:
    """Return the polynomials for a function of large arrays, or the function itself, if it has none
    for these arguments.
    """
    x, name = args[0], function.__name__
    if len(args) > 1 or x.size < LARGE or x.dtype != np.float64 or not x.flags.c_contiguous:
        return function
    if name not in names() or compile_loop(_loop_of(tables()[name][0])) is None:
        return function
    return functools.partial(_piecewise_values, function, *tables()[name])


def names() -> set[str]:
    """Return the functions of large arrays that have polynomials: none without a Numba that
    compiles.
    """
    return set(tables()) if numba() else set()


def _piecewise_values(
    function: Any,
    table: np.ndarray,
    grid: np.ndarray,
    x: np.ndarray,
    out: tuple[np.ndarray] | None = None,
) -> Any:
    y = np.empty(x.shape) if out is None else out[0]
    if compile_loop(_loop_of(table))(x.ravel(), y.reshape(-1), table.ravel(), *grid):
        missing = np.isnan(y)
        y[missing] = function(x[missing])
    return y


def _loop_of(table: np.ndarray) -> Callable[..., int]:
    return _pieces if table.ndim > 1 else _exponentials


@functools.cache
def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the coefficients for each function, first for positive and then for negative numbers,
    and its grid.
    """
    with np.load(os.path.join(os.path.dirname(__file__), "piecewise_coefficients.npz")) as file:
        found = {
            name: (table, file[f"{name} grid"]) for name, table in file.items() if " " not in name
        }
    for name, (table, (*grid, parity)) in found.items():
        if table.ndim > 1:  # the half of an even or odd function, whose centers are those of |x|
            found[name] = (
                np.vstack([table, table * [1, *[parity] * 10]]) if parity else table,
                np.array(grid),
            )
    return found


def numba() -> Any:
    """Return Numba, or None without one that compiles for this Python and NumPy."""
    found = accelerator("numba")
    return None if found is None or found.config.DISABLE_JIT else found


@functools.cache
def compile_loop(loop: Callable[..., int], inputs: int = 1, *called: Callable[..., Any]) -> Any:
    """Return a loop, compiled for an array, one that it writes, further ones that it reads, and
    five numbers, with the functions that it calls.
    """

    def signature(types: Any) -> Any:
        given = types.Array(types.float64, 1, "C", readonly=True, aligned=False)
        return types.int64(given, types.float64[::1], *[given] * inputs, *[types.float64] * 5)

    return machine_code(loop, signature, {"contract"}, called)


def machine_code(
    loop: Callable[..., Any],
    signature: Callable[[Any], Any],
    fastmath: Any = False,
    called: Iterable[Callable[..., Any]] = (),
) -> Any:
    """Return a loop, compiled for arguments of the types signature(numba.types) and kept on the
    disk, that releases the interpreter's lock; None where Numba fails.
    """
    with attempt("numba"):
        extending: Any = importlib.import_module("numba.extending")
        for function in (exponential, *called):
            extending.register_jitable(function)
        types = signature(numba().types)
        compile_it = functools.partial(
            numba().njit, types, nogil=True, error_model="numpy", fastmath=fastmath
        )
        try:
            return compile_it(cache=True)(loop)
        except RuntimeError:  # there is no folder to keep it in
            return compile_it()(loop)
    return None


def _pieces(x, out, table, shift, slope, below, stop, bits):
    """Write the values, and return the number of nan among them."""
    kept, row = np.uint64(52 - bits), np.uint64(11)
    first, other_half = np.float64(below).view(np.uint64) >> kept, np.uint64(table.size // 2)
    places, missing = np.empty(_BLOCK, np.uint64), 0
    for start in range(0, x.size, _BLOCK):
        xs, ys = x[start : start + _BLOCK], out[start : start + _BLOCK]
        for i in range(xs.size):
            u = shift + slope * abs(xs[i])
            u = u if u > below else below  # the first row is nan, as the last, and for nan
            u = u if u < stop else stop
            # a shorter product
            piece = ((np.float64(u).view(np.uint64) >> kept) - first) & np.uint64(0xFFFFFFFF)
            places[i] = piece * row + (
                other_half if np.float64(xs[i]).view(np.int64) < 0 else np.uint64(0)
            )
        for i in range(xs.size):
            center = places[i]
            t, y = abs(xs[i]) - table[center], table[center + np.uint64(10)]
            for j in range(9, 0, -1):
                y = y * t + table[center + np.uint64(j)]
            ys[i] = y
            missing += y != y
    return missing


def exponential(x: Any, coefficients: Any, per_octave: Any, octave: Any, rest: Any):
    """Return 2^k exp(t), where x = k log(2) + t, between -708 and 709."""
    turn = 1.5 * 2.0**52  # numbers beside it end with the integer k in their bits
    turned = x * per_octave + turn
    k = turned - turn
    t, y = x - k * octave - k * rest, coefficients[12]
    for j in range(11, -1, -1):
        y = y * t + coefficients[j]
    return y * np.int64((np.float64(turned).view(np.int64) << 52) + (1023 << 52)).view(np.float64)


def _exponentials(x, out, coefficients, per_octave, octave, rest, sign, most):
    """Write the exponentials, or with the sign -1 the logistic function, and return the number of
    nan, which are for SciPy.
    """
    missing = 0
    for i in range(x.size):
        y = exponential(sign * x[i], coefficients, per_octave, octave, rest)
        y = y if sign > 0 else 1 / (1 + y)
        # selections of values at hand are vector instructions, anything else is a jump
        y = y if abs(x[i]) < most else np.nan
        out[i] = y
        missing += y != y
    return missing


__all__ = [
    "LARGE",
    "compile_loop",
    "exponential",
    "faster",
    "machine_code",
    "names",
    "numba",
    "tables",
]
