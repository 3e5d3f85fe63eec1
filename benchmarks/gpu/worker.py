"""The plugin of pytest by which several processes share the tests of a run: `-p
benchmarks.gpu.worker --journal PATH`.

Each process collects all tests, and takes one after another from the journal. No two are at tests
of one function as long as there are others, so that a kernel which takes half a minute to compile
is compiled once, and found in CuPy's cache afterwards.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from . import plan
from .journal import Queue, append

OUT_OF_TIME, POISONED = 70, 71  # exit statuses


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--journal",
        default=None,
        help="take tests from this journal, and append a line of JSON for each",
    )
    parser.addoption(
        "--deadline",
        type=float,
        default=float("inf"),
        help="begin no test after this second of the epoch",
    )
    parser.addoption("--worker", type=int, default=0, help="the number of this process")
    parser.addoption("--parts", default="probes", help="the parts of the plan, in their order")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--journal"):
        config.pluginmanager.register(Worker(config))


def part_of(item: pytest.Item) -> str:
    """Return the part of the plan that a test belongs to."""
    if not (label := dict(item.user_properties).get("law")):
        return "probes"
    function, law, _ = label.split(" ")
    room = function.partition(".")[0]
    return f"{law if law in plan.FIRST else 'other laws'} {room}"


def group_of(item: pytest.Item) -> str:
    """Return what one process at a time should be at: a function, whose laws compile the same
    kernels.
    """
    label = dict(item.user_properties).get("law", "")
    return label.partition(" ")[0] or item.nodeid


def chosen(left: dict[str, str], busy: set[str]) -> str | None:
    """Return the first test of a function that nobody is at, the first of all where there is
    none.
    """
    return next((test for test, group in left.items() if group not in busy), next(iter(left), None))


def lost_device() -> str:
    """Return the error that every call of this process gives from now on; empty where the device
    answers.
    """
    cupy: Any = sys.modules.get("cupy")
    if cupy is None:
        return ""
    try:
        cupy.cuda.runtime.deviceSynchronize()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return str(error)
    return ""


class Worker:
    """Takes tests from the journal, and writes their ends."""

    def __init__(self, config: pytest.Config) -> None:
        self.path, self.number = Path(config.getoption("--journal")), config.getoption("--worker")
        self.deadline, self.parts = (
            config.getoption("--deadline"),
            config.getoption("--parts").split(","),
        )
        self.queue, self.parent = Queue(self.path, self.number), os.getppid()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        place = {part: number for number, part in enumerate(self.parts)}
        items[:] = sorted(
            (item for item in items if part_of(item) in place),
            key=lambda item: place[part_of(item)],
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Interrupted("a file of tests cannot be collected")
        items = {item.nodeid: item for item in session.items}
        groups = {name: group_of(item) for name, item in items.items()}
        while (name := self.take(groups)) is not None:
            items[name].config.hook.pytest_runtest_protocol(item=items[name], nextitem=None)
        return True

    def take(self, groups: dict[str, str]) -> str | None:
        if time.time() > self.deadline or os.getppid() != self.parent:
            pytest.exit("the time is up", OUT_OF_TIME)
        return self.queue.take(groups, chosen)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Any:
        """Wait for the device, so that an error belongs to the test whose kernel made it."""
        result = yield
        if error := lost_device():
            raise RuntimeError(error)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        outcome = "known failure" if hasattr(report, "wasxfail") else report.outcome
        text = "" if report.passed else report.longreprtext[-3000:]
        lost = "" if report.passed else lost_device()
        if lost:
            outcome, text = "failed", f"{lost}\n{text}"
        append(
            self.path,
            test=report.nodeid,
            law=dict(report.user_properties).get("law"),
            outcome=outcome,
            seconds=round(report.duration, 3),
            text=text,
            worker=self.number,
        )
        if lost:
            pytest.exit("the device no longer answers in this process", POISONED)
