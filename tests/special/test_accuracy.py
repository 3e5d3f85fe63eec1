"""No error is larger than docs/special_accuracy.md says."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from scigrad.testing.reference import load

DOCS = Path(__file__).parents[2] / "docs"
GENERATOR = runpy.run_path(str(DOCS / "generate" / "special_accuracy.py"))
ROWS = [
    [cell.strip() for cell in line.split("|")[1:-1]]
    for line in GENERATOR["PAGE"].read_text().splitlines()
    if line[:3] == "| `"
]
RECORDED = {(row[0].strip("`"), row[1]): row[2:] for row in ROWS if len(row) > 4}
OF_LARGE_ARRAYS = {(row[0].strip("`"), row[1]): row[2:] for row in ROWS if len(row) == 4}


def test_the_page_has_a_row_for_each_region():
    assert list(RECORDED) == [(record.function, record.case) for record in load("special/regions")]
    assert len({function for function, _ in RECORDED}) >= 60


@pytest.mark.parametrize("record", load("special/regions"), ids=lambda r: f"{r.function} {r.case}")
def test_errors_are_at_most_those_of_the_page(record):
    double, _, single, _, largest, median, _ = RECORDED[record.function, record.case]
    limits = [[*map(float, pair.split(", "))] for pair in (double, single)]
    # an error of less than one unit depends on the rounding of the C library's exp and log
    for value in limits:
        value[0] = max(value[0], 1.0)
    limits += [
        [*map(float, pair)] for pair in zip(largest.split(" / "), median.split(" / "), strict=True)
    ]
    with np.errstate(all="ignore"):
        found = GENERATOR["measured"](record)
    assert np.all(np.array(found) <= limits), (found, limits)


def test_errors_in_large_arrays_are_at_most_those_of_the_page():
    pytest.importorskip("numba")
    assert list(OF_LARGE_ARRAYS) == [
        (record.function, record.case) for record in GENERATOR["in_pieces"]()
    ]
    with np.errstate(all="ignore"):
        for record in GENERATOR["in_pieces"]():
            limits = [*map(float, OF_LARGE_ARRAYS[record.function, record.case][0].split(", "))]
            assert np.all(np.array(GENERATOR["measured_large"](record)) <= limits), record.label


def test_a_page_with_smaller_errors_would_fail():
    record = load("special/regions")[0]
    assert GENERATOR["ulp"](np.array([1 + 2e-16]), np.array([1.0]))[0] == 1
    assert float(GENERATOR["shown"](1.234)) == 1.3
    assert max(map(max, GENERATOR["measured"](record))) > 0
