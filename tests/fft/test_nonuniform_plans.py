"""Plans of non-uniform transforms: made once for the same points, never of others, and without a
trace in the results.
"""

import importlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from scigrad import fft, grad, value_and_grad, vmap
from scigrad.fft import nonuniform_engines as engines
from scigrad.fft import nonuniform_plans as plans

nufft = pytest.importorskip("ducc0").nufft
RNG = np.random.default_rng(5)
X, W = RNG.uniform(-3, 3, (40, 2)), RNG.uniform(-5, 5, (9, 2))
C = RNG.standard_normal(40) + 1j * RNG.standard_normal(40)
F = RNG.standard_normal((6, 5)) + 1j * RNG.standard_normal((6, 5))


@pytest.fixture
def made(monkeypatch):
    """The plans that are made: of types 1 and 2, and of type 3."""
    made = []

    def counted(name, module):
        own = getattr(module, name)
        monkeypatch.setattr(module, name, lambda **options: made.append(name) or own(**options))

    counted("plan", nufft)
    counted("plan3", importlib.import_module("ducc0.nufft.experimental"))
    monkeypatch.setattr(plans, "_kept", {})
    monkeypatch.setattr(engines, "_few", lambda points, targets: False)
    return made


def power(transform):
    return lambda *args: np.sum(np.abs(transform(*args)) ** 2)


def test_value_and_gradient_are_one_plan(made):
    value_and_grad(power(lambda c, x: fft.nufft1(c, x, (6, 5))), (0, 1))(C, X)
    assert made == ["plan"]
    value_and_grad(power(fft.nufft2), (0, 1))(F, X)  # the same points and modes
    assert made == ["plan"]
    value_and_grad(power(fft.nufft3), (0, 1, 2))(C, X, W)
    assert made == ["plan", "plan3"]
    for _ in range(3):  # an iteration over strengths
        grad(power(lambda c: fft.nufft1(c, X, (6, 5))))(C)
    vmap(lambda c: fft.nufft1(c, X, (6, 5)))(np.stack([C, C]))
    assert made == ["plan", "plan3"]


def test_other_points_and_options_are_other_plans(made):
    x = X.copy()
    first = fft.nufft1(C, x, (6, 5), eps=1e-12)
    x[-1, 0] += 0.5  # written to in place
    moved = fft.nufft1(C, x, (6, 5), eps=1e-12)
    assert len(made) == 2
    assert np.abs(moved - first).max() > 1e-3
    for options in ({"eps": 1e-5}, {"eps": 1e-12, "modeord": 1}, {"eps": 1e-12, "workers": 2}):
        made.clear()
        fft.nufft1(C, x, (6, 5), **options)
        assert made == ["plan"], options
    made.clear()
    fft.nufft1(C, x, (5, 6), eps=1e-12)
    fft.nufft1(C.astype(np.complex64), x.astype(np.float32), (5, 6), eps=1e-6)
    assert len(made) == 2


def test_no_result_depends_on_what_was_computed_before(made):
    def alone(f):
        plans._kept.clear()
        return f()

    calls = [
        lambda: fft.nufft1(C, X, (6, 5)),
        lambda: fft.nufft2(F, X),
        lambda: fft.nufft3(C, X, W),
        lambda: fft.nufft3(C[:9], W, X),
        lambda: fft.nufft3(C, X, X + 1, isign=-1),
        lambda: fft.nufft3(C, X + 1, X),
    ]
    expected = [alone(f) for f in calls]
    plans._kept.clear()
    made.clear()
    for _ in range(2):
        for f, truth in zip(calls, expected, strict=True):
            np.testing.assert_array_equal(f(), truth)
    assert made == ["plan", "plan3", "plan3"]


def test_what_is_kept_is_bounded(made, monkeypatch):
    for n in range(1, 30):
        fft.nufft1(C, X, (n, 5))
    assert len(plans._kept) == plans._COUNT
    monkeypatch.setattr(plans, "_BYTES", 2 * X.nbytes)
    fft.nufft1(C, X, (6, 5))
    assert len(plans._kept) == 2
    monkeypatch.setattr(plans, "_BYTES", 1)
    fft.nufft1(C, X, (6, 5))
    assert not plans._kept


def test_threads_never_share_a_plan(made):
    """Bitwise the serial results, with at most as many plans as threads."""
    strengths = RNG.standard_normal((64, 40)) + 1j * RNG.standard_normal((64, 40))

    def both(c):
        return fft.nufft1(c, X, (6, 5)), fft.nufft3(c, X, W)

    serial = [both(c) for c in strengths]
    made.clear()
    with ThreadPoolExecutor(8) as pool:
        for found, truth in zip(pool.map(both, strengths), serial, strict=True):
            np.testing.assert_array_equal(found[0], truth[0])
            np.testing.assert_array_equal(found[1], truth[1])
    assert len(made) <= 2 * 7


def test_a_plan_that_failed_is_given_up(made):
    with pytest.raises(ZeroDivisionError), plans.borrow_plan("key", (X,), lambda x: "plan"):
        raise ZeroDivisionError
    assert not plans._kept
