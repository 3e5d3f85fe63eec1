"""Second derivatives of expm, signm, tanm and tanhm, where cosines are large or elements are of
very different size.
"""

import mpmath as mp
import numpy as np
import pytest
import scipy.linalg

from scigrad import jvp, linalg, vjp, vmap

rng = np.random.default_rng(41)
C = np.diag([2.0, -1.0, 3.0]) + 0.5 * rng.standard_normal((3, 3))
Q = np.linalg.qr(rng.standard_normal((3, 3)))[0]
SCALES = np.array([1e5, 1.0, 1e-5])
V = np.eye(3) + 0.4 * rng.standard_normal((3, 3))
UNBALANCED = {
    "d a / d": C * SCALES[:, None] / SCALES,
    "d a d": C * np.cbrt(SCALES)[:, None] * np.cbrt(SCALES),
    "far from normal": np.array([[1.0, 1e6, 3.0], [0.0, -1.25, -1e4], [0.0, 0.0, 2.0]]),
}
LARGE = {
    "both sides": V @ np.diag([20.0, -20.0, 1.0]) @ np.linalg.inv(V),
    "huge": np.diag([350.0, -350.0, 0.0]) + np.triu(np.ones((3, 3)), 1),
    "rotation": np.array([[0.0, 200.0, 1.0], [-200.0, 0.0, 2.0], [-1.0, -2.0, 0.0]]),
    "complex": 30j * rng.standard_normal((3, 3)) + rng.standard_normal((3, 3)),
    "d a / d": C * SCALES[:, None] / SCALES,
}


def sign(x):
    return mp.sign(mp.re(x))


def compare(truth, function, exact, a, limits):
    e, d = rng.standard_normal((2, 3, 3))
    along = lambda x: jvp(function, (x,), (e,))[1]  # noqa: E731
    expected = truth(exact, a, e, d)
    value, slope = jvp(function, (a,), (e,))
    for found, wanted, limit in zip(
        (value, slope, jvp(along, (a,), (d,))[1]), expected, limits, strict=True
    ):
        assert np.abs(found - wanted).max() <= limit * np.abs(wanted).max()
    cotangent = vjp(along, a)[1](d.astype(value.dtype))[0]
    products = np.abs(cotangent * d).sum() + np.abs(d * expected[2]).sum()
    assert (
        abs(np.real(np.vdot(cotangent, d) - np.vdot(d, expected[2]))) <= 10 * limits[2] * products
    )


@pytest.mark.parametrize("name", UNBALANCED)
@pytest.mark.filterwarnings("error")
def test_the_sign_of_unbalanced_matrices(name, capsys, truth):
    compare(truth, linalg.signm, sign, UNBALANCED[name], (1e-13, 1e-13, 1e-12))
    assert not capsys.readouterr().out


def test_the_sign_in_a_batch_goes_the_way_that_each_matrix_needs():
    batch = np.stack([C, UNBALANCED["d a / d"], UNBALANCED["far from normal"]])
    t = rng.standard_normal((2, 1, 3, 3))
    along = lambda x: jvp(linalg.signm, (x,), (np.broadcast_to(t[0, 0], x.shape),))[1]  # noqa: E731
    one_by_one = np.stack([along(a) for a in batch])
    np.testing.assert_allclose(along(batch), one_by_one, rtol=1e-12, atol=1e-15)
    second = jvp(along, (batch,), (np.broadcast_to(t[1, 0], batch.shape),))[1]
    for found, a in zip(second, batch, strict=True):
        np.testing.assert_allclose(found, jvp(along, (a,), (t[1, 0],))[1], rtol=1e-12)


@pytest.mark.parametrize("name", ["d a / d", "far from normal"])
@pytest.mark.parametrize("function", ["expm", "sinm"])
def test_the_exponential_of_unbalanced_matrices(name, function, truth):
    compare(
        truth,
        getattr(linalg, function),
        {"expm": mp.exp, "sinm": mp.sin}[function],
        UNBALANCED[name],
        (1e-12, 1e-12, 1e-11),
    )


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("function", ["tanm", "tanhm"])
@pytest.mark.filterwarnings("error")
def test_tangents_of_large_matrices(name, function, truth):
    compare(
        truth,
        getattr(linalg, function),
        {"tanm": mp.tan, "tanhm": mp.tanh}[function],
        LARGE[name],
        (1e-11, 1e-11, 1e-10),
    )


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_tangents_large_and_small_are_one_function(dtype):
    a = (np.array([[1.0, 0.3], [-0.2, 0.5]]) + (0.3j if dtype in "FD" else 0)).astype(dtype)
    for f, plain in ((linalg.tanm, scipy.linalg.tanm), (linalg.tanhm, scipy.linalg.tanhm)):
        batch = np.stack([a, 4 * np.eye(2, dtype=dtype)])
        large = f(batch)
        np.testing.assert_array_equal(large[0], f(a))
        np.testing.assert_allclose(
            vmap(f)(batch)[0], plain(a), rtol=1e-5 if dtype in "fF" else 1e-13
        )
        assert (
            large.dtype
            == f(a).dtype
            == jvp(f, (a,), (a,))[1].dtype
            == jvp(f, (4 * a,), (a,))[1].dtype
            == np.dtype(dtype)
        )


@pytest.mark.parametrize("size", [1e-9, 1e-2])
@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("name", ["cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"])
def test_small_matrices_keep_all_digits(name, is_complex, size, truth):
    a = size * (C + (0.5j * Q if is_complex else 0))
    function, exact = getattr(linalg, name), getattr(mp, name[:-1])
    compare(truth, function, exact, a, (2e-15, 1e-14, 1e-13))
    assert np.abs(function(a) - truth(exact, a, a, a)[0]).max() <= 2e-15 * np.abs(function(a)).max()
