"""Kernels for the GPU where CuPy has none or a worse one: one file a function, each a scalar Python
function.

Every file offers `scalar(kind)`, the function of one number for `kind` = numpy.float32 or
numpy.float64, in the subset of Python that Numba compiles for CUDA; `ULP_BOUND`, the error that the
tests hold it to; and the launcher for CuPy arrays, under the function's own name. Numba and CuPy
are imported when a kernel is launched, never before.
"""
