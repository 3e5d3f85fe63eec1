"""Designs and responses of filters against mpmath (reference_data/signal): values, first and second
derivatives in both modes.
"""

import numpy as np
import pytest

from scigrad import jvp, signal, vjp
from scigrad.testing.reference import load

EPS = np.finfo(float).eps


def designed(record):
    """Return the function from the arguments of a record to its coefficients."""
    function, options = getattr(signal, record.function), dict(record.options)
    if record.function == "firwin":
        return lambda cutoff, beta: function(options["numtaps"], cutoff, window=("kaiser", beta))
    if record.function == "firls":
        bands = lambda v: np.stack([0 * v[0], v[0], v[1], 0 * v[0] + 1])  # noqa: E731
        return lambda *v: function(options["numtaps"], bands(v), np.stack(v[2:]))
    if record.function in ("iirnotch", "iirpeak"):
        return lambda w0, Q: np.concatenate(function(w0, Q))
    count = {"cheby1": 1, "cheby2": 1, "ellip": 2}.get(record.function, 0)

    def f(*values):
        Wn = np.stack(values[count:]) if len(values) > count + 1 else values[count]
        return np.concatenate(
            function(
                options["N"], *values[:count], Wn, **{k: v for k, v in options.items() if k != "N"}
            )
        )

    return f


def of_frequency(record):
    b, a = (np.array(record.options[name]) for name in "ba")
    if record.function == "freqz":
        return lambda w: signal.freqz(b, a, w)[1]
    return lambda w: signal.group_delay((b, a), w)[1]


def assert_right(f, record, limit):
    """Errors in units of eps and of how much values vary with relative changes of the argument, to
    second order.
    """
    for i, x in enumerate(record.arguments):
        along = lambda v, i=i: f(*record.arguments[:i], v, *record.arguments[i + 1 :])  # noqa: E731
        first = lambda v, along=along, x=x: jvp(along, (v,), (np.ones_like(x),))[1]  # noqa: E731
        value, second = first(x), jvp(first, (x,), (np.ones_like(x),))[1]
        rows = [(along(x), record.value), (value, record.first[i]), (second, record.second[i])]
        g = np.random.default_rng(0).normal(size=record.value.shape).astype(record.value.dtype)
        (pulled,) = vjp(along, x)[1](g)
        slopes = np.real(record.first[i] * g.conj())
        rows.append((pulled, slopes if x.ndim else slopes.sum()))
        unit = np.abs(x).max() or 1.0
        scale = sum(
            abs(v).max() * unit**n
            for n, v in enumerate((record.value, record.first[i], record.second[i]))
        )
        for order, (found, truth) in zip((0, 1, 2, 1), rows, strict=True):
            error = abs(found - truth).max() / (EPS * scale) * unit**order
            assert error <= limit, (i, order, error)


@pytest.mark.parametrize("record", load("signal/designs"), ids=lambda r: r.label)
def test_designs(record):
    assert_right(designed(record), record, 4 * max(float(record.ulp["float64"]), 32))


@pytest.mark.parametrize("record", load("signal/responses"), ids=lambda r: r.label)
def test_responses(record):
    assert_right(of_frequency(record), record, 4 * max(float(record.ulp["float64"]), 32))
