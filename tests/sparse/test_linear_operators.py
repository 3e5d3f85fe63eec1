"""LinearOperator and aslinearoperator: algebra, subclasses, adjoints and derivatives against those
of the same matrices.
"""

import pickle

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import scipy.sparse.linalg

from scigrad import grad, jvp, linalg, sparse
from scigrad.testing import assert_close, gradcheck

LinearOperator, aslinearoperator = sparse.linalg.LinearOperator, sparse.linalg.aslinearoperator
DRAW = np.random.default_rng(5)


def matrix(*shape):
    return DRAW.normal(size=shape) + 1j * DRAW.normal(size=shape)


A, B, C = matrix(3, 4), matrix(4, 3), matrix(3, 4)


def of_functions(a):
    return LinearOperator(a.shape, lambda v: a @ v, rmatvec=lambda u: a.conj().T @ u, dtype=a.dtype)


class ByMatrix(LinearOperator):
    def __init__(self, a):
        super().__init__(a.dtype, a.shape)
        self.a = a

    def _matmat(self, x):
        return self.a @ x

    def _adjoint(self):
        return ByMatrix(self.a.conj().T)


MAKERS = {
    "dense": aslinearoperator,
    "sparse": lambda a: aslinearoperator(scipy.sparse.csr_array(a)),
    "SciPy's": lambda a: aslinearoperator(scipy.sparse.linalg.aslinearoperator(a)),
    "functions": of_functions,
    "subclass": ByMatrix,
    "with matvec": lambda a: aslinearoperator(scipy.sparse.linalg.aslinearoperator(a)),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_algebra_is_that_of_the_matrices(make):
    a, b, c = make(A), make(B), make(C)
    pairs = [
        (a, A),
        (a + c, A + C),
        (a - c, A - C),
        (-a, -A),
        (2j * a, 2j * A),
        (a * 2j, 2j * A),
        (a / 4, A / 4),
        (a @ b, A @ B),
        (a * b, A @ B),
        ((a @ b) ** 3, np.linalg.matrix_power(A @ B, 3)),
        (a.H, A.conj().T),
        (a.T, A.T),
        ((a @ b).H, (A @ B).conj().T),
        ((a + 1j * c).T, (A + 1j * C).T),
        ((a @ b).T ** 2, (A @ B @ A @ B).T),
    ]
    for operator, plain in pairs:
        assert operator.shape == plain.shape
        assert operator.dtype == plain.dtype
        v, w, u, z = (
            matrix(plain.shape[1]),
            matrix(plain.shape[1], 2),
            matrix(plain.shape[0]),
            matrix(plain.shape[0], 2),
        )
        assert_close(
            [operator @ v, operator.matvec(v[:, None]), operator(w), operator.matmat(w)],
            [plain @ v, (plain @ v)[:, None]] + 2 * [plain @ w],
        )
        adjoint = plain.conj().T
        assert_close(
            [operator.rmatvec(u), operator.rmatmat(z), u @ operator, z.T @ operator],
            [adjoint @ u, adjoint @ z, u @ plain, z.T @ plain],
        )


@pytest.mark.parametrize(
    "make", [aslinearoperator, lambda a: aslinearoperator(sparse.csr_array(a)), of_functions]
)
def test_derivatives_flow_to_the_matrix_and_the_vector(make):
    def loss(a, v):
        operator = make(a)
        return np.sum(np.abs((2 * operator @ operator.H + operator**2) @ v) ** 2)

    def plain(a, v):
        return np.sum(np.abs((2 * a @ a.conj().T + a @ a) @ v) ** 2)

    square, v = matrix(3, 3), matrix(3)
    assert_close(grad(loss, (0, 1))(square, v), grad(plain, (0, 1))(square, v), rtol=1e-12)
    gradcheck(lambda a: loss(a, v), square)


def test_operators_of_scipy_are_differentiable_in_the_vector():
    plain = scipy.sparse.linalg.LinearOperator(
        (3, 4), lambda v: A @ np.asarray(v), lambda u: A.conj().T @ np.asarray(u), dtype=complex
    )
    v = matrix(4)
    assert_close(
        grad(lambda v: np.sum(np.abs(aslinearoperator(plain) @ v) ** 2))(v),
        2 * A.conj().T @ (A @ v),
        rtol=1e-13,
    )


def test_scipy_takes_them():
    found, info = scipy.sparse.linalg.gmres(
        of_functions(np.eye(3) + 0.1 * A[:, :3]), np.ones(3), rtol=1e-10
    )
    assert info == 0
    assert_close((np.eye(3) + 0.1 * A[:, :3]) @ found, np.ones(3) + 0j, rtol=1e-9)


def test_functions_of_scipy_s_that_ask_for_its_class_take_them():
    a = np.diag(np.arange(1.0, 7.0))
    operator, b = aslinearoperator(a), np.ones(6)
    with pytest.warns(UserWarning, match="Trace"):
        assert_close(
            sparse.linalg.expm_multiply(operator, b), np.exp(np.arange(1.0, 7.0)), rtol=1e-12
        )
    assert_close(
        sparse.linalg.eigsh(operator, k=1, return_eigenvectors=False), np.array([6.0]), rtol=1e-12
    )
    assert_close(sparse.linalg.svds(operator, k=1)[1], np.array([6.0]), rtol=1e-12)
    with pytest.warns(RuntimeWarning, match="k >= N"), pytest.raises(TypeError):
        sparse.linalg.eigsh(operator, k=6)


def test_exponentials_of_a_large_norm_take_several_steps():
    a, b = 6 * DRAW.normal(size=(3, 3)), DRAW.normal(size=3)
    assert 10 < np.abs(a).sum(axis=0).max() < 60
    found = grad(lambda a, b: np.sum(sparse.linalg.expm_multiply(a, b) ** 2), (0, 1))(
        scipy.sparse.csr_array(a), b
    )
    expected = grad(lambda a, b: np.sum((linalg.expm(a) @ b) ** 2), (0, 1))(a, b)
    assert_close((found[0].toarray(), found[1]), expected, rtol=1e-8)


def test_the_dtype_is_found_from_a_product():
    assert LinearOperator((2, 2), lambda v: 2.5 * v).dtype == np.float64
    assert repr(aslinearoperator(np.eye(2))) == "<2x2 ParametricOperator with dtype=float64>"


def test_the_dtype_is_found_where_eight_bits_are_too_few():
    assert LinearOperator((2, 2), matvec=lambda v: np.array([128 * v[0], v[1]])).dtype == int


def test_a_subclass_with_products_of_matrices_has_an_adjoint():
    class Both(LinearOperator):
        def __init__(self):
            super().__init__(A.dtype, A.shape)

        _matmat, _rmatmat = staticmethod(lambda x: A @ x), staticmethod(lambda x: A.conj().T @ x)

    v, w = matrix(3), matrix(3, 2)
    for product, plain in ((Both().H, A.conj().T), (Both().T, A.T)):
        assert_close(product @ v, plain @ v, rtol=1e-14)
        assert_close(product @ w, plain @ w, rtol=1e-14)
    assert_close(v @ Both(), v @ A, rtol=1e-14)


def test_a_subclass_without_products_warns():
    class Empty(LinearOperator):
        pass

    with (
        pytest.warns(RuntimeWarning, match="should implement at least one of _matvec and _matmat"),
        pytest.raises(TypeError),
    ):
        Empty()


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_numpy_s_matrices_make_operators_of_arrays():
    a = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    operator = aslinearoperator(np.asmatrix(a))
    for x in (np.arange(3.0), np.arange(6.0).reshape(3, 2)):
        assert_close(operator @ x, a @ x, rtol=0)


@pytest.mark.parametrize(
    "multiplied", [lambda a, b: a @ b, lambda a, b: b @ a, lambda a, b: a.dot(b)]
)
def test_sparse_arrays_are_refused(multiplied):
    with pytest.raises(TypeError, match="Unable to multiply a LinearOperator with a sparse matrix"):
        multiplied(LinearOperator((2, 2), matvec=lambda v: v), scipy.sparse.eye_array(2))


def test_numbers_of_extended_precision_keep_their_imaginary_parts():
    """What the iterations have no arithmetic for becomes the double precision of its kind."""
    a, b = np.diag([1.0 + 2.0j, 3.0 - 1.0j]), np.array([1.0j, 2.0])
    extended = a.astype(np.clongdouble), b.astype(np.clongdouble)
    gmres = sparse.linalg.gmres
    assert_close(
        gmres(*extended, rtol=1e-12, return_info=True)[0], np.linalg.solve(a, b), rtol=1e-9
    )
    assert_close(
        gmres(a, extended[1], rtol=1e-12, return_info=True)[0], np.linalg.solve(a, b), rtol=1e-9
    )
    narrow = b.astype(np.complex64)
    found = sparse.linalg.expm_multiply(extended[0], narrow, 0.0, 1.0, 2)
    assert_close(found, np.array([b, np.exp(np.diag(a)) * b]), rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_an_estimated_trace_is_said_as_scipy_says_it(dtype):
    """By every way: SciPy's, that of narrow numbers, and under a transform."""
    operator, b = aslinearoperator(np.diag([1.0, 2.0])), np.ones(2, dtype)

    def of(b, *times):
        return sparse.linalg.expm_multiply(operator, b, *times)

    for call in (lambda: of(b), lambda: of(b, 0.0, 1.0, 3), lambda: jvp(of, (b,), (b,))):
        with pytest.warns(UserWarning, match="Trace of LinearOperator not available"):
            call()


def test_refusals():
    a = of_functions(A)
    for call, text in (
        (lambda: a @ np.ones(3), "dimension mismatch"),
        (lambda: a.matvec(np.ones((4, 2))), "dimension mismatch"),
        (lambda: a.matvec(np.ones((4, 0))), "dimension mismatch"),
        (lambda: a @ a, "cannot multiply"),
        (lambda: a + of_functions(B), "cannot add"),
        (lambda: a**2, "a power needs"),
        (lambda: a @ 2, "Scalar operands"),
        (lambda: 2 @ a, "Scalar operands"),
        (lambda: a / a, "by a scalar"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
    with pytest.raises(TypeError):
        a + A
    with pytest.raises(TypeError, match="type not understood"):
        aslinearoperator("A")
    with pytest.raises(
        NotImplementedError, match=r"Pass rmatvec=, or use linear_operator\(f, shape="
    ):
        LinearOperator((2, 2), lambda v: v).H @ np.ones(2)


@pytest.mark.parametrize("conditions", ["dirichlet", "neumann", "periodic"])
def test_laplacians_of_grids(conditions):
    operator = sparse.linalg.LaplacianNd((3, 4), boundary_conditions=conditions, dtype=float)
    dense, v = operator.toarray(), DRAW.normal(size=12)
    assert_close(
        [operator @ v, operator.H @ v, (2 * operator.T) @ v], [dense @ v, dense @ v, 2 * dense @ v]
    )
    assert_close(operator @ np.stack([v, 2 * v], 1), dense @ np.stack([v, 2 * v], 1))
    assert_close(grad(lambda v: np.sum((operator @ v) ** 3))(v), 3 * dense.T @ (dense @ v) ** 2)
    np.testing.assert_allclose(operator.eigenvalues(), np.linalg.eigvalsh(dense), atol=1e-12)
    assert_close(operator.tosparse().toarray(), dense)


def test_functions_of_scipy_and_its_operators_take_operators_of_ours():
    a = np.diag([4.0, 3.0, 2.0]) + np.eye(3, k=1)
    ours, theirs, v = (
        sparse.linalg.aslinearoperator(a),
        scipy.sparse.linalg.aslinearoperator(a),
        np.arange(1.0, 4.0),
    )
    assert isinstance(ours, scipy.sparse.linalg.LinearOperator)
    assert isinstance(ours, sparse.linalg.LinearOperator)
    assert not isinstance(theirs, sparse.linalg.LinearOperator)
    # by its class
    found = scipy.optimize.least_squares(lambda x: a @ x - v, np.zeros(3), jac=lambda x: ours).x
    assert_close(a @ found, v, rtol=1e-8)
    for sum_, product in ((ours + theirs, ours @ theirs), (theirs + ours, theirs @ ours)):
        assert_close(sum_ @ v, 2 * a @ v, rtol=1e-14)
        assert_close(product @ v, a @ a @ v, rtol=1e-14)
    assert_close(grad(lambda v: np.sum((ours + theirs) @ v))(v), 2 * a.sum(axis=0), rtol=1e-14)


def test_operators_can_be_pickled():
    a, v = np.diag([4.0, 3.0, 2.0]) + np.eye(3, k=1), np.arange(1.0, 4.0)
    operator = sparse.linalg.aslinearoperator(a)
    made = (
        operator,
        operator.T,
        2 * operator,
        operator + operator.H,
        operator @ operator,
        operator**2,
        sparse.linalg.LaplacianNd((3,)),
    )
    for one in made:
        again = pickle.loads(pickle.dumps(one))
        assert_close((again @ v, again.rmatvec(v)), (one @ v, one.rmatvec(v)), rtol=1e-14)
