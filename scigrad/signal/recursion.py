"""The recursion of many filters at once: each signal, or each batch element, with coefficients of its own.

SciPy's lfilter takes one filter. Where the coefficients carry a batch, the time axis is cut into blocks of length L:

    inside a block     y = T (u + z),  T the lower triangular Toeplitz matrix of the impulse response of 1/A,
    between blocks     z' = -C y,      what the recursion carries over: the tail of the convolution of a with y,

so all blocks are filtered from rest by one product of matrices, and only the few numbers z go through time step by step.
What z adds to a block cancels against what the impulse response h makes of it: the error grows like max |h|^2 (some 1e-12 of
the output at max |h| = 100, all of it for a Butterworth filter of order 8 at a fiftieth of the band, whose h reaches 1e8). So
filters with a larger response than that go sample by sample, in SciPy's own order of operations.
"""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np

from scigrad.numpy.devices import on_host

from .finite_response import fir

_LARGEST_RESPONSE = 100  # of 1/A, up to which the blocks are as accurate as the recursion itself


def recursive(b: Any, a: Any, x: Any, zi: Any = None) -> tuple[Any, Any]:
    """Filter along the last axis; b, a, x, zi broadcast over leading axes. Returns the output and the final state."""
    b, a = b / a[..., :1], a / a[..., :1]
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
    """y with sum_k a[k] y[n - k] = u[n] for a[0] = 1."""
    memory, samples = a.shape[-1] - 1, u.shape[-1]
    if memory == 0 or u.size == 0:
        return u
    length = max(memory, isqrt(samples), 1)
    response = _impulse_response(a, length)
    if not on_host(np.max(abs(response))) <= _LARGEST_RESPONSE:
        return _sample_by_sample(a, u)
    triangle = _toeplitz(response)
    count = -(-samples // length)
    padded = np.concatenate([u, np.zeros_like(u, shape=(*u.shape[:-1], count * length - samples))], axis=-1)
    rest = padded.reshape(*u.shape[:-1], count, length) @ np.swapaxes(triangle, -1, -2)
    carry = -_carry_over(a)
    given = rest[..., -memory:] @ np.swapaxes(carry, -1, -2)
    step = np.swapaxes(carry @ triangle[..., -memory:, :memory], -1, -2)
    state = np.zeros_like(given[..., 0, :])
    states = [state]
    for block in range(count - 1):
        state = (state[..., None, :] @ step)[..., 0, :] + given[..., block, :]
        states.append(state)
    y = rest + np.stack(states, axis=-2) @ np.swapaxes(triangle[..., :memory], -1, -2)
    return y.reshape(*u.shape[:-1], count * length)[..., :samples]


def _sample_by_sample(a: Any, u: Any) -> Any:
    """The transposed direct form: the state is what past outputs add to the coming samples."""
    feedback = a[..., 1:]
    state = np.zeros_like(u, shape=(*u.shape[:-1], a.shape[-1]))  # its last entry stays 0
    y = np.empty_like(u)
    for n in range(u.shape[-1]):
        y[..., n] = u[..., n] + state[..., 0]
        state[..., :-1] = state[..., 1:] - feedback * y[..., n, None]
    return y


def _impulse_response(a: Any, length: int) -> Any:
    """The first samples of 1/A."""
    response = [np.ones_like(a[..., 0])]
    for n in range(1, length):
        response.append(-sum(a[..., k] * response[n - k] for k in range(1, min(n, a.shape[-1] - 1) + 1)))
    return np.stack(response, axis=-1)


def _toeplitz(h: Any) -> Any:
    """Lower triangular, with h in the first column."""
    n = np.arange(h.shape[-1])
    lag = n[:, None] - n
    return np.where(np.asarray(lag >= 0, like=h), h[..., np.maximum(lag, 0)], h.dtype.type(0))


def _carry_over(a: Any) -> Any:
    """C[i, m] = a[memory + i - m] for m >= i: what the last outputs of a block add to the i-th sample behind it."""
    memory = a.shape[-1] - 1
    i = np.arange(memory)
    lag = memory + i[:, None] - i
    return np.where(np.asarray(lag <= memory, like=a), a[..., np.minimum(lag, memory)], a.dtype.type(0))


__all__ = ["recursive"]
