"""det and slogdet.

The determinant is a polynomial, so all its derivatives exist everywhere, at singular matrices too;
but det(a) tr(a^-1 a') is 0/0 there. Derivatives of det go through the adjugate, the transposed
matrix of cofactors: det(a) a^-1 where that is accurate, elsewhere the gradient of

_as_polynomial    the same determinant, written so that differentiating it to any order stays
                  accurate

With constant unitary u, v that bring a to m = u^H a v = [[p, q], [r, t]], p well-conditioned and t
the part of small singular values, det(a) = det(u) det(v^H) det(p) det(t - r p^-1 q) holds in a
whole neighborhood of a. The first factors are regular, the last is the determinant of a small
matrix near 0, split again by its own singular values, until the rest is exactly 0, where an
algorithm without divisions is used (Berkowitz 1984). In a batch the split is made by masks, so that
each matrix has its own rank.
"""

from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import ZERO, constant, differentiable, materialize, raw, shape_of, vjp
from scigrad.autodiff_rules.backends import is_on_device, library
from scigrad.numpy.devices import one_kernel
from scigrad.typing import Array, ArrayLike, Value

from ..foundation.decompositions import nan_if_not_finite, svd
from ..foundation.device_systems import determine, eliminate
from ..foundation.factors import Factors, warn_if_ill_conditioned
from ..foundation.failures import explain_errors, not_finite, raise_first, to_host, varies
from ..foundation.lapack import general, host, may_overwrite, one_norm
from ..foundation.matrices import (
    as_matrix,
    check_matrices,
    column_norm,
    is_complex,
    mH,
    native,
    place_on_diagonal,
    power_of_two,
)
from .solve import inv, inverse_by

_WELL = 1e-8  # reciprocal condition number from which the inverse gives the adjugate
_GOOD = 1e-2  # singular values above this part of the largest are split off as regular
_TINY = 3  # up to this order the algorithm without divisions is the cheapest and loses nothing
_FEW = 6  # up to this many small singular values are left to the algorithm without divisions


def det(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    """Compute the determinant of a matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.

    Returns
    -------
    det : (...) ndarray
        Determinants, in double precision, as in SciPy. 1 for an empty matrix.

    Raises
    ------
    ValueError
        If `a` is not square, or holds NaN or infinity.
    TypeError
        If LAPACK has no routine for the dtype of `a`.

    Notes
    -----
    ``a_bar = g adj(a)^H`` with the adjugate of `a`, which holds at any rank and to any order. See
    `scipy.linalg.det`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(linalg.det)(np.array([[1.0, 2.0], [2.0, 4.0]])).round(12))
    [[ 4. -2.]
     [-2.  1.]]
    """
    # SciPy computes small integers in single precision
    if type(a) is np.ndarray and a.dtype.kind in "fc":
        return host("det")(native(a), may_overwrite(overwrite_a), check_finite)
    a = check_matrices("det", "a", a, check_finite)
    return _det(a if a.dtype.char in "dD" else a.astype("D" if is_complex(a) else "d"))


@differentiable("a", saves=True, core={"a": 2})
def _det(a, regular=False) -> Value:
    """Return the determinant; of a matrix that is known to be `regular` derivatives go through the
    inverse.
    """
    del regular
    if (found := _factors_on_card(a)) is not None:
        return determine(found.solver, found.info)[2], found
    factors = _factors_of_one(a)
    if factors is not None:
        sign, sizes = sign_and_sizes(factors)
        return sign * sizes.prod(), factors
    # a matrix with NaN has the determinant NaN, without a warning
    with np.errstate(invalid="ignore"):
        return np.linalg.det(a), None


def _factors_on_card(a: Any) -> Factors | None:
    """Factor matrices of CuPy as P L U, unless there are many large ones."""
    found = eliminate(a) if is_on_device(a) and a.size else None
    return found and Factors(a.shape, *found)


def _factors_of_one(a: Any) -> Factors | None:
    """Factor one matrix on the host as P L U; return None for anything else and for a matrix that
    turns out to be singular.
    """
    if library(a) != "numpy" or a.ndim > 2 or a.size == 0:
        return None
    solver, info, _ = general(a)
    return None if info else Factors(a.shape, solver)


def sign_and_sizes(factors: Factors) -> tuple[Any, Any]:
    """Return the sign (phase) of the determinant, and the moduli of which it is the product."""
    lu, pivots = factors.solver
    d = np.diagonal(lu)
    sizes = np.abs(d)
    odd = np.count_nonzero(pivots != np.arange(len(pivots))) % 2
    return (d / sizes).prod() * (-1 if odd else 1), sizes


# Jacobi's formula: det' = tr(adj(a) a')
@_det.jvp
def _(call, t):
    return np.sum(_adjugate(call).mT * t.a, axis=(-2, -1))


@_det.vjp
def _(call, g):
    return {"a": g[..., None, None] * mH(_adjugate(call))}


def _adjugate(call: Any) -> Any:
    """Return adj(a) with a adj(a) = det(a), finite at any rank."""
    a, kept = call.a, call.saved
    if call.regular or not varies(a):  # derivatives of det(a) a^-1 would cancel
        fits = kept is not None and kept.shape == shape_of(a)
        inverse = inverse_by(a, kept) if fits else inv(a, check_finite=False, on_fail="nan")
        if call.regular or to_host(raw(_is_accurate(a, call.out, inverse))).all():
            return call.out[..., None, None] * inverse
    scale, finite = power_of_two(a), np.isfinite(a).all(axis=(-2, -1))[..., None, None]
    value, pull = vjp(_as_polynomial, np.where(finite, a, 0) / scale)
    return np.where(
        finite, mH(pull(np.ones_like(value))[0]) * scale ** (shape_of(a)[-1] - 1), np.nan
    )


@constant(core={"a": 2, "value": 0, "inverse": 2})
def _is_accurate(a, value, inverse):
    """Return a mask (...) of where det(a) a^-1 is accurate, or passes on NaN."""
    lost = nan_if_not_finite(a)[..., 0, 0] != 0 if is_on_device(a) else not_finite(a)
    tiny = float(np.finfo(a.dtype).tiny)
    return _is_well_conditioned(value, column_norm(a), column_norm(inverse), lost, tiny)


@one_kernel
def _is_well_conditioned(value: Any, norm: Any, of_inverse: Any, lost: Any, tiny: float) -> Any:
    size = np.abs(value)
    return (norm * of_inverse * _WELL <= 1) & (size > tiny) & np.isfinite(size) | lost


# -- the determinant, ready to be differentiated any number of times


def _as_polynomial(a: Any, noise: float = 0.0) -> Any:
    if shape_of(a)[-1] <= _TINY:
        return _without_divisions(a)
    u, vh, phase, scale, good = _split_frame(a, noise)
    n, small = shape_of(a)[-1], ~good
    count = int(to_host(raw(small).sum(axis=-1)).max(initial=0))
    if count == 0:
        return _det(a, True)
    keep, drop = 1.0 * good, 1.0 * small
    m = mH(u) @ a @ mH(vh)
    p = m * _dual_product(keep, keep) + place_on_diagonal(drop * scale)
    q, r, t = (
        m * _dual_product(keep, drop),
        m * _dual_product(drop, keep),
        m * _dual_product(drop, drop),
    )
    c = (t - r @ inv(p, check_finite=False) @ q) / scale[..., None] + place_on_diagonal(keep)
    c = c[..., n - count :, n - count :]  # the identity in matrices of higher rank
    rest = (
        _without_divisions(c)
        if count <= _FEW or count == n
        else _as_polynomial(c, 1e3 * n * np.finfo(a.dtype).eps)
    )
    return phase * _det(p, True) * rest


@constant(core={"a": 2})
def _split_frame(a, noise):
    """Return coordinates in which a matrix has a regular and a small part: unitary u and v^H,
    det(u) det(v^H), the largest singular value (1 instead of 0, with an axis for the diagonal), and
    which ones are regular; the small ones stand last.
    """
    u, s, vh = svd(a)
    largest = s[..., :1]
    good = (s > _GOOD * largest) & (s > noise)
    return (u, vh, np.linalg.det(u) * np.linalg.det(vh), np.where(largest > 0, largest, 1), good)


def _dual_product(x: Any, y: Any) -> Any:
    return x[..., :, None] * y[..., None, :]


# Berkowitz, Information Processing Letters 18 (1984) 147-150. The characteristic polynomial of [[a,
# r], [s, m]] is that of m multiplied by the lower triangular Toeplitz matrix of 1, -a, -r s, -r m
# s, -r m^2 s, ...
def _without_divisions(c: Any) -> Any:
    n = shape_of(c)[-1]
    polynomial = [1.0]
    for k in reversed(range(n)):
        r, s, m = c[..., k, k + 1 :], c[..., k + 1 :, k, None], c[..., k + 1 :, k + 1 :]
        column = [1.0, -c[..., k, k]]
        for _ in range(n - 1 - k):
            column.append(-(r[..., None, :] @ s)[..., 0, 0])
            s = m @ s
        polynomial = [
            sum(
                column[i - j] * polynomial[j]
                for j in range(max(0, i - len(column) + 1), min(i, len(polynomial) - 1) + 1)
            )
            for i in range(len(polynomial) + 1)
        ]
    return polynomial[-1] * (-1.0) ** n


# -- sign and logarithm


class SlogdetResult(NamedTuple):
    """sign * exp(logabsdet) is the determinant."""

    sign: Any
    logabsdet: Any


def slogdet(a: ArrayLike) -> tuple[Array, Array]:
    """Compute the sign and the logarithm of the absolute value of the determinant.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.

    Returns
    -------
    sign : (...) ndarray
        Sign, or phase of a complex determinant. 0 for a singular matrix.
    logabsdet : (...) ndarray
        Logarithm of the absolute value, -inf for a singular matrix.

    Raises
    ------
    ValueError
        If `a` is not square.
    numpy.linalg.LinAlgError
        If a derivative is required at a singular matrix.

    Notes
    -----
    ``logabsdet' = Re tr(a^-1 a')`` and ``sign' = i Im tr(a^-1 a') sign``. See
    `numpy.linalg.slogdet`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: linalg.slogdet(a).logabsdet)(np.array([[2.0, 1.0], [1.0, 1.0]])).round(
    ...         12
    ...     )
    ... )
    [[ 1. -1.]
     [-1.  2.]]
    """
    return _slogdet(as_matrix("slogdet", "a", a))


@differentiable("a", saves=True, core={"a": 2})
def _slogdet(a) -> Value:
    if (found := _factors_on_card(a)) is not None:
        return SlogdetResult(*determine(found.solver, found.info)[:2]), found
    factors = _factors_of_one(a)
    if factors is None:
        sign, size = np.linalg.slogdet(a)
        return SlogdetResult(
            np.where(np.isnan(size), np.nan, sign).astype(sign.dtype)[()], size
        ), None
    sign, sizes = sign_and_sizes(factors)
    return SlogdetResult(sign, np.log(sizes).sum()), factors


@_slogdet.jvp
def _(call, t):
    trace = np.sum(_inverse_for_logarithm(call).mT * t.a, axis=(-2, -1))
    return 1j * trace.imag * call.out.sign if is_complex(call.a) else 0 * trace, trace.real


# Re<g_log, Re tr> + Re<g_sign, i Im(tr) sign> = Re((g_log - i k) tr) with k = -Im(conj(g_sign)
# sign)
@_slogdet.vjp
def _(call, g):
    weight = materialize(g[1], call.out.logabsdet)
    if is_complex(call.a) and g[0] is not ZERO:
        weight = weight - 1j * (np.conjugate(g[0]) * call.out.sign).imag
    return {"a": weight[..., None, None] * mH(_inverse_for_logarithm(call))}


def _inverse_for_logarithm(call: Any) -> Any:
    if call.saved is not None and call.saved.shape == shape_of(call.a):
        inverse, a = inverse_by(call.a, call.saved), raw(call.a)
        if library(a) != "numpy":
            with explain_errors(_SINGULAR):
                raise_first("slogdet", "a", a.shape, call.saved.info, "general")
            return inverse
        warn_if_ill_conditioned("slogdet", a, (), 1 / (one_norm(a) * one_norm(raw(inverse))))
        return inverse
    with explain_errors(_SINGULAR):
        return inv(call.a, check_finite=False)


_SINGULAR = (
    "slogdet: the logarithm of |det| is -inf at a singular matrix and has no derivative there. Use "
    "det, whose derivatives exist at any rank, or keep the matrix regular."
)


__all__ = ["det", "slogdet"]
