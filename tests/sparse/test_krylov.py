"""The solvers of general systems: records, operators, second order, and the derivatives that they
refuse.
"""

from itertools import product

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from scigrad import TracedValueError, grad, hessian, jvp, sparse, value_and_grad, vjp, vmap
from scigrad.testing import assert_close

METHODS = ("bicg", "bicgstab", "cgs", "gcrotmk", "gmres", "lgmres", "qmr", "tfqmr")
DRAW = np.random.default_rng(11)
N = 6
DENSE = 3 * np.eye(N) + 0.4 * DRAW.normal(size=(N, N))
A = scipy.sparse.csr_array(DENSE * (DRAW.uniform(size=(N, N)) < 0.7))
B = DRAW.normal(size=N)


@pytest.mark.parametrize("method", METHODS)
def test_operators_with_parameters_have_adjoints_and_hessians(method):
    solver = getattr(sparse.linalg, method)

    def loss(shift):
        operator = sparse.linalg.linear_operator(
            lambda v, s: A @ v + s * v * np.arange(N), shift, shape=(N, N)
        )
        return np.sum(solver(operator, B, rtol=1e-13)[0] ** 3)

    def expected(shift):
        return np.sum(np.linalg.solve(A.toarray() + shift * np.diag(np.arange(N)), B) ** 3)

    for of_f, of_g in zip(value_and_grad(loss)(0.3), value_and_grad(expected)(0.3), strict=True):
        assert_close(of_f, of_g, rtol=1e-9)
    assert_close(hessian(loss)(0.3), hessian(expected)(0.3), rtol=1e-8)


@pytest.mark.parametrize("method", [*METHODS, "minres"])
def test_records_come_under_transforms(method):
    solver, a = getattr(sparse.linalg, method), A if method != "minres" else A + A.T
    x, record = vmap(lambda b: solver(a, b, rtol=1e-10, return_info=True))(np.stack([B, 0 * B + 1]))
    assert record.reason == ["converged", "converged"]
    assert record.residuals.shape == (2, record.iterations.max() + 1)
    assert_close(x[1], np.linalg.solve(a.toarray(), np.ones(N)), rtol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_an_unconverged_solve_has_no_derivative(method):
    options = {"maxiter": 1, "rtol": 1e-14} | (
        {"restart": 2} if method == "gmres" else {"m": 2} if method == "gcrotmk" else {}
    )
    options |= {"inner_m": 2, "outer_k": 0} if method == "lgmres" else {}
    with pytest.raises(np.linalg.LinAlgError, match=f"{method}: the solve did not converge"):
        grad(lambda b: np.sum(getattr(sparse.linalg, method)(A, b, **options)[0]))(B)


def test_the_steps_of_tfqmr_with_a_preconditioner_lead_to_the_solution():
    # those of SciPy's end at the solution of another system, with info 0
    M, steps = np.diag(DRAW.uniform(0.5, 2.0, N)), []
    x, record = sparse.linalg.tfqmr(
        A, B, 0.1 * B, rtol=1e-10, M=M, callback=lambda x: steps.append(x.copy()), return_info=True
    )
    assert record.reason == "converged"
    assert_close(steps[-1], x)
    assert record.residuals[-1] <= 1e-10 * np.linalg.norm(B)
    assert_close(
        grad(lambda b: np.sum(sparse.linalg.tfqmr(A, b, rtol=1e-12, M=M)[0]))(B),
        np.linalg.solve(A.toarray().T, np.ones(N)),
        rtol=1e-9,
    )


GUESSES = {
    "none": lambda x: None,
    "ones": lambda x: 0 * x + 1,
    "far": lambda x: 0 * x + 1e4,
    "near": lambda x: x * (1 + 1e-3),
    "exact": lambda x: x,
    "Mb": lambda x: "Mb",
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.complex64])
@pytest.mark.parametrize("method", [*METHODS, "cg", "minres"])
def test_info_0_says_that_the_system_is_solved_whatever_the_options(method, dtype):
    if method == "minres" and np.dtype(dtype).kind == "c":
        return  # refused
    hermitian = method in ("cg", "minres")
    a = (DENSE @ DENSE.T if hermitian else DENSE).astype(dtype)
    if np.dtype(dtype).kind == "c":
        turn = np.exp(1j * np.arange(N))
        a = (turn[:, None] * a * turn.conj()).astype(dtype)
    M = np.diag(1 / np.diag(a).real + 0.01 * np.arange(N)).astype(dtype)
    options = [{}, {"M": M}] if method != "qmr" else [{}, {"M1": M}, {"M2": M}, {"M1": M, "M2": M}]
    options += [{"shift": 0.5}, {"shift": -1.0, "M": M}] if method == "minres" else []
    rtol = 1e-9 if np.dtype(dtype).char in "dD" else 1e-4
    for given, (name, guess), record in product(options, GUESSES.items(), (False, True)):
        if name == "Mb" and method == "qmr":
            continue  # SciPy's has no M
        matrix = a - given.get("shift", 0) * np.eye(N)
        for b in (a @ B.astype(dtype), np.zeros(N, dtype), 1e-3 * (a @ B.astype(dtype))):
            x0 = guess(np.linalg.solve(matrix, b))
            x, info = getattr(sparse.linalg, method)(
                a, b, x0, rtol=rtol, return_info=record, **given
            )
            assert (info.info if record else info) == 0, (given, name)
            rest = np.linalg.norm(b - matrix.astype(complex) @ x)
            assert rest <= 10 * rtol * np.linalg.norm(b), (given, name, rest)


@pytest.mark.parametrize("method", ["bicg", "bicgstab"])
def test_residuals_that_have_drifted_away_do_not_count_as_a_solution(method):
    # SciPy's says 0 where |b - A x| is 1e-3 |b| and more
    a = scipy.sparse.diags_array([-1.5, 2.0, -0.5], offsets=[-1, 0, 1], shape=(60, 60)).tocsr()
    solver = getattr(sparse.linalg, method)
    for b in (np.ones(60), np.random.default_rng(1).normal(size=(8, 60))):
        for right in np.atleast_2d(b):
            x, info = solver(a, right, rtol=1e-9, maxiter=400)
            rest = np.linalg.norm(right - a @ x) / np.linalg.norm(right)
            assert info != 0 or rest <= 1e-6, (info, rest)


def test_a_least_squares_solution_of_minres_does_not_count_as_a_solution():
    a = np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    assert sparse.linalg.minres(a, np.array([1.0, 1.0, -2.0]))[1] == 0
    assert sparse.linalg.minres(a, np.ones(3))[1] == -1


def test_operators_of_scipy_are_solved_with_their_adjoint():
    operator = scipy.sparse.linalg.aslinearoperator(A)
    assert_close(
        grad(lambda b: B @ sparse.linalg.gmres(operator, b, rtol=1e-12)[0])(B),
        np.linalg.solve(A.toarray().T, B),
    )
    alone = scipy.sparse.linalg.LinearOperator((N, N), matvec=lambda v: A @ v, dtype=float)
    assert_close(
        jvp(lambda b: sparse.linalg.gmres(alone, b, rtol=1e-12)[0], (B,), (B,))[1],
        np.linalg.solve(A.toarray(), B),
    )
    with pytest.raises(NotImplementedError, match="rmatvec"):
        grad(lambda b: B @ sparse.linalg.gmres(alone, b)[0])(B)


@pytest.mark.parametrize("library", [sparse.linalg, scipy.sparse.linalg])
def test_a_traced_value_in_a_linear_operator_is_refused_with_the_function_that_takes_it(library):
    def loss(shift):
        operator = library.LinearOperator((N, N), matvec=lambda v: A @ v + shift * v, dtype=float)
        return np.sum(sparse.linalg.gmres(operator, B)[0])

    with pytest.raises(TracedValueError) as caught:
        grad(loss)(0.5)
    assert "linear_operator" in str(caught.value) + "".join(getattr(caught.value, "__notes__", ()))


def test_a_function_that_closes_over_a_traced_value_is_refused_with_the_way_to_pass_it():
    with pytest.raises(
        TracedValueError,
        match=r"^sparse\.linalg\.gmres: .* is not among its arguments.*linear_operator",
    ):
        grad(lambda shift: np.sum(sparse.linalg.gmres(lambda v: A @ v + shift * v, B)[0]))(0.5)


def test_adjoint_tolerance():
    loose = grad(lambda b: B @ sparse.linalg.gmres(A, b, rtol=1e-12, adjoint_rtol=1e-1)[0])(B)
    error = np.linalg.norm(A.T @ loose - B) / np.linalg.norm(B)
    assert 1e-9 < error <= 0.1


@pytest.mark.parametrize("method", [*METHODS, "cg", "minres"])
@pytest.mark.parametrize(("dtype", "small"), [(np.float32, 1e-7), (np.float64, 1e-17)])
def test_a_small_direction_is_solved_as_accurately_as_a_large_one(method, dtype, small):
    a, b = (DENSE if method in METHODS else DENSE @ DENSE.T).astype(dtype), B.astype(dtype)

    def solved(b):
        return getattr(sparse.linalg, method)(a, b, rtol=1e-5)[0]

    tiny = (small * np.ones(N)).astype(dtype)
    expected = np.linalg.solve(a, np.ones(N)) * small
    assert_close(jvp(solved, (b,), (tiny,))[1], expected.astype(dtype), rtol=1e-4)
    assert_close(
        vjp(lambda b: solved(b), b)[1](a.T @ (tiny / small) * dtype(small))[0], tiny, rtol=1e-4
    )
    pushed = vmap(lambda t: jvp(solved, (b,), (t,))[1])(np.stack([tiny, 0 * tiny]))
    assert_close(pushed, np.stack([expected, 0 * expected]).astype(dtype), rtol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_derivative_of_lsmr_may_take_more_iterations_than_the_solution(dtype):
    # lsmr needs just its limit of iterations, the smaller of m and n, to find x for this matrix
    draw = np.random.default_rng(5)
    a, b = draw.normal(size=(30, 20)).astype(dtype), draw.normal(size=30).astype(dtype)
    assert sparse.linalg.lsmr(a, b)[1:3] == (2, 20)

    found = jvp(lambda a, b: sparse.linalg.lsmr(a, b)[0], (a, b), (a[::-1].copy(), b))[1]
    assert_close(
        found,
        jvp(lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], (a, b), (a[::-1].copy(), b))[1],
        rtol=1e-4,
    )


def test_gcrotmk_answers_below_the_precision_of_the_right_hand_side():
    a = (np.diag(np.geomspace(1, 1e-3, 40)) + 1e-3 * np.triu(np.ones((40, 40)), 1)).astype(
        np.float32
    )
    b = np.ones(40, np.float32)
    x, info = sparse.linalg.gcrotmk(a, b, rtol=1e-12)
    assert info == 0
    assert x.dtype == np.float32
    assert_close(x, np.linalg.solve(a.astype(float), b).astype(np.float32), rtol=1e-5)
    found = grad(lambda b: np.sum(sparse.linalg.gcrotmk(a, b, rtol=1e-12)[0]))(b)
    assert_close(found, np.linalg.solve(a.astype(float).T, b).astype(np.float32), rtol=1e-5)


def test_minres_refuses_complex_numbers():
    with pytest.raises(ValueError, match="drops the imaginary parts"):
        sparse.linalg.minres(np.eye(2), np.array([1.0, 1j]))
    with pytest.raises(ValueError, match="drops the imaginary parts"):
        grad(lambda b: np.sum(np.abs(sparse.linalg.minres(np.eye(2), b)[0])))(np.array([1.0, 1j]))


def test_residuals_of_a_shifted_matrix_are_those_of_what_is_solved():
    a = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(12, 12)).tocsr()
    x, record = sparse.linalg.minres(a, np.ones(12), shift=0.3, rtol=1e-10, return_info=True)
    np.testing.assert_allclose((a - 0.3 * scipy.sparse.eye_array(12)) @ x, np.ones(12), rtol=1e-8)
    assert record.info == 0
    assert record.residuals[-1] < 1e-8


def test_minres_of_a_singular_matrix_has_no_derivative_outside_of_its_range():
    a = scipy.sparse.csr_array(np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]))
    for b, solvable in ((np.array([1.0, 1.0, -2.0]), True), (np.ones(3), False)):
        record = sparse.linalg.minres(a, b, rtol=1e-12, return_info=True)[1]
        assert bool(record.info == 0) is solvable
        if not solvable:
            with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
                grad(lambda b: np.sum(sparse.linalg.minres(a, b, rtol=1e-12)[0] ** 2))(b)


@pytest.mark.parametrize("damp", [0.0, 0.5])
@pytest.mark.parametrize(("method", "limit"), [("lsqr", "iter_lim"), ("lsmr", "maxiter")])
def test_records_of_least_squares_are_those_of_every_iteration(method, limit, damp):
    a, b, x0 = (
        np.linalg.qr(DRAW.normal(size=(9, 5)))[0] * np.arange(1, 6),
        DRAW.normal(size=(2, 9)),
        DRAW.normal(size=5),
    )

    def solved(b, limit_is=50):
        return getattr(sparse.linalg, method)(
            a, b, damp, atol=1e-12, btol=1e-12, x0=x0, return_info=True, **{limit: limit_is}
        )

    x, record = vmap(solved)(b)
    assert record.reason == ["converged", "converged"]
    assert record.residuals.shape == (2, record.iterations.max() + 1)
    for i in range(2):
        for k in range(5):
            x = (
                getattr(scipy.sparse.linalg, method)(a, b[i], damp, x0=x0, **{limit: k})[0]
                if k
                else x0
            )
            size = np.linalg.norm(np.concatenate([b[i] - a @ x, damp * (x - x0)]))
            assert_close(record.residuals[i, k], size, rtol=1e-10)
    assert solved(b[0], 2)[1].reason == "not converged in 2 iterations"
    with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
        grad(lambda b: np.sum(solved(b, 2)[0]))(b[0])


@pytest.mark.parametrize("method", ["lsqr", "lsmr"])
def test_nan_of_least_squares_stays_nan(method):
    solver, b = getattr(sparse.linalg, method), np.where(np.arange(N) == 2, np.nan, B)
    found, expected = (
        vjp(lambda b: solver(DENSE, b), b)[0],
        getattr(scipy.sparse.linalg, method)(DENSE, b),
    )
    assert np.isnan(found[0]).all()
    assert np.isnan(expected[0]).all()
    assert np.isnan(grad(lambda b: np.sum(solver(DENSE, b)[0] ** 2))(b)).all()
    assert np.isnan(
        grad(lambda a: np.sum(solver(a, B)[0]))(DENSE * np.where(np.eye(N), np.nan, 1))
    ).all()
    assert np.isnan(solver(DENSE, b, return_info=True)[1].residuals).all()
