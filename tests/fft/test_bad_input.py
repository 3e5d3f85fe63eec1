"""What is wrong with an argument raises as in SciPy; what is not finite passes on; nothing is
overwritten unless asked.
"""

import fractions
import multiprocessing

import numpy as np
import pytest
import scipy.fft

from scigrad import fft

RANDOM = np.random.default_rng(0)
PLANE = RANDOM.standard_normal((5, 6)) + 1j * RANDOM.standard_normal((5, 6))
ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct", "dst", "idst")
SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "dctn", "idctn", "dstn", "idstn")
TO_COMPLEX = ("fft", "ifft", "fftn", "ifftn")
FROM_REAL = ("rfft", "ihfft", "rfftn", "ihfftn")
TRIGONOMETRIC = ("dct", "dst", "dctn", "dstn", "idct", "idstn")


def assert_refused(name, pattern, *args, **kwargs):
    with pytest.raises(Exception) as theirs:
        getattr(scipy.fft, name)(*args, **kwargs)
    with pytest.raises(theirs.type, match=pattern):
        getattr(fft, name)(*args, **kwargs)


@pytest.mark.parametrize("name", ONE_AXIS + SEVERAL)
def test_axes_without_entries(name):
    assert_refused(name, r"(?i)invalid number of data points.*shape \(3, 0\)", np.zeros((3, 0)))


@pytest.mark.parametrize("name", SEVERAL)
def test_axes_that_do_not_fit(name):
    assert_refused(name, r"all axes must be unique.*\(5, 6\)", PLANE.real, axes=(0, 0))
    assert_refused(name, r"all axes must be unique.*\(5, 6\)", PLANE.real, axes=(1, -1))
    assert_refused(name, r"axes exceeds dimensionality.*\(5, 6\)", PLANE.real, axes=(0, 2))
    assert_refused(name, r"same length.*\(5, 6\)", PLANE.real, s=(2,), axes=(0, 1))


@pytest.mark.parametrize("name", ["rfft", "ihfft", "rfftn", "ihfftn", "rfft2", "ihfft2"])
def test_complex_input_of_a_real_transform(name):
    assert_refused(name, "x must be real, but is complex128|must be a real sequence", PLANE)


@pytest.mark.parametrize("name", ["fft", "dct", "rfftn"])
def test_dtypes_that_are_no_numbers(name):
    assert_refused(name, "could not convert", np.array(["a", "b"]))


@pytest.mark.parametrize("name", ONE_AXIS + SEVERAL)
def test_complex_numbers_in_half_precision(name):
    for bad in ("E", "complex32"):
        # the day this is a dtype, docs/adr/0015-the-fft-engine.md is to be read again
        with pytest.raises(TypeError):
            np.dtype(bad)
    pairs = np.zeros(4, [("re", "f2"), ("im", "f2")])
    assert_refused(
        name, r"complex32.*x\['re'\]\.astype\(numpy\.float32\) \+ 1j \* x\['im'\]", pairs
    )


@pytest.mark.parametrize("name", ONE_AXIS + SEVERAL)
def test_what_is_no_plain_array_is_answered_as_by_scipy(name):
    x = PLANE.real.copy()

    class Subclass(np.ndarray):
        pass

    given = (
        *(
            None,
            "ab",
            3.0,
            np.array(2.0),
            x.tolist(),
            memoryview(x),
            range(5),
            [fractions.Fraction(1, 2)] * 3,
        ),
        *(x.view(Subclass), np.ma.masked_array(x, x > 0), x.astype(object), x.astype("M8[s]")),
    )
    for value in given:
        outcomes = []
        for module in (scipy.fft, fft):
            try:
                outcomes.append(getattr(module, name)(value))
            except Exception as error:
                outcomes.append(error)
        truth, found = outcomes
        assert type(found) is type(truth), (value, truth, found)
        # as that of None is along no axes
        if not isinstance(truth, Exception) and truth.dtype != object:
            np.testing.assert_allclose(found, truth, atol=1e-13)


@pytest.mark.parametrize("name", [*TO_COMPLEX, *TRIGONOMETRIC])
def test_read_only_input_is_not_overwritten(name):
    x = (PLANE if name in TO_COMPLEX else PLANE.real).copy()
    x.flags.writeable = False
    assert_refused(name, "not writeable", x, overwrite_x=True)
    getattr(fft, name)(x)


@pytest.mark.parametrize("name", ONE_AXIS + SEVERAL)
def test_input_is_kept_unless_it_may_be_overwritten(name):
    for dtype in "fdFD":
        if name in FROM_REAL and dtype.isupper():
            continue
        x = PLANE.astype(dtype) if dtype.isupper() else PLANE.real.astype(dtype)
        for argument in (
            {},
            {"s" if name.endswith("n") else "n": 4},
            {"s" if name.endswith("n") else "n": 9},
            {"norm": "ortho"},
        ):
            kept = x.copy()
            plain = getattr(fft, name)(x, **argument)
            np.testing.assert_array_equal(x, kept)
            np.testing.assert_array_equal(
                getattr(fft, name)(x.copy(), overwrite_x=False, **argument), plain
            )
            again = getattr(fft, name)(x.copy(), overwrite_x=True, **argument)
            np.testing.assert_allclose(again, plain, atol=1e-5 if dtype in "fF" else 1e-13)


@pytest.mark.parametrize("name", ONE_AXIS + SEVERAL)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_passes_on(name, bad):
    x = PLANE.real.copy()
    x[1, 2] = bad
    with np.errstate(invalid="ignore"):
        found = getattr(fft, name)(x)
    finite = np.isfinite(found)
    if name.endswith("n"):
        assert not finite.all(axis=None)
    else:
        assert not finite[1].any()
        assert finite[[0, 2, 3, 4]].all()


@pytest.mark.parametrize("n", [2**31 + 1, 2**40, 2**62, 2**63, 2**70])
def test_lengths_past_all_memory(n):
    for name in ("fft", "dct"):
        with pytest.raises((MemoryError, ValueError, OverflowError)):
            getattr(fft, name)(np.ones(2 if n > 2**40 else (2**13, 2)), n=n)


def test_lengths_that_are_no_machine_integers_are_refused_in_terms_of_x():
    assert_refused("fft", r"shape \(4,\) and dtype float64", np.ones(4), 2**70)


def test_other_processes():
    lines = [RANDOM.standard_normal(100) for _ in range(3)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for found, line in zip(pool.map(fft.irfft, lines), lines, strict=True):
            np.testing.assert_array_equal(found, fft.irfft(line))


@pytest.mark.parametrize("x", [np.ones(1), np.ones((3, 1))])
def test_one_sample_has_no_transform_of_type_1(x):
    for name in ("dct", "idct", "dctn"):
        with pytest.raises(RuntimeError, match=f"{name}: type 1 needs at least 2 samples"):
            getattr(fft, name)(x, type=1)
