"""Read the reference data: expected values, derivatives and the errors that SciPy's kernels were
seen to have.

`load("special/bessel")` reads `reference_data/special/bessel.npz`; how it was made stands in
`reference_data/PROVENANCE.md`.
"""

import functools
import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Reference:
    """Truth for one function: at many points (elementwise functions) or for one call with arrays.

    Attributes
    ----------
    function, case : str
        The function's name in its room, and what is special about these arguments.
    arguments : tuple of ndarray
        float64 or complex128; most are exact in single precision too.
    options : dict
        Keyword arguments of the call.
    value : ndarray
        The truth, rounded once.
    first, second : tuple of ndarray
        Derivatives with respect to each argument, where recorded; nan where there is none (a pole,
        a kink). For complex arguments the complex derivative. `first` of a function of a whole
        array is its gradient.
    ulp : dict of str to ndarray
        Error of SciPy's kernel by dtype, "float64" and "float32": in units in the last place at
        every point, or max |error| / (eps max |value|) of a call; nan where the argument is not a
        number of that precision.
    """

    function: str
    case: str
    arguments: tuple[np.ndarray, ...]
    options: dict[str, Any]
    value: np.ndarray
    first: tuple[np.ndarray, ...]
    second: tuple[np.ndarray, ...]
    ulp: dict[str, np.ndarray]

    @property
    def label(self) -> str:
        return f"{self.function}: {self.case}"


def folder() -> Path:
    """Return the repository's `reference_data`, beside the package or above the working directory;
    SCIGRAD_REFERENCE_DATA overrides.

    Raises
    ------
    FileNotFoundError
        If there is none: an installed package does not carry it.
    """
    chosen = os.environ.get("SCIGRAD_REFERENCE_DATA")
    roots = [Path(__file__).resolve().parents[2], Path.cwd(), *Path.cwd().parents]
    for place in [Path(chosen)] if chosen else [root / "reference_data" for root in roots]:
        if (place / "PROVENANCE.md").exists():
            return place
    raise FileNotFoundError(
        "no reference_data found: run from the repository, or set SCIGRAD_REFERENCE_DATA to its "
        "folder"
    )


def subjects() -> list[str]:
    """Return the names that `load` takes."""
    root = folder()
    return [
        path.relative_to(root).with_suffix("").as_posix() for path in sorted(root.glob("*/*.npz"))
    ]


@functools.cache
def load(subject: str, function: str | None = None) -> tuple[Reference, ...]:
    """Return the records of a subject, such as "special/bessel", or those of one function in it.

    Examples
    --------
    >>> j0 = load("special/bessel", "j0")[0]
    >>> float(j0.value[0])
    1.0
    """
    if function is not None:
        return tuple(record for record in load(subject) if record.function == function)
    path = folder() / f"{subject}.npz"
    if not path.exists():
        raise FileNotFoundError(
            f"no reference data for {subject!r}; there is {', '.join(subjects())}"
        )
    with np.load(path) as data:
        arrays = dict(data)
    for array in arrays.values():
        array.flags.writeable = False  # the records are shared by all who load them
    index = json.loads(str(arrays.pop("index")))
    # the arrays of each dtype are one, in files that were written later
    if isinstance(index, dict):
        arrays = {
            name: _part(arrays[kind], start, shape)
            for name, (kind, start, shape) in index["arrays"].items()
        }
        index = index["records"]
    return tuple(_record(i, entry, arrays) for i, entry in enumerate(index))


def _part(numbers: np.ndarray, start: int, shape: list[int]) -> np.ndarray:
    return numbers[start : start + math.prod(shape)].reshape(shape)


def _record(i: int, entry: dict[str, Any], arrays: dict[str, np.ndarray]) -> Reference:
    def group(name: str, plural: str) -> tuple[np.ndarray, ...]:
        return tuple(arrays[f"{i}.{name}.{k}"] for k in range(entry[plural]))

    return Reference(
        function=entry["function"],
        case=entry["case"],
        arguments=group("argument", "arguments"),
        options=entry["options"],
        value=arrays[f"{i}.value.0"],
        first=group("first", "first"),
        second=group("second", "second"),
        ulp={name: arrays[f"{i}.ulp.{name}"] for name in ("float64", "float32")},
    )
