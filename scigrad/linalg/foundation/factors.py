"""Factorizations of square matrices on concrete arrays: made once, used for values, tangents,
cotangents and their derivatives.

`Factors` travel with the rules of `linear_solve` as a hint: they are never differentiated, and used
only where they fit the matrix. On the host one matrix is factored by LAPACK. A batch of small
matrices is inverted by one call of NumPy's batched kernel, and every solution refined once, which
restores what the inverse loses (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
section 12.1): up to n = 24 that is faster than a Python loop over LAPACK's factors (value, gradient
and Hessian-vector product of 312 systems of order 8: 0.5 against 2.3 ms), and the condition number
follows at no cost. From 256 matrices of order 6 and less on, they are factored together, each step
one operation over the batch. On a GPU matrices are factored as L U and
triangles solved by substitution (device_systems.py); where a failure has to raise, what failed is
read back, once. Larger matrices of a batch are inverted there.
"""

import contextlib
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import Traced, concrete, constant, kernel, raw, warn
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.graph import settle_kept

from . import failures
from .decompositions import device_inverse, nan_if_not_finite
from .device_systems import eliminate, examine_triangles
from .lapack import KINDS, Factored
from .matrices import column_norm, diagonal, hermitian, is_complex, mH, triangle
from .stacked_factors import FEWEST, LARGEST_ORDER, stacked_lu

SMALL = 24  # the order up to which a batch is inverted by one call

# -- assumptions: what is read of a matrix, and how it is factored then

# assume_a, in SciPy's words -> ours
STRUCTURES = {
    None: "detect",
    "general": "general",
    "gen": "general",
    "diagonal": "diagonal",
    "tridiagonal": "tridiagonal",
    "banded": "banded",
    "upper triangular": "upper",
    "lower triangular": "lower",
    "symmetric": "symmetric",
    "sym": "symmetric",
    "hermitian": "hermitian",
    "her": "hermitian",
    "positive definite": "positive definite",
    "pos": "positive definite",
}


def assume_structure(a: Any, assume_a: str | None, lower: bool) -> tuple[Any, str, bool]:
    """Return the whole matrix, from the part of `a` that is read under an assumption, the kind by
    which a concrete one is factored, and whether its lower triangle is read.
    """
    structure, lower, width = (
        STRUCTURES[assume_a],
        bool(lower),
        {"diagonal": 0, "tridiagonal": 1}.get(assume_a or ""),
    )
    if structure == "detect":
        return a, *detected(raw(a))
    if structure in ("lower", "upper"):
        return triangle(a, structure == "lower"), "triangular", structure == "lower"
    if structure in ("symmetric", "hermitian", "positive definite"):
        a = hermitian(a, lower, structure != "symmetric")
    elif width is not None:
        a = np.tril(np.triu(a, -width), width)
    return a, "symmetric" if structure == "hermitian" and not is_complex(a) else structure, lower


def detected(a: Any) -> tuple[str, bool]:
    """Return the structure of one concrete matrix, as a kind and whether the lower triangle holds
    it; "general" where looking for it would cost more than it saves (batches) or wait for a device.
    """
    if isinstance(a, Traced) or library(a) != "numpy" or a.ndim != 2 or a.size == 0:
        return "general", False  # other values of a program that is recorded have another structure
    first, last = a[0, -1], a[-1, 0]
    if first and last and abs(first) != abs(last):
        return "general", False  # seen from two corners
    from scipy.linalg import bandwidth, ishermitian, issymmetric

    below, above = bandwidth(a)
    if below == 0 or above == 0:
        return "diagonal" if below == above else "triangular", above == 0
    if below <= 1 and above <= 1 and a.shape[0] > 3:
        return "tridiagonal", False
    if ishermitian(a):
        return "self-adjoint", True
    return "symmetric" if is_complex(a) and issymmetric(a) else "general", True


# -- the factors


class Factors:
    """Factorization of a batch of matrices: `info` of the batch's shape, None where nothing failed,
    and solver(b, adjoint) -> x with a x = b, or a^H x = b, for b of a's dtype and shape (n, k), of
    a batch (batch size, n, k).
    """

    info: Any
    shape: tuple[int, ...]
    solver: Any

    # No tuple: transforms look into tuples for traced values, at every call.
    __slots__ = ("info", "shape", "solver")

    def __init__(self, shape: tuple[int, ...], solver: Any, info: Any = None) -> None:
        self.shape, self.solver, self.info = shape, solver, info


class Each(NamedTuple):
    """A solver for each matrix of a batch."""

    solvers: Sequence[Any]

    def __call__(self, b: Any, adjoint: bool) -> Any:
        return np.stack([solver(x, adjoint) for solver, x in zip(self.solvers, b, strict=True)])

    @property
    def kind(self) -> str:
        return self.solvers[0].kind

    def logarithm(self) -> Any:
        return np.array([solver.logarithm() for solver in self.solvers])

    def inverse(self) -> Any:
        return np.stack([solver.inverse() for solver in self.solvers])


class Inverted(NamedTuple):
    """Inverses; every solution is refined once."""

    a: Any
    inverse: Any

    # BLAS may flag products of infinities and NaN, depending on the processor
    @np.errstate(invalid="ignore")
    def __call__(self, b: Any, adjoint: bool) -> Any:
        a, inverse = (mH(self.a), mH(self.inverse)) if adjoint else self
        x = inverse @ b
        return x + inverse @ (b - a @ x)


class Substituted(NamedTuple):
    """Triangles on a device, solved by its library."""

    a: Any
    lower: bool

    def __call__(self, b: Any, adjoint: bool) -> Any:
        solve = kernel("linalg.solve_triangular")
        return solve(self.a, b, trans=2 if adjoint else 0, lower=self.lower, check_finite=False)


def of_solvers(shape: tuple[int, ...], solvers: Sequence[Any], info: Any = None) -> Factors:
    return Factors(shape, Each(solvers) if len(shape) > 2 else solvers[0], info)


def _of_inverse(a: Any, inverse: Any, info: Any = None) -> Factors:
    return Factors(a.shape, Inverted(_flat(a), _flat(inverse)), info)


def _flat(a: Any) -> Any:
    """Return matrices with at most one axis of the batch."""
    return a.reshape(math.prod(a.shape[:-2]), *a.shape[-2:]) if a.ndim > 3 else a


@concrete
def factorize(function: str, a: Any, kind: str = "general", lower: bool = False,
    on_fail: str = "raise",
              check_condition: bool = True, name: str = "a") -> Factors:  # fmt: skip
    """Factor concrete square matrices (..., n, n); `kind` is a key of lapack.KINDS, `lower` the
    triangle that is read, `name` that of the argument in errors.

    Raises
    ------
    LinAlgError : a matrix is singular (or not positive definite), and on_fail="raise"
    """
    # factors of triangles, of diagonals and of batches hold the matrix itself
    a = settle_kept(a, 0)[0]
    if library(a) == "cupy" and a.size:
        found = _factor_by_kernels(function, a, kind in _TRIANGULAR, lower, on_fail, name)
        if found is not None:
            return found

    def factored(a: Any) -> Factors:
        factors = None
        if library(a) != "numpy":
            if kind in _TRIANGULAR:
                return _triangular_on_device(function, a, lower, on_fail, name)
            return _factor_on_device(function, a, on_fail)
        if (
            0 < a.shape[-1] <= LARGEST_ORDER
            and a.size >= FEWEST * a.shape[-1] ** 2
            and kind != "positive definite"
        ):
            factors = _factor_stack(function, a, on_fail, check_condition)
        elif a.size == 0 or (a.ndim > 2 and a.shape[-1] <= SMALL):
            factors = _inverted(a, kind)
        # LAPACK's routines say which matrix of a batch failed, and why
        return factors or factor_each(
            function, a, kind, lambda i: KINDS[kind](a[i], lower), on_fail, check_condition, name
        )

    return mark_unusable(a, on_fail, factored)


def mark_unusable(a: Any, on_fail: str, factored: Callable[[Any], Factors]) -> Factors:
    """Return factored(a), where failures are to be marked with the identity in the place of
    matrices that are not finite, and the info -1 of these.
    """
    if on_fail == "raise":
        return factored(a)
    bad, host = failures.not_finite(a), library(a) == "numpy"
    factors = factored(failures.patched(a, bad) if not host or bad.any() else a)
    info = bad * -1 if factors.info is None else np.where(bad, -1, factors.info)
    return Factors(factors.shape, factors.solver, info if not host or info.any() else None)


# -- on the host


def factor_each(
    function: str,
    a: Any,
    kind: str,
    factor: Callable[[tuple[int, ...]], Factored],
    on_fail: str,
    check_condition: bool = True,
    name: str = "a",
) -> Factors:
    """Return the factors of single matrices, factor(index), as those of the batch."""
    solvers, info = [], np.zeros(a.shape[:-2], np.intp)
    for index in np.ndindex(info.shape):
        solver, info[index], condition = factor(index)
        solvers.append(solver)
        if on_fail == "raise":
            known = info[index] or not check_condition
            rcond = 1.0 if known else condition()
            # NaN that was not looked for passes on
            if info[index] or (rcond == 0 and np.isfinite(a[index]).all()):
                raise failures.failure(
                    function, name, a.shape, index, *failures.cause(kind, int(info[index]))
                )
            warn_if_ill_conditioned(function, a, index, rcond)
    return of_solvers(a.shape, solvers, info if info.any() else None)


def warn_if_ill_conditioned(function: str, a: Any, index: tuple[int, ...], rcond: float) -> None:
    if not rcond >= np.finfo(a.dtype).eps:  # NaN warns too
        from scipy.linalg import LinAlgWarning

        warn(
            f"{function}: Ill-conditioned matrix{failures.name_place(index)}: argument 'a' of "
            f"shape {a.shape} has the reciprocal condition number {rcond:.3g}, the result may "
            "have no correct digits. Rescale rows and columns, regularize, or use lstsq.",
            LinAlgWarning,
        )


def _inverted(a: Any, kind: str) -> Factors | None:
    """Return the inverses as factors, or None where one of the matrices has none that is accurate
    enough.
    """
    with contextlib.suppress(failures.LinAlgError):
        if kind == "positive definite" and a.size:
            np.linalg.cholesky(a)  # a regular matrix may still be indefinite
        found = np.linalg.inv(a)
        # elsewhere one refinement is not enough
        if (column_norm(a) * column_norm(found) * np.finfo(a.dtype).eps <= 1).all():
            return _of_inverse(a, found)
    return None


def _factor_stack(function: str, a: Any, on_fail: str, check_condition: bool) -> Factors | None:
    """Factor many small matrices at once; return None where that has to raise."""
    flat = a.reshape(-1, *a.shape[-2:])
    lu, info = stacked_lu(flat)
    if on_fail == "raise" and info.any():
        return None
    if on_fail == "raise" and check_condition:
        # only a matrix that the bound does not clear is inverted
        for number in np.flatnonzero(~(lu.condition_bound() * np.finfo(a.dtype).eps <= 1)):
            index = tuple(map(int, np.unravel_index(number, a.shape[:-2])))
            warn_if_ill_conditioned(
                function,
                a,
                index,
                1 / (lu.norms[number] * column_norm(np.linalg.inv(flat[number]))),
            )
    return Factors(a.shape, lu, info.reshape(a.shape[:-2]) if info.any() else None)


# -- on a device

_TRIANGULAR = ("triangular", "diagonal")


def _factor_by_kernels(
    function: str, a: Any, triangular: bool, lower: bool, on_fail: str, name: str
) -> Factors | None:
    raises = on_fail == "raise"
    if triangular:
        found, kind = examine_triangles(a, lower, 1 if raises else -1), ("triangular",)
    else:
        found = eliminate(a, 0 if raises else -1)
        kind = ("singular", "it has no inverse") if a.ndim > 2 else ("general",)
    if found is None:
        return None
    solver, info = found
    if raises:
        failures.raise_first(function, name if triangular else "a", a.shape, info, *kind)
    return Factors(a.shape, solver, None if raises else info if triangular else info.clip(-1, 1))


def _factor_on_device(function: str, a: Any, on_fail: str) -> Factors:
    found, failed = device_inverse(a)
    if on_fail == "raise":
        failures.raise_first(
            function,
            "a",
            a.shape,
            failed & ~failures.not_finite(a),
            "singular",
            "it has no inverse",
        )
    return _of_inverse(a, found, failed * 1)


def _triangular_on_device(function: str, a: Any, lower: bool, on_fail: str, name: str) -> Factors:
    info = failures.first_zeros(diagonal(a) == 0)
    if on_fail == "raise":
        failures.raise_first(function, name, a.shape, info, "triangular")
        return Factors(a.shape, Substituted(_flat(a + nan_if_not_finite(a)), lower))
    return Factors(a.shape, Substituted(_flat(failures.patched(a, info != 0)), lower), info)


# -- using them


def apply(factors: Factors, a: Any, b: Any, adjoint: bool = False) -> Any:
    """Solve a x = b, or a^H x = b, for b of shape (..., n, k); x is NaN where the factorization
    failed.
    """
    if b.dtype != a.dtype:
        if is_complex(b) and not is_complex(a):  # one real solve for both parts
            x = apply(factors, a, np.concatenate([b.real, b.imag], axis=-1), adjoint)
            k = b.shape[-1]
            return x[..., :k] + 1j * x[..., k:]
        b = b.astype(a.dtype)
    if factors.info is None or hasattr(factors.solver, "marks_failures"):
        return _apply_factors(factors, b, adjoint)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return failures.marked_nan(_apply_factors(factors, b, adjoint), factors.info, 2)


def _apply_factors(factors: Factors, b: Any, adjoint: bool) -> Any:
    batch, own = factors.shape[:-2], b.shape[-2:]
    if b.shape[:-2] == batch and b.size:
        return (
            factors.solver(b, adjoint)
            if b.ndim <= 3
            else factors.solver(b.reshape(-1, *own), adjoint).reshape(b.shape)
        )
    lead = np.broadcast_shapes(batch, b.shape[:-2])
    if 0 in (*lead, *own):
        return np.zeros((*lead, *own), b.dtype, like=b)
    # axes where the matrices do not vary are more right-hand sides
    sizes = (1,) * (len(lead) - len(batch)) + batch
    kept, shared = (
        [axis for axis in range(len(lead)) if (sizes[axis] == lead[axis]) == same]
        for same in (True, False)
    )
    order = (*kept, len(lead), *shared, len(lead) + 1)
    turned = np.transpose(np.broadcast_to(b, (*lead, *own)), order)
    x = factors.solver(turned.reshape(*(math.prod(batch),) * bool(batch), own[0], -1), adjoint)
    return np.transpose(x.reshape(turned.shape), sorted(range(len(order)), key=order.__getitem__))


def fitting_factors(factors: Factors | None, a: Any) -> Factors | None:
    """Return the factors if they can be those of `a`, else None. vmap may have put axes of length 1
    between the batch and the matrix since they were made; they follow.
    """
    if factors is None or factors.shape == a.shape:
        return factors
    batches = ([n for n in shape[:-2] if n != 1] for shape in (factors.shape, a.shape))
    if next(batches) != next(batches) or factors.shape[-2:] != a.shape[-2:] or a.ndim == 2:
        return None
    solver = factors.solver if len(factors.shape) > 2 else Each((factors.solver,))
    return Factors(
        a.shape, solver, None if factors.info is None else factors.info.reshape(a.shape[:-2])
    )


@constant(core={"a": 2, "b": 2})
def failure_codes(a, b, factors):
    """Return LAPACK's info for each system a x = b of a batch."""
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if factors.info is None:
        return np.zeros(lead, np.intp, like=a)[()]
    found = np.broadcast_to(factors.info.reshape(a.shape[:-2]), lead)
    return found.copy()[()]  # the factors keep theirs: a program may fill what it was given
