"""Points without derivatives of roots, powers and logarithms of a matrix: eigenvalues on the negative real axis.

The principal branch jumps there. In a complex matrix one such eigenvalue is enough. In a real one a simple negative eigenvalue
stays on the axis, on the same side of the cut, and the function is smooth among real matrices; but two equal ones can become a
complex pair, whose members lie on different sides. This holds also for two that are equal up to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .schur_basis import Basis, NoDerivative


def refuse_on_cut(basis: Basis, copies: int, is_real: bool) -> None:
    """Raise where the eigenvalues of a matrix touch the cut; of each of them `copies` stem from derivatives."""
    w, error = own_eigenvalues(basis, copies)
    left = np.real(w) < 0
    if not is_real and (left & (np.abs(np.imag(w)) <= error)).any():
        raise NoDerivative("an eigenvalue is on the negative real axis, where the principal branch jumps")
    if is_real and (left & (meeting(basis, copies) & left).any(axis=1)).any():
        raise NoDerivative("two eigenvalues on the negative real axis are equal, and leave it at the cut of the principal branch")


def own_eigenvalues(basis: Basis, copies: int) -> tuple[Any, Any]:
    """The eigenvalues in the order of their first copies, and what rounding of the matrix may change in simple ones."""
    n = len(basis.t) // copies
    t = basis.t[:n, :n]
    w = _eigenvalues(t)
    size = np.abs(w) if was_triangular(basis, copies) else np.full(n, n * np.abs(t).max(initial=0))
    return w, np.finfo(t.dtype).eps * size


def was_triangular(basis: Basis, copies: int) -> bool:
    """Return whether the matrix is triangular, so that its eigenvalues stand on its diagonal."""
    n = len(basis.t) // copies
    return basis.z is None or not (basis.z[:n, :n] - np.eye(n)).any()


def meeting(basis: Basis, copies: int) -> Any:
    """Return which eigenvalues of a real matrix, up to rounding, are a double one, (n, n): real ones that may become a complex
    pair.

    Those of [[x, c], [d, y]] are (x + y) / 2 +- sqrt((x - y)^2 + 4 c d) / 2, and d is uncertain.
    """
    w, error = own_eigenvalues(basis, copies)
    error, n = np.maximum(error[:, None], error), len(w)
    near = np.abs(w[:, None] - w) ** 2 <= 4 * (np.abs(basis.t[:n, :n]) + error) * error
    near = np.triu(near, 1)
    return near | near.T


def _eigenvalues(t: Any) -> Any:
    """Of a triangular matrix, or one with LAPACK's 2 x 2 blocks."""
    w = np.diagonal(t)
    below, above = np.diagonal(t, -1), np.diagonal(t, 1)
    if not below.any():
        return w
    imaginary = np.where(below, np.sqrt(np.abs(below) * np.abs(above)), 0)
    return w + 1j * (np.append(imaginary, 0) - np.insert(imaginary, 0, 0))


__all__ = ["meeting", "own_eigenvalues", "refuse_on_cut", "was_triangular"]
