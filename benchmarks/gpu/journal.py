"""The record of a run, a line of JSON for whatever ends, and the plugin of pytest that writes it: `-p benchmarks.gpu.journal`.

A run that is cut off leaves every line that it wrote. The next one reads them, and does not repeat what has an end. A test that
has a beginning alone ended its process, and counts as crashed, unless the time was up (`cut`). A line `commit` says what the
lines after it were run with, and a line `again` that what failed before it is run once more.
"""

import json
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

OUT_OF_TIME, POISONED = 70, 71  # exit statuses of a process of tests
_POISON = re.compile("illegal address|IllegalAddress|unspecified launch failure|LaunchFailure|misaligned address", re.I)


def append(path: Path, **line: Any) -> None:
    with path.open("a") as file:
        file.write("\n" + json.dumps(line))  # the last line of an earlier run may be half a line


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what a run wrote; its last line may have been cut."""
    for text in path.read_text().splitlines() if path.exists() else ():
        try:
            yield json.loads(text)
        except json.JSONDecodeError:
            continue


def tests_of(path: Path) -> dict[str, dict[str, Any]]:
    """Return the last line of each test that ended or ended its process; tests that were cut off are absent."""
    found: dict[str, dict[str, Any]] = {}
    begun: dict[str, Any] | None = None
    commit = "unknown"
    for line in lines(path):
        if line.get("event") == "begin":
            begun = line
        elif line.get("event") == "commit":
            commit = line["commit"]
        elif line.get("event") == "again":
            found = {name: test for name, test in found.items() if test["outcome"] != "failed"}
        elif "outcome" in line:
            found[line["test"]] = {**line, "commit": commit}
            begun = None
        elif line.get("event") in ("cut", "crash") and begun is not None:
            if line["event"] == "crash":
                found[begun["test"]] = {
                    **begun,
                    "commit": commit,
                    "outcome": "failed",
                    "text": "the process ended within this test",
                }
            begun = None
    return found


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--journal", default=None, help="append a line of JSON for each test, and leave out those that ended in it")
    parser.addoption("--deadline", type=float, default=float("inf"), help="begin no test after this second of the epoch")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--journal"):
        return
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Rest(config.workerinput["ended"]))
    else:
        config.pluginmanager.register(Journal(Path(config.getoption("--journal")), config.getoption("--deadline")))


class Rest:
    """Leaves out what has ended."""

    def __init__(self, ended: Iterable[str]) -> None:
        self.ended = sorted(ended)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        ended = frozenset(self.ended)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in ended])
        items[:] = [item for item in items if item.nodeid not in ended]


class Journal(Rest):
    """Writes the beginning and the end of each test."""

    def __init__(self, path: Path, deadline: float) -> None:
        super().__init__(tests_of(path))
        self.path, self.deadline = path, deadline

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of xdist, or one that takes the place of a crashed one: all have to collect the same tests."""
        node.workerinput["ended"] = self.ended

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if time.time() > self.deadline:
            pytest.exit("the time is up", OUT_OF_TIME)
        append(self.path, event="begin", test=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        outcome = "known failure" if hasattr(report, "wasxfail") else report.outcome
        text = "" if report.passed else report.longreprtext[-3000:]
        law = dict(report.user_properties).get("law")
        append(self.path, test=report.nodeid, law=law, outcome=outcome, seconds=round(report.duration, 3), text=text)
        if report.failed and _POISON.search(text):
            pytest.exit("the device no longer answers in this process", POISONED)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
            append(self.path, event="finished")
