"""Check and time the library on a GPU, and write one report: `python -m benchmarks.gpu` (`make gpu`).

It runs every law with the CuPy backend, holds our kernels to their error bounds on the card and transforms on several streams
to the serial ones, compares CuPy's surface with the table of the stand-in device, times a few operations against CuPy's own, and
writes `benchmarks/results/gpu/<card>.md` with the same in `<card>.json`. Exit status: 0 all passed, 1 something failed (the
report says what), 3 there is no GPU.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NO_GPU = 3
_PACKAGES = ("scigrad", "numpy", "scipy", "cupy-cuda13x", "cupy-cuda12x", "numba", "numba-cuda")


def find_card() -> tuple[str | None, str]:
    """Return the name of the current GPU, or None and the reason."""
    try:
        import cupy
    except ImportError:
        return None, "CuPy is not installed: pip install 'scigrad[cuda13]'"
    runtime = cupy.cuda.runtime
    try:
        name = runtime.getDeviceProperties(runtime.getDevice())["name"]
    except runtime.CUDARuntimeError as error:
        return None, f"CuPy finds no device ({error})"
    return name.decode() if isinstance(name, bytes) else name, ""


def machine(card: str) -> dict[str, str]:
    """Return the card, the driver and the versions that the numbers belong to."""
    import cupy

    runtime = cupy.cuda.runtime
    facts = {"card": card, "cuda runtime": str(runtime.runtimeGetVersion()), "cuda driver": str(runtime.driverGetVersion()),
             "python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}  # fmt: skip
    for package in _PACKAGES:
        try:
            facts[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return facts


def run_laws(tests: Path = ROOT / "tests" / "laws", backend: str = "cupy", timeout: int = 3600) -> dict[str, Any]:
    """Run all laws with the CuPy backend in a child process; return counts, and the names and messages of failures."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "laws.xml"
        command = [sys.executable, "-m", "pytest", str(tests), "--backend", backend, "-q", "-p", "no:cacheprovider",
                   f"--junitxml={report}"]  # fmt: skip
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False)
        if not report.exists():
            return {"counts": {}, "failures": {"pytest": (done.stdout + done.stderr)[-2000:]}, "passed": False}
        return {**outcomes(ElementTree.parse(report)), "exit_status": done.returncode}


def outcomes(report: ElementTree.ElementTree[Any]) -> dict[str, Any]:
    """Return counts and failures from a JUnit report of pytest's."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    failures, skipped = {}, {}
    for case in report.iter("testcase"):
        name = case.get("name", "")
        wrong = case.find("failure") if case.find("failure") is not None else case.find("error")
        skip = case.find("skipped")
        if wrong is not None:
            counts["failed"] += 1
            failures[name] = (wrong.get("message") or "")[:500]
        elif skip is not None:
            counts["skipped"] += 1
            skipped[name] = (skip.get("message") or "")[:200]
        else:
            counts["passed"] += 1
    passed = not failures and counts["passed"] > 0
    return {"counts": counts, "failures": failures, "skipped": skipped, "passed": passed}


def write_report(results: dict[str, Any], folder: Path) -> Path:
    """Write the Markdown page, and the same as JSON beside it; return the path of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    slug = re.sub(r"[^a-z0-9]+", "-", results["machine"]["card"].lower()).strip("-")
    (folder / f"{slug}.json").write_text(json.dumps(results, indent=1) + "\n")
    page = folder / f"{slug}.md"
    sections = _facts(results), _laws(results["laws"]), _kernels(results), _streams(results), _timings(results["timings"])
    page.write_text("\n".join(line for section in sections for line in section) + "\n")
    return page


def _facts(results: dict[str, Any]) -> list[str]:
    facts = [f"| {key} | {value} |" for key, value in results["machine"].items()]
    return [f"# {results['machine']['card']}", "", "Written by `make gpu`.", "", "| | |", "| --- | --- |", *facts, ""]


def _laws(laws: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{number} {outcome}" for outcome, number in laws["counts"].items())
    failures = [f"- `{name}`: {message.splitlines()[0] if message else ''}" for name, message in laws["failures"].items()]
    skipped = [f"- `{name}`: {message}" for name, message in laws.get("skipped", {}).items()]
    lines = ["## Laws with the CuPy backend", "", counts or "did not run", ""]
    lines += ["Failed:", "", *failures, ""] if failures else []
    return lines + (["Skipped:", "", *skipped, ""] if skipped else [])


def _kernels(results: dict[str, Any]) -> list[str]:
    rows = [
        f"| {row['kernel']} | {row['dtype']} | {row['ulp']:.2f} | {row['bound']:.1f} | {float(row['cupyx_ulp']):.3g} | "
        f"{'yes' if row['allocator'] else 'NO'} | {'yes' if row['passed'] else 'NO'} |"
        for row in results["kernels"]
    ]
    changes = [
        f"- `cupyx.scipy.{room}`: gone {c['gone'] or 'none'}, new {c['new'] or 'none'}" for room, c in results["surface"].items()
    ]
    return [
        "## Our kernels on the card",
        "",
        "Largest error against `reference_data`, in units in the last place; CuPy's own beside it (inf: nan or overflow).",
        "",
        "| kernel | dtype | error | bound | cupyx | CuPy's allocator | passed |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *rows,
        "",
        "## CuPy's surface against the table of the stand-in device",
        "",
        *(changes or ["No difference."]),
        "",
    ]


def _streams(results: dict[str, Any]) -> list[str]:
    rows = [f"| {r['transform']} | {r['results']} | {r['differ']} |" for r in results["streams"]]
    title = "## Transforms by two threads, each on two streams, against the serial ones, bitwise"
    return [title, "", "| transform | results | that differ |", "| --- | --- | --- |", *rows, ""]


def _timings(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "## Timings",
        "",
        "Milliseconds on the device, ours and the peer interleaved: minimum (median) of 20.",
        "",
        "| benchmark | what | ours | peer | the peer's | ratio of minima |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        if "not_run" in row:
            lines.append(f"| {row['benchmark']} | not run: {row['not_run'].splitlines()[0]} | | | | |")
            continue
        ours, theirs = (f"{row[f'{key}_min_ms']:.3f} ({row[f'{key}_median_ms']:.3f})" for key in ("ours", "peer"))
        lines.append(f"| {row['benchmark']} | {row['what']} | {ours} | {row['peer']} | {theirs} | {row['ratio']:.2f} |")
    return lines


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "gpu", help="folder of the report")
    chosen = parser.parse_args(arguments)
    card, reason = find_card()
    if card is None:
        print(f"No GPU here, nothing was checked: {reason}.")
        return NO_GPU
    from . import measure, streams

    print(f"{card}: laws with the CuPy backend ...", flush=True)
    results: dict[str, Any] = {"machine": machine(card), "laws": run_laws()}
    print("kernels and timings ...", flush=True)
    results |= {
        "kernels": measure.kernel_accuracy(),
        "streams": streams.transforms_on_streams(),
        "surface": measure.surface_changes(),
        "timings": measure.timings(),
    }
    page = write_report(results, chosen.output)
    passed = results["laws"]["passed"] and all(row["passed"] and row["allocator"] for row in results["kernels"])
    passed = passed and all(row["passed"] for row in results["streams"])
    print(f"{'all passed' if passed else 'SOMETHING FAILED'}: {page}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
