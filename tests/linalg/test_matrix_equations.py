"""Sylvester, Lyapunov and Riccati equations: truth from mpmath, one decomposition, failures in
batches, scales.
"""

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, hvp, jvp, linalg, value_and_grad, vmap
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host
from scigrad.testing.reference import load

rng = np.random.default_rng(8)
BACKENDS = ("numpy", "device")


def normal(*shape, is_complex=False):
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if is_complex else x


def definite(n):
    a = normal(n, n)
    return a @ a.T + np.eye(n)


# -- truth


@pytest.mark.parametrize("record", load("linalg/matrix_equations"), ids=lambda record: record.label)
def test_values_and_gradients_against_mpmath(record, rounding):
    """To ten times the error that SciPy's value had where the truth was written, the gradient of
    the sum of all elements to fifty times that; or to ten times the effect of rounding the
    arguments, which differs among the kernels of BLAS.
    """
    function = getattr(linalg, record.function)

    def total(*arrays):
        return np.sum(function(*arrays, **record.options).real)

    units = max(50.0, 10 * float(record.ulp["float64"]))
    eps = np.finfo(float).eps
    derivatives = value_and_grad(total, argnums=tuple(range(len(record.arguments))))
    found, gradients = derivatives(*record.arguments)
    value = function(*record.arguments, **record.options)
    (noise,) = rounding(lambda *arrays: [function(*arrays, **record.options)], record.arguments)
    assert np.abs(value - record.value).max() <= max(
        units * eps * np.abs(record.value).max(), 10 * noise
    )
    noises = rounding(lambda *arrays: derivatives(*arrays)[1], record.arguments)
    assert_close(found, np.sum(value.real), 1e-12)
    for gradient, truth, x, noise in zip(
        gradients, record.first, record.arguments, noises, strict=True
    ):
        scale = np.abs(truth).max() + np.abs(record.value).max() / np.abs(x).max()
        assert np.abs(gradient - truth).max() <= max(50 * units * eps * scale, 10 * noise)


@pytest.mark.parametrize("mixed", [(0, 1), (1, 0)])
def test_a_real_and_a_complex_matrix_together(mixed):
    """SciPy 1.17 solves another equation: it ignores what is below the diagonal of the real Schur
    form.
    """
    rotation = np.array([[0.0, 2.0], [-2.0, 0.0]]) + 1
    a, b = (rotation + 1j * np.eye(2) if own else rotation for own in mixed)
    q = normal(2, 2)
    x = linalg.solve_sylvester(a, b, q)
    assert_close(a @ x + x @ b, q + 0j, 1e-13)


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_residuals(n, is_complex):
    a, b, q = (
        normal(n, n, is_complex=is_complex),
        normal(n + 1, n + 1, is_complex=is_complex),
        normal(n, n + 1),
    )
    x = linalg.solve_sylvester(a, b, q)
    eps = np.finfo(float).eps
    sizes = np.abs(a).max(), np.abs(b).max(), np.abs(x).max()
    assert np.abs(a @ x + x @ b - q).max() <= 30 * n * eps * (sizes[0] + sizes[1]) * sizes[2]


@pytest.mark.parametrize("name", ["solve_sylvester", "solve_continuous_lyapunov"])
def test_plain_values_are_scipy_s(name):
    for is_complex in (False, True):
        arrays = [
            normal(6, 6, is_complex=is_complex)
            for _ in range(3 if name == "solve_sylvester" else 2)
        ]
        assert_close(getattr(linalg, name)(*arrays), getattr(scipy.linalg, name)(*arrays), 1e-13)


# -- cost


def test_value_gradient_and_hessian_take_one_decomposition(monkeypatch):
    count = []
    module = linalg.solve_sylvester.__globals__
    original = module["schur_form"]
    monkeypatch.setitem(
        module, "schur_form", lambda *args: count.append(args[2]) or original(*args)
    )
    a, b, q = normal(4, 4) + 6 * np.eye(4), normal(3, 3), normal(4, 3)
    hvp(lambda a, b: np.sum(linalg.solve_sylvester(a, b, q) ** 2), (a, b), (a, b))
    assert count == ["a", "b"]
    count.clear()
    hvp(lambda a: np.sum(linalg.solve_continuous_lyapunov(a, q @ q.T) ** 2), (a,), (a,))
    assert count == ["a"]


# -- scales


@pytest.mark.parametrize("k", [-500, -200, 0, 200, 500])
def test_powers_of_two_pass_through(k):
    a, b, q = normal(3, 3) + 4 * np.eye(3), normal(2, 2) + 4 * np.eye(2), normal(3, 2)
    scale = 2.0**k
    one = grad(lambda a, q: np.sum(linalg.solve_sylvester(a, b, q)), argnums=(0, 1))(a, q)
    other = grad(lambda a, q: np.sum(linalg.solve_sylvester(a, scale * b, q)), argnums=(0, 1))(
        scale * a, scale * q
    )
    assert_close(other[0] * scale, one[0], 1e-12)
    assert_close(other[1] * scale, one[1], 1e-12)


@pytest.mark.parametrize("name", ["solve_continuous_are", "solve_discrete_are"])
@pytest.mark.parametrize("k", [-500, -40, 40, 500])
def test_the_cost_of_a_riccati_equation_has_no_unit(name, k):
    a, b, q, r = normal(3, 3), normal(3, 2), definite(3), definite(2)

    def gradients(scale):
        def total(a, q, r):
            return np.sum(getattr(linalg, name)(a, b, scale * q, scale * r))

        return value_and_grad(total, argnums=(0, 1, 2))(a, q, r)

    (one, firsts), (other, seconds) = gradients(1.0), gradients(2.0**k)
    assert_close(other * 2.0**-k, one, 1e-9)
    for x, y in zip(firsts, seconds, strict=True):
        assert_close(y * 2.0**-k, x, 1e-8)


@pytest.mark.parametrize("name", ["solve_continuous_are", "solve_discrete_are"])
def test_balanced_riccati_equations_with_e(name):
    """SciPy 1.17 scales all but e: two of five such equations have no solution then, and one of
    twenty a wrong one.
    """
    draw = np.random.default_rng(2)
    for _ in range(20):
        a, e = draw.standard_normal((4, 4)), np.eye(4) + 0.2 * draw.standard_normal((4, 4))
        b, s = draw.standard_normal((4, 2)), 0.1 * draw.standard_normal((4, 2))
        q, r = a @ a.T + 4 * np.eye(4), np.eye(2)
        x = getattr(linalg, name)(a, b, q, r, e, s)
        if name == "solve_discrete_are":
            k = a.T @ x @ b + s
            residual = a.T @ x @ a - e.T @ x @ e - k @ np.linalg.solve(r + b.T @ x @ b, k.T) + q
        else:
            k = e.T @ x @ b + s
            residual = a.T @ x @ e + e.T @ x @ a - k @ k.T + q
        assert_close(residual + k @ k.T, k @ k.T, 1e-10)


def test_the_second_derivative_of_a_batch_with_one_input():
    a, b, q = normal(2, 2, 2), normal(2, 1), definite(2)
    t = normal(2, 2, 2)

    def total(a):
        return np.sum(linalg.solve_continuous_are(a, b, q, np.eye(1)) ** 2)

    assert_close(
        hvp(total, (a,), (t,))[1],
        np.stack([hvp(total, (a[i],), (t[i],))[1] for i in range(2)]),
        1e-9,
    )


# -- failures


@pytest.mark.parametrize("backend", BACKENDS)
def test_singular_equations_spare_their_neighbors(backend):
    a = np.stack([np.diag([1.0, 2]), np.diag([1.0, -1]), np.full((2, 2), np.nan)])
    host = a, np.eye(2), normal(2, 2)
    a, b, q = make_array(host, backend)
    x, info = to_host(linalg.solve_sylvester(a, b, q, on_fail="info"))
    assert (info != 0).tolist() == [False, True, True]
    assert np.isnan(x[1:]).all()
    assert_close(x[0], linalg.solve_sylvester(host[0][0], host[1], host[2]), 1e-13)
    gradient = to_host(grad(lambda a: np.nansum(linalg.solve_sylvester(a, b, q, on_fail="nan")))(a))
    assert_close(
        gradient[0], grad(lambda a: np.sum(linalg.solve_sylvester(a, *host[1:])))(host[0][0]), 1e-12
    )


@pytest.mark.parametrize("method", ["direct", "bilinear"])
def test_a_mode_on_the_unit_circle(method):
    a = np.stack(
        [np.diag([0.5, 0.2]), np.diag([1.0, 0.5]), np.diag([0.5, -1.0]), np.diag([np.nan, 0])]
    )
    x, info = linalg.solve_discrete_lyapunov(a, np.eye(2), method, on_fail="info")
    assert info.tolist()[::3] == [0, -1]
    assert (info[1:3] > 0).all()
    assert (
        vmap(lambda a: linalg.solve_discrete_lyapunov(a, np.eye(2), method, on_fail="info")[1])(
            a
        ).tolist()
        == info.tolist()
    )
    assert_close(x[0], np.diag(1 / (1 - np.array([0.25, 0.04]))), 1e-13)
    assert np.isnan(x[1:]).all()


def test_lyapunov_warns_as_scipy_does():
    with pytest.warns(RuntimeWarning, match="very close to or exactly zero"):
        linalg.solve_continuous_lyapunov(np.diag([1.0, -1.0]), np.eye(2))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("name", "mode"), [("solve_continuous_are", 1.0), ("solve_discrete_are", 2.0)]
)
def test_unstabilizable_systems_spare_their_neighbors(name, mode, backend):
    a = np.stack([np.diag([0.3, 0.5]), np.diag([mode, 0.5])])
    b, q = np.array([[[1.0], [1.0]], [[0.0], [1.0]]]), np.eye(2)
    host = a, b, q, np.eye(1)
    x, info = to_host(getattr(linalg, name)(*make_array(host, backend), on_fail="info"))
    assert info.tolist() == [0, 1]
    assert_close(x[0], getattr(scipy.linalg, name)(a[0], b[0], q, np.eye(1)), 1e-9)
    assert np.isnan(x[1]).all()


@pytest.mark.parametrize("method", ["direct", "bilinear"])
def test_a_singular_equation_is_told_in_terms_of_a(method):
    a, q = np.diag([-1.0, 0.5]), np.eye(2)
    at_batch = np.stack([0.5 * a, a])
    told = r"solve_discrete_lyapunov: argument 'a' of shape \(2, 2\) .* eigenvalue of a"
    with pytest.raises(np.linalg.LinAlgError, match=told):
        linalg.solve_discrete_lyapunov(a, q, method)
    with pytest.raises(np.linalg.LinAlgError, match=told):
        grad(lambda a: np.sum(linalg.solve_discrete_lyapunov(a, q, method)))(a)
    with pytest.raises(
        np.linalg.LinAlgError,
        match=r"'a' of shape \(2, 2, 2\) .* at batch index \(1,\): .* eigenvalue of a",
    ):
        linalg.solve_discrete_lyapunov(at_batch, q, method)
    x, info = linalg.solve_discrete_lyapunov(at_batch, q, method, on_fail="info")
    assert info.tolist() == [0, 1]
    assert np.isnan(x[1]).all()


def test_two_eigenvalues_with_the_product_1_in_the_bilinear_method():
    with pytest.warns(
        RuntimeWarning,
        match="solve_discrete_lyapunov: .* whose product is very close to or exactly 1",
    ):
        linalg.solve_discrete_lyapunov(np.diag([2.0, 0.5]), np.eye(2), "bilinear")


@pytest.mark.parametrize("name", ["solve_continuous_are", "solve_discrete_are"])
def test_matrices_have_to_be_hermitian(name):
    a, b, q = normal(2, 2), normal(2, 1), np.triu(definite(2))
    for qs in (q, np.stack([definite(2), q])):
        with pytest.raises(ValueError, match="Matrix q should be symmetric/hermitian"):
            getattr(linalg, name)(a, b, qs, np.eye(1))
    with pytest.raises(ValueError, match="Matrix q should be symmetric/hermitian"):
        grad(lambda q: np.sum(getattr(linalg, name)(a, b, q, np.eye(1))))(q)


def test_riccati_cotangents_are_hermitian():
    a, b, q, r = normal(3, 3, is_complex=True), normal(3, 2), definite(3), definite(2)
    g = grad(
        lambda q, r: np.sum(linalg.solve_continuous_are(a, b, q, r).real ** 3), argnums=(0, 1)
    )(q + 0j, r + 0j)
    for x in g:
        assert_close(x, x.conj().T, 1e-12)


def test_r_may_be_singular_in_discrete_time():
    a, b, q, r = normal(3, 3), normal(3, 2), definite(3), np.diag([1.0, 0.0])
    t = definite(2)
    x, dx = jvp(lambda r: linalg.solve_discrete_are(a, b, q, r), (r,), (t,))
    e = 1e-6
    difference = (linalg.solve_discrete_are(a, b, q, r + e * t) - x) / e
    assert_close(dx, difference, 1e-3)


def test_vmap_over_everything():
    batch = (
        normal(4, 3, 3),
        normal(4, 3, 2),
        np.stack([definite(3) for _ in range(4)]),
        np.stack([definite(2) for _ in range(4)]),
    )
    found = vmap(linalg.solve_continuous_are)(*batch)
    assert_close(
        found,
        np.stack([scipy.linalg.solve_continuous_are(*one) for one in zip(*batch, strict=True)]),
        1e-9,
    )


@pytest.mark.parametrize("function", [linalg.solve_continuous_are, linalg.solve_discrete_are])
@pytest.mark.parametrize("lead", [(), (2,)])
def test_equations_of_which_none_has_a_stable_solution_are_marked(function, lead):
    a, zero = np.broadcast_to(2 * np.eye(3), (*lead, 3, 3)), np.zeros((3, 2))
    for matrix, code in ((a, 1), (np.nan * a, -1)):
        x, info = function(matrix, zero, 0 * np.eye(3), np.eye(2), on_fail="info")
        assert x.shape == (*lead, 3, 3)
        assert np.isnan(x).all()
        assert np.array_equal(info, np.full(lead, code))
        assert np.isnan(function(matrix, zero, 0 * np.eye(3), np.eye(2), on_fail="nan")).all()


def test_a_cost_of_1e_6_times_the_system_keeps_its_digits():
    """Exactly x = diag(1, 1 + 1e12): scaling the cost would lose seven of them."""
    a, b = np.array([[0.0, 1e6], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    x = linalg.solve_discrete_are(a, b, np.eye(2), np.eye(1))
    np.testing.assert_allclose(np.diag(x), [1, 1 + 1e12], rtol=1e-12)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_numpy_matrices_are_taken_for_arrays():
    a, q = np.matrix([[0.0, 1.0], [-0.5, -1.0]]), np.matrix([[0.0, 0.0], [0.0, 9.0]])
    expected = scipy.linalg.solve_discrete_lyapunov(np.asarray(a), np.asarray(q))
    for method in ("direct", "bilinear"):
        assert_close(linalg.solve_discrete_lyapunov(a, q, method=method), expected, 1e-13)
