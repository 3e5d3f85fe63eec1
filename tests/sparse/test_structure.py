"""Structure of traced sparse arrays in every format and number of dimensions: containers,
conversions, dense blocks, classes.
"""

import itertools

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from scigrad import grad, jvp, sparse
from scigrad.testing import assert_close, gradcheck

DENSE = np.array(
    [[1.0, 2.0, 0.0, 0.0], [0.0, 3.0, 0.0, 4.0], [0.0, 0.0, 5.0, 6.0], [0.0, 0.0, 7.0, 8.0]]
)
FORMATS = ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")
FAMILIES = ("array", "matrix")


def made(form, family="array"):
    return getattr(scipy.sparse, f"{form}_{family}")(DENSE)


@pytest.mark.parametrize(("form", "family"), [*itertools.product(FORMATS, FAMILIES)])
def test_every_format_is_a_container(form, family):
    a = made(form, family)
    gradient = grad(lambda a: np.sum(a.toarray() ** 2))(a)
    assert type(gradient) is type(a)
    assert_close(gradient.toarray(), 2 * DENSE)
    value, tangent = jvp(lambda a: a.conj() * 3.0, (a,), (a,))
    assert type(value) is type(tangent) is type(a)
    assert_close(tangent.toarray(), 3 * DENSE)


@pytest.mark.parametrize(("form", "to"), [*itertools.product(FORMATS, FORMATS)])
def test_every_format_becomes_every_other(form, to):
    a = made(form)
    value, tangent = jvp(lambda a: a.asformat(to), (a,), (2 * a,))
    assert value.format == tangent.format == to
    assert_close(tangent.toarray(), 2 * DENSE)
    assert_close(
        grad(lambda a: np.sum(getattr(a, f"to{to}")().toarray() ** 2))(a).toarray(), 2 * DENSE
    )


def test_a_zero_on_a_diagonal_has_a_derivative():
    a = scipy.sparse.dia_array((np.array([[0.0, 2.0, 0.0]]), [0]), shape=(3, 3))
    assert_close(grad(lambda a: np.sum(a @ np.arange(3.0)))(a).toarray(), np.diag(np.arange(3.0)))


def test_arrays_of_one_axis_and_of_three():
    cube = scipy.sparse.coo_array(np.arange(8.0).reshape(2, 2, 2))
    dense = cube.toarray()
    for loss in (
        lambda c: np.sum(c.sum(axis=(0, 2)) ** 3),
        lambda c: np.sum(c.reshape(2, 4).sum(axis=0)[1] ** 2),
        lambda c: np.sum(c.sum(axis=-1) ** 2),
        lambda c: (
            np.sum(c.transpose((2, 0, 1)).mean(axis=0) ** 2)
            if sparse.issparse(c)
            else np.sum(c.mean(axis=2) ** 2)
        ),
    ):
        expected = grad(lambda d, loss=loss: loss(d))(dense)
        found = grad(loss)(cube).toarray()
        assert_close(found, np.where(dense != 0, expected, 0))
    vector = scipy.sparse.csr_array(np.array([1.0, 0.0, 2.0]))
    gradient = grad(lambda v: np.sum(v.toarray() ** 2) + v[2])(vector)
    assert type(gradient) is type(vector)
    assert_close(gradient.toarray(), np.array([2.0, 0.0, 5.0]))
    assert_close(
        grad(lambda a: np.sum(a[1].toarray() ** 2))(made("csr")).toarray()[1], 2 * DENSE[1]
    )
    assert_close(
        grad(lambda a: np.sum(a[[0, 1], [0, 0]] ** 2))(made("csr")).toarray()[0],
        np.array([2.0, 0.0, 0.0, 0.0]),
    )


def test_structure_of_huge_shapes_takes_memory_for_the_values_only():
    a = scipy.sparse.coo_array(
        (np.ones(3), ([0, 5, 9], [1, 2, 3], [10**6, 7, 10**9])), shape=(10, 10**7, 10**10)
    )
    found = grad(lambda a: np.sum(sparse.permute_dims(a, (2, 0, 1)).data ** 2))(a)
    assert_close(found.data, 2 * np.ones(3))
    b = scipy.sparse.coo_array(
        (np.ones(3), ([0, 5, 9], [1, 2, 10**6])), shape=(10**6 + 1, 10**6 + 1)
    )
    stacked = grad(lambda b: sparse.vstack([b, sparse.tril(b)]).power(2).sum())(b)
    assert_close(stacked.data, np.array([2.0, 4.0, 2.0]))


# SciPy 1.18, of dense x
@pytest.mark.filterwarnings("ignore:.*switching to the sparse array interface:DeprecationWarning")
def test_dense_blocks_and_factors():
    a, x = made("csr"), 1 + np.arange(4.0).reshape(2, 2)

    def loss(data, x):
        a = sparse.csr_array((data, A.indices, A.indptr))
        stacked = sparse.block_array([[a, None], [None, x]])
        return np.sum(sparse.kron(stacked, x).toarray() ** 2) + np.sum(
            sparse.triu(x).toarray() ** 3
        )

    A = a
    gradcheck(loss, a.data, x)


@pytest.mark.parametrize(("form", "family"), [*itertools.product(FORMATS, FAMILIES)])
def test_structure_of_every_format(form, family):
    a, b = made(form, family), getattr(scipy.sparse, f"csr_{family}")(DENSE[::-1])
    full = np.array([[1.0, 2.0], [3.0, 4.0]])
    for function in (
        lambda s, a: s.hstack([a, b], format="csr"),
        lambda s, a: s.vstack([b, a, a]),
        lambda s, a: s.block_diag([a, full]),
        lambda s, a: s.bmat([[a, None], [b, a]]),
        lambda s, a: s.kron(a, full),
        lambda s, a: s.kron(full, a, "csc"),
        lambda s, a: s.kronsum(a, b),
        lambda s, a: s.tril(a, -1),
        lambda s, a: s.triu(a, 1, "dia"),
        lambda s, a: s.swapaxes(a, 0, 1),
        lambda s, a: s.permute_dims(a, copy=True),
        *([lambda s, a: s.expand_dims(a, axis=1)] if family == "array" else []),
    ):
        expected = function(scipy.sparse, a)
        value, tangent = jvp(lambda a, f=function: f(sparse, a), (a,), (a,))
        assert_close(value.toarray(), expected.toarray())
        assert type(value) is type(tangent) is type(expected)
        slope = function(scipy.sparse, 2 * a).toarray() - expected.toarray()
        assert_close(tangent.toarray(), slope)
        assert_close(function(sparse, a).toarray(), expected.toarray())


def test_values_that_share_a_place_are_added_up_only_where_scipy_adds_them():
    twice = scipy.sparse.coo_array(
        (np.array([1.0, 2.0, 3.0]), ([0, 0, 1], [1, 1, 0])), shape=(2, 2)
    )
    for function in (
        sparse.tril,
        lambda a: sparse.hstack([a, a]),
        lambda a: sparse.hstack([a, a], format="csr"),
        sparse.find,
    ):
        plain, out = function(twice), jvp(function, (twice,), (twice,))[0]
        if isinstance(plain, tuple):
            assert_close(out, plain)
        else:
            assert plain.nnz == out.nnz
            assert_close(out.toarray(), plain.toarray())


def test_questions_about_the_class():
    questions = [name for name in sparse.__all__ if name.startswith(("issparse", "isspmatrix"))]
    assert len(questions) == 9

    def ask(x):
        kinds = tuple(
            isinstance(x, getattr(sparse, name))
            for name in ("sparray", "spmatrix", "csr_array", "dia_matrix")
        )
        return tuple(getattr(sparse, name)(x) for name in questions) + kinds

    for form, family in itertools.product(FORMATS, FAMILIES):
        a, answers = made(form, family), []
        expected = tuple(getattr(scipy.sparse, name)(a) for name in questions)
        assert ask(a)[:9] == expected
        assert ask(a)[9:] == tuple(
            isinstance(a, getattr(scipy.sparse, name))
            for name in ("sparray", "spmatrix", "csr_array", "dia_matrix")
        )
        grad(lambda a, answers=answers: answers.append(ask(a)) or a.sum())(a)
        assert answers == [ask(a)]
    assert not any(ask(DENSE))


# SciPy warns of the others
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia", "dok"])
def test_bandwidths(form):
    for name in ("is_sptriangular", "spbandwidth"):
        for part in (
            made(form),
            scipy.sparse.tril(made(form), format=form),
            scipy.sparse.triu(made(form), 1, format=form),
        ):
            expected, seen = getattr(scipy.sparse.linalg, name)(part), []
            assert getattr(sparse.linalg, name)(part) == expected
            grad(
                lambda a, name=name, seen=seen: (
                    seen.append(getattr(sparse.linalg, name)(a)) or a.sum()
                )
            )(part)
            assert seen == [expected]


def test_scipy_s_own_names():
    assert sparse.eye_array is scipy.sparse.eye_array
    assert sparse.linalg.ArpackError is scipy.sparse.linalg.ArpackError


@pytest.mark.parametrize("k", [0, 1, -1, 3, -2, 9])
def test_diagonals_of_what_is_stored_twice(k):
    places = np.array([2, 0, 0, 0, 2]), np.array([1, 3, 0, 3, 1])
    data, dense = np.arange(1.0, 6.0), np.zeros((3, 4))
    np.add.at(dense, places, data)
    for form in ("csr", "csc", "coo"):
        diagonal = lambda data, form=form: (  # noqa: E731
            sparse.coo_array((data, places), shape=(3, 4)).asformat(form).diagonal(k)
        )
        value, tangent = jvp(diagonal, (data,), (data,))
        assert_close(value, np.diagonal(dense, k) if -3 < k < 4 else np.zeros(0))
        assert_close(tangent, value)


@pytest.mark.parametrize("shape", [(12,), (2, 2, 3)])
def test_arithmetic_of_one_axis_and_of_three(shape):
    flat = (
        np.arange(1.0, 13.0) * (np.arange(12) % 3 != 0),
        np.cos(np.arange(12.0)) * (np.arange(12) % 4 != 1),
    )
    a, b = (scipy.sparse.coo_array(x.reshape(shape)) for x in flat)
    cases = [
        lambda a, b: 2.5 * a,
        lambda a, b: a / 3,
        lambda a, b: a + b,
        lambda a, b: 2 * a - b * 0.5,
        lambda a, b: a + a,
    ]
    for case in cases:
        for part in jvp(case, (a, b), (a, b)):  # linear
            assert part.shape == shape
            assert_close(part.toarray(), case(a, b).toarray())


def test_blocks_on_a_diagonal_may_be_lists_and_numbers():
    a = made("csr")
    found = jvp(
        lambda a: sparse.block_diag([a, 2.0, [[1.0, 0.0], [3.0, 4.0]], [5.0, 6.0]]), (a,), (a,)
    )
    assert_close(
        found[0].toarray(),
        scipy.sparse.block_diag([a, 2.0, [[1.0, 0.0], [3.0, 4.0]], [5.0, 6.0]]).toarray(),
    )
    assert_close(
        found[1].toarray(),
        scipy.sparse.block_diag([a, 0.0, np.zeros((2, 2)), np.zeros((1, 2))]).toarray(),
    )


@pytest.mark.parametrize("function", [sparse.kron, sparse.kronsum])
def test_kronecker_products_of_vectors_are_refused(function):
    vector = scipy.sparse.coo_array(np.ones(3))
    with pytest.raises(NotImplementedError, match="has a rule for 2-D ones only"):
        jvp(lambda v: function(v, v), (vector,), (vector,))
