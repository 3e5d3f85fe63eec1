"""Finite impulse responses: by frequency sampling, by least squares, of two dimensions, of minimum
phase; Kaiser's formulas.
"""

import math
import warnings
from typing import Any

import scipy

import scigrad.numpy as np
from scigrad.autodiff_rules import raw
from scigrad.fft import fft, ifft, irfft
from scigrad.linalg import hankel, solve, toeplitz
from scigrad.numpy.devices import on_host, place_beside
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import anywhere, floating, refuse_if, scipy_composition
from ..foundation.window_shapes import window_beside
from .window_method import firwin


@scipy_composition()
def firwin2(
    numtaps: int,
    freq: ArrayLike,
    gain: ArrayLike,
    *,
    nfreqs: int | None = None,
    window: str | tuple[Any, ...] | ArrayLike = "hamming",
    antisymmetric: bool = False,
    fs: float | None = None,
) -> Array:
    """Design a finite impulse response by sampling of its frequency response.

    Parameters
    ----------
    numtaps : int
        Number of taps.
    freq : (n,) array_like
        Frequencies from 0 to fs/2, not decreasing; one that occurs twice is a jump.
    gain : (n,) array_like
        Response at these frequencies, linear between them.
    nfreqs : int, optional
        Number of frequencies of the interpolation.
    window : str, float, tuple or (nperseg,) array_like, optional
        Window, as in `get_window`, or its samples.
    antisymmetric : bool, optional
        Whether the taps are antisymmetric.
    fs : float, optional
        Sampling frequency, by default 2.

    Returns
    -------
    (numtaps,) ndarray
        Taps.

    Raises
    ------
    ValueError
        If the bands or the number of taps are invalid.

    Notes
    -----
    This is `scipy.signal.firwin2`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda g: signal.firwin2(3, [0.0, 0.5, 1.0], g)[1])(
    ...         np.array([1.0, 1.0, 0.0])
    ...     ).round(6)
    ... )
    [0.25 0.5  0.25]
    """
    freq, gain = floating(freq, gain)
    half = 1.0 if fs is None else fs / 2
    refuse_if(
        nfreqs is not None and numtaps >= nfreqs,
        f"ntaps must be less than nfreqs, but {numtaps=} and {nfreqs=}",
    )
    _check_response(freq, gain, half, numtaps, antisymmetric)
    steps = freq[1:] - freq[:-1]
    count = 1 + 2 ** math.ceil(math.log2(numtaps)) if nfreqs is None else nfreqs
    jump = (steps == 0) * (np.finfo(float).eps * half)
    apart = freq + np.pad(jump, (1, 0)) - np.pad(jump, (0, 1))
    x = np.linspace(0.0, 1.0, count)
    response = np.interp(place_beside(x, freq) * half, apart, gain)
    shift = np.exp(-0.5j * np.pi * (numtaps - 1) * place_beside(x, freq)) * (
        1j if antisymmetric else 1
    )
    taps = irfft(response * shift)[:numtaps]
    if window is not None:
        taps = taps * window_beside(window, numtaps, taps, fftbins=False)
    return (
        taps * place_beside(np.arange(numtaps) != numtaps // 2, taps)
        if antisymmetric and numtaps % 2
        else taps
    )


def _check_response(freq: Any, gain: Any, half: float, numtaps: int, antisymmetric: bool) -> None:
    refuse_if(freq.shape != gain.shape, "freq and gain must be of same length.")
    steps = freq[1:] - freq[:-1]
    refuse_if(
        anywhere(freq[0] != 0) or anywhere(freq[-1] != half),
        "freq must start with 0 and end with fs/2.",
    )
    twice = anywhere(steps[1:] + steps[:-1] == 0) or anywhere(steps[0] * steps[-1] == 0)
    refuse_if(
        twice or anywhere(steps < 0),
        "The values in freq must be nondecreasing, each at most twice, and 0 and fs/2 once.",
    )
    nonzero = (antisymmetric or numtaps % 2 == 0) and anywhere(
        gain[0 if antisymmetric else -1] != 0
    )
    refuse_if(
        nonzero,
        "There must be zero gain at frequency 0 for antisymmetric taps, at fs/2 for an even "
        "number of others.",
    )
    refuse_if(
        antisymmetric and numtaps % 2 and anywhere(gain[-1] != 0),
        "A Type III filter must have zero gain at 0 and fs/2.",
    )


@scipy_composition()
def firwin_2d(
    hsize: tuple[int, int],
    window: tuple[Any, ...] | str,
    *,
    fc: ArrayLike | None = None,
    fs: float = 2,
    circular: bool = False,
    pass_zero: bool = True,  # noqa: ARG001
    scale: bool = True,  # noqa: ARG001
) -> Array:
    """Design a finite impulse response of two dimensions, as a product or with circular symmetry.

    Parameters
    ----------
    hsize : (int, int)
        Numbers of taps.
    window : tuple or str
        Windows of both dimensions, or one window if the filter is circular.
    fc : float or array_like
        Band edges.
    fs : float, optional
        Sampling frequency, by default 2.
    circular : bool, optional
        Whether the filter is circular.
    pass_zero, scale : bool, optional
        Without effect, as in SciPy.

    Returns
    -------
    ndarray
        Taps.

    Raises
    ------
    ValueError
        If the bands or the number of taps are invalid.

    Notes
    -----
    This is `scipy.signal.firwin_2d`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda f: signal.firwin_2d((3, 3), ("hamming", "hamming"), fc=f)[1, 1])(0.5).round(
    ...         6
    ...     )
    ... )
    0.304566
    """
    refuse_if(len(hsize) != 2, "hsize must be a 2-element tuple or list")
    if not circular:
        refuse_if(len(window) != 2, "window must be a 2-element tuple or list")
        return np.outer(
            *(firwin(n, fc, window=w, fs=fs) for n, w in zip(hsize, window, strict=True))
        )
    refuse_if(fc is None, "Cutoff frequency `fc` must be provided when `circular` is True")
    count = max(hsize) * 8
    taps = firwin(count, fc, window=window, fs=fs)
    x, y = (np.linspace(-1, 1, n) for n in hsize)
    radius = np.sqrt(x**2 + y[:, None] ** 2)
    return np.reshape(
        np.interp(
            place_beside(radius.ravel(), taps), place_beside(np.linspace(0, 1, count), taps), taps
        ),
        radius.shape,
    )


@scipy_composition()
def firls(
    numtaps: int,
    bands: ArrayLike,
    desired: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    fs: float | None = None,
) -> Array:
    """Design a finite impulse response by least squares.

    Parameters
    ----------
    numtaps : int
        Number of taps.
    bands : (2 k,) array_like
        First and last frequency of each band.
    desired : (2 k,) array_like
        Response at these frequencies, linear between them.
    weight : (k,) array_like, optional
        Weights of the bands.
    fs : float, optional
        Sampling frequency, by default 2.

    Returns
    -------
    (numtaps,) ndarray
        Taps.

    Raises
    ------
    ValueError
        If the bands or the number of taps are invalid.

    Notes
    -----
    This is `scipy.signal.firls`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda d: signal.firls(3, [0.0, 0.4, 0.6, 1.0], d)[1])(
    ...         np.array([1.0, 1.0, 0.0, 0.0])
    ...     ).round(6)
    ... )
    [0.25 0.25 0.25 0.25]
    """
    bands, desired = floating(bands, desired)
    refuse_if(numtaps % 2 == 0 or numtaps < 1, "numtaps must be odd and >= 1")
    (f1, f2), (d1, d2), each = _bands_with_weights(bands, desired, weight, fs)
    half = numtaps // 2
    n = place_beside(np.arange(numtaps), bands)[:, None]
    q = (f2 * np.sinc(f2 * n) - f1 * np.sinc(f1 * n)) @ each  # the integrals of cos(n pi f)
    n, slope = n[: half + 1], (d2 - d1) / (f2 - f1)
    first, behind = n == 0, np.pi * np.where(n == 0, 1, n)

    def integral(f: Any, d: Any) -> Any:
        """Integrate the desired response times cos(n pi f)."""
        return f * d * np.sinc(f * n) + slope * np.where(
            first, -f * f / 2, np.cos(f * n * np.pi) / behind**2
        )

    a = solve(
        toeplitz(q[: half + 1]) + hankel(q[: half + 1], q[half:]),
        (integral(f2, d2) - integral(f1, d1)) @ each,
    )
    return np.concatenate([a[:0:-1], 2 * a[:1], a[1:]])


def _bands_with_weights(bands: Any, desired: Any, weight: Any, fs: float | None) -> Any:
    """Return the edges of the bands, the response at them, and the weights, which are valid."""
    bands = np.reshape(bands, (-1,)) / (1 if fs is None else fs / 2)
    refuse_if(
        bands.size % 2 or bands.shape != (desired.size,),
        "bands must contain frequency pairs, desired an entry for each.",
    )
    (f1, f2), (d1, d2) = (np.reshape(v, (-1, 2)).T for v in (bands, desired))
    (each,) = floating(0 * f1 + 1 if weight is None else weight)
    refuse_if(
        each.shape != f1.shape,
        f"weight must be the same size as the number of band pairs ({f1.shape[0]}).",
    )
    outside = (
        anywhere((bands < 0) | (bands > 1)) or anywhere(f2 <= f1) or anywhere(f2[:-1] > f1[1:])
    )
    refuse_if(
        outside,
        "bands must be monotonically nondecreasing, between 0 and fs/2, have width > 0 and not "
        "overlap.",
    )
    refuse_if(
        anywhere(desired < 0) or anywhere(each < 0), "desired and weight must be non-negative."
    )
    return (f1, f2), (d1, d2), each


@scipy_composition()
def minimum_phase(
    h: ArrayLike, method: str = "homomorphic", n_fft: int | None = None, *, half: bool = True
) -> Array:
    """Return a filter of minimum phase from one of linear phase.

    Parameters
    ----------
    h : (n,) array_like
        Symmetric taps.
    method : {"homomorphic", "hilbert"}, optional
        Algorithm; "hilbert" is for equiripple filters.
    n_fft : int, optional
        Length of the Fourier transforms.
    half : bool, optional
        Whether to return half of the taps, whose response is the square root.

    Returns
    -------
    ndarray
        Taps.

    Raises
    ------
    ValueError
        If the taps are complex or too few, or an option is invalid.

    Warns
    -----
    RuntimeWarning
        If the taps are not symmetric.

    Notes
    -----
    Where the response is 0 on the unit circle, as in the stop band of `firwin`, the default method
    takes the logarithm of its samples beside the zeros: values and derivatives there depend on
    `n_fft` and on rounding, and are no derivatives of the filter. Take "hilbert", whose derivatives
    are steadier, where `h` has such zeros and is fitted.

    This is `scipy.signal.minimum_phase`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda h: signal.minimum_phase(h)[0])(np.array([1.0, 3.0, 1.0])).round(6))
    [-0.138197  0.361803 -0.138197]
    """
    (h,) = floating(h)
    refuse_if(h.dtype.kind == "c", "Complex filters not supported")
    refuse_if(h.ndim != 1 or h.shape[0] <= 2, "h must be 1-D and at least 2 samples long")
    refuse_if(
        method not in ("homomorphic", "hilbert"),
        f'method must be "homomorphic" or "hilbert", got {method!r}',
    )
    refuse_if(
        method == "hilbert" and not half,
        "`half=False` is only supported when `method='homomorphic'`",
    )
    count, middle = h.shape[0], h.shape[0] // 2
    if on_host(raw(h)).size and not anywhere(
        h[: count - middle - 1 : -1] - h[:middle] <= 1e-8 + 1e-6 * abs(h[:middle])
    ):
        warnings.warn(
            "h does not appear to by symmetric, conversion may fail", RuntimeWarning, stacklevel=3
        )
    size = 2 ** math.ceil(math.log2(2 * (count - 1) / 0.01)) if n_fft is None else int(n_fft)
    refuse_if(size < count, f"n_fft must be at least len(h)=={count}")
    taps = (
        _by_hilbert(h, size, middle)
        if method == "hilbert"
        else _by_cepstrum(h, size, 0.5 if half else 1.0)
    )
    return taps[: middle + count % 2 if half else count]


# A cepstrum of even length has one coefficient in its middle, of odd length a pair: SciPy counts
# one less before 1.18.
_MIDDLE = int(tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 18))


def _by_cepstrum(h: Any, size: int, power: float) -> Any:
    response = abs(fft(h, size))
    floor = 1e-7 * np.min(np.where(response > 0, response, np.inf))
    fold = np.repeat([1.0, 2.0, size % 2 + _MIDDLE, 0.0], [1, size // 2 - 1, 1, (size - 1) // 2])
    cepstrum = np.real(ifft(power * np.log(response + floor))) * place_beside(fold, h)
    return np.real(ifft(np.exp(fft(cepstrum))))


def _by_hilbert(h: Any, size: int, middle: int) -> Any:
    angle = place_beside(np.arange(size) * (2 * np.pi / size * middle), h)
    response = np.real(fft(h, size) * np.exp(1j * angle))
    over, below = np.max(response) - 1, -np.min(response)
    scale = 4 / (np.sqrt(1 + over + below) + np.sqrt(1 - over + below)) ** 2
    lowest = response + below <= 0  # the minimum is moved to 0 for all taps, so it has no slope
    size_of = np.where(lowest, 0, np.sqrt(np.where(lowest, 1, response + below) * scale)) + 1e-10
    signs = np.repeat([0.0, 1.0, 0.0, -1.0], [1, size // 2 - 1, 1, (size - 1) // 2])
    return np.real(ifft(size_of * np.exp(fft(place_beside(signs, h) * ifft(np.log(size_of))))))


__all__ = ["firls", "firwin2", "firwin_2d", "minimum_phase"]
