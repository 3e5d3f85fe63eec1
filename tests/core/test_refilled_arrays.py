"""Plain arrays that a program fills again after a recorded call has used them: the right gradient,
or an error.
"""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

import scigrad.numpy as snp
from scigrad import (
    check_writes,
    checkpoint,
    custom_rule,
    debug_nans,
    grad,
    hessian,
    jvp,
    linalg,
    linearize,
    sparse,
    stop_gradient,
    vjp,
    vmap,
)
from scigrad.autodiff_rules.messages.errors import InPlaceError
from scigrad.testing import assert_close, make_array, to_host

pytestmark = pytest.mark.fills_arrays  # outside of check_writes
SMALL, LARGE = (5,), (40, 12)
USES = {
    "multiply": lambda x, w: x * w,
    "multiply from the left": lambda x, w: w * x,
    "divide": lambda x, w: x / w,
    "matmul": lambda x, w: w @ snp.swapaxes(x, 0, -1),
    "power": lambda x, w: x**w,
    "where": lambda x, w: snp.where(w > 3.0, x, x * 2),
    "einsum": lambda x, w: snp.einsum("...i,...i->...", x, w),
    "in a list": lambda x, w: snp.linalg.multi_dot([snp.atleast_2d(x), np.atleast_2d(w).T]),
    "a view": lambda x, w: x * w[::-1].T.T,
}


def refilled(use, shape):
    """Return a function whose work array is filled three times, and the same one with a new array
    each time.
    """

    def run(x, w, new):
        total = 0.0
        for k in (1.0, 2.0, 3.0):
            w = np.empty(shape) if new else w
            w[...] = k + np.arange(w.size).reshape(shape) % 4
            total = total + snp.sum(use(x, w))
        return total

    return (lambda x: run(x, np.zeros(shape), False)), (lambda x: run(x, None, True))


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_of_small_arrays_copies_are_kept(use):
    f, expected = refilled(use, SMALL)
    x = 1.0 + np.arange(5.0)
    assert_close(grad(f)(x), grad(expected)(x), 1e-14)
    assert_close(hessian(f)(x), hessian(expected)(x), 1e-14)
    assert_close(linearize(f, x)[1](x), linearize(expected, x)[1](x), 1e-14)
    assert_close(
        vmap(grad(f))(np.stack([x, 2 * x])), vmap(grad(expected))(np.stack([x, 2 * x])), 1e-14
    )


# its condition is a new array each time
@pytest.mark.parametrize("name", [name for name in USES if name != "where"])
def test_large_ones_raise_when_the_derivative_is_taken(name):
    f, expected = refilled(USES[name], LARGE)
    x = 1.0 + np.arange(480.0).reshape(LARGE)
    for derivative in (
        grad(f),
        lambda x: linearize(f, x)[1](x),
        lambda x: vjp(f, x)[1](1.0),
        vmap(grad(f)),
    ):
        with pytest.raises(
            InPlaceError, match=r"a plain array of shape .* was written to after this call"
        ):
            derivative(x)
    assert_close(f(x), expected(x), 0.0)


def test_the_error_names_the_call():
    with pytest.raises(InPlaceError, match=r"^divide: "):
        grad(refilled(USES["divide"], LARGE)[0])(np.ones(LARGE))


def test_what_needs_no_array_does_not_ask_for_it():
    for use in (
        lambda x, w: x + w,
        lambda x, w: w - x,
        lambda x, w: snp.concatenate([x, w]),
        lambda x, w: snp.where(x > 0, x, w),
    ):
        assert_close(
            grad(refilled(use, LARGE)[0])(np.ones(LARGE)),
            np.full(LARGE, grad(refilled(use, SMALL)[0])(np.ones(5))[0]),
        )


def test_a_history_that_grows_is_no_refill():
    history = np.full(1000, np.nan)

    def f(x):
        total = 0.0
        for k in range(900):
            history[k] = k
            total = total + snp.sum(x[: k + 1] * history[: k + 1]) if k % 300 == 299 else total
        return total

    assert_close(grad(f)(np.ones(1000))[:5], 3 * np.arange(5.0))


def test_nan_that_stays_is_no_change():
    w = np.full(500, np.nan)
    assert np.all(np.isnan(grad(lambda x: snp.sum(x * w))(np.ones(500))))


def test_indices_lists_and_sparse_arrays():
    index, places, a = np.array([0, 1]), [2, 0], scipy.sparse.csr_array(np.diag([1.0, 2.0, 3.0]))

    def f(x):
        index[:], places[:], a.data[:] = [0, 1], [2, 0], [1.0, 2.0, 3.0]
        total = snp.sum(x[index] ** 2) + snp.sum(x[places] ** 2) + snp.sum((a @ x) ** 2)
        index[:], places[0], a.data[:] = 2, 1, 7.0
        return total

    assert_close(grad(f)(np.ones(3)), np.array([2.0 + 2.0 + 2.0, 2.0 + 8.0, 2.0 + 18.0]))
    large = scipy.sparse.diags_array(np.ones(300)).tocsr()
    with pytest.raises(InPlaceError):
        grad(
            lambda x: (
                snp.sum(sparse.linalg.spsolve(large, x)) + float(large.data.fill(2.0) is not None)
            )
        )(np.ones(300))


def test_arguments_of_custom_rules():
    scaled = custom_rule(lambda w, x: w * x, vjp=lambda args, out, g: (None, g * args[0]))
    f, expected = refilled(lambda x, w: scaled(w, x), SMALL)
    assert_close(grad(f)(np.ones(5)), grad(expected)(np.ones(5)))
    with pytest.raises(InPlaceError):
        grad(refilled(lambda x, w: scaled(w, x), LARGE)[0])(np.ones(LARGE))


def test_keyword_only_arguments_of_custom_rules():
    scaled = custom_rule(lambda x, *, w: w * x, vjp=lambda args, out, g, *, w: (g * w,))
    for use in (scaled, checkpoint(lambda x, *, w: w * x)):
        for shape in (SMALL, LARGE):
            f, expected = refilled(lambda x, w, use=use: use(x, w=w), shape)
            assert_close(grad(f)(np.ones(shape)), grad(expected)(np.ones(shape)))


def test_what_stop_gradient_returns():
    def f(x):
        y = x * 2.0
        w, z = stop_gradient(y), y * y
        w[:] = 7.0
        return snp.sum(z)

    assert_close(grad(f)(np.ones(3)), np.full(3, 8.0))


def test_pivots_that_a_call_returned():
    def f(a, refill):
        lu, pivots = linalg.lu_factor(a)
        pivots[:] = 0 if refill else pivots
        return snp.sum(lu**2)

    a = np.array([[1.0, 2.0], [3.0, 5.0]])
    assert_close(grad(f)(a, True), grad(f)(a, False))


@pytest.mark.parametrize(
    "transform", [grad, lambda f: lambda x: jvp(f, (x,), (np.ones_like(x),))[1]]
)
def test_the_argument_itself(transform):
    def f(x):
        z = x * x
        given[...] = 5.0
        return snp.sum(z * x)

    given = np.ones(SMALL)
    assert_close(transform(f)(given), transform(lambda x: snp.sum(x**3))(np.ones(SMALL)))
    given = np.ones(LARGE)
    with pytest.raises(InPlaceError, match="was written to after this call"):
        transform(f)(given)


def test_arguments_that_a_function_returns():
    def swapped(w, x):
        return w.T, x

    def pulled(args, out, g):
        return g[0].T, g[1]

    for both in (
        custom_rule(swapped, vjp=pulled, jvp=lambda args, out, t: (0 * out[0], t[1])),
        checkpoint(swapped),
    ):
        f, expected = refilled(lambda x, w, both=both: both(w, x)[0].T * x**2, SMALL)
        x = 1.0 + np.arange(5.0)
        assert_close(grad(f)(x), grad(expected)(x), 1e-14)
        assert_close(linearize(f, x)[1](x), linearize(expected, x)[1](x), 1e-14)


def test_small_arrays_of_a_device():
    x, w = make_array(np.ones(5), "device"), make_array(np.ones(5), "device")

    def f(x):
        total = 0.0
        for k in (1.0, 2.0):
            w[...] = k
            total = total + snp.sum(w * x)
        return total

    assert_close(to_host(grad(f)(x)), np.full(5, 3.0))


def test_a_call_beside_a_large_array_is_named_by_debug_nans():
    w = np.full(500, np.inf)
    with (
        np.errstate(invalid="ignore"),
        debug_nans(),
        pytest.raises(FloatingPointError, match="multiply"),
    ):
        grad(lambda x: snp.sum(x * w * 0.0))(np.ones(500))


def _put(x, places):
    y = snp.zeros_like(x)
    y[places] = x[places]
    return y


MASKED = {
    "where": (lambda x, w: snp.where(w, x, 0.0), lambda present: present.copy()),
    "assignment": (_put, np.flatnonzero),
}


@pytest.mark.parametrize(("use", "make"), MASKED.values(), ids=MASKED)
def test_absent_elements_in_forward_mode_are_those_of_the_call(use, make):
    """Their mask is computed when the square root asks for it, after the refill."""

    def f(x):
        w = make(present)
        y = use(x, w)
        w[...] = 0
        with np.errstate(divide="ignore"):
            return snp.sqrt(y)

    for count in (6, 3000):
        present = np.arange(count) % 2 == 1
        x, t = 4.0 * present, np.ones(count)
        if count == 6:
            assert_close(jvp(f, (x,), (t,))[1], 0.25 * present, 1e-15)
            assert_close(jvp(vmap(f), (x[None],), (t[None],))[1][0], 0.25 * present, 1e-15)
        else:
            with pytest.raises(InPlaceError, match="was written to after this call"):
                jvp(f, (x,), (t,))


MATRICES = {
    "diagonal": np.diag([2.0, 4.0, 5.0]),
    "triangular": np.triu(np.arange(1.0, 10.0).reshape(3, 3)),
    "tridiagonal": 4 * np.eye(5) + np.eye(5, k=1),
    "self-adjoint": 4 * np.eye(3) + 1.0,
    "general": 4 * np.eye(3) + np.arange(9.0).reshape(3, 3),
    "batch": np.stack([np.eye(3), np.eye(3) + 1.0]),
}


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES)
def test_factors_are_those_of_the_matrix_of_the_call(matrix):
    b = np.arange(1.0, 1.0 + matrix.shape[-1])[:, None]
    for solve in (linalg.solve, lambda a, b: linalg.cho_solve((a, False), b)):

        def f(x, refill, solve=solve):
            a = matrix.copy()
            y = solve(a, x)
            a[...] = refill * np.eye(a.shape[-1]) + (1 - refill) * a
            return snp.sum(y**2)

        assert_close(grad(f)(b, 1.0), grad(f)(b, 0.0), 1e-14)
        assert_close(hessian(f)(b, 1.0), hessian(f)(b, 0.0), 1e-14)
    for a in (
        matrix.copy(),
        np.kron(np.eye(8), matrix) if matrix.ndim == 2 else np.tile(matrix, (30, 1, 1)),
    ):
        factors, right = linalg.factorized(a), np.ones((a.shape[-1], 1))
        expected, logdet = factors.solve(right), factors.logdet()
        a[...] = 7 * np.eye(a.shape[-1])
        assert_close(factors.solve(right), expected, 0.0)
        assert_close(factors.logdet(), logdet, 0.0)


def test_memory_that_no_array_owns_is_not_locked():
    """MINPACK hands its own memory to the function, which could never be written to again."""
    seen = []

    def equations(x):
        part = x[:]
        with check_writes():
            grad(lambda y: snp.sum(part * y))(np.ones(2))
        seen.append(part.flags.writeable)
        return x - 1.0

    scipy.optimize.fsolve(equations, np.zeros(2))
    assert len(seen) > 1
    assert all(seen)
