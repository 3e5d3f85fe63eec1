"""exp(-|x|) I1(x) for the GPU, float32 and float64.

`cupyx.scipy.special.i1e` forms the product that `i0e.py` describes, with the same overflow. Splits, local variables and the
form of the last piece are those of i0e; the leading term there is 1/sqrt(2 pi |x|) too (DLMF 10.40.1). Up to 2 the polynomial
is that of exp(-|x|) I1(x)/x, which is 1/2 at 0 (DLMF 10.25.2): multiplied by x, the result keeps its relative accuracy and
its sign down to the smallest numbers. `reference_data/generate/special/scaled_bessel_coefficients.py` prints the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .elementwise import launch, three_pieces

ULP_BOUND = {"float32": 3.0, "float64": 3.0}  # measured against mpmath: tests/core/test_cuda_kernels.py

# Coefficients in rising powers of the local variable: near, middle, far.
TABLES = {
    np.float64: (
        (
            2.0791041534970844e-01, -1.579716384554849e-01, 8.30634731141496e-02, -3.448391418206178e-02,
            1.1893157168687503e-02, -3.5112900879722174e-03, 9.06110836773031e-04, -2.076161681603814e-04,
            4.2763971369816306e-05, -7.998144345117287e-06, 1.369638140180574e-06, -2.1625734530849936e-07,
            3.167260511245789e-08, -4.325049832463812e-09, 5.531723633353844e-10, -6.652729854407694e-11,
            7.54184223314593e-12, -8.103763839466151e-13, 8.65157289573846e-14, -8.36407084978485e-15,
        ),
        (
            1.6397226694454237e-01, -5.29036308964899e-02, 2.289147425553736e-02, -8.24226225824046e-03,
            -1.70635453696962e-05, 4.649793955927183e-03, -6.819697813362019e-03, 7.2364688972786275e-03,
            -6.5117558157054625e-03, 5.208220305656308e-03, -3.779590902037815e-03, 2.51765594908236e-03,
            -1.5514073315202092e-03, 8.896253343727262e-04, -4.7706255035685004e-04, 2.4015962274264778e-04,
            -1.1377624655616137e-04, 5.104164586886947e-05, -2.1979932468593233e-05, 8.855514760562977e-06,
            -3.0773294676467736e-06, 1.1496764859455555e-06, -6.292572406703418e-07, 2.0629373130038908e-07,
        ),
        (
            3.8939845902587233e-01, -9.749577193235765e-03, -2.1923576383137776e-04, -1.5038547198221758e-05,
            -1.8349102493990178e-06, -3.4838563464253135e-07, -1.0001075046243961e-07, -4.3128498031006734e-08,
            -2.3394122958362557e-08, -8.432168972932417e-09, 6.84757829926934e-09, 1.4051746928735543e-08,
            5.5720183980930355e-09, -7.687251308765992e-09, -6.9444186339873875e-09, 3.501765193290176e-09,
            4.763780078020254e-09, -1.5218214060680734e-09, -2.2624401109204446e-09, 5.870664618471487e-10,
            6.7727478454462e-10, -1.6283264322621244e-10, -9.491890392992048e-11, 2.2421768596847442e-11,
        ),
    ),
    np.float32: (
        (
            2.0791042e-01, -1.5797164e-01, 8.3063476e-02, -3.4483913e-02, 1.1893144e-02, -3.5112882e-03, 9.06169e-04,
            -2.0762406e-04, 4.2652337e-05, -7.982979e-06, 1.4678326e-06, -2.2961369e-07,
        ),
        (
            1.6397227e-01, -5.290363e-02, 2.2891462e-02, -8.242257e-03, -1.6612412e-05, 4.6495995e-03, -6.8260645e-03,
            7.239212e-03, -6.4678583e-03, 5.1892875e-03, -3.942564e-03, 2.5880814e-03, -1.2216534e-03, 7.4664265e-04,
            -8.1045565e-04, 3.8577407e-04,
        ),
        (
            3.8939846e-01, -9.749577e-03, -2.1923738e-04, -1.5037047e-05, -1.825007e-06, -3.5481955e-07, -1.231842e-07,
            -3.7856026e-08,
        ),
    ),
}  # fmt: skip


def scalar(kind: type) -> Callable[[Any], Any]:
    """Return i1e of one number of type `kind`."""
    return three_pieces(TABLES[kind], kind, odd=True)


def i1e(x: Any) -> Any:
    """Compute the exponentially scaled modified Bessel function of order 1 of a CuPy array.

    Parameters
    ----------
    x : (...) cupy.ndarray
        Real numbers; float16, float32 and small integers are computed in float32, other real dtypes in float64.

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
