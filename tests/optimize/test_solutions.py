"""Solutions whose problems close over traced values, in all transforms, and what has no
derivative.
"""

import functools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.optimize

from scigrad import (
    MissingKernel,
    MissingRule,
    TracedValueError,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    optimize,
    vmap,
)
from scigrad import numpy as snp
from scigrad.testing.device import DeviceArray


def cube_root(p):
    return optimize.brentq(lambda x: x**3 - p, 0.0, 5.0, xtol=1e-14)


def test_every_order_and_every_nesting_of_modes():
    """The derivatives of p^(1/3)."""
    expected = [1 / 12, -1 / 144, 5 / 3456]
    for modes in ((grad, grad, grad), (jacfwd, jacrev, jacfwd), (jacrev, jacfwd, jacfwd)):
        f = cube_root
        for transform, value in zip(modes, expected, strict=True):
            f = transform(f)
            np.testing.assert_allclose(f(8.0), value, rtol=1e-12)


def test_batches_within_batches_and_between_derivatives():
    p = np.array([1.0, 8.0, 27.0])
    roots = vmap(lambda a: vmap(lambda b: cube_root(a * b / 9))(p))
    np.testing.assert_allclose(roots(p), np.cbrt(np.outer(p, p) / 9), rtol=1e-13)
    slope = np.diag(np.cbrt(p) / (3 * p))
    np.testing.assert_allclose(jacobian(vmap(cube_root))(p), slope, atol=1e-14)
    np.testing.assert_allclose(vmap(hessian(cube_root))(p), -2 / 9 * p ** (-5 / 3), rtol=1e-12)


def test_the_unknown_and_the_parameter_of_one_problem_are_those_of_another():
    """The minimum over x of the minimum over y, which closes over x."""

    def inner(x, a):
        return optimize.minimize_scalar(lambda y: (y - a * x) ** 2 + y**4 / 10, tol=1e-12).fun

    def outer(a):
        return optimize.minimize(lambda x: (x[0] - 2.0) ** 2 + inner(x[0], a), [1.0]).fun

    step = 1e-4
    expected = (outer(1.0 + step) - outer(1.0 - step)) / (2 * step)
    np.testing.assert_allclose(grad(outer)(1.0), expected, rtol=1e-6)


def test_values_are_scipy_s_own():
    def f(x):
        return np.cos(x) - x

    assert optimize.brentq(f, 0, 1) == scipy.optimize.brentq(f, 0, 1)
    value = jacobian(lambda p: snp.stack([optimize.brentq(lambda x: np.cos(x) - p * x, 0, 1)]))
    assert np.isfinite(value(1.0)).all()
    traced = optimize.brentq(lambda x: np.cos(x) - x, 0, 1)
    assert vmap(lambda p: optimize.brentq(lambda x: np.cos(x) - p * x, 0, 1))(np.ones(1)) == traced
    assert optimize.minimize(scipy.optimize.rosen, [1.2, 1.0], method="Nelder-Mead").nfev == (
        scipy.optimize.minimize(scipy.optimize.rosen, [1.2, 1.0], method="Nelder-Mead").nfev
    )


def test_a_root_that_a_solver_stopped_before_is_differentiated_where_it_is():
    """A step of Newton's method: the tolerance of 1e-3 leaves 1e-6 of the derivative."""
    rough = grad(lambda p: optimize.brentq(lambda x: x**3 - p, 0.0, 5.0, xtol=1e-3))(8.0)
    np.testing.assert_allclose(rough, 1 / 12, rtol=1e-6)


@pytest.mark.parametrize(
    "problem",
    [
        lambda p: optimize.newton(lambda x: (x - p) ** 2, 0.0, maxiter=200),
        lambda p: optimize.brentq(lambda x: (x - p) ** 3, -1.0, 2.0),
        lambda p: optimize.brentq(lambda x: 1.0 / (x - p), 0.0, 1.1),  # a pole
        lambda p: optimize.minimize(lambda x: snp.sum((x - p) ** 4), [0.0], tol=1e-14).x[0],
        lambda p: optimize.root(lambda x: [x[0] + x[1] - p, 2 * x[0] + 2 * x[1] - 2 * p], [0, 0]).x[
            0
        ],
    ],
)
def test_multiple_roots_and_poles_are_refused(problem):
    with pytest.raises(ValueError, match=r"derivative of this solution cannot be computed"):
        grad(problem)(0.5)


def quadratic(x, a):
    return (x[0] - a) ** 2 + (x[1] + a) ** 2 + x[0] * x[1]


@pytest.mark.parametrize(
    "method", ["L-BFGS-B", "TNC", "SLSQP", "trust-constr", "Nelder-Mead", "Powell"]
)
def test_active_bounds_are_followed_by_every_method(method):
    """At x0 = u the other unknown is -a - u / 2."""

    def minimum(u, a):
        bounds = [(None, u), (None, None)]
        return optimize.minimize(lambda x: quadratic(x, a), [0.0, 0.0], bounds=bounds,
                                 method=method).x  # fmt: skip

    slopes = jacobian(minimum, (0, 1))(0.25, 1.0)
    np.testing.assert_allclose(slopes, [[1.0, -0.5], [0.0, -1.0]], atol=1e-6)


def test_a_bound_that_holds_nothing_is_refused():
    """The free minimum is 2 a, the bound."""
    with pytest.raises(ValueError, match="an element is at its bound, and the gradient there is 0"):
        jacobian(
            lambda a: (
                optimize.minimize(
                    lambda x: quadratic(x, a), [0.0, 0.0], bounds=[(None, 2.0), (None, None)]
                ).x
            )
        )(1.0)


@pytest.mark.parametrize("loss", ["linear", "soft_l1", "huber", "cauchy", "arctan"])
def test_robust_losses(loss):
    t = np.linspace(0, 3, 12)
    y = 2 * np.exp(-0.7 * t) + 0.01 * np.cos(9 * t)

    def fit(y):
        return optimize.least_squares(
            lambda x: x[0] * snp.exp(-x[1] * t) - y, [2.0, 0.7], loss=loss, f_scale=0.02,
            xtol=1e-15, ftol=1e-15, gtol=1e-15,
        ).x  # fmt: skip

    direction, step = np.sin(np.arange(12)), 1e-5
    expected = (fit(y + step * direction) - fit(y - step * direction)) / (2 * step)
    np.testing.assert_allclose(jacobian(fit)(y) @ direction, expected, rtol=1e-4)


def test_unknowns_in_a_container_of_complex_arrays():
    """A complex number counts as two real ones, so that the minimum follows both parts."""

    def loss(x, c):
        return snp.sum(snp.abs(x["z"] - c) ** 2) + (x["a"] - c.real) ** 2

    start = {"a": np.zeros(()), "z": np.zeros(2, complex)}
    found = optimize.minimize(loss, start, (1.0 + 2.0j,)).x
    np.testing.assert_allclose(found["z"], [1 + 2j, 1 + 2j], atol=1e-6)
    assert found["a"].shape == ()
    slope = jacobian(
        lambda c: optimize.minimize(lambda x: loss(x, c), start).x["z"], complex_mode="holomorphic"
    )(1.0 + 2.0j)
    np.testing.assert_allclose(slope, [1.0, 1.0], atol=1e-7)


def test_a_function_that_cannot_be_differentiated_has_differences_and_a_warning():
    with pytest.warns(RuntimeWarning, match="minimize: differences stand for the derivative"):
        found = optimize.minimize(lambda x: float(x[0] - 1.0) ** 2, [0.0])
    np.testing.assert_allclose(found.x, 1.0, atol=1e-6)


def test_methods_get_the_derivatives_that_they_use():
    for method in ("CG", "Newton-CG", "dogleg", "trust-ncg", "trust-exact", "trust-krylov"):
        found = optimize.minimize(
            lambda x: snp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2),
            [1.2, 1.1, 0.9],
            method=method,
        )
        np.testing.assert_allclose(found.x, 1.0, atol=1e-3)


def test_what_has_no_rule_says_so():
    circle = {"type": "ineq", "fun": lambda x: 1 - x @ x}
    with pytest.raises(MissingRule, match="a minimum under constraints"):
        grad(
            lambda a: (
                optimize.minimize(
                    lambda x: (x[0] - a) ** 2, [0.0], constraints=circle, method="SLSQP"
                ).fun
            )
        )(2.0)
    with pytest.raises(MissingRule, match="in integers"):
        grad(lambda b: optimize.linprog([-1.0], [[1.0]], [b], integrality=[1]).fun)(2.5)
    with pytest.raises(MissingKernel, match="brentq runs on the host"):
        optimize.brentq(lambda x, p: x - p, 0.0, 2.0, (DeviceArray(np.ones(())),))
    with pytest.raises(ValueError, match="degenerate"):
        grad(lambda b: optimize.linprog([-1.0, -1.0], [[1.0, 1.0]], [b]).fun)(1.0)


@pytest.mark.fills_arrays
@pytest.mark.parametrize("solve", [cube_root, lambda p: optimize.minimize(quadratic, [1, 1], p).x])
def test_programs_are_refused(solve):
    with pytest.raises(TracedValueError, match="steers by values"):
        jit(solve)(8.0)


def test_problems_in_several_threads_at_once():
    points = np.linspace(1.0, 9.0, 12)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(functools.partial(grad(cube_root)), points))
    np.testing.assert_allclose(found, points ** (-2 / 3) / 3, rtol=1e-12)
