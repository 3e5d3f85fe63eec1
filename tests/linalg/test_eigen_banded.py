"""Banded and tridiagonal eigenvalue problems: equal eigenvalues, compact cotangents, LAPACK's
options, failures.
"""

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, hvp, jvp, linalg, value_and_grad, vmap
from scigrad.testing import assert_close
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import directional_difference

rng = np.random.default_rng(37)
random = partial(normal, rng)


def dense(ab, lower):
    """The whole matrix, from its definition."""
    rows, n = ab.shape
    a = np.zeros((n, n), ab.dtype)
    for r in range(rows):
        for j in range(n):
            i = j + r if lower else j + r - rows + 1
            if 0 <= i < n:
                a[i, j] = np.real(ab[r, j]) if i == j else ab[r, j]
                a[j, i] = np.conj(a[i, j])
    return a


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


@pytest.mark.parametrize("lower", [False, True])
def test_cotangents_lie_in_the_band_and_corners_get_zero(lower, is_complex):
    ab, h = random(3, 4, is_complex=is_complex), random(4, 4, is_complex=is_complex)
    t = random(3, 4, is_complex=is_complex)

    def loss(ab):
        w, v = linalg.eig_banded(ab, lower)
        return np.sum(np.real(np.conjugate(h) * ((v * np.exp(w)) @ np.conjugate(v).mT)))

    def truth(ab):
        return np.sum(np.real(np.conj(h) * scipy.linalg.expm(dense(ab, lower))))

    gradient = grad(loss)(ab)
    corners = [
        (r, j) for r in range(3) for j in range(4) if not 0 <= (j + r if lower else j + r - 2) < 4
    ]
    assert all(gradient[place] == 0 for place in corners)
    assert not gradient[0 if lower else 2].imag.any()
    assert (
        abs(np.real(np.vdot(gradient, t)) - directional_difference(truth, (ab,), (t,)))
        <= 1e-8 * np.abs(gradient).max()
    )


@pytest.mark.parametrize("function", ["tridiagonal", "banded"])
def test_equal_eigenvalues(function):
    # 1 three times
    d, e, s, t, h = np.array([1.0, 1, 2, 1]), np.zeros(3), random(4), random(3), random(4, 4)
    h = h + h.T

    def decomposed(d, e):
        if function == "tridiagonal":
            return linalg.eigh_tridiagonal(d, e)
        return linalg.eig_banded(np.stack([d, np.concatenate([e, 0 * e[:1]])]), True)

    def loss(d, e):
        w, v = decomposed(d, e)
        return np.sum(h * ((v * np.exp(w)) @ v.T))

    def truth(d, e):
        return np.sum(h * scipy.linalg.expm(np.diag(d) + np.diag(e, 1) + np.diag(e, -1)))

    expected = directional_difference(truth, (d, e), (s, t))
    d_bar, e_bar = grad(loss, (0, 1))(d, e)
    assert abs(d_bar @ s + e_bar @ t - expected) <= 1e-8 * np.abs(expected)
    assert abs(jvp(loss, (d, e), (s, t))[1] - expected) <= 1e-8 * np.abs(expected)

    def symmetric(d, e):
        return np.sum(np.exp(decomposed(d, e)[0]))

    second = directional_difference(grad(symmetric, (0, 1)), (d, e), (s, t))
    assert_close(hvp(symmetric, (d, e), (s, t))[1], second, 1e-7)
    with pytest.raises(GaugeError):
        grad(lambda d: np.sum(decomposed(d, e)[1][:, 0]))(d)


def test_value_and_gradient_take_one_call_of_lapack_s_routine(monkeypatch):
    from scigrad.linalg.eigenvalues import banded as eigen_banded

    calls = []
    original = eigen_banded.host
    monkeypatch.setattr(eigen_banded, "host", lambda name: calls.append(name) or original(name))
    d, e = np.arange(5.0), np.ones(4)
    value_and_grad(lambda d: np.sum(linalg.eigh_tridiagonal(d, e)[1] ** 4))(d)
    value_and_grad(lambda ab: np.sum(linalg.eig_banded(ab)[1] ** 4))(np.stack([np.r_[0, e], d]))
    assert calls == ["eigh_tridiagonal", "eig_banded"]


@pytest.mark.parametrize("driver", ["auto", "stemr", "stebz", "stev", "stevd"])
def test_drivers(driver):
    d, e = np.arange(5.0), np.ones(4)
    expected = scipy.linalg.eigh_tridiagonal(d, e, lapack_driver=driver)
    (w, v), _ = jvp(lambda d: linalg.eigh_tridiagonal(d, e, lapack_driver=driver), (d,), (d,))
    assert np.array_equal(w, expected[0])
    assert np.array_equal(v, expected[1])


@pytest.mark.parametrize("select", ["v", "i"])
def test_selections_under_transforms(select):
    ab, bounds = random(3, 5), (0, 2) if select == "i" else (-1.0, 1.0)
    expected = scipy.linalg.eig_banded(ab, select=select, select_range=bounds)
    (w, v), _ = jvp(
        lambda ab: linalg.eig_banded(ab, select=select, select_range=bounds), (ab,), (ab,)
    )
    assert_close(w, expected[0], 1e-12)
    assert_close(np.abs(v), np.abs(expected[1]), 1e-10)
    if select == "v":
        with pytest.raises(TypeError, match="number of eigenvalues"):
            vmap(lambda ab: linalg.eigvals_banded(ab, select="v", select_range=bounds))(
                np.stack([ab, ab])
            )


@pytest.mark.parametrize("k", [-500, 500])
def test_scaling(k):
    d, e, scale = np.arange(4.0), np.ones(3), 2.0**k

    def loss(d, e):
        w, v = linalg.eigh_tridiagonal(d, e)
        return w[0] / w[1] + np.sum(v**4)

    assert_close(scale * grad(loss)(scale * d, scale * e), grad(loss)(d, e), 1e-12)


def test_failures_spare_their_neighbors():
    ab = random(3, 2, 4)
    ab[1, 0, 2] = np.nan
    w, v, info = linalg.eig_banded(ab, on_fail="info")
    assert info.tolist() == [0, -1, 0]
    assert np.isnan(w[1]).all()
    assert np.isnan(v[1]).all()
    assert_close(w[2], scipy.linalg.eigvals_banded(ab[2]), 1e-12)
    w, info = linalg.eigvalsh_tridiagonal(np.array([1.0, np.nan]), np.ones(1), on_fail="info")
    assert info == -1
    assert np.isnan(w).all()


def test_single_precision_is_kept():
    d, e = np.arange(4, dtype=np.float32), np.ones(3, np.float32)
    assert grad(lambda d: np.sum(linalg.eigh_tridiagonal(d, e)[1] ** 4))(d).dtype == np.float32


SELECTIONS = {"index": ("i", (1, 3)), "value": ("v", (-0.75, 1.5))}


def loss_of(function, weights, **options):
    """Not a symmetric function of the values, and one of the vectors that does not see their
    signs.
    """

    def loss(*arrays):
        found = function(*arrays, **options)
        w, v = found if isinstance(found, tuple) else (found, None)
        scale = weights[: w.shape[-1]]
        return np.sum(scale * w**3) + (
            0 if v is None else np.sum(weights[:, None] * np.abs(v) ** 4 * scale)
        )

    return loss


@pytest.mark.parametrize("only", [True, False], ids=["values", "vectors"])
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("function", ["tridiagonal", "banded", "banded, complex"])
def test_selected_pairs_have_the_derivatives_of_all(function, selection, only, monkeypatch):
    select, bounds = SELECTIONS[selection]
    chosen, weights = {"select": select, "select_range": bounds, "eigvals_only": only}, random(7)
    if function == "tridiagonal":
        arrays = np.linspace(-1, 2, 7), random(6) / 4
        some = loss_of(linalg.eigh_tridiagonal, weights, **chosen)
    else:
        ab = random(3, 7, is_complex="complex" in function) / 4
        ab[0] = np.linspace(-1, 2, 7)
        arrays, some = (ab,), loss_of(linalg.eig_banded, weights, lower=True, **chosen)
    tangents = tuple(random(*x.shape, is_complex=np.iscomplexobj(x)) for x in arrays)
    numbers = tuple(range(len(arrays)))

    def derivatives():
        first = grad(some, numbers)(*arrays)
        second = jvp(grad(some, numbers), arrays, tangents)[1]
        backwards = grad(
            lambda *x: sum(
                np.sum(np.real(g * t))
                for g, t in zip(grad(some, numbers)(*x), tangents, strict=True)
            ),
            numbers,
        )(*arrays)
        return [*first, *second, *backwards, jvp(some, arrays, tangents)[1]]

    found = derivatives()
    batch = tuple(np.stack([x, x + 0.01]) for x in arrays)
    if select == "i":
        assert_close(vmap(grad(some))(*batch)[0], found[0], 1e-9)
    monkeypatch.setattr("scigrad.linalg.eigenvalues.banded._select_pairs", lambda *_: None)
    for one, expected in zip(found, derivatives(), strict=True):
        assert_close(one, expected, 1e-9)


def test_selected_eigenvalues_take_no_whole_decomposition(monkeypatch):
    monkeypatch.setattr("scigrad.linalg.eigenvalues.banded.eigenpairs", None)
    d, e = random(50), random(49)
    loss = loss_of(linalg.eigh_tridiagonal, random(50), select="i", select_range=(0, 2))
    assert np.isfinite(hvp(loss, (d, e), (d, e))[1][0]).all()


@pytest.mark.parametrize("bounds", [(0, 0), (1, 1), (0, 1), (2, 3)])
def test_a_selection_beside_equal_eigenvalues(bounds):
    d, e = np.array([1.0, 1.0, 2.0, 3.0]), np.zeros(3)

    def some(d, e):
        return np.sum(linalg.eigvalsh_tridiagonal(d, e, "i", bounds) ** 2)

    def whole(d, e):
        return np.sum(linalg.eigvalsh_tridiagonal(d, e)[bounds[0] : bounds[1] + 1] ** 2)

    for found, expected in zip(grad(some, (0, 1))(d, e), grad(whole, (0, 1))(d, e), strict=True):
        assert_close(found, expected, 1e-12)


def test_a_selection_with_a_pivot_that_is_zero():
    # the eigenvalues are -sqrt(2), 0, sqrt(2), and a - 0 has a pivot 0
    d, e = np.array([0.0, 0.0, 0.0]), np.array([1.0, 1.0])
    chosen = {"select": "i", "select_range": (1, 1)}
    loss = loss_of(linalg.eigh_tridiagonal, np.array([1.0, 2.0, 3.0]), **chosen)
    t = random(3), random(2)
    expected = directional_difference(loss, (d, e), t)
    assert_close(jvp(loss, (d, e), t)[1], expected, 1e-7)
    gradient = grad(loss, (0, 1))(d, e)
    assert_close(sum(np.sum(g * x) for g, x in zip(gradient, t, strict=True)), expected, 1e-7)


@pytest.mark.parametrize("entry", [0.0, 2.0])
def test_a_selected_pair_of_one_number_has_a_constant_vector(entry):
    """a - w is exactly 0 there."""
    vector = lambda ab: linalg.eig_banded(ab, True, select="i", select_range=(0, 0))[1].sum()  # noqa: E731
    assert grad(vector)(np.array([[entry]])) == 0
    both = lambda d: sum(  # noqa: E731
        np.sum(x) for x in linalg.eigh_tridiagonal(d, np.zeros(0), select="i", select_range=(0, 0))
    )
    assert grad(both)(np.array([entry])) == 1


@pytest.mark.parametrize(
    "options", [{"select": "x"}, {"select": "i"}, {"select": "i", "select_range": (0, 3)}]
)
@pytest.mark.parametrize("function", [linalg.eig_banded, linalg.eigvals_banded])
def test_selections_of_an_empty_matrix_are_checked(function, options):
    with pytest.raises(ValueError, match=rf"{function.__name__}: .*select"):
        function(np.zeros((0, 0)), **options)


def test_more_values_than_max_ev_find_room():
    ab = random(3, 40)
    ab[2] = np.arange(40.0)
    w, v = linalg.eig_banded(ab, select="v", select_range=(-1.0, 30.0), max_ev=2)
    every = np.linalg.eigvalsh(dense(ab, False))
    expected = every[(every > -1) & (every <= 30)]
    assert_close(w, expected, 1e-12)
    assert_close(dense(ab, False) @ v, v * w, 1e-12)
