"""Schur forms with chosen eigenvalues first, by exchanges of neighbours, from array functions for a batch on its device.

Two neighbours of order 1 are exchanged by a rotation. Blocks of a real form are exchanged in a window of four rows, which holds
two neighbours of order 1 or 2: of t = [[a, c], [0, d]] with a x - x d = c the columns of [-x; 1] span the space that belongs to
d, those of [1; x^T] the rest (Bai and Demmel 1993, On swapping diagonal blocks in real Schur form, Linear Algebra and its
Applications 186, 73-95); of a pair with a x - y d = c and e x - y h = f in both spaces, [-x; 1] and [-y; 1] (Kagstrom and Poromaa
1996, Computing eigenspaces with specified eigenvalues of a regular matrix pair (A, B), Numerical Algorithms 12, 369-407).
Which steps are exchanges is a mask, so that forms of one batch may differ, and nothing is read back: n^2 / 2 steps always.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.factors import device_inverse
from ..foundation.matrices import identity, is_complex, mH
from ..spectra.gauge import frobenius
from .francis import rotated, standardized
from .pencils import Forms, longer, standardized_pair, with_positive_diagonal


def reordered(t: Any, z: Any, chosen: Any) -> tuple[Any, Any, Any]:
    """Forms with the chosen eigenvalues first, and how many that are."""
    if not is_complex(t):
        chosen = _whole_blocks(t, chosen)
        (t,), (z,) = _by_windows((t,), (z,), chosen)
        return *standardized(t, z), chosen.sum(axis=-1)
    t, z, chosen = t.copy(), z.copy(), chosen.copy()
    for m in _steps(t):
        swap = _pending(chosen, m)
        first, second = t[..., m, m].copy(), t[..., m + 1, m + 1].copy()
        cosine, sine = _direction(t[..., m, m + 1], second - first, swap)
        t, z = rotated(t, z, m + 1, cosine, sine)
        t[..., m + 1, m] = 0
        t[..., m, m], t[..., m + 1, m + 1] = np.where(swap, second, first), np.where(swap, first, second)
    return t, z, chosen.sum(axis=-1)


def reordered_pair(s: Any, p: Any, q: Any, z: Any, chosen: Any) -> Forms:
    """Pairs with the chosen eigenvalues first."""
    if not is_complex(s):
        (s, p), (q, z) = _by_windows((s, p), (q, z), _whole_blocks(s, chosen))
        return with_positive_diagonal(*standardized_pair(s, p, q, z))
    s, p, q, z, chosen = (x.copy() for x in (s, p, q, z, chosen))
    for m in _steps(s):
        swap, both = _pending(chosen, m), slice(m, m + 2)
        sizes = (frobenius(x[..., both, both]) for x in (s, p))
        a, b = (x[..., both, both] / np.where(y > 0, y, 1)[..., None, None] for x, y in zip((s, p), sizes, strict=True))
        # (x, y) with b_22 a (x, y) = a_22 b (x, y) belongs to the second eigenvalue, and so does its image
        x, y = (b[..., 1, 1] * a[..., 0, j] - a[..., 1, 1] * b[..., 0, j] for j in (1, 0))
        right = _turn(*_direction(x, -y, swap))
        image = longer(*((k @ right[..., :1])[..., 0] for k in (a, b)))
        left = _turn(*_direction(image[..., 0], image[..., 1], swap))
        for k in (s, p):
            k[..., both, m:] = mH(left) @ k[..., both, m:]
            k[..., : m + 2, both] = k[..., : m + 2, both] @ right
            k[..., m + 1, m] = 0
        q[..., both], z[..., both] = q[..., both] @ left, z[..., both] @ right
    return with_positive_diagonal(s, p, q, z)


def _steps(t: Any) -> list[int]:
    """The rows m after which neighbours are compared: each round brings what was not chosen to the end."""
    n = t.shape[-1]
    return [m for last in range(n - 1, 0, -1) for m in range(last)]


def _pending(chosen: Any, m: int) -> Any:
    """Return whether m and m + 1 are to be exchanged; they are in `chosen`."""
    swap = chosen[..., m + 1] & ~chosen[..., m]
    chosen[..., m], chosen[..., m + 1] = chosen[..., m] | swap, chosen[..., m + 1] & ~swap
    return swap


def _direction(x: Any, y: Any, swap: Any) -> tuple[Any, Any]:
    """(x, y) in units of its length; (1, 0) where nothing is exchanged."""
    size = np.hypot(np.abs(x), np.abs(y))
    swap = swap & (size > 0)
    size = np.where(size > 0, size, 1)
    return np.where(swap, x / size, 1), np.where(swap, y / size, 0)


def _turn(cosine: Any, sine: Any) -> Any:
    """The unitary matrix with the first column (cosine, sine)."""
    rows = [np.stack(pair, axis=-1) for pair in ((cosine, -np.conjugate(sine)), (sine, np.conjugate(cosine)))]
    return np.stack(rows, axis=-2)


# -- blocks


def _whole_blocks(t: Any, chosen: Any) -> Any:
    """Both eigenvalues of a block are chosen if one is."""
    coupled = np.diagonal(t, -1, -2, -1) != 0
    chosen = chosen.copy()
    either = coupled & (chosen[..., 1:] | chosen[..., :-1])
    chosen[..., 1:] |= either
    chosen[..., :-1] |= either
    return chosen


def _by_windows(forms: tuple[Any, ...], bases: tuple[Any, ...], chosen: Any) -> tuple[Any, Any]:
    """The forms with the chosen blocks first; bases[0] stands on their left, bases[-1] on their right."""
    n, forms, bases = chosen.shape[-1], tuple(_bordered(x, True) for x in forms), tuple(_bordered(x, False) for x in bases)
    flags = np.concatenate([chosen[..., :1] & False, chosen, chosen[..., :1] & False], axis=-1)
    for m in _steps(chosen):
        window = slice(m, m + 4)  # rows m - 1 to m + 2 of the matrix
        double, split, other = (np.diagonal(forms[0][..., window, window], -1, -2, -1)[..., i] != 0 for i in range(3))
        swap = flags[..., m + 2] & ~flags[..., m + 1] & ~split
        turns, swap = _exchange([x[..., window, window] for x in forms], double & swap, other & swap, swap)
        start, end = 1 - double, 1 - double + 1 + other  # of the block that comes up
        place = np.arange(4, like=start)
        upper, lower = place < end[..., None], place >= start[..., None]
        for x in forms:
            x[..., window, :] = turns[0].mT @ x[..., window, :]
            x[..., window] = x[..., window] @ turns[-1]
            below = ~upper[..., :, None] & upper[..., None, :] & swap[..., None, None]
            x[..., window, window] = np.where(below, 0, x[..., window, window])
        for x, turn in zip(bases, turns, strict=True):
            x[..., window] = x[..., window] @ turn
        inside = lower & (place < (end + 1 + double)[..., None]) & swap[..., None]
        flags[..., window] = np.where(inside, upper, flags[..., window])
    return tuple(x[..., 1 : n + 1, 1 : n + 1] for x in forms), tuple(x[..., 1 : n + 1] for x in bases)


def _bordered(x: Any, rows: bool) -> Any:
    column = np.zeros_like(x[..., :1])
    x = np.concatenate([column, x, column], axis=-1)
    row = np.zeros_like(x[..., :1, :])
    return np.concatenate([row, x, row], axis=-2) if rows else x


def _exchange(forms: list[Any], double: Any, other: Any, swap: Any) -> tuple[list[Any], Any]:
    """For each basis the orthogonal matrix of order 4 that exchanges two blocks. They begin where the first is `double`
    with row 0, else with row 1, and end where the `other` is double with row 3, else with row 2. And where it does."""
    eye = identity(2, forms[0])
    sizes = [frobenius(x)[..., None, None] for x in forms]
    forms = [x / np.where(size > 0, size, 1) for x, size in zip(forms, sizes, strict=True)]
    rows, columns = (np.stack(pair, axis=-1) for pair in ((double, swap), (swap, other)))
    used = (rows[..., :, None] & columns[..., None, :]).reshape(*swap.shape, 4)
    used = np.concatenate([used] * len(forms), axis=-1)
    before = [_product(x[..., :2, :2], eye) for x in forms]
    after = [_product(eye, x[..., 2:, 2:].mT) for x in forms]
    if len(forms) == 1:
        matrix = before[0] - after[0]
    else:
        matrix = np.concatenate([np.concatenate([x, -y], axis=-1) for x, y in zip(before, after, strict=True)], axis=-2)
    matrix = np.where(used[..., :, None] & used[..., None, :], matrix, identity(matrix.shape[-1], matrix))
    right = np.concatenate([x[..., :2, 2:].reshape(*swap.shape, 4) for x in forms], axis=-1)
    right = np.where(used, right, 0)[..., None]
    inverse, singular = device_inverse(matrix)  # equal eigenvalues stay where they are
    inverse = np.where(singular[..., None, None], 0, inverse)
    found = inverse @ right
    found = (found + inverse @ (right - matrix @ found)).reshape(*swap.shape, len(forms), 2, 2)
    order, swap = np.argsort(_places(double, other), axis=-1)[..., None, :], swap & ~singular
    return [_basis(found[..., i, :, :], order, swap) for i in reversed(range(len(forms)))], swap


def _product(a: Any, b: Any) -> Any:
    """Kronecker's."""
    whole = a[..., :, None, :, None] * b[..., None, :, None, :]
    return whole.reshape(*whole.shape[:-4], 4, 4)


def _places(double: Any, other: Any) -> Any:
    """Return where the columns of [-x; 1] and [1; x^T] go."""
    places = [1 - double, np.where(other, 2 - double, 3), np.where(double, 1 + other, 0), 2 + other]
    return np.stack(places, axis=-1)


def _basis(x: Any, order: Any, swap: Any) -> Any:
    eye = identity(2, x) + 0 * x
    whole = np.concatenate([np.concatenate([-x, eye], axis=-1), np.concatenate([eye, x.mT], axis=-1)], axis=-2)
    q = np.linalg.qr(np.take_along_axis(whole, order, -1))[0]
    return np.where(swap[..., None, None], q, identity(4, x))


__all__ = ["reordered", "reordered_pair"]
