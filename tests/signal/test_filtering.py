"""Filters: what the laws cannot say of them."""

import functools
import subprocess
import sys

import numpy as np
import pytest
import scipy.signal

from scigrad import grad, jvp, signal, vjp, vmap
from scigrad.signal.filters.filter_batches import recursive
from scigrad.signal.filters.finite_response import correlate
from scigrad.signal.systems.state_recurrence import recurrence
from scigrad.testing import OpSpec, laws, make_array


def with_ones(coefficients):
    """Rows (b0, b1, b2, a1, a2) as rows of sos: its column 3 may not vary."""
    return np.concatenate(
        [coefficients[:, :3], coefficients[:, :1] * 0 + 1, coefficients[:, 3:]], axis=1
    )


def sosfilt_of_coefficients(coefficients, *args, **kwargs):
    return signal.sosfilt(with_ones(coefficients), *args, **kwargs)


def reference(coefficients, *args, **kwargs):
    return scipy.signal.sosfilt(with_ones(coefficients), *args, **kwargs)


def samples(draw):
    def sections(count):
        return np.concatenate(
            [draw.array(count, 3), draw.array(count, 2) * draw.real_dtype.type(0.3)], axis=1
        )

    yield "one section", (sections(1), draw.array(5)), {}
    yield "three sections", (sections(3), draw.array(2, 4)), {}
    yield "along axis 0", (sections(2), draw.array(4, 2)), {"axis": 0}
    yield "with states", (sections(2), draw.array(4), -1, draw.array(2, 2)), {}
    yield "with states along axis 0", (sections(2), draw.array(3, 2), 0, draw.array(2, 2, 2)), {}


SOSFILT = OpSpec(
    function=functools.wraps(signal.sosfilt)(sosfilt_of_coefficients),
    reference=reference,
    samples=samples,
)


@pytest.mark.parametrize("law", laws.LAWS)
def test_sosfilt_is_held_to_the_laws_in_its_coefficients(law):
    laws.LAWS[law](SOSFILT, "numpy")


def test_the_column_of_ones_has_derivative_0():
    sos = scipy.signal.butter(4, 0.3, output="sos")
    assert (grad(lambda s: np.sum(signal.sosfilt(s, np.arange(8.0)) ** 2))(sos)[:, 3] == 0).all()
    with pytest.raises(ValueError, match=r"sos\[:, 3\] should be all ones"):
        grad(lambda s: np.sum(signal.sosfilt(s, np.arange(8.0))))(2 * sos)


def test_coefficients_as_lists_of_traced_numbers():
    x = np.array([1.0, 0, 0])
    np.testing.assert_allclose(
        grad(lambda a1: np.sum(signal.lfilter([1.0], [1.0, a1], x)))(np.array(2.0)), 3.0
    )
    np.testing.assert_allclose(
        grad(lambda b: np.sum(signal.sosfilt([[b, 0, 0, 1, 0.5, 0]], x)))(np.array(2.0)), 0.75
    )


def test_bad_input_under_a_transform():
    x = np.ones((2, 5))

    def traced(f):
        return jvp(f, (x,), (x,))

    with pytest.raises(ValueError, match="Parameter a is not a non-empty 1d array"):
        traced(lambda x: signal.lfilter(np.ones(2), np.ones((2, 2)), x))
    with pytest.raises(ValueError, match="Parameter b is not a non-empty 1d array"):
        traced(lambda x: signal.lfilter(np.ones(0), np.ones(2), x))
    with pytest.raises(ValueError, match="parameters x and zi must match"):
        traced(lambda x: signal.lfilter(np.ones(2), np.ones(2), x, zi=np.ones(1)))
    with pytest.raises(ValueError, match=r"parameter zi: expected \(2, 1\), found \(2, 3\)"):
        traced(lambda x: signal.lfilter(np.ones(2), np.ones(2), x, zi=np.ones((2, 3))))
    with pytest.raises(ValueError, match=r"a\[0\]"):
        traced(lambda x: signal.lfilter(np.ones(2), np.array([0.0, 1.0]), x))
    with pytest.raises(ValueError, match="Invalid zi shape"):
        traced(lambda x: signal.sosfilt(np.eye(6)[[0]] + np.eye(6)[[3]], x, zi=np.ones((2, 2))))
    with pytest.raises(ValueError, match="must be shape"):
        traced(lambda x: signal.sosfilt(np.ones((1, 5)), x))
    with pytest.raises(ValueError, match="must be 2D"):
        traced(lambda x: signal.sosfilt(np.ones((1, 1, 6)), x))
    with pytest.raises(ValueError, match="at least 1-D"):
        jvp(lambda x: signal.lfilter(np.ones(2), np.ones(2), x), (1.0,), (1.0,))


def test_a_gradient_takes_one_more_run_of_the_recursion(monkeypatch):
    runs = []
    lfilter = scipy.signal.lfilter
    from scigrad.signal.filters import recursive_response

    real = recursive_response._lfilter
    monkeypatch.setattr(
        recursive_response, "_lfilter", lambda *args: runs.append(args) or real(*args)
    )
    b, a, x = np.ones(3), np.array([1.0, -0.5, 0.2]), np.arange(50.0)
    _, pullback = vjp(signal.lfilter, b, a, x)
    pullback(np.ones(50))
    assert len(runs) == 2
    np.testing.assert_array_equal(lfilter(b, a, x), signal.lfilter(b, a, x))


def test_a_gradient_does_not_import_scipy_signal():
    code = (
        "import sys, numpy as np; from scigrad import signal, value_and_grad;f = "
        "value_and_grad(lambda a: np.sum(signal.lfilter(np.ones(1), a, "
        "np.arange(5.0))));print(*f(np.array([2.0, -1.0]))); assert 'scipy.signal' not in "
        "sys.modules and 'scipy.stats' not in sys.modules;import scipy.signal; "
        "print(scipy.signal.lfilter([1.0], [2.0, -1.0], np.arange(5.0)).sum())"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.splitlines() == ["6.9375 [-4.6875 -2.4375]", "6.9375"]


@pytest.mark.parametrize("samples", [1, 3, 64, 1000])
def test_the_recursion_in_blocks_equals_the_one_sample_by_sample(samples):
    rng = np.random.default_rng(samples)
    filters = [scipy.signal.butter(order, 0.3) for order in (4, 4)]
    b, a = (np.stack(column)[:, None] * 2 for column in zip(*filters, strict=True))
    x, zi = rng.standard_normal((2, 3, samples)), rng.standard_normal((2, 3, 4))
    y, zf = recursive(b, a, x, zi)
    for i, (numerator, denominator) in enumerate(filters):
        expected, state = scipy.signal.lfilter(2 * numerator, 2 * denominator, x[i], zi=zi[i])
        np.testing.assert_allclose(y[i], expected, atol=1e-12)
        np.testing.assert_allclose(zf[i], state, atol=1e-12)


def test_a_batch_of_filters_over_one_signal():
    x, rates = np.random.default_rng(0).standard_normal(200), np.array([0.1, 0.5, 0.9])
    smooth = lambda rate, x: signal.lfilter(rate[None], np.stack([np.ones(()), rate - 1]), x)  # noqa: E731
    found = vmap(grad(lambda rate: np.sum(smooth(rate, x) ** 2)))(rates)
    np.testing.assert_allclose(
        found, [grad(lambda rate: np.sum(smooth(rate, x) ** 2))(rate) for rate in rates]
    )


def test_no_samples_leave_the_state_as_it_is():
    for x in (np.zeros((1, 0)), np.zeros((1, 0), int)):
        y, state = signal.lfilter([1.0, 2.0, 3.0], [2.0, 1.0], x, zi=np.array([[5.0, 6.0]]))
        assert y.shape == (1, 0)
        np.testing.assert_array_equal(state, [[5.0, 6.0]])


@pytest.mark.parametrize(
    ("order", "cutoff"), [(4, 0.05), (8, 0.1), (4, 0.005), (6, 0.02), (8, 0.02)]
)
def test_a_batch_of_filters_is_as_accurate_as_one(order, cutoff):
    b, a = scipy.signal.butter(order, cutoff)
    x = np.random.default_rng(0).standard_normal(3000)
    exact = scipy.signal.lfilter(*(v.astype(np.longdouble) for v in (b, a, x))).astype(float)
    alone = np.max(abs(scipy.signal.lfilter(b, a, x) - exact))
    found = vmap(lambda a: signal.lfilter(b, a, x))(np.stack([a, a]))
    assert np.max(abs(found - exact)) < 10 * alone + 1e-12 * np.max(abs(exact))
    device = (make_array(v[None], "device") for v in (b, a, x[:300]))
    np.testing.assert_allclose(recursive(*device)[0].get()[0], found[0, :300], rtol=1e-6, atol=1e-9)


def test_numbers_as_coefficients():
    x = np.array([1.0, -2.0, 0.5])
    np.testing.assert_array_equal(
        grad(lambda x: np.sum(signal.lfilter(2.0, [1, 0.5], x)))(x), [1.5, 1, 2]
    )
    np.testing.assert_array_equal(
        jvp(lambda a: signal.lfilter([2.0], a, x), (np.array(4.0),), (np.array(1.0),))[1], -x / 8
    )
    np.testing.assert_array_equal(
        vmap(lambda b: signal.lfilter(b, 2.0, x))(np.array([1.0, 3.0])), [x / 2, 1.5 * x]
    )


def test_a_long_loop_over_samples_is_told_of():
    b, a = scipy.signal.butter(4, 0.02)
    x = np.ones(10_001)
    with pytest.warns(RuntimeWarning, match="sample by sample"):
        found = vmap(lambda a: signal.lfilter(b, a, x))(np.stack([a, a]))
    np.testing.assert_allclose(found[1], scipy.signal.lfilter(b, a, x), rtol=1e-9)


def test_rows_in_fortran_order_are_filtered_as_others_are():
    x = np.random.default_rng(5).normal(size=(3, 60))
    rows = [scipy.signal.symiirorder1(row, 0.5, 0.3) for row in x]
    np.testing.assert_allclose(
        signal.symiirorder1(np.asfortranarray(x), 0.5, 0.3), rows, rtol=1e-12
    )
    np.testing.assert_allclose(signal.symiirorder1(x, 0.5, 0.3), rows, rtol=1e-12)


@pytest.mark.parametrize("dtype", [float, complex])
def test_images_in_fortran_order_are_filtered_as_others_are(dtype):
    x, taps = np.random.default_rng(5).normal(size=(7, 8)).astype(dtype), np.array([1.0, 2.0, 0.5])
    for image in (np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2]):
        np.testing.assert_allclose(
            signal.sepfir2d(input=image, hrow=taps, hcol=taps), scipy.signal.sepfir2d(x, taps, taps)
        )


def test_every_second_sample_is_filtered_as_others_are():
    x = np.random.default_rng(5).normal(size=40) * (1 + 1j)
    np.testing.assert_allclose(
        signal.symiirorder1(x[::2], 0.5, 0.3, 0.2),
        scipy.signal.symiirorder1(x[::2].copy(), 0.5, 0.3, 0.2),
    )


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (2, 8), (3, 3), (5, 6), (6, 4)])
@pytest.mark.parametrize(("across", "down"), [(1, 7), (3, 9), (5, 5), (9, 3)])
def test_images_smaller_than_their_taps(shape, across, down):
    """SciPy's loops read beyond the ends of such an image, and write there: values of 1e200, or the
    end of the process.
    """
    x, h, v = (
        np.arange(1.0, 1 + shape[0] * shape[1]).reshape(shape),
        np.arange(1.0, 1 + across),
        np.arange(2.0, 2 + down),
    )
    mirrored = np.pad(x, ((down // 2,) * 2, (across // 2,) * 2), mode="symmetric")
    rows = np.stack([np.convolve(row, h, "valid") for row in mirrored])
    expected = np.stack([np.convolve(column, v, "valid") for column in rows.T]).T
    np.testing.assert_allclose(signal.sepfir2d(x, h, v), expected, rtol=1e-12)
    np.testing.assert_allclose(vjp(signal.sepfir2d, x, h, v)[0], expected, rtol=1e-12)


def test_sums_of_products_with_infinities_are_nan_without_a_warning():
    """A warning would be one of the BLAS, which on each processor flags other products."""
    infinite = np.full((5, 3), np.inf)
    assert np.isnan(recurrence(np.eye(3), infinite)[1:]).all()
    assert np.isnan(correlate(infinite, np.eye(3)[:, None], 3)).any()
