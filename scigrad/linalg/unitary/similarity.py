"""Similar matrices: balanced ones, and real block forms of eigenvalues in conjugate pairs, made of
complex forms or into them.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, constant, namespace_of, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.typing import Array, ArrayLike, Gauge

from ..foundation.failures import each, resolve_gauge
from ..foundation.lapack import host, may_overwrite, scipys
from ..foundation.matrices import (
    as_array,
    check_matrices,
    identity,
    place_on_diagonal,
    power_of_two,
    refuse_nonfinite,
    same_precision,
)
from ..schur_forms.schur_rules import form_with_rules
from ..systems.lu import rows_of


def matrix_balance(
    A: ArrayLike,
    permute: bool = True,
    scale: bool = True,
    separate: bool = False,
    overwrite_a: bool = False,
) -> tuple[Array, Array]:
    """Compute a similar matrix whose rows and columns have norms of equal size, b = t^-1 a t.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    permute : bool, optional
        Whether rows and columns may be permuted to isolate eigenvalues.
    scale : bool, optional
        Whether they are scaled by powers of 2.
    separate : bool, optional
        Whether the scaling and the permutation are returned in place of t, for a batch in one array
        (..., 2, n).
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.

    Returns
    -------
    b : (..., n, n) ndarray
        Balanced matrix.
    t : (..., n, n) ndarray
        Permuted and scaled identity, or with `separate` two arrays (..., n).

    Raises
    ------
    ValueError
        If `A` is not square, or holds NaN or infinity.

    Notes
    -----
    The transformation is piecewise constant, so that ``b' = t^-1 a' t``. On a GPU there is no such
    algorithm, see `scigrad.on_host`. See `scipy.linalg.matrix_balance`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.array([[1.0, 64.0], [1.0, 2.0]])
    >>> print(grad(lambda a: np.sum(linalg.matrix_balance(a, permute=False)[0]))(a))
    [[1.    0.125]
     [8.    1.   ]]
    """
    if A.__class__ is np.ndarray and A.size:
        found = scipys(
            "matrix_balance", (A, permute, scale, separate, may_overwrite(overwrite_a)), overwrite_a
        )
        if found is not None:
            t: Any = found[1]
            kind = np.real(found[0]).dtype  # SciPy's t is always in double precision
            if not separate:
                t = t.astype(kind)
            elif isinstance(t, tuple):
                t = t[0].astype(kind), t[1]
            return found[0], t
    a = check_matrices("matrix_balance", "A", A)
    scaling, permutation, t = _balancing(a, bool(permute), bool(scale))
    b = rows_of(rows_of(a, permutation).mT, permutation).mT
    b = b * (scaling[..., None, :] / scaling[..., :, None])
    if separate and len(shape_of(a)) > 2:  # SciPy stacks them in a batch
        return b, np.stack([scaling.astype(float), permutation.astype(float)], axis=-2)
    permuted: Any = (scaling, permutation) if separate else t
    return b, permuted


@constant(core={"a": 2})
def _balancing(a, permute, scale):
    def one(a: Any) -> tuple[Any, ...]:
        n, kind = len(a), np.real(a).dtype
        _, (scaling, permutation) = host("matrix_balance")(a, permute, scale, True)
        t = np.zeros((n, n), kind)
        scaling = np.real(scaling).astype(kind)
        t[permutation, np.arange(n)] = scaling
        return scaling, permutation.astype(np.intp), t

    return tuple(each("matrix_balance", one, a, argument="A")[0])


def cdf2rdf(w: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    """Convert complex eigenvalues in conjugate pairs, and vectors, to real blocks and vectors.

    Parameters
    ----------
    w : (..., n) array_like
        Real eigenvalues, and pairs of conjugate ones next to each other.
    v : (..., n, n) array_like
        Eigenvectors, ``a v = v diag(w)``.

    Returns
    -------
    wr : (..., n, n) ndarray
        Real matrix with [[x, y], [-y, x]] on the diagonal for each pair x +- iy.
    vr : (..., n, n) ndarray
        Real matrix with ``a vr = vr wr``.

    Raises
    ------
    ValueError
        If shapes do not fit, or an eigenvalue has no conjugate.

    Notes
    -----
    Linear in `w` and `v` while the positions of the pairs are constant. See `scipy.linalg.cdf2rdf`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> w, v = linalg.eig(np.array([[0.0, 1.0], [-4.0, 0.0]]))
    >>> print(grad(lambda w: np.trace(linalg.cdf2rdf(w, v)[0]))(w))
    [1.+0.j 1.+0.j]
    """
    if w.__class__ is np.ndarray is v.__class__:
        wr, vr = host("cdf2rdf")(w, v)
        # SciPy's vr is always in double precision
        return wr, vr.astype("f") if v.dtype.char in "fF" else vr
    w, v = as_array("cdf2rdf", "w", w), as_array("cdf2rdf", "v", v)
    shapes = shape_of(w), shape_of(v)
    if len(shapes[0]) < 1 or len(shapes[1]) < 2:
        raise ValueError(
            f"cdf2rdf: expected w to be at least 1D and v at least 2D, not of shapes {shapes[0]} "
            f"and {shapes[1]}."
        )
    if shapes[1] != (*shapes[0], shapes[0][-1]):
        raise ValueError(
            "cdf2rdf: expected v to hold a square matrix for each row of w, not shapes "
            f"{shapes[0]} and {shapes[1]}."
        )
    for name, x in (("w", w), ("v", v)):
        refuse_nonfinite("cdf2rdf", not isinstance(x, Traced), **{name: x})
    first, second = _pair_masks(w)
    n = shapes[0][-1]
    neighbors = namespace_of(first).eye(n, k=1, dtype=first.dtype)
    both = first[..., :, None] * second[..., None, :] * neighbors
    wr = place_on_diagonal(np.real(w)) + np.imag(w)[..., None] * (both + both.mT)
    # the pair u + iv, u - iv has the vectors  Re(i (u + iv) - i (u - iv)) / 2 = -v  and
    # Re((u + iv) + (u - iv)) / 2 = u
    to_real = (
        place_on_diagonal(1 - first - second + (1j * first + second) / 2)
        + (both - 1j * both.mT) / 2
    )
    return wr, np.real(v @ to_real)


@constant(core={"w": 1})
def _pair_masks(w):
    """Return two masks of numbers: 1 where the first, and 1 where the second of a pair of conjugate
    eigenvalues stands, else 0.
    """
    paired = np.imag(w) != 0
    count = np.cumsum(1 * paired, axis=-1)
    if library(w) == "numpy" and (paired.sum(axis=-1) % 2).any():
        raise ValueError(
            "cdf2rdf: expected complex-conjugate pairs of eigenvalues, but one has no partner."
        )
    kind = np.real(w).dtype
    return (paired & (count % 2 == 1)).astype(kind), (paired & (count % 2 == 0)).astype(kind)


def rsf2csf(
    T: ArrayLike, Z: ArrayLike, check_finite: bool = True, *, gauge: Gauge | None = None
) -> tuple[Array, Array]:
    """Convert a real Schur form to a complex one.

    Parameters
    ----------
    T : (..., n, n) array_like
        Block triangular matrix. Elements below the blocks are not read.
    Z : (..., n, n) array_like
        Orthogonal matrix. Batch axes broadcast.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on what the matrix leaves open, as in `schur`.

    Returns
    -------
    T, Z : (..., n, n) ndarray
        Complex triangular and unitary matrices.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.
    scigrad.GaugeError
        Under a transform, see `gauge`.

    Notes
    -----
    Differentiable in both arguments. See `scipy.linalg.rsf2csf`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> def imaginary(t):
    ...     return np.abs(np.imag(linalg.rsf2csf(t, np.eye(2))[0][0, 0]))
    >>> print(grad(imaginary)(np.array([[0.0, 1.0], [-4.0, 0.0]])).round(12) + 0.0)
    [[ 0.    1.  ]
     [-0.25  0.  ]]
    """
    if (
        T.__class__ is np.ndarray is Z.__class__
        and T.size
        and T.ndim > 1
        and T.dtype.char in "fdFD"
    ):
        try:
            return complex_form(T, Z, check_finite)
        except ValueError:
            pass  # raised below with more detail
    t, z = (
        check_matrices("rsf2csf", "T", T, check_finite),
        check_matrices("rsf2csf", "Z", Z, check_finite),
    )
    if shape_of(t)[-1] != shape_of(z)[-1]:
        raise ValueError(
            f"rsf2csf: input array shapes must match: Z: {shape_of(z)} vs. T: {shape_of(t)}"
        )
    t, z = same_precision(t, z)
    gauge = resolve_gauge("rsf2csf", gauge)
    triangular, u, inside = _complex_form(t)
    if isinstance(t, Traced):
        read = np.triu(t) + np.where(inside, np.tril(t, -1), 0)
        triangular, u = form_with_rules(
            read, triangular, u, ~inside, inside & ~inside, gauge, "rsf2csf"
        )
    return triangular + np.zeros_like(z), z @ u


def complex_form(t: Any, z: Any, check_finite: bool = False) -> tuple[Any, Any]:
    """Return the complex form by SciPy's rsf2csf on the host, in units of the size of t: near 2^500
    it gets the eigenvalues of blocks wrong.
    """
    unit = power_of_two(t)
    t, z = host("rsf2csf")(t / unit, z, check_finite)
    return t * unit, z


@constant(core={"t": 2})
def _complex_form(t):
    """Return the complex form of block triangular matrices, the rotations that lead to it, and
    where they act.
    """
    (out, u), _ = each(
        "rsf2csf", lambda t: complex_form(np.triu(t, -1), identity(t.shape[-1], t)), t
    )
    return out, u, np.abs(np.tril(u, -1)) > 0


__all__ = ["cdf2rdf", "matrix_balance", "rsf2csf"]
