"""`make gpu` without a GPU says so and exits with 3; its report is readable and complete."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from benchmarks.gpu import __main__ as gpu
from benchmarks.gpu import measure as gpu_measure
from scigrad.testing.reference import load


def test_without_a_gpu_it_says_so_in_one_line_and_exits_3(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.gpu", "--output", str(tmp_path)],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},  # so that the test holds on a machine that has one
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert done.stdout.startswith("No GPU here")
    assert done.stdout.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_outcomes_are_read_from_pytests_report():
    report = io.StringIO(
        "<testsuites><testsuite><testcase name='a'/><testcase name='b'><failure message='off by 2'/></testcase>"
        "<testcase name='c'><skipped message='no kernel'/></testcase><testcase name='d'><error message='import'/></testcase>"
        "</testsuite></testsuites>"
    )
    found = gpu.outcomes(ElementTree.parse(report))
    assert found["counts"] == {"passed": 1, "failed": 2, "skipped": 1}
    assert found["failures"] == {"b": "off by 2", "d": "import"}
    assert not found["passed"]


def test_the_report_is_one_page_with_its_numbers_as_json(tmp_path):
    results = {
        "machine": {"card": "NVIDIA H200", "numpy": "2.4"},
        "laws": {"counts": {"passed": 3, "failed": 1}, "failures": {"law-i0e-cupy": "wrong dtype"}, "passed": False},
        "kernels": [{"kernel": "i0e", "dtype": "float32", "points": 9, "bound": 3.5, "ulp": 1.2, "cupyx_ulp": "inf",
                     "passed": True, "allocator": True}],
        "streams": [{"transform": "rfft", "results": 120, "differ": 7, "passed": False}],
        "surface": {"special": {"gone": [], "new": ["airy"]}},
        "timings": [{"benchmark": "fft", "what": "2^22", "peer": "cupyx", "ours_min_ms": 1.0, "ours_median_ms": 1.1,
                     "peer_min_ms": 2.0, "peer_median_ms": 2.1, "ratio": 0.5},
                    {"benchmark": "spsolve", "not_run": "MissingKernel: none"}],
    }  # fmt: skip
    page = gpu.write_report(results, tmp_path / "gpu")
    assert page.name == "nvidia-h200.md"
    text = page.read_text()
    for expected in (
        "# NVIDIA H200",
        "3 passed, 1 failed",
        "wrong dtype",
        "| i0e | float32 | 1.20 |",
        "airy",
        "| rfft | 120 | 7 |",
        "0.50",
        "not run: MissingKernel",
    ):
        assert expected in text
    assert json.loads(page.with_suffix(".json").read_text())["timings"][0]["ratio"] == 0.5


def test_accuracy_is_measured_where_the_precision_holds_the_argument():
    records = load("special/bessel", "j0")  # with the doubles next to its zeros, which are no floats
    x, truth = gpu_measure.points(records, "float32")
    assert x.dtype == np.float32
    assert 20 < x.size < records[0].arguments[0].size
    assert gpu_measure.ulp_error(truth.astype(np.float32), truth) <= 0.5
    assert gpu_measure.ulp_error(np.full_like(x, np.nan), truth) == np.inf


@pytest.mark.parametrize("prepare", ["kernel_accuracy", "timings"])
def test_measuring_imports_nothing_before_it_is_asked(prepare):
    program = f"import sys; from benchmarks.gpu.measure import {prepare}; assert not {{'cupy', 'numba'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
