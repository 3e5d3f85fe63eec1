"""Distributions with large parameters, where logarithms cancel and functions vary slowly, against
mpmath.
"""

import mpmath
import numpy as np
import pytest

from scigrad import grad, special

MANY = [
    (1e9, 1e9), (1e16, 1e16), (1e20, 1e20), (1e4, 1e12), (20.0, 1e15), (1e15, 20.0), (15.0, 1e9),
    (17.0, 18.0), (1e12, 3e11),
]  # fmt: skip


def log_density(a, b, x):
    constant = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
    return (a - 1) * mpmath.log(x) + (b - 1) * mpmath.log(1 - x) - constant


def of_beta(a, b, x):
    """Return the density, and its derivatives in a, b and x."""
    with mpmath.workdps(60):
        a, b, x = map(mpmath.mpf, (a, b, x))
        density, both = mpmath.exp(log_density(a, b, x)), mpmath.digamma(a + b)
        by_a, by_b = (
            mpmath.log(x) - mpmath.digamma(a) + both,
            mpmath.log(1 - x) - mpmath.digamma(b) + both,
        )
        return density, density * by_a, density * by_b, density * ((a - 1) / x - (b - 1) / (1 - x))


def of_fisher(n, d, x):
    with mpmath.workdps(60):
        n, d, x = map(mpmath.mpf, (n, d, x))
        total = n * x + d
        density = mpmath.exp(log_density(n / 2, d / 2, n * x / total)) * n * d / total**2
        return density, density * ((n / 2 - 1) / x - (n + d) / 2 * n / total)


def quantiles(a, b):
    """Return points about the mean by standard deviations, inside of the interval."""
    mean = a / (a + b)
    points = (mean + z * np.sqrt(mean * (b / (a + b)) / (a + b + 1)) for z in (-3, -1, 0, 0.3, 2))
    return [float(x) for x in points if 0 < x < 1]


@pytest.mark.parametrize(("a", "b"), MANY)
def test_density_of_the_beta_distribution(a, b):
    """x^a, (1 - x)^b and B(a, b) cancel in its logarithm, but for deviances."""
    by_x = grad(special.betainc, 2)
    for x in quantiles(a, b):
        density, *slopes = of_beta(a, b, x)
        assert by_x(a, b, x) == pytest.approx(float(density), rel=1e-13)
        assert grad(special.betaincc, 2)(a, b, x) == pytest.approx(-float(density), rel=1e-13)
        for i, slope in enumerate(slopes):
            # the slope may have a root nearby: the density tells its size there
            size = density if i == 2 else density / mpmath.sqrt((a, b)[i]) / 1e3
            assert grad(by_x, i)(a, b, x) == pytest.approx(
                float(slope), rel=1e-12, abs=1e-12 * float(size)
            )


@pytest.mark.parametrize(("n", "d"), MANY)
def test_density_of_the_f_distribution(n, d):
    by_x = grad(special.fdtr, 2)
    for z in (-3, -1, 0, 0.3, 2):
        x = 1 + z * np.sqrt(2 / n + 2 / d)
        if x <= 0:
            continue
        density, slope = map(float, of_fisher(n, d, x))
        assert by_x(n, d, x) == pytest.approx(density, rel=3e-13)
        assert grad(special.fdtrc, 2)(n, d, x) == pytest.approx(-density, rel=3e-13)
        assert grad(by_x, 2)(n, d, x) == pytest.approx(slope, rel=3e-13, abs=1e-13 * density)


def test_what_is_made_of_that_density():
    k, n, p = 400_000_000, 1_000_000_001, 0.4
    density, *_, slope = map(float, of_beta(k + 1, n - k, p))
    for f, sign in ((special.bdtr, -1), (special.bdtrc, 1)):
        assert grad(f, 2)(k, n, p) == pytest.approx(sign * density, rel=1e-13)
        assert grad(grad(f, 2), 2)(k, n, p) == pytest.approx(
            sign * slope, rel=1e-12, abs=1e-13 * density
        )
    density = float(of_beta(n, k + 1, 0.71428)[0])
    for f, sign in ((special.nbdtr, 1), (special.nbdtrc, -1)):
        assert grad(f, 2)(k, n, 0.71428) == pytest.approx(sign * density, rel=1e-13)
    for f, args in (
        (special.betaincinv, (1e9, 1e9)),
        (special.betainccinv, (1e9, 1e9)),
        (special.bdtri, (k, n)),
    ):
        shapes, sign = (
            (args, 1)
            if f is special.betaincinv
            else ((k + 1, n - k) if f is special.bdtri else args, -1)
        )
        density = float(of_beta(*shapes, f(*args, 0.3))[0])
        assert grad(f, 2)(*args, 0.3) == pytest.approx(sign / density, rel=1e-12)
    density = float(of_fisher(1e9, 1e9, special.fdtri(1e9, 1e9, 0.3))[0])
    assert grad(special.fdtri, 2)(1e9, 1e9, 0.3) == pytest.approx(1 / density, rel=1e-12)


def test_density_in_single_precision():
    a, x = np.float32(1e6), np.float32(0.5003)
    slope = grad(lambda x: special.betainc(a, a, x))(x)
    assert slope.dtype == np.float32
    assert slope == pytest.approx(float(of_beta(float(a), float(a), float(x))[0]), rel=2e-7)


def of_shape(a, b, x):
    """Return the derivative of betainc in a: the integral of that of the density, over the side
    with less probability.
    """
    with mpmath.workdps(40):
        a, b, x = map(mpmath.mpf, (a, b, x))
        mean, both = a / (a + b), mpmath.digamma(a + b) - mpmath.digamma(a)
        deviation, constant = mpmath.sqrt(mean * (1 - mean) / (a + b)), log_density(a, b, mean)
        slope = lambda t: mpmath.exp(log_density(a, b, t) - constant) * (mpmath.log(t) + both)  # noqa: E731
        ends = [x, x + (12 if x > mean else -12) * deviation]
        return float(-mpmath.exp(constant) * mpmath.quad(slope, ends, maxdegree=5))


@pytest.mark.parametrize(("a", "b"), [(1e4, 1e4), (1e6, 1e8), (1e8, 1e8), (1e12, 1e13)])
def test_derivatives_of_betainc_in_large_parameters(a, b):
    mean = a / (a + b)
    for z in (-2.0, 0.5):
        x = mean + z * np.sqrt(mean * (1 - mean) / (a + b))
        by_a, by_b = of_shape(a, b, x), -of_shape(b, a, 1 - x)
        with np.errstate(all="ignore"):
            found = grad(special.betainc, (0, 1))(a, b, x)
        np.testing.assert_allclose(found, [by_a, by_b], rtol=1e-7)


def of_freedom(df, t):
    """Return the derivative of stdtr, from Fisher's expansion of Student's distribution (Abramowitz
    and Stegun, 26.7.8).
    """
    orders = ((t**3 + t) / 4, (3 * t**7 - 7 * t**5 - 5 * t**3 - 3 * t) / 96)
    return float(mpmath.npdf(t) * sum(n * term / df ** (n + 1) for n, term in enumerate(orders, 1)))


@pytest.mark.parametrize(("df", "digits"), [(1e5, 1e-8), (1e6, 1e-6), (1e8, 1e-4)])
def test_degrees_of_freedom_of_what_is_almost_normal(df, digits):
    assert grad(special.stdtr)(df, 1.5) == pytest.approx(of_freedom(df, 1.5), rel=digits, abs=0)
    assert grad(special.stdtr)(df, -3.0) == pytest.approx(of_freedom(df, -3.0), rel=digits, abs=0)
    assert grad(special.nctdtr)(df, 1e-9, 1.5) == pytest.approx(
        of_freedom(df, 1.5), rel=10 * digits, abs=0
    )
    x = df + np.sqrt(df)
    # a contour integral
    assert grad(special.chndtr, 1)(x, df, 0.0) == pytest.approx(
        grad(special.chdtr)(df, x), rel=1e-6
    )
    f = 1 + np.sqrt(1 / df)
    assert grad(special.ncfdtr, (0, 1, 3))(df, df, 1e-12, f) == pytest.approx(
        grad(special.fdtr, (0, 1, 2))(df, df, f), rel=1e-6
    )


def test_degrees_of_freedom_at_the_center_of_the_f_distribution():
    """The distribution function there is 1/2 + (1/d - 1/n)/(3 sqrt(pi (1/n + 1/d))) to the next
    order in 1/n.
    """
    for n in (1e4, 1e8):
        expected = 1 / (3 * np.sqrt(2 * np.pi / n) * n * n)
        for f, sign in ((special.fdtr, -1), (special.fdtrc, 1)):
            assert abs(grad(f)(n, n, 1.0)) == pytest.approx(expected, rel=2 / n**0.5)
            assert grad(f)(n, n, 1.0) * sign > 0


def test_derivatives_of_which_rounding_leaves_nothing_are_nan():
    with np.errstate(all="ignore"):
        assert np.isnan(grad(special.stdtr)(1e13, 1.5))
        # 1 is taken out
        assert grad(special.hyp0f1)(1e12, 2.5) == pytest.approx(-2.5e-24, rel=1e-10, abs=0)
        assert grad(special.hyp1f1, 1)(1.5, 1e12, 2.5) == pytest.approx(-3.75e-24, rel=1e-10, abs=0)
        assert np.isnan(grad(special.jv)(1e18, 2.0))  # its nodes are one number
        assert grad(special.stdtr)(3.0, 0.0) == 0
        assert grad(special.stdtr)(np.inf, 0.7) == 0


def test_counts_of_many_trials():
    n, p, y = 1e6, 0.4, 0.3
    k = special.bdtrik(y, n, p)
    slope = -of_shape(k + 1, n - k, p) - of_shape(n - k, k + 1, 1 - p)
    assert grad(special.bdtrik)(y, n, p) == pytest.approx(1 / slope, rel=1e-7)
    k = special.nbdtrik(y, n, p)
    assert grad(special.nbdtrik)(y, n, p) == pytest.approx(-1 / of_shape(k + 1, n, 1 - p), rel=1e-7)
    k = special.pdtrik(y, n)
    with mpmath.workdps(40):
        slope = mpmath.diff(
            lambda a: mpmath.gammainc(a, n, regularized=True), mpmath.mpf(float(k)) + 1
        )
    assert grad(special.pdtrik)(y, n) == pytest.approx(float(1 / slope), rel=1e-10)


@pytest.mark.parametrize("v", [1.001e4, 1e6, 1e10, 1e13, 1e17, 1e100])
def test_confluent_limit_functions_of_large_parameters(v):
    """SciPy's have eight digits left at 1e10 and none at 1e17."""
    for z in (-v / 100 * v, -3 * v, -1e-3, 0.5 * v, 100 * v, v**1.4, 1e4 * v**1.4):
        exponent = abs(z / v)
        if exponent < 700:
            with mpmath.workdps(60):
                truth = [mpmath.hyp0f1(mpmath.mpf(v) + k, mpmath.mpf(z)) for k in (0, 1)]
            assert special.hyp0f1(v, z) == pytest.approx(
                float(truth[0]), rel=1e-15 * (10 + exponent)
            ), z
            assert grad(special.hyp0f1, 1)(v, z) == pytest.approx(
                float(truth[1] / v), rel=1e-15 * (10 + exponent)
            ), z


@pytest.mark.parametrize("df", [1e6, 1e9, 1e10])
@pytest.mark.parametrize("nc", [1.0, 30.0])
def test_noncentral_chi_square_density_of_large_degrees_of_freedom(df, nc):
    """The series in central densities, minus that for df + 2 in nc. From 1e12 on SciPy's values
    are nan, and derivatives with them.
    """
    with mpmath.workdps(60):
        half, x = mpmath.mpf(df) / 2, mpmath.mpf(df) / 2

        def density(half, j):
            return mpmath.exp((half + j - 1) * mpmath.log(x) - x - mpmath.loggamma(half + j)) / 2

        weights = [
            mpmath.exp(-mpmath.mpf(nc) / 2) * mpmath.mpf(nc / 2) ** j / mpmath.factorial(j)
            for j in range(120)
        ]
        by_x, by_nc = (
            float(sum(w * density(half + more, j) for j, w in enumerate(weights)))
            for more in (0, 1)
        )
    assert grad(special.chndtr)(df, df, nc) == pytest.approx(by_x, rel=1e-11)
    assert grad(special.chndtr, 2)(df, df, nc) == pytest.approx(-by_nc, rel=1e-11)
