"""Signal processing: scipy.signal with derivatives, for filters and their design too.

Names, parameters and values are those of SciPy; functions that it lacks are marked with a star.
Windows are in `scigrad.signal.windows`.

Convolution
    convolve, correlate, fftconvolve, oaconvolve, choose_conv_method, correlation_lags, deconvolve
    convolve2d, correlate2d, sepfir2d
Filters
    lfilter, lfilter_zi, lfiltic, sosfilt, sosfilt_zi, filtfilt, sosfiltfilt, symiirorder1
    symiirorder2
    savgol_filter, savgol_coeffs, whittaker_henderson, wiener, medfilt, medfilt2d, order_filter
    upfirdn, resample, resample_poly, decimate, resize*, detrend, firfilter*, firfilter2*
    stream*: filters, spectra and resampling of signals in blocks
Spectra
    periodogram, welch, csd, coherence, spectrogram, lombscargle, vectorstrength
    stft, istft, ShortTimeFFT, closest_STFT_dual_window, check_COLA, check_NOLA
    czt, czt_points, zoom_fft, CZT, ZoomFFT
    hilbert, hilbert2, envelope, real_cepstrum*, complex_cepstrum*, inverse_complex_cepstrum*
Design of filters with a finite response
    firwin, firwin2, firwin_2d, firls, remez, minimum_phase, kaiser_atten, kaiser_beta, kaiserord
Design of recursive filters
    butter, cheby1, cheby2, ellip, bessel, iirfilter, iirdesign, iirnotch, iirpeak, iircomb
    gammatone
    buttord, cheb1ord, cheb2ord, ellipord, band_stop_obj
    buttap, cheb1ap, cheb2ap, ellipap, besselap
    bilinear, bilinear_zpk, lp2lp, lp2lp_zpk, lp2hp, lp2hp_zpk, lp2bp, lp2bp_zpk, lp2bs, lp2bs_zpk
Systems
    lti, dlti, StateSpace, TransferFunction, ZerosPolesGain
    lsim, impulse, step, freqresp, bode, dlsim, dimpulse, dstep, dfreqresp, dbode, cont2discrete
    place_poles
    freqz, freqz_zpk, freqz_sos, sosfreqz, freqs, freqs_zpk, group_delay, findfreqs
Forms of a system
    tf2zpk, tf2sos, tf2ss, zpk2tf, zpk2sos, zpk2ss, sos2tf, sos2zpk, ss2tf, ss2zpk, abcd_normalize
    normalize
    residue, residuez, invres, invresz, unique_roots, BadCoefficients
Waveforms
    chirp, gausspulse, sawtooth, square, sweep_poly, unit_impulse, max_len_seq, get_window
Radar and radio
    channelize_poly*, freq_shift*, pulse_compression*, pulse_doppler*, ca_cfar*, mvdr*
Peaks
    find_peaks, find_peaks_cwt, peak_prominences, peak_widths, argrelmax, argrelmin, argrelextrema
Splines
    cspline1d, cspline1d_eval, cspline2d, qspline1d, qspline1d_eval, qspline2d, gauss_spline
    spline_filter
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scigrad.autodiff_rules.messages.public_names import collect_names, public_names

from . import stream, windows
from .convolution import *
from .design.equiripple import *
from .design.finite_design import *
from .design.least_order import *
from .design.recursive_design import *
from .design.resonances import *
from .design.window_method import *
from .filters.filtering import *
from .filters.initial_states import *
from .filters.rank_filters import *
from .filters.symmetric import *
from .filters.zero_phase import *
from .forms.analog_prototypes import *
from .forms.band_changes import *
from .forms.conversions import *
from .forms.partial_fractions import *
from .foundation.composition import constant_result as _constant
from .foundation.window_shapes import *
from .peaks import *
from .radar import *
from .resampling import *
from .resizing import *
from .smoothing import *
from .spectra.analytic import *
from .spectra.cepstra import *
from .spectra.chirp_z import *
from .spectra.detrending import *
from .spectra.dual_windows import *
from .spectra.irregular import *
from .spectra.short_time import *
from .spectra.spectral import *
from .splines import *
from .systems.objects import *
from .systems.pole_placement import *
from .systems.responses import *
from .systems.simulation import *
from .systems.state_space import *
from .waveforms import *

# SciPy's own functions of sizes, orders and positions, which are constant; found when asked for
if TYPE_CHECKING:
    from scipy.signal import (
        BadCoefficients,
        argrelextrema,
        argrelmax,
        argrelmin,
        besselap,
        buttap,
        check_COLA,
        check_NOLA,
        correlation_lags,
        find_peaks_cwt,
        max_len_seq,
        unit_impulse,
    )  # fmt: skip

    from .spectra.short_time_fft import ShortTimeFFT

__all__ = [
    "BadCoefficients", "argrelextrema", "argrelmax", "argrelmin", "besselap", "buttap",
    "check_COLA", "check_NOLA", "correlation_lags", "find_peaks_cwt", "max_len_seq", "unit_impulse",
]  # fmt: skip
_SCIPYS = tuple(__all__)
__all__ += ["stream", "ShortTimeFFT"]  # SciPy's class is its base, it is loaded when asked for
__all__ += collect_names(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

_find, __dir__ = public_names(__name__, [*__all__, "windows"], _SCIPYS)


_POSITIONS = {
    "argrelextrema",
    "argrelmax",
    "argrelmin",
    "check_COLA",
    "check_NOLA",
    "correlation_lags",
    "find_peaks_cwt",
}


if not TYPE_CHECKING:  # type checkers report a misspelt name only if there is no __getattr__

    def __getattr__(name: str) -> Any:
        if name == "ShortTimeFFT":
            return import_module("scigrad.signal.spectra.short_time_fft").ShortTimeFFT
        # These functions get the numbers of traced arrays
        return _constant(_find(name)) if name in _POSITIONS else _find(name)
