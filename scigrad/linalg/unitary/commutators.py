"""The derivative of a = z t z^H with unitary z and (block) triangular t.

z' = z k with an antihermitian k = l - l^H, l strictly lower triangular. With x = z^H a' z

    t' = x - k t + t k,   so that below the (block) diagonal   l t - t l = x.

Only the lower part of k meets the lower part of the equation, which is why it can be solved by columns, from the left
(a triangular Sylvester equation for each). What stays open (the phases of the columns of z, the rotation inside a 2 x 2 block,
anything between equal eigenvalues) is `omitted` from l.

In reverse mode the cotangent of t is taken as that of a full matrix. Below the diagonal t' is 0 whatever it is multiplied with,
so that changes nothing where l is determined; and between equal eigenvalues, where it is not, it gives losses that do not depend
on the choice, as <h, z p(t) z^H>, their right derivative.

At a Jordan block this is valid for a loss of t as a full matrix, and not for a loss of the eigenvalues on its diagonal, which
have no derivative there: "check" refuses such losses, "trust" does not. Among semisimple equal eigenvalues "check" compares a
loss of t alone with symmetric functions (repeated_eigenvalues.py), and a loss of t and z to first order only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, constant, differentiable, stop_gradient

from ..foundation.batches import each
from ..foundation.gauge import above_rounding, refuse, refuse_second, varies
from ..foundation.lapack import host, triangular_solution
from ..foundation.matrices import antihermitian, frobenius, is_complex, is_diagonal, mH, power_of_two
from .repeated_eigenvalues import blocks, refuse_repeated

# -- l with  l t - t l = x  below the diagonal; or, adjoint, y with  y t^H - t^H y = x  there


@differentiable("t", "x")
def commutator_solve(t, x, omitted, adjoint=False):
    """l, strictly lower triangular, with l t - t l = x in all places below the diagonal that are not omitted, and 0 there."""
    return each("schur", lambda t, x, omitted: (_solve(t, np.where(omitted, 0, x), omitted, adjoint),), t, x, omitted)[0][0]


commutator_solve.batch_leading(t=2, x=2, omitted=2)


def _solve(t: Any, x: Any, omitted: Any, adjoint: bool) -> Any:
    if not (np.isfinite(t).all() and np.isfinite(x).all()):
        return np.full_like(x, np.nan)
    if np.diagonal(t, -1).any():  # 2 x 2 blocks: triangular in another basis, which mixes nothing but what is omitted together
        t, u = complex_form(t, np.eye(len(t), dtype=t.dtype))
        found = u @ _solve(t, u.conj().T @ np.tril(x, -1) @ u, omitted, adjoint) @ u.conj().T
        found = np.where(omitted, 0, np.tril(found, -1))
        return found if is_complex(x) else np.real(found)
    n = len(t)
    out = np.zeros((n, n), np.result_type(t, x))
    for j in reversed(range(n - 1)) if adjoint else range(n - 1):
        rows = slice(j + 1, n)
        if adjoint:
            right = x[rows, j] - out[rows, rows] @ t[j, rows].conj()
        else:
            right = x[rows, j] - out[rows, :j] @ t[:j, j]
        kept = ~omitted[rows, j]
        matrix = (t[j, j] * np.eye(n - j - 1) - t[rows, rows]) * (kept[:, None] & kept) + np.diag(~kept)
        out[rows, j] = triangular_solution(matrix, np.where(kept, right, 0), adjoint=adjoint)
    return out


def complex_form(t: Any, z: Any, check_finite: bool = False) -> tuple[Any, Any]:
    """SciPy's rsf2csf on the host, in units of the size of t: near 2^500 it gets the eigenvalues of blocks wrong."""
    unit = power_of_two(t)
    t, z = host("rsf2csf")(t / unit, z, check_finite)
    return t * unit, z


# l t - t l = x  =>  l' t - t l' = x' - (l t' - t' l), and the other equation in the same way. The adjoint of each is the other.
@commutator_solve.jvp
def _(call, t):
    dt = mH(t.t) if call.adjoint else t.t
    return commutator_solve(call.t, t.x - _commutator(call.out, dt), call.omitted, call.adjoint)


# Re<g, l'> = Re<y, x' - (l t' - t' l)> with y the solution of the other equation for g; t_bar = y l^H - l^H y, or l y^H - y^H l.
@commutator_solve.vjp
def _(call, g):
    y = commutator_solve(call.t, g, call.omitted, not call.adjoint)
    left, right = (call.out, mH(y)) if call.adjoint else (y, mH(call.out))
    return {"x": y, "t": lambda: _commutator(left, right)}


def _commutator(a: Any, b: Any) -> Any:
    return ZERO if b is ZERO else a @ b - b @ a


# -- the factorisation


@differentiable("a")
def attached(a, t, z, omitted, checked, gauge, function):
    """t and z of a = z t z^H, with their derivatives in a. `checked`: where an open choice would show, besides the phases."""
    del a, omitted, checked, gauge, function  # for the rules
    return t, z


attached.batch_leading(a=2, t=2, z=2, omitted=2, checked=2)


@attached.jvp
def _(call, s):
    t, z = call.out
    if call.gauge == "check" and varies(call.a):
        refuse_second(call.function, _magnification(t, call.omitted))
    x = mH(z) @ s.a @ z
    low = commutator_solve(t, x, call.omitted)
    k = low - mH(low)
    found = x - k @ t + t @ k
    below = below_blocks(t)
    if call.gauge == "check":
        refuse(found, below & call.checked, frobenius(x), FORWARD.replace("FUNCTION", call.function), _choice)
    return np.where(below, 0, found), z @ k


@attached.vjp
def _(call, g):
    t, z = call.out
    t_bar, z_bar = g
    moment = antihermitian(mH(z) @ z_bar - t_bar @ mH(t) + mH(t) @ t_bar)
    norm = (0 if z_bar is ZERO else frobenius(z_bar)) + (0 if t_bar is ZERO else 2 * frobenius(t_bar) * frobenius(t))
    if call.gauge == "check" and varies(call.a):
        refuse_second(call.function, _magnification(t, call.omitted))
    noise = np.where(above_rounding(moment, norm), 0, moment)  # would be divided by the gaps, and their products
    y = commutator_solve(t, 2 * (moment - stop_gradient(noise)), call.omitted, True)
    gradient = t_bar + y
    if call.gauge == "check":
        checked, texts = call.checked | is_diagonal(call.checked), tuple(x.replace("FUNCTION", call.function) for x in TEXTS)
        refuse(moment - _beside(y, t), np.tril(checked), norm, texts[1], _choice)
        refuse_repeated(t, gradient, call.checked, alone=z_bar is ZERO, texts=texts, choice=_choice)
    return {"a": z @ gradient @ mH(z)}


def _beside(y: Any, t: Any) -> Any:
    """Return the effect of a choice among equal eigenvalues by way of those between them: the equation of y, in the omitted
    places."""
    return np.tril(y @ mH(t) - mH(t) @ y, -1) / 2


@constant
def _magnification(t, omitted):
    """Return the factors by which solving magnifies a right-hand side and its relative error."""
    probe = np.tril(np.ones_like(t), -1)
    return frobenius(commutator_solve(t, probe, omitted)) * frobenius(t) / np.maximum(frobenius(probe), 1)


_magnification.batch_leading(t=2, omitted=2)


def _choice(i: int, j: int) -> str:
    return f"the phase of column {i}" if i == j else f"the choice of columns {j} and {i} (equal eigenvalues, or one block)"


# -- where eigenvalues are equal


@constant
def below_blocks(t):
    return np.tril(~blocks(t), -1)


@constant
def equal(t, gauge):
    """Return whether the eigenvalues at i and j of (block) triangular matrices are equal, or those of their blocks."""
    w = eigenvalues(t)
    limit = 0 if gauge == "trust" else 64 * t.shape[-1] * np.finfo(t.dtype).eps
    same = np.abs(w[..., :, None] - w[..., None, :]) <= limit * frobenius(t)[..., None, None]
    together = 1.0 * (blocks(t) | is_diagonal(t))
    return together @ same @ together > 0


def eigenvalues(t: Any) -> Any:
    """Of concrete (block) triangular matrices, in the order of the diagonal."""
    w = np.diagonal(t, axis1=-2, axis2=-1).astype(np.result_type(t.dtype, np.complex64))
    below = np.diagonal(t, -1, -2, -1)
    product = np.where(below != 0, below * np.diagonal(t, 1, -2, -1), 0).astype(w.dtype)  # the blocks of LAPACK: [[d, b], [c, d]]
    offset = np.sqrt(product)
    w[..., :-1] += offset
    w[..., 1:] -= offset
    return w


below_blocks.batch_leading(t=2)
equal.batch_leading(t=2)


REVERSE = (
    "FUNCTION: the loss depends on {what}, which the matrix does not determine, so it has no derivative here. Write it with "
    "quantities that do not depend on the choice (z f(t) z^H, the span of the leading columns of z, |t_ij|), or pass "
    "gauge='project' to drop that part of the derivative."
)
FORWARD = (
    "FUNCTION: this derivative depends on {what}, which this direction separates: the form is not differentiable here. Reverse "
    "mode has the derivative of a loss that does not depend on the choice; gauge='project' drops that part."
)
DEFECTIVE = (
    "FUNCTION: equal eigenvalues on the diagonal of t are joined by a Jordan block, where they have no derivative. A loss that "
    "takes t as a full matrix, as z f(t) z^H or trace(t @ t), has one: gauge='trust' says that yours does."
)

TEXTS = DEFECTIVE, REVERSE

__all__ = ["attached", "below_blocks", "commutator_solve", "complex_form", "eigenvalues", "equal"]
