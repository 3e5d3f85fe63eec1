"""Roots, powers and logarithms of one matrix on the host. Eigenvalues on the negative real axis are points without derivatives.

The principal branch jumps there. In a complex matrix one such eigenvalue is enough. In a real one a simple negative eigenvalue
stays on the axis, on the same side of the cut, and the function is smooth among real matrices; but two equal ones can become a
complex pair, whose members lie on different sides. This holds also for two that are equal up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..foundation.lapack import host, triangular_solution
from ..foundation.matrices import is_complex
from .schur_basis import Form, NoDerivative, exponent_of_size, is_real, triangular_sylvester
from .schur_parlett import SchurParlett

_FEW = 64  # the largest denominator of an exponent for which a power of 2 is a power of 2
_WIDE, _WIDEST = 64, 2.0**64  # ratios of eigenvalues beyond which SciPy's powers lose digits of derivatives, for p > 1 and others


class Principal(Form):
    """Function with the cut of the logarithm, by a `kernel` for triangular matrices; with p the power p."""

    def __init__(self, a: Any, copies: int, kernel: Callable[[Any], Any], p: float = 0.0) -> None:
        denominator = p.as_integer_ratio()[1]
        exponent = exponent_of_size(a, denominator if denominator <= _FEW else 1) if p else 0
        self.kernel, self.size, self.size_of_value, self.p = kernel, 2.0**exponent, np.exp2(exponent * p), p
        super().__init__(a / self.size, copies)
        self.value = self.value * self.size_of_value

    def of(self, t: Any) -> Any:
        return self.kernel(t)

    def derivative(self, e: Any) -> Any:
        return super().derivative(e / self.size) * self.size_of_value

    def has_real_value(self) -> bool:
        return super().has_real_value() if not self.p else not is_complex(self.value)  # SciPy's powers stay complex

    def slope(self, e: Any) -> Any:
        sizes = np.abs(np.diagonal(self.basis.t))
        if self.p and sizes.max() > (_WIDE if self.p > 1 else _WIDEST) * sizes.min():
            return SchurParlett(self.basis.t, self.copies, lambda x: x**self.p).derivative(e)
        return super().slope(e)

    def refuse(self) -> None:
        w, error = self.own_eigenvalues()
        left = np.real(w) < 0
        if not w.all():
            raise NoDerivative("it is singular")
        if not self.is_real and (left & (np.abs(np.imag(w)) <= error)).any():
            raise NoDerivative("an eigenvalue is on the negative real axis, where the principal branch jumps")
        if self.is_real and (left & (self.meeting() & left).any(axis=1)).any():
            raise NoDerivative("two eigenvalues on the negative real axis are equal, and leave it at the branch cut")


class Root(Principal):
    """The square root r. From r r = a follows r L + L r = e."""

    def __init__(self, a: Any, copies: int) -> None:
        super().__init__(a, copies, _triangular_root, 0.5)

    def has_real_value(self) -> bool:
        return is_real(self.value)

    def slope(self, e: Any) -> Any:
        return triangular_sylvester(self.triangular, -self.triangular, e)


def _triangular_root(t: Any) -> Any:
    """The square root of a triangular matrix by columns (Bjorck and Hammarling 1983, Linear Algebra Appl. 52/53, 127-140), exact
    where eigenvalues are of very different size, where SciPy's is not."""
    roots = np.emath.sqrt(np.diagonal(t))
    if not (roots[:, None] + roots).all():  # no derivative, and a value where SciPy finds one
        return host("sqrtm")(t)
    r = np.diag(roots)
    for j in range(1, len(t)):
        r[:j, j] = triangular_solution(r[:j, :j] + r[j, j] * np.eye(j), t[:j, j])
    return r


__all__ = ["Principal", "Root"]
