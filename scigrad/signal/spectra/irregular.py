"""Events and samples at irregular times: synchrony with a period, and the periodogram of Lomb and
Scargle.
"""

from typing import Any

import scigrad.numpy as np
from scigrad.numpy.devices import place_beside
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import real, refuse_if, scipy_composition


@scipy_composition()
def vectorstrength(events: ArrayLike, period: ArrayLike) -> tuple[Array, Array]:
    """Return how far events are synchronous with a period: the mean of their unit vectors.

    Parameters
    ----------
    events : (n,) array_like
        Times.
    period : float or (k,) array_like
        Periods.

    Returns
    -------
    strength : float or (k,) ndarray
        Length of the mean, between 0 and 1.
    phase : float or (k,) ndarray
        Its angle.

    Raises
    ------
    ValueError
        If a period is not positive, or an argument has more than one axis.

    Notes
    -----
    This is `scipy.signal.vectorstrength`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda t: signal.vectorstrength(t, 1.0)[0])(np.array([0.0, 0.25])).round(6))
    [ 2.221441 -2.221441]
    """
    events, period = real("vectorstrength", events, period)
    refuse_if(
        events.ndim > 1 or period.ndim > 1, "events and period cannot have dimensions more than 1"
    )
    refuse_if(period <= 0, "periods must be positive")
    mean = np.mean(np.exp(2j * np.pi / period[..., None] * np.reshape(events, (-1,))), axis=-1)
    return abs(mean), np.angle(mean)


_MEANINGS = ("power", "normalize", "amplitude")


@scipy_composition()
def lombscargle(
    x: ArrayLike,
    y: ArrayLike,
    freqs: ArrayLike,
    *,
    precenter: bool = np._NoValue,
    normalize: Any = False,
    weights: ArrayLike | None = None,
    floating_mean: bool = False,
) -> Array:
    """Compute the periodogram of samples at irregular times, by least squares.

    Parameters
    ----------
    x : (n,) array_like
        Times.
    y : (n,) array_like
        Samples.
    freqs : (k,) array_like
        Angular frequencies.
    precenter : bool, optional
        Whether to subtract the mean of the samples; deprecated, as in SciPy.
    normalize : bool or {"power", "normalize", "amplitude"}, optional
        Meaning of the result: power, part of the variance, or complex amplitude.
    weights : (n,) array_like, optional
        Weights of the samples.
    floating_mean : bool, optional
        Whether the fit has a constant term.

    Returns
    -------
    (k,) ndarray
        Periodogram, of one frequency without an axis, as in SciPy.

    Raises
    ------
    ValueError
        If the shapes do not fit, a weight is negative or the normalization is unknown.

    Notes
    -----
    This is `scipy.signal.lombscargle`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> t = np.array([0.0, 1.0, 2.5, 3.0])
    >>> print(
    ...     grad(lambda y: signal.lombscargle(t, y, [1.0]))(np.array([1.0, 0.5, -0.8, -1.0])).round(
    ...         6
    ...     )
    ... )
    [ 0.993758  0.509297 -0.815796 -0.988448]
    """
    meaning = ("normalize" if normalize else "power") if isinstance(normalize, bool) else normalize
    refuse_if(
        meaning not in _MEANINGS,
        "Normalize must be: False (or 'power'), True (or 'normalize'), or 'amplitude'.",
    )
    x, y, w, freqs = real("lombscargle", x, y, y if weights is None else weights, freqs)
    w = place_beside(np.ones(y.shape), y) if weights is None else w
    refuse_if(
        not (x.ndim == 1 and x.size and x.shape == y.shape == w.shape),
        "x, y, weights must be 1-D of equal non-zero length!",
    )
    refuse_if(
        freqs.ndim != 1 or not freqs.shape[0],
        "Parameter freqs must be a 1-D array of non-zero length!",
    )
    refuse_if(
        (w < 0) | ~(np.sum(w) > 0),
        "Parameter weights must have only non-negative entries which sum to a positive value!",
    )
    w = w / np.sum(w)
    y = y - np.mean(y) if precenter is not np._NoValue and precenter else y
    mean = np.sum(w * y) if floating_mean else 0 * w[0]
    angles = freqs[:, None] * x
    moments = _moments(w, np.cos(angles), np.sin(angles), floating_mean)
    tau = np.arctan2(2 * moments[2], moments[0] - moments[1]) / 2
    cos, sin = np.cos(angles - tau[:, None]), np.sin(angles - tau[:, None])
    squares = _moments(w, cos, sin, floating_mean)
    least = np.finfo(y.dtype).epsneg
    products = [(wave @ (w * y)) - mean * (wave @ w) for wave in (cos, sin)]
    amplitudes = [
        product / np.maximum(square, least)
        for product, square in zip(products, squares[:2], strict=True)
    ]
    if meaning == "amplitude":
        return np.squeeze((amplitudes[0] + 1j * amplitudes[1]) * np.exp(1j * tau))
    power = 2 * np.squeeze(amplitudes[0] * products[0] + amplitudes[1] * products[1])
    if meaning == "power":
        return power * (x.shape[0] / 4)
    return power / (2 * (np.sum(w * y * y) - mean * mean))


def _moments(w: Any, cos: Any, sin: Any, floating_mean: bool) -> tuple[Any, Any, Any]:
    """Return the weighted means of cos^2, sin^2 and cos sin, about their own means if there is a
    constant term.
    """
    square, product = (cos * cos) @ w, (cos * sin) @ w
    c, s = (cos @ w, sin @ w) if floating_mean else (0, 0)
    return square - c * c, 1 - square - s * s, product - c * s


__all__ = ["lombscargle", "vectorstrength"]
