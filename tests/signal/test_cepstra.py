"""Cepstra of sequences with known ones, and the way back."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from scigrad import signal


def test_the_cepstrum_of_one_zero_is_a_power_series():
    x = np.zeros(64)
    x[:2] = 1, -0.3
    k = np.arange(1, 20)
    ceps, delay = signal.complex_cepstrum(x)
    assert delay == 0
    assert_allclose(ceps[1:20], -(0.3**k) / k, atol=1e-15)


@pytest.mark.parametrize("n", [7, 8])
@pytest.mark.parametrize("at", [0, 2, 3])
def test_the_signal_comes_back(n, at):
    x = np.random.default_rng(1).normal(size=n)
    x[at] += 20
    ceps, delay = signal.complex_cepstrum(x)
    assert delay == -at
    assert_allclose(signal.inverse_complex_cepstrum(ceps, delay), x, atol=1e-13)


def test_a_cepstrum_has_no_sign():
    x = np.array([1.0, 9.0, 0.5, -0.2, 0.1])
    ceps, delay = signal.complex_cepstrum(-x)
    assert_allclose(ceps, signal.complex_cepstrum(x)[0], atol=1e-15)
    assert_allclose(signal.inverse_complex_cepstrum(ceps, delay), x, atol=1e-13)
