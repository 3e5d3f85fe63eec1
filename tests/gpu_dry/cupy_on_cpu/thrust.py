"""Thrust's sorts by NumPy's."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .device_memory import counted, vector

SORTABLE = "?bBhHiIlLqQefdFD"


def sort(dtype, data, keys, shape):
    vector(data, math.prod(shape), dtype).reshape(shape).sort(axis=-1)


def argsort(dtype, indices, data, keys, shape):
    values = vector(data, math.prod(shape), dtype).reshape(shape)
    order = np.argsort(values, axis=-1, kind="stable")
    vector(indices, values.size, np.intp).reshape(shape)[...] = order
    values[...] = np.take_along_axis(values, order, -1)


def lexsort(dtype, indices, keys, k, n):
    vector(indices, n, np.intp)[...] = np.lexsort(vector(keys, k * n, dtype).reshape(k, n))


def checked(function: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(function)
    def run(dtype, *args):
        if np.dtype(dtype).char not in SORTABLE:
            raise NotImplementedError(f"Sorting arrays with dtype '{dtype}' is not supported")
        function(dtype, *args)

    return run


def replace(module: Any) -> None:
    for function in (sort, argsort, lexsort):
        setattr(module, function.__name__, counted(function.__name__, checked(function)))
