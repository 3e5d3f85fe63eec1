"""Eigenvectors of sparse arrays, whose derivatives are those of dense ones."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from scigrad import grad, hessian, jvp, linalg, sparse, stop_gradient, vmap
from scigrad.testing import assert_close

N = 8


@pytest.mark.parametrize("form", ["real", "complex", "stiff", "close"])
def test_vectors_of_sparse_arrays_are_those_of_dense_ones(form):
    n = 12
    offset = np.full(n - 1, 0.3 + 0.2j if form == "complex" else 0.3)
    diagonal = np.cos(3 * np.arange(n)) + (1e5 * (np.arange(n) > 4) if form == "stiff" else 0)
    if form == "close":  # two halves with nearly the same values
        diagonal[n // 2 :], offset[n // 2 - 1] = diagonal[: n // 2] * (1 + 1e-7), 1e-7
    a = scipy.sparse.diags_array(
        [offset.conj(), diagonal, offset], offsets=[-1, 0, 1], format="csc"
    )
    m = scipy.sparse.diags_array([0.1, 2.0, 0.1], offsets=[-1, 0, 1], shape=(n, n), format="csc")
    change = scipy.sparse.diags_array(
        [offset.conj() ** 2, np.arange(n) / n, offset**2], offsets=[-1, 0, 1], format="csc"
    )

    def squares(v):
        return np.sum(np.abs(v[:3]) ** 4 * np.arange(1.0, v.shape[1] + 1))

    def sparse_one(t):
        return squares(sparse.linalg.eigsh(a + t * change, 3, M=m * (1 + t), which="SA")[1])

    def dense_one(t):
        return squares(
            linalg.eigh(a.toarray() + t * change.toarray(), m.toarray() * (1 + t))[1][:, :3]
        )

    assert_close(grad(sparse_one)(0.0), grad(dense_one)(0.0), rtol=1e-6)
    if form in ("real", "complex"):
        assert_close(hessian(sparse_one)(0.1), hessian(dense_one)(0.1), rtol=1e-6)


@pytest.mark.parametrize(
    "m",
    [
        None,
        scipy.sparse.diags_array([0.1, 2.0, 0.1], offsets=[-1, 0, 1], shape=(N, N), format="csc"),
    ],
)
@pytest.mark.parametrize("form", ["real", "complex", "triangular", "singular"])
def test_vectors_of_sparse_arrays_without_symmetry_are_those_of_dense_ones(form, m):
    draw = np.random.default_rng(5)
    a = np.diag(np.arange(1.0, N + 1)) + draw.normal(size=(N, N)) * (
        draw.uniform(size=(N, N)) < 0.3
    )
    a = a + 1j * np.triu(a, 1) if form == "complex" else np.triu(a) if form == "triangular" else a
    a = a * (np.arange(N) != 3) if form == "singular" else a
    change = a @ a / 9
    right = {"k": 3, "which": "SM"} if form == "singular" and m is None else {"k": 3, "which": "LM"}
    wanted = sparse.linalg.eigs(scipy.sparse.csr_array(a), M=m, **right)[0]

    def squares(w, v):
        # in any order
        return np.sum(np.abs(v[:3].T) ** 4 * np.arange(1.0, 4)) + np.sum(np.abs(w) ** 3)

    def sparse_one(t):
        a_of_t = scipy.sparse.csr_array(a) + t * scipy.sparse.csr_array(change)
        return squares(*sparse.linalg.eigs(a_of_t, M=m if m is None else m * (1 + t), **right))

    def dense_one(t):
        m_of_t = np.eye(N) if m is None else m.toarray() * (1 + t)
        w, v = linalg.eig(a + t * change, m_of_t)
        order = np.array([np.argmin(abs(stop_gradient(w) - x)) for x in wanted])
        w, v = w[order], v[:, order]
        return squares(w, v / np.sqrt(np.sum(v.conj() * (m_of_t @ v), axis=0).real))

    assert_close(grad(sparse_one)(0.0), grad(dense_one)(0.0), rtol=1e-7)
    if form in ("real", "complex"):
        assert_close(hessian(sparse_one)(0.0), hessian(dense_one)(0.0), rtol=1e-7)
        pushed = vmap(lambda t: jvp(sparse_one, (t,), (1.0,))[1])(np.array([0.0, 0.1]))
        assert_close(pushed, np.stack([grad(dense_one)(0.0), grad(sparse_one)(0.1)]), rtol=1e-7)


@pytest.mark.parametrize("find", ["eigsh", "eigs"])
def test_vectors_of_a_large_array_have_a_gradient_by_sparse_factors(find):
    n = 20_000
    a = scipy.sparse.diags_array(
        [-1.0, np.linspace(2, 3, n), -1.0], offsets=[-1, 0, 1], shape=(n, n), format="csc"
    )
    change = scipy.sparse.diags_array(np.arange(n) / n, format="csc")

    def loss(t):
        return np.sum(np.abs(getattr(sparse.linalg, find)(a + t * change, 2, sigma=0)[1][:9]) ** 4)

    assert_close(grad(loss)(0.0), (loss(1e-3) - loss(-1e-3)) / 2e-3, rtol=1e-4)
