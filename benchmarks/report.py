"""Records of a run: the samples with their provenance (JSON), and the table (Markdown)."""

import datetime
import json
import math
import os
import platform
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from .harness import Outcome

HERE = Path(__file__).parent
# by subject: the seconds of each contender, and the reasons of those that are absent
Samples = dict[str, dict[str, Any]]
HEAD = "| | minimum | median | of the best peer |\n| --- | ---: | ---: | ---: |"


def provenance(packages: tuple[str, ...]) -> dict[str, str]:
    """Return date, machine and versions of a run."""
    found = {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": cpu(),
    }
    found["cores"], found["python"] = str(os.cpu_count()), platform.python_version()
    for package in ("scigrad", *packages):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )


def duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def rows(outcome: Outcome) -> Iterator[str]:
    """One subject as Markdown: a table of contenders, then the bars."""
    best = outcome.best_peer()
    yield f"\n### {outcome.subject.title}\n\n{HEAD}"
    for name in outcome.samples:
        shortest = outcome.minimum(name)
        ratio = (
            ""
            if name in outcome.subject.information or math.isnan(best)
            else f"{shortest / best:.2f}"
        )
        yield f"| {name} | {duration(shortest)} | {duration(outcome.median(name))} | {ratio} |"
    for name, reason in outcome.absent.items():
        yield f"| {name} | absent: {reason} | | |"
    yield ""
    yield from (f"Bar: {bar}: **{verdict}**." for bar, verdict in outcome.verdicts())
    if outcome.subject.notes:
        yield f"\n{outcome.subject.notes}"


def machine(where: dict[str, str]) -> str:
    versions = ", ".join(
        f"{name} {value}" for name, value in where.items() if name not in ("date", "cpu", "cores")
    )
    return f"{where['date']}; {where['cpu']}, {where['cores']} cores; {versions}."


def write_table(measurements: Iterable[tuple[str, dict[str, str], list[Outcome]]]) -> None:
    """Write RESULTS.md from the samples that are kept, each module's with its date and versions."""
    introduction = (
        "# Benchmarks\n"
        "\n"
        "Written by `make bench-peers` from the samples in `benchmarks/results`. The contenders "
        "take turns in one process,\n"
        "with one BLAS thread if nothing else is said; minimum and median are of one call, the "
        "ratio is of the minima.\n"
        "Contenders without a ratio do other work and are shown for scale.\n"
    )
    lines = [introduction]
    for name, where, outcomes in measurements:
        lines += [
            f"## {name}\n\n{machine(where)}",
            *(line for outcome in outcomes for line in rows(outcome)),
        ]
    (HERE / "RESULTS.md").write_text("\n".join(lines) + "\n")


def keep(name: str, where: dict[str, str], samples: dict[str, Samples]) -> None:
    """Write the samples of a module, by number of threads, to results/."""
    path = HERE / "results" / f"{name}.json"
    path.write_text(json.dumps({"provenance": where, "threads": samples}) + "\n")


def kept(name: str) -> Iterator[tuple[dict[str, str], dict[str, Samples]]]:
    """Yield provenance and samples of a module if there are any."""
    path = HERE / "results" / f"{name}.json"
    if path.exists():
        found = json.loads(path.read_text())
        yield found["provenance"], found["threads"]
