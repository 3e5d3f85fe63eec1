"""factorized: a factorization that is kept, against solve, slogdet and lstsq; how often it factors;
failures; scales.
"""

from functools import partial

import numpy as np
import pytest

from scigrad import grad, hvp, jvp, linalg, value_and_grad, vmap
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import check_forward, check_law

LinAlgError = np.linalg.LinAlgError
rng = np.random.default_rng(23)
random = partial(normal, rng)


def regular(n, batch=(), kind=float):
    return random(*batch, n, n, dtype=kind) + 2 * np.sqrt(n) * np.eye(n)


CASES = [(None, "LU", "getrf"), ("gen", "LU", "getrf"), ("pos", "Cholesky", "potrf"),
    ("sym", "LDL", "sytrf"),
         ("her", "LDL", "sytrf"), ("upper triangular", "triangular", None),
         ("diagonal", "diagonal", None)]  # fmt: skip


@pytest.mark.parametrize(("assume_a", "kind", "expected"), CASES)
def test_one_factorization_for_solves_logarithm_and_derivatives(counted, assume_a, kind, expected):
    a, b = regular(5), random(5)
    a = a if kind == "LU" else a + a.T + 3 * np.eye(5)

    def loss(a, b):
        f = linalg.factorized(a, assume_a=assume_a)
        assert f.kind == kind
        return np.sum(f.solve(b) ** 2) + np.sum(f.solve(b, adjoint=True) ** 3) + f.logdet()

    value_and_grad(loss, (0, 1))(a, b)
    assert counted == ([expected] if expected else [])
    counted.clear()
    hvp(loss, (a, b), (a, b))
    assert counted == ([expected] if expected else [])


@pytest.mark.parametrize(("assume_a", "kind", "expected"), CASES)
@pytest.mark.parametrize("number", [float, complex])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_it_solves_as_solve_does_and_is_differentiated_so(assume_a, kind, expected, number, batch):
    a, b = regular(4, batch, number), random(4, 2, dtype=number)

    def kept(a, b):
        f = linalg.factorized(a, assume_a=assume_a, lower=True)
        return f.solve(b), f.solve(b, adjoint=True), f.logdet()

    def truth(a, b):
        low = np.tril(a, -1)
        structure = {
            "pos": low + np.conj(low.mT) + np.real(a) * np.eye(4), "sym": low + np.tril(a).mT,
            "upper triangular": np.triu(a), "diagonal": a * np.eye(4),
        }  # fmt: skip
        m = structure.get("pos" if assume_a == "her" else assume_a, a)
        return linalg.solve(m, b), linalg.solve(np.conj(m).mT, b), linalg.slogdet(m).logabsdet

    assert_close(kept(a, b), truth(a, b), 1e-10)
    t = random(*a.shape, dtype=number), random(*b.shape, dtype=number)
    assert_close(jvp(kept, (a, b), t), jvp(truth, (a, b), t), 1e-9)
    check_law(kept, (a, b), 1e-9)
    gradient = lambda f: grad(lambda a, b: sum(np.sum(np.abs(x) ** 2) for x in f(a, b)), (0, 1))(  # noqa: E731
        a, b
    )
    assert_close(gradient(kept), gradient(truth), 1e-8)


def test_what_a_matrix_looks_like():
    a = regular(4)
    for matrix, kind in (
        (a @ a.T, "Cholesky"),
        (a + a.T - 9 * np.eye(4), "LDL"),
        (np.tril(a), "triangular"),
        (a, "LU"),
        (np.diag(np.diag(a)), "diagonal"),
        (a[:, :2], "QR"),
    ):
        assert linalg.factorized(matrix).kind == kind
    assert repr(linalg.factorized(a)) == "<LU factorization of shape (4, 4)>"


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 2)])
@pytest.mark.parametrize("number", [float, complex])
def test_rectangular_matrices_are_solved_by_qr(shape, number):
    a, b, c = (
        random(*shape, dtype=number),
        random(shape[-2], 2, dtype=number),
        random(shape[-1], dtype=number),
    )

    def kept(a, b, c):
        f = linalg.factorized(a)
        assert f.kind == "QR"
        return f.solve(b), f.solve(c, adjoint=True)

    def truth(a, b, c):
        return linalg.pinv(a) @ b, (linalg.pinv(np.conj(a).mT) @ c[:, None])[..., 0]

    assert_close(kept(a, b, c), truth(a, b, c), 1e-10)
    t = tuple(random(*x.shape, dtype=number) for x in (a, b, c))
    assert_close(jvp(kept, (a, b, c), t), jvp(truth, (a, b, c), t), 1e-9)
    check_law(kept, (a, b, c), 1e-9)
    check_forward(lambda a: grad(lambda a: np.sum(np.abs(kept(a, b, c)[0]) ** 2))(a), (a,), 1e-5)
    with pytest.raises(ValueError, match="not square"):
        linalg.factorized(a).logdet()


def test_shapes_and_structures_that_do_not_fit():
    a = regular(3)
    for b in (np.ones(2), np.ones((2, 3)), np.array(1.0)):
        with pytest.raises(ValueError, match="incompatible shapes"):
            linalg.factorized(a).solve(b)
    with pytest.raises(ValueError, match="recognized matrix structure"):
        linalg.factorized(a, assume_a="round")
    with pytest.raises(ValueError, match="infs or NaNs"):
        linalg.factorized(a * np.nan)
    with pytest.raises(
        LinAlgError,
        match=r"factorized: argument 'a' of shape \(2, 3, 3\) is singular at batch index \(1,\)",
    ):
        linalg.factorized(np.stack([a, 0 * a]))
    with pytest.raises(LinAlgError, match="not positive definite"):
        linalg.factorized(-a @ a.T, assume_a="pos")
    with pytest.raises(LinAlgError, match="dependent"):
        linalg.factorized(np.ones((3, 2)))


@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_failures_spare_their_neighbors(backend):
    good = regular(3, (3,))
    a = good.copy()
    a[1], a[2, 0, 0] = 0, np.nan
    f = linalg.factorized(make_array(a, backend), on_fail="info")
    info, x = to_host((f.info, f.solve(make_array(np.ones(3), backend))))
    assert (info != 0).tolist() == [False, True, True]
    assert_close(x[0], linalg.solve(good[0], np.ones(3)), 1e-12)
    assert np.isnan(x[1:]).all()
    tall = np.stack([good[0][:, :2], np.ones((3, 2))])
    g = linalg.factorized(make_array(tall, backend), on_fail="nan")
    assert to_host(g.info).tolist() == [0, 1]
    assert np.isnan(to_host(g.solve(make_array(np.ones(3), backend)))[1]).all()
    if backend == "numpy":
        assert np.isnan(f.logdet()).tolist() == [False, True, True]
        found = vmap(lambda a: linalg.factorized(a, on_fail="nan").info)(a)
        assert found.tolist() == [0, 1, -1]


def test_on_a_device():
    a, b = regular(4), random(4)

    def loss(a, b):
        f = linalg.factorized(a)
        return np.sum(f.solve(b) ** 2) + f.logdet()

    assert_close(
        to_host(grad(loss, (0, 1))(*make_array((a, b), "device"))), grad(loss, (0, 1))(a, b), 1e-10
    )


@pytest.mark.parametrize("assume_a", ["gen", "pos", "sym"])
@pytest.mark.parametrize("exponent", [-500, 500])
def test_scales(assume_a, exponent):
    a, b, scale = regular(4), random(4), 2.0**exponent
    a = a + a.T
    if assume_a == "sym":
        a = a - 8 * np.eye(4) + np.diag([3.0, 3.0], 2) + np.diag([3.0, 3.0], -2)

    def logarithm(a):
        return linalg.factorized(a, assume_a=assume_a).logdet()

    assert_close(logarithm(a * scale), logarithm(a) + 4 * exponent * np.log(2), 1e-12)
    assert_close(grad(logarithm)(a * scale) * scale, grad(logarithm)(a), 1e-13)
    solved = grad(lambda a: np.sum(linalg.factorized(a, assume_a=assume_a).solve(b)))
    assert_close(solved(a * scale) * scale * scale, solved(a), 1e-12)


def test_numbers_vectors_nothing_and_vmap():
    assert linalg.factorized(np.zeros((0, 0))).logdet() == 0
    assert linalg.factorized(np.zeros((0, 0))).solve(np.ones((0, 2))).shape == (0, 2)
    single = linalg.factorized(regular(3).astype("f"))
    assert single.solve(np.ones(3, "f")).dtype == single.logdet().dtype == np.float32
    a, b = regular(3, (4,)), random(4, 3)
    found = vmap(lambda a, b: linalg.factorized(a).solve(b))(a, b)
    assert_close(found, np.stack([linalg.solve(a[i], b[i]) for i in range(4)]), 1e-12)
    f = linalg.factorized(a[0])
    assert_close(vmap(f.solve)(b), np.stack([linalg.solve(a[0], row) for row in b]), 1e-12)
