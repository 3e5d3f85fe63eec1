"""Log-determinants of sparse arrays, and the entries of the inverse on the pattern that are their
gradient.

For A = L U the inverse Z solves  Z L = U^-1  and  U Z = L^-1. With the columns J of a front and the
rows S below it that L fills,

    Z[S, J] = -Z[S, S] L[S, J] L[J, J]^-1        Z[J, S] = -U[J, J]^-1 U[J, S] Z[S, S]
    Z[J, J] = U[J, J]^-1 (L[J, J]^-1 - U[J, S] Z[S, J])

from the last front to the first: Z[S, S] lies in the front that eliminates the first row of S
(Takahashi, Fagan and Chen 1973; Erisman and Tinney, Comm. ACM 18, 177-179, 1975).
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import differentiable

from ..array.products import gather_entries, sparse_product
from .factors import solve

_SMALL = 96  # columns of a subtree that are one dense front
_BLOCK = 64  # columns of the inverse at a time where there is no symmetric elimination


@differentiable("data", core={"data": 1})
def log_determinant(data: Any, *, pattern: Any, factors: Any) -> Any:  # noqa: ARG001
    """Return log |det A| for values (..., nnz) of a canonical pattern and their factors."""
    found = [-np.inf if f is None else np.log(abs(f.U.diagonal())).sum() for f in factors.objects]
    return np.asarray(found, np.finfo(factors.dtype).dtype).reshape(data.shape[:-1])


@log_determinant.jvp
def _(call: Any, t: Any) -> Any:
    return np.real(
        inverse_entries(call.data, pattern=call.pattern, factors=call.factors) * t.data
    ).sum(axis=-1)


@log_determinant.vjp
def _(call: Any, g: Any) -> Any:
    return {
        "data": lambda: (
            g[..., None]
            * inverse_entries(call.data, pattern=call.pattern, factors=call.factors).conj()
        )
    }


@differentiable("data", core={"data": 1})
def inverse_entries(data: Any, *, pattern: Any, factors: Any) -> Any:
    """Return A^-1 at the places of the transpose, (col, row) for each stored value; another
    derivative takes all of A^-1.
    """
    found = [_inverse_entries(f, pattern) for f in factors.objects]
    return np.stack(found).reshape(data.shape).astype(data.dtype, copy=False)


@inverse_entries.jvp
def _(call: Any, t: Any) -> Any:
    n = call.pattern.shape[0]
    inverse = solve(
        call.data, np.eye(n, dtype=call.data.dtype), pattern=call.pattern, factors=call.factors
    )[0]
    change = inverse @ sparse_product(t.data, inverse, pattern=call.pattern)
    return -gather_entries(
        change.reshape((*change.shape[:-2], n * n)),
        places=call.pattern.cols * n + call.pattern.rows,
    )


def _inverse_entries(factor: Any, pattern: Any) -> Any:
    """Return the entries for one matrix M of csc arrays: M^-1 at (major, minor)."""
    minor, major = (
        (pattern.rows, pattern.cols) if pattern.format == "csc" else (pattern.cols, pattern.rows)
    )
    if factor is None:
        return np.full(pattern.nnz, np.nan)
    rows, cols = factor.perm_r, factor.perm_c
    if pattern.symmetric_diagonal is not None and np.array_equal(rows, cols):
        try:
            return _selected_inverse(factor, rows[major], cols[minor])
        except LookupError:  # a value of L that is exactly 0 is not stored: no structure to follow
            pass
    found, n = np.empty(pattern.nnz, factor.U.dtype), pattern.shape[0]
    for start in range(0, n, _BLOCK):
        columns = factor.solve(np.eye(n, min(_BLOCK, n - start), -start, found.dtype))
        (here,) = ((minor >= start) & (minor < start + _BLOCK)).nonzero()
        found[here] = columns[major[here], minor[here] - start]
    return found


def _selected_inverse(factor: Any, rows: Any, cols: Any) -> Any:
    """Return (L U)^-1 at some places of the pattern of L + U, which is symmetric."""
    L, U = factor.L, factor.U.tocsr()
    L.sort_indices()
    places, bounds = _fronts(L)
    L, U = L[places][:, places], U[places][:, places]
    L.sort_indices()
    rows, cols = (np.argsort(places)[x] for x in (rows, cols))
    front = np.repeat(np.arange(bounds.size - 1), np.diff(bounds))
    above = np.minimum(L.indptr[bounds[1:] - 1] + 1, L.nnz - 1)  # the first row below each front
    parents = np.where(np.diff(L.indptr)[bounds[1:] - 1] > 1, front[L.indices[above]], -1)
    children, first = (
        np.bincount(parents[parents >= 0], minlength=parents.size),
        np.minimum(rows, cols),
    )
    order = np.argsort(first, kind="stable")
    ends, values, kept = np.searchsorted(first[order], bounds), np.empty(rows.size, L.dtype), {}
    for f in range(parents.size - 1, -1, -1):
        below = L.indices[L.indptr[bounds[f + 1] - 1] + 1 : L.indptr[bounds[f + 1]]]
        own = np.concatenate([np.arange(bounds[f], bounds[f + 1]), below])
        inner = np.zeros((0, 0))
        if below.size:
            known, block = kept[parents[f]]
            at = _find_sorted(known, below)
            inner = block[at[:, None], at]
            children[parents[f]] -= 1
            if not children[parents[f]]:
                del kept[parents[f]]
        block = _front_of_inverse(
            *(_dense_columns(x, bounds[f], bounds[f + 1], own) for x in (L, U)), inner
        )
        if children[f]:
            kept[f] = own, block
        here = order[ends[f] : ends[f + 1]]
        values[here] = block[_find_sorted(own, rows[here]), _find_sorted(own, cols[here])]
    return values


def _front_of_inverse(left: Any, right: Any, inner: Any) -> Any:
    """Return Z on a front: the formulas above, with L[J + S, J], U[J, J + S]^T and Z[S, S]."""
    m = left.shape[1]
    of_left, of_right = np.linalg.inv(left[:m]), np.linalg.inv(right[:m].T)
    lower, upper = -inner @ (left[m:] @ of_left), -(of_right @ right[m:].T) @ inner
    return np.block([[of_right @ (of_left - right[m:].T @ lower), upper], [lower, inner]])


def _dense_columns(x: Any, start: int, stop: int, own: Any) -> Any:
    """Return the compressed columns start:stop of x on the rows `own`, dense."""
    part = slice(x.indptr[start], x.indptr[stop])
    found = np.zeros((own.size, stop - start), x.dtype)
    found[
        _find_sorted(own, x.indices[part]),
        np.repeat(np.arange(stop - start), np.diff(x.indptr[start : stop + 1])),
    ] = x.data[part]
    return found


def _find_sorted(known: Any, wanted: Any) -> Any:
    """Return the places of some numbers in a sorted array."""
    places = np.minimum(np.searchsorted(known, wanted), known.size - 1)
    if not np.array_equal(known[places], wanted):
        raise LookupError
    return places


def _fronts(L: Any) -> tuple[Any, Any]:
    """Return a postorder of the elimination tree, and in it the bounds of fronts.

    A front is a run of columns with one structure below them, or a small subtree.
    """
    n, counts = L.shape[0], np.diff(L.indptr)
    above = np.where(counts > 1, L.indices[np.minimum(L.indptr[:-1] + 1, L.nnz - 1)], n)
    parents, sizes, free, roots = above.tolist(), [1] * (n + 1), [0] * (n + 1), list(range(n + 1))
    for j in range(n):
        sizes[parents[j]] += sizes[j]
    # the subtree of j takes the next places among those of its parent
    for j in range(n - 1, -1, -1):
        p = parents[j]
        free[j], free[p] = free[p], free[p] + sizes[j]
        if p < n and sizes[p] <= _SMALL:
            roots[j] = roots[p]
    places = np.array(free)  # now j comes after its subtree
    order = np.argsort(places[:n])
    counts, roots, above = (
        counts[order],
        np.array(roots)[order],
        np.append(places[:n], n)[above[order]],
    )
    one = (above[:-1] == np.arange(1, n)) & (counts[:-1] == counts[1:] + 1)
    split = ~(one | (roots[:-1] == roots[1:]))
    return order, np.concatenate([[0], split.nonzero()[0] + 1, [n]])


__all__ = ["inverse_entries", "log_determinant"]
