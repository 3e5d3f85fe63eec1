"""The decomposition behind eigh: a = v w v^H for whole Hermitian matrices, and its derivatives."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from scigrad.autodiff_rules import constant
from scigrad.autodiff_rules.backends import library

from ..foundation import failures
from ..foundation.gauge import varies
from ..foundation.lapack import host
from ..foundation.matrices import (
    largest,
)
from .eigensystem import attached


def decomposed(a: Any, driver: Any, lower: bool, gauge: str, on_fail: str, eigvals_only: bool,
               read: bool | None = None) -> tuple[Any, Any, Any]:  # fmt: skip
    """Return w, v and info of Hermitian matrices, with derivatives. The matrices are complete, or (on the host) stored in the
    lower (`read` is True) or the upper triangle of `a`."""
    w, v, info = frame(a, driver, lower, on_fail, eigvals_only and not varies(a))
    w, v = attached(a, w, v, "eigh", gauge, not eigvals_only, read)
    return w, v, info


# -- values


@constant
def frame(a, driver, lower, on_fail, eigvals_only=False):
    """w, v and info without derivatives."""
    info = np.zeros(a.shape[:-2], np.intp, like=a)
    if on_fail != "raise":
        bad = failures.not_finite(a)
        a, info = failures.patched(a, bad), bad * -1
    try:
        w, v = _kernel(a, driver, lower, eigvals_only)
    except np.linalg.LinAlgError as error:
        codes = failures.unconverged("eigh", a, error, lambda x: np.linalg.eigvalsh(x, "L" if lower else "U"), on_fail)
        info, on_fail = np.where(codes != 0, codes, info), "nan"
        w, v = _kernel(failures.patched(a, codes != 0), driver, lower, eigvals_only)
    if on_fail == "raise":
        return w, v, info[()]
    return failures.marked_nan(w, info, 1), None if v is None else failures.marked_nan(v, info, 2), info[()]


frame.batch_leading(a=2)


def _kernel(a: Any, driver: Any, lower: bool, eigvals_only: bool) -> tuple[Any, Any]:
    if callable(driver) and library(a) == "numpy" and a.size:  # an algorithm for matrices of a special form
        return cast("tuple[Any, Any]", driver(a, eigvals_only))
    # NumPy's kernel is faster for a batch, but rounds in another way, which single precision shows
    if library(a) == "numpy" and a.size and (a.ndim == 2 or a.dtype.char in "fF"):
        found = host("eigh")(a, lower=lower, driver=driver or "evd", check_finite=False, eigvals_only=eigvals_only)
        return (found, None) if eigvals_only else tuple(found)
    triangle = "L" if lower else "U"
    if eigvals_only:
        return np.linalg.eigvalsh(a, triangle), None
    w, v = np.linalg.eigh(a, triangle)
    return w, v


# -- one phase for all machines


def canonical_phase(v: Any) -> Any:
    """Eigenvectors turned so that the first of their largest components is positive."""
    return v * np.conjugate(phases(v))


def phases(v: Any) -> Any:
    """The phase of the first of the largest components of each vector."""
    lead = np.take_along_axis(v, _first_large(v), axis=-2)
    return lead / np.abs(lead)


@constant
def _first_large(v):
    size = np.abs(v)  # components that differ by rounding alone count as equally large
    return np.argmax(size >= 0.99 * largest(v, -2, True), axis=-2)[..., None, :]


_first_large.batch_leading(v=2)


__all__ = ["canonical_phase", "decomposed", "frame", "phases"]
