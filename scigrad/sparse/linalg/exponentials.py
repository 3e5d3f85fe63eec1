"""Functions of a matrix times a vector: expm_multiply and funm_multiply_krylov, composed of
products with the matrix.
"""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel, raw, stop_gradient
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.numpy.devices import on_host
from scigrad.typing import Array, ArrayLike, Number, Operator, SparseLike

from ... import linalg
from ..array.arithmetic import as_matrix_array
from ..array.pattern import is_sparse
from .implicit_rule import as_working_dtype
from .matrix_functions import norm, onenormest
from .operators import apply_operator, call_with_constants

# degree of the Taylor polynomial, and the 1-norm up to which it serves (Al-Mohy and Higham 2011,
# Table 3.1)
_DEGREE, _REACH = 55, 9.9
# the exponential over- or underflows long before, except for a matrix of rotations
_TOO_LARGE = 1e6
_EVERY = 4  # steps of Arnoldi's method between two tests


def _trace_and_norm(A: Any) -> tuple[Any, Any]:
    """Return the trace, 0 for an operator, and the 1-norm, which is estimated for an operator."""
    if hasattr(A, "matvec"):
        return 0.0, onenormest(A)
    if is_sparse(A):
        return as_matrix_array(A).trace(), norm(A, 1)
    return np.trace(A), abs(A).sum(axis=0).max()


def expm_multiply(
    A: SparseLike | ArrayLike | Operator,
    B: ArrayLike,
    start: ArrayLike | None = None,
    stop: ArrayLike | None = None,
    num: int | None = None,
    endpoint: bool | None = None,
    traceA: Number | None = None,
) -> Array:
    """Compute the exponential of A times B, or of t A for a range of t, without forming it.

    As `scipy.sparse.linalg.expm_multiply`.

    Parameters
    ----------
    A : (n, n) sparse array, array_like or LinearOperator
        Matrix.
    B : (n,) or (n, k) array_like
        Vector or matrix.
    start, stop : float, optional
        First and last t.
    num : int, optional
        Number of t, by default 50.
    endpoint : bool, optional
        Whether `stop` is the last t.
    traceA : scalar, optional
        Trace of `A`, which reduces the work; of an array it is computed.

    Returns
    -------
    expm_A_B : (n,) or (n, k) ndarray, with a leading axis for t if `start` is given
        ``expm(t A) B``.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Warns
    -----
    UserWarning
        If `A` is a LinearOperator and `traceA` is not given: more products may be needed.

    Notes
    -----
    Differentiable in `A`, `B`, `start` and `stop`, to any order, and in the parameters of a
    `linear_operator`. Under a transform the Taylor polynomial of Al-Mohy and Higham (SIAM J. Sci.
    Comput. 33, 488-511, 2011) is composed of products, whose number is about 5.6 times the 1-norm
    of t A; reverse mode keeps a vector for each.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0]))
    >>> print(
    ...     grad(lambda A: sparse.linalg.expm_multiply(A, np.ones(2)).sum())(A).toarray().round(6)
    ... )
    [[2.718282 0.      ]
     [0.       7.389056]]
    """
    limits = (start, stop)
    if any(t is None for t in limits) and any(x is not None for x in (*limits, num, endpoint)):
        raise ValueError("expm_multiply: a range of t needs both start and stop")
    if (
        not holds_traced((A, B, *limits))
        and library(A, B) == "numpy"
        and (start is None or _fits_scipy(B, start, stop))
    ):
        return call_with_constants(
            "expm_multiply",
            kernel("sparse.linalg.expm_multiply"),
            A,
            B,
            start,
            stop,
            num,
            endpoint,
            traceA,
        )
    A, B = _check_operands(A, B, (1, 2))
    if traceA is None and hasattr(A, "matvec"):
        warnings.warn(
            "Trace of LinearOperator not available: with `traceA` fewer products may do.",
            stacklevel=2,
        )
    trace, size = _trace_and_norm(A)
    shift = stop_gradient(trace if traceA is None else traceA) / A.shape[0]
    size = stop_gradient(size) + abs(shift)
    if start is None:
        return _taylor(A, B, 1.0, shift, size)
    count = 50 if num is None else num
    steps = count - 1 if endpoint is None or endpoint else count
    width = (stop - start) / max(steps, 1)
    found = [_taylor(A, B, start, shift, size)]
    # digits are lost on the way back to t = 0
    outward = np.all(on_host(raw(start * width >= 0)))
    for k in range(1, count):
        before, t = (found[-1], width) if outward else (B, start + k * width)
        found.append(_taylor(A, before, t, shift, size))
    return np.stack(found)


def _fits_scipy(B: Any, start: Any, stop: Any) -> bool:
    """Return whether SciPy's values for a range of t are right: its Taylor polynomial for the
    first t is that for the length of the range, and single precision becomes double.
    """
    narrow = getattr(B, "dtype", None) in (np.float32, np.complex64)
    return not narrow and 0 <= start <= stop - start and start < stop


def _check_operands(A: Any, B: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    A, B = as_working_dtype(A), as_working_dtype(B)
    if (
        len(A.shape) != 2
        or A.shape[0] != A.shape[1]
        or len(B.shape) not in axes
        or B.shape[0] != A.shape[1]
    ):
        raise ValueError(
            f"expected A to be square and B to fit, not the shapes {tuple(A.shape)} and "
            f"{tuple(B.shape)}"
        )
    return A, B


def _taylor(A: Any, B: Any, t: Any, shift: Any, size: Any) -> Any:
    """Return exp(t A) B in steps of norm below _REACH, each until a term does not count any
    more.
    """
    eps = np.finfo(B.dtype).eps / 2
    sizes = np.asarray(on_host(raw(abs(stop_gradient(t)) * size)))
    # a NaN in one element of a batch does not count: the others need their steps
    largest = float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))
    if largest > _TOO_LARGE:
        raise ValueError(
            f"expm_multiply: the 1-norm of t A is {largest:.1e}, of which the exponential takes "
            "too many steps"
        )
    steps = max(1, math.ceil(largest / _REACH))
    total = B
    for _ in range(steps):
        term, before = total, _size_of_largest(total)
        for j in range(1, _DEGREE + 1):
            term = (apply_operator(A, term) - shift * term) * (t / (steps * j))
            total, now = total + term, _size_of_largest(term)
            counts = before + now > eps * _size_of_largest(total)
            if not np.any(on_host(raw(counts))):  # NaN is not waited for
                break
            before = now
        total = total * np.exp(t * shift / steps)
    return total


def _size_of_largest(x: Any) -> Any:
    """Return the largest modulus, which only steers: no graph keeps how it was found."""
    return abs(stop_gradient(x)).max()


def funm_multiply_krylov(
    f: Callable[..., Any],
    A: SparseLike | ArrayLike | Operator,
    b: ArrayLike,
    *,
    assume_a: str = "general",
    t: float = 1.0,
    atol: float = 0.0,
    rtol: float = 1e-6,
    restart_every_m: int | None = None,
    max_restarts: int = 20,
) -> Array:
    """Compute ``f(t A) b`` in a Krylov subspace.

    As `scipy.sparse.linalg.funm_multiply_krylov`.

    Parameters
    ----------
    f : callable
        Function of a matrix, such as `scigrad.linalg.expm`, that can be differentiated.
    A : (n, n) sparse array, array_like or LinearOperator
        Matrix.
    b : (n,) array_like
        Vector.
    assume_a : {"general", "hermitian"}, optional
        Structure of `A`, for plain values.
    t : float, optional
        Factor.
    atol, rtol : float, optional
        Tolerances of the result.
    restart_every_m : int, optional
        Dimension of a subspace, by default the smaller of 20 and n.
    max_restarts : int, optional
        Number of subspaces. Under a transform there is one instead, of the product of both
        dimensions at most.

    Returns
    -------
    y : (n,) ndarray
        Result.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Notes
    -----
    Differentiable in `A`, `b` and `t`, to any order, and in the parameters of a `linear_operator`:
    Arnoldi's method is composed of products under a transform, with `f` of the projected matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0]))
    >>> print(
    ...     grad(lambda b: sparse.linalg.funm_multiply_krylov(linalg.expm, A, b).sum())(
    ...         np.ones(2)
    ...     ).round(6)
    ... )
    [2.718282 7.389056]
    """
    given = dict(
        f=f,
        A=A,
        b=b,
        assume_a=assume_a,
        t=t,
        atol=atol,
        rtol=rtol,
        restart_every_m=restart_every_m,
        max_restarts=max_restarts,
    )
    if not holds_traced((A, b, t)) and library(A, b) == "numpy":
        return call_with_constants(
            "funm_multiply_krylov", kernel("sparse.linalg.funm_multiply_krylov"), **given
        )
    A, b = _check_operands(A, b, (1,))
    if assume_a not in ("general", "gen", "hermitian", "her"):
        raise ValueError(f"assume_a must be 'general' or 'hermitian', not {assume_a!r}")
    n = A.shape[0]
    return _arnoldi(f, A, b, t, min(n, (restart_every_m or min(20, n)) * max_restarts), atol, rtol)


def _arnoldi(f: Any, A: Any, b: Any, t: Any, dimension: int, atol: float, rtol: float) -> Any:
    """Return |b| V f(t H) e_1 for the first basis V in which it does not change any more."""
    length = linalg.norm(b)
    basis, columns, before = (b / length)[:, None], [], b * 0
    for j in range(1, dimension + 1):
        w = apply_operator(A, basis[:, -1])
        first = basis.conj().T @ w
        second = basis.conj().T @ (w - basis @ first)  # orthogonalized twice
        w = w - basis @ (first + second)
        columns.append(first + second)
        rest = linalg.norm(w)
        ended = np.all(
            on_host(
                raw(
                    stop_gradient(rest)
                    <= 8 * np.finfo(b.dtype).eps * stop_gradient(abs(first).max())
                )
            )
        )
        if ended or j % _EVERY == 0 or j == dimension:
            hessenberg = np.stack(
                [np.pad(c[:j], (0, max(j - len(c), 0))) for c in columns], axis=-1
            )
            found = length * (basis @ f(t * hessenberg)[:, 0])
            change = linalg.norm(stop_gradient(found - before))
            settled = change <= np.maximum(atol, rtol * linalg.norm(stop_gradient(found)))
            if ended or j == dimension or np.all(on_host(raw(settled))):
                return found
            before = found
        columns[-1] = np.concatenate([columns[-1], np.reshape(rest, 1)])
        basis = np.concatenate([basis, (w / rest)[:, None]], axis=1)
    raise ValueError(
        "funm_multiply_krylov: the vector is empty, or restart_every_m or max_restarts is not "
        "positive"
    )


__all__ = ["expm_multiply", "funm_multiply_krylov"]
