"""Analytic signals, of one or two dimensions, and envelopes."""

from typing import Any, Literal

import scigrad.numpy as np
from scigrad.fft import fft, fftn, ifft, ifftn, irfft, rfft
from scigrad.fft.transform import resize
from scigrad.numpy.devices import place_beside, upload
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import back, floating, is_long, last, refuse_if, scipy_composition
from ..resampling import resample


def _one_sided(n: int) -> np.ndarray:
    """Return 2 for positive frequencies, 1 for 0, 0 for the highest one of even n and for negative
    ones.
    """
    weights = np.zeros(n)
    weights[0], weights[1 : (n + 1) // 2] = 1, 2
    return weights


@scipy_composition(own=is_long)
def hilbert(x: ArrayLike, N: int | None = None, axis: int = -1) -> Array:
    """Return the analytic signal, whose imaginary part is the Hilbert transform.

    Parameters
    ----------
    x : (..., n, ...) array_like
        Signals along `axis`.
    N : int, optional
        Length that signals are cut or filled with zeros to.
    axis : int, optional
        Axis of time.

    Returns
    -------
    (..., N, ...) ndarray
        Complex signals without negative frequencies.

    Raises
    ------
    ValueError
        If `x` is complex or N is not positive.

    Notes
    -----
    This is `scipy.signal.hilbert`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     np.round(grad(lambda x: signal.hilbert(x).imag[1])(np.array([1.0, 2.0, 4.0])), 6) + 0.0
    ... )
    [ 0.57735  0.      -0.57735]
    """
    (x,) = floating(x)
    refuse_if(x.dtype.kind == "c", "x must be real.")
    n = x.shape[axis] if N is None else N
    refuse_if(n <= 0, "N must be positive.")
    x = resize(last(x, axis), n, -1)
    # a quarter of a turn gives the imaginary part; the real part is the signal
    quarter = place_beside(-1j * (_one_sided(n)[: n // 2 + 1] == 2), x)
    return back(x + 1j * irfft(rfft(x) * quarter, n), axis)


@scipy_composition()
def hilbert2(
    x: ArrayLike, N: int | tuple[int, int] | None = None, axes: tuple[int, int] = (-2, -1)
) -> Array:
    """Return the analytic signal of an image.

    Its spectrum is zero outside of one quadrant.

    Parameters
    ----------
    x : (..., m, n) array_like
        Images.
    N : int or (int, int), optional
        Sizes of the transforms.
    axes : (int, int), optional
        Axes of the rows and columns.

    Returns
    -------
    (..., m, n) ndarray
        Complex images.

    Raises
    ------
    ValueError
        If `x` is complex.

    Notes
    -----
    This is `scipy.signal.hilbert2`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(np.round(grad(lambda x: signal.hilbert2(x).real[0, 0])(np.ones((3, 3))), 6) + 0.0)
    [[ 1.        0.        0.      ]
     [ 0.       -0.333333  0.333333]
     [ 0.        0.333333 -0.333333]]
    """
    (x,) = floating(x)
    x = np.reshape(x, (1, -1)) if x.ndim < 2 else x
    refuse_if(x.dtype.kind == "c", "x must be real.")
    sizes = [x.shape[a] for a in axes] if N is None else [N, N] if isinstance(N, int) else list(N)
    weights = np.ones((1,) * x.ndim)
    for axis, n in zip(axes, sizes, strict=True):
        weights = weights * np.moveaxis(_one_sided(n).reshape((n, *(1,) * (x.ndim - 1))), 0, axis)
    return ifftn(fftn(x, sizes, axes) * place_beside(weights, x), axes=axes)


@scipy_composition()
def envelope(
    z: ArrayLike,
    bp_in: Any = (1, None),
    *,
    n_out: int | None = None,
    squared: bool = False,
    residual: Literal["lowpass", "all", None] = "lowpass",
    axis: int = -1,
) -> Array:
    """Return the envelope of a signal in a band, and what remains outside of the band.

    Parameters
    ----------
    z : (..., n, ...) array_like
        Signals along `axis`.
    bp_in : (int or None, int or None), optional
        Band, as numbers of Fourier coefficients; negative ones for negative frequencies.
    n_out : int, optional
        Number of samples of the result, by default that of the signal.
    squared : bool, optional
        Whether to return the square of the envelope.
    residual : {"lowpass", "all", None}, optional
        Remainder to return: of frequencies below the band, of all others, or none.
    axis : int, optional
        Axis of time.

    Returns
    -------
    (2, ..., n_out, ...) ndarray
        Envelope and remainder, or the envelope alone.

    Raises
    ------
    ValueError
        If the band, the axis or an option is invalid.

    Notes
    -----
    This is `scipy.signal.envelope`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda z: signal.envelope(z)[0, 1])(np.array([1.0, 2.0, 0.5, -3.0])).round(6))
    [ 0.049752  0.497519 -0.049752 -0.497519]
    """
    (z,) = floating(z)
    low, high, count = _band(z, bp_in, n_out, residual, axis)
    z = last(z, axis)
    n, is_complex = z.shape[-1], z.dtype.kind == "c"
    numbers = np.arange(low, high)
    bins = numbers % n
    weights = (
        np.ones(bins.size) if is_complex else np.where(numbers > 0, 2.0, 1.0) * (bins <= n // 2)
    )
    inside = fft(z)[..., upload(bins, z)] * place_beside(weights, z)
    inside = ifft(inside, count) * (count / n)
    out = np.real(inside) ** 2 + np.imag(inside) ** 2 if squared else abs(inside)
    if residual is None:
        return back(out, axis)
    outside = np.full(n, low != 0)  # nothing is outside of a band that begins at 0, as in SciPy
    outside[bins] = False
    if residual == "lowpass":
        outside[max(high, 0) : (n + 1) // 2] = False
        outside[low if high <= 0 else n :] = False
    if is_complex:
        rest = resample(fft(z) * place_beside(1.0 * outside, z), count, axis=-1, domain="freq")
    else:
        weights, shared = 1.0 * outside[: n // 2 + 1], min(n, count)
        # the highest shared frequency is two in the longer signal
        if count != n and shared % 2 == 0:
            weights[shared // 2] *= 2 if count < n else 0.5
        rest = irfft(rfft(z) * place_beside(weights, z), count) * (count / n)
    return np.stack([back(out, axis), back(rest, axis)])


def _band(z: Any, bp_in: Any, n_out: Any, residual: Any, axis: int) -> tuple[int, int, int]:
    """Return the first Fourier coefficient of the band, the one behind it, and the number of
    samples of the result.
    """
    refuse_if(not -z.ndim <= axis < z.ndim, f"Invalid parameter {axis=} for z.shape={z.shape}!")
    n = z.shape[axis]
    refuse_if(n == 0, f"z.shape[axis] not > 0 for z.shape={z.shape}, {axis=}!")
    kinds = [isinstance(bound, int) or bound is None for bound in bp_in]
    refuse_if(kinds != [True, True], f"{bp_in=} isn't a 2-tuple of type (int | None, int | None)!")
    refuse_if(
        not (n_out is None or (isinstance(n_out, int) and n_out > 0)),
        f"{n_out=} is not a positive integer or None!",
    )
    refuse_if(
        residual not in ("lowpass", "all", None), f"{residual=} not in ['lowpass', 'all', None]!"
    )
    low, high = (
        bound if bound is not None else edge
        for bound, edge in zip(bp_in, (-(n // 2), (n + 1) // 2), strict=True)
    )
    refuse_if(
        not -n // 2 <= low < high <= (n + 1) // 2,
        f"`-n//2 <= bp_in[0] < bp_in[1] <= (n+1)//2` is false for {n=}, {bp_in=}!",
    )
    return low, high, n if n_out is None else n_out


__all__ = ["envelope", "hilbert", "hilbert2"]
