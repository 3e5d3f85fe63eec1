"""Derivatives in shape parameters, orders and degrees, against mpmath over wide domains (reference_data/special/parameters)."""

from __future__ import annotations

import numpy as np
import pytest

from scigrad import jvp, special
from scigrad.testing.reference import load

# Relative errors, median and largest of 40 points: those measured, rounded up to 1 or 3 times a power of 10.
RECORDED = {
    ("gammainc", 0): (1e-13, 1e-11), ("gammaincc", 0): (1e-13, 3e-10), ("betainc", 0): (3e-14, 3e-12),
    ("betainc", 1): (1e-13, 3e-12), ("chdtr", 0): (3e-14, 3e-12), ("stdtr", 0): (3e-13, 3e-11), ("jv", 0): (3e-13, 1e-11),
    ("yv", 0): (1e-13, 1e-12), ("iv", 0): (1e-13, 1e-12), ("kv", 0): (1e-13, 1e-11), ("hyp0f1", 0): (3e-13, 1e-10),
    ("hyp1f1", 0): (1e-13, 3e-11), ("hyp1f1", 1): (3e-13, 1e-10), ("hyperu", 0): (1e-15, 3e-14), ("hyperu", 1): (1e-15, 1e-10),
    ("hyp2f1", 0): (1e-13, 3e-11), ("hyp2f1", 2): (3e-12, 3e-10), ("zeta", 0): (1e-11, 1e-9),
}  # fmt: skip


@pytest.mark.parametrize("record", load("special/parameters"), ids=lambda r: f"{r.function} {r.case}")
def test_relative_errors_are_at_most_those_recorded(record):
    position = int(record.case.split()[-1])
    args, truth = record.arguments, record.first[position]
    f = getattr(special, record.function)

    def varied(x):
        return f(*args[:position], x, *args[position + 1 :])

    with np.errstate(all="ignore"):
        value, slope = jvp(varied, (args[position],), (np.ones_like(truth),))
        representable = (np.abs(truth) > 1e-290) & (np.abs(record.value) > 1e-290)
        error = np.abs(slope / truth - 1)[representable]
    np.testing.assert_allclose(value, record.value, rtol=1e-6, atol=1e-290)
    median, largest = RECORDED[record.function, position]
    assert np.isfinite(error).all()
    assert np.median(error) <= median, np.median(error)
    assert np.max(error) <= largest, np.max(error)
