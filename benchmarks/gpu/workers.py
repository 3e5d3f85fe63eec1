"""The processes that share the tests of a run: an illegal address poisons a process, and costs the
test that it was at alone.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import IO

import pytest

from .journal import append, record_of
from .plan import ROOT, TESTS, Run
from .worker import OUT_OF_TIME, POISONED

ENDED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
# percent of the card that the pools of all processes may hold; contexts and stacks need the rest
MEMORY = 60


def finish(run: Run, parts: Sequence[str], arguments: Sequence[str] = TESTS) -> bool:
    """Run the tests of some parts; return whether there was time for all."""
    processes = {
        number: Process(run, number, parts, arguments) for number in range(1, run.workers + 1)
    }
    try:
        while processes:
            for process in [each for each in processes.values() if each.status() is not None]:
                with process.output:
                    if process.goes_on():
                        processes[process.number] = Process(run, process.number, parts, arguments)
                    else:
                        del processes[process.number]
            if run.left() <= 0:
                return False
            time.sleep(0.05)
    finally:
        for process in processes.values():
            process.cut()
    for part in parts:
        append(run.journal, event="end", part=part)
    return True


class Process:
    """A process of pytest, and what it says."""

    def __init__(
        self, run: Run, number: int, parts: Sequence[str], arguments: Sequence[str]
    ) -> None:
        self.journal, self.number = run.journal, number
        self.output: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115, closed when the process has ended
        plugin = ["-p", "cupy_on_cpu"] if run.dry else []
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "pytest_timeout",
            *plugin,
            "-p",
            "benchmarks.gpu.worker",
            "--journal",
            str(run.journal),
            "--deadline",
            str(run.deadline),
            "--worker",
            str(number),
            "--parts",
            ",".join(parts),
            "--timeout",
            str(run.timeout),
            "--timeout-method=thread",
            *arguments,
        ]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(run),
            text=True,
            stdout=self.output,
            stderr=subprocess.STDOUT,
        )

    def status(self) -> int | None:
        return self.process.poll()

    def goes_on(self) -> bool:
        """Return whether another process takes the place of this one, which has ended; write what
        it was at as failed.
        """
        status = self.process.returncode
        if self.number in record_of(self.journal).running:
            append(self.journal, event="crash", worker=self.number, status=status, text=self.said())
            return True
        # it cannot be started, or cannot end: once more would be the same
        if status not in (*ENDED, OUT_OF_TIME, POISONED):
            append(
                self.journal,
                test=f"process {self.number}",
                outcome="failed",
                worker=self.number,
                text=self.said(),
            )
        return status == POISONED

    def said(self) -> str:
        self.output.seek(0)
        return self.output.read()[-1500:]

    def cut(self) -> None:
        self.process.kill()
        self.process.wait()
        self.output.close()
        append(self.journal, event="cut", worker=self.number)


def environment(run: Run) -> dict[str, str]:
    """Return the variables of a process that has its part of the cores and of the card's memory."""
    shares = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    # a process in the place of another one begins sooner
    shares["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    shares["CUPY_GPU_MEMORY_LIMIT"] = f"{MEMORY / run.workers:.1f}%"
    return {**shares, **os.environ}
