"""CuPy's kernels, and ours, compiled by g++ instead of NVRTC and kept in the cache."""

import functools
import hashlib
import os
import re
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .runtime import CACHE, HERE

HEADERS = (
    "cuda_language.h",
    "cuda_intrinsics.h",
    "cuda_mathematics.h",
    "cuda_half_precision.h",
    "device_heap.h",
)
# sources and options of the kernels that this process has compiled, as CuPy gives them to NVRTC
sources: dict[str, tuple[str, tuple[str, ...]]] = {}
_BOUNDS = r"(?:__launch_bounds__\s*\([^)]*\)\s*)?"
_KERNEL = re.compile(rf"__global__\s+{_BOUNDS}void\s+{_BOUNDS}(\w+)\s*\(")
_DYNAMIC = re.compile(
    r"extern\s+__shared__\s+(?:__align__\([^)]*\)\s*)?([\w:<>, ]+?)\s+(\w+)\s*\[\s*\]\s*;"
)


class NotCompiled(RuntimeError):
    """Raised for a source that g++ refuses; what it said is in the message."""


def flags() -> list[str]:
    import cupy

    include = Path(cupy.__file__).parent / "_core" / "include"
    folders = (
        include,
        *(
            include / "cupy" / "_cccl" / name
            for name in ("libcudacxx/include", "libcudacxx", "thrust", "cub")
        ),
    )
    # A card leaves in a local variable without a value what its memory held: 0xfe in every byte
    # here.
    options = (
        "-std=c++20 -O1 -fPIC -w -fpermissive -ffp-contract=off -fno-strict-aliasing "
        "-ftrivial-auto-var-init=pattern"
    )
    return [*options.split(), *(f"-I{folder}" for folder in folders)]


@functools.cache
def precompiled() -> Path:
    """Return the header that every kernel begins with: CUDA's language and CuPy's own headers; the
    folder has their hash.
    """
    import cupy

    text = f"// CuPy {cupy.__version__}\n" + "".join((HERE / name).read_text() for name in HEADERS)
    text += "".join(f"#include <{name}>\n" for name in cupy._core.core._cupy_header_list)
    folder = CACHE / f"header-{hashlib.sha1((text + repr(flags())).encode()).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("cuda_fp16.h", "cuda_bf16.h"):  # asked for by name; what they have is in ours
        (folder / name).touch()
    if not (folder / "cuda.h.gch").exists():
        (folder / "cuda.h").write_text(text)
        temporary = folder / f"{os.getpid()}.gch"
        subprocess.run(
            [
                "g++",
                f"-I{folder}",
                *flags(),
                "-x",
                "c++-header",
                folder / "cuda.h",
                "-o",
                temporary,
            ],
            check=True,
        )
        temporary.rename(folder / "cuda.h.gch")
    return folder / "cuda.h"


def thunks(body: str, expressions: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Return functions that take pointers to the arguments of the kernels, and the names of those
    given by expressions.
    """
    mapping = {expression: f"fake_ne_{i}" for i, expression in enumerate(expressions)}
    named = mapping or {name: name for name in dict.fromkeys(_KERNEL.findall(body))}
    lines = [
        f'extern "C" void {name}__thunk(void** p) {{ fake_call({expression}, p); }}\n'
        for expression, name in named.items()
        if not (mapping and re.search("half|float16", expression))
    ]
    return "".join(lines), mapping


def translated(source: str) -> str:
    body = _DYNAMIC.sub(r"\1* \2 = (\1*)fake_dynamic_shared;", source)
    # a macro of the C library
    body = re.sub(r"^(__constant__ double (M_\w+) =)", r"#undef \2\n\1", body, flags=re.M)
    return body if "xsf" not in body or "zeroed" in body else with_uninitialized_complex(body)


def with_uninitialized_complex(body: str) -> str:
    """Give CuPy's own kernels from xsf the complex type of a card; ours have it with zeros."""
    from scigrad.special.machinery import xsf_kernels

    ours = (Path(xsf_kernels.__file__).parent / "xsf_foundation.cuh").read_text()
    zeros = ": thrust::complex<T>(0, 0)"
    assert zeros in ours
    return (
        f"{ours.replace(zeros, '')}\n"
        "using std::zeroed;\n"
        "#define complex zeroed\n"
        f"{body.replace('thrust::complex', 'complex')}"
    )


def execution(body: str) -> str:
    """Say how the kernel may be run: by threads that wait for each other, in warps, or by one that
    loops over all elements.
    """
    waits = 32 * bool(re.search(r"__sync|__shfl|__ballot|cub::", body))
    loops = re.findall(
        r"CUPY_FOR\(i, _ind.size\(\)\)\s*\{(.*)", body, re.S
    )  # a body that returns ends its thread, not its element
    loop = int(
        "CUPY_FOR" in body
        and not any(re.search(r"\breturn\b|no_thread_divergence", found) for found in loops)
    )
    return f'extern "C" {{ int fake_needs_sync = {waits}; int fake_gridstride = {loop}; }}\n'


def compile_kernels(
    source: str, options: Iterable[str], expressions: Iterable[str]
) -> tuple[Path, dict[str, str]]:
    body = translated(source)
    extra, mapping = thunks(body, expressions)
    text = body + "\n" + extra + execution(body)
    # Our headers stand for the toolkit's, the C++ library's for those that NVRTC finds among
    # CuPy's.
    toolkit = {
        option
        for option in options
        if "_cccl" in option or Path(option[2:], "cuda_runtime_api.h").exists()
    }
    own = [
        option for option in options if option.startswith(("-D", "-I")) and option not in toolkit
    ]
    header = precompiled()
    key = hashlib.sha1((text + repr(own) + header.parent.name).encode()).hexdigest()
    target = CACHE / f"{key}.so"
    if not target.exists():
        who = f"{os.getpid()}.{threading.get_ident()}"
        cpp, temporary = (CACHE / f"{key}.{who}.{end}" for end in ("cpp", "so"))
        cpp.write_text(text)
        # the heap of device_heap.h before the C++ library's
        linked = ["-shared", "-Wl,-Bsymbolic", "-o", temporary]
        command = ["g++", *flags(), "-include", header, f"-I{header.parent}", *own, cpp, *linked]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            cpp.rename(CACHE / f"failed-{key}.cpp")
            raise NotCompiled(
                f"g++ refuses {_KERNEL.findall(body)}, see {CACHE}/failed-{key}.cpp:\n"
                f"{done.stderr[:3000]}"
            )
        cpp.unlink()
        temporary.rename(target)
    return target, mapping


def replace() -> None:
    import cupy.cuda.compiler as compiler
    from cupy.cuda import function

    def compile_with_cache(source: str, options: Any, arch: Any, extra_source: Any = None,
        backend: str = "nvrtc",
                           cooperative: bool = False, name_expressions: Any = None, *_: Any,
                           **__: Any) -> Any:  # fmt: skip
        sources.update(dict.fromkeys(_KERNEL.findall(source), (source, tuple(options))))
        target, mapping = compile_kernels(source, options, name_expressions or ())
        module = function.Module()
        module.load(str(target).encode() + b"\0")
        if mapping:
            module._set_mapping(mapping)
        return module

    compiler._compile_with_cache_cuda = compile_with_cache
    compiler._get_arch = lambda: "90"
    compiler._get_nvrtc_version = lambda: (13, 0)
