"""Eigenvalues and singular values that are near, but not equal: reverse mode loses no digit that it
need not lose.
"""

import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, hvp, jacfwd, jvp, linalg, linearize, vmap
from scigrad.testing import assert_close
from scigrad.testing.draw import normal, with_spectrum

LinAlgWarning = scipy.linalg.LinAlgWarning
GAPS = 10.0 ** -np.arange(7, 15)
LOST = 1e-14  # what forward mode loses: this by the gap, which it warns of below sqrt(eps)
forward_mode = pytest.mark.filterwarnings("ignore:.* differ by:scipy.linalg.LinAlgWarning")
rng = np.random.default_rng(29)
random = partial(normal, rng)
hermitian = partial(with_spectrum, rng)


def unitary(n: int, is_complex: bool = False) -> Any:
    return np.linalg.qr(random(n, n, is_complex=is_complex))[0]


def whole(a: Any) -> Any:
    return (a + np.conjugate(a).mT) / 2


def by_eigh(a: Any) -> Any:
    w, v = linalg.eigh(whole(a))
    return (v * np.exp(w)[..., None, :]) @ np.conjugate(v).mT


def by_eig(a: Any) -> Any:
    w, v = linalg.eig(a)
    out = (v * np.exp(w)[..., None, :]) @ linalg.inv(v)
    return out if np.iscomplexobj(a) else np.real(out)


def by_svd(a: Any) -> Any:
    u, s, vh = linalg.svd(a, full_matrices=False)
    return (u * np.sinh(s)[..., None, :]) @ vh


def frechet(a: Any, t: Any) -> Any:
    """The derivative of expm(a) in the direction t."""
    return scipy.linalg.expm_frechet(a, t, compute_expm=False)


def sinh_frechet(a: Any, t: Any) -> Any:
    """The derivative of u sinh(s) v^H, a corner of sinh [[0, a], [a^H, 0]]."""
    m = len(a)

    def whole(x: Any) -> Any:
        return np.block([[np.zeros((m, m)), x], [x.conj().T, np.zeros(2 * (x.shape[1],))]])

    up, down = (frechet(sign * whole(a), sign * whole(t)) for sign in (1, -1))
    return (up - down)[:m, m:] / 2


# -- losses that do not depend on the basis


FORWARD: dict[str, Any] = {
    "jvp": lambda f, a, t: jvp(f, (a,), (t,))[1],
    "vmap of jvp": lambda f, a, t: vmap(lambda t: jvp(f, (a,), (t,))[1])(np.stack([t, t]))[1],
    "jvp of vmap": lambda f, a, t: jvp(vmap(f), (np.stack([a, a]),), (np.stack([t, t]),))[1][1],
    "jvp of a batch": lambda f, a, t: jvp(f, (np.stack([a, 0 * a]),), (np.stack([t, t]),))[1][0],
    "jvp of a loss": lambda f, a, t: grad(
        lambda h: jvp(lambda a: np.real(np.vdot(h, f(a))), (a,), (t,))[1]
    )(0 * t),
}


@forward_mode
@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("way", FORWARD)
@pytest.mark.parametrize("gap", GAPS)
def test_forward_mode(gap: float, way: str, is_complex: bool) -> None:
    a, t = (
        hermitian((1, 1 + gap, 1 + 2 * gap, 3), is_complex),
        whole(random(4, 4, is_complex=is_complex)),
    )
    assert_close(FORWARD[way](by_eigh, a, t), frechet(a, t), LOST / gap)


@forward_mode
@pytest.mark.parametrize("gap", GAPS[:5])
def test_forward_mode_through_a_recorded_run(gap: float) -> None:
    a, t = hermitian((1, 1 + gap, 3)), whole(random(3, 3))
    truth = frechet(a, t)
    assert_close(np.tensordot(jacfwd(by_eigh)(a), t), truth, LOST / gap)
    assert_close(linearize(by_eigh, a)[1](t), truth, LOST / gap)
    assert_close(vmap(linearize(by_eigh, a)[1])(np.stack([t, t]))[1], truth, LOST / gap)


@forward_mode
@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("way", FORWARD)
@pytest.mark.parametrize("gap", GAPS)
def test_forward_mode_of_eig(gap: float, way: str, is_complex: bool) -> None:
    p = unitary(4, is_complex) * np.linspace(1, 2, 4) @ unitary(4, is_complex)
    a, t = (
        p @ np.diag([1, 1 + gap, 1 + 2 * gap, 3]) @ np.linalg.inv(p),
        random(4, 4, is_complex=is_complex),
    )
    assert_close(FORWARD[way](by_eig, a, t), frechet(a, t), LOST / gap)


@forward_mode
@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("way", FORWARD)
@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("last", [2, 1e-9])
def test_forward_mode_of_svd(gap: float, way: str, is_complex: bool, last: float) -> None:
    s = np.array([1 + 2 * gap, 1 + gap, 1, last])
    a, t = (
        (unitary(5, is_complex)[:, :4] * s) @ unitary(4, is_complex),
        random(5, 4, is_complex=is_complex),
    )
    assert_close(FORWARD[way](by_svd, a, t), sinh_frechet(a, t), LOST / gap)


@forward_mode
@pytest.mark.parametrize("gap", GAPS[:5])
def test_recorded_runs_of_eig_and_svd(gap: float) -> None:
    a, t = unitary(3) @ np.diag([1, 1 + gap, 3]) @ unitary(3), random(3, 3)
    assert_close(np.tensordot(jacfwd(by_svd)(a), t), sinh_frechet(a, t), LOST / gap)
    p = unitary(3) * np.linspace(1, 2, 3) @ unitary(3)
    b = p @ np.diag([1, 1 + gap, 3]) @ np.linalg.inv(p)
    truth = frechet(b, t)
    assert_close(linearize(by_eig, b)[1](t), truth, LOST / gap)
    assert_close(np.tensordot(jacfwd(by_eig)(b), t), truth, LOST / gap)


def projector_by_eigh(a: Any) -> Any:
    v = linalg.eigh(whole(a))[1][:, :3]
    return v @ np.conjugate(v).mT


def projector_by_eig(a: Any) -> Any:
    w, v = linalg.eig(a)
    return (v * (np.real(w) < 1.5)) @ linalg.inv(v)


def polar_factor(a: Any) -> Any:
    u, _, vh = linalg.svd(a)
    return u @ vh


def projector_by_sign(a: Any) -> Any:
    return (np.eye(5) - linalg.signm(a - 1.5 * np.eye(5))) / 2


TRUTH: dict[Any, Any] = {  # the same functions without eigenvectors
    projector_by_eigh: lambda a: projector_by_sign(whole(a)), projector_by_eig: projector_by_sign,
    polar_factor: lambda a: linalg.polar(a)[0],
}  # fmt: skip


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("gap", [1e-9, 1e-10, 1e-12])
def test_losses_of_vectors_alone_lose_no_digits_in_reverse_mode(
    gap: float, is_complex: bool
) -> None:
    """Their cotangents do not vary with the eigenvalues: the limits are 0, and nothing of them is
    to be divided by a gap.
    """
    values, h, t = (
        np.array([1, 1 + gap, 1 + 3 * gap, 2, 3]),
        *(random(5, 5, is_complex=is_complex) for _ in range(2)),
    )
    p = unitary(5, is_complex) * np.linspace(1, 2, 5) @ unitary(5, is_complex)
    matrices = {
        projector_by_eigh: hermitian(tuple(values), is_complex),
        projector_by_eig: p @ np.diag(values) @ np.linalg.inv(p),
        polar_factor: (unitary(5, is_complex) * values[::-1]) @ unitary(5, is_complex),
    }
    for function, a in matrices.items():

        def loss(a: Any, function: Any = function) -> Any:
            return np.real(np.sum(np.conjugate(h) * function(a)))

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = np.real(np.vdot(grad(loss)(a), t))
        truth = np.real(np.vdot(h, jvp(TRUTH[function], (a,), (t,))[1]))
        assert abs(found - truth) < 1e-12 * np.linalg.norm(h) * np.linalg.norm(t), function


@forward_mode
def test_several_decompositions_in_one_loss() -> None:
    for gap in (0, 1e-15, 1e-11, 1e-9):
        a, h, t = hermitian((1, 1 + gap, 3)), random(3, 3), whole(random(3, 3))
        truth = whole(frechet(2 * a, 2 * h))
        assert_close(grad(lambda a, h=h: np.sum(h * (by_eigh(a) @ by_eigh(a))))(a), truth, 1e-8)
        slope = jvp(lambda a, h=h: np.sum(h * (by_eigh(a) @ by_eigh(a))), (a,), (t,))[1]
        lost = LOST / gap if gap > 1e-14 else 0
        assert abs(slope - np.sum(truth * t)) < (1e-8 + lost) * np.sum(np.abs(truth) * np.abs(t))


# -- losses that do depend on the single vectors: [[1, d / 2], [d / 2, 1]] has the eigenvalues 1 -+
# d / 2, and |v_01|^2 the derivative 1 / d along diag(1, -1)


@pytest.mark.parametrize("exponent", range(20, 42, 3))
@pytest.mark.parametrize("weight", [1, 1e-3])
def test_eigenvectors_of_distinct_eigenvalues_keep_their_derivative(
    exponent: int, weight: float
) -> None:
    d = 2.0**-exponent
    a, t = np.array([[1, d / 2, 0], [d / 2, 1, 0], [0, 0, 2]]), np.diag([1.0, -1, 0])

    def loss(a: Any) -> Any:
        return weight * linalg.eigh(a)[1][0, 1] ** 2 + np.sum(by_eigh(a) * t)

    expected = weight / d + 2 * np.e
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = [jvp(loss, (a,), (t,))[1], np.sum(grad(loss)(a) * t), linearize(loss, a)[1](t)]
    assert_close(np.array(found), np.full(3, expected), 1e-14 / d)
    assert bool(caught) == (exponent > 25)
    for warning in caught:
        assert warning.category is LinAlgWarning
        assert f"differ by {d / 2:.0e} of the largest" in str(warning.message)
        assert f"loses about {np.log10(2 / d):.0f} of 16 digits" in str(warning.message)


def test_what_no_near_eigenvector_enters_is_not_warned_of() -> None:
    a, t = hermitian((1, 1 + 1e-11, 2, 3)), whole(random(4, 4))
    for loss in (
        lambda a: np.sum(linalg.eigvalsh(a) ** 2),
        lambda a: np.sum(linalg.eigh(a)[0] ** 2),
        lambda a: linalg.eigh(a)[1][0, 3] ** 2,
        lambda a: np.sum(by_eigh(a) ** 2),
    ):
        grad(loss)(a)
    for function in (lambda a: np.sum(linalg.eigvalsh(a) ** 2), lambda a: linalg.eigvalsh(a)[0]):
        jvp(function, (a,), (t,))
        linearize(function, a)[1](t)
    hvp(lambda a: np.sum(linalg.eigvalsh(a) ** 2), (a,), (t,))


@pytest.mark.parametrize("exponent", range(20, 42, 7))
@pytest.mark.parametrize("name", ["eig", "svd"])
def test_single_vectors_of_eig_and_svd(name: str, exponent: int) -> None:
    d = 2.0**-exponent
    a, t = np.array([[1, d / 2], [d / 2, 1]]), np.diag([1.0, -1])

    def loss(a: Any) -> Any:
        w, v = (
            (linalg.eig(a)[0], linalg.eig(a)[1])
            if name == "eig"
            else (linalg.svd(a)[1], linalg.svd(a)[0])
        )
        return np.abs(v[0, int(np.argmax(np.real(w)))]) ** 2

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = [jvp(loss, (a,), (t,))[1], np.sum(grad(loss)(a) * t)]
    assert_close(np.array(found), np.full(2, 1 / d), 1e-14 / d)
    texts = [str(warning.message) for warning in caught]
    assert bool(texts) == (exponent > 25)
    assert all(text.startswith(name) and "of 16 digits" in text for text in texts), texts


# -- nearly defective matrices: the eigenvectors of a perturbed Jordan block


def nearly_defective(n: int, d: float) -> Any:
    block = np.eye(n) + np.diag(np.ones(n - 1), 1)
    block[-1, 0] = d
    q = unitary(n)
    return q @ block @ q.T


@pytest.mark.parametrize(
    ("n", "d"),
    [(2, 1e-9), (2, 1e-5), (3, 1e-9), (3, 1e-7), (3, 1e-6), (4, 1e-7), (3, 1e-3), (3, 1e-1)],
)
def test_derivatives_lose_no_digits_without_a_word(n: int, d: float) -> None:
    a, h = nearly_defective(n, d), random(n, n)
    derivatives = {
        "second": (
            lambda f, t: hvp(f, (a,), (t,))[1],
            lambda t: hvp(lambda a: np.sum(h * linalg.expm(a)), (a,), (t,))[1],
        ),
        "reverse": (lambda f, t: grad(f)(a), lambda t: frechet(a.T, h)),
        "forward": (lambda f, t: jvp(f, (a,), (t,))[1], lambda t: np.sum(h * frechet(a, t))),
    }
    for derivative, truth in derivatives.values():
        t = random(n, n)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = derivative(lambda a: np.sum(h * by_eig(a)), t)
        expected = truth(t)
        error = np.max(np.abs(found - expected)) / np.max(np.abs(expected))
        assert error < 3e-7 or caught, error
        assert d < 1e-2 or not caught
        assert all(issubclass(w.category, LinAlgWarning) for w in caught)


def test_limits_are_taken_where_they_are_better_only() -> None:
    """The eigenvalues lie 1e-3 apart, so far that limits as they meet say little, and quotients
    lose 1e-16 * 1e12 / 1e-3.
    """
    a, h = nearly_defective(3, 1e-9), random(3, 3)
    with pytest.warns(LinAlgWarning, match="nearly"):
        found = grad(lambda a: np.sum(h * by_eig(a)))(a)
    assert_close(found, frechet(a.T, h), 1)


@pytest.mark.filterwarnings("ignore:.*their derivatives lose:scipy.linalg.LinAlgWarning")
def test_second_derivatives_of_eigenvalues_near_a_jordan_block() -> None:
    a, t = nearly_defective(2, 1e-8), random(2, 2)
    with pytest.warns(LinAlgWarning, match="nearly defective.*their second derivatives lose"):
        hvp(lambda a: np.real(np.sum(np.exp(linalg.eigvals(a)))), (a,), (t,))


def test_random_matrices_are_not_warned_of() -> None:
    for n in (5, 20, 60):
        a, t, h = random(n, n), random(n, n), random(n, n)
        grad(lambda a, h=h: np.sum(h * by_eig(a)))(a)
        jvp(lambda a, h=h: np.sum(h * by_eig(a)), (a,), (t,))
        if n < 60:
            hvp(lambda a, h=h: np.sum(h * by_eig(a)), (a,), (t,))
