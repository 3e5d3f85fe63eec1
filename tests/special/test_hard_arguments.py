"""Derivatives in parameters, which SciPy's own values are too noisy for finite differences to
check, against mpmath.
"""

import itertools
import math

import mpmath
import numpy as np
import pytest

from scigrad import grad, jvp, special


def wright(a, b, x):
    return mpmath.nsum(
        lambda k: x**k * mpmath.rgamma(a * k + b) / mpmath.factorial(k), [0, mpmath.inf]
    )


def student(df, t):
    tail = mpmath.betainc(df / 2, 0.5, 0, df / (df + t * t), regularized=True) / 2
    return tail if t < 0 else 1 - tail


def fisher(n, d, x):
    return mpmath.betainc(n / 2, d / 2, 0, n * x / (n * x + d), regularized=True)


def partial(f, position, *args):
    args = [mpmath.mpf(float(v)) for v in args]
    with mpmath.workdps(30):
        return float(
            mpmath.diff(lambda v: f(*args[:position], v, *args[position + 1 :]), args[position])
        )


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
    np.testing.assert_allclose(
        found, [1 / slope, -partial(fisher, 2, 3, dfd, 0.45) / slope], rtol=1e-9
    )


# Far out the exponential terms are as large as the others, or larger, in half of the plane.
FAR = [
    9 - 9j,
    -8 - 9.1j,
    12 - 0.1j,
    40 - 40j,
    -40 - 40j,
    40 + 40j,
    -40 + 40.05j,
    22 - 21.5j,
    -31 + 30.5j,
    0.5 + 31j,
    31 - 0.5j,
]
FADDEEVA = [
    (special.wofz, lambda z: mpmath.exp(-z * z) * mpmath.erfc(-1j * z)),
    (special.erfcx, lambda z: mpmath.exp(z * z) * mpmath.erfc(z)),
    (special.dawsn, lambda z: mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-z * z) * mpmath.erfi(z)),
]


@pytest.mark.parametrize(("function", "truth"), FADDEEVA, ids=["wofz", "erfcx", "dawsn"])
def test_error_functions_in_all_quadrants_far_out(function, truth):
    derivative = lambda f: lambda z: jvp(f, (z,), (np.ones_like(z),))[1]  # noqa: E731
    for z in FAR:
        if abs(z.real) < 1 and function is special.dawsn:
            continue  # overflows
        with mpmath.workdps(60):
            first, second = (
                complex(mpmath.diff(truth, mpmath.mpc(z), n, h=mpmath.mpf(10) ** -15))
                for n in (1, 2)
            )
        at = np.complex128(z)
        assert abs(derivative(function)(at) - first) <= 1e-11 * abs(first), z
        assert abs(derivative(derivative(function))(at) - second) <= 1e-11 * abs(second), z


def test_modified_fresnel_integrals_far_out():
    for f, sign in ((special.modfresnelp, -1), (special.modfresnelm, 1)):
        for x in (0.5, 40.0, 1e5):
            with mpmath.workdps(60):
                at = mpmath.exp(mpmath.mpc(0, sign * mpmath.pi / 4))
                k = lambda x, at=at: mpmath.exp((at * x) ** 2) * mpmath.erfc(at * x) / 2  # noqa: E731
                truth = complex(mpmath.diff(k, mpmath.mpf(x), h=mpmath.mpf(10) ** -15))
            assert grad(lambda x, f=f: f(x)[1].real)(x) == pytest.approx(truth.real, rel=1e-13)
            assert grad(lambda x, f=f: f(x)[1].imag)(x) == pytest.approx(truth.imag, rel=1e-13)


def test_voigt_profile_below_the_real_axis():
    def truth(x, sigma, gamma):
        z = (x + 1j * gamma) / (sigma * mpmath.sqrt(2))
        return mpmath.re(mpmath.exp(-z * z) * mpmath.erfc(-1j * z)) / (
            sigma * mpmath.sqrt(2 * mpmath.pi)
        )

    at = 50.0, 1.0, -49.9
    for i in range(3):
        with mpmath.workdps(40):
            expected = float(
                mpmath.diff(truth, tuple(map(mpmath.mpf, at)), tuple(int(i == j) for j in range(3)))
            )
        assert grad(special.voigt_profile, i)(*at) == pytest.approx(expected, rel=1e-8)


def test_derivatives_that_would_cancel():
    """erfcx', dawsn' and w' are small differences of large terms far out; spence', K' and E' are
    0/0 at one point.
    """
    for x in (5.0, 29.0, 31.0, 1e3, 1e6):
        with mpmath.workdps(60):
            scaled = float(
                mpmath.diff(
                    lambda t: mpmath.exp(t * t) * mpmath.erfc(t),
                    mpmath.mpf(x),
                    h=mpmath.mpf(10) ** -20,
                )
            )
            dawson = float(
                mpmath.diff(lambda t: mpmath.exp(-t * t) * mpmath.erfi(t), mpmath.mpf(x))
                * mpmath.sqrt(mpmath.pi)
                / 2
            )
        assert grad(special.erfcx)(x) == pytest.approx(scaled, rel=1e-12)
        assert grad(special.dawsn)(x) == pytest.approx(dawson, rel=1e-12)
    for n, scaled in enumerate((special.k0e, special.k1e)):
        for x in (30.0, 9e3, 1.1e4, 1e30):
            with mpmath.workdps(70):
                slope = mpmath.diff(
                    lambda t, n=n: mpmath.exp(t) * mpmath.besselk(n, t),
                    mpmath.mpf(x),
                    h=x * mpmath.mpf(10) ** -20,
                )
            assert grad(scaled)(x) == pytest.approx(float(slope), rel=1e-11)
    assert grad(special.spence)(1.0) == -1
    assert grad(grad(special.spence))(1.0) == pytest.approx(0.5, rel=1e-14)
    assert grad(special.ellipk)(0.0) == pytest.approx(math.pi / 8, rel=1e-15)
    assert grad(special.ellipe)(0.0) == pytest.approx(-math.pi / 8, rel=1e-15)
    assert grad(grad(special.ellipk))(0.0) == pytest.approx(9 * math.pi / 64, rel=2e-11)
    assert grad(special.agm)(2.0, 2.0) == pytest.approx(0.5, rel=1e-15)
    assert grad(special.agm, (0, 1))(1.5, 0.0) == (0, np.inf)
    assert grad(special.agm, (0, 1))(0.0, 1.5) == (np.inf, 0)
    assert grad(special.exprel)(0.0) == 0.5
    assert grad(special.beip)(0.0) == 0.5
    assert grad(special.stdtr, 1)(3.0, 0.0) == pytest.approx(
        2 / (math.pi * math.sqrt(3)), rel=1e-15
    )


@pytest.mark.parametrize(
    "args", [(0.2, 0.4, 1.6), (0.3, 0.7, 3.0), (0.3, 1.2, 1.5), (1 / 3, 2 / 3, 1.0)]
)
def test_hyp2f1_near_1_where_the_difference_of_its_parameters_is_an_integer(args):
    for z in (0.96, 0.998, 0.999, 0.9999):
        expected = partial(mpmath.hyp2f1, 3, *args, z)
        found = special.hyp2f1(*args, z + 0j)  # the same kernel gives the derivative
        assert grad(special.hyp2f1, 3)(*args, z) == pytest.approx(expected, rel=1e-11)
        assert np.real(found) == pytest.approx(float(mpmath.hyp2f1(*args, z)), rel=1e-11)
    for position in range(3):
        expected = partial(mpmath.hyp2f1, position, *args, 0.999)
        assert grad(special.hyp2f1, position)(*args, 0.999) == pytest.approx(expected, rel=1e-8)


def test_voigt_profile_of_no_and_little_variance():
    """The derivative in sigma is sigma times the second one in x, by the heat equation."""
    x, gamma = 0.3, 0.5
    lorentzian = [
        partial(lambda x, g: g / (mpmath.pi * (x * x + g * g)), i, x, gamma) for i in (0, 1)
    ]
    second = float(mpmath.diff(lambda x: gamma / (mpmath.pi * (x * x + gamma**2)), x, 2))
    for sigma in (0.0, 1e-9):
        found = grad(special.voigt_profile, (0, 1, 2))(x, sigma, gamma)
        np.testing.assert_allclose(
            found, [lorentzian[0], sigma * second, lorentzian[1]], rtol=1e-11
        )
    below, above = (
        grad(special.voigt_profile, (0, 1, 2))(x, np.hypot(x, gamma) / at, gamma)
        for at in (44.9999, 45.0001)
    )
    np.testing.assert_allclose(below, above, rtol=1e-5)  # sigma itself differs by 4e-6


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
    assert grad(grad(special.gammainc, 1), 1)(a, x) == pytest.approx(
        float(slope), rel=3e-14, abs=1e-15 * float(density)
    )
    assert grad(special.chdtr, 1)(2 * a, 2 * x) == pytest.approx(float(density) / 2, rel=3e-14)


def test_density_of_the_gamma_distribution_at_the_ends():
    slope = grad(special.gammainc, 1)
    assert [slope(1.0, 0.0), slope(3.0, 0.0), slope(20.0, 0.0), slope(20.0, np.inf)] == [
        1.0,
        0.0,
        0.0,
        0.0,
    ]


# among values of SciPy's below 1e-260 there are wrong digits, and a 0 here and there
TINY = [
    (special.betainc, 1, (870.0, 31.0, 0.43)), (special.betainc, 0, (870.0, 31.0, 0.43)),
    (special.fdtr, 1, (1740.0, 62.0, 0.027)), (special.stdtr, 0, (3.0, -1e90)),
    (special.fdtr, 0, (1740.0, 62.0, 0.027)),
]  # fmt: skip


@pytest.mark.parametrize(("function", "position", "point"), TINY)
def test_derivatives_of_values_too_small_to_be_differenced(function, position, point):
    assert abs(grad(function, position)(*point)) < 1e-248
    assert abs(grad(grad(function, position), position)(*point)) < 1e-246


def test_no_derivative_of_betainc_in_its_parameters_is_nan():
    rng = np.random.default_rng(5)
    a, b, x = (
        10 ** rng.uniform(-2, 3, 3000),
        10 ** rng.uniform(-2, 3, 3000),
        rng.uniform(0, 1, 3000),
    )
    tiny = special.betainc(a, b, x) < 1e-200
    assert np.sum(tiny & (special.betainc(a, b, x) > 0)) > 10
    for f in (lambda a, b: special.betainc(a, b, x), lambda a, b: special.betaincc(a, b, x)):
        for tangents in ((np.ones(3000), np.zeros(3000)), (np.zeros(3000), np.ones(3000))):
            assert np.isfinite(jvp(f, (a, b), tangents)[1]).all()


@pytest.mark.parametrize("t", [-1e90, -1e40, -1e3, -0.1])
def test_degrees_of_freedom_of_distant_quantiles(t):
    for df in (0.3, 3.0):
        assert grad(special.stdtr)(df, t) == pytest.approx(partial(student, 0, df, t), rel=1e-11)
    expected = partial(fisher, 0, 3, 4, 1e-60)
    assert grad(special.fdtr)(3.0, 4.0, 1e-60) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("z", [0.5, 3.0, 18.0, 300.0])
def test_modified_bessel_functions_in_the_order_at_0(z):
    """The derivative -K_0(z) is far below the rounding errors of I_v(z)."""
    first = [-float(mpmath.besselk(0, z) * scale) for scale in (1, mpmath.exp(-z))]
    with mpmath.workdps(30):
        second = [
            float(mpmath.diff(lambda v: mpmath.besseli(v, z), 0, 2) * scale)
            for scale in (1, mpmath.exp(-z))
        ]
    for f, one, two in zip((special.iv, special.ive), first, second, strict=True):
        assert grad(f)(0.0, z) == pytest.approx(one, rel=1e-9)
        assert grad(grad(f))(0.0, z) == pytest.approx(two, rel=1e-9)
        np.testing.assert_allclose(
            grad(lambda v, f=f: np.sum(f(v, z)))(np.array([0.0, 1.5])),
            [one, grad(f)(1.5, z)],
            rtol=1e-9,
        )


@pytest.mark.parametrize(
    "name",
    [
        "betainc",
        "betaincinv",
        "betainccinv",
        "btdtria",
        "btdtrib",
        "fdtr",
        "fdtrc",
        "stdtr",
        "nctdtr",
    ],
)
def test_single_precision_of_distributions_is_that_of_double_precision_rounded(name):
    f, rng = getattr(special, name), np.random.default_rng(0)
    args = [*(rng.uniform(0.1, 20, 100) for _ in range(f.arity - 1)), rng.uniform(0.1, 0.9, 100)]
    single = f(*(x.astype(np.float32) for x in args))
    assert single.dtype == np.float32
    double = f(*(x.astype(np.float32).astype(float) for x in args))
    np.testing.assert_array_equal(single, double.astype(np.float32))


TRUNCATED = [
    "bdtr",
    "bdtrc",
    "bdtri",
    "expn",
    "kn",
    "nbdtr",
    "nbdtri",
    "pdtr",
    "smirnov",
    "smirnovi",
    "yn",
]


@pytest.mark.filterwarnings("ignore:floating point number truncated", "ignore:non-integer arg")
@pytest.mark.parametrize("name", TRUNCATED)
def test_derivatives_are_those_of_the_integers_that_values_are_of(name):
    f = getattr(special, name)
    numbers, x = np.array([2.0, 6.0])[: f.arity - 1], 0.3
    assert f(*(numbers + 0.7), x) == f(*numbers, x)
    assert grad(f, len(numbers))(*(numbers + 0.7), x) == grad(f, len(numbers))(*numbers, x)


STRUVE = [(2.5, 12340.0), (220.3, 35.8), (152.2, 905.0), (-2.3, 0.7), (3.0, -2.0), (17.2, 0.01)]
MODIFIED = [(2.5, 340.0), (432.3, 277.1), (-207.7, 139.8), (-2.3, 0.7), (3.0, -2.0)]


@pytest.mark.parametrize(
    ("f", "truth", "points"), [("struve", "struveh", STRUVE), ("modstruve", "struvel", MODIFIED)]
)
def test_struve_functions_of_large_orders_and_numbers(f, truth, points):
    for v, x in points:
        assert grad(getattr(special, f), 1)(v, x) == pytest.approx(
            partial(getattr(mpmath, truth), 1, v, x), rel=3e-12, abs=0
        )


def test_tails_where_factors_overflow():
    for x, lmbda, inside in (
        (0.3, 2.5, True),
        (0.41, 2.5, False),
        (0.0127, 2e4, False),
        (-30.0, 0.0653, False),
    ):
        slopes = grad(special.tklmbda, (0, 1))(x, lmbda)
        assert np.all(np.isfinite(slopes))
        assert np.all(np.not_equal(slopes, 0) == inside)
    for z in (119 + 12j, 27.7 + 4.2j, 15 + 3j, 8 + 7j, 9.9 - 1j, 10.2 + 1j):
        truth = mpmath.npdf(z) / (mpmath.erfc(-mpmath.mpc(z) / mpmath.sqrt(2)) / 2)
        assert jvp(special.log_ndtr, (z,), (1 + 0j,))[1] == pytest.approx(
            complex(truth), rel=1e-13, abs=1e-300
        )
    assert grad(special.inv_boxcox, 1)(1e-10, 0.5) == pytest.approx(-5e-21, rel=1e-9, abs=0)
    with np.errstate(divide="ignore"):
        assert grad(special.inv_boxcox, 1)(-2e4, 1e-10) == 0
        assert grad(special.boxcox, 1)(0.0, 2.0) == pytest.approx(0.25, rel=1e-15)


def noncentral(x, df, nc):
    """The density of the noncentral chi-square distribution as a mixture."""
    with mpmath.workdps(30):
        x, df, nc = mpmath.mpf(x), mpmath.mpf(df), mpmath.mpf(nc)
        powers = (
            j * mpmath.log(nc / 2) + (df / 2 + j - 1) * mpmath.log(x / 2)
            for j in range(int(nc / 2 + 20 * nc**0.5) + 60)
        )
        gammas = (mpmath.loggamma(j + 1) + mpmath.loggamma(df / 2 + j) for j in itertools.count())
        return float(
            mpmath.fsum(
                mpmath.exp(p - g - (x + nc) / 2) for p, g in zip(powers, gammas, strict=False)
            )
            / 2
        )


@pytest.mark.parametrize(
    "point",
    [
        (870.0, 893.9, 0.6),
        (2e4, 2e4, 37.0),
        (3.0, 4.2, 3.3),
        (80.0, 60.2, 30.3),
        (2.0, 160.2, 40.3),
    ],
)
def test_noncentral_distributions_of_many_degrees_of_freedom(point):
    x, df, nc = point
    by_x, by_nc = grad(special.chndtr, (0, 2))(x, df, nc)
    assert by_x == pytest.approx(noncentral(x, df, nc), rel=3e-11, abs=0)
    assert by_nc == pytest.approx(-noncentral(x, df + 2, nc), rel=3e-11, abs=0)
