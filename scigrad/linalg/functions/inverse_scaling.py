"""Derivatives of the logarithm and of powers of a triangular matrix, by inverse scaling and squaring.

    log(t) = 2^s log(r),   t^p = (r^q)^(2^k),  q = p / 2^(k - s) in (-1, 1),   r = t^(1/2^s)

(Al-Mohy, Higham and Relton 2013, SIAM J. Sci. Comput. 35(4), C394-C410; Higham and Lin 2013, SIAM J. Matrix Anal. Appl. 34(3),
1341-1360). Each square root r of the chain has the derivative that solves r x + x r = e, each squaring that of a product. Near 1
both functions are integrals over u from 0 to 1, by a Gauss rule (Higham 2008, Functions of Matrices, section 11.4, and 7.3):

    log(1 + x) = integral of x (1 + u x)^-1,   (1 + x)^q = 1 + sin(q pi) / pi times that of x (1 + u x)^-1 ((1 - u) / u)^q
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np

from ..foundation.lapack import host
from ..foundation.matrices import is_complex
from .frechet import blocks
from .schur_basis import NoDerivative, commutator_solution

_NEAR = 0.25  # |x| up to which 8 nodes have all digits: below theta_7 of both papers
_NODES = 8
_MOST_ROOTS = 100


class SlopeOfLogarithm:
    """The derivative of log(t) for a triangular t without eigenvalue 0."""

    def __init__(self, t: Any, copies: int) -> None:
        diagonal = np.diagonal(t)
        if not diagonal.all():
            raise NoDerivative("it is singular")
        if not is_complex(t) and (diagonal < 0).any():
            t = t.astype(np.result_type(t, 1j))
        self.t, self.roots = t, []
        one = np.eye(len(t))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SciPy spoke of the matrix itself
            while np.abs(t - one).sum(axis=0).max() > _NEAR and len(self.roots) < _MOST_ROOTS:
                t = _root(t, copies)
                self.roots.append(t)
        self.rest = t - one

    def derivative(self, e: Any) -> Any:
        return 2.0 ** len(self.roots) * self._near_one(self._through_roots(e), *_rule(0.0))

    def _through_roots(self, e: Any) -> Any:
        for r in self.roots:
            e = commutator_solution(r, e)
        return e

    def _near_one(self, e: Any, nodes: Any, weights: Any) -> Any:
        one, solve = np.eye(len(self.rest)), functools.partial(host("solve_triangular"), check_finite=False)
        near = np.zeros(e.shape, np.result_type(e, self.rest))
        for u, w in zip(nodes, weights, strict=True):
            factor = one + u * self.rest
            near += w * solve(factor, solve(factor, e).T, trans="T").T
        return near


class SlopeOfPower(SlopeOfLogarithm):
    """The derivative of t^p for a triangular t without eigenvalue 0."""

    def __init__(self, t: Any, copies: int, p: float) -> None:
        super().__init__(t, copies)
        more = max(int(np.frexp(abs(p))[1]), 0)  # squarings that bring the exponent into (-1, 1)
        self.count = len(self.roots) + more
        self.rule = _rule(p * 2.0**-more)
        one = np.eye(len(t))
        power = one.astype(self.rest.dtype)
        for u, w in zip(*self.rule, strict=True):
            power += w * host("solve_triangular")(one + u * self.rest, self.rest)
        self.powers = []
        for k in range(self.count):  # what the squarings lose of the diagonal is known
            np.fill_diagonal(power, np.diagonal(self.t) ** (p * 2.0 ** (k - self.count)))
            self.powers.append(power)
            power = power @ power

    def derivative(self, e: Any) -> Any:
        e = self._near_one(self._through_roots(e), *self.rule)
        for power in self.powers:
            e = power @ e + e @ power
        return e


def _root(t: Any, copies: int) -> Any:
    if copies == 1:
        return host("sqrtm")(t)
    half = len(t) // 2
    r = _root(t[:half, :half], copies // 2)
    return blocks(r, commutator_solution(r, t[:half, half:]), None)


@functools.lru_cache(maxsize=64)
def _rule(q: float) -> tuple[Any, Any]:
    """Nodes and weights on (0, 1) for ((1 - u) / u)^q, with the factor in front of the integral."""
    from scipy.special import roots_jacobi

    nodes, weights = roots_jacobi(_NODES, q, -q)
    return (nodes + 1) / 2, weights / 2 * np.sinc(q) * (q or 1.0)


__all__ = ["SlopeOfLogarithm", "SlopeOfPower"]
