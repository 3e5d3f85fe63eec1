"""firwin: finite impulse responses from a window, differentiable in the band edges."""

from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import raw
from scigrad.numpy.devices import on_host, place_beside
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import refuse_if, scipy_composition, vectors
from ..foundation.window_shapes import window_beside


@scipy_composition()
def firwin(
    numtaps: int,
    cutoff: ArrayLike,
    *,
    width: float | None = None,
    window: str | float | tuple[Any, ...] = "hamming",
    pass_zero: bool | str = True,
    scale: bool = True,
    fs: float | None = None,
) -> Array:
    """Design a finite impulse response by the window method.

    ``h[n] = window[n] sum_(l, r) (sin(pi r m) - sin(pi l m)) / (pi m)`` with
    ``m = n - (numtaps - 1) / 2``, summed over the passbands (l, r) in units of fs/2.

    Parameters
    ----------
    numtaps : int
        Number of taps; odd if a passband includes fs/2.
    cutoff : float or (k,) array_like
        Band edges in the unit of `fs`, increasing between 0 and fs/2.
    width : float, optional
        Width of the transition region, for which a Kaiser window is designed in place of `window`.
    window : str, float or tuple, optional
        Window, as in `get_window`.
    pass_zero : bool or {"lowpass", "highpass", "bandpass", "bandstop"}, optional
        Whether the first band is a passband.
    scale : bool, optional
        Whether to scale the response to 1 in the middle of the first passband (at 0 or fs/2 if the
        band ends there).
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    (numtaps,) ndarray
        Taps, in single precision if the band edges are.

    Raises
    ------
    ValueError
        If the band edges are not increasing inside (0, fs/2), or `numtaps` is even and a passband
        includes fs/2.

    Notes
    -----
    Kaiser's formula for `width` has three ranges of attenuation; where they meet, at 21 and 50 dB,
    the derivative is that of the higher range.

    This is `scipy.signal.firwin`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     round(
    ...         float(
    ...             grad(lambda f: signal.firwin(3, f, window="boxcar", scale=False)[1])(
    ...                 np.array(0.25)
    ...             )
    ...         ),
    ...         6,
    ...     )
    ... )
    1.0
    """
    half = 0.5 * (2 if fs is None else fs)
    (edges,) = vectors(cutoff)
    refuse_if(
        edges.ndim > 1,
        f"The cutoff argument must be at most one-dimensional, not of shape {edges.shape}.",
    )
    edges = edges / half
    passes, pass_nyquist = _bands(numtaps, edges, pass_zero)
    if width is not None:
        window = ("kaiser", beta_of(2.285 * (numtaps - 1) * np.pi * (width / half) + 7.95))
    m = place_beside(np.arange(numtaps) - 0.5 * (numtaps - 1), edges)
    middle = m == 0
    apart = np.where(middle, 1, m) * np.pi
    # The ideal response between two edges is a difference of sincs; 0 and fs/2 are edges that are
    # constant.
    signs = [1.0 if (i % 2 == 0) == passes else -1.0 for i in range(edges.shape[0])]
    h = sum(
        sign * np.where(middle, edges[i], np.sin(edges[i] * apart) / apart)
        for i, sign in enumerate(signs)
    )
    if pass_nyquist:
        h = h + middle.astype(edges.dtype)
    h = h * window_beside(window, numtaps, edges, fftbins=False)
    middle_of_first = 0.0 if passes else 1.0 if edges.shape[0] == 1 else 0.5 * (edges[0] + edges[1])
    return h / np.sum(h * np.cos(np.pi * m * middle_of_first)) if scale else h


_PASSES = (True, False, "bandpass", "lowpass", "highpass", "bandstop")


def _bands(numtaps: int, edges: Any, pass_zero: Any) -> tuple[Any, Any]:
    """Return whether 0 and fs/2 pass; raise what SciPy raises for edges that make no filter."""
    values, count = on_host(raw(edges)), edges.shape[0]
    refuse_if(count == 0, "At least one cutoff frequency must be given.")
    refuse_if(
        np.any((values <= 0) | (values >= 1)),
        "Invalid cutoff frequency: each must be greater than 0 and less than fs/2.",
    )
    refuse_if(
        np.any(values[..., 1:] <= values[..., :-1]),
        "Invalid cutoff frequencies: they must be strictly increasing.",
    )
    refuse_if(
        pass_zero in ("lowpass", "highpass") and count != 1,
        f"cutoff must have one element if {pass_zero=}, not {count}",
    )
    refuse_if(
        pass_zero in ("bandpass", "bandstop") and count <= 1,
        f"cutoff must have at least two elements if {pass_zero=}",
    )
    refuse_if(
        type(pass_zero) is int or pass_zero not in _PASSES,
        f"Parameter pass_zero={pass_zero!r} not in {_PASSES}",
    )
    passes = pass_zero in ("lowpass", "bandstop") if isinstance(pass_zero, str) else pass_zero
    pass_nyquist = (count % 2 == 0) == passes
    refuse_if(
        pass_nyquist and numtaps % 2 == 0,
        "An even number of coefficients has zero response at the Nyquist frequency.",
    )
    return passes, pass_nyquist


def beta_of(attenuation: Any) -> Any:
    """Return the shape parameter of the Kaiser window with a given attenuation in dB (Kaiser
    1974).
    """
    above = np.where(attenuation > 21, attenuation - 21, 1)
    low = np.where(attenuation > 21, 0.5842 * above**0.4 + 0.07886 * above, 0)
    return np.where(attenuation > 50, 0.1102 * (attenuation - 8.7), low)


__all__ = ["firwin"]
