"""Recursive filters designed from their frequencies: the classical families, notches, peaks and
combs.
"""

from types import ModuleType
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import raw
from scigrad.numpy.devices import on_host
from scigrad.typing import Array, ArrayLike

from ..filters.recursive_response import ones
from ..forms.analog_prototypes import prototype
from ..forms.band_changes import bilinear_zpk, lp2bp_zpk, lp2bs_zpk, lp2hp_zpk, lp2lp_zpk
from ..forms.conversions import polynomial, sections_of
from ..foundation.composition import floating, refuse_if, scipy_composition

_BANDS = {
    "lowpass": ("lowpass", "low", "lp", "l"), "highpass": ("highpass", "high", "hp", "h"),
    "bandpass": ("bandpass", "band", "pass", "bp"), "bandstop": ("bandstop", "stop", "bs", "bands"),
}  # fmt: skip
_FAMILIES = {
    "butter": ("butter", "butterworth"),
    "cheby1": ("cheby1", "cheby", "chebyshev1", "chebyshevi"),
    "cheby2": ("cheby2", "chebyshev2", "chebyshevii"),
    "ellip": ("ellip", "elliptic", "ca", "cauer"),
    "bessel": ("bessel", "thomson"),
}


def _canonical(name: str, table: dict[str, tuple[str, ...]], what: str) -> str:
    found = [key for key, names in table.items() if name.lower() in names]
    refuse_if(not found, f"'{name}' is an invalid {what}: one of {', '.join(table)} is needed")
    return found[0]


def _edges(Wn: Any, fs: Any, analog: bool, btype: str) -> list[Any]:
    """Return the one or two critical frequencies, of digital filters in units of fs/2."""
    refuse_if(analog and fs is not None, "fs cannot be specified for an analog filter")
    (edges,) = floating(Wn)
    if fs is not None:
        edges = edges / (fs / 2)
    values, count = on_host(raw(edges)), 1 if not edges.ndim else edges.shape[0]
    refuse_if(values <= 0, "filter critical frequencies must be greater than 0")
    refuse_if(
        not analog and np.any(values >= 1),
        "Digital filter critical frequencies must be 0 < Wn < 1, or fs/2.",
    )
    refuse_if(
        count != 1 + btype.startswith("band"),
        f"Wn must be one frequency, for bands two, not {count} for the btype {btype}",
    )
    refuse_if(
        count == 2 and np.any(values[..., 0] >= values[..., 1]), "Wn[0] must be less than Wn[1]"
    )
    return [edges[i] for i in range(count)] if edges.ndim else [edges]


def _filter(N: int, Wn: Any, rp: Any, rs: Any, btype: str, analog: bool, ftype: str, output: str,
    fs: Any,
            norm: str = "phase") -> Any:  # fmt: skip
    btype, ftype = (
        _canonical(btype, _BANDS, "bandtype for filter"),
        _canonical(ftype, _FAMILIES, "basic IIR filter"),
    )
    refuse_if(output not in ("ba", "zpk", "sos"), f"'{output}' is not a valid output form.")
    refuse_if(rp is not None and rp < 0, "passband ripple (rp) must be positive")
    refuse_if(rs is not None and rs < 0, "stopband attenuation (rs) must be positive")
    edges = _edges(Wn, fs, analog, btype)
    if not analog:
        edges = [4 * np.tan(np.pi / 2 * edge) for edge in edges]
    z, p, k = prototype(ftype, N, rp, rs, norm, edges[0])
    if len(edges) == 1:
        z, p, k = {"lowpass": lp2lp_zpk, "highpass": lp2hp_zpk}[btype](z, p, k, edges[0])
    else:
        change = {"bandpass": lp2bp_zpk, "bandstop": lp2bs_zpk}[btype]
        z, p, k = change(z, p, k, np.sqrt(edges[0] * edges[1]), edges[1] - edges[0])
    if not analog:
        z, p, k = bilinear_zpk(z, p, k, 2.0)
    if output == "zpk":
        return z, p, k
    if output == "sos":
        return sections_of(z, p, k, None, analog)
    # their roots come in conjugate pairs
    return np.real(k * polynomial(z, ones(z, (1,)))), np.real(polynomial(p, ones(p, (1,))))


@scipy_composition()
def iirfilter(
    N: int,
    Wn: ArrayLike,
    rp: float | None = None,
    rs: float | None = None,
    btype: str = "band",
    analog: bool = False,
    ftype: str = "butter",
    output: str = "ba",
    fs: float | None = None,
) -> tuple[Array, Array]:
    """Design a recursive filter of a classical family.

    Parameters
    ----------
    N : int
        Order of the filter, of the lowpass prototype for band filters.
    Wn : float or (2,) array_like
        Critical frequency, or two for a band filter, in the unit of `fs`. Without `fs`, 1 is the
        Nyquist frequency.
    rp : float, optional
        Ripple in the passband in dB, for "cheby1" and "ellip".
    rs : float, optional
        Attenuation in the stopband in dB, for "cheby2" and "ellip".
    btype : {"lowpass", "highpass", "bandpass", "bandstop"}, optional
        Passband.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    ftype : str, optional
        Family of the filter, as in SciPy.
    output : {"ba", "zpk", "sos"}, optional
        Form of the result: polynomials; zeros, poles and gain; second-order sections.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    b, a : ndarray
        Numerator and denominator, only if `output` is "ba".
    z, p, k : ndarray, ndarray, float
        Zeros, poles and gain, only if `output` is "zpk".
    sos : (n_sections, 6) ndarray
        Second-order sections, only if `output` is "sos".

    Raises
    ------
    ValueError
        If the frequencies, the ripples or the names are invalid.

    Notes
    -----
    Differentiable in frequencies, ripples and `fs`, to any order; the order of the filter is
    constant.

    This is `scipy.signal.iirfilter`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda w: signal.iirfilter(1, w, btype="low")[0][0])(0.25).round(6))
    0.920151
    """
    return _filter(N, Wn, rp, rs, btype, analog, ftype, output, fs)


@scipy_composition()
def butter(
    N: int,
    Wn: ArrayLike,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: float | None = None,
) -> tuple[Array, Array]:
    """Design a Butterworth filter, which is maximally flat in the passband.

    Parameters
    ----------
    N : int
        Order of the filter, of the lowpass prototype for band filters.
    Wn : float or (2,) array_like
        Critical frequency, or two for a band filter, in the unit of `fs`. Without `fs`, 1 is the
        Nyquist frequency.
    btype : {"lowpass", "highpass", "bandpass", "bandstop"}, optional
        Passband.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    output : {"ba", "zpk", "sos"}, optional
        Form of the result: polynomials; zeros, poles and gain; second-order sections.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    b, a : ndarray
        Numerator and denominator, only if `output` is "ba".
    z, p, k : ndarray, ndarray, float
        Zeros, poles and gain, only if `output` is "zpk".
    sos : (n_sections, 6) ndarray
        Second-order sections, only if `output` is "sos".

    Raises
    ------
    ValueError
        If the frequencies, the ripples or the names are invalid.

    Notes
    -----
    Differentiable in frequencies, ripples and `fs`, to any order; the order of the filter is
    constant.

    This is `scipy.signal.butter`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda w: signal.butter(2, w)[0][0])(0.25).round(6))
    0.638241
    """
    return _filter(N, Wn, None, None, btype, analog, "butter", output, fs)


@scipy_composition()
def cheby1(
    N: int,
    rp: float,
    Wn: ArrayLike,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: float | None = None,
) -> tuple[Array, Array]:
    """Design a Chebyshev filter of type I, with ripples in the passband.

    Parameters
    ----------
    N : int
        Order of the filter, of the lowpass prototype for band filters.
    rp : float
        Ripple in the passband in dB.
    Wn : float or (2,) array_like
        Critical frequency, or two for a band filter, in the unit of `fs`. Without `fs`, 1 is the
        Nyquist frequency.
    btype : {"lowpass", "highpass", "bandpass", "bandstop"}, optional
        Passband.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    output : {"ba", "zpk", "sos"}, optional
        Form of the result: polynomials; zeros, poles and gain; second-order sections.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    b, a : ndarray
        Numerator and denominator, only if `output` is "ba".
    z, p, k : ndarray, ndarray, float
        Zeros, poles and gain, only if `output` is "zpk".
    sos : (n_sections, 6) ndarray
        Second-order sections, only if `output` is "sos".

    Raises
    ------
    ValueError
        If the frequencies, the ripples or the names are invalid.

    Notes
    -----
    Differentiable in frequencies, ripples and `fs`, to any order; the order of the filter is
    constant.

    This is `scipy.signal.cheby1`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda rp: signal.cheby1(2, rp, 0.25)[0][0])(1.0).round(6))
    -0.040621
    """
    return _filter(N, Wn, rp, None, btype, analog, "cheby1", output, fs)


@scipy_composition()
def cheby2(
    N: int,
    rs: float,
    Wn: ArrayLike,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: float | None = None,
) -> tuple[Array, Array]:
    """Design a Chebyshev filter of type II, with ripples in the stopband.

    Parameters
    ----------
    N : int
        Order of the filter, of the lowpass prototype for band filters.
    rs : float
        Attenuation in the stopband in dB.
    Wn : float or (2,) array_like
        Critical frequency, or two for a band filter, in the unit of `fs`. Without `fs`, 1 is the
        Nyquist frequency.
    btype : {"lowpass", "highpass", "bandpass", "bandstop"}, optional
        Passband.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    output : {"ba", "zpk", "sos"}, optional
        Form of the result: polynomials; zeros, poles and gain; second-order sections.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    b, a : ndarray
        Numerator and denominator, only if `output` is "ba".
    z, p, k : ndarray, ndarray, float
        Zeros, poles and gain, only if `output` is "zpk".
    sos : (n_sections, 6) ndarray
        Second-order sections, only if `output` is "sos".

    Raises
    ------
    ValueError
        If the frequencies, the ripples or the names are invalid.

    Notes
    -----
    Differentiable in frequencies, ripples and `fs`, to any order; the order of the filter is
    constant.

    This is `scipy.signal.cheby2`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda rs: signal.cheby2(2, rs, 0.25)[0][0])(20.0).round(6))
    -0.010694
    """
    return _filter(N, Wn, None, rs, btype, analog, "cheby2", output, fs)


@scipy_composition()
def ellip(
    N: int,
    rp: float,
    rs: float,
    Wn: ArrayLike,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: float | None = None,
) -> tuple[Array, Array]:
    """Design an elliptic (Cauer) filter, with ripples in both bands.

    Parameters
    ----------
    N : int
        Order of the filter, of the lowpass prototype for band filters.
    rp : float
        Ripple in the passband in dB.
    rs : float
        Attenuation in the stopband in dB.
    Wn : float or (2,) array_like
        Critical frequency, or two for a band filter, in the unit of `fs`. Without `fs`, 1 is the
        Nyquist frequency.
    btype : {"lowpass", "highpass", "bandpass", "bandstop"}, optional
        Passband.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    output : {"ba", "zpk", "sos"}, optional
        Form of the result: polynomials; zeros, poles and gain; second-order sections.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    b, a : ndarray
        Numerator and denominator, only if `output` is "ba".
    z, p, k : ndarray, ndarray, float
        Zeros, poles and gain, only if `output` is "zpk".
    sos : (n_sections, 6) ndarray
        Second-order sections, only if `output` is "sos".

    Raises
    ------
    ValueError
        If the frequencies, the ripples or the names are invalid.

    Notes
    -----
    Differentiable in frequencies, ripples and `fs`, to any order; the order of the filter is
    constant.

    This is `scipy.signal.ellip`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda rs: signal.ellip(2, 1.0, rs, 0.25)[0][0])(40.0).round(6))
    -0.000773
    """
    return _filter(N, Wn, rp, rs, btype, analog, "ellip", output, fs)


@scipy_composition()
def bessel(
    N: int,
    Wn: ArrayLike,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    norm: str = "phase",
    fs: float | None = None,
) -> tuple[Array, Array]:
    """Design a Bessel filter, of nearly constant delay in the passband.

    Parameters
    ----------
    N : int
        Order of the filter, of the lowpass prototype for band filters.
    Wn : float or (2,) array_like
        Critical frequency, or two for a band filter, in the unit of `fs`. Without `fs`, 1 is the
        Nyquist frequency.
    btype : {"lowpass", "highpass", "bandpass", "bandstop"}, optional
        Passband.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    output : {"ba", "zpk", "sos"}, optional
        Form of the result: polynomials; zeros, poles and gain; second-order sections.
    norm : {"phase", "delay", "mag"}, optional
        Meaning of the critical frequency.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    b, a : ndarray
        Numerator and denominator, only if `output` is "ba".
    z, p, k : ndarray, ndarray, float
        Zeros, poles and gain, only if `output` is "zpk".
    sos : (n_sections, 6) ndarray
        Second-order sections, only if `output` is "sos".

    Raises
    ------
    ValueError
        If the frequencies, the ripples or the names are invalid.

    Notes
    -----
    Differentiable in frequencies, ripples and `fs`, to any order; the order of the filter is
    constant.

    This is `scipy.signal.bessel`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda w: signal.bessel(2, w)[0][0])(0.25).round(6))
    0.580502
    """
    return _filter(N, Wn, None, None, btype, analog, "bessel", output, fs, norm)


# -- one resonance


def _resonance(w0: Any, Q: Any, fs: Any) -> tuple[Any, Any]:
    """Return cos(w0) and the gain 1/(1 + tan(w0/(2 Q)))."""
    w0, Q, fs = floating(w0, Q, fs)
    angle = 2 * np.pi * w0 / fs
    refuse_if((angle > np.pi) | (angle < 0), "w0 should be such that 0 < w0 < 1, in units of fs/2")
    return np.cos(angle), 1 / (1 + np.tan(angle / Q / 2))


@scipy_composition()
def iirnotch(
    w0: float,
    Q: float,
    fs: float = 2.0,
    *,
    xp: ModuleType | None = None,  # noqa: ARG001
    device: object | None = None,  # noqa: ARG001
) -> tuple[Array, Array]:
    """Design a notch of second order.

    Parameters
    ----------
    w0 : float
        Frequency of the notch or peak in the unit of `fs`.
    Q : float
        Quality: `w0` over the width at -3 dB.
    fs : float, optional
        Sampling frequency.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain arguments.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Raises
    ------
    ValueError
        If the frequency is not between 0 and half of `fs`.

    Notes
    -----
    This is `scipy.signal.iirnotch`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda w0: signal.iirnotch(w0, 10.0)[0][1])(0.25).round(6))
    4.480904
    """
    c, gain = _resonance(w0, Q, fs)
    return gain * np.stack([1 + 0 * c, -2 * c, 1 + 0 * c]), np.stack(
        [1 + 0 * c, -2 * gain * c, 2 * gain - 1]
    )


@scipy_composition()
def iirpeak(
    w0: float,
    Q: float,
    fs: float = 2.0,
    *,
    xp: ModuleType | None = None,  # noqa: ARG001
    device: object | None = None,  # noqa: ARG001
) -> tuple[Array, Array]:
    """Design a resonance of second order.

    Parameters
    ----------
    w0 : float
        Frequency of the notch or peak in the unit of `fs`.
    Q : float
        Quality: `w0` over the width at -3 dB.
    fs : float, optional
        Sampling frequency.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain arguments.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Raises
    ------
    ValueError
        If the frequency is not between 0 and half of `fs`.

    Notes
    -----
    This is `scipy.signal.iirpeak`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda w0: signal.iirpeak(w0, 10.0)[1][1])(0.25).round(6))
    4.480904
    """
    c, gain = _resonance(w0, Q, fs)
    return (1 - gain) * np.stack([1 + 0 * c, 0 * c, -1 + 0 * c]), np.stack(
        [1 + 0 * c, -2 * gain * c, 2 * gain - 1]
    )


__all__ = ["bessel", "butter", "cheby1", "cheby2", "ellip", "iirfilter", "iirnotch", "iirpeak"]
