"""The polar decomposition, and the orthogonal Procrustes problem that it solves.

With a = u p, u^H u = 1 and n = u^H a' the matrix w = u^H u' is antihermitian and solves
p w + w p = n - n^H, so
    u' = u w + (1 - u u^H) a' p^-1
(Higham, Functions of Matrices, SIAM 2008, section 8.2 and theorem 8.9), and p = u^H a. It divides
by sums of singular values, never by their gaps: u is discontinuous where two of them (of a complex
matrix: one) are 0, and nowhere else.
"""

from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import GaugeError, constant, differentiable, raw, shape_of
from scigrad.typing import Array, ArrayLike, Gauge, OnFail

from ..foundation.failures import append_info, exists, refuse_gauge, resolve_gauge, varies
from ..foundation.lapack import host
from ..foundation.matrices import as_matrix, check_matrices, frobenius, mH, same_precision
from .any_rank import Spectrum, counts, fitting_spectrum, full_rank, pseudo_solve, spectrum_of


def polar(
    a: ArrayLike,
    side: Literal["right", "left"] = "right",
    *,
    gauge: Gauge | None = None,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array]:
    """Compute the polar decomposition a = u p or a = p u.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices.
    side : {"right", "left"}, optional
        "right": a = u p with p of order n. "left": a = p u with p of order m.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on what the matrix leaves open. "check", the default,
        raises GaugeError; "project" drops that part of the cotangent and reads nothing back from a
        GPU; "trust" does neither.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

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
        Under a transform, if the loss depends on the part of `u` that a singular matrix does not
        determine, see `gauge`.

    Notes
    -----
    Differentiable, also at equal singular values. At a singular matrix `p` is not smooth: its
    derivative is the subgradient of minimum norm, and second derivatives raise GaugeError. See
    `scipy.linalg.polar`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: linalg.polar(a)[0][0, 1])(np.array([[1.2, -1.6], [1.6, 1.2]])).round(12)
    ... )
    [[ 0.12  0.09]
     [-0.09  0.12]]
    """
    if type(a) is np.ndarray and on_fail == "raise" and a.size:
        return host("polar")(a, side)
    if side not in ("right", "left"):
        raise ValueError(f"polar: `side` must be either 'right' or 'left', not {side!r}.")
    a = check_matrices("polar", "a", a, True, on_fail, False)
    u, spectrum = _unitary_factor(a, "polar", gauge, on_fail)
    p = _positive_factor(u, a, spectrum, side == "right")
    return append_info((u, p), counts(a, spectrum)[1] if on_fail == "info" else None, on_fail)


def orthogonal_procrustes(
    A: ArrayLike, B: ArrayLike, check_finite: bool = True, *, gauge: Gauge | None = None
) -> tuple[Array, Array]:
    """Compute the unitary matrix r that minimizes the Frobenius norm of A r - B.

    Parameters
    ----------
    A, B : (..., m, n) array_like
        Matrices, or batches of matrices, whose batch axes broadcast.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on what the matrix leaves open. "check", the default,
        raises GaugeError; "project" drops that part of the cotangent and reads nothing back from a
        GPU; "trust" does neither.

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
        Under a transform, if ``A^H B`` is singular and the loss depends on which of several
        solutions is returned, see `gauge`.

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
    # SciPy multiplies integers in their dtype
    if (
        type(A) is np.ndarray is type(B)
        and 0 not in (*A.shape[:-2], *B.shape[:-2])
        and np.result_type(A, B).kind in "fc"
    ):
        return host("orthogonal_procrustes")(A, B, check_finite)
    A, B = (
        as_matrix("orthogonal_procrustes", name, x, False, check_finite)
        for name, x in (("A", A), ("B", B))
    )
    if shape_of(A)[-2:] != shape_of(B)[-2:]:
        raise ValueError(
            f"orthogonal_procrustes: the shapes of A and B differ ({shape_of(A)} vs {shape_of(B)})."
        )
    A, B = same_precision(A, B)
    product = mH(A) @ B
    u, spectrum = _unitary_factor(product, "orthogonal_procrustes", gauge, "raise")
    return u, np.real(np.trace(_positive_factor(u, product, spectrum, True), axis1=-2, axis2=-1))


def _unitary_factor(a: Any, function: str, gauge: Any, on_fail: str) -> tuple[Any, Spectrum]:
    """Return the unitary factor u of a, and the singular value decomposition of a."""
    spectrum = spectrum_of(
        function, raw(a), max(shape_of(a)[-2:]) * np.finfo(a.dtype).eps, 0.0, on_fail
    )
    gauge = resolve_gauge(function, gauge)
    if shape_of(a)[-2] >= shape_of(a)[-1]:
        return _unitary(a, spectrum, gauge, function), spectrum
    return mH(_unitary(mH(a), spectrum.adjoint(), gauge, function)), spectrum


def _positive_factor(u: Any, a: Any, f: Spectrum, right: bool) -> Any:
    """Return u^H a or a u^H; where singular values are 0 it has a kink, and its derivative no part:
    the subgradient of smallest norm.
    """
    # BLAS may flag products of infinities and NaN, depending on the processor
    with np.errstate(invalid="ignore"):
        p = _hermitian_part(mH(u) @ a if right else a @ mH(u))
    if not varies(a) or any(full_rank(f)):
        return p
    null = _null_projector(a, f) if right else _null_projector(mH(a), f.adjoint())
    return p - null @ p @ null


def _hermitian_part(x: Any) -> Any:
    return (x + mH(x)) / 2


# -- u of tall matrices


@differentiable("a", core={"a": 2})
def _unitary(a, spectrum, gauge, function):
    del gauge, function
    f = fitting_spectrum(spectrum, a)
    return f.u @ f.vh


_unitary.jvp(lambda call, t: _rotation_tangent(call, t.a, FORWARD))
_unitary.vjp(lambda call, g: {"a": _rotation_tangent(call, g, REVERSE)})


def _rotation_tangent(call: Any, x: Any, text: str) -> Any:
    """Return u' of a' = x, which is also a_bar of u_bar = x: the map is self-adjoint."""
    u, f = call.out, call.spectrum
    # the spectrum of p = v s v^H
    f = f._replace(shape=(*f.shape[:-2], *f.vh.shape[-1:] * 2), u=mH(f.vh))
    p, inner = _hermitian_part(mH(u) @ call.a), mH(u) @ x
    across = x - u @ inner
    if call.gauge == "check" and not any(full_rank(f)):
        _refuse_undetermined(call, inner - mH(inner), across, frobenius(x), text)
    out = u @ _anticommuted(p, inner - mH(inner), f)
    return out if shape_of(u)[-2] == shape_of(u)[-1] else out + mH(pseudo_solve(p, mH(across), f))


def _refuse_undetermined(call: Any, inner: Any, across: Any, norm: Any, text: str) -> None:
    """Refuse what depends on u where singular values are 0; and second derivatives there: p has a
    kink, and the product rule of its subgradient misses a part of smooth losses such as |p|^2.
    """
    f = call.spectrum
    # a matrix that failed has NaN
    if varies(call.a) and exists((f.rank < f.s.shape[-1]) & np.isfinite(f.s).all(axis=-1)):
        raise GaugeError(
            f"{call.function}: second derivatives where singular values are 0 are not determined "
            "by the first-order rule. The first derivative is available; add a small multiple of "
            "a matrix of full rank for the second."
        )
    null = _null_projector(call.a, f)
    for x in (null @ inner @ null, across @ null):
        refuse_gauge(x, True, norm, text.format(function=call.function), lambda i, j: "")


@constant(core={"a": 2})
def _null_projector(a, spectrum):
    f = fitting_spectrum(spectrum, a)
    v = mH(f.vh) * (f.inverse == 0)[..., None, :]
    return v @ mH(v)


@differentiable("p", "c", core={"p": 2, "c": 2})
def _anticommuted(p, c, spectrum):
    """Solve p x + x p = c for p = v s v^H, for the x without a part among values that are 0."""
    f = fitting_spectrum(spectrum, p)
    v, zero = mH(f.vh), f.inverse == 0
    both = zero[..., None, :] & zero[..., :, None]
    sums = np.where(both, 1, f.s[..., None, :] + f.s[..., :, None])
    return v @ np.where(both, 0, (f.vh @ c @ v) / sums) @ f.vh


@_anticommuted.jvp
def _(call, t):
    return _anticommuted(call.p, t.c - t.p @ call.out - call.out @ t.p, call.spectrum)


@_anticommuted.vjp
def _(call, g):
    w, x = _anticommuted(call.p, g, call.spectrum), mH(call.out)
    return {"c": w, "p": lambda: -(w @ x + x @ w)}


REVERSE = (
    "{function}: the loss depends on the unitary factor where singular values are 0 and the "
    "matrix does not determine it, so it has no derivative here. Add a small multiple of a matrix "
    "of full rank, write the loss with p, or drop that part with gauge='project'."
)
FORWARD = (
    "{function}: singular values are 0, and in this direction the rank changes: there the unitary "
    "factor jumps, so it has no derivative. Use reverse mode for a loss that does not look at "
    "that part, or drop it with gauge='project'."
)

__all__ = ["orthogonal_procrustes", "polar"]
