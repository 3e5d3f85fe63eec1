"""eigh where eigenvalues are equal or nearly so, gauges, the triangle that is read, one phase for
all machines.
"""

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import (
    GaugeError,
    checkpoint,
    grad,
    hessian,
    hvp,
    jacrev,
    jvp,
    linalg,
    linearize,
    value_and_grad,
    vjp,
    vmap,
)
from scigrad.testing import assert_close, make_array
from scigrad.testing.draw import normal, with_spectrum
from scigrad.testing.gradcheck import directional_difference
from scigrad.testing.reference import load

rng = np.random.default_rng(11)
random = partial(normal, rng)
SPECTRA = {
    "all": (1.0, 1, 1, 1),
    "a pair": (1.0, 1, 2, 3),
    "two pairs": (-1.0, -1, 2, 2),
    "three": (0.5, 2, 2, 2),
    "zero": (0.0, 0, 0, 1),
}
FUNCTIONS = {"exp": np.exp, "w - 1": lambda w: w - 1, "cube": lambda w: w**3}


def hermitian_with(w, is_complex=False, rotated=True):
    return (
        with_spectrum(rng, w, is_complex)
        if rotated
        else np.diag(np.array(w, complex if is_complex else float))
    )


def function_of(a, f, **options):
    """v f(w) v^H."""
    w, v = linalg.eigh(a, **options)
    return (v * f(w)[..., None, :]) @ np.conjugate(v).mT


def inner_loss(h, f, **options):
    """Re <h, v f(w) v^H>: smooth, whatever the spectrum."""
    return lambda a: np.sum(np.real(np.conjugate(h) * function_of(a, f, **options)))


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


# -- equal eigenvalues


@pytest.mark.parametrize("rotated", [False, True])
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
def test_functions_of_the_matrix_have_their_derivative(spectrum, f, rotated, is_complex):
    a = hermitian_with(spectrum, is_complex, rotated)
    h, t = random(4, 4, is_complex=is_complex), random(4, 4, is_complex=is_complex)
    loss = inner_loss(h, f)
    expected = directional_difference(loss, (a,), (t,))
    reverse = np.real(np.vdot(grad(loss)(a), t))
    forward = jvp(loss, (a,), (t,))[1]
    scale = np.abs(grad(loss)(a)).max() * np.abs(t).sum()
    assert abs(reverse - expected) <= 1e-8 * scale
    assert abs(forward - expected) <= 1e-8 * scale


@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
def test_symmetric_functions_of_eigenvalues_to_second_order(spectrum, is_complex):
    a, t = hermitian_with(spectrum, is_complex), random(4, 4, is_complex=is_complex)

    def loss(a):
        return np.sum(np.exp(linalg.eigh(a, eigvals_only=True)))

    assert_close(hvp(loss, (a,), (t,))[1], directional_difference(grad(loss), (a,), (t,)), 1e-8)
    assert (
        abs(jvp(loss, (a,), (t,))[1] - np.real(np.vdot(grad(loss)(a), t)))
        <= 1e-12 * np.abs(t).sum() * 10
    )


def test_separated_eigenvectors_are_not_poisoned(is_complex):
    a, t = hermitian_with((1, 1, 2, 4), is_complex), random(4, 4, is_complex=is_complex)
    weights = random(4)

    def loss(a):
        return np.sum(weights * np.abs(linalg.eigh(a)[1][:, 3]) ** 2)

    expected = directional_difference(loss, (a,), (t,))
    assert abs(np.real(np.vdot(grad(loss)(a), t)) - expected) <= 1e-9
    assert abs(jvp(loss, (a,), (t,))[1] - expected) <= 1e-9
    assert_close(hvp(loss, (a,), (t,))[1], directional_difference(grad(loss), (a,), (t,)), 1e-7)


@pytest.mark.parametrize("gap", [0, *10.0 ** -np.arange(0, 17, 2)])
def test_gradients_as_eigenvalues_approach_each_other(gap, is_complex):
    """The truth is the Frechet derivative of expm, which is its own adjoint."""
    a = hermitian_with((1, 1 + gap, 1 + 2 * gap, 3), is_complex)
    h = hermitian_with((1, 2, 3, 5), is_complex)
    full = grad(lambda a: inner_loss(h, np.exp)((a + np.conjugate(a).mT) / 2))(a)
    assert_close(full, scipy.linalg.expm_frechet(a, h, compute_expm=False), 1e-8)


def test_an_eigenvalue_that_splits_has_the_subgradient_of_smallest_norm():
    a = hermitian_with((1, 1, 1, 5))
    found = grad(lambda a: linalg.eigh((a + a.T) / 2, eigvals_only=True)[0])(a)
    v = np.linalg.eigh(a)[1][:, :3]
    assert_close(found, v @ v.T / 3, 1e-12)


def test_directional_derivatives_of_split_eigenvalues_are_one_sided():
    a, t = np.eye(3), random(3, 3)
    found = jvp(lambda a: linalg.eigvalsh(a), (a,), (t,))[1]
    assert_close(found, np.linalg.eigvalsh(np.tril(t) + np.tril(t, -1).T), 1e-12)


def test_in_batches_and_other_transforms():
    batch = np.stack([np.eye(3), np.diag([1.0, 1, 2]), hermitian_with((1, 2, 3))])
    h, t = random(3, 3), random(3, 3)
    loss = inner_loss(h, np.exp)
    expected = np.stack([grad(loss)(a) for a in batch])
    assert_close(vmap(grad(loss))(batch), expected, 1e-12)
    assert_close(grad(lambda b: np.sum(vmap(loss)(b)))(batch), expected, 1e-12)
    assert_close(grad(loss)(batch), expected, 1e-12)
    assert_close(grad(checkpoint(loss))(batch[0]), expected[0], 1e-12)
    matrix = jacrev(lambda a: function_of(a, np.exp))(batch[0])
    assert_close(
        np.tensordot(matrix, t), jvp(lambda a: function_of(a, np.exp), (batch[0],), (t,))[1], 1e-12
    )


def test_every_direction_of_a_batch_chooses_its_own_basis():
    a, directions = np.diag([1.0, 1, 3]), random(4, 3, 3)
    loss = inner_loss(random(3, 3), np.exp)
    found = vmap(lambda t: jvp(loss, (a,), (t,))[1])(directions)
    assert_close(found, np.stack([jvp(loss, (a,), (t,))[1] for t in directions]), 1e-12)


def test_nothing_but_arrays_leaves_a_transform():
    a, h = np.eye(3), random(3, 3)
    loss = inner_loss(h, np.exp)
    (value, extra), gradient = value_and_grad(lambda a: (loss(a), linalg.eigh(a)[0]), has_aux=True)(
        a
    )
    out, pullback = vjp(lambda a: linalg.eigh(a)[0], a)
    for x in (value, extra, gradient, out, pullback(np.ones(3))[0], value_and_grad(loss)(a)[0]):
        assert isinstance(x, (np.ndarray, np.generic)), type(x)


# -- what has no derivative says so


@pytest.mark.parametrize("mode", ["vector", "phase", "pair"])
def test_losses_that_depend_on_the_choice_raise(mode):
    if mode == "phase":
        a, loss = (
            hermitian_with((1, 2, 3), True),
            lambda a, **o: np.real(np.sum(linalg.eigh(a, **o)[1])),
        )
        pattern = "the phase of eigenvector 0"
    else:
        a = np.eye(3)
        loss = {
            "vector": lambda a, **o: linalg.eigh(a, **o)[1][0, 1],
            "pair": lambda a, **o: np.sum(linalg.eigh(a, **o)[1][:, 0] * np.arange(1.0, 4)) ** 2,
        }[mode]
        pattern = r"eigenvectors \d and \d, whose eigenvalues are equal"
    with pytest.raises(GaugeError, match=pattern):
        grad(loss)(a)
    for gauge in ("project", "trust"):
        assert np.isfinite(grad(lambda a, gauge=gauge: loss(a, gauge=gauge))(a)).all()


def test_derivatives_that_first_order_rules_do_not_determine_raise():
    a, t, s = np.diag([1.0, 1, 3]), random(3, 3), random(3, 3)
    loss = inner_loss(random(3, 3), np.exp)
    for derivative in (
        lambda: hvp(loss, (a,), (t,)),
        lambda: hessian(loss)(a),
        lambda: linearize(loss, a)[1](t),
        lambda: grad(lambda x: np.sum(grad(loss)(x) * t))(a),
        lambda: grad(lambda x: jvp(loss, (x,), (t,))[1])(a),
        lambda: jvp(lambda x: jvp(loss, (x,), (t,))[1], (a,), (t,)),
        lambda: jvp(lambda x: jvp(loss, (x,), (t,))[1], (a,), (s,)),
    ):
        with pytest.raises(GaugeError, match=r"(second derivatives|separates them)"):
            derivative()


@pytest.mark.filterwarnings("ignore:eigh. two eigenvalues differ")
@pytest.mark.parametrize("gap", 10.0 ** -np.arange(5, 17))
def test_second_derivatives_at_nearly_equal_eigenvalues_are_right_or_refused(gap):
    a, h, t = hermitian_with((1, 1 + gap, 3)), random(3, 3), random(3, 3)
    loss = inner_loss(h, np.square)  # <h, a^2>, whose second derivative is known
    t, s = t + t.T, (h + h.T) / 2
    for derivative in (
        lambda: hvp(loss, (a,), (t,))[1],
        lambda: jvp(lambda a: jvp(loss, (a,), (t,))[1], (a,), (t,))[1],
    ):
        try:
            found = derivative()
        except GaugeError:
            assert gap < 5e-8
            continue
        assert gap > 5e-8
        second = np.sum(found * t) if found.ndim else found
        assert abs(second - 2 * np.sum(s * (t @ t))) < 1e-14 / gap**2 * np.sum(
            np.abs(s) * (np.abs(t) @ np.abs(t))
        )
    assert (
        gap < 1e-12
        or np.abs(hvp(lambda a: np.sum(h * linalg.eigh(a)[1] ** 2), (a,), (t,))[1]).max()
        > 1e-3 / gap**2
    )


def test_no_size_of_a_derivative_hides_a_choice():
    for scale in (1e-200, 1e200):
        # the weights have no symmetry, which could make a basis stationary
        weights = np.array([[0, 1], [0, np.pi]]) * scale
        with pytest.raises(GaugeError):
            grad(lambda a, weights=weights: np.sum(linalg.eigh(a)[1] * weights))(
                hermitian_with((2.0, 2))
            )


def test_unknown_gauge():
    with pytest.raises(ValueError, match="gauge must be one of"):
        grad(lambda a: np.sum(linalg.eigh(a, gauge="fixed")[0]))(np.eye(2))


def test_project_and_trust_do_not_wait_for_a_device():
    from scigrad.testing import device

    a, h = make_array((hermitian_with((1, 1, 3)), random(3, 3)), "device")
    for gauge in ("project", "trust"):
        before = device.sync_count
        grad(inner_loss(h, np.exp, gauge=gauge))(a)
        jvp(inner_loss(h, np.exp, gauge=gauge), (a,), (h,))
        assert device.sync_count == before


FUNCTIONS_OF_A_MATRIX = {
    "eigh": lambda a: (lambda w, v: (v * np.exp(w)) @ v.T)(*linalg.eigh(a)),
    "eig": lambda a: np.real((lambda w, v: (v * np.exp(w)) @ linalg.inv(v))(*linalg.eig(a))),
    "svd": lambda a: (lambda u, s, v: (u * s**2) @ v)(*linalg.svd(a)),
}


@pytest.mark.parametrize("name", FUNCTIONS_OF_A_MATRIX)
@pytest.mark.parametrize("values", [(1, 1, 3), (1, 1 + 1e-12, 3), (2, 2, 2)])
def test_equal_values_on_a_device_are_those_of_the_host(name, values):
    def loss(a, h):
        return np.sum(h * FUNCTIONS_OF_A_MATRIX[name](a))

    a, h = hermitian_with(values), random(3, 3)
    on_device = make_array((a, h), "device")
    assert_close(grad(loss)(*on_device), grad(loss)(a, h), 1e-10)
    if 1 + 1e-12 not in values:  # forwards eps / gap is lost
        assert_close(
            jvp(loss, on_device, (on_device[1], on_device[1]))[1],
            jvp(loss, (a, h), (h, h))[1],
            1e-10,
        )


# -- pairs of matrices


def test_equal_eigenvalues_of_a_pair():
    b = hermitian_with((1, 1.5, 2, 3), True)
    factor, h, s, t = (
        np.linalg.cholesky(b),
        random(4, 4, is_complex=True),
        *random(2, 4, 4, is_complex=True),
    )
    a = factor @ hermitian_with((1, 1, 2, 2), True) @ factor.conj().T
    a = (a + a.conj().T) / 2

    def loss(a, b):
        w, v = linalg.eigh(a, b)
        return np.sum(np.real(np.conjugate(h) * ((v * np.exp(w)) @ np.conjugate(v).T)))

    expected = directional_difference(loss, (a, b), (s, t))
    gradient = grad(loss, (0, 1))(a, b)
    assert (
        abs(sum(np.real(np.vdot(g, d)) for g, d in zip(gradient, (s, t), strict=True)) - expected)
        <= 1e-7
    )
    assert abs(jvp(loss, (a, b), (s, t))[1] - expected) <= 1e-7


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_batches_of_pairs_are_scipy_s(kind, is_complex):
    a = np.stack([hermitian_with((1, 2, 4), is_complex) for _ in range(3)])
    b = np.stack([hermitian_with((1, 1.5, 2), is_complex) for _ in range(3)])
    w, v = linalg.eigh(a, b, type=kind)
    for i in range(3):
        assert_close(w[i], scipy.linalg.eigh(a[i], b[i], type=kind, eigvals_only=True), 1e-12)
        left = {1: a[i], 2: a[i] @ b[i], 3: b[i] @ a[i]}[kind]
        right = (b[i] if kind == 1 else np.eye(3)) @ v[i] * w[i]
        assert_close(left @ v[i], right, 1e-11)


# -- triangles, phases, failures


def test_what_is_not_read_gets_exactly_zero(is_complex):
    a, b = hermitian_with((1, 2, 4), is_complex), hermitian_with((1, 1.5, 2), is_complex)
    for lower, unread in ((True, np.triu), (False, np.tril)):
        gradients = grad(
            lambda a, b, lower=lower: np.sum(
                linalg.eigh(a, b, lower=lower, eigvals_only=True) ** 3
            ),
            (0, 1),
        )(a, b)
        for g in gradients:
            assert not unread(g, 1 if lower else -1).any()
            assert not np.diagonal(g).imag.any()


def test_canonical_eigenvectors_are_those_of_every_algorithm(is_complex):
    a = hermitian_with((1, 2, 4, 8, 9), is_complex)
    reference = linalg.eigh(a, canonical=True)[1]
    for driver in ("ev", "evd", "evr", "evx"):
        assert_close(linalg.eigh(a, driver=driver, canonical=True)[1], reference, 1e-10)
    assert_close(linalg.eigh(np.stack([a, a]), canonical=True)[1][0], reference, 1e-10)
    on_device = linalg.eigh(make_array(a, "device"), canonical=True)[1]
    assert_close(on_device, reference, 1e-10)
    tie = linalg.eigh(np.array([[2.0, 1.0], [1.0, 2.0]]), canonical=True)[1]
    assert (tie[0] > 0).all()  # components of equal size: the first of them


def test_failures_spare_their_neighbors():
    a, b = (
        np.stack([hermitian_with((1, 2, 3)) for _ in range(3)]),
        np.stack([hermitian_with((1, 2, 3)) for _ in range(3)]),
    )
    a[1, 0, 0], b[2] = np.nan, -np.eye(3)
    w, v, info = linalg.eigh(a, on_fail="info")
    assert info.tolist() == [0, -1, 0]
    assert np.isnan(w[1]).all()
    assert np.isnan(v[1]).all()
    assert_close(w[0], np.linalg.eigvalsh(a[0]), 1e-14)
    w = linalg.eigh(a, b, on_fail="nan", eigvals_only=True)
    assert np.isnan(w).any(axis=-1).tolist() == [False, True, True]


@pytest.mark.parametrize("record", load("linalg/eigen"), ids=lambda record: record.case)
def test_eigenvalues_of_batches_against_the_truth(record):
    a = record.arguments[0]
    found = linalg.eigvalsh(np.stack([a, a]))[1]
    units = 10 * (float(record.ulp["float64"]) + len(a))
    assert (
        np.abs(found - record.value).max()
        <= units * np.finfo(np.float64).eps * np.abs(record.value).max()
    )


def test_a_rectangular_matrix_has_singular_values():
    with pytest.raises(
        ValueError,
        match=r"eigvalsh: argument 'a' must be square, .* \(3, 2\)\. .* singular values: svd",
    ):
        linalg.eigvalsh(np.ones((3, 2)))


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (64, 64), (3, 32, 32), (2, 3, 4, 4)])
def test_a_transform_has_the_same_eigenvectors(shape, kind):
    """They have the same signs and phases, and are equal to rounding: OpenBLAS gives the same bits,
    MKL not always.

    It rounds by how an array lies in memory, and a batch and one matrix have other kernels; of 64
    vectors in double precision the largest difference was 152 roundings, a rounding divided by the
    distance of two eigenvalues.
    """
    a, few = random(*shape, is_complex=kind in "FD").astype(kind), 1000 * float(np.finfo(kind).eps)

    def loss(a):
        w, v = linalg.eigh(a)
        return np.real(np.sum(v**3 * w[..., None, :]))  # changes with the sign of a vector

    if kind in "fd":  # a complex vector has a phase, on which no loss may depend
        assert_close(loss(a), value_and_grad(loss)(a)[0], few)
    for plain, traced in zip(linalg.eigh(a), jvp(linalg.eigh, (a,), (a,))[0], strict=True):
        assert plain.dtype == traced.dtype
        assert_close(plain, traced, few)
