"""The kernels from the headers of xsf: with CuPy on the CPU they have SciPy's values, and NVRTC
compiles them.
"""

import ctypes
import faulthandler
import importlib.util
import itertools
import os
import random
import signal
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.special
from cupy_on_cpu import kernels

from scigrad import DeviceMismatch, MissingKernel, grad, on_host, special
from scigrad.numpy import accelerators
from scigrad.special.machinery import xsf_kernels
from scigrad.special.machinery.kernels import elementwise
from scigrad.testing import load_specs
from scigrad.testing.cuda_stack import DEFAULT, stack_of
from scigrad.testing.cupy_table import MODULES

cupy, cupyx = pytest.importorskip("cupy"), pytest.importorskip("cupyx.scipy.special")
SPECS = load_specs(Path(__file__).parent.parent / "specs" / "special")
LOOPS = [(row, loop) for rows in xsf_kernels.rows().values() for row in rows for loop in row.loops]
# a few seconds each
SAMPLE = {("expi", "d->d"), ("eval_legendre", "ld->d"), ("agm", "dd->d"), ("wofz", "D->D")}


def label(row, loop):
    return f"{row.name} {loop}"


def arguments(row, loop):
    """Yield the arguments of the specs of a function that belong to a loop, or some numbers if
    there are none.
    """
    found, real = False, hasattr(cupyx, row.name)
    for spec in SPECS:
        for dtype in (np.float64, np.complex128) if spec.name == f"special.{row.name}" else ():
            for case in spec.cases(dtype):
                given = tuple(x for x in case.args if x is not None)
                kinds = [np.result_type(x) for x in given]
                if not case.kwargs and xsf_kernels.loop_for(row.name, kinds, real) == (row, loop):
                    found = True
                    yield given
    if not found:
        values = {"l": [2, 3], "d": [0.3, 0.7], "D": [0.3 + 0.2j, 0.7], "?": [False, True]}
        yield tuple(np.array(values[kind]) for kind in loop.partition("->")[0])


@pytest.mark.parametrize(("row", "loop"), LOOPS, ids=[label(*pair) for pair in LOOPS])
def test_values_are_those_of_scipy(row, loop):
    for args in arguments(row, loop):
        expected = getattr(scipy.special, row.name)(*args)
        found = xsf_kernels.launched(row, loop, args)
        several = isinstance(expected, tuple)
        for mine, theirs in zip(
            found if several else (found,), expected if several else (expected,), strict=True
        ):
            np.testing.assert_allclose(mine.get(), theirs, rtol=1e-12, atol=1e-300)


# a simpler expression would be wrong here: arguments beside 0 and 1, at infinity and outside of
# the domain, negative degrees
HARD = [
    # at NaN a loop of CuPy's runs 2^31 times
    ("exp1", ([np.nan, 0.0, 1.0, 1.5, 700.0, np.inf, -1.0],), 1e-13),
    (
        "betaincc",
        ([0.01, 3.0, 0.5, 2.0, 0.3], [1.0, 0.5, 5.0, 300.0, 2.0], [1e-17, 0.2, 0.999, 0.3, 1e-9]),
        1e-12,
    ),
    (
        "betainccinv",
        ([0.5, 0.5, 0.01, 3.0, 2.0], [5.0, 5.0, 1.0, 2.0, 40.0], [1 - 1e-12, 0.3, 0.3, 1e-9, 0.6]),
        1e-9,
    ),
    (
        "powm1",
        (
            [-2.0, 0.0, 1.0, 2.0, 1 + 1e-9, -2.0, 0.0, 3.0],
            [2.0, 0.0, np.inf, 1e-12, 3.0, 0.5, 2.0, 7.0],
        ),
        1e-13,
    ),
    ("zeta", ([0.5, 2.0, 3.0, 2.5], [1.0, 1.0, np.nan, 0.4]), 1e-13),
    ("zeta", ([0.5, 2.0, -3.0, 1.0],), 1e-13),
    (
        "elliprd",
        (
            [0.0, 1.0, 1.5, 0.0, 1e-300, 1e300, -1.0, np.nan, np.inf, 2.0],
            [1.0, 0.0, 0.7, 0.0, 1.0, 1e-300, 1.0, 1.0, 1.0, 2.0],
            [0.5, 1e-9, 1.0, 1.0, 1e10, 1e-300, 1.0, 1.0, 1.0, 2.0],
        ),
        1e-13,
    ),
    *(
        (f"eval_{name}", (np.arange(-4, 3), 0.3), 1e-12)
        for name in (
            "chebyc",
            "chebys",
            "chebyt",
            "chebyu",
            "sh_chebyt",
            "sh_chebyu",
            "legendre",
            "sh_legendre",
            "hermite",
            "hermitenorm",
            "laguerre",
        )
    ),
    ("eval_genlaguerre", (np.arange(-4, 3), 0.7, 0.3), 1e-12),
    ("eval_gegenbauer", (np.arange(-4, 3), 0.7, 0.3), 1e-12),
    ("eval_jacobi", (np.arange(-4, 3), 0.7, 0.4, 0.3), 1e-12),
    ("eval_sh_jacobi", (np.arange(-4, 3), 1.7, 0.4, 0.3), 1e-12),
]


@pytest.mark.parametrize(("name", "args", "rtol"), HARD, ids=[name for name, *_ in HARD])
def test_hard_arguments(name, args, rtol):
    expected = getattr(scipy.special, name)(*map(np.asarray, args))
    found = getattr(special, name)(*(cupy.asarray(x) for x in args))
    np.testing.assert_allclose(found.get(), expected, rtol=rtol)


@pytest.mark.parametrize("name", ["exp1", "expi", "exprel", "lpmv", "spherical_yn", "zeta", "jv"])
def test_functions_take_the_kernels_of_xsf(name):
    args = {"lpmv": (1, 2.5), "spherical_yn": (2,), "zeta": (2.5,), "jv": (0.5,)}.get(name, ())
    x = np.array([0.3, 0.7])
    out = getattr(special, name)(*args, cupy.asarray(x))
    np.testing.assert_allclose(out.get(), getattr(scipy.special, name)(*args, x), rtol=1e-13)


EXTREME = {
    "d": [0.3, -2.5, 1e9, -1e9, 1e15, 1e150],
    "D": [0.3 + 0.2j, 1e9j, -1e9 + 1e9j, 1e150 + 0j],
    "l": [3, 10**9, -(10**9), 2**62],
    "?": [False, True],
}


def how_it_ends(run, seconds=60):
    """Return the exit status of a process that calls a function, or the number of the signal."""
    if (child := os.fork()) == 0:
        faulthandler.disable()  # the number of the signal is the answer
        signal.alarm(seconds)
        run()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(("row", "loop"), LOOPS, ids=[label(*pair) for pair in LOOPS])
def test_kernels_end_and_stay_in_their_memory_whatever_the_arguments(row, loop):
    """A kernel that does not end blocks the card, one that writes elsewhere ends the process."""
    values = itertools.product(*(EXTREME[kind] for kind in loop.partition("->")[0]))
    every = list(values)
    chosen = random.Random(0).sample(every, min(24, len(every)))
    args = [np.array(column) for column in zip(*chosen, strict=True)]
    xsf_kernels.launched(row, loop, [x[:0] for x in args])
    assert how_it_ends(lambda: xsf_kernels.launched(row, loop, args)) == 0


FOREVER = {
    "for": "for (double t = 1;; t += 1) z += 1 / t;",
    "while": "while (z < 1e300) z += 1;",
    "do": "do z += 1; while (z < 1e300);",
    "while in while": "while (z < 1e300) while (z < 1e299) z += 1;",
    "short loops in for": "for (;;) for (int k = 0; k < 10; k++) z += 1;",
}


@pytest.mark.parametrize("statement", FOREVER.values(), ids=FOREVER)
def test_a_loop_without_end_is_nan_for_its_element_alone(statement, monkeypatch):
    source = f"__device__ double forever(double z) {{ if (z > 0) {{ {statement} }} return z; }}\n"

    def preamble(*args, make=xsf_kernels.preamble):
        text, options = make(*args)
        return text.replace("#undef inline\n", f"{source}#undef inline\n"), options

    monkeypatch.setattr(xsf_kernels, "preamble", preamble)
    row = xsf_kernels.Row(f"forever{len(source)}", "config", ("d->d",), "forever({0})", 0, 0, "")
    args = [np.array([-1.0, 1.0, -2.0])]
    xsf_kernels.launched(row, "d->d", [args[0][:0]])
    assert how_it_ends(lambda: xsf_kernels.launched(row, "d->d", args)) == 0
    found = xsf_kernels.launched(row, "d->d", args)
    np.testing.assert_array_equal(found.get(), [-1.0, np.nan, -2.0])


def test_degrees_of_a_hundred_thousand_are_computed_and_of_a_billion_nan():
    found = special.eval_legendre(cupy.array([10**5, 10**9]), 0.3).get()
    np.testing.assert_allclose(found, [scipy.special.eval_legendre(10**5, 0.3), np.nan], rtol=1e-9)


def test_arguments_beyond_the_work_arrays_of_xsf_are_nan():
    row = xsf_kernels.rows()["pro_rad1"][0]
    args = [np.array([x]) for x in (2.0, 100.0, 90.0, 1.5)]
    assert all(np.isnan(y.get()).all() for y in xsf_kernels.launched(row, row.loops[0], args))
    open_row = row._replace(domain="")
    xsf_kernels.launched(open_row, row.loops[0], [x[:0] for x in args])
    assert how_it_ends(lambda: xsf_kernels.launched(open_row, row.loops[0], args)) != 0


def test_large_degrees_of_polynomials_are_computed_by_recurrences():
    n, x = np.array([[40], [60]]), np.linspace(-0.99, 0.99, 7)
    for name, parameters in (
        ("eval_legendre", ()),
        ("eval_chebyt", ()),
        ("eval_jacobi", (0.3, -0.2)),
        ("eval_laguerre", ()),
    ):
        found = getattr(special, name)(cupy.asarray(n), *parameters, cupy.asarray(x)).get()
        np.testing.assert_allclose(
            found, getattr(scipy.special, name)(n, *parameters, x), rtol=1e-11
        )


def test_a_function_that_neither_has_names_on_host():
    with pytest.raises(MissingKernel, match=r"special.bdtrik: cupy .*on_host"):
        special.bdtrik(cupy.array([0.4]), 5.0, 0.3)
    with on_host("special.bdtrik"):
        np.testing.assert_allclose(
            special.bdtrik(cupy.array([0.4]), 5.0, 0.3).get(), scipy.special.bdtrik(0.4, 5.0, 0.3)
        )


def test_real_degrees_without_a_loop_name_on_host():
    with pytest.raises(MissingKernel, match=r"special.eval_laguerre: cupy .*on_host"):
        special.eval_laguerre(2.5, cupy.array([0.4]))
    assert special.zeta(cupy.array([2.5], np.float32)).dtype == np.float32


def test_an_array_of_the_host_is_refused_by_its_name():
    with pytest.raises(
        DeviceMismatch, match=r"argument 'v' is a cupy array, argument 'z' a numpy array"
    ):
        special.jv(cupy.array([0.5]), np.array([1.0]))
    with pytest.raises(
        DeviceMismatch, match=r"argument 'a' is a cupy array, argument 'x' a numpy array"
    ):
        special.hyperu(cupy.array([0.5]), 1.0, np.array([1.0]))


@cache
def nvrtc():
    """Return NVIDIA's compiler from its wheel, and the folder of the toolkit's headers."""
    spec = importlib.util.find_spec("nvidia")
    homes = [Path(place) / "cu13" for place in (spec.submodule_search_locations if spec else ())]
    found = [file for home in homes for file in (home / "lib").glob("libnvrtc.so*")]
    return (
        (ctypes.CDLL(str(found[0])), found[0].parent.parent / "include")
        if found
        else pytest.skip("no wheel of NVRTC")
    )


def compiled(source, options):
    """Return the cubin that NVRTC makes for a card of compute capability 9.0."""
    library, toolkit = nvrtc()
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    include = Path(cupy.__file__).parent / "_core" / "include"
    parts = (
        include / "cupy" / "_cccl" / part
        for part in ("libcudacxx", "libcudacxx/include", "thrust", "cub")
    )
    folders = (f"-I{folder}" for folder in (include, *parts, toolkit))
    given = [
        option.encode()
        for option in dict.fromkeys((*options, *folders, "--gpu-architecture=sm_90", "-w"))
    ]
    library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    failed = library.nvrtcCompileProgram(
        program, len(given), (ctypes.c_char_p * len(given))(*given)
    )
    of_size, of_text = ("LogSize", "Log") if failed else ("CUBINSize", "CUBIN")
    getattr(library, f"nvrtcGetProgram{of_size}" if failed else f"nvrtcGet{of_size}")(
        program, ctypes.byref(size)
    )
    text = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGetProgram{of_text}" if failed else f"nvrtcGet{of_text}")(program, text)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    assert not failed, text.value.decode()
    return text.raw


@pytest.mark.parametrize(
    ("row", "loop"),
    [
        pytest.param(
            *pair,
            id=label(*pair),
            marks=() if (pair[0].name, pair[1]) in SAMPLE else pytest.mark.slow,
        )
        for pair in LOOPS
    ],
)
def test_nvrtc_compiles_and_stack_and_heap_are_granted(row, loop):
    xsf_kernels.launched(row, loop, next(arguments(row, loop)))
    name = f"xsf_{row.name}_{loop.partition('->')[0].replace('?', 'b')}"
    cubin = compiled(*kernels.sources[name])
    stack = stack_of(cubin, name)
    assert stack.known or stack.size <= max(row.stack, DEFAULT)
    assert not row.stack or stack.size > DEFAULT
    assert row.stack in (0, 2048, 5120)  # few limits: each change of it waits for the device
    # the limit of the heap is fixed once a kernel that allocates has run
    assert row.heap or b"\0malloc\0" not in cubin


OWN = [
    name
    for name in MODULES["cupyx.scipy.special"]
    if isinstance(getattr(cupyx, name, None), cupy.ufunc)
]


@pytest.mark.slow
@pytest.mark.parametrize("name", OWN)
def test_kernels_of_cupy_get_by_with_the_stack_that_every_thread_has(name):
    function = getattr(cupyx, name)
    loops = [loop.partition("->")[0] for loop in function.types]
    for inputs in {inputs for inputs in loops if set(inputs) <= {"d", "D"}}:
        function(*(cupy.full(2, 0.5, kind) for kind in inputs))
    found = {
        kernel: source
        for kernel, source in kernels.sources.items()
        if kernel.startswith(f"{function.name}__")
    }
    assert found
    for kernel, (source, options) in found.items():
        # this option makes frames readable
        stack = stack_of(compiled(source, (*options, "-Ofc=min")), kernel)
        assert stack.known or stack.size <= DEFAULT


def test_the_stack_is_raised_once_and_never_lowered(monkeypatch):
    limits = {0: DEFAULT}
    monkeypatch.setattr(cupy.cuda.runtime, "deviceGetLimit", limits.__getitem__)
    monkeypatch.setattr(cupy.cuda.runtime, "deviceSetLimit", limits.__setitem__)
    for name, expected in (("agm", DEFAULT), ("hyp2f1", 2048), ("jv", 5120), ("hyp2f1", 5120)):
        xsf_kernels.grant_stack(name, xsf_kernels.rows()[name][0].stack)
        assert limits[0] == expected


def test_a_first_call_that_waits_for_the_compiler_is_logged(monkeypatch, caplog):
    now = itertools.count(0.0, 33.4)
    monkeypatch.setattr(xsf_kernels.time, "perf_counter", lambda: next(now))
    monkeypatch.setattr(xsf_kernels, "_LAUNCHED", set())
    with caplog.at_level("INFO", "scigrad"):
        for _ in range(2):
            special.exp1(cupy.array([1.0]))
    assert [record.getMessage() for record in caplog.records] == [
        "special.exp1: its kernel was compiled in 33.4 s; CuPy keeps it for later processes"
    ]


def test_a_device_without_memory_for_the_stack_says_so(monkeypatch):
    monkeypatch.setattr(cupy.cuda.runtime, "deviceGetLimit", {0: DEFAULT}.__getitem__)
    monkeypatch.setattr(cupy.cuda.runtime, "memGetInfo", lambda: (1 << 30, 80 << 30))
    with pytest.raises(
        MemoryError, match=r"special.jv: .*5,120 bytes .*1,320 MiB .*1,024 MiB are free.*on_host"
    ):
        special.jv(0.5, cupy.array([1.0]))


@pytest.mark.parametrize("name", ["i0e", "i1e"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8])
def test_a_kernel_of_xsf_stands_behind_one_of_numba(name, dtype, monkeypatch):
    """Numba older than NumPy, for example: it fails while it compiles."""
    monkeypatch.setattr(
        elementwise, "compile_elementwise", lambda scalar, kind: np.row_stack_of_an_old_numpy
    )
    for state in ("_modules", "_reasons"):
        monkeypatch.setattr(accelerators, state, {})
    elementwise.usable.cache_clear()
    x = np.array([0, 1, -3, 100]).astype(dtype)
    found = getattr(special, name)(cupy.asarray(x))
    assert "row_stack" in accelerators.why_not("numba.cuda")
    assert found.dtype == (np.float64 if dtype is np.float64 else np.float32)
    np.testing.assert_allclose(
        found.get(),
        getattr(scipy.special, name)(x),
        rtol=1e-6 if dtype is not np.float64 else 1e-14,
    )
    slope = grad(lambda x: getattr(special, name)(x).sum())(cupy.asarray([0.5, 3.0]))
    np.testing.assert_allclose(
        slope.get(),
        grad(lambda x: getattr(special, name)(x).sum())(np.array([0.5, 3.0])),
        rtol=1e-12,
    )
    elementwise.usable.cache_clear()
