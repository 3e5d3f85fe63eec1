"""Frames: eigenvalues and eigenvectors of general matrices as LAPACK returns them, without derivatives, and their free choices:
the phase of a vector, the scale of a pair (alpha, beta). eigensystem.py adds the derivatives of a frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, constant, differentiable, kernel, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.boxes import Dual, Recorded

from ..foundation import batches, failures
from ..foundation.factors import factorize
from ..foundation.failures import LinAlgError
from ..foundation.gauge import refuse
from ..foundation.lapack import host
from ..foundation.matrices import frobenius, identity, is_diagonal, is_moderate, largest, on_diagonal, power_of_two
from ..systems.solve import linear_solve
from .equal_eigenvalues import REVERSE, text


@constant
def frame(a, left, vectors, on_fail):
    """Return complex eigenvalues, left and right eigenvectors where they are requested (otherwise None), and info."""
    info = np.zeros(a.shape[:-2], np.intp, like=a)
    if failures.policy(a, on_fail) != "raise":
        bad = failures.not_finite(a)
        a, info = failures.patched(a, bad), bad * -1
    u = None
    try:
        w, v = kernel("numpy.linalg.eig")(a) if vectors else (kernel("numpy.linalg.eigvals")(a), None)
    except LinAlgError:
        w, u, v, codes = each(a, None, left, vectors, on_fail)
        w, info = w[..., 0, :], np.where(codes != 0, codes, info)
    if left and u is None and library(a) == "numpy":
        u = each(a, None, True, False, on_fail)[1]
    single = np.finfo(a.dtype).bits == 32
    w, u, v = (None if x is None else x.astype("F" if single else "D") for x in (w, u, v))
    if failures.policy(a, on_fail) != "raise":
        w, v = failures.marked_nan(w, info, 1), None if v is None else failures.marked_nan(v, info, 2)
    return w, u, v, info[()]


frame.batch_leading(a=2)


def each(a: Any, b: Any, left: bool, right: bool, on_fail: str) -> tuple[Any, Any, Any, Any]:
    """(alpha, beta), left and right eigenvectors of concrete matrices or pairs on the host, one by one, and LAPACK's info."""
    unit = 1 if b is not None or not a.size or is_moderate(a) else power_of_two(a)
    kind = np.result_type(a if b is None else a.dtype.type(0) + b.dtype.type(0), np.complex64)

    def one(a: Any, b: Any = None) -> tuple[Any, ...]:
        found = host("eig")(a, b, left, right, False, False, False, True)
        return found if isinstance(found, tuple) else (found,)

    found, info = batches.each("eig", one, *((a / unit,) if b is None else (a, b)), on_fail=on_fail)
    w, *vectors = (x.astype(kind) for x in found)
    w[..., :1, :] *= unit  # alpha; beta is 1
    return w, vectors[0] if left else None, vectors[-1] if right else None, info


def left_vectors(v: Any, u: Any, transformed: Any = None) -> Any:
    """The columns of v^-H, or what `transformed` makes of them, with norm 1 and the phases of u."""
    factors = factorize("eig", raw(v), "general", False, "nan", check_condition=False)
    y = linear_solve(v, identity(shape_of(v)[-1], v), factors=factors, adjoint=True)
    y = y if transformed is None else transformed(y)
    y = y / power_of_two(y)  # of a pair the columns have the size of 1 / b
    y = y / np.sqrt(np.sum(np.abs(y) ** 2, axis=-2))[..., None, :]
    return y if u is None else y * _phases(y, u)[..., None, :]


@constant
def _phases(y, u):
    along = (np.conjugate(y) * u).sum(axis=-2)
    size = np.abs(along)
    return np.where(size > 0, along / np.where(size > 0, size, 1), 1).astype(y.dtype)


_phases.batch_leading(y=2, u=2)


# -- what is left open


def free(x: Any, gauge: str, phase_only: bool) -> Any:
    """x itself, whose columns have a free phase, or a free complex factor: no loss may depend on it."""
    return _free(x, gauge, phase_only, _order(x))


def _order(x: Any) -> int:
    """Return how many derivatives are taken of x."""
    order = 0
    while isinstance(x, Traced):
        order += type(x) in (Dual, Recorded)
        x = x.value
    return order


@differentiable("x")
def _free(x, gauge, phase_only, order):
    del gauge, phase_only, order
    return x


_free.batch_leading(x=2)
_free.jvp(lambda call, t: t.x)


# Only the first of several derivatives is one of the loss. What the others bring depends on the choice by itself: the rules of
# the first use x too, and their parts come by another way.
@_free.vjp
def _(call, g):
    if call.gauge == "trust" or _order(call.x) < call.order - 1:
        return {"x": g}
    along = _along(call.x, g)
    along = 1j * np.imag(along) if call.phase_only else along
    if call.gauge == "check":
        size = frobenius(g) * (1 if call.phase_only else np.sqrt(largest(_along(call.x, call.x), -1)))
        x = on_diagonal(along)
        refuse(x, is_diagonal(x), size, text(REVERSE, "eig") if call.phase_only else SCALE)
    return {"x": g - call.x * (along / _along(call.x, call.x))[..., None, :]}


def _along(x: Any, y: Any) -> Any:
    return np.sum(np.conjugate(x) * y, axis=-2)


SCALE = (
    "eig: the loss depends on the scale of a pair of homogeneous eigenvalues (alpha, beta), which the matrices do not determine "
    "({what}). Write it with alpha / beta or another quantity that does not depend on it, or pass gauge='project'."
)

__all__ = ["each", "frame", "free", "left_vectors"]
