"""The matrices that pyamg ships through every direct and iterative solver, and its multigrid
preconditioners, with gradients.
"""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from scigrad import grad, hvp, sparse, stop_gradient, value_and_grad
from scigrad.sparse import linalg
from scigrad.testing import assert_close

pyamg = pytest.importorskip("pyamg", reason="pyamg is not installed")

HERMITIAN = ("airfoil", "bar", "knot", "local_disc_galerkin_diffusion", "unit_cube", "unit_square")
EXAMPLES = (*HERMITIAN, "helmholtz_2D", "recirc_flow")
PRECONDITIONED = ("bicg", "bicgstab", "cgs", "gcrotmk", "gmres", "lgmres", "qmr")
DIRECT = {
    "spsolve": linalg.spsolve,
    "splu": lambda A, b: linalg.splu(A.tocsc()).solve(b),
    "factorized": lambda A, b: linalg.factorized(A.tocsc())(b),
    "analyze": lambda A, b: linalg.analyze(A).refactor(A.data).solve(b),
    "cholesky": lambda A, b: linalg.cholesky(A.tocsc()).solve(b),
}

LIMITS = {"lsqr": {"iter_lim": 10_000}, "lsmr": {"maxiter": 10_000}}


def example(name):
    A = scipy.sparse.csr_array(pyamg.gallery.load_example(name)["A"])
    A = (A + A.T) / 2 if name in HERMITIAN else A  # symmetric to the last digit
    # singular without
    A = scipy.sparse.csr_array(
        A + 0.1 * scipy.sparse.eye_array(A.shape[0]) if name == "unit_square" else A
    )
    A.sum_duplicates()
    return A


def multigrid(A):
    return pyamg.smoothed_aggregation_solver(scipy.sparse.csr_matrix(A)).aspreconditioner()


def incomplete(A):
    factors = scipy.sparse.linalg.spilu(A.tocsc(), drop_tol=1e-5, fill_factor=20)
    rest = {"rmatvec": lambda v: factors.solve(v, "H"), "dtype": A.dtype}
    return scipy.sparse.linalg.LinearOperator(A.shape, factors.solve, **rest)


def iterative(name, A):
    if name in ("cg", "minres"):
        return lambda B, b: getattr(linalg, name)(B, b, rtol=1e-12, M=multigrid(A))[0]
    if name == "qmr":
        M = {
            "M1": incomplete(A),
            "M2": scipy.sparse.linalg.aslinearoperator(scipy.sparse.eye_array(A.shape[0])),
        }
    else:
        M = {"M": incomplete(A)}
    return lambda B, b: getattr(linalg, name)(B, b, rtol=1e-11, **M)[0]


def check_gradient(A, solve):
    b = np.random.default_rng(0).normal(size=A.shape[0]).astype(A.dtype)
    factors, places = scipy.sparse.linalg.splu(A.tocsc()), A.tocoo()
    x = factors.solve(b)
    w = factors.solve(2 * x, "H")
    value, (by_A, by_b) = value_and_grad(
        lambda A, b: np.sum(abs(solve(A, b)) ** 2), argnums=(0, 1)
    )(A, b)
    assert_close(value, np.sum(abs(x) ** 2), rtol=1e-8)
    np.testing.assert_allclose(by_b, w, rtol=1e-8, atol=1e-8 * abs(w).max())
    expected = -w[places.row] * x[places.col].conj()
    np.testing.assert_allclose(by_A.data, expected, rtol=1e-8, atol=1e-8 * abs(expected).max())


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("solver", DIRECT)
def test_direct_solvers(solver, name):
    if solver == "cholesky" and name not in HERMITIAN:
        with pytest.raises(ValueError, match="not Hermitian"):
            DIRECT[solver](example(name), None)
        return
    check_gradient(example(name), DIRECT[solver])


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("solver", PRECONDITIONED)
def test_solvers_with_incomplete_factors(solver, name):
    A = example(name)
    check_gradient(A, iterative(solver, A))


@pytest.mark.parametrize("name", HERMITIAN)
@pytest.mark.parametrize("solver", ["cg", "minres"])
def test_solvers_with_multigrid(solver, name):
    A = example(name)
    check_gradient(A, iterative(solver, A))


# it breaks down for others
@pytest.mark.parametrize("name", ["airfoil", "helmholtz_2D", "knot", "unit_cube", "unit_square"])
def test_tfqmr(name):
    check_gradient(example(name), lambda A, b: linalg.tfqmr(A, b, rtol=1e-12, maxiter=4000)[0])


@pytest.mark.parametrize("name", ["bar", "recirc_flow"])
def test_tfqmr_that_breaks_down_has_no_derivative(name):
    with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
        check_gradient(example(name), lambda A, b: linalg.tfqmr(A, b, rtol=1e-12, maxiter=2000)[0])


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("method", ["lsqr", "lsmr"])
def test_least_squares_with_half_of_the_columns(method, name):
    A = example(name)[:, ::2].tocsr()
    (m, n), b = A.shape, np.random.default_rng(0).normal(size=A.shape[0])
    augmented = scipy.sparse.block_array(
        [[scipy.sparse.eye_array(m), A], [A.conj().T, None]], format="csc"
    )
    factors, places = scipy.sparse.linalg.splu(augmented), A.tocoo()
    r, x = np.split(factors.solve(np.concatenate([b, np.zeros(n)]).astype(A.dtype)), [m])
    w, q = np.split(factors.solve(np.concatenate([np.zeros(m), 2 * x]).astype(A.dtype), "H"), [m])

    def loss(A, b):
        x, record = getattr(linalg, method)(
            A, b, atol=1e-13, btol=1e-13, conlim=0, return_info=True, **LIMITS[method]
        )
        assert record.reason == "converged"
        assert record.residuals.shape == (record.iterations + 1,)
        np.testing.assert_allclose(record.residuals[-1], np.linalg.norm(r), rtol=1e-8)
        return np.sum(abs(x) ** 2)

    value, (by_A, by_b) = value_and_grad(loss, argnums=(0, 1))(A, b)
    assert_close(value, np.sum(abs(x) ** 2), rtol=1e-8)
    np.testing.assert_allclose(by_b, w.real, rtol=1e-7, atol=1e-7 * abs(w).max())
    expected = -w[places.row] * x[places.col].conj() - r[places.row] * q[places.col].conj()
    np.testing.assert_allclose(by_A.data, expected, rtol=1e-7, atol=1e-7 * abs(expected).max())


def test_a_singular_matrix_and_a_right_hand_side_outside_of_its_range_have_no_derivative():
    A = scipy.sparse.csr_array(pyamg.gallery.load_example("unit_square")["A"])
    b = np.random.default_rng(0).normal(size=A.shape[0])
    for name in ("cg", "minres", "bicgstab", "gmres", "lgmres"):
        with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
            grad(lambda b, name=name: np.sum(getattr(linalg, name)(A, b, maxiter=500)[0] ** 2))(b)


def test_multigrid_of_values_that_vary():
    A = pyamg.gallery.poisson((12, 12), format="csr")

    def loss(data):
        matrix = sparse.csr_array((data, A.indices, A.indptr))
        M = multigrid(sparse.csr_array((stop_gradient(data), A.indices, A.indptr)))
        x, record = linalg.cg(matrix, np.ones(A.shape[0]), rtol=1e-12, M=M, return_info=True)
        assert record.iterations < 20
        return np.sum(x**2)

    def directly(data):
        return np.sum(
            linalg.spsolve(sparse.csr_array((data, A.indices, A.indptr)), np.ones(A.shape[0])) ** 2
        )

    tangent = np.cos(np.arange(A.nnz))
    for found, expected in zip(
        hvp(loss, (A.data,), (tangent,)), hvp(directly, (A.data,), (tangent,)), strict=True
    ):
        assert_close(found, expected, rtol=1e-7)
