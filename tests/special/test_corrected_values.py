"""Values that SciPy has not, or not with all digits, against mpmath; and the options of ufuncs with
them.
"""

import mpmath
import numpy as np
import pytest
import scipy.integrate
import scipy.special

from scigrad import grad, jvp, special

THIRD, FIRST = mpmath.expjpi(mpmath.mpf(3) / 4), mpmath.expjpi(mpmath.mpf(1) / 4)
KELVIN = [
    (("ber", "bei"), 0, lambda x: mpmath.besselj(0, x * THIRD)),
    (("ker", "kei"), 1, lambda x: mpmath.besselk(0, x * FIRST)),
    (("berp", "beip"), 2, lambda x: -THIRD * mpmath.besselj(1, x * THIRD)),
    (("kerp", "keip"), 3, lambda x: -FIRST * mpmath.besselk(1, x * FIRST)),
]


@pytest.mark.parametrize(("names", "position", "truth"), KELVIN, ids=["be", "ke", "bep", "kep"])
def test_kelvin_functions(names, position, truth):
    x = np.array(
        [
            1e-3,
            0.3,
            0.99,
            1.01,
            3.7,
            5.9,
            8.8,
            9.99,
            10.01,
            11.3,
            14.0,
            19.5,
            30.0,
            60.0,
            300.0,
            890.0,
        ]
    )
    with mpmath.workdps(30):
        expected = np.array([complex(truth(mpmath.mpf(v))) for v in x])
    real, imaginary = (getattr(special, name) for name in names)
    bound = 2e-15 * (1 + x / 10) * np.abs(expected)
    assert np.all(np.abs(real(x) + 1j * imaginary(x) - expected) <= bound)
    assert np.all(np.abs(special.kelvin(x)[position] - expected) <= bound)
    for f in (real, imaginary):
        assert f(11.3) == f(x)[9]
        assert f(np.float32(11.3)) == np.float32(f(np.float64(np.float32(11.3))))
        np.testing.assert_array_equal(
            f(-x), scipy.special.ker(-x) if position % 2 else f(x) * (-1) ** (position // 2)
        )
        assert grad(f)(11.3) == pytest.approx((f(11.3 + 1e-4) - f(11.3 - 1e-4)) / 2e-4, rel=1e-6)
    ends = np.array([0.0, 2e3, np.inf, np.nan])
    np.testing.assert_array_equal(real(ends), getattr(scipy.special, names[0])(ends))


def parabolic(v, x):
    """V(-v - 1/2, x) by its even and odd power series (DLMF 12.4.1, 12.2.7-9)."""
    a, z = -v - mpmath.mpf(1) / 2, x * x / 2
    even = mpmath.rgamma(mpmath.mpf(3) / 4 - a / 2) ** 2 * mpmath.rgamma(mpmath.mpf(1) / 4 + a / 2)
    odd = mpmath.rgamma(mpmath.mpf(1) / 4 - a / 2) ** 2 * mpmath.rgamma(mpmath.mpf(3) / 4 + a / 2)
    even *= mpmath.hyp1f1(a / 2 + mpmath.mpf(1) / 4, mpmath.mpf(1) / 2, z)
    odd *= mpmath.sqrt(2) * x * mpmath.hyp1f1(a / 2 + mpmath.mpf(3) / 4, mpmath.mpf(3) / 2, z)
    return mpmath.pi * 2 ** (a / 2 + mpmath.mpf(1) / 4) * mpmath.exp(-z / 2) * (even + odd)


@pytest.mark.parametrize("v", [-9.1, 0.3, 2.0, 9.7, 33.1, 120.4])
def test_falling_parabolic_cylinder_functions_of_negative_numbers(v):
    x = np.array([-35.1, -22.5, -11.3, -6.1])
    with mpmath.workdps(60):
        expected = np.array([float(mpmath.pcfd(v, y)) for y in x])
        above = np.array([float(mpmath.pcfd(mpmath.mpf(v) + 1, y)) for y in x])
    found = special.pbdv(v, x)
    slopes = x / 2 * expected - above
    np.testing.assert_allclose(found[0], expected, rtol=5e-13)
    np.testing.assert_allclose(found[1], slopes, rtol=5e-13)
    np.testing.assert_allclose(jvp(lambda x: special.pbdv(v, x)[0], (x,), (x,))[1], slopes * x)


@pytest.mark.parametrize("v", [0.3, 2.0, 7.7, 11.0, 15.2, 33.1, 60.3, 100.5, 1.5, -0.5, -7.5])
def test_parabolic_cylinder_functions_of_large_numbers(v):
    """V of negative numbers is D for half of an odd v, of which SciPy keeps fewer digits."""
    x = np.array([-22.5, -11.3, -6.1, 5.9, 7.7, 12.9, 25.0])
    if v > 10:
        x = np.array([*x, 0.3, 2.1, 5.6])
    with mpmath.workdps(250):
        expected = [float(parabolic(mpmath.mpf(v), mpmath.mpf(y))) for y in x]
        slopes = [
            float(mpmath.diff(lambda y: parabolic(mpmath.mpf(v), y), mpmath.mpf(y))) for y in x
        ]
    found = special.pbvv(v, x)
    rtol = 1e-12 if v % 1 != 0.5 else 4e-9
    np.testing.assert_allclose(found[0], expected, rtol=rtol)
    np.testing.assert_allclose(found[1], slopes, rtol=rtol)
    np.testing.assert_array_equal(special.pbvv(v, x[0])[0], found[0][0])
    x = abs(x)
    np.testing.assert_array_equal(special.pbvv(-abs(v), x), scipy.special.pbvv(-abs(v), x))


@pytest.mark.parametrize("v", [-0.9, 0.0, 0.1, 0.5, 1.0, 2.5, 10.0])
def test_modified_bessel_functions_of_small_numbers(v):
    """SciPy's are 0 from 1e-280 on for v = 0.1, from 1e-91 on for v = 2.5."""
    x = np.array([0.0, 1e-310, 1e-300, 1e-200, 1e-91, 1e-28, 1e-21])
    expected = [float(mpmath.besseli(v, mpmath.mpf(y))) for y in x[1:]]
    found = special.iv(v, x)
    np.testing.assert_allclose(found[1:], expected, rtol=1e-13)
    slopes = jvp(lambda x: special.iv(v, x), (x[4:],), (x[4:],))[1]
    np.testing.assert_allclose(
        slopes, v * np.array(expected[3:]), rtol=1e-12, atol=1e-20 * (v == 0)
    )
    assert found[0] == scipy.special.iv(v, 0.0)
    if v == 1:
        np.testing.assert_array_equal(special.iv(v, -x), -found)


def shifted_jacobi(n, p, q, x):
    return mpmath.jacobi(n, p - q, q - 1, 2 * x - 1) / mpmath.binomial(2 * n + p - 1, n)


# each with its parameters and the interval of its zeros
REAL_DEGREE = [
    ("chebyt", mpmath.chebyt, (), -1), ("chebyu", mpmath.chebyu, (), -1),
    ("chebyc", lambda n, x: 2 * mpmath.chebyt(n, x / 2), (), -2),
    ("chebys", lambda n, x: mpmath.chebyu(n, x / 2), (), -2),
    ("sh_chebyt", lambda n, x: mpmath.chebyt(n, 2 * x - 1), (), 0),
    ("sh_chebyu", lambda n, x: mpmath.chebyu(n, 2 * x - 1), (), 0),
    ("legendre", mpmath.legendre, (), -1),
    ("sh_legendre", lambda n, x: mpmath.legendre(n, 2 * x - 1), (), 0),
    ("gegenbauer", mpmath.gegenbauer, (1.7,), -1), ("gegenbauer", mpmath.gegenbauer, (30.7,), -1),
    ("jacobi", mpmath.jacobi, (0.3, 2.0), -1), ("jacobi", mpmath.jacobi, (15.0, 0.3), -1),
    ("sh_jacobi", shifted_jacobi, (3.9, 1.4), 0),
]  # fmt: skip


@pytest.mark.parametrize("n", [2.3, 40.1])
@pytest.mark.parametrize(
    ("name", "truth", "given", "low"), REAL_DEGREE, ids=lambda v: v if isinstance(v, str) else ""
)
def test_polynomials_of_real_degree_between_their_zeros(n, name, truth, given, low):
    f, x = getattr(special, f"eval_{name}"), low + (2 - low) * np.array([0.015, 0.4, 0.85]) / 2
    if low:
        x = low * (1 - 2 * np.array([0.015, 0.4, 0.85]))
    with mpmath.workdps(60):
        args = (mpmath.mpf(n), *map(mpmath.mpf, given))
        expected, slopes, by_n = (
            np.array([float(g(mpmath.mpf(float(y)))) for y in x])
            for g in (
                lambda y: truth(*args, y),
                lambda y: mpmath.diff(lambda y: truth(*args, y), y),
                lambda y: mpmath.diff(lambda n: truth(n, *args[1:], y), args[0]),
            )
        )
    found, slope = jvp(lambda x: f(n, *given, x), (x,), (np.ones(3),))
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13 * np.max(abs(expected)))
    np.testing.assert_allclose(slope, slopes, rtol=1e-11, atol=1e-12 * np.max(abs(slopes)))
    partials = jvp(lambda n: f(n, *given, x), (n,), (1.0,))[1]
    np.testing.assert_allclose(partials, by_n, rtol=1e-8, atol=1e-9 * np.max(abs(by_n)))


@pytest.mark.parametrize("n", [9.7, 30.0, 60.5, 113.0])
def test_laguerre_polynomials_of_floating_point_degree(n):
    """SciPy's are wrong by orders of magnitude, those of whole degrees too."""
    x = np.array([-20.0, 0.3, 17.0, 90.0, 300.0])
    with mpmath.workdps(60):
        truth = [float(mpmath.laguerre(n, 1.7, v)) for v in x]
        slopes = [float(-mpmath.laguerre(n - 1, 2.7, v)) for v in x]
        by_n = float(mpmath.diff(lambda n: mpmath.laguerre(n, 1.7, 17), n))
        by_alpha = float(mpmath.diff(lambda a: mpmath.laguerre(n, a, 17), mpmath.mpf(1.7)))
    found, slope = jvp(lambda x: special.eval_genlaguerre(n, 1.7, x), (x,), (np.ones(5),))
    np.testing.assert_allclose(found, truth, rtol=1e-11)
    np.testing.assert_allclose(slope, slopes, rtol=1e-11)
    derivatives = grad(special.eval_genlaguerre, (0, 1))(n, 1.7, 17.0)
    np.testing.assert_allclose(derivatives, [by_n, by_alpha], rtol=1e-8)
    assert special.eval_laguerre(n, 17.0) == special.eval_genlaguerre(n, 0.0, 17.0)


def logarithm(a, b):
    a, b = mpmath.mpf(a), mpmath.mpf(b)
    return mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)


def test_betaln_of_large_arguments():
    powers = 10.0 ** np.arange(-6, 21, 1.7)
    a, b = (v.ravel() for v in np.meshgrid(powers, powers))
    with mpmath.workdps(80):
        expected = np.array([float(logarithm(*v)) for v in zip(a, b, strict=True)])
    assert (
        np.max(np.abs(special.betaln(a, b) - expected) / np.maximum(np.abs(expected), 0.1)) < 2e-15
    )
    np.testing.assert_array_equal(special.betaln(a, b), special.betaln(b, a))
    outside = (
        np.array([-0.5, -30.5, 0.0, np.inf, np.nan, 1e200]),
        np.array([20.0, 2.5, 50.0, 3.0, 17.0, 20.0]),
    )
    np.testing.assert_array_equal(special.betaln(*outside), scipy.special.betaln(*outside))


# parameters of which a - b or c - a - b is an integer, and others that SciPy's kernel gets wrong
DEGENERATE = [
    (-5.291133404948678, -3.291133404948678, 11.413862501538832, -81.34),
    (-3.0496254169025683, -6.049625416902568, 10.064518774318023, -12.28),
    (-11.5, -3.5, 14.5, -4.464699742118545),
    (4.732908295877966, 3.1428506226679827, 7.8757589, 0.5),
    (4.394708796400789, 4.449536969927298, 8.844245766328086, 0.9999999999751816),
    (24.361089713879363, 8.942401855437744, 1.858943103528992, -490.06),
    (626.9872941955543, -393.50503173492014, 731.3550186553688, -0.2),
]  # fmt: skip


@pytest.mark.parametrize("point", DEGENERATE)
def test_gauss_function_at_degenerate_parameters(point):
    with mpmath.workdps(60):
        truth = float(mpmath.hyp2f1(*map(mpmath.mpf, point), maxprec=10**5))
    assert special.hyp2f1(*point) == pytest.approx(truth, rel=1e-9)


BINOMIAL = [
    (4285.137692439537, 28.55772247953422), (2709798.95, 58.88), (62.5, 50.76), (1e9, 0.5),
    (1e12, 20.5), (4e4, 21.0), (50.0, 25.0), (1e3, 19.0), (33.5, 1e-9), (-3.5, 2.2), (3.3, 40.0),
]  # fmt: skip


@pytest.mark.parametrize(("x", "y"), BINOMIAL)
def test_binomial_coefficients_of_large_numbers(x, y):
    with mpmath.workdps(60):
        expected = float(mpmath.binomial(mpmath.mpf(x), mpmath.mpf(y)))
    assert special.binom(x, y) == pytest.approx(expected, rel=2e-13)


HYPERU = [
    (1.12, -7.98, 32.2), (1.19, -0.54, 19.192), (1.09, -12.0, 20.896), (2.39, -11.0, 3.0),
    (1.25, 1.43, 17.347), (0.31, 7.5, 1.1), (0.51, 15.5, 1.1), (19.0, -15.0, 90.0),
    (12.5, 3.5, 4.5),
]  # fmt: skip


@pytest.mark.parametrize("point", HYPERU)
def test_hyperu(point):
    with mpmath.workdps(40):
        expected = float(mpmath.hyperu(*map(mpmath.mpf, point)))
    assert special.hyperu(*point) == pytest.approx(expected, rel=2e-12)
    assert grad(special.hyperu, 2)(*point) == pytest.approx(
        -point[0] * float(mpmath.hyperu(point[0] + 1, point[1] + 1, point[2])), rel=1e-8
    )


def wronskian(f1, f2, sign, m, n, c, x):
    (f, slope), (g, other) = f1(m, n, c, x), f2(m, n, c, x)
    return (f * other - slope * g) * c * (x * x - sign)


@pytest.mark.parametrize(("name", "sign", "wrong", "right"),
[("pro", 1, (1, 1, 1.0, 1.5), (1, 2, 3.0, 12.0)),
                                                               ("obl", -1, (0, 0, 1.0, 0.8),
                                                               (1, 2, 3.0, 5.0))])  # fmt: skip
def test_spheroidal_functions_of_the_second_kind_are_nan_where_scipy_fails(
    name, sign, wrong, right
):
    for suffix in ("", "_cv"):
        f1, f2 = (getattr(special, f"{name}_rad{kind}{suffix}") for kind in (1, 2))
        of = (lambda p: (*p[:3], getattr(special, f"{name}_cv")(*p[:3]), p[3])) if suffix else tuple
        assert np.isnan(f2(*of(wrong))).all()
        scipys = getattr(scipy.special, f"{name}_rad2{suffix}")
        assert f2(*of(right)) == scipys(*of(right))
        plain = [getattr(special, f"{name}_rad{kind}") for kind in (1, 2)]
        assert wronskian(*plain, sign, *right) == pytest.approx(1, abs=1e-6)
        rows = [np.array(pair) for pair in zip(of(wrong), of(right), strict=True)]
        np.testing.assert_array_equal(f2(*rows)[0], [np.nan, scipys(*of(right))[0]])
        assert np.all(
            f1(*of(wrong)) == np.array(getattr(scipy.special, f"{name}_rad1{suffix}")(*of(wrong)))
        )


def test_options_of_ufuncs():
    x = np.array([0.5, 12.0, 15.0])
    expected = special.ber(x)
    out = np.zeros(3)
    assert special.ber(x, out=out) is out
    np.testing.assert_array_equal(out, expected)
    y = x.copy()
    np.testing.assert_array_equal(special.ber(y, y), expected)
    assert special.ber(x, dtype=np.float32).dtype == np.float32
    assert isinstance(special.ber(12.0), np.float64)
    np.testing.assert_array_equal(special.ber([0.5, 12.0, 15.0]), expected)
    outs = [np.zeros(3, complex) for _ in range(4)]
    special.kelvin(x, out=tuple(outs))
    np.testing.assert_array_equal(outs, special.kelvin(x))
    with pytest.raises(TypeError):
        special.ber(x + 1j)
    np.testing.assert_array_equal(
        special.betaln(np.array([[20.0], [2.0]]), x),
        [[special.betaln(a, v) for v in x] for a in (20.0, 2.0)],
    )


def gauss(*args):
    with mpmath.workdps(30):
        return [
            float(mpmath.hyp2f1(*map(mpmath.mpf, point), maxprec=100000))
            for point in zip(*args, strict=True)
        ]


def random_points(seed, bound, count):
    random = np.random.default_rng(seed)
    point = *random.uniform(-bound, bound, (3, count)), random.uniform(-5, 1, count)
    return point, np.array(gauss(*point))


def test_gauss_function_of_large_parameters():
    (a, b, c, z), truth = random_points(7, 30, 150)
    with np.errstate(all="ignore"):
        theirs = scipy.special.hyp2f1(a, b, c, z)
        ours = special.hyp2f1(a, b, c, z)
        slope = grad(lambda z: np.sum(special.hyp2f1(a, b, c, z)))(z)
    wrong = ~(np.abs(theirs - truth) <= 1e-6 * np.abs(truth))
    assert np.sum(wrong) > 10
    known = ~np.isnan(ours)
    assert np.sum(~known) <= 2
    np.testing.assert_allclose(ours[known], truth[known], rtol=1e-6)
    assert np.nanmedian(np.abs(ours / truth - 1)) < 1e-14
    slopes = a * b / c * gauss(a + 1, b + 1, c + 1, z)
    assert np.sum(np.isnan(slope)) <= 2
    assert not np.any(np.abs(slope - slopes) > 1e-6 * np.abs(slopes))
    out = np.empty(150)
    assert special.hyp2f1(a, b, c, z, out=out) is out
    np.testing.assert_array_equal(out, ours)


def test_gauss_function_of_parameters_to_100():
    """Of SciPy's values half are wrong, of ours a fiftieth; some are nan."""
    (a, b, c, z), truth = random_points(27, 100, 200)
    with np.errstate(all="ignore"):
        wrong = [
            ~(np.abs(f(a, b, c, z) - truth) <= 1e-6 * np.abs(truth))
            for f in (scipy.special.hyp2f1, special.hyp2f1)
        ]
        unknown = np.isnan(special.hyp2f1(a, b, c, z))
    assert np.sum(wrong[0]) > 80
    assert np.sum(wrong[1] & ~unknown) <= 6
    assert np.sum(unknown) <= 40


def test_gauss_function_where_the_series_do_not_serve():
    cases = (
        (20.5, 0.5, -30.0, 0.3),
        (20.5, 0.5, -30.5, np.nan),
        (20.5, 0.5, -30.5, 2.5),
        (2e5, 0.5, 3.0, 0.3),
        (20.5, -3.5, 2.5, 0.3 + 1j),
    )
    with np.errstate(all="ignore"):
        for case in cases:
            np.testing.assert_array_equal(special.hyp2f1(*case), scipy.special.hyp2f1(*case))
        assert special.hyp2f1(20.5, -0.5, -30.5, 0.0) == 1


def integral_of_k0(x):
    rest, _ = scipy.integrate.quad(
        lambda t: scipy.special.k0e(x + t) * np.exp(-t) / (x + t), 0, 40, epsabs=0, epsrel=1e-13
    )
    return np.exp(-x) * rest


def integral_of_h0(x):
    return x * x / mpmath.pi * mpmath.hyper([1, 1], [1.5, 1.5, 2], -x * x / 4)


def fresnel(x):
    return mpmath.sqrt(mpmath.pi) / 2 * mpmath.expjpi(0.25) + mpmath.quad(
        lambda t: mpmath.expj(t * t), [x, 0]
    )


def test_integrals_where_those_of_scipy_are_others():
    for x in (8.9, 9.1, 12.5, 33.7):
        assert special.it2i0k0(x)[1] == pytest.approx(
            integral_of_k0(x), rel=1e-7 if x < 9 else 1e-12, abs=0
        )
    assert special.it2i0k0(np.array([1.0, 20.0]))[0][1] == scipy.special.it2i0k0(20.0)[0]
    for x in (20.9, 21.1, -27.0, 45.0):
        assert special.itstruve0(x) == pytest.approx(float(integral_of_h0(mpmath.mpf(x))), rel=3e-9)
    for x in (-0.3, -1.7, 0.8):
        truth = complex(fresnel(mpmath.mpf(x)))
        assert special.modfresnelp(x)[0] == pytest.approx(truth, rel=1e-14)
        assert special.modfresnelm(x)[0] == pytest.approx(truth.conjugate(), rel=1e-14)
        assert special.modfresnelp(x)[1] == scipy.special.modfresnelp(x)[1]


def test_chebyshev_polynomials_of_real_degree():
    n, x = 55.5, np.array([-0.99, -0.3, 1e-3, 0.7, 0.999999])
    angle = [mpmath.acos(mpmath.mpf(v)) for v in x]
    second = [float(mpmath.sin((n + 1) * t) / mpmath.sin(t)) for t in angle]
    slopes = [float(n * mpmath.sin(n * t) / mpmath.sin(t)) for t in angle]
    np.testing.assert_allclose(special.eval_chebyu(n, x), second, rtol=1e-11)
    for f, at, steeper in (
        (special.eval_chebyt, x, 1),
        (special.eval_chebyc, 2 * x, 1),
        (special.eval_sh_chebyt, (x + 1) / 2, 2),
    ):
        slope = grad(lambda x, f=f: np.sum(f(n, x)))(at)
        np.testing.assert_allclose(slope, np.multiply(slopes, steeper), rtol=1e-8)
