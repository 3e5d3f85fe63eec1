"""Convolution and correlation: of sequences directly, of images and long signals through the
Fourier transform.
"""

import functools
from typing import Any, Literal

import scigrad.numpy as np
from scigrad.autodiff_rules.messages.errors import missing_kernel
from scigrad.fft import fftn, ifftn, irfftn, next_fast_len, rfftn
from scigrad.typing import Array, ArrayLike, Axes

from .filters.filtering import lfilter
from .filters.finite_response import fir
from .filters.recursive_response import ones
from .foundation.composition import (
    anywhere,
    constant_result,
    floating,
    is_long,
    refuse_if,
    scipy_composition,
    vectors,
)
from .spectra.segments import overlap_add

_FEW = 16  # taps of several axes, up to which as many sums are as fast as three Fourier transforms
_BLOCK = 8  # length of a block's transform, over that of the shorter array
_SHORT = 500  # samples of the shorter sequence, up to which the direct sum is faster


@scipy_composition(own=is_long)
def fftconvolve(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", axes: Axes | None = None
) -> Array:
    """Convolve two arrays by multiplying their Fourier transforms.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays of the same number of axes.
    mode : {"full", "same", "valid"}, optional
        Part of the convolution: all of it; its middle, of the shape of `in1`; or where the arrays
        overlap fully, for which one must be at least as long as the other along every axis.
    axes : int or sequence of ints, optional
        Axes to convolve along, by default all. The others broadcast.

    Returns
    -------
    ndarray
        Convolution, real if both inputs are.

    Raises
    ------
    ValueError
        If the numbers of axes differ, the shapes do not fit or the mode is unknown.

    Notes
    -----
    The spectra of both arrays are kept, so that a gradient takes one transform of the cotangent and
    an inverse transform for each array. An array that is much longer than the other is divided into
    blocks.

    This is `scipy.signal.fftconvolve`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> loss = lambda x: signal.fftconvolve(x, np.array([1.0, 2.0, 3.0]))[2]
    >>> print(np.round(grad(loss)(np.array([5.0, 7.0])), 12))
    [3. 2.]
    """
    return _convolve(in1, in2, mode, axes, _by_blocks)


def _convolve(in1: Any, in2: Any, mode: str, axes: Any, full_product: Any) -> Any:
    in1, in2 = floating(in1, in2)
    refuse_if(
        in1.ndim != in2.ndim,
        f"in1 and in2 should have the same dimensionality; their shapes are {in1.shape} and "
        f"{in2.shape}",
    )
    refuse_if(
        mode not in ("full", "same", "valid"),
        f"acceptable mode flags are 'valid', 'same', or 'full', not {mode!r}",
    )
    if in1.ndim == 0:
        return in1 * in2
    if in1.size == 0 or in2.size == 0:
        return np.reshape(np.sum(in1[:0]) + np.sum(in2[:0]), (1,))[:0]
    along = _transformed_axes(in1, in2, axes)
    shapes = in1.shape, in2.shape
    if mode == "valid" and not all(shapes[0][a] >= shapes[1][a] for a in along):
        refuse_if(
            any(shapes[1][a] < shapes[0][a] for a in along),
            "For 'valid' mode, one must be at least as large as the other.",
        )
        in1, in2, shapes = in2, in1, shapes[::-1]
    full = [
        m + n - 1 if a in along else max(m, n) for a, (m, n) in enumerate(zip(*shapes, strict=True))
    ]
    out = full_product(in1, in2, along, full) if along else in1 * in2
    whole = [shapes[0][a] - shapes[1][a] + 1 if a in along else n for a, n in enumerate(full)]
    return out if mode == "full" else _middle(out, shapes[0] if mode == "same" else whole)


def _middle(out: Array, shape: Any) -> Any:
    starts = [(n - wanted) // 2 for n, wanted in zip(out.shape, shape, strict=True)]
    return out[tuple(slice(s, s + wanted) for s, wanted in zip(starts, shape, strict=True))]


def _transformed_axes(in1: Any, in2: Any, axes: Any) -> list[int]:
    """Return the axes to transform, without those of length 1, which broadcast."""
    given = range(in1.ndim) if axes is None else [axes] if isinstance(axes, int) else list(axes)
    refuse_if(
        any(not -in1.ndim <= a < in1.ndim for a in given),
        f"axes exceeds dimensionality of input: {tuple(given)}",
    )
    numbers = [a % in1.ndim for a in given]
    refuse_if(len(set(numbers)) != len(numbers), "all axes must be unique")
    refuse_if(axes is not None and not numbers, "when provided, axes cannot be empty")
    along = [a for a in numbers if in1.shape[a] != 1 and in2.shape[a] != 1]
    others = [
        {m, n, 1}
        for a, (m, n) in enumerate(zip(in1.shape, in2.shape, strict=True))
        if a not in along
    ]
    refuse_if(
        any(len(s) > 2 for s in others),
        f"incompatible shapes for in1 and in2: {in1.shape} and {in2.shape}",
    )
    return along


def _product_of_spectra(in1: Any, in2: Any, along: list[int], full: list[int]) -> Any:
    is_complex = "c" in (in1.dtype.kind, in2.dtype.kind)
    forward, back = (fftn, ifftn) if is_complex else (rfftn, irfftn)
    sizes = [next_fast_len(full[a], not is_complex) for a in along]
    out = back(forward(in1, sizes, along) * forward(in2, sizes, along), sizes, along)
    return out[tuple(slice(n) if a in along else slice(None) for a, n in enumerate(full))]


def _by_blocks(in1: Any, in2: Any, along: list[int], full: list[int]) -> Any:
    """Convolve blocks of the longer array, on the axis where it is longest in proportion, and add
    what overlaps.
    """
    axis = max(along, key=lambda a: abs(np.log(in1.shape[a] / in2.shape[a])))
    long, short = (in1, in2) if in1.shape[axis] > in2.shape[axis] else (in2, in1)
    n, taps = long.shape[axis], short.shape[axis]
    step = next_fast_len(_BLOCK * taps, True) - taps + 1
    if n <= 2 * step:
        return _product_of_spectra(in1, in2, along, full)
    count = -(-n // step)
    blocks = np.pad(long, [(0, (count * step - n) * (a == axis)) for a in range(long.ndim)])
    blocks = np.reshape(blocks, (*long.shape[:axis], count, step, *long.shape[axis + 1 :]))
    sizes = [*full[:axis], count, step + taps - 1, *full[axis + 1 :]]
    pieces = _product_of_spectra(
        blocks, np.expand_dims(short, axis), [a + (a >= axis) for a in along], sizes
    )
    out = overlap_add(np.moveaxis(pieces, (axis, axis + 1), (-2, -1)), step)[..., : full[axis]]
    return np.moveaxis(out, -1, axis)


def _convolve_by_transforms(in1: Any, in2: Any, along: list[int], full: list[int]) -> Any:
    """Convolve by Fourier transforms; directly few taps, and a NaN or infinity of `in1`, which
    enters no sums but its own.
    """
    if in2.size > _FEW and not anywhere(~np.isfinite(in1)):
        return _product_of_spectra(in1, in2, along, full)
    total: Any = 0
    for place in np.ndindex(in2.shape):
        widths = [
            (i, n - in1.shape[a] - i) for a, (i, n) in enumerate(zip(place, full, strict=True))
        ]
        total = total + np.pad(in1, widths) * in2[place]
    return total


@scipy_composition(own=is_long)
def oaconvolve(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", axes: Axes | None = None
) -> Array:
    """Convolve two arrays of which one is much longer.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays of the same number of axes.
    mode : {"full", "same", "valid"}, optional
        Part of the result: all of it; its middle, of the shape of `in1`; or where the arrays
        overlap fully.
    axes : int or sequence of ints, optional
        Axes to operate along, by default all.

    Returns
    -------
    ndarray
        Convolution, real if both inputs are.

    Raises
    ------
    ValueError
        If the numbers of axes differ, the shapes do not fit or the mode is unknown.

    Notes
    -----
    Traced and long arrays are convolved by `fftconvolve`, which divides them into blocks along one
    axis.

    This is `scipy.signal.oaconvolve`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> loss = lambda x: signal.oaconvolve(x, np.array([1.0, 2.0, 3.0]))[2]
    >>> print(np.round(grad(loss)(np.array([5.0, 7.0])), 12))
    [3. 2.]
    """
    return fftconvolve(in1, in2, mode, axes)


@scipy_composition(integers="samples")
def convolve(in1: ArrayLike, in2: ArrayLike, mode: str = "full", method: str = "auto") -> Array:
    """Convolve two arrays.

    ``sum_j in1[k - j] in2[j]``, over all axes.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays of the same number of axes.
    mode : {"full", "same", "valid"}, optional
        Part of the result: all of it; its middle, of the shape of `in1`; or where the arrays
        overlap fully.
    method : {"auto", "direct", "fft"}, optional
        Algorithm: by the definition, or by Fourier transforms. The values agree up to rounding.

    Returns
    -------
    ndarray
        Convolution.

    Raises
    ------
    ValueError
        If the numbers of axes differ, the shapes do not fit or the mode or method is unknown.

    Notes
    -----
    Traced arrays of several axes are convolved by Fourier transforms, unless there are few taps or
    a value of `in1` is NaN or infinite.

    This is `scipy.signal.convolve`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda h: signal.convolve(np.array([1.0, 2.0, 3.0]), h)[2])(np.array([5.0, 7.0]))
    ... )
    [3. 2.]
    """
    in1, in2 = floating(in1, in2)
    refuse_if(
        method not in ("auto", "direct", "fft"),
        f"Acceptable method flags are 'auto', 'direct', or 'fft', not {method!r}",
    )
    shorter = min(in1.size, in2.size)
    direct = (
        in1.ndim == in2.ndim == 1
        and shorter
        and (method == "direct" or (method == "auto" and shorter <= _SHORT))
    )
    if not direct or mode not in ("full", "same", "valid"):
        # the order of SciPy's sums
        in1, in2 = (in2, in1) if mode == "full" and in2.size > in1.size else (in1, in2)
        return _convolve(
            in1,
            in2,
            mode,
            None,
            _product_of_spectra if method == "fft" else _convolve_by_transforms,
        )
    return (
        np.convolve(in1, in2, mode) if mode != "same" else _middle(np.convolve(in1, in2), in1.shape)
    )


@scipy_composition(integers="samples")
def correlate(in1: ArrayLike, in2: ArrayLike, mode: str = "full", method: str = "auto") -> Array:
    """Correlate two arrays.

    ``sum_n in1[n + k] conj(in2[n])``, over all axes.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays of the same number of axes.
    mode : {"full", "same", "valid"}, optional
        Part of the result: all of it; its middle, of the shape of `in1`; or where the arrays
        overlap fully.
    method : {"auto", "direct", "fft"}, optional
        Algorithm: by the definition, or by Fourier transforms. The values agree up to rounding.

    Returns
    -------
    ndarray
        Correlation.

    Raises
    ------
    ValueError
        If the numbers of axes differ, the shapes do not fit or the mode or method is unknown.

    Notes
    -----
    This is `scipy.signal.correlate`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda x: signal.correlate(x, np.array([1.0, 2.0]), "valid")[0])(
    ...         np.array([5.0, 7.0, 9.0])
    ...     )
    ... )
    [1. 2. 0.]
    """
    in1, in2 = floating(in1, in2)
    return convolve(in1, _reversed(in2), mode, method)


def _reversed(x: Any) -> Any:
    return np.conj(x[(slice(None, None, -1),) * x.ndim])


def _many(in1: Any, in2: Any, mode: Any = None, boundary: str = "fill", *_: Any, **__: Any) -> bool:  # noqa: ARG001
    """Return whether Fourier transforms are faster than SciPy's sums, and as exact to
    floating-point numbers, or SciPy would divide by a length of 0, which ends the process.
    """
    if 0 in np.shape(in1):
        return boundary not in ("fill", "pad")
    dtypes = [getattr(v, "dtype", np.dtype(int)) for v in (in1, in2)]
    return (
        all(d.kind in "fc" for d in dtypes)
        and min(in1.size, in2.size) > 8 * _FEW
        and in1.size * in2.size > 4e6
    )


@scipy_composition(own=_many, integers="samples")
def convolve2d(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", boundary: str = "fill", fillvalue: float = 0
) -> Array:
    """Convolve two matrices.

    Parameters
    ----------
    in1, in2 : array_like
        Matrices.
    mode : {"full", "same", "valid"}, optional
        Part of the result: all of it; its middle, of the shape of `in1`; or where the arrays
        overlap fully.
    boundary : str, optional
        Continuation of the signal at its ends, as in SciPy.
    fillvalue : float, optional
        Value outside of `in1` for the boundary "fill".

    Returns
    -------
    (m, n) ndarray
        Convolution.

    Raises
    ------
    ValueError
        If the inputs are not matrices, the shapes do not fit or the mode or boundary is unknown.

    Notes
    -----
    Traced matrices, and large ones of floating-point numbers, are convolved by Fourier transforms,
    unless there are few taps or a value of `in1` is NaN or infinite.

    This is `scipy.signal.convolve2d`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> loss = lambda h: signal.convolve2d(np.eye(2), h, "valid")[0, 0]
    >>> print(np.round(grad(loss)(np.array([[1.0, 2.0], [3.0, 4.0]])), 12) + 0.0)
    [[1. 0.]
     [0. 1.]]
    """
    in1, in2 = floating(in1, in2)
    refuse_if(in1.ndim != 2 or in2.ndim != 2, "convolve2d inputs must both be 2-D arrays")
    refuse_if(
        boundary not in _PADDING,
        "Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or "
        "'symm').",
    )
    refuse_if(
        0 in in1.shape and boundary not in ("fill", "pad"),
        f"convolve2d, correlate2d: in1 of shape {in1.shape} has no samples that {boundary=} could "
        "repeat",
    )
    if mode == "valid" or (
        boundary in ("fill", "pad") and type(fillvalue) in (int, float) and not fillvalue
    ):
        return _convolve(in1, in2, mode, None, _convolve_by_transforms)
    # a constant that may be traced, around the image
    shift = fillvalue if _PADDING[boundary] == "constant" else 0
    around = np.pad(in1 - shift, [(n - 1, n - 1) for n in in2.shape], _PADDING[boundary]) + shift
    out = _middle(
        _convolve(around, in2, "full", None, _convolve_by_transforms),
        [m + n - 1 for m, n in zip(in1.shape, in2.shape, strict=True)],
    )
    return out if mode == "full" else _middle(out, in1.shape)


_PADDING = {
    "fill": "constant",
    "pad": "constant",
    "wrap": "wrap",
    "circular": "wrap",
    "symm": "symmetric",
    "symmetric": "symmetric",
}


@scipy_composition(own=_many, integers="samples")
def correlate2d(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", boundary: str = "fill", fillvalue: float = 0
) -> Array:
    """Correlate two matrices.

    Parameters
    ----------
    in1, in2 : array_like
        Matrices.
    mode : {"full", "same", "valid"}, optional
        Part of the result: all of it; its middle, of the shape of `in1`; or where the arrays
        overlap fully.
    boundary : str, optional
        Continuation of the signal at its ends, as in SciPy.
    fillvalue : float, optional
        Value outside of `in1` for the boundary "fill".

    Returns
    -------
    (m, n) ndarray
        Correlation.

    Raises
    ------
    ValueError
        If the inputs are not matrices, the shapes do not fit or the mode or boundary is unknown.

    Notes
    -----
    Traced matrices, and large ones of floating-point numbers, are correlated by Fourier transforms,
    unless there are few taps or a value of `in1` is NaN or infinite.

    This is `scipy.signal.correlate2d`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> loss = lambda h: signal.correlate2d(np.eye(2), h, "valid")[0, 0]
    >>> print(np.round(grad(loss)(np.array([[1.0, 2.0], [3.0, 4.0]])), 12) + 0.0)
    [[1. 0.]
     [0. 1.]]
    """
    in1, in2 = floating(in1, in2)
    refuse_if(in1.ndim != 2 or in2.ndim != 2, "correlate2d inputs must both be 2-D arrays")
    # SciPy exchanges the matrices, and conjugates the other one
    if mode == "valid" and in1.shape[0] < in2.shape[0]:
        return np.conj(convolve2d(in1, _reversed(in2), mode))
    if mode != "same":
        return convolve2d(in1, _reversed(in2), mode, boundary, fillvalue)
    # a correlation has the later one of two middles
    full = convolve2d(in1, _reversed(in2), "full", boundary, fillvalue)
    return full[tuple(slice(n // 2, n // 2 + m) for m, n in zip(in1.shape, in2.shape, strict=True))]


def _of_another_device(*_: Any, **__: Any) -> Any:
    """Refuse CuPy's function: its answer is that for a GPU."""
    raise missing_kernel("signal.choose_conv_method", "cupy")


@functools.partial(constant_result, instead={"cupy": _of_another_device})
def choose_conv_method(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", measure: bool = False
) -> Literal["direct", "fft"]:
    """Return the faster method to convolve two arrays, which depends on their shapes.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays of the same number of axes.
    mode : {"full", "same", "valid"}, optional
        Part of the result: all of it; its middle, of the shape of `in1`; or where the arrays
        overlap fully.
    measure : bool, optional
        Whether to run both methods.

    Returns
    -------
    method : {"direct", "fft"}
        Faster method.
    times : dict
        Seconds of both methods, only with `measure`.

    Notes
    -----
    This is `scipy.signal.choose_conv_method`. It is constant: no derivative passes.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import signal
    >>> signal.choose_conv_method(np.ones(5), np.ones(3))
    'direct'
    """
    ...


__all__ = [
    "choose_conv_method",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "deconvolve",
    "fftconvolve",
    "oaconvolve",
]


@scipy_composition()
def deconvolve(signal: ArrayLike, divisor: ArrayLike) -> tuple[Array, Array]:
    """Divide two polynomials, the inverse of a convolution.

    ``signal = convolve(divisor, quotient) + remainder``.

    Parameters
    ----------
    signal : (n,) array_like
        Signal, or dividend.
    divisor : (m,) array_like
        Impulse response, whose first sample is not 0.

    Returns
    -------
    quotient : (n - m + 1,) ndarray
        Quotient.
    remainder : (n,) ndarray
        Remainder.

    Raises
    ------
    ValueError
        If an argument is not a vector.

    Notes
    -----
    This is `scipy.signal.deconvolve`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.deconvolve(x, [1.0, 2.0])[0][1])(np.array([1.0, 5.0, 6.0])))
    [-2.  1.  0.]
    """
    signal, divisor = vectors(signal, divisor)
    refuse_if(
        signal.ndim > 1 or divisor.ndim > 1,
        f"signal and divisor must be 1-D, not {signal.shape} and {divisor.shape}.",
    )
    n, m = signal.shape[0], divisor.shape[0]
    if m > n:
        return signal[:0], signal
    quotient = lfilter(ones(signal, (1,)), divisor, signal[: n - m + 1])
    return quotient, signal - fir(divisor, quotient, n)
