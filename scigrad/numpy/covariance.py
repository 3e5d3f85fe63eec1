"""Covariance and correlation of samples."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import warn
from scigrad.typing import Array, ArrayLike, DTypeLike

from .composition import numpy_composition
from .joining import assemble, concatenate
from .products import conjugate, matmul
from .shaping import reshape, squeeze, transpose
from .views import own_result

__all__ = ["corrcoef", "cov"]


@numpy_composition(np.cov)
def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: float | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Any:
    """Return the covariance matrix of variables in rows (`rowvar`) or columns, see `numpy.cov`.

    Differentiable in m, y and aweights.
    """
    x = _variables("m", m, y, rowvar, dtype)
    if not x.shape[0]:
        return np.zeros((0, 0))
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    freedom = (0 if bias else 1) if ddof is None else ddof
    frequencies = _check_weights("fweights", fweights, x.shape[1])
    importance = _check_weights("aweights", aweights, x.shape[1])
    w = (
        importance
        if frequencies is None
        else frequencies
        if importance is None
        else frequencies * importance
    )
    if w is None:
        total: Any = x.shape[1]
        norm, mean = total - freedom, np.mean(x, axis=1, keepdims=True)
    else:
        total = np.sum(w)
        mean = reshape(matmul(x, w), (-1, 1)) / total
        norm = total - (
            freedom
            if importance is None
            else freedom * np.sum(w * importance) / total
            if freedom
            else 0
        )
    if isinstance(norm, (int, float, np.ndarray, np.generic)) and norm <= 0:
        warn("Degrees of freedom <= 0 for slice", RuntimeWarning)
    norm = np.maximum(norm, 0.0)
    x = x - mean
    weighted = x if w is None else x * w
    return own_result(squeeze(matmul(x, transpose(conjugate(weighted))) * np.true_divide(1, norm)))


def _variables(name: str, m: Any, y: Any, rowvar: bool, dtype: Any) -> Any:
    """Return all variables as rows, in double precision."""
    given = [assemble(v) for v in (m, y) if v is not None]
    dtype = np.result_type(*(v.dtype for v in given), np.float64) if dtype is None else dtype
    rows = []
    for v, label in zip(given, (name, "y"), strict=False):
        if v.ndim > 2:
            raise ValueError(f"{label} has more than 2 dimensions")
        v = v.astype(dtype)
        flat = v.ndim < 2
        v = reshape(v, (1, -1)) if flat else v
        keep = rowvar or (flat if label == name else v.shape[0] == 1)
        rows.append(v if keep else transpose(v))
    return rows[0] if len(rows) == 1 else concatenate(rows, 0)


def _check_weights(name: str, weights: Any, count: int) -> Any:
    if weights is None:
        return None
    w = assemble(weights).astype(float)
    if w.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if w.shape[0] != count:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if isinstance(w, np.ndarray):
        if name == "fweights" and not np.all(w == np.around(w)):
            raise TypeError("fweights must be integer")
        if np.any(w < 0):
            raise ValueError(f"{name} cannot be negative")
    return w


@numpy_composition(np.corrcoef)
def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None
) -> Array:
    """Return the matrix of correlation coefficients, see `numpy.corrcoef`."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    deviation = np.sqrt(np.real(np.diagonal(c)))
    return c / reshape(deviation, (-1, 1)) / deviation
