"""Recursive filters: lfilter, sosfilt."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel
from scigrad.autodiff_rules.backends import is_on_device
from scigrad.typing import Array, ArrayLike, Value

from ..foundation.composition import back, floating, is_plain, last, refuse_if, signals
from .long_signals import filtered_as
from .recursive_response import filter_from_rest, filtered_from, ones


def lfilter(
    b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None
) -> Array:
    """Filter a signal with a rational transfer function.

    ``a[0] y[n] = b[0] x[n] + b[1] x[n-1] + ... - a[1] y[n-1] - ...``, as `scipy.signal.lfilter`.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator. a[0] may differ from 1.
    x : (..., n, ...) array_like
        Signals along `axis`.
    axis : int, optional
        Axis to filter along.
    zi : (..., max(len(a), len(b)) - 1, ...) array_like, optional
        Initial state along `axis`; by default the filter is at rest.

    Returns
    -------
    y : (..., n, ...) ndarray
        Filtered signals.
    zf : ndarray
        Final state, only if `zi` was given.

    Raises
    ------
    ValueError
        If `b` or `a` is not a non-empty vector, or `zi` does not fit.

    Notes
    -----
    Differentiable in `b`, `a`, `x` and `zi`, to any order; the derivatives are runs of the filter,
    with memory proportional to the signal. Under vmap each element of the batch may have its own
    coefficients: the recursion is then computed block by block for all of them, or sample by sample
    where blocks would lose accuracy (poles close together near 1), with a RuntimeWarning if the
    signal is long. With Numba (``pip install scigrad[fast]``) plain signals of 65536 samples or
    more take half of SciPy's time, and `scigrad.fft.set_workers` divides their channels over
    threads: the values are the same to the last bit.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> echo = lambda a1: np.sum(
    ...     signal.lfilter([1.0], np.stack([np.ones(()), a1]), np.array([1.0, 0.0, 0.0]))
    ... )
    >>> print(grad(echo)(np.array(2.0)))  # the echo is 1, -a1, a1^2
    3.0
    """
    # SciPy does not initialize the final state if there are no samples
    if is_plain(b, a, x, zi) and (zi is None or np.size(x)):
        return filtered_as(kernel("signal.lfilter"), (b, a), x, axis, *([] if zi is None else [zi]))
    b, a, x = floating(b, a, x)
    refuse_if(not x.ndim, "x must be at least 1-D: a signal has an axis of time")
    b, a = _coefficients("b", b), _coefficients("a", a)
    if zi is None:
        return back(filter_from_rest(b, a, last(x, axis)), axis)
    zi = _state(zi, x.shape, max(b.shape[0], a.shape[0]) - 1, axis)
    y, zf = filtered_from(b, a, last(x, axis), last(zi, axis))
    out: Value = back(y, axis), back(zf, axis)
    return out


def _coefficients(name: str, v: Any) -> Any:
    """Return the coefficients of a filter, a number as one of them."""
    shape = v.shape
    if shape and (len(shape) > 1 or not shape[0]):
        raise ValueError(
            f"Parameter {name} is not a non-empty 1d array, since its shape is {shape}! vmap runs "
            "many filters."
        )
    return v if shape else np.reshape(v, (1,))


def sosfilt(sos: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Array:
    """Filter a signal with a cascade of second-order sections.

    See `scipy.signal.sosfilt`.

    Parameters
    ----------
    sos : (n_sections, 6) array_like
        Sections, each (b0, b1, b2, 1, a1, a2).
    x : (..., n, ...) array_like
        Signals along `axis`.
    axis : int, optional
        Axis to filter along.
    zi : (n_sections, ..., 2, ...) array_like, optional
        Initial states, with 2 in place of the length of `x`; by default the filters are at rest.

    Returns
    -------
    y : (..., n, ...) ndarray
        Filtered signals.
    zf : ndarray
        Final states, only if `zi` was given.

    Raises
    ------
    ValueError
        If `sos` has another shape or a column 3 that is not 1, or `zi` does not fit.

    Notes
    -----
    Differentiable in `sos`, `x` and `zi`, to any order. Column 3 has to be 1 and is a constant: its
    derivative is 0, so that steps of an optimizer keep it. Long signals are filtered as by
    `lfilter`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> sos = np.array([[1.0, 0.0, 0.0, 1.0, 0.5, 0.0]])
    >>> print(grad(lambda s: np.sum(signal.sosfilt(s, np.array([1.0, 0.0]))))(sos))
    [[ 0.5  1.   0.   0.  -1.   0. ]]
    """
    if is_plain(sos, x, zi):  # on a device CuPy's filters take another state and other shapes
        return filtered_as(kernel("signal.sosfilt"), (sos,), x, axis, *([] if zi is None else [zi]))
    sos, x = signals(sos, x)
    sos = as_sections(sos[None] if sos.ndim == 1 else sos)
    refuse_if(
        sos[..., 3] != 1,
        "sos[:, 3] should be all ones. Divide each row by its entry in column 3: the filter stays "
        "the same.",
    )
    if zi is None and x.size and is_on_device(x) and is_on_device(sos):
        return kernel("signal.sosfilt")(sos, x, axis)
    numerators = sos[:, :3]
    denominators = np.concatenate([ones(sos, (sos.shape[0], 1)), sos[:, 4:]], axis=1)
    if zi is not None:
        zi = np.moveaxis(_section_states(zi, x, sos.shape[0], axis), axis % x.ndim + 1, -1)
    y, states = last(x, axis), []
    for i in range(sos.shape[0]):
        if zi is None:
            y = filter_from_rest(numerators[i], denominators[i], y)
        else:
            y, state = filtered_from(numerators[i], denominators[i], y, zi[i])
            states.append(back(state, axis))
    out: Value = back(y, axis) if zi is None else (back(y, axis), np.stack(states))
    return out


# -- arguments
# --------------------------------------------------------------------------------------------------


def _state(zi: Any, shape: tuple[int, ...], order: int, axis: int) -> Any:
    """Return zi, of the shape of x with `order` along the axis; axes of length 1 share a state."""
    (zi,), axis = floating(zi), axis % len(shape)
    refuse_if(
        zi.ndim != len(shape),
        f"Dimensions of parameters x and zi must match, but x.ndim={len(shape)}, "
        f"zi.ndim={zi.ndim}!",
    )
    expected = (*shape[:axis], order, *shape[axis + 1 :])
    unlike = any(
        n != e and (i == axis or n != 1)
        for i, (n, e) in enumerate(zip(zi.shape, expected, strict=True))
    )
    refuse_if(
        unlike, f"Unexpected shape for parameter zi: expected {expected}, found {tuple(zi.shape)}."
    )
    return zi


def as_sections(sos: Any) -> Any:
    """Return second-order sections as an array of rows."""
    (sos,) = floating(sos)
    refuse_if(
        sos.ndim != 2,
        f"sos array must be 2D, not of shape {sos.shape}. vmap runs a batch of filters.",
    )
    refuse_if(
        sos.shape[1] != 6,
        f"sos array must be shape (n_sections, 6), not {sos.shape}: rows are b0, b1, b2, 1, a1, "
        "a2.",
    )
    return sos


def _section_states(zi: Any, x: Any, n_sections: int, axis: int) -> Any:
    (zi,), expected = floating(zi), [n_sections, *x.shape]
    expected[axis % x.ndim + 1] = 2
    refuse_if(
        zi.shape != tuple(expected),
        f"Invalid zi shape. With {axis=}, {x.shape=} it must be {expected}, not {zi.shape}.",
    )
    return zi


__all__ = ["lfilter", "sosfilt"]
