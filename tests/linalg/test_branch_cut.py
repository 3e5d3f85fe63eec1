"""sqrtm, logm and powers at eigenvalues on the negative real axis, and where elements are of very
different size.
"""

import functools

import mpmath as mp
import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, hessian, hvp, jacfwd, jacrev, jvp, linalg

rng = np.random.default_rng(23)
POWERS = (0.3, 0.5, -1.7, 5.25)
FUNCTIONS = {"sqrtm": (linalg.sqrtm, mp.sqrt), "logm": (linalg.logm, mp.log)}
POWER = linalg.fractional_matrix_power
FUNCTIONS |= {
    f"power {p}": (functools.partial(POWER, t=p), lambda x, p=p: x ** mp.mpf(p)) for p in POWERS
}
FUNCTIONS |= {"funm": (lambda a, **options: linalg.funm(a, np.sqrt, **options), mp.sqrt)}
Q = np.linalg.qr(rng.standard_normal((3, 3)))[0]
V = np.eye(3) + 0.4 * rng.standard_normal((3, 3))


def full(*w):
    return V @ np.diag(w) @ np.linalg.inv(V)


@pytest.fixture(params=FUNCTIONS)
def function(request):
    return FUNCTIONS[request.param][0]


REFUSED = {
    "-1": -np.eye(2),
    "equal, full": full(-1.0, -1.0, 2.0),
    "equal, symmetric": Q @ np.diag([-1.0, -1.0, 2.0]) @ Q.T,
    "Jordan block": np.array([[-1.0, 1.0], [0.0, -1.0]]),
    "pair within rounding": np.array([[-1.0, 1.0], [-1e-17, -1.0]]),
    "complex": np.diag([-1.0 + 0j, 2.0]),
    "complex, full": full(-1.0, 3.0, 2j),
    "Hermitian": (Q @ np.diag([-1.0, 3.0, 2.0]) @ Q.T).astype(complex),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_on_the_cut_there_is_a_value_and_no_derivative(name, function, capsys):
    a = REFUSED[name]
    assert np.isfinite(function(a)).all()
    with pytest.raises(
        np.linalg.LinAlgError,
        match=r"has no derivative: (an eigenvalue is|it has a repeated|the function is not)",
    ):
        jvp(function, (a,), (np.eye(len(a)),))
    with pytest.raises(np.linalg.LinAlgError, match=r"no derivative at batch index \(1,\)"):
        grad(lambda a: np.sum(np.real(function(a))))(np.stack([np.eye(len(a), dtype=a.dtype), a]))
    along = lambda x: jvp(lambda x: function(x, on_fail="nan"), (x,), (np.eye(len(a)),))[1]  # noqa: E731
    for found in jvp(along, (a,), (np.eye(len(a)),)):
        assert np.isnan(found).all()


SMOOTH = {
    "one negative": full(-1.0, 3.0, 2.0),
    "two different": full(-1.0, -1.5, 2.0),
    "triangular": np.triu(full(-1.0, -3.0, 2.0)),
    "complex beside the cut": full(-1.0 + 1e-2j, 3.0, 2j),
    "complex pair beside it": scipy.linalg.block_diag([[-1.0, 0.1], [-0.1, -1.0]], 2.0),
}


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_beside_the_cut_there_are_two(name, function):
    a = SMOOTH[name]
    e = rng.standard_normal(a.shape)
    along = lambda x: jvp(function, (x,), (e,))[1]  # noqa: E731
    h = 1e-5
    np.testing.assert_allclose(
        along(a), (function(a + h * e) - function(a - h * e)) / (2 * h), rtol=1e-6, atol=1e-7
    )
    np.testing.assert_allclose(
        jvp(along, (a,), (e,))[1],
        (along(a + h * e) - along(a - h * e)) / (2 * h),
        rtol=1e-5,
        atol=1e-5,
    )


@pytest.mark.parametrize("name", ["one negative", "two different", "triangular"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_second_derivatives_of_losses_of_complex_values_of_real_matrices(name, function):
    a, e, h = SMOOTH[name], rng.standard_normal((3, 3)), 1e-5
    weights = rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3))

    def loss(a):
        value = function(a)
        return np.sum(np.real(weights * value)) + np.sum(np.abs(value) ** 2)

    truth = (grad(loss)(a + h * e) - grad(loss)(a - h * e)) / (2 * h)
    np.testing.assert_allclose(
        hvp(loss, (a,), (e,))[1], truth, rtol=1e-6, atol=1e-7 * np.abs(truth).max()
    )
    wanted = jacfwd(jacfwd(loss))(a)
    others = [hessian, lambda f: jacrev(grad(f)), lambda f: jacrev(jacfwd(f))]
    for mode in others if name == "one negative" else others[:1]:
        found = mode(loss)(a)
        assert np.abs(found - wanted).max() <= 1e-7 * np.abs(wanted).max()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_matrix_that_is_named_is_the_user_s(function):
    loss = lambda a: np.sum(np.imag(function(a)))  # noqa: E731
    one, two = np.diag([-1.0, -1, 2]), np.stack([np.eye(3), np.diag([-1.0, -1, 2])])
    for order in (grad, jacfwd, hessian, lambda f: jacrev(grad(f))):
        with pytest.raises(np.linalg.LinAlgError, match=r"shape \(3, 3\) has no derivative: "):
            order(loss)(one)
        with pytest.raises(
            np.linalg.LinAlgError,
            match=r"shape \(2, 3, 3\) has no derivative at batch index \(1,\): ",
        ):
            order(loss)(two)
    along = lambda x: jvp(loss, (x,), (np.eye(3),))[1]  # noqa: E731
    with pytest.raises(np.linalg.LinAlgError, match=r"shape \(3, 3\) has no derivative: "):
        jvp(along, (one,), (np.eye(3),))


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
def test_complex_pairs_beside_numbers_of_every_size():
    a = scipy.linalg.block_diag([[1.0, 2.0], [-3.0, 1.5]], 2.0) + 0.1
    for k in (-500, 500):
        found = grad(lambda a: np.sum(linalg.logm(a)))(a * 2.0**k) * 2.0**k
        np.testing.assert_allclose(
            found, grad(lambda a: np.sum(linalg.logm(a)))(a), rtol=1e-11, atol=1e-12
        )
        found = grad(lambda a: np.sum(linalg.funm(a, lambda z: z**3)))(
            a * 2.0 ** (k // 3 - 1)
        ) * 4.0 ** -(k // 3 - 1)
        np.testing.assert_allclose(
            found, grad(lambda a: np.sum(linalg.funm(a, lambda z: z**3)))(a), rtol=1e-10
        )


def test_a_hessian_at_equal_positive_eigenvalues_is_not_refused():
    for f in (linalg.sqrtm, linalg.logm):
        assert np.isfinite(hessian(lambda a, f=f: np.sum(f(a) ** 2))(2 * np.eye(2))).all()


# -- elements of very different size

C = 2 * np.eye(3) + 0.5 * rng.standard_normal((3, 3))
SCALES = np.array([1e8, 1.0, 1e-8])
UNBALANCED = {
    "d a / d": C * SCALES[:, None] / SCALES,
    "d a d": C * np.sqrt(SCALES[:, None] * SCALES),
    "diagonal": np.diag(SCALES),
    "triangular": np.diag(SCALES) + np.triu(rng.standard_normal((3, 3)), 1),
    "widest": np.diag([1e40, 1.0, 2.0]) + np.diag([1.0, 1.0], 1),
    "far from normal": np.array([[1.0, 1e9, 3.0], [0.0, 1.25, -1e9], [0.0, 0.0, 2.0]]),
}


@pytest.mark.parametrize("name", UNBALANCED)
@pytest.mark.parametrize("which", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
def test_two_derivatives_of_unbalanced_matrices(name, which, truth):
    if which == "power 5.25" and name == "widest":
        pytest.skip("the small eigenvalues leave no digit in a power that large")
    function, exact = FUNCTIONS[which]
    a, e, d = UNBALANCED[name], *rng.standard_normal((2, 3, 3))
    along = lambda x: jvp(function, (x,), (e,))[1]  # noqa: E731
    limits = (1e-9, 1e-7) if which in ("funm", "power 5.25") else (1e-11, 1e-11)
    for found, wanted, limit in zip(
        (along(a), jvp(along, (a,), (d,))[1]), truth(exact, a, e, d)[1:], limits, strict=True
    ):
        assert np.abs(found - wanted).max() <= limit * np.abs(wanted).max()
