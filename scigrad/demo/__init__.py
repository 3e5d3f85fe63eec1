"""Three fits to measurements simulated from real data, with gradients through `sparse`, `fft` and
`signal`.

`python -m scigrad demo` runs them all; each is one file to read, and prints a gradient check
against finite differences, the progress of the fit and the final misfit, and draws one picture.
"""

import time
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

PROBLEMS = ("groundwater", "phase_retrieval", "ecg_filter")
# largest relative difference from finite differences of a gradient that counts as right
TRUSTED = 1e-6


def run(problems: Iterable[str] = PROBLEMS, folder: Path = Path("build/demo")) -> bool:
    """Solve the problems, write their pictures into `folder`, print a summary; return whether every
    gradient was right.
    """
    from rich.box import SIMPLE
    from rich.table import Column, Table

    from scigrad.demo.descent import console

    folder.mkdir(parents=True, exist_ok=True)
    name_column = Column("problem", min_width=max(map(len, PROBLEMS)))
    table = Table(
        name_column, "gradient error", "first misfit", "last", "noise level", "seconds", box=SIMPLE
    )
    right, everything = True, time.perf_counter()
    for name in problems:
        problem = import_module(f"scigrad.demo.{name}")
        console.print(f"\n[bold]{problem.TITLE}[/]")
        began = time.perf_counter()
        outcome = problem.demonstrate(folder)
        misfit = outcome.descent.misfit
        right = right and outcome.gradient_error < TRUSTED
        console.print(
            f"  final misfit     {misfit[-1]:.3g} {outcome.unit} (noise level "
            f"{outcome.noise_level:.3g})"
        )
        console.print(f"  picture          {outcome.picture}")
        table.add_row(
            name,
            f"{outcome.gradient_error:.1e}",
            f"{misfit[0]:.3g}",
            f"{misfit[-1]:.3g}",
            f"{outcome.noise_level:.3g}",
            f"{time.perf_counter() - began:.1f}",
        )
    console.print(table)
    console.print(f"  {time.perf_counter() - everything:.0f} seconds in all")
    return right
