"""Options of the suite, and the record of which law passed for which function (docs/coverage.md)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--backend", default="host", choices=("host", "cupy"),
                     help="host: NumPy and the stand-in device; cupy: the laws on a GPU")  # fmt: skip
    parser.addoption("--coverage-record", default=None, help="write which law passed for which function to this JSON file")
    parser.addoption("--lines", default=None, help="append a line of JSON to this file for each test as it ends")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "device" in metafunc.fixturenames:  # the backend of a test that is the same on all
        metafunc.parametrize("device", ("numpy", "device") if metafunc.config.getoption("--backend") == "host" else ("cupy",))


WORSE = ("skipped", "passed", "known failure", "failed")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Record(config.getoption("--coverage-record"), config.getoption("--lines")))


class Record:
    """What became of each test, in the process that collects all workers' reports."""

    def __init__(self, coverage: str | None, lines: str | None) -> None:
        self.coverage, self.lines = coverage, lines
        self.outcomes: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        outcome = "known failure" if hasattr(report, "wasxfail") else report.outcome
        label = dict(report.user_properties).get("law")
        if label is not None and (report.when == "call" or report.outcome == "skipped"):
            self.outcomes[label] = max(outcome, self.outcomes.get(label, outcome), key=WORSE.index)  # specs may share a function
        if self.lines:
            text = str(report.longrepr)[-6000:] if report.failed else ""
            line = {"test": report.nodeid, "law": label, "outcome": outcome, "seconds": round(report.duration, 3), "text": text}
            with Path(self.lines).open("a") as file:
                file.write(json.dumps(line) + "\n")

    def pytest_sessionfinish(self) -> None:
        if self.coverage:
            Path(self.coverage).write_text(json.dumps(dict(sorted(self.outcomes.items())), indent=0) + "\n")
