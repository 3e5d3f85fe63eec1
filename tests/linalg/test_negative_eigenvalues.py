"""Roots, signs and powers of matrices whose eigenvalues are negative, complex pairs or on the
axis.
"""

import functools
import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.special

from scigrad import jvp, linalg, vjp


def test_results_for_negative_eigenvalues_are_complex_as_scipy_s():
    a = np.array([[1.0, 2.0], [0.5, -1.0]])
    for name, options in (("sqrtm", {}), ("logm", {}), ("fractional_matrix_power", {"t": 1.25})):
        ours, theirs = (
            functools.partial(getattr(module, name), **options) for module in (linalg, scipy.linalg)
        )
        value, tangent = jvp(ours, (a,), (np.eye(2),))
        assert value.dtype == theirs(a).dtype == complex
        np.testing.assert_allclose(value, theirs(a), rtol=1e-12)
        slope = (theirs(a + 1e-6 * np.eye(2)) - theirs(a - 1e-6 * np.eye(2))) / 2e-6
        np.testing.assert_allclose(tangent, slope, rtol=1e-7, atol=1e-8)
        (gradient,) = vjp(ours, a)[1](np.ones((2, 2), complex))
        assert gradient.dtype == float


@pytest.mark.parametrize(
    "a",
    [np.diag([2.0, 0, 0]), np.zeros((3, 3)), np.eye(3)[2] * np.ones((3, 1)), np.diag([2j, 0, 0])],
    ids=["rank 1", "zero", "triangular", "complex"],
)
def test_a_root_without_a_derivative_is_a_root(a):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.linalg.LinAlgWarning)  # that it is singular
        root, info = linalg.sqrtm(a, on_fail="info")
        plain = linalg.sqrtm(a)
    assert not info
    np.testing.assert_allclose(root @ root, a, atol=1e-15)
    np.testing.assert_allclose(plain @ plain, a, atol=1e-15)


@pytest.mark.parametrize("t", [0.5, -0.3, 1.25])
def test_powers_of_complex_pairs_are_complex_as_scipy_s(t):
    a = np.array([[0.0, 1.0], [-1.0, 0.0]])
    power = functools.partial(linalg.fractional_matrix_power, t=t)
    assert (
        power(a).dtype
        == power(a, on_fail="nan").dtype
        == jvp(power, (a,), (a,))[0].dtype
        == complex
    )
    assert jvp(power, (a,), (a,))[1].dtype == complex


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_roots_of_matrices_with_complex_pairs_and_negative_eigenvalues(n):
    random = np.random.default_rng(n)
    for _ in range(20):
        a = random.standard_normal((n, n))
        t = scipy.linalg.schur(a)[0]  # the kernel of SciPy 1.17.1 is wrong for it
        for x in (a, t):
            root = linalg.sqrtm(x)
            np.testing.assert_allclose(root @ root, x, atol=1e-12 * np.abs(root).max() ** 2)
            traced, tangent = jvp(linalg.sqrtm, (x,), (a,))
            np.testing.assert_allclose(traced, root, atol=1e-11 * np.abs(root).max())
            np.testing.assert_allclose(
                root @ tangent + tangent @ root,
                a,
                atol=1e-10 * np.abs(root).max() * np.abs(tangent).max(),
            )


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_the_sign_of_an_eigenvalue_on_the_axis_is_never_guessed(scale):
    random = np.random.default_rng(5)
    v = random.standard_normal((4, 4))
    for block in ([[0.0, 1.0], [-1.0, 0.0]], [[0.0, 0.0], [0.0, 2.0]], [[0.0, 1.0], [0.0, 0.0]]):
        a = scale * v @ scipy.linalg.block_diag(np.diag([1.0, -2.0]), block) @ np.linalg.inv(v)
        with pytest.raises(np.linalg.LinAlgError, match="imaginary axis"):
            jvp(linalg.signm, (a,), (a,))
