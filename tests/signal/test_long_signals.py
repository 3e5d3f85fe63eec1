"""Long signals, which ours computes by blocks, batches and products of matrices: the values and
dtypes of SciPy.
"""

import numpy as np
import pytest
import scipy.signal
from numpy.testing import assert_allclose

from scigrad import jvp, signal, vjp

RANDOM = np.random.default_rng(0)
REAL = RANDOM.normal(size=(2, 30_001))
SPECTRUM = scipy.signal.stft(REAL)[-1]
CALLS = {
    "fftconvolve": lambda f, x: f(x, x[:, :301]),
    "oaconvolve": lambda f, x: f(x[:, ::2], x[:1, :40], "same", axes=1),
    "hilbert": lambda f, x: f(N=30_500, x=x),
    "istft": lambda f, x: f(SPECTRUM.astype(np.result_type(x, np.complex64)), noverlap=128),
    "resample_poly": lambda f, x: f(x, 6, 4, axis=1, padtype="mean"),
    "stft": lambda f, x: f(
        x, 2.0, nperseg=200, noverlap=30, return_onesided=x.dtype.kind == "f", detrend="constant"
    ),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("name", CALLS)
def test_values_and_dtypes(name, dtype):
    if name == "hilbert" and np.dtype(dtype).kind == "c":
        with pytest.raises(ValueError, match="x must be real"):
            signal.hilbert(REAL.astype(dtype))
        return
    x = (REAL + (0.5j * REAL[::-1] if np.dtype(dtype).kind == "c" else 0)).astype(dtype)
    found, expected = (CALLS[name](getattr(library, name), x) for library in (signal, scipy.signal))
    pairs = (
        zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    )
    for ours, theirs in pairs:
        assert_allclose(
            ours, theirs, rtol=0, atol=(2e-5 if dtype is np.float32 else 1e-12) * abs(theirs).max()
        )
    assert ours.dtype == theirs.dtype
    assert ours.flags.writeable


def test_nan_reaches_the_length_of_the_filter():
    x = REAL[0].copy()
    x[20_000] = np.nan
    # 61 taps, whose ends are 0; SciPy, too, puts zeros beside them
    distance = abs(2 * np.arange(45_002) - 3 * 20_000)
    missing = np.isnan(signal.resample_poly(x, 3, 2))
    assert missing[distance < 29].all()
    assert not missing[distance > 36].any()


@pytest.mark.parametrize(("up", "down"), [(3, 2), (4, 6), (1, 3), (5, 1), (70, 3), (2, 4)])
@pytest.mark.parametrize("taps", [1, 8, 25])
def test_the_adjoint_of_a_change_of_rate_changes_it_back(up, down, taps):
    h, x, dh, dx = (
        RANDOM.normal(size=n) + 1j * RANDOM.normal(size=n) for n in (taps, 50, taps, 50)
    )
    f = lambda h, x: signal.upfirdn(h, x, up, down)  # noqa: E731
    value, tangent = jvp(f, (h, x), (dh, dx))
    assert_allclose(value, scipy.signal.upfirdn(h, x, up, down), rtol=0, atol=1e-12)
    assert_allclose(tangent, f(dh, x) + f(h, dx), rtol=0, atol=1e-12)
    g = RANDOM.normal(size=value.shape) + 1j * RANDOM.normal(size=value.shape)
    by_h, by_x = vjp(f, h, x)[1](g)
    assert_allclose(
        np.vdot(g, tangent).real, (np.vdot(by_h, dh) + np.vdot(by_x, dx)).real, rtol=1e-12
    )
    # The pullback is differentiable itself: its derivative by h, in x, is the form with the tangent
    # of h.
    again = jvp(lambda h: vjp(f, h, x)[1](g)[1], (h,), (dh,))[1]
    assert_allclose(np.vdot(again, dx), np.vdot(g, f(dh, dx)), rtol=1e-11)


@pytest.mark.parametrize("mode", ["reflect", "antireflect", "smooth", "line", "edge"])
def test_one_sample_is_continued_by_itself(mode):
    """SciPy's loop divides by zero, which ends the process, or reads beyond the sample."""
    for x in (np.array([2.0]), [2.0]):
        assert_allclose(signal.upfirdn(np.arange(1.0, 6), x, 2, 1, mode=mode), [18, 12, 18, 12, 18])
    rows = signal.resample_poly(np.array([[2.0]]), 3, 1, axis=1, padtype=mode)
    assert_allclose(
        rows, scipy.signal.resample_poly(np.array([[2.0]]), 3, 1, axis=1, padtype="edge")
    )
    assert_allclose(
        rows, vjp(lambda x: signal.resample_poly(x, 3, 1, padtype=mode), np.array([2.0]))[0][None]
    )
