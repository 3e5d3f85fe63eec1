"""Discrete cosine and sine transforms of types I to IV, in one and several dimensions.

The transform T of each type is a matrix with orthogonal rows but for the scale of its first or last row or column; with
`orthogonalize` that is mended: T = L To R, where L and R multiply end entries by sqrt 2 and 1/sqrt 2, and To^T is a multiple
of To^-1, the transform of the inverse type under the same norm. Hence T^T = R To^T L.

    cosine   I: L, R both ends     II: L first     III: R first     IV: none
    sine     I: none               II: L last      III: R last      IV: none
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scigrad.autodiff_rules import backends

from .cosine_sine_kernels import ENDS, INVERSE_TYPE, on_gpu
from .transform import along_axes, along_axis, lengths_and_axes, resize_all, scale_ends, values


@along_axis
def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Discrete cosine transform along one axis.

    Parameters
    ----------
    x : array; real and imaginary part of a complex one are transformed apart
    type : 1, 2, 3 or 4
    n, axis, norm, overwrite_x, workers : as fft; the factor of the norm is 1/(2n), or 1/(2(n - 1)) for type 1
    orthogonalize : whether end entries are scaled so that the matrix becomes orthogonal (None: if norm is "ortho")

    Returns
    -------
    array of x's precision, of length n along the axis

    Raises
    ------
    ValueError : type, norm or n is invalid
    IndexError : the axis does not exist
    RuntimeError : type 1 of a single entry

    Linear in x. Unlike scipy.fft.dct (1.17), `orthogonalize` is followed for complex x too, and a GPU has all four types.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: np.sum(fft.dct(x, norm="ortho") ** 2))(np.array([1.0, 2.0])).round(12))
    [2. 4.]
    """
    return _along_axis("dct", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@along_axis
def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Inverse of dct of the same type; parameters and errors as dct. See scipy.fft.idct."""
    return _along_axis("idct", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@along_axis
def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Discrete sine transform along one axis; parameters and errors as dct. See scipy.fft.dst."""
    return _along_axis("dst", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@along_axis
def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Inverse of dst of the same type; parameters and errors as dct. See scipy.fft.idst."""
    return _along_axis("idst", x, type, n, axis, norm, overwrite_x, workers, orthogonalize)


@along_axes
def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """dct along several axes; s and axes as fftn, the rest as dct. See scipy.fft.dctn."""
    return _along_axes("dctn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@along_axes
def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Inverse of dctn of the same type. See scipy.fft.idctn."""
    return _along_axes("idctn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@along_axes
def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """dst along several axes; s and axes as fftn, the rest as dct. See scipy.fft.dstn."""
    return _along_axes("dstn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


@along_axes
def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """Inverse of dstn of the same type. See scipy.fft.idstn."""
    return _along_axes("idstn", x, type, s, axes, norm, overwrite_x, workers, orthogonalize)


def _along_axis(name, x, type, n, axis, norm, overwrite_x, workers, orthogonalize):
    if backends.library(x) == "cupy":
        return on_gpu(name, x, type, None if n is None else (n,), (axis,), norm, orthogonalize)
    return _on_host(name, x, n, axis, norm, overwrite_x, workers, type, orthogonalize)


def _along_axes(name, x, type, s, axes, norm, overwrite_x, workers, orthogonalize):
    if backends.library(x) == "cupy":
        return on_gpu(name[:-1], x, type, *lengths_and_axes(x.shape, s, axes), norm, orthogonalize)
    return _on_host(name, x, s, axes, norm, overwrite_x, workers, type, orthogonalize)


def _on_host(name, x, *args):
    *args, type, orthogonalize = args
    if orthogonalize is None or not np.iscomplexobj(x):
        return values(name, x, *args, type=type, orthogonalize=orthogonalize)
    # SciPy 1.17 forgets orthogonalize for complex x
    real, imaginary = (values(name, part, *args, type=type, orthogonalize=orthogonalize) for part in (np.real(x), np.imag(x)))
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
