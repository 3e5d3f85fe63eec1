"""Cepstra: Fourier transforms of logarithms of spectra."""

from typing import Any

import scigrad.numpy as np
from scigrad.fft import fft, ifft
from scigrad.numpy.devices import place_beside
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import floating, own_function


@own_function()
def real_cepstrum(x: ArrayLike, n: int | None = None, axis: int = -1) -> Array:
    """Return the inverse Fourier transform of the logarithm of the magnitude of the spectrum.

    Parameters
    ----------
    x : (..., k) array_like
        Signals.
    n : int, optional
        Length of the transforms, by default that of the signals.
    axis : int, optional
        Axis of time.

    Returns
    -------
    (..., n) ndarray
        Cepstra.

    Notes
    -----
    After `cupyx.signal.real_cepstrum`, on NumPy arrays too, differentiable to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.real_cepstrum(x)[1])(np.array([4.0, 1.0, 0.0])).round(6))
    [-0.023077  0.092308  0.130769]
    """
    return np.real(ifft(np.log(abs(fft(floating(x)[0], n, axis))), axis=axis))


def _ramp(size: int, like: Any) -> Any:
    return place_beside(2 * np.pi / size * np.arange(size), like)


@own_function()
def complex_cepstrum(x: ArrayLike, n: int | None = None, axis: int = -1) -> tuple[Array, Array]:
    """Compute the inverse Fourier transform of the logarithm of a spectrum without delay.

    Parameters
    ----------
    x : (..., k) array_like
        Signals.
    n : int, optional
        Length of the transforms, by default that of the signals.
    axis : int, optional
        Axis of time.

    Returns
    -------
    ceps : (..., n) ndarray
        Cepstra.
    ndelay : (..., 1) ndarray
        Delays in samples, which are constant.

    Notes
    -----
    The signals `x` and ``-x`` have the same cepstrum; the inverse returns the one with a positive
    mean.

    After `cupyx.signal.complex_cepstrum`, on NumPy arrays too, differentiable to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda x: signal.complex_cepstrum(x)[0][1])(np.array([4.0, 1.0, 0.0])).round(6)
    ...     + 0.0
    ... )
    [-0.061538  0.246154  0.015385]
    """
    spectrum = np.moveaxis(fft(floating(x)[0], n, axis), axis, -1)
    phase = np.unwrap(np.angle(spectrum))
    phase = phase - phase[..., :1]
    ramp = _ramp(phase.shape[-1], phase)
    middle = max(ramp.shape[0] // 2, 1)
    delay = np.round(phase[..., middle : middle + 1] / ramp[middle])
    cepstrum = np.real(ifft(np.log(abs(spectrum)) + 1j * (phase - delay * ramp)))
    return np.moveaxis(cepstrum, -1, axis), delay


@own_function()
def inverse_complex_cepstrum(ceps: ArrayLike, ndelay: ArrayLike) -> Array:
    """Return the signal of a complex cepstrum.

    Parameters
    ----------
    ceps : (..., n) array_like
        Cepstra along the last axis.
    ndelay : int or (..., 1) array_like
        Delays in samples.

    Returns
    -------
    (..., n) ndarray
        Signals.

    Notes
    -----
    After `cupyx.signal.inverse_complex_cepstrum`, on NumPy arrays too, differentiable to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda c: signal.inverse_complex_cepstrum(c, 0)[1])(
    ...         np.array([0.0, 0.5, 0.0])
    ...     ).round(6)
    ... )
    [0.502606 1.020855 0.125261]
    """
    (ceps,) = floating(ceps)
    return np.real(ifft(np.exp(fft(ceps) + 1j * ndelay * _ramp(ceps.shape[-1], ceps))))


__all__ = ["complex_cepstrum", "inverse_complex_cepstrum", "real_cepstrum"]
