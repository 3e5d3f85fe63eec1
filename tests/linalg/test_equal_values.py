"""Hessians of smooth functions of eigenvalues and singular values where these are equal: right, or
refused.
"""

from typing import Any

import numpy as np
import pytest

from scigrad import (
    GaugeError,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linalg,
    linearize,
    vjp,
    vmap,
)
from scigrad.testing import assert_close
from scigrad.testing.draw import normal

FLIP, SIGN = np.array([[0.0, 1], [1, 0]]), np.diag([1.0, -1])
TALL = np.array([[1.0, 0], [0, 1], [1, 1]])


def near_identity(t: Any) -> Any:
    return np.eye(2) + t[0] * FLIP + t[1] * SIGN


def frobenius(a: Any) -> Any:
    return np.sum(a * a)


# Each is the squared Frobenius norm of the matrix, whose Hessian in t is 4 I.
LOSSES: dict[str, Any] = {
    "eigvalsh": lambda t: np.sum(linalg.eigvalsh(near_identity(t)) ** 2),
    "eigh": lambda t: np.sum(linalg.eigh(near_identity(t))[0] ** 2),
    "eigh, project": lambda t: np.sum(linalg.eigh(near_identity(t), gauge="project")[0] ** 2),
    "numpy.linalg.eigh": lambda t: np.sum(np.linalg.eigh(near_identity(t))[0] ** 2),
    "eigvals": lambda t: np.sum(np.real(linalg.eigvals(near_identity(t))) ** 2),
    "svdvals": lambda t: np.sum(linalg.svdvals(near_identity(t)) ** 2),
    "numpy.linalg.svd": lambda t: np.sum(np.linalg.svd(near_identity(t), compute_uv=False) ** 2),
}


@pytest.mark.parametrize("name", LOSSES)
def test_forward_over_reverse_is_right(name: str) -> None:
    loss, zero, direction = LOSSES[name], np.zeros(2), np.array([0.6, 0.8])
    assert_close(hessian(loss)(zero), 4 * np.eye(2), 1e-9)
    assert_close(hvp(loss, (zero,), (direction,))[1], 4 * direction, 1e-9)
    assert_close(vmap(lambda v: jvp(grad(loss), (zero,), (v,))[1])(np.eye(2)), 4 * np.eye(2), 1e-9)
    assert_close(
        vmap(hessian(loss))(np.array([[0.0, 0], [0.3, 0.1]])), np.stack([4 * np.eye(2)] * 2), 1e-9
    )


@pytest.mark.parametrize("name", [name for name in LOSSES if "project" not in name])
@pytest.mark.parametrize(
    "order", [lambda f: jacrev(grad(f)), lambda f: jacfwd(jacfwd(f)), lambda f: jacrev(jacfwd(f))]
)
def test_other_orders_are_right_or_refused(name: str, order: Any) -> None:
    try:
        found = order(LOSSES[name])(np.zeros(2))
    except GaugeError:
        return
    assert_close(found, 4 * np.eye(2), 1e-9)


def test_two_equal_singular_values_of_three_in_a_rotated_matrix() -> None:
    rng = np.random.default_rng(3)
    u, v = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2))
    a, e, f = u @ np.diag([2.0, 2, 1]) @ v, rng.normal(size=(3, 3)), rng.normal(size=(3, 3))

    def loss(function: Any) -> Any:
        return lambda t: function(a + t[0] * e + t[1] * f)

    truth = hessian(loss(lambda x: np.trace(x @ x.T @ x @ x.T)))(np.zeros(2))
    assert_close(hessian(loss(lambda x: np.sum(linalg.svdvals(x) ** 4)))(np.zeros(2)), truth, 1e-9)


@pytest.mark.parametrize(
    "a",
    [
        np.zeros((2, 2)),
        np.diag([1.0, 0]),
        np.eye(3, 2),
        np.eye(3, 2) * [1.0, 0],
        np.diag([1.0, 1, 0]),
    ],
)
@pytest.mark.parametrize(
    "values", [linalg.svdvals, lambda a: linalg.svd(a)[1], lambda a: np.linalg.svd(a)[1]]
)
def test_singular_values_that_are_zero(values: Any, a: Any) -> None:
    def loss(a: Any) -> Any:
        return np.sum(values(a) ** 2)

    assert_close(hessian(loss)(a).reshape(a.size, a.size), 2 * np.eye(a.size), 1e-9)
    with pytest.raises(GaugeError):
        jacrev(grad(loss))(a)


@pytest.mark.parametrize(
    "values", [linalg.eigvalsh, linalg.svdvals, lambda a: np.real(linalg.eigvals(a))]
)
def test_a_cotangent_that_is_zero_hides_nothing(values: Any) -> None:
    def loss(a: Any) -> Any:
        return np.sum((values(a) - 1) ** 2)

    assert_close(hvp(loss, (np.eye(2),), (SIGN,))[1], 2 * SIGN, 1e-9)
    with pytest.raises(GaugeError):
        jacrev(grad(loss))(np.eye(2))


def test_tall_matrices() -> None:
    def matrix(t: Any) -> Any:
        return np.concatenate([near_identity(t), 0 * TALL[:1]])

    assert_close(
        hessian(lambda t: np.sum(linalg.svdvals(matrix(t)) ** 2))(np.zeros(2)), 4 * np.eye(2), 1e-9
    )


@pytest.mark.parametrize("a", [np.diag([1.0, 0]), np.zeros((2, 2)), np.eye(3, 2) * [1.0, 0]])
def test_second_derivatives_of_polar_factors_of_singular_matrices_are_refused(a: Any) -> None:
    def loss(a: Any) -> Any:
        return np.sum(linalg.polar(a)[1] ** 2)

    assert_close(grad(loss)(a), 2 * a, 1e-12)
    for second in (hessian(loss), jacrev(grad(loss)), lambda a: hvp(loss, (a,), (a + 1,))):
        with pytest.raises(GaugeError, match="polar"):
            second(a)


# -- general matrices with equal eigenvalues and all their eigenvectors, in directions that make
# Jordan blocks

P = np.random.default_rng(1).normal(size=(4, 4))
DEROGATORY = {
    "identity": np.eye(3),
    "zero": np.zeros((2, 2)),
    "two of three": np.diag([1.0, 1, 2]),
    "rotated": P @ np.diag([1.0, 1, 2, 2]) @ np.linalg.inv(P),
    "i": np.kron(np.array([[0.0, 1], [-1, 0]]), np.eye(2)),
}
SYMMETRIC: dict[str, Any] = {
    "exp": (lambda w: np.real(np.sum(np.exp(w))), lambda a: np.trace(linalg.expm(a))),
    "cube": (lambda w: np.real(np.sum(w**3)), lambda a: np.trace(a @ a @ a)),
    "products of two": (
        lambda w: np.real(np.sum(w) ** 2 - np.sum(w**2)),
        lambda a: np.trace(a) ** 2 - np.trace(a @ a),
    ),
    "sum": (lambda w: np.real(np.sum(w)), np.trace),
    "of two": (
        lambda w: np.sum(np.real(np.exp(w))) * np.imag(np.sum(1j * w**2)),
        lambda a: np.trace(linalg.expm(a)) * np.trace(a @ a),
    ),
}


@pytest.mark.parametrize("matrix", DEROGATORY)
@pytest.mark.parametrize("name", SYMMETRIC)
def test_second_derivatives_of_symmetric_functions_of_eigenvalues_of_general_matrices(
    name: str, matrix: str
) -> None:
    """Right in a direction that keeps all eigenvectors, refused in one that makes a Jordan
    block.
    """
    a, (of_values, of_matrix) = DEROGATORY[matrix], SYMMETRIC[name]
    t = np.random.default_rng(2).normal(size=a.shape)
    found, truth = (
        hvp(loss, (a,), (t,))[1] for loss in (lambda a: of_values(linalg.eigvals(a)), of_matrix)
    )
    assert np.abs(found - truth).max() < 1e-9 * max(1, np.abs(truth).max())
    with pytest.raises(np.linalg.LinAlgError, match="tangent is defective"):
        hessian(lambda a: of_values(linalg.eigvals(a)))(np.eye(2))


def test_derivatives_in_directions_that_make_jordan_blocks_are_refused() -> None:
    a, t = np.diag([1.0, 1, 1, 2]), np.triu(np.ones((4, 4)), 1) + 3 * np.eye(4)
    for function in (linalg.eigvals, lambda a: linalg.eig(a)[1]):
        with pytest.raises(np.linalg.LinAlgError, match="eigenvectors have no derivative"):
            jvp(function, (a,), (t,))


def test_numpy_s_real_eigenvalues_are_not_given_half_a_derivative() -> None:
    turn = np.array([[0.0, 1], [-1, 0]])  # I + e turn has the eigenvalues 1 +- i e

    def loss(a: Any) -> Any:
        return np.sum(np.exp(np.linalg.eigvals(a))).real

    assert_close(grad(loss)(np.eye(2)), np.e * np.eye(2), 1e-12)
    for derivative in (
        lambda: hvp(loss, (np.eye(2),), (turn,)),
        lambda: jvp(np.linalg.eigvals, (np.eye(2),), (turn,)),
    ):
        with pytest.raises(
            np.linalg.LinAlgError, match=r"complex pair .* use scigrad\.linalg\.eigvals"
        ):
            derivative()
    assert_close(
        hvp(loss, (np.diag([1.0, 2]),), (turn,))[1],
        hvp(lambda a: np.trace(linalg.expm(a)), (np.diag([1.0, 2]),), (turn,))[1],
        1e-12,
    )


# -- losses that weigh equal eigenvalues differently

COUPLING = np.array([[0, 1, 1], [1, 0, 0.5], [1, 0.5, 0]])
ROTATION = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]


def two_equal(q: Any) -> Any:
    return np.diag([1.0, 1, 3]) + q * COUPLING


UNEVEN: dict[str, Any] = {
    "eigvalsh": lambda q: linalg.eigvalsh(two_equal(q))[0],
    "eigh": lambda q: linalg.eigh(two_equal(q))[0][0],
    "eigh, and a vector": lambda q: (lambda w, v: w[0] + v[2, 2] ** 2)(*linalg.eigh(two_equal(q))),
    "unequal weights": lambda q: linalg.eigvalsh(two_equal(q)) @ np.array([1.0, 1.001, 0]),
    "subset": lambda q: linalg.eigvalsh(two_equal(q), subset_by_index=(0, 0))[0],
    "pair": lambda q: linalg.eigvalsh(two_equal(q), 2 * np.eye(3))[0],
    "general": lambda q: np.min(np.real(linalg.eigvals(two_equal(q))) * np.array([1.0, 1.5, 1])),
    "general pair": lambda q: np.real(linalg.eigvals(two_equal(q), 2 * np.eye(3))[0]),
    "banded": lambda q: linalg.eigvals_banded(
        np.stack([q * np.array([0, 1.0, 1]), np.array([1.0, 1, 3])])
    )[0],
    "svdvals": lambda q: linalg.svdvals(two_equal(q))[1],
    "numpy.linalg.eigvalsh": lambda q: np.linalg.eigvalsh(two_equal(q))[0],
    "numpy.linalg.norm": lambda q: np.linalg.norm(two_equal(q) - 3 * np.eye(3), 2),
    "nuclear norm": lambda q: np.linalg.norm(two_equal(q) - np.eye(3), "nuc"),
}


@pytest.mark.parametrize("name", UNEVEN)
def test_second_derivatives_of_levels_that_split_are_refused(name: str) -> None:
    loss = UNEVEN[name]
    assert np.isfinite(grad(loss)(0.0))
    for second in (
        hessian(loss),
        jacrev(grad(loss)),
        lambda q: hvp(loss, (q,), (1.0,)),
        lambda q: vmap(hessian(loss))(q[None]),
    ):
        with pytest.raises(GaugeError, match=r"weighs the equal eigenvalues \d and \d differently"):
            second(np.array(0.0))


EVEN: dict[str, tuple[Any, Any]] = {
    "sum of squares": (lambda w: np.sum(w**2), lambda a: np.trace(a @ a)),
    "distance from 1": (lambda w: np.sum((w - 1) ** 2), lambda a: np.sum((a - np.eye(3)) ** 2)),
    "logdet": (lambda w: np.sum(np.log(w)), lambda a: np.linalg.slogdet(a)[1]),
    "steep": (
        lambda w: np.sum(np.exp(300 * (w - 1))),
        lambda a: np.trace(linalg.expm(300 * (a - np.eye(3)))),
    ),
    "all of one group": (lambda w: w[0] + w[1], lambda a: np.trace(a) - linalg.eigvalsh(a)[2]),
    "another one": (lambda w: w[2] ** 2, lambda a: linalg.eigvalsh(a)[2] ** 2),
    "product": (
        lambda w: np.prod(w) * w[0] * w[1],
        lambda a: linalg.det(a) ** 2 / linalg.eigvalsh(a)[2],
    ),
}
TWO = {
    name: q @ np.diag([1.0, 1, 1.25]) @ q.T
    for name, q in {"diagonal": np.eye(3), "rotated": ROTATION}.items()
}


@pytest.mark.parametrize("name", EVEN)
@pytest.mark.parametrize("matrix", TWO)
def test_second_derivatives_of_symmetric_functions_of_equal_ones_are_not(
    name: str, matrix: str
) -> None:
    of_values, of_matrix = EVEN[name]
    truth = hessian(lambda a: of_matrix((a + a.T) / 2))(TWO[matrix])
    for values in (linalg.eigvalsh, lambda a: linalg.eigh(a)[0], lambda a: linalg.svdvals(a)[::-1]):
        found = hessian(lambda a, values=values: of_values(values((a + a.T) / 2)))(TWO[matrix])
        assert np.abs(found - truth).max() < 1e-8 * np.abs(truth).max()


@pytest.mark.parametrize("matrix", [np.eye(3), ROTATION @ ROTATION.T])
def test_nor_are_they_at_a_minimum_where_cotangents_are_rounding(matrix: Any) -> None:
    found = hessian(lambda a: np.sum((linalg.eigvalsh((a + a.T) / 2) - 1) ** 2))(matrix)
    assert_close(found, hessian(lambda a: np.sum(((a + a.T) / 2) ** 2))(matrix), 1e-9)


def test_levels_that_split_have_one_sided_slopes_forwards_and_their_mean_in_reverse() -> None:
    a, t = np.diag([1.0, 1, 3]), np.diag([2.0, -1, 0])
    assert_close(jvp(linalg.eigvalsh, (a,), (t,))[1], np.array([-1.0, 2, 0]), 1e-12)
    assert_close(grad(lambda a: linalg.eigvalsh(a)[0])(a), np.diag([0.5, 0.5, 0]), 1e-12)


VALUES_AND_SLOPES: dict[str, Any] = {
    "svdvals": (linalg.svdvals, np.array([2.0, 1])),
    "norm 2": (lambda a: linalg.norm(a, 2, (-2, -1)), 2.0),
    "norm -2": (lambda a: linalg.norm(a, -2, (-2, -1)), 1.0),
    "cond": (linalg.cond, 1.0),
}


@pytest.mark.parametrize("name", VALUES_AND_SLOPES)
def test_equal_singular_values_have_their_one_sided_slopes_in_descending_order(name: str) -> None:
    f, truth = VALUES_AND_SLOPES[name]
    t = np.stack([np.diag([1.0, 2]), np.diag([2.0, 1]), np.array([[1.5, 0.5], [0.5, 1.5]])])
    each = np.stack([jvp(f, (np.eye(2),), (x,))[1] for x in t])
    assert_close(each, np.stack([truth] * 3), 1e-12)
    assert_close(vmap(lambda x: jvp(f, (np.eye(2),), (x,))[1])(t), each, 1e-12)
    assert_close(jvp(f, (np.stack([np.eye(2)] * 3),), (t,))[1], each, 1e-12)


def test_slopes_of_singular_values_are_those_of_svd() -> None:
    rng = np.random.default_rng(3)
    a, t = (
        np.linalg.qr(normal(rng, 6, 4, is_complex=True))[0] * np.array([3.0, 3, 1, 1]),
        normal(rng, 6, 4, is_complex=True),
    )
    for x, y in ((a, t), (np.conj(a).T, np.conj(t).T)):
        assert_close(
            jvp(linalg.svdvals, (x,), (y,))[1],
            jvp(lambda a: linalg.svd(a)[1], (x,), (y,))[1],
            1e-12,
        )


DEFECTIVE = np.array([[2.0, 1, 0], [0, 2, 0], [0, 0, 5]])
BOXED: dict[str, Any] = {
    "jacobian": lambda f, a: jacobian(f)(a),
    "jacrev": lambda f, a: jacrev(f)(a),
    "jacrev in chunks": lambda f, a: jacrev(f, chunk_size=2)(a),
    "jacfwd": lambda f, a: jacfwd(f)(a),
    "a pullback under vmap": lambda f, a: vmap(vjp(f, a)[1])(np.ones(1))[0][0],
}


@pytest.mark.parametrize("name", BOXED)
def test_what_splits_equal_singular_values_stays_in_the_transform(name: str) -> None:
    found = BOXED[name](linalg.expm_cond, DEFECTIVE)
    assert type(found) is np.ndarray
    assert_close(found, grad(linalg.expm_cond)(DEFECTIVE), 1e-12)


def test_it_stays_there_where_all_are_equal() -> None:
    assert type(jacobian(linalg.expm_cond)(np.eye(3))) is np.ndarray
    assert type(jacfwd(lambda a: linalg.subspace_angles(a[:, :2], TALL))(np.eye(3))) is np.ndarray


def test_the_nuclear_norm_is_linear_where_all_singular_values_are_equal() -> None:
    slope, t = (
        linearize(lambda a: linalg.norm(a, "nuc"), np.eye(3))[1],
        np.arange(9.0).reshape(3, 3) ** 2,
    )
    assert_close(slope(t), np.trace(t), 1e-12)
    assert_close(vmap(slope)(np.stack([t, -t])), np.trace(t) * np.array([1.0, -1]), 1e-12)
    with pytest.raises(GaugeError):
        linearize(lambda a: linalg.norm(a, 2), np.eye(3))[1](t)
