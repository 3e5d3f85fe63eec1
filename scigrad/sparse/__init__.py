"""Sparse arrays: SciPy's and CuPy's own, differentiable in their stored values."""

from scigrad.autodiff_rules.public_names import public_names

from . import containers, linalg  # noqa: F401  (containers: transforms know sparse arrays from here on)
from .construction import coo_array, csc_array, csr_array
from .diagonals import diags, diags_array

__all__ = ["coo_array", "csc_array", "csr_array", "diags", "diags_array"]

__getattr__, __dir__ = public_names(__name__, [*__all__, "linalg"])
