"""Changes of the band, and of continuous into discrete time, of filters given by
polynomials, or by zeros, poles and gain.
"""

from typing import Any

import scigrad.numpy as np
from scigrad.numpy.devices import place_beside
from scigrad.typing import Array, ArrayLike

from ..filters.recursive_response import ones
from ..foundation.composition import floating, refuse_if, scipy_composition, vectors
from .analog_prototypes import unit_response_gain
from .conversions import leading_zeros, normalize


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


def _polynomials(b: Any, a: Any, *numbers: Any) -> Any:
    """Return vectors of coefficients and numbers, and 1 with them, all on the same device."""
    b, a, *values = floating(b, a, *numbers)
    b, a = vectors(b, a)
    one = ones(np.real(b), ())
    return b, a, *(one * np.reshape(v, ()) for v in values), one


@scipy_composition()
def lp2lp(b: ArrayLike, a: ArrayLike, wo: ArrayLike = 1.0) -> tuple[Array, Array]:
    """Change the cutoff of a lowpass prototype from 1 to `wo`.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    wo : float, optional
        Cutoff, or center of the band, angular.

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
    b, a, wo, one = _polynomials(b, a, wo)
    return _changed(b, a, np.stack([one, 0 * one]), wo[None])


@scipy_composition()
def lp2hp(b: ArrayLike, a: ArrayLike, wo: ArrayLike = 1.0) -> tuple[Array, Array]:
    """Change a lowpass prototype into a highpass filter with the cutoff `wo`.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    wo : float, optional
        Cutoff, or center of the band, angular.

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
    b, a, wo, one = _polynomials(b, a, wo)
    return _changed(b, a, wo[None], np.stack([one, 0 * one]))


@scipy_composition()
def lp2bp(b: ArrayLike, a: ArrayLike, wo: float = 1.0, bw: float = 1.0) -> tuple[Array, Array]:
    """Change a lowpass prototype into a bandpass filter.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    wo : float, optional
        Cutoff, or center of the band, angular.
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
    b, a, wo, bw, one = _polynomials(b, a, wo, bw)
    refuse_if(
        bw == 0, "lp2bp: the width bw of the band must not be 0, where the filter has no derivative"
    )
    return _changed(b, a, np.stack([one, 0 * one, wo * wo]), np.stack([bw, 0 * one]))


@scipy_composition()
def lp2bs(b: ArrayLike, a: ArrayLike, wo: float = 1.0, bw: float = 1.0) -> tuple[Array, Array]:
    """Change a lowpass prototype into a bandstop filter.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    wo : float, optional
        Cutoff, or center of the band, angular.
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
    b, a, wo, bw, one = _polynomials(b, a, wo, bw)
    return _changed(b, a, np.stack([bw, 0 * one]), np.stack([one, 0 * one, wo * wo]))


@scipy_composition()
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
    b, a, fs, one = _polynomials(b, a, fs)
    for name, value in (("a", a), ("b", b)):
        refuse_if(
            value.ndim != 1, f"Parameter {name} is not a 1d array; its shape is {value.shape}"
        )
    b, a = (c[leading_zeros(c) :] for c in (b, a))
    return _changed(b, a, np.stack([2 * fs, -2 * fs]), np.stack([one, one]))


__all__ = [
    "bilinear",
    "bilinear_zpk",
    "lp2bp",
    "lp2bp_zpk",
    "lp2bs",
    "lp2bs_zpk",
    "lp2hp",
    "lp2hp_zpk",
    "lp2lp",
    "lp2lp_zpk",
]


def _zeros_and_poles(*values: Any) -> Any:
    z, p, *numbers = floating(*values)
    z, p = vectors(z, p)
    degree = p.shape[0] - z.shape[0]
    refuse_if(degree < 0, "Improper transfer function. Must have at least as many poles as zeros.")
    return z, p, degree, *numbers


def _with_repeated(z: Any, value: Any, count: int) -> Any:
    """Return z followed by a value that is repeated."""
    return np.concatenate([z, place_beside(np.ones(count), z) * value]) if count else z


@scipy_composition()
def lp2lp_zpk(z: ArrayLike, p: ArrayLike, k: float, wo: float = 1.0) -> tuple[Array, Array, float]:
    """Change the cutoff of a lowpass prototype from 1 to `wo`.

    Parameters
    ----------
    z, p : (k,) array_like
        Zeros and poles.
    k : float
        Gain.
    wo : float, optional
        Cutoff, or center of the band, angular.

    Returns
    -------
    z : (m,) ndarray
        Zeros.
    p : (n,) ndarray
        Poles.
    k : float
        Gain.

    Raises
    ------
    ValueError
        If there are more zeros than poles.

    Notes
    -----
    This is `scipy.signal.lp2lp_zpk`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda wo: signal.lp2lp_zpk([], [-1.0, -2.0], 1.0, wo)[2])(3.0))
    6.0
    """
    z, p, degree, k, wo = _zeros_and_poles(z, p, k, wo)
    return wo * z, wo * p, k * wo**degree


@scipy_composition()
def lp2hp_zpk(z: ArrayLike, p: ArrayLike, k: float, wo: float = 1.0) -> tuple[Array, Array, float]:
    """Change a lowpass prototype into a highpass filter with the cutoff `wo`.

    Parameters
    ----------
    z, p : (k,) array_like
        Zeros and poles.
    k : float
        Gain.
    wo : float, optional
        Cutoff, or center of the band, angular.

    Returns
    -------
    z : (m,) ndarray
        Zeros.
    p : (n,) ndarray
        Poles.
    k : float
        Gain.

    Raises
    ------
    ValueError
        If there are more zeros than poles.

    Notes
    -----
    This is `scipy.signal.lp2hp_zpk`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda wo: signal.lp2hp_zpk([], [-1.0, -2.0], 1.0, wo)[1][1])(3.0))
    -0.5
    """
    z, p, degree, k, wo = _zeros_and_poles(z, p, k, wo)
    return _with_repeated(wo / z, 0.0, degree), wo / p, k * unit_response_gain(p, z)


def _two_bands(x: Any, wo: Any) -> Any:
    x = x.astype(np.complex128)
    root = np.sqrt(x * x - wo * wo)
    return np.concatenate([x + root, x - root])


@scipy_composition()
def lp2bp_zpk(
    z: ArrayLike, p: ArrayLike, k: float, wo: float = 1.0, bw: float = 1.0
) -> tuple[Array, Array, float]:
    """Change a lowpass prototype into a bandpass filter.

    Parameters
    ----------
    z, p : (k,) array_like
        Zeros and poles.
    k : float
        Gain.
    wo : float, optional
        Cutoff, or center of the band, angular.
    bw : float, optional
        Width of the band, angular.

    Returns
    -------
    z : (m,) ndarray
        Zeros.
    p : (n,) ndarray
        Poles.
    k : float
        Gain.

    Raises
    ------
    ValueError
        If there are more zeros than poles.

    Notes
    -----
    This is `scipy.signal.lp2bp_zpk`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda bw: signal.lp2bp_zpk([], [-1.0], 1.0, 3.0, bw)[1][0].real)(1.0))
    -0.5
    """
    z, p, degree, k, wo, bw = _zeros_and_poles(z, p, k, wo, bw)
    return (
        _with_repeated(_two_bands(z * bw / 2, wo), 0.0, degree),
        _two_bands(p * bw / 2, wo),
        k * bw**degree,
    )


@scipy_composition()
def lp2bs_zpk(
    z: ArrayLike, p: ArrayLike, k: float, wo: float = 1.0, bw: float = 1.0
) -> tuple[Array, Array, float]:
    """Change a lowpass prototype into a bandstop filter.

    Parameters
    ----------
    z, p : (k,) array_like
        Zeros and poles.
    k : float
        Gain.
    wo : float, optional
        Cutoff, or center of the band, angular.
    bw : float, optional
        Width of the band, angular.

    Returns
    -------
    z : (m,) ndarray
        Zeros.
    p : (n,) ndarray
        Poles.
    k : float
        Gain.

    Raises
    ------
    ValueError
        If there are more zeros than poles.

    Notes
    -----
    This is `scipy.signal.lp2bs_zpk`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda bw: signal.lp2bs_zpk([], [-1.0], 1.0, 3.0, bw)[1][0].real)(1.0))
    -0.5
    """
    z, p, degree, k, wo, bw = _zeros_and_poles(z, p, k, wo, bw)
    # signs of zeros decide on a branch
    zeros, poles = (bw / 2 / x.astype(np.result_type(z, p)) for x in (z, p))
    return (
        _with_repeated(_with_repeated(_two_bands(zeros, wo), 1j * wo, degree), -1j * wo, degree),
        _two_bands(poles, wo),
        k * unit_response_gain(p, z),
    )


@scipy_composition()
def bilinear_zpk(z: ArrayLike, p: ArrayLike, k: float, fs: float) -> tuple[Array, Array, float]:
    """Change an analog filter into a digital one by the bilinear transform.

    This is ``s = 2 fs (z - 1)/(z + 1)``.

    Parameters
    ----------
    z, p : (k,) array_like
        Zeros and poles.
    k : float
        Gain.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    z : (m,) ndarray
        Zeros.
    p : (n,) ndarray
        Poles.
    k : float
        Gain.

    Raises
    ------
    ValueError
        If there are more zeros than poles.

    Notes
    -----
    This is `scipy.signal.bilinear_zpk`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda fs: signal.bilinear_zpk([], [-1.0], 1.0, fs)[1][0])(1.0).round(6))
    0.444444
    """
    z, p, degree, k, fs = _zeros_and_poles(z, p, k, fs)
    c = 2 * fs
    return (
        _with_repeated((c + z) / (c - z), -1.0, degree),
        (c + p) / (c - p),
        k * unit_response_gain(p - c, z - c),
    )
