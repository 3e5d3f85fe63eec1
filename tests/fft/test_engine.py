"""The engine of the host: ducc0 or SciPy, the same values, dtypes and errors; workers, threads, what may be overwritten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.fft

from scigrad import fft
from scigrad.fft import engine

RANDOM = np.random.default_rng(0)
PLANE = RANDOM.standard_normal((5, 6)) + 1j * RANDOM.standard_normal((5, 6))
COMPLEX_INPUT = (
    "fft",
    "ifft",
    "fftn",
    "ifftn",
    "irfft",
    "irfftn",
    "hfft",
    "hfftn",
    "dct",
    "idct",
    "dst",
    "idst",
    "dctn",
    "idstn",
)
REAL_INPUT = ("rfft", "rfftn", "ihfft", "ihfftn")
NAMES = COMPLEX_INPUT + REAL_INPUT


def outcome(module, name, x, *args, **kwargs):
    try:
        return getattr(module, name)(x, *args, **kwargs)
    except Exception as error:
        return type(error)


def assert_same(name, x, *args, **kwargs):
    found, truth = (outcome(module, name, x, *args, **kwargs) for module in (fft, scipy.fft))
    if isinstance(truth, type):
        assert found is truth, f"{name}{args}{kwargs}"
        return
    assert (found.dtype, found.shape) == (truth.dtype, truth.shape), f"{name}{args}{kwargs}"
    scale = np.abs(truth).max(initial=0)
    np.testing.assert_allclose(found, truth, rtol=0, atol=8 * np.finfo(truth.dtype).eps * scale, err_msg=f"{name}{args}{kwargs}")


def sample(name, dtype):
    """Of a dtype, real where the transform or the dtype asks for it."""
    x = PLANE * 3
    return (x if np.dtype(dtype).kind == "c" else x.real).astype(dtype)


@pytest.fixture(params=["ducc0", "SciPy alone"])
def either_engine(request, monkeypatch):
    if request.param == "SciPy alone":
        monkeypatch.setattr(engine, "ducc", lambda: None)
    elif engine.ducc() is None:
        pytest.skip("ducc0 is not installed")
    return request.param


@pytest.mark.parametrize("dtype", ["f", "d", "g", "F", "D", "G", "e", "i", "b", "?", ">f8", ">c8"])
def test_every_dtype(either_engine, dtype):
    for name in NAMES:
        for norm in (None, "ortho", "forward"):
            assert_same(name, sample(name, dtype), norm=norm)


@pytest.mark.parametrize("name", [n for n in NAMES if not n.endswith("n")])
def test_lengths_and_axes_of_one(either_engine, name):
    x = sample(name, "d" if name in REAL_INPUT else "D")
    for n in (None, 1, 2, 4, 5, 9, np.int64(3), 0, -1, 2.0):
        for axis in (0, -1, 2, -3):
            assert_same(name, x, n=n, axis=axis)


@pytest.mark.parametrize("name", [n for n in NAMES if n.endswith("n")])
def test_lengths_and_axes_of_several(either_engine, name):
    x = sample(name, "d" if name in REAL_INPUT else "D")
    for s in (None, (3,), 4, (7, 5), (-1, 4), (0, 3), (2, 2, 2)):
        for axes in (None, (0,), 1, (1, 0), (-1, -2), (0, 0), (0, -2), (2,), ()):
            if (name, s, axes) != ("hfftn", None, ()):
                assert_same(name, x, s=s, axes=axes)


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
def test_types_and_scaled_ends(either_engine, name):
    for type in (1, 2, 3, 4, 5, 0):
        for norm in (None, "ortho", "forward", "unit"):
            for orthogonalize in (None, True, False):
                assert_same(name, PLANE.real, type, norm=norm, orthogonalize=orthogonalize)
    assert_same(name, PLANE.real[:, :1], 1)


@pytest.mark.parametrize("name", NAMES)
def test_memory_of_any_order(either_engine, name):
    x = sample(name, "d" if name in REAL_INPUT else "D")
    raw = np.frombuffer(b"\0" + x.tobytes(), x.dtype, offset=1).reshape(x.shape)
    for y in (np.asfortranarray(x), x[::-1, ::2], np.broadcast_to(x[0], (3, 6)), raw, x[:0], x[:, :0], np.zeros((), x.dtype)):
        assert_same(name, y)


@pytest.mark.parametrize("workers", [1, 2, -1, 5, 0, -10_000, 1.0, "two", np.int64(2)])
def test_workers(either_engine, workers):
    for name in NAMES:
        assert_same(name, sample(name, "d"), workers=workers)


def test_workers_of_a_context():
    with fft.set_workers(2):
        assert engine.threads(None) == 2
        with scipy.fft.set_workers(1):
            assert engine.threads(None) == 1
        assert engine.threads(3) == 3
    assert engine.threads(None) == 1
    with pytest.raises(ValueError, match="workers must not be zero"):
        fft.fft(PLANE, workers=0)


def test_long_primes():
    """One line in double precision is transformed by Bluestein's algorithm, all others by SciPy."""
    for n in (32_003, 100_003):
        x = RANDOM.standard_normal(n) + 1j * RANDOM.standard_normal(n)
        for name in ("fft", "ifft"):
            for norm in (None, "ortho", "forward"):
                assert_same(name, x, norm=norm)
            assert_same(name, x.real)
            assert_same(name, x.real[: n - 5], n)
            assert_same(name, np.concatenate((x, x)), np.int64(n), workers=2)
            assert_same(name, x.astype(np.complex64))
            assert_same(name, x, overwrite_x=True)
        assert_same("fftn", x, -1)
        assert_same("ifftn", x[:9], (n,), (0,))
        assert_same("fft", np.zeros(0), n)
        assert_same("fft", np.stack((x, x)))
        assert_same("rfft", x.real)
        assert_same("dct", x.real)
    if engine.ducc() is not None:
        with pytest.raises(engine.LongPrime):
            engine.transform("fft", np.ones((2, 32_003)), None, -1, None, False, None)
        engine.transform("fft", np.ones(31_991, complex), None, -1, None, False, None)


def test_single_precision_does_not_depend_on_the_order_in_memory():
    x = RANDOM.standard_normal((8, 7, 13)).astype(np.complex64)
    for axes in ((0, 1), (1, 2), None):
        np.testing.assert_array_equal(fft.fftn(np.asfortranarray(x), axes=axes), fft.fftn(x, axes=axes))


def test_threads_give_bitwise_the_serial_result(either_engine):
    """Threads that share the module, with one worker each and with two."""
    rows = RANDOM.standard_normal((16, 12, 130)) + 1j * RANDOM.standard_normal((16, 12, 130))
    for name in ("fft", "fftn", "irfft", "dct"):
        for workers in (1, 2):

            def transform(x, name=name, workers=workers):
                return getattr(fft, name)(x, workers=workers)

            serial = [transform(row) for row in rows]
            with ThreadPoolExecutor(4) as pool:
                for found, truth in zip(pool.map(transform, rows), serial, strict=True):
                    np.testing.assert_array_equal(found, truth)
