"""expm, logm, sqrtm, powers, signm, funm: hard matrices, scale, failure, cost."""

import functools
import inspect
import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.special

from scigrad import grad, hvp, jvp, linalg, value_and_grad, vjp, vmap
from scigrad.linalg.functions import expm_taylor
from scigrad.testing import assert_close, make_array, to_host
from scigrad.testing.device import DeviceArray
from scigrad.testing.reference import load

EPS = np.finfo(float).eps
# Here SciPy's kernels lose as many digits: powers cancel, or eigenvectors are almost dependent.
HARD = {"expm: nilpotent, full": 2e6, "signm: Jordan blocks of both signs": 2e4}


def right_half(n, seed=0, complex_values=False):
    random = np.random.default_rng(seed)
    a = random.standard_normal((n, n)) + (
        1j * random.standard_normal((n, n)) if complex_values else 0
    )
    return 0.4 * a + 2 * np.eye(n)


def error(found, truth):
    return np.abs(found - truth).max() / np.abs(truth).max() / EPS


# -- accuracy: mpmath's values and derivatives along the matrix of ones


@pytest.mark.parametrize("record", load("linalg/matrix_functions"), ids=lambda record: record.label)
def test_hard_matrices(record, rounding):
    (a,) = record.arguments
    ones = np.ones_like(a)
    f = lambda a: getattr(linalg, record.function)(a, **record.options)  # noqa: E731
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some of them are ill-conditioned
        value, tangent = jvp(f, (a,), (ones,))
        (cotangent,) = vjp(f, a)[1](ones.astype(value.dtype))
        # differs among the kernels of BLAS
        noises = rounding(lambda a: jvp(f, (a,), (ones,)), (a,))
    noise = max(
        n / np.abs(x).max() for n, x in zip(noises, (record.value, record.first[0]), strict=True)
    )
    limit = max(HARD.get(record.label, 1000), 10 * noise / EPS)
    assert error(value, record.value) < limit
    assert error(tangent, record.first[0]) < limit
    assert error(cotangent.conj().T, record.first[0]) < limit  # L(a^H, 1) = L(a, 1)^H


def test_second_derivatives_at_a_jordan_block():
    a = 1.5 * np.eye(3) + np.diag(np.ones(2), 1)
    e = np.ones((3, 3))
    for f in (linalg.expm, linalg.logm, linalg.sqrtm):
        # three diagonal blocks: the corner of f([[a, e, 0], [0, a, e], [0, 0, a]]) is half the
        # second derivative
        zero = np.zeros((3, 3))
        whole = np.block([[a, e, zero], [zero, a, e], [zero, zero, a]])
        expected = 2 * getattr(scipy.linalg, f.__name__)(whole)[:3, 6:]
        found = jvp(lambda x, f=f: jvp(f, (x,), (e,))[1], (a,), (e,))[1]
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


# -- scale


@pytest.mark.parametrize("k", [-500, -120, 120, 500])
@pytest.mark.parametrize(
    ("function", "degree"),
    [
        (linalg.sqrtm, 0.5),
        (lambda a: linalg.fractional_matrix_power(a, 0.5), 0.5),
        (linalg.signm, 0.0),
        (lambda a: linalg.matrix_power(a, 1), 1.0),
        (linalg.logm, None),
    ],
    ids=["sqrtm", "fractional_matrix_power", "signm", "matrix_power", "logm"],
)
def test_powers_of_two_pass_through(function, degree, k):
    weights = np.arange(9.0).reshape(3, 3)
    loss = lambda a: np.sum(weights * function(a))  # noqa: E731
    a, t = right_half(3), right_half(3, 1)
    with warnings.catch_warnings():
        # SciPy finds the logarithm's residual large where the matrix is
        warnings.simplefilter("ignore")
        scaled_pair = hvp(loss, (a * 2.0**k,), (t * 2.0**k,))
        pair = hvp(loss, (a,), (t,))
    for found, plain in zip(scaled_pair, pair, strict=True):
        scaled = plain * 2.0 ** (((degree or 0) - 1) * k)
        np.testing.assert_allclose(
            found, scaled, rtol=0 if degree is not None and function is not linalg.logm else 1e-12
        )


# -- values


def test_the_traced_sign_of_a_complex_matrix_is_scipy_s():
    mixed = right_half(4, 2, True) @ np.diag([1, -1, 1j, 2])
    for a in (np.array([[1 + 2j, 0.5], [0.3j, -2 + 1j]]), right_half(3, 1, True), mixed):
        expected = scipy.linalg.signm(a)
        for found in (
            linalg.signm(a, on_fail="nan"),
            jvp(linalg.signm, (a,), (a,))[0],
            vjp(linalg.signm, a)[0],
        ):
            np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("t", [None, 0.5, 0.75, 1.5, -0.3])
def test_derivatives_at_nilpotent_plus_one_are_finite_series(n, t):
    """Of log(1 + m) or (1 + m)^t with m = [[x, e, 0], [0, x, e], [0, 0, x]], x^n = 0."""
    e, x, zero = np.random.default_rng(n).standard_normal((n, n)), np.eye(n, k=1), np.zeros((n, n))
    f = linalg.logm if t is None else functools.partial(linalg.fractional_matrix_power, t=t)
    m, series, power = np.block([[x, e, zero], [zero, x, e], [zero, zero, x]]), 0, np.eye(3 * n)
    for k in range(1, 3 * n):
        power = power @ m
        series = series + power * ((-1) ** (k + 1) / k if t is None else scipy.special.binom(t, k))
    first, second = jvp(lambda a: jvp(f, (a,), (e,))[1], (np.eye(n) + x,), (e,))
    np.testing.assert_allclose(first, series[:n, n : 2 * n], atol=1e-12 * np.abs(first).max())
    np.testing.assert_allclose(second, 2 * series[:n, 2 * n :], atol=1e-12 * np.abs(second).max())


def test_empty_matrices_and_batches():
    for f in (
        linalg.logm,
        linalg.signm,
        lambda a: linalg.funm(a, np.exp),
        lambda a: linalg.fractional_matrix_power(a, 0.5),
    ):
        for shape in ((0, 0), (2, 0, 0), (0, 2, 2)):
            assert f(np.zeros(shape)).shape == shape
            assert grad(lambda a, f=f: np.sum(np.real(f(a))))(np.zeros(shape)).shape == shape


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_disp_returns_an_estimate_under_a_transform_too():
    a = right_half(3)
    for name in ("sqrtm", "logm"):
        if "disp" not in inspect.signature(getattr(scipy.linalg, name)).parameters:
            continue  # SciPy 1.18 takes it no more
        f = getattr(linalg, name)
        expected = f(a, disp=False)
        found = vmap(lambda x, f=f: f(x, disp=False))(a[None])
        np.testing.assert_allclose(found[0][0], expected[0], rtol=1e-12)
        assert found[1][0] < 1e-13 > expected[1]


def test_funm_prints_nothing_under_a_transform(capsys):
    defective = np.array([[1.0, 1.0], [0.0, 1.0]])
    grad(lambda a: np.sum(linalg.funm(a, np.abs, on_fail="nan")))(defective)
    assert not capsys.readouterr().out


# -- failure


@pytest.mark.parametrize("name", ["sqrtm", "logm", "signm"])
def test_a_derivative_that_does_not_exist_raises_with_the_reason(name):
    f = getattr(linalg, name)
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(np.linalg.LinAlgError, match=f"{name}: argument 'A' of shape"):
            grad(lambda a: np.sum(np.real(f(a))))(singular)
        with pytest.raises(np.linalg.LinAlgError, match=r"at batch index \(1,\)"):
            grad(lambda a: np.sum(np.real(f(a))))(np.stack([right_half(2), singular]))


@pytest.mark.parametrize("name", ["sqrtm", "logm", "signm", "fractional_matrix_power"])
def test_a_bad_matrix_does_not_spoil_its_neighbors(name):
    f = getattr(linalg, name)
    options = {"t": 0.5} if name == "fractional_matrix_power" else {}
    good = right_half(2)
    batch = np.stack([good, good * np.nan, [[1.0, 2.0], [2.0, 4.0]]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, info = f(batch, **options, on_fail="info")
        gradient = grad(lambda a: np.sum(np.real(f(a, **options, on_fail="nan"))))(batch)
        alone = grad(lambda a: np.sum(np.real(f(a, **options))))(good)
        np.testing.assert_allclose(value[0], f(good, **options), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(gradient[0], alone, rtol=1e-11, atol=1e-15)
    assert list(info[:2]) == [0, -1]
    assert np.isnan(value[1]).all()
    assert np.isnan(gradient[1:]).all()


def test_negative_integer_powers_follow_the_policy():
    a = np.stack([np.diag([0.0, 1]), np.diag([1.0, 2])])
    value, info = linalg.fractional_matrix_power(a, -2, on_fail="info")
    gradient = grad(lambda a: np.nansum(linalg.fractional_matrix_power(a, -2, on_fail="nan")))(a)
    assert info.tolist() == [1, 0]
    assert np.isnan(value[0]).all()
    assert_close(
        (value[1], np.diag(gradient[1])), (np.diag([1, 0.25]), np.array([-2, -0.25])), 1e-14
    )
    with pytest.raises(np.linalg.LinAlgError):
        linalg.fractional_matrix_power(a, -2)


def test_nan_passes_through_expm_alone():
    batch = np.stack([np.eye(2), np.full((2, 2), np.nan), 3 * np.ones((2, 2))])
    found, gradient = value_and_grad(lambda a: np.sum(linalg.expm(a), axis=(-2, -1))[2])(batch)
    np.testing.assert_allclose(found, scipy.linalg.expm(batch[2]).sum(), rtol=1e-12)
    assert np.isfinite(gradient[2]).all()


# -- cost


def counted(monkeypatch, module, name):
    calls, original = [], getattr(module, name)
    monkeypatch.setattr(
        module,
        name,
        lambda *args, **kwargs: calls.append(args[0].shape) or original(*args, **kwargs),
    )
    return calls


@pytest.mark.parametrize(
    "f", [linalg.sqrtm, linalg.logm, lambda a: linalg.fractional_matrix_power(a, 0.3)]
)
def test_value_gradient_and_second_derivative_take_one_schur_decomposition_of_a(f, monkeypatch):
    linalg.sqrtm(right_half(2))
    calls = []
    from scigrad.linalg.functions import schur_basis

    original = schur_basis.host("schur")
    host = schur_basis.host
    wrapped = lambda *args, **kwargs: calls.append(args[0].shape) or original(*args, **kwargs)  # noqa: E731
    monkeypatch.setattr(
        schur_basis, "host", lambda name: wrapped if name == "schur" else host(name)
    )
    a = right_half(4)
    value_and_grad(lambda a: np.sum(np.real(f(a))))(a)
    assert calls == [(4, 4)]
    calls.clear()
    hvp(lambda a: np.sum(np.real(f(a))), (a,), (a,))
    assert set(calls) == {(4, 4)}  # the blocks of second order are never decomposed as a whole


def test_value_and_gradient_of_expm_scale_once(monkeypatch):
    calls = counted(monkeypatch, expm_taylor, "_scaled_powers")
    value_and_grad(lambda a: np.sum(linalg.expm(a)))(right_half(4))
    assert len(calls) == 1


# -- on a device


@pytest.mark.parametrize("complex_values", [False, True])
def test_roots_and_logarithms_by_the_sign_are_as_exact_as_by_schur(complex_values):
    a, e = right_half(4, 3, complex_values), right_half(4, 4, complex_values)
    for f in (linalg.sqrtm, linalg.logm, lambda a: linalg.fractional_matrix_power(a, -0.7)):
        for scale in (1.0, 2.0**200):
            found = jvp(f, (DeviceArray(scale * a),), (DeviceArray(scale * e),))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = jvp(f, (scale * a,), (scale * e,))
            for x, y in zip(found, expected, strict=True):
                np.testing.assert_allclose(x.get(), y, rtol=1e-11, atol=1e-12 * np.abs(y).max())


def test_a_device_says_what_it_cannot_do():
    with pytest.raises(
        np.linalg.LinAlgError,
        match=r"sqrtm: argument 'A' of shape \(2, 2\) .*: .* negative real axis",
    ):
        linalg.sqrtm(DeviceArray(-np.eye(2)))
    marked = linalg.sqrtm(DeviceArray(np.stack([-np.eye(2), 4 * np.eye(2)])), on_fail="nan").get()
    assert np.isnan(marked[0]).all()
    np.testing.assert_allclose(marked[1], 2 * np.eye(2), rtol=1e-14)


@pytest.mark.parametrize("function", [linalg.sinhm, linalg.coshm, linalg.tanhm])
def test_unsigned_integers_have_a_negative(function):
    a = np.array([[1, 0], [1, 2]])
    assert_close(function(a.astype("u1")), function(a.astype(float)), 1e-14)


@pytest.mark.parametrize(
    "function", [linalg.logm, functools.partial(linalg.fractional_matrix_power, t=0.5)]
)
@pytest.mark.parametrize("dtype", ["e", "f", "d"])
def test_plain_and_traced_results_have_one_precision(function, dtype):
    a = np.array([[2, 1], [0, 3]], dtype)
    assert function(a).dtype == vjp(function, a)[0].dtype


@pytest.mark.parametrize("exponent", [-900, -500, 500, 900])
@pytest.mark.parametrize("complex_values", [False, True])
def test_logarithms_of_very_small_and_very_large_matrices(exponent, complex_values):
    a = right_half(4, 3, complex_values)
    a[0, 1] = -(a[1, 0] + 1)  # complex eigenvalues
    expected = linalg.logm(a) + exponent * np.log(2) * np.eye(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy's, that the matrix may be nearly singular
        for found in (
            linalg.logm(2.0**exponent * a),
            jvp(linalg.logm, (2.0**exponent * a,), (a,))[0],
        ):
            assert error(found, expected) < 100


def test_the_logarithm_of_an_infinity_is_refused():
    with pytest.raises(ValueError, match="infs or NaNs"):  # SciPy does not return
        linalg.logm(np.array([[np.inf, 1.0], [0.0, 1.0]]))


@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_integer_exponents_of_a_batch_need_no_logarithm(backend):
    """A matrix with the eigenvalues 1 + sqrt(2), 1 - sqrt(2) and 1, and a singular one, which has
    none.
    """
    matrices = np.array([[[1.0, 0, 1], [0, 1, 1], [1, 1, 1]], [[1.0, 2, 0], [2, 4, 0], [0, 0, 3]]])
    exponents = np.array([5, 2])
    for shift, expected in ((0, [5, 2]), (-7, [-2, None])):
        a, n = make_array((matrices, exponents + shift), backend)
        x, info = vmap(lambda a, n: linalg.fractional_matrix_power(a, n, on_fail="info"))(a, n)
        slope = vmap(
            grad(lambda a, n: np.sum(linalg.fractional_matrix_power(a, n, on_fail="nan")))
        )(a, n)
        for i, k in enumerate(expected):
            if k is None:
                assert to_host(info)[i] == 1
                assert np.isnan(to_host(x)[i]).all()
                continue
            assert_close(to_host(x)[i], np.linalg.matrix_power(matrices[i], k), 1e-12)
            assert_close(
                to_host(slope)[i],
                grad(lambda a, k=k: np.sum(linalg.matrix_power(a, k)))(matrices[i]),
                1e-10,
            )
