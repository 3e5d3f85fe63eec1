"""What `make gpu` does, in the order of its value: tests by several processes, measurements by one
after another, alone.
"""

import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from .journal import append, lines

ROOT = Path(__file__).resolve().parents[2]
# What is cheap comes first. Half of the time goes to the kernels of `special`: the first law of a
# function compiles them, so that they are begun before the other laws of all rooms, and spread over
# the processes.
ROOMS = ("linalg", "fft", "numpy", "sparse", "signal", "special")
FIRST = ("values", "adjoint")
PROBES = ("tests/core/test_on_device.py",)
TESTS = ("--backend", "cupy", "-m", "", *PROBES, "tests/laws")
# timings are taken beside nothing
BEFORE, AFTER = ("machine", "smoke"), ("kernels", "streams", "surface", "timings", "programs")
LIMITS = dict.fromkeys(BEFORE, 150)  # seconds


def tests() -> list[str]:
    """Return the parts that are tests: what would be wrong silently, values, adjoints, the other
    laws.
    """
    return ["probes", *(f"{law} {room}" for law in (*FIRST, "other laws") for room in ROOMS)]


def parts() -> list[str]:
    return [*BEFORE, *tests(), *AFTER]


class Run(NamedTuple):
    """One call of `make gpu`: where its journal is, when it has to end, how long a test may take,
    and the processes.
    """

    journal: Path
    deadline: float
    timeout: int
    dry: bool
    workers: int = 1

    def left(self) -> float:
        return self.deadline - time.time()

    def measure(self, part: str) -> bool:
        """Run a part that is no test; return whether there was time for it."""
        options = ["--dry-run"] if self.dry else []
        command = [
            sys.executable,
            "-m",
            "benchmarks.gpu.measured",
            part,
            str(self.journal),
            *options,
        ]
        limit = min(LIMITS.get(part, self.left()), self.left())
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=max(limit, 0.1),
                check=False,
            )
        except subprocess.TimeoutExpired:
            if self.left() <= 0:
                return False
            append(self.journal, test=part, outcome="failed", text=f"not ended after {limit:.0f} s")
        else:
            if done.returncode:
                append(
                    self.journal,
                    test=part,
                    outcome="failed",
                    text=(done.stdout + done.stderr)[-1500:],
                )
        append(self.journal, event="end", part=part)
        return True

    def whole(self, only: tuple[str, ...] = ()) -> bool:
        """Run all parts that have not ended; return whether there was time for all."""
        from .workers import finish  # workers imports this file

        due = [
            part
            for part in parts()
            if part not in ended_parts(self.journal) and (not only or part in only)
        ]
        shared = [part for part in due if part in tests()]
        for part in due:
            if part not in shared:
                print(f"{part} ({self.left():.0f} s left)", flush=True)
                ended = self.left() > 0 and self.measure(part)
            elif part == shared[0]:
                print(
                    f"{', '.join(shared)}: {self.workers} processes ({self.left():.0f} s left)",
                    flush=True,
                )
                ended = finish(self, shared)
            if not ended:
                return False
        return True


def ended_parts(journal: Path) -> set[str]:
    ended: set[str] = set()
    for line in lines(journal):
        ended = (
            set()
            if line.get("event") == "again"
            else ended | ({line["part"]} if line.get("event") == "end" else set())
        )
    return ended
