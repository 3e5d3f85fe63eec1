"""Fourier transforms between real arrays and half spectra.

rfft keeps the entries 0 .. n//2 of the transform; irfft supplies the others by symmetry, so that each entry counts twice
except number 0 and, for even n, the last (Nyquist), of which it reads the real part only:

    y_j = 1/n Re sum_k c_k x_k exp(2 pi i j k / n),   c = 1, 2, 2, ..., 2 (odd n)   or   1, 2, ..., 2, 1 (even n)

Hence irfft^T = c rfft / n, and rfft^T = n irfft / c, over the reals: these are linear maps of real and imaginary parts.
"""

from __future__ import annotations

from .transform import along_axes, along_axis, lengths_and_axes, opposite, resize_all, scale_ends, values


@along_axis
def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Discrete Fourier transform of a real array: the entries 0 .. n//2 of fft.

    Parameters
    ----------
    x : real array
    n, axis, norm, overwrite_x, workers, plan : as fft

    Returns
    -------
    complex array of x's precision, of length n//2 + 1 along the axis

    Raises
    ------
    TypeError : x is complex
    ValueError, IndexError : as fft

    Linear in x, with a real cotangent. See scipy.fft.rfft.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: np.sum(np.abs(fft.rfft(x)) ** 2))(np.array([1.0, 0.0, 0.0])).round(12))
    [4. 1. 1.]
    """
    _check_real("rfft", x)
    return values("rfft", x, n, axis, norm, overwrite_x, workers, plan)


@rfft.adjoint
def _(call, g):
    n = call.n or call.x.shape[call.axis]
    g = scale_ends(g, 2.0, call.axis, True, n % 2 == 0)
    return resize_all(irfft(g, n, call.axis, opposite(call.norm)) * 0.5, call.x.shape, (call.axis,))


@along_axis
def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of rfft: a real array from a half spectrum.

    Parameters
    ----------
    x : array, cropped or padded to n//2 + 1 entries along the axis; the imaginary part of number 0, and for even n of the
        last one, is ignored, and its derivative is 0
    n : length of the output (None: 2 (m - 1), where m is the length of the axis)
    axis, norm, overwrite_x, workers, plan : as fft

    Raises
    ------
    ValueError : n is less than 1, or norm is unknown
    IndexError : the axis does not exist

    Linear in x. See scipy.fft.irfft.
    """
    return values("irfft", x, n, axis, norm, overwrite_x, workers, plan)


@irfft.adjoint
def _(call, g):
    spectrum = rfft(g, axis=call.axis, norm=opposite(call.norm)) * 2.0
    spectrum = scale_ends(spectrum, 0.5, call.axis, True, g.shape[call.axis] % 2 == 0)
    return resize_all(spectrum, call.x.shape, (call.axis,))


@along_axes
def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """rfft along the last of several axes, then fft along the others; parameters and errors as fftn. See scipy.fft.rfftn."""
    _check_real("rfftn", x)
    return values("rfftn", x, s, axes, norm, overwrite_x, workers, plan)


@rfftn.adjoint
def _(call, g):
    lengths, axes = lengths_and_axes(call.x.shape, call.s, call.axes)
    g = scale_ends(g, 2.0, axes[-1], True, lengths[-1] % 2 == 0)
    return resize_all(irfftn(g, lengths, axes, opposite(call.norm)) * 0.5, call.x.shape, axes)


@along_axes
def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of rfftn: ifft along all axes but the last, then irfft along that; `s` are the lengths of the output.

    Parameters and errors as fftn. See scipy.fft.irfftn.
    """
    return values("irfftn", x, s, axes, norm, overwrite_x, workers, plan)


@irfftn.adjoint
def _(call, g):
    axes = lengths_and_axes(call.x.shape, call.s, call.axes)[1]
    spectrum = rfftn(g, axes=axes, norm=opposite(call.norm)) * 2.0
    spectrum = scale_ends(spectrum, 0.5, axes[-1], True, g.shape[axes[-1]] % 2 == 0)
    return resize_all(spectrum, call.x.shape, axes)


def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """rfftn along two axes, the last two by default. See scipy.fft.rfft2."""
    return rfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """irfftn along two axes, the last two by default. See scipy.fft.irfft2."""
    return irfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def _check_real(name, x):
    if getattr(getattr(x, "dtype", None), "kind", "") == "c":
        raise TypeError(f"{name}: x must be real, but is {x.dtype} of shape {x.shape}. Use {name[1:]} for complex data, or "
                        "numpy.real(x) if the imaginary part is zero.")  # fmt: skip


__all__ = ["irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftn"]
