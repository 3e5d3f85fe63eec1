"""The exponential of concrete matrices and its Frechet derivative: scaling, a Taylor polynomial in
few products, squaring.

    exp(a) = t(b)^(2^s),   b = 2^-s a

t has degree 18 and takes 5 products (Bader, Blanes and Casas 2019, Mathematics 7(12), 1174); s
follows Al-Mohy and Higham 2009 (SIAM J. Matrix Anal. Appl. 31(3), 970-989) with the backward error
of t in place of a rational approximant's. Such an approximant saves two squarings, but takes a
system of equations, and its derivative another: for n = 100 on one core value and derivative
together took 1.3 times as long. The derivative applies the product rule to every product (Al-Mohy
and Higham 2009, the same journal 30(4), 1639-1657).

This module is a method as frechet.py describes them. All of it is array functions: it runs where
the data are, for a batch at once. A GPU is synchronized once, because the number of squarings
depends on the norm.
"""

from math import lgamma, log
from typing import Any, NamedTuple

import numpy as np

from scigrad.numpy.devices import constant_beside

from ..foundation.failures import to_host
from ..foundation.lapack import host
from ..foundation.matrices import as_float, column_norm, largest

# |a| up to which the polynomial's backward error is below the rounding (table 1 there)
LARGEST = {"d": 1.090863719290036, "f": 3.010066362817634}
# products of infinities and NaN: what BLAS flags depends on the processor
_SILENT = np.errstate(invalid="ignore")
# up to this number of squarings, looking for a way to need fewer costs more than it saves
MANY = 5

# The polynomial is  x = r1 r5 + r4,  t = r2 + (r3 + x) x  with combinations r of the powers 1, 2,
# 3, 6 of b: table 3 there. The numbers that go on the diagonals, by row, come second.
ROWS = (
    (-1.00365581030144618291e-01, -8.02924648241156932449e-03, -8.92138498045729985177e-04, 0.0),
    (
        3.97849749499645077844e-01,
        1.36783778460411720168e00,
        4.98289622525382669416e-01,
        -6.37898194594723280150e-04,
    ),
    (
        1.68015813878906206114e00,
        5.71779846478865511061e-02,
        -6.98210122488052056106e-03,
        3.34975017086070470649e-05,
    ),
    (
        -6.76404519071381882256e-02,
        6.75961301770459654925e-02,
        2.95552570429315521194e-02,
        -1.39180257516060693404e-05,
    ),
    (0.0, -9.23364619367118555360e-02, -1.69364939002081722752e-02, -1.40086798182036094347e-05),
)
DIAGONALS = {2: -1.09676396052962061844e01, 3: -9.04316832390810593223e-02}


class Steps(NamedTuple):
    """Intermediate results of an evaluation that derivatives use: arrays of the shape of a, or
    stacks of them.
    """

    shape: tuple[int, ...]
    counts: Any  # s: one number, or one for each matrix, (..., 1, 1)
    scale: Any  # 2^-s
    powers: Any  # b, b^2, ...
    rows: Any  # r1, r2, ...
    factors: Any  # r3 + x and x, the factors of the last product
    squares: tuple[Any, ...]  # t, t^2, t^4, ...


@_SILENT
def evaluate(a: Any) -> tuple[Any, Steps]:
    """Return exp(a), and what its derivatives need, for concrete arrays (..., n, n)."""
    if a.size == 0:
        return a.copy(), Steps(a.shape, 0, 1.0, a[None], a[None], (), ())
    counts, scale, powers = _scaled_powers(a)
    rows = _combined(powers)
    for row, number in DIAGONALS.items():
        rows[row].reshape((*a.shape[:-2], -1))[..., :: a.shape[-1] + 1] += number
    x = rows[0] @ rows[4]
    x += rows[3]
    factors = rows[2] + x, x
    t = factors[0] @ factors[1]
    t += rows[1]
    squares = [t]
    for k in range(_most(counts)):
        squares.append(_where_due(counts, k, t @ t, t))
        t = squares[-1]
    t = _unless_lost(a, t, counts)
    return _exact_where_triangular(a, t), Steps(
        a.shape, counts, scale, powers, rows, factors, tuple(squares)
    )


@_SILENT
def derivative(a: Any, e: Any, steps: Steps) -> Any:
    """Return L(a, e): each product of the algorithm by the product rule; e may have more leading
    axes.
    """
    if a.size == 0 or e.size == 0:
        return np.zeros_like(a @ e)
    powers, rows, (left, right) = steps.powers, steps.rows, steps.factors
    e = np.broadcast_to(e * steps.scale, np.broadcast_shapes(a.shape, e.shape))
    square = _anticommutator(powers[0], e)
    cube = _product_rule(powers[1], square, powers[0], e)
    parts = _combined(np.stack([e, square, cube, _anticommutator(powers[2], cube)]))
    x = _product_rule(rows[0], parts[0], rows[4], parts[4])
    x += parts[3]
    found = _product_rule(left, parts[2] + x, right, x)
    found += parts[1]
    for k in range(_most(steps.counts)):
        found = _where_due(steps.counts, k, _anticommutator(steps.squares[k], found), found)
    return found


def _product_rule(x: Any, dx: Any, y: Any, dy: Any) -> Any:
    """Return the derivative dx y + x dy of the product x y."""
    out = x @ dy
    out += dx @ y
    return out


def _anticommutator(x: Any, y: Any) -> Any:
    return _product_rule(x, y, x, y)


def _combined(matrices: Any) -> Any:
    """Return linear combinations of the matrices on the first axis, by one product."""
    if type(matrices) is np.ndarray:
        table = np.array(ROWS, np.real(matrices[:0]).dtype)
    else:
        table = constant_beside(ROWS, matrices)
    return (table @ matrices.reshape(len(matrices), -1)).reshape(len(ROWS), *matrices.shape[1:])


# -- how far to scale


def _scaled_powers(a: Any) -> tuple[Any, Any, Any]:
    """Return s, 2^-s, and the powers of b = 2^-s a."""
    limit = LARGEST["f" if a.dtype.char in "fF" else "d"]
    norm = to_host(column_norm(a))
    norm = np.where(np.isfinite(norm), norm, 0.0)  # NaN and infinities pass through
    counts = np.ceil(np.log2(np.maximum(norm / limit, 1)))
    if counts.max() > MANY:
        counts = _fewer(a, norm, counts, limit)
    if (counts == counts.max()).all():
        counts = counts.max()
    scale = _two_to(-counts, a)
    powers = _powers(a * scale if counts.any() else a, 4)
    return (
        int(counts) if counts.ndim == 0 else np.array(counts[..., None, None], like=a),
        scale,
        powers,
    )


def _fewer(a: Any, norm: Any, counts: Any, limit: float) -> Any:
    """Return how many squarings are needed where |b^k|^(1/k) is far below |b|: too many lose digits
    (section 2 of the 2009 paper).

    What bounds the error is max(d_p, d_p+1), d_k = |b^k|^(1/k), for any p with p (p - 1) <= 19
    (theorem 4.2), as far as rounding in the products allows: section 5, where the first term of the
    backward error, b^19 / 19!, is looked at with |b|.
    """
    powers = _powers(a * _two_to(-counts, a), 3)
    d2, d3 = (to_host(column_norm(powers[k])) ** (1 / (k + 1)) for k in (1, 2))
    d4, d5 = (to_host(column_norm(powers[1] @ powers[k])) ** (1 / (k + 3)) for k in (1, 2))
    with np.errstate(divide="ignore"):
        size = np.minimum(np.minimum(np.maximum(d2, d3), np.maximum(d4, d5)), limit)
        fewer = np.maximum(counts + np.ceil(np.log2(np.nan_to_num(size) / limit)), 0)
    return np.minimum(fewer + _excess(a, norm, fewer), counts)


def _excess(a: Any, norm: Any, counts: Any) -> Any:
    norm = np.where(norm > 0, norm, 1.0)
    size = np.abs(a) / np.array(norm[..., None, None], np.real(a[..., :0]).dtype, like=a)
    sums = np.ones_like(size[..., :1])
    for _ in range(19):
        sums = size.mT @ sums
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.log2(to_host(largest(sums, (-2, -1)))) - (
            lgamma(20) / log(2) + np.log2(np.finfo(a.dtype).eps / 2)
        )
        return np.nan_to_num(np.maximum(np.ceil(relative / 18 + np.log2(norm) - counts), 0))


def _powers(b: Any, count: int) -> Any:
    """Return the first `count` of b, b^2, b^3, b^6 on the first axis."""
    powers = np.empty((count, *b.shape), b.dtype, like=b)
    powers[0] = b
    for k in range(1, count):
        np.matmul(powers[2 if k == 3 else 0], powers[k - 1], out=powers[k])
    return powers


def _two_to(exponents: Any, like: Any) -> Any:
    """Return powers of 2, one for each matrix; a number for one matrix."""
    numbers = np.exp2(exponents)
    return (
        as_float(numbers)
        if numbers.ndim == 0
        else np.array(numbers[..., None, None], np.real(like[..., :0]).dtype, like=like)
    )


def _most(counts: Any) -> int:
    return counts if isinstance(counts, int) else int(to_host(counts.max()))


def _where_due(counts: Any, k: int, squared: Any, x: Any) -> Any:
    return squared if isinstance(counts, int) else np.where(counts > k, squared, x)


def _unless_lost(a: Any, value: Any, counts: Any) -> Any:
    """Return the value, or NaN where rounding has shrunk exp(a) below its determinant, exp(tr a):
    so many squarings leave no digit, and whether they end in 0 or in infinity depends on how the
    processor rounds.
    """
    if _most(counts) <= -np.log2(np.finfo(a.dtype).eps):
        return value
    n = a.shape[-1]
    with np.errstate(over="ignore"):
        least = np.exp(np.real(np.trace(a, axis1=-2, axis2=-1)) / n) / 2
    return np.where((n * largest(value, (-2, -1)) < least)[..., None, None], np.nan, value).astype(
        a.dtype
    )


def _exact_where_triangular(a: Any, value: Any) -> Any:
    """Replace exp(a) where a is triangular by the value of SciPy's kernel: it takes the two
    diagonals that matter most from their closed form, which squaring spoils (code fragment 2.1).
    """
    if type(a) is not np.ndarray or (a[..., -1, 0].all() and a[..., 0, -1].all()):
        return value
    full = np.tril(a, -1).any(axis=(-2, -1)) & np.triu(a, 1).any(axis=(-2, -1))
    if full.all():
        return value
    value = value.copy()
    for index in np.argwhere(~full):
        value[tuple(index)] = host("expm")(a[tuple(index)])
    return value


__all__ = ["DIAGONALS", "LARGEST", "MANY", "ROWS", "Steps", "derivative", "evaluate"]
