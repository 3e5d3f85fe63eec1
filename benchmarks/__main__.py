"""Run all subjects, or those named on the command line; keep the samples where no contender was
absent, and write the table.
"""

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
from .report import Samples, keep, kept, provenance, rows, write_table

SUBJECTS = (
    "small_solve",
    "import_time",
    "sine_chain",
    "mixed_program",
    "sparse_solve",
    "recursive_filter",
    "signal_processing",
    "dense_linalg",
    "matrix_functions",
    "transforms",
    "nonuniform",
    "special_functions",
    "jit",
)
MORE_THREADS = dict.fromkeys(  # measured with so many BLAS threads as well
    (
        "sine_chain",
        "mixed_program",
        "small_solve",
        "sparse_solve",
        "recursive_filter",
        "dense_linalg",
        "matrix_functions",
        "transforms",
        "special_functions",
    ),
    2,
)
PEERS = (
    "numpy",
    "scipy",
    "ducc0",
    "finufft",
    "autograd",
    "numba",
    "torch",
    "jax",
    "jax-finufft",
    "pyfftw",
    "mkl_fft",
    "casadi",
    "pytensor",
)


def main(arguments: list[str] | None = None) -> int:
    """Run the subjects that the command line names; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "subjects", nargs="*", metavar="subject", help=f"{', '.join(SUBJECTS)} (all of them)"
    )
    parser.add_argument("--samples", type=Path, help="write the samples there, and no table")
    options = parser.parse_args(arguments)
    if unknown := set(options.subjects) - set(SUBJECTS):
        parser.error(
            f"no subject called {', '.join(sorted(unknown))}: there are {', '.join(SUBJECTS)}"
        )
    return _run_subjects(options)


def _run_subjects(options: argparse.Namespace) -> int:
    """Return 1 if a bar was missed or a function of ours is absent."""
    missed, ours_missing = [], []
    for name in options.subjects or SUBJECTS:
        samples = {str(THREADS): measured(name)}
        if THREADS == 1 and name in MORE_THREADS:
            samples[str(MORE_THREADS[name])] = in_a_child(name, MORE_THREADS[name])
        if options.samples:
            options.samples.write_text(json.dumps(samples[str(THREADS)]))
        outcomes = outcomes_of(name, samples)
        print(*(line for outcome in outcomes for line in rows(outcome)), sep="\n", flush=True)
        if THREADS == 1 and not any(outcome.absent for outcome in outcomes):
            keep(name, provenance(PEERS), samples)
        ours_missing += [
            outcome.subject.title for outcome in outcomes if outcome.subject.ours in outcome.absent
        ]
        missed += [
            str(bar)
            for outcome in outcomes
            for bar, verdict in outcome.verdicts()
            if verdict == "MISSED"
        ]
    if THREADS == 1:
        write_table(
            (name, where, outcomes_of(name, samples))
            for name in SUBJECTS
            for where, samples in kept(name)
        )
    print(
        f"{len(missed)} bars missed, {len(ours_missing)} subjects without our own function "
        f"{ours_missing or ''}"
    )
    return 1 if missed or ours_missing else 0


def measured(name: str) -> Samples:
    """Measure the subjects of a module; return their samples, and the reasons of contenders
    without, as they are kept.
    """
    found: Samples = {}
    for key, subject in subjects_of(name).items():
        outcome = compare(subject)
        rounded = {
            who: [float(f"{seconds:.4g}") for seconds in times]
            for who, times in outcome.samples.items()
        }
        found[key] = {"seconds": rounded, "absent": outcome.absent}
    return found


def subjects_of(name: str) -> dict[str, Subject]:
    """Return the subjects of a module by name."""
    module = import_module(f"benchmarks.{name}")
    if hasattr(module, "SUBJECTS"):
        return {f"{name}.{key}": subject for key, subject in module.SUBJECTS.items()}
    return {name: module.SUBJECT}


def in_a_child(name: str, threads: int) -> Samples:
    """Measure the same subjects in another process: BLAS reads its number of threads when it is
    loaded.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples.json"
        environment = os.environ | {"BENCHMARK_THREADS": str(threads)}
        command = [sys.executable, "-m", "benchmarks", name, "--samples", str(path)]
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        return json.loads(path.read_text())


def outcomes_of(name: str, samples: dict[str, Samples]) -> list[Outcome]:
    """Return the outcomes of a module from its samples, by number of threads."""
    outcomes, alone = [], dict[str, Outcome]()
    for threads, by_subject in samples.items():
        for key, subject in subjects_of(name).items():
            if key not in by_subject:  # new since
                continue
            outcome = Outcome(subject, by_subject[key]["seconds"], by_subject[key]["absent"])
            if threads == "1":
                alone[key] = outcome
            else:
                outcome.subject = dataclasses.replace(
                    subject, title=f"{subject.title}; {threads} threads", notes=""
                )
                if subject.small and key in alone and subject.ours in alone[key].samples:
                    beside_one_thread(outcome, alone[key])
            outcomes.append(outcome)
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
