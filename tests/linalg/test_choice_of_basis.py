"""Losses that depend on the basis among equal eigenvalues or singular values are refused, and no
others.
"""

from typing import Any

import numpy as np
import pytest

from scigrad import GaugeError, checkpoint, grad, jvp, linalg, linearize, special, vjp, vmap
from scigrad.testing import assert_close
from scigrad.testing.draw import normal

DOUBLE, RING = np.diag([1.0, 1, 2]), 3 * np.eye(3) - np.ones((3, 3))


svd: Any = linalg.svd


def vectors_of_eig(a: Any) -> Any:
    return linalg.eig(a)[1]


def vectors(a: Any) -> Any:
    return linalg.eigh(a)[1]


def left(a: Any) -> Any:
    return linalg.svd(a)[0]


# -- losses that do not

rng = np.random.default_rng(7)
H = {c: normal(rng, 6, 6, is_complex=c) for c in (False, True)}
VALUES = np.array([1.0, 1, 1, 2, 3, 3])
SYMMETRIC = np.array([[2.0, 5], [5, 8]])


def unitary(is_complex: bool, n: int = 6) -> Any:
    return np.linalg.qr(normal(rng, n, n, is_complex=is_complex))[0]


def hermitian(a: Any) -> Any:
    return (a + np.conjugate(a).mT) / 2


def weighed(x: Any) -> Any:
    return np.sum(np.real(np.conjugate(H[x.dtype.kind == "c"]) * x))


def band(v: Any) -> Any:
    return v[..., :3]


def block(v: Any) -> Any:
    h = H[v.dtype.kind == "c"]
    return np.conjugate(band(v)).mT @ (h @ np.conjugate(h).mT) @ band(v)


def function(v: Any, w: Any) -> Any:
    return (v * np.exp(w)[..., None, :]) @ np.conjugate(v).mT


OF_VECTORS: dict[str, Any] = {
    "projector": lambda v, w: weighed(band(v) @ np.conjugate(band(v)).mT),
    "sums of groups": lambda v, w: np.sum(w * np.abs(H[v.dtype.kind == "c"][0] @ v) ** 2),
    "function": lambda v, w: weighed(function(v, w)),
    "function, twice": lambda v, w: np.sum(np.abs(function(v, w) + H[False]) ** 3),
    "sizes of a function": lambda v, w: np.sum(np.abs(function(v, w))),
    "slogdet of a block": lambda v, w: np.linalg.slogdet(block(v))[1],
    "eigvalsh of a block": lambda v, w: np.sum(linalg.eigvalsh(block(v)) ** 1.5),
    "largest eigenvalue of a block": lambda v, w: linalg.eigvalsh(block(v))[..., -1].sum(),
    "svdvals": lambda v, w: np.sum(linalg.svdvals(H[v.dtype.kind == "c"][:4] @ band(v))),
    "norm": lambda v, w: np.sum(np.abs(v) ** 2) + np.sum(w**2),
}


def agree(loss: Any, a: Any, direction: Any) -> None:
    found, truth = grad(loss)(a), jvp(loss, (a,), (direction,))[1]
    size = np.linalg.norm(found) * np.linalg.norm(direction) + 1e-3
    assert abs(np.real(np.vdot(found, direction)) - truth) < 1e-10 * size
    other = (a + np.eye(*a.shape) * np.arange(float(a.shape[1]))).astype(a.dtype)
    for several in (vmap(grad(loss)), grad(lambda x: np.sum(vmap(loss)(x)))):
        assert_close(several(np.stack([a, other]))[0], found, 1e-9, 1e-9)


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("name", OF_VECTORS)
def test_losses_of_eigh_that_do_not_depend_on_the_basis_have_their_gradient(
    name: str, is_complex: bool
) -> None:
    q, t = unitary(is_complex), hermitian(H[is_complex])
    agree(
        lambda a: OF_VECTORS[name](*linalg.eigh(hermitian(a))[::-1]),
        hermitian((q * VALUES) @ np.conjugate(q).T),
        t,
    )


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("name", OF_VECTORS)
@pytest.mark.parametrize("full", [False, True])
def test_losses_of_svd_that_do_not_depend_on_the_basis_have_their_gradient(
    name: str, is_complex: bool, full: bool
) -> None:
    def loss(a: Any) -> Any:
        u, s, vh = svd(a, full_matrices=full)
        mixed = np.sum(np.abs(((u[..., :5] * s[..., None, :]) @ vh)[..., :3]) ** 2)
        return OF_VECTORS[name](u[..., :5], s) + (mixed if name == "norm" else 0)

    s = np.array([3.0, 3, 3, 1, 1])
    agree(loss, (unitary(is_complex)[:, :5] * s) @ unitary(is_complex, 5), H[is_complex][:, :5])


AT_ZERO: dict[str, Any] = {
    "function": lambda u, s, vh: np.sum(
        np.abs((u[..., :5] * np.sinh(s)[..., None, :]) @ vh[..., :5, :] + H[False][:, :5]) ** 3
    ),
    "of its square": lambda u, s, vh: weighed(
        function(u[..., :5], s**2) - u[..., :5] @ np.conjugate(u[..., :5]).mT
    ),
    "range": lambda u, s, vh: np.linalg.slogdet(block(u))[1],
    "sizes of the projector on the range": lambda u, s, vh: np.sum(
        np.abs(band(u) @ np.conjugate(band(u)).mT)
    ),
    "null space": lambda u, s, vh: np.sum(
        np.abs(np.conjugate(vh[..., 3:, :]).mT @ vh[..., 3:, :] + H[False][0, 1:]) ** 3
    ),
    "rest of the space": lambda u, s, vh: np.sum(
        np.abs(u[..., 3:] @ np.conjugate(u[..., 3:]).mT + H[False][0]) ** 3
    ),
}


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("name", AT_ZERO)
def test_losses_of_svd_at_matrices_without_full_rank(name: str, is_complex: bool) -> None:
    q, p = unitary(is_complex), unitary(is_complex, 5)
    a = (q[:, :5] * np.array([3.0, 3, 1, 0, 0])) @ p
    # keeps the rank
    t = q @ np.diag([1.0, 1, 1, 0, 0, 0]) @ np.conjugate(q).T @ H[is_complex][:, :5]
    t = t + H[is_complex] @ a
    for full in (False, True):
        if name == ("of its square" if full else "rest of the space"):
            continue

        def loss(a: Any, full: bool = full) -> Any:
            return AT_ZERO[name](*linalg.svd(a, full_matrices=full))

        found = grad(loss)(a)
        size = np.linalg.norm(found) * np.linalg.norm(t)
        assert abs(np.real(np.vdot(found, t)) - jvp(loss, (a,), (t,))[1]) < 1e-10 * size


@pytest.mark.parametrize("gap", [0, 1e-12])
@pytest.mark.parametrize("name", OF_VECTORS)
def test_infinitesimals_pass_through_transforms_inside_of_a_loss_and_do_not_leave_it(
    name: str, gap: float
) -> None:
    q = unitary(False)
    a = hermitian((q * (VALUES + gap * np.arange(6))) @ q.T)

    def loss(a: Any) -> Any:
        return OF_VECTORS[name](*linalg.eigh(hermitian(a))[::-1])

    def inside(a: Any) -> Any:
        return checkpoint(OF_VECTORS[name])(*linalg.eigh(hermitian(a))[::-1])

    assert_close(grad(inside)(a), grad(loss)(a), 1e-9, 1e-9)
    (w, v), _ = vjp(linalg.eigh, a)
    assert type(w) is type(v) is np.ndarray
    (w, v), _ = linearize(linalg.eigh, a)
    assert type(w) is type(v) is np.ndarray


# Functions with several results, of equal eigenvalues 2: f and its derivative there.
SEVERAL: dict[str, Any] = {
    "sici": (lambda w: special.sici(w)[0], np.sin(2) / 2),
    "airy": (lambda w: special.airy(w)[1], 2 * special.airy(2.0)[0]),
    "ellipj": (
        lambda w: special.ellipj(w, 0.3)[0],
        float(special.ellipj(2.0, 0.3)[1] * special.ellipj(2.0, 0.3)[2]),
    ),
    "slogdet": (lambda w: np.linalg.slogdet(w[:, None, None])[1], 0.5),
    "lu": (lambda w: linalg.lu(w[:, None, None])[2][:, 0, 0], 1.0),
    "qr": (lambda w: linalg.qr(w[:, None, None])[1][:, 0, 0] ** 2, 4.0),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_functions_with_several_results_pass_each_its_infinitesimal(name: str) -> None:
    f, slope = SEVERAL[name]

    def loss(a: Any) -> Any:
        w, v = linalg.eigh((a + a.T) / 2)
        return np.sum(SYMMETRIC * ((v * f(w)) @ v.T))

    assert_close(grad(loss)(2 * np.eye(2)), slope * SYMMETRIC, 1e-12)


def eig_loss(name: str, a: Any) -> Any:
    w, v = linalg.eig(a)
    near_3 = np.abs(w - 3) < 1e-3
    if name == "projector":
        return weighed(
            np.real((v * near_3) @ linalg.inv(v))
            if np.isrealobj(a)
            else (v * near_3) @ linalg.inv(v)
        )
    out = (v * np.exp(w)[..., None, :]) @ linalg.inv(v)
    return (
        np.sum(np.abs(out) ** 3)
        if name == "sizes"
        else weighed(np.real(out) if np.isrealobj(a) else out)
    )


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("name", ["projector", "function", "sizes"])
def test_losses_of_eig_that_do_not_depend_on_the_basis_have_their_gradient(
    name: str, is_complex: bool
) -> None:
    p = unitary(is_complex) * np.linspace(1, 2, 6) @ unitary(is_complex)
    a, t = p @ np.diag(VALUES) @ np.linalg.inv(p), H[is_complex]
    found, truth = (
        grad(lambda a: eig_loss(name, a))(a),
        jvp(lambda a: eig_loss(name, a), (a,), (t,))[1],
    )
    assert abs(np.real(np.vdot(found, t)) - truth) < 1e-9 * np.linalg.norm(found) * np.linalg.norm(
        t
    )


# trace(v w^4 v^-1), whose cotangent of v is rounding alone
CANCELLING: dict[str, Any] = {
    "eig": lambda a: linalg.eig(a),
    "eigh": lambda a: linalg.eigh(hermitian(a)),
    "svd": lambda a: linalg.svd(a)[1::-1],
}


@pytest.mark.parametrize("values", [VALUES, np.arange(1.0, 7)])
@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("name", CANCELLING)
def test_losses_whose_cotangents_of_vectors_cancel_are_not_refused(
    name: str, is_complex: bool, values: Any
) -> None:
    q = unitary(is_complex)
    a = q * values @ np.conjugate(q).T
    a = normal(rng, 6, 6, is_complex=is_complex) if name == "eig" and values[1] == 2 else a

    def loss(a: Any) -> Any:
        w, v = CANCELLING[name](a)
        return np.real(np.trace((v * w**4) @ linalg.inv(v)))

    truth = 4 * np.conjugate(np.linalg.matrix_power(a, 3)).T
    assert np.abs(grad(loss)(a) - truth).max() < 1e-12 * np.abs(truth).max()


@pytest.mark.parametrize("name", CANCELLING)
def test_phases_beside_such_losses_are_refused(name: str) -> None:
    def loss(a: Any) -> Any:
        w, v = CANCELLING[name](a)
        return np.real(np.sum(w**4) + 1e-6 * np.sum(np.real(v) + np.imag(v)))

    with pytest.raises(GaugeError, match="phase"):
        grad(loss)(hermitian(H[True]) + np.diag(np.arange(6)))


# v f(s) v^H with values of a second decomposition: their infinitesimal belongs to another basis
# than that of v
SECOND_VALUES: dict[str, Any] = {
    "eigvalsh": linalg.eigvalsh,
    "eigh": lambda a: linalg.eigh(a)[0],
    "eigvals": lambda a: np.real(linalg.eigvals(a)),
    "eig": lambda a: np.real(linalg.eig(a)[0]),
    "svd": lambda a: linalg.svd(a)[1],
    "svdvals": linalg.svdvals,
    "numpy.linalg.svdvals": np.linalg.svdvals,
    "lstsq": lambda a: linalg.lstsq(a, np.ones(len(a)))[3],
}


@pytest.mark.parametrize("of_vectors", [vectors, left])
@pytest.mark.parametrize("name", SECOND_VALUES)
def test_vectors_with_the_values_of_another_call_are_refused(name: str, of_vectors: Any) -> None:
    def loss(a: Any) -> Any:
        a = (a + a.T) / 2
        v, s = of_vectors(a), SECOND_VALUES[name](a)
        return np.sum(SYMMETRIC * ((v * s**3) @ v.T))

    with pytest.raises(GaugeError, match="are equal"):
        grad(loss)(2 * np.eye(2))


@pytest.mark.parametrize("of_vectors", [vectors, left])
@pytest.mark.parametrize("name", SECOND_VALUES)
def test_projectors_with_the_values_of_another_call_are_not_refused(
    name: str, of_vectors: Any
) -> None:
    def loss(a: Any) -> Any:
        a, h = (a + a.T) / 2, np.arange(9.0).reshape(3, 3)
        v, s = of_vectors(a), SECOND_VALUES[name](a)
        equal = v[:, :2] if of_vectors is vectors else v[:, 1:]
        first = linalg.eigvalsh(h @ h.T + equal @ equal.T)
        return np.sum(h * (equal @ equal.T)) * np.sum(s**3) + np.sum(np.exp(s)) * np.sum(first**2)

    a, t = 3 * np.eye(3) - RING / 4, np.array([[1.0, 2, 3], [2, 0, 1], [3, 1, 4]])
    assert_close(np.sum(grad(loss)(a) * t), jvp(loss, (a,), (t,))[1], 1e-9)
