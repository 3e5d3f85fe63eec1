"""Square root, logarithm and powers from array functions, where there is no Schur decomposition: on a GPU.

sign([[0, a], [1, 0]]) holds the square root of a in its upper right block (Higham 2008, Functions of Matrices, theorem 5.2;
Denman and Beavers 1976). Repeated roots bring a matrix so close to 1 that a Gauss rule gives the logarithm (Cheng, Higham, Kenney
and Laub 2001, SIAM J. Matrix Anal. Appl. 22(4), 1112-1125). The iteration in real arithmetic does not converge for eigenvalues on
the negative real axis; they raise, where a matrix on the host has complex results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..foundation.failures import to_host
from ..foundation.matrices import identity, largest
from .exponential import exponential
from .frechet import PerMatrix, block_size, blocks
from .sign_iteration import Sign, SignSteps

_NEAR = 0.25  # |x - 1| from which the rule with 8 nodes has all digits
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_MOST_ROOTS = 100


class RootSteps(NamedTuple):
    """Half of a power of 2 that brings a near 1, and the steps of the sign."""

    shape: tuple[int, ...]
    size: Any
    signs: SignSteps

    def reshaped(self, shape: tuple[int, ...]) -> RootSteps:
        double = (*shape[:-2], 2 * shape[-2], 2 * shape[-1])
        return RootSteps(shape, self.size.reshape((*shape[:-2], 1, 1)), self.signs.reshaped(double))


class RootBySign:
    """The principal square root from array functions, for matrices without eigenvalues on the negative real axis."""

    def __init__(self, function: str, mark: bool) -> None:
        self.sign = Sign(function, mark, "it has an eigenvalue on the negative real axis or at 0, or no convergence", 2)

    def evaluate(self, a: Any) -> tuple[Any, RootSteps]:
        n = a.shape[-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            exponent = np.round(np.nan_to_num(np.log2(largest(a, (-2, -1), True)), posinf=0, neginf=0) / 2)
        size = np.ldexp(np.ones_like(exponent), exponent.astype(np.int32)).astype(np.real(a[..., :0]).dtype)
        value, signs = self.sign.evaluate(_corner(a / size / size, identity(n, a)))
        return value[..., :n, n:] * size, RootSteps(a.shape, size, signs)

    def derivative(self, a: Any, e: Any, factors: RootSteps) -> Any:
        n, zero = a.shape[-1], np.zeros_like(e)
        whole = np.broadcast_to(np.zeros_like(factors.size), factors.signs.shape)
        found = self.sign.derivative(whole, _corner(e / factors.size, zero), factors.signs)
        return found[..., :n, n:]


def _corner(above: Any, below: Any) -> Any:
    zero = np.zeros_like(above)
    top = np.concatenate([zero, above], axis=-1)
    return np.concatenate([top, np.concatenate([np.broadcast_to(below, above.shape), zero], axis=-1)], axis=-2)


class ByBlocks:
    """A method from a function alone: L(a, e) is the upper right block of f([[a, e], [0, a]]) (Mathias 1996)."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def evaluate(self, a: Any) -> tuple[Any, PerMatrix]:
        return self.function(a), PerMatrix(a.shape, ())

    def derivative(self, a: Any, e: Any, factors: PerMatrix) -> Any:
        del factors
        n, size = a.shape[-1], block_size(a, e)
        return self.function(blocks(a, size * e, None))[..., :n, n:] / size


def logarithm(function: str, mark: bool) -> ByBlocks:
    """The principal logarithm."""
    return ByBlocks(lambda a: _logarithm(a, RootBySign(function, mark)))


def power(function: str, mark: bool, p: float) -> ByBlocks:
    """exp(p log(a))."""
    return ByBlocks(lambda a: exponential(p * _logarithm(a, RootBySign(function, mark)))[0])


def _logarithm(a: Any, root: RootBySign) -> Any:
    one, count = identity(a.shape[-1], a), 0
    while count < _MOST_ROOTS and a.size and np.nan_to_num(to_host(largest(np.abs(a - one).sum(axis=-2), -1))).max() > _NEAR:
        a, count = root.evaluate(a)[0], count + 1
    x = a - one
    near = np.zeros_like(x)
    for u, w in zip(_NODES, _WEIGHTS, strict=True):
        near += w / 2 * np.linalg.solve(one + (1 + u) / 2 * x, x)
    return 2.0**count * near


__all__ = ["ByBlocks", "RootBySign", "logarithm", "power"]
