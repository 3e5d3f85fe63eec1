"""`make gpu` without a GPU says so and exits with 3; its journal survives a cut, and its report is readable and complete."""

import json
import os
import runpy
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.gpu import journal, kernels, plan, report
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


@pytest.fixture
def path(tmp_path):
    """The journal of a run with a crash, a cut, and half a last line."""
    path = tmp_path / "journal.jsonl"
    journal.append(path, part="machine", name="facts", facts={"card": "NVIDIA H200", "numpy": "2.4"})
    journal.append(path, part="smoke", name="solve", passed=True, text="")
    for name, outcome in (("a", "passed"), ("b", "failed")):
        journal.append(path, event="begin", test=f"tests/x.py::test_law[{name}]")
        journal.append(path, test=f"tests/x.py::test_law[{name}]", law=f"{name} values cupy", outcome=outcome, seconds=0.1,
                       text="E   off by 2")  # fmt: skip
    journal.append(path, event="begin", test="tests/x.py::test_law[c]")
    journal.append(path, event="crash", part="values linalg", status=-11, text="")
    journal.append(path, event="begin", test="tests/x.py::test_law[d]")
    journal.append(path, event="cut", part="values linalg")
    with path.open("a") as file:
        file.write('{"test": "tests/x.py::test_la')
    return path


def test_what_a_cut_run_leaves_is_read(path):
    found = journal.tests_of(path)
    assert {name[-2]: test["outcome"] for name, test in found.items()} == {"a": "passed", "b": "failed", "c": "failed"}


def test_the_report_is_one_page_with_its_laws_as_json(path, tmp_path):
    journal.append(path, part="kernels", name="i0e float32", kernel="i0e", dtype="float32", bound=3.5, ulp=1.2, cupyx_ulp="inf",
                   passed=True, allocator=True)  # fmt: skip
    journal.append(path, part="streams", name="rfft", transform="rfft", results=120, differ=7, passed=False)
    journal.append(path, part="surface", name="special", gone=[], new=["airy"])
    journal.append(path, part="timings", name="fft", what="2^22", milliseconds={"ours": [1.0, 1.1], "cupy": [2.0, 2.1]})
    journal.append(path, part="timings", name="spsolve", not_run="MissingKernel: none")
    journal.append(path, event="commit", commit="1a2b3c")
    for name in ("linalg.inv values", "linalg.det values", "linalg.inv adjoint"):
        outcome = "skipped" if "det" in name else "passed"
        journal.append(path, test=f"tests/x.py::test_law[{name}]", law=f"{name} cupy", outcome=outcome, seconds=0.1, text="")
    page, passed = report.write(path, tmp_path)
    assert not passed
    assert page.name == "nvidia-h200.md"
    text = page.read_text()
    for expected in ("# NVIDIA H200", "3 passed, 1 no kernel, 2 failed", "Run with unknown (3), 1a2b3c (3).", "`b`: off by 2",
                     "| linalg | values | 1 | 1 |  |  |", "| linalg | adjoint | 1 |", "the process ended within this test",
                     "| i0e | float32 | 1.20 |", "airy", "| rfft | 120 | 7 |",
                     "| fft | 2^22 | 1.000 (1.100) | 2.000 (2.100) |  |", "not run: MissingKernel"):  # fmt: skip
        assert expected in text
    laws = json.loads(page.with_suffix(".json").read_text())["laws"]
    assert {name: laws[name] for name in ("a values cupy", "b values cupy")} == {
        "a values cupy": "passed",
        "b values cupy": "failed",
    }
    assert laws["linalg.det values cupy"] == "skipped"


def test_what_failed_is_run_again_on_demand(path):
    journal.append(path, event="end", part="values linalg")
    journal.append(path, event="again")
    assert {name[-2] for name in journal.tests_of(path)} == {"a"}
    assert plan.ended_parts(path) == set()


def test_the_first_parts_are_those_of_most_value():
    names = [part.name for part in plan.parts()]
    assert names[:4] == ["machine", "smoke", "probes", "values linalg"]
    assert names.index("adjoint signal") < names.index("other laws linalg") < names.index("timings")
    assert len(set(names)) == len(names)


def test_a_process_is_taken_up_again_where_it_ended(tmp_path):
    """A test that kills its process is one failure; the tests after it run in the next process, and nothing runs twice."""
    (tmp_path / "test_rooms.py").write_text(
        "import os\ndef test_a(): pass\ndef test_b(): os._exit(1)\ndef test_c(): assert False\ndef test_d(): pass\n"
    )
    part = plan.Part("room", (str(tmp_path / "test_rooms.py"), "-c", os.devnull, "--rootdir", str(tmp_path)))
    run = Local(tmp_path / "journal.jsonl", float("inf"), 60, False)
    assert [run.process(part), run.process(part)] == ["again", "ended"]
    outcomes = {name[-1]: test["outcome"] for name, test in journal.tests_of(run.journal).items()}
    assert outcomes == {"a": "passed", "b": "failed", "c": "failed", "d": "passed"}
    assert sum("outcome" in line for line in journal.lines(run.journal)) == 3
    assert plan.ended_parts(run.journal) == {"room"}


def test_workers_of_xdist_take_up_the_rest_too(tmp_path):
    names = [f"test_{name}" for name in "abcd"]
    (tmp_path / "test_rooms.py").write_text(
        "import os\n" + "".join(f"def {n}(): {'os._exit(1)' if n == 'test_c' else 'pass'}\n" for n in names)
    )
    run = Local(tmp_path / "journal.jsonl", float("inf"), 60, False)
    for chosen in ("test_a", "test_"):
        arguments = (str(tmp_path / "test_rooms.py"), "-c", os.devnull, "--rootdir", str(tmp_path), "-n", "1", "-k", chosen)
        subprocess.run(run.command(plan.Part("room", arguments)), cwd=plan.ROOT, capture_output=True, check=False)
    ended = [(line["test"][-1], line["outcome"]) for line in journal.lines(run.journal) if "outcome" in line]
    assert sorted(ended) == [("a", "passed"), ("b", "passed"), ("c", "failed"), ("d", "passed")]


class Local(plan.Run):
    """A run of tests outside of the suite, which know nothing of --backend."""

    def command(self, part):
        command = super().command(part)
        place = command.index("--backend")
        return command[:place] + command[place + 2 :]


def test_when_the_time_is_up_no_test_begins(tmp_path):
    (tmp_path / "test_rooms.py").write_text("def test_a(): pass\n")
    part = plan.Part("room", (str(tmp_path / "test_rooms.py"), "-c", os.devnull, "--rootdir", str(tmp_path)))
    run = Local(tmp_path / "journal.jsonl", 1.0, 60, False)._replace(deadline=1.0)
    done = subprocess.run(run.command(part), cwd=plan.ROOT, capture_output=True, check=False)
    assert done.returncode == journal.OUT_OF_TIME
    assert journal.tests_of(run.journal) == {}


def test_coverage_says_when_a_function_was_last_seen_on_a_card(tmp_path):
    seen = runpy.run_path(str(plan.ROOT / "docs/generate/coverage.py"))["last_seen"]
    for card, day, outcomes in (
        ("A", "2026-01-01", {"fft.fft values cupy": "passed", "fft.ifft values cupy": "failed", "fft.dct values cupy": "passed"}),
        ("B", "2026-02-01", {"fft.fft values cupy": "passed", "fft.dct values cupy": "skipped"}),
        ("CPU", "2026-03-01", {"fft.fft values cupy": "passed"}),
    ):
        (tmp_path / f"{card}.json").write_text(json.dumps({"machine": {"card": card, "date": day}, "laws": outcomes}))
    assert seen(tmp_path) == {"fft.fft": "2026-02-01", "fft.ifft": "FAILS 2026-01-01", "fft.dct": "2026-01-01"}
    assert seen(tmp_path, on_the_cpu=True) == {"fft.fft": "2026-03-01"}


def test_accuracy_is_measured_where_the_precision_holds_the_argument():
    records = load("special/bessel", "j0")  # with the doubles next to its zeros, which are no floats
    x, truth = kernels.points(records, "float32")
    assert x.dtype == np.float32
    assert 20 < x.size < records[0].arguments[0].size
    assert kernels.ulp_error(truth.astype(np.float32), truth) <= 0.5
    assert kernels.ulp_error(np.full_like(x, np.nan), truth) == np.inf


@pytest.mark.parametrize("part", ["smoke", "kernels", "streams", "surface", "timings"])
def test_measuring_imports_nothing_before_it_is_asked(part):
    program = f"import sys, benchmarks.gpu.{part}; assert not {{'cupy', 'numba', 'torch'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=plan.ROOT)
