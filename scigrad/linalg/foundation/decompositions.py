"""NumPy's eigh, svd and inv, with two properties on a device that the vendor's kernels lack there
(seen on an H100, CUDA 13).

A matrix with NaN or an infinity has results that are NaN throughout, as on the host: cuSOLVER
leaves finite numbers among them. And the size of a matrix costs no digits: the batched kernels of
cuSOLVER and cuBLAS square its elements, so that at 1e-300 or 1e150 all digits are lost, and those
for one matrix leave half of the digits of vectors; only its inverse has all. Each matrix is
therefore multiplied by a power of two, which is exact, that brings it to a size of about 1. Nothing
waits for the device.
"""

import functools
from typing import Any

import numpy as np

from scigrad.autodiff_rules.backends import library

from . import failures


def eigh(a: Any, triangle: str = "L", vectors: bool = True) -> tuple[Any, Any]:
    """Return w and v, or w and None, of Hermitian matrices of which a triangle is read."""
    a, power = _scale_by_powers(a)
    w, v = np.linalg.eigh(a, triangle) if vectors else (np.linalg.eigvalsh(a, triangle), None)
    return (
        (w, v)
        if power is None
        else (w / power[..., 0], None if v is None else _mark_failed(v, power))
    )


def svd(a: Any, full: bool = True, vectors: bool = True) -> tuple[Any, Any, Any]:
    """Return u, s and v^H; None, s and None without `vectors`."""
    a, power = _scale_by_powers(a)
    u, s, vh = (
        np.linalg.svd(a, full_matrices=full)
        if vectors
        else (None, np.linalg.svd(a, compute_uv=False), None)
    )
    if power is None:
        return u, s, vh
    s = s / power[..., 0]
    return (_mark_failed(u, power), s, _mark_failed(vh, power)) if vectors else (None, s, None)


def invert(a: Any) -> Any:
    """Return inverses; of a matrix that has none, CuPy's kernel leaves infinities or NaN."""
    if a.ndim == 2:
        return (
            np.linalg.inv(a) if library(a) == "numpy" else np.linalg.inv(a) + nan_if_not_finite(a)
        )
    a, power = _scale_by_powers(a)
    found = np.linalg.inv(a)
    return found if power is None else found * power


def device_inverse(a: Any) -> tuple[Any, Any]:
    """Return inverses on a device, and a mask of the matrices without one, where CuPy's kernel
    leaves infinities or NaN.
    """
    try:
        found = invert(a)
    except np.linalg.LinAlgError:
        # a library that raises for the whole batch: the stand-in for a device
        found = failures.decompose_each("inv", a, lambda a: [invert(a)], invert, "nan", (2,))[0]
    return found, failures.not_finite(found)


def nan_if_not_finite(a: Any) -> Any:
    """Return what is added to the results of a matrix (..., 1, 1): 0, or NaN if it is not
    finite.
    """
    if library(a) == "cupy":
        return _kernels(a.dtype)[2](a, axis=(-2, -1), keepdims=True)
    return (a - a).sum(axis=(-2, -1), keepdims=True).real


def _scale_by_powers(a: Any) -> tuple[Any, Any]:
    """Return matrices, and the powers of two (..., 1, 1) by which they were multiplied, NaN for one
    that is not finite; None where nothing is.
    """
    if library(a) == "numpy" or a.size == 0:
        return a, None
    if library(a) == "cupy":
        power = _kernels(a.dtype)[0](a, axis=(-2, -1), keepdims=True)
    else:
        size = np.abs(a).max(axis=(-2, -1), keepdims=True)
        # 1 / size would overflow for 0 and for denormal numbers
        size = np.maximum(size, np.finfo(size.dtype).tiny)
        power = np.frexp(size)[0] / size
    return a * power, power


def _mark_failed(x: Any, power: Any) -> Any:
    """Return vectors of the matrices, NaN where the power is."""
    return _kernels(x.dtype)[1](x, power) if library(x) == "cupy" else x + (power - power)


@functools.cache
def _kernels(dtype: Any) -> tuple[Any, Any, Any]:
    """Return the formulas above for CuPy, each in one launch."""
    import cupy

    real, tiny = np.dtype(dtype.char.lower()), np.finfo(dtype).tiny
    scale = f"""
        template <typename R> __device__ R inverse_of_size(R size) {{
            int exponent;
            R most = size < R({tiny}) ? R({tiny}) : size;
            return frexp(most, &exponent) / most;
        }}"""
    largest = "a > b || a != a ? a : b"
    # CuPy puts names of its own in place of those of arguments, within longer words too.
    power = cupy.ReductionKernel(
        f"{dtype} x",
        f"{real} power",
        "abs(x)",
        largest,
        "power = inverse_of_size(a)",
        "0",
        "power_of_two",
        reduce_type={"f": "float", "d": "double"}[real.char],
        preamble=scale,
    )
    marked = cupy.ElementwiseKernel(
        f"{dtype} x, {real} power", f"{dtype} y", "y = x + (power - power)", "marked_nan"
    )
    none = cupy.ReductionKernel(
        f"{dtype} x", f"{real} none", "abs(x - x)", "a + b", "none = a", "0", "nan_if"
    )
    return power, marked, none
