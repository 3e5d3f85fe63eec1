"""Signal processing: filters, convolution, filter design and windows."""

from .convolution import fftconvolve
from .filter_design import firwin
from .filtering import lfilter, sosfilt
from .windows import get_window

__all__ = ["fftconvolve", "firwin", "get_window", "lfilter", "sosfilt"]
