"""A recursive filter and its derivatives.

With A = sum_k a[k] q^k, B = sum_k b[k] q^k and q the delay by one sample, a filter solves A y = B
x. Its derivatives are filters again. Forward, A y' = b' x + B x' - a' y. Backward, with w from the
adjoint all-pole filter A^H w = g, which is 1/conj(A) run from the last sample to the first,

    x_bar    = B^H w
    b_bar[k] = sum_n w[n] conj(x[n - k])
    a_bar[k] = -sum_n w[n] conj(y[n - k])

so that all cotangents together take one recursion, one run of the taps and two dot products a
coefficient, at any order. a[0] may differ from 1: it is one of the unknowns in A. The state of the
filter (zi, zf) enters through the same equation, extended beyond the last sample: with N samples
and K the order,

    (A y)[n] = (B x)[n] + a[0] zi[n] - a[0] zf[n - N]        for n = 0, ..., N + K - 1,

x and y being 0 outside 0, ..., N - 1 and zi and zf outside 0, ..., K - 1.
"""

import functools
import importlib.util
from importlib.machinery import PathFinder
from typing import Any

import numpy as np

from scigrad.autodiff_rules import (
    ZERO,
    Space,
    differentiable,
    kernel,
    materialize,
    namespace_of,
    space,
    zeros,
)
from scigrad.autodiff_rules.masked import Masked, Presence, fill_absent, mark_absent, mask

from .filter_batches import recursive
from .finite_response import append_zeros, correlate, fir
from .long_signals import filtered_as


@functools.cache
def _loop_over_samples() -> Any:
    """Load the C function behind scipy.signal.lfilter by itself. The import of scipy.signal brings
    statistics, interpolation and optimization with it, and takes ten times as long as all else that
    a first gradient needs.
    """
    import scipy

    found = PathFinder.find_spec(
        "scipy.signal._sigtools", [f"{folder}/signal" for folder in scipy.__path__]
    )
    if found is None or found.loader is None:  # a SciPy that keeps it elsewhere
        return kernel("signal.lfilter")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module._linear_filter


def _lfilter(b: Any, a: Any, *more: Any) -> Any:
    return filtered_as(_loop_over_samples(), (b, a), *more)


# Both functions filter along the last axis, with coefficients that broadcast over leading axes.


@differentiable("b", "a", "x", core={"b": 1, "a": 1, "x": 1})
def filter_from_rest(b: Any, a: Any, x: Any) -> Any:
    """Filter a signal from rest along the last axis."""
    # CuPy's lfilter takes b by Fourier transforms
    if b.ndim > 1 or a.ndim > 1 or not isinstance(x, np.ndarray):
        return recursive(b, a, x)[0]
    if not x.size:
        return x * (b[0] / a[0])  # CuPy's kernel does not survive it
    if a.shape[0] == 1:
        return fir.kernel(b / a, x, x.shape[-1])
    return _lfilter(b, a, x, -1)


@filter_from_rest.jvp
def _(call: Any, t: Any) -> Any:
    forcing = _forcing(call, t, call.out, call.x.shape[-1])
    return filter_from_rest(ones(call.a, (1,)), call.a, forcing)


# The last samples of an unstable filter may overflow, even if only the first ones are read. No
# derivative passes through the former.
filter_from_rest.masks = "placed"


@filter_from_rest.vjp
def _(call: Any, g: Any) -> Any:
    g, x, y = _read_signals(g, call.x, call.out)
    samples, memory = g.shape[-1], max(call.a.shape[-1], call.b.shape[-1]) - 1
    # no lag passes the end of w
    behind = append_zeros(g, memory)
    w = filter_from_rest(ones(call.a, (1,)), call.a.conj(), behind[..., ::-1])[..., ::-1]
    return {
        "b": lambda: correlate(w, x.conj(), call.b.shape[-1]),
        "a": lambda: -correlate(w, y.conj(), call.a.shape[-1]),
        "x": lambda: correlate(w, call.b.conj(), samples),
    }


def _read_signals(g: Any, *signals: Any) -> Any:
    """Return a cotangent as a plain array, and signals with zeros behind its last sample that is
    present.
    """
    if type(g) is not Masked:
        return g, *signals
    read = Presence(lambda: np.cumsum(mask(g)[..., ::-1], axis=-1)[..., ::-1] > 0, g.presence)
    return fill_absent(g), *(fill_absent(mark_absent(x, read)) for x in signals)


def _forcing(call: Any, t: Any, y: Any, length: int) -> Any:
    """Return b' x + B x' - a' y over `length` samples."""
    return fir(t.b, call.x, length) + fir(call.b, t.x, length) - fir(t.a, y, length)


@differentiable("b", "a", "x", "zi", core={"b": 1, "a": 1, "x": 1, "zi": 1})
def filtered_from(b: Any, a: Any, x: Any, zi: Any) -> tuple[Any, Any]:
    """Filter a signal from the state zi along the last axis; return the final state as well."""
    lead = np.broadcast_shapes(x.shape[:-1], zi.shape[:-1])
    # CuPy's state is another one
    if b.ndim > 1 or a.ndim > 1 or a.shape[0] == 1 or x.size == 0 or not isinstance(x, np.ndarray):
        return recursive(b, a, x, zi)
    x, zi = (np.broadcast_to(v, (*lead, v.shape[-1])) for v in (x, zi))
    return _lfilter(b, a, x, -1, zi)


@filtered_from.jvp
def _(call: Any, t: Any) -> Any:
    (y, zf), samples = call.out, call.x.shape[-1]
    order, first = zf.shape[-1], call.a[..., :1]
    whole = Space((*y.shape[:-1], samples + order), *space(y)[1:])
    forcing = materialize(_forcing(call, t, y, samples + order), whole)
    drift = t.a[..., :1] / first  # a[0]' / a[0]
    state = materialize(t.zi + drift * call.zi, call.zi)
    dy, dzf = filtered_from(_unit(call.a, order + 1), call.a, forcing[..., :samples], state)
    return dy, dzf + forcing[..., samples:] / first - drift * zf


filtered_from.masks = "placed"


@filtered_from.vjp
def _(call: Any, g: Any) -> Any:
    (y, zf), (gy, gz) = call.out, g
    gy, x, y = _read_signals(gy if gz is ZERO else fill_absent(gy), call.x, y)
    gy, gz, zf = (
        materialize(gy, y),
        fill_absent(materialize(gz, zf)),
        materialize(gz, zf) if gz is ZERO else zf,
    )
    order, first = zf.shape[-1], call.a[..., :1].conj()
    behind = gz / first  # w behind the last sample, where the equation determines zf
    memory = call.a.shape[-1] - 1
    state = -correlate(call.a.conj(), behind, memory + 1)[..., 1:] / first
    backward = filtered_from(ones(call.a, (1,)), call.a.conj(), gy[..., ::-1], state)[0]
    w = np.concatenate([backward[..., ::-1], behind], axis=-1)

    def of_a() -> Any:
        drift = correlate(w[..., :order], call.zi.conj(), 1) - correlate(behind, zf.conj(), 1)
        return drift * _unit(call.a, memory + 1) - correlate(w, y.conj(), memory + 1)

    return {
        "b": lambda: correlate(w, x.conj(), call.b.shape[-1]),
        "a": of_a,
        "x": lambda: correlate(w, call.b.conj(), call.x.shape[-1]),
        "zi": lambda: first * w[..., :order],
    }


def ones(like: Any, shape: tuple[int, ...]) -> Any:
    """Return ones on the device and in the dtype of `like`."""
    return namespace_of(like).ones(shape, like.dtype)


def _unit(like: Any, length: int) -> Any:
    """Return 1, 0, ..., 0, the taps of the identity."""
    unit = zeros(Space((length,), *space(like)[1:]))
    unit[:1] = 1
    return unit


__all__ = ["filter_from_rest", "filtered_from", "ones"]
