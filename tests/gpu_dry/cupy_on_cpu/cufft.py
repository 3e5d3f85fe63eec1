"""cuFFT by scipy.fft: the plans that CuPy's transforms create."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import scipy.fft

from .device_memory import calls, vector

_local = threading.local()
# By kind of transform, cufftType: C2C R2C C2R Z2Z D2Z Z2D; dtypes of input and output.
KINDS = {0x29: "FF", 0x2A: "fF", 0x2C: "Ff", 0x69: "DD", 0x6A: "dD", 0x6C: "Dd"}
FORWARD = -1


def transform(x: np.ndarray, kind: int, direction: int, shape: tuple[int, ...]) -> np.ndarray:
    """The transform of the axes of this shape, which are the last; none is scaled."""
    axes = tuple(range(-len(shape), 0))
    before, after = KINDS[kind]
    if before.islower():
        return scipy.fft.rfftn(x, axes=axes)
    if after.islower():
        return scipy.fft.irfftn(x, shape, axes=axes, norm="forward")
    return (
        scipy.fft.fftn(x, axes=axes)
        if direction == FORWARD
        else scipy.fft.ifftn(x, axes=axes, norm="forward")
    )


class Plan:
    """What plans of one and of several axes have in common."""

    gpus = None
    fft_type: int

    def __enter__(self) -> Plan:
        _local.plan = self
        return self

    def __exit__(self, *_: Any) -> None:
        _local.plan = None

    def output(self, a: Any, axis: int, halved: int, whole: int) -> tuple[tuple[int, ...], Any]:
        """Shape and dtype of the output: a real transform halves the last axis, its inverse makes
        it whole.
        """
        before, after = KINDS[self.fft_type]
        shape = list(a.shape)
        if before != after:
            shape[axis] = halved if before.islower() else whole
        return tuple(shape), np.dtype(after)

    def check(self, a: Any, out: Any) -> None:
        assert (a.dtype.char, out.dtype.char) == tuple(KINDS[self.fft_type]), (
            f"{a.dtype} -> {out.dtype} by kind {self.fft_type}"
        )
        calls["cufft"] += 1


class Plan1d(Plan):
    def __init__(self, nx, fft_type, batch, *, devices=None, out=None, prealloc_plan=0):
        from cupy.cuda import memory

        assert 0 <= nx < 2**31, "cuFFT counts in 32 bits"
        assert 0 <= batch < 2**31, "cuFFT counts in 32 bits"
        self.nx, self.fft_type, self.batch = int(nx), int(fft_type), int(batch)
        self.work_area = memory.alloc(64) if batch else None

    def fft(self, a, out, direction):
        self.check(a, out)
        before, after = KINDS[self.fft_type]
        half = self.nx // 2 + 1
        sizes = [
            half if own.isupper() and other.islower() else self.nx
            for own, other in ((before, after), (after, before))
        ]
        assert a.size >= self.batch * sizes[0], f"cuFFT out of bounds: {a.shape}"
        assert out.size >= self.batch * sizes[1], f"cuFFT out of bounds: {out.shape}"
        x = vector(a.data.ptr, self.batch * sizes[0], before).reshape(self.batch, sizes[0])
        y = vector(out.data.ptr, self.batch * sizes[1], after).reshape(self.batch, sizes[1])
        y[...] = transform(x, self.fft_type, direction, (self.nx,))

    def get_output_array(self, a, order="C"):
        import cupy

        return cupy.empty(*self.output(a, -1, a.shape[-1] // 2 + 1, self.nx))

    def check_output_array(self, a, out):
        shape, dtype = self.output(a, -1, a.shape[-1] // 2 + 1, self.nx)
        if out.shape != shape:
            raise ValueError(f"out must have shape {shape}.")
        if out.dtype != dtype:
            raise ValueError("out dtype mismatch")


class PlanNd(Plan):
    def __init__(self, shape, inembed, istride, idist, onembed, ostride, odist, fft_type, batch,
        order, last_axis,
                 last_size, *, prealloc_plan=0):  # fmt: skip
        from cupy.cuda import memory

        self.shape, self.fft_type, self.batch, self.order = tuple(shape), fft_type, batch, order
        self.places = (inembed, istride, idist), (onembed, ostride, odist)
        self.last_axis, self.last_size, self.work_area = last_axis, last_size, memory.alloc(64)

    def view(self, array: Any, embedded: Any, stride: int, distance: int) -> np.ndarray:
        """The elements of the batch in the memory of an array, by cuFFT's advanced data layout."""
        item = array.dtype.itemsize
        steps = [stride * int(np.prod(embedded[i + 1 :])) for i in range(len(embedded))]
        reach = sum((n - 1) * step for n, step in zip(embedded, steps, strict=True))
        numbers = vector(array.data.ptr, (self.batch - 1) * distance + reach + 1, array.dtype)
        strides = (distance * item, *(step * item for step in steps))
        return np.lib.stride_tricks.as_strided(numbers, (self.batch, *embedded), strides)

    def fft(self, a, out, direction):
        self.check(a, out)
        x, y = (
            self.view(array, *place) for array, place in zip((a, out), self.places, strict=True)
        )
        y[...] = transform(x.copy(), self.fft_type, direction, self.shape)

    def get_output_array(self, a, order="C"):
        import cupy

        return cupy.empty(
            *self.output(a, self.last_axis, self.last_size, self.last_size), order=order
        )

    def check_output_array(self, a, out):
        pass


def replace(module: Any) -> None:
    for plan in (Plan1d, PlanNd):
        plan.__module__ = module.__name__
        setattr(module, plan.__name__, plan)
    module.get_current_plan = lambda: getattr(_local, "plan", None)
    module.getVersion = lambda: 12000
    names = "CUFFT_C2C CUFFT_R2C CUFFT_C2R CUFFT_Z2Z CUFFT_D2Z CUFFT_Z2D"
    assert [getattr(module, name) for name in names.split()] == list(KINDS)
