"""funm_herm where eigenvalues cross: derivatives of every order against expm of block matrices,
polynomials and mpmath.
"""

from functools import partial

import mpmath as mp
import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, hvp, jvp, linalg, value_and_grad, vmap
from scigrad.autodiff_rules import TracedValueError
from scigrad.linalg.eigenvalues.hermitian_function import divided_differences
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host
from scigrad.testing.draw import normal, with_spectrum

rng = np.random.default_rng(31)
random = partial(normal, rng)
hermitian_with = partial(with_spectrum, rng)
GAPS = [0, *10.0 ** -np.arange(17)]


def hermitian(x):
    return (x + x.conj().T) / 2


def derivatives_of_exp(a, t):
    """First, second and third derivative of expm in the direction t: corners of expm of a block
    matrix (Higham, Theorem 3.6).
    """
    n = len(a)
    block = np.kron(np.eye(4), a) + np.kron(np.eye(4, k=1), t)
    corners = scipy.linalg.expm(block)[:n]
    return np.array([corners[:, n : 2 * n], 2 * corners[:, 2 * n : 3 * n], 6 * corners[:, 3 * n :]])


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


@pytest.mark.parametrize("gap", GAPS)
def test_three_derivatives_as_eigenvalues_approach_each_other(gap, is_complex):
    a = hermitian_with((1, 1 + gap, 1 + 2 * gap, 3), is_complex)
    h, t = random(4, 4, is_complex=is_complex), hermitian(random(4, 4, is_complex=is_complex))
    truth = derivatives_of_exp(a, t)

    def f(x):
        return linalg.funm_herm(np.exp, x)

    def loss(x):
        return np.sum(np.real(np.conj(h) * f(x)))

    def along(x):
        return jvp(f, (x,), (t,))[1]

    (first, second), (again, third) = jvp(lambda x: jvp(along, (x,), (t,)), (a,), (t,))
    for found, expected in zip((first, second, again, third), truth[[0, 1, 1, 2]], strict=True):
        assert_close(found, expected, 1e-11)
    gradient, product = hvp(loss, (a,), (t,))
    assert (
        abs(np.real(np.vdot(gradient, t)) - np.real(np.vdot(h, truth[0])))
        <= 1e-11 * np.abs(truth[0]).sum()
    )
    assert (
        abs(np.real(np.vdot(product, t)) - np.real(np.vdot(h, truth[1])))
        <= 1e-11 * np.abs(truth[1]).sum()
    )


FUNCTIONS = {
    "exp": (np.exp, mp.exp),
    "log": (np.log, mp.log),
    "sqrt": (np.sqrt, mp.sqrt),
    "power": (lambda w: w**-1.5, lambda w: w ** mp.mpf(-1.5)),
    "sin of large": (lambda w: np.sin(50 * w), lambda w: mp.sin(50 * w)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("gap", GAPS)
def test_divided_differences(name, gap):
    f, truth = FUNCTIONS[name]
    x = np.array([0.25, 1, 1 + gap, 1 + 3 * gap])
    second = divided_differences(f, x, 2)
    with mp.workdps(80):

        def difference(*points):
            points = sorted(points)
            if points[0] == points[-1]:
                return mp.diff(truth, points[0], len(points) - 1) / mp.factorial(len(points) - 1)
            return (difference(*points[1:]) - difference(*points[:-1])) / (points[-1] - points[0])

        for i in range(4):
            for j in range(4):
                for k in range(4):
                    expected = float(difference(*(mp.mpf(float(x[m])) for m in (i, j, k))))
                    assert abs(second[i, j, k] - expected) <= 2e-11 * abs(expected) + 1e-12


def test_a_pole_or_a_jump_between_eigenvalues_does_no_harm(is_complex):
    a = hermitian_with((-1, 1, 1, 2), is_complex)
    h, t = (
        hermitian(random(4, 4, is_complex=is_complex)),
        hermitian(random(4, 4, is_complex=is_complex)),
    )
    inverse = np.linalg.inv(a)
    derivative = -inverse @ t @ inverse
    found = jvp(lambda a: linalg.funm_herm(lambda w: 1 / w**2, a), (a,), (t,))[1]
    assert_close(found, derivative @ inverse + inverse @ derivative, 1e-11)
    # its derivative e solves  sign e + e sign = 0  and  a e - e a = sign t - t sign
    sign = scipy.linalg.signm(a)
    e = jvp(lambda a: linalg.funm_herm(np.sign, a), (a,), (t,))[1]
    assert_close(sign @ e + e @ sign, 0 * e, 1e-12, floor=1e-12)
    assert_close(a @ e - e @ a, sign @ t - t @ sign, 1e-11)
    assert np.isfinite(grad(lambda a: np.sum(np.real(h * linalg.funm_herm(np.sign, a))))(a)).all()


@pytest.mark.parametrize("k", [-500, 500])
def test_scaling(k, is_complex):
    a, t = hermitian_with((1, 1, 2), is_complex), hermitian(random(3, 3, is_complex=is_complex))
    h, scale = random(3, 3, is_complex=is_complex), 2.0**k

    def loss(a):
        return np.sum(np.real(np.conj(h) * linalg.funm_herm(np.log, a)))

    assert_close(scale * grad(loss)(scale * a), grad(loss)(a), 1e-12)
    assert_close(scale * hvp(loss, (scale * a,), (scale * t,))[1], hvp(loss, (a,), (t,))[1], 1e-11)


def test_value_gradient_and_hessian_vector_product_take_one_decomposition(monkeypatch):
    from scigrad.linalg.eigenvalues import hermitian as spectrum

    calls = []
    original = spectrum._eigh_kernel
    monkeypatch.setattr(spectrum, "_eigh_kernel", lambda *args: calls.append(1) or original(*args))
    a = hermitian_with((1, 2, 3))

    def loss(a):
        return np.sum(linalg.funm_herm(np.exp, a) ** 2)

    value_and_grad(loss)(a)
    assert len(calls) == 1
    hvp(loss, (a,), (a,))
    assert len(calls) == 2


def test_the_other_triangle_gets_exactly_zero(is_complex):
    a = hermitian_with((1, 2, 3), is_complex) + np.triu(random(3, 3), 1)
    gradient = grad(lambda a: np.sum(np.abs(linalg.funm_herm(np.exp, a)) ** 2))(a)
    assert not np.triu(gradient, 1).any()
    assert not np.diagonal(gradient).imag.any()


def test_under_vmap_with_and_without_a_batch_of_its_own():
    a, t = np.stack([hermitian_with((1, 1, 3)), hermitian_with((2, 3, 4))]), hermitian(random(3, 3))

    def second(x, t):
        return hvp(lambda x: np.sum(linalg.funm_herm(np.sqrt, x) ** 3), (x,), (t,))[1]

    assert_close(vmap(lambda x: second(x, t))(a), np.stack([second(x, t) for x in a]), 1e-11)
    directions = np.stack([t, 2 * t, t @ t])
    assert_close(
        vmap(lambda t: second(a[0], t))(directions),
        np.stack([second(a[0], t) for t in directions]),
        1e-11,
    )


@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_failures_spare_their_neighbors(backend):
    host = np.stack([hermitian_with((1, 2)), np.full((2, 2), np.nan), hermitian_with((1, 3))])
    (a,) = make_array((host,), backend)
    out, info = to_host(linalg.funm_herm(np.exp, a, on_fail="info"))
    assert (info != 0).tolist() == [False, True, False]
    assert np.isnan(out[1]).all()
    for i in (0, 2):
        assert_close(out[i], scipy.linalg.expm(host[i]), 1e-12)


def test_differences_of_a_fast_function_between_neighboring_numbers():
    eps = np.finfo(float).eps
    # the gaps are so small that an error of cos(1000 w), divided by one, is a large number
    for steps in ((0, 1, 4), (0, 5, 12), (0, 45, 122)):
        x = 1 + eps * np.array(steps)
        second = divided_differences(lambda w: np.cos(1000 * w), x, 2)
        np.testing.assert_allclose(second, -5e5 * np.cos(1000.0), rtol=1e-8)


SINGULAR = {
    "sqrt": (np.sqrt, [0.0, 0.0, 2.0]),
    "log": (np.log, [0.0, 1.0, 1.0]),
    "reciprocal": (np.reciprocal, [1.0, 0.0, 2.0]),
    "left of the root": (np.sqrt, [-1.0, 1.0, 1.0]),
    "overflow": (np.log, [1e-200, 1e-200, 1e-200]),
}


@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_where_f_has_no_derivative_there_is_none_and_no_noise(name, backend, is_complex):
    f, w = SINGULAR[name]
    order = 2 if name == "overflow" else 1
    batch = np.stack([np.eye(3), np.diag(w)]).astype(complex if is_complex else float)
    (a, t) = make_array((batch, np.ones_like(batch)), backend)

    def derived(x, **options):
        g = lambda x: linalg.funm_herm(f, x, **options)  # noqa: E731
        for _ in range(order):
            g = lambda x, g=g: jvp(g, (x,), (t,))[1]  # noqa: E731
        with np.errstate(all="ignore"):  # f itself warns, in the value
            return to_host(g(x))

    found = derived(a, on_fail="nan")
    assert np.isnan(found[1]).all()
    assert np.isfinite(found[0]).all()
    if backend == "numpy":
        with pytest.raises(
            np.linalg.LinAlgError,
            match=rf"no derivative of order {order} at batch index \(1,\).* eigenvalues? ",
        ):
            derived(a)


@pytest.mark.filterwarnings("error")
def test_a_root_at_0_says_so_and_warns_of_nothing_else():
    with pytest.raises(np.linalg.LinAlgError, match="not finite at the eigenvalues 0"):
        grad(lambda a: np.sum(linalg.funm_herm(np.sqrt, a)))(np.diag([0.0, 0.0, 1.0]))


def test_a_traced_parameter_of_the_function_is_refused():
    with pytest.raises(TracedValueError, match=r"linalg\.funm follows"):
        grad(lambda p: np.sum(linalg.funm_herm(lambda w: w**p, np.eye(2))))(2.0)
