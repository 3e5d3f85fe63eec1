"""solve under every assumption, against the whole matrix written out; what is never read;
precision; failures; scales.
"""

import numpy as np
import pytest

from scigrad import grad, hvp, linalg
from scigrad.testing import assert_close

rng = np.random.default_rng(31)


def _hermitian(a, lower):
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    return half + np.conj(half).mT + np.real(a) * np.eye(a.shape[-1])


def _symmetric(a, lower):
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    return half + half.mT + a * np.eye(a.shape[-1])


def _triangle(a, lower):
    return np.tril(a) if lower else np.triu(a)


# The matrix that is meant, and the entries that are read, of (a, lower)
MEANT = {
    "gen": (lambda a, lower: a, lambda ones, lower: ones),
    "banded": (lambda a, lower: a, lambda ones, lower: ones),
    "diagonal": (
        lambda a, lower: a * np.eye(a.shape[-1]),
        lambda ones, lower: np.tril(np.triu(ones)),
    ),
    "tridiagonal": (
        lambda a, lower: np.tril(np.triu(a, -1), 1),
        lambda ones, lower: np.tril(np.triu(ones, -1), 1),
    ),
    "upper triangular": (lambda a, lower: np.triu(a), lambda ones, lower: np.triu(ones)),
    "lower triangular": (lambda a, lower: np.tril(a), lambda ones, lower: np.tril(ones)),
    "sym": (_symmetric, _triangle),
    "her": (_hermitian, _triangle),
    "pos": (_hermitian, _triangle),
}


def dominant(n, batch, kind):
    a = 0.3 * rng.standard_normal((*batch, n, n)) + 3 * np.sqrt(n) * np.eye(n)
    if np.dtype(kind).kind == "c":
        # SciPy divides by one number, Hermitian or not
        a = a + 0.3j * rng.standard_normal(a.shape) * (n > 1)
    return a.astype(kind)


@pytest.mark.parametrize("assume_a", MEANT)
@pytest.mark.parametrize("kind", ["f", "d", "F", "D"])
@pytest.mark.parametrize(("n", "batch"), [(1, ()), (2, ()), (5, ()), (4, (2,)), (26, (2,))])
def test_values_and_cotangents(assume_a, kind, n, batch):
    meant, read = MEANT[assume_a]
    a, b, tolerance = (
        dominant(n, batch, kind),
        rng.standard_normal((n, 2)).astype(kind),
        1e-10 if kind in "dD" else 1e-3,
    )
    for lower in (False, True):
        for transposed in (False, True) if kind in "fd" else (False,):

            def loss(a, b, lower=lower, transposed=transposed):
                return np.sum(
                    np.abs(
                        linalg.solve(a, b, lower=lower, assume_a=assume_a, transposed=transposed)
                    )
                    ** 2
                )

            def truth(a, b, lower=lower, transposed=transposed):
                whole = meant(a, lower).astype(a.dtype)
                return np.sum(
                    np.abs(linalg.solve(whole.mT if transposed else whole, b, assume_a="gen")) ** 2
                )

            assert_close(loss(a, b), truth(a, b), tolerance)
            found = grad(loss, (0, 1))(a, b)
            assert_close(found, grad(truth, (0, 1))(a, b), 10 * tolerance)
            assert [x.dtype for x in found] == [a.dtype, b.dtype]
            assert not found[0][..., ~read(np.ones((n, n), bool), lower)].any()
            if n == 4 and kind in "dD":
                assert_close(hvp(loss, (a, b), (a, b)), hvp(truth, (a, b), (a, b)), 1e-8)


@pytest.mark.parametrize("assume_a", [name for name in MEANT if name not in ("gen", "banded")])
@pytest.mark.parametrize("batch", [(), (2,), (3, 2)])
def test_what_is_not_read_may_be_anything(assume_a, batch):
    a, b = dominant(4, batch, float), rng.standard_normal((4, 1))
    read = MEANT[assume_a][1](np.ones((4, 4), bool), True)
    gradient = grad(
        lambda a: np.sum(linalg.solve(a, b, lower=True, assume_a=assume_a, check_finite=False))
    )
    assert np.array_equal(gradient(np.where(read, a, np.nan)), gradient(a))
    x, info = linalg.solve(
        np.where(read, a, np.nan), b, lower=True, assume_a=assume_a, on_fail="info"
    )
    assert_close(x, linalg.solve(a, b, lower=True, assume_a=assume_a), 1e-12)
    assert not np.any(info)


@pytest.mark.parametrize("n", [4, 26])
@pytest.mark.parametrize("assume_a", MEANT)
def test_a_failure_spares_its_neighbors(assume_a, n):
    good = dominant(n, (3,), float)
    batch, b = good.copy(), rng.standard_normal((n, 1))
    batch[1] = 0
    x, info = linalg.solve(batch, b, assume_a=assume_a, on_fail="info")
    assert (info != 0).tolist() == [False, True, False]
    assert_close(x[[0, 2]], linalg.solve(good, b, assume_a=assume_a)[[0, 2]], 1e-11)
    assert np.isnan(x[1]).all()
    with pytest.raises(np.linalg.LinAlgError, match=r"at batch index \(1,\)"):
        grad(lambda b: np.sum(linalg.solve(batch, b, assume_a=assume_a)))(b)


@pytest.mark.parametrize("assume_a", MEANT)
@pytest.mark.parametrize("exponent", [-500, 500])
def test_gradients_scale_exactly(assume_a, exponent):
    a, b, scale = dominant(4, (), float), rng.standard_normal(4), 2.0**exponent
    gradient = grad(lambda a: np.sum(linalg.solve(a, b, assume_a=assume_a)))
    assert_close(gradient(a * scale) * scale * scale, gradient(a), 1e-13)
