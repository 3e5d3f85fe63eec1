"""Every operator between a sparse array and another operand, on both sides, one of the two traced:
against dense arithmetic.
"""

import itertools
import operator

import numpy as np
import pytest
import scipy.sparse

import scigrad.numpy
from scigrad import TracedValueError, grad, jvp, sparse, vjp, vmap
from scigrad.testing import assert_close

A = np.array([[1.5, 0.0, 0.4], [0.0, -0.7, 0.0], [0.3, 0.2, 2.0]])  # the traced one's values
B = np.array([[0.6, 0.1, 0.0], [0.0, 0.0, -1.2], [0.9, 0.0, 0.8]])  # the plain one's
WEIGHTS = np.array([[0.3, -1.1, 0.5], [0.7, 0.2, -0.4], [1.3, 0.6, -0.9]])
ROWS, COLUMNS = A.nonzero()
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "@": operator.matmul,
    "/": operator.truediv,
}
FORMATS = ("csr", "csc", "coo")


def traced_sparse(form):
    return lambda data: sparse.coo_array((data, (ROWS, COLUMNS)), shape=A.shape).asformat(form)


def as_dense(x):
    return x.toarray() if hasattr(x, "toarray") else x


def gradients(apply, first, second, plain, swapped):
    """Of a weighted sum over the result, by the operand that `first` and `second` make of the same
    values.
    """

    def loss(make, other):
        def total(data):
            left, right = (other, make(data)) if swapped else (make(data), other)
            result = as_dense(apply(left, right))
            return np.sum(np.sin(result) * WEIGHTS[tuple(slice(0, n) for n in result.shape)])

        return total

    data = A[ROWS, COLUMNS]
    found, expected = loss(first, plain), loss(second, as_dense(plain))
    assert_close(found(data), expected(data))
    assert_close(grad(found)(data), grad(expected)(data))
    assert_close(
        jvp(found, (data,), (np.cos(data),))[1], jvp(expected, (data,), (np.cos(data),))[1]
    )


CASES = [
    *(
        (name, swapped, kind)
        for name in "+-*@"
        for swapped in (False, True)
        for kind in ("csr", "csc", "coo", "lil", "dense")
    ),
    *(("*", swapped, kind) for swapped in (False, True) for kind in ("number", "0-d")),
    ("/", False, "number"),
    ("/", False, "0-d"),
    ("/", False, "dense"),
    ("@", False, "vector"),
    ("@", True, "vector"),
]


def partner(kind):
    plain = {"dense": WEIGHTS, "number": 2.5, "0-d": np.array(2.5), "vector": WEIGHTS[0]}
    return plain[kind] if kind in plain else getattr(scipy.sparse, f"{kind}_array")(B)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("name", "swapped", "kind"), CASES, ids=str)
def test_a_traced_sparse_array_and_a_plain_operand(name, swapped, kind, form):
    gradients(
        OPERATORS[name],
        traced_sparse(form),
        lambda data: as_dense(traced_sparse("coo")(data)),
        partner(kind),
        swapped,
    )


@pytest.mark.parametrize(
    "kind", [f"{form}_{family}" for form in (*FORMATS, "lil") for family in ("array", "matrix")]
)
@pytest.mark.parametrize("swapped", [False, True], ids=["left", "right"])
@pytest.mark.parametrize("name", ["+", "-", "*", "@"])
def test_a_plain_sparse_array_and_a_traced_dense_one(name, swapped, kind):
    def dense(data):
        return as_dense(traced_sparse("coo")(data))

    older = name == "*" and kind.endswith("matrix")  # the older * is the product of matrices
    plain = getattr(scipy.sparse, kind)(B)
    data = A[ROWS, COLUMNS]

    def loss(apply, other):
        return lambda data: np.sum(
            np.sin(as_dense(apply(*((other, dense(data)) if swapped else (dense(data), other)))))
            * WEIGHTS
        )

    found, expected = (
        loss(OPERATORS[name], plain),
        loss(operator.matmul if older else OPERATORS[name], B),
    )
    assert_close(grad(found)(data), grad(expected)(data))


@pytest.mark.parametrize("traced", [0, 1], ids=["left", "right"])
@pytest.mark.parametrize(
    "families", [*itertools.product(("array", "matrix"), repeat=2)], ids=" * ".join
)
def test_the_star_of_two_sparse_operands_is_that_of_the_left_one(families, traced):
    plain = [
        getattr(scipy.sparse, f"csr_{family}")(values)
        for family, values in zip(families, (A, B), strict=True)
    ]
    other, family = plain[1 - traced], families[traced]

    def product(data):
        own = getattr(sparse, f"csr_{family}")(
            (data, plain[traced].indices, plain[traced].indptr), shape=A.shape
        )
        return (own * other if traced == 0 else other * own).toarray()

    data = plain[traced].data
    value, tangent = jvp(product, (data,), (data,))
    assert_close(value, (plain[0] * plain[1]).toarray())
    assert_close(tangent, value)  # linear
    assert_close(vjp(product, data)[1](WEIGHTS)[0] @ data, np.vdot(WEIGHTS, value))


@pytest.mark.parametrize("form", FORMATS)
def test_what_has_no_value_outside_the_pattern_is_refused(form):
    plain = getattr(scipy.sparse, f"{form}_array")(B)
    data = A[ROWS, COLUMNS]
    for apply in (lambda s: plain / s, lambda s: s / plain):
        with pytest.raises(NotImplementedError, match="0 outside its pattern"):
            grad(lambda d, apply=apply: np.sum(apply(traced_sparse(form)(d)).data))(data)
    for other in (WEIGHTS, 2.0):
        with pytest.raises(TypeError, match="infinite outside its pattern"):
            grad(lambda d, other=other: np.sum((other / traced_sparse(form)(d)).data))(data)
    with pytest.raises(NotImplementedError, match="nonzero scalar"):
        grad(lambda d: np.sum((traced_sparse(form)(d) + 1.0).data))(data)


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("form", FORMATS)
def test_comparisons_are_constants_as_scipy_s(name, form):
    compare, plain = getattr(operator, name), getattr(scipy.sparse, f"{form}_array")(A)
    others = {
        "0": 0,
        "1.5": 1.5,
        "dense": np.abs(B),
        "sparse": scipy.sparse.csr_array(B),
        "the same": plain,
    }
    for other in others.values():
        for swapped in (False, True):
            found = []

            def loss(a, other=other, swapped=swapped, found=found):
                found.append(compare(other, a) if swapped else compare(a, other))
                return a.sum()

            gradient = grad(loss)(plain)
            expected = compare(other, plain) if swapped else compare(plain, other)
            assert sparse.issparse(found[0]) is sparse.issparse(expected)
            np.testing.assert_array_equal(as_dense(found[0]), as_dense(expected))
            assert_close(gradient.data, np.ones(plain.nnz))


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_comparisons_with_a_traced_dense_array():
    plain = scipy.sparse.csr_array(B)
    for compare in (
        lambda x: plain == x,
        lambda x: x == plain,
        lambda x: x < plain,
        lambda x: plain <= x,
    ):
        found = grad(lambda x, compare=compare: np.sum(np.where(compare(x), x, 0)))(A)
        np.testing.assert_array_equal(found, compare(A))


def test_comparisons_under_vmap_are_refused():
    a = scipy.sparse.csr_array(A)
    batch = np.stack([a.data, 2 * a.data])
    for compare in (
        lambda data: sparse.csr_array((data, a.indices, a.indptr)) > 1,
        lambda data: a > data[0],
        lambda data: data[:3] < a,
    ):
        with pytest.raises(TracedValueError, match="under vmap"):
            vmap(lambda data, compare=compare: np.sum(data * compare(data).sum()))(batch)


@pytest.mark.parametrize("form", FORMATS)
def test_vmap_takes_a_batch_of_values_not_one_sparse_array(form):
    a = getattr(scipy.sparse, f"{form}_array")(np.array([[1.0, 0, 2], [0, 3, 0], [4, 0, 5]]))
    with pytest.raises(ValueError, match="one sparse array is no batch"):
        vmap(lambda a: a.sum())(a)
    with pytest.raises(ValueError, match="one sparse array is no batch"):
        grad(lambda a: np.sum(vmap(lambda a: a.sum())(a)))(a)
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(vmap(lambda a, x: a @ x, in_axes=(None, 0))(a, x), x @ a.toarray().T)
    where = (a.coords,) if form == "coo" else (a.indices, a.indptr)
    gradient = grad(
        lambda data: np.sum(
            (getattr(sparse, f"{form}_array")((data, *where), shape=a.shape) @ x[1]) ** 2
        )
    )
    batch = np.stack([a.data, 2 * a.data])
    np.testing.assert_allclose(vmap(gradient)(batch), [gradient(row) for row in batch])


def test_functions_of_numpy_refuse_sparse_arrays_by_either_name():
    x = np.ones(3)
    a = scipy.sparse.csr_array(np.eye(3))
    for call in (
        lambda a: scigrad.numpy.dot(a, x),
        lambda a: np.dot(a, x),
        lambda a: scigrad.numpy.matmul(x, a),
        scigrad.numpy.sin,
    ):
        with pytest.raises(
            TracedValueError, match=r"use methods \(A\.sum\(\), .* operators or scigrad\.sparse"
        ):
            grad(lambda a, call=call: call(a)[0])(a)
    with pytest.raises(
        TypeError, match=r"no sparse array beside a traced one. Use operators \(A @ x\)"
    ):
        grad(lambda x: scigrad.numpy.dot(a, x)[0])(x)
