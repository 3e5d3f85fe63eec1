"""Radar and resizing at hard arguments: long signals in single precision, cells beside huge ones,
NaN beside numbers.
"""

import numpy as np
import pytest

from scigrad import signal


def test_phases_of_long_signals_in_single_precision():
    n = 200_000
    found = signal.freq_shift(np.ones(n, np.float32), 0.3, 1.0)
    assert found.dtype == np.complex64
    np.testing.assert_allclose(found, np.exp(-2j * np.pi * 0.3 * np.arange(n)), atol=1e-6)


def test_thresholds_far_from_a_huge_cell_do_not_see_it():
    x = np.ones(64)
    expected = signal.ca_cfar(x, 2, 4)[0]
    x[30] = 1e20
    far = np.abs(np.arange(64) - 30) > 6
    np.testing.assert_allclose(signal.ca_cfar(x, 2, 4)[0][far], expected[far], rtol=1e-13)


@pytest.mark.parametrize("beta", [5, np.float32(5)])
def test_a_number_is_the_parameter_of_a_kaiser_window(beta):
    pulses, template = np.array([[1.0, 2.0, 4.0, 3.0]]), np.array([1.0, 2.0, 1.5])
    found, expected = (signal.pulse_compression(pulses, template, window=b) for b in (beta, 5.0))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_the_nearest_sample_does_not_see_its_neighbors():
    found = signal.resize(np.array([1.0, np.nan, 3.0, 4.0]), 8, "nearest")
    np.testing.assert_array_equal(found, np.repeat([1.0, np.nan, 3.0, 4.0], 2))
