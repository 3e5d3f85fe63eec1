"""Fourier transforms between real arrays and half spectra.

rfft keeps the entries 0 .. n//2 of the transform; irfft supplies the others by symmetry, so that
each entry counts twice except number 0 and, for even n, the last (Nyquist), of which it reads the
real part only:

    y_j = 1/n Re sum_k c_k x_k exp(2 pi i j k / n)
    c   = 1, 2, 2, ..., 2 (odd n)   or   1, 2, ..., 2, 1 (even n)

Hence irfft^T = c rfft / n, and rfft^T = n irfft / c, over the reals: these are linear maps of real
and imaginary parts.
"""

from collections.abc import Sequence

from scigrad.typing import Array, ArrayLike, Axes, Norm

from .transform import (
    axes_transform,
    axis_transform,
    lengths_and_axes,
    opposite,
    resize_all,
    scale_ends,
    transform_values,
)


@axis_transform
def rfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the discrete Fourier transform of a real array along one axis.

    Entries 0 to n//2 of `fft`; the others are their complex conjugates. See `scipy.fft.rfft`.

    Parameters
    ----------
    x : array_like
        Input, real.
    n : int, optional
        Length of the transform: the input is cropped or padded with zeros to it. By default the
        length of the axis.
    axis : int, optional
        Axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization: the factor 1/n belongs to the inverse transform (the default), 1/sqrt(n) to
        both directions, or 1/n to the forward transform.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    plan : object, optional
        Plan of cuFFT for `x` (``cupyx.scipy.fft.get_fft_plan``), also used by the adjoint where it
        fits, and ignored under vmap. By default CuPy's cached plan, one for each stream. On the CPU
        only None is accepted.

    Returns
    -------
    ndarray
        Complex array in the precision of `x`, of length ``n//2 + 1`` along the axis.

    Raises
    ------
    TypeError
        If `x` is complex.
    ValueError
        If `n` is less than 1 or `norm` is unknown.
    IndexError
        If the axis does not exist.

    Notes
    -----
    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: np.sum(np.abs(fft.rfft(x)) ** 2))(np.array([1.0, 0.0, 0.0])).round(12))
    [4. 1. 1.]
    """
    _check_real("rfft", x)
    return transform_values("rfft", x, n, axis, norm, overwrite_x, workers, plan)


@rfft.adjoint
def _(call, g):
    n = call.n or call.x.shape[call.axis]
    g = scale_ends(g, 2.0, call.axis, True, n % 2 == 0, 0.5)
    return resize_all(irfft(g, n, call.axis, opposite(call.norm)), call.x.shape, (call.axis,))


@axis_transform
def irfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the inverse of `rfft`: a real array from one half of its spectrum.

    See `scipy.fft.irfft`.

    Parameters
    ----------
    x : array_like
        Half spectrum, cropped or padded with zeros to ``n//2 + 1`` entries along the axis.
    n : int, optional
        Length of the output. By default ``2 (m - 1)``, where m is the length of the axis.
    axis : int, optional
        Axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization: the factor 1/n belongs to the inverse transform (the default), 1/sqrt(n) to
        both directions, or 1/n to the forward transform.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    plan : object, optional
        Plan of cuFFT for `x` (``cupyx.scipy.fft.get_fft_plan``), also used by the adjoint where it
        fits, and ignored under vmap. By default CuPy's cached plan, one for each stream. On the CPU
        only None is accepted.

    Returns
    -------
    ndarray
        Real array in the precision of `x`, of length `n` along the axis.

    Raises
    ------
    ValueError
        If `n` is less than 1 or `norm` is unknown.
    IndexError
        If the axis does not exist.

    Notes
    -----
    The imaginary parts of entry 0 and, for even `n`, of the last entry are ignored: their
    derivatives are 0.

    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(
    ...     grad(lambda x: fft.irfft(x, 4)[0])(np.array([1.0, 1.0, 1.0])).round(12)
    ... )  # the middle entry counts twice
    [0.25 0.5  0.25]
    """
    return transform_values("irfft", x, n, axis, norm, overwrite_x, workers, plan)


@irfft.adjoint
def _(call, g):
    spectrum = rfft(g, axis=call.axis, norm=opposite(call.norm))
    spectrum = scale_ends(spectrum, 0.5, call.axis, True, g.shape[call.axis] % 2 == 0, 2.0)
    return resize_all(spectrum, call.x.shape, (call.axis,))


@axes_transform
def rfftn(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Axes | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the discrete Fourier transform of a real array along several axes.

    This is `rfft` along the last axis, then `fft` along the others. See `scipy.fft.rfftn`.

    Parameters
    ----------
    x : array_like
        Input, real.
    s : int or sequence of ints, optional
        Lengths on the transformed axes: the input is cropped or padded with zeros to them. By
        default, and where a length is -1, the length of the axis.
    axes : int or sequence of ints, optional
        Axes to transform. By default the last ``len(s)``, or all of them.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization: the factor 1/n belongs to the inverse transform (the default), 1/sqrt(n) to
        both directions, or 1/n to the forward transform.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    plan : object, optional
        Plan of cuFFT for `x` (``cupyx.scipy.fft.get_fft_plan``), also used by the adjoint where it
        fits, and ignored under vmap. By default CuPy's cached plan, one for each stream. On the CPU
        only None is accepted.

    Returns
    -------
    ndarray
        Complex array in the precision of `x`; its last transformed axis has the length
        ``s[-1]//2 + 1``.

    Raises
    ------
    TypeError
        If `x` is complex.
    ValueError
        If `s` and `axes` do not fit each other or `x`, an axis is repeated, a length is less than
        1, or `norm` is unknown.

    Notes
    -----
    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(
    ...     grad(lambda x: np.abs(fft.rfftn(x)[0, 0]) ** 2)(
    ...         np.array([[1.0, 2.0], [3.0, 4.0]])
    ...     ).round(12)
    ... )  # 2 sum(x)
    [[20. 20.]
     [20. 20.]]
    """
    _check_real("rfftn", x)
    return transform_values("rfftn", x, s, axes, norm, overwrite_x, workers, plan)


@rfftn.adjoint
def _(call, g):
    lengths, axes = lengths_and_axes(call.x.shape, call.s, call.axes)
    g = scale_ends(g, 2.0, axes[-1], True, lengths[-1] % 2 == 0, 0.5)
    return resize_all(irfftn(g, lengths, axes, opposite(call.norm)), call.x.shape, axes)


@axes_transform
def irfftn(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Axes | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the inverse of `rfftn`: a real array from one half of its spectrum.

    This is `ifft` along all axes but the last, then `irfft` along that one. See `scipy.fft.irfftn`.

    Parameters
    ----------
    x : array_like
        Half spectrum, real or complex.
    s : int or sequence of ints, optional
        Lengths of the output on the transformed axes. By default those of the input, and
        ``2 (m - 1)`` on the last one.
    axes : int or sequence of ints, optional
        Axes to transform. By default the last ``len(s)``, or all of them.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization: the factor 1/n belongs to the inverse transform (the default), 1/sqrt(n) to
        both directions, or 1/n to the forward transform.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    plan : object, optional
        Plan of cuFFT for `x` (``cupyx.scipy.fft.get_fft_plan``), also used by the adjoint where it
        fits, and ignored under vmap. By default CuPy's cached plan, one for each stream. On the CPU
        only None is accepted.

    Returns
    -------
    ndarray
        Real array in the precision of `x`.

    Raises
    ------
    TypeError
        If `x` does not hold numbers.
    ValueError
        If `s` and `axes` do not fit each other or `x`, an axis is repeated, a length is less than
        1, or `norm` is unknown.

    Notes
    -----
    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: fft.irfftn(x, (2, 4))[0, 0])(np.ones((2, 3))).round(12))
    [[0.125 0.25  0.125]
     [0.125 0.25  0.125]]
    """
    return transform_values("irfftn", x, s, axes, norm, overwrite_x, workers, plan)


@irfftn.adjoint
def _(call, g):
    axes = lengths_and_axes(call.x.shape, call.s, call.axes)[1]
    spectrum = rfftn(g, axes=axes, norm=opposite(call.norm))
    spectrum = scale_ends(spectrum, 0.5, axes[-1], True, g.shape[axes[-1]] % 2 == 0, 2.0)
    return resize_all(spectrum, call.x.shape, axes)


def rfft2(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the discrete Fourier transform of a real array along two axes.

    See `scipy.fft.rfft2`; this is `rfftn` with other default axes.

    Parameters
    ----------
    x : array_like
        Input, real.
    s : int or sequence of ints, optional
        Lengths on the transformed axes: the input is cropped or padded with zeros to them. By
        default, and where a length is -1, the length of the axis.
    axes : sequence of ints, optional
        Axes to transform, the last two by default.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization: the factor 1/n belongs to the inverse transform (the default), 1/sqrt(n) to
        both directions, or 1/n to the forward transform.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    plan : object, optional
        Plan of cuFFT for `x` (``cupyx.scipy.fft.get_fft_plan``), also used by the adjoint where it
        fits, and ignored under vmap. By default CuPy's cached plan, one for each stream. On the CPU
        only None is accepted.

    Returns
    -------
    ndarray
        Complex array in the precision of `x`; its last transformed axis has the length
        ``s[-1]//2 + 1``.

    Raises
    ------
    TypeError
        If `x` is complex.
    ValueError
        If `s` and `axes` do not fit each other or `x`, an axis is repeated, a length is less than
        1, or `norm` is unknown.

    Notes
    -----
    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(
    ...     grad(lambda x: np.abs(fft.rfft2(x)[1, 0]) ** 2)(
    ...         np.array([[1.0, 2.0], [3.0, 4.0]])
    ...     ).round(12)
    ... )
    [[-8. -8.]
     [ 8.  8.]]
    """
    return rfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def irfft2(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the inverse of `rfft2`: a real array from one half of its spectrum.

    See `scipy.fft.irfft2`; this is `irfftn` with other default axes.

    Parameters
    ----------
    x : array_like
        Half spectrum, real or complex.
    s : int or sequence of ints, optional
        Lengths of the output on the transformed axes. By default those of the input, and
        ``2 (m - 1)`` on the last one.
    axes : sequence of ints, optional
        Axes to transform, the last two by default.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization: the factor 1/n belongs to the inverse transform (the default), 1/sqrt(n) to
        both directions, or 1/n to the forward transform.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    plan : object, optional
        Plan of cuFFT for `x` (``cupyx.scipy.fft.get_fft_plan``), also used by the adjoint where it
        fits, and ignored under vmap. By default CuPy's cached plan, one for each stream. On the CPU
        only None is accepted.

    Returns
    -------
    ndarray
        Real array in the precision of `x`.

    Raises
    ------
    TypeError
        If `x` does not hold numbers.
    ValueError
        If `s` and `axes` do not fit each other or `x`, an axis is repeated, a length is less than
        1, or `norm` is unknown.

    Notes
    -----
    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: fft.irfft2(x, (2, 2))[0, 1])(np.ones((2, 2))).round(12))
    [[ 0.25 -0.25]
     [ 0.25 -0.25]]
    """
    return irfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def _check_real(name, x):
    if getattr(getattr(x, "dtype", None), "kind", "") == "c":
        raise TypeError(
            f"{name}: x must be real, but is {x.dtype} of shape {x.shape}. Use {name[1:]} for "
            "complex data, or numpy.real(x) if the imaginary part is zero."
        )


__all__ = ["irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftn"]
