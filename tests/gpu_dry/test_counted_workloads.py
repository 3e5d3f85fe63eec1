"""No workload launches, waits or copies more than its row of benchmarks/results/gpu/counters.md
says.

What became less is written by `python -m benchmarks.gpu.counters`.
"""

import pytest

from benchmarks.gpu.counters import counted, read_page
from benchmarks.gpu.workloads import workloads

ROWS = read_page()
WORKLOADS = workloads()


def test_each_workload_has_a_row():
    assert list(ROWS) == list(WORKLOADS)


@pytest.mark.parametrize("name", WORKLOADS)
def test_no_more_than_its_row(name):
    found = counted(WORKLOADS[name])
    for who in ("plain", "gradient"):
        if who in found:
            pairs = zip(found[who], ROWS[name][who], strict=True)
            assert all(now <= most for now, most in pairs), (who, found[who], ROWS[name][who])
