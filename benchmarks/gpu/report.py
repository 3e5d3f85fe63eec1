"""The page of a journal: what was seen on a card, or with CuPy on the CPU, in Markdown."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from .journal import lines, tests_of
from .workloads import CONTENDERS

# the better first
OUTCOMES = {
    "passed": "passed",
    "skipped": "no kernel",
    "known failure": "known failures",
    "failed": "failed",
}


def write(journal: Path, folder: Path) -> tuple[Path, bool]:
    """Write <card>.md and <card>.json, the laws that ran; return the page and whether all of it
    passed.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    for line in lines(journal):
        if "name" in line:
            rows.setdefault(line["part"], []).append(line)
    facts = next((row["facts"] for row in rows.get("machine", ())), {"card": "no device"})
    tests = tests_of(journal)
    slug = re.sub(r"[^a-z0-9]+", "-", facts["card"].lower()).strip("-")
    record = {"machine": facts, "laws": dict(sorted(_laws(tests).items()))}
    (folder / f"{slug}.json").write_text(json.dumps(record, indent=0) + "\n")
    page = folder / f"{slug}.md"
    sections = (
        _facts(facts),
        _smoke(rows.get("smoke", [])),
        _tests(tests),
        _kernels(rows),
        _streams(rows),
        _timings(rows, facts["card"]),
        _programs(rows.get("programs", []), facts["card"]),
    )
    page.write_text("\n".join(line for section in sections for line in section) + "\n")
    parts = ("smoke", "kernels", "streams", "programs")
    measured = (row for part in parts for row in rows.get(part, ()))
    return page, bool(tests) and all(row["passed"] for row in measured) and all(
        t["outcome"] != "failed" for t in tests.values()
    )


def _laws(tests: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Return the outcome of each law of a function, the worst where several specs share the
    function.
    """
    found: dict[str, str] = {}
    for test in tests.values():
        if law := test.get("law"):
            found[law] = max(test["outcome"], found.get(law, "passed"), key=[*OUTCOMES].index)
    return found


def _facts(facts: dict[str, str]) -> list[str]:
    table = [f"| {key} | {value} |" for key, value in facts.items()]
    how = "Written by `make gpu`" + (
        ", with CuPy on the CPU (tests/gpu_dry/README.md)." if facts["card"] == "CPU" else "."
    )
    return [f"# {facts['card']}", "", how, "", "| | |", "| --- | --- |", *table, ""]


def _smoke(rows: list[dict[str, Any]]) -> list[str]:
    calls = [
        f"- {row['name']}: {'passed' if row['passed'] else row['text'].splitlines()[0]}"
        for row in rows
    ]
    return ["## The first calls", "", *(calls or ["Not run."]), ""]


def _tests(tests: dict[str, dict[str, Any]]) -> list[str]:
    counts = Counter(test["outcome"] for test in tests.values())
    failed = [
        f"- `{_short(name)}`: {_reason(test)}"
        for name, test in tests.items()
        if test["outcome"] == "failed"
    ]
    summary = (
        ", ".join(
            f"{counts[outcome]} {said}" for outcome, said in OUTCOMES.items() if counts[outcome]
        )
        or "None ran."
    )
    commits = Counter(test["commit"] for test in tests.values())
    run = (
        "Run with " + ", ".join(f"{commit} ({number})" for commit, number in commits.items()) + "."
        if tests
        else ""
    )
    section = ["## Laws and probes with the CuPy backend", "", summary, run, "", *_by_room(tests)]
    return [*section, *(["Failed:", "", *failed, ""] if failed else [])]


def _by_room(tests: dict[str, dict[str, Any]]) -> list[str]:
    """Return the numbers of tests by room and law."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for test in tests.values():
        if law := test.get("law"):
            function, name, _ = law.split(" ")
            counts.setdefault((function.partition(".")[0], name), Counter())[test["outcome"]] += 1
    rows = [
        f"| {room} | {law} | " + " | ".join(str(n[o] or "") for o in OUTCOMES) + " |"
        for (room, law), n in sorted(counts.items())
    ]
    head = "| room | law | " + " | ".join(OUTCOMES.values()) + " |"
    return [head, "| --- | --- | ---: | ---: | ---: | ---: |", *rows, ""] if rows else []


def _short(name: str) -> str:
    return name.partition("[")[2].rstrip("]") or name.rpartition("::")[2]


def _reason(test: dict[str, Any]) -> str:
    said = [line[2:].strip() for line in test.get("text", "").splitlines() if line.startswith("E ")]
    return (said or test.get("text", "").splitlines() or [""])[0][:200]


def _kernels(rows: dict[str, list[dict[str, Any]]]) -> list[str]:
    table = [
        f"| {row['kernel']} | {row['dtype']} | {row['ulp']:.2f} | {row['bound']:.1f} | "
        f"{float(row['cupyx_ulp']):.3g} | {'yes' if row['allocator'] else 'NO'} | "
        f"{'yes' if row['passed'] else 'NO'} |"
        for row in rows.get("kernels", ())
        if "not_run" not in row
    ]
    missing = [
        f"Not run, those of xsf take their place: {row['not_run']}"
        for row in rows.get("kernels", ())
        if "not_run" in row
    ]
    changes = [
        f"- `cupyx.scipy.{row['name']}`: gone {row['gone']}, new {row['new']}"
        for row in rows.get("surface", ())
    ]
    return [
        "## Our kernels on the card",
        "",
        (
            "Largest error against `reference_data`, in units in the last place; CuPy's own beside "
            "it (inf: nan or overflow)."
        ),
        "",
        "| kernel | dtype | error | bound | cupyx | CuPy's allocator | passed |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *table,
        *missing,
        "",
        "## CuPy's surface against the table of the stand-in device",
        "",
        *(changes or ["No difference."]),
        "",
    ]


def _streams(rows: dict[str, list[dict[str, Any]]]) -> list[str]:
    table = [
        f"| {row['transform']} | {row['results']} | {row['differ']} |"
        for row in rows.get("streams", ())
    ]
    title = "## Transforms by two threads, each on two streams, against the serial ones, bitwise"
    return [title, "", "| transform | results | that differ |", "| --- | --- | --- |", *table, ""]


def _timings(rows: dict[str, list[dict[str, Any]]], card: str) -> list[str]:
    if card == "CPU" and all("not_run" not in row for row in rows.get("timings", ())):
        return [
            "## Timings",
            "",
            f"{len(rows.get('timings', ()))} benchmarks ran; CuPy on the CPU has no clock.",
        ]
    table = []
    for row in rows.get("timings", ()):
        if "not_run" in row:
            table.append(f"| {row['name']} | not run: {row['not_run'].splitlines()[0]} |")
            continue
        times = {who: found[0] for who, found in row["milliseconds"].items()}
        shown = [f"{times[who]:.3f}" if who in times else "" for who in CONTENDERS]
        pairs = ("plain", "cupy"), ("gradient", "ideal"), ("gradient", "torch"), ("gradient", "jax")
        ratios = [_ratio(times, *pair) for pair in pairs]
        table.append(f"| {' | '.join([row['name'], row['what'], *shown, *ratios])} |")
    names = ["workload", "what", "CuPy", "ours", "gradient", "by hand", "PyTorch", "JAX"]
    names += ["ours / CuPy", "gradient / by hand", "/ PyTorch", "/ JAX"]
    return [
        "## Timings",
        "",
        "Milliseconds, interleaved, the minimum of 20: functions by CuPy and ours, then gradients.",
        "",
        f"| {' | '.join(names)} |",
        f"| --- | --- |{' ---: |' * (len(names) - 2)}",
        *table,
    ]


def _ratio(times: dict[str, float], one: str, other: str) -> str:
    return f"{times[one] / times[other]:.2f}" if one in times and other in times else ""


def _programs(rows: list[dict[str, Any]], card: str) -> list[str]:
    """Return times of recorded programs with the ratio to JAX's, or PyTorch's without it."""
    title = ["", "## Programs of `jit`", ""]
    worst = max((row.get("difference", 0.0) for row in rows), default=0.0)
    same = f"Results of `jit` and those without it differ by at most {worst:.1e}."
    if card == "CPU":
        return [*title, f"{len(rows)} programs ran. {same}"]
    heads = ["program", "jit", "returns", "eager", "torch", "JAX", "ratio", "bar", "first", "JAX's"]
    table, missing = [], []
    for row in rows:
        times = {who: found[0] for who, found in row["milliseconds"].items()}
        peer = times.get("jax", times.get("torch"))
        ratio = f"{times['jit'] / peer:.3f}" if peer and "jit" in times else ""
        shown = [f"{times[w]:.3f}" if w in times else "" for w in ("jit", "eager", "torch", "jax")]
        first = [f"{row['first'][w]:.2f} s" if w in row["first"] else "" for w in ("jit", "jax")]
        shown.insert(1, f"{row['returns']:.3f}" if "returns" in row else "")
        cells = [f"{row['name']}: {row['what']}", *shown, ratio, f"{row['bar']:g}", *first]
        table.append(f"| {' | '.join(cells)} |")
        missing += [
            f"- {row['name']}, {who}: {said}" for who, said in row.get("not_run", {}).items()
        ]
    return [
        *title,
        "Milliseconds of value and gradient, interleaved, the minimum, and until a call returns "
        f"without waiting; seconds of first calls. {same}",
        "",
        f"| {' | '.join(heads)} |",
        f"| --- |{' ---: |' * (len(heads) - 1)}",
        *table,
        *["", *missing],
    ]
