"""Accuracy over the room: LAPACK's residual ratios, exact scaling by powers of two, many small
systems at once.
"""

import functools
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, hessian, value_and_grad, vjp, vmap
from scigrad import linalg as room
from scigrad.testing import assert_close, draw

linalg: Any = room  # what comes back depends on options, which a type checker cannot follow
EPS = np.finfo(float).eps
LIMIT = 30  # what LAPACK's own tests allow
DTYPES = ("float64", "complex128")
rng = np.random.default_rng(7)


def normal(dtype, *shape):
    return draw.normal(rng, *shape, dtype=dtype)


def hermitian(dtype, n):
    x = normal(dtype, n, n)
    return x + x.conj().T


def one_norm(x):
    return np.abs(x).sum(axis=-2).max()


def ratio(residual, *sizes):
    return one_norm(residual) / (
        np.prod([one_norm(x) if np.ndim(x) > 1 else x for x in sizes]) * EPS
    )


def both_ways(function: Any, *arrays: Any) -> Any:
    """The values for plain arrays, and those that a transform computes."""
    return function(*arrays), vjp(function, *arrays)[0]


# -- residuals: matrices of order 30 and 300, well-conditioned, graded and nearly singular

ORDERS = (30, 300)


def graded(dtype, n):
    return normal(dtype, n, n) * np.logspace(0, -6, n)


def nearly_singular(dtype, n):
    u, _, vh = np.linalg.svd(normal(dtype, n, n))
    return (u * np.logspace(0, -12, n)) @ vh


MATRICES = {
    "random": lambda dtype, n: normal(dtype, n, n),
    "graded": graded,
    "nearly singular": nearly_singular,
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("n", ORDERS)
def test_general_systems(n, kind, dtype):
    a, b = MATRICES[kind](dtype, n), normal(dtype, n, 2)
    for x in both_ways(linalg.solve, a, b):
        assert ratio(b - a @ x, a, x) < LIMIT
    for x in both_ways(lambda a: linalg.solve(a, b[:, 0]), a):
        assert ratio((b[:, 0] - a @ x)[:, None], a, x[:, None]) < LIMIT
    for x in both_ways(linalg.inv, a):
        condition = one_norm(a) * one_norm(x)
        assert ratio(a @ x - np.eye(n), n, condition) < LIMIT


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "structure",
    ["sym", "her", "pos", "tridiagonal", "banded", "upper triangular", "lower triangular"],
)
def test_structured_systems(structure, dtype):
    n = 100
    whole = {
        "sym": lambda: normal(dtype, n, n) + 0,
        "her": lambda: hermitian(dtype, n),
        "pos": lambda: hermitian(dtype, n) @ hermitian(dtype, n).conj().T + n * np.eye(n),
        "tridiagonal": lambda: np.tril(np.triu(normal(dtype, n, n), -1), 1),
        "banded": lambda: np.tril(np.triu(normal(dtype, n, n), -2), 3),
        "upper triangular": lambda: np.triu(normal(dtype, n, n)) + n * np.eye(n),
        "lower triangular": lambda: np.tril(normal(dtype, n, n)) + n * np.eye(n),
    }[structure]()
    if structure == "sym":
        whole = whole + whole.T
    elif structure == "pos":
        half = normal(dtype, n, n)
        whole = half @ half.conj().T + np.eye(n)
    b = normal(dtype, n, 2)
    for x in both_ways(lambda a: linalg.solve(a, b, assume_a=structure), whole):
        assert ratio(b - whole @ x, whole, x) < LIMIT


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [False, True])
def test_cholesky_and_the_systems_it_solves(lower, dtype):
    n = 200
    half = normal(dtype, n, n)
    a, b = half @ half.conj().T + np.eye(n), normal(dtype, n, 2)
    for c in both_ways(lambda a: linalg.cholesky(a, lower=lower), a):
        product = c @ c.conj().T if lower else c.conj().T @ c
        assert ratio(a - product, n, a) < LIMIT
        for x in both_ways(lambda c, b: linalg.cho_solve((c, lower), b), c, b):
            assert ratio(b - a @ x, a, x) < LIMIT
        for x in both_ways(lambda c, b: linalg.solve_triangular(c, b, lower=lower), c, b):
            assert ratio(b - c @ x, c, x) < LIMIT


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", ORDERS)
def test_hermitian_eigenvalues(n, dtype):
    a, half = hermitian(dtype, n), normal(dtype, n, n)
    b = half @ half.conj().T + n * np.eye(n)
    for w, v in both_ways(linalg.eigh, a):
        assert ratio(a @ v - v * w, n, a) < LIMIT
        assert ratio(v.conj().T @ v - np.eye(n), n) < LIMIT
    for w, v in both_ways(linalg.eigh, a, b):
        assert ratio(a @ v - b @ v * w, n, a, v) < LIMIT


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(300, 40), (40, 300), (60, 50), (50, 50)])
@pytest.mark.parametrize("rank", ["full", "deficient"])
def test_least_squares(shape, rank, dtype):
    m, n = shape
    a = normal(dtype, m, n) if rank == "full" else normal(dtype, m, 9) @ normal(dtype, 9, n)
    b, cutoff = normal(dtype, m, 2), 1e-10
    for x in both_ways(lambda a, b: linalg.lstsq(a, b, cond=cutoff)[0], a, b):
        r = b - a @ x
        assert one_norm(a.conj().T @ r) / (max(m, n) * one_norm(a) * one_norm(b) * EPS) < LIMIT
        _, s, vh = np.linalg.svd(a)
        # the shortest solution has no part in the null space
        beyond = vh[(s > cutoff * s[0]).sum() :]
        assert one_norm(beyond @ x) <= LIMIT * max(m, n) * EPS * one_norm(x) * (
            s[0] / s[s > cutoff * s[0]].min()
        )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(60, 60), (90, 40), (40, 90)])
def test_factors_of_rectangular_matrices(shape, dtype):
    a, (m, n) = normal(dtype, *shape), shape
    for p, lower, upper in both_ways(linalg.lu, a):
        assert ratio(a - p @ lower @ upper, min(m, n), a) < LIMIT
    for q, r in both_ways(lambda a: linalg.qr(a, mode="economic"), a):
        assert ratio(a - q @ r, max(m, n), a) < LIMIT
        assert ratio(q.conj().T @ q - np.eye(min(m, n)), max(m, n)) < LIMIT
    for r, q in both_ways(lambda a: linalg.rq(a, mode="economic"), a):
        assert ratio(a - r @ q, max(m, n), a) < LIMIT
    for u, s, vh in both_ways(lambda a: linalg.svd(a, full_matrices=False), a):
        assert ratio(a - u * s @ vh, max(m, n), a) < LIMIT
        assert ratio(u.conj().T @ u - np.eye(min(m, n)), max(m, n)) < LIMIT


@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_of_square_matrices(dtype):
    n = 80
    a, s = normal(dtype, n, n), hermitian(dtype, n)
    for lower, d, _ in both_ways(lambda a: linalg.ldl(a), s):
        assert ratio(s - lower @ d @ lower.conj().T, n, s) < LIMIT
    for u, p in both_ways(linalg.polar, a):
        assert ratio(a - u @ p, n, a) < LIMIT
        assert ratio(u.conj().T @ u - np.eye(n), n) < LIMIT
    for w, v in both_ways(linalg.eig, a):
        assert ratio(a @ v - v * w, n, a, v) < LIMIT


# -- scaling: multiplying by 2^k multiplies every derivative by a power of two, to the last bit, and
# nothing over- or underflows

POWERS = (-500, -250, -38, 38, 250, 500)
A = np.array([[4.0, 1.0, -0.5], [0.3, 3.0, 0.7], [-0.2, 0.6, 2.5]])
S = A + A.T
B = np.array([1.0, -2.0, 0.5])
W = np.array([[0.3, -1.0, 0.2], [0.7, 0.4, -0.6], [0.1, 0.9, 1.1]])
TALL = np.vstack([A, W])
BAND = np.array([[0.0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [1, 2, 1, 2, 0]])
HALF, FIVE = BAND[1:], np.arange(1.0, 6)


def projector(q):
    return q @ q.T


# loss(a, scale) of a matrix multiplied by `scale`, and the degree in which it grows with scale
SCALED = {
    "solve": (lambda a, scale: W[0] @ linalg.solve(a, scale * B), A, 0),
    "solve_triangular": (lambda a, scale: W[0] @ linalg.solve_triangular(a, scale * B), A, 0),
    "solve_banded": (lambda a, scale: FIVE @ linalg.solve_banded((1, 1), a, scale * FIVE), BAND, 0),
    "solveh_banded": (
        lambda a, scale: FIVE @ linalg.solveh_banded(a, scale * FIVE, lower=True),
        HALF,
        0,
    ),
    "solve_toeplitz": (lambda a, scale: B @ linalg.solve_toeplitz((a[0], a[1]), scale * B), A, 0),
    "solve_circulant": (lambda a, scale: B @ linalg.solve_circulant(a[0], scale * B), A, 0),
    "lu_solve": (lambda a, scale: B @ linalg.lu_solve(linalg.lu_factor(a), scale * B), A, 0),
    "cho_solve": (lambda a, scale: B @ linalg.cho_solve(linalg.cho_factor(a), scale * B), S, 0),
    "ldl_solve": (lambda a, scale: B @ linalg.ldl_solve(*linalg.ldl_factor(a), scale * B), S, 0),
    "factorized": (lambda a, scale: linalg.factorized(a).logdet(), A, 0),
    "inv": (lambda a, scale: np.sum(W * (scale * linalg.inv(a))), A, 0),
    "slogdet": (lambda a, scale: linalg.slogdet(a)[1], A, 0),
    "det": (lambda a, scale: linalg.det(a), A[:2, :2], 2),
    "eigvalsh": (lambda a, scale: B @ linalg.eigvalsh(a), S, 1),
    "eigh": (lambda a, scale: np.sum(W * projector(linalg.eigh(a)[1][:, :1])), S, 0),
    "eigh of a pair": (
        lambda a, scale: B @ linalg.eigh(a, scale * S, eigvals_only=True),
        S + W + W.T,
        0,
    ),
    "eigvals_banded": (lambda a, scale: FIVE @ linalg.eigvals_banded(a, lower=True), HALF, 1),
    "eig_banded, some": (
        lambda a, scale: np.sum(
            linalg.eig_banded(a, True, select="i", select_range=(0, 1))[1] ** 4
        ),
        HALF,
        0,
    ),
    "eigvals": (lambda a, scale: B @ np.real(linalg.eigvals(a)), A, 1),
    "eig": (lambda a, scale: np.sum(W * np.abs(linalg.eig(a)[1]) ** 4), A, 0),
    "schur": (lambda a, scale: B @ np.diagonal(linalg.schur(a)[0]), A, 1),
    "hessenberg": (lambda a, scale: np.sum(W * np.abs(linalg.hessenberg(a))), A, 1),
    "norm": (lambda a, scale: linalg.norm(a), A, 1),
    "norm, 1": (lambda a, scale: linalg.norm(a, 1), A, 1),
    "norm, 3": (lambda a, scale: linalg.norm(a[0], 3), A, 1),
    "norm, nuc": (lambda a, scale: linalg.norm(a, "nuc"), A, 1),
    "norm, 2": (lambda a, scale: linalg.norm(a, 2), A, 1),
    "norm, -2": (lambda a, scale: linalg.norm(a, -2), A, 1),
    "cond": (lambda a, scale: linalg.cond(a), A, 0),
    "cond, 1": (lambda a, scale: linalg.cond(a, 1), A, 0),
    "lstsq": (lambda a, scale: W[0] @ linalg.lstsq(a, scale * np.concatenate([B, B]))[0], TALL, 0),
    "pinv": (lambda a, scale: np.sum(W * (scale * linalg.pinv(a))[:, :3]), TALL, 0),
    "pinvh": (lambda a, scale: np.sum(W * (scale * linalg.pinvh(a))), S, 0),
    "cholesky": (lambda a, scale: np.sum(W * linalg.cholesky(a, lower=True)), S, 0.5),
    "cholesky_banded": (
        lambda a, scale: np.sum(FIVE * linalg.cholesky_banded(a, lower=True)),
        HALF,
        0.5,
    ),
    "ldl": (lambda a, scale: np.sum(W * linalg.ldl(a)[1]), S, 1),
    "svdvals": (lambda a, scale: B @ linalg.svdvals(a), A, 1),
    "svd": (lambda a, scale: np.sum(W * projector(linalg.svd(a)[0][:, :1])), A, 0),
    "orth": (lambda a, scale: np.sum(projector(linalg.orth(a))[:3, 3:] * W), TALL, 0),
    "null_space": (lambda a, scale: np.sum(projector(linalg.null_space(a.T))[:3, 3:] * W), TALL, 0),
    "polar": (lambda a, scale: np.sum(W * linalg.polar(a)[0]), A, 0),
    "orthogonal_procrustes": (
        lambda a, scale: np.sum(W * linalg.orthogonal_procrustes(a, W)[0]),
        A,
        0,
    ),
    "qr": (lambda a, scale: np.sum(W * linalg.qr(a)[1]), A, 1),
    "rq": (lambda a, scale: np.sum(W * linalg.rq(a)[0]), A, 1),
    "lu": (lambda a, scale: np.sum(W * linalg.lu(a)[2]), A, 1),
    "lu_factor": (lambda a, scale: np.sum(np.triu(W * linalg.lu_factor(a)[0])), A, 1),
    "sqrtm": (lambda a, scale: np.sum(W * linalg.sqrtm(a)), A, 0.5),
    "signm": (lambda a, scale: np.sum(W * linalg.signm(a)), A - 3 * np.eye(3), 0),
    "solve_sylvester": (
        lambda a, scale: np.sum(W * linalg.solve_sylvester(a, a.T, scale * W)),
        A,
        0,
    ),
    "solve_continuous_lyapunov": (
        lambda a, scale: np.sum(W * linalg.solve_continuous_lyapunov(a, scale * W)),
        A,
        0,
    ),
}
# Up to which |k| every bit is the same, where LAPACK compares with a fixed number; beyond, digits
# of the size of rounding differ.
BITWISE = {
    # the eigenvalues of [[0, a], [a^H, 0]] in second order: steqr adds the smallest normal number
    # to squares of entries
    **dict.fromkeys(("norm, nuc", "norm, 2", "norm, -2", "cond", "svdvals", "eigvals_banded"), 400),
    # beyond 2^458 gesdd multiplies the matrix by a number that is no power of two
    **dict.fromkeys(("lstsq", "orthogonal_procrustes"), 450),
    # lanv2, which ends every real Schur form, compares an entry with 4 eps
    **dict.fromkeys(
        ("eigvals", "eig", "schur", "solve_sylvester", "solve_continuous_lyapunov"), 40
    ),
    "eig_banded, some": 0,  # stein compares a pivot with eps
}


@functools.cache
def unscaled(name):
    loss, a, _ = SCALED[name]
    return grad(lambda a: loss(a, 1.0))(a), hessian(lambda a: loss(a, 1.0))(a)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("name", SCALED)
def test_derivatives_scale_by_powers_of_two(name, power):
    loss, a, degree = SCALED[name]
    scale = 2.0**power
    for order, derivative, expected in zip((1, 2), (grad, hessian), unscaled(name), strict=True):
        found = np.ldexp(
            derivative(lambda a: loss(a, scale))(scale * a), -int(power * (degree - order))
        )
        assert np.isfinite(found).all()
        if abs(power) <= BITWISE.get(name, 500):
            assert np.array_equal(found, expected)
        else:
            assert_close(found, expected, 1e-13)


# -- many small systems at once


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
def test_stacks_are_as_accurate_as_lapack(n, dtype):
    count = 300
    a, b, w = normal(dtype, count, n, n), normal(dtype, count, n, 2), normal(dtype, count, n, 2)
    x = vjp(linalg.solve, a, b)[0]
    residual = np.abs(b - a @ x).max(axis=(1, 2)) / (
        np.abs(a).sum(axis=(1, 2)) * np.abs(x).max(axis=(1, 2)) * EPS
    )
    assert residual.max() < LIMIT
    by_a, by_b = grad(lambda a, b: np.sum(np.real(w.conj() * linalg.solve(a, b))), argnums=(0, 1))(
        a, b
    )
    adjoint = np.linalg.solve(a.conj().mT, w)
    assert_close(by_b, adjoint, 1e-8)
    assert_close(by_a, -adjoint @ np.linalg.solve(a, b).conj().mT, 1e-8)
    assert_close(
        vmap(lambda a, b: grad(lambda a: np.sum(np.real(linalg.solve(a, b) ** 2)))(a))(a, b),
        grad(lambda a: np.sum(np.real(linalg.solve(a, b) ** 2)))(a),
        1e-10,
    )


def test_stacks_interchange_rows_and_serve_several_right_hand_sides():
    a = np.tile(np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 3.0], [4.0, 1.0, 0.0]]), (300, 1, 1))
    b = rng.standard_normal((5, 300, 3, 1))
    x, pull = vjp(lambda a: linalg.solve(a, b), a)
    assert_close(a @ x, b, 1e-13)
    expected = -(
        np.linalg.solve(np.broadcast_to(a.mT, (5, 300, 3, 3)), np.ones_like(b)) @ x.mT
    ).sum(axis=0)
    assert_close(pull(np.ones_like(b))[0], expected, 1e-12)


def test_failures_in_a_stack():
    a, b = np.tile(np.eye(3), (300, 1, 1)), np.ones((300, 3, 1))
    a[7, 1] = a[7, 0]  # the second pivot is 0
    a[9, 2, 2] = np.nan
    with pytest.raises(np.linalg.LinAlgError, match=r"batch index \(7,\): pivot 2"):
        grad(lambda a: np.sum(linalg.solve(a, b, check_finite=False)))(a)
    x, info = linalg.solve(a, b, on_fail="info")
    assert info[7] == 2
    assert info[9] == -1
    assert np.count_nonzero(info) == 2
    assert np.isnan(x[[7, 9]]).all()
    assert_close(np.delete(x, [7, 9], axis=0), np.ones((298, 3, 1)), 1e-15)
    a[7], a[9] = np.diag([1, 1, 1e-17]), np.eye(3)
    with pytest.warns(scipy.linalg.LinAlgWarning, match=r"batch index \(7,\)"):
        value_and_grad(lambda a: np.sum(linalg.solve(a, b)))(a)


# -- the condition of large matrices is estimated by our own solves


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_large_ill_conditioned_matrix_warns_and_a_scaled_one_does_not(dtype):
    n = 250
    u, _, vh = np.linalg.svd(normal(dtype, n, n))
    a, b = (u * np.logspace(0, -18, n)) @ vh, normal(dtype, n)
    with pytest.warns(scipy.linalg.LinAlgWarning, match="Ill-conditioned"):
        vjp(lambda a: linalg.solve(a, b), a)
    vjp(lambda a: linalg.solve(a, b), 2.0**-500 * (u * np.logspace(0, -10, n)) @ vh)
