"""Widths of peaks in batches, and periodograms of one frequency."""

import numpy as np
import pytest
import scipy.signal

from scigrad import signal, vjp, vmap
from scigrad.testing import assert_close

X = np.array([0.0, 1.0, 0.5, 2.0, 3.0, 1.0, 0.0, 2.5, 0.5])


def test_widths_at_a_batch_of_heights():
    heights = np.array([0.2, 0.5, 0.9])
    found = vmap(lambda h: signal.peak_widths(X, [1, 4, 7], h)[0])(heights)
    assert_close(found, np.stack([scipy.signal.peak_widths(X, [1, 4, 7], h)[0] for h in heights]))


@pytest.mark.parametrize("normalize", [False, True, "amplitude"])
def test_one_frequency_has_no_axis(normalize):
    t = np.arange(9.0)
    found = vjp(lambda x: signal.lombscargle(t, x, [0.7], normalize=normalize), X)[0]
    assert np.shape(found) == ()
    assert_close(found, scipy.signal.lombscargle(t, X, [0.7], normalize=normalize), 1e-12)
