"""Distributions at the ends of their variates and parameters: densities, slopes, mixed
derivatives.
"""

import math

import mpmath
import numpy as np
import pytest
import scipy.special

from scigrad import grad, jvp, special

INF = math.inf


def noncentral_chi_square(x, df, nc):
    """The sum of Poisson's weights times central distribution functions."""
    central = lambda k: mpmath.gammainc(df / 2 + k, 0, x / 2, regularized=True)  # noqa: E731
    return mpmath.nsum(
        lambda k: mpmath.exp(-nc / 2) * (nc / 2) ** k / mpmath.factorial(k) * central(k),
        [0, mpmath.inf],
    )


def test_noncentral_distributions_where_they_are_central():
    x, df = mpmath.mpf(1.5), mpmath.mpf(3)
    central = [mpmath.gammainc(df / 2 + k, 0, x / 2, regularized=True) for k in range(3)]
    by_nc = grad(special.chndtr, 2)
    assert by_nc(1.5, 3.0, 0.0) == pytest.approx(float(central[1] - central[0]) / 2, rel=1e-14)
    assert grad(by_nc, 2)(1.5, 3.0, 0.0) == pytest.approx(
        float(central[2] - 2 * central[1] + central[0]) / 4, rel=1e-13
    )
    density = float(mpmath.diff(lambda x: mpmath.gammainc(df / 2, 0, x / 2, regularized=True), x))
    assert grad(special.chndtr)(1.5, 3.0, 0.0) == pytest.approx(density, rel=1e-14)
    for nc in (1e-20, 0.3, 0.66, 0.67, 2.0):
        truth = float(mpmath.diff(lambda x, nc=nc: noncentral_chi_square(x, df, mpmath.mpf(nc)), x))
        assert grad(special.chndtr)(1.5, 3.0, nc) == pytest.approx(truth, rel=1e-13)
    dfn, dfd, f = mpmath.mpf(3), mpmath.mpf(4), mpmath.mpf(1.5)
    y = dfn * f / (dfn * f + dfd)
    central = [mpmath.betainc(dfn / 2 + k, dfd / 2, 0, y, regularized=True) for k in range(3)]
    by_nc = grad(special.ncfdtr, 2)
    assert by_nc(3.0, 4.0, 0.0, 1.5) == pytest.approx(float(central[1] - central[0]) / 2, rel=1e-13)
    assert grad(by_nc, 2)(3.0, 4.0, 0.0, 1.5) == pytest.approx(
        float(central[2] - 2 * central[1] + central[0]) / 4, rel=1e-12
    )


def of_beta(a, b, x):
    return (
        a * x ** (a - 1)
        if b == 1
        else mpmath.mpf(x) ** (a - 1) * (1 - mpmath.mpf(x)) ** (b - 1) / mpmath.beta(a, b)
    )


# distribution function, the variate, point, density there, its slope (None where it is not looked
# at): limits from inside
DENSITIES = [
    (special.gammainc, 1, (1.0, 0.0), 1, -1), (special.gammainc, 1, (2.0, 0.0), 0, 1),
    (special.gammainc, 1, (3.0, 0.0), 0, 0), (special.gammainc, 1, (2.5, 0.0), 0, 0),
    (special.gammainc, 1, (1.5, 0.0), 0, INF), (special.gammainc, 1, (0.5, 0.0), INF, -INF),
    (special.gammainc, 1, (20.0, 0.0), 0, 0), (special.gammainc, 1, (2.0, INF), 0, 0),
    (special.gammainc, 1, (20.0, INF), 0, 0), (special.gammaincc, 1, (1.0, 0.0), -1, 1),
    (special.gammaincinv, 1, (1.0, 0.0), 1, 1), (special.chdtr, 1, (2.0, 0.0), 0.5, -0.25),
    (special.chdtr, 1, (4.0, INF), 0, 0), (special.gdtr, 2, (1.0, 1.0, 0.0), 1, -1),
    (special.gdtr, 0, (1.0, 1.0, 0.0), 0, 0), (special.betainc, 2, (1.0, 3.0, 0.0), 3, -6),
    (special.betainc, 2, (2.0, 1.0, 1.0), 2, 2), (special.betainc, 2, (2.0, 3.0, 0.0), 0, 12),
    (special.betainc, 2, (3.0, 2.0, 1.0), 0, -12), (special.betainc, 2, (1.0, 1.0, 0.0), 1, 0),
    (special.betainc, 2, (1.5, 3.0, 0.0), 0, INF), (special.betainc, 2, (4.0, 3.0, 0.0), 0, 0),
    (special.betaincc, 2, (1.0, 3.0, 0.0), -3, 6), (special.betaincinv, 2, (1.0, 1.0, 0.0), 1, 0),
    (special.fdtr, 2, (2.0, 3.0, 0.0), 1, -5 / 3), (special.fdtr, 2, (2.0, 3.0, INF), 0, None),
    (special.stdtr, 1, (3.0, INF), 0, None), (special.bdtr, 2, (0, 3, 0.0), -3, 6),
    (special.nbdtr, 2, (1, 2, 1.0), 0, None), (special.pdtr, 1, (0.0, 0.0), -1, 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "position", "point", "density", "slope"),
    DENSITIES,
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_densities_at_the_ends(function, position, point, density, slope):
    first = grad(function, position)
    with np.errstate(all="ignore"):
        assert first(*point) == pytest.approx(density, rel=1e-15)
        assert jvp(
            lambda x: function(*point[:position], x, *point[position + 1 :]),
            (point[position],),
            (1.0,),
        )[1] == first(*point)
        if slope is not None:
            assert grad(first, position)(*point) == pytest.approx(slope, rel=1e-15)


def test_ends_among_other_variates_and_their_mixed_derivatives():
    x = np.array([0.0, 0.3, 1.0])
    np.testing.assert_allclose(
        grad(lambda x: np.sum(special.betainc(2.0, 1.0, x)))(x), 2 * x, rtol=1e-15
    )
    np.testing.assert_allclose(
        grad(lambda x: np.sum(special.gammainc(2.0, x)))(x), x * np.exp(-x), rtol=1e-15
    )
    for f, args in (
        (special.gammainc, (2.0, 0.0)),
        (special.betainc, (2.0, 3.0, 0.0)),
        (special.betainc, (2.0, 3.0, 1.0)),
    ):
        assert grad(grad(f, len(args) - 1), 0)(*args) == 0


def test_density_of_the_f_distribution_far_out():
    """There the share of the numerator rounds to 1."""
    for n, d, x in ((3.0, 1.0, 1e20), (3.0, 4.0, 1e40), (2.0, 0.5, 1e15)):
        with mpmath.workdps(120):
            n, d, x = (mpmath.mpf(v) for v in (n, d, x))
            truth = float(of_beta(n / 2, d / 2, n * x / (n * x + d)) * n * d / (n * x + d) ** 2)
        assert grad(special.fdtr, 2)(float(n), float(d), float(x)) == pytest.approx(
            truth, rel=1e-12
        )


def test_searches_that_found_no_solution_have_no_derivative():
    """SciPy's end somewhere, or at the end of their interval: the value solves nothing."""
    for f, at in (
        (special.bdtrik, (1e-200, 5000.0, 0.4)),
        (special.nbdtrik, (1e-175, 900.0, 0.4)),
        (special.bdtrin, (100.0, 1e-165, 0.4)),
        (special.nbdtrin, (20.0, 1e-290, 0.4)),
        (special.stdtridf, (0.7, 0.18)),
        (special.stdtridf, (0.999, 3.0)),
        (special.chndtrinc, (0.95, 0.999, 0.7)),
        (special.fdtridfd, (0.3, 0.7, 0.18)),
    ):
        with np.errstate(all="ignore"):
            for i in range(len(at)):
                if f is not special.fdtridfd or i:
                    assert np.isnan(grad(f, i)(*at)), (f, i)
    k = mpmath.mpf(special.pdtrik(1e-290, 900.0))
    slope = mpmath.diff(lambda k: mpmath.gammainc(k + 1, 900, mpmath.inf, regularized=True), k)
    assert grad(special.pdtrik)(1e-290, 900.0) == pytest.approx(float(1 / slope), rel=1e-9)


@pytest.mark.parametrize("nc", [1e-300, 1e-31, 1e-16, 9e-14])
def test_noncentral_f_distribution_that_is_nearly_central(nc):
    """SciPy's is 1 for the first two."""
    dfn, dfd, f = np.array([[1.0, 0.01, 1.5], [1.0, 0.5, 1.5], [1.0, 1.0, 1e4], [7.5, 4.0, 20.0]]).T
    expected = scipy.special.fdtr(dfn, dfd, f)
    np.testing.assert_allclose(special.ncfdtr(dfn, dfd, nc, f), expected, rtol=2e-13)
    slopes = (scipy.special.fdtr(dfn + 2, dfd, f * dfn / (dfn + 2)) - expected) / 2
    found = jvp(lambda nc: special.ncfdtr(dfn, dfd, nc, f), (nc,), (1.0,))[1]
    np.testing.assert_allclose(found, slopes, rtol=1e-10)
