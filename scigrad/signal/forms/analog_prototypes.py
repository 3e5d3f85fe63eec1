"""Analog prototypes of the classical families of filters: zeros, poles and gain."""

from types import ModuleType
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import Traced, TracedValueError, kernel
from scigrad.numpy.devices import place_beside
from scigrad.typing import Array

from ..filters.recursive_response import ones
from ..foundation.composition import floating, refuse_if, scipy_composition


def _check_order(N: Any) -> int:
    if isinstance(N, Traced):
        raise TracedValueError(
            "The order N of a filter is an int, so there is no derivative with respect to it. Pass "
            "a plain int, outside of the arguments that are differentiated."
        )
    refuse_if(abs(int(N)) != N, "Filter order must be a nonnegative integer")
    return int(N)


def unit_response_gain(z: Any, p: Any) -> Any:
    """Return prod(-p)/prod(-z), at which the response at 0 is 1."""
    return np.real(np.prod(-p) / np.prod(-z))


@scipy_composition()
def cheb1ap(
    N: int,
    rp: float,
    *,
    xp: ModuleType | None = None,  # noqa: ARG001
    device: object | None = None,  # noqa: ARG001
) -> tuple[Array, Array, float]:
    """Return the analog prototype of a Chebyshev filter of type I.

    Parameters
    ----------
    N : int
        Order of the filter.
    rp : float
        Ripple in the passband in dB.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain arguments.

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
        If `N` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.cheb1ap`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(round(float(grad(lambda rp: signal.cheb1ap(2, rp)[2])(1.0)), 6))
    -0.550039
    """
    N, (rp,) = _check_order(N), floating(rp)
    none = place_beside(np.zeros(0), rp)
    eps = np.sqrt(10 ** (0.1 * rp) - 1)
    if N == 0:
        return none, none, 10 ** (-rp / 20)
    p = -np.sinh(
        np.arcsinh(1 / eps) / N + 1j * place_beside(0.5 * np.pi / N * np.arange(1 - N, N, 2), rp)
    )
    gain: Any = np.real(np.prod(-p)) / (1 if N % 2 else np.sqrt(1 + eps * eps))
    return none, p, gain


@scipy_composition()
def cheb2ap(
    N: int,
    rs: float,
    *,
    xp: ModuleType | None = None,  # noqa: ARG001
    device: object | None = None,  # noqa: ARG001
) -> tuple[Array, Array, float]:
    """Return the analog prototype of a Chebyshev filter of type II.

    Parameters
    ----------
    N : int
        Order of the filter.
    rs : float
        Attenuation in the stopband in dB.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain arguments.

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
        If `N` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.cheb2ap`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(round(float(grad(lambda rs: signal.cheb2ap(2, rs)[2])(20.0)), 6))
    -0.011513
    """
    N, (rs,) = _check_order(N), floating(rs)
    m = np.arange(1 - N, N, 2)
    z = 1j * place_beside(1 / np.sin(m[m != 0] * np.pi / (2 * max(N, 1))), rs)
    if N == 0:
        return z, z, 1.0 + 0 * rs
    p = -1 / np.sinh(
        np.arcsinh(np.sqrt(10 ** (0.1 * rs) - 1)) / N + 1j * place_beside(0.5 * np.pi / N * m, rs)
    )
    return z, p, unit_response_gain(z, p)


@scipy_composition()
def ellipap(
    N: int,
    rp: float,
    rs: float,
    *,
    xp: ModuleType | None = None,  # noqa: ARG001
    device: object | None = None,  # noqa: ARG001
) -> tuple[Array, Array, float]:
    """Return the analog prototype of an elliptic (Cauer) filter.

    Parameters
    ----------
    N : int
        Order of the filter.
    rp : float
        Ripple in the passband in dB.
    rs : float
        Attenuation in the stopband in dB.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain arguments.

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
        If `N` is not a nonnegative integer.

    Notes
    -----
    Elliptic functions by Landen transformations and the degree equation by the nome, as in
    Orfanidis, Lecture Notes on Elliptic Filter Design (2006): elementary functions only. Where the
    edge is steep, as for ``ellipap(12, 3, 10)``, SciPy's values for plain arguments lose digits
    that those under a transform keep.

    This is `scipy.signal.ellipap`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(round(float(grad(lambda rs: signal.ellipap(2, 1.0, rs)[2])(40.0)), 6))
    -0.001151
    """
    N, (rp, rs) = _check_order(N), floating(rp, rs)
    none = place_beside(np.zeros(0), rp)
    eps2 = decibel_power(rp)
    if N == 0:
        return none, none, 10 ** (-rp / 20) + 0 * rs
    if N == 1:
        k = np.sqrt(1 / eps2) + 0 * rs
        single: Any = (none + 0j, -k + 0j, k)
        return single
    bound = decibel_power(rs)
    k1 = np.sqrt(eps2 / bound), np.sqrt((1 + eps2) * decibel_power(rs - rp) / bound)
    k = _modulus(_nome(*k1) ** (1 / N))
    moduli = _landen(*k)
    # the shift of the poles, over K
    shift = np.arcsinh(_descended(1 / np.sqrt(eps2), *k1)) * 2 / (np.pi * N)
    j = np.arange(1 - N % 2, N, 2) / N
    u = place_beside(j, rp)
    z = 1j / (k[0] * _sn(u[N % 2 :] + 0j, moduli))
    p = np.conj(1j * _sn(u + 1j * shift, moduli))
    z, p = np.concatenate([z, np.conj(z)]), np.concatenate([p, np.conj(p[N % 2 :])])
    return z, p, unit_response_gain(z, p) / (1 if N % 2 else np.sqrt(1 + eps2))


def decibel_power(decibels: Any) -> Any:
    """Return 10^(decibels/10) - 1."""
    return np.expm1(np.log(10) / 10 * decibels)


# A modulus k goes with its complement sqrt(1 - k^2): computed from each other, the smaller one
# would lose its digits.
# transformations, after which the modulus is below 1e-16 for all complements down to 1e-16
_LANDEN = 10


def _landen(k: Any, complement: Any) -> list[Any]:
    """Return the descending moduli of Landen's transformation, without the first one."""
    moduli = []
    for _ in range(_LANDEN):
        k, complement = (k / (1 + complement)) ** 2, 2 * np.sqrt(complement) / (1 + complement)
        moduli.append(k)
    return moduli


def _sn(u: Any, moduli: list[Any]) -> Any:
    """Return sn(u K, k)."""
    w = np.sin(u * (np.pi / 2))
    for k in moduli[::-1]:
        w = (1 + k) * w / (1 + k * w * w)
    return w


def _descended(y: Any, k: Any, complement: Any) -> Any:
    """Return y_n, for which asn(i y, k) / K = (2/pi) i asinh(y_n)."""
    for after in _landen(k, complement):
        y = 2 * y / ((1 + after) * (1 + np.sqrt(1 + (k * y) ** 2)))
        k = after
    return y


def _nome(k: Any, complement: Any) -> Any:
    """Return exp(-pi K'/K), K and K' by arithmetic-geometric means."""
    means = []
    for b in (k, complement):
        a = 1 + 0 * b
        for _ in range(8):
            a, b = (a + b) / 2, np.sqrt(a * b)
        means.append(a)
    return np.exp(-np.pi * means[1] / means[0])


def _modulus(q: Any) -> tuple[Any, Any]:
    """Return the modulus of a nome and its complement: squared ratios of theta functions."""
    small = q < np.exp(-np.pi)
    # that of the complement, where it is the smaller one
    q = np.where(small, q, np.exp(np.pi**2 / np.log(q)))
    even, odd = (2 * sum(q ** (m * m) for m in range(start, 6, 2)) for start in (2, 1))
    k = 4 * np.sqrt(q) * (sum(q ** (m * (m + 1)) for m in range(5)) / (1 + even + odd)) ** 2
    complement = ((1 + even - odd) / (1 + even + odd)) ** 2
    return np.where(small, k, complement), np.where(small, complement, k)


# -- changes of the band


def prototype(ftype: str, N: int, rp: Any, rs: Any, norm: str, like: Any) -> Any:
    """Return the analog prototype of a family."""
    if ftype in ("butter", "bessel"):
        z, p, k = (
            kernel("signal.buttap")(_check_order(N))
            if ftype == "butter"
            else kernel("signal.besselap")(_check_order(N), norm)
        )
        return (
            place_beside(z, like),
            place_beside(p.real, like) + 1j * place_beside(p.imag, like),
            k,
        )
    ripples = {"cheby1": (rp,), "cheby2": (rs,), "ellip": (rp, rs)}[ftype]
    refuse_if(
        any(r is None for r in ripples),
        f"rp (cheby1, ellip) and rs (cheby2, ellip) must be provided to design {ftype}.",
    )
    one = ones(like, ())  # on the device of the frequencies
    return {"cheby1": cheb1ap, "cheby2": cheb2ap, "ellip": ellipap}[ftype](
        N, *(one * r for r in ripples)
    )


__all__ = ["cheb1ap", "cheb2ap", "ellipap"]
