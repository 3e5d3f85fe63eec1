"""Recursive filters of long signals, by loops of our own and by threads: SciPy's values bit for
bit, and its refusals.
"""

import threading

import numpy as np
import pytest
import scipy.signal

from scigrad import fft, signal
from scigrad.host.compiled import numba
from scigrad.signal.filters.long_signals import filtered_as

RNG = np.random.default_rng(3)
FILTERS = {
    "order 1": ([0.5, 0.5], [1.0, -0.3]),
    "order 8": scipy.signal.butter(8, 0.3),
    "a[0] is 2, b longer": ([1.0, 2.0, 3.0, 0.5], [2.0, 0.4]),
    "b shorter": ([0.5], [1.0, -1.2, 0.5]),
    "more states than registers": scipy.signal.butter(14, 0.3),
    "sections": (scipy.signal.butter(8, 0.3, output="sos"),),
    "one section": (scipy.signal.butter(2, 0.3, output="sos"),),
}
SHAPES = (
    ((70_000,), -1),
    ((3, 30_000), 1),
    ((2, 30_000, 2), -2),
    ((35_000, 2), 0),
    ((2, 35_000), 0),
)


def called(module, name, *args):
    found = (module.lfilter if len(FILTERS[name]) == 2 else module.sosfilt)(*FILTERS[name], *args)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("workers", [1, 2])
def test_values_and_states(name, workers):
    """Of one channel and several, along any axis."""
    sections = len(FILTERS[name]) == 1
    order = 2 if sections else max(map(len, FILTERS[name])) - 1
    for shape, axis in SHAPES:
        x, states = RNG.standard_normal(shape), list(shape)
        states[axis] = order
        zi = RNG.standard_normal([len(FILTERS[name][0]), *states] if sections else states)
        for given in ((x, axis), (x, axis, zi)):
            with fft.set_workers(workers):
                found = called(signal, name, *given)
            for u, v in zip(found, called(scipy.signal, name, *given), strict=True):
                np.testing.assert_array_equal(u, v, strict=True)


@pytest.mark.skipif(not numba(), reason="the loops are compiled by Numba")
@pytest.mark.parametrize("name", ["order 8", "sections"])
def test_scipy_s_loop_is_not_called(name):
    x = RNG.standard_normal((2, 40_000))
    x.flags.writeable = False
    np.testing.assert_array_equal(
        filtered_as(None, FILTERS[name], x), called(scipy.signal, name, x)[0]
    )


@pytest.mark.parametrize("name", ["order 8", "sections"])
def test_infinities_and_nan(name):
    x = RNG.standard_normal(70_000)
    x[[100, 60_000]] = np.inf, np.nan
    np.testing.assert_array_equal(called(signal, name, x)[0], called(scipy.signal, name, x)[0])


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_other_dtypes_are_filtered_by_threads(dtype):
    x = RNG.standard_normal((4, 30_000)).astype(dtype)
    b, a = (c.astype(dtype) for c in scipy.signal.butter(4, 0.3))
    threads, both = set(), threading.Barrier(2)

    def loop(*args):
        if threading.get_ident() not in threads:
            threads.add(threading.get_ident())
            both.wait(60)
        return scipy.signal.lfilter(*args)

    with fft.set_workers(2):
        found = filtered_as(loop, (b, a), x)
    assert len(threads) == 2
    np.testing.assert_array_equal(found, scipy.signal.lfilter(b, a, x), strict=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: m.lfilter([1.0], [0.0, 1.0], x),
        lambda m, x: m.lfilter([1.0], [1.0, 0.5], x, 2),
        lambda m, x: m.lfilter([1.0], [1.0, 0.5], x, -1, np.ones(3)),
        lambda m, x: m.sosfilt(2 * np.ones((1, 6)), x),
        lambda m, x: m.sosfilt(np.ones((1, 6)), x, -1, np.ones((1, 3))),
        lambda m, x: m.sosfilt(np.ones((1, 5)), x),
    ],
)
def test_refusals_are_scipy_s(call):
    x = np.ones(70_000)
    with pytest.raises((ValueError, IndexError, NotImplementedError)) as expected:
        call(scipy.signal, x)
    with pytest.raises(expected.type):
        call(signal, x)
