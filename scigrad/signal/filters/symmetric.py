"""Recursive filters that run forward and backward over a signal continued by its mirror image, and
separable taps.

The start of the forward run is the sum over the mirror image behind it; it ends where the impulse
response falls below a precision, as in SciPy.
"""

from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import raw
from scigrad.numpy.devices import on_host, place_beside
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import floating, pad_ends, refuse_if, scipy_composition, signals
from .filtering import lfilter
from .finite_response import fir
from .recursive_response import ones


def _until(sizes: Any, bound: float) -> np.ndarray:
    """Return 1 for the terms of a sum up to the first one that is not larger than a bound, and 0
    for the others.
    """
    small = ~(np.reshape(on_host(raw(abs(sizes))), (-1, sizes.shape[-1])) > bound)
    refuse_if(
        not np.all(np.any(small[:, :-1], axis=-1)),
        "Sum to find symmetric boundary conditions did not converge.",
    )
    last = np.max(np.argmax(small, axis=-1), initial=0)
    return 1.0 * (np.arange(sizes.shape[-1]) <= last)


def _bound(precision: Any, x: Any) -> float:
    return (
        precision if 0 < precision < 1 else 1e-6 if x.dtype in (np.float32, np.complex64) else 1e-11
    )


def first_order(x: Any, c0: Any, z1: Any, precision: Any) -> Any:
    """Filter along the last axis; with `precision` None the sum runs over the whole signal."""
    refuse_if(x.ndim > 2, "Input must be 1D or 2D")
    n, one = x.shape[-1], ones(x, (1,))
    c0, z1 = ((value * one[0]).astype(x.dtype) for value in (c0, z1))
    powers = z1 ** place_beside(np.arange(1, n + 1), np.real(x))
    if precision is not None:
        powers = powers * place_beside(_until(powers, _bound(precision, x)), np.real(x))
    first = x[..., :1] + (x @ powers)[..., None]
    denominator = np.stack([one[0], -z1])
    forward = np.concatenate(
        [first, lfilter(one, denominator, x[..., 1:], -1, z1 * first)[0]], axis=-1
    )
    final = c0 / (1 - z1) * forward[..., -1:]
    backward = lfilter(c0[None], denominator, forward[..., -2::-1], -1, z1 * final)[0]
    return np.concatenate([backward[..., ::-1], final], axis=-1)


def filter_second_order(x: Any, r: Any, omega: Any, precision: Any) -> Any:
    """Filter along the last axis; with `precision` None the sums run over the whole signal."""
    refuse_if(x.ndim > 2, "Input must be 1D or 2D")
    n, one = x.shape[-1], ones(np.real(x), ())
    r, omega = ((value * one).astype(one.dtype) for value in (r, omega))
    cos, square = np.cos(omega), r * r
    a, cs = (2 * r * cos, -square), 1 - 2 * r * cos + square
    k = place_beside(np.arange(n + 2), one)
    h = cs / np.sin(omega) * r**k * np.sin(omega * (k + 1))
    slope = (1 - square) / (1 + square) / np.tan(omega)
    both = r**k * (np.cos(omega * k) + slope * np.sin(omega * k))
    both = both * (
        cs
        * cs
        * (1 + square)
        / (1 - square)
        / (1 - 2 * square * np.cos(2 * omega) + square * square)
    )
    sums = [
        h[1 : n + 1],
        h[2:],
        both[:n] + both[1 : n + 1],
        np.concatenate([both[1:2], both[: n - 1]]) + both[2:],
    ]
    if precision is not None:
        bounds = [_bound(precision, x)] * 2 + [_bound(precision, x) ** 0.5] * 2
        sums = [
            s * place_beside(_until(s, bound), one) for s, bound in zip(sums, bounds, strict=True)
        ]
    ahead = [(x @ s)[..., None] for s in sums[:2]]
    behind = [(x[..., ::-1] @ s)[..., None] for s in sums[2:]]
    # SciPy's cspline1d exchanges the two
    pair = (x[..., :1], x[..., 1:2])[:: 1 if precision is not None else -1]
    start = h[0] * x[..., :1] + ahead[0], h[1] * pair[0] + h[0] * pair[1] + ahead[1]
    forward = _continued(x[..., 2:], cs, a, *start)
    return _continued(forward[..., -3::-1], cs, a, *behind)[..., ::-1]


def _continued(x: Any, cs: Any, a: Any, first: Any, second: Any) -> Any:
    """Return two given outputs and those that follow of a filter y[n] = cs x[n] + a[0] y[n-1] +
    a[1] y[n-2].
    """
    state = np.concatenate([a[0] * second + a[1] * first, a[1] * second], axis=-1)
    y = lfilter(cs[None], np.stack([1 + 0 * cs, -a[0], -a[1]]), x, -1, state)[0]
    return np.concatenate([first, second, y], axis=-1)


def _is_strided(*args: Any, **kwargs: Any) -> bool:
    """Return whether samples are not stored one after the other, which SciPy's loops take them to
    be.
    """
    return any(
        hasattr(x, "flags") and x.dtype.kind in "fc" and not x.flags.c_contiguous
        for x in (*args, *kwargs.values())
    )


@scipy_composition(own=_is_strided)
def symiirorder1(signal: ArrayLike, c0: float, z1: float, precision: float = -1.0) -> Array:
    """Filter with ``c0 / ((1 - z1/z) (1 - z1 z))``.

    Parameters
    ----------
    signal : (n,) or (m, n) array_like
        Signal, or a signal in each row.
    c0, z1 : float
        Gain and pole, whose size is less than 1.
    precision : float, optional
        Size of the impulse response at which the sums over the mirror image end, by default 1e-11,
        in single precision 1e-6.

    Returns
    -------
    ndarray
        Filtered signals.

    Raises
    ------
    ValueError
        If the impulse response does not fall below the precision along the signal, or there are
        more than two axes.

    Notes
    -----
    This is `scipy.signal.symiirorder1`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> x = np.array([1.0, 2.0, 4.0])
    >>> print(grad(lambda z1: signal.symiirorder1(x, 1.0, z1, 0.2)[1])(0.1).round(6))
    6.646543
    """
    (x,) = signals(signal)
    refuse_if(abs(floating(z1)[0]) >= 1, "|z1| must be less than 1.0")
    return first_order(x, c0, z1, precision)


@scipy_composition()
def symiirorder2(input: ArrayLike, r: float, omega: float, precision: float = -1.0) -> Array:
    """Filter forward and backward with poles ``r exp(+-i omega)``, and the gain 1 at frequency 0.

    Parameters
    ----------
    input : (n,) or (m, n) array_like
        Signal, or a signal in each row.
    r, omega : float
        Size, less than 1, and angle of the poles.
    precision : float, optional
        Size of the impulse response at which the sums over the mirror image end, by default 1e-11,
        in single precision 1e-6.

    Returns
    -------
    ndarray
        Filtered signals.

    Raises
    ------
    ValueError
        If the impulse response does not fall below the precision along the signal, or there are
        more than two axes.

    Notes
    -----
    This is `scipy.signal.symiirorder2`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> x = np.array([1.0, 2.0, 4.0, 3.0])
    >>> print(grad(lambda r: signal.symiirorder2(x, r, 1.0, 0.2)[1])(0.1).round(6))
    -2.543962
    """
    (x,) = signals(input)
    refuse_if(floating(r)[0] >= 1, "r must be less than 1.0")
    return filter_second_order(x, r, omega, precision)


def _beyond_the_image(input: Any, hrow: Any, hcol: Any) -> bool:
    """Return whether SciPy's loops read, and write, beyond the ends of what they are given: the
    image has fewer rows or columns than there are taps, or the samples are not stored one after the
    other.
    """
    shape, counts = np.shape(input), (np.size(hcol), np.size(hrow))
    return _is_strided(input, hrow, hcol) or any(n < k for n, k in zip(shape, counts, strict=False))


@scipy_composition(own=_beyond_the_image, integers="samples")
def sepfir2d(input: ArrayLike, hrow: ArrayLike, hcol: ArrayLike) -> Array:
    """Convolve the rows and the columns of an image, which is continued by its mirror image.

    Parameters
    ----------
    input : (m, n) array_like
        Image.
    hrow, hcol : (k,) array_like
        Taps for rows and columns, of odd length.

    Returns
    -------
    (m, n) ndarray
        Filtered image.

    Raises
    ------
    ValueError
        If the number of taps is even, or the image is not a matrix.

    Notes
    -----
    This is `scipy.signal.sepfir2d`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> image, taps = np.arange(9.0).reshape(3, 3), np.array([1.0, 2.0, 1.0])
    >>> print(grad(lambda h: signal.sepfir2d(image, h, taps)[0, 0])(taps))
    [7. 3. 3.]
    """
    x, hrow, hcol = signals(input, hrow, hcol)
    refuse_if(
        x.ndim != 2,
        f"object {'too deep' if x.ndim > 2 else 'of too small depth'}: input is a matrix",
    )
    refuse_if(hrow.ndim > 1 or hcol.ndim > 1, "object too deep: hrow and hcol are vectors")
    refuse_if(hrow.shape[0] % 2 == 0 or hcol.shape[0] % 2 == 0, "hrow and hcol must be odd length")
    for h in (hrow, hcol):
        half = h.shape[0] // 2
        x = fir(h, pad_ends(x, half, half, "symmetric"), x.shape[1] + 2 * half)[:, 2 * half :].T
    return x


__all__ = ["sepfir2d", "symiirorder1", "symiirorder2"]
