"""Time of `import scigrad` and of the first use of a transform, each in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from .harness import Bar, Run, Seconds, Subject

# The start of the interpreter is not counted: it would bring every ratio closer to 1.
CODE = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def fresh(statement: str) -> Callable[[], Run]:
    def run() -> Seconds:
        done = subprocess.run([sys.executable, "-c", CODE.format(statement)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ImportError(done.stderr.strip().splitlines()[-1])
        return Seconds(done.stdout)

    return lambda: run


SUBJECT = Subject(
    title="import",
    ours="import scigrad",
    contenders={
        "import scigrad": fresh("import scigrad"),
        "import numpy": fresh("import numpy"),
        "from scigrad import grad": fresh("from scigrad import grad"),
        "from scigrad import grad, linalg, special": fresh("from scigrad import grad, linalg, special; linalg.solve; special.j0"),
        "import scipy.linalg, scipy.special": fresh("import scipy.linalg, scipy.special"),
    },
    bars=(Bar("import numpy", ratio=1.3),),
    information=(
        "from scigrad import grad",
        "from scigrad import grad, linalg, special",
        "import scipy.linalg, scipy.special",
    ),
)
