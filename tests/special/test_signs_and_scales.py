"""Derivatives where the scale or the sign of an argument matters, against mpmath and SciPy's
values.
"""

import itertools

import mpmath
import numpy as np
import pytest
import scipy.special

from scigrad import grad, hessian, jacfwd, jacrev, jvp, special, vmap

from .test_hard_arguments import partial, wright


def difference(f, x, step=1e-6):
    return (f(x + step) - f(x - step)) / (2 * step)


def test_mean_of_negative_numbers():
    at = -1.0
    slope = grad(lambda a: special.agm(a, -2.0))
    assert slope(at) == pytest.approx(
        difference(lambda a: scipy.special.agm(a, -2.0), at), rel=1e-8
    )
    expected = difference(lambda b: scipy.special.agm(at, b), -2.0)
    assert grad(lambda b: special.agm(at, b))(-2.0) == pytest.approx(expected, rel=1e-8)
    assert grad(slope)(at) == pytest.approx(difference(slope, at), rel=1e-7)


@pytest.mark.parametrize("n", [-1, -3, 0, 1, 4])
def test_legendre_polynomials_of_negative_degree(n):
    tangent = jvp(lambda z: special.legendre_p(n, z, diff_n=2), (0.3,), (1.0,))[1]
    np.testing.assert_allclose(
        tangent,
        difference(lambda z: scipy.special.legendre_p(n, z, diff_n=2), 0.3),
        rtol=1e-8,
        atol=1e-8,
    )


@pytest.mark.parametrize("z", [0.9, 0.999, 0.99999])
@pytest.mark.parametrize("position", [0, 1, 2])
def test_hypergeometric_function_beside_its_branch_point(position, z):
    at = (1.0, 0.9, 2.03, z)
    assert grad(special.hyp2f1, position)(*at) == pytest.approx(
        partial(mpmath.hyp2f1, position, *at), rel=1e-8
    )


@pytest.mark.parametrize(
    "at", [(0.66, 4.7, 4.4), (0.1, 2.0, 12.0), (0.03, 0.06, 3.0), (3.0, 1.0, 80.0)]
)
@pytest.mark.parametrize("position", [0, 1])
def test_wright_bessel_functions_with_many_terms(position, at):
    expected = partial(wright, position, *at)
    assert grad(special.wright_bessel, position)(*at) == pytest.approx(expected, rel=1e-7)
    assert grad(special.log_wright_bessel, position)(*at) == pytest.approx(
        expected / float(wright(*at)), rel=1e-7
    )


@pytest.mark.parametrize(("function", "sign"), [(special.pro_cv, 1), (special.obl_cv, -1)])
@pytest.mark.parametrize("c", [0.0, 0.001, 0.05])
def test_characteristic_values_of_small_parameters(function, sign, c):
    """To first order, the value n (n + 1) is perturbed by c^2 times the mean of x^2, weighted by
    P_2^1(x)^2: 3/7.
    """
    assert grad(function, 2)(1, 2, c) == pytest.approx(sign * 6 / 7 * c, rel=0.01, abs=1e-9)


def shares(*x):
    total = mpmath.fsum(map(mpmath.exp, x))
    return [mpmath.exp(v) / total for v in x]


# function, what mpmath has for its i-th output (None: there is one), how many derivatives are
# compared
OF_SHARES = [
    (special.softmax, lambda i, *x: shares(*x)[i], 2),
    (special.log_softmax, lambda i, *x: mpmath.log(shares(*x)[i]), 2),
    (special.logsumexp, lambda i, *x: mpmath.log(mpmath.fsum(map(mpmath.exp, x))), 2),
]


@pytest.mark.parametrize(
    ("f", "truth", "orders"), OF_SHARES, ids=[row[0].__name__ for row in OF_SHARES]
)
@pytest.mark.parametrize("x", [(0.0, 40.0), (3.0, -200.0, 1.0), (0.0, 0.0), (1.0, 2.0, 2.5)])
def test_derivatives_of_a_share_near_1(f, truth, orders, x):
    """It is s (1 - s), of which the difference has no digits."""
    at, n = np.array(x), len(x)
    outputs = range(np.size(f(at)))
    for order in range(1, orders + 1):
        forward = reverse = f
        for _ in range(order):
            forward, reverse = jacfwd(forward), jacrev(reverse)
        expected = np.empty((len(outputs), *(n,) * order))
        with mpmath.workdps(150):
            for place in itertools.product(outputs, *(range(n),) * order):
                counts = tuple(place[1:].count(k) for k in range(n))
                expected[place] = mpmath.diff(
                    lambda *v, i=place[0]: truth(i, *v), tuple(map(mpmath.mpf, x)), counts
                )
        for found in (forward(at), reverse(at), vmap(reverse)(np.stack([at, at]))[1]):
            np.testing.assert_allclose(
                found.reshape(expected.shape), expected, rtol=1e-12, atol=1e-120
            )
    rows = np.array([[0.0, 40.0], [40.0, 0.0]])
    of_columns = hessian(lambda v: np.sum(special.logsumexp(v, axis=0)))(rows)
    np.testing.assert_allclose(of_columns[0, 0, 0, 0], float(mpmath.exp(-40)), rtol=1e-13)
