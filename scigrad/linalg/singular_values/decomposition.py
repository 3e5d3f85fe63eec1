"""The singular value decomposition of concrete matrices, and singular values with their derivatives."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import Traced, constant, differentiable, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.boxes import Batched

from ..eigenvalues.eigensystem import adapted
from ..eigenvalues.equal_eigenvalues import closeness, grouped, has_pair, shared, tolerances
from ..eigenvalues.hermitian import eigh, eigvalsh
from ..foundation import failures
from ..foundation.gauge import looks, varies
from ..foundation.lapack import host, routine
from ..foundation.matrices import identity, is_complex, mH


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


def factored(function: str, a: Any, full: bool, driver: str | None, on_fail: str) -> tuple[Any, ...]:
    """u, s, v^H of concrete matrices, and info; NaN where it failed, unless on_fail="raise". `driver` is LAPACK's, for the
    host."""
    return failures.decomposed(function, a, lambda a: tuple(_kernel(a, full, driver)), np.linalg.svdvals, on_fail, (2, 1, 2))


def _kernel(a: Any, full: bool, driver: str | None) -> Any:
    # NumPy's kernel is faster for a batch, but rounds in another way, which single precision shows
    if library(a) != "numpy" or a.size == 0 or (a.ndim > 2 and driver != "gesvd" and a.dtype.char in "dD"):
        return np.linalg.svd(a, full_matrices=full)
    return host("svd")(a, full_matrices=full, check_finite=False, lapack_driver=driver or "gesdd")


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


# -- singular values: s_i' = Re(u_i^H a' v_i), a_bar = u diag(s_bar) v^H, and 0 for those that count as 0


def singular_values(a: Any, spectrum: Spectrum) -> Any:
    """The singular values, differentiable."""
    return from_dilation(a) if needs_dilation(a, spectrum.s) else of_constant_rank(a, spectrum)


def needs_dilation(a: Any, s: Any) -> bool:
    """Return whether second derivatives are required where singular values s are equal or 0. These need bases that are adapted to
    the direction: those that eigvalsh chooses for [[0, a], [a^H, 0]]. False on a device, whose values are not read back."""
    while type(a) is Batched:
        a = a.value
    return isinstance(a, Traced) and varies(a.value) and library(s) == "numpy" and not closeness(mirrored(s), "check")[2]


def from_dilation(a: Any) -> Any:
    """The singular values of a as the largest eigenvalues of [[0, a], [a^H, 0]]; NaN where those failed."""
    m, n = shape_of(a)[-2:]
    largest_ones = (m + n - min(m, n), m + n - 1)
    return eigvalsh(_dilation(a), subset_by_index=largest_ones, check_finite=False, on_fail="nan")[..., ::-1]


@differentiable("a")
def of_constant_rank(a, spectrum):
    """The singular values, where those that count as 0 stay 0."""
    return fitting(spectrum, a).s


of_constant_rank.batch_leading(a=2)


@of_constant_rank.jvp
def _(call, t):
    u, v, counted = _vectors(call)
    same = grouped(-call.out, tolerances(call.out)[0])
    if looks("project", call.a) and not varies(call.a) and has_pair(same):  # the one-sided slopes of equal ones, in their order
        x = mH(u) @ t.a @ v
        turn = adapted(identity(shape_of(x)[-1], raw(x)), -(x + mH(x)), same, "project", False)
        u, v = u @ turn, v @ turn
    return np.sum(np.real(np.conjugate(u) * (t.a @ v)), axis=-2) * counted


@of_constant_rank.vjp
def _(call, g):
    u, v, counted = _vectors(call)
    return {"a": (u * (shared(g, grouped(-call.out, tolerances(call.out)[0])) * counted)[..., None, :]) @ mH(v)}


def _vectors(call: Any) -> tuple[Any, Any, Any]:
    """u and v, and which values count. The eigenvectors of [[0, a], [a^H, 0]] to its largest eigenvalues s_i are
    (u_i, v_i) / sqrt(2), which gives them derivatives of every order. It always has |m - n| eigenvalues 0; nothing looks at their
    vectors, so that no choice among them has to be checked, if all that is equal is theirs."""
    u, v, counted = _found(call.a, call.spectrum)
    if not varies(call.a):
        return u, v, counted
    m, n = shape_of(call.a)[-2:]
    last = (m + n - min(m, n), m + n - 1)  # NaN, as in the singular values, where those failed
    gauge = "project" if closeness(mirrored(call.spectrum.s), "check")[2] else None
    found: Any = eigh(_dilation(call.a), subset_by_index=last, check_finite=False, gauge=gauge, on_fail="nan")
    z = found[1][..., ::-1] * float(np.sqrt(2))
    return z[..., :m, :], z[..., m:, :], counted


@constant
def _found(a, spectrum):
    f = fitting(spectrum, a)
    return explicit(f.u), mH(f.vh), f.inverse != 0


_found.batch_leading(a=2)


def _dilation(a: Any) -> Any:
    m, n = shape_of(a)[-2:]
    corners = [np.zeros((*shape_of(a)[:-2], size, size), dtype=a.dtype, like=raw(a)) for size in (m, n)]
    top, bottom = np.concatenate([corners[0], a], axis=-1), np.concatenate([mH(a), corners[1]], axis=-1)
    return np.concatenate([top, bottom], axis=-2)


def mirrored(s: Any, sign: int = -1) -> Any:
    """-s, 0 and s, the eigenvalues of [[0, a], [a^H, 0]] in ascending order, or other numbers of theirs."""
    return np.concatenate([sign * s, np.zeros((*shape_of(s)[:-1], 1), s.dtype, like=raw(s)), s[..., ::-1]], axis=-1)


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


__all__ = [
    "ReflectedColumns", "Spectrum", "combined", "counts", "decomposed", "factored", "fitting", "from_dilation", "mirrored",
    "needs_dilation", "of_constant_rank", "onto", "singular_values", "triangularized", "with_cutoff",
]  # fmt: skip
