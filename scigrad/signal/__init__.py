"""Signal processing: filters, convolution, filter design and windows."""

from typing import TYPE_CHECKING, Any

from scigrad.autodiff_rules.public_names import collected, public_names

from . import windows
from .analytic import *
from .band_changes import *
from .chirp_z import *
from .conversions import *
from .convolution import *
from .detrending import *
from .equiripple import *
from .filtering import *
from .finite_design import *
from .irregular import *
from .neighbourhoods import *
from .partial_fractions import *
from .peaks import *
from .pole_placement import *
from .recursive_design import *
from .resampling import *
from .resonances import *
from .responses import *
from .short_time import *
from .simulation import *
from .sliding_transform import *
from .sliding_transform import short_time_fft as _short_time_fft
from .spectral import *
from .splines import *
from .state_space import *
from .symmetric import *
from .systems import *
from .transformations import *
from .waveforms import *
from .window_method import *
from .window_shapes import *
from .zero_phase import *

if TYPE_CHECKING:  # SciPy's own functions of sizes, orders and positions, which are constant; found when asked for
    from scipy.signal import (
        BadCoefficients,
        ShortTimeFFT,
        argrelextrema,
        argrelmax,
        argrelmin,
        besselap,
        buttap,
        buttord,
        cheb1ord,
        cheb2ord,
        check_COLA,
        check_NOLA,
        correlation_lags,
        ellipord,
        find_peaks_cwt,
        kaiserord,
        max_len_seq,
        unit_impulse,
    )

__all__ = [
    "BadCoefficients", "argrelextrema", "argrelmax", "argrelmin", "besselap", "buttap", "buttord", "cheb1ord", "cheb2ord",
    "check_COLA", "check_NOLA", "correlation_lags", "ellipord", "find_peaks_cwt", "kaiserord", "max_len_seq",
    "unit_impulse",
]  # fmt: skip
_SCIPYS = tuple(__all__)
__all__ += ["ShortTimeFFT"]  # a subclass of SciPy's, made when it is first asked for
__all__ += collected(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

_find, __dir__ = public_names(__name__, [*__all__, "windows"], _SCIPYS)


def __getattr__(name: str) -> Any:
    return _short_time_fft() if name == "ShortTimeFFT" else _find(name)
