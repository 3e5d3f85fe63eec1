"""Loss of digits in derivatives at nearly equal eigenvalues, and the warning of it.

Computed eigenvalues are those of a + r with |r| of the size eps |a|, so that the gap between two of them has the relative error
eps |a| / gap, as has every quotient by it: the derivative of an eigenvector itself. Second derivatives of a loss that does not
depend on the basis are differences of terms as large as |a|^2 / gap^2, and lose that many eps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, constant, raw
from scigrad.numpy.call_stack import warn

from ..foundation.failures import to_host
from ..foundation.matrices import largest


class Nearness:
    """Smallest gap among nearly equal eigenvalues, relative to the largest; the warning is issued once."""

    def __init__(self, function: str, gaps: Any = None) -> None:
        self.function = function
        self.gap = None if gaps is None else float(to_host(raw(gaps)).min())
        self.said = False

    def warn(self, divided: Any, total: Any) -> None:
        """Warn if what was divided by the gap takes more than half of the digits from the total."""
        epsilon = np.finfo(total.dtype).eps
        if not self.said and _ratio(divided, total) * np.sqrt(epsilon) > self.gap:
            self.said = True
            _warn(self.function, self.gap, 1, epsilon)

    def warn_of_rounding(self, noise: Any, total: Any) -> None:
        """Warn if a rounding of each digit of the vectors' derivatives, which gives the noise, does so."""
        if noise is not ZERO and not self.said:
            self.said = warn_of_dependence(self.function, _ratio(noise, total), 1, total.dtype, False)


def _ratio(x: Any, total: Any) -> float:
    size, whole = (float(np.abs(to_host(raw(y))).max(initial=0)) for y in (x, total))
    return size / whole if whole else 0.0


def warn_of_division(function: str, divided: Any, gaps: Any, total: Any) -> bool:
    """Warn if what was divided by gaps (in parts of the largest eigenvalue) takes more than half of the digits from a matrix."""
    ratio, gap = (to_host(raw(x)).ravel() for x in _worst_division(divided, gaps, total))
    epsilon = np.finfo(ratio.dtype).eps
    lost = bool((ratio * np.sqrt(epsilon) > 1).any())
    if lost:
        _warn(function, gap[ratio.argmax()], 1, epsilon)
    return lost


@constant
def _worst_division(divided, gaps, total):
    """The largest divided / gap, in parts of the largest entry of the total, and that gap."""
    if 0 in divided.shape[-2:]:
        return np.zeros(divided.shape[:-2]), np.ones(divided.shape[:-2])
    size = largest(total, (-2, -1), True)
    ratio = np.abs(divided) / (gaps * np.where(size > 0, size, 1))
    gaps, ratio = (np.broadcast_to(x, ratio.shape).reshape(*ratio.shape[:-2], -1) for x in (gaps, ratio))
    place = ratio.argmax(axis=-1)[..., None]
    return np.take_along_axis(ratio, place, axis=-1)[..., 0], np.take_along_axis(gaps, place, axis=-1)[..., 0]


_worst_division.batch_leading(divided=2, gaps=2, total=2)


def warn_of_dependence(function: str, lost: float, margin: float, dtype: Any, second: bool) -> bool:
    """Warn if the condition of eigenvectors magnifies rounding so much, as an estimate has it that is too large by a margin."""
    epsilon = np.finfo(dtype).eps
    too_many = lost > margin / np.sqrt(epsilon)
    if too_many:
        from scipy.linalg import LinAlgWarning

        all_digits = -np.log10(epsilon)
        warn(
            f"{function}: the eigenvectors are nearly dependent, and this {'second ' * second}derivative may lose "
            f"{min(np.log10(lost), all_digits):.0f} of {all_digits:.0f} digits. Functions of the matrix (expm, sqrtm, a power) "
            "have derivatives that are not divided by gaps.",
            LinAlgWarning,
        )
    return bool(too_many)


def warn_of_second(function: str, gaps: Any, k: Any, touched: Any, norm: Any) -> bool:
    """Warn if second derivatives are taken through vectors of values so near that more than half of their digits go: where a
    loss looks at one of a pair, and k, which is to be divided by the gap, is as small as the gap."""
    smallest = to_host(raw(_smallest_doubtful(gaps, k, touched, norm)))
    epsilon = np.finfo(smallest.dtype).eps
    lost = smallest.size > 0 and bool(smallest.min() < epsilon**0.25)
    if lost:
        _warn(function, smallest.min(), 2, epsilon)
    return lost


@constant
def _smallest_doubtful(gaps, k, touched, norm):
    doubtful = (np.abs(k) <= 10 * np.minimum(gaps, 1) * norm[..., None, None]) & (touched > 0)[..., None, :]
    gaps = np.where(doubtful, gaps, np.inf)
    return gaps.min(axis=(-2, -1)) if 0 not in gaps.shape[-2:] else np.full(gaps.shape[:-2], np.inf, gaps.dtype)


_smallest_doubtful.batch_leading(gaps=2, k=2, touched=1, norm=0)


def warn_of_others(function: str, gaps: Any) -> None:
    """Warn if second derivatives are taken beside values so near (in parts of the largest) that more than half of their digits
    go: those through other vectors too, as the near ones turn by 1 / gap in parts that cancel."""
    gaps = to_host(raw(gaps))
    epsilon, smallest = np.finfo(gaps.dtype).eps, gaps.min(initial=np.inf)
    if smallest < np.sqrt(epsilon):
        from scipy.linalg import LinAlgWarning

        values, scale, vectors, _ = _WORDS[function]
        lost, all_digits = -np.log10(smallest), -np.log10(epsilon)
        warn(
            f"{function}: two {values} differ by {smallest:.0e} of {scale}: second derivatives through {vectors}, also through "
            f"those of other {values}, lose about {min(lost, all_digits):.0f} of {all_digits:.0f} digits.",
            LinAlgWarning,
        )


def _warn(function: str, gap: float, order: int, epsilon: float) -> None:
    from scipy.linalg import LinAlgWarning

    values, scale, vectors, way_out = _WORDS[function]
    lost, all_digits = -order * np.log10(gap), -np.log10(epsilon)
    warn(
        f"{function}: two {values} differ by {gap:.0e} of {scale}, and the loss depends on their {vectors}: "
        f"{_ORDERS[order]} lose about {min(lost, all_digits):.0f} of {all_digits:.0f} digits. {way_out}",
        LinAlgWarning,
    )


_ORDERS = {1: "derivatives", 2: "second derivatives"}
_WORDS = {
    "eigh": (
        "eigenvalues",
        "the largest",
        "eigenvectors",
        "A loss that does not depend on the basis between them (v f(w) v^H, a projector on both) loses none of the first "
        "derivative; linalg.funm_herm has all derivatives of v f(w) v^H.",
    ),
    "eig": (
        "eigenvalues",
        "|a| times their condition number",
        "eigenvectors",
        "A loss that does not depend on the basis between them (v f(w) v^-1) loses none of the first derivative; functions of "
        "the matrix (expm, sqrtm, a power) have derivatives of every order.",
    ),
    "svd": (
        "singular values",
        "the largest",
        "singular vectors",
        "A loss that does not depend on the basis between them (u f(s) v^H, a projector on both) loses none of the first "
        "derivative.",
    ),
}

__all__ = ["Nearness", "warn_of_dependence", "warn_of_division", "warn_of_others", "warn_of_second"]
