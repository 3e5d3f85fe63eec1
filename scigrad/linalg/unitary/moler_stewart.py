"""The generalised Schur form of a pair from array functions, for a batch on its device: Moler and Stewart's QZ, double shifts.

b is made triangular and a of Hessenberg form by rotations; sweeps of three rows with the shifts of a b^-1 (Golub and Van Loan,
Matrix Computations, 4th ed., algorithms 7.7.1 and 7.7.2; Moler and Stewart 1973, An algorithm for generalized matrix eigenvalue
problems, SIAM Journal on Numerical Analysis 10, 241-256) then split the form as in francis.py, each matrix in a window of its
own. A 0 on the diagonal of b, an infinite eigenvalue, is chased to the end of its window, where it splits off (section 7.7.5).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import namespace_of

from ..foundation.failures import to_host
from ..foundation.matrices import identity, mH, power_of_two
from ..on_device.reflections import reflected, reflection
from ..spectra.gauge import frobenius
from .francis import Windows, at, deflated, with_border
from .pencils import Forms, standardized_pair, with_positive_diagonal


def generalized_schur_form(a: Any, b: Any, waits: bool) -> tuple[Forms, Any]:
    """Return s, p, q, z and a mask of the pairs that did not converge. With `waits` the device is synchronized before every
    sweep."""
    n, units = a.shape[-1], (power_of_two(a), power_of_two(b))
    a, b = a / units[0], b / units[1]
    pair, negligible = _start(a, b), np.finfo(b.dtype).eps * frobenius(b)[..., None]
    state = _deflated(pair, negligible, None)
    for _ in range((30 * max(10, n) if waits else 100 + 5 * n) if n > 2 and a.size else 0):
        begin, end, chases = _bounds(state, n) if waits else (0, n - 1, True)
        if begin >= end:
            break
        if chases:
            _chase(pair, state, begin, end)
        _sweep(pair, state, begin, end)
        state = _deflated(pair, negligible, state)
    s, p, q, z = pair.h[..., :n, :n], pair.t[..., :n, :n], pair.q[..., :n], pair.z[..., :n]
    s, p, q, z = with_positive_diagonal(*standardized_pair(np.triu(s, -1), np.triu(p), q, z))
    return (s * units[0], p * units[1], q, z), state.windows.working


class Pair(NamedTuple):
    """h and t with a row and a column of zeros after the last, q and z with a column of zeros; changed in place."""

    h: Any
    t: Any
    q: Any
    z: Any

    def reflect_rows(self, k: int, v: Any, tau: Any) -> None:
        """The rows from k on, as many as v has elements."""
        rows, back = slice(k, k + v.shape[-1]), np.conjugate(tau)
        for x in (self.h, self.t):
            x[..., rows, :] = reflected(v, back, x[..., rows, :])
        self.q[..., rows] = mH(reflected(v, back, mH(self.q[..., rows])))

    def clear_row(self, x: Any, row: int, k: int, m: int, where: Any) -> None:
        """Of the m elements from column k on in a row of x, which is h or t, the last remains."""
        columns = slice(k + m - 1, k - 1 if k else None, -1)
        v, tau, beta = reflection(np.where(where[..., None], np.conjugate(x[..., row, columns]), 0))
        for y in (self.h, self.t, self.z):
            y[..., columns] = mH(reflected(v, np.conjugate(tau), mH(y[..., columns])))
        x[..., row, k : k + m - 1] = np.where(where[..., None], 0, x[..., row, k : k + m - 1])
        x[..., row, k + m - 1] = np.where(where, beta, x[..., row, k + m - 1])


class State(NamedTuple):
    """The windows, and the last place in each of them where the diagonal of t is 0, else -1."""

    windows: Windows
    zero: Any


def _start(a: Any, b: Any) -> Pair:
    """b upper triangular, a of Hessenberg form."""
    n = a.shape[-1]
    q, t = np.linalg.qr(b, "complete")
    pair = Pair(*(with_border(x) for x in (mH(q) @ a, t)), *(with_border(x)[..., :n, :] for x in (q, identity(n, a) + 0 * a)))
    everywhere = namespace_of(a).ones(a.shape[:-2], bool)
    for j in range(n - 2):
        for i in range(n - 1, j + 1, -1):
            v, tau, beta = reflection(pair.h[..., i - 1 : i + 1, j])
            pair.reflect_rows(i - 1, v, tau)
            pair.h[..., i - 1, j], pair.h[..., i, j] = beta, 0
            pair.clear_row(pair.t, i, i - 1, 2, everywhere)
    return pair


def _deflated(pair: Pair, negligible: Any, before: State | None) -> State:
    """Set negligible elements to 0, and find the windows."""
    h, t, _, _ = pair
    n, windows = h.shape[-1] - 1, deflated(h, None if before is None else before.windows)
    if n < 3:
        return State(windows, windows.last)
    i, place = np.arange(n), np.arange(n, like=h)
    d = np.diagonal(t, axis1=-2, axis2=-1)[..., :n]
    is_zero = np.abs(d) <= negligible
    t[..., i, i] = np.where(is_zero, 0, d)
    inside = (place >= windows.first[..., None]) & (place <= windows.last[..., None]) & windows.working[..., None]
    return State(windows, np.where(is_zero & inside, place, -1).max(axis=-1))


def _bounds(state: State, n: int) -> tuple[int, int, bool]:
    """The rows from which and to which some pair is worked on, and whether one has a 0 to chase, read back from the device."""
    (working, first, last, _), zero = state
    begin, end = np.where(working, first, n).min(), np.where(working, last, 0).max()
    begin, end, zero = to_host(np.stack([begin, end, zero.max()]))
    return int(begin), int(end), bool(zero >= 0)


def _chase(pair: Pair, state: State, begin: int, end: int) -> None:
    """The last 0 on the diagonal of t moves to the end of its window, where that element of h below the diagonal becomes 0."""
    h, t, _, _ = pair
    (_, first, last, _), zero = state
    for k in range(begin, end):
        moved = (zero >= 0) & (zero <= k) & (k < last)
        v, tau, beta = reflection(np.where(moved[..., None], t[..., k : k + 2, k + 1], 0))
        pair.reflect_rows(k, v, tau)
        t[..., k, k + 1], t[..., k + 1, k + 1] = (np.where(moved, x, t[..., i, k + 1]) for x, i in ((beta, k), (0, k + 1)))
        if k:
            pair.clear_row(h, k + 1, k - 1, 2, moved & (first < k))
        pair.clear_row(h, k + 1, k, 2, (zero >= 0) & (last == k + 1))


def _sweep(pair: Pair, state: State, begin: int, end: int) -> None:
    """One sweep with both eigenvalues of the last block of h t^-1 as shifts."""
    h, t, _, _ = pair
    (working, first, last, _), zero = state
    working, start = working & (zero < 0), _first_column(pair, state)
    for k in range(begin, end):
        starts, inside = first == k, working & (first <= k) & (k < last)
        column = np.where(starts[..., None], start, h[..., k : k + 3, k - 1]) if k else start
        v, tau, beta = reflection(np.where(inside[..., None], column, 0))
        pair.reflect_rows(k, v, tau)
        if k:
            moved = inside & ~starts
            h[..., k, k - 1] = np.where(moved, beta, h[..., k, k - 1])
            h[..., k + 1 : k + 3, k - 1] = np.where(moved[..., None], 0, h[..., k + 1 : k + 3, k - 1])
        pair.clear_row(t, k + 2, k, 3, inside & (k + 2 <= last))
        pair.clear_row(t, k + 1, k, 2, inside)


def _first_column(pair: Pair, state: State) -> Any:
    """(m - x)(m - y) e_1 of m = h t^-1 in each window, where x and y are the eigenvalues of its last block; see francis.py."""
    h, t, _, _ = pair
    (working, first, last, count), _ = state
    above, own, below = (np.diagonal(h, k, -2, -1) for k in (1, 0, -1))
    d, beside = (np.diagonal(t, k, -2, -1) for k in (0, 1))
    d = np.where(d == 0, 1, d)  # outside of the windows that are worked on

    def block(i: Any) -> tuple[Any, Any, Any, Any]:
        """Of m, in rows and columns i and i + 1."""
        a, c = at(own, i) / at(d, i), at(below, i) / at(d, i)
        return a, *((x - y * at(beside, i)) / at(d, i + 1) for x, y in ((at(above, i), a), (at(own, i + 1), c))), c

    y, w, x, c = block(last - 1)
    w = w * c
    size = np.abs(c) + np.abs(at(below, last - 2) / at(d, last - 2))
    stuck = (count % 10 == 9) & working
    x, w = np.where(stuck, 0.75 * size + x, x), np.where(stuck, -0.4375 * size * size, w)
    a, b, e, c = block(first)
    x, y = x - a, y - a
    column = [(x * y - w) / np.where(c == 0, 1, c) + b, e - a - x - y, at(below, first + 1) / at(d, first + 1)]
    return np.stack(column, axis=-1)


__all__ = ["generalized_schur_form"]
