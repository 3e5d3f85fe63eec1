"""Convolution under transforms where values are missing."""

import numpy as np
import pytest
import scipy.signal
from numpy.testing import assert_allclose

from scigrad import jvp, signal

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
@pytest.mark.parametrize(("in1", "in2"), [(IMAGE, TAPS), (TAPS, IMAGE)], ids=["in the image", "in the taps"])
def test_nan_enters_the_sums_that_it_enters_in_scipy(mode, name, options, in1, in2):
    value, _ = jvp(lambda x: getattr(signal, name)(x, in2, mode, **options), (in1,), (np.ones_like(in1),))
    assert_allclose(value, getattr(scipy.signal, name)(in1, in2, mode, **options), rtol=1e-12, atol=1e-12)
