"""Methods and operators of sparse arrays, traced and not, held to the laws."""

import functools

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from scigrad import (
    MissingRule,
    TracedValueError,
    grad,
    hessian,
    jacobian,
    jvp,
    sparse,
    value_and_grad,
    vjp,
    vmap,
)
from scigrad.testing import OpSpec, assert_close, laws

SHAPE = (3, 4)
PLACES = np.array([2, 0, 0, 1, 2]), np.array([1, 3, 0, 2, 3])  # unsorted
TWICE = np.array([2, 0, 0, 0, 2]), np.array([1, 3, 0, 3, 1])  # two places stored twice
ROWS = np.array([3, 0, 2, 1, 3]), np.array([0, 2, 3, 5])  # (indices, indptr) of csr, unsorted
COLUMNS = np.array([1, 0, 2, 2, 0]), np.array([0, 1, 2, 3, 5])  # (indices, indptr) of csc

METHODS = {
    "toarray": lambda A, other: A.toarray(),
    "to the other formats": lambda A, other: A.tocoo().tocsc().tocsr().toarray(),
    "transpose": lambda A, other: A.T.toarray(),
    "conjugate": lambda A, other: A.conj().toarray(),
    "diagonals": lambda A, other: np.concatenate([A.diagonal(), A.diagonal(1), A.diagonal(-2)]),
    "sums": lambda A, other: (A.sum(), A.sum(axis=0), A.sum(axis=1)),
    "matrix times matrix": lambda A, other: A @ other,
    "matrix times vector": lambda A, other: A @ other[:, 0],
    "dot": lambda A, other: A.tocsr().dot(other),
    "matrix on the right": lambda A, other: other.T @ A.T,
    "vector on the right": lambda A, other: other[:, 0] @ A.T,
    "product with a number": lambda A, other: (2 * A * other[0, 0]).toarray(),
    "elementwise product": lambda A, other: (A * other[:, 0]).toarray(),
    "power": lambda A, other: (A**3 * other[0, 0]).toarray() + A.power(2).toarray(),
    "absolute value": lambda A, other: abs(A).toarray() * other[0, 0],
    "functions of entries": lambda A, other: (
        (A.sin() + A.sinh() + A.expm1() + (0.1 * A).tan()).toarray() * other[0, 0]
    ),
    "functions near 0": lambda A, other: (
        ((0.1 * A).arcsin() + (0.1 * A).log1p() + (0.1 * A).arctanh()).toarray() * other[0, 0]
    ),
    "steps": lambda A, other: A * abs(A).ceil() + A * abs(A).rint() * other[0, 0],
    "maximum": lambda A, other: (
        abs(A.tocsr()[:, :3]).maximum(abs(A.T.tocsr()[:3])).toarray() * other[0, 0]
    ),
    "minimum": lambda A, other: (
        abs(A).minimum(abs(A) * 0.5 + abs(A) * abs(A)) + abs(A).minimum(0.4)
    ).toarray(),
    "means": lambda A, other: (A.mean(), A.mean(axis=0), A.mean(axis=-1)),
    "minus": lambda A, other: (-A).toarray() * other[0, 0],
    "sum of two": lambda A, other: (A + 3 * A).toarray(),
    "sum on other patterns": lambda A, other: (A.tocsr()[:, :3] - A.T.tocsr()[:3]).toarray(),
    "product on other patterns": lambda A, other: (
        A.tocsr()[:, :3].multiply(A.T.tocsr()[:3]).toarray()
    ),
    "sparse times sparse": lambda A, other: (A @ A.T).toarray(),
    "rows and columns": lambda A, other: A.tocsr()[1:, ::2].toarray() * A.tocsr()[0, 3],
    "dense sum": lambda A, other: A + other.T[:1],
}
MAKERS = {
    "csr by rows": ("csr_array", ROWS),
    "csr by places": ("csr_array", (PLACES,)),
    "csr, places twice": ("csr_array", (TWICE,)),
    "csc by columns": ("csc_array", COLUMNS),
    "coo": ("coo_array", (PLACES,)),
    "coo, places twice": ("coo_array", (TWICE,)),
}


def build(library, maker, method, data, index, other):
    return METHODS[method](getattr(library, maker)((data, *index), shape=SHAPE), other)


def spec(method, maker, index):
    def samples(draw):
        yield method, (draw.array(5), index, draw.array(4, 2)), {}

    function, reference = (
        functools.partial(build, library, maker, method) for library in (sparse, scipy.sparse)
    )
    function.__name__, function.__module__ = f"{maker}_{method}", "scigrad.sparse"
    return OpSpec(function=function, reference=reference, samples=samples)


@pytest.mark.parametrize("backend", ["numpy", "device"])
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("method", METHODS)
def test_method(method, maker, backend):
    """Check values and on NumPy the adjoint law of every pair, and one in six of the other laws,
    such that each meets every method once and every format several times: what a format changes is
    where values lie.
    """
    one, turn = spec(method, *MAKERS[maker]), list(METHODS).index(method)
    turn += list(MAKERS).index(maker)
    for i, law in enumerate(laws.laws_for(one, backend)):
        # SciPy adds truth values that share a place by "or"; indices that are filled again make
        # another array, of another pattern, in which a rule fails by SciPy's own error.
        if law in ("narrow", "refilled"):
            continue
        always = law == "values" or (law, backend) == ("adjoint", "numpy")
        if always or (turn + i) % len(MAKERS) == 0:
            laws.LAWS[law](one, backend)


def refused(method, exception, pattern, form="csr_array"):
    a = getattr(scipy.sparse, form)(np.array([[1.0, 2.0], [0.0, 3.0]]))
    with pytest.raises(exception, match=pattern):
        jvp(lambda a: method(a), (a,), (a,))


def test_what_a_traced_array_does_not_do_says_so():
    refused(
        lambda A: A.is_sorted,
        AttributeError,
        "no attribute 'is_sorted', or no rule for it: take A.data",
    )
    refused(lambda A: A**0, NotImplementedError, "densify")
    refused(lambda A: A**2, NotImplementedError, "product of matrices", "csr_matrix")
    refused(lambda A: 2 / A, TypeError, "division of a dense value by a sparse array")


@pytest.mark.parametrize("name", ["sqrt", "arctan", "tanh", "deg2rad", "log1p"])
def test_functions_of_entries_keep_the_pattern(name):
    A = scipy.sparse.csr_array(np.array([[4.0, 0.0, 2.0], [0.0, 1.0, 0.0]]))
    found = grad(lambda A: getattr(A, name)().sum())(A)
    assert (found.indices == A.indices).all()
    assert_close(found.data, grad(lambda x: np.sum(getattr(np, name)(x)))(A.data))


def test_a_maximum_that_would_be_dense_is_refused():
    refused(lambda A: A.maximum(0.5), NotImplementedError, "not 0 outside the pattern")


def test_a_traced_array_never_becomes_an_array_of_objects():
    refused(lambda A: np.dot(np.ones(2), A), TracedValueError, "cannot become a plain array")
    refused(lambda A: np.asarray(A), TracedValueError, "cannot become a plain array")
    refused(
        lambda A: np.linalg.norm(A),
        TracedValueError,
        "scipy.sparse.kron.*use methods .*operators or scigrad.sparse",
    )
    refused(
        lambda A: scipy.sparse.kron(scipy.sparse.coo_array(np.eye(2)), A),
        TracedValueError,
        "scipy.sparse.kron cannot take a traced value",
    )


def test_products_with_one_axis_are_refused():
    vector = scipy.sparse.coo_array(np.ones(3))
    with pytest.raises(NotImplementedError, match="has a rule for 2-D ones only"):
        jvp(lambda x: vector @ x, (np.ones(3),), (np.ones(3),))
    with pytest.raises(NotImplementedError, match="has a rule for 2-D ones only"):
        jvp(lambda a: a @ np.ones(3), (vector,), (vector,))


def test_maxprint_is_scipy_s():
    assert sparse.csr_array((2, 2), maxprint=3).maxprint == 3


def test_hessians_and_jacobians_in_a_sparse_array_are_batches_on_its_pattern():
    a = scipy.sparse.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    found = hessian(lambda a: a.power(3).sum() + a.sum() ** 2)(a)
    assert_close(found.data, np.diag(6 * a.data) + 2)
    assert found.toarray().shape == (3, 2, 2)
    assert repr(found).startswith(
        "<batch of shape (3,) on a <csr_array pattern of shape (2, 2) with 3 stored values>"
    )
    expected = np.array([[[1.0, 10.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 10.0]]])
    assert_close(jacobian(lambda a: a @ np.array([1.0, 10.0]))(a).toarray(), expected)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("name", ["max", "min"])
def test_extreme_values_have_the_gradient_of_the_value_that_is_taken(name, form):
    dense = np.array([[4.0, 0, -1], [2, 0, 7], [0, 0, -3], [5, 1, 6]])
    a = getattr(scipy.sparse, f"{form}_array")(dense)

    def check_positions(a, axis):
        np.testing.assert_array_equal(
            getattr(a, f"arg{name}")(axis=axis), getattr(dense, f"arg{name}")(axis=axis)
        )
        return a.sum()

    weights = {0: np.arange(1.0, 4), 1: np.arange(1.0, 5), None: 2.0}
    for axis, w in weights.items():

        def loss(a, axis=axis, w=w):
            found = getattr(a, name)(axis=axis)
            return np.sum(w * (found.toarray() if axis is not None else found))

        value, gradient = value_and_grad(loss)(a)
        where = getattr(dense, f"arg{name}")(axis=axis, keepdims=True)
        assert value == np.sum(w * getattr(dense, name)(axis=axis))
        mask = np.arange(4)[:, None] == where if axis == 0 else np.arange(3) == where
        mask = mask if axis is not None else np.arange(12).reshape(4, 3) == where
        expected = (
            mask
            * (np.asarray(w) if axis == 0 else w if axis is None else w[:, None])
            * (dense != 0)
        )
        assert gradient.toarray().tolist() == expected.tolist()
        grad(lambda a, axis=axis: check_positions(a, axis))(a)

    with pytest.raises(TracedValueError, match="under vmap"):
        vmap(lambda data: getattr(sparse.csr_array((data, [0, 1], [0, 1, 2])), name)())(
            np.ones((2, 2))
        )


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize(
    "dense",
    [[[np.nan, 1.0], [2, 0]], [[1, np.nan], [2, 0]], [[-1, -2], [0, np.nan], [-np.inf, np.inf]]],
)
@pytest.mark.parametrize("family", ["array", "matrix"])
def test_no_number_is_more_extreme_than_nan(name, axis, dense, family):
    a = getattr(scipy.sparse, f"csr_{family}")(np.array(dense))
    still = a.copy()
    still.data[:] = 0
    value, tangent = jvp(lambda a: getattr(a, name)(axis=axis), (a,), (still,))
    expected = getattr(a, name)(axis=axis)
    assert_close(value, expected)
    if axis is not None:
        assert value.shape == tangent.shape == expected.shape


@pytest.mark.parametrize("form", ["bsr", "dia", "dok", "lil"])
@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin"])
def test_extreme_values_of_every_format(name, form):
    a = scipy.sparse.csr_array(np.array([[4.0, 0, -1], [2, 0, 7], [0, 0, -3]]))
    for axis in (None, 0, 1):
        found = jvp(
            lambda a, axis=axis: getattr(a, name)(axis=axis),
            (a.asformat(form),),
            (a.asformat(form),),
        )
        for part in found:  # homogeneous: value and tangent are the same
            assert_close(part.toarray() if axis is not None else part, getattr(a, name)(axis=axis))


@pytest.mark.parametrize("family", ["array", "matrix"])
def test_extreme_values_of_no_rows(family):
    a = getattr(scipy.sparse, f"csr_{family}")((0, 3))
    assert vjp(lambda a: a.max(axis=1), a)[0].shape == a.max(axis=1).shape
    assert vjp(lambda a: a.T.min(axis=0), a)[0].shape == a.T.min(axis=0).shape


@pytest.mark.parametrize("order", [None, 1, 3])
def test_norms_of_rows_without_a_value_have_the_gradient_0(order):
    # an empty row, a stored 0
    a = scipy.sparse.csr_array((np.array([3.0, -4.0, 0.0]), [0, 2, 1], [0, 2, 2, 3]), shape=(3, 3))
    norms = lambda a: sparse.linalg.norm(a, order, axis=1)  # noqa: E731
    value, tangent = jvp(norms, (a,), (a,))
    assert_close(value, scipy.sparse.linalg.norm(a, order, axis=1))
    assert_close(tangent, value)  # homogeneous
    of_first_row = vjp(norms, a[:1])[1](np.ones(1))[0].data
    assert_close(vjp(norms, a)[1](np.ones(3))[0].data, np.append(of_first_row, 0.0))


@pytest.mark.parametrize("family", ["array", "matrix"])
def test_sums_along_both_axes_are_numbers(family):
    a = getattr(scipy.sparse, f"csr_{family}")(np.array([[4.0, 0, -1], [2, 0, 7]]))
    for axis in ((0, 1), (-1, 0)):
        assert_close(
            value_and_grad(lambda a, axis=axis: a.sum(axis=axis))(a),
            (a.sum(), a.astype(bool).astype(float)),
        )
        assert_close(vjp(lambda a, axis=axis: a.mean(axis=axis), a)[0], a.mean())


def test_extreme_values_of_what_is_stored_alone_are_refused():
    refused(
        lambda A: A.max(explicit=True),
        MissingRule,
        r"explicit=True has no derivative rule; A\.data\.max\(\)",
    )
    refused(lambda A: A.min(axis=0, explicit=True), MissingRule, "explicit=True")


def test_matrix_transposes_of_traced_arrays():
    dense = np.where(np.arange(24) % 3, np.arange(24.0), 0).reshape(2, 3, 4)
    transposed = getattr(sparse, "matrix_transpose", lambda A: A.mT)  # a function since SciPy 1.18
    for A in (scipy.sparse.csr_array(dense[0]), scipy.sparse.coo_array(dense)):
        found = vjp(transposed, A)[0]
        assert found.format == ("csc" if A.ndim == 2 else "coo")
        assert_close(found.toarray(), np.swapaxes(A.toarray(), -1, -2))
    with pytest.raises(ValueError, match="axis"):
        vjp(transposed, scipy.sparse.coo_array(dense[0, 0]))


@pytest.mark.parametrize(
    "ufunc", [np.sqrt, np.exp, lambda a: np.multiply(a, 2.0), lambda a: np.matmul(np.eye(3), a)]
)
def test_ufuncs_of_a_traced_array_are_refused_with_its_methods(ufunc):
    with pytest.raises(
        TypeError, match=r"functions of NumPy's take no traced sparse array.* methods \(A\.sqrt\(\)"
    ):
        grad(lambda a: ufunc(a).sum())(scipy.sparse.csr_array(np.eye(3)))


def test_products_of_arrays_without_rows_or_columns():
    for shape in ((0, 0), (0, 3), (3, 0)):
        a = scipy.sparse.csr_array(shape)
        assert jvp(lambda a: a @ np.ones(a.shape[1]), (a,), (a,))[1].shape == (shape[0],)
        assert jvp(lambda a: a @ np.ones((a.shape[1], 2)), (a,), (a,))[1].shape == (shape[0], 2)


def test_norms_of_what_is_not_finite_are_not_finite():
    a = scipy.sparse.csr_array(np.array([[1.0, np.nan], [0.0, 2.0]]))
    for order, axis in ((None, None), (1, None), (None, 1), (np.inf, 1)):
        norm = lambda a, order=order, axis=axis: sparse.linalg.norm(a, order, axis)  # noqa: E731
        assert_close(vjp(norm, a)[0], scipy.sparse.linalg.norm(a, order, axis))


@pytest.mark.parametrize("axis", [9, (0, -3), (0, 0)])
def test_axes_of_norms_that_are_not_there(axis):
    refused(lambda A: sparse.linalg.norm(A, axis=axis), ValueError, "axis")


def test_quotients_by_lists():
    a = scipy.sparse.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    assert_close(vjp(lambda a: a / [2.0, 4.0], a)[0].toarray(), a.toarray() / [2.0, 4.0])
