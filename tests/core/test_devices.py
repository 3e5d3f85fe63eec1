"""Host and device data: never mixed silently, and derivatives stay where the data are."""

import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import (
    DeviceMismatch,
    MissingKernel,
    fft,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    kernel,
    linalg,
    signal,
    special,
    vmap,
)
from scigrad.numpy.devices import place_beside
from scigrad.testing import assert_close, make_array
from scigrad.testing.device import DeviceArray

X = np.array([0.5, 1.0, 1.5])
D = make_array(X, "device")


@pytest.mark.parametrize(
    ("mix", "first", "second"),
    [
        (lambda: snp.multiply(X, D), "'x' is a numpy array", "'y'"),
        (lambda: snp.concatenate([X, D]), r"'arrays\[0\]'", r"'arrays\[1\]'"),
        (lambda: snp.where(D > 0, X, D), "'condition'", "'x' a numpy array"),
        (lambda: snp.matmul(np.eye(3), D), "'x'", "'y'"),
        (lambda: linalg.solve(np.eye(3), D), "'a'", "'b'"),
        (lambda: special.logsumexp(D, b=X), "'a'", "'b'"),
        (lambda: signal.lfilter(X, X, D), "'b'", "'x'"),
        (lambda: grad(lambda x: np.sum(x * D))(X), "'x'", "'y'"),
        (lambda: grad(lambda d: np.sum(np.multiply(X, d)))(D), "'x'", "'y'"),
        (lambda: jvp(lambda d: d + X, (D,), (D,)), "'x'", "'y'"),
    ],
    ids=[
        "ufunc",
        "list",
        "where",
        "matmul",
        "solve",
        "logsumexp",
        "lfilter",
        "grad",
        "grad, plain NumPy",
        "jvp",
    ],
)
def test_a_mix_names_both_arguments(mix, first, second):
    with pytest.raises(DeviceMismatch, match=f"{first}.*{second}"):
        mix()


def test_scalars_of_the_host_may_meet_device_data():
    for scalar in (2.0, np.float64(2.0), np.array(2.0)):
        found = grad(lambda d, scalar=scalar: np.sum(d * scalar))(D)
        assert type(found) is DeviceArray
        assert_close(found, np.full(3, 2.0))


def test_the_advice_of_a_mix_moves_the_array_of_the_host():
    for mix, host in ((lambda: snp.multiply(X, D), "x"), (lambda: snp.multiply(D, X), "y")):
        with pytest.raises(DeviceMismatch, match=rf"example {host} = cupy\.asarray\({host}\)"):
            mix()


def test_taps_of_the_host_are_not_read_one_by_one(device):
    if device != "numpy":
        with pytest.raises(DeviceMismatch, match="filter"):
            jvp(lambda c: signal.lfilter(c * X, 1.0, make_array(X, device)), (0.3,), (1.0,))


@pytest.mark.parametrize("transform", [jacfwd, jacrev, jacobian, hessian])
def test_derivatives_by_a_number_of_the_host(transform, device):
    def loss(t, x):
        rows = np.sin(t * x)
        return np.sum(rows) if transform is hessian else rows

    x = make_array(X, device)
    found = transform(loss)(0.3, x)
    assert type(found) is type(x) or not found.shape
    assert_close(found, transform(loss)(0.3, X))


# What is a number, a list or a truth value lies on no device.
BESIDE = {
    "outer": lambda x: snp.outer(x, 2.0),
    "outer, list": lambda x: snp.outer([1.0, 2.0], x),
    "kron": lambda x: snp.kron(2.0, x),
    "kron, list": lambda x: snp.kron(x, [1.0, 2.0]),
    "polyval": lambda x: snp.polyval([1.0, 2.0, 3.0], x),
    "where": lambda x: snp.where(True, x, 0),
    "array": lambda x: snp.array([x[0], 2.0]),
    "asarray": lambda x: snp.asarray([[x[0], x[1]], [1.0, 2.0]]),
    "gammainc": lambda x: special.gammainc(2.0, x) + special.gammainc(x, np.float64(2.0)),
    "gammaincc": lambda x: special.gammaincc(0.0, x),
    "betainc": lambda x: special.betainc(2.0, 3.0, x / 2),
    "expn": lambda x: special.expn(2, x),
    "hyperu": lambda x: special.hyperu(0.5, 1.5, x),
    "lpmv": lambda x: special.lpmv(1, 2.5, x / 2),
    "logsumexp": lambda x: special.logsumexp(x, b=2.0) + special.logsumexp(0.5, b=x),
}


@pytest.mark.parametrize("name", BESIDE)
def test_numbers_and_lists_beside_device_data(name, device):
    function, x = BESIDE[name], make_array(X, device)
    assert_close(function(x), function(X))
    found = grad(lambda x: snp.sum(function(x)))(x)
    assert type(found) is type(x)
    assert_close(found, grad(lambda x: snp.sum(function(x)))(X))


CONSTANTS = {
    "arange": lambda x: snp.arange(3.0, like=x),
    "empty": lambda x: 0 * snp.empty(3, int, like=x),
    "eye": lambda x: snp.eye(3, like=x),
    "full": lambda x: snp.full(3, 2.0, like=x),
    "identity": lambda x: snp.identity(3, like=x),
    "ones": lambda x: snp.ones((2, 3), like=x),
    "tri": lambda x: snp.tri(3, like=x),
    "zeros": lambda x: snp.zeros(3, like=x),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_like_a_device_array(name, device):
    make, x = CONSTANTS[name], make_array(X, device)
    assert type(make(x)) is type(x)
    assert_close(make(x), make(X))


def test_unsigned_integers_less_the_largest_do_not_wrap_around(device):
    counts = np.array([1, 2, 3], dtype=np.uint8)
    assert_close(
        special.logsumexp(make_array(counts, device)), np.log(np.exp([1.0, 2.0, 3.0]).sum())
    )
    assert_close(special.logsumexp(make_array(counts > 1, device)), np.log(1 + 2 * np.e))


def test_derivatives_stay_on_the_device():
    def f(x):
        return np.sum(np.sin(x) * x) + np.real(np.sum(fft.fft(x) * special.i0(x)))

    for transform in (
        grad,
        hessian,
        lambda f: jacobian(lambda x: np.exp(x), chunk_size=2),
        lambda f: vmap(np.sin),
    ):
        found = transform(f)(D)
        assert type(found) is DeviceArray
        assert_close(found, transform(f)(X))


def test_a_kernel_that_a_library_lacks_is_named_with_the_ways_out():
    with pytest.raises(MissingKernel, match=r"special\.ellip_harm.*instead"):
        kernel("special.ellip_harm")(D, D)
    own = kernel("special.ellip_harm", instead={"scigrad.testing.device": lambda x: x + 1})
    assert_close(own(D), X + 1)


def test_constants_beside_an_array_take_its_device_and_precision():
    single = make_array(X.astype(np.float32), "device")
    for values, dtype in ((np.arange(3), np.float32), (1j * X, np.complex64)):
        found = place_beside(values, single)
        assert type(found) is DeviceArray
        assert found.dtype == dtype
        assert_close(found, values.astype(dtype))
