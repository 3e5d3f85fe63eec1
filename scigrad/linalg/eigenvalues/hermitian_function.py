"""Functions of a Hermitian matrix, f(a) = v f(w) v^H, with derivatives that do not depend on the
choice of eigenvectors.

With the spectral projectors P_i of a, the k-th derivative of f(a) is made of sums (Daleckii and
Krein 1965; Higham, Functions of Matrices, section 3.2)

    M_k(a; e_1, ..., e_k) = sum over i_0 ... i_k of
                            f[w_i0, ..., w_ik] P_i0 e_1 P_i1 e_2 ... e_k P_ik

with the divided differences of f. They are closed under differentiation: the derivative of M_k in
a, in the direction t, is the sum of all M_(k+1) with t put in at one of the k + 1 places, and the
adjoint of M_k in e_m is M_k of the conjugate differences, of e_(m-1)^H, ..., e_1^H, g, e_k^H, ...,
e_(m+1)^H. So one primitive has derivatives of every order, and nothing is ever divided by a gap
between eigenvalues: near each other, a divided difference is an integral of the derivative of f.
"""

import functools
from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np

from scigrad.autodiff_rules import (
    ZERO,
    Traced,
    TracedValueError,
    differentiable,
    jvp,
    namespace_of,
)
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.vectorize import align_batches
from scigrad.typing import Array, ArrayLike

from ..foundation.failures import append_info, first_place, name_place
from ..foundation.matrices import check_matrices, hermitian, mH
from .hermitian import eigh_frame

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def funm_herm(
    f: Callable[[Any], Any],
    a: ArrayLike,
    *,
    lower: bool = True,
    check_finite: bool = True,
    on_fail: str = "raise",
) -> Array:
    """Compute a function of a Hermitian matrix, f(a) = v f(w) v^H.

    Parameters
    ----------
    f : callable
        Real or complex function of an array, element by element, written with differentiable
        functions.
    a : (..., n, n) array_like
        Symmetric or Hermitian matrix, or batch of matrices. One triangle is read.
    lower : bool, optional
        Whether the lower triangle is read.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    fa : (..., n, n) ndarray
        Function of `a`.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If `a` is not square, or holds NaN or infinity, or `f` changes the shape of its argument.
    numpy.linalg.LinAlgError
        If the iteration does not converge, or a derivative is required where those of `f` are not
        finite, such as for the square root at 0 (on a GPU NaN).
    scigrad.TracedValueError
        If `f` depends on a traced value that is not its argument.

    Notes
    -----
    Smooth where eigenvalues cross: ``f(a)' = v (f[w_i, w_j] (v^H a' v)_ij) v^H`` with the divided
    differences of f (Daleckii and Krein). These are computed from f and, for nearby eigenvalues,
    from its derivatives of the same order, and are as accurate as f is written (``w / np.expm1(w)``
    is not accurate near 0). The k-th derivative needs memory for n^(k+1) differences. Entries of
    the other triangle get 0. `funm` takes any matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(linalg.funm_herm(np.sqrt, np.array([[5.0, 4.0], [4.0, 5.0]])))
    [[2. 1.]
     [1. 2.]]
    >>> print(grad(lambda a: linalg.funm_herm(np.exp, a)[0, 0])(np.zeros((2, 2))))
    [[1. 0.]
     [0. 0.]]
    """
    a = hermitian(check_matrices("funm_herm", "a", a, check_finite, on_fail), bool(lower))
    w, v, info = eigh_frame(a, None, True, on_fail)
    out = _of_projectors(w[..., None, :], v, a, f=f, strict=on_fail == "raise")
    return append_info(out, info, on_fail)


@differentiable("arrays")
def _of_projectors(*arrays, f, conjugate=False, strict=True):
    """Return M_k for (w, v, a, e_1, ..., e_k), where w (a row) and v are the spectrum of a, without
    derivatives of their own.
    """
    w, v, _, *e = arrays
    w, k = w[..., 0, :], len(e)
    table = divided_differences(f, w, k)
    table = np.conjugate(table) if conjugate else table
    table = _existing(table, w, k, strict) if k else table
    if not k:
        return (v * table[..., None, :]) @ mH(v)
    x = [mH(v) @ item @ v for item in e]
    letters = _LETTERS[: k + 1]
    pairs = ",".join(f"...{letters[i : i + 2]}" for i in range(k))
    return (
        v
        @ np.einsum(
            f"...{letters},{pairs}->...{letters[0]}{letters[-1]}", table, *x, optimize=k > 1
        )
        @ mH(v)
    )


def _existing(table: Any, w: Any, k: int, strict: bool) -> Any:
    """Return the divided differences of order k with NaN where they are not finite; `strict` raises
    there, on the host.
    """
    exists = np.isfinite(table)
    if strict and library(w) == "numpy" and not exists.all():
        place = first_place(~exists)
        index, which = place[: w.ndim - 1], sorted(set(place[w.ndim - 1 :]))
        values = ", ".join(f"{w[(*index, i)]:.6g}" for i in which)
        raise np.linalg.LinAlgError(
            f"funm_herm: f(a) has no derivative of order {k}{name_place(index)}: those of f are "
            f"not finite at the eigenvalues {values}. Keep away from such matrices, for instance "
            "by adding a multiple of the identity; on_fail='nan' or 'info' gives NaN."
        )
    return np.where(exists, table, np.nan)


_of_projectors.core = {"arrays": 2}


@_of_projectors.batched
def _(call, batched):
    return _of_projectors(
        *align_batches(call.arrays, batched.arrays),
        f=call.f,
        conjugate=call.conjugate,
        strict=call.strict,
    )


def _with(call: Any, e: list[Any], adjoint: bool = False) -> Any:
    return _of_projectors(
        *call.arrays[:3], *e, f=call.f, conjugate=call.conjugate != adjoint, strict=call.strict
    )


@_of_projectors.jvp
def _(call, t):
    e, t_a, t_e = call.arrays[3:], t.arrays[2], t.arrays[3:]
    of_a = [[*e[:m], t_a, *e[m:]] for m in range(len(e) + 1) if t_a is not ZERO]
    of_e = [[*e[:m], x, *e[m + 1 :]] for m, x in enumerate(t_e) if x is not ZERO]
    return sum((_with(call, items) for items in of_a + of_e), start=ZERO)


@_of_projectors.vjp
def _(call, g):
    e = [mH(item) for item in call.arrays[3:]]

    def adjoint(before: Any, after: Any) -> Any:
        return _with(call, [*before[::-1], g, *after[::-1]], True)

    of_e = [lambda m=m: adjoint(e[:m], e[m + 1 :]) for m in range(len(e))]
    return {
        "arrays": [
            ZERO,
            ZERO,
            lambda: sum((adjoint(e[:m], e[m:]) for m in range(len(e) + 1)), start=ZERO),
            *of_e,
        ]
    }


# -- divided differences
#
# f[x_0, ..., x_k] of a function that is given with its derivatives, also where points coincide.
#
# Two methods, each with an estimate of its error. The recursion (f[x_1 ... x_k] - f[x_0 ...
# x_(k-1)]) / (x_k - x_0), with the largest distance below, loses eps / distance. The integral of
# the k-th derivative over the simplex (Hermite and Genocchi; de Boor, Divided Differences, 2005,
# section 10) loses nothing where f is smooth on that scale, and Gauss's formula is exact there to
# all digits. It is taken where the recursion has lost three digits, if both agree within the error
# of the recursion, so that a pole or a jump between two points is harmless.

_NODES = (0, 8, 6)  # nodes of Gauss's formula in each direction, by order; 5 for higher orders
_DIGITS_LOST = 1e3
_CACHED = 1_000  # elements of the differences of one order less
_AT_ONCE = 1 << 17  # numbers, at nodes of many points, of which f is computed in one call


def divided_differences(f: Callable[[Any], Any], x: Any, order: int) -> Any:
    """Return the table (..., n, ..., n) of f[x_i, x_j, ...], with order + 1 axes, for ascending x
    of shape (..., n).
    """
    return _differentiated(f, x, order) if order else nth_derivative(f, 0)(x)


@np.errstate(all="ignore")  # derivatives of f that are not finite show in the table
def _differentiated(f: Callable[[Any], Any], x: Any, order: int) -> Any:
    epsilon = np.finfo(x.dtype).eps
    table = nth_derivative(f, 0)(x)
    # f is wrong by some rounding errors of its own and of its argument, as sin(50 x) is by 50 |x|
    # of them
    error = epsilon * (np.abs(table) + np.abs(x * nth_derivative(f, 1)(x)))
    for k in range(1, order + 1):
        rows, places = (_cached_tuples if table.size <= _CACHED else _sorted_tuples)(x.shape[-1], k)
        table, error = (y[..., places] for y in _divided_differences(f, x, table, error, rows, k))
    return table


def _divided_differences(
    f: Any, x: Any, table: Any, error: Any, rows: Any, k: int
) -> tuple[Any, Any]:
    """Return the differences of order k at tuples of ascending indices, and bounds of their
    errors.
    """
    epsilon = np.finfo(x.dtype).eps
    above, below = (Ellipsis, *rows[1:]), (Ellipsis, *rows[:-1])
    distance = x[..., rows[-1]] - x[..., rows[0]]
    apart = distance > 0
    safe = np.where(apart, distance, 1)
    values = np.where(apart, (table[above] - table[below]) / safe, 0)
    errors = np.where(
        apart, (error[above] + error[below]) / safe + epsilon * np.abs(values), np.inf
    )
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
    """Return the integral of the k-th derivative over the simplex, sum_q weight_q f^(k)(x_0 + sum_i
    t_qi (x_i - x_(i-1))), and a bound of the error that rounding of f^(k) and of its argument
    makes.
    """
    x, (nodes, weights) = points[0], _simplex(k)
    steps = [points[i + 1] - points[i] for i in range(k)]
    of = nth_derivative(f, k)

    def for_each_node(numbers: Any) -> Any:
        return namespace_of(x).asarray(numbers, x.dtype).reshape(-1, *(1,) * x.ndim)

    total: Any = 0
    count = max(1, _AT_ONCE // max(1, x.size))
    for start in range(0, len(weights), count):
        at, some = x, slice(start, start + count)
        for coordinates, step in zip(nodes[some].T, steps, strict=True):
            at = at + for_each_node(coordinates) * step
        total = total + np.sum(for_each_node(weights[some]) * of(at), axis=0)
    return total, 4 * np.finfo(x.dtype).eps * (
        np.abs(total) + np.abs(x * nth_derivative(f, k + 1)(x)) / factorial(k)
    )


def nth_derivative(
    f: Callable[[Any], Any], k: int, caller: str = "funm_herm"
) -> Callable[[Any], Any]:
    """Return the k-th derivative of an elementwise function, as a function of concrete arrays."""
    function = f
    for _ in range(k):
        function = functools.partial(_slope_between, function)

    def checked(x: Any) -> Any:
        y = function(x)
        if isinstance(y, Traced):
            raise TracedValueError(
                f"{caller}: f uses a traced value from outside, and the derivative in that would "
                f"be lost. Move it into the matrix where it scales it, {caller}(f, beta * a) for "
                "f(beta * w)"
                + ("; linalg.funm follows any such value." if caller == "funm_herm" else ".")
            )
        if np.shape(y) != x.shape:
            raise ValueError(
                f"{caller}: f must work element by element, but makes shape {np.shape(y)} of "
                f"shape {x.shape}."
            )
        return y

    return checked


def _slope_between(f: Callable[[Any], Any], x: Any) -> Any:
    return jvp(f, (x,), (np.ones_like(x),))[1]


def _sorted_tuples(n: int, k: int) -> tuple[Any, Any]:
    """Return the ascending (k + 1)-tuples of indices below n, as k + 1 rows, and for each tuple the
    place of its sorted one.
    """
    every = np.indices((n,) * (k + 1))
    ascending = np.sort(every, axis=0)
    own = (every == ascending).all(axis=0)
    place = (np.cumsum(own) - 1).reshape(own.shape)
    return every[:, own], place[tuple(ascending)]


_cached_tuples = functools.lru_cache(maxsize=16)(_sorted_tuples)


@functools.cache
def _simplex(k: int) -> tuple[Any, Any]:
    """Return nodes and weights of Gauss's formula on 1 > t_1 > ... > t_k > 0, by t_1 = u_1, t_2 =
    u_1 u_2, ...
    """
    u, weight = np.polynomial.legendre.leggauss(_NODES[k] if k < len(_NODES) else 5)
    u, weight = (u + 1) / 2, weight / 2
    grid = np.array(np.meshgrid(*[u] * k, indexing="ij")).reshape(k, -1)
    weights = np.array(np.meshgrid(*[weight] * k, indexing="ij")).reshape(k, -1).prod(axis=0)
    for i in range(k - 1):
        weights = weights * grid[i] ** (k - 1 - i)
    return np.cumprod(grid, axis=0).T, weights


__all__ = ["funm_herm"]
