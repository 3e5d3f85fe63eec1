"""Arguments of which SciPy takes a part, or which have no derivative: refused in one sentence, or
said as they are.
"""

import inspect

import numpy as np
import pytest
import scipy.signal
from numpy.testing import assert_array_equal

from scigrad import TracedValueError, grad, jvp, signal, vmap

COMPLEX = np.array([1, 2 + 1j, 0.5, 3j, 1, 2, 5, 1, 2])
TIMES = np.arange(9.0)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("savgol_filter", lambda x: signal.savgol_filter(x, 5, 2)),
        ("lombscargle", lambda x: signal.lombscargle(TIMES, x, [1.0, 2.0])),
        ("vectorstrength", lambda x: signal.vectorstrength(x, 1.0)),
        ("peak_widths", lambda x: signal.peak_widths(x, [6])),
        ("peak_prominences", lambda x: signal.peak_prominences(x, [6])),
        ("find_peaks", lambda x: signal.find_peaks(x, height=0)),
    ],
)
def test_functions_of_real_numbers(name, function):
    with pytest.raises(TypeError, match=f"{name}.*pass x.real"):
        jvp(function, (COMPLEX,), (COMPLEX,))


def test_values_that_a_batch_does_not_have():
    with pytest.raises(TracedValueError, match=r"remez needs one concrete value.*vmap"):
        vmap(lambda v: signal.remez(11, [0, 0.1, v, 0.5], [1, 0]))(np.array([0.2, 0.3]))


def test_bands_without_width():
    with pytest.raises(ValueError, match="bw of the band must not be 0"):
        jvp(lambda bw: signal.lp2bp([1.0], [1.0, 2.0], 3.0, bw), (0.0,), (1.0,))


@pytest.mark.parametrize("design", [signal.butter, signal.bessel])
def test_orders_are_not_differentiable(design):
    with pytest.raises(TracedValueError, match="order N of a filter"):
        grad(lambda n: design(n, 0.2)[0][0])(2.0)


def test_descriptions_of_arguments():
    assert (
        "N : int\n    Order of the filter, of the lowpass prototype for band filters.\n"
        in inspect.getdoc(signal.butter)
    )
    text = signal.find_peaks.__doc__
    assert "differentiable in all float arguments" not in text
    assert text.count("Bounds on the") == 5
    assert "rel_height : float" in text


@pytest.mark.parametrize(
    ("text", "point", "function"),
    [
        ("rp", -1.0, lambda rp: signal.cheby1(2, rp, 0.3)[0]),
        ("rs", -1.0, lambda rs: signal.cheby2(2, rs, 0.3)[0]),
        ("rp", -1.0, lambda rp: signal.ellip(2, rp, 40.0, 0.3)[0]),
        ("rel_height", -0.5, lambda h: signal.peak_widths(TIMES % 3, [2], h)[0]),
        ("fc", -1.0, lambda fc: signal.gausspulse(TIMES, fc)),
        ("bw", 0.0, lambda bw: signal.gausspulse(TIMES, 1.0, bw)),
        ("bwr", 1.0, lambda bwr: signal.gausspulse(TIMES, 1.0, bwr=bwr)),
        ("tpr|cutoff", 1.0, lambda tpr: signal.gausspulse("cutoff", 1.0, tpr=tpr)),
    ],
)
def test_numbers_out_of_range_are_refused_where_they_are_traced(text, point, function):
    for call in (function, lambda v: jvp(function, (v,), (1.0,))):
        with pytest.raises(ValueError, match=text):
            call(point)
    with pytest.raises(ValueError, match=text):
        vmap(function)(np.array([point]))


def test_streams_list_their_functions_alone():
    assert sorted(dir(signal.stream)) == sorted(signal.stream.__all__)


SECTIONS = np.array([[1.0, 0.5, 0.0, 1.0, -0.5, 0.0]])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: signal.decimate(x, 2),
        lambda x: signal.sosfiltfilt(SECTIONS, x),
        lambda x: signal.symiirorder1(x, 1.0, 0.5),
        lambda x: signal.symiirorder2(x, 0.5, 0.5),
        lambda x: signal.sepfir2d(x, np.ones(3), np.ones(3)),
        signal.cspline1d,
        signal.qspline1d,
        signal.cspline2d,
        signal.qspline2d,
        signal.spline_filter,
    ],
)
def test_a_number_is_no_signal(function):
    with pytest.raises(ValueError, match="at least 1-D"):
        jvp(function, (2.0,), (1.0,))


def test_positions_are_constant():
    x = np.array([0.0, 2.0, 1.0, 3.0, 0.0])
    assert_array_equal(grad(lambda v: v[signal.argrelmax(v)[0]].sum())(x), [0, 1, 0, 1, 0])
    widths = np.array([1, 2])
    found = scipy.signal.find_peaks_cwt(x, widths)
    assert_array_equal(
        grad(lambda v: v[signal.find_peaks_cwt(v, widths)].sum())(x),
        np.bincount(found, minlength=5),
    )
    assert_array_equal(grad(lambda w: w.sum() * signal.check_COLA(w, 5, 4))(np.ones(5)), np.ones(5))
