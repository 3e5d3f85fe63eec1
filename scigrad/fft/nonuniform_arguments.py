"""Arguments of a non-uniform transform: conversion, checks and error messages."""

import operator
from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw
from scigrad.numpy.joining import assemble

from .arguments import integers
from .dask_arrays import is_dask
from .nonuniform_engines import Options


def arrays_of(name: str, **arrays: Any) -> tuple[Any, ...]:
    """Return the first array, and each other one as points (..., m, d)."""
    first, *places = arrays.items()
    return (_array(name, *first), *(_points(name, key, x) for key, x in places))


def _array(name: str, key: str, x: Any) -> Any:
    x = assemble(x)
    if is_dask(raw(x)):
        raise TypeError(
            f"{name}: {key} is a Dask array, which the engines do not take. Add up the transforms "
            "of blocks of points (types 1, 3), or map over blocks of points (type 2)."
        )
    if x.dtype.kind not in "fciub" or x.dtype.char in "gG":
        raise TypeError(
            f"{name}: {key} has dtype {x.dtype}; real and complex numbers up to double precision "
            "are transformed."
        )
    # the rules multiply by the modes
    return x if x.dtype.char in "fdFD" else x.astype(np.result_type(x.dtype, np.float32))


def _points(name: str, key: str, x: Any) -> Any:
    if isinstance(x, tuple):
        coordinates = [_array(name, key, part) for part in x]
        shapes = {part.shape for part in coordinates}
        if not 1 <= len(coordinates) <= 3 or len(shapes) > 1:
            raise ValueError(
                f"{name}: {key} as a tuple holds one to three arrays of one shape, not "
                f"{[p.shape for p in coordinates]}."
            )
        x = np.stack(coordinates, axis=-1)
    x = _array(name, key, x)
    if x.dtype.kind == "c":
        raise TypeError(
            f"{name}: {key} must be real, but has dtype {x.dtype}. Take numpy.real({key}) if its "
            "imaginary part is zero."
        )
    if x.ndim == 1:
        x = x.reshape((*x.shape, 1))
    if x.ndim == 0 or not 1 <= x.shape[-1] <= 3:
        raise ValueError(
            f"{name}: {key} has shape {x.shape}; its last axis holds the coordinates of a point, "
            f"one to three. Coordinates in arrays of their own are given as a tuple, {key}=(x, y)."
        )
    return x


def options_of(name: str, modes: Any, eps: Any, isign: Any, modeord: Any, workers: Any) -> Options:
    """Return the options, checked."""
    try:
        lengths = integers(modes)
    except TypeError:
        raise TypeError(
            f"{name}: modes are numbers of modes on each axis, integers, not {modes!r}."
        ) from None
    if any(n < 0 for n in lengths):
        raise ValueError(f"{name}: modes are {lengths}; a number of modes is not negative.")
    if not 0 < eps < 1:
        raise ValueError(
            f"{name}: eps is a relative error between 0 and 1, such as 1e-6, not {eps!r}."
        )
    if isign not in (1, -1):
        raise ValueError(f"{name}: isign must be 1 or -1, not {isign!r}.")
    if modeord not in (0, 1):
        raise ValueError(
            f"{name}: modeord must be 0 (modes from -n//2 on) or 1 (the order of fft), not "
            f"{modeord!r}."
        )
    return Options(
        lengths,
        int(isign),
        float(eps),
        int(modeord),
        None if workers is None else operator.index(workers),
    )


def shapes_of(
    name: str, first: tuple[str, Any], points: Any, d: int, modes: bool = False, targets: Any = None
) -> None:
    """Refuse arrays that do not fit each other: strengths and points, modes and coordinates,
    batches.
    """
    key, x = first
    if points.shape[-1] != d:
        raise ValueError(
            f"{name}: points of shape {points.shape} have {points.shape[-1]} coordinates, but "
            f"there are modes on {d} axes."
        )
    if modes and x.ndim < d:
        raise ValueError(
            f"{name}: {key} of shape {x.shape} has fewer axes than the points' {d} coordinates "
            f"(shape {points.shape})."
        )
    if not modes and (not x.ndim or x.shape[-1] != points.shape[-2]):
        raise ValueError(
            f"{name}: {key} of shape {x.shape} needs one value for each of the points, whose "
            f"shape is {points.shape}."
        )
    if targets is not None and targets.shape[-1] != d:
        raise ValueError(
            f"{name}: targets of shape {targets.shape} have {targets.shape[-1]} coordinates, but "
            f"points of shape {points.shape} have {d}."
        )
    batches = [
        x.shape[: -d if modes else -1],
        *(p.shape[:-2] for p in (points, targets) if p is not None),
    ]
    try:
        np.broadcast_shapes(*batches)
    except ValueError:
        raise ValueError(
            f"{name}: the leading axes of {key}, points and targets do not broadcast: {batches}."
        ) from None


__all__ = ["arrays_of", "options_of", "shapes_of"]
