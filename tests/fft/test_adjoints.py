"""The law of every transform over even and odd lengths, cropped, kept and padded, norms, axes and
precisions.
"""

import itertools

import numpy as np
import pytest

from scigrad import fft, jvp, vjp
from scigrad.testing.device import DeviceArray, unwrap, wrap

RANDOM = np.random.default_rng(0)
NORMS = (None, "ortho", "forward")
FROM_REAL = ("rfft", "ihfft", "rfft2", "ihfft2", "rfftn", "ihfftn")
ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = tuple(name + end for name in ONE_AXIS for end in "2n")
TRIGONOMETRIC = ("dct", "idct", "dst", "idst")
PRECISIONS = {"d": 1e-12, "D": 1e-12, "f": 1e-4, "F": 1e-4, "g": 1e-12, "G": 1e-12}
# The norm says what orthogonalize is where it is not stated.
NORMS_AND_ENDS = (
    (None, None), (None, True), ("ortho", None), ("ortho", False), ("forward", None),
    ("forward", True),
)  # fmt: skip
LENGTHS = tuple(itertools.product((5, 6), (None, 4, 5, 6, 7)))


def draw(shape, dtype):
    x = RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape)
    return (x if np.dtype(dtype).kind == "c" else x.real).astype(dtype)


def inner(a, b):
    return np.sum(np.conj(a) * b).real


def assert_law(f, x, tolerance):
    """Re<g, jvp(t)> = Re<vjp(g), t>, with the cotangent in the space of x."""
    t = draw(x.shape, x.dtype)
    y, back = vjp(f, x)
    g = draw(y.shape, y.dtype)
    pulled, pushed = back(g)[0], jvp(f, (x,), (t,))[1]
    assert (pulled.shape, pulled.dtype, pushed.dtype) == (x.shape, x.dtype, y.dtype)
    scale = np.linalg.norm(g) * np.linalg.norm(pushed) + np.finfo(x.dtype).tiny
    assert abs(inner(g, pushed) - inner(pulled, t)) <= tolerance * scale


def dtypes(name):
    return [kind for kind in PRECISIONS if name not in FROM_REAL or kind.islower()]


def cases(choices, dtypes):
    """Yield lengths, choices and dtypes: all in double precision. Others differ in what a factor or
    a length makes of the dtype, so that each is shown with each of both, not with all pairs.
    """
    products = itertools.product(enumerate(LENGTHS), enumerate(choices), dtypes)
    return (
        (*length, choice, dtype)
        for (i, length), (j, choice), dtype in products
        if dtype in "dD" or (i + j) % 3 == 0
    )


@pytest.mark.parametrize("name", ONE_AXIS)
def test_along_one_axis(name):
    transform = getattr(fft, name)
    choices = itertools.product((0, -1), NORMS)
    for length, n, (axis, norm), dtype in cases(choices, dtypes(name)):
        x = draw((length, 3) if axis == 0 else (2, length), dtype)
        assert_law(
            lambda x, n=n, axis=axis, norm=norm: transform(x, n, axis, norm), x, PRECISIONS[dtype]
        )


@pytest.mark.parametrize("name", SEVERAL)
def test_along_several_axes(name):
    transform = getattr(fft, name)
    for length, n, norm, dtype in cases(NORMS, dtypes(name)):
        for axes in ((0, 1), (2, 0), (-1, -2)):
            shape = [4, 3, 4]
            shape[axes[-1]] = length
            s = None if n is None else (3, n)
            x = draw(shape, dtype)
            assert_law(
                lambda x, s=s, axes=axes, norm=norm: transform(x, s, axes, norm),
                x,
                PRECISIONS[dtype],
            )


@pytest.mark.parametrize("type", [1, 2, 3, 4])
@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_cosine_and_sine(name, type):
    one, several = getattr(fft, name), getattr(fft, name + "n")
    for length, n, (norm, ends), dtype in cases(NORMS_AND_ENDS, PRECISIONS):
        x = draw((2, length), dtype)
        assert_law(
            lambda x, n=n, norm=norm, ends=ends: one(x, type, n, -1, norm, orthogonalize=ends),
            x,
            PRECISIONS[dtype],
        )
        s = None if n is None else (n, 3)
        assert_law(
            lambda x, s=s, norm=norm, ends=ends: several(
                x, type, s, (1, 0), norm, orthogonalize=ends
            ),
            x,
            PRECISIONS[dtype],
        )


@pytest.mark.parametrize("type", [1, 2, 3, 4])
@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_cosine_and_sine_on_a_device(name, type):
    transform = getattr(fft, name)
    for length, n, (norm, ends), dtype in cases(NORMS_AND_ENDS, "dDf"):
        x = draw((2, length), dtype)

        def f(x, n=n, norm=norm, ends=ends):
            return transform(x, type, n, -1, norm, orthogonalize=ends)

        value, back = vjp(f, wrap(x))
        truth, host_back = vjp(f, x)
        assert isinstance(value, DeviceArray)
        assert value.dtype == truth.dtype
        tolerance = 20 * np.finfo(x.dtype).eps
        np.testing.assert_allclose(unwrap(value), truth, rtol=0, atol=tolerance * abs(truth).max())
        g = draw(truth.shape, truth.dtype)
        expected = host_back(g)[0]
        np.testing.assert_allclose(
            unwrap(back(wrap(g))[0]), expected, rtol=0, atol=tolerance * abs(expected).max()
        )


@pytest.mark.parametrize("name", [*ONE_AXIS, "dct", "idct", "dst", "idst"])
def test_long_primes(name):
    transform = getattr(fft, name)
    for dtype in ("d", "f") if name in FROM_REAL else ("d", "D", "F"):
        assert_law(transform, draw(32_003, dtype), PRECISIONS[dtype])
        assert_law(
            lambda x: transform(x, n=32_003, axis=0), draw((32_000, 2), dtype), PRECISIONS[dtype]
        )


@pytest.mark.parametrize("dtype", ["i", "b", "?", "e"])
def test_what_is_promoted(dtype):
    x = (draw((4, 5), "d") * 3).astype(dtype)
    wide = x.astype(np.float32 if dtype == "e" else np.float64)
    for name in (*ONE_AXIS, "fftn", "rfftn", "dct", "dstn"):
        np.testing.assert_array_equal(getattr(fft, name)(x), getattr(fft, name)(wide))
    if dtype == "e":
        value, back = vjp(fft.fft, x)
        assert (value.dtype, back(np.ones_like(value))[0].dtype) == (np.complex64, np.float16)
