"""Hankel transforms of logarithmically spaced samples (A. J. S. Hamilton, MNRAS 312 (2000) 257-284,
"FFTLog").

With j_c = (n - 1)/2 and y_m = pi m / (n dln) the transform is a convolution, done by rfft, in the
logarithm of the radius:

    A_j = exp(-bias ((j - j_c) dln + offset)) irfft(u_m rfft(a_j exp(-bias (j - j_c) dln)))_{n-1-j}
    log u_m = q log 2 + 2 i y_m (log 2 - offset) + logGamma(x_+ + i y_m) - logGamma(x_- - i y_m)

where q = bias and x_± = (mu + 1 ± q)/2
(Hamilton eq. 173-176, B26). These are written here in functions that have rules already, so
derivatives of every order follow: logGamma' is the digamma function of a complex argument. The
inverse divides by conj(u_m).
"""

import importlib
import math
import warnings
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, elementwise, kernel, raw
from scigrad.numpy.devices import on_host
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike

from .real import irfft, rfft

_LOG_2 = math.log(2.0)
_SMALL = 100.0  # up to here Gamma(x) / Gamma(y) is a product that cannot overflow


def fht(a: ArrayLike, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0) -> Array:
    """Compute the fast Hankel transform of logarithmically spaced samples.

    ``A(k) = integral_0^inf a(r) (k r)^bias J_mu(k r) k dr`` of samples at
    ``r_j = r_c exp((j - j_c) dln)``, at ``k_j = k_c exp((j - j_c) dln)`` with
    ``k_c r_c = exp(offset)``; `a` is taken as periodic in log r. See `scipy.fft.fht`.

    Parameters
    ----------
    a : (..., n) array_like
        Samples of a(r), real or complex (SciPy accepts real ones only).
    dln : float
        Spacing of log r.
    mu : float
        Order of the Bessel function.
    offset : float, optional
        Logarithm of ``k_c r_c``; `fhtoffset` returns one that reduces ringing.
    bias : float, optional
        Exponent of the power law that is divided out of `a`.

    Returns
    -------
    (..., n) ndarray
        Transform in the precision of `a`, also where SciPy widens to double precision because
        `bias` is not 0.

    Warns
    -----
    UserWarning
        If the transform is singular: ``mu + 1 + bias`` (``mu + 1 - bias`` in the inverse) is 0, -2,
        -4, ... Its entry of frequency 0 is then left out, and the derivatives with respect to `mu`
        and `bias` are nan.

    Notes
    -----
    Differentiable in all five arguments.

    References
    ----------
    A. J. S. Hamilton, "Uncorrelated modes of the non-linear power spectrum", MNRAS 312 (2000),
    257-284.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> r = np.exp(0.5 * (np.arange(8) - 3.5))
    >>> print(grad(lambda mu: fft.fht(np.exp(-r * r), 0.5, mu, 0.2)[4])(1.0).round(6))
    -0.339577
    """
    return _transformed(a, dln, mu, offset, bias, inverse=False)


def ifht(A: ArrayLike, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0) -> Array:
    """Compute the inverse of the fast Hankel transform.

    See `scipy.fft.ifht`.

    Parameters
    ----------
    A : (..., n) array_like
        Samples of the transform A(k), real or complex.
    dln : float
        Spacing of log r.
    mu : float
        Order of the Bessel function.
    offset : float, optional
        Logarithm of ``k_c r_c``; `fhtoffset` returns one that reduces ringing.
    bias : float, optional
        Exponent of the power law that is divided out of `a`.

    Returns
    -------
    (..., n) ndarray
        Samples of a(r) in the precision of `A`.

    Notes
    -----
    Differentiable in all five arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> k = np.exp(0.5 * (np.arange(8) - 3.5))
    >>> print(grad(lambda offset: fft.ifht(np.exp(-k), 0.5, 1.0, offset)[4])(0.2).round(6))
    -0.490727
    """
    return _transformed(A, dln, mu, offset, bias, inverse=True)


def fhtoffset(dln: float, mu: float, initial: float = 0.0, bias: float = 0.0) -> float:
    """Return the offset next to a given one that reduces the ringing of `fht`.

    With it the last coefficient of the transform is real (eq. 30 of Hamilton 2000). See
    `scipy.fft.fhtoffset`.

    Parameters
    ----------
    dln : float
        Spacing of log r.
    mu : float
        Order of the Bessel function.
    initial : float, optional
        Desired offset.
    bias : float, optional
        Exponent of the power law that is divided out of `a`.

    Returns
    -------
    float
        Offset, at most ``dln/2`` away from `initial`.

    Notes
    -----
    The number of multiples of `dln` between the two offsets is constant.

    Differentiable in all five arguments.

    Examples
    --------
    >>> from scigrad import fft, grad
    >>> print(grad(lambda mu: fft.fhtoffset(0.5, mu))(1.0).round(6))
    0.22467
    """
    dln, mu, initial, bias = given = [1.0 * v for v in (dln, mu, initial, bias)]
    if not any(isinstance(v, Traced) for v in given):
        return kernel("fft.fhtoffset")(*given)
    y = 0.5j * math.pi / dln
    phases = np.imag(_loggamma((mu + 1 + bias) / 2 + y)) + np.imag(
        _loggamma((mu + 1 - bias) / 2 + y)
    )
    turns = (_LOG_2 - initial) / dln + phases / math.pi
    return initial + (turns - np.round(turns)) * dln


def _transformed(a: Any, dln: Any, mu: Any, offset: Any, bias: Any, inverse: bool) -> Any:
    a = assemble(a)
    if a.dtype.kind == "c":
        parts = (
            _transformed(part, dln, mu, offset, bias, inverse) for part in (np.real(a), np.imag(a))
        )
        return next(parts) + 1j * next(parts)
    dln, mu, offset, bias = (v * 1.0 for v in (dln, mu, offset, bias))  # small integers would wrap
    n, sign = a.shape[-1], 1 if inverse else -1
    biased = isinstance(bias, Traced) or on_host(bias) != 0
    position = np.arange(n, like=raw(a)) - (n - 1) / 2
    if biased:
        a = _times_in_double(
            a, np.exp(sign * bias * (position * dln + (offset if inverse else 0.0)))
        )
    product = _times_in_double(rfft(a), _coefficients(n, position, dln, mu, offset, bias, inverse))
    result = np.flip(irfft(product, n), axis=-1)
    if biased:
        result = _times_in_double(
            result, np.exp(sign * bias * (position * dln + (0.0 if inverse else offset)))
        )
    return result


def _times_in_double(x: Any, factor: Any) -> Any:
    """Return x times a factor computed in double precision, in the precision of x."""
    dtype = x.dtype if x.dtype.kind in "fc" and x.dtype != np.float16 else np.dtype(np.float64)
    narrow = np.finfo(dtype).dtype == np.float32
    return x * (
        factor.astype(np.complex64 if factor.dtype.kind == "c" else np.float32)
        if narrow
        else factor
    )


def _coefficients(
    n: int, position: Any, dln: Any, mu: Any, offset: Any, bias: Any, inverse: bool
) -> Any:
    """Return u_m, or 1 / conj(u_m) for the inverse; the last one of an even n is real, because it
    has no conjugate partner.
    """
    m = (position + (n - 1) / 2)[: n // 2 + 1]
    y = m * (math.pi / (n * dln))
    above, below = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    first = m == 0  # logGamma may have a pole there: this coefficient is computed by itself
    upper, lower = (_loggamma(np.where(first, 1.0, v) + 1j * y) for v in (above, below))
    exponent = upper - np.conj(lower) + bias * _LOG_2 + 2j * y * (_LOG_2 - offset)
    u = np.exp(exponent)
    if n % 2 == 0:
        u = np.where(m == n // 2, np.real(u) + 0j, u)
    if inverse:
        u, above, below, bias = 1 / np.conj(u), below, above, -bias
    return np.where(first, np.exp(bias * _LOG_2) * _gamma_ratio(above, below, inverse) + 0j, u)


def _gamma_ratio(x: Any, y: Any, inverse: bool) -> Any:
    """Return Gamma(x) / Gamma(y) of numbers; 1/Gamma is entire, so that a pole of Gamma(y) alone is
    an ordinary point.
    """
    x, y = x * 1.0, y * 1.0
    small = np.maximum(np.abs(x), np.abs(y)) < _SMALL
    with np.errstate(all="ignore"):
        product = _special("gamma")(np.where(small, x, 1.0)) * _special("rgamma")(
            np.where(small, y, 1.0)
        )
        quotient = np.exp(
            _loggamma(np.where(small, 1.0, x) + 0j) - _loggamma(np.where(small, 1.0, y) + 0j)
        )
        return _regular(np.where(small, product, np.real(quotient)), x, y, inverse)


@elementwise
def _regular(ratio, x, y, inverse):
    """Return the ratio if it is finite, the limit for a fixed x - y if both are poles, and 0 with a
    warning if x alone is one.
    """
    out = np.where(np.isfinite(ratio), ratio, kernel("special.poch")(y, x - y))
    singular = np.isinf(out)
    if on_host(singular.any()):
        kind = "inverse transform" if np.any(on_host(inverse)) else "transform"
        warnings.warn(f"singular {kind}; consider changing the bias", stacklevel=2)
    return np.where(singular, 0.0, out)[()]


# If both x and y are poles, the value is a limit along one direction; if x alone is one, there is
# none. Neither has a derivative.
@_regular.partials
def _(call):
    return lambda: np.where(np.isfinite(call.ratio), 1.0, np.nan), 0, 0, None


def _loggamma(z: Any) -> Any:
    return _special("loggamma")(z)


def _special(name: str) -> Any:
    """Return a function of scipy.special by its name; for traced values the one that the room of
    special functions registers.
    """
    return lambda z: (
        getattr(importlib.import_module("scipy.special"), name)
        if isinstance(z, Traced)
        else kernel(f"special.{name}")
    )(z)


__all__ = ["fht", "fhtoffset", "ifht"]
