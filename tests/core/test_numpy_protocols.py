"""Plain NumPy on traced arrays: ufuncs with all their arguments and methods, operators, methods of
arrays, creation.
"""

import math

import numpy as np
import pytest
import scipy.special

import scigrad.numpy as snp
from scigrad import MissingRule, TracedValueError, eval_shape, grad, jvp, vjp, vmap
from scigrad.autodiff_rules import ZERO, Traced
from scigrad.testing import assert_close

X = np.array([0.7, -0.4, 0.2, 1.1])
A = np.array([[0.7, -0.4, 0.2], [0.1, 0.9, -0.6]])
MASK = np.array([True, False, True, True])


def value(f, *args):
    """What f returns for traced arguments, unboxed."""
    return jvp(f, args, tuple(np.ones_like(a) for a in args), allow_constant=True)[0]


def refused(f, *args, error=TracedValueError, text=""):
    with pytest.raises(error, match=text):
        jvp(f, args, args)


# -- ufuncs with further arguments


def test_ufunc_with_dtype():
    for dtype in (np.float32, np.complex128):
        found = value(
            lambda x, dtype=dtype: np.multiply(x, 2.0, dtype=dtype, casting="same_kind"), X
        )
        assert found.dtype == dtype
        assert_close(found, np.multiply(X, 2.0, dtype=dtype), 1e-6)


def test_ufunc_with_dtype_that_loses():
    refused(lambda z: np.exp(z, dtype=float), X + 1j, error=TypeError, text="Cannot cast")


def test_where_without_out_is_refused():
    refused(lambda x: np.sin(x, where=MASK), X, text="where=")
    refused(lambda x: snp.sin(x, where=MASK), X, text="where=")


def test_out_is_traced():
    def f(x):
        out = snp.zeros_like(x)
        assert np.sin(x, out=out) is out
        np.cos(x, out=out, where=MASK)
        return out

    assert_close(value(f, X), np.where(MASK, np.cos(X), np.sin(X)))
    assert_close(grad(lambda x: np.sum(f(x)))(X), np.where(MASK, -np.sin(X), np.cos(X)))


def test_out_is_plain():
    out = np.zeros(4)
    refused(lambda x: np.sin(x, out=out), X, error=TracedValueError, text="plain NumPy array")
    refused(lambda x: np.sum(A * x[:3], axis=1, out=out[:2]), X, text="plain NumPy array")
    assert not out.any()


def test_plain_array_plus_traced_in_place():
    def f(x):
        y = np.ones(4)
        y += x
        return y

    refused(f, X, text="plain NumPy array")


def test_out_of_functions():
    def f(a):
        out = snp.zeros_like(a[0])
        assert np.sum(a, axis=0, out=out) is out
        assert np.cumsum(a, 1, None, snp.zeros_like(a)).shape == a.shape
        return out

    assert_close(value(f, A), A.sum(0))
    refused(lambda a: np.sum(a, axis=0, out=snp.zeros_like(a)), A, error=ValueError, text="shape")


def test_several_outputs():
    whole, part = value(lambda x: np.divmod(x, 0.3)[0], X), value(lambda x: np.divmod(x, 0.3)[1], X)
    assert_close((whole, part), np.divmod(X, 0.3))
    assert_close(
        value(lambda x: np.modf(x)[0], np.array([1.5, -np.inf, -2.25])),
        np.modf(np.array([1.5, -np.inf, -2.25]))[0],
    )


def test_signature_is_refused():
    refused(lambda x: np.add(x, x, signature="dd->d"), X, text="signature")


@pytest.mark.parametrize("options", [{"casting": "no"}, {"order": "F"}, {"subok": False}])
def test_harmless_arguments(options):
    assert_close(value(lambda x: np.exp(x, **options), X), np.exp(X))


def test_lists_are_arrays():
    assert_close(
        grad(lambda x: np.sum(np.multiply(x, [1.0, 2.0, 3.0, 4.0]) ** 2))(X),
        2 * X * np.arange(1, 5) ** 2,
    )
    assert_close(grad(lambda x: np.sum([1.0, 2.0, 3.0, 4.0] / x))(X), -np.arange(1, 5) / X**2)
    assert_close(grad(lambda x: np.sum(x - [1.0] * 4) ** 2)(X), np.full(4, 2 * (X.sum() - 4)))


# -- methods of ufuncs


@pytest.mark.parametrize(
    "ufunc",
    [np.add, np.multiply, np.maximum, np.minimum, np.fmax, np.logaddexp, np.subtract, np.hypot],
)
def test_reduce_and_accumulate(ufunc):
    a = A + 1
    assert_close(value(ufunc.reduce, a), ufunc.reduce(a))
    assert_close(
        value(lambda a: ufunc.reduce(a, axis=1, keepdims=True), a),
        ufunc.reduce(a, axis=1, keepdims=True),
    )
    assert_close(value(lambda a: ufunc.accumulate(a, axis=1), a), ufunc.accumulate(a, axis=1))
    assert_close(vmap(ufunc.reduce)(a), ufunc.reduce(a, axis=1))


def test_reduce_with_mask_and_initial():
    assert_close(
        value(lambda x: np.add.reduce(x, initial=3.0, where=MASK), X),
        np.add.reduce(X, initial=3.0, where=MASK),
    )
    assert_close(value(lambda x: np.maximum.reduce(x, initial=0.9), X), 1.1)
    assert_close(
        value(lambda x: np.logaddexp.reduce(x, initial=0.5), X), np.logaddexp.reduce(X, initial=0.5)
    )
    refused(lambda x: np.hypot.reduce(x, where=MASK), X, text="where=")


def test_reduce_of_nothing():
    assert_close(value(lambda x: np.add.reduce(x[:0]), X), 0.0)
    assert_close(value(lambda x: np.hypot.reduce(x[:0]), X), 0.0)
    refused(lambda x: np.subtract.reduce(x[:0]), X, error=ValueError, text="identity")
    refused(lambda a: np.subtract.reduce(a, axis=(0, 1)), A, error=ValueError, text="reorderable")


def test_outer_at_reduceat():
    assert_close(value(lambda x: np.multiply.outer(x, A), X), np.multiply.outer(X, A))
    assert_close(
        value(lambda x: np.add.outer(A, x, dtype=np.complex128), X), np.add.outer(A, X + 0j)
    )
    assert_close(value(lambda x: np.add.reduceat(x, [0, 2, 1]), X), np.add.reduceat(X, [0, 2, 1]))
    assert_close(
        value(lambda a: np.maximum.reduceat(a, [0, 1], axis=1), A),
        np.maximum.reduceat(A, [0, 1], axis=1),
    )

    def f(x):
        y = x * 1
        np.add.at(y, [0, 0, 2], x[:3])
        np.subtract.at(y, [1], 1.0)
        return y

    expected = X.copy()
    np.add.at(expected, [0, 0, 2], X[:3])
    np.subtract.at(expected, [1], 1.0)
    assert_close(value(f, X), expected)
    refused(lambda x: np.multiply.at(x * 1, [0], x[1]), X, text="multiply.at")
    refused(lambda x: np.add.at(np.zeros(4), [0], x[1]), X, text="plain array")


def test_ufunc_of_another_room():
    assert_close(
        grad(lambda x: np.sum(scipy.special.erf(x)))(X), 2 / np.sqrt(np.pi) * np.exp(-(X**2))
    )
    assert_close(grad(lambda x: np.sum(np.i0(x)))(X), scipy.special.i1(X))


def test_function_without_rule():
    refused(lambda x: np.histogramdd(x), A, error=MissingRule, text="histogramdd")


# -- creation


def test_arrays_like_a_traced_one_take_traced_values():
    def f(x):
        buffers = [
            snp.zeros_like(x),
            np.zeros(4, like=x),
            np.empty(4, like=x),
            np.ones(4, like=x),
            np.full(4, 7.0, like=x),
        ]
        for b in buffers:
            b[1] = x[0] ** 2
        return sum(buffers)

    assert_close(value(f, X), np.array([8.0, 5 * X[0] ** 2, 8.0, 8.0]))
    assert_close(grad(lambda x: np.sum(f(x)))(X), np.array([10 * X[0], 0, 0, 0]))
    batch = np.stack([X, 2 * X])
    assert_close(vmap(f)(batch), np.stack([f(x) for x in batch]))


def test_constants_like_a_traced_one():
    def f(x):
        assert not isinstance(np.arange(3, like=x), Traced)
        assert np.asarray([1.0, 2.0], like=x).shape == (2,)
        return np.array([x[0], x[1]], like=x) + snp.array([[x[0], 1.0], [2.0, x[1]]]).sum()

    assert_close(value(f, X), X[:2] + X[0] + X[1] + 3)


def test_empty_like_has_the_shape():
    assert eval_shape(snp.empty_like, A).shape == (2, 3)
    assert snp.empty_like(A, shape=(2,)).shape == (2,)


def test_full_of_a_traced_value():
    assert_close(grad(lambda x: np.sum(snp.full((3, 4), x)))(X), np.full(4, 3.0))


# -- vmap of constant functions, and of what has no fixed size

CONSTANT = {
    "argsort": lambda a: np.argsort(a),
    "argmax": lambda a: np.argmax(a),
    "argpartition": lambda a: np.sort(np.argpartition(a, 1)[:2]),
    "lexsort": lambda a: np.lexsort((a, np.round(a))),
    "searchsorted": lambda a: np.searchsorted(np.sort(a), a, side="right"),
    "all": lambda a: np.all(a > 0),
    "count_nonzero": lambda a: np.count_nonzero(a > 0),
    "isclose": lambda a: np.isclose(a, 0.7),
    "allclose": lambda a: np.allclose(a, a),
    "array_equal": lambda a: np.array_equal(a, a),
    "digitize": lambda a: np.digitize(a, [0.0, 0.5]),
    "floor": lambda a: np.floor(a),
    "sign": lambda a: np.sign(a),
    "nanargmin": lambda a: np.nanargmin(a),
    "isin": lambda a: np.isin(a, [0.1]),
    "frexp": lambda a: np.frexp(a)[1],
    "bool": lambda a: np.logical_xor(a > 0, a < 0.5),
    "argmax of two axes": lambda a: np.argmax(a.reshape(3, 1)),
}


@pytest.mark.parametrize("name", CONSTANT)
def test_vmap_of_constant_functions(name):
    f = CONSTANT[name]
    assert_close(vmap(f)(A), np.stack([f(a) for a in A]))
    assert not isinstance(value(f, A[0]), Traced)


@pytest.mark.parametrize(
    "f", [np.unique, np.nonzero, np.flatnonzero, np.argwhere, np.unique_values, lambda a: a[a > 0]]
)
def test_sizes_that_depend_on_the_data(f):
    with pytest.raises(TracedValueError, match="where"):
        vmap(f)(A)


def test_printing():
    def f(x):
        assert str(x) == repr(x) == np.array_repr(x) == np.array2string(x) == f"{x}"
        assert f"{x[0]:.2f}" == "0.70"
        return x

    value(f, X)


# -- the absent tangent


def test_linear_functions_of_nothing_are_nothing():
    for f in (
        snp.real,
        snp.imag,
        snp.conj,
        snp.sum,
        snp.mean,
        snp.cumsum,
        snp.cumulative_sum,
        snp.copy,
        snp.negative,
    ):
        assert f(ZERO) is ZERO
    assert snp.astype(ZERO, np.float32) is ZERO
    assert snp.where(MASK, ZERO, ZERO) is ZERO
    assert_close(snp.where(MASK, ZERO, X), np.where(MASK, 0, X))
    assert_close(X * ZERO + X + ZERO, X)


# -- Python's own functions of numbers


def test_round_of_python_rounds_elements():
    x = np.array([1.26, -0.74])
    value, pullback = vjp(lambda x: round(x, 1) + x, x)
    assert_close(value, np.round(x, 1) + x)
    assert_close(pullback(np.ones(2))[0], np.ones(2))
    assert_close(vjp(round, x)[0], np.round(x))


def test_numbers_that_python_cannot_make_of_a_traced_value():
    with pytest.raises(TypeError, match=r"2 positional arguments"):
        grad(lambda x: pow(x, 2, 5))(3.0)
    with pytest.raises(
        TracedValueError, match=r"which have no derivative .* int\(scigrad.stop_gradient"
    ):
        grad(math.trunc)(3.0)


def test_functions_have_the_attributes_of_ufuncs():
    x = np.array([1.0, 3.0, 2.0])
    for name in ("subtract", "add", "multiply", "maximum"):
        ours, theirs = getattr(snp, name), getattr(np, name)
        for method in ("outer", "reduce", "accumulate"):
            args = (x, x) if method == "outer" else (x,)
            np.testing.assert_array_equal(
                getattr(ours, method)(*args), getattr(theirs, method)(*args)
            )
        assert (ours.nin, ours.types, ours.identity) == (theirs.nin, theirs.types, theirs.identity)
    np.testing.assert_allclose(
        grad(lambda x: np.sum(snp.subtract.outer(x, x) ** 2))(x), 12 * (x - x.mean()), rtol=1e-14
    )
    with pytest.raises(AttributeError, match="has no attribute 'shape'"):
        snp.sin.shape  # noqa: B018
