"""Measure the errors of special functions against mpmath by regions of their arguments:
docs/special_accuracy.md.

python -P docs/generate/special_accuracy.py     without this folder's coverage.py, which is not the one that Numba asks for

Which digits are lost depends on the vector loops of NumPy and on the C library, that is on the
processor; the page has the largest error over the processors that this one can stand in for
(scigrad/testing/processors.py). Each is measured by a process of its own, `--numbers`.

The truth is reference_data/special/regions.npz. Errors are in units in the last place of the truth;
those of derivatives are of the first partial derivative in every argument, by forward mode.
tests/special/test_accuracy.py holds the functions to the page.
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from scigrad import jvp, special
from scigrad.host.compiled import LARGE, names
from scigrad.testing import processors
from scigrad.testing.reference import Reference, load

PAGE = Path(__file__).resolve().parents[1] / "special_accuracy.md"
HEAD = """# The accuracy of special functions

Written by `docs/generate/special_accuracy.py` from `reference_data/special/regions.npz` (mpmath; the generator has the intervals
that the regions stand for, 16 points each). Errors are in units in the last place of the truth, rounded up to two digits: the
largest and the median of values in double and in single precision, SciPy's beside them (recorded with the data, against the truth
before it is rounded), then the largest and the median of first derivatives in double precision, `a / b` by the first and by the
second argument. Near a root an error is large by this measure, and so is that of most derivatives by an order or a parameter,
which are differences of values.

Processors differ by their vector instructions, for which NumPy and the C library have other code: each number is the largest over
PROCESSORS and the one at hand; where they differ the last column names those that have
it. A test holds the functions to the page, on each of them; errors of values of less than one unit depend on the version of the C
library too, and are not held.

| function | region | float64 | SciPy's | float32 | SciPy's | derivatives, largest | median | largest on |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |
"""


LARGE_ARRAYS = f"""
## Large arrays

With Numba installed, values of float64 arrays of {LARGE:,} elements or more come from polynomials in pieces
(`scigrad/host/compiled.py`); beyond the pieces SciPy's functions compute. The errors of the same points in such an array:

| function | region | large arrays | SciPy's |
| --- | --- | ---: | ---: |
"""


def ulp(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return errors in units in the last place of the truth, in the precision of what was found."""
    kind = np.float64 if found.dtype in (np.float64, np.complex128) else np.float32
    rounded = truth.astype(kind)
    unit = np.spacing(np.maximum(np.abs(rounded), np.finfo(kind).tiny)).astype(np.float64)
    return np.where(
        rounded == np.real(found), 0, np.abs(np.real(found).astype(np.float64) - truth) / unit
    )


def slopes(record: Reference) -> list[np.ndarray]:
    """Return the errors of the first derivative in each argument."""
    f, args = getattr(special, record.function), record.arguments

    def slope(i: int) -> np.ndarray:
        varied = lambda x: f(*args[:i], x, *args[i + 1 :])  # noqa: E731
        return jvp(varied, (args[i],), (np.ones_like(args[i]),))[1]

    return [ulp(slope(i), truth) for i, truth in enumerate(record.first)]


def measured(record: Reference) -> list[list[float]]:
    """Return the largest and the median error: float64, float32, then those of derivatives."""
    f = getattr(special, record.function)
    values = [
        ulp(f(*(x.astype(dtype) for x in record.arguments)), record.value)
        for dtype in (np.float64, np.float32)
    ]
    return [[float(np.max(e)), float(np.median(e))] for e in (*values, *slopes(record))]


def shown(x: float) -> str:
    """Return a number rounded up to two digits."""
    if not np.isfinite(x) or x <= 0:
        return "0" if x == 0 else "inf"
    step = 10.0 ** (math.floor(math.log10(x)) - 1)
    return f"{math.ceil(x / step) * step:.2g}"


def line(record: Reference, errors: list[list[float]], places: str) -> str:
    double, single, *first = errors
    scipys = [
        [float(np.max(record.ulp[name])), float(np.median(record.ulp[name]))]
        for name in ("float64", "float32")
    ]
    pairs = [", ".join(map(shown, pair)) for pair in (double, scipys[0], single, scipys[1])]
    derivatives = (" / ".join(shown(pair[k]) for pair in first) for k in (0, 1))
    return (
        " | ".join([f"| `{record.function}`", record.case, *pairs, *derivatives, places]) + " |\n"
    )


def measured_large(record: Reference) -> list[float]:
    """Return the largest and the median error of values of a large array in double precision."""
    x = record.arguments[0]
    errors = ulp(getattr(special, record.function)(np.resize(x, LARGE))[: x.size], record.value)
    return [float(np.max(errors)), float(np.median(errors))]


def in_pieces() -> list[Reference]:
    """Return the records of the functions that large arrays have other values of."""
    return [
        record
        for record in load("special/regions")
        if getattr(special, record.function).__name__ in names()
    ]


def line_of_large(record: Reference, errors: list[list[float]]) -> str:
    pairs = (
        errors[0],
        [float(np.max(record.ulp["float64"])), float(np.median(record.ulp["float64"]))],
    )
    return (
        f"| `{record.function}` | {record.case} | "
        + " | ".join(", ".join(map(shown, pair)) for pair in pairs)
        + " |\n"
    )


def numbers() -> list[list[list[float]]]:
    """Return the errors of all rows of the page on this processor."""
    with np.errstate(all="ignore"):
        return [
            *map(measured, load("special/regions")),
            *([measured_large(record)] for record in in_pieces()),
        ]


def on_all_processors() -> list[tuple[list[list[float]], str]]:
    """Return the largest errors of each row, and the names of the processors on which they are
    larger than elsewhere.
    """
    found: dict[str, Any] = {}
    for name in processors.stand_ins():
        found[name] = json.loads(
            processors.start(name, "-P", __file__, "--numbers").communicate()[0]
        )
    rows = []
    for errors in zip(*found.values(), strict=True):
        table = np.array([np.ravel(e) for e in errors])
        worst = [list(found)[i] for i in np.argmax(table, axis=0)[np.ptp(table, axis=0) > 0]]
        rows.append(
            (np.max(table, axis=0).reshape(-1, 2).tolist(), ", ".join(dict.fromkeys(worst)))
        )
    return rows


def write() -> None:
    records, large, rows = load("special/regions"), in_pieces(), on_all_processors()
    head = HEAD.replace(
        "PROCESSORS", ", ".join(name for name in processors.stand_ins() if name != processors.HERE)
    )
    lines = [
        head,
        *(line(record, *row) for record, row in zip(records, rows, strict=False)),
        LARGE_ARRAYS,
    ]
    lines += [
        line_of_large(record, row[0])
        for record, row in zip(large, rows[len(records) :], strict=True)
    ]
    PAGE.write_text("".join(lines))


if __name__ == "__main__":
    if sys.argv[1:] == ["--numbers"]:
        print(json.dumps(numbers()))
    else:
        write()
