"""Frames: eigenvalues and eigenvectors of general matrices as LAPACK returns them, without
derivatives, and their free choices: the phase of a vector, the scale of a pair (alpha, beta).
eigensystem.py adds the derivatives of a frame.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import (
    Traced,
    constant,
    differentiable,
    kernel,
    raw,
    shape_of,
    stop_gradient,
    warn,
)
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.boxes import Dual, Recorded

from ..foundation import failures
from ..foundation.decompositions import invert
from ..foundation.factors import factorize
from ..foundation.failures import LinAlgError, exists, first_place, refuse_gauge, to_host
from ..foundation.lapack import host
from ..foundation.matrices import (
    frobenius,
    identity,
    is_diagonal,
    is_moderate,
    largest,
    mH,
    place_on_diagonal,
    power_of_two,
)
from ..systems.solve import linear_solve
from .degenerate_eigenvalues import gaps
from .messages import JOINED, REVERSE, SCALE, text


def eig_frame(a: Any, left: bool, vectors: bool, on_fail: str) -> tuple[Any, Any, Any, Any]:
    """Return complex eigenvalues, left and right eigenvectors where they are requested (otherwise
    None), and info.
    """

    def found(a: Any) -> Any:
        w, v = (
            kernel("numpy.linalg.eig")(a) if vectors else (kernel("numpy.linalg.eigvals")(a), None)
        )
        u = (
            frames_by_lapack(a, None, True, False, "raise")[1]
            if left and library(a) == "numpy"
            else None
        )
        return [
            None if x is None else x.astype("F" if np.finfo(a.dtype).bits == 32 else "D")
            for x in (w, u, v)
        ]

    return failures.frame(
        "eig", a, found, np.linalg.eigvals, failures.policy(raw(a), on_fail), (1, 2, 2)
    )


@constant(core={"a": 2, "b": 2})
def frames_by_lapack(a, b, left, right, on_fail):
    """Return (alpha, beta), left and right eigenvectors of concrete matrices or pairs on the host,
    one by one, and LAPACK's info.
    """
    unit = 1 if b is not None or not a.size or is_moderate(a) else power_of_two(a)
    kind = np.result_type(a if b is None else a.dtype.type(0) + b.dtype.type(0), np.complex64)

    def one(a: Any, b: Any = None) -> tuple[Any, ...]:
        found = host("eig")(a, b, left, right, False, False, False, True)
        return found if isinstance(found, tuple) else (found,)

    found, info = failures.each(
        "eig", one, *((a / unit,) if b is None else (a, b)), on_fail=on_fail
    )
    w, *vectors = (x.astype(kind) for x in found)
    w[..., :1, :] *= unit  # scale alpha only: beta is 1 for an ordinary problem
    return w, vectors[0] if left else None, vectors[-1] if right else None, info


def left_vectors(v: Any, u: Any, transformed: Any = lambda y: y) -> Any:
    """Return the columns of v^-H, `transformed`, with norm 1 and the phases of u."""
    y = transformed(solve_frame(v, identity(shape_of(v)[-1], v), True))
    # the columns of a pair are of the size 1 / b, and their squares may overflow
    y = y / power_of_two(y)
    y = y / np.sqrt(np.sum(np.abs(y) ** 2, axis=-2))[..., None, :]
    if u is None:
        return y
    turn = column_products(stop_gradient(y), u)
    size = np.abs(turn)
    return y * np.where(size > 0, turn / np.where(size > 0, size, 1), 1)[..., None, :]


def solve_frame(v: Any, y: Any, adjoint: bool) -> Any:
    """Solve v x = y, or v^H x = y with `adjoint`."""
    return linear_solve(
        v,
        y,
        factors=factorize("eig", raw(v), "general", False, "nan", check_condition=False),
        adjoint=adjoint,
    )


# -- what is left open


def free(x: Any, gauge: str, phase_only: bool) -> Any:
    """Return x itself, whose columns have a free phase, or a free complex factor: no loss may
    depend on it.
    """
    return _free(x, gauge, phase_only, _count_derivatives(x))


def _count_derivatives(x: Any) -> int:
    """Return the number of derivatives that are taken of x."""
    order = 0
    while isinstance(x, Traced):
        order += type(x) in (Dual, Recorded)
        x = x._value
    return order


@differentiable("x", core={"x": 2})
def _free(x, gauge, phase_only, order):
    del gauge, phase_only, order
    return x


_free.jvp(lambda call, t: t.x)


# Only the first of several derivatives is one of the loss. What the others bring depends on the
# choice by itself: the rules of the first use x too, and their parts come by another way.
@_free.vjp
def _(call, g):
    if call.gauge == "trust" or _count_derivatives(call.x) < call.order - 1:
        return {"x": g}
    part = column_products(call.x, g)
    part = 1j * np.imag(part) if call.phase_only else part
    if call.gauge == "check":
        size = frobenius(g) * (
            1 if call.phase_only else np.sqrt(largest(column_products(call.x, call.x), -1))
        )
        x = place_on_diagonal(part)
        refuse_gauge(x, is_diagonal(x), size, text(REVERSE, "eig") if call.phase_only else SCALE)
    return {"x": g - call.x * (part / column_products(call.x, call.x))[..., None, :]}


def column_products(x: Any, y: Any) -> Any:
    """Return x_j^H y_j for each column."""
    return np.sum(np.conjugate(x) * y, axis=-2)


# -- Close eigenvalues of a general matrix: tests for equality and for a common eigenvector, and the
# effect of rounding.
#
# Eigenvalue i moves by at most eps c_i under rounding of the entries of a, with c_i = |y_i| |a|
# |v_i| and y = v^-1 (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 7.3,
# for linear systems); rescaling rows and columns does not change that. Eigenvalues closer than 64 n
# eps max(c_i, c_j) count as equal. Quotients by larger gaps lose eps c_i / gap; their limit, which
# the rules compute too (equal_eigenvalues.py), has the relative error gap / |a|. It is used for
# gaps below (eps c_i |a|)^(1/2).


def close_pairs(a: Any, w: Any, size: Any, gauge: str) -> tuple[Any, Any]:
    """Return masks (..., n, n) of the pairs that count as equal, and of those whose quotients are
    better replaced by their limit.
    """
    epsilon = np.finfo(raw(w).dtype).eps
    rounding = 64 * w.shape[-1] * epsilon * size
    same = _chained(w, rounding)
    return same, same if gauge == "trust" else _chained(
        w, np.maximum(np.sqrt(epsilon * size * power_of_two(a)[..., 0]), rounding)
    )


def _within(w: Any, limit: Any) -> Any:
    return np.abs(gaps(w)) <= np.maximum(limit[..., None, :], limit[..., :, None])


@constant(core={"w": 1, "limit": 1})
def _chained(w, limit):
    """Return pairs within the limit, on the host closed along chains. On a device the length of
    chains is not read back.
    """
    pairs = _within(w, limit)
    if library(w) != "numpy":
        return pairs
    count = pairs.shape[-1] * (pairs.size // max(1, pairs.shape[-1] ** 2))
    while (found := int(pairs.sum())) > count:
        count, links = found, pairs.astype(np.float32)
        pairs = links @ links > 0
    return pairs


@constant(core={"a": 2, "w": 1, "v": 2})
def sensitivity(a, w, v):
    """Return c_i, the sensitivity of each eigenvalue, or what replaces it where v has no
    inverse.
    """
    y = spectral_inverse(v)
    # BLAS may flag products of infinities and NaN, depending on the processor
    with np.errstate(invalid="ignore"):
        size = (np.abs(y) * (np.abs(a) @ np.abs(v)).mT).sum(axis=-1)
    size = np.where(np.isfinite(size), size, largest(a, (-2, -1), True)[..., 0])
    return np.maximum(size, np.abs(w))


def spectral_inverse(v: Any) -> Any:
    """Return v^-1, or NaN where there is none."""
    try:
        with np.errstate(all="ignore"):
            return invert(v)
    except LinAlgError:
        return solve_frame(v, identity(v.shape[-1], v), False)


# Two equal eigenvalues whose vectors enclose the angle s: (a - w)(v_j - v_i <v_i, v_j>) / s has the
# size (gap + rounding) / s, the element of the Jordan block that joins them.
def _joins_into_block(a: Any, w: Any, v: Any, same: Any) -> Any:
    overlap = np.abs(mH(v) @ v)
    sine = np.sqrt(np.maximum(1 - overlap**2, 0))
    norm = frobenius(a)[..., None, None]
    epsilon = np.finfo(w.dtype).eps
    return (
        same
        & ~is_diagonal(same)
        & (np.abs(gaps(w)) + w.shape[-1] * epsilon * norm > 0.1 * np.sqrt(epsilon) * norm * sine)
    )


@constant(core={"v": 2})
def _conditions(v):
    """Return the condition of each eigenvalue, 1 / |cosine of its left and right eigenvectors|."""
    y = np.abs(spectral_inverse(v))
    size = largest(y, -1, True)
    # squares alone would overflow
    return size[..., 0] * np.sqrt(((y / np.where(size > 0, size, 1)) ** 2).sum(axis=-1))


def refuse_defective(
    a: Any, w: Any, v: Any, same: Any, size: Any, function: str, second: bool
) -> None:
    """Raise where equal eigenvalues share a vector; warn where close ones nearly do."""
    a, w, v = map(stop_gradient, (a, w, v))
    joined = to_host(raw(_joins_into_block(a, w, v, same)))
    if joined.any():
        i, j = first_place(joined)[-2:]
        raise LinAlgError(
            f"{function}: eigenvalues {i} and {j} are equal and share one eigenvector: the matrix "
            "is defective, up to rounding, and only functions of it have derivatives (expm, a "
            "power, det, trace)"
            + ("; gauge='project' goes on without this test." if function == "eig" else ".")
        )
    epsilon = np.finfo(raw(w).dtype).eps
    limit = epsilon ** (0.25 if second else 0.5) * size * (size / power_of_two(a)[..., 0])
    close = _within(w, limit) & ~same & ~is_diagonal(same)
    if not exists(close):
        return
    worst = to_host(raw(np.where(close, _conditions(v)[..., None], 0))).max()
    if worst > epsilon ** (-0.125 if second else -0.2):
        from scipy.linalg import LinAlgWarning

        warn(
            f"{function}: the matrix is nearly defective: two eigenvalues are close and have the "
            f"condition number {worst:.1e}; their {'second ' * second}derivatives lose that many "
            f"digits{' twice' * second}.",
            LinAlgWarning,
        )


# -- bases that suit a direction


def rotation(shifted: Any, first: Any, gauge: str) -> Any:
    """Return eigenvectors of a matrix whose blocks of equal eigenvalues were shifted to the numbers
    `first` of their groups, each in the place of a member of its group. A direction that makes a
    Jordan block of a group is refused.
    """
    found, vectors = np.linalg.eig(shifted)
    # `shifted` has more batch axes than `first` if there are many directions
    rank = np.broadcast_to(
        np.argsort(np.argsort(first, axis=-1, kind="stable"), axis=-1), found.shape
    )
    order = np.take_along_axis(np.argsort(np.real(found), axis=-1), rank, axis=-1)
    vectors = np.take_along_axis(vectors, order[..., None, :], axis=-1)
    within = np.where(first[..., None, :] == first[..., :, None], vectors, 0)
    if gauge == "check" and not to_host(
        (_conditions(within) < np.finfo(vectors.dtype).eps ** -0.25).all()
    ):
        raise LinAlgError(JOINED)
    return vectors
