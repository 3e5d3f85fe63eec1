"""Text that the functions of this room share: arguments described by their names."""

from typing import Any


def arguments(**every: Any) -> None:
    """Describe every argument by its name; functions take from here what their signature has.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays of the same number of axes.
    mode : {"full", "same", "valid"}, optional
        Part of the result: all of it; its middle, of the shape of `in1`; or where the arrays
        overlap fully.
    method : str, optional
        Algorithm, as in SciPy; the values are the same.
    boundary : str, optional
        Continuation of the signal at its ends, as in SciPy.
    fillvalue : float, optional
        Value outside of `in1` for the boundary "fill".
    axes : int or sequence of ints, optional
        Axes to operate along, by default all.
    b, a : (k,) array_like or float
        Numerator and denominator.
    z, p : (k,) array_like
        Zeros and poles.
    k : float
        Gain.
    sos : (n_sections, 6) array_like
        Second-order sections, each (b0, b1, b2, 1, a1, a2).
    x, y : (..., n, ...) array_like
        Signals along `axis`.
    data : (..., n, ...) array_like
        Signals along `axis`.
    axis : int, optional
        Axis of time.
    padtype : {"odd", "even", "constant", None}, optional
        Continuation of the signal at both ends.
    padlen : int, optional
        Length of the continuation, by default three times the number of taps.
    irlen : int, optional
        Length of the impulse response, for the method "gust".
    fs : float, optional
        Sampling frequency.
    window : str, float, tuple or (nperseg,) array_like, optional
        Window, as in `get_window`, or its samples.
    nperseg : int, optional
        Length of a segment, by default 256 or that of the window.
    noverlap : int, optional
        Samples that neighbouring segments share, by default half of a segment.
    nfft : int, optional
        Length of the transforms, by default that of a segment.
    detrend : {"constant", "linear"}, callable or False, optional
        Trend to subtract from each segment.
    return_onesided : bool, optional
        Whether to return nonnegative frequencies only, for real signals.
    scaling : str, optional
        Whether values are densities in frequency or powers of lines, as in SciPy.
    average : {"mean", "median"}, optional
        Average over segments.
    padded : bool, optional
        Whether to append zeros up to a whole number of segments.
    worN : int or array_like, optional
        Number of frequencies, or the frequencies in the unit of `fs`.
    whole : bool, optional
        Whether frequencies go up to `fs` instead of half of it.
    plot : callable, optional
        Function that is called with the frequencies and the response.
    include_nyquist : bool, optional
        Whether half of `fs` is among the frequencies.
    Wn : float or (2,) array_like
        Critical frequencies in the unit of `fs`, by default of half the sampling frequency.
    N : int, optional
        Length that signals are cut or filled with zeros to.
    rp : float
        Ripple in the passband in dB.
    rs : float
        Attenuation in the stopband in dB.
    btype : {"lowpass", "highpass", "bandpass", "bandstop"}, optional
        Passband.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    ftype : str, optional
        Family of the filter, as in SciPy.
    output : {"ba", "zpk", "sos"}, optional
        Form of the result: polynomials; zeros, poles and gain; second-order sections.
    norm : {"phase", "delay", "mag"}, optional
        Meaning of the critical frequency.
    wo : float, optional
        Cutoff, or centre of the band, angular.
    bw : float, optional
        Width of the band, angular.
    w0 : float
        Frequency of the notch or peak in the unit of `fs`.
    Q : float
        Quality: `w0` over the width at -3 dB.
    freq : float
        Centre in the unit of `fs`.
    pairing : {"nearest", "keep_odd", "minimal"}, optional
        Rule by which zeros join poles.
    t : array_like
        Times.
    up, down : int
        Factors of the sampling rate.
    h : (k,) array_like
        Taps.
    A : (n, n) array_like
        State matrix.
    B : (n, p) array_like
        Input matrix.
    C : (q, n) array_like
        Output matrix.
    D : (q, p) array_like
        Feedthrough matrix.
    num, den : (k,) array_like
        Numerator, or a row for each output, and denominator.
    window_length : int
        Length of the window.
    polyorder : int
        Order of the polynomial.
    deriv : int, optional
        Order of the derivative.
    delta : float, optional
        Distance between samples.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain arguments.
    """
    ...


def varying() -> None:
    """Describe a function that is differentiable.

    Notes
    -----
    This is `scipy.signal.{name}`, differentiable in all float arguments, to any order.
    """
    ...


def fixed() -> None:
    """Describe a function that is constant.

    Notes
    -----
    This is `scipy.signal.{name}`. It is constant: no derivative passes.
    """
    ...


def zpk_form() -> None:
    """Describe zeros, poles and gain.

    Returns
    -------
    z : (m,) ndarray
        Zeros.
    p : (n,) ndarray
        Poles.
    k : float
        Gain.
    """
    ...


def ba_form() -> None:
    """Describe numerator and denominator.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.
    """
    ...


def sos_form() -> None:
    """Describe second-order sections.

    Returns
    -------
    (n_sections, 6) ndarray
        Sections, each (b0, b1, b2, 1, a1, a2).
    """
    ...


__all__ = ["arguments", "ba_form", "fixed", "sos_form", "varying", "zpk_form"]
