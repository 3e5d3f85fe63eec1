"""splu, and how often a derivative factors."""

import functools

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from scigrad import MissingRule, grad, hvp, jvp, sparse, vmap
from scigrad.sparse.array import pattern
from scigrad.sparse.linalg import factors
from scigrad.testing import OpSpec, gradcheck, laws

DENSE = np.array([[4.0, 1, 0, 0], [0, 3, 1, 0], [1, 0, 5, 2], [0, 2, 0, 4]])


def solved(a, b, trans="N"):
    return sparse.linalg.splu(a).solve(b, trans)


def reference(a, b, trans="N"):
    a = a.toarray() if trans == "N" else a.toarray().T if trans == "T" else a.toarray().conj().T
    return np.linalg.solve(a, b)


def samples(draw):
    def matrix(form):
        return getattr(scipy.sparse, f"{form}_array")(
            (DENSE + 0.3 * (DENSE != 0) * draw.array(4, 4)).astype(draw.dtype)
        )

    for trans in ("N", "T", "H"):
        yield f"vector, {trans}", (matrix("csc"), draw.array(4)), {"trans": trans}
        yield f"matrix, {trans}", (matrix("csc"), draw.array(4, 2)), {"trans": trans}


SPEC = OpSpec(
    function=functools.wraps(sparse.linalg.splu)(solved), reference=reference, samples=samples
)


@pytest.mark.parametrize("law", laws.LAWS)
def test_splu_is_held_to_the_laws(law):
    laws.LAWS[law](SPEC, "numpy")


@pytest.fixture
def factorizations(monkeypatch):
    """How often SuperLU has factored."""
    counted = []

    def counting(*args):
        counted.append(args)
        return superlu(*args)

    superlu = factors.superlu
    monkeypatch.setattr(factors, "superlu", counting)
    return counted


@pytest.mark.parametrize(
    ("solve", "form"),
    [
        (sparse.linalg.spsolve, "csc_array"),
        (sparse.linalg.spsolve, "csr_array"),
        (solved, "csc_array"),
    ],
)
def test_value_gradient_and_hessian_product_take_one_factorization(factorizations, form, solve):
    a, b = getattr(scipy.sparse, form)(DENSE), np.arange(4.0)
    hvp(lambda a, b: np.sum(solve(a, b) ** 3), (a, b), (a, b))
    assert len(factorizations) == 1


def test_a_batch_of_right_hand_sides_takes_one_factorization_and_a_batch_of_values_one_each(
    factorizations,
):
    a = scipy.sparse.csc_array(DENSE)
    vmap(grad(lambda b: np.sum(sparse.linalg.spsolve(a, b) ** 2)))(np.ones((5, 4)))
    assert len(factorizations) == 1
    factorizations.clear()
    values = np.stack([a.data, 2 * a.data, 3 * a.data])
    of_data = grad(
        lambda data: np.sum(
            sparse.linalg.spsolve(sparse.csc_array((data, a.indices, a.indptr)), np.ones(4)) ** 2
        )
    )
    found = vmap(of_data)(values)
    assert len(factorizations) == 3
    np.testing.assert_allclose(found, [of_data(row) for row in values])
    np.testing.assert_allclose(vmap(of_data)(np.asfortranarray(values)), found)


def test_nothing_is_densified_and_the_gradient_has_the_pattern_of_the_matrix():
    a = scipy.sparse.csr_matrix(DENSE)
    a[0, 0] = 0  # an explicit zero
    a.data[0] = 1e-30
    g = grad(lambda a: np.sum(sparse.linalg.spsolve(a, np.ones(4))))(a)
    assert type(g) is scipy.sparse.csr_matrix
    np.testing.assert_array_equal(g.indices, a.indices)
    assert not np.shares_memory(g.indices, a.indices), "SciPy changes index arrays in place"


def test_unsorted_arrays_survive_what_scipy_does_to_them():
    a = scipy.sparse.csc_array(
        (np.array([1.0, 4, 5, 2]), np.array([1, 0, 1, 0]), np.array([0, 2, 4])), shape=(2, 2)
    )
    g = grad(lambda a: np.sum(sparse.linalg.spsolve(a, np.ones(2))))(a)
    before = g.toarray()
    scipy.sparse.linalg.spsolve(a, np.ones(2))  # sorts a, in place
    np.testing.assert_array_equal(g.toarray(), before)
    w, x = np.linalg.solve(a.toarray().T, np.ones(2)), np.linalg.solve(a.toarray(), np.ones(2))
    np.testing.assert_allclose(before, -np.outer(w, x))


def test_factors_of_a_plain_matrix_solve_for_traced_right_hand_sides(factorizations):
    lu = sparse.linalg.splu(scipy.sparse.csc_array(DENSE))
    plain = scipy.sparse.linalg.splu(scipy.sparse.csc_array(DENSE))
    for name in ("L", "U"):
        np.testing.assert_array_equal(getattr(lu, name).toarray(), getattr(plain, name).toarray())
    b = np.arange(4.0)
    np.testing.assert_array_equal(lu.solve(b, "T"), plain.solve(b, "T"))
    np.testing.assert_allclose(lu.solve(b + 1j), plain.solve(b) + 1j * plain.solve(np.ones(4)))
    np.testing.assert_allclose(grad(lambda b: np.sum(lu.solve(b)))(b), plain.solve(np.ones(4), "T"))
    assert len(factorizations) == 1
    with pytest.raises(TypeError, match="rhs has dtype float64, the factors only float32"):
        sparse.linalg.splu(scipy.sparse.csc_array(DENSE.astype(np.float32))).solve(b)


def test_the_object_of_a_traced_matrix_says_what_it_is_and_refuses_factors():
    a = scipy.sparse.csc_array(DENSE)

    def look(data):
        lu = sparse.linalg.splu(sparse.csc_array((data, a.indices, a.indptr)))
        plain = scipy.sparse.linalg.splu(a)
        assert (lu.shape, lu.nnz) == (plain.shape, plain.nnz)
        np.testing.assert_array_equal(lu.perm_c, plain.perm_c)
        np.testing.assert_array_equal(lu.perm_r, plain.perm_r)
        with pytest.raises(MissingRule, match="factor U of a traced matrix"):
            _ = lu.U
        with pytest.raises(MissingRule, match="factor L"):
            _ = lu.L
        with pytest.raises(ValueError, match="trans must be"):
            lu.solve(np.ones(4), "C")
        for wrong in (np.ones(3), np.ones((3, 4)), np.ones(())):
            with pytest.raises(ValueError, match="incompatible size"):
                lu.solve(wrong)
        with pytest.raises(ValueError, match="object too deep"):  # as SciPy says it
            lu.solve(np.ones((4, 2, 2)))
        return np.sum(data)

    jvp(look, (a.data,), (a.data,))


def test_splu_of_what_is_singular_or_not_square():
    singular = scipy.sparse.csc_array(np.diag([1.0, 0.0]))
    with pytest.raises(RuntimeError, match="singular"):
        grad(lambda a: np.sum(solved(a, np.ones(2))))(singular)
    with pytest.raises(ValueError, match="square"):
        grad(lambda a: np.sum(solved(a, np.ones(2))))(singular[:1])


def test_on_fail_says_what_a_singular_matrix_does():
    data = np.array([1.0, 0.0])

    def solve(data, **options):
        return sparse.linalg.spsolve(
            sparse.csc_array((data, [0, 1], [0, 1, 2])), np.ones(2), **options
        )

    with pytest.warns(scipy.sparse.linalg.MatrixRankWarning):
        out, tangent = jvp(solve, (data,), (data,))
    assert np.isnan(out).all()
    assert np.isnan(tangent).all()
    with pytest.raises(np.linalg.LinAlgError, match="exactly singular"):
        jvp(functools.partial(solve, on_fail="raise"), (data,), (data,))
    assert np.isnan(grad(lambda d: np.sum(solve(d, on_fail="nan")))(data)).all()
    x, info = vmap(functools.partial(solve, on_fail="info"))(np.array([[1.0, 0.0], [1.0, 2.0]]))
    np.testing.assert_array_equal(info, [1, 0])
    np.testing.assert_array_equal(x, [[np.nan, np.nan], [1, 0.5]])


def test_a_matrix_that_stores_nothing():
    zero, empty = scipy.sparse.csc_array((2, 2)), scipy.sparse.csr_array((0, 0))
    with pytest.warns(scipy.sparse.linalg.MatrixRankWarning):
        out = jvp(lambda b: sparse.linalg.spsolve(zero, b), (np.ones(2),), (np.ones(2),))[0]
    assert np.isnan(out).all()
    with pytest.raises(RuntimeError, match="exactly singular"):
        sparse.linalg.splu(zero)
    assert grad(lambda b: np.sum(sparse.linalg.spsolve(empty, b)))(np.ones(0)).shape == (0,)


def test_integers_are_solved_in_floating_point():
    a = scipy.sparse.csc_array(np.array([[1, 0], [0, 0]]))
    assert np.isnan(sparse.linalg.spsolve(a, np.array([1, 2]), on_fail="nan")).all()
    whole = scipy.sparse.csc_array(np.array([[2, 1], [0, 4]]))
    np.testing.assert_array_equal(
        sparse.linalg.spsolve(whole, np.array([1, 2]), on_fail="raise"), [0.25, 0.5]
    )


def test_sparse_right_hand_sides():
    a, b = scipy.sparse.csc_array(DENSE), scipy.sparse.csc_array(np.diag([1.0, 0, 2, 0]))
    plain = sparse.linalg.spsolve(a, b)
    out, tangent = jvp(lambda a: sparse.linalg.spsolve(a, b), (a,), (a,))
    assert out.format == plain.format == "csc"
    np.testing.assert_allclose(out.toarray(), plain.toarray())
    np.testing.assert_allclose(tangent.toarray(), -plain.toarray(), atol=1e-15)
    column = jvp(lambda a: sparse.linalg.spsolve(a, b[:, [0]]), (a,), (a,))[0]
    np.testing.assert_allclose(column, sparse.linalg.spsolve(a, b[:, [0]]))


def test_coo_is_converted_with_scipy_s_warning():
    a = scipy.sparse.coo_array(DENSE)
    with pytest.warns(scipy.sparse.SparseEfficiencyWarning, match="CSC or CSR"):
        g = grad(lambda a: np.sum(sparse.linalg.spsolve(a, np.ones(4))))(a)
    assert g.format == "coo"


def test_integer_values_are_refused():
    a = scipy.sparse.csc_array(DENSE.astype(int))
    with pytest.raises(TypeError, match="has no derivative"):
        grad(lambda a: np.sum(a @ np.ones(4)))(a)


def test_factorized():
    a, b = scipy.sparse.csc_array(np.array([[3.0, 1.0], [0.5, 2.0]])), np.array([1.0, -2.0])
    np.testing.assert_allclose(sparse.linalg.factorized(a)(b), scipy.sparse.linalg.factorized(a)(b))
    gradcheck(
        lambda data, b: sparse.linalg.factorized(sparse.csc_array((data, a.indices, a.indptr)))(b),
        a.data,
        b,
    )
    with pytest.raises(ValueError, match="square"):
        sparse.linalg.factorized(a[:1])


def test_a_batch_of_one_matrix_and_a_shared_right_hand_side():
    a = scipy.sparse.csc_array(DENSE)
    b = np.eye(4)[:, :3]
    found = vmap(
        lambda data: sparse.linalg.spsolve(sparse.csc_array((data, a.indices, a.indptr)), b)
    )(a.data[None])
    np.testing.assert_allclose(found, np.linalg.solve(DENSE, b)[None])


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("trans", ["N", "T", "H"])
def test_incomplete_factors(dtype, trans):
    a = scipy.sparse.csc_array(
        (DENSE + 0.5 * (DENSE != 0)).astype(dtype) * (1 + 0.5j if dtype is complex else 1)
    )
    ours, theirs = sparse.linalg.spilu(a, drop_tol=0.3), scipy.sparse.linalg.spilu(a, drop_tol=0.3)
    b = np.arange(1.0, 5.0)
    np.testing.assert_allclose(
        ours.solve(b.astype(dtype), trans), theirs.solve(b.astype(dtype), trans)
    )
    columns = np.stack([theirs.solve(e.astype(dtype), trans) for e in np.eye(4)], axis=1)
    np.testing.assert_allclose(
        grad(lambda b: np.sum(np.abs(ours.solve(b, trans)) ** 2))(b),
        2 * (columns.conj().T @ columns @ b).real,
    )
    np.testing.assert_allclose(
        vmap(lambda b: ours.solve(b, trans))(np.stack([b, 2 * b])), [columns @ b, 2 * columns @ b]
    )
    assert (ours.nnz, ours.shape) == (theirs.nnz, (4, 4))
    assert isinstance(ours, sparse.linalg.SuperLU)


def test_incomplete_factors_have_no_derivative():
    with pytest.raises(MissingRule, match=r"spilu\(stop_gradient\(A\)\)"):
        grad(lambda a: np.sum(sparse.linalg.spilu(a).solve(np.ones(4))))(
            scipy.sparse.csc_array(DENSE)
        )


def test_every_factorization_of_an_analyzed_pattern_shows_its_factors():
    a = scipy.sparse.csc_array(DENSE)
    for kept in (
        sparse.linalg.analyze(a),
        sparse.linalg.analyze(scipy.sparse.csc_array(DENSE + np.eye(4)[::-1])),
    ):
        data = np.arange(1.0, 1 + kept.pattern.nnz)
        for values in (data, data[::-1] ** 2, list(data)):
            lu, of = kept.refactor(values), kept.pattern.matrix(np.array(values)).toarray()
            permuted = np.zeros((4, 4))
            permuted[lu.perm_r[:, None], lu.perm_c] = of
            np.testing.assert_allclose((lu.L @ lu.U).toarray(), permuted, atol=1e-12)
            assert lu.nnz >= lu.L.nnz


def test_values_with_leading_axes_have_one_solution_each():
    a = scipy.sparse.csc_array(DENSE)
    found = sparse.linalg.analyze(a).refactor(np.stack([a.data, 2 * a.data])).solve(np.ones(4))
    np.testing.assert_allclose(found, np.linalg.solve(DENSE, np.ones(4)) * [[1.0], [0.5]])


def test_what_is_no_sparse_array_cannot_be_analyzed():
    with pytest.raises(TypeError, match="must be a sparse array, not ndarray"):
        sparse.linalg.analyze(DENSE)


def test_the_empty_matrix_has_factors():
    assert sparse.linalg.cholesky(scipy.sparse.csc_array((0, 0))).logdet() == 0


def test_equal_patterns_have_one_order(monkeypatch):
    kept, original = [], factors._in_kept_order

    def factored(*args):
        found = original(*args)
        kept.append(isinstance(found, factors._Reordered))
        return found

    monkeypatch.setattr(factors, "_in_kept_order", factored)
    monkeypatch.setattr(pattern, "_ORDERS", {})

    def solve(a):
        return grad(lambda a: np.sum(sparse.linalg.spsolve(a, np.ones(a.shape[0]))))(a).data

    a = scipy.sparse.diags_array(
        [-np.ones(29), 3 * np.ones(30), np.ones(29)], offsets=[-1, 0, 1]
    ).tocsc()
    first = solve(a)
    np.testing.assert_allclose(solve(a.copy()), first, rtol=1e-12)
    np.testing.assert_allclose(solve(2 * a), first / 4, rtol=1e-12)
    assert kept == [False, True, True]
    for n in range(3, 3 + pattern._KEPT):  # others come between
        solve(a[:n, :n].tocsc())
    assert len(pattern._ORDERS) == pattern._KEPT
    solve(a)
    assert kept[3:] == [False] * (pattern._KEPT + 1)


def test_values_that_are_nan_are_told_of():
    analysis = sparse.linalg.analyze(scipy.sparse.csc_array(np.eye(2)))
    with pytest.raises(np.linalg.LinAlgError, match=r"^sparse.linalg: a factor .* singular or NaN"):
        analysis.refactor(np.array([1.0, np.nan]))


def test_refactor_takes_one_value_for_each_stored_one():
    a = scipy.sparse.csc_array(np.diag([1.0, 2.0, 3.0]))
    kept = sparse.linalg.analyze(a)
    for data in (np.ones(5), 2.0, a):
        with pytest.raises(ValueError, match="refactor: data must be an array of the 3 stored"):
            kept.refactor(data)
