"""Derivatives in parameters, which SciPy's own values are too noisy for finite differences to check, against mpmath."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from scigrad import grad, special


def wright(a, b, x):
    return mpmath.nsum(lambda k: x**k * mpmath.rgamma(a * k + b) / mpmath.factorial(k), [0, mpmath.inf])


def student(df, t):
    tail = mpmath.betainc(df / 2, 0.5, 0, df / (df + t * t), regularized=True) / 2
    return tail if t < 0 else 1 - tail


def fisher(n, d, x):
    return mpmath.betainc(n / 2, d / 2, 0, n * x / (n * x + d), regularized=True)


def partial(f, position, *args):
    args = [mpmath.mpf(float(v)) for v in args]
    with mpmath.workdps(30):
        return float(mpmath.diff(lambda v: f(*args[:position], v, *args[position + 1 :]), args[position]))


@pytest.mark.parametrize("position", [0, 1, 2])
def test_wright_bessel(position):
    at = (0.6, 1.3, 0.8)
    expected = partial(wright, position, *at)
    assert grad(special.wright_bessel, position)(*at) == pytest.approx(expected, rel=1e-8)
    logarithmic = expected / float(wright(*at))
    assert grad(special.log_wright_bessel, position)(*at) == pytest.approx(logarithmic, rel=1e-8)


def test_degrees_of_freedom_by_root_search():
    p, t = 0.23, -0.85
    df = special.stdtridf(p, t)
    slope = partial(student, 0, df, t)
    found = grad(special.stdtridf, (0, 1))(p, t)
    np.testing.assert_allclose(found, [1 / slope, -partial(student, 1, df, t) / slope], rtol=1e-9)
    dfd = special.fdtridfd(3, 0.23, 0.45)
    slope = partial(fisher, 1, 3, dfd, 0.45)
    found = grad(special.fdtridfd, (1, 2))(3, 0.23, 0.45)
    np.testing.assert_allclose(found, [1 / slope, -partial(fisher, 2, 3, dfd, 0.45) / slope], rtol=1e-9)


def test_derivatives_that_would_cancel():
    """erfcx', dawsn' and w' are small differences of large terms far out; spence', K' and E' are 0/0 at one point."""
    for x in (5.0, 29.0, 31.0, 1e3, 1e6):
        with mpmath.workdps(60):
            scaled = float(mpmath.diff(lambda t: mpmath.exp(t * t) * mpmath.erfc(t), mpmath.mpf(x), h=mpmath.mpf(10) ** -20))
            dawson = float(mpmath.diff(lambda t: mpmath.exp(-t * t) * mpmath.erfi(t), mpmath.mpf(x)) * mpmath.sqrt(mpmath.pi) / 2)
        assert grad(special.erfcx)(x) == pytest.approx(scaled, rel=1e-12)
        assert grad(special.dawsn)(x) == pytest.approx(dawson, rel=1e-12)
    assert grad(special.spence)(1.0) == -1
    assert grad(grad(special.spence))(1.0) == pytest.approx(0.5, rel=1e-14)
    assert grad(special.ellipk)(0.0) == pytest.approx(math.pi / 8, rel=1e-15)
    assert grad(special.ellipe)(0.0) == pytest.approx(-math.pi / 8, rel=1e-15)
    assert grad(grad(special.ellipk))(0.0) == pytest.approx(9 * math.pi / 64, rel=2e-11)
    assert grad(special.agm)(2.0, 2.0) == pytest.approx(0.5, rel=1e-15)
    assert grad(special.exprel)(0.0) == 0.5
    assert grad(special.beip)(0.0) == 0.5
    assert grad(special.stdtr, 1)(3.0, 0.0) == pytest.approx(2 / (math.pi * math.sqrt(3)), rel=1e-15)


@pytest.mark.parametrize("args", [(0.2, 0.4, 1.6), (0.3, 0.7, 3.0), (0.3, 1.2, 1.5), (1 / 3, 2 / 3, 1.0)])
def test_hyp2f1_near_1_where_the_difference_of_its_parameters_is_an_integer(args):
    for z in (0.96, 0.998, 0.999, 0.9999):
        expected = partial(mpmath.hyp2f1, 3, *args, z)
        found = special.hyp2f1(*args, z + 0j)  # whose derivative is taken by the same kernel
        assert grad(special.hyp2f1, 3)(*args, z) == pytest.approx(expected, rel=1e-11)
        assert np.real(found) == pytest.approx(float(mpmath.hyp2f1(*args, z)), rel=1e-11)
    for position in range(3):
        expected = partial(mpmath.hyp2f1, position, *args, 0.999)
        assert grad(special.hyp2f1, position)(*args, 0.999) == pytest.approx(expected, rel=1e-8)


def test_voigt_profile_of_no_and_little_variance():
    """The derivative in sigma is sigma times the second one in x, by the equation of heat."""
    x, gamma = 0.3, 0.5
    lorentzian = [partial(lambda x, g: g / (mpmath.pi * (x * x + g * g)), i, x, gamma) for i in (0, 1)]
    second = float(mpmath.diff(lambda x: gamma / (mpmath.pi * (x * x + gamma**2)), x, 2))
    for sigma in (0.0, 1e-9):
        found = grad(special.voigt_profile, (0, 1, 2))(x, sigma, gamma)
        np.testing.assert_allclose(found, [lorentzian[0], sigma * second, lorentzian[1]], rtol=1e-11)
    below, above = (grad(special.voigt_profile, (0, 1, 2))(x, np.hypot(x, gamma) / at, gamma) for at in (44.9999, 45.0001))
    np.testing.assert_allclose(below, above, rtol=1e-5)


@pytest.mark.parametrize("a", [0.5, 1.0, 12.0, 17.0, 1e4, 1e10, 1e13, 1e15])
@pytest.mark.parametrize("deviations", [-3, -1, 0, 0.5, 3])
def test_density_of_the_gamma_distribution_near_its_mode(a, deviations):
    """exp(x) and x^a cancel there, but for the deviance."""
    x = max(a + deviations * np.sqrt(a), 0.25)
    with mpmath.workdps(40):
        b, y = mpmath.mpf(a), mpmath.mpf(x)
        density = mpmath.exp((b - 1) * mpmath.log(y) - y - mpmath.loggamma(b))
        slope = density * (b - 1 - y) / y
    assert grad(special.gammainc, 1)(a, x) == pytest.approx(float(density), rel=3e-14)
    assert grad(grad(special.gammainc, 1), 1)(a, x) == pytest.approx(float(slope), rel=3e-14, abs=1e-15 * float(density))
    assert grad(special.chdtr, 1)(2 * a, 2 * x) == pytest.approx(float(density) / 2, rel=3e-14)


def test_density_of_the_gamma_distribution_at_the_ends():
    slope = grad(special.gammainc, 1)
    assert [slope(1.0, 0.0), slope(3.0, 0.0), slope(20.0, 0.0), slope(20.0, np.inf)] == [1.0, 0.0, 0.0, 0.0]
