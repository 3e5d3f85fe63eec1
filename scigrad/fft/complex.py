"""Complex discrete Fourier transforms in one and several dimensions.

The DFT matrix F has F^H = n F^-1: the adjoint of a transform is the one in the other direction
under the opposite norm, followed by the adjoint of cropping or padding, so that a cotangent returns
to the length of x.
"""

from collections.abc import Sequence
from typing import Any

from scigrad.typing import Array, ArrayLike, Axes, Norm

from .transform import (
    axes_transform,
    axis_transform,
    lengths_and_axes,
    opposite,
    plan_of_adjoint,
    resize_all,
    transform_values,
)


@axis_transform
def fft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the discrete Fourier transform along one axis.

    ``y[k] = sum_j x[j] exp(-2 pi i j k / n)``, as `scipy.fft.fft`.

    Parameters
    ----------
    x : array_like
        Input, real or complex.
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
        Complex array in the precision of `x`, of length `n` along the axis.

    Raises
    ------
    TypeError
        If `x` does not hold numbers. Records of two halves, a stand-in for the missing complex32,
        are refused too.
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
    >>> print(
    ...     grad(lambda x: np.sum(np.abs(fft.fft(x, n=4)) ** 2))(np.array([1.0, 2.0])).round(12)
    ... )  # 2 n x
    [ 8. 16.]
    """
    return transform_values("fft", x, n, axis, norm, overwrite_x, workers, plan)


@axis_transform
def ifft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the inverse discrete Fourier transform along one axis.

    ``x[j] = 1/n sum_k y[k] exp(2 pi i j k / n)``, as `scipy.fft.ifft`.

    Parameters
    ----------
    x : array_like
        Input, real or complex.
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
        Complex array in the precision of `x`, of length `n` along the axis.

    Raises
    ------
    TypeError
        If `x` does not hold numbers. Records of two halves, a stand-in for the missing complex32,
        are refused too.
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
    >>> print(
    ...     grad(lambda x: np.sum(np.abs(fft.ifft(x)) ** 2))(np.array([1.0, 2.0])).round(12)
    ... )  # 2 x / n
    [1. 2.]
    """
    return transform_values("ifft", x, n, axis, norm, overwrite_x, workers, plan)


@fft.adjoint
def _(call, g):
    y = ifft(g, axis=call.axis, norm=opposite(call.norm), plan=plan_of_adjoint(call, g))
    return resize_all(y, call.x.shape, (call.axis,))


@ifft.adjoint
def _(call, g):
    y = fft(g, axis=call.axis, norm=opposite(call.norm), plan=plan_of_adjoint(call, g))
    return resize_all(y, call.x.shape, (call.axis,))


@axes_transform
def fftn(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Axes | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the discrete Fourier transform along several axes.

    See `scipy.fft.fftn`.

    Parameters
    ----------
    x : array_like
        Input, real or complex.
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
        Complex array in the precision of `x`, of lengths `s` along the axes.

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
    >>> print(
    ...     grad(lambda x: np.sum(np.abs(fft.fftn(x)) ** 2))(
    ...         np.array([[1.0, 2.0], [3.0, 4.0]])
    ...     ).round(12)
    ... )  # 2 n x
    [[ 8. 16.]
     [24. 32.]]
    """
    return transform_values("fftn", x, s, axes, norm, overwrite_x, workers, plan)


@axes_transform
def ifftn(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Axes | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the inverse discrete Fourier transform along several axes.

    See `scipy.fft.ifftn`.

    Parameters
    ----------
    x : array_like
        Input, real or complex.
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
        Complex array in the precision of `x`, of lengths `s` along the axes.

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
    >>> print(
    ...     grad(lambda x: np.sum(np.abs(fft.ifftn(x)) ** 2))(
    ...         np.array([[1.0, 2.0], [3.0, 4.0]])
    ...     ).round(12)
    ... )  # 2 x / n
    [[0.5 1. ]
     [1.5 2. ]]
    """
    return transform_values("ifftn", x, s, axes, norm, overwrite_x, workers, plan)


@fftn.adjoint
def _(call, g):
    return _adjoint(ifftn, call, g)


@ifftn.adjoint
def _(call, g):
    return _adjoint(fftn, call, g)


def _adjoint(back: Any, call: Any, g: Any) -> Any:
    axes = lengths_and_axes(call.x.shape, call.s, call.axes)[1]
    return resize_all(
        back(g, axes=axes, norm=opposite(call.norm), plan=plan_of_adjoint(call, g)),
        call.x.shape,
        axes,
    )


def fft2(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the discrete Fourier transform along two axes.

    See `scipy.fft.fft2`; this is `fftn` with other default axes.

    Parameters
    ----------
    x : array_like
        Input, real or complex.
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
        Complex array in the precision of `x`, of lengths `s` along the axes.

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
    >>> print(
    ...     grad(lambda x: np.abs(fft.fft2(x)[0, 0]) ** 2)(
    ...         np.array([[1.0, 2.0], [3.0, 4.0]])
    ...     ).round(12)
    ... )  # 2 sum(x)
    [[20. 20.]
     [20. 20.]]
    """
    return fftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ifft2(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the inverse discrete Fourier transform along two axes.

    See `scipy.fft.ifft2`; this is `ifftn` with other default axes.

    Parameters
    ----------
    x : array_like
        Input, real or complex.
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
        Complex array in the precision of `x`, of lengths `s` along the axes.

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
    >>> print(
    ...     grad(lambda x: np.abs(fft.ifft2(x)[0, 0]) ** 2)(
    ...         np.array([[1.0, 2.0], [3.0, 4.0]])
    ...     ).round(12)
    ... )
    [[1.25 1.25]
     [1.25 1.25]]
    """
    return ifftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


__all__ = ["fft", "fft2", "fftn", "ifft", "ifft2", "ifftn"]
