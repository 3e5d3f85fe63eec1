"""Functions of the machine's instructions (machine.py), which Numba compiles into it.

Places have no sign in them: Numba then asks of none whether it counts from the end.
"""

import math

import numpy as np

from . import codes as c
from .exponentials import exponential, exponential_derivative


def apply_simple(op, code, line, v):
    """Compute arithmetic, or a question, of one real number for each element."""
    o, a, sa = np.uint64(code[line, 2]), np.uint64(code[line, 3]), np.uint64(code[line, 4])
    for _ in range(code[line, 1]):
        x = v[a]
        if op == c.NEGATIVE:
            t = -x
        elif op == c.SQUARE:
            t = x * x
        elif op == c.RECIPROCAL:
            t = 1 / x
        elif op == c.ABSOLUTE:
            t = abs(x)
        elif op == c.SIGN:
            t = np.sign(x)
        elif op == c.SQRT:
            t = math.sqrt(x) if x >= 0 else (x if x != x else np.nan)
        elif op == c.ISNAN:
            t = 1.0 if x != x else 0.0
        elif op == c.ISINF:
            t = 1.0 if abs(x) == np.inf else 0.0
        elif op == c.ISFINITE:
            t = 1.0 if x - x == 0 else 0.0
        else:
            t = 1.0 if x == 0 else 0.0
        v[o] = t
        o += c.NEXT
        a += sa


def apply_function(op, code, line, v):
    """Compute an elementary function of one real number for each element."""
    o, a, sa = np.uint64(code[line, 2]), np.uint64(code[line, 3]), np.uint64(code[line, 4])
    for _ in range(code[line, 1]):
        x = v[a]
        if op == c.EXP:
            t = np.exp(x)
        elif op == c.EXPM1:
            t = np.expm1(x)
        elif op == c.LOG:
            t = np.log(x)
        elif op == c.LOG1P:
            t = np.log1p(x)
        elif op == c.SIN:
            t = np.sin(x)
        elif op == c.COS:
            t = np.cos(x)
        elif op == c.TAN:
            t = np.tan(x)
        elif op == c.ARCSIN:
            t = np.arcsin(x)
        elif op == c.ARCCOS:
            t = np.arccos(x)
        elif op == c.ARCTAN:
            t = np.arctan(x)
        elif op == c.SINH:
            t = np.sinh(x)
        elif op == c.COSH:
            t = np.cosh(x)
        elif op == c.TANH:
            t = np.tanh(x)
        elif op == c.ARCSINH:
            t = np.arcsinh(x)
        elif op == c.ARCCOSH:
            t = np.arccosh(x)
        else:
            t = np.arctanh(x)
        v[o] = t
        o += c.NEXT
        a += sa


def apply_binary(op, code, line, v):
    """Compute a function of two real numbers for each element."""
    o, a, sa = np.uint64(code[line, 2]), np.uint64(code[line, 3]), np.uint64(code[line, 4])
    b, sb = np.uint64(code[line, 5]), np.uint64(code[line, 6])
    for _ in range(code[line, 1]):
        x, y = v[a], v[b]
        if op == c.SUBTRACT:
            t = x - y
        elif op == c.DIVIDE:
            t = x / y
        elif op == c.POWER:
            t = x**y
        elif op == c.MAXIMUM:
            t = x if x > y or x != x else y
        elif op == c.MINIMUM:
            t = x if x < y or x != x else y
        elif op == c.EQUAL:
            t = 1.0 if x == y else 0.0
        elif op == c.NOT_EQUAL:
            t = 1.0 if x != y else 0.0
        elif op == c.GREATER:
            t = 1.0 if x > y else 0.0
        elif op == c.GREATER_EQUAL:
            t = 1.0 if x >= y else 0.0
        elif op == c.LESS:
            t = 1.0 if x < y else 0.0
        elif op == c.LESS_EQUAL:
            t = 1.0 if x <= y else 0.0
        elif op == c.LOGICAL_AND:
            t = 1.0 if x != 0 and y != 0 else 0.0
        elif op == c.LOGICAL_OR:
            t = 1.0 if x != 0 or y != 0 else 0.0
        elif op == c.ARCTAN2:
            t = np.arctan2(x, y)
        elif op == c.HYPOT:
            t = np.hypot(x, y)
        else:
            t = math.copysign(x, y)
        v[o] = t
        o += c.NEXT
        a += sa
        b += sb


def divide(x, y):
    """Return a quotient of complex numbers (Smith, Communications of the ACM 5, 435, 1962)."""
    if abs(y.real) >= abs(y.imag):
        ratio = y.imag / y.real
        size = y.real + y.imag * ratio
        return complex((x.real + x.imag * ratio) / size, (x.imag - x.real * ratio) / size)
    ratio = y.real / y.imag
    size = y.real * ratio + y.imag
    return complex((x.real * ratio + x.imag) / size, (x.imag * ratio - x.real) / size)


def apply_complex(op, code, line, v, z):
    """Compute a function of complex numbers for each element."""
    n, o, a, sa, b, sb = (
        code[line, 1],
        code[line, 2],
        code[line, 3],
        code[line, 4],
        code[line, 5],
        code[line, 6],
    )
    for i in range(n):
        x = z[a + i * sa]
        if op == c.Z_ADD:
            z[o + i] = x + z[b + i * sb]
        elif op == c.Z_SUBTRACT:
            z[o + i] = x - z[b + i * sb]
        elif op == c.Z_MULTIPLY:
            y = z[b + i * sb]
            z[o + i] = complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)
        elif op == c.Z_DIVIDE:
            z[o + i] = divide(x, z[b + i * sb])
        elif op == c.Z_NEGATIVE:
            z[o + i] = -x
        elif op == c.Z_CONJUGATE:
            z[o + i] = x.conjugate()
        elif op == c.Z_EXP:
            z[o + i] = np.exp(x)
        elif op == c.Z_SQUARE:
            z[o + i] = complex(x.real * x.real - x.imag * x.imag, 2 * x.real * x.imag)
        elif op == c.Z_RECIPROCAL:
            z[o + i] = divide(1 + 0j, x)
        elif op == c.Z_ABSOLUTE:
            v[o + i] = abs(x)
        else:
            v[o + i] = 1.0 if x.real - x.real == 0 and x.imag - x.imag == 0 else 0.0


def gather(code, line, w, index):
    o, a = np.uint64(code[line, 2]), np.uint64(code[line, 3])
    for _ in range(code[line, 1]):
        w[o] = w[np.uint64(index[a])]
        o += c.NEXT
        a += c.NEXT


def add_up(code, line, w):
    """Compute n sums of code[line, 7] numbers each."""
    o, a, sa, sb = (
        np.uint64(code[line, 2]),
        np.uint64(code[line, 3]),
        np.uint64(code[line, 4]),
        np.uint64(code[line, 6]),
    )
    for _ in range(code[line, 1]):
        x = a
        t = w[x]
        for _ in range(1, code[line, 7]):
            x += sb
            t += w[x]
        w[o] = t
        o += c.NEXT
        a += sa


def multiply_matrices(code, line, w):
    """Compute a product of (n, k) and (k, m) elements, with strides of rows and columns of both."""
    o, a, sa, sa1 = (
        np.uint64(code[line, 2]),
        np.uint64(code[line, 3]),
        np.uint64(code[line, 4]),
        np.uint64(code[line, 9]),
    )
    b, sb, sb1 = np.uint64(code[line, 5]), np.uint64(code[line, 6]), np.uint64(code[line, 10])
    for _ in range(code[line, 1]):
        column = b
        for _ in range(code[line, 8]):
            x, y = a, column
            t = w[x] * w[y]
            for _ in range(1, code[line, 7]):
                x += sa1
                y += sb
                t += w[x] * w[y]
            w[o] = t
            o += c.NEXT
            column += sb1
        a += sa


def factor(code, line, w, v):
    """Compute L U with rows interchanged, and the numbers of the rows behind it; return False where
    the matrix is close to singular or not finite.
    """
    n, o, a, sa, sb, order = (
        code[line, 1],
        code[line, 2],
        code[line, 3],
        code[line, 4],
        code[line, 6],
        code[line, 7],
    )
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
        if not least > c.FAR * most:
            return False
        for i in range(k + 1, n):
            f = w[o + i * n + k] / pivot  # no division by 0: the pivot is large enough
            w[o + i * n + k] = f
            for j in range(k + 1, n):
                w[o + i * n + j] -= f * w[o + k * n + j]
    return True


def substitute(code, line, w, v):
    """Solve a x = b, or a^H x = b if field 9 is 1. The fields are the order n, x, the factors, the
    number of columns of b, b and the strides of its rows and columns, the numbers of the rows,
    and n numbers of scratch.
    """
    n, o, lu, m, b, sb, order, sb1, s = (
        code[line, 1],
        code[line, 2],
        code[line, 3],
        code[line, 4],
        code[line, 5],
        code[line, 6],
        code[line, 7],
        code[line, 8],
        code[line, 10],
    )
    for j in range(m):
        for i in range(n):
            row = i if code[line, 9] else int(v[order + i])
            t = w[b + row * sb + j * sb1]
            for k in range(i):
                t -= (w[lu + k * n + i].conjugate() if code[line, 9] else w[lu + i * n + k]) * w[
                    s + k
                ]
            w[s + i] = t / w[lu + i * n + i].conjugate() if code[line, 9] else t
        for i in range(n - 1, -1, -1):
            t = w[s + i]
            for k in range(i + 1, n):
                t -= (w[lu + k * n + i].conjugate() if code[line, 9] else w[lu + i * n + k]) * w[
                    s + k
                ]
            w[s + i] = t if code[line, 9] else t / w[lu + i * n + i]
        for i in range(n):
            row = int(v[order + i]) if code[line, 9] else i
            w[o + row * m + j] = w[s + i]


def are_finite(code, line, v, count):
    """Return whether `count` doubles for each of n elements are finite."""
    for i in range(code[line, 1]):
        for j in range(count):
            x = v[(code[line, 3] + i * code[line, 4]) * count + j]
            if not x - x == 0:  # noqa: SIM201  (NaN is no number)
                return False
    return True


def choose_elements(code, line, v):
    o, a, sa = np.uint64(code[line, 2]), np.uint64(code[line, 3]), np.uint64(code[line, 4])
    b, sb = np.uint64(code[line, 5]), np.uint64(code[line, 6])
    d, sd = np.uint64(code[line, 7]), np.uint64(code[line, 8])
    for _ in range(code[line, 1]):
        v[o] = v[b] if v[a] != 0 else v[d]
        o, a, b, d = o + c.NEXT, a + sa, b + sb, d + sd


def apply_to_real(op, code, line, v):
    """Compute what is no function of single real elements; return False where a check fails."""
    if op == c.FINITE:
        return are_finite(code, line, v, 1)
    if op == c.Z_FINITE:
        return are_finite(code, line, v, 2)
    if op == c.LU:
        return factor(code, line, v, v)
    if op == c.EXPM:
        return exponential(code, line, v, v)
    if op == c.FRECHET:
        exponential_derivative(code, line, v, v)
    elif op == c.SUBSTITUTE:
        substitute(code, line, v, v)
    else:
        choose_elements(code, line, v)
    return True


def apply_to_complex(op, code, line, v, z, index):
    """Compute what is no function of single complex elements; return False where a check fails."""
    if op == c.Z_GATHER:
        gather(code, line, z, index)
    elif op == c.Z_MATMUL:
        multiply_matrices(code, line, z)
    elif op == c.Z_SUM:
        add_up(code, line, z)
    elif op == c.Z_LU:
        return factor(code, line, z, v)
    elif op == c.Z_EXPM:
        return exponential(code, line, z, v)
    elif op == c.Z_FRECHET:
        exponential_derivative(code, line, z, v)
    elif op == c.Z_SUBSTITUTE:
        substitute(code, line, z, v)
    else:
        for i in range(code[line, 1]):
            z[code[line, 2] + i] = v[code[line, 3] + i * code[line, 4]]
    return True
