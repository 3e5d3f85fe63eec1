"""The principal square root of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.numpy.call_stack import warn

from ..foundation import failures
from ..foundation.lapack import host
from ..foundation.matrices import as_array, is_complex, is_host, is_moderate, native
from .branch_cut import refuse_on_cut
from .device_functions import RootBySign
from .frechet import GIVEN, answered, blocks, matrix_function
from .schur_basis import Basis, OnHost, commutator_solution, doubled, exponent_of_size, schur_basis


class Root:
    """The square root of one matrix. From r r = a follows  r L + L r = e: a Sylvester equation with the triangular root."""

    def __init__(self, a: Any, copies: int) -> None:
        half = exponent_of_size(a, 2) // 2  # the root of 4^k a is 2^k times the root of a, to the last bit
        self.size = 2.0**half
        self.real = not is_complex(a)
        self.basis, self.r, self.own = _rooted(a / self.size / self.size, copies)
        self.value = self.basis.back(self.r) * self.size

    def derivative(self, e: Any) -> Any:
        refuse_on_cut(self.own, 1, self.real)
        return self.basis.back(commutator_solution(self.r, self.basis.to(e / self.size)))


def _rooted(a: Any, copies: int) -> tuple[Basis, Any, Basis]:
    """A basis in which a is triangular, its root there, and a's own decomposition, without the copies."""
    if copies > 1:
        half = len(a) // 2
        basis, r, own = _rooted(a[:half, :half], copies // 2)
        basis = doubled(basis, a[:half, half:])
        return basis, blocks(r, commutator_solution(r, basis.t[:half, half:]), None), own
    own = schur_basis(a, False, 1)
    if _mixed(own.t):
        own = schur_basis(a, True, 1)
    r = host("sqrtm")(own.t)
    if not np.tril(r, -2).any():
        return own, r, own
    r, z = host("schur")(own.back(r))  # SciPy found another order of the eigenvalues
    return Basis(r @ r, z), r, own


def _mixed(t: Any) -> bool:
    """Return whether a real t has 2 x 2 blocks and a negative eigenvalue beside them, for which SciPy 1.17.1 fails."""
    below = np.diagonal(t, -1) != 0
    if is_complex(t) or not below.any():
        return False
    in_block = np.append(below, False) | np.insert(below, 0, False)
    return bool((np.diagonal(t)[~in_block] < 0).any())


def _is_scipys(a: Any) -> bool:
    """Return whether SciPy's kernel is correct for this matrix."""
    if type(a) is not np.ndarray or a.ndim < 2 or not a.size:
        return True
    quasi_triangular = not a[..., -1, 0].any() and not np.tril(a, -2).any() and np.tril(a, -1).any()
    return is_moderate(a) and bool(a.dtype.kind == "c" or a.shape[-1] < 3 or not quasi_triangular)


_METHODS = {mark: OnHost("sqrtm", Root, mark, RootBySign("sqrtm", mark)) for mark in (False, True)}


def sqrtm(A, disp=GIVEN, blocksize=GIVEN, *, on_fail="raise"):
    """Compute the principal square root of a matrix.

    ``R R = A``, with the eigenvalues of R in the right half-plane.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    disp : bool, optional
        Deprecated, as in SciPy.
    blocksize : int, optional
        Deprecated, as in SciPy.

    Returns
    -------
    R : (..., n, n) ndarray
        Square root, complex where `A` has a negative eigenvalue.
    errest : (...) ndarray
        Only with ``disp=False``: ``|R R - A|^2 / |A|`` in the Frobenius norm.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, -1 for a matrix with NaN or infinities, 1 where `R` is not finite.

    Raises
    ------
    numpy.linalg.LinAlgError
        If `A` is not square, or a derivative is required where it does not exist, up to rounding: `A` is singular, a complex `A`
        has an eigenvalue on the negative real axis, or a real `A` has two equal ones there. On a GPU for any eigenvalue of `A`
        there or at 0.

    Warns
    -----
    scipy.linalg.LinAlgWarning
        If `A` is singular or ill conditioned.

    Notes
    -----
    The derivative ``L = R'`` solves ``R L + L R = A'``, and `A_bar` the adjoint equation. Both use the Schur decomposition of the
    value. See `scipy.linalg.sqrtm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.sqrtm(a)))(np.diag([1.0, 4.0])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    if is_host(A) and on_fail == "raise" and _is_scipys(A):
        given = {k: v for k, v in (("disp", disp), ("blocksize", blocksize)) if v is not GIVEN}
        return host("sqrtm")(native(A), **given)
    failures.check_policy("sqrtm", on_fail)
    for name, value in (("disp", disp), ("blocksize", blocksize)):
        if value is not GIVEN:
            warn(f"sqrtm: The `{name}` argument is deprecated and will be removed in SciPy 1.18.0.", DeprecationWarning)
    a = as_array("sqrtm", "A", A)
    if a.ndim < 2:
        raise np.linalg.LinAlgError(f"sqrtm: The input array must be at least two-dimensional, but has shape {a.shape}.")
    if a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError(f"sqrtm: Last 2 dimensions of the array must be square; its shape is {a.shape}.")
    root = matrix_function(a, _METHODS[on_fail != "raise"])
    estimate = ()
    if disp is not GIVEN and not disp:
        size = lambda x: np.sqrt(np.sum(np.abs(x) ** 2, axis=(-2, -1)))  # noqa: E731
        estimate = (size(root @ root - a) ** 2 / size(a),)
    return answered(a, root, on_fail, *estimate)


__all__ = ["sqrtm"]
