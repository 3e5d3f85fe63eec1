"""Functions of single matrices on the host, applied to each matrix of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.errors import missing_kernel

from . import failures


def each(name: str, one: Callable[..., tuple[Any, ...]], *arrays: Any, on_fail: str = "raise",
         argument: str = "a", kind: str = "no convergence") -> tuple[list[Any], Any]:  # fmt: skip
    """Return what one(*matrices) returns, each output for the whole batch, and info: 1 where it raises LinAlgError, -1 where a
    matrix is not finite. There the outputs are NaN, or 0 if integers; on_fail="raise" raises instead."""
    if (home := library(*arrays)) != "numpy":
        raise missing_kernel(f"linalg.{name}", home)
    lead, shape = np.broadcast_shapes(*(x.shape[:-2] for x in arrays)), arrays[0].shape
    if lead:
        arrays = tuple(np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in arrays)
    info, found = np.zeros(lead, np.intp), {}
    for index in np.ndindex(lead):
        matrices = [x[index] for x in arrays]
        if on_fail != "raise" and not all(np.isfinite(x).all() for x in matrices):
            info[index] = -1
            continue
        try:
            found[index] = one(*matrices)
        except failures.LinAlgError as error:
            if on_fail == "raise":
                raise failures.failure(name, argument, shape, index, kind, str(error)) from None
            info[index] = 1
    rows = list(found.values()) or [one(*map(_regular, arrays))]
    return [_joined(lead, found, [np.asarray(row[i]) for row in rows]) for i in range(len(rows[0]))], info[()]


def _regular(x: Any) -> Any:
    """A matrix for which nothing fails, of the order of those of an empty batch."""
    m, n = x.shape[-2:]
    return np.eye(n, dtype=x.dtype) if m == n else np.ones((m, n), x.dtype)


def _joined(lead: tuple[int, ...], places: Any, parts: list[Any]) -> Any:
    if lead == () and places:
        return parts[0][()]
    dtype = np.result_type(*{x.dtype for x in parts})
    out = np.full((*lead, *parts[0].shape), np.nan if dtype.kind in "fc" else 0, dtype)
    for index, part in zip(places, parts, strict=False):
        out[index] = part
    return out[()]


__all__ = ["each"]
