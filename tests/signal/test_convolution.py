"""Convolution under transforms where values are missing."""

import numpy as np
import pytest
import scipy.signal
from numpy.testing import assert_allclose

from scigrad import jvp, signal, vjp

RANDOM = np.random.default_rng(0)
IMAGE, TAPS = RANDOM.normal(size=(7, 6)), RANDOM.normal(size=(3, 2))
IMAGE[2, 3] = np.nan


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("convolve2d", {"boundary": "fill"}),
        ("convolve2d", {"boundary": "wrap"}),
        ("correlate2d", {"boundary": "fill"}),
        ("correlate2d", {"boundary": "symm"}),
        ("convolve", {"method": "direct"}),
    ],
)
@pytest.mark.parametrize(
    ("in1", "in2"), [(IMAGE, TAPS), (TAPS, IMAGE)], ids=["in the image", "in the taps"]
)
def test_nan_enters_the_sums_that_it_enters_in_scipy(mode, name, options, in1, in2):
    value, _ = jvp(
        lambda x: getattr(signal, name)(x, in2, mode, **options), (in1,), (np.ones_like(in1),)
    )
    assert_allclose(
        value, getattr(scipy.signal, name)(in1, in2, mode, **options), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize(
    "shapes", [((400,), (5,)), ((5,), (400,)), ((3, 300), (2, 4)), ((200, 1, 7), (3, 4, 2))]
)
def test_blocks_that_overlap_have_the_values_of_one_transform(shapes):
    x, h = (RANDOM.normal(size=shape) for shape in shapes)
    for mode in ("full", "same"):
        value, pullback = vjp(lambda x, h: signal.oaconvolve(x, h, mode), x, h)  # noqa: B023
        assert_allclose(value, scipy.signal.fftconvolve(x, h, mode), rtol=0, atol=1e-12)
        g = RANDOM.normal(size=value.shape)
        expected = vjp(lambda x, h: signal.fftconvolve(x, h, mode), x, h)[1](g)  # noqa: B023
        for found, right in zip(pullback(g), expected, strict=True):
            assert_allclose(found, right, rtol=0, atol=1e-11)


def test_nan_in_one_block_leaves_the_others():
    x = RANDOM.normal(size=1000)
    whole = scipy.signal.oaconvolve(x, TAPS[0])
    x[10] = np.nan
    value, _ = jvp(lambda x: signal.oaconvolve(x, TAPS[0]), (x,), (np.ones_like(x),))
    assert np.isnan(value[10])
    assert_allclose(value[500:], whole[500:], rtol=0, atol=1e-12)


@pytest.mark.parametrize("integers", [np.int16, np.int64])
def test_integers_widen_single_precision_as_in_numpy(integers):
    x, h = np.arange(5, dtype=integers), np.ones(3, np.complex64)
    for function in (signal.upfirdn, signal.convolve):
        expected = np.result_type(integers, np.complex64)
        assert function(h, x).dtype == vjp(lambda h: function(h, x), h)[0].dtype == expected  # noqa: B023
