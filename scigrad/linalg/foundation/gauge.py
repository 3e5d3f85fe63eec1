"""Losses that depend on what a matrix leaves open: the phase of a vector, the basis of equal eigenvalues, of a null space.

"check"    such a loss raises GaugeError (this reads values back from a GPU)
"project"  the part of a cotangent that belongs to the choice is dropped; nothing is read back from a GPU, where equal values
           are not seen then, and a gradient lacks what depends on them
"trust"    the cotangent is assumed to have no such part

A loss depends on the choice if a component of its cotangent along it exceeds 100 sqrt(eps) times its norm (ADR 6).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, Traced, constant, raw
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.boxes import Batched

from .failures import to_host

_LEFT = 1e-2  # the largest relative error of a second derivative
GAUGES = (None, "check", "project", "trust")


def resolved(function: str, gauge: str | None) -> str:
    """The policy that holds: "check", unless one is given."""
    if gauge not in GAUGES:
        raise ValueError(f"{function}: gauge must be one of {GAUGES}, not {gauge!r}.")
    return gauge or "check"


def looks(gauge: str, a: Any) -> bool:
    """Return whether values of the matrix may be read: on the host, or on a device if the caller allows it."""
    return gauge == "check" or (gauge == "project" and library(raw(a)) == "numpy")


def exists(pairs: Any) -> bool:
    """Return whether there is such a pair anywhere in the batch. Synchronizes a device."""
    return bool(to_host(raw(pairs)).any())


def varies(a: Any, through: tuple[type, ...] = (Batched,)) -> bool:
    """Return whether a derivative of a derivative is computed. A cotangent may also carry the infinitesimal of another
    decomposition."""
    while isinstance(a, Traced):
        if type(a) not in through:
            return True
        a = a.value
    return False


def choice(i: int, j: int) -> str:
    """Return a description of the choice that a loss depends on, from a component of its cotangent."""
    pair = f"the choice of eigenvectors {i} and {j}, whose eigenvalues are equal"
    return f"the phase of eigenvector {i}" if i == j else pair


@constant
def above_rounding(x, norm, units=None):
    """Return where x exceeds the rounding error of a quantity of this norm: the given number of eps, by default 100 n."""
    units = 100 * x.shape[-1] if units is None else units
    return np.abs(x) > (units * np.finfo(x.dtype).eps * norm)[..., None, None]


above_rounding.batch_leading(x=2, norm=0)


@constant
def beyond(x, where, norm):
    return (np.abs(x) > (100 * np.sqrt(np.finfo(x.dtype).eps) * norm)[..., None, None]) & where


beyond.batch_leading(x=2, where=2, norm=0)


def refuse(x: Any, where: Any, norm: Any, text: str, what: Callable[[int, int], str] = choice) -> None:
    """Raise GaugeError if x is not small against the norm at the places named."""
    if x is not ZERO and (bad := to_host(raw(beyond(x, where, norm)))).any():
        raise GaugeError(text.format(what=what(*(int(k) for k in np.argwhere(bad)[0][-2:]))))


def refuse_second(function: str, magnification: Any) -> None:
    """Second derivatives of what does not depend on a choice of vectors are differences of terms as large as the magnification
    squared, |l| |a| / |x| for the equation that the first derivative solves: little is left of them near a matrix that has none.
    """
    size = to_host(raw(magnification))
    if (size**2 * np.finfo(size.dtype).eps > _LEFT).any():
        raise GaugeError(LOST.replace("FUNCTION", function))


LOST = (
    "FUNCTION: the form is so near to one that is not determined (equal eigenvalues, a 0 on a subdiagonal) "
    "that a second derivative would have no digit left. The first derivative is available, and expm, logm, sqrtm and signm have "
    "second ones here; gauge='trust' goes on, which is right for a loss that does depend on the single vectors."
)
