"""Values that a library computes for one problem at a time, without a derivative of their own."""

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant
from scigrad.autodiff_rules.containers import flatten, map_leaves


@constant
def call_library(arrays: Any, *, run: Callable[..., Any]) -> Any:
    """Return run(*arrays): an array, or a tuple of arrays. A batch is a loop over its elements, as
    the libraries have none.
    """
    return run(*arrays)


def call_library_on_containers(run: Callable[..., Any], *given: Any) -> Any:
    """Return run(*given) for containers of arrays, computed."""
    leaves, tree = flatten(given)
    return call_library(leaves, run=lambda *plain: run(*tree.unflatten(plain)))


@call_library.batched
def _(call: Any, batched: Any) -> Any:
    pairs = list(zip(call.arrays, batched.arrays, strict=True))
    size = next(x.shape[0] for x, own in pairs if own)
    rows = [[x[i] if own else x for x, own in pairs] for i in range(size)]
    if size:
        return map_leaves(
            lambda *column: _stack_results(column),
            *(call_library(row, run=call.run) for row in rows),
        )
    # shapes are asked for: those of any element
    anything = [_anything(x) if own else x for x, own in pairs]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return map_leaves(lambda x: np.stack([x])[:0], call_library(anything, run=call.run))


def _anything(x: Any) -> Any:
    return (
        (1.5 + np.cos(0.37 * np.arange(math.prod(x.shape[1:]), like=x) ** 2))
        .reshape(x.shape[1:])
        .astype(x.dtype)
    )


def _stack_results(column: Sequence[Any]) -> Any:
    """Stack arrays; a record that is shorter than others repeats its last value."""
    length = max((np.shape(x) or (0,))[-1] for x in column)
    last = [
        [(0, 0)] * (np.ndim(x) - 1) + [(0, length - x.shape[-1])] if np.ndim(x) else []
        for x in column
    ]
    return np.stack(
        [
            np.pad(x, by, "edge") if by and by[-1][1] else x
            for x, by in zip(column, last, strict=True)
        ]
    )


__all__ = ["call_library", "call_library_on_containers"]
