"""Values of traced arguments against those that SciPy returns for plain ones, where a form has
special cases.
"""

import numpy as np
import pytest
import scipy.signal
from numpy.testing import assert_allclose

from scigrad import TracedValueError, grad, signal, vjp, vmap
from scigrad.testing import assert_close, gradcheck

B, A, ROOTS = np.array([0.0, 2.0, -3.0]), np.array([0.0, 2.0, 0.5, -0.4]), np.array([0.9, -0.4])
TAPS = np.random.default_rng(0).normal(size=(3, 4))
IMAGE, ODD = np.arange(30.0).reshape(5, 6), np.ones(3)


def traced(name, *args, **options):
    """The result for arrays of which all are traced."""
    return vjp(lambda *traced: getattr(signal, name)(*traced, **options), *args)[0]


# SciPy warns of numerators that begin with 0
@pytest.mark.filterwarnings("ignore:Badly conditioned")
@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("tf2zpk", (B, A), {}),
        ("sos2zpk", (np.array([[*B, 1.0, 0.5, -0.4], [1.0, 0.3, 0.1, 0.0, 2.0, 0.1]]),), {}),
        ("tf2sos", (B, A), {}),
        ("tf2sos", (B, np.array([2.0, 0.5, -0.4, 0.1])), {"pairing": "minimal"}),
        ("zpk2sos", (ROOTS[:0], np.array([-1.0, 1.0, -0.1, 0.1])), {"k": 2, "analog": True}),
        (
            "zpk2sos",
            (np.array([0.0, 0.5]), np.array([0.3, 0.2, 0.1])),
            {"k": 2, "pairing": "minimal"},
        ),
        ("zpk2tf", (np.array([1j, -1j]), ROOTS), {"k": 23}),
        (
            "sos2tf",
            (np.array([[0.0, 0.0, 2.0, 1.0, 0.5, -0.4], [0.0, 1.0, 0.3, 0.0, 1.0, 0.1]]),),
            {},
        ),
        ("zpk2tf", (np.array([ROOTS, -ROOTS]), ROOTS, np.array([2.0, 3.0])), {}),
        ("freqz", (TAPS,), {"worN": 4}),
        ("freqz", (TAPS[..., None],), {"worN": 5}),
    ],
)
def test_values(name, args, options):
    for found, expected in zip(
        traced(name, *args, **options), getattr(scipy.signal, name)(*args, **options), strict=True
    ):
        assert np.shape(found) == np.shape(expected)
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.filterwarnings("ignore:Badly conditioned")
def test_the_gain_of_a_numerator_that_begins_with_0():
    assert_allclose(grad(lambda b: signal.tf2zpk(b, A)[2])(B), [0, 0.5, 0])


def test_a_batch_of_analog_sections_without_zeros():
    designs = vmap(lambda w: signal.butter(3, w, analog=True, output="sos"))(np.array([2.0, 3.0]))
    assert_close(
        designs,
        np.stack([scipy.signal.butter(3, w, analog=True, output="sos") for w in (2.0, 3.0)]),
        1e-12,
    )


def test_a_batch_has_no_common_frequencies_around_its_poles():
    with pytest.raises(
        TracedValueError, match=r"The default of the frequencies needs one concrete value.*vmap"
    ):
        vmap(lambda w: signal.freqs([1.0], np.stack([1.0 + 0 * w, w]))[1])(np.array([2.0, 3.0]))


def test_a_derivative_through_analog_sections():
    slope = grad(lambda w: signal.butter(5, w, analog=True, output="sos")[0, 2])(3.0)
    assert_allclose(slope, 5 * 3.0**4, rtol=1e-12)  # the product of all poles


@pytest.mark.parametrize(
    ("name", "args", "options", "match"),
    [
        ("sepfir2d", (IMAGE, IMAGE, ODD), {}, "object too deep"),
        ("sepfir2d", (ODD, ODD, ODD), {}, "object of too small depth"),
        (
            "resample_poly",
            (ODD,),
            {"up": 2, "down": 1, "padtype": "mean", "cval": 3.0},
            "cval has no effect",
        ),
        ("resample_poly", (ODD,), {"up": 2, "down": 1, "window": IMAGE}, "window must be 1-D"),
        ("resample_poly", (ODD,), {"up": 2, "down": 0}, "must be >= 1"),
        ("freqz", (ODD,), {"fs": np.array([1.0, 2.0])}, "single scalar"),
    ],
)
def test_refusals(name, args, options, match):
    for function in (
        traced,
        lambda name, *args, **options: getattr(scipy.signal, name)(*args, **options),
    ):
        with pytest.raises(ValueError, match=match):
            function(name, *args, **options)


@pytest.mark.parametrize(
    "system",
    [
        scipy.signal.dlti(scipy.signal.firwin(11, 0.37), [1.0]),
        scipy.signal.dlti(*scipy.signal.cheby1(3, 1.0, 0.4)),
        scipy.signal.dlti([0.5], [0.3, -0.2], 0.1),
        scipy.signal.dlti([], [], 0.5),
    ],
)
@pytest.mark.parametrize("zero_phase", [True, False])
def test_decimation_by_a_system(system, zero_phase):
    x = np.random.default_rng(0).normal(size=(2, 60))
    expected = scipy.signal.decimate(x, 3, ftype=system, zero_phase=zero_phase)
    assert_close(
        vjp(lambda x: signal.decimate(x, 3, ftype=system, zero_phase=zero_phase), x)[0],
        expected,
        1e-12,
    )
    ours = signal.dlti(
        *(
            getattr(system, name)
            for name in (("num", "den") if hasattr(system, "num") else ("zeros", "poles", "gain"))
        )
    )
    assert_close(signal.decimate(x, 3, ftype=ours, zero_phase=zero_phase), expected, 1e-12)


def test_decimation_is_differentiable_in_its_system():
    x, (b, a) = np.random.default_rng(0).normal(size=60), scipy.signal.cheby1(3, 1.0, 0.4)
    gradcheck(lambda x, b, a: signal.decimate(x, 3, ftype=signal.dlti(b, a)), x, b, a)


def test_complex_images_are_smoothed_in_single_precision():
    image = np.random.default_rng(0).normal(size=(7, 7, 2)) @ np.array([1, 1j])
    assert_close(
        vjp(lambda x: signal.spline_filter(x, 0), image)[0],
        scipy.signal.spline_filter(image, 0),
        1e-3,
    )


def test_group_delay_warns_near_singularities():
    b, a = (
        np.convolve([1, -np.exp(0.1j * np.pi)], [1, -np.exp(0.25j * np.pi)]),
        np.array([1.0, -0.5]),
    )
    w = np.array([0.1 * np.pi, 0.25 * np.pi])
    with pytest.warns(UserWarning, match="singular|extremely small"):
        expected = scipy.signal.group_delay((b, a), w)[1]
    with pytest.warns(UserWarning, match="singular"):
        found = vjp(lambda b: signal.group_delay((b, a), w)[1], b)[0]
    assert np.all(np.isfinite(found) == np.isfinite(expected))
