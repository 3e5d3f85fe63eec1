"""Sparse LU factorizations, kept for the adjoint system and differentiable through the equation
that they solve.

SuperLU factors the matrix M given by csc arrays. The arrays of a csr matrix A are those of M = A^T,
so that no conversion is needed: A is solved with M^T, and A^H with conj(M). Under vmap the matrices
share their pattern. SuperLU factors one matrix at a time, so that a loop over them is inherent: one
factorization for each element, none for the derivatives.
"""

import math
import warnings
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import ZERO, differentiable, kernel, materialize

from ..array.pattern import Pattern
from ..array.products import sample_product, sparse_product
from .engines import pardiso


class Factors:
    """One factorization for each matrix of a batch, in the order of its leading axes."""

    dtype: Any
    lead: tuple[int, ...]
    objects: list[Any]
    pattern: Pattern

    def __init__(
        self, objects: list[Any], lead: tuple[int, ...], dtype: Any, pattern: Pattern
    ) -> None:
        # None for a singular matrix
        self.objects, self.lead, self.dtype, self.pattern = objects, lead, dtype, pattern

    def fits(self, data: Any, dtype: Any, pattern: Pattern) -> bool:
        """Return whether these are factors of such data. Axes of length 1 are ignored: aligning
        batches adds and removes them.
        """
        same = [n for n in self.lead if n != 1] == [n for n in data.shape[:-1] if n != 1]
        return same and self.dtype == dtype and self.pattern is pattern

    def solve(self, b: Any, lead: tuple[int, ...], adjoint: bool) -> Any:
        """Solve A x = b (A^H x = b) for b of shape (..., n, k) and matrices of shape (*lead, n,
        n).
        """
        batch = np.broadcast_shapes(lead, b.shape[:-2])
        if len(self.objects) == 1:
            return self._columns(self.objects[0], b, adjoint).reshape((*batch, *b.shape[-2:]))
        which = np.broadcast_to(np.arange(len(self.objects)).reshape(lead), batch).reshape(-1)
        b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
        rows = b.reshape((which.size, *b.shape[-2:]))
        found = [
            self._columns(self.objects[i], row, adjoint) for i, row in zip(which, rows, strict=True)
        ]
        return (
            np.stack(found).reshape(b.shape)
            if found
            else np.zeros_like(b, np.result_type(b, self.dtype))
        )

    def _columns(self, factor: Any, b: Any, adjoint: bool) -> Any:
        """Solve with one matrix; the right-hand sides of a batch are columns side by side."""
        dtype = np.result_type(self.dtype, b.dtype)
        if b.size == 0 or factor is None:
            return np.zeros_like(b, dtype) if factor else np.full_like(b, np.nan, dtype)
        columns = np.moveaxis(b, -2, 0)
        flat = np.ascontiguousarray(columns.reshape(columns.shape[0], -1), dtype, like=b)
        # real factors: real and imaginary parts are columns of their own
        real = self.dtype.kind != "c" and dtype.kind == "c"
        flat = flat.view(self.dtype) if real else flat
        found = self._transposed(factor, flat, adjoint)
        found = np.ascontiguousarray(found, like=b).view(dtype) if real else found
        return np.moveaxis(found.reshape(columns.shape), 0, -2)

    def _transposed(self, factor: Any, b: Any, adjoint: bool) -> Any:
        if self.pattern.format == "csc":
            return factor.solve(b, "H" if adjoint else "N")
        return factor.solve(b.conj()).conj() if adjoint else factor.solve(b, "T")


def factorize(data: Any, dtype: Any, pattern: Pattern, options: Any) -> Factors:
    """Factor every matrix of a batch of values."""
    rows, lead = pattern.shape[0], data.shape[:-1]
    indices, indptr = pattern.arrays
    objects = []
    for values in data.reshape((math.prod(lead), data.shape[-1])).astype(
        dtype, order="C", copy=False
    ):
        matrix = kernel("sparse.csc_array")((values, indices, indptr), shape=(rows, rows))
        objects.append(superlu(matrix, options, pattern))
    return Factors(objects, lead, np.dtype(dtype), pattern)


class Substitution:
    """A triangular csc array with the methods of a factorization."""

    lower: bool
    matrix: Any
    unit_diagonal: bool

    def __init__(self, matrix: Any, lower: bool, unit_diagonal: bool) -> None:
        self.matrix, self.lower, self.unit_diagonal = matrix, lower, unit_diagonal

    def solve(self, b: Any, trans: str = "N") -> Any:
        matrix = self.matrix if trans == "N" else self.matrix.T
        matrix, lower = matrix.conj() if trans == "H" else matrix, self.lower is (trans == "N")
        found = kernel("sparse.linalg.spsolve_triangular")(
            matrix, b, lower, unit_diagonal=self.unit_diagonal
        )
        return found.astype(b.dtype, copy=False)  # CuPy's is in double precision


# Pivots on the diagonal where it holds a tenth of the largest value of the column, as UMFPACK does:
# half of the fill or less. Panels of 8 columns take 0.85 of the time of SuperLU's 20 in the plane,
# and the same in space.
SYMMETRIC = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.1,
    "panel_size": 8,
    "options": {"SymmetricMode": True},
}


def superlu(matrix: Any, options: Any, pattern: Pattern) -> Any:
    """Return the factorization of a csc array, None if it is exactly singular; without options in
    the best way known.
    """
    if options and "unit_diagonal" in options:
        return Substitution(matrix, **options)
    best, engine = not options or "engine" in options, options and options.get("engine")
    try:
        if best and pattern.library == "numpy" and pattern.nnz:
            return pardiso(matrix, pattern, engine) or (
                None if engine == "pardiso" else _in_kept_order(matrix, pattern)
            )
        return kernel("sparse.linalg.splu")(matrix, **({} if best else options))
    except RuntimeError as error:
        if "singular" not in str(error):
            raise
        return None


class _Reordered(NamedTuple):
    """A factorization of A[rows][:, cols] that solves with A."""

    factor: Any
    rows: Any
    cols: Any

    def solve(self, b: Any, trans: str = "N") -> Any:
        first, last = (self.rows, self.cols) if trans == "N" else (self.cols, self.rows)
        found = np.empty_like(b)
        found[last] = self.factor.solve(b[first], trans)
        return found

    def __getattr__(self, name: str) -> Any:
        """Return L, U, nnz, or the permutations perm_r and perm_c that lead from A to them."""
        found, orders = getattr(self.factor, name), {"perm_r": self.rows, "perm_c": self.cols}
        return found[np.argsort(orders[name])] if name in orders else found


def _in_kept_order(matrix: Any, pattern: Pattern) -> Any:
    """Factor in the order that the first factorization of the pattern has found; the first of the
    pattern finds it.
    """
    places, run = pattern.symmetric_diagonal, kernel("sparse.linalg.splu")
    sizes = abs(matrix.data)
    symmetric = places is not None and bool(
        np.all(sizes[places] >= 0.1 * np.maximum.reduceat(sizes, matrix.indptr[:-1]))
    )
    options = SYMMETRIC if symmetric else {}
    if symmetric not in pattern.orders:
        factor = run(matrix, **options)
        pattern.orders[symmetric] = np.argsort(factor.perm_c)
        return factor
    cols = pattern.orders[symmetric]
    rows = cols if symmetric else np.arange(len(cols))
    permuted = matrix[:, cols][rows]
    permuted.sort_indices()
    return _Reordered(run(permuted, **options | {"permc_spec": "NATURAL"}), rows, cols)


@differentiable("data", "b", saves=True, core={"data": 1, "b": 2})
def solve(data: Any, b: Any, *, pattern: Pattern, adjoint: bool = False, factors: Any = None,
    options: Any = None,
          on_fail: str = "raise") -> Any:  # fmt: skip
    """Solve A x = b (A^H x = b if `adjoint`); return x and, for each matrix, 1 if it is singular,
    otherwise 0.

    data (..., nnz) on a canonical csr or csc pattern, b (..., n, k). `factors` are used if they
    fit.
    """
    dtype = working_dtype(data, b)
    if factors is None or not factors.fits(data, dtype, pattern):
        factors = factorize(data, dtype, pattern, options)
        _report_singular(factors, on_fail)
    lead = data.shape[:-1]
    singular = np.array([factor is None for factor in factors.objects], dtype=int).reshape(lead)
    info = np.broadcast_to(singular, np.broadcast_shapes(lead, b.shape[:-2]))
    return (factors.solve(b, lead, adjoint), info), factors


def working_dtype(data: Any, b: Any) -> Any:
    """Return the dtype of the factors: real if the matrix is, in the higher of the two precisions,
    and at least float32.
    """
    return np.result_type(data.dtype, np.empty(0, b.dtype).real.dtype, np.float32)


class SingularMatrix(np.linalg.LinAlgError, RuntimeError):
    """Error of both kinds: solvers raise the first, SciPy's splu the second."""


def _report_singular(factors: Factors, on_fail: str) -> None:
    count, size = sum(factor is None for factor in factors.objects), len(factors.objects)
    if not count or on_fail in ("nan", "info"):
        return
    which = f"{count} of the {size} matrices" if size > 1 else "the matrix"
    if on_fail == "raise":
        raise SingularMatrix(
            f"sparse.linalg: a factor of {which}, shape {factors.pattern.shape}, is exactly "
            "singular or NaN. spsolve(A, b, on_fail='nan') gives NaN in place of this error."
        )
    from scipy.sparse.linalg import MatrixRankWarning

    warnings.warn(f"Matrix is exactly singular ({which})", MatrixRankWarning, stacklevel=2)


# A x = b   =>   A x' = b' - A' x. With w = A^-H g: b_bar = w, A_bar = -w x^H, of which only the
# stored places are computed.
# For A^H x = b in the same way with A' replaced by A'^H: w = A^-1 g and A_bar = -x w^H.


@solve.jvp
def _(call: Any, t: Any) -> Any:
    x = call.out[0]
    pattern, change = (call.pattern.T, t.data.conj()) if call.adjoint else (call.pattern, t.data)
    right = t.b - sparse_product(change, x, pattern=pattern)
    return _again(call, materialize(right, x), call.adjoint)[0], ZERO


@solve.vjp
def _(call: Any, g: Any) -> Any:
    x = call.out[0]
    w = _again(call, materialize(g[0], x), not call.adjoint)[0]
    left, right = (x, w) if call.adjoint else (w, x)
    return {"b": w, "data": lambda: -sample_product(left, right.conj(), pattern=call.pattern)}


def _again(call: Any, b: Any, adjoint: bool) -> Any:
    kept = {
        "pattern": call.pattern,
        "factors": call.saved,
        "options": call.options,
        "on_fail": call.on_fail,
    }
    return solve(call.data, b, adjoint=adjoint, **kept)


__all__ = ["SYMMETRIC", "Factors", "solve", "working_dtype"]
