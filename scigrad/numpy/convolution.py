"""Convolution and correlation of two sequences, directly (not by Fourier transforms)."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from scigrad.autodiff_rules import multilinear, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.typing import Array

from .composition import numpy_composition
from .devices import on_host, windows_of
from .indexing import getitem
from .joining import assemble
from .products import absorbing, conjugate
from .rearrangement import flip
from .shaping import reshape
from .views import own_result

__all__ = ["convolve", "correlate"]


@multilinear("a", "v", core={"a": 1, "v": 1})
def _convolve(a, v, mode):
    """Convolve over the last axes, in mode "full" or "valid"; in "valid" the second array is not
    the longer one.
    """
    if type(a) is np.ndarray and a.ndim == v.ndim == 1 and a.size and v.size:
        # CuPy's is computed by Fourier transforms, which spread NaN and rounding errors
        return np.convolve(a, v, mode)
    if library(a) == "cupy":
        return _sums_of_products(a, v, mode)
    n = v.shape[-1]
    if mode == "full":
        finite = np.isfinite(v)
        if not on_host(finite.all()):
            return _with_infinite(a, v, finite)
        a = np.pad(a, [(0, 0)] * (a.ndim - 1) + [(n - 1, n - 1)])
    return np.einsum("...kn,...n->...k", windows_of(a, n), v[..., ::-1])


def _sums_of_products(a: Any, v: Any, mode: str) -> Any:
    """Convolve arrays of CuPy in one launch, in which v does not meet the zeros that pad a."""
    windows, inside = a, np.ones_like(a, bool, shape=a.shape[-1:])
    if mode == "full":
        windows, inside = (
            np.pad(x, [(0, 0)] * (x.ndim - 1) + [(v.shape[-1] - 1,) * 2]) for x in (a, inside)
        )
    windows, inside = (windows_of(x, v.shape[-1]) for x in (windows, inside))
    turned = v[..., None, ::-1]
    shape = np.broadcast_shapes(windows.shape, turned.shape)[:-1]
    out = np.empty_like(a, np.result_type(a, v), shape=shape)
    return _sum_kernel()(windows, turned, inside, out, axis=-1)


@cache
def _sum_kernel() -> Any:
    import cupy

    product = "inside ? R(a) * R(v) : R(0)"
    given = "A a, V v, bool inside"
    return cupy.ReductionKernel(given, "R y", product, "a + b", "y = a", "0", "sum_of_products")


def _with_infinite(a: Any, v: Any, finite: Any) -> Any:
    """Return the full convolution where v is not finite: it must not meet the zeros that pad a,
    because 0 inf is nan.
    """
    out = _convolve.kernel(a, np.where(finite, v, 0), "full")
    columns = on_host((~finite).any(axis=tuple(range(v.ndim - 1))))
    for j in np.flatnonzero(columns):
        term = np.where(finite[..., j, None], 0, a * v[..., j, None])
        out[..., j : j + a.shape[-1]] += term
    return out


# out[k] = sum_j a[k - j] v[j] in "full". With w = conj(v) reversed, a_bar[i] = sum_j g[i + j]
# conj(v[j]) is g * w where they overlap completely; "valid" keeps the part of "full" where v
# overlaps a completely, and there a_bar is all of g * w.


@_convolve.vjp
def _(call, g):
    a, v = call.a, call.v
    back = flip(conjugate(v), -1), flip(conjugate(a), -1)
    if call.mode == "full":
        return {
            "a": lambda: _convolve(g, back[0], "valid"),
            "v": lambda: _convolve(g, back[1], "valid"),
        }
    return {"a": lambda: _convolve(g, back[0], "full"), "v": lambda: _convolve(back[1], g, "valid")}


convolved: Callable[..., Array] = _convolve.kernel  # the convolution of plain arrays


@numpy_composition(np.convolve)
@absorbing
def convolve(a, v, mode="full"):
    """Return the convolution sum_j a[k - j] v[j], see `numpy.convolve`."""
    a, v = _sequences("convolve", a, v)
    if shape_of(v)[0] > shape_of(a)[0]:
        a, v = v, a
    return _cut(a, v, mode)


@numpy_composition(np.correlate)
@absorbing
def correlate(a, v, mode="valid"):
    """Return the correlation sum_n a[n + k] conj(v[n]), see `numpy.correlate`."""
    a, v = _sequences("correlate", a, v)
    # NumPy exchanges them, and reverses and conjugates the result
    if shape_of(v)[0] > shape_of(a)[0]:
        return flip(conjugate(_cut(v, flip(conjugate(a), -1), mode)), -1)
    return _cut(a, flip(conjugate(v), -1), mode)


def _sequences(function: str, a: Any, v: Any) -> list[Any]:
    pair = [assemble(a), assemble(v)]
    pair = [reshape(x, (1,)) if not x.ndim else x for x in pair]
    for name, x in zip("av", pair, strict=True):
        if x.ndim != 1:
            raise ValueError(
                f"{function}: object too deep for desired array: {name} has shape {x.shape}, a "
                "sequence is needed"
            )
        if not x.shape[0]:
            raise ValueError(f"{function}: {name} cannot be empty")
    return pair


def _cut(a: Any, v: Any, mode: str) -> Any:
    if mode in ("full", "valid"):
        return _convolve(a, v, mode)
    if mode != "same":
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full', not {mode!r}")
    start = (shape_of(v)[0] - 1) // 2
    return own_result(getitem(_convolve(a, v, "full"), slice(start, start + shape_of(a)[0])))
