"""The polar decomposition, and the orthogonal Procrustes problem that it solves.

With a = u p, u^H u = 1 and n = u^H a':  w = u^H u' is antihermitian and solves p w + w p = n - n^H, so
    u' = u w + (1 - u u^H) a' p^-1,   p' = n - w p
(Higham, Functions of Matrices, SIAM 2008, section 8.2 and theorem 8.9). It divides by sums of singular values, never by their
gaps: u is discontinuous where two of them (of a complex matrix: one) are 0, and nowhere else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, constant, differentiable, raw, shape_of
from scigrad.autodiff_rules.backends import library

from ..foundation import failures
from ..foundation.gauge import refuse, resolved, varies
from ..foundation.lapack import host
from ..foundation.matrices import as_matrix, everywhere, frobenius, mH, same_precision
from .decomposition import Spectrum, counts, decomposed, fitting
from .smallest_norm import pseudo_solve


def polar(a, side="right", *, gauge=None, on_fail="raise"):
    """Compute the polar decomposition a = u p or a = p u.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices.
    side : {"right", "left"}, optional
        "right": a = u p with p of order n. "left": a = p u with p of order m.

    Returns
    -------
    u : (..., m, n) ndarray
        Factor with orthonormal columns or, if m < n, rows.
    p : (..., n, n) or (..., m, m) ndarray
        Hermitian positive semidefinite factor.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If `a` is not a matrix, holds NaN or infinity, or the side is unknown.
    numpy.linalg.LinAlgError
        If the SVD does not converge.
    scigrad.GaugeError
        Under a transform, if the loss depends on the part of `u` that a singular matrix does not determine, see `gauge`.

    Notes
    -----
    Differentiable, also at equal singular values. At a singular matrix `p` is not smooth: its derivative is the subgradient of
    minimum norm, and second derivatives raise GaugeError. See `scipy.linalg.polar`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: linalg.polar(a)[0][0, 1])(np.array([[1.2, -1.6], [1.6, 1.2]])).round(12))
    [[ 0.12  0.09]
     [-0.09  0.12]]
    """
    if type(a) is np.ndarray and on_fail == "raise" and a.size:
        return host("polar")(a, side)
    failures.check_policy("polar", on_fail)
    if side not in ("right", "left"):
        raise ValueError(f"polar: `side` must be either 'right' or 'left', not {side!r}.")
    a = as_matrix("polar", "a", a, square=False, check=on_fail == "raise")
    u, p, spectrum = _thin(a, "polar", gauge, on_fail)
    if (shape_of(a)[-2] >= shape_of(a)[-1]) != (side == "right"):
        p = _hermitian_part(mH(u) @ a if side == "right" else a @ mH(u))
    return (u, p, counts(a, spectrum)[1]) if on_fail == "info" else (u, p)


def orthogonal_procrustes(A, B, check_finite=True, *, gauge=None):
    """Compute the unitary matrix r that minimizes the Frobenius norm of A r - B.

    Parameters
    ----------
    A, B : (..., m, n) array_like
        Matrices, or batches of matrices, whose batch axes broadcast.

    Returns
    -------
    r : (..., n, n) ndarray
        Unitary factor of ``A^H B``.
    scale : (...) ndarray
        Sum of the singular values of ``A^H B``.

    Raises
    ------
    ValueError
        If shapes differ, or an array holds NaN or infinity.
    scigrad.GaugeError
        Under a transform, if ``A^H B`` is singular and the loss depends on which of several solutions is returned, see `gauge`.

    Notes
    -----
    Differentiable in `A` and `B` as `polar`. See `scipy.linalg.orthogonal_procrustes`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a, b = np.diag([1.0, 2.0]), np.array([[0.0, -1.0], [1.0, 0.0]])
    >>> print(grad(lambda a: linalg.orthogonal_procrustes(a, b)[1])(a).round(12))
    [[1. 0.]
     [0. 1.]]
    """
    if type(A) is np.ndarray is type(B) and 0 not in (*A.shape[:-2], *B.shape[:-2]):
        return host("orthogonal_procrustes")(A, B, check_finite)
    A, B = (as_matrix("orthogonal_procrustes", name, x, False, check_finite) for name, x in (("A", A), ("B", B)))
    if shape_of(A)[-2:] != shape_of(B)[-2:]:
        raise ValueError(f"orthogonal_procrustes: the shapes of A and B differ ({shape_of(A)} vs {shape_of(B)}).")
    A, B = same_precision(A, B)
    u, p, _ = _thin(mH(A) @ B, "orthogonal_procrustes", gauge, "raise")
    return u, np.real(np.trace(p, axis1=-2, axis2=-1))


def _thin(a: Any, function: str, gauge: Any, on_fail: str) -> tuple[Any, Any, Spectrum]:
    """u, the smaller p, and the singular value decomposition of a."""
    m, n = shape_of(a)[-2:]
    spectrum = decomposed(function, raw(a), max(m, n) * np.finfo(a.dtype).eps, 0.0, on_fail)
    gauge = resolved(function, gauge)
    if m >= n:
        return *_polar(a, spectrum, gauge, function), spectrum
    u, p = _polar(mH(a), _adjoint(spectrum), gauge, function)
    return mH(u), p, spectrum


def _adjoint(f: Spectrum) -> Spectrum:
    *lead, m, n = f.shape
    return f._replace(shape=(*lead, n, m), u=mH(f.vh), vh=mH(f.u))


def _of_p(f: Spectrum) -> Spectrum:
    """The decomposition of p = v s v^H."""
    return f._replace(shape=(*f.shape[:-2], *f.vh.shape[-1:] * 2), u=mH(f.vh))


def _hermitian_part(x: Any) -> Any:
    return (x + mH(x)) / 2


# -- u and p of tall matrices


@differentiable("a")
def _polar(a, spectrum, gauge, function):
    del gauge, function  # for the rules
    f = fitting(spectrum, a)
    return f.u @ f.vh, (mH(f.vh) * f.s[..., None, :]) @ f.vh


_polar.batch_leading(a=2)


@_polar.jvp
def _(call, t):
    (u, p), f = call.out, _of_p(call.spectrum)
    n = mH(u) @ t.a
    _refuse_second(call, f)
    if call.gauge == "check" and not _has_full_rank(f):
        _check(call, n - mH(n), t.a - u @ n, frobenius(t.a), FORWARD)
    w = _anticommuted(p, n - mH(n), f)
    return u @ w + _across(call, t.a - u @ n, f), _hermitian_part(_kept(call, n - w @ p))


# With the Hermitian part h of p_bar, k = u^H u_bar - h p and y = (1 - u u^H) u_bar p^-1:
# a_bar = y + u (h + w - w^H) where p w + w p = k.
@_polar.vjp
def _(call, g):
    (u, p), f = call.out, _of_p(call.spectrum)
    _refuse_second(call, f)
    h = ZERO if g[1] is ZERO else _kept(call, _hermitian_part(g[1]))
    inner = ZERO if g[0] is ZERO else mH(u) @ g[0]
    k = inner - h @ p
    if call.gauge == "check" and g[0] is not ZERO and not _has_full_rank(f):
        _check(call, inner - mH(inner), g[0] - u @ inner, frobenius(g[0]), REVERSE)
    a_bar = u @ (h + _anticommuted(p, k - mH(k), f))
    return {"a": a_bar if g[0] is ZERO else a_bar + _across(call, g[0] - u @ inner, f)}


def _across(call: Any, x: Any, f: Spectrum) -> Any:
    """x p^-1 for what lies across the range of u: nothing, if u is square."""
    m, n = shape_of(call.a)[-2:]
    return ZERO if m == n else mH(pseudo_solve(call.out[1], mH(x), f))


def _has_full_rank(f: Spectrum) -> bool:
    return library(f.s) == "numpy" and bool((f.rank == f.s.shape[-1]).all())


def _refuse_second(call: Any, f: Spectrum) -> None:
    """p has a kink at a singular matrix: the product rule of its subgradient misses a part of smooth losses such as |p|^2."""
    if call.gauge != "check" or library(f.s) != "numpy" or not varies(call.a):
        return
    if ((f.rank < f.s.shape[-1]) & np.isfinite(f.s).all(axis=-1)).any():  # a matrix that failed has NaN
        raise GaugeError(
            f"{call.function}: second derivatives where singular values are 0 are not determined by the first-order "
            "rule. The first derivative is available; add a small multiple of a matrix of full rank for the second."
        )


def _kept(call: Any, x: Any) -> Any:
    """x without its part among singular values that are 0, where p has a kink: the subgradient of smallest norm."""
    if _has_full_rank(call.spectrum):
        return x
    null = _null_projector(call.a, call.spectrum)
    return x - null @ x @ null


@constant
def _null_projector(a, spectrum):
    f = fitting(spectrum, a)
    v = mH(f.vh) * (f.inverse == 0)[..., None, :]
    return v @ mH(v)


_null_projector.batch_leading(a=2)


def _check(call: Any, inner: Any, across: Any, norm: Any, text: str) -> None:
    null = _null_projector(call.a, call.spectrum)
    for x in (null @ inner @ null, across @ null):
        refuse(x, everywhere(x), norm, text.format(function=call.function), lambda i, j: "")


@differentiable("p", "c")
def _anticommuted(p, c, spectrum):
    """x with p x + x p = c for p = v s v^H, and without a part among values that are 0."""
    f = fitting(spectrum, p)
    v, zero = mH(f.vh), f.inverse == 0
    both = zero[..., None, :] & zero[..., :, None]
    sums = np.where(both, 1, f.s[..., None, :] + f.s[..., :, None])
    return v @ np.where(both, 0, (f.vh @ c @ v) / sums) @ f.vh


_anticommuted.batch_leading(p=2, c=2)


@_anticommuted.jvp
def _(call, t):
    return _anticommuted(call.p, t.c - t.p @ call.out - call.out @ t.p, call.spectrum)


@_anticommuted.vjp
def _(call, g):
    w, x = _anticommuted(call.p, g, call.spectrum), mH(call.out)
    return {"c": w, "p": lambda: -(w @ x + x @ w)}


REVERSE = (
    "{function}: the loss depends on the unitary factor where singular values are 0 and the matrix does not determine it, so it "
    "has no derivative here. Add a small multiple of a matrix of full rank, write the loss with p, or drop that part with "
    "gauge='project'."
)
FORWARD = (
    "{function}: singular values are 0, and in this direction the rank changes: there the unitary factor jumps, so it has no "
    "derivative. Use reverse mode for a loss that does not look at that part, or drop it with gauge='project'."
)

__all__ = ["orthogonal_procrustes", "polar"]
