"""Sylvester's equation a x + x b = q, and Lyapunov's, in continuous time a x + x a^H = q and in
discrete time x = a x a^H + q.

Inside, the second matrix is c = b^H: a x + x c^H = q. Then Lyapunov's equation has c = a, and one
Schur decomposition serves both sides (Bartels and Stewart, Communications of the ACM 15 (1972)
820-826). The adjoint equation, a^H x + x c = q, is solved with the same forms, so value, gradient
and Hessian-vector product take one decomposition of each matrix.

On a device that has no Schur decomposition the equation is the linear system of order m n that it
is.
"""

from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import constant, differentiable, raw, shape_of, warn
from scigrad.autodiff_rules.backends import library
from scigrad.typing import Array, ArrayLike, OnFail

from ..foundation import failures
from ..foundation.factors import Factors, factorize, failure_codes
from ..foundation.failures import append_info, each
from ..foundation.lapack import routine
from ..foundation.matrices import (
    as_array,
    as_matrix,
    identity,
    is_complex,
    mH,
    refuse_nonfinite,
    same_precision,
)
from ..schur_forms.schur import schur_form
from ..systems.solve import linear_solve

# -- the primitive


@differentiable(
    "a", "c", "q", core={"a": 2, "c": 2, "q": 2, "r": 2, "u": 2, "s": 2, "v": 2, "failed": 0}
)
def sylvester(
    a, c, q, r, u, s, v, failed, adjoint=False, singular="keep", function="solve_sylvester"
):
    """Solve a x + x c^H = q, or a^H x + x c = q, for a = u r u^H and c = v s v^H. Return x and
    info: 1 where the equation is singular. There `singular` selects "raise", "warn", "nan", or
    nothing; without an exception x is the solution of a nearby equation.
    """
    del c
    # BLAS may flag products of infinities and NaN, depending on the processor
    with np.errstate(invalid="ignore"):
        f = mH(u) @ q @ v
    if is_complex(f) and not is_complex(a):
        (x, codes), (y, _) = (_of_triangular(r, s, part, adjoint) for part in (f.real, f.imag))
        x = x + 1j * y
    else:
        x, codes = _of_triangular(r, s, f.astype(a.dtype, copy=False), adjoint)
    x, info = u @ x @ mH(v), np.where(failed != 0, np.where(failed < 0, -1, 2), codes)[()]
    if singular in ("raise", "warn"):
        _tell(function, a.shape, info > 0, singular)
    return failures.marked_nan(x, info, 2) if singular == "nan" else x, info


def _of_triangular(r: Any, s: Any, f: Any, adjoint: bool) -> list[Any]:
    trsyl, sides = routine("trsyl", f.dtype.char), {"trana": "C"} if adjoint else {"tranb": "C"}

    def one(r: Any, s: Any, f: Any) -> tuple[Any, Any]:
        y, scale, code = trsyl(r, s, f, **sides) if f.size else (f, 1, 0)
        # f was multiplied by it, so that nothing overflows on the way
        return y / scale if scale != 1 else y, code

    return each("solve_sylvester", one, r, s, f)[0]


def _tell(function: str, shape: tuple[int, ...], info: Any, singular: str) -> None:
    if singular == "raise":
        failures.raise_first(
            function, "a", shape, info, "common eigenvalue", "an eigenvalue of a is one of -b"
        )
    elif np.any(info):
        where = failures.name_place(failures.first_place(info))
        pair = (
            "product is very close to or exactly 1"
            if "discrete" in function
            else "sum is very close to or exactly zero"
        )
        warn(
            f'{function}: Input "a" has an eigenvalue pair whose {pair}{where}. The solution is '
            "obtained via perturbing the coefficients.",
            RuntimeWarning,
        )


def _again(call: Any, q: Any, adjoint: bool) -> Any:
    """Solve the equation with another right-hand side by the Schur forms of the first one."""
    return sylvester(
        *call[:2],
        q,
        *call[3:8],
        adjoint,
        "nan" if call.singular == "nan" else "keep",
        call.function,
    )[0]


# a x + x c^H = q  =>  a x' + x' c^H = q' - a' x - x c'^H   (a^H, c for a, c^H when adjoint)
@sylvester.jvp
def _(call, t):
    x, info = call.out
    da, dc = (mH(t.a), t.c) if call.adjoint else (t.a, mH(t.c))
    return _again(call, t.q - da @ x - x @ dc, call.adjoint), np.zeros_like(info)


# a^H w + w c = g  =>  q_bar = w,  a_bar = -w x^H,  c_bar = -w^H x
# (the adjoints of both when adjoint)
@sylvester.vjp
def _(call, g):
    x, w = call.out[0], _again(call, g[0], not call.adjoint)
    if call.adjoint:
        return {"q": w, "a": lambda: -(x @ mH(w)), "c": lambda: -(mH(x) @ w)}
    return {"q": w, "a": lambda: -(w @ mH(x)), "c": lambda: -(mH(w) @ x)}


# -- the public function


def solve_sylvester(
    a: ArrayLike, b: ArrayLike, q: ArrayLike, *, on_fail: OnFail = "raise"
) -> Array:
    """Solve Sylvester's equation a x + x b = q.

    Parameters
    ----------
    a : (..., m, m) array_like
        Matrix, or batch of matrices.
    b : (..., n, n) array_like
        Matrix, or batch of matrices.
    q : (..., m, n) array_like
        Right-hand side. Batch axes broadcast.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    x : (..., m, n) ndarray
        Solution.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, 1 where the equation is singular, 2 where there is no Schur
        form, -1 for NaN in `a` or `b`.

    Raises
    ------
    ValueError
        If shapes do not fit, or `a` or `b` holds NaN or infinity.
    numpy.linalg.LinAlgError
        If `a` and `-b` have a common eigenvalue, where SciPy solves a nearby equation.

    Notes
    -----
    With w from ``a^H w + w b^H = g``: ``q_bar = w``, ``a_bar = -w x^H`` and ``b_bar = -x^H w``, in
    the Schur forms that the value was computed with. On a GPU a linear system of order m n is
    solved. See `scipy.linalg.solve_sylvester`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a, b, q = np.diag([1.0, 3.0]), np.eye(1), np.ones((2, 1))
    >>> print(grad(lambda a: np.sum(linalg.solve_sylvester(a, b, q)))(a))
    [[-0.25   -0.125 ]
     [-0.125  -0.0625]]
    """
    failures.check_policy("solve_sylvester", on_fail)
    a, b = as_matrix("solve_sylvester", "a", a), as_matrix("solve_sylvester", "b", b)
    q = as_matrix("solve_sylvester", "q", q, square=False)
    if shape_of(q)[-2:] != (shape_of(a)[-1], shape_of(b)[-1]):
        raise ValueError(
            f"solve_sylvester: incompatible shapes: 'a' is {shape_of(a)} and 'b' {shape_of(b)}, "
            f"so 'q' must be (..., {shape_of(a)[-1]}, {shape_of(b)[-1]}), but has shape "
            f"{shape_of(q)}."
        )
    refuse_nonfinite("solve_sylvester", on_fail == "raise", a=a, b=b)
    x, info = equation("solve_sylvester", a, mH(b), q, on_fail, "raise")
    return append_info(x, info, on_fail)


def equation(function: str, a: Any, c: Any, q: Any, on_fail: str, singular: str) -> tuple[Any, Any]:
    """Solve a x + x c^H = q for checked arguments, and return x and info; c may be a itself. With
    on_fail="raise" `singular` selects what is done with singular equations.
    """
    same = c is a
    a, c, q = same_precision(a, c, q)
    if is_complex(a) != is_complex(c):
        a, c = (x.astype("F" if x.dtype.char in "fF" else "D") for x in (a, c))
    if library(raw(a)) == "numpy":
        r, u, _, failed = schur_form(a, function, "a", on_fail)
        s, v, _, failed_too = (r, u, 0, 0) if same else schur_form(c, function, "b", on_fail)
        singular = singular if on_fail == "raise" else "nan"
        failed = failed | failed_too  # -1 stays -1
        return sylvester(
            a, a if same else c, q, r, u, s, v, failed, singular=singular, function=function
        )
    left, right = (identity(shape_of(x)[-1], raw(x)) for x in (a, c))
    whole = kronecker(a, right) + kronecker(left, c)
    x, info = by_system(whole, q, factorize(function, raw(whole), on_fail="nan"))
    if on_fail == "raise":
        _tell(function, shape_of(a), failures.to_host(raw(info)) > 0, singular)
    return x, info


def kronecker(a: Any, c: Any) -> Any:
    """Return the matrix of x -> a x c^H."""
    product = a[..., :, None, :, None] * np.conjugate(c)[..., None, :, None, :]
    n = shape_of(a)[-1] * shape_of(c)[-1]
    return product.reshape((*shape_of(product)[:-4], n, n))


def by_system(whole: Any, q: Any, factors: Factors) -> tuple[Any, Any]:
    """Return x and info from the system for the elements of x, row by row."""
    *lead, m, n = shape_of(q)
    x = linear_solve(whole, q.reshape((*lead, m * n, 1)), factors=factors)
    return x.reshape((*shape_of(x)[:-2], m, n)), failure_codes(whole, x, factors)


_ORDER = 10  # from here on the bilinear method is the cheaper one; SciPy's choice


def solve_continuous_lyapunov(a: ArrayLike, q: ArrayLike, *, on_fail: OnFail = "raise") -> Array:
    """Solve Lyapunov's equation a x + x a^H = q.

    Parameters
    ----------
    a : (..., n, n) array_like
        Matrix, or batch of matrices.
    q : (..., n, n) array_like
        Right-hand side, not necessarily Hermitian. Batch axes broadcast.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    x : (..., n, n) ndarray
        Solution.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, 1 where the equation is singular, 2 where there is no Schur
        form, -1 for NaN in `a`.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.

    Warns
    -----
    RuntimeWarning
        If the equation is singular and ``on_fail="raise"``: then `x` solves a nearby equation, as
        in SciPy.

    Notes
    -----
    With w from ``a^H w + w a = g``: ``q_bar = w`` and ``a_bar = -w x^H - w^H x``, in the Schur form
    that the value was computed with. On a GPU a linear system of order n^2 is solved. See
    `scipy.linalg.solve_continuous_lyapunov`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.array([[-1.0, 1.0], [0.0, -1.0]])
    >>> print(grad(lambda q: np.trace(linalg.solve_continuous_lyapunov(a, q)))(np.eye(2)))
    [[-0.5  -0.25]
     [-0.25 -0.75]]
    """
    a, q = _check_equation("solve_continuous_lyapunov", a, q, on_fail)
    x, info = equation("solve_continuous_lyapunov", a, a, q, on_fail, "warn")
    return append_info(x, info, on_fail)


solve_lyapunov = solve_continuous_lyapunov


def _check_equation(function: str, a: Any, q: Any, on_fail: str) -> tuple[Any, Any]:
    failures.check_policy(function, on_fail)
    a, q = as_array(function, "a", a), as_array(function, "q", q)
    a, q = (x if x.ndim > 1 else x[(None,) * (2 - x.ndim)] for x in (a, q))
    for name, x in (("a", a), ("q", q)):
        if shape_of(x)[-1] != shape_of(x)[-2]:
            raise ValueError(
                f"{function}: Matrix {name} should be square, (..., n, n), but has shape "
                f"{shape_of(x)}."
            )
    if shape_of(a)[-1] != shape_of(q)[-1]:
        raise ValueError(
            f"{function}: Matrix a and q should have the same shape, up to axes of a batch, not "
            f"{shape_of(a)} and {shape_of(q)}."
        )
    refuse_nonfinite(function, on_fail == "raise", a=a, q=q)
    return same_precision(a, q)


# -- in discrete time


def _factor_equation(what: str, matrix: Any, a: Any, on_fail: str, detail: str) -> Factors:
    """Return the factors of a concrete matrix computed from a, with errors in terms of a."""
    name = "solve_discrete_lyapunov"
    if library(matrix) != "numpy" and on_fail == "raise":
        factors = factorize(name, matrix, on_fail="nan")
        failures.raise_first(name, "a", a.shape, factors.info.clip(0), "product 1", detail)
        return factors
    try:
        return factorize(f"{name}, {what}", matrix, on_fail=on_fail)
    except failures.LinAlgError:
        info = factorize(name, matrix, on_fail="nan").info
    failures.raise_first(name, "a", a.shape, 0 if info is None else info, "product 1", detail)
    # no pivot is 0, but the condition overflows
    raise failures.failure(name, "a", a.shape, (), "product 1", detail)


def solve_discrete_lyapunov(
    a: ArrayLike,
    q: ArrayLike,
    method: Literal["direct", "bilinear"] | None = None,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Solve Lyapunov's equation in discrete time, x = a x a^H + q.

    Parameters
    ----------
    a : (..., n, n) array_like
        Matrix, or batch of matrices.
    q : (..., n, n) array_like
        Constant term, not necessarily Hermitian. Batch axes broadcast.
    method : {"direct", "bilinear"}, optional
        A linear system of order n^2, or an equation in continuous time. By default the direct
        method for n < 10.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    x : (..., n, n) ndarray
        Solution.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If shapes do not fit, an array holds NaN or infinity, or the method is unknown.
    numpy.linalg.LinAlgError
        If the equation is singular.

    Warns
    -----
    scipy.linalg.LinAlgWarning, RuntimeWarning
        If the equation is nearly singular.

    Notes
    -----
    With w from ``w = a^H w a + g``: ``q_bar = w`` and ``a_bar = w a x^H + w^H a x``. See
    `scipy.linalg.solve_discrete_lyapunov`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.diag([0.5, 0.0])
    >>> print(grad(lambda q: np.trace(linalg.solve_discrete_lyapunov(a, q)))(np.eye(2)).round(12))
    [[1.33333333 0.        ]
     [0.         1.        ]]
    """
    a, q = _check_equation("solve_discrete_lyapunov", a, q, on_fail)
    chosen = (
        ("bilinear" if shape_of(a)[-1] >= _ORDER else "direct")
        if method is None
        else method.lower()
    )
    if chosen not in ("direct", "bilinear"):
        raise ValueError(
            f"solve_discrete_lyapunov: Unknown solver {method}; known are 'direct' and 'bilinear'."
        )
    # SciPy computes this in double precision; its digits are kept
    single = chosen == "direct" and a.dtype.char in "fF"
    if single:
        a, q = (x.astype("D" if is_complex(x) else "d") for x in (a, q))
    x, info = (_direct if chosen == "direct" else _bilinear)(a, q, on_fail)
    if single:
        x = x.astype("F" if is_complex(x) else "f")
    return append_info(x, _of_regular(info, a), on_fail)


def _direct(a: Any, q: Any, on_fail: str) -> tuple[Any, Any]:
    """Solve x - a x a^H = q by the system for the elements of x, and return x and info."""
    whole = identity(shape_of(a)[-1] ** 2, raw(a)) - kronecker(a, a)
    detail = "the product of an eigenvalue of a and the conjugate of one is 1"
    factors = _factor_equation(
        "the system for the elements of x", raw(whole), raw(a), on_fail, detail
    )
    return by_system(whole, q, factors)


def _bilinear(a: Any, q: Any, on_fail: str) -> tuple[Any, Any]:
    """Solve x - a x a^H = q as d x + x d^H = -2 p q p^H, with p = (a + 1)^-1 and d = p (a - 1)."""
    one, name = identity(shape_of(a)[-1], raw(a)), "solve_discrete_lyapunov"
    factors = _factor_equation(
        "the inverse of a + 1", raw(a + one), raw(a), on_fail, "an eigenvalue of a is -1"
    )
    p = linear_solve(a + one, one, factors=factors)
    d = p @ (a - one)
    return equation(name, d, d, -2 * (p @ q @ mH(p)), on_fail, "warn")


@constant(core={"info": 0, "a": 2})
def _of_regular(info, a):
    """Return info of the bilinear method, 1 where a is finite but d is not: for an eigenvalue -1 of
    a the equation is singular.
    """
    return np.where((info < 0) & ~failures.not_finite(a), 1, info)[()]


__all__ = [
    "solve_continuous_lyapunov",
    "solve_discrete_lyapunov",
    "solve_lyapunov",
    "solve_sylvester",
]
