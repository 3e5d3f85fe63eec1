"""Recursive filters: lfilter, sosfilt."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, kernel, raw
from scigrad.numpy.devices import on_host

from .recursive_response import filtered, filtered_from, ones


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Filter a signal with a rational transfer function, from its start to its end.

        a[0] y[n] = b[0] x[n] + b[1] x[n-1] + ... - a[1] y[n-1] - ...

    Parameters
    ----------
    b, a : numerator and denominator, 1-D or numbers; a[0] need not be 1
    x : signals along `axis`
    zi : state at the start, of the shape of x with max(len(a), len(b)) - 1 along `axis`; None: at rest

    Returns
    -------
    y (, zf) : filtered signals, and the state at the end if zi was given

    Raises
    ------
    ValueError : b or a is not a non-empty vector, or zi does not fit

    Notes
    -----
    Differentiable in b, a, x and zi, to any order; the derivatives are filter runs, with memory proportional to the signal.
    Under vmap each batch element may have coefficients of its own: the recursion then runs block by block over all of them,
    or sample by sample where blocks would lose accuracy (poles close together near 1).

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> echo = lambda a1: np.sum(signal.lfilter([1.0], np.stack([np.ones(()), a1]), np.array([1.0, 0.0, 0.0])))
    >>> print(grad(echo)(np.array(2.0)))  # the echo is 1, -a1, a1^2
    3.0
    """
    b, a, x, zi = (_stacked(value) for value in (b, a, x, zi))
    plain = not any(isinstance(value, Traced) for value in (b, a, x, zi))
    if plain and zi is None:
        return kernel("signal.lfilter")(b, a, x, axis)
    if plain and _array(x).size:  # of no samples, SciPy returns a state that it never wrote
        return kernel("signal.lfilter")(b, a, x, axis, zi)
    b, a, x = _floating(b, a, x)
    b, a = (np.atleast_1d(value) for value in (b, a))
    if x.ndim == 0:
        raise ValueError("x must be at least 1-D: a signal along `axis`")
    for name, value in (("b", b), ("a", a)):
        if value.ndim != 1 or value.size == 0:
            raise ValueError(f"Parameter {name} is not a non-empty 1d array, since {name}.shape={value.shape}! "
                             "lfilter takes one filter; vmap runs a batch of them.")  # fmt: skip
    if zi is None:
        return np.moveaxis(filtered(b, a, np.moveaxis(x, axis, -1)), -1, axis)
    zi = _state(zi, x.shape, max(b.shape[0], a.shape[0]) - 1, axis)
    y, zf = filtered_from(b, a, np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1))
    return np.moveaxis(y, -1, axis), np.moveaxis(zf, -1, axis)


def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Filter a signal with a cascade of second-order sections.

    Parameters
    ----------
    sos : sections, shape (n_sections, 6), each (b0, b1, b2, 1, a1, a2)
    x : signals along `axis`
    zi : states at the start, shape (n_sections, ..., 2, ...) with 2 in place of the length of x; None: at rest

    Returns
    -------
    y (, zf) : filtered signals, and the states at the end if zi was given

    Raises
    ------
    ValueError : sos has the wrong shape or a column 3 that is not 1, or zi does not fit

    Notes
    -----
    Differentiable in sos, x and zi, to any order. Column 3 has to be 1 and is read as that constant: its derivative is 0,
    so a gradient step keeps it.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> sos = np.array([[1.0, 0.0, 0.0, 1.0, 0.5, 0.0]])
    >>> print(grad(lambda s: np.sum(signal.sosfilt(s, np.array([1.0, 0.0]))))(sos))
    [[ 0.5  1.   0.   0.  -1.   0. ]]
    """
    sos, x, zi = (_stacked(value) for value in (sos, x, zi))
    if not any(isinstance(value, Traced) for value in (sos, x, zi)):
        return kernel("signal.sosfilt")(sos, x, axis) if zi is None else kernel("signal.sosfilt")(sos, x, axis, zi)
    sos, x = _floating(sos, x)
    if x.ndim == 0:
        raise ValueError("x must be at least 1-D: a signal along `axis`")
    sos = sos[None] if sos.ndim == 1 else sos
    _check_sections(sos)
    numerators = sos[:, :3]
    denominators = np.concatenate([ones(sos, (sos.shape[0], 1)), sos[:, 4:]], axis=1)
    if zi is not None:
        zi = np.moveaxis(_section_states(zi, x, sos.shape[0], axis), axis % x.ndim + 1, -1)
    y, states = np.moveaxis(x, axis, -1), []
    for i in range(sos.shape[0]):
        if zi is None:
            y = filtered(numerators[i], denominators[i], y)
        else:
            y, state = filtered_from(numerators[i], denominators[i], y, zi[i])
            states.append(np.moveaxis(state, -1, axis))
    y = np.moveaxis(y, -1, axis)
    return y if zi is None else (y, np.stack(states))


# -- arguments -------------------------------------------------------------------------------------------------------


def _stacked(value: Any) -> Any:
    """A list that holds traced numbers (or rows of them) as one traced array."""
    if not isinstance(value, (list, tuple)):
        return value
    items = [_stacked(item) for item in value]
    return np.stack([_array(item) for item in items]) if any(isinstance(item, Traced) for item in items) else value


def _array(value: Any) -> Any:
    return value if hasattr(value, "dtype") else np.asarray(value)


def _floating(*values: Any) -> list[Any]:
    """The values as arrays, integers in the floating dtype of the others."""
    arrays = [_array(value) for value in values]
    dtype = np.result_type(*(v.dtype for v in arrays), np.float16)
    return [v if v.dtype.kind in "fc" else v.astype(dtype) for v in arrays]


def _state(zi: Any, shape: tuple[int, ...], order: int, axis: int) -> Any:
    """zi as lfilter takes it: the shape of x with `order` along the axis, or 1 along others to share it."""
    zi, axis = _array(zi), axis % len(shape)
    if zi.ndim != len(shape):
        raise ValueError(f"Dimensions of parameters x and zi must match, but x.ndim={len(shape)}, zi.ndim={zi.ndim}!")
    expected = (*shape[:axis], order, *shape[axis + 1 :])
    if any(n != e and (i == axis or n != 1) for i, (n, e) in enumerate(zip(zi.shape, expected, strict=True))):
        raise ValueError(f"Unexpected shape for parameter zi: expected {expected}, found {tuple(zi.shape)}.")
    return zi


def _check_sections(sos: Any) -> None:
    if sos.ndim != 2:
        raise ValueError(f"sos array must be 2D, not of shape {sos.shape}. vmap runs a batch of filters.")
    if sos.shape[1] != 6:
        raise ValueError(f"sos array must be shape (n_sections, 6), not {sos.shape}: rows are b0, b1, b2, 1, a1, a2.")
    if np.any(on_host(raw(sos)[..., 3]) != 1):
        raise ValueError("sos[:, 3] should be all ones. Divide each row by its entry in column 3: the filter stays the same.")


def _section_states(zi: Any, x: Any, n_sections: int, axis: int) -> Any:
    zi, expected = _array(zi), [n_sections, *x.shape]
    expected[axis % x.ndim + 1] = 2
    if zi.shape != tuple(expected):
        raise ValueError(
            f"Invalid zi shape. With axis={axis!r}, an input with shape {x.shape!r}, and an sos array with "
            f"{n_sections} sections, zi must have shape {tuple(expected)!r}, got {zi.shape!r}."
        )
    return zi


__all__ = ["lfilter", "sosfilt"]
