"""Reductions of ours as CuPy compiles them on a card: with CUB, which the dry device does not have,
and in whose kernels it puts names of its own in place of those of arguments.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import cupy_on_cpu
import cupy
from cupy.cuda import compiler

class Compiled(Exception):
    pass

def compiled_by_nvrtc(source, options, *args, **kwargs):
    assert "cub" in source or "are_apart" in source  # of several arrays CUB makes none
    compiler.compile_using_nvrtc(source, options, arch="90")
    raise Compiled

from scigrad.linalg.foundation import decompositions
x = cupy.ones((2, 30, 30), "DTYPE")
compiler._compile_with_cache_cuda = compiled_by_nvrtc
try:
    decompositions.CALL
except Compiled:
    print("compiled")
"""


@pytest.mark.parametrize("dtype", ["f", "D"])
@pytest.mark.parametrize(
    "call", ["most_of(x, (-2, -1), True)", "power_of_most(x)", "are_apart(x.real[0], 1e-3, True)"]
)
def test_reductions_with_cub_compile(dtype, call):
    home = Path(__file__).resolve()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("DTYPE", dtype).replace("CALL", call)],
        env={
            **os.environ,
            "CUPY_ACCELERATORS": "cub",
            "PYTHONPATH": os.pathsep.join(map(str, home.parents[:3:2])),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "compiled", done.stderr[-2000:]
