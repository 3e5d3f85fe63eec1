"""What `make gpu` does, in the order of its value, each part in a process of its own: an illegal address poisons a process."""

import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from .journal import OUT_OF_TIME, POISONED, append, lines

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("linalg", "fft", "numpy", "special", "sparse", "signal")
FIRST = ("values", "adjoint")
OTHERS = ("second_order", "forward", "single_precision", "linearity", "batching", "shapes", "missing", "extreme", "narrow")
PROBES = ("tests/core/test_on_device.py",)
PROCESSES = 20  # so often the tests of a room are taken up again after one that ended its process
MEASURED = ("kernels", "streams", "surface", "timings")


class Part(NamedTuple):
    """A process: tests, or the name of a module of measurements."""

    name: str
    arguments: tuple[str, ...]
    limit: int = 24 * 3600  # seconds; that of a single test is --timeout

    @property
    def is_tests(self) -> bool:
        return bool(self.arguments)


def parts() -> list[Part]:
    """Return versions and a smoke test, what would be wrong silently, values, adjoints, the other laws, timings."""
    laws = [
        Part(f"{law} {room}", ("tests/laws", "--rooms", room, "--laws", law, "-m", ""))
        for group in ((law,) for law in FIRST)
        for room in ROOMS
        for law in group
    ]
    rest = [Part(f"other laws {room}", ("tests/laws", "--rooms", room, "--laws", ",".join(OTHERS), "-m", "")) for room in ROOMS]
    measured = [Part(name, ()) for name in MEASURED]
    return [Part("machine", (), 60), Part("smoke", (), 60), Part("probes", PROBES), *laws, *rest, *measured]


class Run(NamedTuple):
    """One call of `make gpu`: where its journal is, when it has to end, and how long a test may take."""

    journal: Path
    deadline: float
    timeout: int
    dry: bool

    def left(self) -> float:
        return self.deadline - time.time()

    def command(self, part: Part) -> list[str]:
        if not part.is_tests:
            options = ["--dry-run"] if self.dry else []
            return [sys.executable, "-m", "benchmarks.gpu.measured", part.name, str(self.journal), *options]
        plugin = ["-p", "cupy_on_cpu"] if self.dry else []
        return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin,
                "-p", "benchmarks.gpu.journal", "--journal", str(self.journal), "--deadline", str(self.deadline),
                "--backend", "cupy", "--timeout", str(self.timeout), "--timeout-method=thread", *part.arguments]  # fmt: skip

    def process(self, part: Part) -> str:
        """Run a part once: "ended", "again" if its process did not survive a test, or "cut"."""
        limit = min(part.limit, max(self.left(), 0) + 1)
        try:
            done = subprocess.run(
                self.command(part), cwd=ROOT, capture_output=True, text=True, timeout=max(limit, 0.1), check=False
            )
        except subprocess.TimeoutExpired:
            out_of_time = self.left() <= 1
            append(self.journal, event="cut" if out_of_time else "end", part=part.name)
            return "cut" if out_of_time else "ended"
        *_, last = ({}, *lines(self.journal))
        if done.returncode == OUT_OF_TIME:
            return "cut"
        if done.returncode == 0 or last.get("event") == "finished":
            append(self.journal, event="end", part=part.name)
            return "ended"
        if done.returncode == POISONED:
            return "again"
        append(self.journal, event="crash", part=part.name, status=done.returncode, text=(done.stdout + done.stderr)[-1500:])
        return "again" if last.get("event") == "begin" else "ended"

    def whole(self, only: tuple[str, ...] = ()) -> bool:
        """Run all parts that have not ended; return whether there was time for all."""
        for part in parts():
            if part.name in ended_parts(self.journal) or (only and part.name not in only):
                continue
            print(f"{part.name} ({self.left():.0f} s left)", flush=True)
            for _ in range(PROCESSES):
                outcome = self.process(part) if self.left() > 0 else "cut"
                if outcome == "cut":
                    return False
                if outcome == "ended":
                    break
        return True


def ended_parts(journal: Path) -> set[str]:
    ended: set[str] = set()
    for line in lines(journal):
        ended = set() if line.get("event") == "again" else ended | ({line["part"]} if line.get("event") == "end" else set())
    return ended
