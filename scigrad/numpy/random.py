"""NumPy's own functions of random numbers, whose values are plain arrays."""

from numpy.random import *
from numpy.random import __all__ as __all__
