"""The engine of the host: ducc0 or SciPy, the same values, dtypes and errors; workers, threads,
what may be overwritten.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.fft

from scigrad import fft
from scigrad.fft import engine, long_primes

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
    assert_close(found, truth, f"{name}{args}{kwargs}")


def assert_close(found, truth, label):
    assert (found.dtype, found.shape) == (truth.dtype, truth.shape), label
    scale = np.abs(truth).max(initial=0)
    np.testing.assert_allclose(
        found, truth, rtol=0, atol=8 * np.finfo(truth.dtype).eps * scale, err_msg=label
    )


def sample(name, dtype):
    """Of a dtype, real where the transform or the dtype asks for it."""
    return cast(PLANE * 3, dtype)


def cast(x, dtype):
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
    for type in (1, 2, 3, 4, 5, 0, 2.0, "2", np.int64(3), np.array(2), 1 + 0j):
        for norm in (None, "ortho", "forward", "unit"):
            for orthogonalize in (None, True, False, 1, np.bool_(0), "yes"):
                assert_same(name, PLANE.real, type, norm=norm, orthogonalize=orthogonalize)
    assert_same(name, PLANE.real[:, :1], 1)


@pytest.mark.parametrize("name", NAMES)
def test_memory_of_any_order(either_engine, name):
    x = sample(name, "d" if name in REAL_INPUT else "D")
    raw = np.frombuffer(b"\0" + x.tobytes(), x.dtype, offset=1).reshape(x.shape)
    for y in (
        np.asfortranarray(x),
        x[::-1, ::2],
        np.broadcast_to(x[0], (3, 6)),
        raw,
        x[:0],
        x[:, :0],
        np.zeros((), x.dtype),
    ):
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


@pytest.fixture
def bluestein(monkeypatch):
    """Every odd prime is long, of many lines too; what is given back are the lengths that were
    transformed so.
    """
    if engine.ducc() is None:
        pytest.skip("ducc0 is not installed")
    lengths, own = [], long_primes._transform_lines
    monkeypatch.setattr(long_primes, "FIRST", 3)
    monkeypatch.setattr(long_primes, "_MANY", dict.fromkeys("fdFD", (1, 0)))
    monkeypatch.setattr(
        long_primes,
        "_transform_lines",
        lambda x, axis, n, *rest: lengths.append(n) or own(x, axis, n, *rest),
    )
    long_primes._is_long.cache_clear()
    yield lengths
    long_primes._is_long.cache_clear()


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D", "e", "i"])
@pytest.mark.parametrize("name", [n for n in NAMES if not n.endswith("n")])
def test_long_primes_along_one_axis(bluestein, name, dtype):
    if name in REAL_INPUT and dtype.isupper():
        return
    for shape, axis in (((7,), 0), ((3, 7), -1), ((7, 3), 0), ((2, 5, 3), 1)):
        x = cast(3 * (RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape)), dtype)
        for n in (None, 5, 13):
            for norm in (None, "ortho", "forward"):
                for workers in (1, 2):
                    assert_same(name, x, n=n, axis=axis, norm=norm, workers=workers)
        if name in ("dct", "idct", "dst", "idst"):
            for type in (1, 2, 3, 4):
                for norm in (None, "ortho"):
                    assert_same(name, x, type, axis=axis, norm=norm)
            found = getattr(fft, name)(x.copy(), axis=axis, overwrite_x=True)
            assert_close(found, getattr(scipy.fft, name)(x, axis=axis), name)
    assert {5, 13} <= set(bluestein)


@pytest.mark.parametrize("name", [n for n in NAMES if n.endswith("n")])
def test_long_primes_among_several_axes(bluestein, monkeypatch, name):
    for shape in ((5, 7), (4, 7), (7, 4), (5, 4, 7), (1, 5)):
        for dtype in "fdFD" if name not in REAL_INPUT else "fd":
            x = cast(RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape), dtype)
            for norm in (None, "ortho", "forward"):
                assert_same(name, x, norm=norm)
            assert_same(name, x, s=(7, 5), axes=(1, 0))
            monkeypatch.setattr(engine, "_BEYOND_THE_CACHE", 0)  # slab by slab
            assert_close(
                getattr(fft, name)(x.copy(), overwrite_x=True), getattr(scipy.fft, name)(x), name
            )
    assert {5, 7} <= set(bluestein)


def test_long_primes(monkeypatch):
    """Who transforms what: Bluestein's algorithm here, ducc0 (type 1), or SciPy (many complex
    lines, type 4).
    """
    if engine.ducc() is None:
        pytest.skip("ducc0 is not installed")
    n = 32_003
    assert long_primes._is_long(n)
    assert not any(map(long_primes._is_long, (31_991, 32_004, 179 * 181, 64_006)))
    assert not long_primes._is_long(2_147_483_659)  # a prime whose square is no int64
    x = np.stack([RANDOM.standard_normal(n) + 1j * RANDOM.standard_normal(n) for _ in range(4)])
    for name in ("fft", "rfft", "irfft", "dct", "dst"):
        for rows, dtype in ((x[0], "D"), (x, "D"), (x[0], "F"), (x, "F"), (x[:3], "F")):
            rows = cast(rows, dtype.lower() if name == "rfft" else dtype)
            assert_same(name, rows)
            assert_same(name, rows, n=n)
    calls, here = [], long_primes.library_for
    monkeypatch.setattr(long_primes, "library_for", lambda *a: calls.append(here(*a)) or calls[-1])
    for name, y, taken in (
        ("fft", x[0], long_primes),
        ("fft", x[:2], None),
        ("fft", x[:3].astype("F"), long_primes),
        ("fft", x.astype("F"), None),
        ("rfft", x.real, long_primes),
        ("irfft", x[:, : n // 2 + 1], engine.ducc()),
        ("fft", x[0].real, long_primes),
        ("rfft", x.real.astype("f"), None),
        ("rfft", x[:3].real.astype("f"), long_primes),
        ("dctn", x[:2].real, long_primes),
    ):
        calls.clear()
        getattr(fft, name)(y)
        assert calls == [taken], (name, y.shape, y.dtype)
    for type, taken in ((1, engine.ducc()), (2, long_primes), (3, long_primes), (4, None)):
        calls.clear()
        fft.dct(x[0].real, type)
        assert calls == [taken]


def test_threads_transform_long_primes_as_one(bluestein):
    x = RANDOM.standard_normal((9, 131))
    for name in ("rfft", "dct"):
        np.testing.assert_array_equal(getattr(fft, name)(x, workers=4), getattr(fft, name)(x))


def test_single_precision_does_not_depend_on_the_order_in_memory():
    x = RANDOM.standard_normal((8, 7, 13)).astype(np.complex64)
    for axes in ((0, 1), (1, 2), None):
        np.testing.assert_array_equal(
            fft.fftn(np.asfortranarray(x), axes=axes), fft.fftn(x, axes=axes)
        )


def test_threads_give_bitwise_the_serial_result(either_engine):
    """Threads that share the module, with one worker each and with two."""
    rows = RANDOM.standard_normal((16, 12, 130)) + 1j * RANDOM.standard_normal((16, 12, 130))
    for name in ("fft", "fftn", "irfft", "dct", "idstn"):
        for workers in (1, 2):

            def transform(x, name=name, workers=workers):
                return getattr(fft, name)(x, workers=workers)

            serial = [transform(row) for row in rows]
            for threads in (2, 8):
                with ThreadPoolExecutor(threads) as pool:
                    for found, truth in zip(pool.map(transform, rows), serial, strict=True):
                        np.testing.assert_array_equal(found, truth)


@pytest.mark.parametrize("n", [32_003, 1_000_000])
def test_threads_with_long_lines_give_bitwise_the_serial_result(n):
    lines = RANDOM.standard_normal((3, n)) + 1j * RANDOM.standard_normal((3, n))
    serial = [(fft.fft(line), fft.rfft(line.real)) for line in lines]
    with ThreadPoolExecutor(8) as pool:
        for found, truth in zip(
            pool.map(lambda line: (fft.fft(line), fft.rfft(line.real)), lines), serial, strict=True
        ):
            np.testing.assert_array_equal(found[0], truth[0])
            np.testing.assert_array_equal(found[1], truth[1])
