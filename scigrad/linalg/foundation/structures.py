"""Assumptions about a matrix: what is read of it, and how it is factored then."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules.backends import library

from .matrices import hermitian, is_complex, triangle, tridiagonal

# assume_a, in SciPy's words -> ours
STRUCTURES = {
    None: "detect", "general": "general", "gen": "general", "diagonal": "diagonal", "tridiagonal": "tridiagonal",
    "banded": "banded", "upper triangular": "upper", "lower triangular": "lower", "symmetric": "symmetric", "sym": "symmetric",
    "hermitian": "hermitian", "her": "hermitian", "positive definite": "positive definite", "pos": "positive definite",
}  # fmt: skip


def whole_matrix(a: Any, structure: str, lower: bool) -> Any:
    """The whole matrix, from the part of `a` that is read under an assumption."""
    if structure in ("symmetric", "hermitian", "positive definite"):
        return hermitian(a, bool(lower), structure != "symmetric")
    if structure in ("lower", "upper"):
        return triangle(a, structure == "lower")
    if structure == "diagonal":
        return np.tril(np.triu(a))
    return tridiagonal(a) if structure == "tridiagonal" else a


def factored_as(whole: Any, structure: str, lower: bool) -> tuple[str, bool]:
    """Return how a concrete matrix is factored."""
    if structure == "detect":
        return detected(whole)
    if structure in ("lower", "upper"):
        return "triangular", structure == "lower"
    return "symmetric" if structure == "hermitian" and not is_complex(whole) else structure, bool(lower)


def detected(a: Any) -> tuple[str, bool]:
    """The structure of one concrete matrix, as a kind and whether the lower triangle holds it; "general" where looking for it
    would cost more than it saves (batches) or wait for a device."""
    if library(a) != "numpy" or a.ndim != 2 or a.size == 0:
        return "general", False
    first, last = a[0, -1], a[-1, 0]
    if first and last and abs(first) != abs(last):
        return "general", False  # seen from two corners
    from scipy.linalg import bandwidth, ishermitian, issymmetric

    below, above = bandwidth(a)
    if below == 0 or above == 0:
        return "diagonal" if below == above else "triangular", above == 0
    if below <= 1 and above <= 1 and a.shape[0] > 3:
        return "tridiagonal", False
    if ishermitian(a):
        return "self-adjoint", True
    return "symmetric" if is_complex(a) and issymmetric(a) else "general", True
