"""Functions of one matrix on the host, evaluated where it is triangular, and methods made of them for batches.

A form is built from one matrix by one Schur decomposition a = z t z^H. It has `value`, f(a), and `derivative(e)`, L(a, e).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules.backends import library

from ..foundation.lapack import host, routine
from ..foundation.matrices import is_complex
from .frechet import Method, PerMatrix

_MUCH = 64


class NoDerivative(np.linalg.LinAlgError):
    """Why a function of a matrix has no derivative there."""


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


def schur_basis(a: Any, triangular: bool) -> Basis:
    """The Schur decomposition; with `triangular` no 2 x 2 blocks, in complex numbers if need be.

    A block-triangular matrix [[a1, e], [0, a2]], of which second derivatives are made, is decomposed by its blocks: it costs
    a quarter, nothing of e gets mixed into the blocks, and equal blocks keep equal eigenvalues. A matrix that balancing makes
    much smaller is balanced: a unitary basis would mix its large elements into the small ones.
    """
    if not np.tril(a, -1).any():
        d = _scales(a)
        return Basis(a, None) if d is None else Basis(a / d[:, None] * d, None, d)
    half = len(a) // 2
    if 2 * half == len(a) and not a[half:, :half].any():
        return _of_blocks(a, half, triangular)
    balanced, _, _, d, _ = routine("gebal", a.dtype.char)(a, scale=1, permute=0)
    if not np.abs(balanced).sum() * _MUCH < np.abs(a).sum():
        balanced, d = a, None
    t, z = host("schur")(balanced, check_finite=False)
    if triangular and not is_complex(t) and np.diagonal(t, -1).any():
        t, z = host("rsf2csf")(t, z, check_finite=False)
    return Basis(t, z, d)


def _scales(t: Any) -> Any:
    """Powers of 2 that bring the elements above the diagonal of a triangular matrix down to its size, if they are far above."""
    size, above = np.abs(np.diagonal(t)).max(), np.triu(np.abs(t), 1)
    if not 0 < size * _MUCH < above.max():
        return None
    d = np.ones(len(t), size.dtype)
    for j in range(1, len(t)):
        with np.errstate(divide="ignore"):
            d[j] = min(d[j - 1], (size * d[:j] / above[:j, j]).min())
    return np.exp2(np.floor(np.log2(d)))


def _of_blocks(a: Any, half: int, triangular: bool) -> Basis:
    first = schur_basis(a[:half, :half], triangular)
    same = (a[:half, :half] == a[half:, half:]).all()
    second = first if same else schur_basis(a[half:, half:], triangular)
    z1, z2 = (np.eye(half) if x.z is None else x.z for x in (first, second))
    d = np.concatenate([np.ones(half) if x.d is None else x.d for x in (first, second)])
    t = np.zeros(a.shape, np.result_type(first.t, second.t, a))
    t[:half, :half], t[half:, half:] = first.t, second.t
    t[:half, half:] = z1.conj().T @ (a[:half, half:] / d[:half, None] * d[half:]) @ z2
    z = np.zeros(a.shape, np.result_type(z1, z2))
    z[:half, :half], z[half:, half:] = z1, z2
    return Basis(t, z, d if (d != 1).any() else None)


def exponent_of_size(a: Any, step: int) -> int:
    """The multiple of `step` nearest to log2 |a|: multiplied by a power of 2, whose exponent is such a multiple, a matrix that is
    divided by its size is the same to the last bit."""
    exponent = int(np.frexp(np.abs(a).max(initial=0.0))[1])
    return min(max(step * round(exponent / step), -960), 960)


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


__all__ = ["Basis", "NoDerivative", "OnHost", "commutator_solution", "exponent_of_size", "in_precision", "schur_basis"]
