"""exp(-|x|) I1(x) for the GPU, float32 and float64.

`cupyx.scipy.special.i1e` forms the product that `i0e.py` describes, with the same overflow. Splits,
local variables and the form of the last piece are those of i0e; the leading term there is 1/sqrt(2
pi |x|) too (DLMF 10.40.1). Up to 2 the polynomial is that of exp(-|x|) I1(x)/x, which is 1/2 at 0
(DLMF 10.25.2): multiplied by x, the result keeps its relative accuracy and its sign down to the
smallest numbers. `reference_data/generate/special/scaled_bessel_coefficients.py` prints the tables.
"""

from collections.abc import Callable
from typing import Any

from .elementwise import launch, three_pieces
from .scaled_bessel_coefficients import I1E

# measured against mpmath: tests/core/test_cuda_kernels.py
ULP_BOUND = {"float32": 3.0, "float64": 3.0}


def scalar(kind: type) -> Callable[[Any], Any]:
    """Return i1e of one number of type `kind`."""
    return three_pieces(I1E[kind], kind, odd=True)


def i1e(x: Any) -> Any:
    """Compute the exponentially scaled modified Bessel function of order 1 of a CuPy array.

    Parameters
    ----------
    x : (...) cupy.ndarray
        Real numbers; float16, float32 and small integers are computed in float32, other real dtypes
        in float64.

    Returns
    -------
    (...) cupy.ndarray
        ``exp(-|x|) I_1(x)``.

    Raises
    ------
    TypeError
        If x is complex.
    """
    return launch("i1e", scalar, x)
