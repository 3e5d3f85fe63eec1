"""Fused kernels as a card's compiler sees them: the dry device gives every source all headers of
CuPy's.
"""

import cupy
import cupyx.scipy.special
import numpy as np
import scipy.special
from cupy.cuda import compiler
from cupy_on_cpu import kernels

from scigrad import special
from scigrad.programs.device import elements
from scigrad.programs.device.kernels import headers_of, put_in_namespace, write_function
from scigrad.programs.device.nodes import Elementwise, Parameter, Routine
from scigrad.programs.device.routines import TYPES

ROOT = f"{cupy.__path__[0]}/_core/include"
CCCL = [f"{ROOT}/cupy/_cccl/{name}" for name in ("cub", "thrust", "libcudacxx")]
OPTIONS = ("-std=c++17", *[f"-I{folder}" for folder in (ROOT, *CCCL)])


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
    for headers, group in sources.items():
        compiler.compile_using_nvrtc("\n".join([*headers, *group]), OPTIONS, arch="90")


def test_tables_of_an_element_compile():
    signs = cupy.asarray([[1.0], [-1.0]])

    def both(x):
        near = special.erfcx(x + signs * np.ldexp(1.0, np.frexp(x)[1] - 5))
        return [np.sum(signs * near, axis=0) - np.max(np.abs(near), axis=0) * special.erfcx(x)]

    x = cupy.linspace(0.5, 2.0, 5)
    (found,) = elements.in_one_kernel(both, "a table", [x])
    h = np.ldexp(1.0, np.frexp(x.get())[1] - 5)
    near = scipy.special.erfcx(x.get() + np.array([[1.0], [-1.0]]) * h)
    expected = near[0] - near[1] - abs(near).max(0) * scipy.special.erfcx(x.get())
    np.testing.assert_allclose(found.get(), expected, rtol=1e-13)
    compiler.compile_using_nvrtc(kernels.sources["elements"][0], OPTIONS, arch="90")
