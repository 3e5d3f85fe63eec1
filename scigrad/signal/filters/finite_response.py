"""Two products of a short sequence with a signal, closed under differentiation.

    fir(h, x)[n]       = sum_k h[k] x[n - k]        taps h, signal x, zero before its start and after its end
    correlate(w, x)[k] = sum_n w[n] x[n - k]        the lags k = 0, 1, ..., count - 1

Both come from the trilinear form sum_{n,k} w[n] h[k] x[n - k], so that the cotangents of each are calls of the other. They
operate on the last axis and broadcast over leading ones: a filter for each signal, or one for all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import multilinear, namespace_of
from scigrad.numpy.convolution import convolved

from ..foundation.composition import padded


@multilinear("h", "x")
def fir(h: Any, x: Any, length: int) -> Any:
    """Return the first `length` samples of the convolution of h and x, along the last axis."""
    if x.size == 0 or h.size == 0:
        return np.zeros_like(x, np.result_type(h, x), shape=(*np.broadcast_shapes(h.shape[:-1], x.shape[:-1]), length))
    if h.ndim == 1:
        return _one_filter(h, x, length)
    shape = (*np.broadcast_shapes(h.shape[:-1], x.shape[:-1]), length)
    out = np.zeros_like(x, np.result_type(h, x), shape=shape)
    for k in range(min(h.shape[-1], length)):
        count = min(x.shape[-1], length - k)
        out[..., k : k + count] += h[..., k : k + 1] * x[..., :count]
    return out


def _one_filter(h: Any, x: Any, length: int) -> Any:
    """Filter all signals in one convolution, on the host separated by zeros."""
    if x.ndim == 1 or namespace_of(x) is not np:
        return _fitted(convolved(x, h, "full"), length)
    rows = padded(x, 0, max(h.size - 1, length - x.shape[-1]))
    out = convolved(rows.reshape(-1), h, "full")[: rows.size]
    return out.reshape(rows.shape)[..., :length]


fir.batch_leading(h=1, x=1)


@fir.vjp
def _(call: Any, g: Any) -> Any:
    return {
        "h": lambda: correlate(g, call.x.conj(), call.h.shape[-1]),
        "x": lambda: _fitted(backward_fir(call.h.conj(), g), call.x.shape[-1]),
    }


def backward_fir(h: Any, w: Any) -> Any:
    """Return sum_k h[k] w[m + k], the convolution that runs from the end of w to its start."""
    return fir(h, w[..., ::-1], w.shape[-1])[..., ::-1]


@multilinear("w", "x")
def correlate(w: Any, x: Any, count: int) -> Any:
    """Return sum_n w[n] x[n - k] for k = 0, ..., count - 1, along the last axis."""
    if w.ndim == x.ndim == 1 and w.size and x.size:
        return convolved(_fitted(w, x.size + count - 1), x[::-1], "valid")  # all lags in one call: a dot product each
    w, x = np.ascontiguousarray(w, like=w), np.ascontiguousarray(x, like=x)
    lags = []
    for k in range(count):
        length = max(0, min(w.shape[-1] - k, x.shape[-1]))
        lags.append((w[..., None, k : k + length] @ x[..., :length, None])[..., 0, 0])
    return np.stack(lags, axis=-1)


correlate.batch_leading(w=1, x=1)


@correlate.vjp
def _(call: Any, g: Any) -> Any:
    return {
        "w": lambda: fir(g, call.x.conj(), call.w.shape[-1]),
        "x": lambda: _fitted(backward_fir(g, call.w.conj()), call.x.shape[-1]),
    }


def _fitted(x: Any, length: int) -> Any:
    """Return the first `length` samples, zeros where x is shorter."""
    return padded(x, 0, length - x.shape[-1]) if x.shape[-1] < length else x[..., :length]


__all__ = ["backward_fir", "correlate", "fir"]
