"""NumPy's own functions of Fourier transforms, which take traced arrays by NumPy's protocol."""

from numpy.fft import *
from numpy.fft import __all__ as __all__
