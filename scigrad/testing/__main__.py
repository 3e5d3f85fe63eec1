"""Fuzz the functions of a folder of specs: python -m scigrad.testing tests/specs --count 1000.

Without a folder, random programs with loops are drawn, recorded by `jit` and compared.
"""

import argparse
import collections
import functools
import sys
import timeit
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from .compositions import Example, draw_composition, examples_of
from .fuzzing import report, runs, runs_of_programs
from .opspec import load_specs


def _seconds(example: Example) -> float:
    """Return the time of the second call of an example; the first may import or compile."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call = functools.partial(example.function, *example.tree.unflatten(example.leaves))
        try:
            call()
            return timeit.timeit(call, number=1)
        except Exception:  # an example of an error, which is a composition without a value
            return 0.0


def _quick_ones(numbers: Iterable[int], examples: list[Example], given: Any) -> list[int]:
    """Return the numbers of compositions without a slow call."""
    slow = {id(e) for e in examples if given.seconds < np.inf and _seconds(e) > given.seconds}
    return [
        k
        for k in numbers
        if not any(
            id(step.example) in slow
            for step in draw_composition(examples, given.seed, k, given.steps).steps
        )
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m scigrad.testing",
        description="Fuzz the functions of a folder of specs.",
    )
    parser.add_argument("folder", type=Path, nargs="?", help="random programs without it")
    for name, default in (("first", 0), ("count", 1000), ("seed", 0), ("steps", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument(
        "--seconds",
        type=float,
        default=np.inf,
        help="leave out compositions with a call that takes longer",
    )
    given, found = parser.parse_args(arguments), collections.Counter()
    numbers = range(given.first, given.first + given.count)
    if given.folder is None:
        checked = runs_of_programs(numbers, given.seed)
    else:
        examples = examples_of(load_specs(given.folder))
        numbers = _quick_ones(numbers, examples, given)
        checked = runs(examples, numbers, given.seed, given.steps)
    for number, name, result in checked:
        if isinstance(result, tuple):
            print(report(number, given.seed, name, *result), end="\n\n", flush=True)
        found["failed" if isinstance(result, tuple) else result] += 1
    print(f"{len(numbers)} compositions of seed {given.seed}: {dict(found)}")
    return 1 if found["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
