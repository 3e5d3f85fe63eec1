"""One matrix on the host, factored by LAPACK as its structure allows.

Each function here takes a matrix and which triangle of it to read, and returns
    solver     solver(b, adjoint) -> x with a x = b, or a^H x = b, for b of a's dtype and of
               shape (n, k)
    info       0, or the order of the pivot or minor that failed
    condition  condition() -> the reciprocal condition number in the 1-norm; undefined where a is
               not finite
"""

import functools
from cmath import isfinite
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import Traced
from scigrad.numpy.call_stack import outside_transforms

from .matrices import is_complex

_ONE_BY_EPS = {char: 1 / float(np.finfo(char).eps) for char in "fdFD"}
_SMALL = 8  # the order up to which eliminating anew costs less than using factors
_FAR = 1e5  # how far from eps, times n, a rough estimate of the condition has to be

PREFIXES = {"f": "s", "d": "d", "F": "c", "D": "z"}

# The order from which LAPACK's getrs and trtrs are called: OpenBLAS wakes its threads there even
# for one equation, which takes milliseconds while other processes are busy. BLAS's trsm leaves them
# asleep where there is nothing to share.
_THREADED = 64

Solver = Callable[[Any, bool], Any]
Factored = tuple[Solver, int, Callable[[], float]]


@functools.cache
def routine(name: str, char: str) -> Callable[..., Any]:
    """Return a routine of LAPACK, or of BLAS, for a dtype: routine("getrf", "d") is dgetrf. All
    factorizations on the host find their routines here.
    """
    from scipy.linalg import blas, lapack

    return getattr(lapack, PREFIXES[char] + name, None) or getattr(blas, PREFIXES[char] + name)


@functools.cache
def host(name: str) -> Callable[..., Any]:
    """Return SciPy's own function, for calls without traced values."""
    from scipy import linalg

    return getattr(linalg, name)


def scipys(
    name: str,
    arguments: tuple[Any, ...],
    overwritten: Any = False,
    expected: Any = ValueError,
    **options: Any,
) -> Any:
    """Return what SciPy's function returns, or None where it raises an error, of which we say more,
    unless the arguments are overwritten by then. (LinAlgError is a ValueError too.)
    """
    try:
        found = host(name)(*arguments, **options)
    except expected:
        if overwritten:
            raise
        return None
    return tuple(found) if type(found) is list else found  # a list for batches


def refuse_unfit(name: str, *arguments: Any, **options: Any) -> None:
    """Call SciPy's function for small matrices, so that it refuses options that do not fit."""
    try:
        host(name)(*arguments, **options)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def may_overwrite(overwrite: bool) -> bool:
    """Return `overwrite_a` for SciPy's function: false under a transform, where a rule of another
    call may still need the argument.
    """
    return overwrite if overwrite and outside_transforms() else False


def general(a: Any, lower: bool = False) -> Factored:
    """Factor a matrix as P L U."""
    del lower
    lu, pivots, info = routine("getrf", a.dtype.char)(np.array(a, order="F"), overwrite_a=True)
    solver = PivotedLU(lu, pivots)
    return solver, info, lambda: reciprocal_condition(solver, a)


class PivotedLU(NamedTuple):
    """A solver that gives the inverse too, for two thirds of what solving with the identity
    costs.
    """

    lu: Any
    pivots: Any

    def __call__(self, b: Any, adjoint: bool) -> Any:
        lu, pivots, char = self.lu, self.pivots, self.lu.dtype.char
        if len(pivots) >= _THREADED:
            return routine("getrs", char)(lu, pivots, b, trans=2 if adjoint else 0)[0]
        rows, trsm = order_of_rows(pivots, len(pivots)), routine("trsm", char)
        if not adjoint:
            return trsm(1, lu, trsm(1, lu, b[rows], lower=1, diag=1))
        x = np.empty(b.shape, lu.dtype, order="F")
        x[rows] = trsm(1, lu, trsm(1, lu, b, trans_a=2), lower=1, trans_a=2, diag=1)
        return x

    kind = "LU"

    def logarithm(self) -> Any:
        """Return log |det a|, from the diagonal of u."""
        return sum_of_logarithms(np.diagonal(self.lu))

    def inverse(self) -> Any:
        blocked = 64 * len(self.pivots)  # the workspace that LAPACK recommends
        return routine("getri", self.lu.dtype.char)(self.lu, self.pivots, lwork=blocked)[0]


def sum_of_logarithms(d: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(np.abs(d)).sum()


def order_of_rows(pivots: Any, count: int) -> list[int]:
    """Return the permutation of LAPACK's row exchanges; its own laswp wakes the threads of OpenBLAS
    for two columns.
    """
    rows = list(range(count))
    for i, pivot in enumerate(pivots.tolist()):
        rows[i], rows[pivot] = rows[pivot], rows[i]
    return rows


def reciprocal_condition(solver: PivotedLU, a: Any) -> float:
    """Return 1 / (|a| |a^-1|) in the 1-norm, estimated by LAPACK's gecon, unless a cheaper estimate
    shows that it is far above eps.

    gecon scales its triangular solves and takes 8 % of what the factorization takes at n = 1000.
    One solve with a random vector takes 1 %: |a^-1 x| / |x| is below |a^-1|, by a factor that is
    larger than n r with a probability of about 1 / r (Dixon, SIAM J. Numer. Anal. 20 (1983)
    812-814, has the bound of this kind in the 2-norm).
    """
    n, char = len(solver.pivots), solver.lu.dtype.char
    product = float(_norm_bound(a)) * float(np.abs(solver(random_direction(n, char), False)).sum())
    if product * n * _FAR < _ONE_BY_EPS[char]:  # NaN is not
        return 1 / product
    return routine("gecon", char)(solver.lu, one_norm(a))[0]


@functools.cache
def random_direction(n: int, char: str) -> Any:
    """Return a random vector (n, 1) of 1-norm 1."""
    x = np.random.default_rng(n).standard_normal((n, 1)).astype(char)
    return x / np.abs(x).sum()


def _norm_bound(a: Any) -> float:
    """Return one_norm, or for complex matrices up to twice as much: moduli take five times as long
    as real and imaginary parts.
    """
    if is_complex(a) and a.flags.c_contiguous:
        return 2 * one_norm(a.view(a.real.dtype))
    return one_norm(a)


def one_norm(a: Any) -> float:
    """Return the largest column sum of moduli; NaN and infinities show in it."""
    if isinstance(a, Traced) or is_complex(a) or not a.flags.c_contiguous:
        return np.abs(a).sum(axis=0).max()  # LAPACK takes five times as long for complex moduli
    return routine("lange", a.dtype.char)("I", a.T)


class EliminatedAnew(NamedTuple):
    """A solver for the smallest matrices: eliminating once more costs less than three calls that
    use the factors.
    """

    a: Any

    def __call__(self, b: Any, adjoint: bool) -> Any:
        a = self.a
        return routine("gesv", a.dtype.char)(
            (a.conj() if is_complex(a) else a).T if adjoint else a, b
        )[2]


def small_and_regular(a: Any, b: Any) -> EliminatedAnew | None:
    """Return a solver for a small matrix on the host, with a vector b or the columns of b beside
    it, if a few calls show that there is nothing to refuse and nothing to warn of; else None.
    """
    char, n = a.dtype.char, len(a) if a.ndim == 2 else 0
    if (
        not 0 < n <= _SMALL
        or a.shape[1] != n
        or b.shape[:1] != (n,)
        or not 0 < b.size <= n * _SMALL
        or b.ndim > 2
    ):
        return None
    if char != b.dtype.char or char not in _ONE_BY_EPS:
        return None
    _, _, inverse, info = (
        routine("gesv", char)(a, _identity(n, char)) if a[0, -1] and a[-1, 0] else (0, 0, a, 1)
    )
    if info:  # or triangular, perhaps
        return None
    norm = routine("lange", char)
    condition = norm("1", a) * norm("1", inverse) * _FAR
    return EliminatedAnew(a) if condition < _ONE_BY_EPS[char] and isfinite(np.vdot(b, b)) else None


@functools.cache
def _identity(n: int, char: str) -> Any:
    return np.eye(n, dtype=char)


def positive_definite(a: Any, lower: bool) -> Factored:
    """Factor a positive definite matrix as L L^H."""
    c, info = routine("potrf", a.dtype.char)(a, lower=lower, clean=False)
    solver = CholeskyFactor(c, lower)
    return solver, info, lambda: condition_of_cholesky(solver, a)


def condition_of_cholesky(solver: "CholeskyFactor", a: Any) -> float:
    """Return 1 / (|a| |a^-1|) in the 1-norm, estimated by LAPACK's pocon."""
    char, triangle = solver.c.dtype.char, "L" if solver.lower else "U"
    return routine("pocon", char)(solver.c, one_norm(a), uplo=triangle)[0]


class CholeskyFactor(NamedTuple):
    """L L^H."""

    c: Any
    lower: bool

    kind = "Cholesky"

    def __call__(self, b: Any, adjoint: bool) -> Any:
        return routine("potrs", self.c.dtype.char)(self.c, b, lower=self.lower)[0]

    def logarithm(self) -> Any:
        return 2 * sum_of_logarithms(np.diagonal(self.c))


def ldl_packed(a: Any, lower: bool, conjugate: bool) -> tuple[Any, Any, int]:
    """Factor a matrix as L D L^T, or with `conjugate` L D L^H, pivoted as Bunch and Kaufman do:
    return the factors in one array, pivots, and the number of the block that is 0.
    """
    if not a.size:
        return a, np.ones(0, np.int32), 0
    prefix = "he" if conjugate and is_complex(a) else "sy"
    work = int(np.real(routine(f"{prefix}trf_lwork", a.dtype.char)(a.shape[0], lower=lower)[0]))
    return routine(f"{prefix}trf", a.dtype.char)(a, lower=lower, lwork=work)


class BlockFactor(NamedTuple):
    """L D L^T or L D L^H, with blocks of order 1 and 2 in D."""

    stored: Any
    pivots: Any
    lower: bool
    conjugate: bool

    kind = "LDL"

    def __call__(self, b: Any, adjoint: bool) -> Any:
        trs = routine("hetrs" if self.conjugate else "sytrs", self.stored.dtype.char)
        if adjoint and is_complex(self.stored) and not self.conjugate:  # a^H = conj(a)
            return trs(self.stored, self.pivots, b.conj(), lower=self.lower)[0].conj()
        return trs(self.stored, self.pivots, b, lower=self.lower)[0]

    def logarithm(self) -> Any:
        """Return log |det d|; a block of order 2 is divided by its large element, so that nothing
        overflows.
        """
        d, beside = np.diagonal(self.stored), np.diagonal(self.stored, -1 if self.lower else 1)
        second = np.flatnonzero(self.pivots < 0)[1::2]  # such blocks have two equal negative pivots
        e = beside[second - 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = (d[second - 1] / e) * (d[second] / (np.conj(e) if self.conjugate else e)) - 1
        return (
            sum_of_logarithms(d[self.pivots > 0])
            + 2 * sum_of_logarithms(e)
            + sum_of_logarithms(parts)
        )


def indefinite(a: Any, lower: bool, conjugate: bool = True) -> Factored:
    """Factor a matrix as L D L^H, or without `conjugate` L D L^T."""
    conjugate = conjugate and is_complex(a)
    stored, pivots, info = ldl_packed(a, lower, conjugate)
    name = "hecon" if conjugate else "sycon"
    condition = lambda: routine(name, a.dtype.char)(stored, pivots, one_norm(a), lower=lower)[0]  # noqa: E731
    return BlockFactor(stored, pivots, lower, conjugate), info, condition


def self_adjoint(a: Any, lower: bool) -> Factored:
    """Factor a Hermitian matrix, which may be definite: by Cholesky if it can, else as L D L^H."""
    factored = positive_definite(a, lower)
    return indefinite(a, lower) if factored[1] else factored


def band_lu(rows: Any, below: int, above: int) -> tuple[Solver, Any, Callable[[float], float]]:
    """Factor a matrix in band storage as P L U: return a solver, the pivots themselves, and the
    condition as a function of the 1-norm.
    """
    char, n = rows.dtype.char, rows.shape[1]
    if below == above == 1 and n > 2:  # LAPACK's wrapper cannot hold the empty second diagonal
        *arrays, _ = routine("gttrf", char)(rows[2, :-1], rows[1], rows[0, 1:])
        return (
            lambda b, adjoint: routine("gttrs", char)(*arrays, b, trans="C" if adjoint else "N")[0],
            arrays[1],
            lambda norm: routine("gtcon", char)(*arrays, norm)[0],
        )
    padded = np.zeros((2 * below + above + 1, n), rows.dtype)
    padded[below:] = rows
    lu, pivots, _ = routine("gbtrf", char)(padded, below, above, overwrite_ab=True)
    return (
        lambda b, adjoint: routine("gbtrs", char)(
            lu, below, above, b, pivots, trans=2 if adjoint else 0
        )[0],
        lu[below + above],
        lambda norm: routine("gbcon", char)(below, above, lu, pivots, norm)[0],
    )


def banded(a: Any, lower: bool) -> Factored:
    """Factor a matrix as P L U in band storage; the bandwidths are those of the data."""
    del lower
    below, above = host("bandwidth")(a)
    rows, n = np.zeros((below + above + 1, len(a)), a.dtype), len(a)
    for k in range(-below, above + 1):
        rows[above - k, max(k, 0) : n + min(k, 0)] = np.diagonal(a, k)
    solver, pivots, condition = band_lu(rows, below, above)
    return solver, first_zero(pivots), lambda: condition(one_norm(a))


def triangular_solution(a: Any, b: Any, lower: bool = False, adjoint: bool = False) -> Any:
    """Solve a x = b, or a^H x = b, for a triangular a."""
    char, trans = np.result_type(a, b).char, 2 if adjoint else 0
    if len(a) < _THREADED:
        return routine("trsm", char)(1, a, b, lower=lower, trans_a=trans)
    if a.flags.f_contiguous or (adjoint and is_complex(a)):
        return routine("trtrs", char)(a, b, lower=lower, trans=trans)[0]
    # no copy of a matrix stored by rows
    return routine("trtrs", char)(a.T, b, lower=not lower, trans=0 if adjoint else 1)[0]


class Triangle(NamedTuple):
    """A triangular matrix, which is its own factor; also a diagonal one."""

    a: Any
    lower: bool
    kind: str = "triangular"

    def __call__(self, b: Any, adjoint: bool) -> Any:
        if self.kind == "triangular":
            return triangular_solution(self.a, b, self.lower, adjoint)
        d = np.diagonal(self.a)[:, None]
        return b / (d.conj() if adjoint else d)

    def logarithm(self) -> Any:
        return sum_of_logarithms(np.diagonal(self.a))


def triangular(a: Any, lower: bool) -> Factored:
    uplo = "L" if lower else "U"
    return (
        Triangle(a, lower),
        first_zero(np.diagonal(a)),
        lambda: routine("trcon", a.dtype.char)(a, uplo=uplo)[0],
    )


def diagonal(a: Any, lower: bool) -> Factored:
    size = np.abs(np.diagonal(a))
    return Triangle(a, lower, "diagonal"), first_zero(size), lambda: size.min() / size.max()


def first_zero(d: Any) -> int:
    zero = d == 0
    return int(zero.argmax()) + 1 if zero.any() else 0


KINDS: dict[str, Callable[[Any, bool], Factored]] = {
    "general": general,
    "positive definite": positive_definite,
    "symmetric": lambda a, lower: indefinite(a, lower, False),
    "hermitian": indefinite,
    "self-adjoint": self_adjoint,
    "tridiagonal": banded,
    "banded": banded,
    "triangular": triangular,
    "diagonal": diagonal,
}
