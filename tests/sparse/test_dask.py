"""Matrices in row blocks on a cluster: a LinearOperator whose products are Dask's, in solvers and
under transforms.
"""

import itertools
import operator

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from scigrad import grad, jvp
from scigrad.sparse import linalg
from scigrad.testing import assert_close

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array", reason="dask is not installed")

SIDE, BLOCKS = 5, 4
N = SIDE**2


def poisson(first, last):
    """Some rows of the Laplacian of a square grid, plus a term that makes it unsymmetric."""
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.2], offsets=[-1, 0, 1], shape=(SIDE, SIDE))
    return scipy.sparse.csr_array(scipy.sparse.kronsum(line, line).tocsr()[first:last])


def symmetric(first, last):
    whole = poisson(0, N)
    return scipy.sparse.csr_array(((whole + whole.T) / 2).tocsr()[first:last])


def rows_of_blocks(client, make):
    """The matrix as a Dask array of sparse row blocks, which the processes make in turn and
    keep.
    """
    pairs = list(itertools.pairwise(np.linspace(0, N, BLOCKS + 1).astype(int).tolist()))
    workers = itertools.cycle(client.nthreads())
    blocks = [
        client.submit(make, *pair, workers=[worker])
        for pair, worker in zip(pairs, workers, strict=False)
    ]
    shapes, meta = [(last - first, N) for first, last in pairs], scipy.sparse.csr_array((0, 0))
    return da.concatenate(
        [da.from_delayed(*pair, float, meta=meta) for pair in zip(blocks, shapes, strict=True)]
    )


def operator_of(A):
    """The array as an operator: A v block by block, A^H u as the sum of the products with the
    blocks.
    """
    blocks, ends = A.to_delayed().reshape(-1), np.cumsum(A.chunks[0])[:-1]

    def product(v):
        return np.concatenate(
            dask.compute(*(dask.delayed(operator.matmul)(block, v) for block in blocks))
        )

    def adjoint(u):
        parts = zip(blocks, np.split(u, ends), strict=True)
        return sum(
            dask.compute(*(dask.delayed(operator.matmul)(part, block) for block, part in parts))
        )

    return linalg.LinearOperator(A.shape, product, rmatvec=adjoint, matmat=product, dtype=float)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # what dask.distributed warns of is its own
def test_solvers_with_a_matrix_on_a_cluster_of_two_processes(cluster):
    A, S = (rows_of_blocks(cluster, make) for make in (poisson, symmetric))
    b, start = np.cos(np.arange(N)), np.random.default_rng(0).normal(size=(N, 2))
    general, hermitian = operator_of(A), operator_of(S)
    dense, whole = poisson(0, N).toarray(), symmetric(0, N)
    assert_close(general @ b, dense @ b, rtol=1e-13)
    assert cluster.holders(cluster.futures_of(A)) == 2
    assert_close(general.rmatvec(b), dense.T @ b, rtol=1e-13)
    assert_close(
        linalg.cg(hermitian, b, rtol=1e-10)[0], np.linalg.solve(whole.toarray(), b), rtol=1e-7
    )
    assert_close(
        linalg.gmres(general, b, rtol=1e-10, restart=N)[0], np.linalg.solve(dense, b), rtol=1e-7
    )
    values = linalg.lobpcg(hermitian, start, tol=1e-7, maxiter=40)[0]
    assert_close(np.sort(values), np.linalg.eigvalsh(whole.toarray())[-2:], rtol=1e-8)
    inverse = np.linalg.inv(dense)
    gradient = grad(lambda b: np.sum(linalg.gmres(general, b, rtol=1e-10, restart=N)[0] ** 2))(b)
    assert_close(gradient, 2 * inverse.T @ (inverse @ b), rtol=1e-6)
    change = jvp(lambda b: linalg.cg(hermitian, b, rtol=1e-10)[0], (b,), (np.ones(N),))[1]
    assert_close(change, np.linalg.solve(whole.toarray(), np.ones(N)), rtol=1e-6)


def test_entries_of_a_dask_array_have_no_derivative():
    A, b = da.from_array(symmetric(0, N).toarray(), chunks=(10, N)), np.ones(N)
    for solve in (linalg.cg, linalg.gmres, linalg.lsqr):
        for argument in (0, 1):
            with pytest.raises(TypeError, match=r"(?i)dask.* give a LinearOperator"):
                grad(lambda A, b, solve=solve: np.sum(solve(A, b)[0]), argument)(A, b)
