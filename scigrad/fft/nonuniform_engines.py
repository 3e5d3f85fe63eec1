"""Engines of non-uniform transforms: ducc0 or finufft on the CPU, cuFINUFFT on a GPU.

Measured on one thread (ducc0 0.42, finufft 2.5, interleaved; 10^5 to 10^6 points and 2^14 to 2^18
modes or a tenth as many targets, 1 to 3 dimensions, eps 1e-6 and 1e-12, 28 cases), ducc0 takes 0.29
to 1.00 of finufft's time, 0.58 in the median, and its error stays below eps where finufft's is up
to 6 eps. It is therefore preferred.
"""

from __future__ import annotations

import functools
import importlib
import math
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import MissingKernel, backends
from scigrad.numpy.accelerators import ABSENT, accelerator, why_not
from scigrad.numpy.transcendental import magnitude

from .nonuniform_plans import borrow_plan


class Options(NamedTuple):
    """Settings of a transform besides its arrays; `modes` is () for type 3."""

    modes: tuple[int, ...]
    isign: int
    eps: float
    modeord: int
    workers: int | None

    @property
    def opposite(self) -> Options:
        return self._replace(isign=-self.isign)


def transform_nonuniform(
    kind: int, values: Any, points: Any, targets: Any, options: Options
) -> Any:
    """Compute a transform of type `kind` of vectors (..., n) at points (..., m, d); modes are one
    axis, and all leading axes broadcast.

    One call of the engine takes all vectors with the same points. Points that differ over the batch
    are transformed one set after the other, because no engine takes several.
    """
    places: list[Any] = [points] if targets is None else [points, targets]
    lead = np.broadcast_shapes(values.shape[:-1], *(x.shape[:-2] for x in places))
    count = math.prod(options.modes) if kind == 1 else places[-1].shape[-2]
    dtype = np.result_type(values.dtype, *(x.dtype for x in places), np.complex64)
    if 0 in (*lead, count, values.shape[-1]):
        return np.zeros_like(values, shape=(*lead, count), dtype=dtype)
    rank = len(lead)
    sets = [
        a
        for a in range(rank)
        if any(x.ndim - 2 >= rank - a and x.shape[a - rank - 2] != 1 for x in places)
    ]
    order = [*sets, *(a for a in range(rank) if a not in sets), rank]
    many = np.broadcast_to(values, (*lead, values.shape[-1])).transpose(order)
    between = many.shape[:-1]
    outer, inner = math.prod(between[: len(sets)]), math.prod(between[len(sets) :])
    many = many.reshape((outer, inner, values.shape[-1])).astype(dtype, copy=False)
    x, *w = (_sets(p, lead, sets, dtype) for p in places)
    found = [_one(kind, many[i], x[i], w[0][i] if w else None, options) for i in range(outer)]
    whole = found[0][None] if outer == 1 else np.stack(found)
    return whole.reshape((*between, count)).transpose([order.index(a) for a in range(rank + 1)])


def _sets(points: Any, lead: tuple[int, ...], sets: list[int], dtype: Any) -> Any:
    """Return the sets of points that differ over the batch, (number of sets, m, d), in the real
    dtype of a complex one.
    """
    core, shape = points.shape[-2:], tuple(lead[a] for a in sets)
    points = points.reshape((*(1,) * (len(lead) + 2 - points.ndim), *points.shape))
    points = points[tuple(slice(None) if a in sets else 0 for a in range(len(lead)))]
    points = np.broadcast_to(points, (*shape, *core)).reshape((math.prod(shape), *core))
    return points.astype(dtype.char.lower(), copy=False)


def _one(kind: int, values: Any, points: Any, targets: Any, options: Options) -> Any:
    """Compute the transform of vectors (s, n) at points (m, d). Results that depend on a number
    that is not finite are nan.

    The engines themselves drop such numbers, or (a point, in finufft) write out of bounds.
    """
    run = engine(backends.library(values))
    if all(map(_seen_to_be_finite, (values, points, targets))):
        if kind == 3 and _few(points, targets):
            return _sum_directly(values, points, targets, options)
        return run(kind, values, points, targets, options).reshape((values.shape[0], -1))
    points, lost = _finite(points)
    spoiled = ~np.isfinite(values).all(axis=-1)[:, None] | (lost if kind == 2 else lost.any())
    if targets is not None:
        targets, lost = _finite(targets)
        spoiled = spoiled | lost
    found = run(kind, values, points, targets, options)
    return np.where(spoiled, complex(np.nan, np.nan), found.reshape((values.shape[0], -1)))


def _seen_to_be_finite(x: Any) -> bool:
    """Return whether one pass on the host shows that all numbers are finite: their sum is."""
    with np.errstate(all="ignore"):
        return x is None or (isinstance(x, np.ndarray) and bool(np.isfinite(x.sum())))


def _few(points: Any, targets: Any) -> bool:
    """Return whether the terms of a transform of type 3 are no more than the points of the grid
    that an engine would use.

    The grid grows with the product of the ranges, without bound for a few points far apart.
    """
    ranges = np.ptp(points, axis=0).astype(float) * np.ptp(targets, axis=0)
    return len(points) * len(targets) <= math.prod(0.4 * r + 16 for r in ranges)


def _sum_directly(values: Any, points: Any, targets: Any, options: Options) -> Any:
    """Compute type 3 by its definition, in double precision."""
    x, step = points.astype(float).T, max(1, 2**20 // len(points))
    waves = (
        np.exp(1j * options.isign * (targets[i : i + step] @ x))
        for i in range(0, len(targets), step)
    )
    return np.concatenate([values @ w.T for w in waves], axis=-1).astype(values.dtype, copy=False)


def _finite(points: Any) -> tuple[Any, Any]:
    finite = np.isfinite(points)
    return np.where(finite, points, 0), ~finite.all(axis=-1)


# -- the engines: (kind, values (s, n), points (m, d), targets, options) -> (s, m) or (s, *modes)


def ducc0(kind: int, values: Any, points: Any, targets: Any, options: Options) -> Any:
    nufft = accelerator("ducc0").nufft
    # it skips points whose strength has the square 0
    if kind != 2 and points.shape[-1] > 1 and _squares_vanish(values):
        size = magnitude(values)[:, None]
        return (
            ducc0(kind, values / size, points, targets, options).reshape((len(values), -1)) * size
        )
    reach = nufft.bestEpsilon(ndim=points.shape[-1], singleprec=values.dtype == np.complex64)
    if kind == 3:
        reach *= 2.1  # two transforms, one inside the other, share the error
    common = {"epsilon": max(options.eps, reach), "nthreads": threads(options.workers)}
    forward = options.isign < 0
    if kind == 3:
        # a transform the other way round is the adjoint of one, by the same plan
        turned = _comes_first(targets, points)
        places = (targets, points) if turned else (points, targets)
        make = functools.partial(nufft.experimental.plan3, **common)
        with borrow_plan(
            (3, *common.values()), places, lambda x, w: make(coord_in=x, coord_out=w)
        ) as plan:
            run = plan.exec_adjoint if turned else plan.exec
            return run(points_in=values, forward=forward != turned)
    common |= {"grid_shape": options.modes, "fft_order": options.modeord == 1}
    with borrow_plan(
        (*common.values(),), (points,), lambda x: nufft.plan(nu2u=True, coord=x, **common)
    ) as plan:
        if kind == 1:
            out = np.empty((values.shape[0], *options.modes), values.dtype)
            return plan.nu2u(points=values, forward=forward, out=out)
        return plan.u2nu(grid=values.reshape((values.shape[0], *options.modes)), forward=forward)


def _squares_vanish(values: Any) -> bool:
    """Return whether in some vector the square of a number that counts, eps times the largest, is
    below the normal ones.
    """
    limits = np.finfo(values.dtype)
    largest = np.maximum(np.abs(values.real).max(axis=-1), np.abs(values.imag).max(axis=-1))
    return bool(np.any((largest > 0) & (limits.eps * largest < math.sqrt(limits.tiny))))


def _comes_first(x: Any, y: Any) -> bool:
    """Order two sets of points in some way, the larger one first."""
    return (len(x), *x[0]) > (len(y), *y[0])


def finufft(kind: int, values: Any, points: Any, targets: Any, options: Options) -> Any:
    # it warns below, and reaches no more
    eps = max(options.eps, 1e-6 if values.dtype == np.complex64 else 1e-14)
    return _call_planned(
        "finufft",
        kind,
        values,
        points,
        targets,
        options._replace(eps=eps),
        nthreads=threads(options.workers),
    )


def cufinufft(kind: int, values: Any, points: Any, targets: Any, options: Options) -> Any:
    stream = importlib.import_module("cupy").cuda.get_current_stream().ptr
    return _call_planned("cufinufft", kind, values, points, targets, options, gpu_stream=stream)


def _call_planned(
    name: str, kind: int, values: Any, points: Any, targets: Any, options: Options, **others: Any
) -> Any:
    """Call finufft or cuFINUFFT by their common interface."""
    count, modes = values.shape[0], points.shape[-1] if kind == 3 else options.modes
    if kind != 3:
        others["modeord"] = options.modeord
    plan = accelerator(name).Plan(
        kind, modes, count, options.eps, options.isign, dtype=str(values.dtype), **others
    )
    x = [*(np.ascontiguousarray(p) for p in points.T), None, None][:3]
    plan.setpts(*x, *([] if targets is None else [np.ascontiguousarray(p) for p in targets.T]))
    return plan.execute(
        np.ascontiguousarray(values.reshape((count, *modes)) if kind == 2 else values)
    )


def threads(workers: int | None) -> int:
    """Return the number of threads that `workers` stands for in scipy.fft."""
    if workers is None:
        return importlib.import_module("scipy.fft").get_workers()
    cores = os.cpu_count() or 1
    if workers == 0 or workers < -cores:
        raise ValueError(
            f"workers must be a positive number of threads, or a number from -1 (all {cores} "
            f"cores) down to {-cores} (one core), not {workers}."
        )
    return workers if workers > 0 else cores + 1 + workers


_ENGINES: dict[str, tuple[Callable[..., Any], ...]] = {
    "numpy": (ducc0, finufft),
    "cupy": (cufinufft,),
}


@functools.cache
def engine(library: str) -> Callable[..., Any]:
    """Return the first engine for arrays of a library that can be used."""
    engines = _ENGINES.get(library, ())
    for found in engines:
        if accelerator(found.__name__) is not None:
            return found
    broken = "".join(
        f"{each.__name__} cannot be used ({why_not(each.__name__)}). "
        for each in engines
        if why_not(each.__name__) != ABSENT
    )
    names = " or ".join(found.__name__ for found in engines)
    advice = f"pip install {names}" if names else "none is known for it"
    if library != "numpy":
        advice += (
            "; or move the data to the host explicitly (cupy.asnumpy(x)), where ducc0 and "
            "finufft work"
        )
    raise MissingKernel(
        f"a non-uniform transform of {library} arrays needs an engine that is not installed: "
        f"{broken}{advice}."
    )


__all__ = ["Options", "engine", "threads", "transform_nonuniform"]
