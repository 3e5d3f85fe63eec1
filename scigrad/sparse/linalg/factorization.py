"""Sparse LU factorisations: kept, reused for the adjoint system, and differentiable through the equation they solve.

SuperLU factors the matrix M whose csc arrays are given. A csr array is M = A^T, so nothing is converted: A is then solved
with M^T, A^H with conj(M). Under vmap the values of a batch share their pattern; SuperLU factors one matrix at a time, so
the loop over them is inherent, and it is here: one factorisation for each element, none for the derivatives.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, MissingRule, Traced, differentiable, kernel, materialize, raw

from ..arithmetic import traced
from ..arrays import SparseArray
from ..construction import csc_array
from ..patterns import Pattern, is_sparse
from ..products import product, sampled


class Factors:
    """One factorisation for each matrix of a batch, in the order of its leading axes."""

    def __init__(self, objects: list[Any], lead: tuple[int, ...], dtype: Any, pattern: Pattern) -> None:
        self.objects = objects  # None for a singular matrix
        self.lead = lead
        self.dtype = dtype
        self.pattern = pattern

    def fits(self, data: Any, dtype: Any, pattern: Pattern) -> bool:
        """Whether these are factors of such data. Axes of length 1 come and go as batches are aligned."""
        same = [n for n in self.lead if n != 1] == [n for n in data.shape[:-1] if n != 1]
        return same and self.dtype == dtype and self.pattern is pattern

    def solve(self, b: Any, lead: tuple[int, ...], adjoint: bool) -> Any:
        """x with A x = b (A^H x = b) for b of shape (..., n, k) and matrices of shape (*lead, n, n)."""
        if len(self.objects) == 1:
            return self._columns(self.objects[0], b, adjoint)
        batch = np.broadcast_shapes(lead, b.shape[:-2])
        which = np.broadcast_to(np.arange(len(self.objects)).reshape(lead), batch).reshape(-1)
        b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
        rows = b.reshape((which.size, *b.shape[-2:]))
        found = [self._columns(self.objects[i], row, adjoint) for i, row in zip(which, rows, strict=True)]
        return np.stack(found).reshape(b.shape) if found else np.zeros_like(b, np.result_type(b, self.dtype))

    def _columns(self, factor: Any, b: Any, adjoint: bool) -> Any:
        """One matrix: the right-hand sides of a batch stand side by side."""
        dtype = np.result_type(self.dtype, b.dtype)
        if b.size == 0 or factor is None:
            return np.zeros_like(b, dtype) if factor else np.full_like(b, np.nan, dtype)
        columns = np.moveaxis(b, -2, 0)
        flat = np.ascontiguousarray(columns.reshape(columns.shape[0], -1), dtype, like=b)
        real = self.dtype.kind != "c" and dtype.kind == "c"  # real factors: real and imaginary parts are columns of their own
        flat = flat.view(self.dtype) if real else flat
        found = self._transposed(factor, flat, adjoint)
        found = np.ascontiguousarray(found, like=b).view(dtype) if real else found
        return np.moveaxis(found.reshape(columns.shape), 0, -2)

    def _transposed(self, factor: Any, b: Any, adjoint: bool) -> Any:
        if self.pattern.format == "csc":
            return factor.solve(b, "H" if adjoint else "N")
        return factor.solve(b.conj()).conj() if adjoint else factor.solve(b, "T")


def factorise(data: Any, dtype: Any, pattern: Pattern, options: Any) -> Factors:
    """Factor every matrix of a batch of values."""
    rows, lead = pattern.shape[0], data.shape[:-1]
    indices, indptr = pattern.arrays
    objects = []
    for values in data.reshape(-1, data.shape[-1]).astype(dtype, copy=False):
        matrix = kernel("sparse.csc_array")((values, indices, indptr), shape=(rows, rows))
        objects.append(superlu(matrix, options))
    return Factors(objects, lead, np.dtype(dtype), pattern)


def superlu(matrix: Any, options: Any) -> Any:
    """SuperLU's factorisation of a csc array, None if it is exactly singular."""
    try:
        return kernel("sparse.linalg.splu")(matrix, **(options or {}))
    except RuntimeError as error:
        if "singular" not in str(error):
            raise
        return None


@differentiable("data", "b", saves=True)
def solve(data: Any, b: Any, *, pattern: Pattern, adjoint: bool = False, factors: Any = None, options: Any = None,
          on_fail: str = "raise") -> Any:  # fmt: skip
    """The solution of A x = b (A^H x = b if `adjoint`) and, for each matrix, 1 if it is singular, otherwise 0.

    data (..., nnz) on a canonical csr or csc pattern, b (..., n, k). `factors` are used if they fit.
    """
    dtype = _working_dtype(data, b)
    if factors is None or not factors.fits(data, dtype, pattern):
        factors = factorise(data, dtype, pattern, options)
        _report(factors, on_fail)
    lead = data.shape[:-1]
    singular = np.array([factor is None for factor in factors.objects], dtype=int).reshape(lead)
    info = np.broadcast_to(singular, np.broadcast_shapes(lead, b.shape[:-2]))
    return (factors.solve(b, lead, adjoint), info), factors


solve.batch_leading(data=1, b=2)


def _working_dtype(data: Any, b: Any) -> Any:
    """That of the factors: real if the matrix is, in the higher precision of the two."""
    return np.result_type(data.dtype, np.empty(0, b.dtype).real.dtype)


def _report(factors: Factors, on_fail: str) -> None:
    count, size = sum(factor is None for factor in factors.objects), len(factors.objects)
    if not count or on_fail in ("nan", "info"):
        return
    which = f"{count} of the {size} matrices" if size > 1 else "the matrix"
    if on_fail == "raise":
        raise RuntimeError(
            f"Factor is exactly singular: {which} of shape {factors.pattern.shape} cannot be solved with. A row or column "
            'without values, or equations that repeat, are the usual causes; on_fail="nan" or "info" goes on with NaN.'
        )
    from scipy.sparse.linalg import MatrixRankWarning

    warnings.warn(f"Matrix is exactly singular ({which})", MatrixRankWarning, stacklevel=2)


# A x = b   =>   A x' = b' - A' x. With w = A^-H g: b_bar = w, A_bar = -w x^H, of which only the stored places are computed.
# For A^H x = b in the same way with A' replaced by A'^H: w = A^-1 g and A_bar = -x w^H.


@solve.jvp
def _(call: Any, t: Any) -> Any:
    x = call.out[0]
    pattern, change = (call.pattern.T, t.data.conj()) if call.adjoint else (call.pattern, t.data)
    right = t.b - product(change, x, pattern=pattern)
    return _again(call, materialize(right, x), call.adjoint)[0], ZERO


@solve.vjp
def _(call: Any, g: Any) -> Any:
    x = call.out[0]
    w = _again(call, materialize(g[0], x), not call.adjoint)[0]
    left, right = (x, w) if call.adjoint else (w, x)
    return {"b": w, "data": lambda: -sampled(left, right.conj(), pattern=call.pattern)}


def _again(call: Any, b: Any, adjoint: bool) -> Any:
    kept = {"pattern": call.pattern, "factors": call.saved, "options": call.options, "on_fail": call.on_fail}
    return solve(call.data, b, adjoint=adjoint, **kept)


# -- the factorisation as an object


class SparseLU:
    """Factors of a square sparse array: `solve` uses them again and is differentiable in A and in the right-hand side."""

    def __init__(self, a: SparseArray, options: Any) -> None:
        self._a, self._options = a, options
        none = np.zeros_like(raw(a.data), shape=(a.shape[0], 0))  # a solve without right-hand sides: the factors are saved
        bound = solve.bind((a.data, none), {"pattern": a.pattern, "options": options})
        self._factors: Factors = solve.evaluate(bound)[1]

    @property
    def shape(self) -> tuple[int, ...]:
        return self._a.shape

    @property
    def nnz(self) -> int:
        """Values stored in L and U together."""
        return self._one("nnz").nnz

    @property
    def perm_r(self) -> Any:
        """Row permutation, an integer vector."""
        return self._one("perm_r").perm_r

    @property
    def perm_c(self) -> Any:
        """Column permutation, an integer vector."""
        return self._one("perm_c").perm_c

    @property
    def L(self) -> Any:
        """Lower triangular factor, if A is not traced."""
        return self._plain_factor("L")

    @property
    def U(self) -> Any:
        """Upper triangular factor, if A is not traced."""
        return self._plain_factor("U")

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """The solution of A x = rhs (trans="N"), A^T x = rhs ("T") or A^H x = rhs ("H"); rhs of shape (n,) or (n, k)."""
        rhs = rhs if hasattr(rhs, "dtype") else np.asarray(rhs)
        self._check(rhs, trans)
        b = rhs if len(rhs.shape) == 2 else rhs[:, None]
        b = b.conj() if trans == "T" else b
        kept = {"pattern": self._a.pattern, "factors": self._factors, "options": self._options}
        found = solve(self._a.data, b, adjoint=trans != "N", **kept)[0]
        x = found.conj() if trans == "T" else found
        return x if len(rhs.shape) == 2 else x[:, 0]

    def _check(self, rhs: Any, trans: str) -> None:
        if trans not in ("N", "T", "H"):
            raise ValueError(f"trans must be 'N', 'T', or 'H', not {trans!r}")
        if len(rhs.shape) not in (1, 2) or rhs.shape[0] != self.shape[0]:
            raise ValueError(f"rhs is of incompatible size: shape {tuple(rhs.shape)} for a matrix of shape {self.shape}")
        if _working_dtype(self._a.data, rhs) != self._a.data.dtype:
            raise TypeError(f"rhs has dtype {rhs.dtype}, the factors only {self._a.data.dtype}: factor A in that precision")

    def _one(self, name: str) -> Any:
        if len(self._factors.objects) != 1:
            raise TypeError(f"{name} of a factorisation under vmap: each element of the batch has its own")
        return self._factors.objects[0]

    def _plain_factor(self, name: str) -> Any:
        if isinstance(self._a.data, Traced):
            raise MissingRule(
                f"splu: the factor {name} of a traced matrix has no derivative rule. solve(b) is differentiable; for the factor "
                "as a constant, factor the array with stop_gradient(data)."
            )
        return getattr(self._one(name), name)


def splu(A: Any, permc_spec: Any = None, diag_pivot_thresh: Any = None, relax: Any = None, panel_size: Any = None,
         options: Any = None) -> Any:  # fmt: skip
    """Factor a square sparse array, to solve with it many times.

    Parameters
    ----------
    A : square sparse array, best in csc format
    permc_spec, diag_pivot_thresh, relax, panel_size, options : SuperLU's, as scipy.sparse.linalg.splu takes them

    Returns
    -------
    factors : object with `solve(rhs, trans="N" | "T" | "H")`, `L`, `U`, `perm_r`, `perm_c`, `shape` and `nnz`, as SciPy's.
        `solve` is differentiable in A and rhs, to any order, without factoring again; rhs may be complex where A is real

    Raises
    ------
    RuntimeError : A is exactly singular
    ValueError : A is not square

    Notes
    -----
    L and U have no derivative: they are refused where A is traced. Under vmap the matrices share a pattern; SuperLU factors
    them one by one.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.diag([2.0, 4.0]))
    >>> print(grad(lambda A: np.sum(sparse.linalg.splu(A).solve(np.ones(2))))(A).toarray())
    [[-0.25    0.    ]
     [ 0.     -0.0625]]
    """
    given = dict(permc_spec=permc_spec, diag_pivot_thresh=diag_pivot_thresh, relax=relax, panel_size=panel_size, options=options)
    if not is_sparse(A) or A.format != "csc":
        from scipy.sparse import SparseEfficiencyWarning

        warnings.warn("splu converted its input to CSC format", SparseEfficiencyWarning, stacklevel=2)
    a = traced(A if is_sparse(A) else csc_array(A)).tocsc().canonical()
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"can only factor square matrices, not one of shape {a.shape}")
    return SparseLU(a if a.dtype.kind in "fc" else SparseArray(a.data.astype(np.float64), a.pattern), given)


__all__ = ["Factors", "SparseLU", "solve", "splu"]
