"""Factorisations of square matrices on concrete arrays: made once, used for values, tangents, cotangents and their derivatives.

`Factors` travel with the rules of `linear_solve` as a hint: they are never differentiated, and used only where they fit the
matrix. On the host one matrix is factored by LAPACK. A batch of small matrices is inverted by one call of NumPy's batched kernel,
and every solution refined once, which restores what the inverse loses (Higham, Accuracy and Stability of Numerical Algorithms,
2nd ed., section 12.1): up to n = 24 that is faster than a Python loop over LAPACK's factors (value, gradient and Hessian-vector
product of 312 systems of order 8: 0.5 against 2.3 ms), and the condition number follows at no cost. From 64 matrices of order 6
and less on, they are factored together, each step one operation over the batch (stacked.py). On a GPU one matrix is factored as L
U where a failure has to raise, which synchronizes the device; in all other cases the inverse is computed, without
synchronization.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, kernel
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.call_stack import warn

from . import failures
from .lapack import KINDS, Solver, routine
from .matrices import is_complex, largest, mH
from .stacked import FEWEST, LARGEST_ORDER, StackedLU, stacked_lu

SMALL = 24


class Factors:
    """Factorisation of a batch of matrices: a solver for each matrix, in order, or their inverses.
    `info`, of the batch's shape, is None where nothing failed."""

    # No tuple: transforms look into tuples for traced values, at every call.
    __slots__ = ("info", "inverse", "shape", "solvers", "stacked")

    def __init__(self, shape: tuple[int, ...], solvers: tuple[Solver, ...] = (), inverse: Any = None, info: Any = None,
                 stacked: StackedLU | None = None) -> None:  # fmt: skip
        self.shape = shape
        self.solvers = solvers
        self.inverse = inverse
        self.info = info
        self.stacked = stacked  # instead of either, for many small matrices

    def replace(self, **changes: Any) -> Factors:
        return Factors(**{name: getattr(self, name) for name in self.__slots__} | changes)


def factorize(function: str, a: Any, kind: str = "general", lower: bool = False, on_fail: str = "raise",
              check_condition: bool = True) -> Factors:  # fmt: skip
    """Factor concrete square matrices (..., n, n); `kind` is a key of lapack.KINDS, `lower` the triangle that is read.

    Raises
    ------
    LinAlgError : a matrix is singular (or not positive definite), and on_fail="raise"
    """
    host = library(a) == "numpy"
    bad = failures.not_finite(a) if on_fail != "raise" else None
    if bad is not None and (not host or bad.any()):
        a = failures.patched(a, bad)
    if not host:
        factors = _on_device(function, a, on_fail)
    elif 0 < a.shape[-1] <= LARGEST_ORDER and a.size >= FEWEST * a.shape[-1] ** 2 and kind != "positive definite":
        factors = _stacked(function, a, on_fail, check_condition)
    elif a.size == 0 or (a.ndim > 2 and a.shape[-1] <= SMALL):
        factors = _inverted(function, a, kind, lower, on_fail, check_condition)
    else:
        factors = _by_lapack(function, a, kind, lower, on_fail, check_condition)
    if bad is None:
        return factors
    info = bad * -1 if factors.info is None else np.where(bad, -1, factors.info)
    return factors.replace(info=info if not host or info.any() else None)


# -- on the host


def _by_lapack(function: str, a: Any, kind: str, lower: bool, on_fail: str, check_condition: bool) -> Factors:
    solvers, info = [], np.zeros(a.shape[:-2], np.intp)
    for index in np.ndindex(info.shape):
        solver, info[index], condition = KINDS[kind](a[index], lower)
        solvers.append(solver)
        if on_fail == "raise":
            known = info[index] or not check_condition
            rcond = 1.0 if known else condition()
            if info[index] or (rcond == 0 and np.isfinite(a[index]).all()):  # NaN that was not looked for passes on
                raise _failure(function, a, kind, index, int(info[index]))
            warn_if_ill_conditioned(function, a, index, rcond)
    return Factors(a.shape, tuple(solvers), info=info if info.any() else None)


def _failure(function: str, a: Any, kind: str, index: tuple[int, ...], info: int) -> np.linalg.LinAlgError:
    if kind == "positive definite":
        detail = f"its leading minor of order {info} is not positive" if info else "its condition number overflows"
        return failures.failure(function, "a", a.shape, "not positive definite", index, detail)
    what = "diagonal element" if kind in ("triangular", "diagonal") else "pivot"
    detail = f"{what} {info} is exactly 0" if info else "its reciprocal condition number is 0"
    return failures.failure(function, "a", a.shape, "singular", index, detail)


def warn_if_ill_conditioned(function: str, a: Any, index: tuple[int, ...], rcond: float) -> None:
    if not rcond >= np.finfo(a.dtype).eps:  # NaN warns too
        from scipy.linalg import LinAlgWarning

        where = f" at batch index {index}" if index else ""
        warn(
            f"{function}: Ill-conditioned matrix{where}: argument 'a' of shape {a.shape} has the reciprocal condition number "
            f"{rcond:.3g}, the result may have no correct digits. Rescale rows and columns, regularise, or use lstsq.",
            LinAlgWarning,
        )


def _inverted(function: str, a: Any, kind: str, lower: bool, on_fail: str, check_condition: bool) -> Factors:
    info = None
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        if kind == "triangular":  # elimination with interchanges may end in another zero than that of the diagonal
            return _by_lapack(function, a, kind, lower, on_fail, check_condition)
        info = _codes(a, "getrf")
        _raise_first(function, a, "general", on_fail, info)
        inverse = np.linalg.inv(failures.patched(a, info != 0))
    if kind == "positive definite" and a.size:
        try:  # a regular matrix may still lack the structure that `kind` assumes
            np.linalg.cholesky(a)
        except np.linalg.LinAlgError:
            info = _codes(a, "potrf")
            _raise_first(function, a, kind, on_fail, info)
    if a.size and info is None and not (_norm(a) * _norm(inverse) * np.finfo(a.dtype).eps <= 1).all():
        return _by_lapack(function, a, kind, lower, on_fail, check_condition)  # one refinement is not enough
    return Factors(a.shape, inverse=inverse, info=info)


def _stacked(function: str, a: Any, on_fail: str, check_condition: bool) -> Factors:
    flat = a.reshape(-1, *a.shape[-2:])
    lu, info = stacked_lu(flat)
    info = info.reshape(a.shape[:-2])
    if info.any():
        _raise_first(function, a, "general", on_fail, info)
    elif on_fail == "raise" and check_condition:
        eps = np.finfo(a.dtype).eps
        for number in np.flatnonzero(~(eps * lu.condition_bound() <= 1)):  # only where the bound does not suffice
            rcond = 1 / (lu.norms[number] * _norm(np.linalg.inv(flat[number])))
            if not rcond >= eps:
                warn_if_ill_conditioned(function, a, tuple(map(int, np.unravel_index(number, a.shape[:-2]))), rcond)
    return Factors(a.shape, stacked=lu, info=info if info.any() else None)


def _codes(a: Any, name: str) -> Any:
    """Return LAPACK's info for each matrix of a batch, after NumPy's kernel has failed for one of them."""
    info = np.zeros(a.shape[:-2], np.intp)
    for index in np.ndindex(info.shape):
        info[index] = routine(name, a.dtype.char)(a[index])[-1]
    return info


def _raise_first(function: str, a: Any, kind: str, on_fail: str, info: Any) -> None:
    if on_fail == "raise":
        index = tuple(int(i) for i in np.argwhere(info)[0])
        raise _failure(function, a, kind, index, int(info[index])) from None


def _norm(a: Any) -> Any:
    return largest(np.abs(a).sum(axis=-2), -1)


# -- on a device


def _on_device(function: str, a: Any, on_fail: str) -> Factors:
    if on_fail == "raise" and a.ndim == 2 and a.size:
        factored = kernel("linalg.lu_factor")(a, check_finite=False)
        zero = failures.to_host(np.diagonal(factored[0]) == 0)
        if zero.any():
            raise _failure(function, a, "general", (), int(zero.argmax()) + 1)
        solve = kernel("linalg.lu_solve")
        return Factors(a.shape, (lambda b, adjoint: solve(factored, b, trans=2 if adjoint else 0, check_finite=False),))
    inverse, failed = device_inverse(a)
    if on_fail == "raise":
        codes = failures.to_host(failed & ~failures.not_finite(a))
        if codes.any():
            raise _failure(function, a, "general", tuple(int(i) for i in np.argwhere(codes)[0]), 0)
    return Factors(a.shape, inverse=inverse, info=failed * 1)


def device_inverse(a: Any) -> tuple[Any, Any]:
    """Return inverses on a device, and a mask of the matrices without one, where CuPy's kernel leaves infinities or NaN."""
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:  # a library that raises for the whole batch: the stand-in for a device
        inverse = a * np.nan
        for index in np.ndindex(a.shape[:-2]):
            try:
                inverse[index] = np.linalg.inv(a[index])
            except np.linalg.LinAlgError:
                continue
    return inverse, failures.not_finite(inverse)


# -- using them


def apply(factors: Factors, a: Any, b: Any, adjoint: bool = False) -> Any:
    """x with a x = b, or a^H x = b, for b of shape (..., n, k); NaN where the factorisation failed."""
    if b.dtype != a.dtype:
        if is_complex(b) and not is_complex(a):  # one real solve for both parts
            x = apply(factors, a, np.concatenate([b.real, b.imag], axis=-1), adjoint)
            k = b.shape[-1]
            return x[..., :k] + 1j * x[..., k:]
        b = b.astype(a.dtype)
    if factors.info is None:
        return _applied(factors, a, b, adjoint)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return failures.marked_nan(_applied(factors, a, b, adjoint), factors.info, 2)


def _applied(factors: Factors, a: Any, b: Any, adjoint: bool) -> Any:
    if factors.stacked is not None:
        return _applied_to_stack(factors, factors.stacked, a, b, adjoint)
    if factors.inverse is not None:
        inverse, a = (mH(factors.inverse), mH(a)) if adjoint else (factors.inverse, a)
        x = inverse @ b
        return x + inverse @ (b - a @ x)
    if a.ndim > 2:
        return _solve_each(factors, a, b, adjoint)
    if b.ndim == 2:
        return _solve_one(factors.solvers[0], b, adjoint)
    flat = np.moveaxis(b, -2, 0)  # all right-hand sides of one matrix together
    return np.moveaxis(_solve_one(factors.solvers[0], flat.reshape(a.shape[0], -1), adjoint).reshape(flat.shape), 0, -2)


def _applied_to_stack(factors: Factors, lu: StackedLU, a: Any, b: Any, adjoint: bool) -> Any:
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if lead != a.shape[:-2]:  # several right-hand sides for one matrix stand on axes before its own
        every = np.linalg.inv(failures.patched(a, factors.info != 0) if factors.info is not None else a)
        return (mH(every) if adjoint else every) @ b
    x = lu.solve(np.broadcast_to(b, (*lead, *b.shape[-2:])).reshape(-1, *b.shape[-2:]), adjoint)
    return x.reshape(*lead, *b.shape[-2:])


def _solve_one(solver: Solver, b: Any, adjoint: bool) -> Any:
    return solver(b, adjoint) if b.size else np.zeros_like(b)


def _solve_each(factors: Factors, a: Any, b: Any, adjoint: bool) -> Any:
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    b = np.broadcast_to(b, (*lead, *b.shape[-2:]))
    numbers = np.broadcast_to(np.arange(len(factors.solvers)).reshape(a.shape[:-2]), lead)
    x = np.empty_like(b)
    for index in np.ndindex(lead):
        x[index] = _solve_one(factors.solvers[numbers[index]], b[index], adjoint)
    return x


def fitting(factors: Factors | None, a: Any) -> Factors | None:
    """The factors if they can be those of `a`, else None. vmap may have put axes of length 1 between the batch and the
    matrix since they were made; they follow."""
    if factors is None or factors.shape == a.shape:
        return factors
    if [n for n in factors.shape if n != 1] != [n for n in a.shape if n != 1] or factors.shape[-1] != a.shape[-1]:
        return None
    inverse = None if factors.inverse is None else factors.inverse.reshape(a.shape)
    info = None if factors.info is None else factors.info.reshape(a.shape[:-2])
    return factors.replace(shape=a.shape, inverse=inverse, info=info)


@constant
def failure_codes(a, b, factors):
    """LAPACK's info for each system a x = b of a batch."""
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    info = (fitting(factors, a) or factors).info
    return np.zeros(lead, np.intp, like=a)[()] if info is None else np.broadcast_to(info, lead)[()]


failure_codes.batch_leading(a=2, b=2)
