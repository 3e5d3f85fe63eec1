"""Fused kernels as a card's compiler sees them: the dry device gives every source all headers of
CuPy's.
"""

import cupy
import numpy as np
from cupy.cuda import compiler

from scigrad.programs.device.kernels import _OF_CUPY, _function_source
from scigrad.programs.device.nodes import Elementwise, Parameter, Routine
from scigrad.programs.device.routines import TYPES


def loops():
    """Yield CuPy's loops of NumPy's functions as nodes: the real ones, since it has some complex
    ones that no compiler takes.
    """
    for function in vars(cupy).values():
        for loop in function._ops.ops if isinstance(function, cupy.ufunc) else ():
            *given, out = [np.dtype(x) for x in (*loop.in_types, *loop.out_types)]
            is_one = len(loop.out_types) == 1 and isinstance(loop.routine, str)
            real = [kind for kind in (*given, out) if kind.char in TYPES and kind.kind != "c"]
            if is_one and len(real) == len(given) + 1:
                routine = Routine(loop.routine, tuple(given), function._preamble)
                yield Elementwise(out, [Parameter(kind) for kind in given], routine)


def test_loops_compile_without_a_header_or_name_it():
    found = [
        _function_source(f"n{i}::f", node, node.routine.preamble.splitlines())
        for i, node in enumerate(loops())
        if "#include" not in node.routine.preamble
    ]
    sources = [source for source in found if not _OF_CUPY.search(source)]
    assert len(sources) > 300
    head = ["#include <cupy/complex.cuh>"]
    root = f"{cupy.__path__[0]}/_core/include"
    cccl = [f"{root}/cupy/_cccl/{name}" for name in ("cub", "thrust", "libcudacxx")]
    options = ("-std=c++17", *[f"-I{folder}" for folder in (root, *cccl)])
    compiler.compile_using_nvrtc("\n".join([*head, *sources]), options, arch="90")
