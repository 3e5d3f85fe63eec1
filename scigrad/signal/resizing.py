"""Arrays of another size: interpolation on a grid of samples, along each axis by itself."""

from typing import Any

import scigrad.numpy as np
from scigrad.numpy.devices import place_beside, upload
from scigrad.typing import Array, ArrayLike, Axes

from .foundation.composition import back, floating, last, own_function, refuse_if


def _cubic(t: np.ndarray) -> np.ndarray:
    """Return Keys's kernel, which reproduces parabolas (doi 10.1109/TASSP.1981.1163711, equation
    15).
    """
    return np.where(
        t < 1, (1.5 * t - 2.5) * t * t + 1, np.where(t < 2, ((2.5 - 0.5 * t) * t - 4) * t + 2, 0)
    )


_KERNELS: dict[str, Any] = {  # the weight of a sample at the distance t
    "linear": lambda t: np.maximum(1 - t, 0),
    "cubic": _cubic,
    "lanczos": lambda t: np.where(t < 3, np.sinc(t) * np.sinc(t / 3), 0),
}
METHODS, _ALIGN = ("nearest", *_KERNELS, "area"), ("centers", "corners")


def _sampling(n: int, m: int, method: str, antialias: bool, align: str) -> np.ndarray:
    """Return the (m, n) matrix from n samples to m; its rows add up to 1."""
    scale = (n - 1) / max(m - 1, 1) if align == "corners" else n / m
    place, j = np.arange(m)[:, None], np.arange(n)
    if method == "area":  # the parts of a cell that the old cells cover
        return np.maximum(
            np.minimum((place + 1) * (n / m), j + 1) - np.maximum(place * (n / m), j), 0
        ) * (m / n)
    middle = place * scale if align == "corners" else (place + 0.5) * scale - 0.5
    if method == "nearest":
        return 1.0 * (j == np.clip(np.floor(middle + 0.5), 0, n - 1))
    kernel = _KERNELS[method]
    weights = kernel(abs(j - middle) / (max(scale, 1.0) if antialias else 1.0))
    return weights / np.sum(weights, axis=1, keepdims=True)


@own_function()
def resize(
    x: ArrayLike,
    shape: Axes,
    method: str = "linear",
    antialias: bool = True,
    align: str = "centers",
) -> Array:
    """Return an array of another size, whose samples are interpolated.

    Parameters
    ----------
    x : array_like
        Array, such as images with or without axes before and behind theirs.
    shape : int or sequence of ints
        Sizes of the last axes of the result. An axis that keeps its size is left as it is.
    method : {"nearest", "linear", "cubic", "lanczos", "area"}, optional
        Weights of the samples: the nearest one; a triangle; Keys's cubic, parameter -1/2; Lanczos's
        window of three lobes; the mean over the cell of the new sample.
    antialias : bool, optional
        Whether the weights of the methods "linear", "cubic" and "lanczos" are stretched where the
        array becomes smaller.
    align : {"centers", "corners"}, optional
        Whether the outer edges of the first and last cells coincide, or their centers.

    Returns
    -------
    ndarray
        Resized array.

    Raises
    ------
    ValueError
        If the shape, the method or the alignment is invalid.

    Notes
    -----
    Not in SciPy. Differentiable in `x`, to any order: the function is linear. With align="centers"
    the values are those of Pillow, but "area" weights the cells at the border by the part that is
    covered. Beyond the ends of the array there are no samples, and the weights of the others are
    scaled to the sum 1. Each axis takes a matrix of its old times its new size.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.resize(x, 4)[1])(np.array([1.0, 3.0])))
    [0.75 0.25]
    """
    (x,), sizes = floating(x), (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    possible = 0 < len(sizes) <= x.ndim and min(sizes) > 0 and x.size
    refuse_if(
        not possible,
        f"resize: shape={sizes} has to be positive sizes of the last axes of an array of shape "
        f"{x.shape}.",
    )
    refuse_if(
        method not in METHODS or align not in _ALIGN,
        f"resize: {method=}, {align=} have to be among {METHODS} and {_ALIGN}.",
    )
    for axis, size in enumerate(sizes, x.ndim - len(sizes)):
        if size != x.shape[axis]:
            weights, rows = _sampling(x.shape[axis], size, method, antialias, align), last(x, axis)
            x = back(
                rows[..., upload(weights.argmax(1), x)]
                if method == "nearest"
                else rows @ place_beside(weights, x).T,
                axis,
            )
    return x


__all__ = ["resize"]
