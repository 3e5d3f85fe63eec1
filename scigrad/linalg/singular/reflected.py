"""Products with the left singular vectors of a tall matrix, without forming them.

a = q r (Householder) and r = w s v^H give u = q w. Forming u takes as long as all other steps, and least squares need only u^H b
and u y, which are products with reflections.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..foundation.lapack import routine
from ..foundation.matrices import is_complex, mH


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


__all__ = ["ReflectedColumns", "combined", "explicit", "onto", "triangularized"]
