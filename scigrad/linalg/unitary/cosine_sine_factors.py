"""The derivatives of x = u d v^H with u = diag(u_1, u_2), v = diag(v_1, v_2) and d = [[c, -s], [s, c]], c = cos(theta).

For a direction x' that keeps x unitary, w = u^H x' v and the antihermitian k = u^H u', m = v^H v' (both block diagonal)

    w = k d + d' - d m,    d' = [[-s, -c], [c, -s]] theta',

are four equations for each pair i, j of angles. With p, n = k_1 +- k_2 and q, r = m_1 +- m_2 they part in two times two,

    c_j p_ij - c_i q_ij = (w_11 + w_22)_ij = a_ij     s_j p_ij - s_i q_ij = (w_21 - w_12)_ij = b_ij     determinant sin(t_j - t_i)
    c_j n_ij - c_i r_ij = (w_11 - w_22)_ij = f_ij     s_j n_ij + s_i r_ij = -(w_12 + w_21)_ij = g_ij    determinant sin(t_i + t_j)

for i != j; for i = j they leave p_ii + q_ii open, the common phase of four columns, and theta_i' = Re(c_i b_ii - s_i a_ii) / 2.
A column of u_1 without partners in u_2 and v_2 belongs to an angle that is 0 by shape, and so on: what is missing counts for a
column of zeros. (The equations are those of Van Loan 1985, Computing the CS and the generalized singular value decompositions,
Numerische Mathematik 46, 479-491, differentiated.) Where a determinant is 0 a basis is open, among equal angles, and among those
that are 0 or pi / 2 one for each pair of blocks; the shortest solution is taken. Any x' counts for the part of it that keeps x
unitary, (x' - x x'^H x) / 2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, constant, differentiable, materialize, raw, shape_of

from ..foundation.failures import to_host
from ..foundation.gauge import refuse, refuse_second, varies
from ..foundation.matrices import antihermitian, frobenius, is_diagonal, mH, on_diagonal


class Sizes(NamedTuple):
    """Numbers of angles and of columns without partners: at 0 of u_1 and v_1, of u_2 and v_2; at pi / 2 of u_1 and v_2, of u_2
    and v_1. The sign of the sines above the diagonal is -sign."""

    r: int
    n11: int
    n22: int
    n12: int
    n21: int
    sign: int


@differentiable("x")
def attached(x, u1, u2, theta, v1h, v2h, sizes, gauge):
    """The factors of a unitary matrix, with their derivatives."""
    del x, sizes, gauge  # for the rules
    return u1, u2, theta, v1h, v2h


attached.batch_leading(x=2, u1=2, u2=2, theta=1, v1h=2, v2h=2)


class _Frame:
    """The factors of one call, with columns of zeros for partners that are missing, and what is open between them."""

    def __init__(self, call: Any) -> None:
        u1, u2, theta, v1h, v2h = call.out
        n = self.sizes = call.sizes
        self.before, self.after = max(n.n11, n.n22), max(n.n12, n.n21)
        self.missing = [(self.before - low, self.after - high) for low, high in self._own()]
        self.bases = [self.whole(y, i) for i, y in enumerate((u1, u2, mH(v1h), mH(v2h)))]
        self.angles = np.pad(theta, _widths(theta, (self.before, self.after)))
        place = np.arange(shape_of(self.angles)[-1], like=raw(theta))
        self.fixed = (place < self.before) | (place >= self.before + n.r)
        right = (place >= self.before + n.r).astype(theta.dtype)
        self.angles = self.angles + right * (np.pi / 2)
        self.c = np.where(self.fixed, 1 - right, np.cos(self.angles))
        self.s = np.where(self.fixed, right, np.sin(self.angles))
        self.equal, self.opposite = open_pairs(self.angles, shape_of(call.x)[-1], call.gauge)
        by_shape = self.fixed & (self.fixed[:, None]) & (right == right[:, None])
        self.separable = (self.equal | self.opposite) & ~by_shape  # may be different angles for a matrix nearby

    def _own(self) -> list[tuple[int, int]]:
        n = self.sizes
        return [(n.n11, n.n12), (n.n22, n.n21), (n.n11, n.n21), (n.n22, n.n12)]

    def whole(self, y: Any, i: int) -> Any:
        """A basis, or its cotangent, with the columns that are missing."""
        return np.pad(y, _widths(y, self.missing[i]))

    def own(self, y: Any, i: int) -> Any:
        low, high = self.missing[i]
        return y[..., low : shape_of(y)[-1] - high]

    def parts(self, w: list[Any]) -> tuple[Any, Any, Any, Any]:
        """a, b, f and g of w_11, w_12, w_21, w_22."""
        sign = self.sizes.sign
        return w[0] + w[3], sign * (w[2] - w[1]), w[0] - w[3], -sign * (w[1] + w[2])

    def solved(self, a: Any, b: Any, f: Any, g: Any) -> list[Any]:
        """p, q, n and r."""
        (ci, cj), (si, sj) = ((x[..., :, None], x[..., None, :]) for x in (self.c, self.s))
        e, o = self._inverses()
        p, q = e * (ci * b - si * a), e * (cj * b - sj * a)
        n, r = o * (si * f + ci * g), o * (cj * g - sj * f)
        return [
            np.where(self.equal, (cj * a + sj * b) / 2, p), np.where(self.equal, -(ci * a + si * b) / 2, q),
            np.where(self.opposite, (cj * f + sj * g) / 2, n), np.where(self.opposite, (si * g - ci * f) / 2, r),
        ]  # fmt: skip

    def solved_back(self, p: Any, q: Any, n: Any, r: Any) -> list[Any]:
        """The adjoint: cotangents of a, b, f and g."""
        (ci, cj), (si, sj) = ((x[..., :, None], x[..., None, :]) for x in (self.c, self.s))
        e, o = self._inverses()
        a, b = -e * (si * p + sj * q), e * (ci * p + cj * q)
        f, g = o * (si * n - sj * r), o * (ci * n + cj * r)
        return [
            np.where(self.equal, (cj * p - ci * q) / 2, a), np.where(self.equal, (sj * p - si * q) / 2, b),
            np.where(self.opposite, (cj * n - ci * r) / 2, f), np.where(self.opposite, (sj * n + si * r) / 2, g),
        ]  # fmt: skip

    def _inverses(self) -> tuple[Any, Any]:
        i, j = self.angles[..., :, None], self.angles[..., None, :]
        return 1 / np.where(self.equal, 1, np.sin(j - i)), 1 / np.where(self.opposite, 1, np.sin(i + j))


def _tangential(x: Any, t: Any) -> Any:
    return (t - x @ mH(t) @ x) / 2


def _quarters(t: Any, p: int, q: int) -> list[Any]:
    return [t[..., :p, :q], t[..., :p, q:], t[..., p:, :q], t[..., p:, q:]]


_PAIRS = ((0, 2), (0, 3), (1, 2), (1, 3))  # which bases stand at each quarter of x


@attached.jvp
def _(call, t):
    frame = _Frame(call)
    _refuse_second(call, frame)
    bases = frame.bases
    quarters = _quarters(_tangential(call.x, t.x), shape_of(bases[0])[-2], shape_of(bases[2])[-2])
    a, b, f, g = frame.parts([mH(bases[i]) @ y @ bases[j] for y, (i, j) in zip(quarters, _PAIRS, strict=True)])
    c, s = frame.c, frame.s
    slope = np.real(c * _diagonal(b) - s * _diagonal(a)) / 2
    if call.gauge == "check":
        _refuse_directions(frame, a, b, f, g)
    p, q, n, r = frame.solved(a, b, f, g)
    turns = (p + n) / 2, (p - n) / 2, (q + r) / 2, (q - r) / 2
    du1, du2, dv1, dv2 = (frame.own(x @ k, i) for i, (x, k) in enumerate(zip(bases, turns, strict=True)))
    return du1, du2, np.where(_at_kink(frame), 0, slope)[..., frame.before : frame.before + frame.sizes.r], mH(dv1), mH(dv2)


@attached.vjp
def _(call, g):
    frame = _Frame(call)
    _refuse_second(call, frame)
    bases, c, s = frame.bases, frame.c, frame.s
    cotangents = [y if y is ZERO else frame.whole(y, i) for i, y in enumerate((g[0], g[1], mH(g[3]), mH(g[4])))]
    zero = np.zeros_like(mH(bases[0]) @ bases[0])
    k1, k2, m1, m2 = (materialize(antihermitian(mH(x) @ y), zero) for x, y in zip(bases, cotangents, strict=True))
    slope = 0 * s if g[2] is ZERO else np.pad(g[2], _widths(g[2], (frame.before, frame.after)))
    p, q, n, r = (k1 + k2) / 2, (m1 + m2) / 2, (k1 - k2) / 2, (m1 - m2) / 2
    if call.gauge == "check":
        _refuse_cotangents(frame, (p, q, n, r), cotangents, slope)
    slope = np.where(_at_kink(frame), 0, slope) / 2
    a, b, f, h = frame.solved_back(p, q, n, r)
    a, b = a - on_diagonal(s * slope), b + on_diagonal(c * slope)
    sign = frame.sizes.sign
    quarters = (a + f, -sign * (b + h), sign * (b - h), a - f)
    x11, x12, x21, x22 = (bases[i] @ w @ mH(bases[j]) for w, (i, j) in zip(quarters, _PAIRS, strict=True))
    whole = np.concatenate([np.concatenate([x11, x12], axis=-1), np.concatenate([x21, x22], axis=-1)], axis=-2)
    return {"x": _tangential(call.x, whole)}


def _widths(x: Any, last: tuple[int, int]) -> list[tuple[int, int]]:
    return [(0, 0)] * (len(shape_of(x)) - 1) + [last]


def _diagonal(x: Any) -> Any:
    return np.diagonal(x, axis1=-2, axis2=-1)


# -- what is open


@constant
def open_pairs(angles, m, gauge):
    """Return where angles are equal, and where they add up to 0 or pi."""
    limit = 0 if gauge == "trust" else 64 * m * np.finfo(angles.dtype).eps
    i, j = angles[..., :, None], angles[..., None, :]
    return np.abs(i - j) <= limit, (i + j <= limit) | (i + j >= np.pi - limit)


open_pairs.batch_leading(angles=1)


def _at_kink(frame: _Frame) -> Any:
    """Return which angles are 0 or pi / 2, not by shape: theta is not smooth there, and its subgradient of minimum norm is 0."""
    return _diagonal(frame.opposite) & ~frame.fixed


def _refuse_directions(frame: _Frame, a: Any, b: Any, f: Any, g: Any) -> None:
    """Raise where the residual of the shortest solution changes the angles themselves."""
    (ci, si), norm = (x[..., :, None] for x in (frame.c, frame.s)), frobenius(a) + frobenius(b) + frobenius(f) + frobenius(g)
    other = ~is_diagonal(a)
    refuse(ci * b - si * a, frame.equal & frame.separable & other, norm, FORWARD, _angles)
    refuse(si * f + ci * g, frame.opposite & frame.separable, norm, FORWARD, _angles)


def _refuse_cotangents(frame: _Frame, moments: tuple[Any, ...], cotangents: list[Any], slope: Any) -> None:
    p, q, n, r = moments
    (ci, cj), (si, sj) = ((x[..., :, None], x[..., None, :]) for x in (frame.c, frame.s))
    given = [x for x in cotangents if x is not ZERO]
    if not given:
        return
    norm = sum(frobenius(x) for x in given)
    for x, where in ((p + q, frame.equal), (ci * n + cj * r, frame.opposite), (si * n - sj * r, frame.opposite)):
        refuse(x, where, norm, REVERSE, _columns)
    # columns times f(theta), f = 0 there, are seen in the cotangent of theta alone
    turned = slope != 0
    touched = (sum(np.sum(np.abs(x), axis=-2) for x in given) > 0) | turned
    pairs = frame.equal & frame.separable & ~is_diagonal(p) & (touched[..., :, None] | touched[..., None, :])
    pairs, kinks = to_host(raw(pairs)), to_host(raw(_at_kink(frame) & turned))
    if pairs.any() or kinks.any():
        i, j = (int(k) for k in np.argwhere(pairs)[0][-2:]) if pairs.any() else (int(np.argwhere(kinks)[0][-1]),) * 2
        raise GaugeError(SEPARABLE.format(what=_angles(i, j)))


def _refuse_second(call: Any, frame: _Frame) -> None:
    if call.gauge == "check" and varies(call.x):
        refuse_second("cossin", _magnification(frame.angles, frame.equal, frame.opposite, frame.separable))


@constant
def _magnification(angles, equal, opposite, separable):
    """The largest quotient that the equations are solved with; more than anything where angles may separate."""
    i, j = angles[..., :, None], angles[..., None, :]
    smallest = np.minimum(np.where(equal, 1, np.abs(np.sin(j - i))), np.where(opposite, 1, np.sin(i + j)))
    off = separable & (opposite | ~is_diagonal(separable))
    return np.where(off, 1 / np.finfo(angles.dtype).eps, 1 / np.where(off, 1, smallest)).max(axis=(-2, -1))


_magnification.batch_leading(angles=1, equal=2, opposite=2, separable=2)


def _columns(i: int, j: int) -> str:
    basis = f"the choice of a basis for angles {min(i, j)} and {max(i, j)}"
    return f"the common phase of columns that belong to angle {i}" if i == j else basis


def _angles(i: int, j: int) -> str:
    both = f"angles {min(i, j)} and {max(i, j)}, which are equal, or both 0 or pi / 2"
    return f"angle {i}, which is 0 or pi / 2" if i == j else both


REVERSE = (
    "cossin: the loss depends on {what} (those that are 0 or pi / 2 by the shape of the blocks counted in), which the matrix "
    "does not determine, so it has no derivative here. Write it with quantities that do not depend on the choice (u cs vh, "
    "u_1 f(theta) v_1^H, |u|, projectors), or pass gauge='project' to drop that part of the derivative."
)
FORWARD = (
    "cossin: this derivative depends on {what}: its direction separates them, so the factors are not differentiable here. The "
    "angles and the middle factor alone are (compute_u=False, compute_vh=False); gauge='project' drops that part."
)
SEPARABLE = (
    "cossin: the loss looks at columns of the unitary factors that belong to {what}. How it would change as they separate "
    "cannot be read off the cotangents. The angles and the middle factor alone have derivatives here (compute_u=False, "
    "compute_vh=False), so have the blocks of the matrix itself; gauge='project' drops what separates them, which is right for "
    "a loss that sees those columns only together (a projector, u_1 v_1^H)."
)

__all__ = ["Sizes", "attached"]
