"""The machine: a loop over instructions on numbers in one flat memory.

Numba compiles it once for all programs and keeps it on disk, so that nothing is compiled for a
program. An instruction is a row of integers: its code, the count n, the place of the result, and
operands as pairs of a first place and a stride. The memory is one array of doubles `v`; complex
numbers lie in the same memory, seen as `z`. REPEAT runs the rows before it again, each of whose
fields advances by a step of its own.
"""

import functools
import importlib
import math
from typing import Any

import numpy as np

from scigrad.host.compiled import machine_code, numba

WIDTH = 12
_NAMES_OF_ONE = (
    "negative", "square", "reciprocal", "absolute", "sign", "sqrt", "isnan", "isinf", "isfinite",
    "logical_not", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "arcsin", "arccos",
    "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh",
)  # fmt: skip
(
    NEGATIVE, SQUARE, RECIPROCAL, ABSOLUTE, SIGN, SQRT, ISNAN, ISINF, ISFINITE, LOGICAL_NOT,
    EXP, EXPM1, LOG, LOG1P, SIN, COS, TAN, ARCSIN, ARCCOS, ARCTAN, SINH, COSH, TANH, ARCSINH,
    ARCCOSH, ARCTANH,
) = range(26)  # fmt: skip
UNARY = dict(zip(_NAMES_OF_ONE, range(26), strict=True))
_NAMES_OF_TWO = (
    "add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "equal", "not_equal",
    "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or", "arctan2",
    "hypot", "copysign",
)  # fmt: skip
(
    ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, MAXIMUM, MINIMUM, EQUAL, NOT_EQUAL, GREATER,
    GREATER_EQUAL, LESS, LESS_EQUAL, LOGICAL_AND, LOGICAL_OR, ARCTAN2, HYPOT, COPYSIGN,
) = range(32, 50)  # fmt: skip
BINARY = dict(zip(_NAMES_OF_TWO, range(32, 50), strict=True))
# arithmetic of complex operands; `absolute` and `isfinite` of complex numbers are real
_NAMES_OF_COMPLEX = (
    "add", "subtract", "multiply", "divide", "negative", "conjugate", "exp", "square",
    "reciprocal", "absolute", "isfinite",
)  # fmt: skip
(
    Z_ADD, Z_SUBTRACT, Z_MULTIPLY, Z_DIVIDE, Z_NEGATIVE, Z_CONJUGATE, Z_EXP, Z_SQUARE,
    Z_RECIPROCAL, Z_ABSOLUTE, Z_ISFINITE,
) = range(64, 75)  # fmt: skip
COMPLEX = dict(zip(_NAMES_OF_COMPLEX, range(64, 75), strict=True))
GATHER, SUM, MATMUL, LU, SUBSTITUTE, FINITE, SELECT, WIDEN = range(96, 104)
# the same for complex numbers
Z_GATHER, Z_SUM, Z_MATMUL, Z_LU, Z_SUBSTITUTE, Z_FINITE = range(104, 110)
REPEAT = 127
LARGEST_ORDER = 16  # matrices up to it are factored by LU
FAR = 1e-11  # ratio of pivots below which the function itself says whether to warn or to raise


def apply_simple(code, r, v):
    """Compute arithmetic, or a question, of one real number for each element."""
    n, o, a, sa = r[1], r[2], r[3], r[4]
    for i in range(n):
        x = v[a + i * sa]
        if code == NEGATIVE:
            t = -x
        elif code == SQUARE:
            t = x * x
        elif code == RECIPROCAL:
            t = 1 / x
        elif code == ABSOLUTE:
            t = abs(x)
        elif code == SIGN:
            t = np.sign(x)
        elif code == SQRT:
            t = math.sqrt(x) if x >= 0 else (x if x != x else np.nan)
        elif code == ISNAN:
            t = 1.0 if x != x else 0.0
        elif code == ISINF:
            t = 1.0 if abs(x) == np.inf else 0.0
        elif code == ISFINITE:
            t = 1.0 if x - x == 0 else 0.0
        else:
            t = 1.0 if x == 0 else 0.0
        v[o + i] = t


def apply_function(code, r, v):
    """Compute an elementary function of one real number for each element."""
    n, o, a, sa = r[1], r[2], r[3], r[4]
    for i in range(n):
        x = v[a + i * sa]
        if code == EXP:
            t = np.exp(x)
        elif code == EXPM1:
            t = np.expm1(x)
        elif code == LOG:
            t = np.log(x)
        elif code == LOG1P:
            t = np.log1p(x)
        elif code == SIN:
            t = np.sin(x)
        elif code == COS:
            t = np.cos(x)
        elif code == TAN:
            t = np.tan(x)
        elif code == ARCSIN:
            t = np.arcsin(x)
        elif code == ARCCOS:
            t = np.arccos(x)
        elif code == ARCTAN:
            t = np.arctan(x)
        elif code == SINH:
            t = np.sinh(x)
        elif code == COSH:
            t = np.cosh(x)
        elif code == TANH:
            t = np.tanh(x)
        elif code == ARCSINH:
            t = np.arcsinh(x)
        elif code == ARCCOSH:
            t = np.arccosh(x)
        else:
            t = np.arctanh(x)
        v[o + i] = t


def apply_binary(code, r, v):
    """Compute a function of two real numbers for each element."""
    n, o, a, sa, b, sb = r[1], r[2], r[3], r[4], r[5], r[6]
    for i in range(n):
        x, y = v[a + i * sa], v[b + i * sb]
        if code == POWER:
            t = x**y
        elif code == MAXIMUM:
            t = x if x > y or x != x else y
        elif code == MINIMUM:
            t = x if x < y or x != x else y
        elif code == EQUAL:
            t = 1.0 if x == y else 0.0
        elif code == NOT_EQUAL:
            t = 1.0 if x != y else 0.0
        elif code == GREATER:
            t = 1.0 if x > y else 0.0
        elif code == GREATER_EQUAL:
            t = 1.0 if x >= y else 0.0
        elif code == LESS:
            t = 1.0 if x < y else 0.0
        elif code == LESS_EQUAL:
            t = 1.0 if x <= y else 0.0
        elif code == LOGICAL_AND:
            t = 1.0 if x != 0 and y != 0 else 0.0
        elif code == LOGICAL_OR:
            t = 1.0 if x != 0 or y != 0 else 0.0
        elif code == ARCTAN2:
            t = np.arctan2(x, y)
        elif code == HYPOT:
            t = np.hypot(x, y)
        else:
            t = math.copysign(x, y)
        v[o + i] = t


def divide(x, y):
    """Return a quotient of complex numbers (Smith, Communications of the ACM 5, 435, 1962)."""
    if abs(y.real) >= abs(y.imag):
        ratio = y.imag / y.real
        size = y.real + y.imag * ratio
        return complex((x.real + x.imag * ratio) / size, (x.imag - x.real * ratio) / size)
    ratio = y.real / y.imag
    size = y.real * ratio + y.imag
    return complex((x.real * ratio + x.imag) / size, (x.imag * ratio - x.real) / size)


def apply_complex(code, r, v, z):
    """Compute a function of complex numbers for each element."""
    n, o, a, sa, b, sb = r[1], r[2], r[3], r[4], r[5], r[6]
    for i in range(n):
        x = z[a + i * sa]
        if code == Z_ADD:
            z[o + i] = x + z[b + i * sb]
        elif code == Z_SUBTRACT:
            z[o + i] = x - z[b + i * sb]
        elif code == Z_MULTIPLY:
            y = z[b + i * sb]
            z[o + i] = complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)
        elif code == Z_DIVIDE:
            z[o + i] = divide(x, z[b + i * sb])
        elif code == Z_NEGATIVE:
            z[o + i] = -x
        elif code == Z_CONJUGATE:
            z[o + i] = x.conjugate()
        elif code == Z_EXP:
            z[o + i] = np.exp(x)
        elif code == Z_SQUARE:
            z[o + i] = complex(x.real * x.real - x.imag * x.imag, 2 * x.real * x.imag)
        elif code == Z_RECIPROCAL:
            z[o + i] = divide(1 + 0j, x)
        elif code == Z_ABSOLUTE:
            v[o + i] = abs(x)
        else:
            v[o + i] = 1.0 if x.real - x.real == 0 and x.imag - x.imag == 0 else 0.0


def gather(r, w, index):
    for i in range(r[1]):
        w[r[2] + i] = w[index[r[3] + i]]


def add_up(r, w):
    """Compute n sums of r[7] numbers each."""
    n, o, a, sa, sb = r[1], r[2], r[3], r[4], r[6]
    for i in range(n):
        x = a + i * sa
        t = w[x]
        for j in range(1, r[7]):
            t += w[x + j * sb]
        w[o + i] = t


def multiply_matrices(r, w):
    """Compute a product of (n, k) and (k, m) elements, with strides of rows and columns of both."""
    n, o, a, sa, b, sb, k, m, sa1, sb1 = (
        r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10],
    )  # fmt: skip
    for i in range(n):
        for j in range(m):
            x = a + i * sa
            y = b + j * sb1
            t = w[x] * w[y]
            for _ in range(1, k):
                x += sa1
                y += sb
                t += w[x] * w[y]
            w[o] = t
            o += 1


def factor(r, w, v):
    """Compute L U with rows interchanged, and the numbers of the rows behind it; return False where
    the matrix is close to singular or not finite.
    """
    n, o, a, sa, sb, order = r[1], r[2], r[3], r[4], r[6], r[7]
    for i in range(n):
        v[order + i] = i
        for j in range(n):
            w[o + i * n + j] = w[a + i * sa + j * sb]
    least, most = np.inf, 0.0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(w[o + i * n + k]) > abs(w[o + p * n + k]):
                p = i
        if p != k:
            v[order + k], v[order + p] = v[order + p], v[order + k]
            for j in range(n):
                w[o + k * n + j], w[o + p * n + j] = w[o + p * n + j], w[o + k * n + j]
        pivot = w[o + k * n + k]
        size = abs(pivot)
        if not size < np.inf:  # NaN too
            return False
        least, most = min(least, size), max(most, size)
        if not least > FAR * most:
            return False
        for i in range(k + 1, n):
            f = w[o + i * n + k] / pivot  # no division by 0: the pivot is large enough
            w[o + i * n + k] = f
            for j in range(k + 1, n):
                w[o + i * n + j] -= f * w[o + k * n + j]
    return True


def substitute(r, w, v):
    """Solve a x = b, or a^H x = b if r[9]: the order n, then x, the factors, the columns of b, b
    and the strides of its rows and columns, the numbers of the rows, and n numbers of scratch.
    """
    n, o, lu, m, b, sb, order, sb1, s = r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[10]
    for j in range(m):
        for i in range(n):
            row = i if r[9] else int(v[order + i])
            t = w[b + row * sb + j * sb1]
            for k in range(i):
                t -= (w[lu + k * n + i].conjugate() if r[9] else w[lu + i * n + k]) * w[s + k]
            w[s + i] = t / w[lu + i * n + i].conjugate() if r[9] else t
        for i in range(n - 1, -1, -1):
            t = w[s + i]
            for k in range(i + 1, n):
                t -= (w[lu + k * n + i].conjugate() if r[9] else w[lu + i * n + k]) * w[s + k]
            w[s + i] = t if r[9] else t / w[lu + i * n + i]
        for i in range(n):
            row = int(v[order + i]) if r[9] else i
            w[o + row * m + j] = w[s + i]


def are_finite(r, v, count):
    """Return whether `count` doubles for each of n elements are finite."""
    for i in range(r[1]):
        for j in range(count):
            x = v[(r[3] + i * r[4]) * count + j]
            if not x - x == 0:  # noqa: SIM201  (NaN is no number)
                return False
    return True


def apply_to_array(op, r, v, z, index):
    """Compute what is no function of single elements; return False where a check fails."""
    if op == GATHER:
        gather(r, v, index)
    elif op == MATMUL:
        multiply_matrices(r, v)
    elif op == SUM:
        add_up(r, v)
    elif op == FINITE:
        return are_finite(r, v, 1)
    elif op == Z_FINITE:
        return are_finite(r, v, 2)
    elif op == LU:
        return factor(r, v, v)
    elif op == SUBSTITUTE:
        substitute(r, v, v)
    elif op == Z_GATHER:
        gather(r, z, index)
    elif op == Z_SUM:
        add_up(r, z)
    elif op == Z_MATMUL:
        multiply_matrices(r, z)
    elif op == Z_LU:
        return factor(r, z, v)
    elif op == Z_SUBSTITUTE:
        substitute(r, z, v)
    elif op == SELECT:
        for i in range(r[1]):
            chosen = r[5] + i * r[6] if v[r[3] + i * r[4]] != 0 else r[7] + i * r[8]
            v[r[2] + i] = v[chosen]
    else:
        for i in range(r[1]):
            z[r[2] + i] = v[r[3] + i * r[4]]
    return True


def repeat(code, steps, line):
    """Return the line of the first row of a loop, whose fields have advanced by a round, or the
    next one, if it has ended, with all rows as they were at the beginning.

    A REPEAT has the number of rounds that follow the first, the first row, the row of `steps` by
    which that row advances, and the number of rounds that were made.
    """
    r = code[line]
    rounds, start, advance = r[1], r[2], r[3]
    r[4] += 1
    is_over = r[4] > rounds
    times = -rounds if is_over else 1
    for i in range(line - start):
        for j in range(1, 12):
            code[start + i, j] += times * steps[advance + i, j]
    if is_over:
        r[4] = 0
        return line + 1
    return start


def execute(code, steps, first, last, index, v, z):
    """Run some instructions; return the number of the one whose check failed, -1 if none did."""
    line = first
    while line < last:
        r = code[line]
        op, n, o, a, sa, b, sb = r[0], r[1], r[2], r[3], r[4], r[5], r[6]
        if op == MULTIPLY:
            for i in range(n):
                v[o + i] = v[a + i * sa] * v[b + i * sb]
        elif op == ADD:
            for i in range(n):
                v[o + i] = v[a + i * sa] + v[b + i * sb]
        elif op == SUBTRACT:
            for i in range(n):
                v[o + i] = v[a + i * sa] - v[b + i * sb]
        elif op == DIVIDE:
            for i in range(n):
                v[o + i] = v[a + i * sa] / v[b + i * sb]
        elif op <= LOGICAL_NOT:
            apply_simple(op, r, v)
        elif op <= ARCTANH:
            apply_function(op, r, v)
        elif op <= COPYSIGN:
            apply_binary(op, r, v)
        elif op <= Z_ISFINITE:
            apply_complex(op, r, v, z)
        elif op == REPEAT:
            line = repeat(code, steps, line)
            continue
        elif not apply_to_array(op, r, v, z, index):
            return line
        line += 1
    return -1


@functools.cache
def machine() -> Any:
    """Return the compiled loop, or None without a Numba that compiles."""
    if numba() is None:
        return None
    register = importlib.import_module("numba.extending").register_jitable
    for part in (
        apply_simple, apply_function, apply_binary, divide, apply_complex, gather, add_up,
        multiply_matrices, factor, substitute, are_finite, apply_to_array, repeat,
    ):  # fmt: skip
        register(part)

    def signature(types: Any) -> Any:
        rows, numbers = types.int64[:, ::1], (types.float64[::1], types.complex128[::1])
        return types.int64(rows, rows, types.int64, types.int64, types.int64[::1], *numbers)

    return machine_code(execute, signature)
