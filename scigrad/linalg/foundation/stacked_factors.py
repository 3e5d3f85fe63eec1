"""Many small systems, factored together: every step of the elimination is one array operation.

The batch is the last axis, contiguous in memory. Pivots are chosen for each matrix by itself, as
LAPACK does, so that its numbers of failed pivots are the same.
"""

from typing import Any, NamedTuple

import numpy as np

from .matrices import is_complex

# up to this order, and from this number of matrices on, inverses are slower
LARGEST_ORDER, FEWEST = 6, 256


class StackedLU(NamedTuple):
    """P L U of a batch: lu (n, n, batch), the rows of each matrix in the order of its pivots (n,
    batch), and the 1-norms.
    """

    lu: Any
    order: Any
    norms: Any

    def __call__(self, b: Any, adjoint: bool) -> Any:
        """Solve a x = b, or a^H x = b, for x of shape (batch, n, k)."""
        x = np.moveaxis(b, 0, -1)
        order = np.broadcast_to(self.order[:, None], x.shape)
        if not adjoint:
            return np.moveaxis(self._substituted(np.take_along_axis(x, order, 0)), -1, 0)
        out = np.empty(x.shape, x.dtype)
        np.put_along_axis(out, order, self._substituted_back(np.array(x, order="C")), 0)
        return np.moveaxis(out, -1, 0)

    def _substituted(self, x: Any) -> Any:
        """Return u^-1 l^-1 x for each matrix of the batch, computed in place of x."""
        lu, n = self.lu, len(self.lu)
        for i in range(n - 1):
            x[i + 1 :] -= lu[i + 1 :, i, None] * x[i]
        for i in reversed(range(n)):
            x[i] /= lu[i, i]
            x[:i] -= lu[:i, i, None] * x[i]
        return x

    def _substituted_back(self, x: Any) -> Any:
        """Return l^-H u^-H x for each matrix of the batch, computed in place of x."""
        lu, n = self.lu.conj() if is_complex(self.lu) else self.lu, len(self.lu)
        for i in range(n):
            x[i] /= lu[i, i]
            x[i + 1 :] -= lu[i, i + 1 :, None] * x[i]
        for i in reversed(range(1, n)):
            x[:i] -= lu[i, :i, None] * x[i]
        return x

    def condition_bound(self) -> Any:
        """Return an upper bound of |a| |a^-1| in the 1-norm, for each matrix: |a| n |m(u)^-1
        m(l)^-1 e|_max with the comparison matrices m, whose inverses bound those of u and l element
        by element (Higham, Accuracy and Stability, 2nd ed., section 8.3).
        """
        size, n = -np.abs(self.lu), len(self.lu)
        for i in range(n):
            size[i, i] *= -1
        bound = StackedLU(size, self.order, self.norms)._substituted(
            np.ones((n, 1, size.shape[-1]), size.dtype)
        )
        return self.norms * n * bound.max(axis=(0, 1))


def stacked_lu(a: Any) -> tuple[StackedLU, Any]:
    """Return the factors of matrices (batch, n, n), and LAPACK's info; where a pivot is 0 it is
    replaced by 1.
    """
    lu = np.array(np.moveaxis(a, 0, -1), order="C")
    n, _, count = lu.shape
    norms = np.abs(lu).sum(axis=0).max(axis=0)
    order, info = np.repeat(np.arange(n)[:, None], count, axis=1), np.zeros(count, np.intp)
    for k in range(n):
        column = lu[k:, k]
        # as LAPACK compares
        size = np.abs(column.real) + np.abs(column.imag) if is_complex(lu) else np.abs(column)
        moved = np.flatnonzero(size.max(axis=0) > size[0])
        if moved.size:
            other = k + size[:, moved].argmax(axis=0)
            _interchange(lu, k, (other, slice(None), moved), moved)
            _interchange(order, k, (other, moved), moved)
        zero = lu[k, k] == 0
        if zero.any():
            info[zero & (info == 0)] = k + 1
            lu[k, k, zero] = 1
        lu[k + 1 :, k] /= lu[k, k]
        lu[k + 1 :, k + 1 :] -= lu[k + 1 :, k, None] * lu[k, k + 1 :]
    return StackedLU(lu, order, norms), info


def _interchange(rows: Any, k: int, others: Any, moved: Any) -> None:
    """Exchange row k with other ones, in those matrices of the batch that need it."""
    first = rows[k][..., moved]
    rows[k][..., moved] = rows[others].T
    rows[others] = first.T


__all__ = ["FEWEST", "LARGEST_ORDER", "StackedLU", "stacked_lu"]
