"""linear_operator: products, adjoints and derivatives against those of the same matrix, and cg with
it.
"""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse.linalg

from scigrad import TracedValueError, grad, hessian, hvp, jvp, sparse, value_and_grad, vmap
from scigrad.testing import assert_close, gradcheck

linear_operator, cg = sparse.linalg.linear_operator, sparse.linalg.cg
DRAW = np.random.default_rng(7)
N = 5


def second_differences(v, weights, name="periodic"):
    """D^T diag(weights) D + 1 with differences D along a ring: positive definite."""
    assert name == "periodic"
    flux = weights * (np.roll(v, -1) - v)
    return v + np.roll(flux, 1) - flux


def ring(weights):
    return linear_operator(second_differences, weights, "periodic", shape=(N, N))


def dense(weights):
    """The same matrix, written with NumPy's functions."""
    difference = np.roll(np.eye(N), 1, axis=1) - np.eye(N)
    return np.eye(N) + difference.T @ (weights[:, None] * difference)


WEIGHTS = DRAW.uniform(0.5, 2.0, N)
B = DRAW.normal(size=N)


def complex_array(*shape):
    return DRAW.normal(size=shape) + 1j * DRAW.normal(size=shape)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64, np.complex128])
def test_products_are_those_of_the_matrix(kind):
    matrix = complex_array(3, N) if np.dtype(kind).kind == "c" else DRAW.normal(size=(3, N))
    matrix = matrix.astype(kind)
    operator = linear_operator(lambda v, a: a @ v, matrix, shape=(3, N))
    assert (operator.shape, operator.dtype) == (matrix.shape, matrix.dtype)
    for a, m in (
        (operator, matrix),
        (operator.H, matrix.conj().T),
        (operator.T, matrix.T),
        (operator.H.T, matrix.conj()),
        (operator.H.H, matrix),
    ):
        assert a.shape == m.shape
        for other in (
            DRAW.normal(size=m.shape[1]),
            DRAW.normal(size=(m.shape[1], 2)),
            complex_array(m.shape[1]),
        ):
            assert_close(
                a @ other, m @ other, rtol=1e-5 if np.finfo(kind).dtype == np.float32 else 1e-13
            )
        left = complex_array(m.shape[0])
        assert_close(a.rmatvec(left), m.conj().T @ left, rtol=1e-5)
    result = operator.matvec(matrix[0])
    assert result.dtype == operator.rmatvec(matrix[:, 0]).dtype == matrix.dtype


@pytest.mark.parametrize(
    "apply", [lambda a, v: a @ v, lambda a, v: a.H @ v, lambda a, v: a.T @ (a @ v)]
)
def test_derivatives_of_products_flow_to_the_parameters(apply):
    matrix, v = complex_array(N, N), complex_array(N)

    def loss(matrix, v, whole):
        a = linear_operator(lambda v, m: m @ v, matrix, shape=(N, N)) if whole else matrix
        a = a if whole else Plain(matrix)
        return np.sum(np.abs(apply(a, v)) ** 2)

    class Plain:
        def __init__(self, m):
            self.m = m

        H = property(lambda self: Plain(self.m.conj().T))
        T = property(lambda self: Plain(self.m.T))

        def __matmul__(self, v):
            return self.m @ v

    for found, expected in zip(
        *(grad(lambda m, v, w=w: loss(m, v, w), (0, 1))(matrix, v) for w in (True, False)),
        strict=True,
    ):
        assert_close(found, expected, rtol=1e-12)
    gradcheck(lambda m: loss(m, v, True), matrix)


def test_cg_solves_with_it_and_is_differentiable_in_its_parameters():
    def loss(weights, b):
        return np.sum(
            cg(
                ring(weights),
                b,
                rtol=1e-14,
                M=linear_operator(lambda v, d: v / d, weights + 1, shape=(N, N)),
            )[0]
            ** 3
        )

    def expected(weights, b):
        return np.sum(np.linalg.solve(dense(weights), b) ** 3)

    for of_f, of_g in zip(
        value_and_grad(loss, (0, 1))(WEIGHTS, B),
        value_and_grad(expected, (0, 1))(WEIGHTS, B),
        strict=True,
    ):
        assert_close(of_f, of_g, rtol=1e-10)
    assert_close(
        jvp(loss, (WEIGHTS, B), (B, WEIGHTS))[1],
        jvp(expected, (WEIGHTS, B), (B, WEIGHTS))[1],
        rtol=1e-10,
    )
    assert_close(
        hvp(loss, (WEIGHTS, B), (B, WEIGHTS)), hvp(expected, (WEIGHTS, B), (B, WEIGHTS)), rtol=1e-9
    )
    assert_close(hessian(loss)(WEIGHTS, B), hessian(expected)(WEIGHTS, B), rtol=1e-9)
    batch = np.stack([WEIGHTS, WEIGHTS + 1])
    for axes in ((0, None), (0, 0)):
        b = B if axes[1] is None else np.stack([B, WEIGHTS])
        assert_close(
            vmap(grad(loss), axes)(batch, b), vmap(grad(expected), axes)(batch, b), rtol=1e-10
        )


def test_complex_parameters():
    root = complex_array(N, N)

    def solution(root, b, solve):
        return np.sum(np.abs(solve(root, b)) ** 2)

    def iterative(root, b):
        return cg(
            linear_operator(lambda v, r: r.conj().T @ (r @ v) + v, root, shape=(N, N)),
            b,
            rtol=1e-15,
            maxiter=200,
        )[0]

    def direct(root, b):
        return np.linalg.solve(root.conj().T @ root + np.eye(N), b)

    found, expected = (
        grad(lambda r, b, s=s: solution(r, b, s), (0, 1))(root, B) for s in (iterative, direct)
    )
    assert found[1].dtype == float
    assert_close(found, expected, rtol=1e-8)


def test_it_is_a_container():
    operator = linear_operator(second_differences, WEIGHTS, shape=(N, N))
    of_operator = grad(lambda a: cg(a, B, rtol=1e-14)[0][0])(operator)
    assert_close(
        of_operator.params[0], grad(lambda w: np.linalg.solve(dense(w), B)[0])(WEIGHTS), rtol=1e-10
    )
    assert of_operator.shape == (N, N)


def test_scipy_takes_it_for_plain_values():
    found, info = scipy.sparse.linalg.cg(ring(WEIGHTS), B, rtol=1e-13)
    assert info == 0
    assert_close(found, np.linalg.solve(dense(WEIGHTS), B), rtol=1e-9)
    assert_close(cg(ring(WEIGHTS), B, rtol=1e-13)[0], found)
    again = pickle.loads(pickle.dumps(copy.deepcopy(ring(WEIGHTS))))
    assert_close(again @ B, ring(WEIGHTS) @ B)


def test_refusals():
    with pytest.raises(
        ValueError, match=r"vector of length 5 has to return one of length 4, not array"
    ):
        linear_operator(lambda v: v, shape=(4, 5))
    with pytest.raises(ValueError, match="dimension mismatch"):
        ring(WEIGHTS) @ np.ones(4)
    assert_close(B @ ring(WEIGHTS), B @ dense(WEIGHTS))
    with pytest.raises(ValueError, match="expected square matrix"):
        cg(linear_operator(lambda v: v[1:], shape=(4, 5)), np.ones(4), return_info=True)
    with pytest.raises(TracedValueError, match=r"lambda.*Pass it as an argument"):
        grad(lambda w: np.sum(cg(linear_operator(lambda v: w * v, shape=(N, N)), B)[0]))(WEIGHTS)
