"""The exponential of a small matrix and its Frechet derivative on the machine: the algorithm of
scigrad/linalg/functions/expm_taylor.py, which says where it is from, for one matrix in places.

What a derivative uses is kept as matrices one after the other: four powers of 2^-s a, five
combinations of them, the factors of the last product, and the squares.
"""

import numpy as np

from scigrad.linalg.functions import expm_taylor

ROWS = np.array(expm_taylor.ROWS)
SECOND, THIRD = expm_taylor.DIAGONALS[2], expm_taylor.DIAGONALS[3]
LIMIT = expm_taylor.LARGEST["d"]
SQUARINGS = expm_taylor.MANY  # a matrix that needs more is left to the function itself
AT_ROWS, AT_LEFT, AT_RIGHT, AT_SQUARES = 4, 9, 10, 11
KEPT = AT_SQUARES + SQUARINGS + 1  # matrices
WORK = 12


def set_product(w, o, a, b, n):
    for i in range(n):
        for j in range(n):
            t = w[a + i * n] * w[b + j]
            for k in range(1, n):
                t += w[a + i * n + k] * w[b + k * n + j]
            w[o + i * n + j] = t


def add_product(w, o, a, b, n):
    for i in range(n):
        for j in range(n):
            t = w[o + i * n + j]
            for k in range(n):
                t += w[a + i * n + k] * w[b + k * n + j]
            w[o + i * n + j] = t


def combine(w, o, a, size):
    """Compute the five combinations of four matrices."""
    for row in range(5):
        for i in range(size):
            t = ROWS[row, 0] * w[a + i]
            for power in range(1, 4):
                t += ROWS[row, power] * w[a + power * size + i]
            w[o + row * size + i] = t


def count_squarings(code, line, w):
    """Return how often the matrix has to be halved, -1 where the function itself looks closer: a
    matrix that is triangular, large or not finite.
    """
    n, a, sa, sb = code[line, 1], code[line, 3], code[line, 4], code[line, 6]
    norm, below, above = 0.0, False, False
    for j in range(n):
        total = 0.0
        for i in range(n):
            x = w[a + i * sa + j * sb]
            total += abs(x)
            if x != 0:
                below |= i > j
                above |= i < j
        if not total < np.inf:
            return -1
        norm = max(norm, total)
    count = 0
    while norm > LIMIT and count <= SQUARINGS:
        norm /= 2
        count += 1
    return count if below and above and count <= SQUARINGS else -1


def exponential(code, line, w, v):
    """Compute exp(a); the fields are the order n, exp(a), a, the strides of its rows and columns,
    what is kept, and where the number of squarings is. Return False where it is not computed.
    """
    n, o, a, sa, sb = code[line, 1], code[line, 2], code[line, 3], code[line, 4], code[line, 6]
    kept, at_count = code[line, 7], code[line, 8]
    count, size = count_squarings(code, line, w), n * n
    if count < 0:
        return False
    v[at_count] = count
    scale = 0.5**count
    for i in range(n):
        for j in range(n):
            w[kept + i * n + j] = scale * w[a + i * sa + j * sb]
    set_product(w, kept + size, kept, kept, n)
    set_product(w, kept + 2 * size, kept, kept + size, n)
    set_product(w, kept + 3 * size, kept + 2 * size, kept + 2 * size, n)
    rows, left, right = kept + AT_ROWS * size, kept + AT_LEFT * size, kept + AT_RIGHT * size
    combine(w, rows, kept, size)
    for i in range(n):
        w[rows + 2 * size + i * (n + 1)] += SECOND
        w[rows + 3 * size + i * (n + 1)] += THIRD
    for i in range(size):
        w[right + i] = w[rows + 3 * size + i]
    add_product(w, right, rows, rows + 4 * size, n)
    t = kept + AT_SQUARES * size
    for i in range(size):
        w[left + i] = w[rows + 2 * size + i] + w[right + i]
        w[t + i] = w[rows + size + i]
    add_product(w, t, left, right, n)
    for _ in range(count):
        set_product(w, t + size, t, t, n)
        t += size
    for i in range(size):
        w[o + i] = w[t + i]
    return True


def exponential_derivative(code, line, w, v):
    """Compute L(a, e); the fields are the order n, L(a, e), e, the strides of its rows and columns,
    what `exponential` kept, where the number of squarings is, and matrices of scratch.
    """
    n, o, e, se, sb = code[line, 1], code[line, 2], code[line, 3], code[line, 4], code[line, 6]
    kept, work, size = code[line, 7], code[line, 9], n * n
    count = int(v[code[line, 8]])
    scale = 0.5**count
    for i in range(n):
        for j in range(n):
            w[work + i * n + j] = scale * w[e + i * se + j * sb]
    square, cube = work + size, work + 2 * size
    set_product(w, square, kept, work, n)
    add_product(w, square, work, kept, n)
    set_product(w, cube, kept + size, work, n)
    add_product(w, cube, square, kept, n)
    set_product(w, cube + size, kept + 2 * size, cube, n)
    add_product(w, cube + size, cube, kept + 2 * size, n)
    parts, x, found = work + 4 * size, work + 9 * size, work + 10 * size
    combine(w, parts, work, size)
    rows, left, right = kept + AT_ROWS * size, kept + AT_LEFT * size, kept + AT_RIGHT * size
    for i in range(size):
        w[x + i] = w[parts + 3 * size + i]
    add_product(w, x, rows, parts + 4 * size, n)
    add_product(w, x, parts, rows + 4 * size, n)
    for i in range(size):
        w[parts + 2 * size + i] += w[x + i]
        w[found + i] = w[parts + size + i]
    add_product(w, found, left, x, n)
    add_product(w, found, parts + 2 * size, right, n)
    other = found + size
    for k in range(count):
        t = kept + (AT_SQUARES + k) * size
        set_product(w, other, t, found, n)
        add_product(w, other, found, t, n)
        found, other = other, found
    for i in range(size):
        w[o + i] = w[found + i]
