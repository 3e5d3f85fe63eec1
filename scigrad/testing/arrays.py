"""Arrays of every backend, and the comparison that all laws use."""

from __future__ import annotations

from typing import Any

import numpy as np
import optree

import scigrad.numpy  # noqa: F401  (operators and methods of traced values)
from scigrad.autodiff_rules import Space, backends, raw
from scigrad.autodiff_rules.spaces import NAMESPACE, flatten

BACKENDS = ("numpy", "device", "cupy")


def make_array(x: Any, backend: str = "numpy") -> Any:
    """A container of NumPy arrays on a backend: "numpy", "cupy", or "device", the stand-in that refuses to become a
    host array, so that a hidden copy shows up on a machine without a GPU. Numbers and strings stay what they are."""
    if backend == "numpy":
        return x
    if backend not in BACKENDS:
        raise ValueError(f"backend must be one of {BACKENDS}, not {backend!r}")
    leaves, tree = flatten(x)
    return tree.unflatten([_on(leaf, backend) if isinstance(leaf, np.ndarray) else leaf for leaf in leaves])


def _on(x: np.ndarray, backend: str) -> Any:
    if backend == "cupy":
        return backends.namespace("cupy").asarray(x)
    from .device import DeviceArray

    return DeviceArray(x)


def to_host(x: Any) -> Any:
    """A container of arrays of any backend as NumPy arrays."""
    leaves, tree = flatten(x)
    return tree.unflatten([leaf.get() if hasattr(leaf, "get") and hasattr(leaf, "dtype") else leaf for leaf in leaves])


def assert_close(actual: Any, expected: Any, rtol: float = 1e-9, what: str = "result", floor: float = 0.0) -> None:
    """Raise AssertionError unless containers agree: structure (tuples and lists are alike), shapes, NaN and infinities
    exactly, numbers within `rtol` of the largest expected one of their array, or within `floor`. Sparse arrays are compared
    as the matrices they are, whatever the order of their values."""
    actual, expected = dense(to_host(actual)), dense(to_host(expected))
    found, tree = flatten(actual)
    wanted, other = flatten(expected)
    if _places(actual) != _places(expected):
        raise AssertionError(f"{what}: structure {tree} instead of {other}")
    for i, (a, e) in enumerate(zip(found, wanted, strict=True)):
        _assert_leaf(np.asarray(raw(a)), np.asarray(raw(e)), rtol, what if len(found) == 1 else f"{what}[{i}]", floor)


def dense(container: Any) -> Any:
    """A container with dense arrays in place of its sparse ones."""
    flatten(container)  # from here on the types in it are known
    return optree.tree_map(lambda x: x.toarray() if _is_sparse(x) else x, container, is_leaf=_is_sparse, namespace=NAMESPACE)


def _is_sparse(x: Any) -> bool:
    return hasattr(x, "tocsr")


def _places(container: Any) -> Any:
    """Where the leaves of a container are: the keys and positions that lead to each."""
    return optree.tree_paths(container, namespace=NAMESPACE)


def _assert_leaf(a: np.ndarray, e: np.ndarray, rtol: float, what: str, floor: float) -> None:
    if a.shape != e.shape:
        raise AssertionError(f"{what}: shape {a.shape} instead of {e.shape}")
    if e.dtype.kind not in "fc" and a.dtype.kind not in "fc":
        if not np.array_equal(a, e):
            raise AssertionError(f"{what}: {a!r} instead of {e!r}")
        return
    finite = np.isfinite(e)
    if not np.array_equal(a[~finite], e[~finite], equal_nan=True):
        raise AssertionError(f"{what}: {a[~finite]} instead of {e[~finite]} where the truth is not finite")
    scale = np.max(np.abs(e[finite]), initial=0.0)
    error = np.max(np.abs(a[finite] - e[finite]), initial=0.0)
    if not error <= max(rtol * scale, floor):
        place = np.unravel_index(int(np.argmax(np.where(finite, np.abs(a - np.where(finite, e, 0)), 0))), e.shape)
        raise AssertionError(f"{what}: off by {error:.3g} (relative {error / scale if scale else np.inf:.2e} > {rtol:.1e}) "
                             f"at {tuple(map(int, place))}: {a[place]} instead of {e[place]}")  # fmt: skip


def assert_space(x: Any, expected: Space, what: str) -> None:
    """Raise AssertionError unless an array has the shape and dtype of a space."""
    found = Space(np.shape(x), np.result_type(x) if not hasattr(x, "dtype") else x.dtype)
    if (found.shape, found.dtype) != (expected.shape, expected.dtype):
        raise AssertionError(f"{what}: {found.shape} {found.dtype} instead of {expected.shape} {expected.dtype}")
