"""Older processors that this one can stand in for: NumPy, OpenBLAS and the C library have code for
each, and round differently.

NumPy chooses its vector loops, OpenBLAS its kernels and the C library its exp and log when they are
loaded, by what the processor has. Environment variables take newer instructions away, so that a
process of its own computes as on an older machine.
"""

import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
from numpy._core._multiarray_umath import __cpu_features__ as FEATURES

HERE = "this one"
_WITHOUT_AVX2 = ("X86_V3", "F16C", "FMA3", "AVX2")  # levels of NumPy, by the names of its versions
_WITHOUT_AVX512 = ("X86_V4", "AVX512F")
_WITHOUT_ICL = ("AVX512_CLX", "AVX512_CNL", "AVX512_ICL")
# What OpenBLAS calls a processor; the instructions that its kernels take; where NumPy's levels end
# on it.
_KNOWN = {
    "Prescott": ("SSE3", _WITHOUT_AVX2),
    "Sandybridge": ("AVX", _WITHOUT_AVX2),
    "Haswell": ("AVX2", _WITHOUT_AVX512),
    "Zen": ("AVX2", _WITHOUT_AVX512),
    "SkylakeX": ("AVX512_SKX", _WITHOUT_ICL),
}


def stand_ins() -> dict[str, dict[str, str]]:
    """Return the environment of each processor that this one can stand in for, and that of itself,
    which is empty.
    """
    return {
        name: _environment(name, ends)
        for name, (needed, ends) in _KNOWN.items()
        if FEATURES.get(needed)
    } | {HERE: {}}


def _environment(name: str, ends: Sequence[str]) -> dict[str, str]:
    levels = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    first = min((levels.index(end) for end in ends if end in levels), default=len(levels))
    variables = {"OPENBLAS_CORETYPE": name, "NPY_DISABLE_CPU_FEATURES": " ".join(levels[first:])}
    if ends is _WITHOUT_AVX2:
        variables["GLIBC_TUNABLES"] = "glibc.cpu.hwcaps=-AVX2,-FMA"
    return variables


def start(name: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python that computes as on the processor named; what it prints can be read."""
    environment = {**os.environ, **stand_ins()[name]}
    return subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


__all__ = ["FEATURES", "HERE", "stand_ins", "start"]
