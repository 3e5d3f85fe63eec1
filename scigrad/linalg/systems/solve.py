"""Linear systems: solve, solve_triangular, inv, and the one primitive behind all solves of this
room.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import differentiable, raw, shape_of
from scigrad.autodiff_rules.vectorize import leading
from scigrad.numpy.devices import one_kernel
from scigrad.typing import Array, ArrayLike, OnFail

from ..foundation import failures, matrices
from ..foundation.factors import (
    SMALL,
    STRUCTURES,
    Factors,
    Inverted,
    apply,
    assume_structure,
    factorize,
    failure_codes,
    fitting_factors,
)
from ..foundation.failures import append_info
from ..foundation.given_factors import adopt_factors
from ..foundation.lapack import EliminatedAnew, host, may_overwrite, scipys, small_and_regular
from ..foundation.matrices import answer, as_columns, is_complex, mH, place_on_diagonal, triangle

# -- the primitive: whole matrices, b with columns (or one vector, for one matrix), a factorization
# as a hint


@differentiable("a", "b")
def linear_solve(a, b, factors=None, adjoint=False):
    """Solve a x = b, or a^H x = b; `factors` of an earlier call are used if they fit the shape of
    a.
    """
    factors = fitting_factors(factors, a) or factorize("solve", a)
    return (
        apply(factors, a, b, adjoint)
        if b.ndim > 1
        else apply(factors, a, as_columns(b), adjoint)[:, 0]
    )


linear_solve.core = {"a": 2, "b": 2}


@linear_solve.batched
def _(call, batched):
    if len(shape_of(call.b)) == 1 + batched.b:
        return linear_solve(call.a, as_columns(call.b), factors=call.factors, adjoint=call.adjoint)[
            ..., 0
        ]
    return linear_solve.evaluate(leading(linear_solve, call, batched, linear_solve.core))[0]


@linear_solve.jvp  # a x = b  =>  a x' = b' - a' x   (a^H and a'^H when adjoint)
def _(call, t):
    da = mH(t.a) if call.adjoint else t.a
    return linear_solve(call.a, t.b - da @ call.out, call.factors, call.adjoint)


@linear_solve.vjp  # w = a^-H g  =>  b_bar = w,  a_bar = -w x^H   (its adjoint when adjoint)
def _(call, g):
    w, x = linear_solve(call.a, g, call.factors, not call.adjoint), call.out
    left, right = (x, w) if call.adjoint else (w, x)
    return {"b": w, "a": lambda: outer_sum(left, -right, call.a)}


def outer_sum(left: Any, right: Any, a: Any) -> Any:
    """Return left right^H, summed over the batch inside the product where one matrix served all of
    it.
    """
    if left.ndim == 1:
        return as_columns(left) * (np.conjugate(right) if is_complex(right) else right)
    left, right = summed_inside(left, right, a)
    return left * mH(right) if shape_of(left)[-1] == 1 else left @ mH(right)


def outer_difference(first: Any, others: Any, a: Any) -> Any:
    """Return the sum of left right^H over other pairs, less that of the first one; of two pairs of
    single columns in one launch on a card.
    """
    (left, right), columns = first, [shape_of(x)[-1] for pair in (first, *others) for x in pair]
    if columns == [1] * 4 and shape_of(left)[:-2] == shape_of(a)[:-2]:
        ((x, y),) = others
        return _difference_of_products(x, mH(y), left, mH(right))
    return sum((outer_sum(*pair, a) for pair in others), start=-outer_sum(left, right, a))


@one_kernel
def _difference_of_products(x: Any, y: Any, u: Any, v: Any) -> Any:
    return x * y - u * v


def summed_inside(left: Any, right: Any, a: Any) -> tuple[Any, Any]:
    """Return the factors of left right^H, with the batch among their columns where one matrix
    served all of it.
    """
    if len(shape_of(a)) == 2 and len(shape_of(left)) > 2:
        left, right = (np.moveaxis(x, -2, 0).reshape((shape_of(x)[-2], -1)) for x in (left, right))
    return left, right


def solver(function: str, a: Any, kind: str = "general", lower: bool = False,
    on_fail: str = "raise",
           check_condition: bool = True) -> tuple[Callable[..., Any],
           Callable[..., Any]]:  # fmt: skip
    """Return solve(b, adjoint=False), differentiable in a and b with one factorization, and
    codes(b), what failed for each system.
    """
    factors = factorize(function, raw(a), kind, lower, on_fail, check_condition)
    return lambda b, adjoint=False: linear_solve(a, b, factors, adjoint), lambda b: failure_codes(
        a, b, factors
    )


def triangular_solver(
    function: str, c: Any, lower: bool, on_fail: str = "nan"
) -> Callable[..., Any]:
    """Return solve(b, adjoint=False) for a triangular matrix, with one check of its diagonal."""
    return solver(function, c, "triangular", lower, on_fail, False)[0]


def _solve_small(a: Any, b: Any) -> Any:
    """Return x for a small regular matrix of the host, plain or traced; None for others."""
    one, several = raw(a), raw(b)
    if not type(one) is type(several) is np.ndarray:
        return None
    if one.shape != shape_of(a) or several.shape != shape_of(b):
        return None
    solver = small_and_regular(one, several)
    if solver is None:
        return None
    if one is a and several is b:
        return solver(b, False)
    # a graph keeps it longer than the program keeps what is in its matrix
    kept = solver if one is not a else EliminatedAnew(one.copy())
    return linear_solve(a, b, Factors(one.shape, kept), False)


# -- the public functions


def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    transposed: bool = False,
    *,
    on_fail: OnFail = "raise",
    factors: tuple[Any, ...] | None = None,
) -> Array:
    """Solve the linear system a x = b.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.
    lower : bool, optional
        Whether the lower triangle is read, with the structures that store one triangle.
    overwrite_a, overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    assume_a : str, optional
        Structure of the matrix: "general", "symmetric", "hermitian", "positive definite",
        "diagonal", "tridiagonal", "banded", "upper triangular", "lower triangular", or the short
        forms of SciPy. By default it is detected where that is cheap.
    transposed : bool, optional
        Whether ``a^T x = b`` is solved. Real matrices only.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.
    factors : tuple, optional
        ``lu_factor(a)`` or ``cho_factor(a)``, for repeated solves. With `assume_a`, of the matrix
        that is read. Factors of another matrix are refused; a comparison of products with one
        vector finds them. Not used on a GPU.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast.
    info : ndarray of ints
        Only with ``on_fail="info"``: for each system 0, the number of the zero pivot, or -1 for NaN
        in `a`.

    Raises
    ------
    ValueError
        If shapes do not fit, an array holds NaN or infinity, the structure is unknown, or `factors`
        are those of another matrix.
    numpy.linalg.LinAlgError
        If `a` is singular, or not positive definite with "positive definite".
    NotImplementedError
        If `transposed` is used with complex arrays.

    Warns
    -----
    scipy.linalg.LinAlgWarning
        If `a` is ill conditioned.

    Notes
    -----
    With ``w = a^-H g``: ``b_bar = w`` and ``a_bar = -w x^H``, on the part of `a` that is read;
    other entries get 0. A detected structure changes the cost, not the derivative. Value, gradient
    and Hessian-vector product share one factorization. See `scipy.linalg.solve`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.sum(linalg.solve(a, np.ones(2))))(np.diag([2.0, 4.0])))
    [[-0.25   -0.125 ]
     [-0.125  -0.0625]]
    """
    if on_fail == "raise" and factors is None:
        special = assume_a or transposed or overwrite_a or overwrite_b
        if not special and (x := _solve_small(a, b)) is not None:
            return x
        if type(a) is np.ndarray is type(b):
            # SciPy 1.17 has no answer for one 1 x 1 matrix with a batch
            memory = may_overwrite(overwrite_a), may_overwrite(overwrite_b)
            given = (a, b, lower, *memory, check_finite, assume_a, transposed)
            if (x := scipys("solve", given, overwrite_a)) is not None:
                return x
    failures.check_policy("solve", on_fail)
    if assume_a not in STRUCTURES:
        raise ValueError(
            f"solve: {assume_a!r} is not a recognized matrix structure; known are {[*STRUCTURES]}."
        )
    a, b = matrices.as_array("solve", "a", a), matrices.as_array("solve", "b", b)
    a = matrices.as_matrix("solve", "a", a[(None,) * (2 - a.ndim)] if a.ndim < 2 else a)
    # like SciPy: a 1 x 1 matrix divides b, whatever its shape and `assume_a`
    if (one_number := a.size == 1) and b.ndim:
        a = place_on_diagonal(np.broadcast_to(a[..., 0], (*shape_of(a)[:-2], shape_of(b)[-2:][0])))
    # One vector for one matrix is taken as it is.
    plain = b.ndim == 1 and shape_of(a) == 2 * shape_of(b) and on_fail != "info"
    vector = b.ndim < 2 and not plain
    b = b if plain else matrices.right_hand_sides("solve", a, b)
    if transposed and (is_complex(a) or is_complex(b)):
        raise NotImplementedError(
            "scipy.linalg.solve can currently not solve a^T x = b with transposed=True for "
            "complex a or b, nor can scigrad: write solve(a.T, b) for a^T x = b or "
            "solve(a.conj().T, b) for a^H x = b."
        )
    matrices.refuse_nonfinite("solve", check_finite and on_fail == "raise", a=a, b=b)
    a, b = matrices.same_precision(a, b)
    whole, *kind = assume_structure(a, "diagonal" if one_number else assume_a, lower)
    if factors is None or one_number or not matrices.is_host(raw(whole)):
        kept = factorize("solve", raw(whole), *kind, on_fail)
    else:
        kept = adopt_factors("solve", factors, raw(whole), on_fail)
    x = linear_solve(whole, b, factors=kept, adjoint=transposed)
    return answer(x, vector, on_fail, lambda: failure_codes(whole, b, kept))


_TRANSPOSITIONS = {0: "N", "N": "N", 1: "T", "T": "T", 2: "C", "C": "C"}


def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: Literal[0, 1, 2, "N", "T", "C"] = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Solve a x = b for a triangular matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Matrix, or batch of matrices. One triangle is read.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.
    trans : {0, 1, 2, "N", "T", "C"}, optional
        System to solve. 0, "N": a x = b; 1, "T": a^T x = b; 2, "C": a^H x = b.
    lower : bool, optional
        Whether the lower triangle is read.
    unit_diagonal : bool, optional
        Whether the diagonal is taken as 1 and not read.
    overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, or the number of the diagonal element that is 0.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a diagonal element is 0.

    Notes
    -----
    Derivatives as for `solve`, on the triangle that is read. See `scipy.linalg.solve_triangular`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.array([[2.0, 9.0], [0.0, 4.0]])
    >>> print(grad(lambda a: np.sum(linalg.solve_triangular(a, np.ones(2), lower=True)))(a))
    [[-0.25    0.    ]
     [-0.125  -0.0625]]
    """
    if type(a) is np.ndarray is type(b) and a.ndim == 2 and on_fail == "raise":
        given = a, b, trans, lower, unit_diagonal, may_overwrite(overwrite_b), check_finite
        if (x := scipys("solve_triangular", given, False, np.linalg.LinAlgError)) is not None:
            return x
    if trans not in _TRANSPOSITIONS:
        raise ValueError(
            f"solve_triangular: trans must be 0, 1, 2, 'N', 'T' or 'C', not {trans!r}."
        )
    a, b, vector = matrices.system("solve_triangular", "a", a, b, check_finite, on_fail)
    mode, whole, lower = (
        _TRANSPOSITIONS[trans],
        triangle(a, bool(lower), unit_diagonal),
        bool(lower),
    )
    if mode == "T" and is_complex(a):
        whole, lower = whole.mT, not lower
    divide, codes = solver("solve_triangular", whole, "triangular", lower, on_fail, False)
    x = divide(b, mode == "C" or (mode == "T" and not is_complex(a)))
    return answer(x, vector, on_fail, lambda: codes(b))


# -- the inverse

_INVERTED = (
    None,
    "general",
    "gen",
    "diagonal",
    "upper triangular",
    "lower triangular",
    "pos",
    "sym",
    "her",
)
# SciPy leaves a's other entries where it read only some
_INVERTED_BY_SCIPY = (None, "general", "gen", "pos", "sym", "her")


def inv(
    a: ArrayLike,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    assume_a: str | None = None,
    lower: bool = False,
    on_fail: OnFail = "raise",
) -> Array:
    """Compute the inverse of a matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    assume_a : str, optional
        Structure of the matrix, as in `solve`.
    lower : bool, optional
        Whether the lower triangle is read, with the structures that store one triangle.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    inverse : (..., n, n) ndarray
        Inverse of `a`.
    info : ndarray of ints
        Only with ``on_fail="info"``, as for `solve`.

    Raises
    ------
    ValueError
        If `a` is not square, or holds NaN or infinity.
    KeyError
        If the structure is unknown, as in SciPy.
    numpy.linalg.LinAlgError
        If `a` is singular.

    Notes
    -----
    With ``x = a^-1``: ``x' = -x a' x`` and ``a_bar = -x^H g x^H``, on the part of `a` that is read.
    See `scipy.linalg.inv`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.inv(a)))(np.array([[2.0, 1.0], [1.0, 1.0]])))
    [[-2.  3.]
     [ 3. -5.]]
    """
    plain = type(a) is np.ndarray and on_fail == "raise" and assume_a in _INVERTED_BY_SCIPY
    # NumPy's kernel is three times faster for small ones in a batch, but rounds in another way,
    # which single precision shows
    if plain and (a.ndim == 2 or (a.ndim > 2 and (a.shape[-1] > SMALL or a.dtype.char in "fF"))):
        try:
            return host("inv")(
                matrices.native(a),
                may_overwrite(overwrite_a),
                check_finite,
                assume_a=assume_a,
                lower=lower,
            )
        except np.linalg.LinAlgError:
            if overwrite_a:
                raise  # a is overwritten
    if assume_a not in _INVERTED:
        raise KeyError(
            f"inv: {assume_a!r} is not a recognized matrix structure; known are {_INVERTED}."
        )
    a = matrices.check_matrices("inv", "a", a, check_finite, on_fail)
    whole, *kind = assume_structure(a, assume_a, lower)
    factors = factorize("inv", raw(whole), *kind, on_fail)
    inverse = inverse_by(whole, factors)
    info = failure_codes(whole, whole, factors) if on_fail == "info" else None
    return append_info(inverse, info, on_fail)


@differentiable("a", core={"a": 2})
def inverse_by(a, factors):
    """Return the inverse by factors that are there already."""
    fits = fitting_factors(factors, a) or factors
    if isinstance(fits.solver, Inverted):
        inverse = fits.solver.inverse.reshape(a.shape)
        return inverse if fits.info is None else failures.marked_nan(inverse, fits.info, 2)
    if fits.info is None and getattr(fits.solver, "kind", "") == "LU":
        return fits.solver.inverse().reshape(a.shape)
    return apply(fits, a, matrices.identity(a.shape[-1], a))


# a x = 1  =>  a' x + a x' = 0
@inverse_by.jvp
def _(call, t):
    return -(call.out @ t.a @ call.out)


@inverse_by.vjp
def _(call, g):
    x = mH(call.out)
    return {"a": -(x @ g @ x)}


__all__ = ["inv", "solve", "solve_triangular"]
