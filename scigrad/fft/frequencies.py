"""Frequencies, the order of a spectrum, and lengths that transform fast."""

from __future__ import annotations

import importlib
import operator
from typing import Any

from scigrad.autodiff_rules import Traced
from scigrad.numpy.squares import rearrangement

from .transform import in_library


def fftfreq(n, d=1.0, *, xp=None, device=None):
    """Frequencies of the entries of fft: [0, 1, ..., -2, -1] / (d n).

    Parameters
    ----------
    n : number of samples
    d : their spacing; differentiable
    xp, device : the array library and device of the result, as in SciPy

    See scipy.fft.fftfreq.
    """
    return _frequencies("fftfreq", n, d, xp, device)


def rfftfreq(n, d=1.0, *, xp=None, device=None):
    """Frequencies of the entries of rfft: [0, 1, ..., n//2] / (d n); parameters as fftfreq. See scipy.fft.rfftfreq."""
    return _frequencies("rfftfreq", n, d, xp, device)


def _frequencies(name: str, n: Any, d: Any, xp: Any, device: Any) -> Any:
    find = getattr(importlib.import_module("scipy.fft"), name)
    if isinstance(d, Traced):
        return find(n, xp=xp, device=device) / d
    return find(n, d, xp=xp, device=device)


@rearrangement("x")
def fftshift(x, axes=None):
    """x with frequency zero moved to the middle of each axis (None: of all). See scipy.fft.fftshift."""
    return in_library("fftshift", x, axes)


@rearrangement("x")
def ifftshift(x, axes=None):
    """Inverse of fftshift, which differs from it for odd lengths. See scipy.fft.ifftshift."""
    return in_library("ifftshift", x, axes)


@fftshift.adjoint
def _(call, g):
    return ifftshift(g, call.axes)


@ifftshift.adjoint
def _(call, g):
    return fftshift(g, call.axes)


fftshift.batch_axis("x", "axes")
ifftshift.batch_axis("x", "axes")


def next_fast_len(target, real=False):
    """The next length >= target that transforms fast on the CPU. See scipy.fft.next_fast_len."""
    return importlib.import_module("scipy.fft").next_fast_len(_known(target), real)


def prev_fast_len(target, real=False):
    """The last length <= target that transforms fast on the CPU. See scipy.fft.prev_fast_len."""
    return importlib.import_module("scipy.fft").prev_fast_len(_known(target), real)


def _known(target: Any) -> Any:
    return operator.index(target) if isinstance(target, Traced) else target  # which says why not


next_fast_len.is_constant = prev_fast_len.is_constant = True  # integers of integers: nothing to differentiate

__all__ = ["fftfreq", "fftshift", "ifftshift", "next_fast_len", "prev_fast_len", "rfftfreq"]
