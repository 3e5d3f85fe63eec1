"""Two real equations, the smallest system, solved in less time than the checks of NumPy's or SciPy's wrappers take."""

from __future__ import annotations

from typing import Any

import numpy as np

_SAFE = 1e-12  # from here on no warning of ill-conditioning can be due


def two_equations(a: Any, b: Any) -> Any:
    """x with a x = b for float64 arrays of shapes (2, 2) and (2,), by elimination with row interchanges, as LAPACK does it.

    None where SciPy has to be called: if a may be singular or ill conditioned, an element is not finite, or a result over- or
    underflows. |a|_1 |a^-1|_1 <= 4 m^2 / |det a| with m the largest modulus, and det a = p d with the pivots p and d.
    """
    if a.dtype.char != "d" or b.dtype.char != "d":
        return None
    (p, q), (r, s) = a.tolist()
    u, v = b.tolist()
    if abs(r) > abs(p):
        p, q, r, s, u, v = r, s, p, q, v, u
    if p == 0:
        return None
    factor = r / p
    d = s - factor * q
    m = max(abs(p), abs(q), abs(s))
    if not abs(p) * abs(d) > _SAFE * m * m:
        return None
    y = (v - factor * u) / d
    x = (u - q * y) / p
    return np.array([x, y]) if x - x == 0 == y - y else None


__all__ = ["two_equations"]
