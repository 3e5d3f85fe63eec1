"""Benchmarks against the peers: `python -m benchmarks`, all of them interleaved in one run."""

import os

# Before anybody imports NumPy: one BLAS thread, for us and for the peers, and JAX in float64 like all others.
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
