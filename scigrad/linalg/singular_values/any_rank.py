"""The singular value decomposition of concrete matrices, and what is made of it for any rank: a^+
b, the solution of smallest norm, bases of the range and of the null space, and a without its small
singular values.

The derivative of a^+ is that of Golub and Pereyra (SIAM Journal on Numerical Analysis 10 (1973)
413-432, theorem 4.3), valid while the rank does not change; it divides by singular values, never by
their gaps. Singular values that count as 0 have to be 0 up to rounding: `truncate` turns any
matrix into such a one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced, constant, differentiable, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.trace import as_scalar
from scigrad.numpy.devices import one_kernel

from ..foundation import decompositions, failures
from ..foundation.failures import refuse_gauge
from ..foundation.lapack import host
from ..foundation.matrices import (
    antihermitian,
    frobenius,
    largest,
    mH,
    power_of_two,
)
from ..systems.solve import outer_difference
from .tall_factors import Triangle, apply_columns, explicit


class Spectrum(NamedTuple):
    """The singular value decomposition of concrete matrices (..., m, n): a hint, like Factors. Of a
    matrix on a card with independent columns it may be a = q r, with q as u and r as v^H.
    """

    shape: tuple[int, ...]
    u: Any
    s: Any
    vh: Any
    inverse: Any  # inverses of the singular values, 0 for the small ones
    rank: Any
    info: Any

    def adjoint(self) -> Spectrum:
        *lead, m, n = self.shape
        return self._replace(shape=(*lead, n, m), u=mH(self.vh), vh=mH(explicit(self.u)))


def spectrum_of(function: str, a: Any, relative: Any, absolute: Any, on_fail: str) -> Spectrum:
    return cut_off(a.shape, factor_svd(function, a, False, None, on_fail), relative, absolute)


def cut_off(
    shape: tuple[int, ...], found: tuple[Any, Any, Any, Any], relative: Any, absolute: Any
) -> Spectrum:
    """Return the result of `factor_svd`, with singular values up to absolute + relative * (the
    largest) counted as 0.
    """
    u, s, vh, info = found
    good = s > as_scalar(absolute) + as_scalar(relative) * s[..., :1] if s.shape[-1] else s > 0
    inverse = np.where(np.isnan(s), s, np.where(good, 1 / np.where(good, s, 1), 0)).astype(s.dtype)
    return Spectrum(shape, u, s, vh, inverse, good.sum(axis=-1), info)


def factor_svd(
    function: str, a: Any, full: bool, driver: str | None, on_fail: str, vectors: bool = True
) -> tuple[Any, ...]:
    """Return u, s, v^H without derivatives, and info; NaN where it failed, unless on_fail="raise".
    `driver` is LAPACK's, for the host. u and v^H are None without `vectors`.
    """
    return failures.frame(
        function,
        a,
        lambda a: _svd_kernel(a, full, driver, vectors),
        np.linalg.svdvals,
        on_fail,
        (2, 1, 2),
    )


def _svd_kernel(a: Any, full: bool, driver: str | None, vectors: bool) -> Any:
    # NumPy's kernel is faster for a batch, but rounds in another way, which single precision shows
    if (
        type(a) is not np.ndarray
        or a.size == 0
        or (a.ndim > 2 and driver != "gesvd" and a.dtype.char in "dD")
    ):
        return decompositions.svd(a, full, vectors)
    found = host("svd")(a, full, vectors, check_finite=False, lapack_driver=driver or "gesdd")
    return tuple(found) if vectors else (None, found, None)


def fitting_spectrum(spectrum: Spectrum, a: Any) -> Spectrum:
    """Return the same decomposition for the same matrices, with the axes of length 1 that vmap may
    have put in.
    """
    if spectrum.shape == a.shape:
        return spectrum
    lead, depth = a.shape[:-2], len(spectrum.shape) - 2
    parts = (
        x.reshape(*lead, *x.shape[depth:]) if hasattr(x, "reshape") else x for x in spectrum[1:]
    )
    return Spectrum(a.shape, *parts)


@constant(core={"a": 2})
def counts(a, spectrum):
    """Return the ranks of a batch of matrices and info, an integer for each matrix."""
    spectrum = fitting_spectrum(spectrum, a)
    if isinstance(spectrum.vh, Triangle):
        info = np.zeros(a.shape[:-2], np.intp, like=a)
        return info + spectrum.rank, info
    return spectrum.rank[()], spectrum.info[()]


# -- a^+ b


@differentiable("a", "b", core={"a": 2, "b": 2})
def pseudo_solve(a, b, spectrum, adjoint=False):
    """Return a^+ b, or (a^H)^+ b with `adjoint`, by the singular value decomposition of a."""
    f = fitting_spectrum(spectrum, a)
    if isinstance(f.vh, Triangle):
        return f.u @ f.vh.solve(b, True) if adjoint else f.vh.solve(mH(f.u) @ b, False)
    weights = f.inverse[..., None]
    # BLAS may flag products of infinities and NaN, depending on the processor
    with np.errstate(invalid="ignore"):
        return (
            apply_columns(f.u, weights * (f.vh @ b))
            if adjoint
            else mH(f.vh) @ (weights * apply_columns(f.u, b, True))
        )


def full_rank(spectrum: Spectrum) -> tuple[bool, bool]:
    """Return whether the rows, and whether the columns, of all matrices are known to be
    independent, so that a a^+ = 1, or a^+ a = 1.
    """
    m, n = spectrum.shape[-2:]
    if isinstance(spectrum.vh, Triangle):
        return m == n, True
    if library(spectrum.s) != "numpy":
        return False, False
    rank = spectrum.rank.min(initial=min(m, n))
    return bool(rank == m), bool(rank == n)


# Let r = b - a x:  x' = a^+ (b' - a' x) + a^+ a^+H a'^H r + (1 - a^+ a) a'^H a^+H x
@pseudo_solve.jvp
def _(call, t):
    solve, back, a, da, rows, columns = _pseudo_inverse_parts(call, t.a)
    x = call.out
    if da is ZERO:
        return solve(t.b)
    out = solve(t.b - da @ x)
    if not rows:
        out = out + solve(back(mH(da) @ (call.b - a @ x)))
    if not columns:
        size = power_of_two(call.a)  # a^+H x may leave the range
        z = mH(da / size) @ back(size * x)
        out = out + z - solve(a @ z)
    return out


@one_kernel
def _scaled_rest(b: Any, y: Any, size: Any) -> Any:
    return (b - y) / size


# b_bar = w = a^+H g,  a_bar = -w x^H + r (a^+ w)^H + (a^+H x) (g - a^+ a g)^H
@pseudo_solve.vjp
def _(call, g):
    solve, back, a, _, rows, columns = _pseudo_inverse_parts(call, ZERO)
    x, w = call.out, back(g)

    def a_bar() -> Any:
        pairs = [(w, x)]
        # r is small and a^+ w large, or the reverse
        size = 1 if rows and columns else power_of_two(call.a)
        if not rows:
            pairs.append((_scaled_rest(call.b, a @ x, size), solve(size * w)))
        if not columns:
            pairs.append((back(size * x), (g - solve(a @ g)) / size))
        first, *others = [pair[::-1] if call.adjoint else pair for pair in pairs]
        return outer_difference(first, others, call.a)

    return {"b": w, "a": a_bar}


def _pseudo_inverse_parts(call: Any, tangent: Any) -> tuple[Any, ...]:
    """Return a^+ and a^+H as functions, a, a', and whether rows and columns are independent; all of
    a^H when adjoint.
    """

    def solver(adjoint: bool) -> Any:
        return lambda b: pseudo_solve(call.a, b, call.spectrum, adjoint)

    rows, columns = full_rank(call.spectrum)
    if call.adjoint:
        return solver(True), solver(False), mH(call.a), mH(tangent), columns, rows
    return solver(False), solver(True), call.a, tangent, rows, columns


# -- Orthonormal bases of the range and of the null space. A subspace does not determine its basis,
# so that a loss may depend on what all bases share alone, such as the projector q q^H. Then  q' =
# (1 - q q^H) a' a^+ q  for the range and  z' = -a^+ a' z  for the null space.


@differentiable("a", core={"a": 2})
def basis(a, vectors, spectrum, gauge, function):
    """Return vectors that span the range of a matrix (`function` is "orth") or its null space;
    columns of "truncated" may be 0.
    """
    del spectrum, gauge, function
    return vectors.reshape((*a.shape[:-2], *vectors.shape[-2:]))


@basis.jvp
def _(call, t):
    q = call.out
    if call.function == "null_space":
        return -pseudo_solve(call.a, t.a @ q, call.spectrum)
    # the whole space, whose projector is constant
    if call.function == "orth" and shape_of(q)[-2] == shape_of(q)[-1]:
        return ZERO
    moved = t.a @ pseudo_solve(call.a, q, call.spectrum)
    return moved - q @ (mH(q) @ moved)


@basis.vjp
def _(call, g):
    q, f = call.out, call.spectrum
    inner = mH(q) @ g
    # unless q^H g is Hermitian, another basis of the same subspace would give another loss
    if call.gauge == "check":
        x = antihermitian(inner)
        refuse_gauge(x, True, frobenius(g), REVERSE.format(function=call.function), lambda i, j: "")
    if call.function == "null_space":
        return {"a": -pseudo_solve(call.a, g, f, True) @ mH(q)}
    whole = call.function == "orth" and shape_of(q)[-2] == shape_of(q)[-1]
    return {"a": ZERO if whole else (g - q @ inner) @ mH(pseudo_solve(call.a, q, f))}


REVERSE = (
    "{function}: the loss depends on which basis of the subspace was taken, which the matrix does "
    "not determine, so it has no derivative here. Write it with quantities that all bases share "
    "(the projector q q^H, norms of q^H x), use svd for single singular vectors, or say what you "
    "mean: gauge='project' drops that part of the derivative."
)


# -- Truncation of a matrix to its singular values above a cutoff, where the others are not 0
# (regularization).
#
# Of a = u1 s1 v1^H + u2 s2 v2^H the kept part is  t = u1 s1 v1^H,  of a rank that is constant while
# no singular value crosses the cutoff. All functions of it (t^+, its range, its null space) have
# the derivatives that they have at constant rank.
#
# t' from a'. The subspaces move as u1' = u2 m, v1' = v2 n (other changes do not contribute), so
# u2^H t' v1 = m s1, u1^H t' v2 = s1 n^H, u2^H t' v2 = 0, u1^H t' v1 = u1^H a' v1. They stay
# singular subspaces, u2^H a v1 = 0 = u1^H a v2:
#     m s1 - s2 n = u2^H a' v1,    n s1 - s2 m = v2^H a'^H u1,
# 2 x 2 equations for every pair of a kept and a dropped value, with the determinant s_i^2 - s_j^2 >
# 0; none within either. With d = a - t = u2 s2 v2^H and q = t^+H = u1 s1^-1 v1^H they are, for t'
# as a whole,
#     t' - d t'^H q - q t'^H d = a' - (1 - l) a' (1 - r),    l = u1 u1^H, r = v1 v1^H;
# elementwise, y_ji - (s_j / s_i) conj(y_ij) = c_ji. If s2 = 0, t' is the right-hand side. Both
# sides are self-adjoint maps, and they commute, so that the map from a' to t' is self-adjoint too:
# t is half the gradient of the sum of the squares of the singular values that are kept. The next
# derivatives follow from the same equation, from that of q and from l' = x + x^H, x = (1 - l) t'
# t^+ (Golub and Pereyra (1973), equation 4.2; Stewart, SIAM Review 15 (1973) 727-764, has the
# equations of the subspaces).


def truncate(a: Any, spectrum: Spectrum, relative: Any, absolute: Any = 0.0) -> Any:
    """Return a without what its spectrum counts as 0; a itself, if that is rounding and nothing
    else.
    """
    return (
        _truncate(a, spectrum)
        if isinstance(a, Traced) and _drops(spectrum, relative, absolute)
        else a
    )


def _drops(f: Spectrum, relative: Any, absolute: Any) -> bool:
    """Return whether values that count as 0 exceed rounding errors. On a device only tolerances on
    the host are read.
    """
    relative, absolute, size = (
        raw(relative),
        raw(absolute),
        8 * max(f.shape[-2:]) * float(np.finfo(f.s.dtype).eps),
    )
    if isinstance(f.vh, Triangle):
        return False
    known = (
        np.ndim(relative) == np.ndim(absolute) == 0
        and library(relative) == library(absolute) == "numpy"
    )
    if known and relative <= size and absolute == 0:
        return False
    if library(f.s) != "numpy":
        return True
    return not f.inverse.all() and bool(
        ((f.inverse == 0) & (f.s > size * largest(f.s, -1, True))).any()
    )


# -- derivatives


@differentiable("a", core={"a": 2})
def _truncate(a, spectrum):
    f = fitting_spectrum(spectrum, a)
    return apply_columns(f.u, (f.s * (f.inverse != 0))[..., None] * f.vh)


_truncate.jvp(lambda call, t: _truncated_tangent(call, t.a))
_truncate.vjp(lambda call, g: {"a": _truncated_tangent(call, g)})


def _truncated_tangent(call: Any, e: Any) -> Any:
    """Return t' of a' = e, which is also a_bar of t_bar = e."""
    t, f = call.out, call.spectrum
    kept = (f.inverse != 0)[..., None, :]
    left = basis(t, explicit(f.u) * kept, f, "trust", "truncated")
    right = basis(mH(t), mH(f.vh) * kept, f.adjoint(), "trust", "truncated")
    across = e - left @ (mH(left) @ e)
    across = across - (across @ right) @ mH(right)
    # d and 1 / q have this size; unscaled, products with t^+ might overflow or underflow
    size = power_of_two(t)
    return _exchanged(
        (call.a - t) / size, pseudo_solve(t, size * right, f, True) @ mH(right), e - across, f
    )


def _triple_product(x: Any, y: Any, z: Any) -> Any:
    """Return x y^H z for matrices of one shape, without a square matrix of the longer side."""
    return x @ (mH(y) @ z) if shape_of(y)[-2] >= shape_of(y)[-1] else (x @ mH(y)) @ z


@differentiable("d", "q", "c", core={"d": 2, "q": 2, "c": 2})
def _exchanged(d, q, c, spectrum):
    """Solve y - d y^H q - q y^H d = c."""
    del q
    f = fitting_spectrum(spectrum, d)
    s = f.s[..., None, :]
    greater, less = np.maximum(s, s.mT), np.minimum(s, s.mT)
    pairs = (f.inverse == 0)[..., None, :] != (f.inverse == 0)[..., :, None]
    greater = np.where(pairs, greater, 1)
    ratio, gap = np.where(pairs, less / greater, 0), np.where(pairs, (greater - less) / greater, 1)
    inner = apply_columns(f.u, c, True) @ mH(f.vh)
    return c + apply_columns(
        f.u, (ratio * (mH(inner) + ratio * inner) / (gap * (1 + ratio))) @ f.vh
    )


@_exchanged.jvp
def _(call, t):
    d, q, y = call.d, call.q, call.out
    moved = (
        t.c
        + _triple_product(t.d, y, q)
        + _triple_product(q, y, t.d)
        + _triple_product(d, y, t.q)
        + _triple_product(t.q, y, d)
    )
    return _exchanged(d, q, moved, call.spectrum)


# The map is self-adjoint; Re<h, d' y^H q + q y^H d'> = Re<h q^H y + y q^H h, d'>, and the same with
# d and q exchanged.
@_exchanged.vjp
def _(call, g):
    d, q, y = call.d, call.q, call.out
    h = _exchanged(d, q, g, call.spectrum)
    return {
        "c": h,
        "d": lambda: _triple_product(h, q, y) + _triple_product(y, q, h),
        "q": lambda: _triple_product(h, d, y) + _triple_product(y, d, h),
    }
