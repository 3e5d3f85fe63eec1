"""Run all subjects, or those named on the command line; keep the samples, and the table if no contender was absent."""

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from . import THREADS
from .harness import Bar, Outcome, Subject, compare
from .report import keep, markdown, provenance, rows

SUBJECTS = (
    "small_solve",
    "import_time",
    "sine_chain",
    "mixed_program",
    "sparse_solve",
    "recursive_filter",
    "dense_linalg",
    "matrix_functions",
    "transforms",
    "nonuniform",
    "special_functions",
)
MORE_THREADS = dict.fromkeys(  # measured with so many BLAS threads as well
    (
        "sine_chain",
        "mixed_program",
        "small_solve",
        "recursive_filter",
        "dense_linalg",
        "matrix_functions",
        "transforms",
        "special_functions",
    ),
    2,
)
PEERS = ("numpy", "scipy", "ducc0", "finufft", "autograd", "torch", "jax", "jax-finufft", "pyfftw", "mkl_fft")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="subject", help=f"{', '.join(SUBJECTS)} (all of them)")
    parser.add_argument("--samples", type=Path, help="write the samples there, and no table")
    options = parser.parse_args(arguments)
    chosen = options.subjects
    if unknown := set(chosen) - set(SUBJECTS):
        parser.error(f"no subject called {', '.join(sorted(unknown))}: there are {', '.join(SUBJECTS)}")
    outcomes = {}
    for name in chosen or SUBJECTS:
        for key, subject in subjects_of(name).items():
            outcomes[key] = compare(subject)
            print(*rows(outcomes[key]), sep="\n", flush=True)
        if THREADS == 1 and name in MORE_THREADS:
            for key, outcome in in_a_child(name, MORE_THREADS[name], outcomes).items():
                outcomes[key] = outcome
                print(*rows(outcome), sep="\n", flush=True)
    complete = not chosen and not any(outcome.absent for outcome in outcomes.values())
    where = provenance(PEERS)
    print("\n" + keep(outcomes, where, markdown(outcomes, where) if complete else None, options.samples))
    ours_missing = [name for name, outcome in outcomes.items() if outcome.subject.ours in outcome.absent]
    missed = [str(bar) for outcome in outcomes.values() for bar, verdict in outcome.verdicts() if verdict == "MISSED"]
    print(f"{len(missed)} bars missed, {len(ours_missing)} subjects without our own function {ours_missing or ''}")
    return 1 if missed or ours_missing else 0


def subjects_of(name: str) -> dict[str, Subject]:
    """Return the subjects of a module by name."""
    module = import_module(f"benchmarks.{name}")
    if hasattr(module, "SUBJECTS"):
        return {f"{name}.{key}": subject for key, subject in module.SUBJECTS.items()}
    return {name: module.SUBJECT}


def in_a_child(name: str, threads: int, alone: dict[str, Outcome]) -> dict[str, Outcome]:
    """Measure the same subjects in another process: BLAS reads its number of threads when it is loaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples.json"
        environment = os.environ | {"BENCHMARK_THREADS": str(threads)}
        command = [sys.executable, "-m", "benchmarks", name, "--samples", str(path)]
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        kept = json.loads(path.read_text())["subjects"]
    outcomes = {}
    for key, subject in subjects_of(name).items():
        outcome = Outcome(dataclasses.replace(subject, notes=""), kept[key]["seconds"], kept[key]["absent"])
        if subject.small and subject.ours in alone[key].samples:
            beside_one_thread(outcome, alone[key])
        outcome.subject = dataclasses.replace(outcome.subject, title=f"{subject.title}; {threads} threads")
        outcomes[f"{key}, {threads} threads"] = outcome
    return outcomes


def beside_one_thread(outcome: Outcome, alone: Outcome) -> None:
    """Hold ours with more threads to its own time with one."""
    ours, subject = outcome.subject.ours, outcome.subject
    name = f"{ours}, 1 thread"
    outcome.samples[name] = alone.samples[ours]
    bars, information = (*subject.bars, Bar(name, ratio=1.1)), (*subject.information, name)
    outcome.subject = dataclasses.replace(subject, bars=bars, information=information)


if __name__ == "__main__":
    sys.exit(main())
