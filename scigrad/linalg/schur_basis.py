"""Functions of one matrix on the host, evaluated where it is triangular, and methods made of them for batches.

A form is built from one matrix by one Schur decomposition a = z t z^H. It has `value`, f(a), and `derivative(e)`, L(a, e).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules.backends import library

from .frechet import Method, PerMatrix
from .lapack import host, routine
from .matrices import is_complex


class NoDerivative(np.linalg.LinAlgError):
    """Why a function of a matrix has no derivative there."""


class Basis(NamedTuple):
    """a = z t z^H with t triangular, for a real a with 2 x 2 blocks on the diagonal; z is None if a is triangular itself."""

    t: Any
    z: Any

    def to(self, e: Any) -> Any:
        return e if self.z is None else self.z.conj().T @ e @ self.z

    def back(self, x: Any) -> Any:
        return x if self.z is None else self.z @ x @ self.z.conj().T


def schur_basis(a: Any, triangular: bool) -> Basis:
    """The Schur decomposition; with `triangular` no 2 x 2 blocks, in complex numbers if need be.

    A block-triangular matrix [[a1, e], [0, a2]], of which second derivatives are made, is decomposed by its blocks: it costs
    a quarter, nothing of e gets mixed into the blocks, and equal blocks keep equal eigenvalues.
    """
    if not np.tril(a, -1).any():
        return Basis(a, None)
    half = len(a) // 2
    if 2 * half == len(a) and not a[half:, :half].any():
        first = schur_basis(a[:half, :half], triangular)
        same = (a[:half, :half] == a[half:, half:]).all()
        second = first if same else schur_basis(a[half:, half:], triangular)
        z1, z2 = (np.eye(half) if x.z is None else x.z for x in (first, second))
        t = np.zeros(a.shape, np.result_type(first.t, second.t, a))
        t[:half, :half], t[half:, half:], t[:half, half:] = first.t, second.t, z1.conj().T @ a[:half, half:] @ z2
        z = np.zeros(a.shape, np.result_type(z1, z2))
        z[:half, :half], z[half:, half:] = z1, z2
        return Basis(t, z)
    t, z = host("schur")(a, check_finite=False)
    if triangular and not is_complex(t) and np.diagonal(t, -1).any():
        t, z = host("rsf2csf")(t, z, check_finite=False)
    return Basis(t, z)


def commutator_solution(r: Any, c: Any) -> Any:
    """x with r x + x r = c for a triangular r, 2 x 2 blocks allowed (LAPACK's trsyl)."""
    if is_complex(c) and not is_complex(r):
        return commutator_solution(r, c.real) + 1j * commutator_solution(r, c.imag)
    x, scale, info = routine("trsyl", r.dtype.char)(r, r, c.astype(r.dtype, copy=False))
    if info or not scale:
        raise NoDerivative("two of its eigenvalues, or one twice, add up to 0")
    return x / scale


class OnHost:
    """A method, as frechet.py asks for it, from a form: one matrix after the other, as LAPACK has it.

    Where there is no derivative it raises, or with `mark` returns NaN. `elsewhere` is the method for arrays on a device.
    """

    def __init__(self, function: str, form: Callable[[Any], Any], mark: bool, elsewhere: Method) -> None:
        self.function = function
        self.form = form
        self.mark = mark
        self.elsewhere = elsewhere

    def evaluate(self, a: Any) -> tuple[Any, Any]:
        if library(a) != "numpy":
            return self.elsewhere.evaluate(a)
        if a.size == 0:
            return a.copy(), PerMatrix(a.shape, ())
        forms = tuple(self._form(a[index]) for index in np.ndindex(a.shape[:-2]))
        value = np.stack([x.value for x in forms]).reshape(a.shape)
        return in_precision(value, a), PerMatrix(a.shape, forms)

    def _form(self, a: Any) -> Any:
        if np.isfinite(a).all():
            return self.form(a)
        return NotFinite(a)

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
            where = f" at batch index {index}" if index else ""
            raise np.linalg.LinAlgError(
                f"{self.function}: argument 'A' of shape {a.shape} has no derivative{where}: {reason}. Keep away from such "
                "matrices, for instance by adding a small multiple of the identity; on_fail='nan' or 'info' gives NaN there."
            ) from None


class NotFinite:
    """The form of a matrix with NaN or infinities in it."""

    def __init__(self, a: Any) -> None:
        self.value = np.full_like(a, np.nan)

    def derivative(self, e: Any) -> Any:
        return np.full_like(e, np.nan)


def in_precision(value: Any, *arguments: Any) -> Any:
    """In single precision if the arguments are: SciPy's kernels widen."""
    if all(x.dtype.char in "fF" for x in arguments):
        return value.astype("F" if is_complex(value) else "f", copy=False)
    return value


__all__ = ["Basis", "NoDerivative", "OnHost", "commutator_solution", "in_precision", "schur_basis"]
