"""Names of scipy.linalg without an array to differentiate: SciPy's own objects, imported when one is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .foundation.lapack import host

NAMES = (
    "LinAlgWarning", "dft", "find_best_blas_type", "get_blas_funcs", "get_lapack_funcs", "hadamard", "helmert", "hilbert",
    "invhilbert", "invpascal", "pascal",
)  # fmt: skip


def passing_on(otherwise: Callable[[str], Any]) -> Callable[[str], Any]:
    """The `__getattr__` of a module that passes on these names of SciPy's, and asks `otherwise` for all others."""
    return lambda name: host(name) if name in NAMES else otherwise(name)


__all__ = ["NAMES", "passing_on"]
