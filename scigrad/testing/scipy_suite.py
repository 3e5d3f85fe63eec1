"""SciPy's own tests of a room, with our functions in SciPy's place: `python -m
scigrad.testing.scipy_suite linalg`.

The tests that SciPy installs run four times, each in a process of its own: as they are; with every
public function that we have under the same name put into `scipy.<room>`; with our functions and
classes handed to whatever a test module imports, where the first way leaves out classes and names
of SciPy's private modules; and with the functions called as a transform calls them, so that our own
rules and kernels answer and not SciPy behind a short cut. A test that SciPy passes and we fail is
named, with its message, in `docs/scipy_suite.md`, which `--write` renews. Exit status: 0 if none is
lost with plain arrays for which `REASONS` has no reason.
"""

import argparse
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from importlib import metadata
from pathlib import Path

from .scipy_differences import BESIDE, REASONS
from .scipy_replacement import ROOMS, put_in_place

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scipy_suite.md"
# seconds for a test: one of special computes with mpmath for minutes, with SciPy's functions as
# with ours
TIME = 900
MEASURED = ("linalg", "fft")
RUNS = {
    "SciPy": [],
    "ours": ["--in-place-of-scipy", "{room}"],
    "ours, imported": ["--in-place-of-scipy", "{room}", "--imported"],
    "ours, recorded": ["--in-place-of-scipy", "{room}", "--recorded"],
}


def outcomes(room: str, options: list[str], workers: int) -> dict[str, tuple[str, str]]:
    """Return the outcome of each test of SciPy: passed, failed or skipped, and the first line of
    the reason.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "suite.xml"
        plugin = [
            "-p",
            "scigrad.testing.scipy_replacement",
            *(option.format(room=room) for option in options),
        ]
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-n",
            str(workers),
            f"--timeout={TIME}",
            f"--junitxml={report}",
            *plugin,
            "--pyargs",
            f"scipy.{room}" + ("" if room == "sparse.linalg" else ".tests"),
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if not report.exists():
            raise RuntimeError(f"pytest wrote no report:\n{(done.stdout + done.stderr)[-2000:]}")
        return dict(_outcome(case) for case in ElementTree.parse(report).iter("testcase"))


def _outcome(case: ElementTree.Element) -> tuple[str, tuple[str, str]]:
    name = f"{case.get('classname', '').rpartition('tests.')[2]}::{case.get('name')}"
    for element, outcome in (("failure", "failed"), ("error", "failed"), ("skipped", "skipped")):
        found = case.find(element)
        if found is not None:
            return name, (outcome, (found.get("message") or "").strip().partition("\n")[0][:160])
    return name, ("passed", "")


def lost(
    room: str, ours: dict[str, tuple[str, str]], theirs: dict[str, tuple[str, str]]
) -> dict[str, str]:
    """Return the tests that SciPy passes and we do not, with the reason."""
    beside = BESIDE.get(room, {})
    counted = (
        name for name in theirs if name not in beside and name.partition("[")[0] not in beside
    )
    passed = [name for name in counted if theirs[name][0] == "passed"]
    missing = ("failed", "the test did not run")
    return {
        name: ours.get(name, missing)[1]
        for name in passed
        if ours.get(name, missing)[0] != "passed"
    }


EXPLANATION = (
    (
        '"recorded": the same, called on arrays that reverse mode records, where no short cut '
        "leads to SciPy. There nothing"
    ),
    (
        "is overwritten, and one matrix and a batch go through different kernels: last digits "
        "in single precision and signs"
    ),
    "of eigenvectors differ, which some of these tests compare.",
    "",
    (
        '"imported": what a test module imports from SciPy is ours. "ours" puts functions into '
        "`scipy.<room>` under their names,"
    ),
    (
        "which leaves out classes, and what a test takes from a private module "
        "(`scipy.sparse.linalg._expm_multiply`): there SciPy's"
    ),
    "own answered. Here each object is found by its identity, wherever SciPy's tests get it from.",
)
HEADS = (
    "| | passed | failed | skipped or expected to fail | lost: SciPy passes, we do not |",
    "| --- | ---: | ---: | ---: | ---: |",
)


def page(room: str, results: dict[str, dict[str, tuple[str, str]]]) -> str:
    """Return the comparison as Markdown."""
    versions = ", ".join(
        f"{name} {metadata.version(name)}" for name in ("scipy", "numpy", "pytest")
    )
    names = put_in_place(room, lambda function: function)
    missing = {run: lost(room, found, results["SciPy"]) for run, found in results.items()}
    lines = [
        f"# SciPy's tests of scipy.{room} with our functions in its place",
        "",
        (
            f"Written by `make scipy-suite`; {versions}. {len(names)} functions stand in: "
            f"{', '.join(names)}."
        ),
        "",
        *EXPLANATION,
        "",
        *HEADS,
        *(_row_of_outcomes(run, found, len(missing[run])) for run, found in results.items()),
    ]
    for run, gone in missing.items():
        if gone:
            lines += ["", f"## Lost: {run}", "", *_by_test(gone, REASONS.get(room, {}))]
    if room in BESIDE:
        lines += ["", "## Not counted as lost", ""]
        lines += [f"- `{test}`: {reason}" for test, reason in BESIDE[room].items()]
    return "\n".join(lines) + "\n"


def _row_of_outcomes(run: str, found: dict[str, tuple[str, str]], gone: int) -> str:
    """Return the line of a run in the table: how many tests had each outcome, and how many are
    lost.
    """
    outcomes = [outcome for outcome, _ in found.values()]
    counts = [outcomes.count(kind) for kind in ("passed", "failed", "skipped")]
    return f"| {run} | {' | '.join(map(str, counts))} | {gone} |"


def _by_test(gone: dict[str, str], known: dict[str, str]) -> list[str]:
    """Return one line for each test function: the number of its lost cases, and the reason, or the
    message of the first.
    """
    groups: dict[str, list[str]] = {}
    for name, reason in sorted(gone.items()):
        groups.setdefault(name.partition("[")[0], []).append(reason)
    return [
        f"- `{name}`, {len(reasons)}: {known.get(name, reasons[0])}"
        for name, reasons in groups.items()
    ]


def renewed(text: str, rooms: dict[str, str]) -> str:
    """Return the page with the sections of some rooms in place of older ones."""
    title = "# SciPy's tests of scipy."
    sections = {part.partition(" ")[0]: title + part.rstrip() for part in text.split(title)[1:]}
    sections |= {room: section.rstrip() for room, section in rooms.items()}
    return "\n\n".join(sections.values()) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m scigrad.testing.scipy_suite", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "rooms",
        nargs="*",
        metavar="room",
        help=f"one of {', '.join(ROOMS)} ({' and '.join(MEASURED)} if none)",
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"renew {PAGE.relative_to(ROOT)}")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.rooms) - set(ROOMS):
        parser.error(f"no room called {', '.join(sorted(unknown))}")
    failed, sections = False, {}
    for room in chosen.rooms or MEASURED:
        results = {run: outcomes(room, options, chosen.workers) for run, options in RUNS.items()}
        sections[room] = page(room, results)
        print(sections[room])
        gone = [
            name
            for run in ("ours", "ours, imported")
            for name in lost(room, results[run], results["SciPy"])
        ]
        failed = failed or any(name.partition("[")[0] not in REASONS.get(room, {}) for name in gone)
    if chosen.write:
        PAGE.write_text(
            renewed(PAGE.read_text("utf-8") if PAGE.exists() else "", sections), "utf-8"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
