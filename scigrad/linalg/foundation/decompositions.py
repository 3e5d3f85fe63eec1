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
from scigrad.numpy.devices import on_host

from . import failures


def eigh(a: Any, triangle: str = "L", vectors: bool = True) -> tuple[Any, Any]:
    """Return w and v, or w and None, of Hermitian matrices of which a triangle is read."""
    a, power = _scale_by_powers(a)
    w, v = np.linalg.eigh(a, triangle) if vectors else (np.linalg.eigvalsh(a, triangle), None)
    return (w, v) if power is None else _finished(power, w, v)


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
    s, u, vh = _finished(power, s, u, vh)
    return u, s, vh


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


def are_apart(values: Any, distance: float, positive: bool) -> bool:
    """Return whether real values in ascending or descending order, of CuPy, differ by more than a
    distance in parts of the largest, and from 0 too if they have to be `positive`. Synchronizes a
    device.
    """
    first, last = values[..., :1], values[..., -1:]
    x, y = (values[..., :-1], values[..., 1:]) if values.shape[-1] > 1 else (values, -values)
    if values.size == 0 or (x is values and not positive):
        return True
    return bool(on_host(_all_apart(values.dtype)(x, y, first, last, distance, positive)))


def most_of(x: Any, axes: Any, keepdims: bool) -> Any:
    """Return max |x| of CuPy's numbers over some axes, in one launch."""
    return _of_largest("a", x.dtype)(x, axis=axes, keepdims=keepdims)


def power_of_most(a: Any) -> Any:
    """Return a power of two of the size of max |a| of CuPy's matrices (..., 1, 1), in one
    launch.
    """
    return _of_largest("power_of_two(a)", a.dtype)(a, axis=(-2, -1), keepdims=True)


def nan_if_not_finite(a: Any) -> Any:
    """Return what is added to the results of a matrix (..., 1, 1): 0, or NaN if it is not
    finite.
    """
    if library(a) == "cupy":
        return _sum_of_nan(a.dtype)(a, axis=(-2, -1), keepdims=True)
    return (a - a).sum(axis=(-2, -1), keepdims=True).real


def _scale_by_powers(a: Any) -> tuple[Any, Any]:
    """Return matrices, and the powers of two (..., 1, 1) by which they were multiplied, NaN for one
    that is not finite; None where nothing is.
    """
    if library(a) == "numpy" or a.size == 0:
        return a, None
    if library(a) == "cupy":
        scale = f"scale(a, decltype(a)({np.finfo(a.dtype).tiny}))"
        power = _of_largest(scale, a.dtype)(a, axis=(-2, -1), keepdims=True)
    else:
        size = np.abs(a).max(axis=(-2, -1), keepdims=True)
        # 1 / size would overflow for 0 and for denormal numbers
        size = np.maximum(size, np.finfo(size.dtype).tiny)
        power = np.frexp(size)[0] / size
    return a * power, power


def _finished(power: Any, values: Any, *vectors: Any) -> tuple[Any, ...]:
    """Return the values of the matrices as they were, and vectors that are NaN where the power
    is.
    """
    if library(power) != "cupy":
        marked = [None if x is None else x + (power - power) for x in vectors]
        return values / power[..., 0], *marked
    given = [x for x in vectors if x is not None]
    kernel = _finishing_kernel(values.dtype, given[0].dtype if given else None, len(given))
    count = max(1, power.size)
    sizes = [x.size // count for x in (values, *given)]
    kernel(power, *sizes, values, *given, size=max(x.size for x in (values, *given)))
    return values, *vectors


# functions of the largest modulus
_OF_SIZE = """
    template <typename R> __device__ R power_of_two(R size) {
        int exponent = 1;
        if (isfinite(size) && size > 0) frexp(size, &exponent);
        return ldexp(R(1), exponent - 1);
    }
    template <typename R> __device__ R scale(R size, R tiny) {
        int exponent;
        R most = size < tiny ? tiny : size;
        return frexp(most, &exponent) / most;
    }"""
_APART = """
    template <typename R> __device__ bool are_apart(R x, R y, R limit, R last, bool positive) {
        return abs(y - x) > limit && (!positive || last > limit);
    }"""


@functools.cache
def _of_largest(function: str, dtype: Any) -> Any:
    """Return the kernel of a function of max |x|, "a" for itself."""
    import cupy

    real = np.dtype(dtype.char.lower())
    # CuPy puts names of its own in place of those of arguments, within longer words too.
    return cupy.ReductionKernel(
        f"{dtype} x",
        f"{real} found",
        "abs(x)",
        "a > b || a != a ? a : b",
        f"found = {function}",
        "0",
        "of_largest",
        reduce_type={"f": "float", "d": "double"}[real.char],
        preamble=_OF_SIZE,
    )


@functools.cache
def _sum_of_nan(dtype: Any) -> Any:
    import cupy

    real = np.dtype(dtype.char.lower())
    return cupy.ReductionKernel(
        f"{dtype} x", f"{real} none", "abs(x - x)", "a + b", "none = a", "0", "nan_if"
    )


@functools.cache
def _all_apart(dtype: Any) -> Any:
    import cupy

    given = ", ".join(f"{dtype} {name}" for name in ("x", "y", "first", "last", "distance"))
    return cupy.ReductionKernel(
        f"{given}, bool positive",
        "bool apart",
        "are_apart(x, y, max(abs(first), abs(last)) * distance, last, positive)",
        "a && b",
        "apart = a",
        "true",
        "apart",
        preamble=_APART,
    )


@functools.cache
def _finishing_kernel(real: Any, dtype: Any, count: int) -> Any:
    """Return a kernel that writes to what a library has just made."""
    import cupy

    names = [f"x{i}" for i in range(count)]
    lines = ["if (i < n * power.size()) values[i] /= power[i / n];"] + [
        f"if (i < n_{x} * power.size() && power[i / n_{x}] != power[i / n_{x}])"
        f" {x}[i] = power[i / n_{x}];"
        for x in names
    ]
    return cupy.ElementwiseKernel(
        ", ".join([f"raw {real} power, int64 n", *(f"int64 n_{x}" for x in names)]),
        ", ".join([f"raw {real} values", *(f"raw {dtype} {x}" for x in names)]),
        "\n".join(lines),
        "finished",
    )
