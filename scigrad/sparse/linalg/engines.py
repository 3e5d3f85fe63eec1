"""Engines of sparse factorizations: SuperLU, which SciPy has, and MKL Pardiso where pypardiso is
installed.
"""

import weakref
from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel
from scigrad.numpy.accelerators import accelerator, why_not

# rows from which Pardiso is the engine if none is named; below, its analysis takes longer than
# SuperLU in all
_FROM = 10_000


def engines() -> dict[str, bool]:
    """Return the names of the engines of sparse factorizations, and whether each can be used.

    Returns
    -------
    dict of {str : bool}
        "superlu" is always there, "pardiso" after ``pip install pypardiso``.

    Notes
    -----
    `spsolve` under a transform, `factorized` and `analyze` use Pardiso where it is installed, in
    double precision from 10,000 rows, if it does not have to replace pivots; otherwise SuperLU.
    Both keep the ordering of a pattern. ``engine=`` forces one. UMFPACK and CHOLMOD are not among
    them, nor is cuDSS: on a GPU CuPy's `splu` factors on the host.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.linalg.engines()["superlu"]
    True
    """
    return {"superlu": True, "pardiso": accelerator("pypardiso") is not None}


engines.is_constant = True  # type: ignore[attr-defined]


def engine_options(name: str | None) -> dict[str, str] | None:
    """Return the options of a factorization by an engine, None for the best one."""
    if name is not None and not engines().get(name):
        reason = why_not("pypardiso") if name == "pardiso" else "unknown"
        raise ValueError(
            f"engine={name!r} cannot be used ({reason}): engines() lists those that can. "
            "pypardiso brings Pardiso."
        )
    return name if name is None else {"engine": name}


class Pardiso:
    """Factors of a csc array by MKL Pardiso, with the method of SuperLU's."""

    replaced: int

    def __init__(self, matrix: Any, symmetric: bool, orders: dict[Any, Any]) -> None:
        from pypardiso.pardiso_wrapper import PyPardisoSolver

        # its arrays are those of the transpose in csr format, as Pardiso's
        self._matrix, key = matrix, f"pardiso, {symmetric}"
        # Pardiso's numbers of kinds of matrices
        types = {(True, "d"): -2, (True, "D"): 6, (False, "d"): 11, (False, "D"): 13}
        self._solver = PyPardisoSolver(types[symmetric, matrix.dtype.char])
        weakref.finalize(self, self._solver.free_memory, everything=True)
        # 1: what follows holds, 2: METIS, 5: order given (1) or returned (2), 10 to 13: pivots,
        # scaling, weighted matching
        scaled = not symmetric
        given = {
            1: 1,
            2: 2,
            5: 1 if key in orders else 2,
            10: 13 if scaled else 8,
            11: scaled,
            13: scaled,
            21: 1,
        }
        for place, value in given.items():
            self._solver.set_iparm(place, value)
        self._solver.perm = orders.setdefault(key, np.zeros(matrix.shape[0], np.int32))
        self._run(12, np.zeros(matrix.shape[0], matrix.dtype))
        self.replaced = int(self._solver.get_iparm(14))

    def _run(self, phase: int, b: Any) -> Any:
        self._solver.set_phase(phase)
        return self._solver._call_pardiso(self._matrix, np.asfortranarray(b))

    def solve(self, b: Any, trans: str = "N") -> Any:
        self._solver.set_iparm(12, 2 if trans == "N" else 0)  # Pardiso's matrix is the transpose
        return self._run(33, b.conj()).conj() if trans == "H" else self._run(33, b)


def pardiso(matrix: Any, pattern: Any, engine: str | None) -> Pardiso | None:
    """Return the factors of a csc array, None if Pardiso is not to be used or would have to replace
    pivots.
    """
    double = matrix.dtype in (np.float64, np.complex128)
    if engine == "pardiso" and not double:
        raise TypeError(
            f"Pardiso factors in double precision, not in {matrix.dtype}: convert A, or take "
            "engine='superlu'"
        )
    chosen = engine == "pardiso" or (
        engine is None and double and matrix.shape[0] >= _FROM and engines()["pardiso"]
    )
    # an empty column ends the process
    if not (chosen and np.diff(matrix.indptr).all() and np.isfinite(matrix.data).all()):
        return None
    from pypardiso.pardiso_wrapper import PyPardisoError

    symmetric = pattern.symmetric_diagonal is not None and np.array_equal(
        matrix.data, matrix.T.tocsc().data
    )
    try:
        # upper triangle of the csr array
        matrix = kernel("sparse.tril")(matrix, format="csc") if symmetric else matrix
        found = Pardiso(matrix, symmetric, pattern.orders)
    except PyPardisoError as error:
        if error.value not in (-4, -7):  # zero pivot, singular diagonal
            raise
        return None
    return None if found.replaced else found


__all__ = ["engines"]
