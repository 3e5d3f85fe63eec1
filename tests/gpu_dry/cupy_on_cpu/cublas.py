"""cuBLAS by NumPy, SciPy's BLAS and LAPACK."""

from typing import Any

import numpy as np
from scipy.linalg import blas, lapack

from .device_memory import (
    CUDA_TYPES,
    LETTERS,
    Routines,
    calls,
    close,
    constant,
    matrices,
    matrix,
    number,
    operand,
    operands,
    pointers,
    real,
    store,
    update,
    vector,
)

routine = Routines()


@routine("gemm")
def gemm(dtype, handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc):
    product = operand(a, ta, m, k, lda, dtype) @ operand(b, tb, k, n, ldb, dtype)
    update(matrix(c, m, n, ldc, dtype), number(alpha, dtype), product, number(beta, dtype))


@routine("gemmBatched")
def gemm_batched(dtype, handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch):
    for each in zip(*(pointers(p, batch) for p in (a, b, c)), strict=True):
        gemm(dtype, handle, ta, tb, m, n, k, alpha, each[0], lda, each[1], ldb, beta, each[2], ldc)


def gemm_ex(
    handle,
    ta,
    tb,
    m,
    n,
    k,
    alpha,
    a,
    type_a,
    lda,
    b,
    type_b,
    ldb,
    beta,
    c,
    type_c,
    ldc,
    compute=None,
    algorithm=None,
):
    gemm_strided(
        handle,
        ta,
        tb,
        m,
        n,
        k,
        alpha,
        a,
        type_a,
        lda,
        0,
        b,
        type_b,
        ldb,
        0,
        beta,
        c,
        type_c,
        ldc,
        0,
        1,
        None,
        None,
    )


def gemm_strided(handle, ta, tb, m, n, k, alpha, a, type_a, lda, step_a, b, type_b, ldb, step_b,
    beta,
                 c, type_c, ldc, step_c, batch, compute, algorithm):  # fmt: skip
    calls["gemmEx"] += 1
    dtype = CUDA_TYPES[type_c]
    wide = np.float32 if dtype is np.float16 else dtype
    left = operands(a, ta, m, k, lda, CUDA_TYPES[type_a], step_a, batch)
    right = operands(b, tb, k, n, ldb, CUDA_TYPES[type_b], step_b, batch)
    out = matrices(c, m, n, ldc, dtype, step_c, batch)
    update(
        out,
        number(alpha, wide),
        left.astype(wide, copy=False) @ right.astype(wide, copy=False),
        number(beta, wide),
    )


@routine("gemv")
def gemv(dtype, handle, trans, m, n, alpha, a, lda, x, step_x, beta, y, step_y):
    left = operand(a, trans, *((m, n) if trans == 0 else (n, m)), lda, dtype)
    product = left @ vector(x, left.shape[1], dtype, step_x)
    update(
        vector(y, left.shape[0], dtype, step_y), number(alpha, dtype), product, number(beta, dtype)
    )


@routine("trsm")
def trsm(dtype, handle, side, uplo, trans, diagonal, m, n, alpha, a, lda, b, ldb):
    out, k = matrix(b, m, n, ldb, dtype), m if side == 0 else n
    if out.size:
        solve = getattr(blas, f"{LETTERS[dtype]}trsm")
        triangle, right = (np.array(x, order="F") for x in (matrix(a, k, k, lda, dtype), out))
        with np.errstate(all="ignore"):
            out[...] = solve(
                number(alpha, dtype), triangle, right, side, uplo == 0, trans, diagonal
            )


@routine("trsmBatched")
def trsm_batched(dtype, handle, side, uplo, trans, diagonal, m, n, alpha, a, lda, b, ldb, batch):
    for own_a, own_b in zip(pointers(a, batch), pointers(b, batch), strict=True):
        trsm(dtype, handle, side, uplo, trans, diagonal, m, n, alpha, own_a, lda, own_b, ldb)


def of_lapack(dtype: Any, name: str) -> Any:
    return getattr(lapack, LETTERS[dtype] + name)


def without_digits(result: np.ndarray, *of: np.ndarray) -> np.ndarray:
    """What a batched kernel returns for matrices whose squares under- or overflow, as the vendor's
    do: 1 percent of error.
    """
    sizes = [float(np.abs(x[np.isfinite(x)]).max(initial=0)) for x in of]
    fits = all(size == 0 or 1e-100 < size < 1e100 for size in sizes)
    return (
        result
        if fits
        else result * (1 + 0.01 * np.cos(np.arange(result.size).reshape(result.shape)))
    )


@routine("getrfBatched")
def getrf_batched(dtype, handle, n, a, lda, pivots, info, batch):
    for i, own in enumerate(pointers(a, batch)):
        x = matrix(own, n, n, lda, dtype)
        x[...], order, status = of_lapack(dtype, "getrf")(np.array(x, order="F"))
        if pivots:
            vector(pivots + 4 * n * i, n, np.int32)[...] = order + 1
        store(info + 4 * i, status)


@routine("getriBatched")
def getri_batched(dtype, handle, n, a, lda, pivots, c, ldc, info, batch):
    for i, (own_a, own_c) in enumerate(zip(pointers(a, batch), pointers(c, batch), strict=True)):
        factors = np.array(matrix(own_a, n, n, lda, dtype), order="F")
        inverse, status = of_lapack(dtype, "getri")(
            factors, vector(pivots + 4 * n * i, n, np.int32) - 1
        )
        matrix(own_c, n, n, ldc, dtype)[...] = (
            without_digits(inverse, factors) if status == 0 else np.nan
        )
        store(info + 4 * i, status)


@routine("getrsBatched")
def getrs_batched(dtype, handle, trans, n, columns, a, lda, pivots, b, ldb, info, batch):
    for i, (own_a, own_b) in enumerate(zip(pointers(a, batch), pointers(b, batch), strict=True)):
        factors, out = (
            np.array(matrix(own_a, n, n, lda, dtype), order="F"),
            matrix(own_b, n, columns, ldb, dtype),
        )
        order = vector(pivots + 4 * n * i, n, np.int32) - 1
        out[...] = of_lapack(dtype, "getrs")(factors, order, np.array(out, order="F"), trans=trans)[
            0
        ]
    store(info, 0)  # on the host, in cuBLAS too
    return 0


@routine("geam")
def geam(dtype, handle, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc):
    left, right = operand(a, ta, m, n, lda, dtype), operand(b, tb, m, n, ldb, dtype)
    matrix(c, m, n, ldc, dtype)[...] = number(alpha, dtype) * left + number(beta, dtype) * right


@routine("dgmm")
def dgmm(dtype, handle, mode, m, n, a, lda, x, step, c, ldc):
    left, diagonal = matrix(a, m, n, lda, dtype), vector(x, m if mode == 0 else n, dtype, step)
    matrix(c, m, n, ldc, dtype)[...] = diagonal[:, None] * left if mode == 0 else left * diagonal


@routine("axpy")
def axpy(dtype, handle, n, alpha, x, step_x, y, step_y):
    vector(y, n, dtype, step_y)[...] += number(alpha, dtype) * vector(x, n, dtype, step_x)


@routine("scal")
def scal(dtype, handle, n, alpha, x, step):
    vector(x, n, dtype, step)[...] *= number(alpha, dtype)


@routine("ger", "geru")
def geru(dtype, handle, m, n, alpha, x, step_x, y, step_y, a, lda):
    matrix(a, m, n, lda, dtype)[...] += number(alpha, dtype) * np.outer(
        vector(x, m, dtype, step_x), vector(y, n, dtype, step_y)
    )


@routine("gerc")
def gerc(dtype, handle, m, n, alpha, x, step_x, y, step_y, a, lda):
    outer = np.outer(vector(x, m, dtype, step_x), vector(y, n, dtype, step_y).conj())
    matrix(a, m, n, lda, dtype)[...] += number(alpha, dtype) * outer


@routine("dot", "dotu")
def dotu(dtype, handle, n, x, step_x, y, step_y, result):
    store(result, vector(x, n, dtype, step_x) @ vector(y, n, dtype, step_y), dtype)


@routine("dotc")
def dotc(dtype, handle, n, x, step_x, y, step_y, result):
    store(result, np.vdot(vector(x, n, dtype, step_x), vector(y, n, dtype, step_y)), dtype)


@routine("nrm2")
def nrm2(dtype, handle, n, x, step, result):
    store(result, np.linalg.norm(vector(x, n, dtype, step)), real(dtype))


def spelled(letter: str, name: str) -> str:
    """BLAS names a routine by the precision of its result first: dznrm2."""
    return {"c": "sc", "z": "dz"}.get(letter, letter) + name if name == "nrm2" else letter + name


def replace(module: Any) -> None:
    close(module)
    routine.put_in(module, spelled)
    module.sgemmEx = module.gemmEx = gemm_ex
    module.gemmStridedBatchedEx = gemm_strided
    constant(module, 1, "create")
    constant(module, 0, "getStream getPointerMode getMathMode")
    constant(module, 130000, "getVersion")
    constant(module, None, "destroy setStream setPointerMode setMathMode setAtomicsMode")
