"""The GPU kernels without a GPU: values in Numba's CUDA simulator against mpmath, compilation to
PTX.
"""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest

from scigrad.special.machinery.kernels import scaled_bessel_coefficients
from scigrad.testing.cuda_compile import compile_ptx, simulate, toolkit
from scigrad.testing.cuda_stack import RECURSION, stack_of

pytest.importorskip("numba")
ORDERS = {"scigrad.special.machinery.kernels.i0e": 0, "scigrad.special.machinery.kernels.i1e": 1}
each_kernel = pytest.mark.parametrize("module", ORDERS)


def truth(order: int, x: float) -> mp.mpf:
    """exp(-|x|) I_order(x) from mpmath; far out by the asymptotic series DLMF 10.40.1, whose terms
    fall below 1e-40 there.
    """
    y = abs(mp.mpf(x))
    if y < 1e4:
        return mp.exp(-y) * mp.besseli(order, x)
    terms = [mp.mpf(1)]
    for k in range(1, 14):
        terms.append(-terms[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (k * 8 * y))
    return mp.sign(x) ** order * mp.fsum(terms) / mp.sqrt(2 * mp.pi * y)


def hard_points(kind: type) -> np.ndarray:
    """Tiny and huge arguments, both sides of the splits at 2 and 8, and a sweep through every
    piece.
    """
    limits = np.finfo(kind)
    splits = np.concatenate(
        [c + np.spacing(kind(c)) * np.arange(-3, 4) for c in (1.0, 2.0, 5.0, 8.0)]
    )
    tiny = [0.0, limits.smallest_subnormal, limits.tiny, limits.eps / 4, limits.eps, 1e-3]
    huge = [80.0, 91.9, 104.0, 710.0, 714.0, 746.0, 1e6, 1e20, limits.max / 4, limits.max]
    random = np.random.default_rng(8)
    sweep = [random.uniform(a, b, 150) for a, b in ((0, 0.5), (0.5, 2), (2, 8), (8, 50))]
    x = np.concatenate([tiny, splits, huge, *sweep, 10 ** random.uniform(-6, 6, 40)]).astype(kind)
    return np.concatenate([x, -x[::3]])


def ulp_error(actual: np.ndarray, expected: list[mp.mpf]) -> np.ndarray:
    """Error in units in the last place of the correctly rounded result."""
    kind = actual.dtype.type
    units = [float(np.spacing(kind(float(e)))) for e in expected]
    return np.array(
        [
            float(abs(mp.mpf(float(a)) - e) / u)
            for a, e, u in zip(actual, expected, units, strict=True)
        ]
    )


@each_kernel
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_values_in_the_simulator(module, kind):
    x = hard_points(kind)
    special = np.array([np.inf, -np.inf, np.nan, -0.0], kind)
    out = simulate(module, np.concatenate([x, special]))
    assert out.dtype == kind
    with mp.workdps(40):
        error = ulp_error(out[: x.size], [truth(ORDERS[module], float(v)) for v in x])
    bound = importlib.import_module(module).ULP_BOUND[np.dtype(kind).name]
    assert error.max() <= bound, (
        f"{error.max():.2f} units in the last place at {x[error.argmax()]!r}"
    )
    np.testing.assert_array_equal(out[x.size :], np.array([0, 0, np.nan, 1 - ORDERS[module]], kind))
    negative = np.signbit(x) if ORDERS[module] else np.zeros(x.shape, bool)
    np.testing.assert_array_equal(np.signbit(out[: x.size]), negative)


@pytest.mark.skipif(toolkit() is None, reason="no libNVVM: pip install nvidia-cuda-nvcc-cu12")
@each_kernel
def test_kernels_compile_to_ptx(module):
    tables = getattr(scaled_bessel_coefficients, module.rpartition(".")[2].upper())
    compiled = compile_ptx(module, ("float32", "float64"), ("8.0", "9.0"))
    assert set(compiled) == {
        f"{dtype} {cc}" for dtype in ("float32", "float64") for cc in ("8.0", "9.0")
    }
    for label, ptx in compiled.items():
        assert f".target sm_{label[-3]}0" in ptx
        body = ptx[ptx.index(".visible .func") :]
        assert (".f64" in body) == label.startswith("float64"), (
            f"{label}: float32 must stay on its own path"
        )
        assert ".local" not in body, f"{label}: the coefficients must be constants, not memory"
        terms = sum(len(table) for table in tables[np.dtype(label.split()[0]).type])
        assert body.count("fma.rn") == terms, f"{label}: a loop was not unrolled"


CALL = """
    { .param .b32 given; .param .b32 found;
      st.param.b32 [given], %n1;
      call.uni (found), down, (given);
      ld.param.b32 %n2, [found]; }
"""
KERNEL = """
.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 result) down(.param .b32 depth)
{
    .local .align 16 .b8 memory[256];
    .reg .b32 %n<4>;
    .reg .b64 %a<3>;
    .reg .pred %p;
    ld.param.b32 %n0, [depth];
    mov.b64 %a0, memory;
    mul.wide.s32 %a2, %n0, 4;
    add.s64 %a2, %a0, %a2;
    st.local.b32 [%a2], %n0;
    setp.lt.s32 %p, %n0, 1;
    @%p bra done;
    sub.s32 %n1, %n0, 1;
    CALL_OR_NOT
    ld.local.b32 %n3, [%a0];
    add.s32 %n0, %n2, %n3;
done:
    st.param.b32 [result], %n0;
    ret;
}
.visible .entry kernel(.param .u64 out)
{
    .reg .b32 %n;
    .reg .b64 %a;
    ld.param.u64 %a, [out];
    ld.global.b32 %n, [%a];
    { .param .b32 given; .param .b32 found;
      st.param.b32 [given], %n;
      call.uni (found), down, (given);
      ld.param.b32 %n, [found]; }
    st.global.b32 [%a], %n;
    ret;
}
"""


@pytest.mark.skipif(toolkit() is None, reason="no ptxas: pip install nvidia-cuda-nvcc-cu12")
def test_the_stack_of_a_recursive_kernel_is_read_from_its_cubin(tmp_path):
    def compiled(call, *options):
        (tmp_path / "kernel.ptx").write_text(KERNEL.replace("CALL_OR_NOT", call))
        assembler = Path(toolkit()["CUDA_HOME"]) / "bin" / "ptxas"
        command = [
            assembler,
            "-arch=sm_90",
            *options,
            tmp_path / "kernel.ptx",
            "-o",
            tmp_path / "kernel.cubin",
        ]
        subprocess.run(command, check=True, capture_output=True)
        return (tmp_path / "kernel.cubin").read_bytes()

    recursive = stack_of(compiled(CALL, "-Ofc=min"), "kernel")
    assert not recursive.known
    # registers of the caller beside 256 bytes of memory
    assert RECURSION * 256 <= recursive.size <= RECURSION * 320
    plain = stack_of(compiled("mov.b32 %n2, %n1;", "-Ofc=min"), "kernel")
    assert plain.known
    assert 256 <= plain.size <= 320
    with pytest.raises(
        ValueError, match=r"down and others are parts of kernel: compile it with -Ofc=min"
    ):
        stack_of(compiled(CALL), "kernel")


def test_kernels_load_neither_numba_nor_cupy():
    program = f"import sys, {', '.join(ORDERS)}; assert not {{'numba', 'cupy'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_dtypes_that_the_kernel_takes():
    from scigrad.special.machinery.kernels.elementwise import working_kind

    assert working_kind("i0e", np.dtype("f2")) is working_kind("i0e", np.dtype("i2")) is np.float32
    assert working_kind("i0e", np.dtype("i8")) is working_kind("i0e", np.dtype("f8")) is np.float64
    with pytest.raises(TypeError, match="complex128"):
        working_kind("i0e", np.dtype("c16"))


LAUNCH = """
import importlib, sys, types
import numpy as np
import scipy.special
cupy = types.ModuleType("cupy")  # what the launcher needs of it, on the host
cupy.ascontiguousarray, cupy.empty = np.ascontiguousarray, np.empty
cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=0))
sys.modules["cupy"] = cupy
from numba import cuda
cuda.as_cuda_array = lambda array, sync: array  # the simulator has none
from scigrad.special.machinery.kernels import elementwise
name = sys.argv[1].rpartition(".")[2]
launcher = getattr(importlib.import_module(sys.argv[1]), name)
expected = getattr(scipy.special, name)
elementwise._THREADS, elementwise._FEWEST = 2, 1  # each is a thread of the host's
strided = np.float32([[1, 2, 3], [4, 5, 6]])[:, ::2]
line = np.linspace(-9, 9, 8).reshape(2, 4)
for x in (line, strided, np.arange(3), np.array(2.5), np.empty((0, 2))):
    out = launcher(x)
    assert out.shape == x.shape and out.dtype == expected(x).dtype, (x, out)
    np.testing.assert_allclose(out, expected(x), rtol=4e-7 if out.dtype == np.float32 else 1e-15)
"""


@each_kernel
def test_the_launcher_keeps_shapes_and_dtypes(module):
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, module],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
