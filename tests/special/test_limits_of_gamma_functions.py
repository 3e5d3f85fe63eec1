"""Gamma functions, their logarithmic derivatives and their quotients at poles and beside them."""

import math

import mpmath
import numpy as np
import pytest
import scipy.special

from scigrad import grad, special

INF = math.inf


def test_complex_polygamma_of_any_order():
    z = np.array([-7.3 + 0.01j, -0.5 + 0j, 0.2 - 6j, 40 + 30j])
    for n in (1, 2, 3, 8):
        with mpmath.workdps(40):
            truth = np.array([complex(mpmath.psi(n, mpmath.mpc(v))) for v in z])
        assert np.max(np.abs(special.polygamma(n, z) / truth - 1)) < 2e-14


def test_digamma_keeps_its_digits_beside_its_poles():
    distance = np.array([1e-3, 1e-6, 1e-9, 0.2499])
    x = np.concatenate([-n + s * distance for n in (0, 1, 7, 50, 1000) for s in (1, -1)])
    truth = np.array([float(mpmath.digamma(mpmath.mpf(v))) for v in x])
    assert np.max(np.abs(special.digamma(x) / truth - 1)) < 1e-14
    assert np.max(np.abs(special.polygamma(0, x) / truth - 1)) < 1e-14
    single = np.float32([-6.9999, -1.001])
    np.testing.assert_allclose(
        special.digamma(single), scipy.special.digamma(single.astype(float)), rtol=1e-6
    )
    np.testing.assert_array_equal(
        special.digamma([-1.0, 0.0, -0.0, -INF]), [math.nan, -INF, INF, math.nan]
    )
    # it oscillates between pi^2 and infinity: there is no limit
    assert np.isnan(special.polygamma([1, 2], -INF)).all()


FACTORIALS = [
    (special.binom, mpmath.binomial, (2.0, 3.0)), (special.binom, mpmath.binomial, (0.0, 1.0)),
    (special.binom, mpmath.binomial, (4.0, 7.0)), (special.binom, mpmath.binomial, (-1.3, 20.7)),
    (special.binom, mpmath.binomial, (40.0, 1000.0)), (special.binom, mpmath.binomial, (1e10, 0.4)),
    (special.poch, mpmath.rf, (1e5, 1e-8)),
    (special.binom, mpmath.binomial, (4.0, 2.0)), (special.poch, mpmath.rf, (0.0, 2.5)),
    (special.poch, mpmath.rf, (-3.0, 0.7)), (special.poch, mpmath.rf, (-2.0, 2.0)),
    (special.poch, mpmath.rf, (-1.0, 3.0)), (special.poch, mpmath.rf, (1.5, 0.7)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "truth", "point"), FACTORIALS, ids=lambda v: getattr(v, "__name__", str(v))
)
def test_quotients_of_gamma_functions_at_their_poles(function, truth, point):
    z, m = map(mpmath.mpf, point)
    with mpmath.workdps(40):
        first, second = (
            float(mpmath.diff(lambda z: truth(z, m), z + mpmath.mpf(10) ** -25, n)) for n in (1, 2)
        )
    assert grad(function)(*point) == pytest.approx(first, rel=1e-12)
    assert grad(grad(function))(*point) == pytest.approx(second, rel=1e-11)


@pytest.mark.parametrize(
    ("x", "y"),
    [(2.5, -1.0), (2.5, -2.0), (3.0, -1.0), (3.0, 5.0), (4.0, 6.0), (2.5, 0.7), (2.5, 3.5)],
)
def test_binomial_coefficients_in_the_lower_number(x, y):
    with mpmath.workdps(40):
        beside = mpmath.mpf(y) + mpmath.mpf(10) ** -25
        first, second = (
            float(mpmath.diff(lambda y: mpmath.binomial(x, y), beside, n)) for n in (1, 2)
        )
    assert grad(special.binom, 1)(x, y) == pytest.approx(first, rel=1e-12)
    assert grad(grad(special.binom, 1), 1)(x, y) == pytest.approx(second, rel=1e-11)


def test_differences_of_digamma_keep_their_digits():
    random = np.random.default_rng(0)
    a, b = 10 ** random.uniform(-9, 7, (2, 200))
    with mpmath.workdps(60):
        expected = [
            float(mpmath.digamma(y) - mpmath.digamma(mpmath.mpf(x) + mpmath.mpf(y)))
            for x, y in zip(a, b, strict=True)
        ]
    np.testing.assert_allclose(
        grad(lambda b: np.sum(special.betaln(a, b)))(b), expected, rtol=3e-14
    )
    curvature = grad(lambda b: np.sum(grad(lambda b: np.sum(special.betaln(a, b)))(b)))(b)
    with mpmath.workdps(60):
        expected = [
            float(mpmath.psi(1, y) - mpmath.psi(1, mpmath.mpf(x) + mpmath.mpf(y)))
            for x, y in zip(a, b, strict=True)
        ]
    np.testing.assert_allclose(curvature, expected, rtol=1e-13)


@pytest.mark.parametrize("z", [1e-30, -1e-30, 1e-16, 1e-10, 1e-5, 0.1, -0.9999999999, -1.9999999])
@pytest.mark.parametrize("m", [0.7, 2.0, 1.5, -3.0])
def test_derivatives_of_rising_factorials_beside_poles_of_gamma(z, m):
    with mpmath.workdps(80):

        def f(z):
            return mpmath.gamma(z + m) / mpmath.gamma(z)

        slope, curvature = (float(mpmath.diff(f, mpmath.mpf(z), k)) for k in (1, 2))
    np.testing.assert_allclose(grad(special.poch)(z, m), slope, rtol=1e-13)
    np.testing.assert_allclose(grad(grad(special.poch))(z, m), curvature, rtol=1e-13)
