"""`make gpu` rehearsed: a run that is cut by its budget, and the one that continues it."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

from benchmarks.gpu import journal, plan

PARTS = "machine,smoke,values fft,surface"


def run(folder, *arguments):
    command = [sys.executable, "-m", "benchmarks.gpu", "--dry-run", "--output", str(folder), "--parts", PARTS, *arguments]
    return subprocess.run(command, cwd=plan.ROOT, capture_output=True, text=True, check=False)


def test_a_cut_run_is_continued(tmp_path):
    path = tmp_path / "journal.jsonl"
    first = run(tmp_path, "--budget", "1")
    assert first.returncode == 2, first.stderr
    assert "the time is up" in first.stdout
    known = journal.tests_of(path)
    second = run(tmp_path)
    assert second.returncode in (0, 1), second.stdout + second.stderr
    found = journal.tests_of(path)
    assert len(found) > 30
    assert len(found) > len(known)
    ended = Counter(line["test"] for line in journal.lines(path) if "outcome" in line)
    assert set(ended.values()) == {1}
    assert plan.ended_parts(path) == set(PARTS.split(","))
    page = (tmp_path / "cpu.md").read_text()
    assert "# CPU" in page
    assert "a kernel of CuPy's: passed" in page
    third = run(tmp_path)
    assert third.stdout.count("\n") == 1  # nothing is left to do
