"""Complex discrete Fourier transforms in one and several dimensions.

The DFT matrix F has F^H = n F^-1: the adjoint of a transform is the one in the other direction under the opposite norm,
followed by the adjoint of cropping or padding, so that a cotangent returns to the length of x.
"""

from __future__ import annotations

from typing import Any

from .transform import along_axes, along_axis, lengths_and_axes, opposite, plan_of_adjoint, resize_all, values


@along_axis
def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Discrete Fourier transform along one axis, y_k = sum_j x_j exp(-2 pi i j k / n).

    Parameters
    ----------
    x : real or complex array; half precision is transformed in single precision, integers in double precision
    n : length of the transform; x is cropped or padded with zeros to it (None: the length of the axis)
    axis : the axis to transform
    norm : "backward" (None), "ortho" or "forward": where the factor 1/n goes
    overwrite_x : whether x may be destroyed; never followed under a transform of scigrad
    workers : threads on the CPU
    plan : on a GPU a plan of cuFFT's for x (cupyx.scipy.fft.get_fft_plan), which the adjoint uses too where it fits; not followed
        under vmap; None: CuPy's own, one for each stream. SciPy has none

    Returns
    -------
    complex array of x's precision, of length n along the axis

    Raises
    ------
    TypeError : x holds no numbers; records of two halves, in place of the complex32 that NumPy and CuPy lack, are none
    ValueError : n is less than 1, or norm is unknown
    IndexError : the axis does not exist

    Linear in x. The adjoint is the inverse transform under the opposite norm. See scipy.fft.fft.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: np.sum(np.abs(fft.fft(x, n=4)) ** 2))(np.array([1.0, 2.0])).round(12))  # 2 n x
    [ 8. 16.]
    """
    return values("fft", x, n, axis, norm, overwrite_x, workers, plan)


@along_axis
def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of fft, with the factor 1/n under the default norm; parameters and errors as fft. See scipy.fft.ifft."""
    return values("ifft", x, n, axis, norm, overwrite_x, workers, plan)


@fft.adjoint
def _(call, g):
    y = ifft(g, axis=call.axis, norm=opposite(call.norm), plan=plan_of_adjoint(call, g))
    return resize_all(y, call.x.shape, (call.axis,))


@ifft.adjoint
def _(call, g):
    y = fft(g, axis=call.axis, norm=opposite(call.norm), plan=plan_of_adjoint(call, g))
    return resize_all(y, call.x.shape, (call.axis,))


@along_axes
def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Discrete Fourier transform along several axes.

    Parameters
    ----------
    x : real or complex array
    s : lengths on the transformed axes, x being cropped or padded to them (None, or -1 in it: the axis's own)
    axes : the axes to transform (None: the last len(s), or all)
    norm, overwrite_x, workers, plan : as fft

    Raises
    ------
    ValueError : s and axes do not fit each other or x, an axis occurs twice, a length is less than 1, norm is unknown

    Linear in x. The adjoint is ifftn under the opposite norm. A Dask array gives a Dask array, computed when it is asked for,
    block by block with rechunking between; so do all transforms. See scipy.fft.fftn.
    """
    return values("fftn", x, s, axes, norm, overwrite_x, workers, plan)


@along_axes
def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of fftn; parameters and errors as fftn. See scipy.fft.ifftn."""
    return values("ifftn", x, s, axes, norm, overwrite_x, workers, plan)


@fftn.adjoint
def _(call, g):
    return _adjoint(ifftn, call, g)


@ifftn.adjoint
def _(call, g):
    return _adjoint(fftn, call, g)


def _adjoint(back: Any, call: Any, g: Any) -> Any:
    axes = lengths_and_axes(call.x.shape, call.s, call.axes)[1]
    return resize_all(back(g, axes=axes, norm=opposite(call.norm), plan=plan_of_adjoint(call, g)), call.x.shape, axes)


def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """fftn along two axes, the last two by default. See scipy.fft.fft2."""
    return fftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """ifftn along two axes, the last two by default. See scipy.fft.ifft2."""
    return ifftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


__all__ = ["fft", "fft2", "fftn", "ifft", "ifft2", "ifftn"]
