"""funm where eigenvalues are equal or near each other, against mpmath, and for functions of all
kinds.
"""

import cmath
import functools

import mpmath as mp
import numpy as np
import pytest
import scipy.linalg
import scipy.special

from scigrad import grad, hvp, jvp, linalg, vjp, vmap
from scigrad.testing import assert_close

rng = np.random.default_rng(17)
V3, V4 = (np.eye(n) + 0.4 * rng.standard_normal((n, n)) for n in (3, 4))
PAIR = np.array([[1.0, 2.0], [-3.0, 1.5]])


def jordan(eigenvalue, n, perturbation=0.0):
    a = eigenvalue * np.eye(n) + np.diag(np.ones(n - 1), 1)
    a[-1, 0] += perturbation
    return a


def full(a):
    v = V3 if len(a) == 3 else V4
    return v @ a @ np.linalg.inv(v)


MATRICES = {
    "Jordan block": jordan(1.5, 4),
    "Jordan block, full": full(jordan(1.5, 3)),
    "Jordan block within 1e-8": full(jordan(1.5, 4, 1e-8)),
    "Jordan block, complex": full(jordan(1.0, 3)) + 1j * np.eye(3),
    "two Jordan blocks": full(scipy.linalg.block_diag(jordan(1.0, 2), jordan(2.0, 2))),
    "equal eigenvalues": 2 * np.eye(3),
    "clustered": full(
        np.diag([1.0, 1 + 1e-6, 1 + 1e-8, 3.0]) + np.triu(rng.standard_normal((4, 4)), 1)
    ),
    "clustered complex pairs": full(np.block([[PAIR, np.eye(2)], [np.zeros((2, 2)), PAIR + 1e-8]])),
    "far from normal": np.array([[1.0, 1e3, 3.0], [0.0, 1.25, -1e3], [0.0, 0.0, 2.0]]),
    "small": 1e-8 * full(jordan(1.5, 3)),
}
MATRICES |= {
    f"gap {gap:.0e}": full(np.array([[1, 1, 0], [0, 1 + gap, 1.0], [0, 0, 3]]))
    for gap in (1e-2, 1e-4, 1e-7, 1e-12)
}
FUNCTIONS = {
    "exp": (np.exp, mp.exp),
    "log": (np.log, mp.log),
    "rational": (lambda x: (1 + x) / (9 + x * x), lambda x: (1 + x) / (9 + x * x)),
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.filterwarnings("error")
def test_value_and_two_derivatives(name, function, truth):
    far = name == "far from normal"  # a rounding of its largest element changes more
    a = MATRICES[name]
    func, exact = FUNCTIONS[function]
    e, d = rng.standard_normal((2, *a.shape)) + (
        1j * rng.standard_normal((2, *a.shape)) if np.iscomplexobj(a) else 0
    )
    f = lambda x: linalg.funm(x, func)  # noqa: E731
    along = lambda x: jvp(f, (x,), (e,))[1]  # noqa: E731
    (value, first), second = jvp(f, (a,), (e,)), jvp(along, (a,), (d,))[1]
    (gradient,), (product,) = (
        vjp(f, a)[1](d.astype(value.dtype)),
        vjp(along, a)[1](d.astype(value.dtype)),
    )
    expected = truth(exact, a, e, d)
    assert value.dtype == a.dtype
    # SciPy's, where it does not find itself inaccurate
    plain = 1e-10 if "within" in name else 1e-12
    limits = plain, 1e-14, 2e-12 if far else 2e-14, 1e-9 if far else 1e-13
    for found, wanted, limit in zip(
        (f(a), value, first, second), (expected[0], *expected), limits, strict=True
    ):
        assert np.abs(found - wanted).max() <= limit * np.abs(wanted).max()
    for found, wanted, t in ((gradient, expected[1], e), (product, expected[2], d)):
        products = np.sum(np.abs(d)) * np.abs(wanted).max()
        assert (
            abs(np.real(np.vdot(found, t) - np.vdot(d, wanted)))
            <= (1e-9 if far else 1e-13) * products
        )


def test_orders_beyond_the_second_at_a_jordan_block():
    a, t = jordan(0.5, 2), np.array([[0.3, -1.0], [0.7, 0.4]])
    f = lambda s: linalg.funm(a + s * t, np.exp)  # noqa: E731
    for _ in range(4):
        f = functools.partial(lambda f, s: jvp(f, (s,), (1.0,))[1], f)
    block = np.kron(np.eye(5), a) + np.kron(np.eye(5, k=1), t)  # Higham 2008, theorem 3.6
    np.testing.assert_allclose(f(0.0), 24 * scipy.linalg.expm(block)[:2, 8:], rtol=1e-12)


def test_batches_keep_good_and_bad_matrices_apart():
    batch = np.stack([jordan(1.0, 3), full(np.diag([1.0, 2, 4]))])
    loss = lambda a: np.sum(linalg.funm(a, np.exp) ** 2)  # noqa: E731
    one_by_one = np.stack([grad(loss)(a) for a in batch])
    assert_close(grad(loss)(batch), one_by_one, 1e-13)
    assert_close(vmap(grad(loss))(batch), one_by_one, 1e-13)
    assert_close(
        hvp(loss, (batch,), (batch,))[1], np.stack([hvp(loss, (a,), (a,))[1] for a in batch]), 1e-13
    )
    value, estimate = linalg.funm(batch, np.exp, disp=False)
    assert_close(value, scipy.linalg.expm(batch), 1e-12)
    assert (estimate < 1e-13).all()
    marked, info = linalg.funm(
        np.stack([batch[0], np.full((3, 3), np.nan)]), np.exp, on_fail="info"
    )
    assert info.tolist() == [0, -1]
    assert_close(marked[0], scipy.linalg.expm(batch[0]), 1e-14)


# -- functions


def central(f, a, e, h=1e-6):
    return (f(a + h * e) - f(a - h * e)) / (2 * h)


@pytest.mark.parametrize(
    "func",
    [
        scipy.special.loggamma,
        np.vectorize(cmath.exp),
        lambda x: np.where(x.real > 1.5, x, 0),
        lambda x: np.exp(1j * x),
        lambda x: np.ones_like(x),
        lambda x: np.sign(x.real),
        lambda x: x**3 - x,
    ],
    ids=["loggamma", "vectorize", "steps", "complex", "constant", "sign", "polynomial"],
)
def test_any_analytic_function_of_numbers_will_do(func):
    for w in ([1.0, 2.0, 4.0], [1.0, 1.0, 4.0]):
        a, e = full(np.diag(w) + np.diag([0.5, 0.5], 1)), rng.standard_normal((3, 3))
        f = lambda x: linalg.funm(x, func)  # noqa: E731
        value, slope = jvp(f, (a,), (e,))
        np.testing.assert_allclose(slope, central(f, a, e), rtol=1e-6, atol=1e-7)
        assert value.dtype == slope.dtype == f(a).dtype


@pytest.mark.parametrize(
    "func", [np.abs, lambda x: np.maximum(x.real, 0), lambda x: np.sqrt(np.abs(x.real)), np.log]
)
def test_a_function_of_real_numbers_is_enough_for_simple_real_eigenvalues(func):
    a, e = full(np.diag([1.0, 2.0, -3.0])), rng.standard_normal((3, 3))
    f = lambda x: linalg.funm(x, func)  # noqa: E731
    along = lambda x: jvp(f, (x,), (e,))[1]  # noqa: E731
    np.testing.assert_allclose(along(a), central(f, a, e), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(
        jvp(along, (a,), (e,))[1], central(along, a, e), rtol=1e-7, atol=1e-8
    )


@pytest.mark.parametrize("w", [[1.0, -2.0, -2.0], [1.0, 2.0 + 0j, -3.0]], ids=["equal", "complex"])
@pytest.mark.parametrize("func", [np.abs, np.log])
def test_where_it_is_not_enough_the_derivative_is_refused(func, w):
    a = full(np.diag(w))
    with pytest.raises(
        np.linalg.LinAlgError,
        match=r"funm: .* has no derivative: the function is not analytic around",
    ):
        jvp(lambda x: linalg.funm(x, func), (a,), (a,))
    marked = jvp(lambda x: linalg.funm(x, func, on_fail="nan"), (a,), (a,))[1]
    assert np.isnan(marked).all()


def test_derivatives_in_what_func_holds():
    a = np.diag([2.0, 3.0]) + 0.5 * np.eye(2, k=1)
    for x in (a, np.stack([a, 2 * a])):
        slope = grad(lambda p, x=x: np.sum(linalg.funm(x, lambda z: z**p)))(1.5)
        expected = np.sum(scipy.linalg.funm(x, lambda z: z**1.5 * np.log(z)))
        assert abs(slope - expected) <= 1e-12 * abs(expected)
    mixed = grad(lambda a: grad(lambda p: np.sum(linalg.funm(a, lambda z: np.exp(p * z))))(1.0))(a)
    expected = grad(lambda a: np.sum(a @ linalg.expm(a)))(a)
    assert_close(mixed, expected, 1e-11)


def test_scipy_s_value_stands_where_there_is_no_better_one(capsys):
    a = jordan(1.0, 2)
    np.testing.assert_array_equal(linalg.funm(a, np.abs), scipy.linalg.funm(a, np.abs))
    assert capsys.readouterr().out == 2 * "funm result may be inaccurate, approximate err = 1\n"
