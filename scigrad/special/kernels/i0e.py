"""exp(-|x|) I0(x) for the GPU, float32 and float64.

`cupyx.scipy.special.i0e` computes exp(-|x|) * i0(x) (CuPy 14, `cupyx/scipy/special/_bessel.py`). In float32 the second
factor overflows at 91.9 and the first is 0 from 104 on, so the product is inf and then nan (float64: at 714 and 745), and
where it is finite the exponential's rounding is multiplied by |x|. This one forms neither factor.

The pieces are those of `three_pieces`; the leading term of the last is 1/sqrt(2 pi |x|) (DLMF 10.40.1). The split at 8 and
the form of the last piece are those of Cephes (S. L. Moshier, i0.c), which covers [0, 8] with one Chebyshev series in
|x|/2 - 2. A second split at 2 keeps the rounding of that shift out of the steep part near 0, where it costs Cephes 5 units in
the last place. The tables are fitted with mpmath, not copied:
`reference_data/generate/special/scaled_bessel_coefficients.py` prints them, and float32 has its own, shorter ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .elementwise import launch, three_pieces

ULP_BOUND = {"float32": 3.0, "float64": 2.5}  # measured against mpmath: tests/core/test_cuda_kernels.py

# Coefficients in rising powers of the local variable: near, middle, far.
TABLES = {
    np.float64: (
        (
            4.6575960759364043e-01, -2.57849192243932e-01, 1.5389398456907777e-01, -7.626738330347102e-02,
            3.1211735558889613e-02, -1.0760498514452786e-02, 3.190394265862638e-03, -8.279390738659278e-04,
            1.9080421780141532e-04, -3.951737939917444e-05, 7.428320673786338e-06, -1.2778933529394954e-06,
            2.0260610759649296e-07, -2.9783909720694325e-08, 4.080919374809531e-09, -5.235230382956234e-10,
            6.305010274557343e-11, -7.175195663708319e-12, 8.127925057816984e-13, -8.268573956109941e-14,
        ),
        (
            1.8354081260932834e-01, -7.827418265914399e-02, 5.0741103525312414e-02, -3.713283902635705e-02,
            2.8890576767754562e-02, -2.312611225094807e-02, 1.8517270816636112e-02, -1.447826777898527e-02,
            1.0857368130938128e-02, -7.719610756694109e-03, 5.171134525535661e-03, -3.254808421965764e-03,
            1.9241412948592278e-03, -1.0694034142312923e-03, 5.59779556754909e-04, -2.7647952526714103e-04,
            1.289989063329428e-04, -5.714683668285273e-05, 2.434144189947923e-05, -9.722815983052163e-06,
            3.3620115663802974e-06, -1.2472133762505465e-06, 6.75614002805256e-07, -2.2053911187041198e-07,
        ),
        (
            4.021765094450081e-01, 3.3605519836678913e-03, 1.3621607438951463e-04, 1.114303378845176e-05,
            1.4838476780922646e-06, 2.9735992084667734e-07, 8.872014585661555e-08, 3.932512321137824e-08,
            2.156780676115673e-08, 7.559364098665437e-09, -6.856484545962442e-09, -1.3427511481900905e-08,
            -5.0175940345046716e-09, 7.600254486433509e-09, 6.522264862032271e-09, -3.5862834111582305e-09,
            -4.5305710768621196e-09, 1.6084886155781772e-09, 2.163681278413876e-09, -6.327909921997027e-10,
            -6.494591114401118e-10, 1.7698085539456536e-10, 9.114760157514253e-11, -2.4421972688131832e-11,
        ),
    ),
    np.float32: (
        (
            4.657596e-01, -2.578492e-01, 1.5389399e-01, -7.6267384e-02, 3.1211648e-02, -1.0760485e-02, 3.190769e-03,
            -8.279938e-04, 1.9008534e-04, -3.941237e-05, 8.059639e-06, -1.3702519e-06,
        ),
        (
            1.835408e-01, -7.827418e-02, 5.0741117e-02, -3.7132844e-02, 2.889007e-02, -2.3125896e-02, 1.8524425e-02,
            -1.4481318e-02, 1.0808027e-02, -7.6985527e-03, 5.3543923e-03, -3.333164e-03, 1.5530717e-03, -9.1022975e-04,
            9.355371e-04, -4.387809e-04,
        ),
        (
            4.021765e-01, 3.360552e-03, 1.3621741e-04, 1.1141542e-05, 1.4754756e-06, 3.038331e-07, 1.0910233e-07,
            3.3635803e-08,
        ),
    ),
}  # fmt: skip


def scalar(kind: type) -> Callable[[Any], Any]:
    """Return i0e of one number of type `kind`."""
    return three_pieces(TABLES[kind], kind, odd=False)


def i0e(x: Any) -> Any:
    """Compute the exponentially scaled modified Bessel function of order 0 of a CuPy array.

    Parameters
    ----------
    x : (...) cupy.ndarray
        Real numbers; float16, float32 and small integers are computed in float32, other real dtypes in float64.

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
