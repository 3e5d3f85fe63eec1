"""The chirp z-transform: the z-transform at points of a spiral, and the Fourier transform of a part
of the frequencies.
"""

import numbers
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules.trace import as_scalar
from scigrad.fft import fft, ifft, next_fast_len
from scigrad.numpy.devices import place_beside, upload
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import back, floating, last, refuse_if, scipy_composition


def _points(n: Any, m: Any) -> int:
    m = n if m is None else m
    for count, what in ((n, "data"), (m, "output")):
        refuse_if(
            not isinstance(count, numbers.Integral) or count < 1,
            f"Invalid number of CZT {what} points ({count}) specified.",
        )
    return int(m)


@scipy_composition()
def czt_points(m: int, w: complex | None = None, a: complex = 1 + 0j) -> Array:
    """Return the points at which the chirp z-transform is computed.

    Parameters
    ----------
    m : int, optional
        Number of points, by default that of the samples.
    w : complex, optional
        Ratio between points, by default that of m points on the unit circle.
    a : complex, optional
        First point.

    Returns
    -------
    (m,) ndarray
        Points ``a w^-k``.

    Raises
    ------
    ValueError
        If a number of samples or points is not a positive integer.

    Notes
    -----
    This is `scipy.signal.czt_points`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.czt_points(3, 2.0, a)[1])(1.0))
    0.5
    """
    m = _points(1, m)
    (a,) = floating(a)
    if w is None:
        return a * np.exp(2j * np.pi / m * place_beside(np.arange(m), a))
    (w,) = floating(w)
    return a * w ** place_beside(-np.arange(m), w)


class CZT:
    """Chirp z-transform with given points, to be called with signals.

    Parameters
    ----------
    n : int
        Number of samples.
    m : int, optional
        Number of points, by default that of the samples.
    w : complex, optional
        Ratio between points, by default that of m points on the unit circle.
    a : complex, optional
        First point.

    Raises
    ------
    ValueError
        If a number of samples or points is not a positive integer.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> transform = signal.CZT(3, 2, w=0.5)
    >>> print(grad(lambda x: transform(x)[1].real)(np.ones(3)).round(6))
    [1.   0.5  0.25]
    """

    m: int
    n: int
    a: Any
    w: Any

    def __init__(self, n: int, m: Any = None, w: Any = None, a: Any = 1 + 0j) -> None:
        self.m, self.n, self._circle = _points(n, m), n, w is None
        self.w, self.a = map(
            as_scalar, floating(np.exp(-2j * np.pi / self.m) if w is None else w, a)
        )

    def _chirp(self, k: np.ndarray, x: Any) -> tuple[Any, Any]:
        """Return w^(k^2/2) and a^-k beside x."""
        turns = upload(k * k % (2 * self.m), x)
        chirp = (
            np.exp(-1j * np.pi / self.m * turns)
            if self._circle
            else as_scalar(self.w) ** upload(k * k / 2, x)
        )
        return chirp, as_scalar(self.a) ** upload(-k[: self.n], x)

    def __call__(self, x: Any, *, axis: int = -1) -> Any:
        """Return the transform of signals along an axis."""
        (x,) = floating(x)
        refuse_if(x.shape[axis] != self.n, f"CZT defined for length {self.n}, not {x.shape[axis]}")
        length = next_fast_len(self.n + self.m - 1)
        chirp, start = self._chirp(np.arange(max(self.m, self.n), dtype=float), x)
        falling = 1 / np.concatenate([chirp[self.n - 1 : 0 : -1], chirp[: self.m]])
        y = ifft(fft(falling, length) * fft(last(x, axis) * (start * chirp[: self.n]), length))
        return back(y[..., self.n - 1 : self.n + self.m - 1] * chirp[: self.m], axis)

    def points(self) -> Any:
        """Return the points at which the transform is computed."""
        return czt_points(self.m, self.w, self.a)


class ZoomFFT(CZT):
    """Fourier transform of a part of the frequencies, to be called with signals.

    Parameters
    ----------
    n : int
        Number of samples.
    fn : float or (float, float)
        Highest, or lowest and highest, frequency.
    m : int, optional
        Number of points, by default that of the samples.
    fs : float, optional
        Sampling frequency.
    endpoint : bool, optional
        Whether the highest frequency is among the points.

    Raises
    ------
    ValueError
        If a number of samples or points is not a positive integer.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> transform = signal.ZoomFFT(3, [0.5, 1.0], 2)
    >>> print(np.round(grad(lambda x: transform(x)[0].real)(np.ones(3)), 6) + 0.0)
    [ 1.  0. -1.]
    """

    fs: Any
    m: int
    n: int
    f1: Any
    f2: Any
    a: Array
    w: Array

    def __init__(
        self, n: int, fn: Any, m: Any = None, *, fs: Any = 2, endpoint: bool = False
    ) -> None:
        self.m, self.n, self.fs = _points(n, m), n, fs
        (fn,) = floating(fn)
        refuse_if(fn.size > 2, "fn must be a scalar or 2-length sequence")
        fn = np.reshape(fn, (-1,))
        self.f1, self.f2 = (0 * fn[0], fn[0]) if fn.shape[0] == 1 else (fn[0], fn[1])
        self._step = (self.f2 - self.f1) / fs / (self.m - 1 if endpoint else self.m)
        self.w, self.a = np.exp(-2j * np.pi * self._step), np.exp(2j * np.pi * self.f1 / fs)

    def _chirp(self, k: np.ndarray, x: Any) -> tuple[Any, Any]:
        start = np.exp(-2j * np.pi * self.f1 / self.fs * upload(k[: self.n], x))
        return np.exp(-1j * np.pi * self._step * upload(k * k, x)), start


@scipy_composition()
def czt(
    x: ArrayLike,
    m: int | None = None,
    w: complex | None = None,
    a: complex = 1 + 0j,
    *,
    axis: int = -1,
) -> Array:
    """Compute the chirp z-transform, the z-transform at the points ``a w^-k``.

    Parameters
    ----------
    x : (..., n, ...) array_like
        Signals along `axis`.
    m : int, optional
        Number of points, by default that of the samples.
    w : complex, optional
        Ratio between points, by default that of m points on the unit circle.
    a : complex, optional
        First point.
    axis : int, optional
        Axis of time.

    Returns
    -------
    (..., m, ...) ndarray
        Transform.

    Raises
    ------
    ValueError
        If a number of samples or points is not a positive integer.

    Notes
    -----
    This is `scipy.signal.czt`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda w: signal.czt(np.ones(3), 2, w)[1].real)(0.5).round(6))  # of 1 + w + w^2
    2.0
    """
    (x,) = floating(x)
    return CZT(x.shape[axis], m, w, a)(x, axis=axis)


@scipy_composition()
def zoom_fft(
    x: ArrayLike,
    fn: Any,
    m: int | None = None,
    *,
    fs: float = 2,
    endpoint: bool = False,
    axis: int = -1,
) -> Array:
    """Compute the Fourier transform at frequencies between two bounds.

    Parameters
    ----------
    x : (..., n, ...) array_like
        Signals along `axis`.
    fn : float or (float, float)
        Highest, or lowest and highest, frequency.
    m : int, optional
        Number of points, by default that of the samples.
    fs : float, optional
        Sampling frequency.
    endpoint : bool, optional
        Whether the highest frequency is among the points.
    axis : int, optional
        Axis of time.

    Returns
    -------
    (..., m, ...) ndarray
        Transform.

    Raises
    ------
    ValueError
        If a number of samples or points is not a positive integer.

    Notes
    -----
    This is `scipy.signal.zoom_fft`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     np.round(
    ...         grad(lambda f: signal.zoom_fft(np.ones(3), f, 2)[0].real)(np.array([0.5, 1.0])), 6
    ...     )
    ...     + 0.0
    ... )
    [-3.141593  0.      ]
    """
    (x,) = floating(x)
    return ZoomFFT(x.shape[axis], fn, m, fs=fs, endpoint=endpoint)(x, axis=axis)


__all__ = ["CZT", "ZoomFFT", "czt", "czt_points", "zoom_fft"]
