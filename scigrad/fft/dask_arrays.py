"""Transforms of Dask arrays along axes that lie in one block, with rechunking between, for arrays
larger than memory.

A transform along several axes is a sequence of transforms along single ones. Axes that are whole in
every block are transformed first; then others are made whole while the rest is split, so that no
block exceeds the largest input block, unless a single line of the array does (one call of the
engine needs a line). Nothing is computed before the result is requested, by threads or by the
processes of a cluster.
"""

import functools
import importlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .arguments import lengths_and_axes


def is_dask(x: Any) -> bool:
    """Return whether x is a Dask array, without loading Dask."""
    return type(x).__module__.partition(".")[0] == "dask"


def transform_dask(
    name: str, x: Any, n: Any, axis: Any, norm: Any, *, plan: Any = None, **options: Any
) -> Any:
    """Return the transform `name` of a Dask array as a Dask array; n and axis are s and axes of
    transforms along several.
    """
    if plan is not None:
        raise ValueError(
            f"{name}: plan= is not available for Dask arrays, because each block is transformed "
            "by itself. Leave it out."
        )
    if any(math.isnan(m) for m in x.shape):
        raise ValueError(
            f"{name}: x is a Dask array of unknown shape {x.shape}. Call x.compute_chunk_sizes() "
            "before."
        )
    lengths, axes = _check_lengths(name, x, n, axis)
    limit = (
        math.prod(max(sizes) for sizes in x.chunks) * np.result_type(x.dtype, np.complex64).itemsize
    )
    options["norm"] = norm
    for one, several, group in _stages(name, axes):
        x = _transform_along(one, several, x, {a: lengths[a] for a in group}, limit, options)
    return x


def _check_lengths(name: str, x: Any, n: Any, axis: Any) -> tuple[dict[int, int | None], list[int]]:
    """Return the transformed axes, and the lengths on them: None for the default of irfft. Refusals
    are SciPy's.
    """
    try:
        lengths, axes = lengths_and_axes(x.shape, n, axis)
    except ValueError:
        raise ValueError(
            f"{name}: when given, axes and shape arguments have to be of the same length; they "
            f"are {axis}, {n}."
        ) from None
    except IndexError:
        kind, text = (
            (ValueError, "axes exceeds dimensionality of input")
            if name.endswith("n")
            else (IndexError, "axis out of range")
        )
        raise kind(f"{name}: {text}. x has shape {x.shape}; axes are {axis}.") from None
    axes = [a % x.ndim for a in axes]
    if len(set(axes)) != len(axes) or not axes:
        must = "all axes must be unique" if axes else "at least 1 axis must be transformed"
        raise ValueError(f"{name}: {must}; they are {axis}.")
    taken: dict[int, int | None] = dict(zip(axes, lengths, strict=True))
    if name.startswith("irfft") and n is None:
        taken[axes[-1]] = None
    for a, length in taken.items():
        length = 2 * (x.shape[a] - 1) if length is None else length
        if length < 1:
            raise ValueError(
                f"{name}: invalid number of data points ({length}) on axis {a}. x has shape "
                f"{x.shape}."
            )
    return taken, axes


def _stages(name: str, axes: list[int]) -> list[tuple[str, str, list[int]]]:
    """Return the sequence of transforms: (along one axis, along several, axes). A half spectrum is
    computed along the last axis, as the first stage of a forward and the last one of an inverse
    transform.
    """
    one = name.removesuffix("n")
    if one == "rfft":
        return [("rfft", "rfftn", axes[-1:]), ("fft", "fftn", axes[:-1])]
    if one == "irfft":
        return [("ifft", "ifftn", axes[:-1]), ("irfft", "irfftn", axes[-1:])]
    return [(one, one + "n", axes)]


def _transform_along(
    one: str,
    several: str,
    x: Any,
    lengths: dict[int, int | None],
    limit: int,
    options: dict[str, Any],
) -> Any:
    pending = list(lengths)
    while pending:
        whole = [a for a in pending if x.numblocks[a] == 1]
        if not whole:
            whole = _last_pending_axes(x, pending, limit)
            x = x.rechunk(
                {a: -1 if a in whole else "auto" for a in range(x.ndim)}, block_size_limit=limit
            )
        x = _transform_in_blocks(one, several, x, whole, [lengths[a] for a in whole], options)
        pending = [a for a in pending if a not in whole]
    return x


def _last_pending_axes(x: Any, pending: Sequence[int], limit: int) -> list[int]:
    """Return the last of the pending axes, with as many before it as may be whole together."""
    chosen, size = [pending[-1]], x.shape[pending[-1]] * x.dtype.itemsize
    for a in pending[-2::-1]:
        size *= x.shape[a]
        if size <= limit:
            chosen.insert(0, a)
    return chosen


def _transform_in_blocks(
    one: str, several: str, x: Any, axes: list[int], lengths: list[Any], options: dict[str, Any]
) -> Any:
    """Transform along axes that are whole in every block."""
    if len(axes) == 1:
        call = functools.partial(_transformed, one, {**options, "n": lengths[0], "axis": axes[0]})
    else:
        call = functools.partial(
            _transformed, several, {**options, "s": tuple(lengths), "axes": tuple(axes)}
        )
    # this call also validates `norm` and `type`
    dtype = call(np.zeros((2,) * x.ndim, x.dtype)).dtype
    chunks = list(x.chunks)
    for a, n in zip(axes, lengths, strict=True):
        chunks[a] = (_output_length(one, x.shape[a], n),)
    meta = np.empty_like(
        importlib.import_module("dask.array.utils").meta_from_array(x), dtype=dtype
    )
    return x.map_blocks(call, dtype=dtype, chunks=tuple(chunks), meta=meta)


def _output_length(one: str, m: int, n: int | None) -> int:
    if one == "irfft":
        return 2 * (m - 1) if n is None else n
    n = m if n is None else n
    return n // 2 + 1 if one == "rfft" else n


def _transformed(name: str, options: dict[str, Any], block: Any) -> Any:
    """Call a function of this room by its name, which is what is sent to the processes of a
    cluster.
    """
    return getattr(importlib.import_module("scigrad.fft"), name)(block, **options)


__all__ = ["is_dask", "transform_dask"]
