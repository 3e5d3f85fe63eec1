"""Numerical partial derivatives: the published errors against mpmath, higher orders, precision, and
what is refused.
"""

import mpmath
import numpy as np
import pytest
import scipy.special

from scigrad import elementwise, grad, jvp, special, vmap
from scigrad.special.machinery.numerical_partial import numerical_partial, pole_distance


def pbdv(v, x):
    return scipy.special.pbdv(v, x)[0]


def below_1(s):
    return np.minimum(1, (s - 1) / 2)


# function of SciPy's, of mpmath's, argument, scale, ranges of the arguments, error relative to
# derivative plus function
PUBLISHED = [
    ("jv", mpmath.besselj, 0, 1.0, [(0, 20), (0.1, 30)], 2e-12),
    ("jv", mpmath.besselj, 0, 1.0, [(0, 200), (0.1, 300)], 5e-11),
    ("yv", mpmath.bessely, 0, 1.0, [(0, 20), (0.1, 30)], 5e-10),
    ("kv", mpmath.besselk, 0, 1.0, [(-20, 20), (0.1, 30)], 1e-11),
    ("iv", mpmath.besseli, 0, 1.0, [(0, 20), (0.1, 30)], 5e-11),
    ("struve", mpmath.struveh, 0, 1.0, [(-5, 10), (0.1, 30)], 1e-11),
    ("modstruve", mpmath.struvel, 0, 1.0, [(-5, 10), (0.1, 30)], 5e-12),
    ("hyp2f1", mpmath.hyp2f1, 0, 1.0, [(-5, 5), (-5, 5), (0.3, 8), (-3, 0.95)], 5e-12),
    ("hyp2f1", mpmath.hyp2f1, 2, pole_distance, [(-5, 5), (-5, 5), (0.3, 8), (-3, 0.95)], 2e-11),
    ("hyp1f1", mpmath.hyp1f1, 0, 1.0, [(-5, 5), (0.3, 8), (-10, 10)], 1e-12),
    ("hyperu", mpmath.hyperu, 0, 1.0, [(-5, 5), (0.3, 8), (0.1, 10)], 1e-7),
    (pbdv, mpmath.pcfd, 0, 1.0, [(-5, 5), (-6, 6)], 1e-7),
    ("zeta", mpmath.zeta, 0, below_1, [(1.05, 30), (0.05, 30)], 5e-10),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "truth", "position", "scale", "ranges", "bound"),
    PUBLISHED,
    ids=lambda v: str(v)[:12],
)
def test_published_errors(function, truth, position, scale, ranges, bound):
    f = getattr(scipy.special, function) if isinstance(function, str) else function
    rng = np.random.default_rng(0)
    points = [rng.uniform(low, high, 25) for low, high in ranges]
    found = numerical_partial(f, position, *points, scale=scale)
    for i, row in enumerate(zip(*points, strict=True)):
        with mpmath.workdps(30):
            expected = mpmath.diff(
                lambda t, row=row: mpmath.re(truth(*row[:position], t, *row[position + 1 :])),
                row[position],
            )
        assert abs(found[i] - float(expected)) <= bound * (abs(float(expected)) + abs(f(*row))), row


calls = []


@elementwise
def power(x, y):
    calls.append(np.shape(y))
    return scipy.special.exp2(y * np.log2(x))


@power.partials
def _(call):
    return (
        lambda: call.y * power(call.x, call.y - 1),
        lambda: numerical_partial(power, 1, call.x, call.y),
    )


def test_it_is_differentiable_in_both_arguments_and_calls_the_kernel_once():
    x, y = np.array([[1.3], [2.0]]), np.array([0.5, 2.5, -1.0])
    calls.clear()
    found = grad(lambda y: np.sum(power(x, y)))(y)
    np.testing.assert_allclose(found, np.sum(x**y * np.log(x), axis=0), rtol=1e-12)
    assert calls == [(3,), (8, 1, 3)]
    second = jvp(grad(lambda y: np.sum(power(x, y))), (y,), (np.ones(3),))[1]
    np.testing.assert_allclose(second, np.sum(x**y * np.log(x) ** 2, axis=0), rtol=1e-10)
    mixed = grad(lambda x: np.sum(grad(lambda y: np.sum(power(x, y)))(y)))(x)
    np.testing.assert_allclose(
        mixed, np.sum(x ** (y - 1) * (1 + y * np.log(x)), axis=1, keepdims=True), rtol=1e-11
    )


def test_batches_and_single_precision():
    y = np.array([0.5, 2.5, -1.0])
    np.testing.assert_allclose(vmap(grad(lambda y: power(2.0, y)))(y), 2**y * np.log(2), rtol=1e-12)
    single = grad(lambda y: np.sum(power(np.float32(2), y)))(y.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, 2**y * np.log(2), rtol=2e-7)
    assert numerical_partial(scipy.special.gammaln, 0, 3) == pytest.approx(
        special.digamma(3.0), rel=1e-11
    )


def test_nan_where_the_formula_does_not_hold():
    x = np.array([0.002, 3.0])
    assert np.isnan(numerical_partial(np.abs, 0, x)).tolist() == [True, False]
    noisy = np.sin(np.linspace(0, 50, 9))
    assert np.isnan(numerical_partial(lambda x: np.sin(x) + 1e-6 * np.sin(1e6 * x), 0, noisy)).all()
    assert np.isnan(numerical_partial(scipy.special.gamma, 0, np.array([0.01]))).all()
    found = numerical_partial(scipy.special.gamma, 0, np.array([0.1, -2.7]), scale=pole_distance)
    np.testing.assert_allclose(
        found, special.gamma([0.1, -2.7]) * special.digamma([0.1, -2.7]), rtol=2e-9
    )


# function, argument, point, truth: wide nodes are outside of the domain, or the function is steep
# for them
STEEP = [
    ("struve", 0, (1.0, 0.01), mpmath.struveh), ("modstruve", 0, (1.0, 0.01), mpmath.struvel),
    ("struve", 0, (2.0, 0.02), mpmath.struveh), ("struve", 0, (0.5, 0.005), mpmath.struveh),
    ("eval_gegenbauer", 1, (0.5, 0.3, 0.5), mpmath.gegenbauer),
    ("eval_gegenbauer", 1, (0.9, 0.1, 0.5), mpmath.gegenbauer),
    ("eval_gegenbauer", 0, (0.1, 0.3, 0.5), mpmath.gegenbauer),
    ("eval_genlaguerre", 1, (3.0, -0.889, 0.4), mpmath.laguerre),
    ("eval_jacobi", 0, (0.0, -0.5, 2.0, 1.0), mpmath.jacobi),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "position", "point", "truth"),
    STEEP,
    ids=[f"{name}{point}" for name, _, point, _ in STEEP],
)
def test_a_smaller_step_where_the_first_is_too_wide(name, position, point, truth):
    with mpmath.workdps(30):
        expected = mpmath.diff(
            lambda t: truth(*point[:position], t, *point[position + 1 :]),
            mpmath.mpf(point[position]),
        )
    f = getattr(special, name)
    assert grad(f, position)(*point) == pytest.approx(float(expected), rel=1e-8)
    args = [np.array([v, v]) if i == position else v for i, v in enumerate(point)]
    np.testing.assert_allclose(
        vmap(grad(f, position), [0 if i == position else None for i in range(len(point))])(*args),
        float(expected),
        rtol=1e-8,
    )


@pytest.mark.parametrize(
    "function",
    [special.zetac, lambda v: special.eval_legendre(v, 0.3), lambda v: special.jv(v, 2.0)],
)
def test_an_element_without_derivative_leaves_the_others_alone(function):
    """In reverse mode its nan is multiplied with cotangents that are 0 for all others."""
    x = np.array([2.5, 3.7, 6.1, 10.3])
    slope = lambda f: grad(lambda v: np.sum(f(v)))  # noqa: E731
    with np.errstate(all="ignore"):
        alone, beside = slope(slope(function))(x), slope(slope(function))(np.append(x, np.nan))
    assert np.all(np.isfinite(alone))
    np.testing.assert_array_equal(beside[:-1], alone)
    assert np.isnan(beside[-1])


# The derivative by an argument, how often, and the truth from mpmath at 60 digits and more
SMALL = [
    (special.ellipkinc, 1, 2, (1e-10, 0.5), 1.5e-51),
    (special.ellipeinc, 1, 2, (1e-10, 0.5), -5e-52),
    (special.iv, 0, 1, (1e-100, 30.0), -2.1324774964630564e-14),
    (special.kv, 0, 1, (1e-10, 2.0), 4.722160073840429e-12),
    (special.jv, 1, 1, (1e-16, 1e-10), 9.9995e-7), (special.jv, 1, 2, (1e-16, 1e-10), -10000.5),
    (special.iv, 1, 1, (1e-16, 1e-10), 1.00005e-6),
    (special.stdtr, 0, 1, (1e4, 1e-20), 9.973307628207427e-30),
    (special.hyp1f1, 0, 1, (0.5, 1e6, 1e-10), 1e-16),
    (special.hyp0f1, 0, 2, (3.0, 1e-10), 7.4074074073e-12),
    (special.hyp2f1, 2, 1, (0.5, 1.5, 2.0, 1e-20), -1.875e-21),
    (special.wright_bessel, 0, 2, (1e-10, 1.3, 0.7), -2.952172988914402),
    (special.log_wright_bessel, 0, 2, (1e-10, 1.3, 0.7), -1.329723697628307),
    (special.elliprd, 0, 1, (1e-40, 1.1, 0.7), -2.442012352706528e20),
    (special.elliprd, 0, 2, (1e-20, 2.9, 1e5), 1.392715036327889e22),
    (special.elliprj, 0, 1, (1e-40, 1.1, 0.7, 0.9), -1.899342940993966e20),
    (special.elliprj, 0, 2, (1e-20, 1.0, 1.0, 1.1), 6.818181818181819e29),
]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "position", "order", "point", "truth"),
    SMALL,
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_small_arguments_whose_values_do_not_show_the_derivative(f, position, order, point, truth):
    for _ in range(order):
        f = grad(f, position)
    assert f(*point) == pytest.approx(truth, rel=1e-8, abs=0)


def test_equal_values_that_are_not_0_say_nothing():
    assert np.isnan(numerical_partial(lambda x: 1 + 1e-18 * x, 0, np.array(0.5)))
    assert numerical_partial(lambda x: 1 + 0 * x, 0, np.array(0.5), constant=True) == 0


# The derivative by an argument, how often, and where rounding errors are larger than the truth
LOST = [
    (special.wright_bessel, 1, 2, (0.5, 1e-10, 0.7)),
    (special.betainc, 1, 2, (20.3, 1e-10, 0.6)),
    (special.hyp1f1, 1, 2, (1e-10, 20.3, 8.3)),
    (special.hyp2f1, 0, 2, (0.3, 0.7, 1.2, 1e-20)),
    (special.eval_laguerre, 0, 2, (2.5, 1e-10)),
    (special.eval_chebyt, 0, 1, (2.0, 1e-20)),
]


@pytest.mark.parametrize(
    ("f", "position", "order", "point"), LOST, ids=lambda v: getattr(v, "__name__", str(v))
)
def test_derivatives_that_rounding_hides_are_nan(f, position, order, point):
    def along(f):
        return lambda *x: jvp(
            lambda v: f(*x[:position], v, *x[position + 1 :]), (x[position],), (1.0,)
        )[1]

    forward = f
    for _ in range(order):
        f, forward = grad(f, position), along(forward)
    assert np.isnan(f(*point))
    assert np.isnan(forward(*point))


@pytest.mark.parametrize("z", [0.7, 7.3, 20.3])
@pytest.mark.parametrize("v", [0.0, 1e-10, 1e-5, 5e-4])
def test_second_derivatives_in_small_orders(v, z):
    for f, truth in ((special.kv, mpmath.besselk), (special.iv, mpmath.besseli)):
        with mpmath.workdps(60):
            # At an order of 0 mpmath needs thousands of digits. The derivative is even in v.
            expected = float(mpmath.diff(lambda v: truth(v, z), v or 1e-20, 2))  # noqa: B023
        assert grad(grad(f))(v, z) == pytest.approx(expected, rel=1e-6)
