"""The machine: a loop over instructions on numbers in one flat memory.

Numba compiles it once for all programs and keeps it on disk, so that nothing is compiled for a
program. An instruction is a row of integers: its code, the count n, the place of the result, and
operands as pairs of a first place and a stride. The memory is one array of doubles `v`; complex
numbers lie in the same memory, seen as `z`. REPEAT runs the rows before it again, each of whose
fields advances by a step of its own.
"""

import functools
import importlib
from types import FunctionType
from typing import Any

import numpy as np

from scigrad.host.compiled import machine_code, numba

from . import codes as c
from . import exponentials, operations
from .operations import (
    add_up,
    apply_binary,
    apply_complex,
    apply_function,
    apply_simple,
    apply_to_complex,
    apply_to_real,
    gather,
    multiply_matrices,
)


def repeat(code, steps, line):
    """Return the line of the first row of a loop, whose fields have advanced by a round, or the
    next one, if it has ended, with all rows as they were at the beginning.

    A REPEAT has the number of rounds that follow the first, the first row, the row of `steps` by
    which that row advances, and the number of rounds that were made.
    """
    rounds, start, advance = code[line, 1], code[line, 2], np.uint64(code[line, 3])
    code[line, 4] += 1
    is_over = code[line, 4] > rounds
    times = -rounds if is_over else 1
    row = np.uint64(start)
    for _ in range(line - start):
        for j in range(2, 11):
            code[row, np.uint64(j)] += times * steps[advance, np.uint64(j)]
        row += c.NEXT
        advance += c.NEXT
    if is_over:
        code[line, 4] = 0
        return line + 1
    return start


def execute(code, steps, first, last, index, v, z):
    """Run some instructions; return the number of the one whose check failed, -1 if none did."""
    line = first
    while line < last:
        op, n = code[line, 0], code[line, 1]
        o, a, sa = np.uint64(code[line, 2]), np.uint64(code[line, 3]), np.uint64(code[line, 4])
        b, sb = np.uint64(code[line, 5]), np.uint64(code[line, 6])
        if op == c.MULTIPLY:
            for _ in range(n):
                v[o] = v[a] * v[b]
                o, a, b = o + c.NEXT, a + sa, b + sb
        elif op == c.ADD:
            for _ in range(n):
                v[o] = v[a] + v[b]
                o, a, b = o + c.NEXT, a + sa, b + sb
        elif op <= c.LOGICAL_NOT:
            apply_simple(op, code, line, v)
        elif op <= c.ARCTANH:
            apply_function(op, code, line, v)
        elif op <= c.COPYSIGN:
            apply_binary(op, code, line, v)
        elif op == c.GATHER:
            gather(code, line, v, index)
        elif op == c.MATMUL:
            multiply_matrices(code, line, v)
        elif op == c.SUM:
            add_up(code, line, v)
        elif op == c.REPEAT:
            line = repeat(code, steps, line)
            continue
        elif op <= c.Z_ISFINITE:
            apply_complex(op, code, line, v, z)
        elif op <= c.Z_FINITE:
            if not apply_to_real(op, code, line, v):
                return line
        elif not apply_to_complex(op, code, line, v, z, index):
            return line
        line += 1
    return -1


@functools.cache
def machine() -> Any:
    """Return the compiled loop, or None without a Numba that compiles."""
    if numba() is None:
        return None
    register = importlib.import_module("numba.extending").register_jitable
    for part in (*vars(exponentials).values(), *vars(operations).values(), repeat):
        if isinstance(part, FunctionType):
            register(part)

    def signature(types: Any) -> Any:
        rows, numbers = types.int64[:, ::1], (types.float64[::1], types.complex128[::1])
        return types.int64(rows, rows, types.int64, types.int64, types.int64[::1], *numbers)

    return machine_code(execute, signature)
