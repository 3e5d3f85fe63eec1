"""Large transforms, which take ways of their own: long lines in four steps, several axes slab by
slab.
"""

import numpy as np
import pytest
import scipy.fft

from scigrad import fft
from scigrad.fft import engine, long_lines

rng = np.random.default_rng(3)
needs_ducc = pytest.mark.skipif(
    engine.ducc() is None, reason="ducc0 is not installed, SciPy transforms everything"
)


def normal(*shape: int, dtype: str = "D"):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


def assert_equal(found, expected):
    assert found.dtype == expected.dtype
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=20 * np.finfo(found.dtype).eps * scale)


@needs_ducc
@pytest.mark.parametrize("name", ["fft", "ifft"])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("dtype", "DF")
@pytest.mark.parametrize("n", [36, 250, 1000, 1024])
def test_four_steps_of_any_length(monkeypatch, n, dtype, norm, name):
    monkeypatch.setattr(long_lines, "SHORTEST", 1)
    monkeypatch.setattr(engine, "_BEYOND_THE_CACHE", 0)
    long_lines.split.cache_clear()
    try:
        assert long_lines.split(engine.ducc(), n)
        x = normal(3, n, dtype=dtype)
        before = x.copy()
        expected = getattr(scipy.fft, name)(x, norm=norm)
        assert_equal(getattr(fft, name)(x, norm=norm), expected)
        assert np.array_equal(x, before)
        assert_equal(getattr(fft, name)(x[1], norm=norm, workers=2), expected[1])
        assert_equal(getattr(fft, name)(x, norm=norm, overwrite_x=True), expected)
    finally:
        long_lines.split.cache_clear()


@needs_ducc
def test_long_lines_are_those_of_scipy():
    for n in (10**6, 2**20):
        x = normal(n)
        assert long_lines.split(engine.ducc(), n)
        assert_equal(fft.fft(x), scipy.fft.fft(x))
        assert_equal(fft.ifft(x[: n - 7], n), scipy.fft.ifft(x[: n - 7], n))


def test_what_does_not_split():
    library = engine.ducc() or pytest.skip("ducc0 is not installed")
    # short, prime, nearly prime, too long for a table
    for n in (1024, 1_000_003, 2 * 500_009, 2**24):
        assert long_lines.split(library, n) is None


def test_roots_of_unity_are_right_to_an_ulp():
    n = 2**20 - 24
    k = rng.integers(0, n, 1000)
    exact = np.exp(np.clongdouble(-2j) * np.arccos(np.longdouble(-1)) * k / n)
    assert np.abs(long_lines.roots(k, n) - exact).max() < np.finfo(float).eps


@pytest.mark.parametrize("axes", [None, (1, 2), (2, 0, 1), (-1, -2), (0, 2)])
@pytest.mark.parametrize("name", ["fftn", "ifftn"])
def test_slabs(name, axes):
    x = normal(70, 80, 60)
    assert x.nbytes > engine._BEYOND_THE_CACHE
    before = x.copy()
    for norm in (None, "ortho", "forward"):
        expected = getattr(scipy.fft, name)(x, axes=axes, norm=norm)
        assert_equal(getattr(fft, name)(x, axes=axes, norm=norm), expected)
    assert np.array_equal(x, before)
    assert_equal(getattr(fft, name)(x, axes=axes, norm="forward", overwrite_x=True), expected)
