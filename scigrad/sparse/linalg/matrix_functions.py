"""Inverse, powers, norms and the exponential of a sparse array."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel, raw
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.typing import Array, ArrayLike, Operator, SparseLike

from ... import linalg
from ..array.arithmetic import as_matrix_array
from ..array.numbering import as_sparse_array, is_plain_on_host
from ..array.pattern import family_of, identity, is_sparse
from ..loops import call_library_on_containers
from .direct import keep_places, spsolve
from .implicit_rule import as_working_dtype, parameters
from .operators import apply_operator, call_with_constants


def inv(A: SparseLike) -> SparseLike:
    """Compute the inverse of a sparse array.

    As `scipy.sparse.linalg.inv`.

    Parameters
    ----------
    A : (n, n) sparse array
        Matrix in csr or csc format; other formats are converted.

    Returns
    -------
    sparse array
        Inverse; it is dense as a rule, and `spsolve` or `splu` need less.

    Raises
    ------
    TypeError
        If `A` is not sparse.
    ValueError
        If `A` is not square.

    Notes
    -----
    Differentiable in the stored values, to any order. The pattern is that of the current values.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.diag([2.0, 4.0]))
    >>> print(grad(lambda A: sparse.linalg.inv(A).sum())(A).toarray())
    [[-0.25    0.    ]
     [ 0.     -0.0625]]
    """
    if not is_sparse(A):
        raise TypeError(f"Input must be a sparse array, not {type(A).__name__}")
    if is_plain_on_host(A):
        return kernel("sparse.linalg.inv")(A)
    return spsolve(
        A, identity(A.shape[0], library(raw(A.data)), A.dtype, family_of(A)).asformat(A.format)
    )


def matrix_power(A: SparseLike, power: int) -> SparseLike:
    """Raise a square sparse array to a power, by products.

    As `scipy.sparse.linalg.matrix_power`.

    Parameters
    ----------
    A : (n, n) sparse array
        Matrix.
    power : int
        Exponent that is not negative.

    Returns
    -------
    sparse array
        Power.

    Raises
    ------
    TypeError
        If `A` is not square.
    ValueError
        If `power` is negative or no integer.

    Notes
    -----
    Differentiable in the stored values, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: sparse.linalg.matrix_power(A, 2).sum())(A).toarray())
    [[4. 4.]
     [0. 8.]]
    """
    # SciPy's function takes arrays of any library
    from scipy.sparse.linalg import matrix_power as by_products

    if power == 0 and A.shape[0] == A.shape[1] and not is_plain_on_host(A):
        return identity(A.shape[0], library(raw(A.data)), A.dtype, family_of(A)).asformat(A.format)
    return by_products(A, power)


def norm(
    x: SparseLike, ord: str | float | None = None, axis: int | tuple[int, int] | None = None
) -> Array:
    """Compute a norm of a sparse array, or of its rows or columns.

    As `scipy.sparse.linalg.norm`.

    Parameters
    ----------
    x : sparse array
        Array whose norm is computed.
    ord : {None, "fro", 1, -1, 2, inf, -inf} or float, optional
        Order: of a matrix by default Frobenius' norm; with an axis that of a vector.
    axis : int or (int, int), optional
        Axis of the vectors, or axes of the matrix.

    Returns
    -------
    float or ndarray
        Norm.

    Raises
    ------
    TypeError
        If `x` is not sparse.
    ValueError
        If `ord` or `axis` is unknown.

    Notes
    -----
    Differentiable in the stored values, as `scigrad.linalg.norm`. The norm 2 of a matrix takes one
    singular value from `svds`. The norms 0, inf and -inf along an axis take the dense array.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[3.0, 0.0], [0.0, 4.0]]))
    >>> print(grad(sparse.linalg.norm)(A).toarray())
    [[0.6 0. ]
     [0.  0.8]]
    """
    if not is_sparse(x):
        raise TypeError("input is not sparse. use scigrad.linalg.norm")
    x = as_working_dtype(x)  # squares of small integers wrap
    if is_plain_on_host(x):
        found = kernel("sparse.linalg.norm")(x, ord, axis)  # since SciPy 1.18 in double precision
        return found.astype(x.dtype) if (x.dtype.char, found.dtype.char) == ("f", "d") else found
    a = as_sparse_array(x).distinct()
    axes: Any = axis if isinstance(axis, tuple) or axis is None else (axis,)
    if axes is not None and (len(axes) > 2 or len(a._axes(axes)) < len(axes)):
        raise ValueError(f"axis must be an integer or two different ones, not {axis!r}")
    if axes is not None and len(axes) == 1:
        if isinstance(ord, str) or ord in (0, np.inf, -np.inf):
            return linalg.norm(a.toarray(), ord, axis, check_finite=False)
        p = ord or 2  # stored entries only, even if p < 0
        total = abs(a).power(p).sum(axis=axis).reshape(-1)
        nothing = total == 0  # a kink, where the root has an infinite slope
        return np.where(
            nothing, 0.0 if p > 0 else np.inf, np.where(nothing, 1, total) ** (1 / p)
        ).astype(total.dtype)
    if ord in (None, "fro", "f"):
        return linalg.norm(a.data, check_finite=False)
    if ord == 2:
        from .eigenpairs import svds

        return svds(a, k=1, solver="lobpcg", return_singular_vectors=False)[0]
    if ord not in (1, -1, np.inf, -np.inf):
        raise (NotImplementedError if ord in (-2, "nuc") else ValueError)(
            f"Invalid norm order for matrices: {ord!r}"
        )
    sums = abs(a).sum(axis=(axes or (0, 1))[abs(ord) > 1]).reshape(-1)
    return sums.max() if ord > 0 else sums.min()


def onenormest(
    A: SparseLike | ArrayLike | Operator,
    t: int = 2,
    itmax: int = 5,
    compute_v: bool = False,
    compute_w: bool = False,
) -> Any:
    """Estimate the 1-norm of a square matrix from below.

    As `scipy.sparse.linalg.onenormest`.

    Parameters
    ----------
    A : (n, n) sparse array, array_like or LinearOperator
        Matrix.
    t : int, optional
        Number of columns that are tried at once.
    itmax : int, optional
        Maximum number of iterations.
    compute_v, compute_w : bool, optional
        Whether to return v and w.

    Returns
    -------
    est : float
        Estimate ``norm(w, 1) / norm(v, 1)`` with ``w = A v``.
    v, w : (n,) ndarray
        Vector that gives the estimate, and its image. Only with `compute_v` and `compute_w`.

    Notes
    -----
    Differentiable in the values of `A` with the vector v as a constant.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> print(grad(sparse.linalg.onenormest)(np.array([[1.0, 5.0], [2.0, 3.0]])))
    [[0. 1.]
     [0. 1.]]
    """
    run = kernel("sparse.linalg.onenormest")
    # SciPy turns single precision into double precision
    if not holds_traced(A) and getattr(A, "dtype", None) not in (np.float32, np.complex64):
        return call_with_constants("onenormest", run, A, t, itmax, compute_v, compute_w)
    A = as_working_dtype(A)
    a, operator = parameters(A)
    v = call_library_on_containers(lambda a: run(operator(a), t, itmax, True)[1], a).astype(
        np.finfo(A.dtype).dtype
    )
    w = apply_operator(A, v)
    found = [abs(w).sum() / abs(v).sum(), *([v] if compute_v else []), *([w] if compute_w else [])]
    return found[0] if len(found) == 1 else tuple(found)


def expm(A: ArrayLike) -> SparseLike | Array:
    """Compute the exponential of a matrix.

    As `scipy.sparse.linalg.expm`.

    Parameters
    ----------
    A : (n, n) sparse array or array_like
        Matrix.

    Returns
    -------
    sparse array or ndarray
        Exponential, sparse if `A` is; as it is dense as a rule, `expm_multiply` needs less.

    Notes
    -----
    Differentiable in the values, to any order. Of a traced sparse array the dense exponential is
    computed, by `scigrad.linalg.expm`, and the pattern of the result is that of its current values.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.diag([0.0, 1.0]))
    >>> print(grad(lambda A: sparse.linalg.expm(A).sum())(A).toarray().round(6))
    [[0.       0.      ]
     [0.       2.718282]]
    """
    if getattr(A, "dtype", None) in (np.longdouble, np.clongdouble) or (
        is_sparse(A) and is_plain_on_host(A)
    ):
        return kernel("sparse.linalg.expm")(A)
    if not is_sparse(A):
        return linalg.expm(A)
    a = as_matrix_array(A)
    return keep_places(linalg.expm(a.toarray()), a)


__all__ = ["expm", "inv", "matrix_power", "norm", "onenormest"]
