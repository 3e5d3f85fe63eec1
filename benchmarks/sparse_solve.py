"""Gradients through a sparse direct solver, conjugate gradients, and products with a sparse
array.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from .harness import Bar, Run, Subject

SYMMETRIC: dict[str, Any] = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.1,
    "options": {"SymmetricMode": True},
}
COLUMNS = 16


def poisson(*sides: int) -> scipy.sparse.csc_array:
    """The Laplacian of second order on a grid."""
    matrix: Any = None
    for side in sides:
        line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=(-1, 0, 1), shape=(side, side))
        matrix = line if matrix is None else scipy.sparse.kronsum(line, matrix)
    matrix = scipy.sparse.csc_array(matrix)
    matrix.sort_indices()
    return matrix


def right(A: Any) -> Any:
    return np.random.default_rng(0).standard_normal(A.shape[0])


def scigrad(*sides: int) -> Callable[[], Run]:
    def build() -> Run:
        from scigrad import sparse, value_and_grad
        from scigrad.sparse.linalg import spsolve

        A = poisson(*sides)

        def loss(data: Any, b: Any) -> Any:
            x = spsolve(sparse.csc_array((data, A.indices, A.indptr), shape=A.shape), b)
            return 0.5 * (x @ x)

        f, b = value_and_grad(loss, argnums=(0, 1)), right(A)
        return lambda: f(A.data, b)

    return build


def factor_and_solve_twice(*sides: int, **options: Any) -> Callable[[], Run]:
    def build() -> Run:
        A = poisson(*sides)
        b = right(A)

        def run() -> tuple[np.ndarray, np.ndarray]:
            factors = scipy.sparse.linalg.splu(A, **options)
            x = factors.solve(b)
            return x, factors.solve(x, trans="T")

        return run

    return build


def jax(*sides: int) -> Callable[[], Run]:
    def build() -> Run:
        import jax
        from jax.experimental.sparse.linalg import spsolve

        jax.config.update("jax_enable_x64", val=True)
        A = poisson(*sides)  # symmetric: its csc arrays are csr arrays

        def loss(data: Any, b: Any) -> Any:
            x = spsolve(data, A.indices, A.indptr, b)
            return 0.5 * (x @ x)

        f, b = jax.jit(jax.value_and_grad(loss, argnums=(0, 1))), right(A)
        return lambda: jax.block_until_ready(f(A.data, b))

    return build


def check(results: dict[str, Any]) -> None:
    found = [results[name] for name in ("scigrad", "splu + 2 solves") if name in results]
    if len(found) < 2:
        return
    # the adjoint method: w = A^-T x, and A_bar = -w x^T on the pattern
    (value, (by_data, by_b)), (x, w) = found
    A = next(A for A in (poisson(*sides) for sides in SIDES.values()) if A.shape[0] == len(x))
    columns = np.repeat(np.arange(A.shape[1]), np.diff(A.indptr))
    np.testing.assert_allclose(value, 0.5 * x @ x, rtol=1e-9)
    np.testing.assert_allclose(by_b, w, rtol=1e-8, atol=1e-10 * np.abs(w).max())
    np.testing.assert_allclose(
        by_data,
        -w[A.indices] * x[columns],
        rtol=1e-8,
        atol=1e-10 * np.abs(w).max() * np.abs(x).max(),
    )


def products(library: str, columns: int = 0) -> Callable[[], Run]:
    """Value and gradient of sum((A v)^2), in the values of A and in v; of (A X) alone with
    columns.
    """

    def build() -> Run:
        A = poisson(300, 300).tocsr()
        v = np.random.default_rng(0).standard_normal(
            (A.shape[0], columns) if columns else A.shape[0]
        )
        if library == "scigrad":
            from scigrad import sparse, value_and_grad

            f = value_and_grad(
                lambda data, v: ((sparse.csr_array((data, A.indices, A.indptr)) @ v) ** 2).sum(),
                argnums=(0, 1),
            )
            return lambda: f(A.data, v)
        if library == "jax":
            import jax
            from jax.experimental import sparse as jax_sparse

            jax.config.update("jax_enable_x64", val=True)
            places = jax.numpy.array(np.stack(A.tocoo().coords, axis=1))

            def loss(data: Any, v: Any) -> Any:
                made = jax_sparse.BCOO(
                    (data, places), shape=A.shape, indices_sorted=True, unique_indices=True
                )
                return ((made @ v) ** 2).sum()

            f = jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))
            return lambda: jax.block_until_ready(f(A.data, v))
        rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))

        def by_hand() -> Any:
            y = A @ v
            return (y**2).sum(), (2 * y[rows] * v[A.indices], A.T @ (2 * y))

        return by_hand

    return build


def agree(results: dict[str, Any]) -> None:
    (value, gradient), *others = results.values()
    for other, (by_data, by_v) in others:
        np.testing.assert_allclose(value, other, rtol=1e-10)
        np.testing.assert_allclose(gradient[0], by_data, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(gradient[1], by_v, rtol=1e-8, atol=1e-10)


def conjugate_gradients(library: str) -> Callable[[], Run]:
    def build() -> Run:
        from scigrad.sparse.linalg import cg

        A, run = poisson(100, 100).tocsr(), cg if library == "scigrad" else scipy.sparse.linalg.cg
        b = right(A)
        return lambda: run(A, b, rtol=1e-8)[0]

    return build


def eigenvalues(library: str) -> Callable[[], Run]:
    def build() -> Run:
        from scigrad.sparse.linalg import eigsh

        A, run = poisson(100, 100), eigsh if library == "scigrad" else scipy.sparse.linalg.eigsh
        return lambda: run(A, k=6, sigma=0, return_eigenvectors=False, v0=np.ones(A.shape[0]))

    return build


SIDES = {
    "90,000 unknowns in the plane": (300, 300),
    "10,000 unknowns in the plane": (100, 100),
    "13,824 in space": (24, 24, 24),
}
# bars, as shares of the time of SuperLU in its default mode
SHARES = dict(zip(SIDES, (0.75, 0.75, 0.4), strict=True))
SUBJECTS = {
    f"spsolve_{'x'.join(map(str, sides))}": Subject(
        title=f"spsolve, {title}: value, gradient by values and right-hand side",
        ours="scigrad",
        contenders={
            "scigrad": scigrad(*sides),
            "splu + 2 solves": factor_and_solve_twice(*sides),
            "symmetric splu + 2 solves": factor_and_solve_twice(*sides, **SYMMETRIC),
        }
        | ({"jax": jax(*sides)} if sides == (100, 100) else {}),
        bars=(
            Bar("splu + 2 solves", ratio=SHARES[title]),
            Bar("symmetric splu + 2 solves", ratio=1.1),
            *([Bar("jax", ratio=0.3)] if sides == (100, 100) else []),
        ),
        check=check,
        budget=20.0,
    )
    for title, sides in SIDES.items()
} | {
    "sparse_product": Subject(
        title="sum((A v)^2), 448,800 stored values: value, gradient by values and v",
        ours="scigrad",
        contenders={name: products(name) for name in ("scigrad", "jax", "by hand")},
        bars=(Bar("jax", ratio=0.6),),
        check=agree,
        information=("by hand",),
        notes="A v reads 5.4 MB of values and indices and gathers v, as the transposed product "
        "with y_bar does; the gradient by the values writes 3.6 MB. SciPy's kernels take "
        "0.33, 0.42 and 0.53 ms for the three (the last one two passes: 0.31 and 0.22), by "
        "hand 1.6 ms in all, which is the bar; the graph takes 0.15 ms more and the "
        "construction of the array 0.1 ms. They hold the interpreter's lock: halves of A in "
        "two threads take 1.2 times as long. Loops of Numba take 0.31 ms for the product, "
        "0.26 ms for the values and 0.49 ms for both gradients in one pass where indices "
        "are unsigned; signed ones, which count from the end where they are negative, take "
        "twice as long. That is 1.35 times less in all.",
    ),
    "sparse_product_columns": Subject(
        title=f"sum((A X)^2), 448,800 stored values, {COLUMNS} columns: value, gradient by values "
        "and X",
        ours="scigrad",
        contenders={name: products(name, COLUMNS) for name in ("scigrad", "jax")},
        bars=(Bar("jax", ratio=0.7),),
        check=agree,
    ),
    "sparse_cg": Subject(
        title="cg, 10,000 unknowns, plain arrays",
        ours="scigrad",
        contenders={name: conjugate_gradients(name) for name in ("scigrad", "scipy")},
        bars=(Bar("scipy"),),
    ),
    "sparse_eigenvalues": Subject(
        title="eigsh, 10,000 unknowns, 6 eigenvalues by shift and inversion, plain arrays",
        ours="scigrad",
        contenders={name: eigenvalues(name) for name in ("scigrad", "scipy")},
        bars=(Bar("scipy", ratio=0.8),),
    ),
}
