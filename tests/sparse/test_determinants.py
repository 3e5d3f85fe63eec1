"""analyze, cholesky, log-determinants by selected inverses, and SuperLU's symmetric mode."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from scigrad import MissingRule, grad, hvp, jvp, sparse, value_and_grad, vmap
from scigrad.sparse.linalg import factors
from scigrad.testing import assert_close

DRAW = np.random.default_rng(7)
N = 150  # more than one front
KINDS = ("symmetric", "general", "complex", "small diagonal")


def matrix(kind, form="csc"):
    pattern = scipy.sparse.random_array(
        (N, N), density=0.01, rng=DRAW, format="csc"
    ) + scipy.sparse.eye_array(N)
    a = scipy.sparse.csc_array(pattern if kind == "general" else pattern + pattern.T)
    a.data = DRAW.normal(size=a.nnz) + (1j * DRAW.normal(size=a.nnz) if kind == "complex" else 0)
    return (a if kind == "small diagonal" else a + 9 * scipy.sparse.eye_array(N)).asformat(form)


@pytest.mark.parametrize("form", ["csc", "csr"])
@pytest.mark.parametrize("kind", KINDS)
def test_factorizations_of_an_analyzed_pattern(kind, form):
    a = matrix(kind, form)
    dense, b, kept = a.toarray(), DRAW.normal(size=(N, 2)), sparse.linalg.analyze(a)
    inverse, tolerance = np.linalg.inv(dense), 1e-9 if kind == "small diagonal" else 1e-11
    for _ in range(2):  # the first finds the order, the second uses it
        f = kept.refactor(a.data)
        assert_close(f.solve(b), inverse @ b, rtol=tolerance)
        assert_close(f.solve(b[:, 0], adjoint=True), inverse.conj().T @ b[:, 0], rtol=tolerance)
        assert_close(f.logdet(), np.linalg.slogdet(dense)[1], rtol=1e-12)
        gradient = sparse.csr_array(
            grad(lambda a: sparse.linalg.analyze(a).refactor(a.data).logdet())(a)
        )
        assert_close(gradient.toarray(), np.where(dense != 0, inverse.conj().T, 0), rtol=tolerance)
        assert_close(
            grad(lambda data: kept.refactor(data).logdet())(a.data),
            grad(lambda a: sparse.linalg.splu(a.tocsc()).logdet())(a).data,
        )


def test_second_derivatives_and_batches_of_the_logarithm_of_a_determinant():
    a = matrix("symmetric")
    kept, tangent = sparse.linalg.analyze(a), DRAW.normal(size=a.nnz)

    def loss(data):
        return kept.refactor(data).logdet()

    change = scipy.sparse.csc_array((tangent, a.indices, a.indptr)).toarray()
    inverse = np.linalg.inv(a.toarray())
    expected = -scipy.sparse.csc_array((inverse @ change @ inverse).T * (a.toarray() != 0)).data
    first, found = hvp(loss, (a.data,), (tangent,))
    assert_close(found, expected, rtol=1e-10)
    assert_close(jvp(loss, (a.data,), (tangent,))[1], first @ tangent, rtol=1e-12)
    values = np.stack([a.data, 2 * a.data])
    assert_close(vmap(grad(loss))(values), np.stack([first, first / 2]), rtol=1e-12)


def test_cholesky_solves_samples_and_refuses():
    a = matrix("symmetric")
    a = scipy.sparse.csc_array(a @ a.T)
    f = sparse.linalg.cholesky(a)
    assert_close(f.solve(np.ones(N)), np.linalg.solve(a.toarray(), np.ones(N)), rtol=1e-10)
    inverse = np.linalg.inv(a.toarray())
    x = f.sample(np.random.default_rng(0), 40_000)
    np.testing.assert_allclose(x @ x.T / 40_000, inverse, atol=0.04 * inverse.max())
    assert_close(
        grad(lambda a: sparse.linalg.cholesky(a).logdet())(a).toarray(),
        np.where(a.toarray() != 0, inverse, 0),
        rtol=1e-9,
    )
    complex_one = scipy.sparse.csc_array(np.array([[2, 1j], [-1j, 2]]))
    x = sparse.linalg.cholesky(complex_one).sample(0, 100_000)
    np.testing.assert_allclose(
        x @ x.conj().T / 100_000, np.linalg.inv(complex_one.toarray()), atol=0.02
    )
    for wrong, error in (
        ([[1.0, 2.0], [2.0, 1.0]], np.linalg.LinAlgError),
        ([[1.0, 1.0], [1.0, 1.0]], np.linalg.LinAlgError),
    ):
        with pytest.raises(
            error, match=r"cholesky: the matrix is not positive definite|exactly singular"
        ):
            sparse.linalg.cholesky(scipy.sparse.csc_array(wrong))
    with pytest.raises(ValueError, match="not Hermitian"):
        sparse.linalg.cholesky(scipy.sparse.csc_array([[1.0, 0.5], [0.4, 1.0]]))
    with pytest.raises(MissingRule, match="has no derivative rule"):
        grad(lambda a: sparse.linalg.cholesky(a).sample(0).sum())(a)


def test_one_factorization_in_symmetric_mode_serves_value_and_gradient(monkeypatch):
    seen = []
    original = factors._in_kept_order
    monkeypatch.setattr(
        factors, "_in_kept_order", lambda *args: seen.append(original(*args)) or seen[-1]
    )
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(40, 40))
    a = scipy.sparse.csc_array(scipy.sparse.kronsum(line, line))
    value_and_grad(lambda a: np.sum(sparse.linalg.spsolve(a, np.ones(1600)) ** 2))(a)
    assert len(seen) == 1
    assert seen[0].nnz < 0.7 * scipy.sparse.linalg.splu(a).nnz


def test_incomplete_factors_have_no_determinant():
    with pytest.raises(TypeError, match="incomplete factors"):
        sparse.linalg.spilu(matrix("general")).logdet()
