"""Transforms of Hermitian-symmetric signals, which have real spectra: `rfft` and `irfft` with the
directions exchanged.

Arrays on the host go straight to the engine, which needs no conjugated copy and refuses with
SciPy's messages.
"""

from collections.abc import Sequence

import numpy as np

from scigrad.autodiff_rules import backends
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, Axes, Norm

from .dask_arrays import is_dask
from .real import irfft, irfftn, rfft, rfftn
from .transform import opposite, transform_values


def hfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the real spectrum of a Hermitian-symmetric signal from one half of it.

    ``hfft(x, n) = n irfft(conj(x), n)``, as `scipy.fft.hfft`.

    Parameters
    ----------
    x : array_like
        First half of the signal, cropped or padded with zeros to ``n//2 + 1`` entries along the
        axis.
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
    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(
    ...     grad(lambda x: fft.hfft(x, 4)[0])(np.ones(3)).round(12)
    ... )  # the middle entry counts twice
    [1. 2. 1.]
    """
    if type(x) is np.ndarray or _is_plain_array(x):
        return transform_values("hfft", x, n, axis, norm, overwrite_x, workers, plan)
    return irfft(np.conj(assemble(x)), n, axis, opposite(norm), overwrite_x, workers, plan=plan)


def ihfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the inverse of `hfft`: one half of a signal from its real spectrum.

    ``ihfft(x, n) = conj(rfft(x, n)) / n``, as `scipy.fft.ihfft`.

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
    >>> print(grad(lambda x: np.abs(fft.ihfft(x)[0]) ** 2)(np.array([1.0, 2.0])).round(12))
    [1.5 1.5]
    """
    if type(x) is np.ndarray or _is_plain_array(x):
        return transform_values("ihfft", x, n, axis, norm, overwrite_x, workers, plan)
    return np.conj(rfft(x, n, axis, opposite(norm), overwrite_x, workers, plan=plan))


def hfftn(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Axes | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the real spectrum of a Hermitian-symmetric signal along several axes.

    This is `fft` along all axes but the last, then `hfft` along that one. See `scipy.fft.hfftn`.

    Parameters
    ----------
    x : array_like
        First half of the signal along the last axis.
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
    >>> print(grad(lambda x: fft.hfftn(x, (2, 4))[0, 0])(np.ones((2, 3))).round(12))
    [[1. 2. 1.]
     [1. 2. 1.]]
    """
    if type(x) is np.ndarray or _is_plain_array(x):
        return transform_values("hfftn", x, s, axes, norm, overwrite_x, workers, plan)
    return irfftn(np.conj(assemble(x)), s, axes, opposite(norm), overwrite_x, workers, plan=plan)


def ihfftn(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Axes | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the inverse of `hfftn`: one half of a signal from its real spectrum.

    See `scipy.fft.ihfftn`.

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
    ...     grad(lambda x: np.abs(fft.ihfftn(x)[0, 0]) ** 2)(
    ...         np.array([[1.0, 2.0], [3.0, 4.0]])
    ...     ).round(12)
    ... )
    [[1.25 1.25]
     [1.25 1.25]]
    """
    if type(x) is np.ndarray or _is_plain_array(x):
        return transform_values("ihfftn", x, s, axes, norm, overwrite_x, workers, plan)
    return np.conj(rfftn(x, s, axes, opposite(norm), overwrite_x, workers, plan=plan))


def hfft2(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the real spectrum of a Hermitian-symmetric signal along two axes.

    See `scipy.fft.hfft2`; this is `hfftn` with other default axes.

    Parameters
    ----------
    x : array_like
        First half of the signal along the last axis.
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
    >>> print(grad(lambda x: fft.hfft2(x, (2, 2))[0, 1])(np.ones((2, 2))).round(12))
    [[ 1. -1.]
     [ 1. -1.]]
    """
    return hfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ihfft2(
    x: ArrayLike,
    s: Axes | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: object | None = None,
) -> Array:
    """Compute the inverse of `hfft2`: one half of a signal from its real spectrum.

    See `scipy.fft.ihfft2`; this is `ihfftn` with other default axes.

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
    ...     grad(lambda x: np.abs(fft.ihfft2(x)[1, 0]) ** 2)(
    ...         np.array([[1.0, 2.0], [3.0, 4.0]])
    ...     ).round(12)
    ... )
    [[-0.5 -0.5]
     [ 0.5  0.5]]
    """
    return ihfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def _is_plain_array(x):
    return not holds_traced(x) and backends.library(x) == "numpy" and not is_dask(x)


__all__ = ["hfft", "hfft2", "hfftn", "ihfft", "ihfft2", "ihfftn"]
