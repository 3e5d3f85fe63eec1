"""a^+ b, for any rank: the solution of smallest norm.

The derivative of a^+ is that of Golub and Pereyra (SIAM Journal on Numerical Analysis 10 (1973) 413-432, theorem 4.3), valid
while the rank does not change; it divides by singular values, never by their gaps. Singular values that count as 0 have to be 0
up to rounding: `truncated` turns any matrix into such a one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced, constant, differentiable, raw, shape_of
from scigrad.autodiff_rules.backends import library

from ..foundation.matrices import identity, largest, mH
from ..systems.solve import outer_sum
from .decomposition import Spectrum, combined, fitting, onto


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


# -- Truncation of a matrix to its singular values above a cutoff, where the others are not 0 (regularization).
#
# Of a = u1 s1 v1^H + u2 s2 v2^H the kept part is  t = u1 s1 v1^H,  of a rank that is constant while no singular value crosses the
# cutoff. All functions of it (t^+, its range, its null space) have the derivatives that they have at constant rank.
#
# t' from a'. The subspaces move as u1' = u2 m, v1' = v2 n (other changes do not contribute), so u2^H t' v1 = m s1,
# u1^H t' v2 = s1 n^H, u2^H t' v2 = 0, u1^H t' v1 = u1^H a' v1. They stay singular subspaces, u2^H a v1 = 0 = u1^H a v2:
#     m s1 - s2 n = u2^H a' v1,    n s1 - s2 m = v2^H a'^H u1,
# 2 x 2 equations for every pair of a kept and a dropped value, with the determinant s_i^2 - s_j^2 > 0; none within either. With
# d = a - t = u2 s2 v2^H and q = t^+H = u1 s1^-1 v1^H they are, for t' as a whole,
#     t' - d t'^H q - q t'^H d = a' - (1 - l) a' (1 - r),    l = u1 u1^H, r = v1 v1^H;
# elementwise, y_ji - (s_j / s_i) conj(y_ij) = c_ji. If s2 = 0, t' is the right-hand side. Both sides are self-adjoint maps, and
# they commute, so that the map from a' to t' is self-adjoint too: t is half the gradient of the sum of the squares of the
# singular values that are kept. The next derivatives follow from the same equation, from that of q and from l' = x + x^H,
# x = (1 - l) t' t^+ (Golub and Pereyra (1973), equation 4.2; Stewart, SIAM Review 15 (1973) 727-764, has the equations of the
# subspaces).


def truncated(a: Any, spectrum: Spectrum, relative: Any, absolute: Any = 0.0) -> Any:
    """a without what its spectrum counts as 0; a itself, if that is rounding and nothing else."""
    return _truncated(a, spectrum) if isinstance(a, Traced) and _drops(spectrum, relative, absolute) else a


def _rounding(f: Spectrum) -> float:
    """Return a bound of computed singular values whose exact value is 0, relative to the largest."""
    return 8 * max(f.shape[-2:]) * float(np.finfo(f.s.dtype).eps)


def _drops(f: Spectrum, relative: Any, absolute: Any) -> bool:
    """Return whether values that count as 0 exceed rounding errors. On a device only tolerances on the host are read."""
    relative, absolute, size = raw(relative), raw(absolute), _rounding(f)
    known = np.ndim(relative) == np.ndim(absolute) == 0 and library(relative) == library(absolute) == "numpy"
    if known and relative <= size and absolute == 0:
        return False
    if library(f.s) != "numpy":
        return True
    return not f.inverse.all() and bool(((f.inverse == 0) & (f.s > size * largest(f.s, -1, True))).any())


# -- derivatives


@differentiable("a")
def _truncated(a, spectrum):
    f = fitting(spectrum, a)
    return combined(f.u, (f.s * (f.inverse != 0))[..., None] * f.vh)


_truncated.batch_leading(a=2)
_truncated.jvp(lambda call, t: _moved(call, t.a))
_truncated.vjp(lambda call, g: {"a": _moved(call, g)})


def _moved(call: Any, e: Any) -> Any:
    """t' of a' = e, and a_bar of t_bar = e."""
    t, f = call.out, call.spectrum
    m, n = shape_of(t)[-2:]
    across = e - _projected(t, e, f)
    across = across - mH(_projected(t, mH(across), f, True))
    size = largest_value(t, f)  # of d and 1 / q: without it, products with what is as large as t^+ leave the range
    one = size * identity(min(m, n), raw(t))
    q = pseudo_solve(t, one, f, True) if m >= n else mH(pseudo_solve(t, one, f))
    return _exchanged((call.a - t) / size, q, e - across, f)


def _product(x: Any, y: Any, z: Any) -> Any:
    """x y^H z for matrices of one shape, without a square matrix of the longer side."""
    return x @ (mH(y) @ z) if shape_of(y)[-2] >= shape_of(y)[-1] else (x @ mH(y)) @ z


@differentiable("d", "q", "c")
def _exchanged(d, q, c, spectrum):
    """y with y - d y^H q - q y^H d = c."""
    del q  # for the rules
    f = fitting(spectrum, d)
    s = f.s[..., None, :]
    greater, less = np.maximum(s, s.mT), np.minimum(s, s.mT)
    pairs = (f.inverse == 0)[..., None, :] != (f.inverse == 0)[..., :, None]
    greater = np.where(pairs, greater, 1)
    ratio, gap = np.where(pairs, less / greater, 0), np.where(pairs, (greater - less) / greater, 1)
    inner = onto(f.u, c) @ mH(f.vh)
    return c + combined(f.u, (ratio * (mH(inner) + ratio * inner) / (gap * (1 + ratio))) @ f.vh)


_exchanged.batch_leading(d=2, q=2, c=2)


@_exchanged.jvp
def _(call, t):
    d, q, y = call.d, call.q, call.out
    moved = t.c + _product(t.d, y, q) + _product(q, y, t.d) + _product(d, y, t.q) + _product(t.q, y, d)
    return _exchanged(d, q, moved, call.spectrum)


# The map is self-adjoint; Re<h, d' y^H q + q y^H d'> = Re<h q^H y + y q^H h, d'>, and the same with d and q exchanged.
@_exchanged.vjp
def _(call, g):
    d, q, y = call.d, call.q, call.out
    h = _exchanged(d, q, g, call.spectrum)
    return {"c": h, "d": lambda: _product(h, q, y) + _product(y, q, h), "q": lambda: _product(h, d, y) + _product(y, d, h)}


@differentiable("t", "x")
def _projected(t, x, spectrum, adjoint=False):
    """l x = t t^+ x, or r x = t^+ t x."""
    f = fitting(spectrum, t)
    kept = (f.inverse != 0)[..., None]
    return mH(f.vh) @ (kept * (f.vh @ x)) if adjoint else combined(f.u, kept * onto(f.u, x))


_projected.batch_leading(t=2, x=2)


# l' x = (1 - l) t' t^+ x + t^+H t'^H (1 - l) x
@_projected.jvp
def _(call, t):
    if t.t is ZERO:
        return _projected(call.t, t.x, call.spectrum, call.adjoint)
    t_dot, size = mH(t.t) if call.adjoint else t.t, largest_value(call.t, call.spectrum)
    moved = (t_dot / size) @ pseudo_solve(call.t, size * call.x, call.spectrum, call.adjoint)
    back = pseudo_solve(call.t, mH(t_dot) @ (call.x - call.out), call.spectrum, not call.adjoint)
    return _projected(call.t, t.x - moved, call.spectrum, call.adjoint) + moved + back


# t_bar = (1 - l) g (t^+ x)^H + (1 - l) x (t^+ g)^H
@_projected.vjp
def _(call, g):
    x_bar = _projected(call.t, g, call.spectrum, call.adjoint)

    def t_bar() -> Any:
        pairs, size = [(g - x_bar, call.x), (call.x - call.out, g)], largest_value(call.t, call.spectrum)
        solved = [(x / size, pseudo_solve(call.t, size * y, call.spectrum, call.adjoint)) for x, y in pairs]
        first, second = (outer_sum(*(pair[::-1] if call.adjoint else pair), call.t) for pair in solved)
        return first + second

    return {"x": x_bar, "t": t_bar}


__all__ = ["largest_value", "pseudo_solve", "truncated"]
