"""Functions of one matrix on the host, evaluated where it is triangular, and methods made of them
for batches.

A form is built from one matrix, by one Schur decomposition a = z t z^H, and from the number of
copies in which its eigenvalues stand there because of derivatives of higher order. It has `value`,
f(a), and `derivative(e)`, L(a, e).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import raw
from scigrad.autodiff_rules.backends import library

from ..foundation.failures import failure
from ..foundation.lapack import host, routine, triangular_solution
from ..foundation.matrices import is_complex
from ..unitary.similarity import complex_form
from .frechet import PerMatrix, block_size, blocks, matrix_function

_MUCH = 64  # a ratio of sizes from which balancing pays
# how `faint` changes frechet.block_size, for eigenvalues of one size and of several
_ALIKE, _FAINT = 2.0**40, 2.0**-60
# Imaginary parts that SciPy takes for rounding.
_NEGLIGIBLE = {"F": 1e3 * np.finfo("f").eps, "D": 1e6 * np.finfo("d").eps}


class NoDerivative(np.linalg.LinAlgError):
    """Reason for which a function of a matrix has no derivative."""


class Basis(NamedTuple):
    """a = d z t z^H d^-1 with t triangular, unitary z, and d with powers of 2 on the diagonal for
    rows of similar size.
    """

    t: Any
    z: Any
    d: Any

    def to(self, e: Any) -> Any:
        return self.z.conj().T @ (e / self.d[:, None] * self.d) @ self.z

    def back(self, x: Any) -> Any:
        with np.errstate(invalid="ignore"):  # a function that does not exist has infinite elements
            return (self.z @ x @ self.z.conj().T) * self.d[:, None] / self.d


def schur_basis(a: Any, copies: int) -> Basis:
    """Return the Schur decomposition, in complex numbers if need be.

    A block-triangular matrix [[a1, e], [0, a1]], of which second derivatives are made, is
    decomposed by its blocks: it costs a quarter, nothing of e gets mixed into the blocks, and they
    keep equal eigenvalues. A matrix that balancing makes much smaller is balanced: a unitary basis
    would mix its large elements into the small ones.
    """
    if copies > 1:
        half = len(a) // 2
        t, z, d = basis = schur_basis(a[:half, :half], copies // 2)
        e = basis.to(a[:half, half:])
        size = faint(t, e)
        return Basis(
            blocks(t, size * e, None), blocks(z, None, None), np.concatenate([d, size * d])
        )
    if not np.tril(a, -1).any():
        d = _scales(a)
        return Basis(a / d[:, None] * d, np.eye(len(a), dtype=a.dtype), d)
    balanced, _, _, d, _ = routine("gebal", a.dtype.char)(a, scale=1, permute=0)
    if not np.abs(balanced).sum() * _MUCH < np.abs(a).sum():
        balanced, d = a, np.ones(len(a))
    t, z = host("schur")(balanced, check_finite=False)
    if not is_complex(t) and np.diagonal(t, -1).any():
        t, z = complex_form(t, z)
    return Basis(t, z, d)


def _scales(t: Any) -> Any:
    """Return powers of 2 that bring the elements above the diagonal of a triangular matrix down to
    its size, if they are far above.
    """
    size, above, d = np.abs(np.diagonal(t)).max(initial=0), np.triu(np.abs(t), 1), np.ones(len(t))
    if 0 < size * _MUCH < above.max(initial=0):
        for j in range(1, len(t)):
            with np.errstate(divide="ignore"):
                d[j] = min(d[j - 1], (size * d[:j] / above[:j, j]).min())
    return np.exp2(np.floor(np.log2(d)))


def faint(a: Any, e: Any) -> float:
    """Return the power of 2 that makes e so small beside a that it has no part in what is decided
    by size, nor in a's rounding; as large as a where all eigenvalues are of one size: SciPy's
    kernels choose degrees by norms of powers of [[a, e], [0, a]] - 1, which hide a small e where
    those of a - 1 vanish.
    """
    w = np.abs(np.diagonal(a))
    size = float(block_size(a, e)[0, 0]) * (
        _ALIKE if w.max(initial=0) <= _MUCH * w.min(initial=np.inf) else _FAINT
    )
    return size if np.abs(e).any() else 1.0


def triangular_sylvester(a: Any, b: Any, c: Any) -> Any:
    """Solve a x - x b = c for triangular a and b.

    LAPACK's trsyl takes differences of eigenvalues for 0 that are below the rounding of the largest
    *element*. So elements far from the diagonal are brought to its size by powers of 2, and where
    eigenvalues themselves are of very different size, the columns of x are found one after the
    other: only differences that cancel to rounding are 0.
    """
    da, db = _scales(a)[:, None], _scales(b)
    a, b, c = a / da * da.T, b / db[:, None] * db, c / da * db
    x, scale, info = routine("trsyl", np.result_type(a, b, c).char)(a, b, c, isgn=-1)
    return (_by_columns(a, b, c) if info or not scale else x / scale) * da / db


def _by_columns(a: Any, b: Any, c: Any) -> Any:
    x = np.zeros(c.shape, np.result_type(a, b, c))
    shift, own = np.eye(len(a)), np.diagonal(a)
    for j in range(len(b)):
        sizes = np.maximum(np.abs(own), abs(b[j, j]))
        if (np.abs(own - b[j, j]) <= len(a) * np.finfo(x.dtype).eps * sizes).any():
            raise NoDerivative("two of its eigenvalues are too close to each other")
        x[:, j] = triangular_solution(a - b[j, j] * shift, c[:, j] + x[:, :j] @ b[:j, j])
    return x


class Form:
    """Function of one matrix by those of triangular ones, `of(t)`. The derivative L(t, e) is the
    upper right block of f([[t, e], [0, t]]) (Mathias 1996, SIAM J. Matrix Anal. Appl. 17(3),
    theorem 2.1).
    """

    copies: int
    is_real: bool
    basis: Basis
    triangular: Any
    real: bool

    def __init__(self, a: Any, copies: int) -> None:
        self.copies, self.is_real = copies, not is_complex(a)
        # SciPy's kernels compute in double precision, and judge the result by it
        self.basis = schur_basis(a.astype("D" if is_complex(a) else "d", copy=False), copies)
        self.triangular = self.of(self.basis.t)
        self.value: Any = self.basis.back(self.triangular)
        self.decide()

    def decide(self) -> None:
        """Decide whether the value of the function is a real matrix."""
        self.real = self.is_real and self.has_real_value()
        self.value = self.value.real if self.real else self.value

    def of(self, t: Any) -> Any:
        raise NotImplementedError

    def has_real_value(self) -> bool:
        return is_real(self.value)

    def refuse(self) -> None:
        """Raise NoDerivative where the function has no derivative at the matrix."""
        ...

    def own_eigenvalues(self) -> tuple[Any, Any]:
        """Return the eigenvalues in the order of their first copies, and bounds of what rounding of
        the matrix may change in simple ones.
        """
        n = len(self.basis.t) // self.copies
        t = self.basis.t[:n, :n]
        w = np.diagonal(t)
        size = np.abs(w) if self.was_triangular() else np.full(n, n * np.abs(t).max(initial=0))
        return w, np.finfo(t.dtype).eps * size

    def was_triangular(self) -> bool:
        """Return whether the matrix is triangular, so that its eigenvalues stand on its
        diagonal.
        """
        n = len(self.basis.t) // self.copies
        return not (self.basis.z[:n, :n] - np.eye(n)).any()

    def meeting(self) -> Any:
        """Return which eigenvalues of a real matrix, up to rounding, are a double one, (n, n), that
        may become a complex pair.

        Those of [[x, c], [d, y]] are (x + y) / 2 +- sqrt((x - y)^2 + 4 c d) / 2, and d is
        uncertain.
        """
        w, error = self.own_eigenvalues()
        error, n = np.maximum(error[:, None], error), len(w)
        near = np.abs(w[:, None] - w) ** 2 <= 4 * (np.abs(self.basis.t[:n, :n]) + error) * error
        near = np.triu(near, 1)
        return near | near.T

    def derivative(self, e: Any) -> Any:
        self.refuse()
        found = self.basis.back(self.slope(self.basis.to(e)))
        return found.real if self.real and not is_complex(e) else found

    def slope(self, e: Any) -> Any:
        """Return the Frechet derivative L(t, e)."""
        n, size = len(e), faint(self.basis.t, e)
        return self.of(blocks(self.basis.t, size * e, None))[:n, n:] / size


class OnHost:
    """Method, with the interface of frechet.py, from a form of each matrix, one matrix after the
    other.

    A form is made by `form(a, copies)`. Where there is no derivative the method raises, or with
    `mark` returns NaN. `shape` is that of the matrices whose derivatives the blocks serve.
    """

    def __init__(
        self, function: str, form: Any, mark: bool, copies: int = 1, shape: Any = None
    ) -> None:
        self.function = function
        self.form = form
        self.mark = mark
        self.copies = copies
        self.shape = shape

    def on_blocks(self, shape: tuple[int, ...]) -> OnHost:
        return OnHost(self.function, self.form, self.mark, 2 * self.copies, self.shape or shape)

    def evaluate(self, a: Any) -> tuple[Any, Any]:
        if a.size == 0:
            return a.copy(), PerMatrix(a.shape, ())
        forms = tuple(self._form(a[index]) for index in np.ndindex(a.shape[:-2]))
        value = np.stack([x.value for x in forms]).reshape(a.shape)
        return keep_single(value, a), PerMatrix(a.shape, forms)

    def _form(self, a: Any) -> Any:
        if not np.isfinite(a).all():
            return Undefined(a)
        try:
            return self.form(a, self.copies)
        except NoDerivative as reason:  # a derivative of lower order is missing already
            return Undefined(a, reason)

    def derivative(self, a: Any, e: Any, factors: Any) -> Any:
        lead = np.broadcast_shapes(a.shape[:-2], e.shape[:-2])
        if e.size == 0 or a.size == 0:
            return np.zeros_like(a @ e)
        numbers = np.broadcast_to(np.arange(len(factors.items)).reshape(a.shape[:-2]), lead)
        e = np.broadcast_to(e, (*lead, *e.shape[-2:]))
        found = [
            self._derivative(factors.items[numbers[index]], e[index], a, index)
            for index in np.ndindex(lead)
        ]
        return keep_single(np.stack(found).reshape(e.shape), a, e)

    def _derivative(self, form: Any, e: Any, a: Any, index: tuple[int, ...]) -> Any:
        try:
            return form.derivative(e) if np.isfinite(e).all() else np.full_like(e, np.nan)
        except NoDerivative as reason:
            if self.mark:
                return np.full_like(form.value, np.nan)
            shape = self.shape or a.shape
            # the place of the matrix: axes of many directions are dropped
            index = index[len(index) - len(shape) + 2 :]
            raise failure(self.function, "A", shape, index, "no derivative", str(reason)) from None


def function_of(a: Any, function: str, form: Any, on_device: Any, on_fail: str) -> Any:
    """Return the function of checked matrices: by forms on the host, else by on_device(a, function,
    on_fail).
    """
    if library(raw(a)) != "numpy":
        return on_device(a, function, on_fail)
    return matrix_function(a, OnHost(function, form, on_fail != "raise"))


class Undefined:
    """The form of a matrix with NaN or infinities in it, or where derivatives end."""

    value: Any

    def __init__(self, a: Any, reason: NoDerivative | None = None) -> None:
        self.value = np.full_like(a, np.nan)
        self.reason = reason

    def derivative(self, e: Any) -> Any:
        if self.reason is not None:
            raise self.reason
        return np.full_like(e, np.nan)


def is_real(value: Any) -> bool:
    """Return whether SciPy judges the result for a real matrix to be real."""
    return not is_complex(value) or np.allclose(value.imag, 0, atol=_NEGLIGIBLE[value.dtype.char])


def keep_single(value: Any, *arguments: Any) -> Any:
    """Return the value in single precision if the arguments are: SciPy's kernels widen."""
    if all(x.dtype.char in "fF" for x in arguments):
        return value.astype("F" if is_complex(value) else "f", copy=False)
    return value


__all__ = [
    "Form",
    "NoDerivative",
    "OnHost",
    "function_of",
    "keep_single",
    "is_real",
    "schur_basis",
    "triangular_sylvester",
]
