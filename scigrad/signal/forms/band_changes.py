"""Changes of the band, and of continuous into discrete time, of filters given by their
polynomials.
"""

import warnings
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import raw
from scigrad.numpy.devices import on_host
from scigrad.typing import Array, ArrayLike

from ..filters.recursive_response import ones
from ..foundation.composition import composed, floating, refuse, vectors


def leading_zeros(x: Any, bound: float = 0.0) -> int:
    """Return the number of first entries along the last axis that vanish everywhere, in all
    elements of a batch.
    """
    sizes = on_host(raw(abs(x)))
    present = (
        np.any(~(np.reshape(sizes, (-1, sizes.shape[-1])) <= bound), axis=0)
        if sizes.size
        else np.ones(1, bool)
    )
    return int(np.argmax(present)) if np.any(present) else x.shape[-1]


def trimmed(c: Any) -> Any:
    """Return a polynomial without the zeros before its first coefficient."""
    return c[min(leading_zeros(c), c.shape[0] - 1) :]


@composed()
def normalize(b: ArrayLike, a: ArrayLike) -> tuple[Array, Array]:
    """Divide numerator and denominator by the first coefficient of the denominator that is not 0.

    Parameters
    ----------
    b : (n,) or (m, n) array_like
        Numerator, or one for each output.
    a : (k,) array_like
        Denominator.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Raises
    ------
    ValueError
        If the denominator is 0, or an argument has too many axes.

    Warns
    -----
    BadCoefficients
        If the first coefficients of the numerator are below 1e-14; they are left out.

    Notes
    -----
    This is `scipy.signal.normalize`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.normalize([1.0, 3.0], a)[0][1])(np.array([2.0, 5.0])))
    [-0.75  0.  ]
    """
    rows = isinstance(b, (list, tuple)) and b and np.ndim(b[0])
    b, a = floating(aligned(b) if rows else b, a)
    b, a = np.reshape(b, (1, -1)) if b.ndim < 2 else b, *vectors(a)
    refuse(
        a.ndim != 1 or b.ndim != 2,
        f"Denominator must be rank-1 and numerator rank-1 or rank-2, not {a.shape} and {b.shape}.",
    )
    first = leading_zeros(a)
    refuse(first == a.shape[0], "Denominator must have at least on nonzero element.")
    a = a[first:]
    b, a = b / a[0], a / a[0]
    if absent := leading_zeros(b, 1e-14):
        from scipy.signal import BadCoefficients

        text = "Badly conditioned filter coefficients (numerator): the results may be meaningless"
        warnings.warn(text, BadCoefficients, stacklevel=4)
        b = b[:, min(absent, b.shape[1] - 1) :]
    return b[0] if b.shape[0] == 1 else b, a


def aligned(rows: Any) -> Any:
    """Return polynomials as the rows of a matrix, with zeros before the shorter ones."""
    rows = floating(*rows)
    width = max(row.shape[-1] for row in rows)
    return np.stack([np.pad(row, (width - row.shape[-1], 0)) for row in rows])


def _changed(b: Any, a: Any, above: Any, below: Any) -> Any:
    """Return numerator and denominator after ``s = above(s)/below(s)``, multiplied by ``below^n``
    with the larger degree n.
    """
    degree = max(b.shape[0], a.shape[0]) - 1
    return normalize(*(_substituted(c, above, below, degree) for c in (b, a)))


def _substituted(c: Any, above: Any, below: Any, degree: int) -> Any:
    total, power = c[:1], c[:1] * 0 + 1
    for k in range(1, c.shape[0]):  # Horner's rule
        power = np.convolve(power, below)
        total = np.polyadd(np.convolve(total, above), c[k] * power)
    for _ in range(degree - c.shape[0] + 1):
        total = np.convolve(total, below)
    return total


def _arrays(b: Any, a: Any, *numbers: Any) -> Any:
    """Return vectors of coefficients and numbers, and 1 with them, all on the same device."""
    b, a, *values = floating(b, a, *numbers)
    b, a = vectors(b, a)
    one = ones(np.real(b), ())
    return b, a, *(one * np.reshape(v, ()) for v in values), one


@composed()
def lp2lp(b: ArrayLike, a: ArrayLike, wo: ArrayLike = 1.0) -> tuple[Array, Array]:
    """Change the cutoff of a lowpass prototype from 1 to `wo`.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    wo : float, optional
        Cutoff, or centre of the band, angular.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Notes
    -----
    This is `scipy.signal.lp2lp`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda wo: signal.lp2lp([1.0], [1.0, 2.0], wo)[1][1])(3.0))
    2.0
    """
    b, a, wo, one = _arrays(b, a, wo)
    return _changed(b, a, np.stack([one, 0 * one]), wo[None])


@composed()
def lp2hp(b: ArrayLike, a: ArrayLike, wo: ArrayLike = 1.0) -> tuple[Array, Array]:
    """Change a lowpass prototype into a highpass filter with the cutoff `wo`.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    wo : float, optional
        Cutoff, or centre of the band, angular.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Notes
    -----
    This is `scipy.signal.lp2hp`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda wo: signal.lp2hp([1.0], [1.0, 2.0], wo)[1][1])(3.0))
    0.5
    """
    b, a, wo, one = _arrays(b, a, wo)
    return _changed(b, a, wo[None], np.stack([one, 0 * one]))


@composed()
def lp2bp(b: ArrayLike, a: ArrayLike, wo: float = 1.0, bw: float = 1.0) -> tuple[Array, Array]:
    """Change a lowpass prototype into a bandpass filter.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    wo : float, optional
        Cutoff, or centre of the band, angular.
    bw : float, optional
        Width of the band, angular.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Notes
    -----
    This is `scipy.signal.lp2bp`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda wo: signal.lp2bp([1.0], [1.0, 2.0], wo)[1][2])(3.0))
    6.0
    """
    b, a, wo, bw, one = _arrays(b, a, wo, bw)
    refuse(
        bw == 0, "lp2bp: the width bw of the band must not be 0, where the filter has no derivative"
    )
    return _changed(b, a, np.stack([one, 0 * one, wo * wo]), np.stack([bw, 0 * one]))


@composed()
def lp2bs(b: ArrayLike, a: ArrayLike, wo: float = 1.0, bw: float = 1.0) -> tuple[Array, Array]:
    """Change a lowpass prototype into a bandstop filter.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    wo : float, optional
        Cutoff, or centre of the band, angular.
    bw : float, optional
        Width of the band, angular.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Notes
    -----
    This is `scipy.signal.lp2bs`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda bw: signal.lp2bs([1.0], [1.0, 2.0], 3.0, bw)[1][1])(1.0))
    0.5
    """
    b, a, wo, bw, one = _arrays(b, a, wo, bw)
    return _changed(b, a, np.stack([bw, 0 * one]), np.stack([one, 0 * one, wo * wo]))


@composed()
def bilinear(b: ArrayLike, a: ArrayLike, fs: float = 1.0) -> tuple[Array, Array]:
    """Change an analog filter into a digital one by the bilinear transform.

    This is ``s = 2 fs (z - 1)/(z + 1)``.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Notes
    -----
    This is `scipy.signal.bilinear`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda fs: signal.bilinear([1.0], [1.0, 1.0], fs)[1][1])(1.0).round(6))
    -0.444444
    """
    b, a, fs, one = _arrays(b, a, fs)
    for name, value in (("a", a), ("b", b)):
        refuse(value.ndim != 1, f"Parameter {name} is not a 1d array; its shape is {value.shape}")
    b, a = (c[leading_zeros(c) :] for c in (b, a))
    return _changed(b, a, np.stack([2 * fs, -2 * fs]), np.stack([one, one]))


__all__ = ["bilinear", "lp2bp", "lp2bs", "lp2hp", "lp2lp", "normalize"]
