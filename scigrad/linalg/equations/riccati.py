"""Algebraic Riccati equations, in continuous and in discrete time, by the implicit function
theorem.

With the closed loop f = a - b k at the stabilizing solution x = x^H, dx solves a linear equation,
    continuous   f^H dx e + e^H dx f = -m,   p = e^H x,  u = f^H x,   k = r^-1 (b^H x e + s^H)
    discrete     e^H dx e - f^H dx f = m,    p = f^H x,  u = -e^H x,
                 k = (r + b^H x b)^-1 (b^H x a + s^H)
    m = dq + k^H dr k + n + n^H,   n = p (da - db k) + u de - ds k
because the terms with dk cancel (Kalman 1960; for e = 1, s = 0: Kao and Hennequin 2020,
arXiv:2011.11430, appendix). Multiplied by e^-H and e^-1 it is Lyapunov's equation of f e^-1, whose
solution exists because the closed loop is stable.

q and r are Hermitian; under a transform their Hermitian parts are meant, so that their cotangents
are Hermitian too.
"""

import functools
from typing import Any

import numpy as np

from scigrad.autodiff_rules import differentiable, raw, shape_of, warn
from scigrad.autodiff_rules.backends import library
from scigrad.typing import Array, ArrayLike, OnFail

from ..foundation import failures
from ..foundation.decompositions import device_inverse
from ..foundation.failures import append_info, each
from ..foundation.lapack import host
from ..foundation.matrices import (
    as_array,
    column_norm,
    identity,
    is_host,
    largest,
    mH,
    refuse_nonfinite,
    same_precision,
)
from ..functions.sign import sign_by_newton
from ..systems.solve import solve
from .linear_equations import solve_continuous_lyapunov, solve_discrete_lyapunov

_DISCRETE = "solve_discrete_are"
_HALF_OF_DIGITS = float(np.sqrt(np.finfo(float).eps))  # SciPy computes in double precision
_NO_SOLUTION = 1e-3  # the residual, over the sum of the terms, from which on there is no digit
_MODERATE = 20  # powers of 2 between the sizes of cost and system, up to which SciPy loses nothing


@differentiable("a", "b", "q", "r", "e", "s", core={"a": 2, "b": 2, "q": 2, "r": 2, "e": 2, "s": 2})
def riccati(a, b, q, r, e, s, *, function, given, balanced=True, on_fail="raise"):
    """Return the stabilizing solution, and info: 1 where there is none, -1 where something is not
    finite. `given` names the arguments that were passed; e and s may stand for the identity and
    zeros.
    """

    def passed(e: Any, s: Any) -> tuple[Any, Any]:
        return e if "e" in given else None, s if "s" in given else None

    lead = np.broadcast_shapes(*(x.shape[:-2] for x in (a, b, q, r, e, s)))
    if library(a) != "numpy":
        return _on_device(function, (a, b, q, r, e, s), passed(e, s), lead, on_fail)
    dtype = np.result_type(a, b, q, r, e, s)
    if 0 in lead or 0 in a.shape:
        return np.zeros((*lead, *a.shape[-2:]), dtype), np.zeros(lead, np.intp)[()]

    def one(a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> tuple[Any, int]:
        try:
            arrays = a, b, q, r, *passed(e, s)
            x = _call_scipy(function, *arrays, balanced)
            residual = _refuse_no_solution(function, *arrays, x)
            if on_fail == "raise":
                _warn_of_residual(function, residual)
            return x, 0
        except ValueError:  # LinAlgError is one; r or e may be singular
            if on_fail == "raise":
                raise
            return np.full(a.shape, np.nan, dtype), 1  # no stand-in is solvable for sure

    (x, failed), info = each(
        function, one, a, b, q, r, e, s, on_fail=on_fail, kind="no stable solution"
    )
    return x.astype(dtype, copy=False), info + failed


def _on_device(
    function: str, arrays: tuple[Any, ...], given: tuple[Any, Any], lead: Any, on_fail: str
) -> tuple[Any, Any]:
    x, failed = (discrete_solution if function == _DISCRETE else continuous_solution)(
        *arrays[:4], *given
    )
    info = np.where(
        functools.reduce(np.logical_or, map(failures.not_finite, arrays)),
        -1,
        failed,
    )
    # what is not finite is not refused on a device, and no sign that there is no solution
    if on_fail == "raise":
        failures.raise_first(
            function,
            "a",
            arrays[0].shape,
            info > 0,
            "no stable solution",
            "the iteration did not converge",
        )
    return failures.marked_nan(
        np.broadcast_to(x, (*lead, *x.shape[-2:])), info, 2
    ), np.broadcast_to(info, lead)


def _call_scipy(
    function: str, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any, balanced: bool
) -> Any:
    """Return SciPy's solution of one equation (1.17). It is proportional to the cost, but SciPy's
    pencil combines the cost with a and b and loses digits from a factor of 2^20 on, all of them at
    2^-100: there the cost is brought to their size. Balancing ignores e, and may find no or another
    solution then.
    """
    size, other = (
        max(float(np.abs(x).max()) for x in part if x is not None) for part in ((q, r, s), (a, b))
    )
    power = int(np.frexp(other)[1] - np.frexp(size)[1])
    if abs(power) <= _MODERATE or not 0 < size < np.inf or not 0 < other < np.inf:
        return host(function)(a, b, q, r, e, s, balanced and e is None)
    q, r, s = (x if x is None else np.ldexp(1.0, power) * x for x in (q, r, s))
    return np.ldexp(1.0, -power) * host(function)(a, b, q, r, e, s, balanced and e is None)


def _feedback(
    discrete: bool, a: Any, b: Any, r: Any, e: Any, s: Any, x: Any, divide: Any
) -> tuple[Any, Any]:
    """Return k of the closed loop a - b k, and w of the quadratic term w^H k of the equation.
    divide(m, y) is m^-1 y, and None stands for e = 1 or s = 0.
    """
    bx = mH(b) @ x
    weight, w = (r + bx @ b, bx @ a) if discrete else (r, bx if e is None else bx @ e)
    w = w if s is None else w + mH(s)
    return divide(weight, w), w


@np.errstate(all="ignore")
def _refuse_no_solution(
    function: str, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any, x: Any
) -> float:
    """Raise LinAlgError unless x solves the equation and stabilizes the closed loop, and return the
    residual over the sum of the terms. Where the input does not reach an unstable mode, SciPy's
    solution has elements of about 1 / eps and a residual of 1e-2 to 2, or it raises.
    """
    discrete = function == _DISCRETE
    k, w = _feedback(discrete, a, b, r, e, s, x, np.linalg.solve)
    xe = x if e is None else x @ e
    first = mH(a) @ (x @ a if discrete else xe)
    second = mH(first) if not discrete else -xe if e is None else -(mH(e) @ xe)
    quadratic, loop = mH(w) @ k, a - b @ k
    scale = sum(float(largest(part, (-2, -1))) for part in (first, second, quadratic, q))
    residual = float(largest(first + second - quadratic + q, (-2, -1))) / (scale or 1.0)
    if not residual <= _NO_SOLUTION:
        raise failures.LinAlgError(f"what is found has the relative residual {residual:.1g}")
    loop = loop if e is None else np.linalg.solve(e, loop)
    values = np.linalg.eigvals(loop)
    worst = values[np.argmax(np.abs(values) if discrete else values.real)]
    excess = abs(worst) - 1 if discrete else worst.real
    if excess > _HALF_OF_DIGITS * column_norm(loop):
        raise failures.LinAlgError(f"the closed loop that is found has the eigenvalue {worst:.3g}")
    return residual


def _warn_of_residual(function: str, residual: float) -> None:
    if residual > _HALF_OF_DIGITS:
        from scipy.linalg import LinAlgWarning

        warn(
            f"{function}: Ill-conditioned equation: the solution that is found has the relative "
            f"residual {residual:.1g}. Rescale the states, or remove modes that the input hardly "
            "reaches.",
            LinAlgWarning,
        )


# -- derivatives


@riccati.jvp
def _(call, t):
    a, b, e, x = call.a, call.b, call.e, call.out[0]
    discrete, policy = call.function == _DISCRETE, "raise" if call.on_fail == "raise" else "nan"

    def divide(m: Any, y: Any) -> Any:
        return solve(m, y, on_fail=policy, check_finite=False)

    def divided(m: Any) -> Any:
        """Return m e^-1, or m itself if e was not passed."""
        return mH(divide(mH(e), mH(m))) if "e" in call.given else m

    e_or_none, s_or_none = (
        given if name in call.given else None for name, given in (("e", e), ("s", call.s))
    )
    k = _feedback(discrete, a, b, call.r, e_or_none, s_or_none, x, divide)[0]
    f, xe = a - b @ k, x if e_or_none is None else x @ e
    p, u = (mH(f) @ x, -mH(xe)) if discrete else (mH(xe), mH(f) @ x)
    n = p @ (t.a - t.b @ k) + u @ t.e - t.s @ k
    m = mH(divided(mH(divided(t.q + mH(k) @ t.r @ k + n + mH(n)))))
    lyapunov, sign = (solve_discrete_lyapunov, 1) if discrete else (solve_continuous_lyapunov, -1)
    return lyapunov(mH(divided(f)), sign * m, on_fail=policy), np.zeros_like(call.out[1])


# -- the public functions


def solve_continuous_are(
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    r: ArrayLike,
    e: ArrayLike | None = None,
    s: ArrayLike | None = None,
    balanced: bool = True,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Solve the algebraic Riccati equation in continuous time.

    ``a^H x e + e^H x a - (e^H x b + s) r^-1 (b^H x e + s^H) + q = 0``

    Parameters
    ----------
    a : (..., m, m) array_like
        State matrix, or batch of matrices.
    b : (..., m, n) array_like
        Input matrix.
    q : (..., m, m) array_like
        Hermitian weight of the state.
    r : (..., n, n) array_like
        Hermitian nonsingular weight of the input.
    e : (..., m, m) array_like, optional
        Nonsingular matrix. By default the identity.
    s : (..., m, n) array_like, optional
        Mixed weight, zero by default. Batch axes of all arrays broadcast.
    balanced : bool, optional
        Whether the pencil is balanced first. Not on a GPU, and not with `e`, which SciPy's
        balancing does not respect.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    x : (..., m, m) ndarray
        Hermitian stabilizing solution, in the precision of the arguments (SciPy returns double
        precision).
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, 1 where there is no solution or `r` or `e` is singular, -1
        for NaN.

    Raises
    ------
    ValueError
        If shapes do not fit, `q` or `r` is not Hermitian, `r` or `e` is singular, or an array holds
        NaN or infinity.
    numpy.linalg.LinAlgError
        If the Hamiltonian pencil has eigenvalues on the imaginary axis, or what is found does not
        solve the equation or stabilize the closed loop, as where the input does not reach an
        unstable mode; SciPy returns it.

    Warns
    -----
    scipy.linalg.LinAlgWarning
        If the solution has a residual of more than 1.5e-8 of the terms of the equation. Not on a
        GPU, where it has failed then.

    Notes
    -----
    The derivative solves Lyapunov's equation of the closed loop. Cotangents of `q` and `r` are
    Hermitian. On a GPU the equation is solved by Newton's iteration for the matrix sign function.
    See `scipy.linalg.solve_continuous_are`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> one, three = np.eye(1), 3 * np.eye(1)
    >>> print(
    ...     grad(lambda q: np.sum(linalg.solve_continuous_are(one, one, q, one)))(three).round(12)
    ... )
    [[0.25]]
    """
    return _riccati_solution("solve_continuous_are", a, b, q, r, e, s, balanced, on_fail)


def solve_discrete_are(
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    r: ArrayLike,
    e: ArrayLike | None = None,
    s: ArrayLike | None = None,
    balanced: bool = True,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Solve the algebraic Riccati equation in discrete time.

    ``a^H x a - e^H x e - (a^H x b + s) (r + b^H x b)^-1 (b^H x a + s^H) + q = 0``

    Parameters
    ----------
    a : (..., m, m) array_like
        State matrix, or batch of matrices.
    b : (..., m, n) array_like
        Input matrix.
    q : (..., m, m) array_like
        Hermitian weight of the state.
    r : (..., n, n) array_like
        Hermitian weight of the input. It may be singular, except on a GPU.
    e : (..., m, m) array_like, optional
        Nonsingular matrix. By default the identity.
    s : (..., m, n) array_like, optional
        Mixed weight, zero by default. Batch axes of all arrays broadcast.
    balanced : bool, optional
        Whether the pencil is balanced first. Not on a GPU, and not with `e`, which SciPy's
        balancing does not respect.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    x : (..., m, m) ndarray
        Hermitian stabilizing solution, in the precision of the arguments (SciPy returns double
        precision).
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, 1 where there is no solution or `e` is singular, -1 for
        NaN.

    Raises
    ------
    ValueError
        If shapes do not fit, `q` or `r` is not Hermitian, `e` is singular, or an array holds NaN or
        infinity.
    numpy.linalg.LinAlgError
        If the symplectic pencil has eigenvalues on the unit circle, or what is found does not
        solve the equation or stabilize the closed loop, as where the input does not reach an
        unstable mode; SciPy returns it.

    Warns
    -----
    scipy.linalg.LinAlgWarning
        If the solution has a residual of more than 1.5e-8 of the terms of the equation. Not on a
        GPU, where it has failed then.

    Notes
    -----
    The derivative solves the discrete Lyapunov equation of the closed loop. Cotangents of `q` and
    `r` are Hermitian. On a GPU the equation is solved by doubling. See
    `scipy.linalg.solve_discrete_are`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> one = np.eye(1)
    >>> print(
    ...     grad(lambda q: np.sum(linalg.solve_discrete_are(one, one, q, one)))(1.5 * one).round(12)
    ... )
    [[1.1092718]]
    """
    return _riccati_solution(_DISCRETE, a, b, q, r, e, s, balanced, on_fail)


def _riccati_solution(
    function: str, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any, balanced: bool, on_fail: str
) -> Any:
    failures.check_policy(function, on_fail)
    named = {
        name: as_array(function, name, x)
        for name, x in zip("abqres", (a, b, q, r, e, s), strict=True)
        if x is not None
    }
    _check_shapes(function, named)
    values = same_precision(
        *(x if x.ndim > 1 else x[(None,) * (2 - x.ndim)] for x in named.values())
    )
    named = dict(zip(named, values, strict=True))
    _check_values(function, {name: raw(x) for name, x in named.items()}, on_fail)
    a, b = named["a"], named["b"]
    e = named.get("e", identity(shape_of(a)[-1], np.real(raw(a))))
    s = named.get("s", np.zeros(shape_of(b)[-2:], np.real(raw(b)).dtype, like=raw(b)))
    q, r = (0.5 * (m + mH(m)) for m in (named["q"], named["r"]))
    x, info = riccati(
        a,
        b,
        q,
        r,
        e,
        s,
        function=function,
        given="".join(named),
        balanced=balanced,
        on_fail=on_fail,
    )
    return append_info(x, info, on_fail)


def _check_shapes(function: str, named: dict[str, Any]) -> None:
    shapes = {name: (1, 1, *shape_of(x))[-2:] for name, x in named.items()}
    (m, n), found = shapes["b"], {name: shape_of(x) for name, x in named.items()}
    expected = {"a": (m, m), "q": (m, m), "r": (n, n), "e": (m, m), "s": (m, n)}
    for name, shape in expected.items():
        rows, columns = shapes.get(name, shape)
        if rows != columns and name != "s":
            raise ValueError(
                f"{function}: Matrix {name} should be square, (..., m, m), but has shape "
                f"{found[name]}."
            )
        if (rows, columns) != shape:
            wanted = f"'{name}' should be (..., {shape[0]}, {shape[1]}), not {found[name]}"
            raise ValueError(f"{function}: 'b' is {found['b']}, so {wanted}.")


def _check_values(function: str, named: dict[str, Any], on_fail: str) -> None:
    """Refuse what SciPy refuses of host data: elements that are not finite, and q or r that are not
    Hermitian.
    """
    if not is_host(*named.values()):
        return
    refuse_nonfinite(function, on_fail == "raise", **named)
    for name in "qr":
        x = named[name]
        difference, size = (np.abs(y).sum(axis=-2).max(axis=-1, initial=0) for y in (x - mH(x), x))
        if (difference > 100 * np.spacing(size)).any():
            raise ValueError(
                f"{function}: Matrix {name} should be symmetric/hermitian; pass ({name} + "
                f"{name}^H) / 2."
            )


# -- on a device, for batches: iterations of products and inverses alone, which converge
# quadratically. A fixed number of steps serves all equations whose closed loop is stable beyond
# rounding, and does not wait for the device.


_STEPS = 40


def _standard(a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> tuple[Any, Any, Any]:
    """Return a, g = b r^-1 b^H and q of the same equation without e and s."""
    if e is not None:
        inverse = device_inverse(e)[0]
        a, q = a @ inverse, mH(inverse) @ q @ inverse
        s = None if s is None else mH(inverse) @ s
    weight = device_inverse(r)[0]
    if s is not None:
        a, q = a - b @ weight @ mH(s), q - s @ weight @ mH(s)
    return a, b @ weight @ mH(b), q


def _failed(residual: Any, parts: list[Any]) -> Any:
    scale = sum(largest(x, (-2, -1)) for x in parts)
    return 1 * ~(largest(residual, (-2, -1)) <= np.sqrt(np.finfo(residual.dtype).eps) * scale)


def continuous_solution(a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> tuple[Any, Any]:
    """Return x, and a mask of where there is none, by the sign of the Hamiltonian matrix (Roberts
    1980, Int. J. Control 32, 677-687): (sign + 1) [1; x] = 0.
    """
    a, g, q = _standard(a, b, q, r, e, s)
    a, g, q = np.broadcast_arrays(a, g, q)
    n, whole = (
        a.shape[-1],
        np.concatenate([np.concatenate([a, -g], -1), np.concatenate([-q, -mH(a)], -1)], -2),
    )
    with np.errstate(all="ignore"):
        z = sign_by_newton(whole, "", "nan", "") + identity(2 * n, whole)
        orthonormal, triangular = np.linalg.qr(z[..., n:])
        x = -(device_inverse(triangular)[0] @ (mH(orthonormal) @ z[..., :n]))
        x = (x + mH(x)) / 2
        parts = [mH(a) @ x, x @ g @ x, q]
        failed = _failed(parts[0] + mH(parts[0]) - parts[1] + q, parts)
    return x, failed


def discrete_solution(a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> tuple[Any, Any]:
    """Return x, and a mask of where there is none, by structure-preserving doubling (Chu, Fan, Lin
    and Wang 2004, Int. J. Control 77, 767-788).
    """
    a, g, q = _standard(a, b, q, r, e, s)
    step, reach, x = a, g, q
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            inverse = device_inverse(identity(a.shape[-1], a) + reach @ x)[0]
            x_next = x + mH(step) @ x @ inverse @ step
            reach = reach + step @ inverse @ reach @ mH(step)
            step, x = step @ inverse @ step, x_next
        x = (x + mH(x)) / 2
        closed = device_inverse(identity(a.shape[-1], a) + g @ x)[0] @ a
        parts = [mH(a) @ x @ closed, x, q]
        failed = _failed(parts[0] - x + q, parts)
    return x, failed


__all__ = ["solve_continuous_are", "solve_discrete_are"]
