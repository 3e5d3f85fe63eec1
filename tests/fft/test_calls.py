"""How the transforms are called: through numpy.fft and scipy.fft on traced arrays, with
overwrite_x, and on a GPU.
"""

import numpy as np
import pytest
import scipy.fft

from scigrad import MissingRule, TracedValueError, fft, grad, jvp, vjp
from scigrad.fft.cosine_sine_kernels import transform_on_gpu
from scigrad.testing.reference import load

LINE, PLANE = (
    np.random.default_rng(0).standard_normal(6),
    np.random.default_rng(1).standard_normal((3, 4)),
)
ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn")


def energy(transform, *args, **kwargs):
    return grad(lambda x: np.sum(np.abs(transform(x, *args, **kwargs)) ** 2))


@pytest.mark.parametrize("record", load("fft/fourier"), ids=lambda r: r.label)
def test_reference_values(record):
    found = getattr(fft, record.function)(*record.arguments, **record.options)
    np.testing.assert_allclose(
        found,
        record.value,
        rtol=0,
        atol=1e-15 * (1 + log2_length(record)) * abs(record.value).max(),
    )


@pytest.mark.parametrize("record", load("fft/fourier"), ids=lambda r: r.label)
def test_reference_values_in_single_precision(record):
    (x,) = record.arguments
    found = getattr(fft, record.function)(
        x.astype({"f": np.float32, "c": np.complex64}[x.dtype.kind]), **record.options
    )
    assert found.dtype in (np.float32, np.complex64)
    np.testing.assert_allclose(
        found, record.value, rtol=0, atol=4e-7 * (1 + log2_length(record)) * abs(record.value).max()
    )


def log2_length(record):
    return np.log2(record.value.size + 1)


@pytest.mark.parametrize("name", ONE_AXIS)
def test_numpy_fft_of_one_axis(name):
    np.testing.assert_array_equal(
        energy(getattr(np.fft, name), 5, 0, norm="ortho")(PLANE),
        energy(getattr(fft, name), 5, 0, norm="ortho")(PLANE),
    )


@pytest.mark.parametrize("name", SEVERAL)
def test_numpy_fft_of_several_axes(name):
    theirs, ours = getattr(np.fft, name), getattr(fft, name)
    np.testing.assert_array_equal(energy(theirs)(PLANE), energy(ours)(PLANE))
    np.testing.assert_array_equal(
        energy(theirs, (5, 2), (1, 0))(PLANE), energy(ours, (5, 2), (1, 0))(PLANE)
    )


def test_numpy_fft_shifts_and_out():
    weights = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(
        grad(lambda x: np.sum(np.fft.fftshift(x, 0) * weights))(PLANE), np.fft.ifftshift(weights, 0)
    )
    with pytest.raises(TracedValueError, match="fft: out="):
        grad(lambda x: np.sum(np.abs(np.fft.fft(x, out=np.empty(6, complex)))))(LINE)


def test_scipy_fft_through_its_backends():
    with scipy.fft.set_backend(fft):
        found = energy(scipy.fft.dct, type=3)(LINE), energy(scipy.fft.rfftn, s=(4, 4))(PLANE)
        np.testing.assert_array_equal(scipy.fft.fft(LINE), fft.fft(LINE))
    np.testing.assert_array_equal(found[0], energy(fft.dct, type=3)(LINE))
    np.testing.assert_array_equal(found[1], energy(fft.rfftn, s=(4, 4))(PLANE))
    with pytest.raises(TracedValueError, match=r"Use scigrad\.fft\.fft, or scipy.fft.set_backend"):
        energy(scipy.fft.fft)(LINE)


def test_the_backend_is_enough_alone():
    with scipy.fft.set_backend(fft, only=True):
        for x in (LINE, list(LINE), LINE.astype(np.longdouble)):  # the last goes on to SciPy
            np.testing.assert_array_equal(scipy.fft.fft(x), fft.fft(x))
        np.testing.assert_array_equal(
            scipy.fft.dctn(PLANE, orthogonalize=True), fft.dctn(PLANE, orthogonalize=True)
        )
        np.testing.assert_array_equal(scipy.fft.fht(LINE, 0.1, 1.0), fft.fht(LINE, 0.1, 1.0))
        with pytest.raises(TypeError, match="must be real"):
            scipy.fft.rfft(LINE + 1j)


def test_overwrite_x_does_not_destroy_what_the_graph_needs():
    def f(z):
        w = z * 1.0
        return np.sum(np.abs(fft.fft(w, overwrite_x=True) * np.abs(w)) ** 2)

    z = LINE + 1j * LINE[::-1]
    np.testing.assert_allclose(
        grad(f)(z), grad(lambda z: np.sum(np.abs(fft.fft(z) * np.abs(z)) ** 2))(z)
    )
    x = PLANE.copy()
    energy(fft.dctn, overwrite_x=True)(x)
    np.testing.assert_array_equal(x, PLANE)


def test_overwrite_x_does_not_destroy_plain_arrays_that_the_graph_needs():
    w = LINE + 1j

    def f(x):
        y = x * w
        return np.sum(np.real(y)) + np.sum(np.real(fft.fft(w, overwrite_x=True)))

    np.testing.assert_array_equal(grad(f)(LINE), LINE)
    fft.fft(w, overwrite_x=True)
    assert not np.array_equal(w, LINE + 1j)


def test_imaginary_parts_that_irfft_ignores_have_no_derivative():
    z = np.array([1.0 + 5j, 2.0 - 1j, 3.0 + 7j])
    even, odd = (
        vjp(lambda z: fft.irfft(z), z)[1](np.ones(4))[0],
        vjp(lambda z: fft.irfft(z, 5), z)[1](LINE[:5])[0],
    )
    assert even[0].imag == even[2].imag == odd[0].imag == 0
    assert odd[2].imag != 0
    t = np.array([1j, 0, 1j])
    np.testing.assert_array_equal(jvp(fft.irfft, (z,), (t,))[1], 0)


def test_frequencies_are_differentiable_in_the_spacing():
    for name in ("fftfreq", "rfftfreq"):
        found = jvp(lambda d, name=name: getattr(fft, name)(5, d), (0.5,), (1.0,))
        np.testing.assert_allclose(found[0], getattr(np.fft, name)(5, 0.5))
        np.testing.assert_allclose(found[1], -found[0] / 0.5)


def test_lengths_and_options_are_no_variables():
    calls = {
        "n": lambda v: fft.fft(LINE, v),
        "norm": lambda v: fft.dct(LINE, norm=v),
        "s": lambda v: fft.fftn(PLANE, v),
    }
    for name, call in calls.items():
        with pytest.raises(
            MissingRule, match=f"no derivative rule with respect to argument '{name}'"
        ):
            jvp(call, (3.0,), (1.0,))
    with pytest.raises(TracedValueError, match="index"):
        grad(lambda x: fft.next_fast_len(x) * x)(3.0)


def test_configuration_is_scipy_s():
    with fft.set_workers(2):
        assert fft.get_workers() == scipy.fft.get_workers() == 2
    with pytest.raises(AttributeError, match="no attribute 'dft'"):
        fft.dft  # noqa: B018


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
def test_cosine_and_sine_transforms_as_composed_for_the_gpu(name, type):
    for norm in (None, "ortho", "forward"):
        for orthogonalize in (None, True, False):
            for n, x in ((None, PLANE), (2, PLANE), (7, PLANE.astype(np.float32))):
                found = transform_on_gpu(
                    name, x, type, None if n is None else (n,), (0,), norm, orthogonalize
                )
                truth = getattr(scipy.fft, name)(x, type, n, 0, norm, orthogonalize=orthogonalize)
                assert found.dtype == truth.dtype
                tolerance = 5e-15 if n != 7 else 2e-6
                np.testing.assert_allclose(found, truth, rtol=0, atol=tolerance * abs(truth).max())
    both = transform_on_gpu(name, PLANE + 2j * PLANE, type, (4, 3), (1, 0), "ortho", None)
    truth = getattr(scipy.fft, name + "n")(PLANE, type, (4, 3), (1, 0), "ortho")
    np.testing.assert_allclose(both, truth * (1 + 2j), atol=1e-14)


def test_errors_of_the_composed_transforms_are_scipy_s():
    with pytest.raises(ValueError, match="invalid type 5"):
        transform_on_gpu("dct", LINE, 5, None, (0,), None, None)
    with pytest.raises(ValueError, match="Invalid norm"):
        transform_on_gpu("dct", LINE, 2, None, (0,), "unit", None)
    with pytest.raises(ValueError, match=r"data points \(0\)"):
        transform_on_gpu("dct", LINE, 2, (0,), (0,), None, None)
    with pytest.raises(RuntimeError, match="at least two entries"):
        transform_on_gpu("dct", LINE[:1], 1, None, (0,), None, None)
