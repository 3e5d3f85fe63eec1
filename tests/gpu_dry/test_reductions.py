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
    assert "cub" in source
    compiler.compile_using_nvrtc(source, options, arch="90")
    raise Compiled

from scigrad.linalg.foundation.decompositions import _kernels
x = cupy.ones((2, 30, 30), "DTYPE")
compiler._compile_with_cache_cuda = compiled_by_nvrtc
try:
    _kernels(x.dtype)[0](x, axis=(-2, -1))
except Compiled:
    print("compiled")
"""


@pytest.mark.parametrize("dtype", ["f", "D"])
def test_reductions_with_cub_compile(dtype):
    home = Path(__file__).resolve()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("DTYPE", dtype)],
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
