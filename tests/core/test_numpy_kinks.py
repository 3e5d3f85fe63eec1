"""Derivatives where a formula would divide by zero or a function has an edge: what the Notes
promise.
"""

from contextlib import nullcontext
from fractions import Fraction
from itertools import permutations
from math import prod

import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import (
    TracedValueError,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)
from scigrad.testing import assert_close


def slope(f, *args):
    return grad(lambda *a: np.sum(f(*a)), tuple(range(len(args))))(*args)


# -- the smallest subgradient


@pytest.mark.parametrize(
    "f", [np.hypot, lambda x, y: abs(x + 1j * y), np.arctan2, lambda x, y: np.angle(x + 1j * y)]
)
def test_derivatives_of_length_and_angle_at_the_origin(f):
    z = np.zeros(2)
    assert_close(grad(lambda v: f(v[0], v[1]))(z), z)
    is_length = f(-1.0, 0.0) == 1
    with (
        pytest.warns(RuntimeWarning, match="is 0 and the result is not smooth")
        if is_length
        else nullcontext()
    ):
        assert_close(hessian(lambda v: f(v[0], v[1]))(z), np.zeros((2, 2)))


def test_absolute_value_at_zero():
    x = np.array([0.0, -2.0])
    assert_close(slope(np.abs, x), (np.array([0.0, -1.0]),))
    z = np.array([0.0, 3 + 4j])
    assert_close(slope(np.abs, z), (np.array([0.0, 0.6 + 0.8j]),))
    assert_close(slope(np.fabs, x), (np.array([0.0, -1.0]),))
    assert_close(slope(np.hypot, np.zeros(1), np.zeros(1)), (np.zeros(1), np.zeros(1)))
    assert_close(slope(np.arctan2, np.zeros(1), np.zeros(1)), (np.zeros(1), np.zeros(1)))
    assert_close(slope(np.copysign, np.zeros(1), np.ones(1)), (np.zeros(1), np.zeros(1)))


def test_second_derivative_of_a_complex_modulus_at_zero():
    with pytest.warns(
        RuntimeWarning, match="where abs of complex numbers is 0 and the result is not smooth"
    ):
        second = jvp(
            grad(lambda z: np.sum(np.abs(z))), (np.zeros(2, complex),), (np.ones(2, complex),)
        )[1]
    assert_close(second, np.zeros(2, complex))


@pytest.mark.parametrize("f", [np.maximum, np.minimum, np.fmax, np.fmin])
def test_ties_of_two(f):
    assert_close(
        slope(f, np.array([1.0, 2.0]), np.array([1.0, 2.0])), (np.full(2, 0.5), np.full(2, 0.5))
    )


def test_nan_in_maxima():
    x, y = np.array([np.nan, 1.0]), np.array([2.0, np.nan])
    assert_close(slope(np.fmax, x, y), (np.array([0.0, 1.0]), np.array([1.0, 0.0])))
    assert_close(slope(np.maximum, x, y), (np.array([1.0, 0.0]), np.array([0.0, 1.0])))


@pytest.mark.parametrize("f", [np.max, np.min, np.nanmax, np.amin])
def test_ties_of_several(f):
    assert_close(slope(f, np.ones(4)), (np.full(4, 0.25),))
    assert_close(
        slope(lambda a: f(a, axis=1), np.array([[1.0, 1.0], [2.0, 2.0]])), (np.full((2, 2), 0.5),)
    )


def test_clip_at_a_bound():
    assert_close(
        slope(lambda x: np.clip(x, 0.0, 1.0), np.array([-1.0, 0.0, 0.5, 1.0, 2.0])),
        (np.array([0, 0.5, 1, 0.5, 0]),),
    )


def test_deviation_of_equal_numbers():
    assert_close(slope(np.std, np.full(3, 2.0)), (np.zeros(3),))
    assert_close(slope(np.var, np.full(3, 2.0)), (np.zeros(3),))


# -- products with zeros


@pytest.mark.parametrize("zeros", [0, 1, 2, 3])
def test_products_with_zeros(zeros):
    x = np.array([1.5, -2.0, 0.5, 3.0])
    x[:zeros] = 0
    others = [np.delete(x, i) for i in range(4)]
    assert_close(grad(np.prod)(x), np.array([np.prod(o) for o in others]))
    second = np.array(
        [[0.0 if i == j else np.prod(np.delete(x, [i, j])) for j in range(4)] for i in range(4)]
    )
    assert_close(hessian(np.prod)(x), second)
    last = np.eye(4)[3]
    assert_close(hessian(lambda x: np.sum(np.cumprod(x) * last))(x), second)


@pytest.mark.parametrize(("factors", "others"), [
    ([1e200, 1e-200, 1e200, 1e-200], [1e-200, 1e200, 1e-200, 1e200]),
    ([1e-100, 1e-100, 1e200, 1e200], [1e300, 1e300, 1.0, 1.0]),
    ([0.5, 2.0, 1.0] * 1000, [2.0, 0.5, 1.0] * 1000),
])  # fmt: skip
def test_products_whose_parts_overflow(factors, others):
    x = np.array(factors)
    value, slope = value_and_grad(np.prod)(x)
    assert value == np.prod(x)
    assert_close(slope / others, np.ones(x.size))
    assert_close(jvp(np.prod, (x,), (x,))[1] / value, float(x.size))


def test_running_products_whose_parts_overflow():
    x = np.array([1e-310, 1e308, -1e308])
    value, pullback = vjp(np.cumprod, x)
    assert np.array_equal(value, np.cumprod(x))
    one = np.eye(3)
    assert_close(pullback(one[0])[0], one[0])
    assert_close(pullback(one[1])[0], np.array([1e308, 1e-310, 0.0]))
    # 1e-310 has few digits
    assert_close(jvp(np.cumprod, (x,), (one[1],))[1], np.array([0.0, 1e-310, -0.01]), 1e-6)
    assert_close(
        grad(lambda x: np.cumprod(x)[1])(np.array([1e-320, 1e-10])), np.array([1e-10, 1e-320])
    )


@pytest.mark.parametrize("transform", [jacfwd, jacrev])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_running_products_of_every_size(dtype, transform):
    rng, info = np.random.default_rng(1), np.finfo(dtype)
    for _ in range(50):
        x = np.ldexp(
            rng.uniform(0.5, 1, 6), rng.integers(-info.maxexp // 2, info.maxexp // 2, 6)
        ).astype(dtype)
        with np.errstate(all="ignore"):
            y, found = np.cumprod(x), transform(np.cumprod)(x)
        if not info.tiny <= y.min() <= y.max() <= info.max:
            continue
        for k, i in zip(*np.tril_indices(6), strict=True):
            exact = prod(Fraction(float(v)) for v in np.delete(x[: k + 1], i))
            if Fraction(float(info.tiny)) < exact < Fraction(float(info.max)):
                assert abs(float(found[k, i]) / float(exact) - 1) < 50 * info.eps
            else:
                assert found[k, i] <= info.tiny or np.isinf(found[k, i])


def test_third_derivatives_of_products_with_zeros():
    x, weights = np.array([1.5, 0.0, -2.0, 0.0]), np.array([1.0, 2.0, 3.0, 4.0])
    whole, running = np.zeros((4, 4, 4)), np.zeros((4, 4, 4))
    for i, j, k in permutations(range(4), 3):
        whole[i, j, k] = np.prod(np.delete(x, [i, j, k]))
        running[i, j, k] = sum(
            weights[n] * np.prod(np.delete(x[: n + 1], [i, j, k])) for n in range(max(i, j, k), 4)
        )
    assert_close(jacobian(hessian(np.prod))(x), whole)
    assert_close(jacobian(hessian(lambda x: np.sum(weights * np.cumprod(x))))(x), running)


# -- powers


def test_powers_at_zero():
    x = np.array([0.0, 2.0])
    assert_close(slope(lambda x: x**2, x), (2 * x,))
    assert_close(slope(lambda x: x**0, x), (np.zeros(2),))
    assert_close(slope(lambda x: x**1, x), (np.ones(2),))
    assert_close(slope(lambda x: np.power(x, np.array([0.0, 0.0])), x), (np.zeros(2),))
    assert_close(hessian(lambda x: np.sum(x**2))(x), 2 * np.eye(2))
    assert_close(hessian(lambda x: np.sum(np.power(x, np.array([1.0, 1.0]))))(x), np.zeros((2, 2)))


def test_exponent_of_zero():
    y = np.array([0.0, 1.0, 2.5])
    assert_close(slope(lambda y: 0.0**y, y), (np.zeros(3),))
    assert_close(slope(lambda x, y: x**y, np.zeros(3), y)[1], np.zeros(3))
    assert_close(slope(lambda y: 2.0**y, y), (2.0**y * np.log(2),))


def test_negative_base_of_a_complex_power():
    y = np.array([0.5 + 0.2j])
    value, tangent = jvp(lambda y: np.power(np.array([-2.0 + 0j]), y), (y,), (np.ones(1, complex),))
    assert_close(tangent, value * np.log(-2.0 + 0j))
    assert_close(jvp(lambda y: (-2.0) ** y, (y,), (np.ones(1, complex),)), (value, tangent))


def test_division_by_a_python_zero():
    with np.errstate(divide="ignore"):
        assert_close(slope(lambda x: x / 0, np.ones(2)), (np.full(2, np.inf),))


# -- removable singularities and overflow


def test_sinc_to_third_order():
    x = np.array([0.0, 1e-9, 1e-3, 0.3, 2.0])
    first = slope(np.sinc, x)[0]
    second = slope(lambda x: slope(np.sinc, x)[0], x)[0]
    third = slope(lambda x: slope(lambda x: slope(np.sinc, x)[0], x)[0], x)[0]
    assert_close(second[0], -(np.pi**2) / 3)
    assert_close(first[1], -(np.pi**2) / 3 * 1e-9)
    assert_close(third[2], np.pi**4 / 5 * 1e-3, 1e-5)
    assert_close(
        first[3:], np.cos(np.pi * x[3:]) / x[3:] - np.sin(np.pi * x[3:]) / (np.pi * x[3:] ** 2)
    )


def test_logarithms_of_sums():
    inf = np.inf
    x, y = np.array([-inf, -inf, inf, 1000.0, 3.0]), np.array([-inf, 0.0, inf, 0.0, 3.0])
    dx, dy = (
        jvp(np.logaddexp, (x, y), t)[1]
        for t in ((np.ones(5), np.zeros(5)), (np.zeros(5), np.ones(5)))
    )
    assert_close(dx, np.array([0.5, 0, 0.5, 1.0, 0.5]))
    assert_close(dx + dy, np.ones(5))
    assert_close(
        hessian(lambda x: np.logaddexp(x[0], x[1]))(np.zeros(2)),
        np.array([[0.25, -0.25], [-0.25, 0.25]]),
    )


def test_angles_of_huge_and_tiny_vectors():
    for scale in (1e-200, 1e200):
        dy, dx = slope(np.arctan2, np.array([3.0 * scale]), np.array([4.0 * scale]))
        assert_close(dy * scale, np.array([4 / 25]))
        assert_close(dx * scale, np.array([-3 / 25]))


def test_expm1_of_very_negative_numbers():
    assert_close(slope(np.expm1, np.array([-50.0])), (np.exp(np.array([-50.0])),))


# -- where


def test_where_keeps_the_other_branch_out():
    x = np.array([0.0, 4.0])
    with np.errstate(divide="ignore"):
        assert_close(slope(lambda x: np.where(x > 0, x, 0.0) * 2, x), (np.array([0.0, 2.0]),))
        assert_close(
            slope(lambda x: np.where(x > 0, np.sqrt(np.where(x > 0, x, 1)), 0), x),
            (np.array([0.0, 0.25]),),
        )
    weight = np.array([np.inf, 1.0])
    g = grad(lambda x, y: np.sum(np.where(np.array([True, False]), x, y) * weight), (0, 1))(
        np.ones(2), np.ones(2)
    )
    assert_close(g, (np.array([np.inf, 0.0]), np.array([0.0, 1.0])))


# -- NaN


def with_nan():
    return np.array([[1.0, np.nan, 3.0, 2.0], [np.nan, 0.5, -1.0, 4.0], [np.nan] * 4])


NAN = [
    "nansum",
    "nanprod",
    "nanmean",
    "nanvar",
    "nanstd",
    "nanmax",
    "nanmin",
    "nanmedian",
    "nancumsum",
]


@pytest.mark.parametrize("name", NAN)
def test_functions_that_pass_over_nan(name):
    f, a = getattr(np, name), with_nan()[:2]
    t = np.cos(np.arange(8.0)).reshape(2, 4)
    value, tangent = jvp(lambda a: f(a, axis=1), (a,), (t,))
    assert_close(value, f(a, axis=1))
    assert np.all(np.isfinite(tangent))
    step = 1e-6 * t
    assert_close(tangent, (f(a + step, axis=1) - f(a - step, axis=1)) / 2e-6, 1e-6)


def test_a_factor_that_is_nan_beside_what_is_not_counted():
    v, w = np.array([1.0, 2.0, 3.0]), np.array([1.0, np.nan, 4.0])
    assert_close(jvp(lambda v: np.nansum(v * w), (v,), (v,))[1], 13.0)
    assert_close(grad(np.nansum)(v * w), np.array([1.0, 0, 1]))
    assert_close(grad(lambda v: np.nansum(v * w))(v), np.array([1.0, 0, 4]))
    assert_close(
        grad(lambda v: np.nansum(v * np.where(np.isnan(w), 0, w)))(v), np.array([1.0, 0, 4])
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanmax", "nanmedian"])
def test_rows_of_nan_alone(name):
    f, a = getattr(np, name), with_nan()
    assert_close(jvp(lambda a: f(a, axis=1), (a,), (a * 0,))[0][:2], f(a, axis=1)[:2])
    assert np.isnan(jvp(lambda a: f(a, axis=1), (a,), (a * 0,))[0][2])


def test_quantiles_of_nan():
    a = with_nan()
    for q in (0.3, np.array([0.2, 0.7])):
        assert_close(
            jvp(lambda a, q=q: np.nanquantile(a[:2], q, axis=1), (a,), (a,))[0],
            np.nanquantile(a[:2], q, axis=1),
        )
        assert np.all(np.isnan(jvp(lambda a, q=q: np.quantile(a, q, axis=1), (a,), (a,))[0]))


def test_nan_to_num():
    x = np.array([np.nan, np.inf, -np.inf, 2.0])
    assert_close(slope(lambda x: snp.nan_to_num(x, nan=1.0), x), (np.array([0.0, 0, 0, 1]),))
    z = np.array([complex(np.nan, 1), complex(2, np.inf)])
    value, tangent = jvp(snp.nan_to_num, (z,), (np.ones(2) + 1j * np.ones(2),))
    assert_close(value, np.nan_to_num(z))
    assert_close(tangent, np.array([1j, 1.0]))


@pytest.mark.parametrize(
    "function", [lambda v: np.poly1d(v)(1.5), lambda v: np.sum(np.polymul(v, [1.0, 2]))]
)
def test_a_leading_coefficient_that_is_zero_is_not_dropped_without_a_word(function):
    with pytest.raises(TracedValueError, match="leading coefficient"):
        grad(function)(np.array([0.0, 2, 3]))
    assert np.all(grad(function)(np.array([1.0, 2, 3])) > 0)


def test_multiple_zeros_of_a_polynomial_warn():
    size = grad(lambda p: np.sum(np.abs(np.roots(p)) ** 2))
    for p in ([1.0, 2, 1], [1.0, 3, 3, 1], np.poly([1.0, 1 + 1e-5, 3])):
        with pytest.warns(RuntimeWarning, match="nearly so"), np.errstate(all="ignore"):
            size(np.array(p))
    p = np.poly([1.0, 1.001, 3])  # distinct: sum z^2 = p1^2 - 2 p2, of the polynomial divided by p0
    assert_close(size(p), np.array([2 * p[2] - 2 * p[1] ** 2, 2 * p[1], -2, 0]), 1e-8)


def test_trimming_zeros_of_one_s_own_selects():
    np.testing.assert_array_equal(
        grad(lambda v: np.sum(np.trim_zeros(v) ** 2))(np.array([0.0, 2, 3, 0])), [0, 4, 6, 0]
    )
