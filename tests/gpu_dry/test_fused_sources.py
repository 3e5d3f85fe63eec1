"""Fused kernels as a card's compiler sees them: the dry device gives every source all headers of
CuPy's.
"""

import cupy
import cupyx.scipy.special
import numpy as np
from cupy.cuda import compiler

from scigrad.programs.device.kernels import headers_of, put_in_namespace, write_function
from scigrad.programs.device.nodes import Elementwise, Parameter, Routine
from scigrad.programs.device.routines import TYPES


def loops():
    """Yield CuPy's loops of elementwise functions as nodes: the real ones, since it has some
    complex ones that no compiler takes, of functions that include nothing of xsf.
    """
    functions = [*vars(cupy).values(), *vars(cupyx.scipy.special).values()]
    for function in dict.fromkeys(x for x in functions if isinstance(x, cupy.ufunc)):
        for loop in function._ops.ops if "#include" not in function._preamble else ():
            *given, out = [np.dtype(x) for x in (*loop.in_types, *loop.out_types)]
            is_one = len(loop.out_types) == 1 and isinstance(loop.routine, str)
            real = [kind for kind in (*given, out) if kind.char in TYPES and kind.kind != "c"]
            if is_one and len(real) == len(given) + 1:
                routine = Routine(loop.routine, tuple(given), function._preamble)
                yield Elementwise(out, [Parameter(kind) for kind in given], routine)


def test_loops_compile_with_the_headers_that_they_name():
    sources = {}
    for i, node in enumerate(loops()):
        lines = *node.routine.preamble.splitlines(), write_function("f", node)
        source = put_in_namespace(f"n{i}", lines)
        sources.setdefault(tuple(headers_of(source)), []).append(source)
    assert sum(map(len, sources.values())) > 400
    assert len(sources) > 2
    root = f"{cupy.__path__[0]}/_core/include"
    cccl = [f"{root}/cupy/_cccl/{name}" for name in ("cub", "thrust", "libcudacxx")]
    options = ("-std=c++17", *[f"-I{folder}" for folder in (root, *cccl)])
    for headers, group in sources.items():
        compiler.compile_using_nvrtc("\n".join([*headers, *group]), options, arch="90")
