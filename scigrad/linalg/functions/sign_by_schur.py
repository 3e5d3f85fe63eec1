"""The sign of one matrix on the host, from its Schur form with the eigenvalues to the right of the imaginary axis first.

    t = [[t1, c], [0, t2]]   =>   sign(t) = [[1, x], [0, -1]]   with   t1 x - x t2 = 2 c

(Higham 2008, Functions of Matrices, algorithm 5.5). It takes longer than Newton's iteration, and needs no inverse, so that rows
and columns may be of very different size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.lapack import host
from .local_series import Series
from .schur_basis import NoDerivative
from .schur_parlett import SchurParlett

_NEAR_AXIS = 1e-8  # of an eigenvalue's size: as far as Newton's iteration goes
_IN_DOUBT = 1e-3  # of the matrix's size: so near the axis, eigenvalues may be on it but for rounding


class SignBySchur(SchurParlett):
    """A form, as schur_basis.py describes it."""

    def __init__(self, a: Any, copies: int, mark: bool) -> None:
        super().__init__(a, copies, lambda w: np.sign(np.real(w)))
        try:
            self.refuse()
        except NoDerivative:
            self.value = np.full_like(a, np.nan) if mark else host("signm")(a)

    def groups(self, w: Any) -> Any:
        self.series = [Series(0, 1.0, np.ones(1)), Series(0, 1.0, -np.ones(1))]
        return 1 * (np.real(w) < 0)

    def refuse(self) -> None:
        w, error = self.own_eigenvalues()
        t = self.basis.t[: len(w), : len(w)]
        size = np.abs(t).max(initial=0)
        on_axis = np.abs(w.real) <= _NEAR_AXIS * np.abs(w)
        if not self.was_triangular():  # rounding has moved them, several together further than one
            for i in np.flatnonzero(~on_axis & (np.abs(w.real) <= _IN_DOUBT * size)):
                distance = np.linalg.svd(t - 1j * w[i].imag * np.eye(len(t)), compute_uv=False)[-1]
                on_axis[i] = distance <= error[i]
        if on_axis.any():
            raise NoDerivative("it has an eigenvalue on the imaginary axis")


__all__ = ["SignBySchur"]
