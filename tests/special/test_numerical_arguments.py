"""Derivatives in orders, degrees and counts, most of them by differences, and through root
searches, against mpmath.
"""

import mpmath
import numpy as np
import pytest

from scigrad import grad, special


def nth(f, n):
    return lambda v, z: mpmath.diff(lambda t: f(v, t), z, n)


def power_times_bessel(a, lmb, nu):
    return mpmath.quad(lambda x: x**lmb * mpmath.besselj(nu, 2 * a * x), [0, 1])


def binomial(k, n, p):
    return mpmath.betainc(n - k, k + 1, 0, 1 - p, regularized=True)


def negative_binomial(k, n, p):
    return mpmath.betainc(n, k + 1, 0, p, regularized=True)


def poisson(k, m):
    return mpmath.gammainc(k + 1, m, regularized=True)


def kolmogorov(y):
    return mpmath.nsum(
        lambda k: 2 * (-1) ** (k - 1) * mpmath.exp(-2 * (k * y) ** 2), [1, mpmath.inf]
    )


def smirnov(n, d):
    u = [d + k / n for k in range(int(n)) if d + k / n < 1]
    return (1 - d) ** n + d * sum(
        mpmath.binomial(n, k) * v ** (k - 1) * (1 - v) ** (n - k) for k, v in enumerate(u) if k
    )


def legendre(m, v, x):
    return mpmath.re(mpmath.legenp(v, m, x, type=2))


def partials(f, args):
    """The partial derivatives of f with 15 digits at least."""
    args = [mpmath.mpf(float(x)) for x in args]
    with mpmath.workdps(40):
        return [
            mpmath.diff(lambda x, i=i: f(*args[:i], x, *args[i + 1 :]), args[i])
            for i in range(len(args))
        ]


ORDERS = [(0.5, 1.5), (2.3, 0.4), (7.7, 12.5)]
DIRECT = [
    *(
        (f"{name}{n}", lambda v, z, f=f, n=n: f(v, z, n), nth(truth, n), (0, 1), ORDERS)
        for name, f, truth in (
            ("jvp", special.jvp, mpmath.besselj),
            ("yvp", special.yvp, mpmath.bessely),
            ("ivp", special.ivp, mpmath.besseli),
            ("kvp", special.kvp, mpmath.besselk),
        )
        for n in (1, 2)
    ),
    (
        "besselpoly",
        special.besselpoly,
        power_times_bessel,
        (0, 1, 2),
        [(1.1, 0.7, 1.2), (4.5, 0.3, 2.6), (0.2, 3.1, 0.4)],
    ),
    ("lpmv", special.lpmv, legendre, (1, 2), [(0, 0.7, 0.3), (1, 2.5, -0.6), (3, 6.2, 0.85)]),
    ("kolmogorov", special.kolmogorov, kolmogorov, (0,), [(0.3,), (0.99,), (2.1,)]),
    ("smirnov", special.smirnov, smirnov, (1,), [(5, 0.3), (12, 0.07), (1, 0.4)]),
    ("zeta", special.zeta, mpmath.zeta, (0, 1), [(2.5, 1.5), (1.2, 0.4), (9.0, 30.0)]),
    ("zeta of Riemann", special.zeta, mpmath.zeta, (0,), [(2.5,), (1.1,), (30.0,)]),
    ("zetac", special.zetac, mpmath.zeta, (0,), [(2.5,), (1.1,), (-2.7,)]),
    (
        "assoc_laguerre",
        special.assoc_laguerre,
        lambda x, n, k: mpmath.laguerre(n, k, x),
        (0, 1, 2),
        [(0.4, 3.2, 1.5), (7.5, 1.3, 0.2), (0.05, 8.6, 3.0)],
    ),
    (
        "ellipj, sn",
        lambda u, m: special.ellipj(u, m)[0],
        lambda u, m: mpmath.ellipfun("sn", u, m=m),
        (0, 1),
        [(0.8, 0.4), (2.7, 0.95), (-1.3, 0.01)],
    ),
    (
        "ellipj, dn",
        lambda u, m: special.ellipj(u, m)[2],
        lambda u, m: mpmath.ellipfun("dn", u, m=m),
        (0, 1),
        [(0.8, 0.4), (2.7, 0.95), (-1.3, 0.01)],
    ),
]


@pytest.mark.parametrize(
    ("f", "truth", "arguments", "points"),
    [row[1:] for row in DIRECT],
    ids=[row[0] for row in DIRECT],
)
def test_derivatives_in_orders_and_degrees(f, truth, arguments, points):
    for point in points:
        expected = partials(truth, point)
        for i in arguments:
            scale = abs(float(expected[i])) + abs(float(truth(*map(mpmath.mpf, point))))
            assert abs(grad(f, i)(*point) - float(expected[i])) <= 1e-7 * scale, (point, i)


INVERSES = [
    (special.bdtrik, binomial, 0, [(0.6, 6.5, 0.3), (0.35, 20.4, 0.55), (0.97, 4.2, 0.1)]),
    (special.bdtrin, binomial, 1, [(2.5, 0.6, 0.3), (11.2, 0.2, 0.7), (0.4, 0.8, 0.15)]),
    (special.nbdtrik, negative_binomial, 0, [(0.6, 6.5, 0.3), (0.3, 2.4, 0.2), (0.9, 12.0, 0.6)]),
    (special.nbdtrin, negative_binomial, 1, [(2.5, 0.6, 0.3), (9.3, 0.3, 0.5), (20.5, 0.8, 0.25)]),
    (special.pdtrik, poisson, 0, [(0.6, 2.5), (0.3, 17.4), (0.95, 0.6)]),
]


@pytest.mark.parametrize(
    ("f", "truth", "position", "points"), INVERSES, ids=lambda v: getattr(v, "__name__", "")
)
def test_derivatives_of_counts(f, truth, position, points):
    for point in points:
        args = [mpmath.mpf(x) for x in point]
        with mpmath.workdps(30):
            start = mpmath.mpf(float(f(*point)))
            root = mpmath.findroot(
                lambda x, a=args: truth(*a[:position], x, *a[position + 1 :]) - a[position], start
            )
            slopes = partials(truth, [*args[:position], root, *args[position + 1 :]])
        assert float(root) == pytest.approx(f(*point), rel=1e-9)
        for i, slope in enumerate(slopes):
            expected = float(1 / slopes[position] if i == position else -slope / slopes[position])
            assert grad(f, i)(*point) == pytest.approx(expected, rel=1e-7), (point, i)


def test_zeta_far_out():
    expected = float(mpmath.diff(mpmath.zeta, mpmath.mpf(50)))
    assert grad(special.zeta)(50.0) == pytest.approx(expected, rel=1e-7)
    assert grad(special.zetac)(50.0) == pytest.approx(expected, rel=1e-7)


def test_smirnov_at_the_ends():
    """At 0 the slope of (1 - d)^n counts too; outside of [0, 1] there is no distribution."""
    assert grad(special.smirnov, 1)(5, 0.0) == pytest.approx(
        float(partials(smirnov, (5, 0))[1]), rel=1e-14
    )
    assert grad(special.smirnovi, 1)(5, 1.0) == pytest.approx(-1, rel=1e-14)
    assert grad(special.smirnov, 1)(5, 1.0) == 0
    assert np.isnan([grad(special.smirnov, 1)(5, -0.1), grad(special.smirnovi, 1)(5, 1.2)]).all()


TAILS = [
    (
        special.gammainc,
        lambda a, x: mpmath.gammainc(a, 0, x, regularized=True),
        [(4.4, 54.0), (58.0, 176.0), (30.0, 2.5)],
    ),
    (
        special.gammaincc,
        lambda a, x: mpmath.gammainc(a, x, regularized=True),
        [(4.4, 54.0), (40.0, 4.0), (0.2, 30.0)],
    ),
    (
        special.betainc,
        lambda a, b, x: mpmath.betainc(a, b, 0, x, regularized=True),
        [(0.4, 60.0, 0.7), (20.0, 0.3, 0.02)],
    ),
    (
        special.chdtr,
        lambda v, x: mpmath.gammainc(v / 2, 0, x / 2, regularized=True),
        [(3.0, 90.0), (40.0, 2.0)],
    ),
    (
        special.stdtr,
        lambda v, t: 1 - mpmath.betainc(v / 2, 0.5, 0, v / (v + t * t), regularized=True) / 2,
        [(9.0, 50.0)],
    ),
    (
        special.fdtr,
        lambda n, d, x: mpmath.betainc(n / 2, d / 2, 0, n * x / (n * x + d), regularized=True),
        [(9.0, 12.0, 80.0)],
    ),
]


@pytest.mark.parametrize(("f", "truth", "points"), TAILS, ids=[row[0].__name__ for row in TAILS])
def test_parameters_where_a_distribution_function_is_near_1(f, truth, points):
    """Its differences are rounding noise there; those of the complement are not."""
    for point in points:
        with mpmath.workdps(120):
            expected = float(
                mpmath.diff(
                    lambda a, p=point: truth(a, *map(mpmath.mpf, p[1:])), mpmath.mpf(point[0])
                )
            )
        assert grad(f)(*point) == pytest.approx(expected, rel=1e-10), point


@pytest.mark.parametrize(
    "point",
    [
        (1.36, 1.71, 12.7),
        (4.0, 7.69, 14.6),
        (0.3, -4.5, 0.02),
        (2.1, 5.03, 8.13),
        (40.0, 12.5, 90.0),
    ],
)
def test_hyperu_in_its_parameters(point):
    """SciPy's values have errors of 1e-7 at these points, and differences of them 1e-4."""
    expected = partials(mpmath.hyperu, point)
    for i in (0, 1):
        assert grad(special.hyperu, i)(*point) == pytest.approx(float(expected[i]), rel=2e-14)
    with mpmath.workdps(40):
        mixed = mpmath.diff(mpmath.hyperu, tuple(map(mpmath.mpf, point)), (1, 1, 0))
    assert grad(grad(special.hyperu, 0), 1)(*point) == pytest.approx(float(mixed), rel=1e-13)
