"""Host and device data: never mixed silently, and derivatives stay where the data are."""

import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import DeviceMismatch, MissingKernel, fft, grad, hessian, jacobian, jvp, kernel, linalg, signal, special, vmap
from scigrad.numpy.devices import beside
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
    ids=["ufunc", "list", "where", "matmul", "solve", "logsumexp", "lfilter", "grad", "grad, plain NumPy", "jvp"],
)
def test_a_mix_names_both_arguments(mix, first, second):
    with pytest.raises(DeviceMismatch, match=f"{first}.*{second}"):
        mix()


def test_scalars_of_the_host_may_meet_device_data():
    for scalar in (2.0, np.float64(2.0), np.array(2.0)):
        found = grad(lambda d, scalar=scalar: np.sum(d * scalar))(D)
        assert type(found) is DeviceArray
        assert_close(found, np.full(3, 2.0))


def test_derivatives_stay_on_the_device():
    def f(x):
        return np.sum(np.sin(x) * x) + np.real(np.sum(fft.fft(x) * special.i0(x)))

    for transform in (grad, hessian, lambda f: jacobian(lambda x: np.exp(x), chunk_size=2), lambda f: vmap(np.sin)):
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
        found = beside(values, single)
        assert type(found) is DeviceArray
        assert found.dtype == dtype
        assert_close(found, values.astype(dtype))
