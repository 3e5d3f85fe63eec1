"""SciPy's older classes of sparse matrices, whose `*` is the product of matrices. Their texts are made in construction.py."""

from __future__ import annotations

from .construction import Sparse
from .formats import Blocks


class bsr_matrix(Blocks): ...


class csr_matrix(Sparse): ...


class csc_matrix(Sparse): ...


class coo_matrix(Sparse): ...


class dia_matrix(Sparse): ...


class lil_matrix(Sparse): ...


class dok_matrix(Sparse): ...


__all__ = ["bsr_matrix", "coo_matrix", "csc_matrix", "csr_matrix", "dia_matrix", "dok_matrix", "lil_matrix"]
