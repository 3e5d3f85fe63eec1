"""Trends subtracted from signals."""

import scigrad.numpy as np
from scigrad.numpy.devices import place_beside
from scigrad.typing import Array, ArrayLike, Axes

from ..foundation.composition import back, floating, last, refuse_if, scipy_composition


@scipy_composition()
def detrend(
    data: ArrayLike,
    axis: int = -1,
    type: str = "linear",
    bp: Axes = 0,
    overwrite_data: bool = False,  # noqa: ARG001
) -> Array:
    """Subtract the mean, or the line of least squares, from a signal or from each of its parts.

    Parameters
    ----------
    data : (..., n, ...) array_like
        Signals along `axis`.
    axis : int, optional
        Axis of time.
    type : {"linear", "constant"}, optional
        Trend.
    bp : int or sequence of ints, optional
        Samples at which a new line begins.
    overwrite_data : bool, optional
        Permission to overwrite a plain array.

    Returns
    -------
    (..., n, ...) ndarray
        Signals without trend.

    Raises
    ------
    ValueError
        If the trend is unknown or a breakpoint lies behind the last sample.

    Notes
    -----
    This is `scipy.signal.detrend`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(np.round(grad(lambda x: signal.detrend(x)[0])(np.array([1.0, 4.0, 2.0])), 6))
    [ 0.166667 -0.333333  0.166667]
    """
    refuse_if(
        type not in ("linear", "l", "constant", "c"), "Trend type must be 'linear' or 'constant'."
    )
    (data,) = floating(data)
    x = last(data, axis)
    if type[0] == "c":
        return data - np.mean(data, axis=axis, keepdims=True)
    n = x.shape[-1]
    breaks = np.unique([0, *np.atleast_1d(bp).tolist(), n])
    refuse_if(breaks[-1] > n, "Breakpoints must be less than length of data along given axis.")
    parts = []
    for start, stop in zip(breaks[:-1].tolist(), breaks[1:].tolist(), strict=True):
        time = np.arange(stop - start) - (stop - start - 1) / 2
        lines = np.stack(
            [np.ones(time.size) / np.sqrt(time.size), time / (np.linalg.norm(time) or 1)]
        )
        basis = place_beside(lines, x)  # two orthonormal rows
        part = x[..., start:stop]
        parts.append(part - (part @ basis.T) @ basis)
    return back(np.concatenate(parts, axis=-1), axis)


__all__ = ["detrend"]
