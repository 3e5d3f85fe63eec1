"""The warning that a derivative is divided by the gap between nearly equal eigenvalues.

Computed eigenvalues are those of a + r with |r| of the size eps |a|, so that the gap between two of them has the relative error
eps |a| / gap, as has every quotient by it: the derivative of an eigenvector itself. Second derivatives lose eps |a|^2 / gap^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, raw
from scigrad.numpy.call_stack import warn

from ..foundation.failures import to_host
from ..foundation.matrices import largest


def warn_of_division(function: str, divided: Any, gaps: Any, total: Any) -> None:
    """Warn if what was divided by gaps (in parts of the largest eigenvalue, infinity where there is none) takes more than half
    of the digits from a matrix."""
    found = to_host(raw(_gaps_too_small(divided, gaps, total)))
    gap, epsilon = found.min(initial=np.inf), np.finfo(found.dtype).eps
    if gap == np.inf:
        return
    from scipy.linalg import LinAlgWarning

    values, scale, vectors, way_out = _WORDS[function]
    lost, all_digits = -np.log10(gap), -np.log10(epsilon)
    warn(
        f"{function}: two {values} differ by {gap:.0e} of {scale}, and the derivative is that of their {vectors}: it loses "
        f"about {min(lost, all_digits):.0f} of {all_digits:.0f} digits. {way_out}",
        LinAlgWarning,
    )


@constant
def _gaps_too_small(divided, gaps, total):
    """The gaps by which half of the digits go, infinity elsewhere."""
    near = gaps < np.inf
    lost = np.abs(divided) * np.sqrt(np.finfo(divided.dtype).eps) > np.where(near, gaps, 1) * largest(total, (-2, -1), True)
    return np.where(lost & near, gaps, np.inf).astype(gaps.dtype)


_gaps_too_small.batch_leading(divided=2, gaps=2, total=2)

_WORDS = {
    "eigh": (
        "eigenvalues",
        "the largest",
        "eigenvectors",
        "Reverse mode loses none of them for a loss that does not depend on the basis between them (v f(w) v^H, a projector on "
        "both); linalg.funm_herm has all derivatives of v f(w) v^H.",
    ),
    "eig": (
        "eigenvalues",
        "|a| times their condition number",
        "eigenvectors",
        "Reverse mode loses none of them for a loss that does not depend on the basis between them (v f(w) v^-1); functions of "
        "the matrix (expm, sqrtm, a power) have derivatives of every order.",
    ),
    "svd": (
        "singular values",
        "the largest",
        "singular vectors",
        "Reverse mode loses none of them for a loss that does not depend on the basis between them (u f(s) v^H, a projector on "
        "both).",
    ),
}

__all__ = ["warn_of_division"]
