"""Records of a run: the samples with their provenance (JSON), and the table (Markdown)."""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from .harness import Outcome

HERE = Path(__file__).parent
HEAD = "| | minimum | median | of the best peer |\n| --- | ---: | ---: | ---: |"


def provenance(packages: tuple[str, ...]) -> dict[str, str]:
    """Return date, machine and versions of a run."""
    found = {"date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"), "cpu": cpu()}
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
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


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
        ratio = "" if name in outcome.subject.information or math.isnan(best) else f"{shortest / best:.2f}"
        yield f"| {name} | {duration(shortest)} | {duration(outcome.median(name))} | {ratio} |"
    for name, reason in outcome.absent.items():
        yield f"| {name} | absent: {reason} | | |"
    yield ""
    yield from (f"Bar: {bar}: **{verdict}**." for bar, verdict in outcome.verdicts())
    if outcome.subject.notes:
        yield f"\n{outcome.subject.notes}"


def markdown(outcomes: dict[str, Outcome], where: dict[str, str]) -> str:
    introduction = (
        "# Benchmarks\n\n"
        "Written by `make bench-peers`. The contenders take turns in one process, with one BLAS thread if nothing else is said;\n"
        "minimum and median are of one call, the ratio is of the minima. Contenders without a ratio do other work and are shown\n"
        "for scale.\n"
    )
    versions = ", ".join(f"{name} {value}" for name, value in where.items() if name not in ("date", "cpu", "cores"))
    machine = f"\n{where['date']}; {where['cpu']}, {where['cores']} cores; {versions}.\n"
    return introduction + machine + "\n".join(line for outcome in outcomes.values() for line in rows(outcome)) + "\n"


def keep(outcomes: dict[str, Outcome], where: dict[str, str], table: str | None, path: Path | None = None) -> str:
    """Write a complete run to results/ and RESULTS.md, any other to build/ or to `path`; return what was done."""
    folder = HERE / "results" if table else HERE.parent / "build" / "benchmarks"
    path = path or folder / (where["date"].replace(" UTC", "").replace(" ", "T").replace(":", "") + ".json")
    path.parent.mkdir(parents=True, exist_ok=True)
    subjects = {name: {"seconds": outcome.samples, "absent": outcome.absent} for name, outcome in outcomes.items()}
    path.write_text(json.dumps({"provenance": where, "subjects": subjects}, indent=1) + "\n")
    if table is None:
        return f"samples in {path}; RESULTS.md left as it was: only a run of all subjects with all peers renews it"
    (HERE / "RESULTS.md").write_text(table)
    return f"samples in {path}, table in {HERE / 'RESULTS.md'}"
