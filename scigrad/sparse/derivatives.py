"""Sparse Jacobians and Hessians: columns that share no row are found by one pass of forward mode
together.

The seeds are sums of unit vectors, one for each color of the columns (Curtis, Powell and Reid, J.
Inst. Math. Appl. 13, 117-119, 1974), and each entry is read off the pass of its color.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import grad, kernel, linearize, raw, vjp, vmap
from scigrad.numpy.devices import on_host
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, SparseLike

from .array.numbering import as_sparse_array, number_entries
from .array.pattern import is_sparse
from .array.products import sum_entries
from .construction import csr_array


def coloring(pattern: ArrayLike, *, star: bool = False) -> Array:
    """Color the columns of a sparse array so that no two of a color have a row in common.

    For a symmetric array a star coloring has fewer colors, from which the values can still be read:
    two columns of a color share rows only where the transposed place is alone.

    Parameters
    ----------
    pattern : (m, n) sparse array or array_like
        Array whose stored values mark the pattern; those of a dense one that are not 0.
    star : bool, optional
        Whether to take the array as symmetric, and to color adjacent columns differently and no
        path of four in two colors, the longest columns first (Gebremedhin, Tarafdar, Manne and
        Pothen, SIAM J. Sci. Comput. 29, 1042-1072, 2007).

    Returns
    -------
    (n,) ndarray of int
        Colors 0, 1, ..., given to the columns one after the other, each the first that is free (by
        default a distance-2 coloring).

    Notes
    -----
    The colors of the columns of ``pattern.T`` are those of the rows. Memory is that of
    ``pattern.T @ pattern``, for a star coloring that of the pattern and of a number for each column
    and color. The colors are constant, not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import sparse
    >>> print(
    ...     sparse.coloring(sparse.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(5, 5)))
    ... )
    [0 1 2 0 1]
    """
    a = _marks(pattern)[0]
    if star:
        return _star(_neighbors(a))
    meeting = (a.T @ a).tocsr()
    colors = np.full(a.shape[1], -1)
    for j, (start, stop) in enumerate(zip(meeting.indptr, meeting.indptr[1:], strict=False)):
        colors[j] = _first_free(colors[meeting.indices[start:stop]])
    return colors


def _first_free(taken: Any) -> Any:
    free = np.ones(taken.size + 1, bool)
    free[taken[(taken >= 0) & (taken < free.size)]] = False
    return free.argmax()


def _neighbors(a: Any) -> Any:
    """Return the symmetric pattern without its diagonal."""
    both = (a + a.T).tocoo()
    apart = both.row != both.col
    return kernel("sparse.csr_array")(
        (np.ones(apart.sum()), (both.row[apart], both.col[apart])), shape=a.shape
    )


def _star(a: Any) -> Any:
    """Color a column before another one: neither as its neighbors nor as what would close a path of
    four in two colors.

    Of a column w that has no color yet all neighbors differ, and of one that has, those with
    another neighbor of its color.
    """
    near = np.split(a.indices, a.indptr[1:-1])
    # counts[w, c]: the number of neighbors of column w in color c
    colors, counts = np.full(a.shape[0], -1), np.zeros((a.shape[0], 0), int)
    for v in np.argsort(-np.diff(a.indptr), kind="stable"):
        closing = [
            near[w] if colors[w] < 0 else near[w][counts[near[w], colors[w]] > 1] for w in near[v]
        ]
        colors[v] = _first_free(colors[np.concatenate([near[v], *closing])])
        if colors[v] == counts.shape[1]:
            counts = np.pad(counts, ((0, 0), (0, 1)))
        counts[near[v], colors[v]] += 1
    return colors


def _marks(pattern: Any) -> tuple[Any, Any, Any]:
    """Return SciPy's sorted csr array of ones at the places of a pattern, and their rows and
    columns.
    """
    a = (
        number_entries(as_sparse_array(pattern))
        if is_sparse(pattern)
        else kernel("sparse.csr_array")(np.atleast_2d(pattern))
    )
    a = kernel("sparse.csr_array")(a.tocsr())
    a.sum_duplicates()
    a.data = np.ones(a.nnz)
    return a, np.repeat(np.arange(a.shape[0]), np.diff(a.indptr)), a.indices


def sparsity(f: Callable[[Any], Any], x: ArrayLike) -> SparseLike:
    """Find the pattern of the Jacobian of a function.

    Parameters
    ----------
    f : callable
        Function of a vector (n,) that returns a vector (m,).
    x : (n,) array_like
        Point. An entry that is 0 there is not seen, so that a point without symmetries is best.

    Returns
    -------
    (m, n) sparse array
        Ones at the entries that are not 0.

    Notes
    -----
    Blocks of columns are halved again and again, and those that have no row in common are tried
    together: about ``2 c log2(n)`` passes of forward mode for a pattern of c colors. The pattern is
    constant, not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import sparse
    >>> print(sparse.sparsity(lambda x: x[1:] * x[:-1], np.array([1.0, 2.0, 3.0])).toarray())
    [[1. 1. 0.]
     [0. 1. 1.]]
    """
    x = np.asarray(x)
    out, push = linearize(f, x)
    n, m = x.size, out.size
    tangents = np.random.default_rng(0).uniform(0.5, 1.0, n).astype(x.dtype)
    width = 1 << n.bit_length()
    rows, blocks = np.arange(m), np.zeros(m, int)
    while width > 1:
        width //= 2
        rows, blocks = np.repeat(rows, 2), np.add.outer(2 * blocks, [0, 1]).reshape(-1)
        inside = blocks * width < n
        rows, blocks = rows[inside], blocks[inside]
        colors = coloring(
            kernel("sparse.coo_array")(
                (np.ones(rows.size), (rows, blocks)), shape=(m, -(-n // width))
            )
        )
        seeds = np.where(
            colors[np.arange(n) // width] == np.arange(colors.max() + 1)[:, None], tangents, 0
        )
        hit = vmap(push)(seeds)[colors[blocks], rows] != 0
        rows, blocks = rows[hit], blocks[hit]
    return kernel("sparse.coo_array")((np.ones(rows.size), (rows, blocks)), shape=(m, n)).tocsr()


def jacobian(
    f: Callable[[Any], Any], sparsity: ArrayLike, *, check: bool = True
) -> Callable[[Any], Any]:
    """Return the function that computes the sparse Jacobian of a function.

    It takes as many passes as the pattern has colors.

    Parameters
    ----------
    f : callable
        Function of a real vector (n,) that returns a real vector (m,).
    sparsity : (m, n) sparse array or array_like
        Pattern, as `scigrad.sparse.sparsity` finds it; what is not in it is taken to be 0.
    check : bool, optional
        Whether the product with one more vector is compared with that of the result, which finds an
        entry that is not in the pattern and would be added to another of its row or column: the
        pattern of a function with branches is that of a point. Synchronizes a GPU.

    Returns
    -------
    callable
        Function of x that returns a sparse array with the pattern, in csr format.

    Raises
    ------
    ValueError
        If x or the value is complex, or the pattern is not that of the Jacobian at x.

    Notes
    -----
    In forward mode with the colors of the columns, or in reverse mode with those of the rows if
    they are fewer. The coloring is computed once. The result is differentiable, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import sparse
    >>> f = lambda x: x[1:] * x[:-1]
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> print(sparse.jacobian(f, sparse.sparsity(f, x))(x).toarray())
    [[2. 1. 0.]
     [0. 3. 2.]]
    """
    pattern, rows, cols = _marks(sparsity)
    colors, of_rows = coloring(pattern), coloring(pattern.T)
    if colors.max(initial=0) <= of_rows.max(initial=0):
        return _by_colors(
            f, pattern, colors, colors[cols], rows, True, check and (rows, cols, slice(None))
        )
    return _by_colors(
        f, pattern, of_rows, of_rows[rows], cols, False, check and (cols, rows, slice(None))
    )


def _by_colors(
    f: Any, pattern: Any, colors: Any, which: Any, places: Any, forward: bool, check: Any
) -> Callable[[Any], Any]:
    """Return the Jacobian whose values stand at some places of some passes, one for each color and
    one that is checked.
    """
    probe = np.random.default_rng(0).uniform(0.5, 1.0, (1 if check else 0, colors.size))
    seeds = np.concatenate([colors == np.arange(colors.max(initial=-1) + 1)[:, None], probe])

    def derivative(x: Any) -> Any:
        x = assemble(x)
        out, change = linearize(f, x) if forward else vjp(f, x)
        if (*getattr(out, "shape", ()), *x.shape) != pattern.shape or "c" in (
            x.dtype.kind,
            out.dtype.kind,
        ):
            raise ValueError(
                f"jacobian: the pattern, of shape {pattern.shape}, is not that of a real vector's "
                "real function."
            )
        passes = vmap(change if forward else lambda g: change(g)[0])(seeds.astype(x.dtype))
        values = passes[which, places]
        if check:
            _refuse_missing(on_host(raw(values)), on_host(raw(passes[-1])), *check, *probe)
        return csr_array((values, pattern.indices, pattern.indptr), shape=pattern.shape)

    return derivative


def _refuse_missing(
    values: Any, product: Any, rows: Any, cols: Any, which: Any, vector: Any
) -> None:
    """Refuse values, taken to some rows and columns, whose product with a vector is not that of the
    Jacobian.
    """
    terms = values[..., which] * vector[cols]
    total, size = (sum_entries(v, places=rows, size=product.shape[-1]) for v in (terms, abs(terms)))
    if np.any(abs(product - total) > np.sqrt(np.finfo(product.dtype).eps) * size):
        raise ValueError(
            "jacobian: an entry at this x is not in the pattern. Add sparsity(f, x) to it, or "
            "pass check=False."
        )


def hessian(
    f: Callable[[Any], Any], sparsity: ArrayLike, *, check: bool = True
) -> Callable[[Any], Any]:
    """Return the function that computes the sparse Hessian of a function.

    It takes as many passes as the pattern has colors.

    Parameters
    ----------
    f : callable
        Function of a real vector (n,) that returns a real number.
    sparsity : (n, n) sparse array or array_like
        Pattern, ``scigrad.sparse.sparsity(scigrad.grad(f), x)``, or a triangle of it.
    check : bool, optional
        As for `jacobian`.

    Returns
    -------
    callable
        Function of x that returns a sparse array with the pattern, in csr format.

    Notes
    -----
    The Jacobian of the gradient in forward mode with the colors of a star coloring, two for the
    pattern of an arrow. The result is differentiable, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> f = lambda x: np.sum((x[1:] - x[:-1]) ** 4)
    >>> x = np.array([1.0, 2.0, 4.0])
    >>> print(sparse.hessian(f, sparse.sparsity(grad(f), x))(x).toarray())
    [[ 12. -12.   0.]
     [-12.  60. -48.]
     [  0. -48.  48.]]
    """
    pattern, rows, cols = _marks(sparsity)
    neighbors = _neighbors(pattern)
    colors = _star(neighbors)
    counts = neighbors @ (colors[:, None] == np.arange(colors.max(initial=-1) + 1)).astype(float)
    # the only neighbor of its color in the row; otherwise it is in the column
    alone = counts[rows, colors[cols]] <= 1
    which, places = np.where(alone, colors[cols], colors[rows]), np.where(alone, rows, cols)
    # the transposed place is not stored
    once = np.flatnonzero(~np.isin(cols * len(colors) + rows, rows * len(colors) + cols))
    both = (
        *map(
            np.concatenate, ([rows, cols[once]], [cols, rows[once]], [np.arange(rows.size), once])
        ),
    )
    return _by_colors(grad(f), pattern, colors, which, places, True, check and both)


__all__ = ["coloring", "hessian", "jacobian", "sparsity"]
