"""Benchmarks against the peers: `python -m benchmarks`, all of them interleaved in one run."""

import os

# Before NumPy is imported: the same number of BLAS threads for all contenders (one, or
# BENCHMARK_THREADS), and JAX in float64.
THREADS = int(os.environ.setdefault("BENCHMARK_THREADS", "1"))
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{_library}_NUM_THREADS"] = str(THREADS)
# JAX's pool; its XLA_FLAGS for that have no effect any more
os.environ["PJRT_NPROC"] = str(THREADS)
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"
