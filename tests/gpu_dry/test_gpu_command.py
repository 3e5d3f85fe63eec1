"""`make gpu` rehearsed: a run that is cut by its budget, and the one that continues it."""

import subprocess
import sys
from collections import Counter

from benchmarks.gpu import journal, plan
from benchmarks.gpu.__main__ import MORE_TO_DO

PARTS = "machine,smoke,values fft,kernels,streams,surface,timings,programs"


def run(folder, *arguments):
    command = [
        sys.executable,
        "-m",
        "benchmarks.gpu",
        "--dry-run",
        "--output",
        str(folder),
        "--parts",
        PARTS,
        "--workers",
        "2",
        *arguments,
    ]
    return subprocess.run(command, cwd=plan.ROOT, capture_output=True, text=True, check=False)


def test_a_cut_run_is_continued(tmp_path):
    path = tmp_path / "journal.jsonl"
    known, cuts = 0, 0
    while (last := run(tmp_path, "--budget", "60" if cuts else "1")).returncode == MORE_TO_DO:
        assert "the time is up" in last.stdout
        found = len(list(journal.lines(path)))
        assert found > known or not cuts  # each run goes further, but one of a second
        known, cuts = found, cuts + 1
    assert last.returncode == 0, last.stdout + last.stderr
    assert cuts
    assert len(journal.tests_of(path)) > 30
    ended = Counter(line["test"] for line in journal.lines(path) if "outcome" in line)
    assert set(ended.values()) == {1}
    assert plan.ended_parts(path) == set(PARTS.split(","))
    page = (tmp_path / "cpu.md").read_text()
    assert "# CPU" in page
    assert "a kernel of CuPy's: passed" in page
    assert "not run" not in page.lower()
    third = run(tmp_path)
    assert third.stdout.count("\n") == 1  # nothing is left to do
