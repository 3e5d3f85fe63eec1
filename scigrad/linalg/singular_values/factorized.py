"""Factorization objects: one factorization serves any number of solves, adjoint solves, the
logarithm of |det|, and all their derivatives.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import differentiable, raw, shape_of
from scigrad.autodiff_rules.recording import copy_array
from scigrad.typing import ArrayLike, OnFail

from ..foundation import failures
from ..foundation.decompositions import invert
from ..foundation.factors import (
    STRUCTURES,
    Factors,
    assume_structure,
    factorize,
    failure_codes,
    fitting_factors,
)
from ..foundation.matrices import (
    as_array,
    as_vectors,
    check_matrices,
    diagonal,
    identity,
    largest,
    mH,
    right_hand_sides,
)
from ..systems.solve import linear_solve
from .any_rank import Spectrum, counts, pseudo_solve

# -- rectangular matrices: q r, with the pseudo-inverse r^-1 q^H (or q r^-H of a wide one) in the
# form that pseudo_solve takes


def _keep_rectangular(a: Any, on_fail: str) -> Spectrum:
    wide = a.shape[-2] < a.shape[-1]
    q, r, info = failures.decompose_each(
        "factorized", a, lambda a: np.linalg.qr(mH(a) if wide else a), np.linalg.qr, on_fail, (2, 2)
    )
    size = np.abs(diagonal(r))
    failed = (size <= largest(size, -1, True) * (max(a.shape[-2:]) * np.finfo(a.dtype).eps)).any(
        axis=-1
    )
    if on_fail == "raise":
        why = "its rows, or its columns, are dependent: r is singular"
        failures.raise_first("factorized", "a", a.shape, failed * 1, "singular", why)
    inverted, info = invert(failures.patched(r, failed)), np.where(info != 0, info, failed * 1)
    ones = np.ones_like(size)
    u, vh = (inverted, mH(q)) if wide else (q, mH(inverted))
    return Spectrum(
        a.shape, u, ones, vh, failures.marked_nan(ones, info, 1), ones.sum(axis=-1), info
    )


# -- log |det a|' = Re tr(a^-1 a')


@differentiable("a", core={"a": 2})
def _logarithm(a, factors):
    factors = fitting_factors(factors, a) or factors
    if hasattr(factors.solver, "logarithm"):
        value = np.reshape(factors.solver.logarithm(), a.shape[:-2])
    else:
        value = np.linalg.slogdet(
            a if factors.info is None else failures.patched(a, factors.info != 0)
        )[1]
    return (value if factors.info is None else failures.marked_nan(value, factors.info, 0))[()]


@_logarithm.jvp
def _(call, t):
    inverse = linear_solve(
        call.a, identity(shape_of(call.a)[-1], raw(call.a)), factors=call.factors
    )
    return np.real(np.sum(inverse.mT * t.a, axis=(-2, -1)))


# -- the public face


class Factorized:
    """A matrix or a batch of them with its factorization: made by `factorized`."""

    shape: tuple[int, ...]

    def __init__(self, a: Any, factors: Factors | Spectrum, kind: str) -> None:
        self._a, self._factors, self.shape = a, factors, shape_of(a)
        self.kind = kind  # "LU", "Cholesky", "LDL", "QR", "triangular" or "diagonal": what was done

    @property
    def info(self) -> Any:
        """0 where all went well, for each matrix of the batch; else the number of the pivot that is
        0, or -1 for NaN.
        """
        rectangular = isinstance(self._factors, Spectrum)
        return (
            counts(self._a, self._factors)[1]
            if rectangular
            else failure_codes(self._a, self._a, self._factors)
        )

    def solve(self, b: Any, *, adjoint: bool = False) -> Any:
        """Solve a x = b, or a^H x = b; for rectangular a in the sense of least squares or, if there
        are many solutions, of smallest norm.

        b is a vector (n,), or (..., n, k); batch axes broadcast. Differentiable in the matrix and
        in b.
        """
        b = as_array("factorized", "b", b)
        vector = len(shape_of(b)) == 1
        b = right_hand_sides("Factorized.solve", self._a, b, axis=-1 if adjoint else -2)
        if isinstance(self._factors, Spectrum):
            x = pseudo_solve(self._a, b, self._factors, bool(adjoint))
        else:
            x = linear_solve(self._a, b, factors=self._factors, adjoint=bool(adjoint))
        return as_vectors(x) if vector else x

    def logdet(self) -> Any:
        """Return log |det a|, which neither under- nor overflows. Differentiable in the matrix."""
        if isinstance(self._factors, Spectrum):
            raise ValueError(
                f"Factorized.logdet: a matrix of shape {self.shape} is not square and has no "
                "determinant."
            )
        return _logarithm(self._a, self._factors)

    def __repr__(self) -> str:
        return f"<{self.kind} factorization of shape {self.shape}>"


def factorized(
    a: ArrayLike,
    *,
    assume_a: str | None = None,
    lower: bool = False,
    check_finite: bool = True,
    on_fail: OnFail = "raise",
) -> Factorized:
    """Factor a matrix once, for any number of solves.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices.
    assume_a : str, optional
        Structure of a square matrix, as in `solve`. "pos": Cholesky; "sym", "her": LDL; triangular
        and diagonal matrices are used as they are; all others: LU. By default the structure that
        one matrix on the host is seen to have. Rectangular matrices: QR.
    lower : bool, optional
        Whether the lower triangle is read, with the structures that store one triangle.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    F : Factorized
        With ``F.solve(b)``, ``F.solve(b, adjoint=True)``, ``F.logdet()`` (the logarithm of
        ``|det a|``), ``F.kind`` and ``F.info``. With `on_fail` "nan" or "info" solutions with
        singular matrices are NaN, and ``F.info`` says which.

    Raises
    ------
    ValueError
        If `a` is not a matrix, or holds NaN or infinity.
    numpy.linalg.LinAlgError
        If `a` is singular, not positive definite with "pos", or rectangular and not of full rank.

    Notes
    -----
    Differentiable through `a`: value, gradient and Hessian-vector product of all that is computed
    with F share one factorization. Solutions have the precision of `a`. SciPy has such a function
    for sparse matrices only.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> def loss(a):
    ...     f = linalg.factorized(a, assume_a="pos")
    ...     return np.sum(f.solve(np.ones(2))) + f.logdet()
    >>> print(grad(loss)(np.diag([2.0, 4.0])))
    [[ 0.25   -0.25  ]
     [ 0.      0.1875]]
    """
    if assume_a not in STRUCTURES:
        raise ValueError(
            f"factorized: {assume_a!r} is not a recognized matrix structure; known are "
            f"{[*STRUCTURES]}."
        )
    # the program may fill its own again
    a = copy_array(check_matrices("factorized", "a", a, check_finite, on_fail, False))
    if shape_of(a)[-2] != shape_of(a)[-1]:
        return Factorized(a, _keep_rectangular(raw(a), on_fail), "QR")
    whole, kind, lower = assume_structure(a, assume_a, lower)
    # tridiagonal and banded factors keep no determinant
    kind = "general" if kind in ("tridiagonal", "banded") else kind
    factors = factorize("factorized", raw(whole), kind, lower, on_fail, check_condition=False)
    return Factorized(whole, factors, getattr(factors.solver, "kind", "LU"))


__all__ = ["factorized"]
