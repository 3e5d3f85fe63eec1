"""Recursive filters of long signals: channels in threads and, where Numba is installed, loops with
the states in registers.

In the transposed direct form a sample waits for the one before it through a product, a difference
and a sum, whatever the order: nine cycles, 2.9 ns. SciPy's loops keep the states in memory, and its
sections wait for each other: 7 to 10 ns. Here the text of a loop is made for each order, and its
stages run behind one another, each a sample later than the one before: the states follow the
outputs, and a section the one that feeds it. Operations and their order are SciPy's, and so are the
values, bit for bit.
"""

import functools
import math
from typing import Any

import numpy as np

from scigrad.host.compiled import LARGE, machine_code, numba
from scigrad.host.threads import spread, workers

_MOST = 12  # states that are kept in registers


def filtered_as(scipys: Any, coefficients: Any, x: Any, axis: int = -1, *zi: Any) -> Any:
    """Return scipys(*coefficients, x, axis, *zi), for the coefficients (b, a) of lfilter or (sos,)
    of sosfilt.
    """
    if type(x) is not np.ndarray or x.size < LARGE or not -x.ndim <= axis < x.ndim:
        return scipys(*coefficients, x, axis, *zi)
    given, zi = [np.asarray(c) for c in coefficients], tuple(map(np.asarray, zi))
    sizes = (len(given[0]), 2) if len(given) == 1 else (max(c.size for c in given) - 1,)
    places, ends = ((0, axis % x.ndim + 1), (-2, -1)) if len(given) == 1 else ((axis,), (-1,))
    rows = np.moveaxis(x, axis, -1)
    shape = *rows.shape[:-1], *sizes
    if not _suit(given, x, *zi) or (
        zi and np.shape(zi[0]) != np.moveaxis(np.empty(shape), ends, places).shape
    ):
        return scipys(*coefficients, x, axis, *zi)
    z = (
        np.array(np.moveaxis(zi[0], places, ends), x.dtype, order="C")
        if zi
        else np.zeros(shape, x.dtype)
    )
    channels, states = rows.reshape(-1, rows.shape[-1]), z.reshape(-1, math.prod(sizes))
    y, loop = np.empty(channels.shape, x.dtype), _loop_for(scipys, given, sizes, x.dtype)
    spread(lambda i, j: loop(channels[i:j], y[i:j], states[i:j]), 0, len(y), min(workers(), len(y)))
    out = np.moveaxis(y.reshape(rows.shape), -1, axis)
    return (out, np.moveaxis(z, ends, places)) if zi else out


def _suit(given: list[np.ndarray], x: np.ndarray, *zi: Any) -> bool:
    """Return whether a filter is possible, in the precision of the signal, and is faster here."""
    *_, a = given
    possible = a.ndim == given[0].ndim == 1 < a.size and given[0].size and a[0]
    if len(given) == 1:
        possible = a.ndim == 2 and a.shape[1] == 6 and len(a) and np.all(a[:, 3] == 1)
    faster = workers() > 1 or (x.dtype == np.float64 and numba())
    return bool(
        possible and faster and x.dtype.char in "fdFD" and np.result_type(x, *given, *zi) == x.dtype
    )


def _loop_for(scipys: Any, given: list[np.ndarray], sizes: tuple[int, ...], dtype: Any) -> Any:
    """Return the loop that writes the outputs and final states of channels."""
    compiled = (
        _compile_filter(sizes)
        if dtype == np.float64 and math.prod(sizes) <= _MOST and numba()
        else None
    )
    if compiled is not None:
        c = given[0].ravel()
        if len(given) == 2:
            c = np.concatenate([np.pad(v / given[1][0], (0, sizes[0] + 1 - v.size)) for v in given])
        return lambda x, y, z: compiled(x, y, z, c.astype(float))

    def over_channels(x: Any, y: Any, z: Any) -> None:
        y[:], end = scipys(*given, x, -1, np.moveaxis(z.reshape(-1, *sizes), 0, -2))
        z[:] = np.moveaxis(end, -2, 0).reshape(z.shape)

    return over_channels


@functools.cache
def _compile_filter(sizes: tuple[int, ...]) -> Any:
    """Return the compiled loop for channels (rows of x), which writes y and the states z; c are the
    coefficients. None where Numba fails.
    """
    stages, name = _stages(*sizes), "_".join(["filtered", *map(str, sizes)])
    z, u = range(math.prod(sizes)), range(len(stages) + 1)
    text = [
        f"def {name}(x, y, z, c):",
        " "
        + "; ".join(
            f"c{j} = c[{j}]" for j in range(6 * sizes[0] if len(sizes) == 2 else 2 * sizes[0] + 2)
        ),
        " for r in range(len(x)):",
        "  " + "; ".join([*(f"z{j} = z[r, {j}]" for j in z), *(f"u{j} = 0.0" for j in u)]),
        f"  for i in range(x.shape[1] + {len(stages) - 1}):",
        *(
            f"   if {lag} <= i < x.shape[1] + {lag}: " + "; ".join(stages[lag])
            for lag in range(len(stages))[::-1]
        ),
        "  " + "; ".join(f"z[r, {j}] = z{j}" for j in z),
    ]
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile("\n".join(text), __file__, "exec"), space)

    def signature(types: Any) -> Any:
        given, written = (
            types.Array(types.float64, 2, "A", readonly=True, aligned=False),
            types.float64[:, ::1],
        )
        return types.void(given, written, written, types.float64[::1])

    return machine_code(space[name], signature)


def _stages(n: int, of_section: int = 0) -> list[list[str]]:
    """Return the statements of each stage: n sections, or the output of a filter of order n and
    then its states.
    """
    if not of_section:
        states = [
            f"z{j} = {f'z{j + 1} + ' * (j < n - 1)}u0 * c{j + 1} - u1 * c{n + j + 2}"
            for j in range(n)
        ]
        return [["u0 = x[r, i]", "u1 = z0 + c0 * u0", "y[r, i] = u1"], states]
    sections = [
        [
            f"u{s + 1} = c{6 * s} * u{s} + z{2 * s}",
            f"z{2 * s} = c{6 * s + 1} * u{s} - c{6 * s + 4} * u{s + 1} + z{2 * s + 1}",
            f"z{2 * s + 1} = c{6 * s + 2} * u{s} - c{6 * s + 5} * u{s + 1}",
        ]
        for s in range(n)
    ]
    sections[0].insert(0, "u0 = x[r, i]")
    sections[-1].append(f"y[r, i - {n - 1}] = u{n}")
    return sections


__all__ = ["filtered_as"]
