"""Time of `import scigrad` and of the first use of a transform, each in a fresh interpreter."""

import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable

from .harness import Bar, Run, Seconds, Subject

# The start of the interpreter is not counted: it would bring every ratio closer to 1.
CODE = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


@functools.cache
def _compiled() -> tuple[dict[str, str], object]:
    """Return an environment in which Python keeps what it compiles, of all packages as of installed
    ones, and the folder.
    """
    folder = tempfile.TemporaryDirectory()
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": folder.name}, folder


def fresh(statement: str) -> Callable[[], Run]:
    def run() -> Seconds:
        command = [sys.executable, "-c", CODE.format(statement)]
        done = subprocess.run(
            command, env=_compiled()[0], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise ImportError(done.stderr.strip().splitlines()[-1])
        return Seconds(done.stdout)

    def ready() -> Run:
        run()  # the first run compiles
        return run

    return ready


SUBJECT = Subject(
    title="import",
    ours="import scigrad",
    contenders={
        "import scigrad": fresh("import scigrad"),
        "import numpy": fresh("import numpy"),
        "from scigrad import grad": fresh("from scigrad import grad"),
        "from scigrad import grad, linalg, special": fresh(
            "from scigrad import grad, linalg, special; linalg.solve; special.j0"
        ),
        "import scipy.linalg, scipy.special": fresh("import scipy.linalg, scipy.special"),
    },
    bars=(Bar("import numpy", ratio=1.3),),
    information=(
        "from scigrad import grad",
        "from scigrad import grad, linalg, special",
        "import scipy.linalg, scipy.special",
    ),
)
