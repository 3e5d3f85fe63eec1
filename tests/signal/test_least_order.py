"""Orders of band-stop filters, for which SciPy searches: derivatives against differences of SciPy's
with a finer search.
"""

import functools
import types

import numpy as np
import pytest
import scipy.optimize
import scipy.signal
from scipy.signal import _filter_design

from scigrad import grad, jvp, signal, vjp
from scigrad.testing import assert_close
from scigrad.testing.gradcheck import check_law

WIDE, MIDDLE = (
    np.array([0.2, 0.75]),
    {"lower": np.array([0.3, 0.56]), "upper": np.array([0.38, 0.66])},
)


@pytest.fixture
def fine(monkeypatch):
    search = functools.partial(scipy.optimize.fminbound, xtol=1e-15, maxfun=5000)
    monkeypatch.setattr(_filter_design, "optimize", types.SimpleNamespace(fminbound=search))


@pytest.mark.parametrize("edge", MIDDLE)  # the edge of the passband that moves
@pytest.mark.parametrize(
    "options", [{}, {"analog": True}, {"fs": 3.0}], ids=["digital", "analog", "in Hz"]
)
@pytest.mark.parametrize("name", ["buttord", "cheb1ord", "cheb2ord", "ellipord"])
def test_band_stop(name, options, edge, fine):
    x = WIDE, MIDDLE[edge], 1.3, 29.0
    t = tuple(np.random.default_rng(1).normal(size=np.shape(v)) for v in x)
    assert_close(
        vjp(lambda *x: getattr(signal, name)(*x, **options), *x)[0],
        getattr(scipy.signal, name)(*x, **options),
        1e-15,
    )

    def edges(module, step=0.0):
        return getattr(module, name)(*(v + step * u for v, u in zip(x, t, strict=True)), **options)[
            1
        ]

    tangent = jvp(lambda step: edges(signal, step), (0.0,), (1.0,))[1]
    assert_close(tangent, (edges(scipy.signal, 1e-3) - edges(scipy.signal, -1e-3)) / 2e-3, 1e-4)
    check_law(lambda *x: (getattr(signal, name)(*x, **options)[1],), x, 1e-9)


def test_the_frequency_of_a_design_as_an_array():
    slope = grad(lambda fs: np.sum(signal.iirdesign(WIDE, MIDDLE["lower"], 1.3, 29.0, fs=fs)[0]))
    assert_close(slope(np.array(3.0)), slope(3.0))
