"""Programs that fuzzing and new users found to have wrong derivatives: each was silent once."""

import numpy as np
import pytest

from scigrad import (
    TracedValueError,
    custom_rule,
    elementwise,
    grad,
    implicit,
    jacobian,
    jvp,
    vjp,
    vmap,
)
from scigrad.testing import assert_close, gradcheck

X = np.array([0.3, 0.7, 1.4])


def test_lists_have_axes_under_vmap():
    x = np.array([1.0, 2.0])
    assert_close(
        jacobian(lambda x: np.where([True, False], x[0] ** 3, x[1] ** 2))(x),
        np.diag([3.0, 4.0]),
        1e-14,
    )
    found = vmap(lambda v: np.where(v > 15, v, [1.0, 2.0, 3.0]))(np.array([10.0, 20.0, 30.0]))
    assert_close(found, np.array([[1.0, 2, 3], [20, 20, 20], [30, 30, 30]]), 1e-15)
    assert vmap(lambda v: np.less(v, [1.5, 2.5]))(x).tolist() == [[True, True], [False, True]]

    def counted(a):
        return np.sum(a * vmap(lambda v: 1.0 * np.less(v, [a, 2 * a]))(x))

    assert_close(grad(counted)(1.5), 3.0, 1e-14)


@pytest.mark.parametrize("factor", [np.float32(2), np.int64(2), np.float64(2), 2])
def test_numbers_of_numpy_s_are_multiplied_in_place(factor):
    def scale(a):
        a *= factor

    def f(x):
        a = x * 1.0
        scale(a)
        return np.sum(a)

    assert_close(grad(f)(X), 2 + 0 * X, 1e-15)


def test_auxiliary_arrays_are_the_caller_s_own():
    def f(x):
        y = np.sin(x)
        return y**2, y

    _, pullback, aux = vjp(f, X, has_aux=True)
    aux *= 100
    assert_close(pullback(np.ones(3))[0], np.sin(2 * X), 1e-14)


def test_clip_without_bounds_copies_and_the_truth_of_a_view_is_that_of_its_array():
    def f(x):
        a = x * 1.0
        b = np.clip(a, None, None)
        b[0] = 7.0
        return np.sum(a * a)

    assert_close(grad(f)(X), 2 * X, 1e-15)

    def steered(x):
        a = x * 1.0
        y = a[:1]
        a[0] = 0.0
        return np.sum(a) if y else np.sum(a * a)

    assert_close(grad(steered)(X), 2 * X * (np.arange(X.size) > 0), 1e-15)


def test_a_rule_that_writes_into_its_cotangent():
    def doubled(args, out, g):
        g *= 2
        return (g,)

    h = custom_rule(lambda y: 2 * y, vjp=doubled)
    assert_close(grad(lambda x: np.sum(h(x * 1.0) + x * 1.0))(X), 3 + 0 * X, 1e-15)
    assert_close(grad(lambda x: (y := x * 1.0, np.sum(h(y) + y))[1])(X), 3 + 0 * X, 1e-15)


def test_matmul_of_numbers_under_vmap_is_refused():
    with pytest.raises(ValueError, match="matmul"):
        vmap(np.matmul)(np.ones(2), np.ones(2))


@pytest.mark.parametrize("partial", [np.float64(2), 2 + 0j, np.int64(2), np.asarray(2.0), 2])
def test_partials_that_are_numbers_of_any_kind(partial):
    twice = elementwise(lambda x: x * 2)
    twice.partials((partial,))
    gradcheck(twice, X + (0j if isinstance(partial, complex) else 0))


def test_the_equation_of_implicit_closes_over_nothing():
    def solved(a):
        def linear_solve(matvec, b, *, adjoint, x, theta):
            return b / matvec(np.ones_like(x))

        return implicit(lambda x, b: x**2 - a * b, lambda b: np.sqrt(2.0 * b), linear_solve)(3.0)

    with pytest.raises(TracedValueError, match="not among its arguments"):
        grad(solved)(2.0)
    with pytest.raises(TracedValueError, match="not among its arguments"):
        jvp(solved, (2.0,), (1.0,))


NUMBERS = {
    "initial": lambda x: x.sum(initial=np.float64(2)),
    "initial of an extreme": lambda x: np.max(x, initial=np.float64(-9), where=x > 1),
    "ddof": lambda x: np.var(x, ddof=np.float64(1)),
    "correction": lambda x: np.nanstd(x, correction=np.float64(0.5)),
    "quantile": lambda x: np.quantile(x, np.float64(0.3)),
    "place between two": lambda x: np.percentile(x, np.float64(30), method="midpoint"),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_options_in_double_precision_widen_what_numpy_widens(name, dtype):
    x = X.astype(dtype)
    expected = NUMBERS[name](x)
    found, slope = jvp(NUMBERS[name], (x,), (x,))
    assert found.dtype == slope.dtype == expected.dtype
    assert_close(found, expected, 1e-6)


def test_the_axis_of_a_vector_may_be_named_where_axes_are_transposed():
    for f in (lambda x: x.transpose(0), lambda x: x.transpose(-1), lambda x: np.transpose(x, 0)):
        gradcheck(f, X)
        assert_close(vmap(f)(np.stack([X, 2 * X])), np.stack([X, 2 * X]))


def test_results_of_ufuncs_fill_arrays_of_more_axes():
    def f(x):
        out = np.zeros_like(x, shape=(2, 3))
        np.exp(x, out=out)
        np.multiply(out, x, out=out, where=np.array([True, False, True]))
        return out

    gradcheck(f, X)
    assert_close(
        jvp(f, (X,), (X,))[0], np.broadcast_to(np.exp(X) * np.where([1, 0, 1], X, 1), (2, 3)), 1e-15
    )
    with pytest.raises(TracedValueError, match=r"matmul: axes=.*moveaxis"):
        grad(lambda a: np.matmul(a, a, axes=[(0, 1), (1, 0), (0, 1)])[0, 0])(np.eye(2))


REDUCED = np.array([[[-0.4, 1.2], [0.7, -2.0]], [[0.3, -0.1], [-1.5, 0.9]]])


@pytest.mark.parametrize("ufunc", [np.hypot, np.logaddexp, np.subtract, np.fmax])
@pytest.mark.parametrize(
    "options", [{"axis": ()}, {"axis": 1}, {"axis": (0, 2)}, {"axis": (0, 2), "initial": 1.5}]
)
def test_reductions_by_other_ufuncs_begin_once(ufunc, options):
    if ufunc is np.subtract and options["axis"] == (0, 2):
        options = {"axis": 2, "initial": 1.5}
    for x in (REDUCED, REDUCED[:1, :, :1]):
        expected = ufunc.reduce(x, **options)
        assert_close(jvp(lambda x: ufunc.reduce(x, **options), (x,), (x,))[0], expected, 1e-15)


@pytest.mark.parametrize("ufunc", [np.hypot, np.logaddexp, np.subtract])
def test_nothing_is_accumulated_to_nothing(ufunc):
    assert jvp(lambda x: ufunc.accumulate(x, axis=1), (REDUCED[:, :0],), (REDUCED[:, :0],))[
        0
    ].shape == (2, 0, 2)


def test_a_covariance_without_degrees_of_freedom_is_infinite():
    x, w = np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([0.5, 1.0])
    with pytest.warns(RuntimeWarning):
        expected = np.cov(x, ddof=2, aweights=w)
    with np.errstate(all="ignore"):
        assert (
            jvp(lambda w: np.cov(x, ddof=2, aweights=w), (w,), (w,))[0].tolist()
            == expected.tolist()
        )


@pytest.mark.parametrize(("a", "b"), [("f4", "f8"), ("i1", "f4")])
def test_sums_inside_einsum_have_the_dtype_of_the_result(a, b):
    x, y = (REDUCED[0] * 100 + 0.1).astype(a), X.astype(b)
    expected = np.einsum("ij,k->k", x, y)
    found = jvp(lambda y: np.einsum("ij,k->k", x, y), (y,), (y,))[0]
    assert found.dtype == expected.dtype
    assert_close(found, expected, 4 * np.finfo(b).eps)


@pytest.mark.parametrize(
    ("obj", "values"),
    [
        ([1], [1.0, 2.0]),
        ([], []),
        (slice(0, 0), []),
        (X > 1, [5.0]),
        (np.array(1), [1.0, 2.0]),
        ([0, 2], 7.0),
    ],
)
def test_as_many_values_are_inserted_as_numpy_inserts(obj, values):
    expected = np.insert(X, obj, values)
    gradcheck(lambda x: np.insert(x, obj, values), X)
    assert_close(jvp(lambda x: np.insert(x, obj, values), (X,), (X,))[0], expected, 1e-15)
