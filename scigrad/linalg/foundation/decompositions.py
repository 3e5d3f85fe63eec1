"""NumPy's eigh, svd and inv, with two properties on a device that the vendor's kernels lack there (seen on an H100, CUDA 13).

A matrix with NaN or an infinity has results that are NaN throughout, as on the host: cuSOLVER leaves finite numbers among them.
And the size of a matrix costs no digits: the batched kernels of cuSOLVER and cuBLAS square its elements, so that at 1e-300 or
1e150 all digits are lost, and those for one matrix leave half of the digits of vectors; only its inverse has all. Each matrix is
therefore multiplied by a power of two, which is exact, that brings it to a size of about 1. Nothing waits for the device.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules.backends import library

from . import failures


def eigh(a: Any, triangle: str = "L", vectors: bool = True) -> tuple[Any, Any]:
    """Return w and v, or w and None, of Hermitian matrices of which a triangle is read."""
    a, power, nan = _prepared(a)
    w, v = np.linalg.eigh(a, triangle) if vectors else (np.linalg.eigvalsh(a, triangle), None)
    return (w, v) if nan is None else (_values(w, power, nan), None if v is None else v + nan)


def svd(a: Any, full: bool = True, vectors: bool = True) -> tuple[Any, Any, Any]:
    """Return u, s and v^H, or None, s and None."""
    a, power, nan = _prepared(a)
    u, s, vh = np.linalg.svd(a, full_matrices=full) if vectors else (None, np.linalg.svd(a, compute_uv=False), None)
    if nan is None:
        return u, s, vh
    s = _values(s, power, nan)
    return (u + nan, s, vh + nan) if vectors else (None, s, None)


def inverse(a: Any) -> Any:
    """Return inverses; of a matrix that has none, CuPy's kernel leaves infinities or NaN."""
    if a.ndim == 2:
        return np.linalg.inv(a) if library(a) == "numpy" else np.linalg.inv(a) + nan_if_not_finite(a)
    a, power, nan = _prepared(a)
    found = np.linalg.inv(a)
    return found if nan is None else found * power + nan


def device_inverse(a: Any) -> tuple[Any, Any]:
    """Return inverses on a device, and a mask of the matrices without one, where CuPy's kernel leaves infinities or NaN."""
    try:
        found = inverse(a)
    except np.linalg.LinAlgError:  # a library that raises for the whole batch: the stand-in for a device
        found = failures.decomposed("inv", a, lambda a: [inverse(a)], inverse, "nan", (2,))[0]
    return found, failures.not_finite(found)


def nan_if_not_finite(a: Any) -> Any:
    """Return what is added to the results of a matrix (..., 1, 1): 0, or NaN if it is not finite."""
    return (a - a).sum(axis=(-2, -1), keepdims=True).real


def _prepared(a: Any) -> tuple[Any, Any, Any]:
    """Return matrices, the powers of two by which they were multiplied and what is to be added to their results (..., 1, 1); None
    where nothing is."""
    if library(a) == "numpy" or a.size == 0:
        return a, None, None
    size = np.abs(a).max(axis=(-2, -1), keepdims=True)
    size = np.maximum(size, np.finfo(size.dtype).tiny)  # so that the largest power is a number, too
    power = np.frexp(size)[0] / size
    return a * power, power, power - power


def _values(w: Any, power: Any, nan: Any) -> Any:
    return w / power[..., 0] + nan[..., 0]
