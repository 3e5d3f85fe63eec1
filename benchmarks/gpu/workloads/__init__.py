"""Workloads of a GPU: a function and its gradient by our functions, the function by CuPy's, and
both by hand over CuPy's kernels ("ideal"), which is what a tape can reach; PyTorch and JAX where
they have the functions.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import warnings
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

Arrays = Callable[[bool], Sequence[np.ndarray]]  # few numbers, for a rehearsal, if it is true
CONTENDERS = "cupy", "plain", "gradient", "ideal", "torch", "jax"


class Workload(NamedTuple):
    """A function of a library and arrays, by which first arguments it is differentiated, and
    `ideal`, the value and these gradients by hand.
    """

    what: str
    loss: Callable[..., Any]
    arrays: Arrays
    by: int = 1
    ideal: Callable[..., Any] | None = None
    peers: tuple[str, ...] = ("torch", "jax")
    raw: Callable[..., Any] | str | None = "loss"  # in CuPy's words, if it has others; None: none


class _Merged:
    """The functions of several modules by name, those of the first that has one."""

    def __init__(self, *modules: str) -> None:
        self._modules = modules

    def __getattr__(self, name: str) -> Any:
        for path in self._modules:
            with warnings.catch_warnings():  # CuPy tells of its own use of what is experimental
                warnings.simplefilter("ignore", FutureWarning)
                found = getattr(importlib.import_module(path), name, None)
            if found is not None:
                setattr(self, name, found)
                return found
        raise AttributeError(name)


def _library(**rooms: tuple[str, ...]) -> Any:
    return SimpleNamespace(**{room: _Merged(*modules) for room, modules in rooms.items()})


_ROOMS = "linalg", "fft", "special", "signal", "sparse"
OURS = _library(np=("scigrad.numpy",), **{room: (f"scigrad.{room}",) for room in _ROOMS})
OURS.sparse = _Merged("scigrad.sparse", "scigrad.sparse.linalg")
CUPY = _library(
    np=("cupy",),
    linalg=("cupyx.scipy.linalg", "cupy.linalg"),
    fft=("cupyx.scipy.fft",),
    special=("cupyx.scipy.special",),
    signal=("cupyx.scipy.signal",),
    sparse=("cupyx.scipy.sparse", "cupyx.scipy.sparse.linalg"),
)
TORCH = _library(
    np=("torch",), linalg=("torch.linalg", "torch"), fft=("torch.fft",), special=("torch.special",)
)
JAX = _library(
    np=("jax.numpy",),
    linalg=("jax.numpy.linalg", "jax.scipy.linalg"),
    fft=("jax.numpy.fft", "jax.scipy.fft"),
    special=("jax.scipy.special",),
    signal=("jax.scipy.signal",),
)


def normal(*shape: int, seed: int = 0, dtype: str = "d") -> np.ndarray:
    """Return normal numbers, complex ones if the dtype is."""
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape)
    return (x + 1j * random.standard_normal(shape) if dtype in "FD" else x).astype(dtype)


def uniform(low: float, high: float, *shape: int, seed: int = 0, dtype: str = "d") -> np.ndarray:
    """Return evenly distributed numbers."""
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


def calls(workload: Workload, small: bool, peers: bool = False) -> dict[str, Callable[[], Any]]:
    """Return what is measured of a workload, by contenders."""
    import cupy

    from scigrad import value_and_grad

    host = workload.arrays(small)
    given, by = [cupy.asarray(x) for x in host], tuple(range(workload.by))
    plain = functools.partial(workload.loss, OURS, *given)
    found: dict[str, Callable[[], Any]] = {"gradient": plain}  # the function is a derivative
    if by:
        slopes = value_and_grad(lambda *x: workload.loss(OURS, *x), by)
        found = {"plain": plain, "gradient": lambda: slopes(*given)}
    raw: Any = workload.loss if workload.raw == "loss" else workload.raw
    if raw is not None:
        found["cupy"] = lambda: raw(CUPY, *given)
    if workload.ideal is not None:
        ideal = workload.ideal
        found["ideal"] = lambda: ideal(CUPY, *given)
    for name, make in {"torch": _torch, "jax": _jax}.items():
        if peers and name in workload.peers and importlib.util.find_spec(name) is not None:
            found[name] = make(workload, host)
    return {name: found[name] for name in CONTENDERS if name in found}


def _torch(workload: Workload, host: Sequence[np.ndarray]) -> Callable[[], Any]:
    import torch

    given = [torch.as_tensor(x, device="cuda") for x in host]
    inputs = [x.requires_grad_() for x in given[: workload.by]]

    def call() -> Any:
        value = workload.loss(TORCH, *given)
        return value.detach(), *torch.autograd.grad(value, inputs)

    return call


def _jax(workload: Workload, host: Sequence[np.ndarray]) -> Callable[[], Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    slopes = jax.value_and_grad(lambda *x: workload.loss(JAX, *x), tuple(range(workload.by)))
    function, given = jax.jit(slopes), [jax.numpy.asarray(x) for x in host]
    return lambda: jax.block_until_ready(function(*given))


def workloads() -> dict[str, Workload]:
    """Return all workloads by name."""
    from . import arrays, matrices, signals, sparse_matrices, special_functions

    return {
        name: workload
        for file in (arrays, matrices, special_functions, signals, sparse_matrices)
        for name, workload in file.WORKLOADS.items()
    }
