"""Linear algebra with sparse arrays."""

from .direct import spsolve
from .factorization import splu
from .iterative import cg

__all__ = ["cg", "splu", "spsolve"]
