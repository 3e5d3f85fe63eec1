"""Riccati equations by iterations of products and inverses alone, for batches on a device: nothing waits for the device.

Both converge quadratically, so a fixed number of steps serves all equations whose closed loop is stable beyond rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.factors import device_inverse
from ..foundation.matrices import identity, largest, mH

_STEPS = 40


def _standard(a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> tuple[Any, Any, Any]:
    """a, g = b r^-1 b^H and q of the same equation without e and s."""
    if e is not None:
        inverse = device_inverse(e)[0]
        a, q = a @ inverse, mH(inverse) @ q @ inverse
        s = None if s is None else mH(inverse) @ s
    weight = device_inverse(r)[0]
    if s is not None:
        a, q = a - b @ weight @ mH(s), q - s @ weight @ mH(s)
    return a, b @ weight @ mH(b), q


def _block(rows: list[list[Any]]) -> Any:
    lead = np.broadcast_shapes(*(x.shape[:-2] for row in rows for x in row))
    filled = [[np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in row] for row in rows]
    return np.concatenate([np.concatenate(row, axis=-1) for row in filled], axis=-2)


def _failed(residual: Any, parts: list[Any]) -> Any:
    scale = sum(largest(x, (-2, -1)) for x in parts)
    return 1 * ~(largest(residual, (-2, -1)) <= np.sqrt(np.finfo(residual.dtype).eps) * scale)


def continuous_solution(a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> tuple[Any, Any]:
    """x and where there is none, by the sign of the Hamiltonian matrix: Newton's iteration, scaled (Roberts 1980, Int. J. Control
    32, 677-687; Kenney and Laub 1992, SIAM J. Matrix Anal. Appl. 13, 688-706). (sign + 1) [1; x] = 0."""
    a, g, q = _standard(a, b, q, r, e, s)
    n = a.shape[-1]
    z = _block([[a, -g], [-q, -mH(a)]])
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            inverse = device_inverse(z)[0]
            c = np.sqrt(largest(inverse, (-2, -1), True) / largest(z, (-2, -1), True))
            z = (c * z + inverse / c) / 2
        z = z + identity(2 * n, z)
        orthonormal, triangular = np.linalg.qr(z[..., n:])
        x = -(device_inverse(triangular)[0] @ (mH(orthonormal) @ z[..., :n]))
        x = (x + mH(x)) / 2
        parts = [mH(a) @ x, x @ g @ x, q]
        failed = _failed(parts[0] + mH(parts[0]) - parts[1] + q, parts)
    return x, failed


def discrete_solution(a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> tuple[Any, Any]:
    """x and where there is none, by structure-preserving doubling (Chu, Fan, Lin and Wang 2004, Int. J. Control 77, 767-788)."""
    a, g, q = _standard(a, b, q, r, e, s)
    step, reach, x = a, g, q
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            inverse = device_inverse(identity(a.shape[-1], a) + reach @ x)[0]
            x_next = x + mH(step) @ x @ inverse @ step
            reach = reach + step @ inverse @ reach @ mH(step)
            step, x = step @ inverse @ step, x_next
        x = (x + mH(x)) / 2
        closed = device_inverse(identity(a.shape[-1], a) + g @ x)[0] @ a
        parts = [mH(a) @ x @ closed, x, q]
        failed = _failed(parts[0] - x + q, parts)
    return x, failed


__all__ = ["continuous_solution", "discrete_solution"]
