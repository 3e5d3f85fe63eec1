"""Signal processing: filters, convolution, filter design and windows."""

from scigrad.autodiff_rules.public_names import collected, public_names

from . import windows
from .conversions import *
from .convolution import *
from .detrending import *
from .filter_design import *
from .filtering import *
from .recursive_design import *
from .resampling import *
from .responses import *
from .short_time import *
from .spectral import *
from .transformations import *
from .waveforms import *
from .window_shapes import *
from .zero_phase import *

__all__ = collected(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = public_names(__name__, [*__all__, "windows"])
