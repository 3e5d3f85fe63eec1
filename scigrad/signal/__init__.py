"""Signal processing: filters, convolution, filter design and windows."""

from scigrad.autodiff_rules.public_names import public_names

from .convolution import fftconvolve
from .filter_design import firwin
from .filtering import lfilter, sosfilt
from .windows import get_window

__all__ = ["fftconvolve", "firwin", "get_window", "lfilter", "sosfilt"]

__getattr__, __dir__ = public_names(__name__, __all__)
