"""Plans of cuFFT on streams and threads, with a CuPy of array functions on the host that keeps
plans as CuPy's own does.
"""

import importlib
import importlib.util
import itertools
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.fft

from benchmarks.gpu.streams import compared
from scigrad import fft, grad, jvp, vmap
from scigrad.autodiff_rules import backends
from scigrad.fft import cufft_plans

RANDOM = np.random.default_rng(0)
KINDS = {"rfft": "R2C", "irfft": "C2R"}


class Stream:
    """A stream; `with` makes it the current one of its thread."""

    def __init__(self, ptr, local=None):
        self.ptr, self.local = ptr, local

    def __enter__(self):
        self.local.stream = self

    def __exit__(self, *_):
        self.local.stream = None

    def synchronize(self):
        pass


class Array(np.ndarray):
    """What is told by its module to be CuPy's."""

    __module__ = "cupy"

    def __array_function__(self, *args):
        found = super().__array_function__(*args)
        return found.view(Array) if isinstance(found, np.ndarray) else found


class Plan:
    """Remembers what it ran on."""

    def __init__(self, key, made, order=None):
        self.key, self.order, self.runs = key, order, set()
        made.append(self)


class Cache(dict):
    """CuPy's cache of plans: 16, the last used one first in an iteration; del and assignment as
    CuPy's.
    """

    def __iter__(self):
        for key, plan in reversed(list(self.items())):
            yield key, types.SimpleNamespace(plan=plan, gpus=None)

    def find(self, key, made):
        plan = self.pop(key, None) or Plan(key, made)
        self[key] = plan
        while len(self) > 16:
            del self[next(iter(self.keys()))]
        return plan


class CuPy:
    """Current streams, and caches by thread and device. A plan is told by length, precision and
    kind, not by direction.
    """

    def __init__(self):
        self.made, self.local, self.device = [], threading.local(), 0
        self.cuda = types.SimpleNamespace(
            get_current_stream=lambda: self.stream,
            runtime=types.SimpleNamespace(getDevice=lambda: self.device),
            Stream=lambda non_blocking: Stream(next(self.numbers), self.local),
        )
        self.numbers = itertools.count(100)
        self.fft = types.SimpleNamespace(config=types.SimpleNamespace(get_plan_cache=self.cache))

    @property
    def stream(self):
        return getattr(self.local, "stream", None) or self.null

    null = Stream(0)

    def __getattr__(self, name):
        return lambda *args: getattr(np, name)(*args).view(Array)

    def cache(self):
        return self.local.__dict__.setdefault(f"cache {self.device}", Cache())

    def function(self, name):
        def run(x, *args, plan=None, **kwargs):
            assert isinstance(x, Array)
            y = getattr(scipy.fft, name)(np.asarray(x), *args, **kwargs)
            length = max(x.shape[-1], y.shape[-1])
            used = plan or self.cache().find(
                (length, np.result_type(y, np.complex64).char, KINDS.get(name)), self.made
            )
            used.runs.add((threading.get_ident(), self.device, self.stream.ptr))
            return y.view(Array)

        return run


@pytest.fixture
def cupy(monkeypatch):
    if importlib.util.find_spec("cupy") is not None:
        pytest.skip("CuPy is installed: benchmarks.gpu.streams asks itself")
    module = CuPy()
    room = types.ModuleType("cupyx.scipy.fft")
    for name in ("fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "dct"):
        setattr(room, name, module.function(name))
    monkeypatch.setitem(sys.modules, "cupy", module)
    monkeypatch.setitem(sys.modules, "cupyx.scipy.fft", room)
    monkeypatch.setattr(cufft_plans, "_thread", cufft_plans._Thread())
    backends._find.cache_clear()
    yield module
    backends._find.cache_clear()


def draw(*shape):
    return (RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape)).view(Array)


def test_no_plan_runs_on_two_streams(cupy):
    streams = [Stream(n) for n in (0, 7, 8)]
    x, short = draw(6), draw(5)
    for _ in range(3):
        for cupy.local.stream in streams:
            np.testing.assert_array_equal(fft.fft(x), np.fft.fft(x))
            fft.fft(short)
    assert all(len(plan.runs) == 1 for plan in cupy.made)
    assert len(cupy.made) == 2 * len(streams)  # each stream's is found again


def test_devices_have_streams_of_their_own(cupy):
    x = draw(6)
    for _ in range(2):
        for cupy.device in (0, 1):
            fft.fft(x)
    assert [plan.runs for plan in cupy.made] == [
        {(threading.get_ident(), device, 0)} for device in (0, 1)
    ]


def test_plans_of_unknown_streams_are_given_up(cupy):
    x = draw(6)
    cupy.local.stream = Stream(7)
    sys.modules["cupyx.scipy.fft"].fft(x)  # CuPy itself is called
    cupy.local.stream = Stream(8)
    fft.fft(x)
    assert all(len(plan.runs) == 1 for plan in cupy.made)


def test_the_number_of_plans_is_bounded(cupy):
    for n in range(1, 30):
        cupy.local.stream = Stream(n)
        for length in range(1, 20):
            fft.fft(draw(length))
    aside = cufft_plans._thread.aside[0]
    assert list(aside) == [25, 26, 27, 28]
    assert len(cupy.cache()) == 16
    assert all(len(plans) == 16 for _, plans in aside.values())
    assert [key[0] for key, _ in aside[28].plans] == list(range(4, 20))  # in the order of their use


def test_a_plan_too_large_for_a_smaller_cache_is_given_up(cupy, monkeypatch):
    x = draw(6)
    for ptr in (1, 2):
        cupy.local.stream = Stream(ptr)
        fft.fft(x)

    def refuse(self, key, plan):
        raise RuntimeError("the plan memsize is too large")

    cupy.local.stream = Stream(1)
    with monkeypatch.context() as patch:
        patch.setattr(Cache, "__setitem__", refuse)
        cufft_plans.of_current_stream()
    assert len(cupy.cache()) == 0
    np.testing.assert_array_equal(fft.fft(x), np.fft.fft(x))


def test_threads_and_their_streams_have_plans_of_their_own(cupy):
    x = draw(4, 6)
    truth = fft.fft(x)

    def alternate(ptr):
        for _ in range(20):
            for cupy.local.stream in (Stream(ptr), Stream(ptr + 1)):
                np.testing.assert_array_equal(fft.fft(x), truth)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(alternate, (10, 20)))
    assert all(len(plan.runs) == 1 for plan in cupy.made)
    assert 3 <= len(cupy.made) <= 5  # one thread of the pool may have done both


def test_derivatives_run_the_same_plan(cupy):
    x = draw(6)
    found = grad(lambda x: np.sum(np.abs(fft.fft(x)) ** 2))(x)
    np.testing.assert_allclose(found, 12 * x, rtol=1e-13)
    jvp(fft.ifft, (x,), (x,))
    assert len(cupy.made) == 1
    grad(lambda x: np.sum(np.abs(fft.rfft(x)) ** 2))(x.real)
    assert len(cupy.made) == 3  # from real to complex numbers, and back


def test_cosine_transforms_ask_too(cupy):
    x = RANDOM.standard_normal(6).view(Array)
    for cupy.local.stream in (Stream(1), Stream(2), Stream(1)):
        for type in (1, 2, 3, 4):
            fft.dct(x, type)
    assert all(len(plan.runs) == 1 for plan in cupy.made)


def test_a_plan_that_is_passed_serves_the_adjoint_too(cupy):
    x, plan = draw(6), Plan("mine", [])
    grad(lambda x: np.sum(np.abs(fft.fft(x, plan=plan)) ** 2))(x)
    jvp(lambda x: fft.fft(x, plan=plan), (x,), (x,))
    assert not cupy.made
    vmap(lambda x: fft.fft(x, plan=plan))(draw(3, 6))
    assert len(cupy.made) == 1  # the plan is of one line


def test_a_plan_along_several_axes_serves_a_cotangent_of_its_order(cupy):
    x = draw(3, 4)
    for order, made in (("C", 0), ("F", 1)):
        cupy.made.clear()
        cupy.cache().clear()
        plan = Plan("mine", [], order)
        grad(lambda x, plan=plan: np.sum(np.abs(fft.fftn(x, plan=plan)) ** 2))(x)
        assert len(cupy.made) == made


def test_what_the_card_is_asked_counts_results_that_differ(cupy):
    inputs = [draw(6) for _ in range(4)]
    assert compared("fft", fft.fft, inputs) == {
        "transform": "fft",
        "results": 120,
        "differ": 0,
        "passed": True,
    }
    assert all(len(plan.runs) == 1 for plan in cupy.made)
    serial = threading.get_ident()
    wrong = compared("fft", lambda x: fft.fft(x) + (threading.get_ident() != serial), inputs)
    assert (wrong["differ"], wrong["passed"]) == (120, False)


def test_cupys_own_cache_is_emptied_and_filled_so():
    """Its protocol; no GPU is needed, only CuPy."""
    pytest.importorskip("cupy")
    cache = importlib.import_module("cupy.fft._cache").PlanCache(16, -1, 0)
    plans = [types.SimpleNamespace(gpus=None, work_area=None) for _ in range(20)]
    for i, plan in enumerate(plans):
        cache[(i,)] = plan
    found = cufft_plans._taken_out(cache)
    assert found == [((i,), plans[i]) for i in range(4, 20)]
    assert not list(cache)
    for key, plan in found:
        cufft_plans._put_back(cache, key, plan)
    assert [key for key, _ in cache] == [(i,) for i in range(19, 3, -1)]
    assert cache[(7,)] is plans[7]


def test_scipy_has_no_plans():
    with pytest.raises(NotImplementedError, match="precomputed plan"):
        fft.fft(np.ones(4), plan="any")
