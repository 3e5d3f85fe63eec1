"""Smoothing of a signal by a penalty on its differences."""

import operator
from collections import namedtuple
from itertools import accumulate, repeat
from typing import Literal

import scigrad.numpy as np
from scigrad.autodiff_rules import kernel
from scigrad.linalg import solveh_banded
from scigrad.numpy.devices import beside
from scigrad.typing import ArrayLike

from .foundation.composition import added, floating, is_plain, refuse

Smoothed = namedtuple("Smoothed", ["x", "lamb"])


@added()
def whittaker_henderson(
    signal: ArrayLike,
    *,
    lamb: float | Literal["reml"] = "reml",
    order: int = 2,
    weights: ArrayLike | None = None,
) -> Smoothed:
    """Smooth a signal by the method of Whittaker and Henderson.

    The result x minimizes ``sum(weights * (signal - x)**2) + lamb * sum(diff(x, order)**2)``: with
    the matrix D of differences and the diagonal matrix W of weights, ``(W + lamb D^T D) x = W
    signal``, a banded system (Eilers 2003, doi 10.1021/ac034173t).

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
        refuse(
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
    refuse(operator.index(order) < 1, f"order must be at least 1, not {order}")
    refuse(
        y.ndim != 1 or y.shape[0] <= order,
        f"signal must be a vector of at least {order + 1} samples, not of shape {y.shape}",
    )
    refuse(w.shape != y.shape, f"weights must have the shape of signal, {y.shape}, not {w.shape}")
    refuse(
        strength.ndim or ~(strength >= 0), "lamb must be 'reml' or one number that is not negative"
    )
    finite = np.isfinite(y)
    refuse(
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
        strength * beside(np.stack([np.pad(v, (0, k)) for k, v in enumerate(bands)]), y)
        + beside(np.eye(order + 1, 1), y) * w
    )
    return Smoothed(solveh_banded(band, w * np.where(finite, y, 0), lower=True), lamb)


__all__ = ["whittaker_henderson"]
