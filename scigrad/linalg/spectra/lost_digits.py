"""How many digits a derivative loses because eigenvalues are near to each other, and the warning that says so.

Computed eigenvalues are those of a + r with |r| of the size eps |a|, so the gap between two of them is wrong by a part
eps |a| / gap, and so is all that is divided by it: the derivative of an eigenvector itself. Second derivatives of a loss that
does not depend on the basis are differences of terms as large as |a|^2 / gap^2, and lose that many eps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw
from scigrad.numpy.call_stack import warn

from ..foundation.failures import to_host


class Nearness:
    """The smallest gap among near eigenvalues, in parts of the largest of them; what it costs is said once."""

    def __init__(self, function: str, gaps: Any) -> None:
        self.function = function
        self.gap = to_host(raw(gaps)).min()
        self.said = False

    def warn(self, divided: Any, total: Any) -> None:
        self.said = self.said or warn_of_division(self.function, divided, self.gap, total)


def warn_of_division(function: str, divided: Any, gaps: Any, total: Any) -> bool:
    """Warn if what was divided by gaps (in parts of the largest eigenvalue) takes more than half of its digits from the total."""
    divided, gaps, total = (to_host(raw(x)) for x in (divided, gaps, total))
    epsilon = np.finfo(total.dtype).eps
    error = np.abs(divided) * (epsilon / gaps)
    lost = error.size and error.max() > np.sqrt(epsilon) * np.abs(total).max()
    if lost:
        gap = np.broadcast_to(gaps, error.shape).ravel()[error.argmax()]
        _warn(function, gap, 1, epsilon)
    return bool(lost)


def warn_of_second(function: str, gaps: Any, k: Any, touched: Any, norm: Any) -> None:
    """Warn if second derivatives are taken through vectors of values so near that more than half of their digits go: where a
    loss looks at one of a pair, and k, which is to be divided by the gap, is as small as the gap."""
    gaps, k, touched, norm = (to_host(raw(x)) for x in (gaps, k, touched, norm))
    epsilon = np.finfo(k.dtype).eps
    lost = (gaps < epsilon**0.25) & (np.abs(k) <= 10 * np.minimum(gaps, 1) * norm[..., None, None]) & (touched > 0)[..., None, :]
    if lost.any():
        _warn(function, np.broadcast_to(gaps, lost.shape)[lost].min(), 2, epsilon)


def _warn(function: str, gap: float, order: int, epsilon: float) -> None:
    from scipy.linalg import LinAlgWarning

    values, vectors, way_out = _WORDS[function]
    lost, all_digits = -order * np.log10(gap), -np.log10(epsilon)
    warn(
        f"{function}: two {values} differ by {gap:.0e} of the largest, and the loss depends on their {vectors}: "
        f"{_ORDERS[order]} lose about {min(lost, all_digits):.0f} of {all_digits:.0f} digits. {way_out}",
        LinAlgWarning,
    )


_ORDERS = {1: "derivatives", 2: "second derivatives"}
_WORDS = {
    "eigh": (
        "eigenvalues",
        "eigenvectors",
        "A loss that does not depend on the basis between them (v f(w) v^H, a projector on both) loses none of the first "
        "derivative; linalg.funm_herm has all derivatives of v f(w) v^H.",
    ),
    "eig": (
        "eigenvalues",
        "eigenvectors",
        "A loss that does not depend on the basis between them (v f(w) v^-1) loses none of the first derivative; functions of "
        "the matrix (expm, sqrtm, a power) have derivatives of every order.",
    ),
    "svd": (
        "singular values",
        "singular vectors",
        "A loss that does not depend on the basis between them (u f(s) v^H, a projector on both) loses none of the first "
        "derivative.",
    ),
}

__all__ = ["Nearness", "warn_of_division", "warn_of_second"]
