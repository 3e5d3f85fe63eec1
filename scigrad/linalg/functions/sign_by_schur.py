"""The sign of one matrix on the host, from its Schur form with the eigenvalues to the right of the imaginary axis first.

    t = [[t1, c], [0, t2]]   =>   sign(t) = [[1, x], [0, -1]]   with   t1 x - x t2 = 2 c

(Higham 2008, Functions of Matrices, algorithm 5.5). It takes longer than Newton's iteration, and needs no inverse, so that rows
and columns may be of very different size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.lapack import host
from ..foundation.matrices import is_complex
from .branch_cut import own_eigenvalues, was_triangular
from .frechet import blocks
from .schur_basis import Basis, NoDerivative, faint, in_double, schur_basis, triangular_sylvester
from .schur_parlett import contiguous

_NEAR_AXIS = 1e-8  # of an eigenvalue's size: as far as Newton's iteration goes
_IN_DOUBT = 1e-3  # of the matrix's size: so near the axis, eigenvalues may be on it but for rounding


class SignBySchur:
    """A form, as schur_basis.py describes it."""

    def __init__(self, a: Any, copies: int, mark: bool) -> None:
        self.real, self.reason = not is_complex(a), None
        self.basis = schur_basis(in_double(a), True, copies)
        try:
            _refuse_on_axis(self.basis, copies)
        except NoDerivative as reason:
            self.reason, self.value = reason, np.full_like(a, np.nan) if mark else host("signm")(a)
            return
        self.left = np.real(np.diagonal(self.basis.t)) < 0
        value = self.basis.back(_of_triangular(self.basis.t, self.left))
        self.value = value.real if self.real else value

    def derivative(self, e: Any) -> Any:
        if self.reason is not None:
            raise self.reason
        t, real, e = self.basis.t, self.real and not is_complex(e), self.basis.to(e)
        size = faint(t, e)
        found = _of_triangular(blocks(t, size * e, None), np.tile(self.left, 2))[: len(t), len(t) :] / size
        found = self.basis.back(found)
        return found.real if real else found


def _of_triangular(t: Any, left: Any) -> Any:
    t, q, left = contiguous(t, left.astype(int))
    signs = 1.0 - 2 * left
    sign = np.diag(signs).astype(complex)
    k = int(np.sum(left == left[0]))
    if k < len(t):
        sign[:k, k:] = triangular_sylvester(t[:k, :k], t[k:, k:], 2 * signs[0] * t[:k, k:], -1)
    return q @ sign @ q.conj().T


def _refuse_on_axis(basis: Basis, copies: int) -> None:
    w, error = own_eigenvalues(basis, copies)
    t = basis.t[: len(w), : len(w)]
    size = np.abs(t).max(initial=0)
    on_axis = np.abs(w.real) <= _NEAR_AXIS * np.abs(w)
    if not was_triangular(basis, copies):  # rounding has moved them, several together further than one
        for i in np.flatnonzero(~on_axis & (np.abs(w.real) <= _IN_DOUBT * size)):
            distance = np.linalg.svd(t - 1j * w[i].imag * np.eye(len(t)), compute_uv=False)[-1]
            on_axis[i] = distance <= error[i]
    if on_axis.any():
        raise NoDerivative("it has an eigenvalue on the imaginary axis")


__all__ = ["SignBySchur"]
