"""`make gpu` without a GPU says so and exits with 3; its journal survives a cut, and its report is
readable and complete.
"""

import json
import os
import runpy
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest

from benchmarks.gpu import journal, kernels, plan, report, worker
from benchmarks.gpu import workers as workers_of_a_run
from scigrad.testing.reference import load


def test_without_a_gpu_it_says_so_in_one_line_and_exits_3(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.gpu", "--output", str(tmp_path)],
        # a machine that has a GPU hides it
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
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
    journal.append(
        path, part="machine", name="facts", facts={"card": "NVIDIA H200", "numpy": "2.4"}
    )
    journal.append(path, part="smoke", name="solve", passed=True, text="")
    for name, outcome in (("a", "passed"), ("b", "failed")):
        journal.append(path, event="begin", test=f"tests/x.py::test_law[{name}]")
        journal.append(
            path,
            test=f"tests/x.py::test_law[{name}]",
            law=f"{name} values cupy",
            outcome=outcome,
            seconds=0.1,
            text="E   off by 2",
        )
    journal.append(path, event="begin", test="tests/x.py::test_law[c]")
    journal.append(path, event="crash", part="values linalg", status=-11, text="")
    journal.append(path, event="begin", test="tests/x.py::test_law[d]")
    journal.append(path, event="cut", part="values linalg")
    with path.open("a") as file:
        file.write('{"test": "tests/x.py::test_la')
    return path


def test_what_a_cut_run_leaves_is_read(path):
    found = journal.tests_of(path)
    assert {name[-2]: test["outcome"] for name, test in found.items()} == {
        "a": "passed",
        "b": "failed",
        "c": "failed",
    }
    assert "status -11" in found["tests/x.py::test_law[c]"]["text"]


def append_every_part(path):
    """Write one entry or more for each part of a report."""
    journal.append(
        path,
        part="kernels",
        name="i0e float32",
        kernel="i0e",
        dtype="float32",
        bound=3.5,
        ulp=1.2,
        cupyx_ulp="inf",
        passed=True,
        allocator=True,
    )
    journal.append(
        path, part="streams", name="rfft", transform="rfft", results=120, differ=7, passed=False
    )
    journal.append(path, part="surface", name="special", gone=[], new=["airy"])
    journal.append(
        path,
        part="timings",
        name="fft",
        what="2^22",
        milliseconds={"plain": [1.0, 1.1], "cupy": [2.0, 2.1]},
    )
    journal.append(path, part="timings", name="spsolve", not_run="MissingKernel: none")
    journal.append(path, event="commit", commit="1a2b3c")
    for name in ("linalg.inv values", "linalg.det values", "linalg.inv adjoint"):
        outcome = "skipped" if "det" in name else "passed"
        journal.append(
            path,
            test=f"tests/x.py::test_law[{name}]",
            law=f"{name} cupy",
            outcome=outcome,
            seconds=0.1,
            text="",
        )


def test_the_report_is_one_page_with_its_laws_as_json(path, tmp_path):
    append_every_part(path)
    page, passed = report.write(path, tmp_path)
    assert not passed
    assert page.name == "nvidia-h200.md"
    text = page.read_text()
    for expected in (
        "# NVIDIA H200",
        "3 passed, 1 no kernel, 2 failed",
        "Run with unknown (3), 1a2b3c (3).",
        "`b`: off by 2",
        "| linalg | values | 1 | 1 |  |  |",
        "| linalg | adjoint | 1 |",
        "the process ended within this test",
        "| i0e | float32 | 1.20 |",
        "airy",
        "| rfft | 120 | 7 |",
        "| fft | 2^22 | 2.000 | 1.000 |  |  |  |  | 0.50 |",
        "not run: MissingKernel",
    ):
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
    names = plan.parts()
    assert names[:4] == ["machine", "smoke", "probes", "values linalg"]
    assert names.index("adjoint signal") < names.index("other laws linalg") < names.index("timings")
    assert len(set(names)) == len(names)


FOUR = "import os, time\n" + "".join(f"def test_{name}(): {{{name}}}\n" for name in "abcd")


def shared_run(folder, seconds=float("inf"), workers=1, **bodies):
    """Run four tests, which pass where no other body is given, by processes that know nothing of
    CuPy; return the journal.
    """
    (folder / "test_rooms.py").write_text(
        FOUR.format(**{**dict.fromkeys("abcd", "pass"), **bodies})
    )
    run = plan.Run(folder / "journal.jsonl", time.time() + seconds, 60, False, workers)
    arguments = (str(folder / "test_rooms.py"), "-c", os.devnull, "--rootdir", str(folder))
    return run.journal, workers_of_a_run.finish(run, ["probes"], arguments)


def outcomes(path):
    return {name[-1]: test["outcome"] for name, test in journal.tests_of(path).items()}


@pytest.mark.parametrize("workers", [1, 3])
def test_a_process_is_replaced_where_it_ended(tmp_path, workers):
    """A test that kills its process is one failure, with the reason; other processes take the rest,
    and nothing runs twice.
    """
    path, complete = shared_run(
        tmp_path,
        workers=workers,
        b="print('the last words', flush=True); os._exit(1)",
        c="assert False",
    )
    assert complete
    assert outcomes(path) == {"a": "passed", "b": "failed", "c": "failed", "d": "passed"}
    begun = [line["test"][-1] for line in journal.lines(path) if line.get("event") == "begin"]
    assert sorted(begun) == ["a", "b", "c", "d"]
    assert journal.CRASHED in next(
        test["text"] for name, test in journal.tests_of(path).items() if name.endswith("b")
    )
    assert plan.ended_parts(path) == {"probes"}


def test_a_process_that_lost_the_device_costs_the_test_that_it_was_at(tmp_path):
    """A CUDA error that stays is found at the end of the test that made it, before the next one of
    that process begins.
    """
    (tmp_path / "conftest.py").write_text(LOSES_ITS_DEVICE)
    path, complete = shared_run(tmp_path, b="import cupy; cupy.lost = True")
    assert complete
    assert outcomes(path) == {"a": "passed", "b": "failed", "c": "passed", "d": "passed"}
    assert "an illegal memory access" in next(
        test["text"] for name, test in journal.tests_of(path).items() if name.endswith("b")
    )


LOSES_ITS_DEVICE = """
import sys, types
class CUDARuntimeError(RuntimeError): pass
def synchronize():
    if cupy.lost: raise CUDARuntimeError("an illegal memory access was encountered")
runtime = types.SimpleNamespace(deviceSynchronize=synchronize, CUDARuntimeError=CUDARuntimeError)
cupy = sys.modules["cupy"] = types.ModuleType("cupy")
cupy.lost, cupy.cuda = False, types.SimpleNamespace(runtime=runtime)
"""


def test_when_the_time_is_up_processes_end_and_their_tests_are_run_again(tmp_path):
    begun = time.time()
    path, complete = shared_run(tmp_path, seconds=8, workers=2, a="time.sleep(90)")
    assert not complete
    assert time.time() - begun < 12
    assert "a" not in outcomes(path)
    assert not plan.ended_parts(path)
    journal.append(path, event="commit", commit="later")
    assert shared_run(tmp_path)[1]
    assert outcomes(path) == dict.fromkeys("abcd", "passed")
    ended = Counter(line["test"] for line in journal.lines(path) if "outcome" in line)
    assert set(ended.values()) == {1}


def test_what_cannot_be_collected_is_a_failure_and_not_repeated(tmp_path):
    path, _ = shared_run(tmp_path, a="not a sentence of Python")
    assert {name: test["outcome"] for name, test in journal.tests_of(path).items()} == {
        "process 1": "failed"
    }


def test_two_processes_are_at_different_functions():
    left = {"values solve": "solve", "adjoint solve": "solve", "values inv": "inv"}
    assert worker.chosen(left, set()) == "values solve"
    assert worker.chosen(left, {"solve"}) == "values inv"
    assert worker.chosen(left, {"solve", "inv"}) == "values solve"
    assert worker.chosen({}, set()) is None


def test_coverage_says_when_a_function_was_last_seen_on_a_card(tmp_path):
    seen = runpy.run_path(str(plan.ROOT / "docs/generate/coverage.py"))["last_seen"]
    for card, day, outcomes in (
        (
            "A",
            "2026-01-01",
            {
                "fft.fft values cupy": "passed",
                "fft.ifft values cupy": "failed",
                "fft.dct values cupy": "passed",
            },
        ),
        ("B", "2026-02-01", {"fft.fft values cupy": "passed", "fft.dct values cupy": "skipped"}),
        ("CPU", "2026-03-01", {"fft.fft values cupy": "passed"}),
    ):
        (tmp_path / f"{card}.json").write_text(
            json.dumps({"machine": {"card": card, "date": day}, "laws": outcomes})
        )
    assert seen(tmp_path) == {
        "fft.fft": "2026-02-01",
        "fft.ifft": "FAILS 2026-01-01",
        "fft.dct": "2026-01-01",
    }
    assert seen(tmp_path, on_the_cpu=True) == {"fft.fft": "2026-03-01"}


def test_accuracy_is_measured_where_the_precision_holds_the_argument():
    # the records have doubles next to the zeros of j0, which single precision cannot hold
    records = load("special/bessel", "j0")
    x, truth = kernels.points(records, "float32")
    assert x.dtype == np.float32
    assert 20 < x.size < records[0].arguments[0].size
    assert kernels.ulp_error(truth.astype(np.float32), truth) <= 0.5
    assert kernels.ulp_error(np.full_like(x, np.nan), truth) == np.inf


@pytest.mark.parametrize("part", ["smoke", "kernels", "streams", "surface", "timings"])
def test_measuring_imports_nothing_before_it_is_asked(part):
    program = (
        f"import sys, benchmarks.gpu.{part}; assert not {{'cupy', 'numba', 'torch'}} & "
        "set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=plan.ROOT)
