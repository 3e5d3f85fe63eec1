"""Peaks: their positions are constant; heights, prominences and widths are differentiable."""

from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import constant as constant_rule
from scigrad.autodiff_rules import kernel
from scigrad.autodiff_rules.containers import flatten
from scigrad.numpy.devices import on_host, upload
from scigrad.typing import Array, ArrayLike

from .foundation.composition import floating, number, real, refuse_if, scipy_composition


def _as_vector(x: Any, name: str) -> Any:
    (x,) = real(name, x)
    refuse_if(x.ndim != 1, "`x` must be a 1-D array")
    return x


@constant_rule(core={"x": 1, "peaks": 1})
def _bases(x, peaks, wlen):
    """Return the bases left and right of the peaks."""
    prominences = kernel("signal.peak_prominences")
    rows = np.vectorize(
        lambda x, p: prominences(x, p, wlen)[1:], signature="(n),(k)->(k),(k)", otypes=[int, int]
    )
    return upload(np.stack(rows(on_host(x), on_host(peaks)), axis=-2), x)


@constant_rule(core={"x": 1, "peaks": 1, "heights": 1, "bases": 2})
def _crossings(x, peaks, heights, bases):
    """Return the first sample left and right of the peaks that is not above the height, or the
    base.
    """

    def of_row(x: Any, peaks: Any, heights: Any, bases: Any) -> Any:
        found = np.array([peaks, peaks])
        for i, height in enumerate(heights):
            for side, step in enumerate((-1, 1)):
                while found[side, i] != bases[side, i] and height < x[found[side, i]]:
                    found[side, i] += step
        return found

    rows = np.vectorize(of_row, signature="(n),(k),(k),(m,k)->(m,k)", otypes=[int])
    return upload(rows(*(on_host(v) for v in (x, peaks, heights, bases))), x)


@scipy_composition(integers="places")
def peak_prominences(
    x: ArrayLike, peaks: ArrayLike, wlen: int | None = None
) -> tuple[Array, Array, Array]:
    """Return how far each peak stands above the higher one of its two bases.

    Parameters
    ----------
    x : (n,) array_like
        Signal.
    peaks : (k,) array_like of int
        Positions of peaks.
    wlen : int, optional
        Length of the window around a peak in which its bases are searched, by default the whole
        signal.

    Returns
    -------
    prominences : (k,) ndarray
        Prominences.
    left_bases, right_bases : (k,) ndarray of int
        Positions of the bases, which are constant.

    Raises
    ------
    ValueError
        If the signal is not a vector, or a peak is not a position in it.

    Notes
    -----
    Under `vmap` bases are searched on the host, in one signal after the other.

    This is `scipy.signal.peak_prominences`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.peak_prominences(x, [1])[0][0])(np.array([1.0, 4.0, 2.0])))
    [ 0.  1. -1.]
    """
    x, peaks = _as_vector(x, "peak_prominences"), np.asarray(on_host(peaks))
    bases = _bases(x, upload(peaks, x), wlen)
    return x[peaks] - np.maximum(x[bases[0]], x[bases[1]]), bases[0], bases[1]


@scipy_composition(integers="places")
def peak_widths(
    x: ArrayLike,
    peaks: ArrayLike,
    rel_height: float = 0.5,
    prominence_data: tuple[Any, ...] | None = None,
    wlen: int | None = None,
) -> tuple[Array, Array, Array, Array]:
    """Return the widths of peaks, between the points where the signal crosses a height.

    Parameters
    ----------
    x : (n,) array_like
        Signal.
    peaks : (k,) array_like of int
        Positions of peaks.
    rel_height : float, optional
        Part of the prominence below the peak at which the width is measured.
    prominence_data : tuple, optional
        Result of `peak_prominences`.
    wlen : int, optional
        Length of the window around a peak in which its bases are searched, by default the whole
        signal.

    Returns
    -------
    widths : (k,) ndarray
        Widths.
    width_heights : (k,) ndarray
        Heights at which they are measured.
    left_ips, right_ips : (k,) ndarray
        Crossings, interpolated between samples.

    Raises
    ------
    ValueError
        If the signal is not a vector, or a peak is not a position in it.

    Notes
    -----
    Under `vmap` bases and crossings are searched on the host, in one signal after the other.

    This is `scipy.signal.peak_widths`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.peak_widths(x, [1])[0][0])(np.array([1.0, 4.0, 2.0])))
    [ 0.11111111  0.05555556 -0.16666667]
    """
    refuse_if(rel_height < 0, "rel_height must be greater than or equal to 0")
    x, peaks = _as_vector(x, "peak_widths"), np.asarray(on_host(peaks))
    prominences, *bases = (
        peak_prominences(x, peaks, wlen) if prominence_data is None else prominence_data
    )
    heights = x[peaks] - floating(prominences)[0] * rel_height
    crossings = _crossings(x, upload(peaks, x), heights, np.stack(bases))
    left, right = (
        _interpolated(x, heights, i, step) for i, step in zip(crossings, (1, -1), strict=True)
    )
    return right - left, heights, left, right


def _interpolated(x: Any, heights: Any, i: Any, step: int) -> Any:
    """Return the place between i and i + step at which the signal has the height, or i if it is
    above there.
    """
    here, beyond = (np.take(x, np.clip(j, 0, x.shape[0] - 1), axis=0) for j in (i, i + step))
    below = here < heights
    return i + step * np.where(below, (heights - here) / np.where(below, beyond - here, 1), 0)


@scipy_composition(integers="places")
def find_peaks(
    x: ArrayLike,
    height: Any = None,
    threshold: Any = None,
    distance: float | None = None,
    prominence: Any = None,
    width: Any = None,
    wlen: int | None = None,
    rel_height: float = 0.5,
    plateau_size: Any = None,
) -> tuple[Array, dict[str, Any]]:
    """Return the positions of the peaks of a signal, and their properties.

    Parameters
    ----------
    x : (n,) array_like
        Signal.
    height : float, array_like or (min, max), optional
        Bounds on the height. This and the bounds below add their properties to the result.
    threshold : float, array_like or (min, max), optional
        Bounds on the vertical distance to the neighboring samples.
    distance : float, optional
        Least distance between peaks.
    prominence : float, array_like or (min, max), optional
        Bounds on the prominence.
    width : float, array_like or (min, max), optional
        Bounds on the width, in samples.
    wlen : int, optional
        Length of the window around a peak in which its bases are searched, by default the whole
        signal.
    rel_height : float, optional
        Part of the prominence below the peak at which the width is measured.
    plateau_size : float, array_like or (min, max), optional
        Bounds on the size of the plateau, in samples.

    Returns
    -------
    peaks : (k,) ndarray of int
        Positions.
    properties : dict
        Properties, by the names that SciPy gives them.

    Raises
    ------
    ValueError
        If the signal is not a vector, or a bound or a distance is invalid.
    TracedValueError
        If the signal is an element of a batch: another element may have another number of peaks.
    TypeError
        If a signal that is differentiated is complex.

    Notes
    -----
    This is `scipy.signal.find_peaks`. Heights, thresholds, prominences, widths, the heights at
    which these are measured and the crossings vary with the signal, to any order, and widths and
    crossings with `rel_height`. Positions, bases, plateaus and the selection by the bounds are
    constant.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda x: signal.find_peaks(x, prominence=1)[1]["prominences"][0])(
    ...         np.array([1.0, 4.0, 2.0])
    ...     )
    ... )
    [ 0.  1. -1.]
    """
    x = _as_vector(x, "find_peaks")
    given, tree = flatten(
        (x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size)
    )
    peaks, found = kernel("signal.find_peaks")(
        *tree.unflatten([on_host(number(value, "find_peaks")) for value in given])
    )
    peaks, found = upload(peaks, x), {name: upload(values, x) for name, values in found.items()}
    if "peak_heights" in found:
        found["peak_heights"] = x[peaks]
    if "left_thresholds" in found:
        found |= {
            "left_thresholds": x[peaks] - x[peaks - 1],
            "right_thresholds": x[peaks] - x[peaks + 1],
        }
    if "prominences" in found:
        bases = found["left_bases"], found["right_bases"]
        found["prominences"] = x[peaks] - np.maximum(*(x[base] for base in bases))
        if "widths" in found:
            names = ("widths", "width_heights", "left_ips", "right_ips")
            found |= zip(
                names,
                peak_widths(x, peaks, rel_height, (found["prominences"], *bases)),
                strict=True,
            )
    return peaks, found


__all__ = ["find_peaks", "peak_prominences", "peak_widths"]
