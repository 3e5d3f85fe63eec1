"""Cholesky factors and the systems they solve. Derivatives: Murray, Differentiation of the Cholesky
decomposition (2016), arXiv:1602.07527, equations 8 and 10, here for Hermitian matrices.
"""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import (
    ZERO,
    Traced,
    differentiable,
    multilinear,
    namespace_of,
    raw,
    shape_of,
)
from scigrad.autodiff_rules.backends import is_on_device, library
from scigrad.numpy.call_stack import call_as_step
from scigrad.numpy.devices import one_kernel, places_in
from scigrad.typing import Array, ArrayLike, OnFail, Value

from ..foundation import failures
from ..foundation.device_systems import positive_factor
from ..foundation.factors import apply, factorize, fitting_factors
from ..foundation.failures import append_info
from ..foundation.lapack import host, may_overwrite, routine, scipys
from ..foundation.matrices import (
    are_plain,
    as_pair,
    as_vectors,
    check_matrices,
    fold_triangles,
    half_lower,
    hermitian,
    largest,
    mH,
    system,
    triangle,
)
from .solve import linear_solve, summed_inside, triangular_solver


def cholesky(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Compute the Cholesky factor of a positive definite matrix, a = l l^H or a = u^H u.

    Parameters
    ----------
    a : (..., n, n) array_like
        Symmetric or Hermitian positive definite matrix, or batch of matrices. One triangle is read.
    lower : bool, optional
        Whether the lower triangle is read and returned.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    c : (..., n, n) ndarray
        Triangular factor with a positive diagonal.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, the order of the leading minor that is not positive, or -1
        for NaN in `a`. 1 for any failure on a GPU.

    Raises
    ------
    ValueError
        If `a` is not square, or holds NaN or infinity in either triangle.
    numpy.linalg.LinAlgError
        If `a` is not positive definite.

    Notes
    -----
    Differentiable in the triangle that is read; entries of the other one get 0. See
    `scipy.linalg.cholesky`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: linalg.cholesky(a, lower=True)[1, 1])(np.array([[4.0, 2.0], [2.0, 5.0]]))
    ... )
    [[ 0.0625  0.    ]
     [-0.25    0.25  ]]
    """
    # NumPy's kernel is faster for a batch, but rounds in another way, which single precision shows
    if (
        on_fail == "raise"
        and type(a) is np.ndarray
        and (a.ndim == 2 or (a.dtype.char in "fF" and a.size))
    ):
        c = scipys(
            "cholesky",
            (a, lower, may_overwrite(overwrite_a), check_finite),
            overwrite_a,
            np.linalg.LinAlgError,
        )
        if c is not None:
            return c
    a = check_matrices("cholesky", "a", a, check_finite, on_fail)
    a = a if lower else mH(a)
    factor, info = lower_factor(a, on_fail)
    c = factor if lower else mH(factor)
    return append_info(c, info[()], on_fail)


@differentiable("a", core={"a": 2})
def lower_factor(a, on_fail="raise", function="cholesky", name="a"):
    """Return l with l l^H = a, of which the lower triangle is read, and info; NaN where there is
    none, unless on_fail="raise".
    """
    host = library(a) == "numpy"
    if host and on_fail == "raise":
        with contextlib.suppress(failures.LinAlgError):
            return np.linalg.cholesky(a), np.zeros(a.shape[:-2], np.intp)
    kind = "positive definite"
    if not host and library(a) == "cupy" and a.size and (found := positive_factor(a)) is not None:
        if on_fail == "raise":
            failures.raise_first(function, name, a.shape, found[1], kind)
        return found
    # no device library documents which triangle it reads
    a = hermitian(a, True)
    factor, info = failures.decompose_each(
        function, a, lambda a: [np.linalg.cholesky(a)], _minor, on_fail, (2,), kind, name
    )
    if not host:  # CuPy's kernel reports failures only with synchronization
        info = ~_is_factor(factor, a) * 1
        if on_fail == "raise":
            failures.raise_first(function, name, a.shape, info, kind)
        factor = failures.marked_nan(factor, info, 2)
    return factor, info


def _minor(a: Any) -> Any:
    return (
        routine("potrf", a.dtype.char)(a, lower=True)[1]
        if library(a) == "numpy"
        else np.linalg.cholesky(a)
    )


def _is_factor(factor: Any, a: Any) -> Any:
    """Return whether l l^H = a up to rounding; False for NaN."""
    limit = 100 * a.shape[-1] * np.finfo(a.dtype).eps * largest(a, (-2, -1))
    with np.errstate(invalid="ignore"):
        return largest(factor @ mH(factor) - a, (-2, -1)) <= limit


# a = l l^H  =>  l^-1 a' l^-H = X + X^H with X = l^-1 l' lower triangular and a real diagonal, so l'
# = l half(l^-1 a' l^-H).
@lower_factor.jvp
def _(call, t):
    c, info = call.out
    solve = triangular_solver("cholesky", c, True)
    return c @ half_lower(solve(mH(solve(hermitian(t.a, True))))), np.zeros_like(info)


# Re<g, l half(S)> = Re<half(l^H g), S>, because half is self-adjoint on Hermitian S; and S = l^-1
# a' l^-H. The two triangles of the outcome meet in the one that is read.
@lower_factor.vjp
def _(call, g):
    c, g = call.out[0], g[0]
    if type(c) is np.ndarray is type(g) and WORTH_A_SWEEP < c.shape[-1] == c.size // c.shape[-1]:
        return {"a": reverse_sweep(c, g)}
    solve = triangular_solver("cholesky", c, True)
    return {"a": fold_triangles(mH(solve(mH(solve(half_lower(mH(c) @ g), True)), True)), True)}


# -- factors and the systems they solve


def cho_factor(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array]:
    """Compute the Cholesky factor of a positive definite matrix, for use in `cho_solve`.

    Parameters
    ----------
    a : (..., n, n) array_like
        Symmetric or Hermitian positive definite matrix, or batch of matrices. One triangle is read.
    lower : bool, optional
        Whether the lower triangle is read and returned.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    c : (..., n, n) ndarray
        Factor, with zeros in the other triangle, whose contents SciPy leaves undefined.
    lower : bool or ndarray of bools
        The argument `lower`, once for each matrix of a batch, as in SciPy.
    info : ndarray of ints
        Only with ``on_fail="info"``, as for `cholesky`.

    Raises
    ------
    ValueError
        If `a` is not square, or holds NaN or infinity in either triangle.
    numpy.linalg.LinAlgError
        If `a` is not positive definite.

    Notes
    -----
    Derivatives as for `cholesky`. See `scipy.linalg.cho_factor`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> loss = lambda a: np.sum(linalg.cho_solve(linalg.cho_factor(a), np.ones(2)))
    >>> print(grad(loss)(np.diag([2.0, 4.0])))
    [[-0.25   -0.25  ]
     [ 0.     -0.0625]]
    """
    found: Any = call_as_step(cholesky, a, lower, overwrite_a, check_finite, on_fail=on_fail)
    c, *info = found if on_fail == "info" else (found,)
    lead = shape_of(c)[:-2]
    out: Value = (c, namespace_of(c).full(lead, bool(lower)) if lead else lower, *info)
    return out


def cho_solve(
    c_and_lower: tuple[Any, ...], b: ArrayLike, overwrite_b: bool = False, check_finite: bool = True
) -> Array:
    """Solve a x = b, given the Cholesky factor of a.

    Parameters
    ----------
    c_and_lower : tuple
        ``(c, lower)`` from `cho_factor`. An array `lower` has one value for the whole batch.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.
    overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a diagonal element of `c` is 0, under a transform or in a batch. For concrete NumPy
        matrices it is divided by, as in SciPy.

    Notes
    -----
    Differentiable in `b` and in the triangle of `c` that is used. See `scipy.linalg.cho_solve`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> factor = linalg.cho_factor(np.diag([2.0, 4.0]))
    >>> print(grad(lambda b: np.sum(linalg.cho_solve(factor, b)))(np.ones(2)).round(12))
    [0.5  0.25]
    """
    c, lower = as_pair(
        c_and_lower, "cho_solve: the first argument must be (c, lower), as cho_factor returns it"
    )
    if type(c) is np.ndarray is type(b) and c.ndim == 2:
        return host("cho_solve")(c_and_lower, b, may_overwrite(overwrite_b), check_finite)
    lower = _one_triangle(lower)
    c, b, vector = system("cho_solve", "c", c, b, check_finite)
    # LAPACK reads one triangle of a single matrix, and ignores the other one
    read = raw(c)
    if type(read) is not np.ndarray or read.ndim != 2:
        if is_on_device(read) and read.ndim == 2:
            read = triangle(read, lower)
        else:
            c = triangle(c, lower)
            read = raw(c)
    factors = factorize("cho_solve", read, "triangular", lower, check_condition=False, name="c")
    x = _factor_solve(c, b, factors, lower)
    return as_vectors(x) if vector else x


@differentiable("c", "b", core={"c": 2, "b": 2})
def _factor_solve(c, b, factors, lower):
    """Solve l l^H x = b with `lower`, or u^H u x = b."""
    fits = fitting_factors(factors, c) or factors
    return apply(fits, c, apply(fits, c, b, not lower), lower)


def _half_solves(call: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return b -> l^-1 b and b -> l^-H b, or u^-H b and u^-1 b. To derivatives the other triangle
    is shown to be 0.
    """
    c = triangle(call.c, call.lower) if isinstance(call.c, Traced) else call.c

    def half(adjoint: bool) -> Callable[[Any], Any]:
        return lambda b: (
            b if b is ZERO else linear_solve(c, b, factors=call.factors, adjoint=adjoint)
        )

    return half(not call.lower), half(call.lower)


# a x = b with a = l l^H (u = l^H)  =>  x' = a^-1 (b' - a' x) = l^-H (l^-1 b' - l^-1 l' y - l'^H x),
# y = l^H x = l^-1 b
@_factor_solve.jvp
def _(call, t):
    first, second = _half_solves(call)
    dl = ZERO if t.c is ZERO else triangle(t.c, call.lower)
    dl = dl if call.lower else mH(dl)
    return second(first(t.b) - first(dl @ first(call.b)) - mH(dl) @ call.out)


# Let w = a^-1 g, z = l^-1 g:  b_bar = w,  l_bar = -tril((w x^H + x w^H) l) = -tril(w y^H + x z^H),
# and u_bar its adjoint
@_factor_solve.vjp
def _(call, g):
    first, second = _half_solves(call)
    z = first(g)
    w, x = second(z), call.out

    def c_bar() -> Any:
        y = first(call.b)
        if are_plain(w, x, y, z, call.c) and is_on_device(w) and shape_of(w)[1:] == (1,):
            places = places_in(shape_of(call.c), w)
            bar = _lower_products(*places, w, mH(y), x, mH(z))
            return bar if call.lower else mH(bar)
        left, right = np.concatenate([-w, -x], axis=-1), np.concatenate([y, z], axis=-1)
        left, right = summed_inside(left, right, call.c)
        bar = lower_of_product(left, mH(right))
        return bar if call.lower else mH(bar)

    return {"b": w, "c": c_bar}


@one_kernel
def _lower_products(i: Any, j: Any, w: Any, y: Any, x: Any, z: Any) -> Any:
    return np.where(i >= j, -(w * y) - x * z, 0)


def _one_triangle(lower: Any) -> bool:
    lower = failures.to_host(lower)
    if np.any(lower) != np.all(lower) and np.size(lower):
        raise ValueError(
            "cho_solve: 'lower' must be the same for all factors of a batch; solve the two kinds "
            "in turn."
        )
    return bool(np.all(lower))


# -- cotangents of factors

# rows at a time: enough for a matrix product, and little is computed above the diagonal
_ROWS = 128


@multilinear("left", "right", core={"left": 2, "right": 2})
def lower_of_product(left, right):
    """Return the lower triangle of left @ right (..., n, n). For n = 1000 and few columns np.tril
    would take most of the time.
    """
    n = left.shape[-2]
    if left.ndim > 2 or right.ndim > 2 or library(left) != "numpy":
        return triangle(left @ right, True)
    out = np.zeros((n, n), np.result_type(left, right))
    for i in range(0, n, _ROWS):
        j = min(i + _ROWS, n)
        out[i:j, :j] = left[i:j] @ right[:, :j]
        out[i:j, i:j] = np.tril(out[i:j, i:j])
    return out


# Re<tril(g), l' r> = Re<tril(g) r^H, l'>
@lower_of_product.vjp
def _(call, g):
    g = np.tril(g)
    return {"left": lambda: g @ mH(call.right), "right": lambda: mH(call.left) @ g}


BLOCK = 64
WORTH_A_SWEEP = 40  # the order from which on it is faster than the closed form


def reverse_sweep(factor: Any, g: Any) -> Any:
    """Return the cotangent of the lower triangle of a = l l^H for the cotangent g of l, both
    concrete (n, n) arrays on the host.

    Column block k of l came from blocks d and c of a, on and below the diagonal, and what stands to
    the left of them, r and b:
        l_kk l_kk^H = d - r r^H,  l_below = (c - b r^H) l_kk^-H.
    """
    bar = np.tril(g)
    n = bar.shape[-1]
    for start in range((n - 1) // BLOCK * BLOCK, -1, -BLOCK):
        stop = min(start + BLOCK, n)
        diagonal = factor[start:stop, start:stop]
        left, left_bar = factor[start:stop, :start], bar[start:stop, :start]
        below, below_bar = factor[stop:, start:stop], bar[stop:, start:stop]
        corner = bar[start:stop, start:stop]
        if stop < n:
            below_bar[...] = _divided(below_bar, diagonal)  # by c
            corner -= np.tril(mH(below_bar) @ below)
            bar[stop:, :start] -= below_bar @ left
            left_bar -= mH(below_bar) @ factor[stop:, :start]
        inner = _divided(mH(_divided(mH(half_lower(mH(diagonal) @ corner)), diagonal)), diagonal)
        corner[...] = fold_triangles(inner, True)
        if start:
            left_bar -= (corner + mH(corner)) @ left
    return bar


def _divided(x: Any, triangle: Any) -> Any:
    """Return x triangle^-1 by NumPy's solve, as its products are: LAPACK by way of SciPy has
    threads of its own, and two libraries that take turns wait for each other's (with two threads at
    n = 1000: 84 to 256 ms).
    """
    return np.linalg.solve(triangle.T, x.T).T


__all__ = ["cho_factor", "cho_solve", "cholesky"]
