"""Linear algebra with sparse arrays."""

from scigrad.autodiff_rules.public_names import public_names

from .direct import spsolve
from .factorization import splu
from .iterative import cg

__all__ = ["cg", "splu", "spsolve"]

__getattr__, __dir__ = public_names(__name__, __all__)
