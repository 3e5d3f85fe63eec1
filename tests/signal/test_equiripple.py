"""remez: values are SciPy's on a grid, derivatives those of the continuous problem, against
differences on a fine grid.
"""

import numpy as np
import pytest
import scipy.signal

import scigrad
from scigrad import grad, jvp, signal, vjp
from scigrad.testing import assert_close
from scigrad.testing.gradcheck import check_law

CASES = {
    "odd": (9, [0, 0.1, 0.2, 0.5], [1, 0], {}),
    "even": (10, [0, 0.1, 0.2, 0.45], [1, 0], {}),
    "three bands": (13, [0.02, 0.1, 0.18, 0.3, 0.36, 0.5], [0, 1, 0.2], {}),
    "Hilbert": (12, [0.05, 0.5], [1], {"type": "hilbert"}),
    "in Hz": (9, [0, 10, 20, 50], [1, 0], {"fs": 100}),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives(name):
    numtaps, bands, desired, options = CASES[name]
    x = tuple(np.array(v, float) for v in (bands, desired, np.linspace(1, 2, len(desired))))
    rng, top = np.random.default_rng(3), options.get("fs", 1) / 2
    t = [rng.normal(size=v.shape) for v in x]
    t[0] *= 0.2 * top * ((x[0] > 0) & (x[0] < top))

    def design(module, b, d, w):
        return module.remez(numtaps, b, d, weight=w, grid_density=400, **options)

    def difference(step):
        ends = (
            design(scipy.signal, *(v + sign * step * u for v, u in zip(x, t, strict=True)))
            for sign in (1, -1)
        )
        return (next(ends) - next(ends)) / (2 * step)

    out, tangent = jvp(lambda *args: design(signal, *args), x, tuple(t))
    assert_close(out, design(scipy.signal, *x), 1e-15)
    assert_close(tangent, difference(3e-3), 1e-3)
    check_law(lambda *args: (design(signal, *args),), x, 1e-9)


def test_second_derivative():
    """Against differences of the first one, which moves the stationary points."""

    def slope(edge):
        return grad(lambda e: signal.remez(9, np.array([0.0, 1.0, 2.0, 4.5]) * e, [1.0, 0.0])[4])(
            edge
        )

    found = jvp(slope, (0.1,), (1.0,))[1]
    step = 2e-5
    assert_close(found, (slope(0.1 + step) - slope(0.1 - step)) / (2 * step), 1e-5)


def test_the_sampling_frequency_is_differentiable():
    """A design does not change if the bands and the frequency are multiplied by the same number."""
    x = (np.array([0.0, 10.0, 20.0, 50.0]), 100.0)
    tangent = jvp(lambda bands, fs: signal.remez(9, bands, [1.0, 0.0], fs=fs), x, x)[1]
    np.testing.assert_allclose(tangent, 0, atol=1e-12)
    assert grad(lambda fs: signal.remez(9, x[0] * [1, 1, 1, 0.8], [1.0, 0.0], fs=fs)[4])(100.0) < 0


def test_a_differentiator_is_refused():
    with pytest.raises(scigrad.MissingRule, match="differentiators"):
        vjp(lambda d: signal.remez(9, [0.0, 0.4], d, type="differentiator"), np.array([1.0]))
