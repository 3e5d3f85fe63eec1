"""The kernels of systems as a card's compiler sees them: registers suffice for the rows of matrices
that lie in these.
"""

import numpy as np
import pytest
from cupy.cuda import compiler

from scigrad.linalg.foundation.device_kernels import is_in_warp, source_of
from scigrad.testing.cuda_stack import stack_of

LARGEST = {kind: max(n for n in range(40) if is_in_warp(n, np.dtype(kind))) for kind in "fdFD"}
SOURCES = [(kind, order) for kind, largest in LARGEST.items() for order in (0, 1, 5, largest)]


@pytest.mark.parametrize(("kind", "order"), SOURCES)
def test_nothing_is_kept_on_the_stack(kind, order):
    cubin, _ = compiler.compile_using_nvrtc(source_of(kind, order), ("-std=c++17",), arch="90")
    for kernel in ("factor", "solve"):
        assert stack_of(cubin, kernel) == (True, 0)
