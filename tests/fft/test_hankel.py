"""Hankel transforms: SciPy's values, warnings and errors over lengths, orders and biases; inverses;
a transform known exactly.
"""

import warnings

import numpy as np
import pytest
import scipy.fft

from scigrad import fft, grad, jvp

RANDOM = np.random.default_rng(0)
POINTS = [
    (0, 0),
    (0.5, 0.3),
    (2, -0.7),
    (-0.5, 0),
    (300, 0.5),
    (-1, 1),
    (-3, 2),
    (-1.5, 0.5),
    (0, 1),
    (0, -1),
    (1, -2),
    (1, 2),
]


def with_warnings(function, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return function(*args), [(w.category, str(w.message)) for w in caught]


@pytest.mark.parametrize("name", ["fht", "ifht"])
@pytest.mark.parametrize("n", [1, 2, 5, 8, 33])
def test_values_and_warnings_are_scipy_s(name, n):
    a = RANDOM.standard_normal((2, n))
    for mu, bias in POINTS:
        found, ours = with_warnings(getattr(fft, name), a, 0.1, mu, 0.2, bias)
        truth, theirs = with_warnings(getattr(scipy.fft, name), a, 0.1, mu, 0.2, bias)
        np.testing.assert_allclose(
            found, truth, rtol=0, atol=1e-11 * abs(truth).max(), err_msg=f"mu={mu}, bias={bias}"
        )
        assert ours == theirs


def test_a_known_transform():
    """integral of r^(mu + 1) exp(-r^2 / 2) J_mu(k r) k dr = k^(mu + 1) exp(-k^2 / 2)."""
    mu, n, dln = 0.5, 256, 0.1
    offset = fft.fhtoffset(dln, mu)
    log_r = dln * (np.arange(n) - (n - 1) / 2)

    def f(log_x):
        return np.exp((mu + 1) * log_x - np.exp(2 * log_x) / 2)

    # log r is periodic
    np.testing.assert_allclose(
        fft.fht(f(log_r), dln, mu, offset), f(log_r + offset), rtol=0, atol=1e-7
    )


def test_inverse_and_precision():
    a = RANDOM.standard_normal((3, 7)) + 1j * RANDOM.standard_normal((3, 7))
    back = fft.ifht(fft.fht(a, 0.3, 1.5, 0.1, 0.4), 0.3, 1.5, 0.1, 0.4)
    np.testing.assert_allclose(back, a, atol=1e-13)
    for dtype in (np.float32, np.complex64):
        single = fft.fht(
            a.astype(dtype) if dtype is np.complex64 else a.real.astype(dtype), 0.3, 1.5, 0.1, 0.4
        )
        assert single.dtype == dtype
        wide = fft.fht(a if dtype is np.complex64 else a.real, 0.3, 1.5, 0.1, 0.4)
        np.testing.assert_allclose(single, wide, atol=3e-6 * abs(wide).max())
    np.testing.assert_allclose(
        fft.fht([1, 2, 3], 0.1, 1), scipy.fft.fht(np.array([1.0, 2, 3]), 0.1, 1), rtol=1e-13
    )


def test_at_a_pole_values_have_derivatives_in_the_samples_and_none_in_the_order():
    a, t = RANDOM.standard_normal(5), RANDOM.standard_normal(5)
    with pytest.warns(UserWarning, match="singular transform"):
        found = jvp(lambda a: fft.fht(a, 0.3, -1.5, 0.0, 0.5), (a,), (t,))[1]
    with pytest.warns(UserWarning, match="singular transform"):
        np.testing.assert_allclose(
            found, fft.fht(t, 0.3, -1.5, 0.0, 0.5), atol=1e-12 * abs(found).max()
        )
    with pytest.warns(UserWarning, match="singular transform"):
        assert np.isnan(grad(lambda mu: np.sum(fft.fht(a, 0.3, mu, 0.0, 0.5)))(-1.5))


def test_offset_keeps_the_last_coefficient_real():
    for dln, mu, bias in ((0.1, 2.0, 0.0), (0.3, 0.5, 0.4)):
        assert fft.fhtoffset(dln, mu, 0.2, bias) == scipy.fft.fhtoffset(dln, mu, 0.2, bias)
        value, slope = jvp(
            lambda initial, dln=dln, mu=mu, bias=bias: fft.fhtoffset(dln, mu, initial, bias),
            (0.2,),
            (1.0,),
        )
        np.testing.assert_allclose(value, scipy.fft.fhtoffset(dln, mu, 0.2, bias), rtol=1e-12)
        np.testing.assert_allclose(slope, 0.0, atol=1e-12)  # the nearest one stays the nearest
