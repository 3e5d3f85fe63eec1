"""Linear algebra with sparse arrays."""

from scigrad.autodiff_rules.public_names import collected, public_names

from .direct import *
from .factorization import *
from .iterative import *
from .operators import *

__all__ = collected(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = public_names(__name__, __all__)
