"""Engines of sparse factorizations: which are there, and MKL Pardiso where pypardiso is
installed.
"""

import numpy as np
import pytest
import scipy.sparse

from scigrad import grad, hvp, sparse, value_and_grad, vmap
from scigrad.sparse.linalg import engines, factors
from scigrad.testing import assert_close

DRAW = np.random.default_rng(9)
N = 120
KINDS = ("symmetric", "general", "complex", "complex symmetric", "indefinite")
needs_pardiso = pytest.mark.skipif(not engines()["pardiso"], reason="pypardiso is not installed")


def matrix(kind, form="csc"):
    a = scipy.sparse.random_array((N, N), density=0.02, rng=DRAW, format="csc")
    a = scipy.sparse.csc_array(
        a + (scipy.sparse.eye_array(N) if kind == "general" else a.T + scipy.sparse.eye_array(N))
    )
    a.data = DRAW.normal(size=a.nnz) + (1j * DRAW.normal(size=a.nnz) if "complex" in kind else 0)
    a = a + (0.1 if kind == "indefinite" else 9) * scipy.sparse.eye_array(N)
    return scipy.sparse.csc_array(
        a + a.T if kind in ("symmetric", "indefinite", "complex symmetric") else a
    ).asformat(form)


def test_superlu_is_there_and_what_is_not_is_refused():
    a, b = matrix("general"), DRAW.normal(size=N)
    assert engines()["superlu"]
    assert_close(
        sparse.linalg.spsolve(a, b, engine="superlu"), np.linalg.solve(a.toarray(), b), rtol=1e-9
    )
    for solve in (
        lambda: sparse.linalg.spsolve(a, b, engine="mumps"),
        lambda: sparse.linalg.analyze(a, engine="mumps"),
    ):
        with pytest.raises(ValueError, match="cannot be used"):
            solve()


@needs_pardiso
@pytest.mark.parametrize("form", ["csc", "csr"])
@pytest.mark.parametrize("kind", KINDS)
def test_pardiso_solves_and_its_derivatives_are_those_of_superlu(kind, form):
    a, kept = matrix(kind, form), []
    b, dense = DRAW.normal(size=(N, 2)).astype(a.dtype), a.toarray()
    analyzed = sparse.linalg.analyze(a, engine="pardiso")
    for _ in range(2):  # the first finds the order, the second uses it
        f = analyzed.refactor(a.data)
        kept.append(f)  # factors of one pattern live side by side
        assert_close(f.solve(b), np.linalg.solve(dense, b), rtol=1e-8)
        assert_close(f.solve(b, "T"), np.linalg.solve(dense.T, b), rtol=1e-8)
        assert_close(
            f.solve(b[:, 0], adjoint=True), np.linalg.solve(dense.conj().T, b[:, 0]), rtol=1e-8
        )
        assert_close(f.logdet(), np.linalg.slogdet(dense)[1], rtol=1e-10)

    def loss(data, engine):
        x = sparse.linalg.spsolve(
            getattr(sparse, f"{form}_array")((data, a.indices, a.indptr)), b, engine=engine
        )
        return np.sum(abs(x) ** 2)

    (value, gradient), expected = (
        value_and_grad(loss)(a.data, engine) for engine in ("pardiso", "superlu")
    )
    assert_close(value, expected[0], rtol=1e-8)
    assert_close(gradient, expected[1], rtol=1e-7)
    tangent = DRAW.normal(size=a.nnz).astype(a.dtype)
    second = [
        hvp(lambda data, e=e: loss(data, e), (a.data,), (tangent,))[1]
        for e in ("pardiso", "superlu")
    ]
    assert_close(second[0], second[1], rtol=1e-6)
    batch = np.stack([a.data, 2 * a.data])
    assert_close(vmap(grad(lambda data: loss(data, "pardiso")))(batch)[1], gradient / 8, rtol=1e-7)


@needs_pardiso
def test_pardiso_is_chosen_by_size_and_leaves_what_it_would_perturb_to_superlu(monkeypatch):
    def engine_of(a):
        return type(factors.superlu(a, None, factors.Pattern.of(a))).__name__

    large = scipy.sparse.diags_array(
        [-np.ones(11_999), 2.1 * np.ones(12_000), -np.ones(11_999)], offsets=(-1, 0, 1)
    ).tocsc()
    assert engine_of(large) == "Pardiso"
    assert engine_of(large[:500, :500]) != "Pardiso"
    assert engine_of(large.astype(np.float32)) != "Pardiso"
    assert engine_of(scipy.sparse.csc_array(large * 0)) == "NoneType"
    with pytest.raises(TypeError, match="double precision"):
        sparse.linalg.analyze(large, engine="pardiso").refactor(large.data.astype(np.float32))
    with pytest.raises(RuntimeError, match="exactly singular"):
        sparse.linalg.analyze(large, engine="pardiso").refactor(0 * large.data)
