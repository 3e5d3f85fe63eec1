"""cuSPARSE by scipy.sparse: descriptors are records of pointers, the arrays behind them are read
when a routine runs.
"""

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse

from .device_memory import (
    CUDA_TYPES,
    Routines,
    close,
    constant,
    counted,
    matrix,
    number,
    store,
    transposed,
    update,
    vector,
)

INDEX_TYPES = {1: np.uint16, 2: np.int32, 3: np.int64}
FORMATS = {
    "csr": scipy.sparse.csr_matrix,
    "csc": scipy.sparse.csc_matrix,
    "coo": scipy.sparse.coo_matrix,
}
FILL, DIAGONAL = 0, 1  # cusparseSpMatAttribute
_records: dict[int, dict[str, Any]] = {}
_next = itertools.count(1001)

routine = Routines()
generic: dict[str, Callable[..., Any]] = {}  # the routines that take types as arguments


def generic_routine(function: Callable[..., Any]) -> Callable[..., Any]:
    generic[function.__name__] = function
    return function


def new(**record: Any) -> int:
    handle = next(_next)
    _records[handle] = record
    return handle


def release(handle: int) -> None:
    _records.pop(handle, None)


def create_compressed(
    kind, rows, columns, nnz, indptr, indices, data, type_ptr, type_index, base, dtype
):
    types = {
        "type_ptr": INDEX_TYPES[type_ptr],
        "type_index": INDEX_TYPES[type_index],
        "dtype": CUDA_TYPES[dtype],
    }
    return new(
        kind=kind,
        shape=(rows, columns),
        nnz=nnz,
        indptr=indptr,
        indices=indices,
        data=data,
        attributes={},
        **types,
    )


def create_coordinates(rows, columns, nnz, row, column, data, type_index, base, dtype):
    types = {"type_index": INDEX_TYPES[type_index], "dtype": CUDA_TYPES[dtype]}
    return new(
        kind="coo",
        shape=(rows, columns),
        nnz=nnz,
        row=row,
        column=column,
        data=data,
        attributes={},
        **types,
    )


def host(handle: int) -> Any:
    """The sparse matrix of a descriptor."""
    own = _records[handle]
    nnz, kind, data = own["nnz"], own["kind"], vector(own["data"], own["nnz"], own["dtype"])
    if kind == "coo":
        places = (
            vector(own["row"], nnz, own["type_index"]),
            vector(own["column"], nnz, own["type_index"]),
        )
        return FORMATS[kind]((data, places), own["shape"])  # its constructor checks the places
    assert own["type_ptr"] == own["type_index"], "cuSPARSE: index types differ"
    indptr = vector(own["indptr"], own["shape"][kind == "csc"] + 1, own["type_ptr"])
    found = FORMATS[kind](
        (data, vector(own["indices"], nnz, own["type_index"]), indptr), own["shape"]
    )
    found.check_format(full_check=True)  # scipy.sparse would write beyond its arrays
    return found


def write(handle: int, found: Any) -> None:
    """Store a sparse matrix behind the pointers of a descriptor."""
    own = _records[handle]
    vector(own["data"], found.nnz, own["dtype"])[...] = found.data
    if own["kind"] == "coo":
        vector(own["row"], found.nnz, own["type_index"])[...] = found.row
        vector(own["column"], found.nnz, own["type_index"])[...] = found.col
    else:
        vector(own["indices"], found.nnz, own["type_index"])[...] = found.indices
        vector(own["indptr"], found.indptr.size, own["type_ptr"])[...] = found.indptr


def dense(handle: int) -> np.ndarray:
    own = _records[handle]
    if own["kind"] == "vector":
        return vector(own["data"], own["n"], own["dtype"])
    return matrix(own["data"], *own["shape"], own["leading"], own["dtype"])


# -- products and triangular systems


@generic_routine
def spMV(handle, operation, alpha, a, x, beta, y, dtype, algorithm, workspace):
    dtype = CUDA_TYPES[dtype]
    update(
        dense(y),
        number(alpha, dtype),
        transposed(host(a), operation) @ dense(x),
        number(beta, dtype),
    )


@generic_routine
def spMM(handle, operation, other, alpha, a, b, beta, c, dtype, algorithm, workspace):
    dtype = CUDA_TYPES[dtype]
    product = transposed(host(a), operation) @ transposed(dense(b), other)
    update(dense(c), number(alpha, dtype), product, number(beta, dtype))


@generic_routine
def spSM_solve(handle, operation, other, alpha, a, b, c, dtype, algorithm, descriptor, *workspace):
    attributes = _records[a]["attributes"]
    lower, unit = attributes.get(FILL, 0) == 0, bool(attributes.get(DIAGONAL, 0))
    triangle = (np.tril if lower else np.triu)(host(a).toarray())
    options = {"lower": lower ^ (operation != 0), "unit_diagonal": unit, "check_finite": False}
    solution = scipy.linalg.solve_triangular(
        transposed(triangle, operation), transposed(dense(b), other), **options
    )
    dense(c)[...] = number(alpha, CUDA_TYPES[dtype]) * solution


@generic_routine
def spGEMM_compute(
    handle, operation, other, alpha, a, b, beta, c, dtype, algorithm, descriptor, size, workspace
):
    if workspace:
        product = (host(a) @ host(b)).tocsr() * number(alpha, CUDA_TYPES[dtype])
        product.sort_indices()
        _records[c] |= {"found": product, "nnz": product.nnz}
    return 64


@generic_routine
def spGEMM_copy(handle, operation, other, alpha, a, b, beta, c, *rest):
    write(c, _records[c]["found"])


def set_pointers(handle, indptr, indices, data):
    _records[handle] |= {"indptr": indptr, "indices": indices, "data": data}


def set_attribute(handle, attribute, value):
    _records[handle]["attributes"][attribute] = int(value)


def size_of(handle, rows, columns, nnz):
    own = _records[handle]
    for pointer, value in zip((rows, columns, nnz), (*own["shape"], own["nnz"]), strict=True):
        store(pointer, value, np.int64)


# -- conversions


@generic_routine
def sparseToDense(handle, a, b, algorithm, workspace):
    dense(b)[...] = host(a).toarray()


@generic_routine
def denseToSparse_analysis(handle, a, b, algorithm, workspace):
    own, found = _records[b], converted(a, b)
    own["nnz"] = found.nnz
    if own["kind"] != "coo":
        vector(own["indptr"], found.indptr.size, own["type_ptr"])[...] = found.indptr


@generic_routine
def denseToSparse_convert(handle, a, b, algorithm, workspace):
    write(b, converted(a, b))  # b may be another descriptor than in the analysis


def converted(a, b):
    found = FORMATS[_records[b]["kind"]](dense(a))
    if found.format != "coo":
        found.sort_indices()
    return found


@generic_routine
def gather(handle, y, x):
    own = _records[x]
    vector(own["data"], own["nnz"], own["dtype"])[...] = dense(y)[
        vector(own["indices"], own["nnz"], own["type_index"])
    ]


def bounds(counted_in: np.ndarray, n: int) -> np.ndarray:
    """indptr of sorted row numbers."""
    return np.concatenate([[0], np.cumsum(np.bincount(counted_in, minlength=n))])


@generic_routine
def xcoo2csr(handle, row, nnz, n, indptr, base):
    vector(indptr, n + 1, np.int32)[...] = bounds(vector(row, nnz, np.int32), n)


@generic_routine
def xcsr2coo(handle, indptr, nnz, n, row, base):
    vector(row, nnz, np.int32)[...] = np.repeat(
        np.arange(n), np.diff(vector(indptr, n + 1, np.int32))
    )


@generic_routine
def createIdentityPermutation(handle, n, permutation):
    vector(permutation, n, np.int32)[...] = np.arange(n)


def reorder(keys: tuple[np.ndarray, ...], nnz: int, permutation: int, *arrays: np.ndarray) -> None:
    """Sort arrays in place by keys, the last of which counts most, and the permutation with
    them.
    """
    order = np.lexsort(keys)
    for values in (*arrays, vector(permutation, nnz, np.int32)):
        values[...] = values[order]


def sort_compressed(axis, handle, m, n, nnz, descriptor, indptr, indices, permutation, workspace):
    outer, minor = (m, n)[axis], vector(indices, nnz, np.int32)
    major = np.repeat(np.arange(outer), np.diff(vector(indptr, outer + 1, np.int32)))
    reorder((minor, major), nnz, permutation, minor)


def sort_coordinates(by_row, handle, m, n, nnz, row, column, permutation, workspace):
    rows, columns = vector(row, nnz, np.int32), vector(column, nnz, np.int32)
    reorder((columns, rows) if by_row else (rows, columns), nnz, permutation, rows, columns)


@generic_routine
def csr2cscEx2(
    handle, m, n, nnz, data, indptr, indices, data_out, indptr_out, indices_out, dtype, *rest
):
    dtype, columns = CUDA_TYPES[dtype], vector(indices, nnz, np.int32).copy()
    rows = np.repeat(np.arange(m), np.diff(vector(indptr, m + 1, np.int32)))
    order = np.argsort(columns, kind="stable")
    vector(data_out, nnz, dtype)[...] = vector(data, nnz, dtype)[order]
    vector(indices_out, nnz, np.int32)[...] = rows[order]
    vector(indptr_out, n + 1, np.int32)[...] = bounds(columns, n)


# -- sums: two calls, the first of which counts


def summed(m: int, n: int, terms: list[tuple[Any, np.ndarray, np.ndarray, np.ndarray]]) -> Any:
    """alpha a + beta b on the union of their patterns, whatever the values are."""
    parts = [
        scipy.sparse.csr_matrix((data, indices, indptr), (m, n))
        for _, data, indices, indptr in terms
    ]
    pattern = sum(
        scipy.sparse.csr_matrix((np.ones(p.nnz), p.indices, p.indptr), (m, n)) for p in parts
    ).tocsr()
    pattern.sort_indices()
    places = np.repeat(np.arange(m), np.diff(pattern.indptr)), pattern.indices
    values = sum(
        term[0] * np.asarray(p[places]).ravel() for term, p in zip(terms, parts, strict=True)
    )
    return pattern.indptr, pattern.indices, values if pattern.nnz else np.zeros(0)


@generic_routine
def xcsrgeam2Nnz(
    handle,
    m,
    n,
    da,
    nnz_a,
    indptr_a,
    indices_a,
    db,
    nnz_b,
    indptr_b,
    indices_b,
    dc,
    indptr,
    total,
    work,
):
    counts = ((nnz_a, indptr_a, indices_a), (nnz_b, indptr_b, indices_b))
    terms = [
        (1.0, np.ones(nnz), vector(i, nnz, np.int32), vector(p, m + 1, np.int32))
        for nnz, p, i in counts
    ]
    vector(indptr, m + 1, np.int32)[...], indices, _ = summed(m, n, terms)
    store(total, indices.size)


@routine("csrgeam2")
def csrgeam2(dtype, handle, m, n, alpha, da, nnz_a, data_a, indptr_a, indices_a, beta, db, nnz_b,
    data_b, indptr_b, indices_b,
             dc, data, indptr, indices, work):  # fmt: skip
    terms = [
        (
            number(factor, dtype),
            vector(own, nnz, dtype),
            vector(i, nnz, np.int32),
            vector(p, m + 1, np.int32),
        )
        for factor, nnz, own, p, i in (
            (alpha, nnz_a, data_a, indptr_a, indices_a),
            (beta, nnz_b, data_b, indptr_b, indices_b),
        )
    ]
    vector(indptr, m + 1, np.int32)[...], columns, values = summed(m, n, terms)
    vector(indices, columns.size, np.int32)[...] = columns
    vector(data, columns.size, dtype)[...] = values


def replace(module: Any) -> None:
    close(module)
    routine.put_in(module)
    for name, function in generic.items():
        setattr(module, name, counted(name, function))
    for name, function, first in (
        ("xcsrsort", sort_compressed, 0),
        ("xcscsort", sort_compressed, 1),
        ("xcoosortByRow", sort_coordinates, True),
        ("xcoosortByColumn", sort_coordinates, False),
    ):
        setattr(module, name, counted(name, functools.partial(function, first)))
    describe(module)
    sizes = ["spMV", "spMM", "spSM", "csr2cscEx2", "sparseToDense", "denseToSparse"]
    exact = ["xcsrsort", "xcscsort", "xcoosort", "scsrgeam2", "dcsrgeam2", "ccsrgeam2", "zcsrgeam2"]
    constant(
        module,
        64,
        " ".join([*(f"{n}_bufferSize" for n in sizes), *(f"{n}_bufferSizeExt" for n in exact)]),
    )
    constant(module, 64, "spGEMM_workEstimation")
    constant(module, 4, "create")
    constant(module, 12600, "getVersion get_build_version")
    constant(module, False, "is_cuda_python_build")
    constant(
        module,
        None,
        "destroy setStream setPointerMode setMatType setMatIndexBase setMatFillMode "
        "setMatDiagType spSM_analysis",
    )


def describe(module: Any) -> None:
    """The functions that make, change and release descriptors."""
    for kind in ("csr", "csc"):
        setattr(module, f"create{kind.title()}", functools.partial(create_compressed, kind))
    module.createCoo = create_coordinates
    module.createDnVec = lambda n, data, dtype: new(
        kind="vector", n=n, data=data, dtype=CUDA_TYPES[dtype]
    )
    module.createDnMat = lambda m, n, leading, data, dtype, order: new(
        kind="matrix", shape=(m, n), leading=leading, data=data, dtype=CUDA_TYPES[dtype]
    )
    module.createSpVec = lambda n, nnz, indices, data, index, base, dtype: new(
        kind="sparse vector",
        nnz=nnz,
        indices=indices,
        data=data,
        type_index=INDEX_TYPES[index],
        dtype=CUDA_TYPES[dtype],
    )
    for name in ("createMatDescr", "spGEMM_createDescr", "spSM_createDescr"):
        setattr(module, name, new)
    for name in ("destroyMatDescr", "spGEMM_destroyDescr", "spSM_destroyDescr", "destroySpMat",
                 "destroyDnVec", "destroyDnMat", "destroySpVec"):  # fmt: skip
        setattr(module, name, release)
    module.csrSetPointers, module.spMatSetAttribute, module.spMatGetSize = (
        set_pointers,
        set_attribute,
        size_of,
    )
