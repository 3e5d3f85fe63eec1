"""Measure the errors of special functions against mpmath by regions of their arguments: docs/special_accuracy.md.

python -P docs/generate/special_accuracy.py     without this folder's coverage.py, which is not the one that Numba asks for

The truth is reference_data/special/regions.npz. Errors are in units in the last place of the truth; those of derivatives are of
the first partial derivative in every argument, by forward mode. tests/special/test_accuracy.py holds the functions to the page.
"""

import math
from pathlib import Path

import numpy as np

from scigrad import jvp, special
from scigrad.special.piecewise import LARGE, names
from scigrad.testing.reference import Reference, load

PAGE = Path(__file__).resolve().parents[1] / "special_accuracy.md"
HEAD = """# The accuracy of special functions

Written by `docs/generate/special_accuracy.py` from `reference_data/special/regions.npz` (mpmath; the generator has the intervals
that the regions stand for, 16 points each). Errors are in units in the last place of the truth, rounded up to two digits: the
largest and the median of values in double and in single precision, SciPy's beside them (recorded with the data, against the truth
before it is rounded), then the largest and the median of first derivatives in double precision, `a / b` by the first and by the
second argument. Near a root an error is large by this measure, and so is that of most derivatives by an order or a parameter,
which are differences of values. A test holds the functions to the page; errors of values of less than one unit depend on the C
library, and are not held.

| function | region | float64 | SciPy's | float32 | SciPy's | derivatives, largest | median |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""


LARGE_ARRAYS = f"""
## Large arrays

With Numba installed, values of float64 arrays of {LARGE:,} elements or more come from polynomials in pieces
(`scigrad/special/piecewise.py`); beyond the pieces SciPy's functions compute. The errors of the same points in such an array:

| function | region | large arrays | SciPy's |
| --- | --- | ---: | ---: |
"""


def ulp(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return errors in units in the last place of the truth, in the precision of what was found."""
    kind = np.float64 if found.dtype in (np.float64, np.complex128) else np.float32
    rounded = truth.astype(kind)
    unit = np.spacing(np.maximum(np.abs(rounded), np.finfo(kind).tiny)).astype(np.float64)
    return np.where(rounded == np.real(found), 0, np.abs(np.real(found).astype(np.float64) - truth) / unit)


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
    values = [ulp(f(*(x.astype(dtype) for x in record.arguments)), record.value) for dtype in (np.float64, np.float32)]
    return [[float(np.max(e)), float(np.median(e))] for e in (*values, *slopes(record))]


def shown(x: float) -> str:
    """Return a number rounded up to two digits."""
    if not np.isfinite(x) or x <= 0:
        return "0" if x == 0 else "inf"
    step = 10.0 ** (math.floor(math.log10(x)) - 1)
    return f"{math.ceil(x / step) * step:.2g}"


def line(record: Reference) -> str:
    double, single, *first = measured(record)
    scipys = [[float(np.max(record.ulp[name])), float(np.median(record.ulp[name]))] for name in ("float64", "float32")]
    pairs = [", ".join(map(shown, pair)) for pair in (double, scipys[0], single, scipys[1])]
    derivatives = (" / ".join(shown(pair[k]) for pair in first) for k in (0, 1))
    return " | ".join([f"| `{record.function}`", record.case, *pairs, *derivatives]) + " |\n"


def measured_large(record: Reference) -> list[float]:
    """Return the largest and the median error of values of a large array in double precision."""
    x = record.arguments[0]
    errors = ulp(getattr(special, record.function)(np.resize(x, LARGE))[: x.size], record.value)
    return [float(np.max(errors)), float(np.median(errors))]


def in_pieces() -> list[Reference]:
    """Return the records of the functions that large arrays have other values of."""
    return [record for record in load("special/regions") if getattr(special, record.function).__name__ in names()]


def line_of_large(record: Reference) -> str:
    pairs = (measured_large(record), [float(np.max(record.ulp["float64"])), float(np.median(record.ulp["float64"]))])
    return f"| `{record.function}` | {record.case} | " + " | ".join(", ".join(map(shown, pair)) for pair in pairs) + " |\n"


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        lines = [HEAD, *map(line, load("special/regions")), LARGE_ARRAYS, *map(line_of_large, in_pieces())]
    PAGE.write_text("".join(lines))
