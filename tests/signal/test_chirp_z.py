"""The transforms as objects."""

import numpy as np
import pytest
import scipy.signal

from scigrad import grad, signal
from scigrad.testing import assert_close, gradcheck

X = np.array([0.3, -1.2, 0.8, 2.0, -0.4])


@pytest.mark.parametrize("given", [(5,), (5, 3), (5, 4, 0.9 + 0.3j, 1.1 - 0.2j)])
def test_chirp_z(given):
    ours, theirs = signal.CZT(*given), scipy.signal.CZT(*given)
    assert (ours.n, ours.m) == (theirs.n, theirs.m)
    assert_close(
        (ours.w, ours.a, ours.points(), ours(X)),
        (theirs.w, theirs.a, theirs.points(), theirs(X)),
        1e-12,
    )
    assert_close(
        ours(np.stack([X, 2 * X], 1), axis=0), theirs(np.stack([X, 2 * X], 1), axis=0), 1e-12
    )


@pytest.mark.parametrize("endpoint", [False, True])
@pytest.mark.parametrize("fn", [0.8, [0.3, 0.8]])
def test_zoom(fn, endpoint):
    ours, theirs = (
        module.ZoomFFT(5, fn, 4, fs=3.0, endpoint=endpoint) for module in (signal, scipy.signal)
    )
    assert (ours.f1, ours.f2, ours.fs) == (theirs.f1, theirs.f2, theirs.fs)
    assert_close(
        (ours.w, ours.a, ours.points(), ours(X)),
        (theirs.w, theirs.a, theirs.points(), theirs(X)),
        1e-12,
    )


def test_points_are_differentiable():
    gradcheck(lambda w, a: signal.CZT(5, 4, w, a)(X), 0.9 + 0.3j, 1.1 - 0.2j)
    gradcheck(lambda fn: signal.ZoomFFT(5, fn, 4)(X), np.array([0.3, 0.8]))
    assert_close(grad(lambda f: signal.ZoomFFT(5, f).points()[1].imag)(0.0), 2 * np.pi / 2 / 5)


def test_a_signal_of_another_length():
    with pytest.raises(ValueError, match="defined for length 5, not 4"):
        signal.CZT(5)(X[:4])
