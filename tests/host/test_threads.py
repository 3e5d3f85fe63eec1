"""Large arrays over threads: the values and messages of one thread."""

import itertools
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.special

from scigrad import fft, grad, special
from scigrad.host import threads

LARGE, MANY = threads.LARGE, threads.MANY


def waiting(function, together, alone=()):
    """Return a function that waits, at its first call in each of so many threads, for the others,
    and the sizes of what other threads than this one computed. Calls with arguments of the lengths
    `alone` do not wait.
    """
    here, begun, sizes, barrier = threading.get_ident(), set(), [], threading.Barrier(together)

    def run(x, **options):
        me = threading.get_ident()
        sizes.extend([x.size] * (me != here))
        if len(x) not in (0, *alone) and me not in begun:
            begun.add(me)
            barrier.wait(60)
        return function(x, **options)

    return run, sizes


def pieces(x, together=1):
    """Return SciPy's rgamma of x, computed by so many threads, and the sizes of the parts of the
    others.
    """

    def rgamma(x, **options):
        time.sleep(1e-3 * (x.size > 0))  # long enough for threads
        return scipy.special.rgamma(x, **options)

    run, sizes = waiting(rgamma, together, alone=[len(x) // 16])
    run.nin = 1
    return threads.call_in_threads(run, x), sizes


def test_large_arrays_are_computed_by_the_threads_of_set_workers():
    x = np.linspace(0.1, 9, LARGE)
    alone, sizes = pieces(x)
    assert sizes == []
    with fft.set_workers(3):
        together, sizes = pieces(x, together=3)
        # the first sixteenth is timed, and the rest is cut into 24 parts
        assert set(sizes) == {LARGE * 15 // 16 // 24}
        assert pieces(x.reshape(1, -1))[1] == []  # split along the first axis
        assert pieces(np.tile(x, (3, 1)), together=3)[1] == [LARGE] * 2  # a row for each
    np.testing.assert_array_equal(together, alone)


def test_arrays_in_the_middle_are_computed_by_threads_if_the_first_part_takes_long():
    x = np.linspace(0.1, 9, MANY)
    with fft.set_workers(2):
        together, sizes = pieces(x, together=2)
        assert set(sizes) == {MANY * 15 // 16 // 16}
        assert pieces(x[:-1])[1] == []
        assert pieces(x[:0].reshape(0, 3))[1] == []
        quick, sizes = pieces(x.reshape(2, -1))  # two rows have no sixteenth
        assert sizes == []
    np.testing.assert_array_equal(together, scipy.special.rgamma(x))
    np.testing.assert_array_equal(quick.ravel(), together)


def test_a_thread_that_other_work_keeps_from_beginning_delays_nobody():
    blocked = threading.Event()
    try:
        with fft.set_workers(2):
            threads.pool(1).submit(blocked.wait, 20)
            began = time.perf_counter()
            here = special.rgamma(np.linspace(0.1, 9, LARGE))
            assert time.perf_counter() - began < 10
    finally:
        blocked.set()
    np.testing.assert_array_equal(here, scipy.special.rgamma(np.linspace(0.1, 9, LARGE)))


def test_functions_that_are_no_ufuncs_are_computed_by_threads():
    def twice(x):
        time.sleep(1e-3)
        return 2 * x

    x = np.linspace(2, 9, MANY)
    twice, others = waiting(twice, 2, alone=[MANY // 16])
    with fft.set_workers(2):
        np.testing.assert_array_equal(threads.threaded_function(twice)(x), 2 * x)
        np.testing.assert_array_equal(special.zeta(x), scipy.special.zeta(x))
    assert others


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128, np.int64])
def test_values_dtypes_and_broadcasting_are_those_of_one_thread(dtype):
    x = np.linspace(1, 20, LARGE).astype(dtype).reshape(256, -1)
    calls = [
        lambda: special.jv(np.array([0.5]), x),
        lambda: special.jv(np.linspace(0, 3, 256)[:, None], x[0]),
        lambda: special.sici(x),
    ]
    expected = [call() for call in calls]
    with fft.set_workers(2):
        for call, value in zip(calls, expected, strict=True):
            np.testing.assert_array_equal(call(), value)
            assert np.asarray(call()).dtype == np.asarray(value).dtype


def test_derivatives_and_messages():
    x = np.linspace(-3, 3, LARGE)
    with fft.set_workers(2):
        slope = grad(lambda x: np.sum(special.erf(x)))(x)
        np.testing.assert_allclose(slope, 2 / np.sqrt(np.pi) * np.exp(-x * x), rtol=1e-14)
        with (
            special.errstate(all="raise"),
            pytest.raises(special.SpecialFunctionError, match="singularity"),
        ):
            special.gammaln(np.zeros(LARGE))


def test_positional_outs():
    x = np.linspace(1, 20, LARGE)
    with fft.set_workers(2):
        for name, first in (("jv", (0.5 + 0 * x,)), ("sici", ()), ("airy", ())):
            f = getattr(special, name)
            outs = [np.zeros_like(x) for _ in range(f.nout)]
            f(*first, x, *outs)
            np.testing.assert_array_equal(outs, np.reshape(f(*first, x), (f.nout, -1)))


FORKED = """
import os, numpy as np
from scigrad import fft, special
x = np.linspace(0.1, 9, 1 << 18)
with fft.set_workers(2):
    here = special.jv(0.5 + 0 * x, x)
    if child := os.fork():
        raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os._exit(not np.array_equal(special.jv(0.5 + 0 * x, x), here))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=30)


def test_parts_are_in_order_and_their_failures_reach_the_caller():
    def slowly(start, stop):
        time.sleep(0.001 * (start % 3))
        return start, stop

    ends = threads.spread(slowly, 5, 105, 3)
    assert len(ends) == 24
    assert ends[0][0] == 5
    assert ends[-1][1] == 105
    assert all(before[1] == after[0] for before, after in itertools.pairwise(ends))
    assert threads.spread(slowly, 5, 8, 1) == [(5, 8)]
    assert threads.spread(slowly, 5, 7, 4) == [(5, 6), (6, 7)]
    with pytest.raises(ZeroDivisionError):
        threads.spread(
            lambda start, _: 1 / (start - 5) if start == 5 else time.sleep(0.001), 5, 105, 2
        )
