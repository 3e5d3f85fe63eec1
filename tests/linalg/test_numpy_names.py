"""Plain numpy.linalg called on traced arrays: values as NumPy's, derivatives against finite
differences.
"""

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, hvp, jvp, linalg, vjp, vmap
from scigrad.testing import assert_close
from scigrad.testing.gradcheck import directional_difference

rng = np.random.default_rng(8)
A = rng.standard_normal((3, 3)) + 3 * np.eye(3)
S = A @ A.T
B, C, T = rng.standard_normal((3, 2)), rng.standard_normal((4, 3)), rng.standard_normal((3, 3))

CASES = {
    "solve, vector": (lambda a: np.linalg.solve(a, B[:, 0]), A),
    "solve": (lambda a: np.linalg.solve(a, B), A),
    "solve, batch of b": (lambda a: np.linalg.solve(a, np.stack([B, B])), A),
    "inv": (np.linalg.inv, A),
    "det": (np.linalg.det, A),
    "slogdet": (lambda a: tuple(np.linalg.slogdet(a)), A),
    "cholesky": (np.linalg.cholesky, S),
    "cholesky, upper": (lambda a: np.linalg.cholesky(a, upper=True), S),
    "eigvalsh": (np.linalg.eigvalsh, S),
    "eigvalsh, upper": (lambda a: np.linalg.eigvalsh(a, "U"), S),
    "eigh": (lambda a: np.linalg.eigh(a).eigenvalues, S),
    "eigh, function": (
        lambda a: (np.linalg.eigh(a)[1] * np.linalg.eigh(a)[0] ** 2) @ np.linalg.eigh(a)[1].T,
        S,
    ),
    "lstsq": (lambda a: np.linalg.lstsq(a @ A, C[:, :2], rcond=None)[0], C),
    "lstsq, residuals of a vector": (
        lambda a: np.linalg.lstsq(a, np.arange(4.0), rcond=None)[1],
        C,
    ),
    "pinv": (np.linalg.pinv, C),
    "svdvals": (np.linalg.svdvals, C),
    "svd": (
        lambda a: (
            (np.linalg.svd(a, False).U * np.linalg.svd(a, False)[1] ** 3)
            @ np.linalg.svd(a, False).Vh
        ),
        C,
    ),
    "svd, values": (lambda a: np.linalg.svd(a, compute_uv=False), C),
    "svd, Hermitian": (lambda a: np.linalg.svd(a, hermitian=True)[1], S - 3 * np.eye(len(S))),
    "qr": (lambda a: tuple(np.linalg.qr(a)), C),
    "qr, wide": (lambda a: np.linalg.qr(a).R, C.T),
    "qr, r": (lambda a: np.linalg.qr(a, "r"), C),
    "qr, complete": (lambda a: tuple(np.linalg.qr(a, mode="complete")), A),
    **{
        f"cond, {p}": (lambda a, p=p: np.linalg.cond(a, p), A)
        for p in (None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf)
    },
    "norm": (np.linalg.norm, A),
    "norm, rows": (lambda a: np.linalg.norm(a, 3, axis=1, keepdims=True), A),
    "vector_norm": (lambda a: np.linalg.vector_norm(a, ord=1, keepdims=True), A),
    "vector_norm, two axes": (lambda a: np.linalg.vector_norm(a, axis=(1, 0)), A),
    "matrix_norm": (lambda a: np.linalg.matrix_norm(a, ord="nuc"), A),
    "matrix_power": (lambda a: np.linalg.matrix_power(a, 5), A),
    "matrix_power, negative": (lambda a: np.linalg.matrix_power(a, -3), A),
    "matrix_power, 0": (lambda a: np.linalg.matrix_power(a, 0) * a, A),
    "multi_dot": (lambda a: np.linalg.multi_dot([a, A, a, B]), A),
    "matrix_rank": (lambda a: np.linalg.matrix_rank(a) * a, A),
}


@pytest.mark.parametrize(("function", "a"), CASES.values(), ids=CASES)
def test_values_and_derivatives(function, a):
    # the differences step an eighth as far: S is near the edge of the definite ones
    t = rng.standard_normal(a.shape) / 8
    out, tangent = jvp(function, (a,), (t,))
    assert_close(out, function(a), 1e-12)
    assert_close(tangent, directional_difference(function, (a,), (t,)), 1e-7)
    gradient = grad(
        lambda a: sum(
            np.sum(x**2)
            for x in (function(a) if isinstance(function(a), tuple) else (function(a),))
        )
    )(a)
    out = out if isinstance(out, tuple) else (out,)
    tangent = tangent if isinstance(tangent, tuple) else (tangent,)
    expected = sum(2 * np.sum(x * d) for x, d in zip(out, tangent, strict=True))
    assert (
        abs(np.sum(gradient * t) - expected) <= 1e-9 * (np.abs(gradient) * np.abs(t)).sum() + 1e-12
    )


@pytest.mark.parametrize(
    "function", [np.linalg.inv, np.linalg.det, np.linalg.eigvalsh, np.linalg.cholesky]
)
def test_under_vmap(function):
    assert_close(vmap(function)(np.stack([S, 2 * S])), function(np.stack([S, 2 * S])), 1e-12)


@pytest.mark.parametrize(
    "function", [np.linalg.inv, np.linalg.det, np.linalg.cholesky, lambda a: np.linalg.solve(a, B)]
)
def test_numpy_s_exceptions(function):
    with pytest.raises(np.linalg.LinAlgError, match="must be square"):
        grad(lambda a: np.sum(function(a)))(np.ones((3, 2)))


def test_named_results():
    def loss(a):
        sign, logarithm = np.linalg.slogdet(a)
        w, v = np.linalg.eigh(a)
        assert np.linalg.slogdet(a).logabsdet is not None
        return sign * logarithm + np.sum(w) + 0 * np.sum(v)

    assert np.isfinite(grad(loss)(S)).all()
    with pytest.raises(ValueError, match="UPLO"):
        grad(lambda a: np.sum(np.linalg.eigvalsh(a, "X")))(S)


@pytest.mark.parametrize(
    "function", [np.linalg.svd, np.linalg.qr, np.linalg.svdvals, np.linalg.cond]
)
def test_vectors_are_refused_as_numpy_does(function):
    with pytest.raises(np.linalg.LinAlgError):
        function(np.ones(3))
    with pytest.raises(np.linalg.LinAlgError):
        vmap(function)(np.ones((2, 3)))


def test_raw_qr_under_vmap():
    batch = np.stack([C, 2 * C])
    for x, y in zip(
        vmap(lambda a: np.linalg.qr(a, "raw"))(batch), np.linalg.qr(batch, "raw"), strict=True
    ):
        assert_close(x, y, 1e-12)


def test_an_unknown_mode_of_qr():
    with pytest.raises(ValueError, match="Unrecognized mode"):
        vmap(lambda a: np.linalg.qr(a, "thin"))(np.ones((2, 3, 2)))


@pytest.mark.parametrize("ord", [None, 1, -1, 2, -2, 0.5, 3, np.inf, -np.inf])
@pytest.mark.parametrize(
    "x",
    [np.zeros(0), np.array([1.0, np.inf, -2.0]), np.array([-np.inf, np.inf])],
    ids=["empty", "inf", "infs"],
)
def test_norms_of_nothing_and_of_infinities(x, ord):
    def value(norm):
        try:
            return norm(x)
        except ValueError:
            return "ValueError"

    with np.errstate(all="ignore"):
        assert value(lambda x: jvp(lambda x: np.linalg.norm(x, ord), (x,), (x,))[0]) == value(
            lambda x: np.linalg.norm(x, ord)
        )


@pytest.mark.parametrize("ord", [None, "fro", "nuc", 1, 2, np.inf])
@pytest.mark.parametrize("shape", [(0, 0), (0, 2), (2, 0)])
def test_norms_of_empty_matrices(shape, ord):
    x = np.zeros(shape)
    assert jvp(lambda x: np.linalg.norm(x, ord), (x,), (x,))[0] == 0


@pytest.mark.parametrize("axis", [5, -3, (0, 2), (1, -1)])
def test_norms_over_axes_that_are_not_there(axis):
    for x in (A, np.float32(A)):
        with pytest.raises((ValueError, TypeError)) as expected:
            np.linalg.norm(x, axis=axis)
        with pytest.raises(expected.type):
            grad(lambda x: np.sum(np.linalg.norm(x, axis=axis)))(x)


def test_numpy_solves_no_system_whose_rows_do_not_fit():
    with pytest.raises(ValueError, match="needs 1 rows"):  # SciPy does, if a is one number
        grad(lambda a: np.sum(np.linalg.solve(a, np.ones(2))))(np.ones((1, 1)))
    with pytest.raises(np.linalg.LinAlgError, match="lstsq"):
        grad(lambda a: np.sum(np.linalg.lstsq(a, np.ones(2))[0]))(A)


def test_numpy_does_not_look_for_nan():
    a = np.array([[1.0, np.nan, 2.0], [0.0, 1.0, 1.0], [1.0, 3.0, 1.0]])
    with pytest.warns(scipy.linalg.LinAlgWarning):
        assert np.isnan(jvp(lambda a: np.linalg.solve(a, B), (a,), (a,))[0]).all()
    assert_close(jvp(lambda a: np.linalg.matrix_power(a, 0), (a,), (a,))[0], np.eye(3))


def test_lstsq_takes_lists_and_integers_and_answers_with_real_residuals():
    for a in ([[1, 2], [2, 1], [0, 1]], np.array([[1, 2], [2, 1], [0, 1]])):
        out, tangent = jvp(lambda b, a=a: np.linalg.lstsq(a, b)[0], (C[:3, 0],), (C[:3, 1],))
        assert_close(
            (out, tangent),
            (np.linalg.lstsq(a, C[:3, 0])[0], np.linalg.lstsq(a, C[:3, 1])[0]),
            1e-12,
        )
    assert jvp(lambda a: np.linalg.lstsq(a, B[:, 0])[1], (A * 1j,), (A,))[0].dtype == float


@pytest.mark.parametrize("ord", [None, 1, 2, 0.5, 1.5, 3, -1, -2.5, np.inf, -np.inf, 0])
@pytest.mark.parametrize("dtype", [float, complex])
def test_norms_have_the_derivative_0_in_an_element_that_is_0(ord, dtype):
    for x in (np.zeros(2, dtype), np.array([0, 2], dtype)):
        gradient = grad(lambda x: np.linalg.norm(x, ord), allow_constant=True)(x)
        assert gradient[0] == 0
        assert_close(gradient[1], 0 if ord in (0, -1, -2.5, -np.inf) or not x[1] else 1)
        slope = jvp(lambda x: np.linalg.norm(x, ord), (x,), (x + 1,), allow_constant=True)[1]
        assert np.isfinite(slope)


def test_pinv_of_a_hermitian_matrix_reads_the_lower_triangle():
    def function(a):
        return np.linalg.pinv(a, hermitian=True)

    t = rng.standard_normal((3, 3))
    out, tangent = jvp(function, (A,), (t,))
    assert_close(out, function(A), 1e-10)
    assert_close(tangent, directional_difference(function, (A,), (t,)), 1e-6)


@pytest.mark.parametrize("ord", ["nuc", 2, -2])
def test_third_derivatives_of_singular_values_of_a_tall_matrix(ord):
    x, t = rng.standard_normal((4, 2)), rng.standard_normal((4, 2))

    def second(x):
        return hvp(lambda x: np.linalg.norm(x, ord), (x,), (t,))[1]

    assert_close(jvp(second, (x,), (t,))[1], directional_difference(second, (x,), (t,)), 1e-6)


@pytest.mark.parametrize("hermitian", [False, True])
def test_pinv_with_a_cutoff_for_each_matrix(hermitian):
    a = np.stack([np.diag([1.0, 1e-3, 1e-6])] * 3)
    cutoff = np.array([1e-9, 1e-4, 1e-2])

    def function(a, rcond=cutoff):
        return np.linalg.pinv(a, rcond, hermitian=hermitian)

    t = rng.standard_normal(a.shape)
    t[1:] = 0  # the tangents keep the rank
    out, tangent = jvp(function, (a,), (t,))
    assert_close(out, np.linalg.pinv(a, cutoff), 1e-12)
    for found, one, direction, rcond in zip(tangent, a, t, cutoff, strict=True):
        assert_close(
            found, jvp(lambda a, rcond=rcond: function(a, rcond), (one,), (direction,))[1], 1e-12
        )
    assert_close(vmap(lambda a: function(a))(a[None]), out[None], 1e-12)
    assert_close(vjp(lambda a: function(a, cutoff.tolist()), a)[0], out, 1e-12)
    for name in ("pinv", "pinvh"):
        assert_close(getattr(linalg, name)(a, rtol=cutoff), out, 1e-12)
        assert_close(getattr(linalg, name)(a, atol=cutoff, rtol=0), out, 1e-12)
        with pytest.raises(ValueError, match=f"{name}: atol and rtol values must be positive"):
            getattr(linalg, name)(a, rtol=-cutoff)


def test_pinv_takes_one_cutoff_and_none_is_the_working_precision():
    a = np.diag([1.0, 5e-16])
    assert np.linalg.pinv(a, rtol=None)[1, 1] > 0
    for options in ({}, {"rtol": None}, {"rtol": 1e-17}):
        assert_close(
            vjp(lambda a, o=options: np.linalg.pinv(a, **o), a)[0],
            np.linalg.pinv(a, **options),
            1e-12,
        )
    with pytest.raises(ValueError, match="`rtol` and `rcond` can't be both set"):
        grad(lambda a: np.sum(np.linalg.pinv(a, 1e-3, rtol=1e-3)))(a)
