"""docs/where_we_differ.md has the functions that are declared to differ, the conditions, and calls
of which ours are right.
"""

import re
import runpy
from pathlib import Path

import pytest

from scigrad.testing import assert_close

DOCS = Path(__file__).parents[2] / "docs"
GENERATOR = runpy.run_path(str(DOCS / "generate" / "where_we_differ.py"))
PAGE = (DOCS / "where_we_differ.md").read_text()
CORRECTED = {
    name: own
    for name, own in GENERATOR["declared"]()
    if getattr(own, "lossy", None) and not own.safe
}
ROWS = {row.split("`")[1]: row for row in PAGE.splitlines() if row.startswith("| `")}


def test_all_that_is_declared_is_on_the_page():
    assert {name for name, _ in GENERATOR["declared"]()} == {
        *ROWS,
        *re.findall(r"`(\w+)`", PAGE.rpartition("here:")[2]),
    }
    for name, own in GENERATOR["declared"]():
        for predicate in (getattr(own, "lossy", None), getattr(own, "safe", None)):
            assert (
                predicate is None
                or GENERATOR["condition"](predicate).replace("|", "\\|") in ROWS[name]
            ), name


@pytest.mark.parametrize("name", CORRECTED)
def test_ours_is_the_truth_and_scipy_s_is_not(name):
    call, output = re.search(r"`\w+\(([^`]*)\)(?:, (\d))?`", ROWS[name]).groups()
    args = tuple(map(float, call.split(", ")))
    theirs, ours, truth = GENERATOR["numbers"](name, args, int(output or 0))
    assert CORRECTED[name].lossy(*args)
    assert_close(ours, truth, rtol=1e-12)
    assert abs(ours - truth) < abs(theirs - truth)
    written = ROWS[name].replace("\\|", "").split("|")[-4:-1]
    assert written[2].strip() == GENERATOR["shown"](truth)
