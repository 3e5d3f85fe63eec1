"""radial: derivatives of every order at 0, near 0 and far from it, and functions that are not
even.
"""

import mpmath
import numpy as np
import pytest

from scigrad import grad, hessian, jacfwd, jacrev, jvp, linalg, special, vmap

TRUTHS = {
    "cos": (np.cos, lambda s: mpmath.cos(mpmath.sqrt(s))),
    "exp": (lambda r: np.exp(-r * r), lambda s: mpmath.exp(-s)),
    "j0": (special.j0, lambda s: mpmath.besselj(0, mpmath.sqrt(s))),
    "fast": (lambda r: np.cos(40 * r), lambda s: mpmath.cos(40 * mpmath.sqrt(s))),
}


def along(f, x, t, order):
    """The derivatives of f on the line x + a t at a = 0."""
    return jvp(lambda x: along(f, x, t, order - 1), (x,), (t,))[1] if order else f(x)


@pytest.mark.parametrize("length", [0.0, 1e-8, 1e-3, 0.5, 3.0])
@pytest.mark.parametrize("name", TRUTHS)
def test_derivatives_to_the_fourth_order(name, length):
    f, of_square = TRUTHS[name]
    x, t = length * np.array([0.6, 0.8]), np.array([1.0, -0.5])
    with mpmath.workdps(60):
        at = [mpmath.mpf(float(v)) for v in x]

        def line(a):
            u, v = at[0] + a, at[1] - a / 2
            return of_square(u * u + v * v)

        truth = [
            float(mpmath.re(c) * mpmath.factorial(i))
            for i, c in enumerate(mpmath.taylor(line, mpmath.mpf("1e-40"), 4))
        ]
    for order, wanted in enumerate(truth):
        found = along(lambda x: linalg.radial(f, x), x, t, order)
        scale = (40.0 if name == "fast" else 1.0) ** order
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-11 * scale)


def test_modes_agree_at_zero():
    def loss(x):
        return linalg.radial(np.cos, x) * (1 + x[0])

    def smooth(x):
        s = x @ x
        return (1 - s / 2 + s * s / 24) * (1 + x[0])

    x = np.zeros(2)
    for f in (jacrev(jacrev(jacfwd(jacrev(loss)))), jacfwd(jacfwd(hessian(loss)))):
        np.testing.assert_allclose(f(x), jacfwd(jacfwd(hessian(smooth)))(x), atol=1e-12)


def test_variances_and_parameters_of_a_kernel():
    def matern(x, y, scale):
        return linalg.radial(
            lambda r: (1 + r / scale + r * r / scale**2 / 3) * np.exp(-r / scale), x - y
        )

    x = np.ones(2)
    np.testing.assert_allclose(jacfwd(grad(matern, 0), 1)(x, x, 0.5), np.eye(2) / 0.75)
    np.testing.assert_allclose(
        jacfwd(grad(matern, 0), 1)(x, x + 1e-13, 0.5), np.eye(2) / 0.75, atol=1e-12
    )
    by_scale = grad(lambda scale: hessian(matern, 0)(x, x, scale)[0, 0])(0.5)
    np.testing.assert_allclose(by_scale, 2 / 3 / 0.5**3)


def test_only_some_vectors_are_zero():
    x = np.array([[0.0, 0.0], [0.3, -0.4]])
    found = vmap(hessian(lambda x: linalg.radial(np.cos, x)))(x)
    np.testing.assert_allclose(found[0], -np.eye(2))
    np.testing.assert_allclose(
        found[1], hessian(lambda x: np.cos(linalg.norm(x)))(x[1]), rtol=1e-12
    )


def test_functions_that_are_not_even_are_refused_at_zero():
    def loss(x):
        return linalg.radial(lambda r: np.exp(-r), x)

    assert loss(np.zeros(2)) == 1
    np.testing.assert_allclose(grad(loss)(np.array([3.0, 4])), -np.exp(-5) * np.array([0.6, 0.8]))
    with pytest.raises(ValueError, match="radial: f must be even, but has the slope 1 at 0"):
        grad(loss)(np.zeros(2))
