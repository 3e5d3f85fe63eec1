"""Recursive filters for batches: each signal, or each element of a batch, has its own coefficients.

SciPy's lfilter takes one filter. For a batch of coefficients the time axis is divided into blocks
of length L:

    inside a block     y = T (u + z),  T the lower triangular Toeplitz matrix of the impulse
                                       response of 1/A,
    between blocks     z' = -C y,      the carry: the tail of the convolution of a with y,

so that one matrix product filters all blocks from rest, and only the few numbers z are computed
step by step. The contribution of z to a block cancels against the impulse response h: the error
grows like max |h|^2 (about 1e-12 of the output at max |h| = 100, all of it for a Butterworth filter
of order 8 at a fiftieth of the band, whose h reaches 1e8). Filters with a larger response are
therefore computed sample by sample, with SciPy's order of operations.
"""

import warnings
from math import isqrt
from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel, namespace_of
from scigrad.numpy.devices import on_host

from .finite_response import fir

_MANY = 10_000  # samples, from which a loop over them is slow enough to be told of
# up to this response of 1/A the blocks are as accurate as the recursion itself
_LARGEST_RESPONSE = 100


def recursive(b: Any, a: Any, x: Any, zi: Any = None) -> tuple[Any, Any]:
    """Filter along the last axis; b, a, x, zi broadcast over leading axes. Return the output and
    the final state.
    """
    b, a = b / a[..., :1], a / a[..., :1]
    if zi is None and x.shape[-1] and a.ndim == b.ndim == 1:  # nobody asks for the state
        u = fir(b, x, x.shape[-1])
        return _all_pole(a, u.astype(np.result_type(u, a), copy=False)), None
    order, memory = max(b.shape[-1], a.shape[-1]) - 1, a.shape[-1] - 1
    samples = x.shape[-1]
    u = fir(b, x, samples + order)
    lead = np.broadcast_shapes(u.shape[:-1], a.shape[:-1], zi.shape[:-1] if zi is not None else ())
    dtype = np.result_type(u.dtype, a.dtype, u.dtype if zi is None else zi.dtype)
    u = np.broadcast_to(u, (*lead, u.shape[-1])).astype(dtype)
    if zi is not None:
        u[..., :order] += zi
    y = _all_pole(a, u[..., :samples])
    last = y[..., max(0, samples - memory) :]
    return y, u[..., samples:] - fir(a, last, last.shape[-1] + order)[..., last.shape[-1] :]


def _all_pole(a: Any, u: Any) -> Any:
    """Return y with sum_k a[k] y[n - k] = u[n] for a[0] = 1."""
    memory, samples = a.shape[-1] - 1, u.shape[-1]
    if memory == 0 or u.size == 0:
        return u
    if a.ndim == 1:
        return kernel("signal.lfilter")(namespace_of(a).ones(1, a.dtype), a, u, -1)
    length = max(memory, isqrt(samples), 1)
    unit = np.zeros_like(a, shape=(*a.shape[:-1], length))
    unit[..., 0] = 1
    response = _sample_by_sample(a, unit)  # the impulse response of 1/A
    if not (largest := float(on_host(np.max(abs(response))))) <= _LARGEST_RESPONSE:
        if samples > _MANY:
            text = (
                f"blocks of a recursion whose response reaches {largest:.1g} would lose "
                "digits: it runs sample by sample. "
            )
            warnings.warn(
                text + "sosfilt, of second-order sections, does not.", RuntimeWarning, stacklevel=2
            )
        return _sample_by_sample(a, u)
    triangle = _toeplitz(response)
    count = -(-samples // length)
    padded = np.concatenate(
        [u, np.zeros_like(u, shape=(*u.shape[:-1], count * length - samples))], axis=-1
    )
    rest = padded.reshape(*u.shape[:-1], count, length) @ np.swapaxes(triangle, -1, -2)
    # C[m, i] = -a[memory + i - m]: the share of the last outputs in the i-th sample after them
    carry = -_toeplitz(a[..., :0:-1])
    given = rest[..., -memory:] @ carry
    step = np.swapaxes(triangle[..., -memory:, :memory], -1, -2) @ carry
    state = np.zeros_like(given[..., 0, :])
    states = [state]
    for block in range(count - 1):
        state = (state[..., None, :] @ step)[..., 0, :] + given[..., block, :]
        states.append(state)
    y = rest + np.stack(states, axis=-2) @ np.swapaxes(triangle[..., :memory], -1, -2)
    return y.reshape(*u.shape[:-1], count * length)[..., :samples]


def _sample_by_sample(a: Any, u: Any) -> Any:
    """Filter in the transposed direct form: the state is the contribution of past outputs to coming
    samples.
    """
    feedback = a[..., 1:]
    state = np.zeros_like(u, shape=(*u.shape[:-1], a.shape[-1]))  # its last entry stays 0
    y = np.empty_like(u)
    for n in range(u.shape[-1]):
        y[..., n] = u[..., n] + state[..., 0]
        state[..., :-1] = state[..., 1:] - feedback * y[..., n, None]
    return y


def _toeplitz(h: Any) -> Any:
    """Return the lower triangular Toeplitz matrix with first column h."""
    n = np.arange(h.shape[-1])
    lag = n[:, None] - n
    return np.where(np.asarray(lag >= 0, like=h), h[..., np.maximum(lag, 0)], h.dtype.type(0))


__all__ = ["recursive"]
