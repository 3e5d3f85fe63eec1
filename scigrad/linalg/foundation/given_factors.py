"""Factors that the caller passes to a solver, the results of lu_factor and cho_factor.

They are used only if they are those of the matrix: the product of the factors with a vector shows
it, for n^2 operations. A product of triangles that LAPACK computed from the matrix differs from it,
element by element, by at most about n eps |l| |u| (Higham, Accuracy and Stability of Numerical
Algorithms, 2nd ed., theorems 9.3 and 10.3), and pivots that are 0 make no exception. From there on
such factors fail, and warn of the condition, as those that the solver makes itself.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw

from .factors import Factors, factor_each, mark_unusable
from .failures import name_place
from .lapack import (
    KINDS,
    CholeskyFactor,
    Factored,
    PivotedLU,
    condition_of_cholesky,
    first_zero,
    order_of_rows,
    random_direction,
    reciprocal_condition,
    routine,
)
from .matrices import as_pair, is_complex

# the arguments of BLAS's trmv with which a factorization is multiplied, one triangle at a time
_LU = {}, {"lower": 1, "diag": 1}
_CHOLESKY = {True: ({"lower": 1, "trans": 2}, {"lower": 1}), False: ({}, {"trans": 2})}


def adopt_factors(function: str, given: Any, a: Any, on_fail: str) -> Factors:
    """Return the factors of concrete matrices on the host that the caller has.

    Raises
    ------
    ValueError : they are no result of lu_factor or cho_factor, or of other matrices
    LinAlgError : a matrix is singular (or not positive definite), and on_fail="raise"
    """
    wanted = f"{function}: 'factors' must be the pair that lu_factor or cho_factor returns"
    stored, second = (np.asarray(raw(x)) for x in as_pair(given, wanted))
    is_lu, n = second.ndim == stored.ndim - 1, a.shape[-1]
    right_kinds = stored.dtype.kind in "biufc" and second.dtype.kind in "bi"
    if stored.ndim < 2 or not right_kinds or (is_lu and not _are_rows(second, stored.shape[-1])):
        shapes = f"shapes {stored.shape} and {second.shape}"
        raise ValueError(f"{wanted}: {shapes}, dtypes {stored.dtype} and {second.dtype} are none.")
    # vmap puts axes of length 1 between the batch and the matrix
    fits = np.squeeze(stored).shape == np.squeeze(a).shape
    fits &= second.size * n == a.size if is_lu else second.ndim in (0, stored.ndim - 2)
    if not fits or is_complex(stored) > is_complex(a):
        raise _not_of(function, a, (), f" they have shape {stored.shape} and dtype {stored.dtype}")
    # copies, since the caller may fill its own again
    stored = stored.astype(a.dtype).reshape(a.shape)
    second = np.array(
        second.reshape(a.shape[:-1]) if is_lu else np.broadcast_to(second, a.shape[:-2])
    )
    kind, read = ("general", _read_lu) if is_lu else ("positive definite", _read_cholesky)

    def factored(a: Any) -> Factors:
        def factor(index: tuple[int, ...]) -> Factored:
            # NaN marks a failure: the matrix itself tells the reason
            if not np.isfinite(stored[index]).all():
                return KINDS[kind](a[index], True)
            found, matches = read(stored[index], second[index], a[index])
            if not matches:
                raise _not_of(function, a, index, " their product differs from it")
            return found

        return factor_each(function, a, kind, factor, on_fail)

    return mark_unusable(a, on_fail, factored)


def _are_rows(pivots: Any, n: int) -> bool:
    return bool(((pivots >= 0) & (pivots < n)).all())


def _not_of(function: str, a: Any, index: tuple[int, ...], reason: str) -> ValueError:
    return ValueError(
        f"{function}: argument 'factors' holds factors of another matrix than argument 'a' of "
        f"shape {a.shape}, in {a.dtype}{name_place(index)}:{reason}. Pass lu_factor or cho_factor "
        "of the matrix that 'assume_a' and 'lower' read, in its precision, or leave 'factors' out."
    )


def _read_lu(lu: Any, pivots: Any, a: Any) -> tuple[Factored, bool]:
    solver = PivotedLU(lu, pivots)
    rows = order_of_rows(pivots, len(pivots))
    found = solver, first_zero(np.diagonal(lu)), lambda: reciprocal_condition(solver, a)
    return found, _is_product(a, rows, lu, _LU)


def _read_cholesky(c: Any, lower: Any, a: Any) -> tuple[Factored, bool]:
    solver = CholeskyFactor(c, bool(lower))
    info = first_zero(np.real(np.diagonal(c)) > 0)
    found = solver, info, lambda: condition_of_cholesky(solver, a)
    return found, _is_product(a, slice(None), c, _CHOLESKY[bool(lower)])


def _is_product(a: Any, rows: Any, stored: Any, steps: Any) -> bool:
    """Return whether a[rows] is the product of the triangles in `stored`, up to rounding, whatever
    the scales of its rows and columns.
    """
    char, sizes = a.dtype.char, np.abs(stored)
    eps, tiny = np.finfo(char).eps, np.finfo(char).tiny
    with np.errstate(over="ignore", invalid="ignore"):
        # columns of one size do not hide each other
        x = random_direction(len(a), char)[:, 0] / np.maximum(np.abs(a).max(axis=0), tiny)
        difference = np.abs((a @ x)[rows] - _multiply(stored, x, steps))
        bound = eps * _multiply(sizes, np.abs(x), steps)
        # numbers below `tiny` have few digits
        bound += tiny * (1 + sizes.max() * np.abs(x).max())
        return bool((difference <= 10 * len(a) * bound).all())


def _multiply(stored: Any, x: Any, steps: Any) -> Any:
    trmv: Callable[..., Any] = routine("trmv", stored.dtype.char)
    for step in steps:
        x = trmv(stored, x, **step)
    return x
