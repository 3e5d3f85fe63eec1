"""resize against Pillow."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from scigrad import signal

METHODS = {
    "nearest": "NEAREST",
    "linear": "BILINEAR",
    "cubic": "BICUBIC",
    "lanczos": "LANCZOS",
    "area": "BOX",
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(5, 4), (13, 20), (24, 3), (12, 9)])
def test_values_are_those_of_pillow(method, shape):
    image = pytest.importorskip("PIL.Image", reason="Pillow is in the extra demo")
    x = np.random.default_rng(0).normal(size=(12, 9)).astype(np.float32)
    if method == "area" and any(n % m and m % n for n, m in zip(x.shape, shape, strict=True)):
        shape = (6, 18)  # Pillow takes whole cells
    expected = np.asarray(
        image.fromarray(x).resize(shape[::-1], getattr(image.Resampling, METHODS[method]))
    )
    assert_allclose(signal.resize(x, shape, method), expected, atol=3e-6)


def test_antialias_keeps_a_stripe_of_one_pixel():
    x = np.zeros((1, 64))
    x[0, 22] = 1
    assert signal.resize(x, (1, 8)).sum() == pytest.approx(1 / 8, rel=0.3)
    assert signal.resize(x, (1, 8), antialias=False).sum() == 0
