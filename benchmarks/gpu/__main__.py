"""Check and time the library on a GPU, and write one report: `python -m benchmarks.gpu` (`make
gpu`).

In the order of their value: versions and a smoke test, probes of what would be wrong silently and
the laws of all functions by `--workers` processes, then one by one the errors of our kernels,
transforms on several streams, CuPy's names against our table, and timings. Each result is a line of
the journal in the folder of `--output` as soon as it is known. The run stops by itself before
`--budget` seconds are over; the same command continues it. Exit status: 0 all passed, 1 something
failed (the report says what), 2 there is more to do, 3 there is no GPU.
"""

import argparse
import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

from . import journal, plan, report

NO_GPU, MORE_TO_DO = 3, 2
FOR_THE_REPORT = 2  # seconds of the budget


def find_card() -> tuple[str | None, str]:
    """Return the name of the current GPU, or None and the reason."""
    from .measured import card_name

    try:
        import cupy
    except ImportError:
        return None, "CuPy is not installed: pip install 'scigrad[cuda13]'"
    try:
        return card_name(), ""
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return None, f"CuPy finds no device ({error})"


def commit() -> str:
    """Return the commit that runs, with a + if files have changed since; "unknown" where there is
    no repository.
    """
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        return subprocess.run(
            command, cwd=plan.ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=plan.ROOT / "benchmarks/results/gpu",
        help="folder of journal and report",
    )
    parser.add_argument(
        "--journal", type=Path, help="an earlier journal to continue; that in the folder by default"
    )
    parser.add_argument(
        "--budget", type=float, default=float("inf"), help="seconds until the run stops by itself"
    )
    parser.add_argument(
        "--timeout",
        type=int,
        default=120,
        help="seconds that a test may take, which shares the card",
    )
    half = max(1, (os.cpu_count() or 2) // 2)
    parser.add_argument(
        "--workers",
        type=int,
        default=half,
        help="processes that share the tests (half of the cores)",
    )
    parser.add_argument(
        "--parts", default="", help="these parts alone, such as 'smoke,values linalg'"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="run once more what failed in the journal, after a mend",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="with CuPy on the CPU: PYTHONPATH=tests/gpu_dry:."
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    begun, chosen = time.time(), options(arguments)
    if chosen.dry_run:
        importlib.import_module("cupy_on_cpu")
    card, reason = find_card()
    if card is None:
        print(f"No GPU here, nothing was checked: {reason}.")
        return NO_GPU
    chosen.output.mkdir(parents=True, exist_ok=True)
    path = chosen.output / "journal.jsonl"
    if chosen.journal and chosen.journal.resolve() != path.resolve():
        path.write_text(chosen.journal.read_text())
    if chosen.again:
        journal.append(path, event="again")
    journal.append(path, event="commit", commit=commit())
    run = plan.Run(
        path, begun + chosen.budget - FOR_THE_REPORT, chosen.timeout, chosen.dry_run, chosen.workers
    )
    complete = run.whole(tuple(filter(None, chosen.parts.split(","))))
    page, passed = report.write(path, chosen.output)
    state = "all passed" if passed else "SOMETHING FAILED"
    print(f"{state if complete else f'the time is up, so far {state}'}: {page}")
    return (0 if passed else 1) if complete else MORE_TO_DO


if __name__ == "__main__":
    sys.exit(main())
