"""Write the reference data anew and describe it in PROVENANCE.md.

python reference_data/generate                  everything (seconds)
python reference_data/generate special/bessel   one subject, and PROVENANCE.md
"""

from __future__ import annotations

import hashlib
import platform
import runpy
import sys
from pathlib import Path

import mpmath
import numpy as np
import scipy
from recording import DIGITS, write

HERE = Path(__file__).parent
DATA = HERE.parent


PAGE = """# Where the reference data comes from

Every expected value and derivative was computed with mpmath MPMATH at DIGITS digits or more and rounded once to double
precision. None comes from a formula that a rule or kernel of this library uses: derivatives are mpmath's own `diff`, or
central differences at 2,000 digits and more for arguments of all sizes (`numpy/tails`), or mpmath's functions in the textbook's
closed form at up to 1,000 digits (`special/tails`), transforms are sums over the definition, linear systems and eigenvalues are
solved for the matrix exactly as stored.

Recorded errors are those of SciPy's kernels on the machine that wrote the files: in units in the last place of the truth
for elementwise functions, `max |error| / (eps max |truth|)` for calls with arrays; `nan` where the argument is no float32
number. They were measured with SciPy SCIPY and NumPy NUMPY, MACHINE.

`python reference_data/generate` writes all of it anew; `scigrad.testing.reference.load("special/bessel")` reads it.

| file | written by | bytes | sha256 |
| --- | --- | --- | --- |
"""


def subjects() -> list[str]:
    found = (
        path.relative_to(HERE).with_suffix("").as_posix() for path in sorted(HERE.glob("*/*.py"))
    )
    # those print tables for a kernel's source
    return [name for name in found if not name.endswith("_coefficients")]


def provenance() -> str:
    rows = []
    for path in sorted(DATA.glob("*/*.npz")):
        name = path.relative_to(DATA).as_posix()
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        rows.append(
            f"| `{name}` | `generate/{name.removesuffix('.npz')}.py` | {path.stat().st_size} | "
            f"`{digest}` |"
        )
    versions = {
        "MPMATH": mpmath.__version__,
        "DIGITS": str(DIGITS),
        "SCIPY": scipy.__version__,
        "NUMPY": np.__version__,
        "MACHINE": f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
    }
    text = PAGE
    for word, value in versions.items():
        text = text.replace(word, value)
    return text + "\n".join([*rows, ""])


def main(chosen: list[str]) -> None:
    for subject in chosen or subjects():
        records = runpy.run_path(str(HERE / f"{subject}.py"))["records"]()
        write(records, DATA / f"{subject}.npz")
        print(f"{subject}: {len(records)} records")
    (DATA / "PROVENANCE.md").write_text(provenance())


if __name__ == "__main__":
    main(sys.argv[1:])
