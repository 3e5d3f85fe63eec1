"""Two products of a short sequence with a signal, closed under differentiation.

    fir(h, x)[k]       = sum_n h[k down - n up] x[n]        taps h, signal x, zero before its
                                                            start and after its end
    correlate(w, x)[j] = sum w[k] x[n], j = k down - n up   the lags j = 0, 1, ..., count - 1

Both come from one trilinear form in w, h and x, so that the cotangents of each are calls of the
other; `up` and `down`, the changes of the sampling rate, are exchanged in the one by x. They
operate on the last axis and broadcast over leading ones: a filter for each signal, or one for all.
"""

from math import gcd
from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel, multilinear, namespace_of
from scigrad.autodiff_rules.backends import check_devices
from scigrad.fft.transform import resize
from scigrad.numpy.convolution import convolved

from ..foundation.composition import pad_ends

_ROW = 32  # samples, at least, that one row of a product with a matrix computes


@multilinear("h", "x", core={"h": 1, "x": 1})
def fir(h: Any, x: Any, length: int, up: int = 1, down: int = 1) -> Any:
    """Return the first `length` samples of the convolution of h and x, along the last axis."""
    if type(h) is not type(x):  # taps of the host would be read one by one
        check_devices("filter", ("taps", "x"), (h, x))
    if x.size == 0 or h.size == 0:
        return np.zeros_like(
            x,
            np.result_type(h, x),
            shape=(*np.broadcast_shapes(h.shape[:-1], x.shape[:-1]), length),
        )
    if up != 1 or down != 1:
        return _polyphase(h, x, length, up, down)
    if h.ndim == 1:
        return _one_filter(h, x, length)
    shape = (*np.broadcast_shapes(h.shape[:-1], x.shape[:-1]), length)
    out = np.zeros_like(x, np.result_type(h, x), shape=shape)
    for k in range(min(h.shape[-1], length)):
        count = min(x.shape[-1], length - k)
        out[..., k : k + count] += h[..., k : k + 1] * x[..., :count]
    return out


def _polyphase(h: Any, x: Any, length: int, up: int, down: int) -> Any:
    """Compute a row of outputs as the product of a matrix of taps with the inputs that they depend
    on; rows overlap in x.
    """
    if h.ndim > 1 or namespace_of(x) is not np:
        between = pad_ends(x[..., None], 0, up - 1).reshape(*x.shape[:-1], -1)
        return fir.kernel(h, between, (length - 1) * down + 1)[..., ::down]
    # few of the products are with taps; one with a zero spreads NaN over the row
    if up > _ROW or not np.isfinite(x).all():
        return resize(kernel("signal.upfirdn")(h, x, up, down), length, -1)
    outputs, before = up * -(-_ROW // up), (h.size - 1) // up
    width = before + (outputs - 1) * down // up + 1
    lag = np.arange(outputs) * down - (np.arange(width)[:, None] - before) * up
    taps = np.where((lag >= 0) & (lag < h.size), h[np.clip(lag, 0, h.size - 1)], 0)
    step, count = outputs * down // up, -(-length // outputs)
    inputs = pad_ends(resize(x, (count - 1) * step + width - before, -1), before, 0)
    rows = np.lib.stride_tricks.sliding_window_view(inputs, width, axis=-1)[..., ::step, :]
    return (rows @ taps).reshape(*x.shape[:-1], -1)[..., :length]


def _one_filter(h: Any, x: Any, length: int) -> Any:
    """Filter all signals in one convolution, on the host separated by zeros."""
    if x.ndim == 1 or namespace_of(x) is not np:
        return resize.kernel(convolved(x, h, "full"), length, -1)
    rows = pad_ends(x, 0, max(h.size - 1, length - x.shape[-1]))
    out = convolved(rows.reshape(-1), h, "full")[: rows.size]
    return out.reshape(rows.shape)[..., :length]


@fir.vjp
def _(call: Any, g: Any) -> Any:
    return {
        "h": lambda: correlate(g, call.x.conj(), call.h.shape[-1], call.up, call.down),
        "x": lambda: _backward(call.h.conj(), g, call),
    }


def _backward(h: Any, w: Any, call: Any) -> Any:
    """Return sum_k h[k down - n up] w[k] for the samples n of call.x."""
    samples, late = call.x.shape[-1], h.shape[-1] - 1
    if call.up == call.down == 1:
        return correlate(w, h, samples)
    first = -(-late // call.up)
    return fir(
        pad_ends(h, 0, first * call.up - late)[..., ::-1], w, first + samples, call.down, call.up
    )[..., first:]


def append_zeros(x: Any, count: int) -> Any:
    """Return x with `count` zeros behind its last axis; x itself where there are none to append."""
    if count <= 0:
        return x
    return np.concatenate((x, np.zeros_like(x, shape=(*x.shape[:-1], count))), axis=-1)


@multilinear("w", "x", core={"w": 1, "x": 1})
def correlate(w: Any, x: Any, count: int, up: int = 1, down: int = 1) -> Any:
    """Return the sums of products w[k] x[n] with the lags k down - n up = 0, ..., count - 1, along
    the last axis.
    """
    taps = x.shape[-1]
    if not (count and w.size and x.size):
        return np.zeros_like(
            x, np.result_type(w, x), shape=(*np.broadcast_shapes(w.shape[:-1], x.shape[:-1]), count)
        )
    if w.ndim == x.ndim == up == down == 1:
        w = append_zeros(w[: taps + count - 1], taps + count - 1 - w.size)
        # all lags in one call
        return (
            np.correlate(w, x.conj()) if type(w) is np.ndarray else convolved(w, x[::-1], "valid")
        )
    if count > taps and up == down == 1:
        return fir.kernel(x[..., ::-1], w, taps - 1 + count)[..., taps - 1 :]
    w, x = np.ascontiguousarray(w, like=w), np.ascontiguousarray(x, like=x)
    lags, common = [], gcd(up, down)
    for lag in range(count):
        # no sample, if none has this lag
        n = next((n for n in range(down // common) if (lag + n * up) % down == 0), taps)
        w_, x_ = w[..., (lag + n * up) // down :: up // common], x[..., n :: down // common]
        length = min(w_.shape[-1], x_.shape[-1])
        # What BLAS flags in products of infinities depends on the processor.
        with np.errstate(invalid="ignore"):
            lags.append((w_[..., None, :length] @ x_[..., :length, None])[..., 0, 0])
    return np.stack(lags, axis=-1)


@correlate.vjp
def _(call: Any, g: Any) -> Any:
    return {
        "w": lambda: fir(g, call.x.conj(), call.w.shape[-1], call.up, call.down),
        "x": lambda: _backward(g, call.w.conj(), call),
    }


__all__ = ["correlate", "fir"]
