"""Smoothing of a signal: polynomials of Savitzky and Golay, and a penalty on differences."""

import operator
from collections import namedtuple
from itertools import accumulate, repeat
from types import ModuleType
from typing import Literal

import scigrad.numpy as np
from scigrad.autodiff_rules import kernel
from scigrad.linalg import solveh_banded
from scigrad.numpy.devices import place_beside
from scigrad.typing import Array, ArrayLike

from .filters.finite_response import fir
from .foundation.composition import (
    back,
    floating,
    is_plain,
    last,
    own_function,
    pad_ends,
    real,
    refuse_if,
    scipy_composition,
)

Smoothed = namedtuple("Smoothed", ["x", "lamb"])


@own_function()
def whittaker_henderson(
    signal: ArrayLike,
    *,
    lamb: float | Literal["reml"] = "reml",
    order: int = 2,
    weights: ArrayLike | None = None,
) -> Smoothed:
    """Smooth a signal by the method of Whittaker and Henderson.

    The result x minimizes ``sum(weights * (signal - x)**2) + lamb * sum(diff(x, order)**2)``: with
    the matrix D of differences and the diagonal matrix W of weights,
    ``(W + lamb D^T D) x = W signal``, a banded system (Eilers 2003, doi 10.1021/ac034173t).

    Parameters
    ----------
    signal : (n,) array_like
        Samples; where the weight is 0 they may be NaN, and are interpolated.
    lamb : float or "reml", optional
        Strength of the penalty. With "reml", the default, it is the one that maximizes the
        restricted likelihood.
    order : int, optional
        Order of the differences.
    weights : (n,) array_like, optional
        Weights, by default 1.

    Returns
    -------
    x : (n,) ndarray
        Smoothed signal.
    lamb : float
        Strength of the penalty.

    Raises
    ------
    ValueError
        If the signal is not longer than `order`, `lamb` is negative or an argument is not finite.
    LinAlgError
        If the penalty is so strong, or so many weights are 0, that the system is singular in the
        precision of its numbers.

    Notes
    -----
    In SciPy since 1.18, which lamb="reml" needs. Differentiable in `signal`, `lamb` and `weights`,
    to any order, but not with lamb="reml", whose value an optimizer finds. The fields of the named
    tuple are x and lamb. Time and memory grow in proportion to n.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(
    ...         lambda lamb: signal.whittaker_henderson(np.array([0.0, 3.0, 0.0]), lamb=lamb).x[1]
    ...     )(1.0).round(6)
    ... )
    -0.244898
    """
    if isinstance(lamb, str):
        refuse_if(
            not is_plain(signal, weights),
            "An optimizer finds lamb='reml', and no derivative passes. Pass the number that "
            "whittaker_henderson(signal).lamb is outside of grad and vmap.",
        )
        found = kernel("signal.whittaker_henderson")(
            signal, lamb=lamb, order=order, weights=weights
        )
        return Smoothed(found.x, found.lamb)
    y, strength, w = floating(signal, lamb, 1.0 if weights is None else weights)
    w = np.broadcast_to(w, y.shape) if weights is None else w
    refuse_if(operator.index(order) < 1, f"order must be at least 1, not {order}")
    refuse_if(
        y.ndim != 1 or y.shape[0] <= order,
        f"signal must be a vector of at least {order + 1} samples, not of shape {y.shape}",
    )
    refuse_if(
        w.shape != y.shape, f"weights must have the shape of signal, {y.shape}, not {w.shape}"
    )
    refuse_if(
        strength.ndim or ~(strength >= 0), "lamb must be 'reml' or one number that is not negative"
    )
    finite = np.isfinite(y)
    refuse_if(
        ~np.isfinite(w) | (~finite & (w != 0)),
        "signal must be finite where weights are not 0, and weights everywhere",
    )
    *_, c = accumulate(repeat(np.array([1.0, -1.0]), order), np.convolve)
    # Row i of D has the coefficients c in its columns i, i + 1, ...
    bands = [
        np.convolve(np.ones(y.shape[0] - order), c[: order + 1 - k] * c[k:])
        for k in range(order + 1)
    ]
    band = (
        strength * place_beside(np.stack([np.pad(v, (0, k)) for k, v in enumerate(bands)]), y)
        + place_beside(np.eye(order + 1, 1), y) * w
    )
    return Smoothed(solveh_banded(band, w * np.where(finite, y, 0), lower=True), lamb)


__all__ = ["savgol_coeffs", "savgol_filter", "whittaker_henderson"]


@scipy_composition()
def savgol_coeffs(window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0,
    pos: int | None = None, use: str = "conv", *,
                  xp: ModuleType | None = None, device: object | None = None) -> Array:  # noqa: ARG001  # fmt: skip
    """Return the taps that evaluate the polynomial of least squares in a window.

    Parameters
    ----------
    window_length : int
        Length of the window.
    polyorder : int
        Order of the polynomial.
    deriv : int, optional
        Order of the derivative.
    delta : float, optional
        Distance between samples.
    pos : int, optional
        Place of the evaluation in the window, by default the middle.
    use : {"conv", "dot"}, optional
        Whether the taps are to be convolved with the signal, or multiplied.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain arguments.

    Returns
    -------
    (window_length,) ndarray
        Taps.

    Raises
    ------
    ValueError
        If the order is not less than the length, or the place is not in the window.

    Notes
    -----
    This is `scipy.signal.savgol_coeffs`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda delta: signal.savgol_coeffs(5, 2, deriv=1, delta=delta)[0])(2.0).round(12)
    ... )
    -0.05
    """
    (delta,) = floating(delta)
    return (
        place_beside(
            kernel("signal.savgol_coeffs")(window_length, polyorder, deriv, 1.0, pos, use), delta
        )
        / delta**deriv
    )


_EDGES = {
    "mirror": "even",
    "constant": "zeros",
    "nearest": "edge",
    "interp": "zeros",
    "wrap": "wrap",
}


@scipy_composition()
def savgol_filter(
    x: ArrayLike,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    axis: int = -1,
    mode: str = "interp",
    cval: float = 0.0,
) -> Array:
    """Replace each sample by the polynomial of least squares around it, or its derivative.

    Parameters
    ----------
    x : (..., n, ...) array_like
        Signals along `axis`.
    window_length : int
        Length of the window.
    polyorder : int
        Order of the polynomial.
    deriv : int, optional
        Order of the derivative.
    delta : float, optional
        Distance between samples.
    axis : int, optional
        Axis of time.
    mode : {"mirror", "constant", "nearest", "interp", "wrap"}, optional
        Continuation of the signal at its ends; "interp" evaluates the first and the last polynomial
        there.
    cval : float, optional
        Value of the continuation "constant".

    Returns
    -------
    (..., n, ...) ndarray
        Filtered signals.

    Raises
    ------
    ValueError
        If the order is not less than the length, the mode is unknown, or the window longer than the
        signal for "interp".

    Notes
    -----
    This is `scipy.signal.savgol_filter`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.savgol_filter(x, 5, 2)[2])(np.arange(5.0)).round(6))
    [-0.085714  0.342857  0.485714  0.342857 -0.085714]
    """
    refuse_if(
        mode not in _EDGES, "mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'."
    )
    x, delta = real("savgol_filter", x, delta)
    taps = place_beside(kernel("signal.savgol_coeffs")(window_length, polyorder, deriv), x)
    x = last(x, axis)
    length, half = x.shape[-1], window_length // 2
    refuse_if(
        mode == "interp" and window_length > length,
        "window_length must be less than or equal to the size of x",
    )
    ground = cval if mode == "constant" else 0
    around = pad_ends(x - ground, (window_length - 1) // 2, half, _EDGES[mode]) + ground
    y = fir(taps, around, length + window_length - 1)[..., window_length - 1 :]
    if mode == "interp" and half:
        places = (*range(half), *range(window_length - half, window_length))
        rows = [
            kernel("signal.savgol_coeffs")(window_length, polyorder, deriv, pos=pos, use="dot")
            for pos in places
        ]
        rows = place_beside(np.stack(rows), x)
        ends = (
            x[..., :window_length] @ rows[:half].T,
            x[..., length - window_length :] @ rows[half:].T,
        )
        y = np.concatenate([ends[0], y[..., half : length - half], ends[1]], axis=-1)
    return back(y, axis) / delta**deriv
