"""The short-time Fourier transform as an object, and the windows by which it is inverted."""

import copy
import functools
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import Traced
from scigrad.fft import fft, fftshift, ifft, ifftshift, irfft, rfft
from scigrad.numpy.devices import on_host, upload
from scigrad.typing import Array

from ..foundation.composition import floating, number, pad_ends, refuse_if, scipy_composition
from .detrending import detrend
from .segments import every, overlap_add, two_sided_weights


def _fold_window(w: Any, hop: int) -> Any:
    """Return the sum of the copies of a window that are shifted by multiples of the hop, at the
    samples of the window.
    """
    n = w.shape[0]
    shifts = [k for k in range(-(n // hop) * hop, n, hop) if abs(k) < n]
    return sum(np.pad(w[max(-k, 0) : n - max(k, 0)], (max(k, 0), max(-k, 0))) for k in shifts)


def _canonical(win: Any, hop: int) -> Any:
    refuse_if(
        hop > win.shape[0],
        f"{hop=} is larger than window length of {win.shape[0]} => STFT not invertible!",
    )
    refuse_if(
        win.dtype.kind not in "fc",
        f"Parameter 'win' cannot be of integer type, but {win.dtype=} => STFT not invertible!",
    )
    total = _fold_window(np.real(win) ** 2 + np.imag(win) ** 2, hop)
    refuse_if(
        ~(total >= np.finfo(win.dtype).resolution * np.max(total)),
        "Short-time Fourier Transform not invertible!",
    )
    return win / total


@scipy_composition()
def closest_STFT_dual_window(
    win: Array, hop: int, desired_dual: Array | None = None, *, scaled: bool = True
) -> tuple[Array, float]:
    """Return the dual window that is closest to a desired one.

    Parameters
    ----------
    win : (n,) ndarray
        Window.
    hop : int
        Samples between segments.
    desired_dual : (n,) ndarray, optional
        Desired window, by default 1.
    scaled : bool, optional
        Whether to be closest up to a factor.

    Returns
    -------
    dual_win : (n,) ndarray
        Dual window.
    alpha : float
        Factor, 1 if `scaled` is False.

    Raises
    ------
    ValueError
        If the shapes, the hop or the values are invalid, or the transform has no inverse.

    Notes
    -----
    This is `scipy.signal.closest_STFT_dual_window`, differentiable in all float arguments, to any
    order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> w = np.array([1.0, 2.0, 2.0, 1.0])
    >>> print(grad(lambda w: signal.closest_STFT_dual_window(w, 2)[0][0])(w).round(6))
    [-0.088889 -0.022222 -0.088889 -0.022222]
    """
    win, desired = floating(win, win * 0 + 1 if desired_dual is None else desired_dual)
    refuse_if(
        win.ndim != 1 or win.shape != desired.shape,
        f"`win`, `desired_dual` are not 1d of equal length: {win.shape}",
    )
    refuse_if(
        int(hop) != hop or not 1 <= hop <= win.shape[0],
        f"Parameter {hop=} is not an integer between 1 and {len(win)}!",
    )
    dual = _canonical(win, hop)
    projected = dual * _fold_window(np.conj(win) * desired, hop)
    if not scaled:
        return dual + desired - projected, 1.0
    square = np.sum(np.real(projected) ** 2 + np.imag(projected) ** 2)
    refuse_if(
        ~(square > np.finfo(win.dtype).resolution),
        "The closest dual window is too small. Set `scaled` to False.",
    )
    alpha = np.sum(np.conj(projected) * dual) / square
    out: Any = dual + alpha * (desired - projected), alpha
    return out


_PADDING = ("zeros", "edge", "even", "odd")
_MODES = ("onesided", "onesided2X", "twosided", "centered")


def _concrete(window: Any) -> Any:
    return on_host(number(window, "ShortTimeFFT"))


class Vectorized:
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

    def __init__(self: Any, win: Any, hop: int, fs: float, *, fft_mode: str = "onesided",
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
    def from_dual(cls: Any, dual_win: Any, hop: int, fs: float, **options: Any) -> Any:
        """Return the transform that a window inverts."""
        return cls(_canonical(on_host(dual_win), hop), hop, fs, dual_win=dual_win, **options)

    @classmethod
    def from_win_equals_dual(
        cls: Any, desired_win: Any, hop: int, fs: float, **options: Any
    ) -> Any:
        """Return the transform whose window is close to a desired one and inverts it, up to a
        factor.
        """
        return super().from_win_equals_dual(on_host(desired_win), hop, fs, **options)  # pyright: ignore[reportAttributeAccessIssue]

    def _post_padding(self: Any, n: int) -> Any:
        of_numbers: Any = super(Vectorized, self._of_numbers or self)
        return of_numbers._post_padding(n)

    def scale_to(self: Any, scaling: str) -> None:
        """Scale the window, so that a transform has the magnitude or the power spectral density of
        the signal.
        """
        if (
            not any(isinstance(v, Traced) for v in (self._win, self._dual_win, self._fs))
            or self._scaling == scaling
        ):
            super().scale_to(scaling)  # pyright: ignore[reportAttributeAccessIssue]
            return
        factor = self.fac_psd if scaling == "psd" else self.fac_magnitude
        self._win, self._dual_win = (
            self._win * factor,
            None if self._dual_win is None else self._dual_win / factor,
        )
        self._fac_mag, self._fac_psd, self._scaling = None, None, scaling

    @property
    def dual_win(self: Any) -> Any:
        """Window of the inverse, by default the canonical one."""
        if self._dual_win is None:
            self._dual_win = _canonical(self._win, self.hop)
            if type(self._dual_win) is np.ndarray:
                self._dual_win.setflags(write=False)
        return self._dual_win

    def stft_detrend(self: Any, x: Any, detr: Any, p0: Any = None, p1: Any = None, *,
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
        self: Any, S: Any, k0: int = 0, k1: Any = None, *, f_axis: int = -2, t_axis: int = -1
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

    def _weights(self: Any, x: Any) -> Any:
        """Return the factors of the frequencies in the mode "onesided2X"."""
        return two_sided_weights(x, self.mfft, np.sqrt(2) if self.scaling == "psd" else 2.0)

    def _fft_func(self: Any, x: Any) -> Any:
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

    def _is_centered(self: Any) -> bool:
        """Return whether the frequencies of a two-sided transform are; SciPy asserts that it is
        one.
        """
        if self.fft_mode not in ("twosided", "centered"):
            raise RuntimeError(f"fft_mode={self.fft_mode!r} is none of {_MODES}")
        return self.fft_mode == "centered"

    def _ifft_func(self: Any, X: Any) -> Any:
        if self.onesided_fft:
            x = irfft(X / self._weights(X) if self.fft_mode == "onesided2X" else X, self.mfft)
        else:
            x = ifft(ifftshift(X, axes=-1) if self._is_centered() else X, self.mfft)
        if self.phase_shift is not None:
            x = np.roll(x, (self.phase_shift + self.m_num_mid) % self.m_num, axis=-1)
        return x[..., : self.m_num]


@functools.cache
def short_time_fft() -> type:
    """Return the class, a subclass of SciPy's, which is imported when it is first asked for."""
    from scipy.signal import ShortTimeFFT

    return type(
        "ShortTimeFFT",
        (Vectorized, ShortTimeFFT),
        {"__module__": "scigrad.signal", "__doc__": Vectorized.__doc__},
    )


__all__ = ["closest_STFT_dual_window"]
