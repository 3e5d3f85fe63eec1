"""The derivative of a pair a = q s z^H, b = q p z^H with unitary q, z and triangular s, p.

q' = q k and z' = z m with antihermitian k, m. With x = q^H a' z and y = q^H b' z

    s' = x - k s + s m,    p' = y - k p + p m,

so that below the diagonal  k s - s m = x  and  k p - p m = y, where only the lower parts of k and m come in (compare
commutators.py). Column by column from the left: eliminating k leaves (s_jj p - p_jj s) m_j = p_jj x_j - s_jj y_j, triangular,
whose diagonal vanishes where eigenvalues are equal. The diagonals of k and m are the phases: their difference keeps p_jj real,
their sum is open.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, constant, differentiable, materialize, raw

from ..foundation.lapack import routine
from ..foundation.matrices import mH
from ..spectra.gauge import antihermitian, frobenius, is_diagonal, on_diagonal, refuse, refuse_second
from ..spectra.spectrum import varies


@differentiable("s", "p", "x", "y")
def pair_solve(s, p, x, y, omitted, adjoint=False):
    """(k, m), strictly lower triangular, with k s - s m = x and k p - p m = y below the diagonal, but where omitted; or, adjoint,
    with k s^H + m p^H = x and -(s^H k + p^H m) = y there."""
    lead = np.broadcast_shapes(*(a.shape[:-2] for a in (s, p, x, y, omitted)))
    s, p, x, y, omitted = (np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in (s, p, x, y, omitted))
    out = np.zeros((2, *x.shape), np.result_type(s, p, x, y))
    for index in np.ndindex(lead):
        _solve(s[index], p[index], x[index], y[index], omitted[index], adjoint, out[(slice(None), *index)])
    return out[0], out[1]


pair_solve.batch_leading(s=2, p=2, x=2, y=2, omitted=2)


def _solve(s: Any, p: Any, x: Any, y: Any, omitted: Any, adjoint: bool, out: Any) -> None:
    n = len(s)
    if not all(np.isfinite(a).all() for a in (s, p, x, y)):
        out[...] = np.nan
        return
    trtrs = routine("trtrs", out.dtype.char)
    for j in reversed(range(n - 1)) if adjoint else range(n - 1):
        i = slice(j + 1, n)
        kept, low, up = ~omitted[i, j], s[i, i], p[i, i]
        size = np.hypot(abs(s[j, j]), abs(p[j, j]))
        c, d = (s[j, j] / size, p[j, j] / size) if size else (0, 0)
        matrix = (c * up - d * low) * (kept[:, None] & kept) + np.diag(~kept)
        if adjoint:
            r = kept * (x[i, j] - out[0, i, i] @ s[j, i].conj() - out[1, i, i] @ p[j, i].conj()) / (size or 1)
            right = y[i, j] + low.conj().T @ (c * r) + up.conj().T @ (d * r)
            w = trtrs(matrix, kept * right, trans=2)[0]
            out[0, i, j], out[1, i, j] = c * r + np.conj(d) * w, d * r - np.conj(c) * w
        else:
            r, q = x[i, j] - out[0, i, :j] @ s[:j, j], y[i, j] - out[0, i, :j] @ p[:j, j]
            m = trtrs(matrix, kept * (d * r - c * q))[0]
            out[0, i, j] = kept * (np.conj(c) * (r + low @ m) + np.conj(d) * (q + up @ m)) / (size or 1)
            out[1, i, j] = m


@pair_solve.jvp
def _(call, t):
    k, m = call.out
    if call.adjoint:
        dx, dy = k @ mH(t.s) + m @ mH(t.p), -(mH(t.s) @ k + mH(t.p) @ m)
    else:
        dx, dy = k @ t.s - t.s @ m, k @ t.p - t.p @ m
    x, y = (materialize(a - b, call.x) for a, b in ((t.x, dx), (t.y, dy)))
    return pair_solve(call.s, call.p, x, y, call.omitted, call.adjoint)


# The two systems are adjoint to each other; with (k, m) of the first and (u, v) of the second s_bar = u m^H - k^H u in both.
@pair_solve.vjp
def _(call, g):
    x, y = (materialize(a, b) for a, b in zip(g, call.out, strict=True))
    other = pair_solve(call.s, call.p, x, y, call.omitted, not call.adjoint)
    (k, m), (u, v) = (other, call.out) if call.adjoint else (call.out, other)
    return {
        "x": other[0],
        "y": other[1],
        "s": lambda: u @ mH(m) - mH(k) @ u,
        "p": lambda: v @ mH(m) - mH(k) @ v,
    }


@differentiable("a", "b")
def attached(a, b, s, p, q, z, same, gauge, function):
    """s, p, q and z of a pair, with their derivatives in a and b; `same` says where eigenvalues are equal."""
    del a, b, same, gauge, function  # for the rules
    return s, p, q, z


attached.batch_leading(a=2, b=2, s=2, p=2, q=2, z=2, same=2)


@attached.jvp
def _(call, t):
    s, p, q, z = call.out
    _refuse_blocks(s, call.function)
    _refuse_second(call)
    x, y = (materialize(mH(q) @ d @ z, s) for d in (t.a, t.b))
    low, right = pair_solve(s, p, x, y, call.same)
    k, m = low - mH(low), right - mH(right)
    if s.dtype.kind == "c":
        phases = on_diagonal(1j * np.imag(_diagonal(y - k @ p + p @ m)) * _reciprocal(p) / 2)
        k, m = k + phases, m - phases
    ds, dp = x - k @ s + s @ m, y - k @ p + p @ m
    if call.gauge == "check":
        for d, given in ((ds, x), (dp, y)):
            where = np.tril(call.same, -1)
            refuse(d, where, frobenius(given), FORWARD.replace("FUNCTION", call.function), _choice)
    return np.triu(ds), np.triu(dp), q @ k, z @ m


# In reverse mode the cotangents of s and p are taken as those of full matrices, as in commutators.py.
@attached.vjp
def _(call, g):
    s, p, q, z = call.out
    _refuse_blocks(s, call.function)
    _refuse_second(call)
    s_bar, p_bar, q_bar, z_bar = g
    of_k, of_m = _moments(call.out, g)
    sizes = [0 if x is ZERO else frobenius(x) for x in g]
    norm = sizes[2] + sizes[3] + 2 * sizes[0] * frobenius(s) + 2 * sizes[1] * frobenius(p)
    if call.gauge == "check":
        text, diagonal = REVERSE.replace("FUNCTION", call.function), is_diagonal(call.same)
        refuse(of_k + of_m, diagonal, norm, text, _choice)
        for moment in (of_k, of_m):
            refuse(moment, call.same & ~diagonal, norm, text, _choice)
    if s.dtype.kind == "c":  # what keeps the diagonal of p real acts as one more cotangent of it
        p_bar = p_bar + on_diagonal(1j * np.imag(_diagonal(of_k) - _diagonal(of_m)) * _reciprocal(p) / 2)
        of_k, of_m = _moments(call.out, (s_bar, p_bar, q_bar, z_bar))
    u, v = pair_solve(s, p, 2 * of_k, 2 * of_m, call.same, True)
    return {"a": q @ (s_bar + u) @ mH(z), "b": q @ (p_bar + v) @ mH(z)}


def _moments(out: Any, g: Any) -> tuple[Any, Any]:
    """The cotangents of k and m."""
    s, p, q, z = out
    s_bar, p_bar, q_bar, z_bar = g
    of_k = mH(q) @ q_bar - s_bar @ mH(s) - p_bar @ mH(p)
    of_m = mH(z) @ z_bar + mH(s) @ s_bar + mH(p) @ p_bar
    return antihermitian(materialize(of_k, s)), antihermitian(materialize(of_m, s))


def _refuse_blocks(s: Any, function: str) -> None:
    if (np.abs(np.diagonal(raw(s), -1, -2, -1)) > 0).any():
        raise GaugeError(
            f"{function}: a pair of complex eigenvalues makes a 2 x 2 block in the real form, which leaves a rotation open. "
            "Pass output='complex' for derivatives."
        )


def _refuse_second(call: Any) -> None:
    if call.gauge == "check" and (varies(call.a) or varies(call.b)):
        s, p, *_ = call.out
        refuse_second(call.function, _magnification(s, p, call.same))


@constant
def _magnification(s, p, same):
    """What the solution of the equations makes of right-hand sides, and of their relative error; the pair in units of its own."""
    of_s, of_p = (np.where(x > 0, x, 1)[..., None, None] for x in (frobenius(s), frobenius(p)))
    probe = np.tril(np.ones_like(s), -1)
    k, m = pair_solve(s / of_s, p / of_p, probe, probe, same)
    return np.maximum(frobenius(k), frobenius(m)) / np.maximum(frobenius(probe), 1)


_magnification.batch_leading(s=2, p=2, same=2)


@differentiable("form")
def eigenvalues(form, found):
    """The diagonal of a triangular form; `found` has the values, also of 2 x 2 blocks, which the form has no derivatives for."""
    del form
    return found


eigenvalues.batch_leading(form=2, found=1)


@eigenvalues.jvp
def _(call, t):
    return _diagonal(t.form).astype(call.out.dtype)


@eigenvalues.vjp
def _(call, g):
    return {"form": on_diagonal(g)}


def _choice(i: int, j: int) -> str:
    return f"the phase of column {i}" if i == j else f"the choice of columns {j} and {i}, whose eigenvalues are equal"


def _diagonal(x: Any) -> Any:
    return np.diagonal(x, axis1=-2, axis2=-1)


def _reciprocal(p: Any) -> Any:
    d = np.real(_diagonal(p))
    return np.where(d == 0, 0, 1 / np.where(d == 0, 1, d))


@constant
def equal(s, p, gauge):
    """Whether eigenvalues i and j of triangular pairs are equal, or not determined at all."""
    c, d = _diagonal(s), _diagonal(p)
    limit = 0 if gauge == "trust" else 64 * s.shape[-1] * np.finfo(s.dtype).eps
    unit_s, unit_p = (np.where(x > 0, x, 1) for x in (frobenius(s)[..., None], frobenius(p)[..., None]))
    c, d = c / unit_s, d / unit_p
    return np.abs(c[..., :, None] * d[..., None, :] - c[..., None, :] * d[..., :, None]) <= limit


equal.batch_leading(s=2, p=2)


REVERSE = (
    "FUNCTION: the loss depends on {what}, which the matrices do not determine, so it has no derivative here. Write it with "
    "quantities that do not depend on the choice (alpha / beta, |s|, |z|, the span of leading columns), or pass gauge='project' "
    "to drop that part of the derivative."
)
FORWARD = (
    "FUNCTION: this derivative depends on {what}, which this direction separates: the form is not differentiable here. Reverse "
    "mode has the derivative of a loss that does not depend on the choice; gauge='project' drops that part."
)

__all__ = ["attached", "eigenvalues", "equal", "pair_solve"]
