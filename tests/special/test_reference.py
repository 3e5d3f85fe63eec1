"""Values, first and second derivatives, in both modes and both precisions, against mpmath
(reference_data/special).
"""

import numpy as np
import pytest

from scigrad import jvp, special, vjp
from scigrad.testing.reference import load

SUBJECTS = ("bessel", "bessel_modified", "error_functions", "gamma", "logistic")
RECORDS = [
    r for subject in SUBJECTS for r in load(f"special/{subject}") if r.function != "logsumexp"
]
SUMS = load("special/logistic", "logsumexp")
RELATIVE = {np.float64: 4e-14, np.float32: 2e-6}
SMALLEST = 1e-60  # mpmath's numerical derivatives carry that much noise where they should be 0
# The second derivatives of these have no root nearby and have to be right relative to themselves;
# i0e'' ~ x^(-5/2) i0e there.
WITHOUT_CANCELLATION = {"i0e", "i1e", "gammaln", "digamma", "erf"}


def derivatives(f, x):
    """f, f' forward and reverse, f'' at every point."""
    one = np.ones_like(x)
    first = lambda y: jvp(f, (y,), (one,))[1]  # noqa: E731
    pulled = lambda y: np.conj(vjp(f, y)[1](one)[0])  # noqa: E731
    return (
        f(x),
        first(x),
        pulled(x),
        jvp(first, (x,), (one,))[1],
        np.conj(vjp(pulled, x)[1](one)[0]),
    )


def scales(record, x, t0, t1, t2):
    """What an error is compared with: the number itself, and what one rounding of x does to it."""
    second = 0 if record.function in WITHOUT_CANCELLATION else (1 + abs(x)) * (abs(t1) + abs(t0))
    return abs(t0) + abs(x * t1), abs(t1) + abs(x * t2), abs(t2) + second


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("record", [r for r in RECORDS if r.first], ids=lambda r: r.label)
def test_derivatives(record, kind):
    (x,), t0, (t1,), (t2,) = record.arguments, record.value, record.first, record.second
    working = {np.float32: {"f": np.float32, "c": np.complex64}}.get(kind, {}).get(
        x.dtype.kind, x.dtype
    )
    with np.errstate(all="ignore"):
        keep = x.astype(working) == x
        if kind is np.float32:  # results that single precision can hold
            keep &= (np.nan_to_num(np.abs([t0, t1, t2])) < 1e30).all(axis=0)
        x, t0, t1, t2 = (a[keep] for a in (x, t0, t1, t2))
        y, forward, reverse, second, twice_reverse = derivatives(
            getattr(special, record.function), x.astype(working)
        )
        s0, s1, s2 = scales(record, x, t0, t1, t2)
    tiny = SMALLEST if kind is np.float64 else 1e-36
    rows = (("value", y, t0, s0), ("first", forward, t1, s1), ("first, reverse", reverse, t1, s1),
            ("second", second, t2, s2), ("second, reverse", twice_reverse, t2, s2))  # fmt: skip
    for what, found, truth, scale in rows:
        assert found.dtype == working
        exists = ~np.isnan(truth)
        infinite = exists & ~np.isfinite(truth)
        np.testing.assert_array_equal(found[infinite], truth[infinite], err_msg=what)
        usual = exists & np.isfinite(truth)
        error = abs(found - truth)[usual]
        bound = RELATIVE[kind] * np.nan_to_num(scale[usual], posinf=1e300) + tiny
        worst = int(np.argmax(error / bound)) if error.size else 0
        assert (error <= bound).all(), (
            f"{what} at {x[usual][worst]}: {found[usual][worst]}, not {truth[usual][worst]}"
        )


@pytest.mark.parametrize("record", [r for r in RECORDS if not r.first], ids=lambda r: r.label)
def test_values(record):
    (x,) = record.arguments
    with np.errstate(all="ignore"):
        found = getattr(special, record.function)(x)
    np.testing.assert_allclose(found, record.value, rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize("record", SUMS, ids=lambda r: r.label)
def test_log_sum_exp(record):
    def f(a, b=None):
        return special.logsumexp(a, b=b)

    value, pullback = vjp(f, *record.arguments)
    np.testing.assert_allclose(value, record.value, rtol=4e-16)
    with np.errstate(over="ignore"):  # a weight of 0 on exp(5000) has an infinite derivative
        found = pullback(np.float64(1.0))
    for gradient, truth in zip(found, record.first, strict=True):
        np.testing.assert_allclose(gradient, truth, rtol=1e-12, atol=1e-16)
