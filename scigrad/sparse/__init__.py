"""Sparse arrays: SciPy's and CuPy's own, differentiable in their stored values."""

from scigrad.autodiff_rules.public_names import collected, public_names

from . import containers, linalg  # containers: transforms know sparse arrays from here on
from .construction import *
from .diagonals import *

__all__ = collected(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = public_names(__name__, [*__all__, "linalg"])
