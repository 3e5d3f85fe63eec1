"""Windows: names without parameters, and derivatives where formulas are delicate."""

import numpy as np
import pytest
import scipy.signal

from scigrad import grad, jvp, signal, vjp
from scigrad.testing import assert_close, gradcheck

PLAIN = (
    "barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "cosine",
    "exponential", "flattop", "hamming", "hann", "lanczos", "nuttall", "parzen", "taylor", "triang",
    "tukey",
)  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("fftbins", [True, False])
def test_names_without_parameters_are_scipy_s(name, fftbins):
    np.testing.assert_array_equal(
        signal.get_window(name, 7, fftbins), scipy.signal.get_window(name, 7, fftbins)
    )


def test_untraced_parameters_are_scipy_s():
    for window in (("dpss", 2.5), ("kaiser", 3.0), 4.0, ("exponential", None, 2.0)):
        found = signal.get_window(window, 7, False)
        np.testing.assert_array_equal(found, scipy.signal.get_window(window, 7, False))
        assert found.dtype == np.float64


def test_kaiser_at_0_to_fourth_order():
    """I0(b s) / I0(b) = 1 + b^2 (s^2 - 1) / 4 + b^4 (s^4 - 4 s^2 + 3) / 64 + ..."""
    values = [lambda b: signal.get_window(("kaiser", b), 6, False)]
    for _ in range(4):
        values.append(lambda b, f=values[-1]: jvp(f, (b,), (np.ones(()),))[1])
    s = np.sqrt(1 - ((np.arange(6) - 2.5) / 2.5) ** 2)
    expected = (
        np.ones(6),
        np.zeros(6),
        (s**2 - 1) / 2,
        np.zeros(6),
        24 * (s**4 - 4 * s**2 + 3) / 64,
    )
    for f, e in zip(values, expected, strict=True):
        np.testing.assert_allclose(f(np.array(0.0)), e, atol=1e-14)


def test_one_sample_does_not_depend_on_the_parameter():
    assert grad(lambda b: signal.get_window(("kaiser", b), 1)[0])(np.array(2.0)) == 0
    for window, plain in (
        (lambda p: signal.windows.dpss(1, p), scipy.signal.windows.dpss(1, 0.3)),
        (lambda p: signal.windows.general_cosine(1, [p, p]), np.ones(1)),
    ):
        value, slope = jvp(window, (np.array(0.3),), (np.ones(()),))
        np.testing.assert_array_equal(value, plain)
        np.testing.assert_array_equal(slope, [0.0])


def test_refusals_under_a_transform():
    with pytest.raises(ValueError, match="less than M/2"):
        grad(lambda nw: np.sum(signal.get_window(("dpss", nw), 7)))(np.array(4.5))
    with pytest.raises(ValueError, match="Invalid window name"):
        grad(lambda b: np.sum(signal.get_window(("kayser", b), 7)))(np.array(2.0))
    with pytest.raises(ValueError, match="does not allow parameters"):
        grad(lambda b: np.sum(signal.get_window(("hann", b), 7)))(np.array(2.0))
    with pytest.raises(ValueError, match="positive integer"):
        grad(lambda b: np.sum(signal.get_window(("kaiser", b), -7)))(np.array(2.0))
    with pytest.raises(ValueError, match="even number of points"):
        grad(lambda b: np.sum(signal.get_window(("kbd", b), 7, False)))(np.array(2.0))


@pytest.mark.parametrize("window", ["hamming", ("kaiser", 5.0)])
def test_firwin_in_its_window_and_width(window):
    def energy(width):
        return np.sum(signal.firwin(21, 0.4, width=width) ** 2)

    step = 1e-6
    for width in (0.4, 0.15):  # attenuation 65 dB and 29 dB: two regimes of the window
        slope = (energy(width + step) - energy(width - step)) / (2 * step)
        np.testing.assert_allclose(grad(energy)(np.array(width)), slope, rtol=1e-7)
    of_beta = grad(lambda beta: np.sum(signal.firwin(21, 0.4, window=("kaiser", beta)) ** 2))(
        np.array(5.0)
    )
    assert np.isfinite(of_beta)
    np.testing.assert_array_equal(
        signal.firwin(21, 0.4, window=window), scipy.signal.firwin(21, 0.4, window=window)
    )


def test_firwin_refuses_under_a_transform_what_scipy_refuses():
    def design(cutoff, *args, **kwargs):
        return grad(lambda c: np.sum(signal.firwin(*(args or (5,)), c, **kwargs)))(cutoff)

    with pytest.raises(ValueError, match="greater than 0 and less than fs/2"):
        design(np.array(1.5))
    with pytest.raises(ValueError, match="strictly increasing"):
        design(np.array([0.6, 0.3]))
    with pytest.raises(ValueError, match="Nyquist"):
        design(np.array(0.3), 6, pass_zero=False)
    with pytest.raises(ValueError, match="not in"):
        design(np.array(0.3), pass_zero="middle")
    with pytest.raises(ValueError, match="pass_zero=1 not in"):
        design(np.array(0.3), pass_zero=1)
    with pytest.raises(ValueError, match="one element"):
        design(np.array([0.3, 0.5]), pass_zero="lowpass")
    with pytest.raises(ValueError, match="two elements"):
        design(np.array([0.3]), pass_zero="bandpass")
    with pytest.raises(ValueError, match="At least one"):
        design(np.zeros(0))
    with pytest.raises(ValueError, match="one-dimensional"):
        design(np.full((2, 2), 0.3))


def test_windows_by_their_own_names():
    windows = signal.windows
    assert set(scipy.signal.windows.__all__) == set(windows.__all__)
    for name in (*PLAIN[:-2], "dpss"):
        arguments = {"dpss": (7, 2.5), "general_hamming": (7, 0.6)}.get(name, (7,))
        np.testing.assert_array_equal(
            getattr(windows, name)(*arguments), getattr(scipy.signal.windows, name)(*arguments)
        )
    slope = grad(lambda std: np.sum(windows.gaussian(9, std, sym=False)))
    assert slope(np.array(2.0)) == grad(
        lambda std: np.sum(signal.get_window(("gaussian", std), 9))
    )(np.array(2.0))
    assert windows.gaussian(5, np.float32(1.5)).dtype == np.float32
    for refused in (lambda s: windows.gaussian(-1, s), lambda s: windows.gaussian(2.5, s)):
        with pytest.raises(ValueError, match="non-negative integer"):
            grad(lambda s, f=refused: np.sum(f(s)))(np.array(2.0))
    assert grad(lambda s: np.sum(windows.gaussian(0, s)))(np.array(2.0)) == 0
    with pytest.raises(AttributeError, match="Did you mean 'hann'"):
        _ = windows.hannn


@pytest.mark.parametrize("padtype", ["constant", "mean", "wrap"])
def test_resampling_in_the_parameter_of_its_window(padtype):
    x = np.random.default_rng(2).normal(size=9)
    gradcheck(
        lambda beta: signal.resample_poly(x, 3, 2, window=("kaiser", beta), padtype=padtype),
        np.array(4.0),
    )


def test_derived_windows_have_an_even_number_of_samples():
    for call in (
        signal.windows.kaiser_bessel_derived,
        lambda *args: grad(signal.windows.kaiser_bessel_derived, argnums=1)(*args),
    ):
        with pytest.raises(ValueError, match="even number"):
            call(7, 2.0)


@pytest.mark.parametrize("window", [3, 3.0, ("kaiser", 3.0)])
def test_resampling_with_the_window_of_a_number(window):
    x = np.random.default_rng(2).normal(size=9)
    assert_close(
        vjp(lambda x: signal.resample(x, 5, window=window), x)[0],
        scipy.signal.resample(x, 5, window=window),
        1e-12,
    )
