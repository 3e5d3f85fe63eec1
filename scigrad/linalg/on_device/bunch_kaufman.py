"""Bunch and Kaufman's diagonal pivoting from array functions, for a batch on its device, with LAPACK's choice of pivots.

Every step works on the whole batch with a choice for each matrix: after a block of order 2 the next step leaves a matrix
unchanged. (Bunch and Kaufman 1977, Some stable methods for calculating inertia and solving symmetric linear systems, Mathematics
of Computation 31, 163-179, algorithm A: the constant 0.64 bounds the growth of one step of order 2 by that of two of order 1.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import namespace_of

from ..foundation.matrices import identity, is_complex

_GROWTH = (1 + 17**0.5) / 8


def arranged(pivots: Any, lower: bool) -> tuple[Any, Any]:
    """The order of rows, and for each column of l the place in LAPACK's storage of each row; see indefinite.arrangement."""
    n = pivots.shape[-1]
    rows = range(n) if lower else range(n - 1, -1, -1)
    place = np.arange(n, like=pivots)
    now = place + np.zeros(pivots.shape, place.dtype, like=pivots)
    second, places = np.zeros(pivots.shape[:-1], bool, like=pivots), [now] * n
    for i, row in enumerate(rows):
        double = pivots[..., row] < 0
        last = rows[min(i + 1, n - 1)]
        here = np.where(double, last, row)[..., None]
        there = np.abs(np.where(double, pivots[..., last], pivots[..., row]))[..., None] - 1
        now = np.where(second[..., None], now, np.take_along_axis(now, interchange(place, here, there), -1))
        second = double & ~second
        places[row] = np.argsort(now, axis=-1)
    if not n:
        return now, np.zeros((*pivots.shape, 0), place.dtype, like=pivots)
    return now, np.take_along_axis(np.stack(places, axis=-1), now[..., None], -2)


def interchange(place: Any, i: Any, j: Any) -> Any:
    """The numbers `place` of rows after rows i and j have been interchanged; (..., 1) integers, other ones for each matrix."""
    return np.where(place == i, j, np.where(place == j, i, place))


def factored(a: Any, lower: bool, conjugate: bool) -> tuple[Any, Any, Any]:
    """l, d and LAPACK's pivots of whole matrices, as indefinite.block_factors returns them."""
    if lower:
        return _eliminated(a, conjugate, True)
    # the upper form eliminates from the last row: the lower form of the matrix with all rows and columns in reverse order
    l, d, pivots = _eliminated(a[..., ::-1, ::-1], conjugate, False)  # noqa: E741
    turned = np.sign(pivots) * (a.shape[-1] + 1 - np.abs(pivots))
    return l[..., ::-1, ::-1], d[..., ::-1, ::-1], turned[..., ::-1]


def _eliminated(a: Any, conjugate: bool, first: bool) -> tuple[Any, Any, Any]:
    n, w = a.shape[-1], a.copy()
    l, d = np.zeros_like(a), np.zeros_like(a)  # noqa: E741
    pivots, second = namespace_of(a).ones(a.shape[:-1], np.int32), np.zeros(a.shape[:-2], bool, like=a)
    place = np.arange(n, like=a)
    for k in range(n):
        single, there = _choice(w, k, conjugate, first)
        double = ~single & ~second
        here, there = np.where(double, k + 1, k), np.where(second, k, there)
        order = interchange(place, here[..., None], there[..., None])
        w = np.take_along_axis(np.take_along_axis(w, order[..., :, None], -2), order[..., None, :], -1)
        l = np.take_along_axis(l, order[..., :, None], -2)  # noqa: E741
        number = np.where(double, -there - 1, there + 1)
        pivots[..., k] = np.where(second, pivots[..., k], number)
        d[..., k, k] = np.real(w[..., k, k]) if conjugate else w[..., k, k]
        if k + 1 < n:
            pivots[..., k + 1] = np.where(double, number, 1)
            beside = np.where(double, w[..., k + 1, k], 0)
            d[..., k + 1, k], d[..., k, k + 1] = beside, np.conjugate(beside) if conjugate else beside
            x = w[..., k:, k : k + 2]
            below = (place[: n - k] >= np.where(second, n, np.where(double, 2, 1))[..., None])[..., None]
            by = np.where(below, _multipliers(x, conjugate, double), 0)
            x = np.where(below, np.conjugate(x) if conjugate else x, 0)
            w[..., k:, k:] -= by @ x.mT
            l[..., k:, k : k + 2] += by
        second = double
    return l + identity(n, a), d, pivots


def _choice(w: Any, k: int, conjugate: bool, first: bool) -> tuple[Any, Any]:
    """Return whether the pivot of step k is of order 1, and which row comes to its (last) place."""
    count = w.shape[-1] - k
    at = np.zeros(w.shape[:-2], np.intp, like=w) + k
    if count == 1:
        return at == k, at
    own, column = _pivot_size(w[..., k, k], conjugate), size(w[..., k + 1 :, k])
    largest = column.max(axis=-1)
    place = column.argmax(axis=-1) + 1 if first else count - 1 - column[..., ::-1].argmax(axis=-1)  # of equal ones LAPACK's
    row = np.take_along_axis(w[..., k:, k:], place[..., None, None], -2)[..., 0, :]
    other = np.take_along_axis(row, place[..., None], -1)[..., 0]
    beside = np.where(np.arange(count, like=w) == place[..., None], 0, size(row)).max(axis=-1)
    kept = (own >= _GROWTH * largest) | (own >= _GROWTH * largest * (largest / np.where(beside == 0, 1, beside)))
    single = kept | (_pivot_size(other, conjugate) >= _GROWTH * beside)
    return single, np.where(kept, at, place + k)


def _multipliers(x: Any, conjugate: bool, double: Any) -> Any:
    """x d^-1, for the two columns x that start with a block of order 2, or of order 1 (then the second column counts for 0)."""
    one, two = x[..., 0], x[..., 1]
    top, beside, bottom = (y[..., None] for y in (one[..., 0], one[..., 1], two[..., 1]))
    if conjugate:
        top, bottom = np.real(top), np.real(bottom)
    double = double[..., None]
    # with the pivots in units of |beside| nothing overflows, and the determinant is at least 1 - 0.64^2
    unit = np.where(double, np.abs(beside), 1)
    unit = np.where(unit == 0, 1, unit)
    top_, beside_, bottom_ = top / unit, beside / unit, bottom / unit
    other = np.conjugate(beside_) if conjugate else beside_
    determinant = np.where(double, top_ * bottom_ - beside_ * other, 1) * unit
    alone = one / np.where(double | (top == 0), 1, top)
    first = np.where(double, (bottom_ * one - beside_ * two) / determinant, alone)
    return np.stack([first, np.where(double, (top_ * two - other * one) / determinant, 0)], axis=-1)


def size(x: Any) -> Any:
    """As LAPACK compares: |re| + |im|."""
    return np.abs(x.real) + np.abs(x.imag) if is_complex(x) else np.abs(x)


def _pivot_size(x: Any, conjugate: bool) -> Any:
    return np.abs(x.real) if conjugate else size(x)


__all__ = ["arranged", "factored", "interchange", "size"]
