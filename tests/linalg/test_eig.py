"""eig: equal eigenvalues with and without all their eigenvectors, gauges, pairs with infinite
eigenvalues, failures, options.
"""

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, hvp, jvp, linalg, value_and_grad, vjp, vmap
from scigrad.linalg.eigenvalues.eig_gauge import frames_by_lapack
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import directional_difference, gradcheck

rng = np.random.default_rng(23)
random = partial(normal, rng)
LinAlgError = np.linalg.LinAlgError
SPECTRA = {
    "all": (1.0, 1, 1, 1),
    "a pair": (1.0, 1, 2, 3),
    "two pairs": (-1.0, -1, 2, 2),
    "three": (2.0, 2, 0.5, 2),
    "zero": (0.0, 0, 0, 1),
}
MATRIX_FUNCTIONS = {
    "exp": (np.exp, scipy.linalg.expm),
    "cube": (lambda w: w**3, lambda a: a @ a @ a),
    "w - 1": (lambda w: w - 1, lambda a: a - np.eye(len(a))),
}


def well_conditioned(n, is_complex=False):
    q, p = (np.linalg.qr(random(n, n, is_complex=is_complex))[0] for _ in range(2))
    return (q * np.linspace(1, 2, n)) @ p


def with_spectrum(w, is_complex=False):
    p = well_conditioned(len(w), is_complex)
    return (p * np.array(w)) @ np.linalg.inv(p)


def inner_loss(h, f, **options):
    """Re <h, v f(w) v^-1>: smooth where a has all eigenvectors."""

    def loss(a):
        w, v = linalg.eig(a, **options)
        return np.sum(np.real(np.conjugate(h) * (v @ (f(w)[..., :, None] * linalg.inv(v)))))

    return loss


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


# -- equal eigenvalues


@pytest.mark.parametrize("name", MATRIX_FUNCTIONS)
@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
def test_functions_of_the_matrix_have_their_derivative(spectrum, name, is_complex):
    f, of_matrix = MATRIX_FUNCTIONS[name]
    a = with_spectrum(spectrum, is_complex)
    h, t = random(4, 4, is_complex=is_complex), random(4, 4, is_complex=is_complex)
    loss = inner_loss(h, f)
    expected = directional_difference(
        lambda a: np.sum(np.real(np.conj(h) * of_matrix(a))), (a,), (t,)
    )
    gradient = grad(loss)(a)
    scale = np.abs(gradient).max() * np.abs(t).sum()
    assert abs(np.real(np.vdot(gradient, t)) - expected) <= 1e-8 * scale
    assert abs(jvp(loss, (a,), (t,))[1] - expected) <= 1e-8 * scale


@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
def test_symmetric_functions_of_eigenvalues_to_second_order(spectrum, is_complex):
    a, t = with_spectrum(spectrum, is_complex), random(4, 4, is_complex=is_complex)

    def loss(a):
        return np.real(np.sum(np.exp(linalg.eigvals(a))))

    truth = scipy.linalg.expm(a).conj().T
    assert_close(grad(loss)(a), truth, 1e-10)
    assert abs(jvp(loss, (a,), (t,))[1] - np.real(np.vdot(truth, t))) <= 1e-9
    second = directional_difference(lambda a: scipy.linalg.expm(a).conj().T, (a,), (t,))
    assert_close(hvp(loss, (a,), (t,))[1], second, 1e-8)


@pytest.mark.parametrize("gap", [0, *10.0 ** -np.arange(0, 17, 2)])
def test_gradients_as_eigenvalues_approach_each_other(gap, is_complex):
    a, h = (
        with_spectrum((1, 1 + gap, 1 + 2 * gap, 3), is_complex),
        random(4, 4, is_complex=is_complex),
    )
    truth = scipy.linalg.expm_frechet(a.conj().T, h, compute_expm=False)
    assert_close(grad(inner_loss(h, np.exp))(a), truth if is_complex else truth.real, 2e-8)


def test_separated_eigenvectors_are_not_poisoned(is_complex):
    a, t, h = (
        with_spectrum((1, 1, 2, 4), is_complex),
        random(4, 4, is_complex=is_complex),
        random(4),
    )
    at = int(np.argmax(np.linalg.eigvals(a).real))

    def loss(a):
        return np.sum(h * np.abs(linalg.eig(a)[1][:, at]) ** 2)

    def alone(a):
        w, v = np.linalg.eig(a)
        return np.sum(h * np.abs(v[:, np.argmax(w.real)]) ** 2)

    expected = directional_difference(alone, (a,), (t,), 1e-4)
    assert abs(np.real(np.vdot(grad(loss)(a), t)) - expected) <= 1e-8
    assert abs(jvp(loss, (a,), (t,))[1] - expected) <= 1e-8


def test_in_batches():
    batch = np.stack([np.eye(3), np.diag([1.0, 1, 2]), with_spectrum((1, 2, 3))])
    loss = inner_loss(random(3, 3), np.exp)
    expected = np.stack([grad(loss)(a) for a in batch])
    assert_close(vmap(grad(loss))(batch), expected, 1e-11)
    assert_close(grad(loss)(batch), expected, 1e-11)


# -- what has no derivative says so


@pytest.mark.parametrize("mode", ["phase", "left phase", "basis", "scale"])
def test_losses_that_depend_on_the_choice_raise(mode):
    a, b = with_spectrum((1j, 2, 3), True), well_conditioned(3, True)
    loss, pattern = {
        "phase": (
            lambda a, **o: np.sum(np.real(linalg.eig(a, **o)[1])),
            "the phase of eigenvector 0",
        ),
        "left phase": (
            lambda a, **o: np.real(
                np.sum(np.conjugate(linalg.eig(a, left=True, **o)[1]) * linalg.eig(a, **o)[1])
            ),
            "the phase of eigenvector 0",
        ),
        "basis": (
            lambda a, **o: np.sum(np.abs(linalg.eig(a, **o)[1][0]) ** 2 * np.arange(3)),
            "eigenvectors . and ., whose",
        ),
        "scale": (
            lambda a, **o: np.real(np.sum(linalg.eig(a, b, homogeneous_eigvals=True, **o)[0])),
            "scale of a pair",
        ),
    }[mode]
    a = with_spectrum((1, 1, 2)) if mode == "basis" else a
    with pytest.raises(GaugeError, match=pattern):
        grad(loss)(a)
    for gauge in ("project", "trust"):
        assert np.isfinite(grad(lambda a, gauge=gauge: loss(a, gauge=gauge))(a)).all()


def test_second_derivatives_of_vectors_of_equal_eigenvalues_raise():
    a, t = with_spectrum((1, 1, 3)), random(3, 3)
    loss = inner_loss(random(3, 3), np.exp)
    for derivative in (
        lambda: hvp(loss, (a,), (t,)),
        lambda: grad(lambda x: np.sum(grad(loss)(x) * t))(a),
    ):
        with pytest.raises(GaugeError, match=r"(second derivatives|separates them)"):
            derivative()


@pytest.mark.parametrize("gauge", ["check", "project", "trust"])
@pytest.mark.parametrize("what", ["left and right", "homogeneous"])
def test_second_derivatives_of_losses_that_do_not_depend_on_phase_or_scale(what, gauge, is_complex):
    draw = np.random.default_rng(5)
    a, t, u, b = (
        draw.standard_normal((3, 3)) + 1j * is_complex * draw.standard_normal((3, 3))
        for _ in range(4)
    )
    a, t, u, b = (x if is_complex else np.real(x) for x in (a, t, u, b))
    weights = draw.standard_normal((3, 3))

    def loss(a):
        if what == "homogeneous":
            alpha, beta = linalg.eig(a, b, homogeneous_eigvals=True, gauge=gauge)[0]
            return np.sum(np.abs(alpha / beta) ** 2 * weights[0])
        _, left, right = linalg.eig(a, left=True, gauge=gauge)
        return np.sum(np.abs(left) ** 2 * np.abs(right) * weights)

    def slope(a):
        return np.sum(np.real(np.conjugate(grad(loss)(a)) * u))

    expected = directional_difference(slope, (a,), (t,))
    for found in (
        jvp(slope, (a,), (t,))[1],
        jvp(lambda x: jvp(loss, (x,), (u,))[1], (a,), (t,))[1],
        np.sum(np.real(np.conjugate(grad(slope)(a)) * t)),
        np.sum(np.real(np.conjugate(grad(lambda x: jvp(loss, (x,), (u,))[1])(a)) * t)),
    ):
        assert_close(found, expected, 1e-6)


# -- scale, cost


@pytest.mark.parametrize("k", [-500, 500])
def test_scaling(k, is_complex):
    a, t, h = (random(3, 3, is_complex=is_complex) for _ in range(3))
    scale = 2.0**k

    def loss(a):
        w, v = linalg.eig(a)
        return np.sum(np.abs(v) ** 2 * np.real(h)) + np.abs(w[0] / w[1])

    assert_close(scale * grad(loss)(scale * a), grad(loss)(a), 1e-12)
    assert_close(scale * hvp(loss, (scale * a,), (scale * t,))[1], hvp(loss, (a,), (t,))[1], 1e-10)


@pytest.mark.parametrize(
    ("dtype", "k"), [("f", 45), ("f", -50), ("F", 45), ("d", 480), ("d", -480), ("D", -480)]
)
def test_eigenvalues_of_large_and_small_matrices(dtype, k):
    """SciPy 1.17 leaves them in LAPACK's unit."""
    a = np.array([[1.0, 2, 0], [0, 3, 4], [1, 0, -5]], dtype)
    expected, scale = np.sort_complex(np.linalg.eigvals(a.astype(complex))), 2.0**k
    large = (scale * a).astype(dtype)
    for found in (
        linalg.eigvals(large),
        linalg.eig(large)[0],
        linalg.eig(large, left=True)[0],
        linalg.eigvals(np.stack([a, large]))[1],
        linalg.eigvals(large, on_fail="nan"),
        linalg.eigvals(large, homogeneous_eigvals=True)[0],
        frames_by_lapack(large, None, True, True, "nan")[0][0],
    ):
        assert_close(
            np.sort_complex(found.astype(complex)) / scale,
            expected,
            1e-5 if dtype in "fF" else 1e-13,
        )


def test_value_and_gradient_take_one_decomposition(monkeypatch):
    counts = []
    original = np.linalg.eig
    monkeypatch.setattr(np.linalg, "eig", lambda a: counts.append(1) or original(a))
    from scigrad.autodiff_rules import backends

    backends._kernel.cache_clear()
    backends._find.cache_clear()
    a = random(4, 4)
    value_and_grad(lambda a: np.sum(np.abs(linalg.eig(a)[1]) ** 4))(a)
    monkeypatch.undo()
    backends._kernel.cache_clear()
    backends._find.cache_clear()
    assert len(counts) == 1


# -- pairs


def projectors(a, b):
    """A function of the pair that depends on nothing left open: sum_j |v_j|^2 |alpha|^2 /
    (|alpha|^2 + |beta|^2).
    """
    pair, u, v = linalg.eig(a, b, left=True, homogeneous_eigvals=True)
    alpha, beta = np.abs(pair[0]) ** 2, np.abs(pair[1]) ** 2
    return np.sum(np.abs(v) ** 2 * (alpha / (alpha + beta)), axis=1), np.sum(
        np.abs(u) ** 2 * (beta / (alpha + beta)), axis=1
    )


@pytest.mark.parametrize("rank", [3, 2])
def test_pairs_with_infinite_eigenvalues(rank, is_complex):
    a, b = well_conditioned(3, is_complex), well_conditioned(3, is_complex)
    if rank < 3:
        b[:, 0] = b[:, 1]
    gradcheck(projectors, a, b, step=2.0**-12)
    w = linalg.eig(a, b)[0]
    out, tangent = jvp(lambda a: linalg.eig(a, b)[0], (a,), (a,))
    assert_close(out, w, 1e-10)
    # eigenvalues are linear in the scale of a
    assert_close(tangent[np.isfinite(w)], w[np.isfinite(w)], 1e-9)


@pytest.mark.parametrize(
    "function", [linalg.eigvals, lambda a, b: linalg.eig(a, b)[0]], ids=["eigvals", "eig"]
)
def test_mapped_pairs_of_which_one_has_an_infinite_eigenvalue(function, is_complex):
    a, b = (np.stack([well_conditioned(3, is_complex) for _ in range(4)]) for _ in range(2))
    b[1, :, 0] = b[1, :, 1]

    def loss(a, b):
        w = function(a, b)
        return np.sum(np.abs(np.where(np.isfinite(w), w, 0)) ** 2)

    derivative = grad(loss, (0, 1))
    expected = [(function(x, y), *derivative(x, y)) for x, y in zip(a, b, strict=True)]
    found = (vmap(function)(a, b), *vmap(derivative)(a, b))
    assert_close(found, tuple(np.stack(column) for column in zip(*expected, strict=True)), 1e-9)
    assert_close(grad(lambda a, b: np.sum(vmap(loss)(a, b)), (0, 1))(a, b), found[1:], 1e-9)


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("homogeneous", [False, True])
@pytest.mark.parametrize("with_b", [False, True])
def test_every_option_has_scipy_s_values_inside_and_outside_of_transforms(
    left, right, homogeneous, with_b, is_complex
):
    a, b = (
        random(3, 3, is_complex=is_complex),
        random(3, 3, is_complex=is_complex) if with_b else None,
    )
    options = {"left": left, "right": right, "homogeneous_eigvals": homogeneous}
    expected = scipy.linalg.eig(a, b, **options)
    if left and not right and with_b:
        # SciPy normalizes the first alone
        expected[1][...] /= np.sqrt(np.sum(np.abs(expected[1]) ** 2, axis=0))
    assert_close(linalg.eig(a, b, **options), expected, 1e-13)
    traced = jvp(lambda a: linalg.eig(a, b, **options), (a,), (a,))[0]
    assert_close(traced, expected, 1e-9)
    batch = linalg.eig(np.stack([a, a]), b, **options, on_fail="nan")
    for x, y in zip(
        batch if left or right else (batch,),
        expected if left or right else (expected,),
        strict=True,
    ):
        assert_close(x, np.stack([y, y]), 1e-9)


# -- failures, NumPy's functions


@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_failures_spare_their_neighbors(backend):
    host = np.stack([random(3, 3) for _ in range(3)])
    host[1, 0, 2] = np.nan
    (a,) = make_array((host,), backend)
    w, v, info = to_host(linalg.eig(a, on_fail="info", canonical=True))
    assert (info != 0).tolist() == [False, True, False]
    assert np.isnan(w[1]).all()
    assert np.isnan(v[1]).all()
    gradient = to_host(grad(lambda a: np.nansum(np.abs(linalg.eig(a, on_fail="nan")[0]) ** 2))(a))
    for i in (0, 2):
        # the matrix stays real: LAPACK may order eigenvalues of a complex one in another way
        expected = linalg.eig(host[i], canonical=True)
        assert_close((w[i], v[i]), tuple(x.astype(complex) for x in expected), 1e-10)
        assert_close(
            gradient[i], grad(lambda a: np.sum(np.abs(linalg.eigvals(a)) ** 2))(host[i]), 1e-9
        )
    with pytest.raises(ValueError, match="infs or NaNs"):
        linalg.eig(host)


def test_numpy_s_functions():
    a, t = with_spectrum((1, 2, 4)), random(3, 3)
    for function in (
        np.linalg.eigvals,
        lambda a: np.linalg.eig(a).eigenvalues,
        lambda a: np.linalg.eig(a)[1],
    ):
        out, tangent = jvp(function, (a,), (t,))
        assert_close(out, function(a), 1e-13)
        assert out.dtype == tangent.dtype == float
        assert_close(tangent, directional_difference(function, (a,), (t,), 1e-4), 1e-7)
    assert (
        jvp(np.linalg.eigvals, (np.array([[0.0, 1], [-1, 0]]),), (np.eye(2),))[0].dtype == complex
    )
    with pytest.raises(LinAlgError, match="must be square"):
        grad(lambda a: np.sum(np.abs(np.linalg.eigvals(a))))(np.ones((3, 2)))


def test_empty_matrices():
    for a in (np.zeros((0, 0)), np.zeros((2, 0, 0)), np.zeros((0, 3, 3))):
        w, v = jvp(lambda a: linalg.eig(a), (a,), (a,))[0]
        assert w.shape == a.shape[:-1]
        assert v.shape == a.shape


@pytest.mark.parametrize(
    "function", [linalg.eigvals, np.linalg.eigvals, np.poly, lambda a: linalg.eig(a)[0]]
)
def test_second_derivatives_of_the_eigenvalue_of_one_number(function):
    for a in np.exp(1j * np.arange(1.0, 9)).reshape(8, 1, 1):
        out, pull = vjp(function, a)
        seed = (0.3 - 1.1j) * np.ones_like(out)
        assert_close(vjp(lambda a: vjp(function, a)[1](seed), a)[1]((a,))[0], 0 * a, floor=1e-14)  # noqa: B023
        assert_close(
            pull(seed)[0], np.full((1, 1), seed[-1] * (-1 if function is np.poly else 1)), 1e-14
        )
