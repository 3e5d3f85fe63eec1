"""cuSOLVER by LAPACK: factorizations of dense matrices. The sizes of workspaces are whatever is
large enough.
"""

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse

from .cublas import of_lapack, without_digits
from .device_memory import (
    CUDA_TYPES,
    PRECISIONS,
    Routines,
    calls,
    close,
    constant,
    counted,
    matrix,
    pointers,
    real,
    store,
    vector,
)

routine = Routines()


def fortran(x: np.ndarray) -> np.ndarray:
    return np.array(x, order="F")


def is_complex(dtype: Any) -> bool:
    return np.dtype(dtype).kind == "c"


@routine("potrf")
def potrf(dtype, handle, uplo, n, a, lda, work, size, info):
    x = matrix(a, n, n, lda, dtype)
    x[...], status = of_lapack(dtype, "potrf")(fortran(x), lower=uplo == 0, clean=0)
    store(info, status)


@routine("potrfBatched")
def potrf_batched(dtype, handle, uplo, n, a, lda, info, batch):
    for i, own in enumerate(pointers(a, batch)):
        potrf(dtype, handle, uplo, n, own, lda, 0, 0, info + 4 * i)


@routine("potrs")
def potrs(dtype, handle, uplo, n, columns, a, lda, b, ldb, info):
    x = matrix(b, n, columns, ldb, dtype)
    x[...] = of_lapack(dtype, "potrs")(
        fortran(matrix(a, n, n, lda, dtype)), fortran(x), lower=uplo == 0
    )[0]
    store(info, 0)


@routine("potrsBatched")
def potrs_batched(dtype, handle, uplo, n, columns, a, lda, b, ldb, info, batch):
    for own_a, own_b in zip(pointers(a, batch), pointers(b, batch), strict=True):
        potrs(dtype, handle, uplo, n, columns, own_a, lda, own_b, ldb, info)


@routine("getrf")
def getrf(dtype, handle, m, n, a, lda, work, pivots, info):
    x, status = matrix(a, m, n, lda, dtype), 0
    if x.size:
        finite = np.isfinite(x).all()
        x[...], order, status = of_lapack(dtype, "getrf")(fortran(x))
        if not finite:
            x[0, 0] = 0  # NaN is lost, as in cuSOLVER
        if pivots:
            vector(pivots, min(m, n), np.int32)[...] = order + 1
    store(info, status)


@routine("getrs")
def getrs(dtype, handle, trans, n, columns, a, lda, pivots, b, ldb, info):
    x = matrix(b, n, columns, ldb, dtype)
    if x.size:
        factors, order = fortran(matrix(a, n, n, lda, dtype)), vector(pivots, n, np.int32) - 1
        x[...] = of_lapack(dtype, "getrs")(factors, order, fortran(x), trans=trans)[0]
    store(info, 0)


@routine("geqrf")
def geqrf(dtype, handle, m, n, a, lda, tau, work, size, info):
    x = matrix(a, m, n, lda, dtype)
    x[...], vector(tau, min(m, n), dtype)[...], _, status = of_lapack(dtype, "geqrf")(fortran(x))
    store(info, status)


@routine("gqr")
def orgqr(dtype, handle, m, n, k, a, lda, tau, work, size, info):
    x = matrix(a, m, n, lda, dtype)
    generate = of_lapack(dtype, "ungqr" if is_complex(dtype) else "orgqr")
    x[...], _, status = generate(fortran(x), vector(tau, k, dtype).copy())
    store(info, status)


@routine("mqr")
def ormqr(dtype, handle, side, trans, m, n, k, a, lda, tau, c, ldc, work, size, info):
    x, rows = matrix(c, m, n, ldc, dtype), m if side == 0 else n
    multiply = of_lapack(dtype, "unmqr" if is_complex(dtype) else "ormqr")
    letter = "N" if trans == 0 else "C" if is_complex(dtype) else "T"
    reflectors, factors = fortran(matrix(a, rows, k, lda, dtype)), vector(tau, k, dtype).copy()
    x[...], _, status = multiply(
        "LR"[side], letter, reflectors, factors, fortran(x), 64 * max(m, n, 1)
    )
    store(info, status)


def singular(a: np.ndarray, full: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """u, s and v^H; nan where a number is not finite."""
    if np.isfinite(a).all():
        return np.linalg.svd(a, full_matrices=full)
    m, n = a.shape
    return np.full((m, m), np.nan), np.full(min(m, n), np.nan), np.full((n, n), np.nan)


@routine("gesvd")
def gesvd(dtype, handle, job_u, job_v, m, n, a, lda, s, u, ldu, v, ldv, work, size, rwork, info):
    assert m >= n, "cuSOLVER: gesvd takes no matrix with more columns than rows"
    x, k = matrix(a, m, n, lda, dtype), min(m, n)
    left, vector(s, k, real(dtype))[...], right = singular(x)
    for job, pointer, leading, wanted in ((chr(job_u), u, ldu, left), (chr(job_v), v, ldv, right)):
        rows = wanted if job == "A" else wanted[:, :k] if wanted is left else wanted[:k]
        if job in "AS":
            matrix(pointer, *rows.shape, leading, dtype)[...] = rows
        elif job == "O":
            x[tuple(map(slice, rows.shape))] = rows
    store(info, 0)


@routine("gesvdj")
def gesvdj(dtype, handle, job, economy, m, n, a, lda, s, u, ldu, v, ldv, work, size, info, params):
    left, vector(s, min(m, n), real(dtype))[...], right = singular(
        matrix(a, m, n, lda, dtype), full=not economy
    )
    if job:
        matrix(u, *left.shape, ldu, dtype)[...] = left
        matrix(v, *right.T.shape, ldv, dtype)[...] = right.conj().T
    store(info, 0)


@routine("gesvdjBatched")
def gesvdj_batched(
    dtype, handle, job, m, n, a, lda, s, u, ldu, v, ldv, work, size, info, params, batch
):
    assert max(m, n) <= 32, "cuSOLVER: gesvdjBatched takes up to 32 rows and columns"
    item, number = np.dtype(dtype).itemsize, np.dtype(real(dtype)).itemsize
    for i in range(batch):
        own = (
            a + i * lda * n * item,
            lda,
            s + i * min(m, n) * number,
            u + i * ldu * m * item,
            ldu,
            v + i * ldv * n * item,
            ldv,
        )
        x = given_to_a_batch(matrix(own[0], m, n, lda, dtype))
        gesvdj(dtype, handle, job, 0, m, n, *own, work, size, info + 4 * i, params)
        for found in [
            vector(own[2], min(m, n), real(dtype)),
            *([matrix(own[3], m, m, ldu, dtype)] if job else []),
        ]:
            found[...] = without_digits(found, x)


def given_to_a_batch(x: np.ndarray) -> np.ndarray:
    """A copy of the matrix, in which cuSOLVER's batched kernels lose NaN: their results are finite
    then.
    """
    given = x.copy()
    x[...] = np.where(np.isfinite(x), x, 0)
    return given


def hermitian(a: np.ndarray, uplo: int, vectors: int, values: np.ndarray) -> None:
    """Eigenvalues, and the eigenvectors in place of the matrix, which is destroyed if they are not
    wanted.
    """
    triangle = "L" if uplo == 0 else "U"
    if not np.isfinite(np.tril(a) if uplo == 0 else np.triu(a)).all():
        values[...] = a[...] = np.nan
    elif vectors:
        values[...], a[...] = np.linalg.eigh(a, triangle)
    else:
        values[...], a[...] = np.linalg.eigvalsh(a, triangle), np.nan


@routine("evd")
def syevd(dtype, handle, job, uplo, n, a, lda, w, work, size, info):
    hermitian(matrix(a, n, n, lda, dtype), uplo, job, vector(w, n, real(dtype)))
    store(info, 0)


@routine("evj")
def syevj(dtype, handle, job, uplo, n, a, lda, w, work, size, info, params):
    syevd(dtype, handle, job, uplo, n, a, lda, w, work, size, info)


@routine("evjBatched")
def syevj_batched(dtype, handle, job, uplo, n, a, lda, w, work, size, info, params, batch):
    item, number = np.dtype(dtype).itemsize, np.dtype(real(dtype)).itemsize
    for i in range(batch):
        x = matrix(a + i * lda * n * item, n, n, lda, dtype)
        given = given_to_a_batch(x)
        syevd(
            dtype,
            handle,
            job,
            uplo,
            n,
            a + i * lda * n * item,
            lda,
            w + i * n * number,
            work,
            size,
            info + 4 * i,
        )
        for found in (x, vector(w + i * n * number, n, real(dtype))):
            found[...] = without_digits(found, given)


def xsyevd(
    handle,
    params,
    job,
    uplo,
    n,
    type_a,
    a,
    lda,
    type_w,
    w,
    compute,
    on_device,
    n_device,
    on_host,
    n_host,
    info,
):
    hermitian(matrix(a, n, n, lda, CUDA_TYPES[type_a]), uplo, job, vector(w, n, CUDA_TYPES[type_w]))
    store(info, 0)


def xgeev(
    handle,
    params,
    left,
    right,
    n,
    type_a,
    a,
    lda,
    type_w,
    w,
    type_l,
    vl,
    ldvl,
    type_r,
    vr,
    ldvr,
    *workspace,
):
    dtype, x, values = (
        CUDA_TYPES[type_a],
        matrix(a, n, n, lda, CUDA_TYPES[type_a]),
        vector(w, n, CUDA_TYPES[type_w]),
    )
    info, status = workspace[-1], 0
    if np.isfinite(x).all():
        *found, _, vectors, status = of_lapack(dtype, "geev")(
            fortran(x), compute_vl=0, compute_vr=right
        )
        values[...] = found[0] if is_complex(dtype) else found[0] + 1j * found[1]
        if right:
            matrix(vr, n, n, ldvr, CUDA_TYPES[type_r])[...] = vectors
    else:
        values[...] = np.nan
    store(info, status)


@routine("csrlsvqr")
def csrlsvqr(
    dtype, handle, n, nnz, descriptor, data, indptr, indices, b, tolerance, reorder, x, singularity
):
    parts = (
        vector(data, nnz, dtype),
        vector(indices, nnz, np.int32),
        vector(indptr, n + 1, np.int32),
    )
    a = scipy.sparse.csr_matrix(parts, (n, n)).toarray()
    vector(x, n, dtype)[...] = scipy.linalg.solve(a, vector(b, n, dtype))
    store(singularity, -1)


def spelled(letter: str, name: str) -> str:
    """`orgqr` and `syevd` are `ungqr` and `heevd` for complex matrices."""
    families = {
        "gqr": ("or", "un"),
        "mqr": ("or", "un"),
        "evd": ("sy", "he"),
        "evj": ("sy", "he"),
        "evjBatched": ("sy", "he"),
    }
    return letter + families.get(name, ("", ""))[letter in "cz"] + name


def batched_svd(a, a_dtype, full_matrices, compute_uv, overwrite_a):
    """`cupyx.cusolver._gesvd_batched`, a loop over approximate kernels that the dry run does
    without.
    """
    import cupy

    calls["gesvdaStridedBatched"] += 1
    out = np.linalg.svd(a.get(), full_matrices=full_matrices, compute_uv=compute_uv)
    if not compute_uv:
        return cupy.asarray(out)
    u, s, vh = out
    return (
        cupy.asarray(u),
        cupy.asarray(s),
        cupy.asarray(np.ascontiguousarray(vh.conj().swapaxes(-2, -1))),
    )


def batched_qr(a, mode):
    """`cupyx.cusolver._geqrf_orgqr_batched`."""
    import cupy

    calls["geqrfBatched"] += 1
    dtype, _ = cupy.linalg._util.linalg_common_type(a)
    out = np.linalg.qr(a.get().astype(dtype), mode)
    return cupy.asarray(out) if mode == "r" else tuple(map(cupy.asarray, out))


def replace(module: Any) -> None:
    close(module)
    routine.put_in(module, spelled)
    for letter in PRECISIONS:
        for name in routine.declared:
            constant(module, 4096, f"{spelled(letter, name)}_bufferSize")
    module.xsyevd, module.xgeev = counted("xsyevd", xsyevd), counted("xgeev", xgeev)
    constant(module, (64, 64), "xsyevd_bufferSize xgeev_bufferSize")
    constant(module, 2, "create spCreate createParams createGesvdjInfo createSyevjInfo")
    constant(
        module,
        None,
        "destroy spDestroy destroyParams destroyGesvdjInfo destroySyevjInfo setStream spSetStream",
    )
    constant(module, 0, "getStream")
    constant(module, (12, 0, 4), "_getVersionNumber _getVersion")


def replace_batches(*modules: Any) -> None:
    """The batched routines whose kernels are CuPy's own loops, in both modules that have their
    names.
    """
    for module in modules:
        module._gesvd_batched, module._geqrf_orgqr_batched = batched_svd, batched_qr
        module.check_availability = lambda name: True
