"""cg: the record of its iterations, its memory, operators of every kind, and what it says when it
fails.
"""

import dataclasses
import gc

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from scigrad import (
    TracedValueError,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    sparse,
    value_and_grad,
    vmap,
)
from scigrad.autodiff_rules import Primitive
from scigrad.sparse.linalg.implicit_rule import implicit_solution
from scigrad.testing import assert_close, gradcheck

DIAGONAL = np.linspace(1.0, 30.0, 12)
A = scipy.sparse.diags_array(
    [DIAGONAL, -0.4 * np.ones(11), -0.4 * np.ones(11)], offsets=[0, 1, -1]
).tocsr()
B = np.cos(np.arange(12.0))
cg = sparse.linalg.cg


def test_the_record_of_the_iterations():
    x, record = cg(A, B, rtol=1e-10, return_info=True)
    counted = []
    expected, info = scipy.sparse.linalg.cg(A, B, rtol=1e-10, callback=counted.append)
    np.testing.assert_allclose(x, expected)
    assert (record.info, record.iterations, record.reason) == (info, len(counted), "converged")
    assert record.residuals.shape == (len(counted) + 1,)
    x, stopped = cg(A, B, rtol=1e-10, maxiter=3, return_info=True)
    np.testing.assert_allclose(
        stopped.residuals[[0, -1]], [np.linalg.norm(B), np.linalg.norm(B - A @ x)]
    )
    assert (stopped.info, stopped.iterations) == (3, 3)
    assert "not converged in 3" in stopped.reason
    assert cg(-A, B * np.nan, return_info=True, maxiter=5)[1].reason == "broke down"


def test_the_record_comes_under_grad_and_vmap():
    def loss(b):
        x, record = cg(A, b, rtol=1e-10, return_info=True)
        return np.sum(x**2), record

    (_, record), _ = value_and_grad(loss, has_aux=True)(B)
    assert record.reason == "converged"
    assert isinstance(record.residuals, np.ndarray)
    easy = np.linalg.eigh(A.toarray())[1][:, 0]  # converges at once
    x, record = vmap(lambda b: cg(A, b, rtol=1e-10, return_info=True))(np.stack([B, easy, 0 * B]))
    assert record.info.tolist() == [0, 0, 0]
    assert record.iterations[1] == 1
    assert record.iterations[2] == 0
    assert record.residuals.shape == (3, record.iterations.max() + 1)
    np.testing.assert_allclose(
        x, np.linalg.solve(A.toarray(), np.stack([B, easy, 0 * B]).T).T, atol=1e-9
    )


def is_node(item):
    return type(item) is tuple and len(item) == 4 and isinstance(item[1], Primitive)


def test_memory_does_not_grow_with_the_iterations():
    def nodes(condition):
        a = scipy.sparse.diags_array(np.geomspace(1, condition, 400)).tocsr()
        kept = {}

        def loss(b):
            x, record = cg(a, b, rtol=1e-12, return_info=True)
            gc.collect()
            kept["nodes"] = sum(is_node(item) for item in gc.get_objects())
            kept["iterations"] = int(record.iterations)
            return np.sum(x)

        grad(loss)(np.ones(400))
        return kept

    few, many = nodes(1.5), nodes(1e5)
    assert few["iterations"] < 20 < 300 < many["iterations"]
    assert few["nodes"] == many["nodes"]


@pytest.mark.parametrize("return_info", [False, True])
def test_residuals_are_kept_only_where_they_are_asked_for(return_info):
    settings = {
        "rtol": 1e-10,
        "atol": 0.0,
        "maxiter": None,
        "callback": None,
        "return_info": return_info,
        "adjoint_rtol": 1e-10,
    }
    record = implicit_solution("cg", A, B, None, settings)[1]
    assert record.iterations > 9
    assert record.residuals.shape == (record.iterations + 1 if return_info else 1,)


def test_operators_of_every_kind():
    operator = scipy.sparse.linalg.aslinearoperator(A)
    jacobi = scipy.sparse.diags_array(1 / DIAGONAL).tocsr()
    expected = np.linalg.solve(A.toarray(), B)
    for a in (A, A.toarray(), operator, lambda v: A @ v):
        for m in (
            None,
            jacobi,
            jacobi.toarray(),
            scipy.sparse.linalg.aslinearoperator(jacobi),
            lambda v: v / DIAGONAL,
        ):
            x, g = value_and_grad(lambda b, a=a, m=m: B @ cg(a, b, rtol=1e-12, M=m)[0])(B)
            np.testing.assert_allclose(x, B @ expected)
            np.testing.assert_allclose(g, expected)
            np.testing.assert_allclose(
                vmap(lambda b, a=a, m=m: cg(a, b, rtol=1e-12, M=m)[0])(B[None])[0], expected
            )


@dataclasses.dataclass
class Shifted:
    """v -> (A + shift) v, differentiable in the shift."""

    shift: np.ndarray

    def __call__(self, v):
        return A @ v + self.shift * v


def test_a_container_of_parameters_is_differentiable_to_second_order():
    def loss(operator, b):
        return np.sum(cg(operator, b, rtol=1e-14, M=lambda v: v / DIAGONAL)[0] ** 3)

    gradcheck(lambda shift: loss(Shifted(shift), B), np.array(0.5))
    _, product = hvp(lambda shift: loss(Shifted(shift), B), (np.array(0.5),), (np.array(1.0),))
    step = 1e-4
    slopes = [grad(lambda shift: loss(Shifted(shift), B))(np.array(0.5 + s)) for s in (step, -step)]
    np.testing.assert_allclose(product, (slopes[0] - slopes[1]) / (2 * step), rtol=1e-6)


@pytest.mark.parametrize("of", [lambda a: a, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("solver", [sparse.linalg.cg, sparse.linalg.minres])
def test_second_derivatives_by_all_entries_of_a_hermitian_matrix(solver, of):
    a = np.array([[2.0, 0.5], [0.5, 3.0]])

    def first(a):
        return solver(of(a), np.array([1.0, 2.0]), rtol=1e-13)[0][0]

    exact = hessian(lambda a: np.linalg.solve(a, np.array([1.0, 2.0]))[0])(a)
    for found in (
        hessian(first),
        jacrev(jacrev(first)),
        jacrev(jacfwd(first)),
        jacfwd(jacfwd(first)),
    ):
        assert_close(found(a), exact, rtol=1e-9)


def test_a_function_that_uses_traced_values_from_outside_is_refused():
    with pytest.raises(TracedValueError, match=r"sparse\.linalg\.cg: .*linear_operator"):
        grad(lambda shift: np.sum(cg(lambda v: A @ v + shift * v, B)[0]))(np.array(0.5))


def test_a_preconditioner_and_a_first_guess_have_no_derivative():
    def loss(data):
        a = sparse.csr_array((data, A.indices, A.indptr))
        return np.sum(
            cg(
                a,
                B,
                x0=data[:12],
                rtol=1e-13,
                M=sparse.csr_array((1 / a.diagonal(), np.arange(12), np.arange(13))),
            )[0]
        )

    plain = grad(
        lambda data: np.sum(sparse.linalg.spsolve(sparse.csr_array((data, A.indices, A.indptr)), B))
    )
    np.testing.assert_allclose(grad(loss)(A.data), plain(A.data), rtol=1e-9)


def test_a_derivative_that_did_not_converge_is_refused():
    with pytest.raises(np.linalg.LinAlgError, match="cg: the solve did not converge"):
        grad(lambda b: np.sum(cg(A, b, maxiter=2)[0]))(B)


def test_first_guesses():
    expected = np.linalg.solve(A.toarray(), np.ones(12))
    for x0 in (B, "Mb", None):
        np.testing.assert_allclose(
            grad(lambda b, x0=x0: np.sum(cg(A, b, x0, rtol=1e-12)[0]))(B), expected
        )
        np.testing.assert_allclose(
            cg(A, np.ones(12), x0, rtol=1e-12, return_info=True)[0], expected
        )
    with pytest.raises(ValueError, match="x0 must be"):
        cg(A, B, "zeros", return_info=True)


def test_no_iteration_is_no_convergence():
    x, record = cg(A, B, maxiter=0, return_info=True)
    assert not x.any()
    assert "not converged" in record.reason
    with pytest.raises(np.linalg.LinAlgError, match="that gives its derivative did not converge"):
        jvp(lambda b: cg(A, b, np.linalg.solve(A.toarray(), B), maxiter=0)[0], (B,), (B,))


def test_a_preconditioner_or_right_hand_side_of_another_kind_is_refused():
    for m in (1 / DIAGONAL, np.eye(3)):
        with pytest.raises(ValueError, match="matrix and preconditioner have different shapes"):
            grad(lambda b, m=m: np.sum(cg(A, b, M=m)[0]))(B)
    with pytest.raises(ValueError, match="b has to be dense"):
        cg(A, scipy.sparse.csr_array(B[:, None]), return_info=True)


def test_a_first_guess_does_not_decide_the_dtype():
    a, b = A.astype(np.float32), B.astype(np.float32)
    for x0 in (B, np.zeros(12, np.complex128), np.zeros(12, int)):
        x, tangent = jvp(lambda b, x0=x0: cg(a, b, x0, maxiter=50)[0], (b,), (b,))
        assert (x.dtype, tangent.dtype) == (np.float32, np.float32)


def test_callback_sees_every_iterate():
    seen = []
    jvp(lambda b: cg(A, b, callback=seen.append)[0], (B,), (B,))
    assert len(seen) > 1
    assert all(type(x) is np.ndarray for x in seen)
