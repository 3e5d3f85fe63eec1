"""Initial states of recursive filters: of the steady state for a unit step, and of given past
samples.
"""

from typing import Any

import scigrad.numpy as np
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import floating, pad_ends, refuse_if, scipy_composition, vectors
from .filtering import as_sections
from .finite_response import fir
from .recursive_response import ones


@scipy_composition()
def lfilter_zi(b: ArrayLike, a: ArrayLike) -> Array:
    """Return the state of a filter in the steady response to a step.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.

    Returns
    -------
    (max(len(a), len(b)) - 1,) ndarray
        State, for `lfilter`.

    Raises
    ------
    ValueError
        If `b` or `a` is not a vector.

    Notes
    -----
    This is `scipy.signal.lfilter_zi`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.lfilter_zi(np.array([1.0]), a)[0])(np.array([1.0, -0.5])))
    [-3. -4.]
    """
    b, a = vectors(b, a)
    refuse_if(
        b.ndim != 1 or a.ndim != 1,
        f"Numerator b and denominator a must be 1-D, not of shapes {b.shape} and {a.shape}.",
    )
    order = max(b.shape[0], a.shape[0])
    b, a = (np.pad(v / a[0], (0, order - v.shape[0])) for v in (b, a))
    # The output is the gain B(1)/A(1); the state is what past inputs of 1 and outputs of that gain
    # contribute.
    return np.cumsum((b - a * (np.sum(b) / np.sum(a)))[::-1])[::-1][1:]


@scipy_composition()
def sosfilt_zi(sos: ArrayLike) -> Array:
    """Return the states of a cascade of sections in the steady response to a step.

    Parameters
    ----------
    sos : (n_sections, 6) array_like
        Second-order sections, each (b0, b1, b2, 1, a1, a2).

    Returns
    -------
    (n_sections, 2) ndarray
        States, for `sosfilt`.

    Raises
    ------
    ValueError
        If `sos` has another shape.

    Notes
    -----
    This is `scipy.signal.sosfilt_zi`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> sos = np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]])
    >>> print(grad(lambda s: signal.sosfilt_zi(s)[0, 0])(sos))
    [[ 1.  2.  2. -3. -4. -4.]]
    """
    sos = as_sections(sos)
    scale, states = ones(sos, ()), []
    for i in range(sos.shape[0]):
        b, a = sos[i, :3], sos[i, 3:]
        states.append(scale * lfilter_zi(b, a))
        scale = scale * (np.sum(b) / np.sum(a))
    return np.stack(states)


@scipy_composition()
def lfiltic(b: ArrayLike, a: ArrayLike, y: ArrayLike, x: ArrayLike | None = None) -> Array:
    """Return the state of a filter after given inputs and outputs.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    y : (n,) array_like
        Past outputs, the latest first.
    x : (m,) array_like, optional
        Past inputs, the latest first, by default 0.

    Returns
    -------
    (max(len(a), len(b)) - 1,) ndarray
        State, for `lfilter`.

    Notes
    -----
    This is `scipy.signal.lfiltic`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda y: signal.lfiltic([1.0], [1.0, -0.5], y)[0])(np.array([2.0])))
    [0.5]
    """
    b, a, y = (np.reshape(v, (-1,)) for v in floating(b, a, y))
    x = np.zeros_like(y) if x is None else np.reshape(floating(x)[0], (-1,))
    b, a = b / a[0], a / a[0]
    order = max(b.shape[0], a.shape[0]) - 1
    return _contribution(b, x, order) - _contribution(a, y, order)


def _contribution(taps: Any, past: Any, order: int) -> Any:
    """Return sum_k taps[m + 1 + k] past[k] for m < order, what samples before the start add to
    those after it.
    """
    count = taps.shape[0] - 1
    past = pad_ends(past[:count], 0, max(0, count - past.shape[0]))
    if not count:
        return np.zeros_like(past, shape=(order,))
    return np.pad(fir(past[::-1], taps[1:], 2 * count)[count - 1 :][:count], (0, order - count))


__all__ = ["lfilter_zi", "lfiltic", "sosfilt_zi"]
