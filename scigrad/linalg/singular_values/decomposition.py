"""The singular value decomposition of concrete matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import constant
from scigrad.autodiff_rules.backends import library

from ..foundation import failures
from ..foundation.lapack import host, routine
from ..foundation.matrices import is_complex, mH


class Spectrum(NamedTuple):
    """The singular value decomposition of concrete matrices (..., m, n): a hint, like Factors."""

    shape: tuple[int, ...]
    u: Any
    s: Any
    vh: Any
    inverse: Any  # of the singular values, 0 for the small ones
    rank: Any
    info: Any


def decomposed(function: str, a: Any, relative: Any, absolute: Any, on_fail: str) -> Spectrum:
    return with_cutoff(a.shape, factored(function, a, False, None, on_fail), relative, absolute)


def with_cutoff(shape: tuple[int, ...], found: tuple[Any, Any, Any, Any], relative: Any, absolute: Any) -> Spectrum:
    """Return the result of `factored`, with singular values up to absolute + relative * (the largest) counted as 0."""
    u, s, vh, info = found
    good = s > absolute + relative * s[..., :1] if s.shape[-1] else s > 0
    inverse = np.where(np.isnan(s), s, np.where(good, 1 / np.where(good, s, 1), 0)).astype(s.dtype)
    return Spectrum(shape, u, s, vh, inverse, good.sum(axis=-1), info)


def factored(function: str, a: Any, full: bool, driver: str | None, on_fail: str, vectors: bool = True) -> tuple[Any, ...]:
    """u, s, v^H of concrete matrices, and info; NaN where it failed, unless on_fail="raise". `driver` is LAPACK's, for the host.
    u and v^H are None without `vectors`."""
    return failures.decomposed(function, a, lambda a: _kernel(a, full, driver, vectors), np.linalg.svdvals, on_fail, (2, 1, 2))


def _kernel(a: Any, full: bool, driver: str | None, vectors: bool) -> Any:
    # NumPy's kernel is faster for a batch, but rounds in another way, which single precision shows
    if library(a) != "numpy" or a.size == 0 or (a.ndim > 2 and driver != "gesvd" and a.dtype.char in "dD"):
        found = np.linalg.svd(a, full_matrices=full, compute_uv=vectors)
    else:
        found = host("svd")(a, full, vectors, check_finite=False, lapack_driver=driver or "gesdd")
    return tuple(found) if vectors else (None, found, None)


def fitting(spectrum: Spectrum, a: Any) -> Spectrum:
    """The same decomposition for the same matrices, with the axes of length 1 that vmap may have put in."""
    if spectrum.shape == a.shape:
        return spectrum
    lead, depth = a.shape[:-2], len(spectrum.shape) - 2
    return Spectrum(a.shape, *(x.reshape(*lead, *x.shape[depth:]) for x in spectrum[1:]))


@constant
def counts(a, spectrum):
    """The ranks of a batch of matrices, and info."""
    spectrum = fitting(spectrum, a)
    return spectrum.rank[()], spectrum.info[()]


counts.batch_leading(a=2)


# -- products with the left singular vectors of a tall matrix, without forming them: a = q r (Householder) and r = w s v^H give
# u = q w. Forming u takes as long as all other steps, and least squares need only u^H b and u y, products with reflections.


class ReflectedColumns(NamedTuple):
    """u = q w, with q as LAPACK leaves its reflections."""

    packed: Any
    tau: Any
    w: Any

    def onto(self, b: Any) -> Any:
        """u^H b."""
        return mH(self.w) @ self._reflected(b, True)[: len(self.tau)]

    def combined(self, y: Any) -> Any:
        """u y."""
        padded = np.zeros((len(self.packed), y.shape[-1]), np.result_type(self.w, y), order="F")
        padded[: len(self.tau)] = self.w @ y
        return self._reflected(padded, False)

    def explicit(self) -> Any:
        return self.combined(np.eye(len(self.tau), dtype=self.w.dtype))

    def reshape(self, *shape: int) -> Any:
        """As every other part of a decomposition that vmap gives axes of length 1."""
        return self.explicit().reshape(*shape)

    def _reflected(self, x: Any, adjoint: bool) -> Any:
        unitary = is_complex(self.packed)
        multiply = routine("unmqr" if unitary else "ormqr", self.packed.dtype.char)
        way = "N" if not adjoint else "C" if unitary else "T"
        return multiply("L", way, self.packed, self.tau, x.astype(self.packed.dtype), lwork=64 * max(1, x.shape[-1]))[0]


def triangularized(a: Any) -> tuple[Any, Any, Any]:
    """The reflections of a = q r, packed, their factors, and r, for one tall matrix on the host."""
    packed, tau, _, _ = routine("geqrf", a.dtype.char)(a, lwork=64 * a.shape[1])
    return packed, tau, np.triu(packed[: a.shape[1]])


def onto(u: Any, b: Any) -> Any:
    """u^H b, for columns of either form."""
    return u.onto(b) if _applies(u, b) else mH(explicit(u)) @ b


def combined(u: Any, y: Any) -> Any:
    """u y, for columns of either form."""
    return u.combined(y) if _applies(u, y) else explicit(u) @ y


def _applies(u: Any, x: Any) -> bool:
    return isinstance(u, ReflectedColumns) and x.ndim == 2 and (is_complex(u.w) or not is_complex(x))


def explicit(u: Any) -> Any:
    return u.explicit() if isinstance(u, ReflectedColumns) else u


__all__ = ["ReflectedColumns", "Spectrum", "combined", "counts", "decomposed", "explicit", "factored", "fitting", "onto",
           "triangularized", "with_cutoff"]  # fmt: skip
