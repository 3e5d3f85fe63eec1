"""Discrete cosine and sine transforms of types I to IV, in one and several dimensions.

The transform T of each type is a matrix with orthogonal rows but for the scale of its first or last
row or column; with `orthogonalize` that is mended: T = L To R, where L and R multiply end entries
by sqrt 2 and 1/sqrt 2, and To^T is a multiple of To^-1, the transform of the inverse type under the
same norm. Hence T^T = R To^T L.

    cosine   I: L, R both ends     II: L first     III: R first     IV: none
    sine     I: none               II: L last      III: R last      IV: none
"""

import math
from typing import Any

import numpy as np

from scigrad.autodiff_rules import backends
from scigrad.autodiff_rules.docstrings import completed_by

from .complex import fft, fftn
from .cosine_sine_kernels import ENDS, INVERSE_TYPE, on_gpu
from .transform import along_axes, along_axis, lengths_and_axes, resize_all, scale_ends, values


@along_axis
@completed_by(fft)
def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Compute the discrete cosine transform along one axis.

    See `scipy.fft.dct` for the definitions of the four types.

    Parameters
    ----------
    x : array_like
        Input; the real and the imaginary part of complex numbers are transformed separately.
    type : {1, 2, 3, 4}, optional
        Type of the transform.
    norm : {"backward", "ortho", "forward"}, optional
        Normalization as in `fft`, with the factor 1/(2n), or 1/(2(n - 1)) for type 1.
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

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(
    ...     grad(lambda x: np.sum(fft.dct(x, norm="ortho") ** 2))(np.array([1.0, 2.0])).round(12)
    ... )  # 2 x
    [2. 4.]
    """
    return _along_axis("dct", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@along_axis
@completed_by(dct)
def idct(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None
):
    """Compute the inverse discrete cosine transform of the same type along one axis.

    See `scipy.fft.idct`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: np.sum(fft.idct(x)))(np.array([1.0, 2.0])).round(12))
    [0.5 0. ]
    """
    return _along_axis("idct", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@along_axis
@completed_by(dct)
def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Compute the discrete sine transform along one axis.

    See `scipy.fft.dst` for the definitions of the four types.

    Parameters
    ----------
    norm : {"backward", "ortho", "forward"}, optional
        Normalization as in `fft`, with the factor 1/(2n), or 1/(2(n + 1)) for type 1.

    Raises
    ------
    ValueError
        If `type`, `norm` or `n` is invalid.
    IndexError
        If the axis does not exist.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(
    ...     grad(lambda x: np.sum(fft.dst(x, norm="ortho") ** 2))(np.array([1.0, 2.0])).round(12)
    ... )  # 2 x
    [2. 4.]
    """
    return _along_axis("dst", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@along_axis
@completed_by(dst)
def idst(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None
):
    """Compute the inverse discrete sine transform of the same type along one axis.

    See `scipy.fft.idst`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: fft.idst(x, type=1)[0])(np.array([1.0, 2.0])).round(6))  # sin(pi/3)/3
    [0.288675 0.288675]
    """
    return _along_axis("idst", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@along_axes
@completed_by(dct, fftn)
def dctn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None
):
    """Compute the discrete cosine transform along several axes.

    See `scipy.fft.dctn`.

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
    return _along_axes("dctn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@along_axes
@completed_by(dctn)
def idctn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None
):
    """Compute the inverse discrete cosine transform of the same type along several axes.

    See `scipy.fft.idctn`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: fft.idctn(x)[0, 0])(np.ones((2, 2))).round(6))
    [[0.0625   0.088388]
     [0.088388 0.125   ]]
    """
    return _along_axes("idctn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@along_axes
@completed_by(dst, dctn)
def dstn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None
):
    """Compute the discrete sine transform along several axes.

    See `scipy.fft.dstn`.

    Returns
    -------
    ndarray
        Array in the precision of `x`, of lengths `s` along the axes.

    Raises
    ------
    ValueError
        If `s` and `axes` do not fit each other or `x`, or `type`, `norm` or a length is invalid.

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
    return _along_axes("dstn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@along_axes
@completed_by(dstn)
def idstn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None
):
    """Compute the inverse discrete sine transform of the same type along several axes.

    See `scipy.fft.idstn`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: fft.idstn(x, type=1)[0, 0])(np.ones((2, 2))).round(6))  # sin(pi/3)^2/9
    [[0.083333 0.083333]
     [0.083333 0.083333]]
    """
    return _along_axes("idstn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def _along_axis(name, x, type, n, axis, norm, overwrite_x, workers, orthogonalize):
    if backends.library(x) != "numpy":
        return on_gpu(name, x, type, None if n is None else (n,), (axis,), norm, orthogonalize)
    return _on_host(name, x, n, axis, norm, overwrite_x, workers, type, orthogonalize)


def _along_axes(name, x, type, s, axes, norm, overwrite_x, workers, orthogonalize):
    if backends.library(x) != "numpy":
        return on_gpu(name[:-1], x, type, *lengths_and_axes(x.shape, s, axes), norm, orthogonalize)
    return _on_host(name, x, s, axes, norm, overwrite_x, workers, type, orthogonalize)


def _on_host(name, x, *args):
    *args, type, orthogonalize = args
    if orthogonalize is None or not np.iscomplexobj(x):
        return values(name, x, *args, type=type, orthogonalize=orthogonalize)
    # SciPy 1.17 forgets orthogonalize for complex x
    real, imaginary = (
        values(name, part, *args, type=type, orthogonalize=orthogonalize)
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
        y = _scaled(g, left, math.sqrt(2.0), axes)
        y = transform(y, INVERSE_TYPE[call.type], norm=call.norm, orthogonalize=True, **where)
        return resize_all(_scaled(y, right, math.sqrt(0.5), axes), call.x.shape, axes)


def _scaled(x: Any, ends: tuple[bool, bool], factor: float, axes: Any) -> Any:
    for axis in axes if any(ends) else ():
        x = scale_ends(x, factor, axis, *ends)
    return x


for _transform in (dct, idct, dst, idst, dctn, idctn, dstn, idstn):
    _state_adjoint(_transform)

__all__ = ["dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"]
