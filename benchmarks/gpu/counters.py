"""Count what each workload asks of a device: launches (of kernels and of libraries' routines),
waits of the host, copies to it and from it. It needs no card:

    PYTHONPATH=tests/gpu_dry:. .venv-cupy/bin/python -m benchmarks.gpu.counters

counts with CuPy on the CPU and writes benchmarks/results/gpu/counters.md, to which
tests/gpu_dry/test_counted_workloads.py holds each function. Arrays are small: what is counted does
not depend on their sizes, but for that of one multiprocessor's block.
"""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from .workloads import Workload, calls, workloads

PAGE = Path(__file__).parents[1] / "results" / "gpu" / "counters.md"
COUNTED = "cupy", "plain", "gradient", "ideal"
BAR = 1.3  # times the launches by hand
_HEAD = f"""# What workloads ask of a device

Written by `python -m benchmarks.gpu.counters`, which says how. Launches, and where there are any,
waits (w), copies to the host (h) and to the device (d) of one call. "By hand" is the function and
its adjoint written over CuPy's kernels; the ratio is that of launches, {BAR} is asked for.

| workload | what | CuPy, the function | ours | gradient | by hand | ratio |
| --- | --- | --- | --- | --- | --- | ---: |
"""


class Counts(NamedTuple):
    """What one call makes."""

    launches: int
    waits: int = 0
    to_host: int = 0
    to_device: int = 0

    def __str__(self) -> str:
        others = zip(self[1:], "whd", strict=True)
        return " ".join([str(self.launches), *(f"{n}{letter}" for n, letter in others if n)])

    @classmethod
    def read(cls, text: str) -> "Counts":
        """Return what the cell of a table says."""
        launches, *others = text.split()
        found = {other[-1]: int(other[:-1]) for other in others}
        return cls(int(launches), *(found.get(letter, 0) for letter in "whd"))


def count(call: Callable[[], Any]) -> Counts:
    """Return what a second call makes: the first compiles, and fills caches."""
    import cupy_on_cpu

    call()
    before = cupy_on_cpu.counters()
    call()
    made = {name: number - before[name] for name, number in cupy_on_cpu.counters().items()}
    return Counts(
        made["launches"] + made["library_calls"],
        made["synchronizations"],
        made["to_host"],
        made["to_device"],
    )


def counted(workload: Workload) -> dict[str, Counts]:
    """Return what each contender makes."""
    return {name: count(call) for name, call in calls(workload, True).items()}


def line(name: str, workload: Workload, found: dict[str, Counts]) -> str:
    """Return the row of a workload."""
    ratio = ""
    if "ideal" in found:
        ratio = f"{found['gradient'].launches / found['ideal'].launches:.2f}"
    cells = [str(found.get(who, "")) for who in COUNTED]
    return f"| {' | '.join([name, workload.what, *cells, ratio])} |"


def read_page() -> dict[str, dict[str, Counts]]:
    """Return the counts of the page, by workloads and contenders."""
    found = {}
    for row in re.findall(r"^\| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)[2:]:
        name, _, *cells, _ = [cell.strip() for cell in row.split(" |")]
        pairs = zip(COUNTED, cells, strict=True)
        found[name] = {who: Counts.read(cell) for who, cell in pairs if cell}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu.counters")
    parser.add_argument("--only", default="", help="show the workloads whose names contain this")
    only = parser.parse_args().only
    rows = []
    for name, workload in workloads().items():
        if only in name:
            rows.append(line(name, workload, counted(workload)))
            print(rows[-1], flush=True)
    if not only:
        PAGE.write_text(_HEAD + "\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    import cupy_on_cpu  # noqa: F401  (before CuPy)

    main()
