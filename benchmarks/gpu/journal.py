"""The record of a run, a line of JSON for whatever begins or ends; from it processes know what is
left to them.

A run that is cut off leaves every line that it wrote. The next one reads them, and does not repeat
what has an end. A test that has a beginning alone ended its process, and counts as crashed
(`crash`), unless the time was up (`cut`). A line `commit` begins a run and says with what; a line
`again` says that what failed before it is run once more.
"""

import fcntl
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

CRASHED = "the process ended within this test"


def append(path: Path, **line: Any) -> None:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed: a long line is written in pieces
        write(file, line)


def write(file: IO[str], line: dict[str, Any]) -> None:
    file.write("\n" + json.dumps(line))  # the last line of an earlier run may be half a line
    file.flush()


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what a run wrote; its last line may have been cut."""
    yield from parsed(path.read_text()) if path.exists() else ()


def parsed(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


class Record:
    """What the lines of a journal say: the last line of each test that ended, and what each worker
    is at.
    """

    def __init__(self) -> None:
        self.ended: dict[str, dict[str, Any]] = {}
        self.running: dict[int, dict[str, Any]] = {}
        self.commit = "unknown"

    def add(self, line: dict[str, Any]) -> None:
        event, worker = line.get("event"), line.get("worker", 0)
        if event == "begin":
            self.running[worker] = line
        elif event == "commit":  # a new run, in which nobody is at anything
            self.commit, self.running = line["commit"], {}
        elif event == "again":
            self.ended = {
                name: test for name, test in self.ended.items() if test["outcome"] != "failed"
            }
        elif "outcome" in line:
            self.ended[line["test"]] = {**line, "commit": self.commit}
            self.running.pop(worker, None)
        elif event in ("cut", "crash"):
            begun = self.running.pop(worker, None)
            if event == "crash" and begun is not None:
                text = f"{CRASHED} (status {line['status']})\n{line['text']}"
                self.ended[begun["test"]] = {
                    **begun,
                    "commit": self.commit,
                    "outcome": "failed",
                    "text": text,
                }


def record_of(path: Path) -> Record:
    record = Record()
    for line in lines(path):
        record.add(line)
    return record


def tests_of(path: Path) -> dict[str, dict[str, Any]]:
    """Return the last line of each test that ended or ended its process; tests that were cut off
    are absent.
    """
    return record_of(path).ended


class Queue:
    """The journal as the queue of several processes: whoever begins a test says so, and nobody else
    takes it.
    """

    def __init__(self, path: Path, worker: int) -> None:
        self.path, self.worker = path, worker
        self.record, self.read = Record(), 0

    def take(
        self, tests: dict[str, str], choose: Callable[[dict[str, str], set[str]], str | None]
    ) -> str | None:
        """Begin the test that `choose` takes of those left, knowing the groups that others are at;
        tests: group of each.
        """
        with self.path.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(self.read)
            for line in parsed(file.read()):
                self.record.add(line)
            running = {line["test"] for line in self.record.running.values()}
            left = {
                test: group
                for test, group in tests.items()
                if test not in self.record.ended and test not in running
            }
            test = choose(left, {tests[name] for name in running if name in tests})
            if test is not None:
                write(file, {"event": "begin", "test": test, "worker": self.worker})
                self.record.add({"event": "begin", "test": test, "worker": self.worker})
            self.read = file.tell()
        return test
