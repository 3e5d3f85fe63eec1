"""Factors on a CUDA device, made and used without a wait for it.

Matrices that have room in a block's shared memory, and batches of such, are factored by kernels of
ours (device_kernels.py): one launch a factorization and a solution, where cuSOLVER makes many for
one matrix, and where its kernels and those of cuBLAS for batches lose NaN and the digits of extreme
sizes. One larger matrix is left to these libraries, which see the transpose of an array in C order.
Nobody asks here whether it went well: what failed is an array on the device. The factors of what
failed, and of a matrix that is not finite, are NaN, and so are all solutions.
"""

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from .decompositions import nan_if_not_finite
from .device_kernels import (
    fits_column,
    fits_into_block,
    kernel,
    launch_factorization,
    launch_solution,
    launch_solution_by_columns,
)
from .matrices import hermitian

_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
_RIGHT, _UPPER = 1, 1  # cuBLAS's names of sides and triangles
_PLAIN, _TRANSPOSED, _ADJOINT = 0, 1, 2
_FEW = 8  # columns, each of which has a block of its own


def eliminate(a: Any, lost: int = 0) -> tuple[Any, Any] | None:
    """Return a solver for matrices (..., n, n) of CuPy, and the numbers of their first pivots that
    are 0, `lost` for one that is not finite; None for batches of matrices that are too large.
    """
    if fits_into_block(a.shape[-1], a.dtype):
        solver, info = _eliminated_together(_as_batch(a), lost)
        return solver, info.reshape(a.shape[:-2])
    return _eliminated_by_library(a, lost) if a.ndim == 2 else None


def examine_triangles(a: Any, lower: bool, lost: int = 1) -> tuple[Any, Any] | None:
    """Return the same for triangles, of which the other half is 0; with lost=1 the number of a
    diagonal element that is 0 stands for one that is not finite too.
    """
    if not fits_into_block(a.shape[-1], a.dtype) and a.ndim > 2:
        return None
    solver = Triangle(_as_batch(a), lower, None)
    mark, info = _examination(solver.a, None if solver.fits else nan_if_not_finite(a), lost)
    return solver._replace(mark=mark), info.reshape(a.shape[:-2])


def positive_factor(a: Any) -> tuple[Any, Any] | None:
    """Return l with l l^H = a, of which the lower triangle is read, and 1 for a matrix that has
    none, in place of 0; None for batches of matrices that are too large.
    """
    import cupy

    if not fits_into_block(a.shape[-1], a.dtype):
        return _positive_factor_by_library(a) if a.ndim == 2 else None
    batch = _as_batch(a)
    lower, info = cupy.empty_like(batch), cupy.empty(len(batch), np.int64)
    launch_factorization("factor_positive", batch, (lower, info))
    return lower.reshape(a.shape), info.reshape(a.shape[:-2])


def determine(factors: Any, info: Any) -> tuple[Any, Any, Any]:
    """Return sign, logarithm of the modulus, and value of the determinants of matrices that
    `eliminate` has factored.
    """
    import cupy

    lu, order, *mark = factors
    sign, value = cupy.empty(info.shape, lu.dtype), cupy.empty(info.shape, lu.dtype)
    logarithm = cupy.empty(info.shape, lu.dtype.char.lower())
    given = lu, order, mark[0] if mark else np.intp(0), info, sign, logarithm, value
    numbers = np.int32(lu.shape[-1]), np.int32(isinstance(factors, _Transposed))
    kernel("determine", 0, lu.dtype)((max(1, info.size),), (256,), (*given, *numbers))
    return sign, logarithm, value


def _as_batch(a: Any) -> Any:
    import cupy

    return cupy.ascontiguousarray(a.reshape(math.prod(a.shape[:-2]), *a.shape[-2:]))


def _examination(a: Any, rest: Any, lost: int) -> tuple[Any, Any]:
    """Return what is added to right-hand sides of triangles, 0 or NaN, and the numbers of diagonal
    elements that are 0; `rest` is not 0 if the triangle is not finite.
    """
    import cupy

    count, n, _ = a.shape
    info, mark = cupy.empty(count, np.int64), cupy.empty(count, a.dtype.char.lower())
    given = a, 0 if rest is None else rest, info, mark, np.int32(n), np.int32(lost)
    kernel("examine", 0, a.dtype)((count,), (min(1024, 32 * n),), given)
    return mark, info


# -- by kernels of ours


class Pivoted(NamedTuple):
    """P L U of each matrix of a batch (count, n, n)."""

    lu: Any
    order: Any

    marks_failures = True

    def __call__(self, b: Any, adjoint: bool) -> Any:
        return launch_solution("solve", self, b, adjoint)


def _eliminated_together(a: Any, lost: int) -> tuple[Pivoted, Any]:
    import cupy

    info = cupy.empty(len(a), np.int64)
    found = Pivoted(cupy.empty_like(a), cupy.empty(a.shape[:-1], np.int32))
    launch_factorization("factor", a, (*found, info), lost)
    return found, info


class Triangle(NamedTuple):
    """Triangles (count, n, n), and what is added to right-hand sides, NaN for those that fail."""

    a: Any
    lower: bool
    mark: Any

    marks_failures = True

    @property
    def fits(self) -> bool:
        return fits_into_block(self.a.shape[-1], self.a.dtype)

    def __call__(self, b: Any, adjoint: bool) -> Any:
        if self.fits:
            return launch_solution("solve_triangle", (self.a, self.mark), b, self.lower, adjoint)
        if b.shape[1] <= _FEW and fits_column(len(b), b.dtype):
            return launch_solution_by_columns(self.a, self.mark, b, self.lower, adjoint)
        return _solved_by_library(self, b, adjoint)


# -- by the vendor's libraries


class _Transposed(NamedTuple):
    """Factors of the transpose of a matrix, with such a mark."""

    lu: Any
    pivots: Any
    mark: Any

    marks_failures = True

    def __call__(self, b: Any, adjoint: bool) -> Any:
        import cupy

        n, columns = b.shape
        conjugated = adjoint and b.dtype.kind == "c"
        x, info = cupy.empty((columns, n), b.dtype), cupy.empty(1, np.int32)
        cupy.add(b.T.conj() if conjugated else b.T, self.mark, out=x)
        given = _PLAIN if adjoint else _TRANSPOSED, n, columns, self.lu.data.ptr, n
        _routine("cusolver", "getrs", b.dtype)(*given, *_pointers(self.pivots, x), n, info.data.ptr)
        return (cupy.conj(x, out=x) if conjugated else x).T


def _eliminated_by_library(a: Any, lost: int) -> tuple[_Transposed, Any]:
    import cupy

    n, lu, rest = len(a), cupy.array(a, order="C"), nan_if_not_finite(a)
    pivots, info = cupy.empty(n, np.int32), cupy.empty(1, np.int32)
    size = _routine("cusolver", "getrf_bufferSize", a.dtype)(n, n, lu.data.ptr, n)
    given = _pointers(cupy.empty(size, a.dtype), pivots, info)
    _routine("cusolver", "getrf", a.dtype)(n, n, lu.data.ptr, n, *given)
    mark, failed = _examination(lu[None], rest, lost)
    return _Transposed(lu, pivots, mark), failed[0]


def _solved_by_library(triangle: Triangle, b: Any, adjoint: bool) -> Any:
    """Return x with a x = b, which the library sees as x^T a^T = b^T."""
    import cupy

    n, columns = b.shape
    x = cupy.empty(b.shape, b.dtype)
    cupy.add(b, triangle.mark, out=x)
    uplo, one = _UPPER if triangle.lower else 1 - _UPPER, _number_one(b.dtype.char).ctypes.data
    given = _RIGHT, uplo, _ADJOINT if adjoint else _PLAIN, 0, columns, n, one
    _routine("cublas", "trsm", b.dtype)(*given, triangle.a.data.ptr, n, x.data.ptr, columns)
    return x


def _positive_factor_by_library(a: Any) -> tuple[Any, Any]:
    import cupy

    lower = cupy.tril(hermitian(a, True) if a.dtype.kind == "c" else a)
    n, code, info = len(a), cupy.empty(1, np.int32), cupy.empty((), np.int64)
    rest = nan_if_not_finite(lower)
    size = _routine("cusolver", "potrf_bufferSize", a.dtype)(_UPPER, n, lower.data.ptr, n)
    work = cupy.empty(size, a.dtype)
    given = _UPPER, n, lower.data.ptr, n, work.data.ptr, size, code.data.ptr
    _routine("cusolver", "potrf", a.dtype)(*given)
    blocks = min(1024, math.ceil(a.size / 1024))
    finish = kernel("finish_positive", 0, a.dtype)
    finish((blocks,), (256,), (lower, rest, code, info, np.int32(n)))
    return lower, info


def _routine(library: str, name: str, dtype: Any) -> Any:
    """Return a function of a library for a dtype, with the handle of this thread and device."""
    from cupy.cuda import device
    from cupy_backends.cuda import libs

    function = getattr(getattr(libs, library), _LETTERS[dtype.char] + name)
    return functools.partial(function, getattr(device, f"get_{library}_handle")())


def _pointers(*arrays: Any) -> tuple[int, ...]:
    return tuple(x.data.ptr for x in arrays)


@functools.cache
def _number_one(kind: str) -> np.ndarray:
    """Return the number 1, which a library reads from the host."""
    return np.ones((), kind)
