"""Sparse arrays from their parts: SciPy's or CuPy's own for plain values, scigrad's for traced
ones.
"""

from types import GenericAlias
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, kernel, namespace_of, raw, shape_of, stop_gradient
from scigrad.autodiff_rules.backends import library, namespace
from scigrad.autodiff_rules.boxes import is_transforming
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.autodiff_rules.messages.errors import missing_kernel
from scigrad.numpy.devices import bring_home
from scigrad.numpy.joining import assemble
from scigrad.typing import ArrayLike, Axes, DTypeLike, SparseLike

from .array.numbering import as_sparse_array, entries_where, is_plain, placed_from, take_numbered
from .array.pattern import LABELS, Pattern, family_of, is_sparse
from .array.sparse_array import SparseArray


class Format(type):
    """Metaclass by which ``isinstance(a, csr_array)`` holds for the library's arrays and for traced
    ones of that class.
    """

    _form: str | None  # None: any
    _family: str

    # csr_array[float] in annotations, as SciPy's class
    def __getitem__(cls, item: Any) -> GenericAlias:
        return GenericAlias(cls, item)

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            is_sparse(instance)
            and cls._form in (None, instance.format)
            and family_of(instance) == cls._family
        )


class Sparse(metaclass=Format):
    """Base of the classes of each format; theirs are the pages."""

    def __init_subclass__(cls) -> None:
        cls._form, _, cls._family = cls.__name__.partition("_")

    def __new__(
        cls,
        arg1: SparseLike,
        shape: tuple[int, ...] | None = None,
        dtype: DTypeLike = None,
        copy: bool = False,
        *,
        maxprint: int | None = None,
    ) -> Any:
        return cls._made(arg1, shape, dtype, copy, maxprint=maxprint)

    @classmethod
    def _made(cls, arg1: Any, shape: Any, dtype: Any, copy: bool, **options: Any) -> Any:
        options = {key: value for key, value in options.items() if value is not None}
        if isinstance(arg1, tuple) and holds_traced(arg1[1:]):
            # places are integers, whatever numbers they are computed from
            arg1 = (arg1[0], *stop_gradient(arg1[1:]))
        made = _of_traced(cls._form, arg1, shape, options)
        if made is None:
            if cls._form == "dia" and hasattr(arg1, "tocsr") and namespace_of(arg1) is not np:
                raise missing_kernel(
                    f"sparse.{cls.__name__} of an array of another format", library(arg1)
                )
            made = kernel(f"sparse.{cls.__name__}")(
                arg1, shape=shape, dtype=dtype, copy=copy, **options
            )
            # A program that assembles a matrix element by element may assign traced values to it.
            fills = cls._form in ("dok", "lil") and is_transforming()
            return as_sparse_array(made) if fills else made
        made = SparseArray(made.data, made.pattern.labelled(cls._family, made.pattern.label))
        return made if dtype is None else made.astype(dtype)


class csr_array(Sparse):
    """Sparse array in compressed sparse row format.

    As `scipy.sparse.csr_array`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.csr_array
        SciPy's array for NumPy data and CuPy's for CuPy data. For traced data a sparse array with
        the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> x = np.array([1.0, 10.0])
    >>> loss = lambda data: np.sum(sparse.csr_array((data, [0, 1, 1], [0, 2, 3])) @ x)
    >>> print(grad(loss)(np.array([1.0, 2.0, 3.0])))
    [ 1. 10. 10.]
    """


class csc_array(Sparse):
    """Sparse array in compressed sparse column format.

    As `scipy.sparse.csc_array`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.csc_array
        SciPy's array for NumPy data and CuPy's for CuPy data. For traced data a sparse array with
        the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> x = np.array([1.0, 10.0])
    >>> loss = lambda data: np.sum(sparse.csc_array((data, [0, 0, 1], [0, 1, 3])) @ x)
    >>> print(grad(loss)(np.array([1.0, 2.0, 3.0])))
    [ 1. 10. 10.]
    """


class coo_array(Sparse):
    """Sparse array in coordinate format.

    As `scipy.sparse.coo_array`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.coo_array
        SciPy's array for NumPy data and CuPy's for CuPy data. For traced data a sparse array with
        the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> x = np.array([1.0, 10.0])
    >>> loss = lambda data: np.sum(sparse.coo_array((data, ([0, 0], [1, 1]))) @ x)
    >>> print(grad(loss)(np.array([1.0, 2.0])))
    [10. 10.]
    """


def _of_traced(form: str, arg1: Any, shape: Any, options: dict[str, Any]) -> Any:
    """Return our array if arg1 holds traced values, otherwise None."""
    if isinstance(arg1, (SparseArray, Traced)):
        if isinstance(arg1, Traced):  # the zeros of the matrix are taken to be constant
            dense: Any = arg1 if arg1.ndim else arg1[None]  # pyright: ignore[reportIndexIssue]
            known = dense != 0 if arg1.ndim else np.ones(1, bool)
            arg1 = entries_where(dense, known, "the pattern of the entries that are not 0")
        if shape is not None and tuple(shape) != arg1.shape:
            raise ValueError(
                f"inconsistent shapes: {tuple(shape)} was asked for, the array has {arg1.shape}"
            )
        return arg1.tobsr(**options) if options.get("blocksize") else arg1.asformat(form)
    if not isinstance(arg1, (tuple, list)) or len(arg1) not in (2, 3):
        return None
    data = (
        assemble(arg1[0])
        if isinstance(arg1[0], (list, tuple)) and holds_traced(arg1[0])
        else arg1[0]
    )
    if not isinstance(data, Traced):
        return None
    if form in LABELS:
        make = kernel(f"sparse.{form}_array")
        return placed_from(data, lambda numbers: make((numbers, *arg1[1:]), shape=shape, **options))
    stored = form if len(arg1) == 3 else "coo"
    # The library checks the index arrays and finds the shape, on values that take no room.
    placeholder = namespace(library(raw(data))).zeros(data.shape, bool)
    pattern = Pattern.of(kernel(f"sparse.{stored}_array")((placeholder, *arg1[1:]), shape=shape))
    values: Any = data
    return SparseArray(
        values if pattern.nnz == data.shape[0] else values[: pattern.nnz], pattern
    ).asformat(form)


def diags_array(
    diagonals: ArrayLike,
    /,
    *,
    offsets: Axes = 0,
    shape: tuple[int, int] | None = None,
    format: str | None = None,
    dtype: DTypeLike | None = None,
) -> SparseLike:
    """Construct a sparse array from its diagonals.

    As `scipy.sparse.diags_array`.

    Parameters
    ----------
    diagonals : sequence of (k,) array_like
        Diagonals, one for each offset. A number, or an array of length 1, fills its diagonal. A
        single array if `offsets` is an int.
    offsets : int or sequence of ints, optional
        Positions of the diagonals: 0 is the main one, k > 0 lies above it and k < 0 below it.
    shape : (int, int), optional
        Numbers of rows and columns, by default those of the smallest square array that holds the
        first diagonal.
    format : {"csr", "csc", "coo", ...}, optional
        Format of the result: by default "dia", or "csr" where a diagonal is traced.
    dtype : dtype, optional
        Type of the values, by default the common one of the diagonals (SciPy 1.17 converts integers
        to floats then, and warns).

    Returns
    -------
    sparse array
        Array of shape `shape`, whose pattern is made of all places on the diagonals.

    Raises
    ------
    ValueError
        If the numbers of diagonals and offsets differ, an offset is repeated, or a diagonal does
        not fit the shape.

    Notes
    -----
    Differentiable in the diagonals.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> loss = lambda side: (
    ...     x @ (sparse.diags_array([side, -2 * np.ones(3), side], offsets=[-1, 0, 1]) @ x)
    ... )
    >>> print(grad(loss)(np.array([1.0, 1.0])))
    [ 4. 12.]
    """
    return _place_diagonals("diags_array", diagonals, offsets, shape, format, dtype)


def diags(
    diagonals: Any,
    offsets: Axes = 0,
    shape: tuple[int, int] | None = None,
    format: str | None = None,
    dtype: DTypeLike | None = None,
) -> SparseLike:
    """Construct a sparse matrix from its diagonals.

    As `diags_array`, but the result is one of SciPy's older matrices, whose ``*`` is the matrix
    product. See `scipy.sparse.diags`.

    Parameters
    ----------
    diagonals : sequence of (k,) array_like
        Diagonals, one for each offset. A number, or an array of length 1, fills its diagonal. A
        single array if `offsets` is an int.
    offsets : int or sequence of ints, optional
        Positions of the diagonals: 0 is the main one, k > 0 lies above it and k < 0 below it.
    shape : (int, int), optional
        Numbers of rows and columns, by default those of the smallest square array that holds the
        first diagonal.
    format : {"csr", "csc", "coo", ...}, optional
        Format of the result: by default "dia", or "csr" where a diagonal is traced.
    dtype : dtype, optional
        Type of the values, by default the common one of the diagonals (SciPy 1.17 converts integers
        to floats then, and warns).

    Returns
    -------
    sparse matrix
        Matrix of shape `shape`, whose pattern is made of all places on the diagonals.

    Raises
    ------
    ValueError
        If the numbers of diagonals and offsets differ, an offset is repeated, or a diagonal does
        not fit the shape.

    Notes
    -----
    Differentiable in the diagonals.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> print(grad(lambda d: x @ (sparse.diags(d) * x))(np.array([1.0, 1.0, 1.0])))
    [1. 4. 9.]
    """
    return _place_diagonals("diags", diagonals, offsets, shape, format, dtype)


def _place_diagonals(
    name: str, diagonals: Any, offsets: Any, shape: Any, format: Any, dtype: Any
) -> Any:
    """Run SciPy's function on the numbers of the values where one is traced."""
    items = diagonals if isinstance(diagonals, (list, tuple)) else [diagonals]
    if any(v is None for d in items for v in (d if isinstance(d, (list, tuple)) else [d])):
        raise TypeError(
            "diags: a diagonal is None; diagonals are numbers. Leave its offset out, or fill it "
            "with 0.0."
        )
    run, options = kernel(f"sparse.{name}"), {"offsets": offsets, "shape": shape}
    if not holds_traced(items) and library(*items) == "numpy":
        return run(diagonals, **options, format=format, dtype=dtype)
    one = shape_of(offsets) == () and shape_of(diagonals[0]) == ()
    given = [diagonals] if one else diagonals
    values = bring_home([assemble(d) for d in given], given)
    ends = np.cumsum([v.size for v in values])
    numbers = np.split(np.arange(1.0, ends[-1] + 1), ends[:-1])
    found = run(numbers, **options | {"offsets": [offsets] if one else offsets}, format="coo")
    xp = namespace(library(*map(raw, values)))
    data = np.concatenate([v.reshape(-1) if v.ndim else v * xp.ones(1, v.dtype) for v in values])
    pattern = Pattern(
        "coo", found.shape, (xp.asarray(found.row), xp.asarray(found.col)), family_of(found)
    )
    data = take_numbered(data if dtype is None else data.astype(dtype), xp.asarray(found.data))
    return pattern.with_data(data).asformat(format or "csr")


__all__ = ["coo_array", "csc_array", "csr_array", "diags", "diags_array", "spdiags"]


def spdiags(
    data: ArrayLike,
    diags: Axes,
    m: Any = None,
    n: int | None = None,
    format: str | None = None,
) -> SparseLike:
    """Construct a sparse matrix from the rows of an array, which become its diagonals.

    As `scipy.sparse.spdiags`.

    Parameters
    ----------
    data : (k, length) array_like
        Diagonals; the entry in column j stands in column j of the matrix.
    diags : int or sequence of ints
        Positions of the diagonals: 0 is the main one, k > 0 lies above it and k < 0 below it.
    m, n : int, optional
        Numbers of rows and columns; `m` may be the shape, by default (length, length).
    format : {"csr", "csc", "coo", "bsr", "dia", "lil", "dok"}, optional
        Format of the result, by default "dia".

    Returns
    -------
    sparse matrix
        Matrix of these diagonals.

    Notes
    -----
    Differentiable in `data`. Entries that lie outside the matrix have the derivative 0.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> print(
    ...     grad(lambda d: (sparse.spdiags(d, [0, 1], 2, 2) @ np.arange(2.0)).sum())(
    ...         np.ones((2, 2))
    ...     )
    ... )
    [[0. 1.]
     [0. 1.]]
    """
    if n is None:
        m, n = (len(data[0]),) * 2 if m is None else m
    make = kernel("sparse.spdiags")
    if is_plain(data):
        return make(data, diags, m, n, format)
    return placed_from(assemble(data), lambda numbers: make(numbers, diags, m, n, format))
