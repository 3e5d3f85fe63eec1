"""Values on traced arrays are NumPy's own where numbers are not finite, arrays empty or without
axes, dtypes narrow.
"""

import numpy as np
import pytest

from scigrad import grad, hessian, jvp, vjp, vmap
from scigrad.testing import assert_close

inf, nan = np.inf, np.nan


def traced(f, *args):
    return vjp(f, *args)[0]


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)


# -- numbers that are not finite


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "samples",
    [[0.0, inf, 4.0], [inf, inf, 1.0], [nan, 1.0, -inf], [0.1, 0.7, 0.3], [1j, inf + 2j, 3]],
)
def test_interpolation_between_infinite_samples(samples):
    x, xp, fp = (
        np.array([-1.0, 0.0, 0.25, 1.0, 1.75, 2.0, 3.0, nan]),
        np.arange(3.0),
        np.array(samples),
    )
    expected = np.interp(x, xp, fp)
    assert_close(traced(lambda x: np.interp(x, xp, fp), x), expected)
    assert_close(traced(lambda fp: np.interp(x, xp, fp), fp), expected)
    assert_close(vmap(lambda fp: np.interp(x, xp, fp))(fp[None])[0], expected)
    assert_close(grad(lambda x: np.interp(x, xp, np.array([0.0, 2.0, 6.0])))(1.0), np.array(4.0))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_batches_of_convolutions_keep_what_is_not_finite_apart(mode):
    a, v = (
        np.array([[1.0, -2.0, 3.0, 4.0], [1, nan, 0, 2]]),
        np.array([[1.0, inf, 2.0], [3, -inf, nan]]),
    )
    for left, right in (
        (a, v),
        (a, v[:, ::-1]),
        (v, a),
        (a, np.ones_like(v)),
        (1j * a, v),
        (a, v[:, :1]),
    ):
        expected = np.array([np.convolve(x, y, mode) for x, y in zip(left, right, strict=True)])
        assert_close(vmap(lambda x, y: np.convolve(x, y, mode))(left, right), expected)
        assert_close(
            vmap(lambda x: np.convolve(x, v[0], mode))(a),
            np.array([np.convolve(x, v[0], mode) for x in a]),
        )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("square", [lambda r: r**2, lambda r: r * r, np.square])
def test_squares_of_infinite_moduli(square):
    z = np.array([complex(inf, nan), complex(nan, -inf), complex(inf, 1), complex(nan, 1), 3 + 4j])
    assert_close(traced(lambda z: square(np.abs(z)), z), np.abs(z) ** 2)
    assert_close(
        traced(lambda x: square(np.hypot(x, z.imag)), z.real), np.hypot(z.real, z.imag) ** 2
    )
    assert_close(vmap(lambda z: square(np.abs(z)))(z), np.abs(z) ** 2)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_signs_of_complex_infinities():
    parts = (0.0, 1.0, -2.0, inf, -inf, nan, 1e308)
    z = np.array([complex(x, y) for x in parts for y in parts])
    assert_close(traced(np.sign, z), np.sign(z))
    assert_close(vmap(np.sign)(z), np.sign(z))


def test_geometric_sequences_keep_their_ends():
    with np.errstate(invalid="ignore"):
        expected, found = np.geomspace(1, -0.6, 3), traced(lambda x: np.geomspace(1, x, 3), -0.6)
    assert same(found, expected)
    assert_close(grad(lambda x: np.sum(np.geomspace(1.0, x, 3)[1:]))(4.0), np.array(1.25))


def test_histograms_refuse_what_numpy_refuses():
    with pytest.raises(ValueError, match="not finite"):
        traced(lambda x: np.histogram(x)[0], np.array([1.0, nan]))
    with pytest.raises(ValueError, match="not finite"):
        traced(lambda w: np.histogram([1.0, inf], weights=w)[0], np.ones(2))
    with pytest.raises(ValueError, match="increase monotonically"):
        traced(lambda x: np.histogram(x, [2.0, 1.0])[0], np.ones(2))
    edges = np.array([0.0, 1.0, 2.0])
    assert same(
        traced(lambda w: np.histogram([0.5, nan], edges, weights=w)[0], np.ones(2)),
        np.array([1.0, 0.0]),
    )


# -- dtypes


@pytest.mark.parametrize(
    "y",
    [
        np.int8(-128),
        np.uint8(0),
        np.uint8(3),
        np.int16(-(2**15)),
        np.int64(2),
        np.True_,
        np.array([-128, 3], np.int8),
        np.array([True, False]),
    ],
)
def test_integer_exponents_do_not_wrap(y):
    x, exact = np.full(np.shape(y), 1.0001), np.asarray(y).astype(float)
    assert_close(grad(lambda x: np.sum(x**y))(x), exact * x ** (exact - 1))
    assert_close(grad(lambda z: np.sum(np.real(z**y)))(x + 0j), exact * x ** (exact - 1) + 0j)
    assert grad(lambda x: np.sum(x**y))(x.astype(np.float32)).dtype == np.float32
    second = grad(lambda x: np.sum(grad(lambda x: np.sum(x**y))(x)))(x)
    assert_close(second, exact * (exact - 1) * x ** (exact - 2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_sorted_complex_numbers_have_the_dtype_of_numpy(dtype):
    x = np.array([2, 1], dtype)
    assert same(traced(np.sort_complex, x), np.sort_complex(x))


# -- nothing to take a median of


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize(
    "function", [np.median, np.nanmedian, lambda x, axis: np.nanquantile(x, 0.3, axis)]
)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_medians_of_nothing(function, axis):
    x = np.zeros((0, 3))
    if axis == 1:
        assert same(traced(lambda x: function(x, axis=1), x), function(x, axis=1))
        return
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        expected = function(x, axis=axis)
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        assert same(traced(lambda x: function(x, axis=axis), x), expected)


def test_quantiles_of_nothing():
    with pytest.raises(IndexError, match="out of bounds"):
        traced(lambda x: np.quantile(x, 0.5), np.zeros(0))


# -- arrays without axes, which NumPy takes for vectors of one element


WITHOUT_AXES = {
    "sum": np.sum,
    "prod": np.prod,
    "max": np.max,
    "nanmin": np.nanmin,
    "ptp": np.ptp,
    "argmax": np.argmax,
    "any": np.any,
    "nanvar": np.nanvar,
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "cumulative_sum": np.cumulative_sum,
    "cumulative_prod": lambda x, axis: np.cumulative_prod(x, axis=axis, include_initial=True),
    "argsort": np.argsort,
    "take": lambda x, axis: np.take(x, [0, 0], axis),
    "compress": lambda x, axis: np.compress([True], x, axis),
    "repeat": lambda x, axis: np.repeat(x, 2, axis),
    "keepdims": lambda x, axis: np.max(x, axis, keepdims=True),
    "reduce": lambda x, axis: np.maximum.reduce(x, axis=axis),
    "fold": lambda x, axis: np.logaddexp.reduce(x, axis=axis),
}


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", WITHOUT_AXES)
def test_arrays_without_axes_have_an_axis_0(name, axis):
    function, x = WITHOUT_AXES[name], np.array(2.0)
    expected = np.asarray(function(x, axis=axis))
    found, pullback = vjp(lambda x: function(x, axis=axis), x)
    assert same(found, expected)
    assert same(vmap(lambda x: function(x, axis=axis))(np.array([2.0, 2.0]))[1], expected)
    assert pullback(np.ones(expected.shape, expected.dtype))[0].shape == ()
    with pytest.raises(np.exceptions.AxisError):
        vjp(lambda x: function(x, axis=1), x)


# -- products of one modulus with itself


@pytest.mark.parametrize("product", [np.matmul, np.dot, np.inner, np.vdot, lambda y, z: y @ z])
def test_products_of_a_modulus_with_itself(product):
    x = np.array([0.0, -2.0, 0.0])
    assert_close(hessian(lambda x: product(np.abs(x), np.abs(x)))(x), 2 * np.eye(3))
    assert_close(
        hessian(lambda x: product(np.abs(x), np.abs(x)[::-1]))(np.ones(3)), 2 * np.eye(3)[::-1]
    )
    z = np.array([0j, 3 + 4j])
    direction = np.array([1 + 2j, 0])
    assert_close(
        jvp(grad(lambda z: product(np.abs(z), np.abs(z))), (z,), (direction,))[1], 2 * direction
    )


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_the_phase_of_a_subnormal_number(dtype):
    z = (np.finfo(dtype).smallest_subnormal * np.array([3, 4j, 3 + 4j, 0])).astype(dtype)
    found = vjp(np.sign, z)[0]
    np.testing.assert_allclose(found, [1, 1j, 0.6 + 0.8j, 0], rtol=1e-6)
    assert found.dtype == dtype
