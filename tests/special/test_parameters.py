"""Derivatives in shape parameters, orders and degrees, against mpmath over wide domains
(reference_data/special/parameters).
"""

import mpmath
import numpy as np
import pytest

from scigrad import grad, hvp, jvp, special
from scigrad.testing.reference import load

# Relative errors, median and largest of 40 points: those measured, rounded up to 1 or 3 times a
# power of 10.
RECORDED = {
    ("gammainc", 0): (3e-14, 3e-12),
    ("gammaincc", 0): (3e-14, 3e-12),
    ("betainc", 0): (3e-14, 3e-12),
    ("betainc", 1): (1e-13, 3e-12),
    ("chdtr", 0): (3e-14, 3e-12),
    ("stdtr", 0): (3e-13, 3e-11),
    ("jv", 0): (3e-13, 1e-11),
    ("yv", 0): (1e-13, 1e-12),
    ("iv", 0): (1e-13, 1e-12),
    ("kv", 0): (1e-13, 1e-11),
    ("hyp0f1", 0): (3e-13, 1e-10),
    ("hyp1f1", 0): (1e-13, 3e-11),
    ("hyp1f1", 1): (3e-13, 1e-10),
    ("hyperu", 0): (1e-15, 3e-14),
    ("hyperu", 1): (1e-15, 1e-10),
    ("hyp2f1", 0): (1e-13, 3e-11),
    ("hyp2f1", 2): (3e-12, 3e-10),
    ("zeta", 0): (1e-11, 1e-9),
}


@pytest.mark.parametrize(
    "record", load("special/parameters"), ids=lambda r: f"{r.function} {r.case}"
)
def test_relative_errors_are_at_most_those_recorded(record):
    position = int(record.case.split()[-1])
    args, truth = record.arguments, record.first[position]
    f = getattr(special, record.function)

    def varied(x):
        return f(*args[:position], x, *args[position + 1 :])

    with np.errstate(all="ignore"):
        value, slope = jvp(varied, (args[position],), (np.ones_like(truth),))
        representable = (np.abs(truth) > 1e-290) & (np.abs(record.value) > 1e-290)
        error = np.abs(slope / truth - 1)[representable]
    np.testing.assert_allclose(value, record.value, rtol=1e-6, atol=1e-290)
    median, largest = RECORDED[record.function, position]
    assert np.isfinite(error).all()
    assert np.median(error) <= median, np.median(error)
    assert np.max(error) <= largest, np.max(error)


@pytest.mark.parametrize(
    "point",
    [
        (1e-6, 1e-8),
        (1e-6, 40.0),
        (0.02, 3.0),
        (0.5, 1e-12),
        (3.0, 300.0),
        (2e3, 2.1e3),
        (1e5, 99000.0),
        (1e6, 1000500.0),
    ],
)
def test_incomplete_gamma_functions_in_the_parameter_far_out(point):
    """The smaller of the two is differentiated for the truth: digits of the other cancel."""
    a, x = map(mpmath.mpf, point)
    with mpmath.workdps(60):
        limits = (0, x) if x < a else (x, mpmath.inf)
        expected = mpmath.diff(lambda a: mpmath.gammainc(a, *limits, regularized=True), a) * (
            1 if x < a else -1
        )
    assert grad(special.gammainc)(*point) == pytest.approx(float(expected), rel=1e-11)
    assert grad(special.gammaincc)(*point) == pytest.approx(-float(expected), rel=1e-11)


@pytest.mark.parametrize("point", [(0.7, 1.3), (5.0, 4.0), (40.0, 30.0)])
@pytest.mark.parametrize("orders", [(2, 0), (1, 1), (3, 0), (2, 1), (1, 2)])
def test_higher_derivatives_of_gammainc(point, orders):
    with mpmath.workdps(50):
        expected = mpmath.diff(
            lambda a, x: mpmath.gammainc(a, 0, x, regularized=True),
            tuple(map(mpmath.mpf, point)),
            orders,
        )
    f = special.gammainc
    for argument, order in enumerate(orders):
        for _ in range(order):
            f = grad(f, argument)
    assert f(*point) == pytest.approx(float(expected), rel=1e-12)


def test_python_numbers_have_double_precision():
    second = hvp(lambda a: special.gammainc(a, 2.0), (3.0,), (1.0,))[1]
    # mpmath.diff at 40 digits
    np.testing.assert_allclose(second, 0.0988415488875400597, rtol=1e-11)


def test_elements_of_all_sizes_and_ends_beside_each_other():
    a = np.array([[0.3], [1e5], [2.0], [0.0], [7.0], [-1.0], [np.nan], [np.inf]])
    x = np.array([0.5, 1e5, 0.0, np.inf, -1.0, np.nan])
    found = np.asarray(jvp(lambda a: special.gammainc(a, x), (a,), (np.ones_like(a),))[1])
    alone = [
        [jvp(lambda a, x=x: special.gammainc(a, x), (a,), (1.0,))[1] for x in x] for a in a[:, 0]
    ]
    np.testing.assert_allclose(found, alone, rtol=1e-11)
    assert np.isnan(found[:, 4:]).all()
    assert np.isnan(found[5:7]).all()
    assert (found[[0, 1, 2, 4], 2:4] == 0).all()
    np.testing.assert_allclose(found[3, :2], [-special.exp1(0.5), 0], rtol=1e-11)


def test_many_elements_have_the_derivatives_of_few():
    random = np.random.default_rng(3)
    for a, x in (
        (random.uniform(0.1, 9, 5000), random.uniform(0.1, 20, 5000)),
        (np.float64(2.5), np.geomspace(1e-9, 90, 3000)),
    ):
        found = grad(lambda a, x=x: np.sum(np.sin(special.gammainc(a, x))))(a + 0 * x)
        some = [
            grad(lambda a, v=v: np.sin(special.gammainc(a, v)))(b)
            for b, v in zip((a + 0 * x)[::99], x[::99], strict=True)
        ]
        np.testing.assert_allclose(found[::99], some, rtol=1e-11)
