"""Divided differences f[x_0, ..., x_k] of a function that is given with its derivatives, also where points coincide.

Two methods, each with an estimate of its error. The recursion (f[x_1 ... x_k] - f[x_0 ... x_(k-1)]) / (x_k - x_0), with the
largest distance below, loses eps / distance. The integral of the k-th derivative over the simplex (Hermite and Genocchi; de Boor,
Divided Differences, 2005, section 10) loses nothing where f is smooth on that scale, and Gauss's formula is exact there to all
digits. The integral is taken where the recursion has lost three digits, if both agree within the error of the recursion, so that
a pole or a jump between two points is harmless.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, TracedValueError, jvp
from scigrad.autodiff_rules.backends import library

_NODES = (0, 8, 6)  # of Gauss's formula in each direction, by order; 5 for higher orders
_DIGITS_LOST = 1e3
_CACHED = 100_000


def divided_differences(f: Callable[[Any], Any], x: Any, order: int) -> Any:
    """The table (..., n, ..., n) of f[x_i, x_j, ...], with order + 1 axes, for ascending x of shape (..., n)."""
    if not order:
        return derivative(f, 0)(x)
    with np.errstate(all="ignore"):  # derivatives of f that are not finite show in the table
        return _differentiated(f, x, order)


def _differentiated(f: Callable[[Any], Any], x: Any, order: int) -> Any:
    epsilon = np.finfo(x.dtype).eps
    table = derivative(f, 0)(x)
    # f is wrong by some rounding errors of its own and of its argument, as sin(50 x) is by 50 |x| of them
    error = epsilon * (np.abs(table) + np.abs(x * derivative(f, 1)(x)))
    for k in range(1, order + 1):
        rows, places = _sorted_tuples(x.shape[-1], k)
        values, errors = _differences(f, x, table, error, rows, k)
        shape = (*x.shape[:-1], *(x.shape[-1],) * (k + 1))
        table, error = values[..., places].reshape(shape), errors[..., places].reshape(shape)
    return table


def _differences(f: Any, x: Any, table: Any, error: Any, rows: Any, k: int) -> tuple[Any, Any]:
    """The differences of order k at tuples of ascending indices, and what they may be wrong by."""
    epsilon = np.finfo(x.dtype).eps
    above, below = (Ellipsis, *rows[1:]), (Ellipsis, *rows[:-1])
    distance = x[..., rows[-1]] - x[..., rows[0]]
    apart = distance > 0
    safe = np.where(apart, distance, 1)
    values = np.where(apart, (table[above] - table[below]) / safe, 0)
    errors = np.where(apart, (error[above] + error[below]) / safe + epsilon * np.abs(values), np.inf)
    near = errors > _DIGITS_LOST * epsilon * np.abs(values)
    if library(x) == "numpy":  # only where it is needed
        if near.any():
            points = [x[..., row][near] for row in rows]
            better, its_error = _best(values[near], errors[near], *_integral(f, points, k))
            values, errors = values.astype(better.dtype), errors.copy()
            values[near], errors[near] = better, its_error
        return values, errors
    better, its_error = _best(values, errors, *_integral(f, [x[..., row] for row in rows], k))
    return np.where(near, better, values), np.where(near, its_error, errors)


def _best(values: Any, errors: Any, integrals: Any, its_errors: Any) -> tuple[Any, Any]:
    agree = (np.abs(integrals - values) <= 16 * errors) | ~np.isfinite(errors)
    return np.where(agree, integrals, values), np.where(agree, its_errors, errors)


def _integral(f: Any, points: list[Any], k: int) -> tuple[Any, Any]:
    """The integral of the k-th derivative over the simplex, sum_q weight_q f^(k)(x_0 + sum_i t_qi (x_i - x_(i-1))), and what it
    may be wrong by: f^(k), and its argument."""
    nodes, weights = _simplex(k)
    steps = [points[i + 1] - points[i] for i in range(k)]
    of = derivative(f, k)
    total: Any = 0
    for t, weight in zip(nodes, weights, strict=True):
        at = points[0]
        for coordinate, step in zip(t, steps, strict=True):
            at = at + float(coordinate) * step
        total = total + float(weight) * of(at)
    x = points[0]
    return total, 4 * np.finfo(x.dtype).eps * (np.abs(total) + np.abs(x * derivative(f, k + 1)(x)) / factorial(k))


def derivative(f: Callable[[Any], Any], k: int, caller: str = "funm_herm") -> Callable[[Any], Any]:
    """The k-th derivative of an elementwise function, as a function of concrete arrays."""
    function = f
    for _ in range(k):
        function = functools.partial(_slope, function)

    def checked(x: Any) -> Any:
        y = function(x)
        if isinstance(y, Traced):
            raise TracedValueError(
                f"{caller}: f uses a traced value from outside, and the derivative in that would be lost. Move it into the "
                f"matrix where it scales it, {caller}(f, beta * a) for f(beta * w)"
                + ("; linalg.funm follows any such value." if caller == "funm_herm" else ".")
            )
        if getattr(y, "shape", None) != x.shape:
            shape = getattr(y, "shape", ())
            raise ValueError(f"{caller}: f must work element by element, but makes shape {shape} of shape {x.shape}.")
        return y

    return checked


def _slope(f: Callable[[Any], Any], x: Any) -> Any:
    return jvp(f, (x,), (np.ones_like(x),))[1]


def _sorted_tuples(n: int, k: int) -> tuple[Any, Any]:
    """The ascending (k + 1)-tuples of indices below n, as k + 1 rows, and for each tuple the place of its sorted one."""
    return (_cached_tuples if n ** (k + 1) <= _CACHED else _tuples)(n, k)


def _tuples(n: int, k: int) -> tuple[Any, Any]:
    every = np.indices((n,) * (k + 1)).reshape(k + 1, -1)
    ascending = np.sort(every, axis=0)
    own = np.flatnonzero((every == ascending).all(axis=0))
    place = np.zeros(every.shape[1], np.intp)
    place[own] = np.arange(own.size)
    codes = np.ravel_multi_index(tuple(ascending), (n,) * (k + 1)) if n else np.zeros(0, np.intp)
    return every[:, own], place[codes]


_cached_tuples = functools.lru_cache(maxsize=16)(_tuples)


@functools.cache
def _simplex(k: int) -> tuple[Any, Any]:
    """Gauss's formula on 1 > t_1 > ... > t_k > 0, by t_1 = u_1, t_2 = u_1 u_2, ..."""
    u, weight = np.polynomial.legendre.leggauss(_NODES[k] if k < len(_NODES) else 5)
    u, weight = (u + 1) / 2, weight / 2
    grid = np.array(np.meshgrid(*[u] * k, indexing="ij")).reshape(k, -1)
    weights = np.array(np.meshgrid(*[weight] * k, indexing="ij")).reshape(k, -1).prod(axis=0)
    for i in range(k - 1):
        weights = weights * grid[i] ** (k - 1 - i)
    return np.cumprod(grid, axis=0).T, weights


__all__ = ["derivative", "divided_differences"]
