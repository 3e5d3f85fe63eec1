"""Filters of neighborhoods: medians and other ranks, and Wiener's filter."""

import math
import warnings
from typing import Any

import scigrad.numpy as np
from scigrad.numpy.devices import on_host
from scigrad.typing import Array, ArrayLike, Axes

from ..foundation.composition import (
    floating,
    refuse_if,
    scipy_composition,
    vectors,
)


def _neighbors(x: Any, domain: np.ndarray) -> Any:
    """Return the neighbors of each sample along a new first axis, those where `domain` is not 0; 0
    outside.
    """
    padded = np.pad(x, [(n // 2, (n - 1) // 2) for n in domain.shape])
    corners = np.argwhere(domain != 0).tolist()
    return np.stack(
        [padded[tuple(map(slice, corner, np.add(corner, x.shape)))] for corner in corners]
    )


def _sizes(kernel_size: Any, ndim: int) -> list[int]:
    sizes = np.broadcast_to(np.asarray(3 if kernel_size is None else kernel_size), (ndim,)).tolist()
    refuse_if(any(size % 2 != 1 for size in sizes), "Each element of kernel_size should be odd.")
    return sizes


def _require_real(x: Any, name: str) -> Any:
    (x,) = vectors(x)
    refuse_if(x.dtype.kind == "c", f"dtype={x.dtype} is not supported by {name}")
    return x


def _select_rank(x: Any, domain: np.ndarray, rank: int) -> Any:
    return np.sort(_neighbors(x, domain), axis=0)[rank]


@scipy_composition(integers="samples")
def order_filter(a: ArrayLike, domain: ArrayLike, rank: int) -> Array:
    """Replace each sample by the one of a given rank in its neighborhood.

    Parameters
    ----------
    a : array_like
        Array of any number of axes, whose elements are ranked.
    domain : array_like
        Neighborhood: the places that are not 0, of odd sizes.
    rank : int
        Rank, 0 for the smallest.

    Returns
    -------
    ndarray
        Filtered array.

    Raises
    ------
    ValueError
        If the dtype is complex or a size is even.

    Notes
    -----
    The derivative is 1 in the sample that is chosen; among equal samples it is one of them.

    This is `scipy.signal.order_filter`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.order_filter(x, np.ones(3), 2)[1])(np.array([1.0, 4.0, 2.0])))
    [0. 1. 0.]
    """
    domain = np.asarray(on_host(domain))
    refuse_if(
        any(n % 2 != 1 for n in domain.shape),
        "Each dimension of domain argument should have an odd number of elements.",
    )
    return _select_rank(_require_real(a, "order_filter"), domain, rank)


@scipy_composition(integers="samples")
def medfilt(volume: ArrayLike, kernel_size: Axes | None = None) -> Array:
    """Replace each sample by the median of its neighborhood.

    Parameters
    ----------
    volume : array_like
        Array of any number of axes to be filtered.
    kernel_size : int or sequence of ints, optional
        Odd sizes of the neighborhood, by default 3 along each axis.

    Returns
    -------
    ndarray
        Filtered array.

    Raises
    ------
    ValueError
        If the dtype is complex or a size is even.

    Warns
    -----
    UserWarning
        If the neighborhood is larger than the array.

    Notes
    -----
    The derivative is 1 in the sample that is chosen; among equal samples it is one of them.

    This is `scipy.signal.medfilt`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.medfilt(x)[1])(np.array([1.0, 4.0, 2.0])))
    [0. 0. 1.]
    """
    x = _require_real(volume, "medfilt")
    sizes = _sizes(kernel_size, x.ndim)
    if any(size > n for size, n in zip(sizes, x.shape, strict=True)):
        warnings.warn(
            "kernel_size exceeds volume extent: the volume will be zero-padded.", stacklevel=3
        )
    return _select_rank(x, np.ones(sizes), math.prod(sizes) // 2)


@scipy_composition(integers="samples")
def medfilt2d(input: ArrayLike, kernel_size: int | tuple[int, int] = 3) -> Array:
    """Replace each sample of an image by the median of its neighborhood.

    Parameters
    ----------
    input : (m, n) array_like
        Image.
    kernel_size : int or (int, int), optional
        Odd sizes of the neighborhood.

    Returns
    -------
    ndarray
        Filtered array.

    Raises
    ------
    ValueError
        If the dtype is complex or a size is even.

    Notes
    -----
    The derivative is 1 in the sample that is chosen; among equal samples it is one of them.

    This is `scipy.signal.medfilt2d`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> x = np.arange(9.0).reshape(3, 3)
    >>> print(grad(lambda x: signal.medfilt2d(x)[1, 1])(x))
    [[0. 0. 0.]
     [0. 1. 0.]
     [0. 0. 0.]]
    """
    sizes = _sizes(kernel_size, 2)
    return _select_rank(_require_real(input, "medfilt2d"), np.ones(sizes), math.prod(sizes) // 2)


@scipy_composition()
def wiener(im: ArrayLike, mysize: Axes | None = None, noise: float | None = None) -> Array:
    """Smooth an array where its variance in the neighborhood is small.

    Parameters
    ----------
    im : array_like
        Array of any number of axes, a signal with noise.
    mysize : int or sequence of ints, optional
        Sizes of the neighborhood, by default 3 along each axis.
    noise : float, optional
        Variance of the noise, by default the mean of the local variances.

    Returns
    -------
    ndarray
        Smoothed array.

    Notes
    -----
    This is `scipy.signal.wiener`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.wiener(x)[1])(np.array([1.0, 9.0, 3.0, 2.5, 2.0])).round(6))
    [-0.06425   0.605399  0.1268    0.071795  0.      ]
    """
    (x,) = floating(im)
    sizes = np.broadcast_to(np.asarray(3 if mysize is None else mysize), (x.ndim,)).tolist()
    near = _neighbors(np.stack([x, x * x], axis=-1), np.ones((*sizes, 1)))
    mean, square = (np.mean(near, axis=0)[..., i] for i in (0, 1))
    variance = square - mean * mean
    level = np.mean(variance) if noise is None else floating(noise)[0]
    smooth = variance < level
    return mean + np.where(smooth, 0, (x - mean) * (1 - level / np.where(smooth, 1, variance)))


__all__ = ["medfilt", "medfilt2d", "order_filter", "wiener"]
