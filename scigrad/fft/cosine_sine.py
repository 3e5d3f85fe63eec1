"""Discrete cosine and sine transforms of types I to IV, in one and several dimensions.

The transform T of each type is a matrix with orthogonal rows but for the scale of its first or last
row or column; with `orthogonalize` that is mended: T = L To R, where L and R multiply end entries
by sqrt 2 and 1/sqrt 2, and To^T is a multiple of To^-1, the transform of the inverse type under the
same norm. Hence T^T = R To^T L.

    cosine   I: L, R both ends     II: L first     III: R first     IV: none
    sine     I: none               II: L last      III: R last      IV: none
"""

import math
from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import backends
from scigrad.typing import Array, ArrayLike, Axes, Norm

from .cosine_sine_kernels import ENDS, INVERSE_TYPE, transform_on_gpu
from .transform import (
    axes_transform,
    axis_transform,
    lengths_and_axes,
    resize_all,
    scale_ends,
    transform_values,
)


@axis_transform
def dct(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Array:
    """Compute the discrete cosine transform along one axis.

    See `scipy.fft.dct` for the definitions of the four types.

    Parameters
    ----------
    x : array_like
        Input; the real and the imaginary part of complex numbers are transformed separately.
    type : {1, 2, 3, 4}, optional
        Type of the transform.
    n : int, optional
        Length of the transform: the input is cropped or padded with zeros to it. By default the
        length of the axis.
    axis : int, optional
        Axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization as in `fft`, with the factor 1/(2n), or 1/(2(n - 1)) for type 1.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    orthogonalize : bool, optional
        Whether to scale the first or last entries such that the matrix of the transform is
        orthogonal, up to `norm`. By default if `norm` is "ortho".

    Returns
    -------
    ndarray
        Array in the precision of `x`, of length `n` along the axis.

    Raises
    ------
    ValueError
        If `type`, `norm` or `n` is invalid.
    IndexError
        If the axis does not exist.
    RuntimeError
        If a cosine transform of type 1 has a single entry.

    Notes
    -----
    Unlike SciPy 1.17, complex `x` follows `orthogonalize` too, and all four types exist on a GPU.

    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(
    ...     grad(lambda x: np.sum(fft.dct(x, norm="ortho") ** 2))(np.array([1.0, 2.0])).round(12)
    ... )  # 2 x
    [2. 4.]
    """
    return _call_along_axis("dct", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@axis_transform
def idct(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Array:
    """Compute the inverse discrete cosine transform of the same type along one axis.

    See `scipy.fft.idct`.

    Parameters
    ----------
    x : array_like
        Input; the real and the imaginary part of complex numbers are transformed separately.
    type : {1, 2, 3, 4}, optional
        Type of the transform.
    n : int, optional
        Length of the transform: the input is cropped or padded with zeros to it. By default the
        length of the axis.
    axis : int, optional
        Axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization as in `fft`, with the factor 1/(2n), or 1/(2(n - 1)) for type 1.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    orthogonalize : bool, optional
        Whether to scale the first or last entries such that the matrix of the transform is
        orthogonal, up to `norm`. By default if `norm` is "ortho".

    Returns
    -------
    ndarray
        Array in the precision of `x`, of length `n` along the axis.

    Raises
    ------
    ValueError
        If `type`, `norm` or `n` is invalid.
    IndexError
        If the axis does not exist.
    RuntimeError
        If a cosine transform of type 1 has a single entry.

    Notes
    -----
    Unlike SciPy 1.17, complex `x` follows `orthogonalize` too, and all four types exist on a GPU.

    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: np.sum(fft.idct(x)))(np.array([1.0, 2.0])).round(12))
    [0.5 0. ]
    """
    return _call_along_axis("idct", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@axis_transform
def dst(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Array:
    """Compute the discrete sine transform along one axis.

    See `scipy.fft.dst` for the definitions of the four types.

    Parameters
    ----------
    x : array_like
        Input; the real and the imaginary part of complex numbers are transformed separately.
    type : {1, 2, 3, 4}, optional
        Type of the transform.
    n : int, optional
        Length of the transform: the input is cropped or padded with zeros to it. By default the
        length of the axis.
    axis : int, optional
        Axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization as in `fft`, with the factor 1/(2n), or 1/(2(n + 1)) for type 1.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    orthogonalize : bool, optional
        Whether to scale the first or last entries such that the matrix of the transform is
        orthogonal, up to `norm`. By default if `norm` is "ortho".

    Returns
    -------
    ndarray
        Array in the precision of `x`, of length `n` along the axis.

    Raises
    ------
    ValueError
        If `type`, `norm` or `n` is invalid.
    IndexError
        If the axis does not exist.

    Notes
    -----
    Unlike SciPy 1.17, complex `x` follows `orthogonalize` too, and all four types exist on a GPU.

    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(
    ...     grad(lambda x: np.sum(fft.dst(x, norm="ortho") ** 2))(np.array([1.0, 2.0])).round(12)
    ... )  # 2 x
    [2. 4.]
    """
    return _call_along_axis("dst", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@axis_transform
def idst(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Array:
    """Compute the inverse discrete sine transform of the same type along one axis.

    See `scipy.fft.idst`.

    Parameters
    ----------
    x : array_like
        Input; the real and the imaginary part of complex numbers are transformed separately.
    type : {1, 2, 3, 4}, optional
        Type of the transform.
    n : int, optional
        Length of the transform: the input is cropped or padded with zeros to it. By default the
        length of the axis.
    axis : int, optional
        Axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization as in `fft`, with the factor 1/(2n), or 1/(2(n + 1)) for type 1.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    orthogonalize : bool, optional
        Whether to scale the first or last entries such that the matrix of the transform is
        orthogonal, up to `norm`. By default if `norm` is "ortho".

    Returns
    -------
    ndarray
        Array in the precision of `x`, of length `n` along the axis.

    Raises
    ------
    ValueError
        If `type`, `norm` or `n` is invalid.
    IndexError
        If the axis does not exist.

    Notes
    -----
    Unlike SciPy 1.17, complex `x` follows `orthogonalize` too, and all four types exist on a GPU.

    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: fft.idst(x, type=1)[0])(np.array([1.0, 2.0])).round(6))  # sin(pi/3)/3
    [0.288675 0.288675]
    """
    return _call_along_axis("idst", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@axes_transform
def dctn(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    s: Axes | None = None,
    axes: Axes | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Array:
    """Compute the discrete cosine transform along several axes.

    See `scipy.fft.dctn`.

    Parameters
    ----------
    x : array_like
        Input; the real and the imaginary part of complex numbers are transformed separately.
    type : {1, 2, 3, 4}, optional
        Type of the transform.
    s : int or sequence of ints, optional
        Lengths on the transformed axes: the input is cropped or padded with zeros to them. By
        default, and where a length is -1, the length of the axis.
    axes : int or sequence of ints, optional
        Axes to transform. By default the last ``len(s)``, or all of them.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization as in `fft`, with the factor 1/(2n), or 1/(2(n - 1)) for type 1.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    orthogonalize : bool, optional
        Whether to scale the first or last entries such that the matrix of the transform is
        orthogonal, up to `norm`. By default if `norm` is "ortho".

    Returns
    -------
    ndarray
        Array in the precision of `x`, of lengths `s` along the axes.

    Raises
    ------
    ValueError
        If `s` and `axes` do not fit each other or `x`, or `type`, `norm` or a length is invalid.
    RuntimeError
        If a cosine transform of type 1 has a single entry.

    Notes
    -----
    Unlike SciPy 1.17, complex `x` follows `orthogonalize` too, and all four types exist on a GPU.

    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(
    ...     grad(lambda x: np.sum(fft.dctn(x, norm="ortho") ** 2))(
    ...         np.array([[1.0, 2.0], [3.0, 4.0]])
    ...     ).round(12)
    ... )  # 2 x
    [[2. 4.]
     [6. 8.]]
    """
    return _call_along_axes("dctn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@axes_transform
def idctn(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    s: Axes | None = None,
    axes: Axes | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Array:
    """Compute the inverse discrete cosine transform of the same type along several axes.

    See `scipy.fft.idctn`.

    Parameters
    ----------
    x : array_like
        Input; the real and the imaginary part of complex numbers are transformed separately.
    type : {1, 2, 3, 4}, optional
        Type of the transform.
    s : int or sequence of ints, optional
        Lengths on the transformed axes: the input is cropped or padded with zeros to them. By
        default, and where a length is -1, the length of the axis.
    axes : int or sequence of ints, optional
        Axes to transform. By default the last ``len(s)``, or all of them.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization as in `fft`, with the factor 1/(2n), or 1/(2(n - 1)) for type 1.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    orthogonalize : bool, optional
        Whether to scale the first or last entries such that the matrix of the transform is
        orthogonal, up to `norm`. By default if `norm` is "ortho".

    Returns
    -------
    ndarray
        Array in the precision of `x`, of lengths `s` along the axes.

    Raises
    ------
    ValueError
        If `s` and `axes` do not fit each other or `x`, or `type`, `norm` or a length is invalid.
    RuntimeError
        If a cosine transform of type 1 has a single entry.

    Notes
    -----
    Unlike SciPy 1.17, complex `x` follows `orthogonalize` too, and all four types exist on a GPU.

    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: fft.idctn(x)[0, 0])(np.ones((2, 2))).round(6))
    [[0.0625   0.088388]
     [0.088388 0.125   ]]
    """
    return _call_along_axes("idctn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@axes_transform
def dstn(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    s: Axes | None = None,
    axes: Axes | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Array:
    """Compute the discrete sine transform along several axes.

    See `scipy.fft.dstn`.

    Parameters
    ----------
    x : array_like
        Input; the real and the imaginary part of complex numbers are transformed separately.
    type : {1, 2, 3, 4}, optional
        Type of the transform.
    s : int or sequence of ints, optional
        Lengths on the transformed axes: the input is cropped or padded with zeros to them. By
        default, and where a length is -1, the length of the axis.
    axes : int or sequence of ints, optional
        Axes to transform. By default the last ``len(s)``, or all of them.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization as in `fft`, with the factor 1/(2n), or 1/(2(n + 1)) for type 1.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    orthogonalize : bool, optional
        Whether to scale the first or last entries such that the matrix of the transform is
        orthogonal, up to `norm`. By default if `norm` is "ortho".

    Returns
    -------
    ndarray
        Array in the precision of `x`, of lengths `s` along the axes.

    Raises
    ------
    ValueError
        If `s` and `axes` do not fit each other or `x`, or `type`, `norm` or a length is invalid.

    Notes
    -----
    Unlike SciPy 1.17, complex `x` follows `orthogonalize` too, and all four types exist on a GPU.

    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(
    ...     grad(lambda x: np.sum(fft.dstn(x, norm="ortho") ** 2))(
    ...         np.array([[1.0, 2.0], [3.0, 4.0]])
    ...     ).round(12)
    ... )  # 2 x
    [[2. 4.]
     [6. 8.]]
    """
    return _call_along_axes("dstn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@axes_transform
def idstn(
    x: ArrayLike,
    type: Literal[1, 2, 3, 4] = 2,
    s: Axes | None = None,
    axes: Axes | None = None,
    norm: Norm | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Array:
    """Compute the inverse discrete sine transform of the same type along several axes.

    See `scipy.fft.idstn`.

    Parameters
    ----------
    x : array_like
        Input; the real and the imaginary part of complex numbers are transformed separately.
    type : {1, 2, 3, 4}, optional
        Type of the transform.
    s : int or sequence of ints, optional
        Lengths on the transformed axes: the input is cropped or padded with zeros to them. By
        default, and where a length is -1, the length of the axis.
    axes : int or sequence of ints, optional
        Axes to transform. By default the last ``len(s)``, or all of them.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization as in `fft`, with the factor 1/(2n), or 1/(2(n + 1)) for type 1.
    overwrite_x : bool, optional
        Whether the memory of `x` may be overwritten. Ignored inside a transform of scigrad.
    workers : int, optional
        Number of threads on the CPU.
    orthogonalize : bool, optional
        Whether to scale the first or last entries such that the matrix of the transform is
        orthogonal, up to `norm`. By default if `norm` is "ortho".

    Returns
    -------
    ndarray
        Array in the precision of `x`, of lengths `s` along the axes.

    Raises
    ------
    ValueError
        If `s` and `axes` do not fit each other or `x`, or `type`, `norm` or a length is invalid.

    Notes
    -----
    Unlike SciPy 1.17, complex `x` follows `orthogonalize` too, and all four types exist on a GPU.

    Half precision is computed in single precision, integers in double precision. A Dask array gives
    a lazy Dask array, which is rechunked where an axis to transform is split.

    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: fft.idstn(x, type=1)[0, 0])(np.ones((2, 2))).round(6))  # sin(pi/3)^2/9
    [[0.083333 0.083333]
     [0.083333 0.083333]]
    """
    return _call_along_axes("idstn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def _call_along_axis(name, x, type, n, axis, norm, overwrite_x, workers, orthogonalize):
    if backends.library(x) != "numpy":
        return transform_on_gpu(
            name, x, type, None if n is None else (n,), (axis,), norm, orthogonalize
        )
    return _call_on_host(name, x, n, axis, norm, overwrite_x, workers, type, orthogonalize)


def _call_along_axes(name, x, type, s, axes, norm, overwrite_x, workers, orthogonalize):
    if backends.library(x) != "numpy":
        return transform_on_gpu(
            name[:-1], x, type, *lengths_and_axes(x.shape, s, axes), norm, orthogonalize
        )
    return _call_on_host(name, x, s, axes, norm, overwrite_x, workers, type, orthogonalize)


def _call_on_host(name, x, *args):
    *args, type, orthogonalize = args
    if orthogonalize is None or not np.iscomplexobj(x):
        return transform_values(name, x, *args, type=type, orthogonalize=orthogonalize)
    # SciPy 1.17 forgets orthogonalize for complex x
    real, imaginary = (
        transform_values(name, part, *args, type=type, orthogonalize=orthogonalize)
        for part in (np.real(x), np.imag(x))
    )
    return real + 1j * imaginary


def _state_adjoint(transform: Any) -> None:
    family, inverse = transform.__name__.removeprefix("i")[:3], transform.__name__.startswith("i")

    @transform.adjoint
    def _(call, g):
        several = hasattr(call, "axes")
        axes = lengths_and_axes(call.x.shape, call.s, call.axes)[1] if several else (call.axis,)
        left, right = ENDS[family, INVERSE_TYPE[call.type] if inverse else call.type]
        if call.orthogonalize or (call.orthogonalize is None and call.norm == "ortho"):
            left = right = (False, False)
        where = {"axes": axes} if several else {"axis": call.axis}
        y = _scale_ends(g, left, math.sqrt(2.0), axes)
        y = transform(y, INVERSE_TYPE[call.type], norm=call.norm, orthogonalize=True, **where)
        return resize_all(_scale_ends(y, right, math.sqrt(0.5), axes), call.x.shape, axes)


def _scale_ends(x: Any, ends: tuple[bool, bool], factor: float, axes: Any) -> Any:
    for axis in axes if any(ends) else ():
        x = scale_ends(x, factor, axis, *ends)
    return x


for _transform in (dct, idct, dst, idst, dctn, idctn, dstn, idstn):
    _state_adjoint(_transform)

__all__ = ["dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"]
