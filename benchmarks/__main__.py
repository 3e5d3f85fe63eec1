"""Run all subjects, or those named on the command line; keep the samples, and the table if every contender was there."""

import argparse
import sys
from importlib import import_module

from .harness import compare
from .report import keep, markdown, provenance, rows

SUBJECTS = ("small_solve", "import_time", "sine_chain", "sparse_solve", "recursive_filter")
PEERS = ("numpy", "scipy", "autograd", "torch", "jax")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="subject", help=f"{', '.join(SUBJECTS)} (all of them)")
    chosen = parser.parse_args(arguments).subjects
    if unknown := set(chosen) - set(SUBJECTS):
        parser.error(f"no subject called {', '.join(sorted(unknown))}: there are {', '.join(SUBJECTS)}")
    outcomes = {}
    for name in chosen or SUBJECTS:
        outcomes[name] = compare(import_module(f"benchmarks.{name}").SUBJECT)
        print(*rows(outcomes[name]), sep="\n", flush=True)
    complete = not chosen and not any(outcome.absent for outcome in outcomes.values())
    where = provenance(PEERS)
    print("\n" + keep(outcomes, where, markdown(outcomes, where) if complete else None))
    ours_missing = [name for name, outcome in outcomes.items() if outcome.subject.ours in outcome.absent]
    missed = [str(bar) for outcome in outcomes.values() for bar, verdict in outcome.verdicts() if verdict == "MISSED"]
    print(f"{len(missed)} bars missed, {len(ours_missing)} subjects without our own function {ours_missing or ''}")
    return 1 if missed or ours_missing else 0


if __name__ == "__main__":
    sys.exit(main())
