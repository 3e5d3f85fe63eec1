"""The library that transforms an array of the host: ducc0 where it measures faster, SciPy's
pocketfft elsewhere.

ducc0 (by M. Reinecke, the author of both) receives arrays of float32, float64 and dtypes that SciPy
promotes to them, not empty, with valid arguments. All other calls raise `Unsuited` and go to SciPy:
long doubles, end entries that are scaled otherwise than the norm implies, and invalid arguments, so
that errors are SciPy's own. Measurements: docs/adr/0015-the-fft-engine.md.
"""

import functools
import os
import sys
from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np

from scigrad.numpy.accelerators import accelerator

from . import long_lines, long_primes, slabs
from .arguments import lengths_and_axes, resize_axes

_TAKEN = frozenset(np.dtype(kind) for kind in "fdFD")
_PROMOTED = {np.dtype(kind): np.float64 for kind in "?bBhHiIlLqQ"} | {
    np.dtype(np.float16): np.float32
}
# factors of a forward transform; an inverse one has 2 minus these
_FACTOR = {None: 0, "backward": 0, "ortho": 1, "forward": 2}
_INVERSE_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}
_BEYOND_THE_CACHE = 2**22  # above this size (bytes) the passes that save memory traffic are faster


class Unsuited(Exception):
    """Raised for a call that SciPy answers, possibly with an error."""


@functools.cache
def ducc() -> Any:
    """Return the module of ducc0's transforms, or None if it cannot be used."""
    found = accelerator("ducc0")
    return None if found is None else found.fft


def transform_by_ducc(
    name: str, x: Any, n: Any, axis: Any, norm: Any, overwrite_x: Any, workers: Any, **options: Any
) -> Any:
    """Compute a transform of scipy.fft by ducc0, or raise Unsuited; n and axis are s and axes of
    those along several.
    """
    library = ducc()
    if library is None:
        raise Unsuited
    prepare, run, forward = _TRANSFORMS[name]
    try:
        factor = _FACTOR[norm] if forward else 2 - _FACTOR[norm]
        call = prepare(_promoted(x), n, axis)
    except (KeyError, TypeError, ValueError, IndexError):
        raise Unsuited from None
    if call[0].size >= long_primes.FIRST or call[2] >= long_primes.FIRST:
        library = long_primes.library_for(library, name, *call[:3], options.get("type", 2))
        if library is None:
            raise Unsuited
    return run(library, call, forward, factor, overwrite_x, threads(workers), **options)


def threads(workers: Any) -> int:
    """Return the number of threads that `workers` stands for: counted from the end if negative,
    that of set_workers if None.
    """
    if workers is None:
        loaded = sys.modules.get("scipy.fft")  # before it is loaded none has been set
        return 1 if loaded is None else loaded.get_workers()
    count = workers if workers > 0 else workers + 1 + (os.cpu_count() or 1)
    if type(workers) is not int or not workers or count < 1:
        raise Unsuited
    return count


# -- arguments: the array resized, the axes, the length of the output along the last, and whether
# the array is a copy


def _promoted(x: Any) -> Any:
    if x.dtype in _TAKEN:
        if not x.flags.aligned:
            raise Unsuited
        return x
    return x.astype(_PROMOTED[x.dtype])


def _one_axis(x: Any, n: Any, axis: Any) -> Any:
    length = x.shape[axis]
    copied = False
    if n is not None and index(n) != length:
        length = index(n)
        x, copied = resize_axes(x, (length,), (index(axis),))
    _leave_empty_arrays(x, (length,))
    return x, (axis,), length, copied


def _several_axes(x: Any, s: Any, axes: Any) -> Any:
    if x.dtype.char in "fF" and not x.flags.c_contiguous:
        # ducc0's last digits depend on the order in memory: SciPy's tests compare them for singles
        x = np.ascontiguousarray(x)
    if s is None and axes is None and x.ndim:
        _leave_empty_arrays(x, x.shape)
        return x, tuple(range(x.ndim)), x.shape[-1], False
    lengths, axes = lengths_and_axes(x.shape, s, axes)
    if len({a % x.ndim for a in axes}) != len(axes) or min(axes) < -x.ndim:
        raise Unsuited
    x, copied = resize_axes(x, lengths, axes)
    _leave_empty_arrays(x, lengths)
    return x, axes, lengths[-1], copied


def _half_of_one(x: Any, n: Any, axis: Any) -> Any:
    length = 2 * (x.shape[axis] - 1) if n is None else index(n)
    if length < 1:
        raise Unsuited
    return _output_length(_one_axis(x, length // 2 + 1, axis), length)


def _half_of_several(x: Any, s: Any, axes: Any) -> Any:
    lengths, axes = lengths_and_axes(x.shape, s, axes)
    length = 2 * (x.shape[axes[-1]] - 1) if s is None else lengths[-1]
    if length < 1:
        raise Unsuited
    return _output_length(_several_axes(x, (*lengths[:-1], length // 2 + 1), axes), length)


def _output_length(call: Any, length: int) -> Any:
    x, axes, _, copied = call
    _leave_empty_arrays(x, (length,))
    return x if x.dtype.kind == "c" else x + 0j, axes, length, copied


def _leave_empty_arrays(x: Any, lengths: Any) -> None:
    """Leave empty arrays to SciPy."""
    if not x.size or min(lengths) < 1:
        raise Unsuited


# -- calls of the library


def _may_be_overwritten(x: Any, copied: bool, overwrite: Any) -> bool:
    if overwrite and not x.flags.writeable:
        raise Unsuited  # an error of SciPy's
    return copied or overwrite


def _complex(
    library: Any, call: Any, forward: bool, factor: int, overwrite: Any, threads: int
) -> Any:
    x, axes, length, copied = call
    out = x if x.dtype.kind == "c" and _may_be_overwritten(x, copied, overwrite) else None
    if x.nbytes >= _BEYOND_THE_CACHE and x.dtype.kind == "c":
        if len(axes) == 1 and axes[0] in (-1, x.ndim - 1) and x.flags.c_contiguous:
            factors = long_lines.split(ducc(), length)
            if factors is not None:
                return long_lines.transform_in_steps(
                    library, x, *factors, forward, factor, threads, out
                )
        elif threads == 1 and slabs.suit(x, axes):
            return slabs.transform_in_slabs(library, x, axes, forward, factor, out)
    return library.c2c(x, axes, forward, factor, out, threads)


def _to_half(
    library: Any, call: Any, forward: bool, factor: int, _overwrite: Any, threads: int
) -> Any:
    x, axes, _, _ = call
    if x.dtype.kind == "c":
        raise Unsuited
    return library.r2c(x, axes, forward, factor, None, threads)


def _from_half(
    library: Any, call: Any, forward: bool, factor: int, _overwrite: Any, threads: int
) -> Any:
    x, axes, length, _ = call
    return library.c2r(x, axes, length, forward, factor, None, threads)


def _trigonometric(family: str) -> Callable[..., Any]:
    def run(library: Any, call: Any, forward: bool, factor: int, overwrite: Any, threads: int, *,
        type: Any,
            orthogonalize: Any) -> Any:  # fmt: skip
        x, axes, _, copied = call
        if not isinstance(type, int) or type not in _INVERSE_TYPE:
            raise Unsuited
        if orthogonalize is not None and orthogonalize is not (factor == 1):
            raise Unsuited  # ducc0 scales the end entries for "ortho", and only for that
        if type == 1 and family == "dct" and min(x.shape[a] for a in axes) == 1:
            raise Unsuited
        compute, type = getattr(library, family), type if forward else _INVERSE_TYPE[type]
        out = x if _may_be_overwritten(x, copied, overwrite) else None
        if x.dtype.kind != "c":
            return compute(x, type, axes, factor, out, threads)
        out = np.empty_like(x) if out is None else out
        compute(x.real, type, axes, factor, out.real, threads)
        compute(x.imag, type, axes, factor, out.imag, threads)
        return out

    return run


_dct, _dst = _trigonometric("dct"), _trigonometric("dst")
# How arguments are read, what computes, and whether forward.
_TRANSFORMS: dict[str, tuple[Callable[..., Any], Callable[..., Any], bool]] = {
    "fft": (_one_axis, _complex, True), "ifft": (_one_axis, _complex, False),
    "fftn": (_several_axes, _complex, True), "ifftn": (_several_axes, _complex, False),
    "rfft": (_one_axis, _to_half, True), "irfft": (_half_of_one, _from_half, False),
    "hfft": (_half_of_one, _from_half, True), "ihfft": (_one_axis, _to_half, False),
    "hfftn": (_half_of_several, _from_half, True), "ihfftn": (_several_axes, _to_half, False),
    "rfftn": (_several_axes, _to_half, True), "irfftn": (_half_of_several, _from_half, False),
    "dct": (_one_axis, _dct, True), "idct": (_one_axis, _dct, False),
    "dctn": (_several_axes, _dct, True), "idctn": (_several_axes, _dct, False),
    "dst": (_one_axis, _dst, True), "idst": (_one_axis, _dst, False),
    "dstn": (_several_axes, _dst, True), "idstn": (_several_axes, _dst, False),
}  # fmt: skip

__all__ = ["Unsuited", "ducc", "threads", "transform_by_ducc"]
