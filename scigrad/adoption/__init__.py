"""Other people's packages, written with NumPy and SciPy, differentiated as they are."""

from .adoption import Adoption, adopt, unadopt

__all__ = ["Adoption", "adopt", "unadopt"]
