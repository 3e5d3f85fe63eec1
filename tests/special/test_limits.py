"""Limit points: where formulas divide 0 by 0 or multiply 0 with infinity, values and derivatives
are mpmath's limits.
"""

import math

import mpmath
import numpy as np
import pytest

from scigrad import grad, hessian, jvp, special, vjp

INF = math.inf


def i1e_on_the_right(x):
    return mpmath.exp(-x) * mpmath.besseli(1, x)


# function, point, its Taylor coefficients there by mpmath: order 4 is far beyond what a formula for
# f' alone gets right
REMOVABLE = [
    (special.j0, 0.0, mpmath.j0),
    (special.j1, 0.0, mpmath.j1),
    (special.j1, 1e-5, mpmath.j1),
    (special.j0, -3e-3, mpmath.j0),
    (special.i0, 0.0, lambda x: mpmath.besseli(0, x)),
    (special.i1, 0.0, lambda x: mpmath.besseli(1, x)),
    (special.i1, -1e-4, lambda x: mpmath.besseli(1, x)),
    (special.i1e, 1e-4, i1e_on_the_right),
    (special.i0e, 40.0, lambda x: mpmath.exp(-x) * mpmath.besseli(0, x)),
    (special.i1e, 700.0, i1e_on_the_right),
    (special.rgamma, 0.0, mpmath.rgamma),
    (special.rgamma, -1.0, mpmath.rgamma),
    (special.rgamma, -4.0, mpmath.rgamma),
    (special.rgamma, 0.5, mpmath.rgamma),
    (special.gamma, 1.0, mpmath.gamma),
    (special.gammaln, 1.0, mpmath.loggamma),
    (special.gammaln, 2.0, mpmath.loggamma),
    (special.gammaln, -2.5, lambda x: mpmath.log(abs(mpmath.gamma(x)))),
    (special.digamma, 1.0, mpmath.digamma),
    (special.digamma, -3.5, mpmath.digamma),
    (special.erf, 0.0, mpmath.erf),
    (special.erfc, 0.0, mpmath.erfc),
    (special.expit, 0.0, lambda x: 1 / (1 + mpmath.exp(-x))),
    (special.log_expit, 0.0, lambda x: -mpmath.log(1 + mpmath.exp(-x))),
    (special.entr, 0.3, lambda x: -x * mpmath.log(x)),
]


@pytest.mark.parametrize(
    ("function", "point", "truth"), REMOVABLE, ids=lambda v: getattr(v, "__name__", str(v))
)
def test_four_derivatives_at_removable_points(function, point, truth):
    with mpmath.workdps(60):
        expected = [
            float(c * math.factorial(k))
            for k, c in enumerate(mpmath.taylor(truth, mpmath.mpf(point), 4))
        ]
    forward, reverse = function, function
    for order, value in enumerate(expected):
        for derivative in (forward, reverse):
            found = derivative(np.float64(point))
            assert abs(found - value) <= 3e-14 * max(abs(value), 1e-3 * max(map(abs, expected))), (
                order,
                found,
                value,
            )
        forward = (lambda f: lambda x: jvp(f, (x,), (np.float64(1.0),))[1])(forward)
        reverse = grad(reverse)


# exp(-|x|) I(x) and its one-sided Taylor coefficients: derivatives that both sides agree in are
# that, the others 0
KINKS = [(special.i0e, 0, (0, 2, 4)), (special.i1e, 1, (0, 1, 3))]
NEAR = [0.0, 1e-300, -1e-300, 1e-12, -1e-12, 1e-3, -2.0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("function", "order", "agreeing"), KINKS, ids=["i0e", "i1e"])
def test_derivatives_at_and_beside_the_kink_of_the_scaled_bessel_functions(
    function, order, agreeing, dtype
):
    for x in np.array(NEAR, dtype):
        side = -1 if x < 0 else 1
        with mpmath.workdps(700 if 0 < abs(x) < 1e-100 else 60):
            coefficients = mpmath.taylor(
                lambda t, side=side: mpmath.exp(-side * t) * mpmath.besseli(order, t),
                mpmath.mpf(float(x)),
                4,
            )
            expected = [float(c * math.factorial(k)) for k, c in enumerate(coefficients)]
        forward = reverse = function
        for k, value in enumerate(expected):
            value = value if x != 0 or k in agreeing else 0.0
            for derivative in (forward, reverse):
                found = derivative(x)
                assert found.dtype == dtype
                assert abs(found - value) <= 100 * np.finfo(dtype).eps * max(abs(value), 1e-300), (
                    x,
                    k,
                    found,
                    value,
                )
            forward = (lambda f: lambda x: jvp(f, (x,), (dtype(1.0),))[1])(forward)
            reverse = grad(reverse)


LOGISTIC = [
    (
        special.expit,
        lambda x: 1 / (1 + mpmath.exp(-x)),
        [0.0, 1e-300, 1e-12, -1e-12, 1e-5, 0.3, 40.0, -40.0, 700.0, -700.0],
    ),
    (
        special.log_expit,
        lambda x: -mpmath.log1p(mpmath.exp(-x)),
        [0.0, 1e-300, 1e-12, -1e-12, 1e-5, 40.0, -40.0, 700.0, -700.0],
    ),
    (
        special.logit,
        lambda x: mpmath.log(x / (1 - x)),
        [0.5, 0.5 + 1e-12, 0.5 - 1e-12, 1e-12, 0.3, 1 - 2.0**-40],
    ),
]


@pytest.mark.parametrize(
    ("function", "truth", "points"), LOGISTIC, ids=["expit", "log_expit", "logit"]
)
def test_logistic_functions_keep_their_digits_near_the_zeros_of_their_derivatives(
    function, truth, points
):
    for x in points:
        with mpmath.workdps(60 if 1e-100 < abs(x) < 100 else 700):
            coefficients = mpmath.taylor(truth, mpmath.mpf(x), 4)
            expected = [float(c * math.factorial(k)) for k, c in enumerate(coefficients)]
        forward = reverse = function
        for k, value in enumerate(expected):
            for derivative in (forward, reverse):
                assert abs(derivative(np.float64(x)) - value) <= 2e-14 * max(abs(value), 1e-308), (
                    x,
                    k,
                )
            forward = (lambda f: lambda x: jvp(f, (x,), (np.float64(1.0),))[1])(forward)
            reverse = grad(reverse)


# function, point, [value, first, second derivative]; one-sided limits where the point is an end,
# None where there is none
ENDS = [
    (special.erf, INF, [1, 0, 0]), (special.erf, -INF, [-1, 0, 0]), (special.erfc, INF, [0, 0, 0]),
    (special.expit, INF, [1, 0, 0]), (special.expit, -INF, [0, 0, 0]),
    (special.log_expit, INF, [0, 0, 0]), (special.log_expit, -INF, [-INF, 1, 0]),
    (special.logit, 0.0, [-INF, INF, None]), (special.logit, 1.0, [INF, INF, None]),
    (special.gammaln, INF, [INF, INF, 0]), (special.gammaln, 0.0, [INF, None, INF]),
    (special.gammaln, -3.0, [INF, None, INF]), (special.digamma, INF, [INF, 0, 0]),
    (special.digamma, 0.0, [None, INF, None]), (special.digamma, -2.0, [None, INF, None]),
    (special.gamma, INF, [INF, INF, None]), (special.i0e, INF, [0, 0, 0]),
    (special.i0e, -INF, [0, 0, 0]), (special.i1e, INF, [0, 0, 0]), (special.i0e, 0.0, [1, 0, None]),
    (special.i1e, 0.0, [0, 0.5, None]), (special.i0, 800.0, [INF, INF, INF]),
    (special.i1, 800.0, [INF, INF, INF]), (special.i1, -800.0, [-INF, INF, -INF]),
    (special.rgamma, INF, [0, 0, 0]), (special.entr, 0.0, [0, INF, -INF]),
    (special.wrightomega, INF, [INF, 1, 0]), (special.exprel, INF, [INF, INF, None]),
    (special.exprel, -INF, [0, 0, 0]), (special.ellipk, 1.0, [INF, INF, INF]),
    (special.ellipe, 1.0, [1, -INF, -INF]), (special.ellipkm1, 0.0, [INF, -INF, INF]),
    (special.erfcx, INF, [0, 0, 0]), (special.erfcx, -INF, [INF, -INF, None]),
    (special.dawsn, INF, [0, 0, 0]), (special.dawsn, -INF, [0, 0, 0]),
    (special.log_ndtr, -INF, [-INF, INF, -1]), (special.cbrt, INF, [INF, 0, 0]),
    (special.cbrt, 0.0, [0, INF, -INF]), (special.kolmogorov, INF, [0, 0, 0]),
    (special.keip, 0.0, [0, INF, None]), (special.it2struve0, 0.0, [math.pi / 2, -2 / math.pi, 0]),
    (special.zetac, INF, [0, 0, 0]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "point", "expected"), ENDS, ids=lambda v: getattr(v, "__name__", str(v))
)
def test_ends_poles_and_infinity(function, point, expected):
    with np.errstate(all="ignore"):
        for derivative, value in zip(
            (function, grad(function), grad(grad(function))), expected, strict=True
        ):
            if value is not None:
                assert derivative(np.float64(point)) == value


# function, position of the argument that varies, arguments, its partial derivatives of first and
# second order
OF_SEVERAL = [
    (special.pseudo_huber, 0, (0.0, 0.7), 0.7, -2), (special.pseudo_huber, 1, (0.0, 0.7), 0, 0),
    (special.stdtr, 0, (INF, 0.7), 0, 0), (special.betainc, 0, (INF, 0.7, 0.4), 0, 0),
    (special.elliprd, 1, (0.7, INF, 1.0), 0, 0),
    (special.nctdtr, 2, (3.0, 0.7, INF), 0, 0), (special.ncfdtr, 3, (3.0, 4.0, 0.7, INF), 0, 0),
    (special.elliprg, 0, (0.0, 0.7, 0.3), float(mpmath.elliprf(0, 0.7, 0.3)) / 4, -INF),
    (special.stdtr, 1, (INF, 0.7), float(mpmath.npdf(0.7)), -0.7 * float(mpmath.npdf(0.7))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "position", "point", "first", "second"),
    OF_SEVERAL,
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_limits_in_one_of_several_arguments(function, position, point, first, second):
    with np.errstate(all="ignore"):
        slope = grad(function, position)
        assert slope(*point) == pytest.approx(first, rel=1e-14)
        assert grad(slope, position)(*point) == pytest.approx(second, rel=1e-13)


@pytest.mark.parametrize("x", [0.0, 1e-9, -1e-4, 0.3, 0.99, 1.01, 5.0])
@pytest.mark.parametrize(("function", "sign"), [(special.it2j0y0, -1), (special.it2i0k0, 1)])
def test_integrals_of_what_bessel_functions_lack_of_one(function, sign, x):
    with mpmath.workdps(60):
        truth = mpmath.taylor(
            lambda t: (mpmath.hyp0f1(1, sign * t * t / 4) - 1) / t,
            mpmath.mpf(x) + mpmath.mpf(10) ** -25,
            1,
        )
    slope = grad(lambda x: function(x)[0])
    assert slope(x) == pytest.approx(sign * float(truth[0]), rel=1e-14, abs=1e-24)
    assert grad(slope)(x) == pytest.approx(sign * float(truth[1]), rel=1e-13)


def test_scaled_airy_functions_of_negative_numbers():
    """Bi is not scaled there: its second derivative is x Bi."""
    for k, truth in ((2, lambda x: mpmath.airybi(x)), (3, lambda x: mpmath.airybi(x, 1))):
        for x in (-2.0, -0.3):
            found = grad(grad(lambda x, k=k: special.airye(x)[k]))(x)
            assert found == pytest.approx(float(mpmath.diff(truth, x, 2)), rel=1e-13)


def test_dilogarithm_of_small_and_large_numbers():
    for z in (1e-300, 1e-10, 0.3, 1.49, 1.51, 1e10, 1e300):
        with mpmath.workdps(400):
            truth = float(mpmath.log(z) / (1 - mpmath.mpf(z)))
        assert grad(special.spence)(z) == pytest.approx(truth, rel=1e-14)


def test_minus_infinity_in_log_sum_exp():
    a = np.array([-INF, 0.0, math.log(3.0)])
    gradient = grad(special.logsumexp)
    np.testing.assert_allclose(gradient(a), [0, 0.25, 0.75])
    np.testing.assert_array_equal(gradient(np.full(3, -INF)), 0)
    tangent = jvp(gradient, (a,), (np.array([1.0, 1.0, 0.0]),))[1]
    np.testing.assert_allclose(tangent, [0, 0.1875, -0.1875])
    b = np.array([2.0, 1.0, 1.0])
    np.testing.assert_allclose(grad(lambda b: special.logsumexp(a, b=b))(b), [0, 0.25, 0.75])


def test_plus_infinity_in_log_sum_exp_has_no_gradient():
    with np.errstate(invalid="ignore"):
        for a in (np.array([INF, 0.0]), np.array([INF, INF, 1.0])):
            assert special.logsumexp(a) == INF
            infinite = np.isinf(a)
            np.testing.assert_array_equal(
                grad(special.logsumexp)(a), np.where(infinite, math.nan, 0)
            )
            assert np.isnan(jvp(special.logsumexp, (a,), (np.ones_like(a),))[1])


def test_a_weight_of_zero_hides_whatever_stands_there():
    a, b = np.array([INF, 5000.0, 1.0]), np.array([0.0, 0.0, 2.0])
    np.testing.assert_allclose(grad(lambda a: special.logsumexp(a, b=b))(a), [0, 0, 1])
    # but its own derivative is there: d/db log(sum(b exp(a))), and the mixed second derivative
    a, b = np.array([1.0, 2.0]), np.array([0.0, 3.0])
    weight = math.exp(1.0) / (3 * math.exp(2.0))
    np.testing.assert_allclose(grad(lambda b: special.logsumexp(a, b=b))(b), [weight, 1 / 3])
    mixed = grad(lambda b: grad(lambda a: special.logsumexp(a, b=b))(a)[0])(b)
    np.testing.assert_allclose(mixed, [weight, 0], atol=1e-16)


def test_the_sign_of_a_real_sum_carries_no_derivative():
    a, b = np.array([0.3, -0.2]), np.array([1.0, -2.0])
    (size, sign), pullback = vjp(lambda a: special.logsumexp(a, b=b, return_sign=True), a)
    total = np.sum(b * np.exp(a))
    np.testing.assert_allclose([size, sign], [math.log(abs(total)), -1])
    np.testing.assert_allclose(pullback((np.float64(1), np.float64(5)))[0], b * np.exp(a) / total)


@pytest.mark.parametrize("m", [-2, 0, 1, 2, 3, 4])
def test_legendre_functions_at_the_ends(m):
    for v, x in ((4.0, 1.0), (5.0, 1.0), (4.0, -1.0), (5.0, -1.0)):
        derived = (
            np.polynomial.Legendre.basis(int(v))
            .deriv(abs(m))
            .convert(kind=np.polynomial.Polynomial)
            .coef.tolist()
        )
        size = (-1) ** m if m >= 0 else math.factorial(int(v) + m) / math.factorial(int(v) - m)

        def truth(x, p=derived, size=size):
            return (
                size
                * (1 - x * x) ** (mpmath.mpf(abs(m)) / 2)
                * sum(c * x**k for k, c in enumerate(p))
            )

        def slope(x, v=v):
            return grad(special.lpmv, 2)(m, v, x)

        with np.errstate(all="ignore"):
            found = slope(x), jvp(slope, (x,), (1.0,))[1]
        with mpmath.workdps(40):
            beside = x * (1 - mpmath.mpf(10) ** -16)
            expected = [
                float(mpmath.diff(truth, beside, k, h=mpmath.mpf(10) ** -20)) for k in (1, 2)
            ]
        for mine, limit in zip(found, expected, strict=True):
            assert (
                mine == math.copysign(INF, limit) if abs(limit) > 1e5 else abs(mine - limit) < 1e-4
            ), (v, x, mine, limit)
    assert abs(grad(special.lpmv, 2)(0, 2.5, 1.0) - 4.375) < 1e-14  # v (v + 1)/2
    with np.errstate(all="ignore"):  # functions of other degrees are infinite there
        assert not np.isfinite(jvp(lambda v: grad(special.lpmv, 2)(m, v, -1.0), (3.0,), (1.0,))[1])


@pytest.mark.parametrize(("name", "sign"), [("struve", 1), ("modstruve", -1)])
@pytest.mark.parametrize("v", [0.0, 1.0, 2.0])
def test_struve_functions_at_zero(name, sign, v):
    f, derivative = getattr(special, name), lambda f: lambda x: jvp(f, (x,), (np.float64(1.0),))[1]
    coefficients = [0.0] * 4  # coefficients of x^k in the power series (DLMF 11.2.1-2)
    for k in range(2):
        if v + 1 + 2 * k < 4:
            coefficients[int(v) + 1 + 2 * k] = float(
                (-sign) ** k
                / (mpmath.gamma(k + 1.5) * mpmath.gamma(k + v + 1.5) * 2 ** (v + 1 + 2 * k))
            )
    f = (lambda f: lambda x: f(v, x))(f)
    for order in range(3):
        assert abs(f(np.float64(0.0)) - coefficients[order] * math.factorial(order)) < 1e-15, order
        f = derivative(f)


def test_elliptic_integrals_at_the_branch_point_of_the_complete_ones():
    for f, truth in ((special.ellipkinc, mpmath.ellipf), (special.ellipeinc, mpmath.ellipe)):
        for phi in (0.5, 1.0, -1.2):
            with mpmath.workdps(40):
                expected = float(mpmath.diff(lambda m, phi=phi, truth=truth: truth(phi, m), 1, 2))
            second = grad(grad(f, 1), 1)(phi, 1.0)
            assert abs(second - expected) <= 1e-9 * abs(expected), (phi, second, expected)


def test_zero_times_the_logarithm_of_zero():
    with np.errstate(all="ignore"):
        assert grad(lambda x: special.xlogy(x, x))(0.0) == -INF
        assert grad(special.xlogy, (0, 1))(0.0, 0.0) == (-INF, 0)
        assert grad(special.xlog1py, (0, 1))(0.0, -1.0) == (-INF, 0)
        assert jvp(lambda x: grad(special.xlogy, 1)(x, 2.0), (0.0,), (1.0,))[1] == 0.5


@pytest.mark.parametrize("shift", [-1e300, -1e17, 1e3, 1e10, 1e17, 1e300])
def test_terms_are_shares_of_a_sum_whose_logarithm_has_no_digits_left(shift):
    """Beyond 2^53 the logarithm of a sum of equal terms is that of one term."""
    x, weights = np.full(5, shift), np.array([1.0, 2.0, 3.0, 4.0, 6.0])
    np.testing.assert_allclose(grad(special.logsumexp)(x), 0.2, rtol=1e-15)
    shares = np.eye(5) / 5 - 0.04
    np.testing.assert_allclose(hessian(special.logsumexp)(x), shares, rtol=1e-14)

    def weighted(x, b):
        return special.logsumexp(x, b=b, return_sign=True)[0]

    by_x, by_b = grad(weighted, (0, 1))(x, -weights)
    np.testing.assert_allclose(by_x, weights / 16, rtol=1e-15)
    np.testing.assert_allclose(by_b, -1 / 16, rtol=1e-15)


def test_shares_in_single_precision_have_its_digits():
    x = np.full((2, 5), 1e5, np.float32)
    found = grad(lambda x: np.sum(special.logsumexp(x, axis=1)))(x)
    np.testing.assert_allclose(found, np.full_like(x, 0.2), rtol=1e-6)
