"""Sparse arrays made of diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel, raw, shape_of
from scigrad.autodiff_rules.backends import library, namespace
from scigrad.numpy.composition import is_traced
from scigrad.numpy.joining import assembled

from .arrays import SparseArray
from .construction import coo_array
from .patterns import Pattern


def diags_array(diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: str | None = None, dtype: Any = None) -> Any:
    """A sparse array with the given diagonals, differentiable in their values.

    Parameters
    ----------
    diagonals : sequence of 1-D arrays, one for each offset; a number, or an array of length 1, fills its diagonal. One array if
        `offsets` is one number
    offsets : which diagonal: 0 the main one, k > 0 above it, k < 0 below
    shape : (rows, columns); None: the smallest square that holds the first diagonal
    format : "csr", "csc", "coo", ...; None: SciPy's dia_array, or "csr" where a diagonal is traced
    dtype : of the values; None: the common one of the diagonals (SciPy 1.17, without it, makes floats of integers and warns)

    Returns
    -------
    array of shape `shape`. The places on the diagonals are its pattern, zeros included

    Raises
    ------
    ValueError : diagonals and offsets differ in number, an offset comes twice, or a diagonal does not fit the shape

    See scipy.sparse.diags_array.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> loss = lambda side: x @ (sparse.diags_array([side, -2 * np.ones(3), side], offsets=[-1, 0, 1]) @ x)
    >>> print(grad(loss)(np.array([1.0, 1.0])))
    [ 4. 12.]
    """
    if _is_plain(diagonals):
        return kernel("sparse.diags_array")(diagonals, offsets=offsets, shape=shape, format=format, dtype=dtype)
    return _assembled(diagonals, offsets, shape, dtype).asformat(format or "csr")


def diags(diagonals: Any, offsets: Any = 0, shape: Any = None, format: str | None = None, dtype: Any = None) -> Any:
    """As diags_array, but one of SciPy's older sparse matrices, whose `*` is the product of matrices. See scipy.sparse.diags."""
    if _is_plain(diagonals):
        return kernel("sparse.diags")(diagonals, offsets=offsets, shape=shape, format=format, dtype=dtype)
    made = _assembled(diagonals, offsets, shape, dtype).asformat(format or "csr")
    if not isinstance(made, SparseArray):
        return kernel(f"sparse.{made.format}_matrix")(made)
    pattern = made.pattern
    return SparseArray(made.data, Pattern(pattern.format, pattern.shape, pattern.arrays, "matrix"))


def _is_plain(diagonals: Any) -> bool:
    items = diagonals if isinstance(diagonals, (list, tuple)) else [diagonals]
    if any(v is None for d in items for v in (d if isinstance(d, (list, tuple)) else [d])):
        raise TypeError("diags: a diagonal is None; diagonals are numbers. Leave its offset out, or fill it with 0.0.")
    return not is_traced(items) and library(*items) == "numpy"


def _assembled(diagonals: Any, offsets: Any, shape: Any, dtype: Any) -> Any:
    """The diagonals one after the other, at their places."""
    diagonals, offsets = _pairs(diagonals, offsets)
    rows, cols = (diagonals[0].size + abs(offsets[0]),) * 2 if shape is None else shape
    xp = namespace(library(*map(raw, diagonals)))
    values, places = [], []
    for j, (diagonal, offset) in enumerate(zip(diagonals, offsets, strict=True)):
        length = min(rows + offset, cols - offset, rows, cols)
        if length < 0:
            raise ValueError(f"Offset {offset} (index {j}) out of bounds: the shape is ({rows}, {cols})")
        if diagonal.ndim and diagonal.shape[0] < length:
            raise ValueError(
                f"Diagonal length (index {j}: {diagonal.shape[0]} at offset {offset}) does not agree with array size "
                f"({rows}, {cols}): this diagonal has {length} places."
            )
        values.append(diagonal[:length] if diagonal.ndim else diagonal * xp.ones(length, diagonal.dtype))
        along = xp.arange(length)
        places.append((along + max(-offset, 0), along + max(offset, 0)))
    data = np.concatenate(values)
    row, col = (xp.concatenate(part) for part in zip(*places, strict=True))
    return coo_array((data if dtype is None else data.astype(dtype), (row, col)), shape=(rows, cols))


def _pairs(diagonals: Any, offsets: Any) -> tuple[list[Any], list[int]]:
    if shape_of(offsets) == ():
        if len(diagonals) and shape_of(diagonals[0]) != ():
            raise ValueError("Different number of diagonals and offsets.")
        diagonals = [np.stack(diagonals) if isinstance(diagonals, (list, tuple)) else diagonals]
        offsets = [offsets]
    found = [assembled(d) for d in diagonals]
    if len(found) != len(offsets):
        raise ValueError("Different number of diagonals and offsets.")
    if len(set(map(int, offsets))) < len(offsets):
        raise ValueError("offset array contains duplicate values")
    return [d.reshape(()) if d.shape == (1,) else d for d in found], [int(k) for k in offsets]


__all__ = ["diags", "diags_array"]
