"""Derivatives by parameters and arguments beside poles and branch points, and where most of a value
does not depend on them, against mpmath.
"""

import mpmath
import numpy as np
import pytest

from scigrad import grad, special


def carlson(x, y):
    """Return R_C, for negative y its principal value (DLMF 19.2.20)."""
    return mpmath.elliprc(x, y) if y > 0 else mpmath.sqrt(x / (x - y)) * mpmath.elliprc(x - y, -y)


def wright(a, b, x):
    return mpmath.fsum(x**k * mpmath.rgamma(a * k + b) / mpmath.factorial(k) for k in range(80))


def shifted_jacobi(n, p, q, x):
    return mpmath.jacobi(n, p - q, q - 1, 2 * x - 1) / mpmath.binomial(2 * n + p - 1, n)


CASES = [
    (special.elliprc, carlson, (0.5, -0.3)),
    (special.elliprc, carlson, (1e-8, -2.0)),
    (special.elliprc, carlson, (2.0, -1e8)),
    (special.elliprd, mpmath.elliprd, (1e-20, 0.7, 1.3)),
    (special.elliprd, mpmath.elliprd, (1e-20, 1e-20, 1.0)),
    (special.elliprj, mpmath.elliprj, (1e-20, 0.7, 1.3, 2.0)),
    (special.elliprj, mpmath.elliprj, (0.3, 0.7, 1.3, 0.35)),
    (special.eval_gegenbauer, mpmath.gegenbauer, (-2.5, -1.7, -0.443)),
    (special.eval_genlaguerre, mpmath.laguerre, (-3.018, 0.95, 1.9)),
    (special.eval_jacobi, mpmath.jacobi, (0.115, -20.02, 2.0, 0.4)),
    (special.eval_sh_jacobi, shifted_jacobi, (-1.975, 1.9, 0.325, 1.509)),
    (special.wright_bessel, wright, (24.0, 15.0, 11.0)),
    (special.wright_bessel, wright, (14.0, 14.0, 4.6)),
    (special.log_wright_bessel, lambda *at: mpmath.log(wright(*at)), (14.0, 14.0, 4.6)),
]


@pytest.mark.parametrize(
    ("function", "truth", "at"), CASES, ids=lambda v: getattr(v, "__name__", str(v))
)
def test_first_and_second_derivatives(function, truth, at):
    def derivative(order):
        with mpmath.workdps(60):
            step = mpmath.mpf(min(map(abs, at))) * mpmath.mpf(10) ** -15
            return float(mpmath.diff(truth, tuple(map(mpmath.mpf, at)), tuple(order), h=step))

    for i in range(len(at)):
        once = [int(i == j) for j in range(len(at))]
        assert grad(function, i)(*at) == pytest.approx(derivative(once), rel=1e-8), i
    twice = derivative([2, *[0] * (len(at) - 1)])
    assert grad(grad(function))(*at) == pytest.approx(twice, rel=1e-6)


def test_polynomials_of_negative_and_of_large_real_degree():
    """U_(-n-2) = -U_n and P_(-n-1) = P_n have slopes; SciPy's Gegenbauer polynomials of real degree
    have no digits from 55 on.
    """
    for x in (-0.6, 0.3, 1.7):
        for n in (-7, -1, 0, 3):
            expected = -grad(special.eval_chebyu, 1)(-n - 2, x)
            assert grad(special.eval_chebyu, 1)(n, x) == pytest.approx(expected, abs=1e-12)
            expected = grad(special.eval_legendre, 1)(-n - 1, x)
            assert grad(special.eval_legendre, 1)(n, x) == pytest.approx(expected, abs=1e-12)
    n, x = 60.52, -0.18
    slope = mpmath.diff(lambda x: mpmath.chebyu(n, x), mpmath.mpf(x))
    assert grad(special.eval_chebyu, 1)(n, x) == pytest.approx(float(slope), rel=1e-12)


@pytest.mark.parametrize("x", [1e-300, 1e-12, 1e-5, 1e-3])
def test_second_derivative_of_a_quotient_beside_zero(x):
    found = grad(grad(special.it2struve0))(x)
    assert found == pytest.approx(4 * x / (9 * np.pi), rel=1e-6)


def test_series_that_is_one():
    """At an infinite denominator, and at a numerator 0, which the others do not change."""
    assert special.hyp0f1(np.inf, 0.6) == special.hyp0f1(np.inf, -0.6) == 1
    assert grad(special.hyp1f1, 1)(0.0, 1.0, 1.0) == 0
    assert grad(special.hyp2f1, (0, 2))(0.5, 0.0, -0.5, -0.78) == (0, 0)


def characteristic(m, q):
    """Return a_m as the eigenvalue of the matrix of its Fourier series (DLMF 28.4)."""
    odd, size = m % 2, 14
    matrix = mpmath.diag([(2 * k + odd) ** 2 for k in range(size)])
    for k in range(size - 1):
        matrix[k, k + 1] = matrix[k + 1, k] = q * (mpmath.sqrt(2) if not odd and not k else 1)
    matrix[0, 0] += q * odd
    return mpmath.eigsy(matrix, eigvals_only=True)[m // 2]


@pytest.mark.parametrize("m", [0, 1, 2, 3, 4, 5, 6, 7])
def test_characteristic_values_of_mathieu_at_small_parameters(m):
    """They are even in q, nearly: their slopes are smaller than the rounding of values."""
    for q in (1e-10, -1e-10, 1e-5, -3e-4, 0.02):
        with mpmath.workdps(60):
            slope = mpmath.diff(
                lambda q: characteristic(m, q), mpmath.mpf(q), h=mpmath.mpf("1e-25")
            )
        assert grad(special.mathieu_a, 1)(m, q) == pytest.approx(float(slope), rel=1e-8), q
        if m % 2:
            assert grad(special.mathieu_b, 1)(m, -q) == pytest.approx(-float(slope), rel=1e-8), q
