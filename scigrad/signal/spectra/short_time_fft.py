"""The short-time Fourier transform as an object. SciPy's class is its base, so this file is
loaded when the class is first asked for.
"""

import copy
from typing import Any

import scipy.signal

import scigrad.numpy as np
from scigrad.autodiff_rules import Traced
from scigrad.fft import fft, fftshift, ifft, ifftshift, irfft, rfft
from scigrad.numpy.devices import on_host, upload

from ..foundation.composition import number, pad_ends, refuse_if
from .detrending import detrend
from .dual_windows import canonical_dual
from .segments import every, overlap_add, two_sided_weights

_PADDING = ("zeros", "edge", "even", "odd")
_MODES = ("onesided", "onesided2X", "twosided", "centered")


def _concrete(window: Any) -> Any:
    return on_host(number(window, "ShortTimeFFT"))


class ShortTimeFFT(scipy.signal.ShortTimeFFT):
    """Short-time Fourier transform with a sliding window, and its inverse.

    Parameters
    ----------
    win : (m,) ndarray
        Window.
    hop : int
        Samples between segments.
    fs : float
        Sampling frequency.
    fft_mode : {"onesided", "twosided", "centered", "onesided2X"}, optional
        Frequencies of the transform.
    mfft : int, optional
        Length of the Fourier transforms, by default that of the window.
    dual_win : (m,) ndarray, optional
        Window of the inverse.
    scale_to : {"magnitude", "psd"}, optional
        Scaling of the window.
    phase_shift : int or None, optional
        Phase of the transforms, in samples.

    Notes
    -----
    This is a subclass of `scipy.signal.ShortTimeFFT`, differentiable in the signals, the
    transforms, the windows and the sampling frequency; the last two are not elements of a batch.
    All segments are transformed together, which takes memory for all of them, and less time. On a
    device the signals and transforms lie there; windows of plain numbers, the times and the
    frequencies are kept on the host. For traced windows take this class:
    `scipy.signal.ShortTimeFFT` needs plain ones.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> transform = signal.ShortTimeFFT(np.ones(2), 1, 1.0)
    >>> print(grad(lambda x: np.sum(abs(transform.stft(x)) ** 2))(np.array([1.0, 2.0, 4.0])))
    [ 8. 16. 32.]
    """

    # a copy of plain numbers beside traced windows: positions are where these are 0
    _of_numbers: Any = None

    def __init__(self, win: Any, hop: int, fs: float, *, fft_mode: str = "onesided",
        mfft: Any = None, dual_win: Any = None,
                 scale_to: Any = None, phase_shift: Any = 0) -> None:  # fmt: skip
        given = {
            "fft_mode": fft_mode,
            "mfft": mfft,
            "phase_shift": phase_shift,
            "scale_to": scale_to,
        }
        super().__init__(_concrete(win), hop, _concrete(fs), dual_win=_concrete(dual_win), **given)
        if any(isinstance(v, Traced) for v in (win, dual_win, fs)):
            _ = self._pre_padding  # SciPy keeps it with the object
            self._of_numbers = copy.copy(self)
            self._fs = fs
            self._win, self._dual_win, self._scaling, self._fac_mag, self._fac_psd = (
                win,
                dual_win,
                None,
                None,
                None,
            )
            if scale_to is not None:
                self.scale_to(scale_to)

    @classmethod
    def from_dual(cls, dual_win: Any, hop: int, fs: float, **options: Any) -> Any:
        """Return the transform that a window inverts."""
        return cls(canonical_dual(on_host(dual_win), hop), hop, fs, dual_win=dual_win, **options)

    @classmethod
    def from_win_equals_dual(
        cls: Any, desired_win: Any, hop: int, fs: float, **options: Any
    ) -> Any:
        """Return the transform whose window is close to a desired one and inverts it, up to a
        factor.
        """
        return super().from_win_equals_dual(on_host(desired_win), hop, fs, **options)

    def _post_padding(self, n: int) -> Any:
        of_numbers: Any = super(ShortTimeFFT, self._of_numbers or self)
        return of_numbers._post_padding(n)

    def scale_to(self, scaling: str) -> None:
        """Scale the window, so that a transform has the magnitude or the power spectral density of
        the signal.
        """
        if (
            not any(isinstance(v, Traced) for v in (self._win, self._dual_win, self._fs))
            or self._scaling == scaling
        ):
            super().scale_to(scaling)
            return
        factor = self.fac_psd if scaling == "psd" else self.fac_magnitude
        self._win, self._dual_win = (
            self._win * factor,
            None if self._dual_win is None else self._dual_win / factor,
        )
        self._fac_mag, self._fac_psd = None, None
        self._scaling: Any = scaling

    @property
    def dual_win(self) -> Any:
        """Window of the inverse, by default the canonical one."""
        if self._dual_win is None:
            self._dual_win = canonical_dual(self._win, self.hop)
            if type(self._dual_win) is np.ndarray:
                self._dual_win.setflags(write=False)
        return self._dual_win

    def stft_detrend(self, x: Any, detr: Any, p0: Any = None, p1: Any = None, *,
        k_offset: int = 0, padding: str = "zeros",
                     axis: int = -1) -> Any:  # fmt: skip
        """Return the transform of signals from whose segments a trend is subtracted."""
        refuse_if(
            self.onesided_fft and x.dtype.kind == "c",
            f"Complex-valued `x` not allowed for {self.fft_mode=}: set 'twosided'.",
        )
        refuse_if(
            not (detr is None or isinstance(detr, str) or callable(detr)),
            f"Parameter {detr=} is not a str, function or None!",
        )
        refuse_if(padding not in _PADDING, f"Parameter {padding=} not in {_PADDING}!")
        n = x.shape[axis]
        least = self.m_num - self.m_num_mid
        given = f"len(x)={n}" if x.ndim == 1 else f"The length {n} of {axis=}"
        refuse_if(n < least, f"{given} must be >= ceil(m_num/2) = {least}!")
        x = np.moveaxis(x, axis, -1)
        p0, p1 = self.p_range(n, p0, p1)
        first = p0 * self.hop - self.m_num_mid + k_offset
        last = first + (p1 - p0) * self.hop + self.m_num
        x = pad_ends(
            x[..., max(first, 0) : min(last, n)], max(-first, 0), max(last - n, 0), padding
        )
        pieces = every(x[..., : (p1 - p0 - 1) * self.hop + self.m_num], self.m_num, self.hop)
        if isinstance(detr, str):
            pieces = detrend(pieces, type=detr)
        elif detr is not None:
            pieces = np.stack([detr(pieces[..., i, :]) for i in range(p1 - p0)], axis=-2)
        spectra = np.swapaxes(self._fft_func(pieces * np.conj(upload(self._win, pieces))), -1, -2)
        return np.moveaxis(spectra, -2, axis if axis >= 0 else axis - 1)

    def istft(
        self, S: Any, k0: int = 0, k1: Any = None, *, f_axis: int = -2, t_axis: int = -1
    ) -> Any:
        """Return the signals of transforms, from sample k0 to k1."""
        f_axis, t_axis, least = f_axis % S.ndim, t_axis % S.ndim, self.m_num - self.m_num_mid
        refuse_if(f_axis == t_axis, f"{f_axis=} may not be equal to {t_axis=}!")
        refuse_if(
            S.shape[f_axis] != self.f_pts,
            f"S.shape[f_axis]={S.shape[f_axis]} must be equal to {self.f_pts=} ({S.shape=})!",
        )
        refuse_if(
            S.shape[t_axis] < self.p_num(least),
            f"{S.shape[t_axis]=} needs to have at least {self.p_num(least)} slices!",
        )
        S = np.moveaxis(S, (t_axis, f_axis), (-2, -1))
        end = S.shape[-2] + self.p_min
        k_max = (end - 1) * self.hop + least
        k1 = k_max if k1 is None else k1
        refuse_if(
            not self.k_min <= k0 < k1 <= k_max,
            f"({self.k_min=}) <= ({k0=}) < ({k1=}) <= ({k_max=}) is false!",
        )
        refuse_if(
            k1 - k0 < least,
            f"({k1=}) - ({k0=}) = {k1 - k0} has to be at least the half the window length {least}!",
        )
        q0, q1 = max(k0, 0) // self.hop + self.p_min, min(self.p_max(k1), end)
        pieces = self._ifft_func(S[..., q0 - self.p_min : q1 - self.p_min, :]) * upload(
            self.dual_win, S
        )
        x = overlap_add(pieces, self.hop)
        start = q0 * self.hop - self.m_num_mid
        x = pad_ends(x, max(start - k0, 0), max(k1 - start - x.shape[-1], 0))[
            ..., max(k0 - start, 0) :
        ][..., : k1 - k0]
        return np.moveaxis(x, -1, f_axis if f_axis < x.ndim else t_axis)

    def _weights(self, x: Any) -> Any:
        """Return the factors of the frequencies in the mode "onesided2X"."""
        return two_sided_weights(x, self.mfft, np.sqrt(2) if self.scaling == "psd" else 2.0)

    def _fft_func(self, x: Any) -> Any:
        if self.phase_shift is not None:
            x = np.roll(
                pad_ends(x, 0, self.mfft - x.shape[-1]),
                -((self.phase_shift + self.m_num_mid) % self.m_num),
                axis=-1,
            )
        if self.onesided_fft:
            X = rfft(x, self.mfft)
            return X * self._weights(X) if self.fft_mode == "onesided2X" else X
        X = fft(x, self.mfft)
        return fftshift(X, axes=-1) if self._is_centered() else X

    def _is_centered(self) -> bool:
        """Return whether the frequencies of a two-sided transform are; SciPy asserts that it is
        one.
        """
        if self.fft_mode not in ("twosided", "centered"):
            raise RuntimeError(f"fft_mode={self.fft_mode!r} is none of {_MODES}")
        return self.fft_mode == "centered"

    def _ifft_func(self, X: Any) -> Any:
        if self.onesided_fft:
            x = irfft(X / self._weights(X) if self.fft_mode == "onesided2X" else X, self.mfft)
        else:
            x = ifft(ifftshift(X, axes=-1) if self._is_centered() else X, self.mfft)
        if self.phase_shift is not None:
            x = np.roll(x, (self.phase_shift + self.m_num_mid) % self.m_num, axis=-1)
        return x[..., : self.m_num]


__all__ = ["ShortTimeFFT"]
