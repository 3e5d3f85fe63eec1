"""fftconvolve: convolution through the Fourier transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, kernel
from scigrad.fft import fftn, ifftn, irfftn, next_fast_len, rfftn


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """Convolve two arrays by multiplying their Fourier transforms.

    See `scipy.signal.fftconvolve`.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays of the same number of axes.
    mode : {"full", "same", "valid"}, optional
        Part of the convolution: all of it; its middle, of the shape of `in1`; or where the arrays overlap fully, for which one
        must be at least as long as the other along every axis.
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
    Differentiable in both arrays, to any order. The spectra of both are kept, so that a gradient takes one transform of the
    cotangent and an inverse transform for each array.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> loss = lambda x: signal.fftconvolve(x, np.array([1.0, 2.0, 3.0]))[2]
    >>> print(np.round(grad(loss)(np.array([5.0, 7.0])), 12))
    [3. 2.]
    """
    if not isinstance(in1, Traced) and not isinstance(in2, Traced):
        return kernel("signal.fftconvolve")(in1, in2, mode=mode, axes=axes)
    in1, in2 = (x if hasattr(x, "dtype") else np.asarray(x) for x in (in1, in2))
    if in1.ndim != in2.ndim:
        raise ValueError(f"in1 and in2 should have the same dimensionality; their shapes are {in1.shape} and {in2.shape}")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"acceptable mode flags are 'valid', 'same', or 'full', not {mode!r}")
    if in1.ndim == 0:
        return in1 * in2
    if in1.size == 0 or in2.size == 0:
        return np.sum(in1[:0] * 1.0).reshape((1,))[:0] + np.sum(in2[:0]).reshape((1,))[:0]
    along = _axes(in1, in2, axes)
    shapes = in1.shape, in2.shape
    if mode == "valid" and not all(shapes[0][a] >= shapes[1][a] for a in along):
        if not all(shapes[1][a] >= shapes[0][a] for a in along):
            raise ValueError(f"For 'valid' mode, one must be at least as large as the other along every axis, unlike {shapes}")
        shapes = shapes[::-1]
    full = [m + n - 1 if a in along else max(m, n) for a, (m, n) in enumerate(zip(*shapes, strict=True))]
    out = _cut(_product_of_spectra(in1, in2, along, full) if along else in1 * in2, full, along)
    if mode == "full":
        return out
    target = shapes[0] if mode == "same" else [shapes[0][a] - shapes[1][a] + 1 if a in along else n for a, n in enumerate(full)]
    starts = [(n - wanted) // 2 for n, wanted in zip(full, target, strict=True)]
    return out[tuple(slice(s, s + wanted) for s, wanted in zip(starts, target, strict=True))]


def _axes(in1: Any, in2: Any, axes: Any) -> list[int]:
    """Return the axes to transform, without those of length 1, which broadcast."""
    given = range(in1.ndim) if axes is None else [axes] if isinstance(axes, int) else list(axes)
    if any(not -in1.ndim <= a < in1.ndim for a in given):
        raise ValueError(f"axes exceeds dimensionality of input: {tuple(given)} for arrays of {in1.ndim} axes")
    numbers = [a % in1.ndim for a in given]
    if len(set(numbers)) != len(numbers):
        raise ValueError("all axes must be unique")
    if axes is not None and not numbers:
        raise ValueError("when provided, axes cannot be empty")
    along = [a for a in numbers if in1.shape[a] != 1 and in2.shape[a] != 1]
    if any(a not in along and m != n and 1 not in (m, n) for a, (m, n) in enumerate(zip(in1.shape, in2.shape, strict=True))):
        raise ValueError(f"incompatible shapes for in1 and in2: {in1.shape} and {in2.shape}")
    return along


def _product_of_spectra(in1: Any, in2: Any, along: list[int], full: list[int]) -> Any:
    is_complex = "c" in (in1.dtype.kind, in2.dtype.kind)
    forward, back = (fftn, ifftn) if is_complex else (rfftn, irfftn)
    sizes = [next_fast_len(full[a], not is_complex) for a in along]
    return back(forward(in1, sizes, along) * forward(in2, sizes, along), sizes, along)


def _cut(x: Any, shape: list[int], along: list[int]) -> Any:
    return x[tuple(slice(n) if a in along else slice(None) for a, n in enumerate(shape))]


__all__ = ["fftconvolve"]
