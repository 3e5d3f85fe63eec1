"""Arrays on a device: results that are the user's own, constants, numbers of the host, functions
that CuPy lacks or limits.
"""

import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import (
    DeviceMismatch,
    eval_shape,
    fft,
    grad,
    jacfwd,
    jacrev,
    jvp,
    linalg,
    linearize,
    signal,
    vjp,
    vmap,
)
from scigrad.testing import assert_close, make_array

X = np.array([0.5, 1.0, 1.5])


@pytest.fixture
def x(device: str):
    return make_array(X.copy(), device)


def test_a_gradient_has_a_place_for_each_element(x):
    g = grad(np.sum)(x)
    g[0] = 5
    assert_close(g, np.array([5.0, 1.0, 1.0]))


def test_cotangents_share_no_memory(x):
    a, b = vjp(lambda x, y: x + y, x, x)[1](x)
    a[0] = 5
    assert_close(b, X)
    assert_close(x, X)


def test_a_derivative_outlives_changes_of_its_point(x):
    pushforward = linearize(lambda x: x**2, x)[1]
    x += 100
    assert_close(pushforward(x * 0 + 1), 2 * X)


@pytest.mark.parametrize("outer", [jacfwd, jacrev])
@pytest.mark.parametrize("inner", [jacfwd, jacrev])
def test_even_functions_are_smooth_where_a_length_is_zero(x, inner, outer):
    assert_close(
        outer(inner(lambda x: snp.cos(linalg.norm(x)) + snp.sum(abs(x) * abs(x))))(0 * x), np.eye(3)
    )
    assert_close(outer(inner(lambda x: linalg.radial(snp.cos, x)))(0 * x), -np.eye(3))


def test_jvp_and_vmap_return_arrays_of_their_own(x):
    for out in (*jvp(lambda x: x, (x,), (x,)), vmap(lambda x: x)(x)):
        out[...] = 7
    assert_close(x, X)


@pytest.mark.parametrize(
    "make",
    [
        np.eye,
        np.identity,
        np.ones,
        np.zeros,
        np.empty,
        np.tri,
        lambda n, like: np.full(n, 2.0, like=like),
    ],
)
def test_constants_like_a_traced_array_lie_on_its_device(x, make):
    def f(x):
        return np.sum(x) + 0 * np.sum(make(3, like=x))

    assert_close(grad(f)(x), np.ones(3))


@pytest.mark.parametrize("scale", [2, 2.0, np.float64(2), np.array(2.0)])
def test_numbers_of_the_host_meet_arrays(x, scale):
    assert_close(vjp(lambda x: scale * x**2, x)[1](x)[0], 2 * scale * X * X)
    assert_close(jvp(lambda x: snp.where(x > 1, x, scale), (x,), (x,))[0], np.where(X > 1, X, 2.0))
    assert_close(jvp(lambda s: s * x, (scale * 1.0,), (np.array(1.0),))[1], X)


def test_states_of_filters_are_those_of_scipy(x, device):
    b, a, zi = ([0.5, 0.2, 0.1], [1.0, -0.5, 0.2], np.array([0.3, -0.4]))
    sos = np.array([*b, *a])
    filters = {
        "lfilter": lambda x, put: signal.lfilter(b, a, x, zi=put(zi)),
        "sosfilt": lambda x, put: signal.sosfilt(put(sos[None]), x, zi=put(zi[None])),
        "one section": lambda x, put: signal.sosfilt(put(sos), x),
    }
    for name, run in filters.items():
        assert_close(run(x, lambda v: make_array(v, device)), run(X, lambda v: v), what=name)


def test_lengths_of_transforms(x):
    assert_close(fft.fftn(x[None], s=(-1, 2)), fft.fftn(X[None], s=(1, 2)))
    assert fft.fft2(x[:0, None, None] + x[:2]).shape == (0, 1, 2)


def test_shapes_of_calls_with_numbers(x):
    assert eval_shape(np.multiply, x, 2.0).shape == (3,)


@pytest.mark.parametrize("index", [[0, 0, 2], ([0, 2, 0],), np.array([[0], [0]]), X > 0.7])
@pytest.mark.parametrize("factor", [1.0, 1j])
def test_gradients_of_gathers(x, index, factor):
    def f(z):
        return np.sum(np.real(z[index] ** 2))

    assert_close(grad(f)(x * factor), grad(f)(X * factor))


@pytest.mark.parametrize(
    "call",
    [
        lambda np, x: np.sort(x, kind="heapsort"),
        lambda np, x: np.sort(x, stable=True),
        lambda np, x: np.sum(x, where=x > 0.7, initial=2.0),
        lambda np, x: np.clip(x, min=0.7),
        lambda np, x: np.insert(x, 1, 3.0),
        lambda np, x: np.stack([[1.0, 2.0, 3.0], x]),
        lambda np, x: np.block([[2.0, x], [x, 1.0]]),
        lambda np, x: np.std(x, correction=1),
    ],
)
def test_options_that_cupy_lacks(x, call):
    found = call(snp, x)
    assert isinstance(found, type(x)) or isinstance(x, np.ndarray)
    assert_close(found, call(np, X))


@pytest.mark.parametrize(
    "index", [[1, 1, 0, 1], (slice(None), [0, 0, 1, 0]), ([0, 1, 0], [1, 1, 1])]
)
def test_of_several_values_for_one_place_the_last_remains(device, index):
    x, values = np.arange(6.0).reshape(2, 3), np.arange(10.0, 22.0)
    value = values[: np.size(x[index])].reshape(x[index].shape)
    expected = x.copy()
    expected[index] = value
    put = make_array((x, value), device)
    assert_close(snp.set_at(put[0], index, put[1]), expected)
    g = vjp(lambda x, v: snp.set_at(x, index, v), *put)[1](put[0] + 1)
    assert_close(snp.sum(g[0]) + snp.sum(g[1]), np.sum(x + 1))  # each place is written once
    assert_close(vmap(lambda v: snp.set_at(put[0], index, v))(put[1][None])[0], expected)


def test_a_mask_of_the_host_is_named_beside_an_array_of_the_device():
    x, mask = make_array(np.ones((2, 3)), "device"), np.ones((2, 3), bool)
    for function in (snp.nanmean, snp.std, snp.nanvar):
        with pytest.raises(DeviceMismatch, match=r"'a' is a.*'where' a numpy array"):
            function(x, where=mask)
