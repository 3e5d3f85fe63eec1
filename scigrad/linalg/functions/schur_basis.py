"""Functions of one matrix on the host, evaluated where it is triangular, and methods made of them for batches.

A form is built from one matrix, by one Schur decomposition a = z t z^H, and from the number of copies in which its eigenvalues
stand there because of derivatives of higher order. It has `value`, f(a), and `derivative(e)`, L(a, e).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules.backends import library

from ..foundation.lapack import host, routine
from ..foundation.matrices import is_complex
from ..unitary.schur import complex_form
from .frechet import PerMatrix, block_size, blocks

_MUCH = 64
_FAINT = 2.0**-60
_NEGLIGIBLE = {"F": 1e3 * np.finfo("f").eps, "D": 1e6 * np.finfo("d").eps}


class NoDerivative(np.linalg.LinAlgError):
    """Reason for which a function of a matrix has no derivative."""


class Basis(NamedTuple):
    """a = d z t z^H d^-1 with t triangular, for a real a with 2 x 2 blocks on the diagonal; z is None if a is triangular itself,
    d (powers of 2 on a diagonal) if the rows and columns of a are of similar size."""

    t: Any
    z: Any
    d: Any = None

    def to(self, e: Any) -> Any:
        e = e if self.d is None else e / self.d[:, None] * self.d
        return e if self.z is None else self.z.conj().T @ e @ self.z

    def back(self, x: Any) -> Any:
        x = x if self.z is None else self.z @ x @ self.z.conj().T
        return x if self.d is None else x * self.d[:, None] / self.d


def schur_basis(a: Any, triangular: bool, copies: int) -> Basis:
    """The Schur decomposition; with `triangular` no 2 x 2 blocks, in complex numbers if need be.

    A block-triangular matrix [[a1, e], [0, a1]], of which second derivatives are made, is decomposed by its blocks: it costs
    a quarter, nothing of e gets mixed into the blocks, and they keep equal eigenvalues. A matrix that balancing makes much
    smaller is balanced: a unitary basis would mix its large elements into the small ones.
    """
    if copies > 1:
        half = len(a) // 2
        return doubled(schur_basis(a[:half, :half], triangular, copies // 2), a[:half, half:])
    if not np.tril(a, -1).any():
        d = _scales(a)
        return Basis(a, None) if d is None else Basis(a / d[:, None] * d, None, d)
    balanced, _, _, d, _ = routine("gebal", a.dtype.char)(a, scale=1, permute=0)
    if not np.abs(balanced).sum() * _MUCH < np.abs(a).sum():
        balanced, d = a, None
    t, z = host("schur")(balanced, check_finite=False)
    if triangular and not is_complex(t) and np.diagonal(t, -1).any():
        t, z = complex_form(t, z)
    return Basis(t, z, d)


def _scales(t: Any) -> Any:
    """Powers of 2 that bring the elements above the diagonal of a triangular matrix, 2 x 2 blocks allowed, down to its size, if
    they are far above."""
    size, above = np.abs(np.diagonal(t)).max(initial=0), np.triu(np.abs(t), 1)
    below = np.append(np.diagonal(t, -1) != 0, False)
    size = max(size, np.abs(np.diagonal(t, -1)).max(initial=0))
    if not 0 < size * _MUCH < above.max(initial=0):
        return None
    d = np.ones(len(t), size.dtype)
    for j in range(1, len(t)):
        if below[j - 1]:
            continue
        with np.errstate(divide="ignore"):
            columns = slice(j, j + 1 + below[j])
            d[columns] = min(d[j - 1], (size * d[:j, None] / above[:j, columns]).min())
    return np.exp2(np.floor(np.log2(d)))


def doubled(basis: Basis, e: Any) -> Basis:
    """The decomposition of [[a, e], [0, a]] by that of a."""
    t, z, d = basis
    z = np.eye(len(t), dtype=t.dtype) if z is None else z
    d = np.ones(len(t)) if d is None else d
    e = basis.to(e)
    size = faint(t, e)
    return Basis(blocks(t, size * e, None), blocks(z, None, None), np.concatenate([d, size * d]))


def faint(a: Any, e: Any) -> float:
    """The power of 2 that makes e so small beside a that it has no part in what is decided by size, nor in a's rounding."""
    size = float(block_size(a, e)[0, 0]) * _FAINT
    return size if np.abs(e).any() else 1.0


def exponent_of_size(a: Any, step: int) -> int:
    """The multiple of `step` nearest to log2 |a|: multiplied by a power of 2, whose exponent is such a multiple, a matrix that is
    divided by its size is the same to the last bit."""
    exponent = int(np.frexp(np.abs(a).max(initial=0.0))[1])
    return min(max(step * round(exponent / step), -960), 960)


def commutator_solution(r: Any, c: Any) -> Any:
    """x with r x + x r = c for a triangular r, 2 x 2 blocks allowed."""
    return triangular_sylvester(r, r, c, 1)


def triangular_sylvester(a: Any, b: Any, c: Any, sign: int) -> Any:
    """x with a x + x b = c (sign 1) or a x - x b = c (sign -1) for triangular a and b, 2 x 2 blocks allowed.

    LAPACK's trsyl takes sums of eigenvalues for 0 that are below the rounding of the largest *element*. So elements far from the
    diagonal are brought to its size by powers of 2, and where eigenvalues themselves are of very different size, the columns of x
    are found one after the other: only sums that cancel to rounding are 0.
    """
    if is_complex(c) and not is_complex(a):
        return triangular_sylvester(a, b, c.real, sign) + 1j * triangular_sylvester(a, b, c.imag, sign)
    da, db = _scales(a), _scales(b)
    a, c = (a, c) if da is None else (a / da[:, None] * da, c / da[:, None])
    b, c = (b, c) if db is None else (b / db[:, None] * db, c * db)
    x, scale, info = routine("trsyl", a.dtype.char)(a, b, c.astype(a.dtype, copy=False), isgn=sign)
    x = _by_columns(a, b, c, sign) if info or not scale else x / scale
    x = x if da is None else x * da[:, None]
    return x if db is None else x / db


def _by_columns(a: Any, b: Any, c: Any, sign: int) -> Any:
    if np.tril(a, -1).any() or np.tril(b, -1).any():
        (a, z), (b, y) = (complex_form(t, np.eye(len(t))) for t in (a, b))
        return np.real(z @ _by_columns(a, b, z.conj().T @ c @ y, sign) @ y.conj().T)
    x = np.zeros(c.shape, np.result_type(a, b, c))
    shift, own = np.eye(len(a)), np.diagonal(a)
    for j in range(len(b)):
        sums = own + sign * b[j, j]
        if (np.abs(sums) <= len(a) * np.finfo(x.dtype).eps * np.maximum(np.abs(own), abs(b[j, j]))).any():
            raise NoDerivative("two of its eigenvalues, or one twice, add up to 0")
        x[:, j] = host("solve_triangular")(a + sign * b[j, j] * shift, c[:, j] - sign * (x[:, :j] @ b[:j, j]), check_finite=False)
    return x


class OnHost:
    """Method, with the interface of frechet.py, from a form of each matrix, one matrix after the other.

    A form is made by `form(a, copies)`. Where there is no derivative the method raises, or with `mark` returns NaN. `elsewhere`
    is the one for arrays on a device, `shape` that of the matrices whose derivatives the blocks serve.
    """

    def __init__(self, function: str, form: Any, mark: bool, elsewhere: Any, copies: int = 1, shape: Any = None) -> None:
        self.function = function
        self.form = form
        self.mark = mark
        self.elsewhere = elsewhere
        self.copies = copies
        self.shape = shape

    def on_blocks(self, shape: tuple[int, ...]) -> OnHost:
        return OnHost(self.function, self.form, self.mark, self.elsewhere, 2 * self.copies, self.shape or shape)

    def evaluate(self, a: Any) -> tuple[Any, Any]:
        if library(a) != "numpy":
            return self.elsewhere.evaluate(a)
        if a.size == 0:
            return a.copy(), PerMatrix(a.shape, ())
        forms = tuple(self._form(a[index]) for index in np.ndindex(a.shape[:-2]))
        value = np.stack([x.value for x in forms]).reshape(a.shape)
        return in_precision(value, a), PerMatrix(a.shape, forms)

    def _form(self, a: Any) -> Any:
        if not np.isfinite(a).all():
            return Undefined(a)
        try:
            return self.form(a, self.copies)
        except NoDerivative as reason:  # of a lower order than the required one
            return Undefined(a, reason)

    def derivative(self, a: Any, e: Any, factors: Any) -> Any:
        if library(a) != "numpy":
            return self.elsewhere.derivative(a, e, factors)
        lead = np.broadcast_shapes(a.shape[:-2], e.shape[:-2])
        if e.size == 0 or a.size == 0:
            return np.zeros_like(a @ e)
        numbers = np.broadcast_to(np.arange(len(factors.items)).reshape(a.shape[:-2]), lead)
        e = np.broadcast_to(e, (*lead, *e.shape[-2:]))
        found = [self._derivative(factors.items[numbers[index]], e[index], a, index) for index in np.ndindex(lead)]
        return in_precision(np.stack(found).reshape(e.shape), a, e)

    def _derivative(self, form: Any, e: Any, a: Any, index: tuple[int, ...]) -> Any:
        try:
            return form.derivative(e)
        except NoDerivative as reason:
            if self.mark:
                return np.full_like(form.value, np.nan)
            shape = self.shape or a.shape
            index = index[len(index) - len(shape) + 2 :]  # without the axes of many directions
            where = f" at batch index {index}" if index else ""
            raise np.linalg.LinAlgError(
                f"{self.function}: argument 'A' of shape {shape} has no derivative{where}: {reason}. Keep away from such "
                "matrices, for instance by adding a small multiple of the identity; on_fail='nan' or 'info' gives NaN there."
            ) from None


class Undefined:
    """The form of a matrix with NaN or infinities in it, or where derivatives end."""

    def __init__(self, a: Any, reason: NoDerivative | None = None) -> None:
        self.value = np.full_like(a, np.nan)
        self.reason = reason

    def derivative(self, e: Any) -> Any:
        if self.reason is not None:
            raise self.reason
        return np.full_like(e, np.nan)


def in_double(a: Any) -> Any:
    """SciPy's kernels compute in double precision, and judge the result by it."""
    return a.astype("D" if is_complex(a) else "d", copy=False)


def is_real(value: Any) -> bool:
    """SciPy's judgement of the result for a real matrix."""
    return not is_complex(value) or np.allclose(value.imag, 0, atol=_NEGLIGIBLE[value.dtype.char])


def in_precision(value: Any, *arguments: Any) -> Any:
    """In single precision if the arguments are: SciPy's kernels widen."""
    if all(x.dtype.char in "fF" for x in arguments):
        return value.astype("F" if is_complex(value) else "f", copy=False)
    return value


__all__ = [
    "Basis", "NoDerivative", "OnHost", "commutator_solution", "doubled", "exponent_of_size", "faint", "in_double", "in_precision",
    "is_real", "schur_basis", "triangular_sylvester",
]  # fmt: skip
