"""Linear algebra with sparse arrays."""

from scigrad.autodiff_rules.errors import missing_names

from .direct import spsolve
from .factorization import splu
from .iterative import cg

__all__ = ["cg", "splu", "spsolve"]

__getattr__ = missing_names(__name__, __all__)
