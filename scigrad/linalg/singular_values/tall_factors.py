"""Factors of a tall matrix in the place of singular vectors: reflections, and a triangle."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..foundation.factors import Factors, apply, fitting_factors
from ..foundation.lapack import routine
from ..foundation.matrices import is_complex, mH

# -- products with the left singular vectors of a tall matrix, without forming them: a = q r
# (Householder) and r = w s v^H give u = q w. Forming u takes as long as all other steps, and least
# squares need only u^H b and u y, products with reflections.


class ReflectedColumns(NamedTuple):
    """u = q w, with q as LAPACK leaves its reflections."""

    packed: Any
    tau: Any
    w: Any

    def times(self, x: Any, adjoint: bool = False) -> Any:
        """Return u x, or u^H x with `adjoint`."""
        packed, tau, w = self
        if not adjoint:
            x = np.concatenate([w @ x, np.zeros((len(packed) - len(tau), x.shape[1]), w.dtype)])
        name, way = ("unmqr", "C") if is_complex(packed) else ("ormqr", "T")
        lwork = 64 * max(1, x.shape[1])
        y = routine(name, packed.dtype.char)(
            "L", way if adjoint else "N", packed, tau, x.astype(packed.dtype), lwork=lwork
        )[0]
        return mH(w) @ y[: len(tau)] if adjoint else y

    def explicit(self) -> Any:
        return self.times(np.eye(len(self.tau), dtype=self.w.dtype))

    def reshape(self, *shape: int) -> Any:
        """Return the columns u in another shape, as every other part of a decomposition that vmap
        gives axes of length 1.
        """
        return self.explicit().reshape(*shape)


class Triangle(NamedTuple):
    """A triangular matrix without a singular value that counts as 0."""

    r: Any
    factors: Factors

    @property
    def shape(self) -> tuple[int, ...]:
        return self.r.shape

    def reshape(self, *shape: int) -> Triangle:
        r = self.r.reshape(shape)
        return Triangle(r, fitting_factors(self.factors, r) or self.factors)

    def solve(self, b: Any, adjoint: bool) -> Any:
        return apply(self.factors, self.r, b, adjoint)


def apply_columns(u: Any, x: Any, adjoint: bool = False) -> Any:
    """Return u x, or u^H x with `adjoint`, for u as an array or as reflections."""
    if isinstance(u, ReflectedColumns) and x.ndim == 2 and (is_complex(u.w) or not is_complex(x)):
        return u.times(x, adjoint)
    return (mH(explicit(u)) if adjoint else explicit(u)) @ x


def explicit(u: Any) -> Any:
    return u.explicit() if isinstance(u, ReflectedColumns) else u
