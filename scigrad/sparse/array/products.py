"""Products of a sparse array with dense ones, as functions of its stored values.

With value k at (row_k, col_k), the trilinear form  sum_{k,j} data[k] u[row_k, j] v[col_k, j]  gives

    product(data, x)[i, j] = sum over k with row_k = i of data[k] x[col_k, j]   A @ x
    sampled(u, v)[k]       = sum_j u[row_k, j] v[col_k, j]                      u v^T on the pattern

and the cotangents of each are calls of the two, the transposed pattern included: nothing is ever
densified. `gather_entries` and `sum_entries` move values between patterns and are each other's
adjoint.
"""

import math
from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel, linear, multilinear
from scigrad.autodiff_rules.backends import library, namespace

from .pattern import Pattern

_CHUNK = 16384  # values that `sample_product` computes at a time


@multilinear("data", "x", core={"data": 1, "x": 2})
def sparse_product(data: Any, x: Any, *, pattern: Pattern) -> Any:
    """Return A @ x for data of shape (..., nnz) and x of shape (..., columns of A, k)."""
    if data.ndim == 1:
        return _of_one(pattern.matrix(data), x, pattern.shape[0])
    return _of_many(data, x, pattern)


def _of_one(a: Any, x: Any, rows: int) -> Any:
    """Multiply one matrix by any number of right-hand sides: those of the batch stand side by
    side.
    """
    if x.size == 0:
        return np.zeros_like(
            x, np.result_type(a.dtype, x.dtype), shape=(*x.shape[:-2], rows, x.shape[-1])
        )
    if x.shape[-1] * math.prod(x.shape[:-2]) == 1:
        return (a @ x.reshape(-1)).reshape((*x.shape[:-2], rows, 1))
    if x.ndim == 2:
        return a @ x
    columns = np.moveaxis(x, -2, 0)
    return np.moveaxis(
        (a @ columns.reshape(columns.shape[0], -1)).reshape((rows, *columns.shape[1:])), 0, -2
    )


def _of_many(data: Any, x: Any, pattern: Pattern) -> Any:
    """Multiply a batch of matrices with one pattern as one block diagonal matrix."""
    lead = np.broadcast_shapes(data.shape[:-1], x.shape[:-2])
    data, x = (
        np.broadcast_to(data, (*lead, data.shape[-1])),
        np.broadcast_to(x, (*lead, *x.shape[-2:])),
    )
    count, (rows, cols) = math.prod(lead), pattern.shape
    xp = namespace(library(data))
    which = xp.arange(count, dtype=np.int32 if count * max(rows, cols) < 2**31 else np.int64)[
        :, None
    ]
    places = (pattern.rows + which * rows).reshape(-1), (pattern.cols + which * cols).reshape(-1)
    blocks = kernel("sparse.coo_array")(
        (data.reshape(-1), places), shape=(count * rows, count * cols)
    )
    return _of_one(blocks, x.reshape((count * cols, x.shape[-1])), count * rows).reshape(
        (*lead, rows, x.shape[-1])
    )


@sparse_product.vjp
def _(call: Any, g: Any) -> Any:
    return {
        "data": lambda: sample_product(g, call.x.conj(), pattern=call.pattern),
        "x": lambda: sparse_product(call.data.conj(), g, pattern=call.pattern.T),
    }


@multilinear("u", "v", core={"u": 2, "v": 2})
def sample_product(u: Any, v: Any, *, pattern: Pattern) -> Any:
    """Return u v^T at the stored places, for u of shape (..., rows of A, k) and v of shape (...,
    columns of A, k).
    """
    if (
        u.shape[-1] == 1
        and pattern.library == "numpy"
        and pattern.format != "coo"
        and u.ndim == v.ndim == 2
    ):
        return _of_vectors(*((u, v) if pattern.format == "csr" else (v, u)), *pattern.arrays)
    # one that the cache holds
    size = max(1, (_CHUNK if pattern.library == "numpy" else 64 * _CHUNK) // max(1, u.shape[-1]))
    parts = [slice(start, start + size) for start in range(0, max(pattern.nnz, 1), size)]
    pairs = (
        (np.take(u, pattern.rows[part], axis=-2), np.take(v, pattern.cols[part], axis=-2))
        for part in parts
    )
    single = u.shape[-1] == v.shape[-1] == 1
    found = [x[..., 0] * y[..., 0] if single else (x * y).sum(axis=-1) for x, y in pairs]
    return np.concatenate(found, axis=-1) if len(found) > 1 else found[0]


def _of_vectors(major: Any, minor: Any, indices: Any, indptr: Any) -> Any:
    """Return the products for one column, in one pass over the indices."""
    from scipy.sparse._sparsetools import csr_scale_columns

    dtype = np.result_type(major, minor)
    found = np.repeat(major[:, 0].astype(dtype, copy=False), np.diff(indptr))
    csr_scale_columns(
        major.size, minor.size, indptr, indices, found, minor[:, 0].astype(dtype, copy=False)
    )
    return found


@sample_product.vjp
def _(call: Any, g: Any) -> Any:
    return {
        "u": lambda: sparse_product(g, call.v.conj(), pattern=call.pattern),
        "v": lambda: sparse_product(g, call.u.conj(), pattern=call.pattern.T),
    }


@linear("data", core={"data": 1})
def gather_entries(data: Any, *, places: Any) -> Any:
    """Return data[places] along the last axis."""
    return np.take(data, places, axis=-1)


@gather_entries.adjoint
def _(call: Any, g: Any) -> Any:
    return sum_entries(g, places=call.places, size=call.data.shape[-1])


@linear("data", core={"data": 1})
def sum_entries(data: Any, *, places: Any, size: int) -> Any:
    """Add value k to place places[k] of `size`, along the last axis."""
    lead, count = data.shape[:-1], data.shape[-1]
    if data.size == 0:
        return np.zeros_like(data, shape=(*lead, size))
    xp = namespace(library(data))
    # cuSPARSE multiplies no others
    wide = data if xp is np or data.dtype.kind in "fc" else data.astype(np.float64)
    ends = xp.arange(count + 1, dtype=places.dtype)
    adding = kernel("sparse.csc_array")(
        (xp.ones(count, wide.dtype), places, ends), shape=(size, count)
    )
    found = (adding @ wide.reshape(-1, count).T).T.reshape((*lead, size)) if lead else adding @ wide
    return found.astype(data.dtype, copy=False)


@sum_entries.adjoint
def _(call: Any, g: Any) -> Any:
    return gather_entries(g, places=call.places)


__all__ = ["gather_entries", "sparse_product", "sample_product", "sum_entries"]
