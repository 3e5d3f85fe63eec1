"""NumPy's own functions of linear algebra, which take traced arrays by NumPy's protocol."""

from numpy.linalg import *
from numpy.linalg import __all__ as __all__
