"""`python -m scigrad demo` solves three problems, `python -m scigrad info` tells what is
installed, `python -m scigrad run --adopt control script.py` runs a script with adopted packages.
"""

import argparse
import os
import platform
import sys
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

from scigrad import __version__
from scigrad.demo import PROBLEMS

NEEDED = ("numpy", "scipy", "optree")
OPTIONAL = {  # module: what it brings
    "numba": "compiled kernels",
    "numba.cuda": "i0e and i1e on the GPU, more accurate than CuPy's",
    "ducc0": "Fourier transforms faster than SciPy's, and non-uniform ones",
    "finufft": "non-uniform Fourier transforms",
    "cufinufft": "non-uniform Fourier transforms on the GPU",
    "pypardiso": "sparse factorizations by MKL Pardiso",
}


def installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that should hold it is missing
        return False


def version(module: str) -> str:
    """Return the version of the distribution that brought the module, found without importing
    it.
    """
    distributions = metadata.packages_distributions().get(module.partition(".")[0], [])
    return metadata.version(distributions[0]) if distributions else "version unknown"


def state(module: str) -> str:
    """Return the version of an accelerator and what it brings, or why it is not used."""
    from scigrad.numpy.accelerators import ABSENT, why_not

    brings, reason = OPTIONAL[module], why_not(module) or first_use(module) or why_not(module)
    if reason is None:
        return f"{version(module)}: {brings}"
    return (
        f"{ABSENT}: {brings}"
        if reason == ABSENT
        else f"{version(module)}, not used ({reason}): {brings}"
    )


def first_use(module: str) -> str | None:
    """Compile something by Numba, which may fail there alone; return why that is not possible, or
    None.
    """
    import numpy as np

    from scigrad import special

    if module == "numba":
        special.erf(np.ones(1 << 16))
    elif module == "numba.cuda":
        if gpus()[0].startswith("none"):
            return "there is no GPU"
        special.i0e(import_module("cupy").ones(1))
    return None


def gpus() -> list[str]:
    """Return names and memory of the GPUs that CuPy can use, or the reason why there are none."""
    if not installed("cupy"):
        return ["none: CuPy is not installed (pip install 'scigrad[cuda13]')"]
    try:
        runtime = import_module("cupy").cuda.runtime
        found = [runtime.getDeviceProperties(number) for number in range(runtime.getDeviceCount())]
    except Exception as reason:
        # a missing driver, a missing library, a CUDA error: CuPy raises many types
        return [
            (
                f"none: CuPy says {type(reason).__name__}: "
                f"{str(reason).splitlines()[0] if str(reason) else ''}"
            )
        ]
    return [
        f"{gpu['name'].decode()}, {gpu['totalGlobalMem'] / 2**30:.0f} GiB" for gpu in found
    ] or ["none found"]


def info() -> None:
    """Print versions, backends and devices."""
    machine = f"{platform.system()} {platform.machine()}"
    lines = [("scigrad", __version__), ("Python", f"{platform.python_version()} on {machine}")]
    lines += [(name, version(name)) for name in NEEDED]
    lines += [
        ("cupy", f"{version('cupy') if installed('cupy') else 'not installed'}: arrays on the GPU")
    ]
    lines += [(name, state(name)) for name in OPTIONAL]
    lines += [("CPU", f"{os.cpu_count()} cores, backend numpy"), *(("GPU", gpu) for gpu in gpus())]
    for name, what in lines:
        print(f"{name:<16} {what}")


def demo(problems: list[str], folder: Path) -> int:
    """Run the demonstration; 1 when a gradient was wrong, 2 when a package that only the demo needs
    is missing.
    """
    missing = [name for name in ("matplotlib", "pywt", "PIL", "rich") if not installed(name)]
    if missing:
        print(
            f"The demo also needs {', '.join(missing)}. To install: pip install 'scigrad[demo]'",
            file=sys.stderr,
        )
        return 2
    from scigrad.demo import run

    return 0 if run(problems, folder) else 1


def run_script(path: Path, options: list[str], packages: list[str]) -> int:
    """Run a script as Python does, with packages adopted."""
    import runpy

    from scigrad import adopt

    adopt(*packages)
    sys.argv = [str(path), *options]
    sys.path[0] = str(path.resolve().parent)
    runpy.run_path(str(path), run_name="__main__")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m scigrad", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("info", help="versions, backends and devices found")
    show = commands.add_parser(
        "demo",
        help="fit three models to measurements simulated from real data, with a picture of each",
    )
    show.add_argument(
        "problems", nargs="*", metavar="problem", help=f"{', '.join(PROBLEMS)} (all of them)"
    )
    show.add_argument(
        "--folder", type=Path, default=Path("build/demo"), help="where the pictures go (build/demo)"
    )
    script = commands.add_parser("run", help="run a script that differentiates through packages")
    script.add_argument(
        "--adopt", action="append", default=[], metavar="package", help="a package; may be repeated"
    )
    script.add_argument("path", type=Path, metavar="script", help="the script, before its options")
    script.add_argument("options", nargs=argparse.REMAINDER, help="what the script is given")
    chosen = parser.parse_args(arguments)
    if chosen.command == "run":
        return run_script(chosen.path, chosen.options, chosen.adopt)
    if chosen.command == "info":
        info()
        return 0
    if unknown := set(chosen.problems) - set(PROBLEMS):
        show.error(
            f"no problem called {', '.join(sorted(unknown))}: there are {', '.join(PROBLEMS)}"
        )
    return demo(chosen.problems or list(PROBLEMS), chosen.folder)


if __name__ == "__main__":
    sys.exit(main())
