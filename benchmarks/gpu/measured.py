"""The parts of a run that are no tests, each as a program of its own: `python -m
benchmarks.gpu.measured timings JOURNAL`.

What a part found is a line of the journal at once, and is not measured again.
"""

import argparse
import importlib
import importlib.metadata
import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .journal import append, lines
from .plan import AFTER, BEFORE

_PACKAGES = (
    "scigrad",
    "numpy",
    "scipy",
    "cupy-cuda13x",
    "cupy-cuda12x",
    "numba",
    "numba-cuda",
    "optree",
    "torch",
    "jax",
)


def machine(done: set[str], _small: bool) -> Iterator[dict[str, Any]]:
    """Yield the card, the driver and the versions that the numbers belong to."""
    import cupy

    runtime = cupy.cuda.runtime
    facts = {
        "card": card_name(),
        "date": time.strftime("%Y-%m-%d"),
        "cuda runtime": str(runtime.runtimeGetVersion()),
        "cuda driver": str(runtime.driverGetVersion()),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    for package in _PACKAGES:
        try:
            facts[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    if "facts" not in done:
        yield {"name": "facts", "facts": facts}


def card_name() -> str:
    import cupy

    runtime = cupy.cuda.runtime
    name = runtime.getDeviceProperties(runtime.getDevice())["name"]
    return name.decode() if isinstance(name, bytes) else name


def _of(module: str) -> Callable[[set[str], bool], Iterator[dict[str, Any]]]:
    return lambda done, small: importlib.import_module(f"benchmarks.gpu.{module}").rows(done, small)


PARTS = {
    "machine": machine,
    **{name: _of(name) for name in (*BEFORE, *AFTER) if name != "machine"},
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu.measured", description="One part of a run."
    )
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("journal", type=Path)
    parser.add_argument(
        "--dry-run", action="store_true", help="with CuPy on the CPU, and small sizes"
    )
    chosen = parser.parse_args()
    if chosen.dry_run:
        importlib.import_module("cupy_on_cpu")
    done = {
        line["name"]
        for line in lines(chosen.journal)
        if line.get("part") == chosen.part and "name" in line
    }
    for row in PARTS[chosen.part](done, chosen.dry_run):
        append(chosen.journal, part=chosen.part, **row)


if __name__ == "__main__":
    main()
