"""a^+ b, for any rank: the solution of smallest norm.

The derivative of a^+ is that of Golub and Pereyra (SIAM Journal on Numerical Analysis 10 (1973) 413-432, theorem 4.3), valid
while the rank does not change; it divides by singular values, never by their gaps. Singular values that count as 0 have to be 0
up to rounding: `truncated` turns any matrix into such a one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, constant, differentiable
from scigrad.autodiff_rules.backends import library

from ..foundation.matrices import mH
from ..systems.solve import outer_sum
from .reflected import combined, onto
from .singular_values import Spectrum, fitting


@differentiable("a", "b")
def pseudo_solve(a, b, spectrum, adjoint=False):
    """a^+ b, or (a^H)^+ b."""
    f = fitting(spectrum, a)
    weights = f.inverse[..., None]
    return combined(f.u, weights * (f.vh @ b)) if adjoint else mH(f.vh) @ (weights * onto(f.u, b))


pseudo_solve.batch_leading(a=2, b=2)


def _full(spectrum: Spectrum) -> tuple[bool, bool]:
    """Return whether the rows, and whether the columns, of all matrices are known to be independent, so that
    a a^+ = 1, or a^+ a = 1."""
    if library(spectrum.s) != "numpy":
        return False, False
    m, n = spectrum.shape[-2:]
    rank = np.min(spectrum.rank, initial=min(m, n))
    return bool(rank == m), bool(rank == n)


@constant
def largest_value(a, spectrum):
    """The largest singular value, (..., 1, 1); 1 for a matrix that is 0. With it products of a^+ stay in range."""
    s = fitting(spectrum, a).s
    ends = np.maximum(s[..., :1], s[..., -1:]) if s.shape[-1] else np.ones_like(s.sum(axis=-1, keepdims=True))  # pinvh: ascending
    return np.where(ends > 0, ends, 1).astype(s.dtype)[..., None]


largest_value.batch_leading(a=2)


# With r = b - a x:  x' = a^+ (b' - a' x) + a^+ a^+H a'^H r + (1 - a^+ a) a'^H a^+H x
@pseudo_solve.jvp
def _(call, t):
    solve, back, a, da, rows, columns = _parts(call, t.a)
    x = call.out
    if da is ZERO:
        return solve(t.b)
    out = solve(t.b - da @ x)
    if not rows:
        out = out + solve(back(mH(da) @ (call.b - a @ x)))
    if not columns:
        size = largest_value(call.a, call.spectrum)  # a^+H x may leave the range
        z = mH(da / size) @ back(size * x)
        out = out + z - solve(a @ z)
    return out


# b_bar = w = a^+H g,  a_bar = -w x^H + r (a^+ w)^H + (a^+H x) (g - a^+ a g)^H
@pseudo_solve.vjp
def _(call, g):
    solve, back, a, _, rows, columns = _parts(call, ZERO)
    x, w = call.out, back(g)

    def a_bar() -> Any:
        pairs = [(-w, x)]
        size = 1 if rows and columns else largest_value(call.a, call.spectrum)  # r is small and a^+ w large, or the reverse
        if not rows:
            pairs.append(((call.b - a @ x) / size, solve(size * w)))
        if not columns:
            pairs.append((back(size * x), (g - solve(a @ g)) / size))
        first, *others = (outer_sum(*(pair[::-1] if call.adjoint else pair), call.a) for pair in pairs)
        return sum(others, start=first)

    return {"b": w, "a": a_bar}


def _parts(call: Any, tangent: Any) -> tuple[Any, ...]:
    """a^+ and a^+H as functions, a, a', and whether rows and columns are independent; all of a^H when adjoint."""

    def solver(adjoint: bool) -> Any:
        return lambda b: pseudo_solve(call.a, b, call.spectrum, adjoint)

    rows, columns = _full(call.spectrum)
    if call.adjoint:
        return solver(True), solver(False), mH(call.a), mH(tangent), columns, rows
    return solver(False), solver(True), call.a, tangent, rows, columns


__all__ = ["largest_value", "pseudo_solve"]
