"""Products with a sparse matrix, and systems of equations."""

from typing import Any

import numpy as np

from . import Arrays, Workload, normal

LIKELY = 1e-8  # tolerance of the iterations


def _poisson(side: int, tiny: int) -> Arrays:
    """Return the entries of the five-point matrix, a vector, and column, row start, row of the
    entries.
    """

    def arrays(small: bool) -> Any:
        import scipy.sparse

        n = tiny if small else side
        offsets: Any = (-1, 0, 1)
        line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=offsets, shape=(n, n))
        a: Any = scipy.sparse.csr_matrix(scipy.sparse.kronsum(line, line))
        a.sort_indices()
        rows = np.repeat(np.arange(n * n, dtype=a.indices.dtype), np.diff(a.indptr))
        return a.data, normal(n * n, seed=42), a.indices, a.indptr, rows

    return arrays


def _matrix(lib: Any, entries: Any, columns: Any, starts: Any, size: int) -> Any:
    kind = getattr(lib.sparse, "csr_array", None) or lib.sparse.csr_matrix
    return kind((entries, columns, starts), shape=(size, size))


def product(lib: Any, entries: Any, v: Any, columns: Any, starts: Any, *_: Any) -> Any:
    return lib.np.sum((_matrix(lib, entries, columns, starts, v.size) @ v) ** 2)


def _product_by_hand(lib: Any, entries: Any, v: Any, columns: Any, starts: Any, rows: Any) -> Any:
    matrix = _matrix(lib, entries, columns, starts, v.size)
    g = 2 * (matrix @ v)
    return 0.25 * (g @ g), g[rows] * v[columns], matrix.T @ g


def conjugate_gradients(lib: Any, entries: Any, b: Any, columns: Any, starts: Any, *_: Any) -> Any:
    return lib.np.sum(_iterated(lib, _matrix(lib, entries, columns, starts, b.size), b) ** 2)


def _iterated(lib: Any, matrix: Any, b: Any) -> Any:
    return lib.sparse.cg(matrix, b, rtol=LIKELY, maxiter=20_000)[0]


def _iterated_by_hand(lib: Any, entries: Any, b: Any, columns: Any, starts: Any, rows: Any) -> Any:
    matrix = _matrix(lib, entries, columns, starts, b.size)
    x = _iterated(lib, matrix, b)
    w = _iterated(lib, matrix, 2 * x)
    return x @ x, -w[rows] * x[columns], w


def system(lib: Any, entries: Any, b: Any, columns: Any, starts: Any, *_: Any) -> Any:
    return lib.np.sum(lib.sparse.spsolve(_matrix(lib, entries, columns, starts, b.size), b) ** 2)


def _system_by_hand(lib: Any, entries: Any, b: Any, columns: Any, starts: Any, rows: Any) -> Any:
    """Through the host, where there are factors: those of the transpose."""
    import scipy.sparse
    from scipy.sparse.linalg import splu

    host = entries.get(), columns.get(), starts.get()
    lu: Any = splu(scipy.sparse.csc_matrix(host, shape=(b.size,) * 2))
    x = lu.solve(b.get(), "T")
    w = lu.solve(2 * x)
    x, w = lib.np.asarray(x), lib.np.asarray(w)
    return x @ x, -w[rows] * x[columns], w


WORKLOADS = {
    "spmv 1e6": Workload(
        "sum((A v)^2) by A's entries and v", product, _poisson(1000, 12), 2, _product_by_hand, ()
    ),
    "cg 9e4": Workload(
        "300^2 cells, by A's entries and b", conjugate_gradients, _poisson(300, 8), 2,
        _iterated_by_hand, (),
    ),
    "spsolve 1e4": Workload(
        "100^2 cells, by A's entries and b", system, _poisson(100, 8), 2, _system_by_hand, ()
    ),
}  # fmt: skip
