"""Close eigenvalues of a general matrix: tests for equality and for a common eigenvector, and the effect of rounding.

Eigenvalue i moves by at most eps c_i under rounding of the entries of a, with c_i = |y_i| |a| |v_i| and y = v^-1 (Higham,
Accuracy and Stability of Numerical Algorithms, 2nd ed., section 7.3, for linear systems); rescaling rows and columns does not
change that. Eigenvalues closer than 64 n eps max(c_i, c_j) count as equal. Quotients by larger gaps lose eps c_i / gap; their
limit, which the rules compute too (splitting.py), has the relative error gap / |a|. It is used for gaps below
(eps c_i |a|)^(1/2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, namespace_of, raw
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.call_stack import warn

from ..foundation.failures import LinAlgError, to_host
from ..foundation.gauge import exists
from ..foundation.matrices import frobenius, is_diagonal, largest, mH


def close_pairs(a: Any, w: Any, size: Any, gauge: str) -> tuple[Any, Any]:
    """Pairs that count as equal, and those whose quotients are better replaced by their limit."""
    epsilon = np.finfo(raw(w).dtype).eps
    rounding = 64 * w.shape[-1] * epsilon * size
    same = _chained(w, rounding)
    return same, same if gauge == "trust" else _chained(w, np.maximum(np.sqrt(epsilon * size * _largest_entry(a)), rounding))


@constant
def _within(w, limit):
    gaps = np.abs(w[..., None, :] - w[..., :, None])
    return gaps <= np.maximum(limit[..., None, :], limit[..., :, None])


@constant
def _chained(w, limit):
    """Return pairs within the limit, on the host closed along chains. On a device the length of chains is not read back."""
    pairs = _within(w, limit)
    if library(w) != "numpy":
        return pairs
    count = pairs.shape[-1] * (pairs.size // max(1, pairs.shape[-1] ** 2))
    while (found := int(pairs.sum())) > count:
        count, links = found, pairs.astype(np.float32)
        pairs = links @ links > 0
    return pairs


@constant
def _largest_entry(a):
    return largest(a, (-2, -1), True)[..., 0]


@constant
def sensitivity(a, w, v):
    """c_i, or what replaces it where v has no inverse."""
    y = spectral_inverse(v)
    size = (np.abs(y) * (np.abs(a) @ np.abs(v)).mT).sum(axis=-1)
    size = np.where(np.isfinite(size), size, largest(a, (-2, -1), True)[..., 0])
    return np.maximum(size, np.abs(w))


def spectral_inverse(v: Any) -> Any:
    """v^-1, NaN where there is none."""
    try:
        with np.errstate(all="ignore"):
            return np.linalg.inv(v)
    except np.linalg.LinAlgError:
        out = np.full_like(v, np.nan)
        for index in np.ndindex(v.shape[:-2]):
            if np.linalg.cond(v[index]) < 1 / np.finfo(v.dtype).eps:
                out[index] = np.linalg.inv(v[index])
        return out


# Two equal eigenvalues whose vectors enclose the angle s: (a - w)(v_j - v_i <v_i, v_j>) / s has the size (gap + rounding) / s,
# the element of the Jordan block that joins them.
@constant
def _joined(a, w, v, same):
    overlap = np.abs(mH(v) @ v)
    sine = np.sqrt(np.maximum(1 - overlap**2, 0))
    norm = frobenius(a)[..., None, None]
    epsilon = np.finfo(w.dtype).eps
    gaps = np.abs(w[..., None, :] - w[..., :, None])
    alone = namespace_of(w).eye(w.shape[-1], dtype=bool)
    return same & ~alone & (gaps + w.shape[-1] * epsilon * norm > 0.1 * np.sqrt(epsilon) * norm * sine)


@constant
def _conditions(v):
    """1 / |cosine of left and right eigenvector|, of each eigenvalue."""
    y = np.abs(spectral_inverse(v))
    size = largest(y, -1, True)
    return size[..., 0] * np.sqrt(((y / _positive(size)) ** 2).sum(axis=-1))  # squares alone would overflow


_within.batch_leading(w=1, limit=1)
_chained.batch_leading(w=1, limit=1)
_largest_entry.batch_leading(a=2)
sensitivity.batch_leading(a=2, w=1, v=2)
_joined.batch_leading(a=2, w=1, v=2, same=2)
_conditions.batch_leading(v=2)


def refuse_defective(a: Any, w: Any, v: Any, same: Any, size: Any, function: str, second: bool) -> None:
    """Raise where equal eigenvalues share a vector; warn where close ones nearly do."""
    joined = to_host(raw(_joined(a, w, v, same)))
    if joined.any():
        i, j = (int(k) for k in np.argwhere(joined)[0][-2:])
        raise LinAlgError(
            f"{function}: eigenvalues {i} and {j} are equal and share one eigenvector: the matrix is defective, up to rounding, "
            "and its eigenvalues have no derivative there. Functions of the matrix do (expm, a power, det, trace): use "
            "them instead of eigenvalues" + ("; gauge='project' goes on without this test." if function == "eig" else ".")
        )
    epsilon = np.finfo(raw(w).dtype).eps
    limit = epsilon ** (0.25 if second else 0.5) * size * (size / _positive(_largest_entry(a)))
    close = _within(w, limit) & ~same & ~is_diagonal(same)
    if not exists(close):
        return
    worst = to_host(raw(np.where(close, _conditions(v)[..., None], 0))).max()
    if worst > epsilon ** (-0.125 if second else -0.2):
        from scipy.linalg import LinAlgWarning

        warn(
            f"{function}: the matrix is nearly defective: two eigenvalues are close and have the condition number {worst:.1e}; "
            f"their {'second ' * second}derivatives lose that many digits{' twice' * second}.",
            LinAlgWarning,
        )


def _positive(x: Any) -> Any:
    return np.where(x > 0, x, 1)


# -- bases that suit a direction


def rotation(shifted: Any, first: Any, gauge: str) -> Any:
    """Eigenvectors of a matrix whose blocks of equal eigenvalues were shifted to the numbers `first` of their groups, each in the
    place of a member of its group. A direction that makes a Jordan block of a group is refused."""
    found, vectors = np.linalg.eig(shifted)
    rank = np.broadcast_to(np.argsort(np.argsort(first, axis=-1, stable=True), axis=-1), found.shape)  # of many directions
    order = np.take_along_axis(np.argsort(np.real(found), axis=-1), rank, axis=-1)
    vectors = np.take_along_axis(vectors, order[..., None, :], axis=-1)
    within = np.where(first[..., None, :] == first[..., :, None], vectors, 0)
    if gauge == "check" and not to_host((_conditions(within) < np.finfo(vectors.dtype).eps ** -0.25).all()):
        raise LinAlgError(JOINED)
    return vectors


JOINED = (
    "eig: a derivative was asked for in a direction that makes a defective matrix: equal eigenvalues become a Jordan block in "
    "it, as [[0, 1], [0, 0]] does at the identity. Their eigenvectors have no derivative in it, and functions of the eigenvalues "
    "may have a kink. Functions of the matrix have derivatives of every order (expm, a power, det, trace)."
)

__all__ = ["close_pairs", "refuse_defective", "rotation", "sensitivity", "spectral_inverse"]
