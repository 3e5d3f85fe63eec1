"""Signal processing: filters, convolution, filter design and windows."""

from typing import TYPE_CHECKING, Any

from scigrad.autodiff_rules.public_names import collected, public_names

from . import windows
from .convolution import *
from .design.equiripple import *
from .design.finite_design import *
from .design.recursive_design import *
from .design.resonances import *
from .design.window_method import *
from .filters.filtering import *
from .filters.neighbourhoods import *
from .filters.symmetric import *
from .filters.zero_phase import *
from .forms.band_changes import *
from .forms.conversions import *
from .forms.partial_fractions import *
from .forms.transformations import *
from .peaks import *
from .resampling import *
from .spectra.analytic import *
from .spectra.chirp_z import *
from .spectra.detrending import *
from .spectra.irregular import *
from .spectra.short_time import *
from .spectra.sliding_transform import *
from .spectra.sliding_transform import short_time_fft as _short_time_fft
from .spectra.spectral import *
from .splines import *
from .systems.objects import *
from .systems.pole_placement import *
from .systems.responses import *
from .systems.simulation import *
from .systems.state_space import *
from .waveforms import *
from .windows.shapes import *

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
