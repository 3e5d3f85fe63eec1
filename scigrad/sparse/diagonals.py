"""Sparse arrays made of diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel, raw, shape_of
from scigrad.autodiff_rules.backends import library, namespace
from scigrad.autodiff_rules.docstrings import completed_by
from scigrad.autodiff_rules.plans import holds_traced
from scigrad.numpy.joining import assembled

from .patterns import Pattern, family_of
from .placement import taken


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
    return _placed("diags_array", diagonals, offsets, shape, format, dtype)


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
    return _placed("diags", diagonals, offsets, shape, format, dtype)


def _placed(name: str, diagonals: Any, offsets: Any, shape: Any, format: Any, dtype: Any) -> Any:
    """Run SciPy's function on the numbers of the values where one is traced."""
    items = diagonals if isinstance(diagonals, (list, tuple)) else [diagonals]
    if any(v is None for d in items for v in (d if isinstance(d, (list, tuple)) else [d])):
        raise TypeError("diags: a diagonal is None; diagonals are numbers. Leave its offset out, or fill it with 0.0.")
    run, options = kernel(f"sparse.{name}"), {"offsets": offsets, "shape": shape}
    if not holds_traced(items) and library(*items) == "numpy":
        return run(diagonals, **options, format=format, dtype=dtype)
    one = shape_of(offsets) == () and shape_of(diagonals[0]) == ()
    values = [assembled(d) for d in ([diagonals] if one else diagonals)]
    starts = np.cumsum([1, *(v.size for v in values)])
    numbers = [np.arange(float(start), float(start + v.size)) for start, v in zip(starts, values, strict=False)]
    found = run(numbers, **options | {"offsets": [offsets] if one else offsets}, format="coo")
    data = np.concatenate([v.reshape(-1) for v in values])
    xp = namespace(library(raw(data)))
    pattern = Pattern("coo", found.shape, (xp.asarray(found.row), xp.asarray(found.col)), family_of(found))
    data = taken(data if dtype is None else data.astype(dtype), xp.asarray(found.data))
    return pattern.with_data(data).asformat(format or "csr")


__all__ = ["diags", "diags_array"]
