"""Filters without delay: a recursive filter that runs forward and backward."""

from typing import Any, Literal

import scigrad.numpy as np
from scigrad.autodiff_rules import TracedValueError, concrete, raw
from scigrad.linalg import block_diag, lstsq
from scigrad.numpy.devices import on_host, place_beside
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import (
    back,
    last,
    pad_ends,
    refuse_if,
    scipy_composition,
    signals,
    vectors,
)
from .filtering import lfilter, sosfilt
from .initial_states import lfilter_zi, sosfilt_zi


@scipy_composition()
def filtfilt(
    b: ArrayLike,
    a: ArrayLike,
    x: ArrayLike,
    axis: int = -1,
    padtype: Literal["odd", "even", "constant", None] = "odd",
    padlen: int | None = None,
    method: str = "pad",
    irlen: int | None = None,
) -> Array:
    """Filter a signal forward and backward, so that no phase remains.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    x : (..., n, ...) array_like
        Signals along `axis`.
    axis : int, optional
        Axis of time.
    padtype : {"odd", "even", "constant", None}, optional
        Continuation of the signal at both ends.
    padlen : int, optional
        Length of the continuation, by default three times the number of taps.
    method : {"pad", "gust"}, optional
        Treatment of the ends. "pad" continues the signal by `padlen` samples at both ends, as
        `padtype` says; "gust" chooses the initial states for which filtering backward first gives
        the same result. The results differ near the ends.
    irlen : int, optional
        Length of the impulse response, for the method "gust".

    Returns
    -------
    (..., n, ...) ndarray
        Filtered signals.

    Raises
    ------
    ValueError
        If the signal is not longer than its continuation, or `padtype` or `method` is unknown.

    Notes
    -----
    This is `scipy.signal.filtfilt`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> loss = lambda b: np.sum(
    ...     signal.filtfilt(b, [1.0], np.array([0.0, 0.0, 1.0, 0.0, 0.0]), padlen=0) ** 2
    ... )
    >>> print(grad(loss)(np.array([1.0, 2.0])))
    [36. 48.]
    """
    refuse_if(method not in ("pad", "gust"), "method must be 'pad' or 'gust'.")
    b, a, x = vectors(b, a, x)
    if method == "gust":
        return back(_consistent(b, a, last(x, axis), irlen), axis)
    zi = lfilter_zi(b, a)
    taps = max(b.shape[0], a.shape[0])
    return _both_ways(
        lambda s: lfilter(b, a, s, -1, zi * s[..., :1])[0], x, axis, padtype, padlen, taps
    )


@scipy_composition()
def sosfiltfilt(
    sos: ArrayLike,
    x: ArrayLike,
    axis: int = -1,
    padtype: Literal["odd", "even", "constant", None] = "odd",
    padlen: int | None = None,
) -> Array:
    """Filter a signal forward and backward with a cascade of sections.

    Parameters
    ----------
    sos : (n_sections, 6) array_like
        Second-order sections, each (b0, b1, b2, 1, a1, a2).
    x : (..., n, ...) array_like
        Signals along `axis`.
    axis : int, optional
        Axis of time.
    padtype : {"odd", "even", "constant", None}, optional
        Continuation of the signal at both ends.
    padlen : int, optional
        Length of the continuation, by default three times the number of taps.

    Returns
    -------
    (..., n, ...) ndarray
        Filtered signals.

    Raises
    ------
    ValueError
        If the signal is not longer than its continuation, or `padtype` is unknown.

    Notes
    -----
    This is `scipy.signal.sosfiltfilt`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> sos = np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]])
    >>> print(
    ...     grad(lambda s: np.sum(signal.sosfiltfilt(s, np.array([0.0, 1.0, 0.0]), padlen=0)))(sos)
    ... )
    [[  6.5     7.      3.     -2.625 -10.     -6.   ]]
    """
    sos, x = signals(sos, x)
    zi = sosfilt_zi(sos)
    zi = np.reshape(zi, (zi.shape[0], *(1,) * (x.ndim - 1), 2))
    absent = np.minimum(np.sum(sos[:, 2] == 0), np.sum(sos[:, 5] == 0))  # sections of first order
    counts = _distinct(on_host(raw(absent)))
    if len(counts) > 1:
        raise TracedValueError(
            "sosfiltfilt: the filters of a batch differ in their order. Pass padlen, or leave out "
            "vmap."
        )
    taps = 2 * sos.shape[0] + 1 - max(counts, default=0)
    return _both_ways(
        lambda s: sosfilt(sos, s, -1, zi * s[..., :1])[0], x, axis, padtype, padlen, taps
    )


def _consistent(b: Any, a: Any, x: Any, irlen: Any) -> Any:
    """Filter forward and backward from the states for which the order of both runs matters least.

    A state u at the start adds O u to a run, O the responses of the filter to its states; with F
    the filter and R the reversal of time, forward and then backward from v gives
    ``y1 + R F R O u + R O v``, the other order ``y2 + O u + F R O v``: a problem of least squares
    for u and v (Gustafsson 1996, doi 10.1109/78.492552).
    """
    order, n = max(b.shape[0], a.shape[0]) - 1, x.shape[-1]
    if order == 0:
        return (b[0] / a[0]) ** 2 * x
    # samples at both ends that the states reach
    m = n if irlen is None or n <= 2 * irlen else irlen
    own = lfilter(b, a, place_beside(np.zeros((order, m)), x), -1, place_beside(np.eye(order), x))[
        0
    ]
    through = lfilter(b, a, own[:, ::-1])
    at_start, at_end = through[:, ::-1], own[:, ::-1]
    forward, backward = (lfilter(b, a, lfilter(b, a, s)[..., ::-1]) for s in (x, x[..., ::-1]))
    y = forward[..., ::-1]
    difference = backward - y
    if m == n:
        matrix = np.concatenate([at_start - own, at_end - through])
    else:
        matrix = block_diag(at_start - own, at_end - through)
        difference = np.concatenate([difference[..., :m], difference[..., n - m :]], axis=-1)
    outputs = np.reshape(difference, (-1, difference.shape[-1])).T
    # the driver without singular values and their derivatives
    states = lstsq(matrix.T, outputs, lapack_driver="gelsy")[0].T
    states = np.reshape(states, (*x.shape[:-1], 2 * order))
    return (
        y
        + pad_ends(states[..., :order] @ at_start, 0, n - m)
        + pad_ends(states[..., order:] @ at_end, n - m, 0)
    )


def _both_ways(run: Any, x: Any, axis: int, padtype: Any, padlen: Any, taps: int) -> Any:
    refuse_if(
        padtype not in ("even", "odd", "constant", None),
        f"padtype must be 'even', 'odd', 'constant', or None: {padtype!r}",
    )
    edge = 0 if padtype is None else 3 * taps if padlen is None else padlen
    refuse_if(
        x.shape[axis] <= edge,
        f"The length of the input vector x must be greater than padlen, which is {edge}: "
        "pass a longer x, or a smaller padlen to filtfilt or sosfiltfilt.",
    )
    y = pad_ends(last(x, axis), edge, edge, padtype or "zeros")
    for _ in range(2):
        y = run(y)[..., ::-1]
    return back(y[..., edge : y.shape[-1] - edge], axis)


@concrete
def _distinct(counts: Any) -> list[int]:
    return sorted(set(np.ravel(counts).tolist()))


__all__ = ["filtfilt", "sosfiltfilt"]
