"""Sparse arrays made of diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel, raw, shape_of
from scigrad.autodiff_rules.backends import library, namespace
from scigrad.autodiff_rules.docstrings import completed_by
from scigrad.autodiff_rules.plans import holds_traced
from scigrad.numpy.joining import assembled

from .arrays import SparseArray
from .construction import coo_array
from .patterns import Pattern


def diags_array(diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: str | None = None, dtype: Any = None) -> Any:
    """Construct a sparse array from its diagonals.

    As `scipy.sparse.diags_array`.

    Parameters
    ----------
    diagonals : sequence of (k,) array_like
        Diagonals, one for each offset. A number, or an array of length 1, fills its diagonal. A single array if `offsets` is an
        int.
    offsets : int or sequence of ints, optional
        Positions of the diagonals: 0 is the main one, k > 0 lies above it and k < 0 below it.
    shape : (int, int), optional
        Numbers of rows and columns, by default those of the smallest square array that holds the first diagonal.
    format : {"csr", "csc", "coo", ...}, optional
        Format of the result: by default "dia", or "csr" where a diagonal is traced.
    dtype : dtype, optional
        Type of the values, by default the common one of the diagonals (SciPy 1.17 converts integers to floats then, and warns).

    Returns
    -------
    sparse array
        Array of shape `shape`, whose pattern is made of all places on the diagonals.

    Raises
    ------
    ValueError
        If the numbers of diagonals and offsets differ, an offset is repeated, or a diagonal does not fit the shape.

    Notes
    -----
    Differentiable in the diagonals.

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


@completed_by(diags_array)
def diags(diagonals: Any, offsets: Any = 0, shape: Any = None, format: str | None = None, dtype: Any = None) -> Any:
    """Construct a sparse matrix from its diagonals.

    As `diags_array`, but the result is one of SciPy's older matrices, whose ``*`` is the matrix product. See
    `scipy.sparse.diags`.

    Returns
    -------
    sparse matrix
        Matrix of shape `shape`, whose pattern is made of all places on the diagonals.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> print(grad(lambda d: x @ (sparse.diags(d) * x))(np.array([1.0, 1.0, 1.0])))
    [1. 4. 9.]
    """
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
    return not holds_traced(items) and library(*items) == "numpy"


def _assembled(diagonals: Any, offsets: Any, shape: Any, dtype: Any) -> Any:
    """Return the array of the diagonals, stored one after the other."""
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
