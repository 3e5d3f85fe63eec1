"""Run and compile CUDA kernels on a machine without a GPU.

`simulate` runs a kernel in Numba's CUDA simulator, which interprets it thread by thread on the
host; `compile_ptx` compiles it for real cards up to PTX, which needs libNVVM and no driver. Both
happen in a child process: the simulator must be chosen by NUMBA_ENABLE_CUDASIM before Numba is
imported, and libNVVM must be on the loader's path before the process starts.

A kernel is named by its module, such as "scigrad.special.machinery.kernels.i0e", which offers
`scalar(kind)`.
"""

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np


class NoCompiler(RuntimeError):
    """Raised on a machine without libNVVM."""


def toolkit() -> dict[str, str] | None:
    """Return environment variables by which Numba finds libNVVM and libdevice, or None if there are
    none.

    The wheel `nvidia-cuda-nvcc-cu12` (40 MB, no other requirement) has both in the layout of a CUDA
    toolkit; Numba itself searches only CUDA_HOME, /usr/local/cuda and Conda environments. An
    installed toolkit serves as well.
    """
    spec = importlib.util.find_spec("nvidia")
    wheels = (
        [Path(place) / "cuda_nvcc" for place in (spec.submodule_search_locations or ())]
        if spec
        else []
    )
    installed = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")] + ["/usr/local/cuda"]
    for home in [*wheels, *(Path(place) for place in installed if place)]:
        for libraries in (home / "nvvm" / "lib64", home / "lib"):  # CUDA 12 and before, CUDA 13
            if (libraries / "libnvvm.so").exists() and (home / "nvvm" / "libdevice").is_dir():
                search = os.pathsep.join(
                    filter(None, [str(libraries), os.environ.get("LD_LIBRARY_PATH")])
                )
                return {"CUDA_HOME": str(home), "LD_LIBRARY_PATH": search}
    return None


def simulate(module: str, x: np.ndarray) -> np.ndarray:
    """Return the values of a kernel at x (float32 or float64, one-dimensional), from Numba's CUDA
    simulator.
    """
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "x.npy", x)
        _child(["simulate", module, folder], {"NUMBA_ENABLE_CUDASIM": "1"})
        return np.load(Path(folder) / "out.npy")


def compile_ptx(
    module: str, dtypes: tuple[str, ...], capabilities: tuple[str, ...]
) -> dict[str, str]:
    """Return the PTX of the scalar function, by "dtype capability": {"float32 9.0": ".version
    ..."}.

    Raises
    ------
    NoCompiler
        If the machine has no libNVVM.
    """
    environment = toolkit()
    if environment is None:
        raise NoCompiler(
            "no libNVVM found: pip install nvidia-cuda-nvcc-cu12, or set CUDA_HOME to a CUDA "
            "toolkit"
        )
    return json.loads(
        _child(["ptx", module, " ".join(dtypes), " ".join(capabilities)], environment)
    )


def _child(arguments: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", __name__, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def _simulate(module: str, folder: str) -> None:
    from scigrad.special.machinery.kernels.elementwise import compile_elementwise

    x = np.load(Path(folder) / "x.npy")
    out = np.empty_like(x)
    # a few threads: each is one of the host's
    compile_elementwise(importlib.import_module(module).scalar, x.dtype.type)[2, 4](x, out)
    np.save(Path(folder) / "out.npy", out)


def _ptx(module: str, dtypes: str, capabilities: str) -> None:
    from numba import from_dtype

    cuda: Any = importlib.import_module("numba.cuda")
    config: Any = importlib.import_module("numba.core.config")
    scalar = importlib.import_module(module).scalar
    found = {}
    for dtype in dtypes.split():
        number = from_dtype(np.dtype(dtype))
        for capability in capabilities.split():
            # Numba asks the CUDA runtime, which the wheel lacks, for the capabilities unless one is
            # forced.
            cc = config.FORCE_CUDA_CC = tuple(int(part) for part in capability.split("."))
            # The scalar as a device function: a kernel that calls one makes Numba ask the driver
            # which card it is for.
            found[f"{dtype} {capability}"] = cuda.compile_ptx(
                scalar(np.dtype(dtype).type), (number,), device=True, cc=cc
            )[0]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    {"simulate": _simulate, "ptx": _ptx}[sys.argv[1]](*sys.argv[2:])
