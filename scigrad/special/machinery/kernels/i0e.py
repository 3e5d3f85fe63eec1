"""exp(-|x|) I0(x) for the GPU, float32 and float64.

`cupyx.scipy.special.i0e` computes exp(-|x|) * i0(x) (CuPy 14, `cupyx/scipy/special/_bessel.py`). In
float32 the second factor overflows at 91.9 and the first is 0 from 104 on, so the product is inf
and then nan (float64: at 714 and 745), and where it is finite the exponential's rounding is
multiplied by |x|. This one forms neither factor.

The pieces are those of `three_pieces`; the leading term of the last is 1/sqrt(2 pi |x|) (DLMF
10.40.1). The split at 8 and the form of the last piece are those of Cephes (S. L. Moshier, i0.c),
which covers [0, 8] with one Chebyshev series in |x|/2 - 2. A second split at 2 keeps the rounding
of that shift out of the steep part near 0, where it costs Cephes 5 units in the last place. The
tables are fitted with mpmath, not copied:
`reference_data/generate/special/scaled_bessel_coefficients.py` prints them, and float32 has its
own, shorter ones.
"""

from collections.abc import Callable
from typing import Any

from .elementwise import launch, three_pieces
from .scaled_bessel_coefficients import I0E

# measured against mpmath: tests/core/test_cuda_kernels.py
ULP_BOUND = {"float32": 3.0, "float64": 2.5}


def scalar(kind: type) -> Callable[[Any], Any]:
    """Return i0e of one number of type `kind`."""
    return three_pieces(I0E[kind], kind, odd=False)


def i0e(x: Any) -> Any:
    """Compute the exponentially scaled modified Bessel function of order 0 of a CuPy array.

    Parameters
    ----------
    x : (...) cupy.ndarray
        Real numbers; float16, float32 and small integers are computed in float32, other real dtypes
        in float64.

    Returns
    -------
    (...) cupy.ndarray
        ``exp(-|x|) I_0(x)``.

    Raises
    ------
    TypeError
        If x is complex.
    """
    return launch("i0e", scalar, x)
