"""Sign, square root, logarithm and powers of a matrix on a device, which has no Schur decomposition: compositions.

The sign is the limit of Newton's iteration (Higham 2008, Functions of Matrices, section 5.5)

    x <- (m x + x^-1 / m) / 2     with factors m that accelerate it, on which the limit does not depend.

sign([[0, a], [1, 0]]) holds the square root of a in its upper right block (the same book, theorem 5.2; Denman and Beavers
1976). Repeated roots bring a matrix so close to 1 that a Gauss rule gives the logarithm (Cheng, Higham, Kenney and Laub 2001,
SIAM J. Matrix Anal. Appl. 22(4), 1112-1125). The iteration in real arithmetic does not converge for eigenvalues on the negative
real axis; they raise, where a matrix on the host has complex results. The device is synchronized once a step for the test of
convergence.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of, stop_gradient

from ..foundation import failures
from ..foundation.failures import to_host
from ..foundation.matrices import identity, largest
from ..systems.solve import inv, solve
from .expm import expm
from .frechet import blocks

_STEPS = 30  # for eigenvalues down to 1e-8 of their size from the axis; rounding drives one on the axis off, but later
_SLOW = 1e-2  # a relative change from which Newton's iteration converges by itself
_DONE = 1e-9  # a step that changes so little leaves an error of its square
_NEAR = 0.25  # |x - 1| from which the rule with 8 nodes has all digits
_NODES, _WEIGHTS = ((np.polynomial.legendre.leggauss(8) + np.array([[1.0], [0.0]])) / 2).tolist()  # on (0, 1)
_MOST_ROOTS = 100


def sign_by_newton(a: Any, function: str, on_fail: str, why: str, parts: int = 1) -> Any:
    """The sign. Where it is not defined, an error names `function` and its argument, one of `parts` x `parts` blocks of a, unless
    `on_fail` asks for NaN."""
    if not raw(a).size:
        return a
    x, change, last, singular = a, _norm(a) * 0 + np.inf, np.inf, None
    for _ in range(_STEPS):
        inverse = inv(x, on_fail="nan", check_finite=False)
        size, size_of_inverse = _norm(x), _norm(inverse)
        if singular is None:  # an eigenvalue that is 0 up to rounding would get a sign too
            singular = ~(size * size_of_inverse * np.finfo(a.dtype).eps * shape_of(a)[-1] < 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = np.where(change > _SLOW, np.sqrt(size_of_inverse / size), 1).astype(size.dtype)
            new = (scale * x + inverse / scale) / 2
            change = _norm(new - x) / _norm(new)
        x, worst = new, np.nan_to_num(to_host(raw(change))).max(initial=0)  # of an empty batch
        if worst <= _DONE or (worst <= _SLOW and worst > last / 2):
            break
        last = worst
    failed = singular | ~(change <= _SLOW)
    if on_fail == "raise":
        _refuse(raw(a), raw(failed)[..., 0, 0], function, why, parts)
    return x * np.where(failed, np.nan, 1).astype(size.dtype)


def _norm(x: Any) -> Any:
    return largest(np.abs(stop_gradient(x)).sum(axis=-2, keepdims=True), (-2, -1), True)


def _refuse(a: Any, failed: Any, function: str, why: str, parts: int) -> None:
    codes = np.asarray(to_host(failed & ~failures.not_finite(a)))
    if codes.any():
        where = f" at batch index {tuple(int(i) for i in np.argwhere(codes)[0])}" if codes.ndim else ""
        shape = (*a.shape[:-2], *(n // parts for n in a.shape[-2:]))
        raise np.linalg.LinAlgError(
            f"{function}: argument 'A' of shape {shape}: {why}{where}, where the function is not smooth. Keep away "
            "from such matrices, for instance by adding a small multiple of the identity; on_fail='nan' or 'info' gives NaN."
        )


def root_by_sign(a: Any, function: str, on_fail: str) -> Any:
    """The principal square root, for matrices without eigenvalues on the negative real axis."""
    n, largest_element = shape_of(a)[-1], largest(stop_gradient(a), (-2, -1), True)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.round(np.nan_to_num(np.log2(largest_element), posinf=0, neginf=0) / 2)
    size = np.ldexp(np.ones_like(exponent), exponent.astype(np.int32)).astype(largest_element.dtype)
    whole = blocks(None, a / size / size, identity(n, raw(a)))
    why = "it has an eigenvalue on the negative real axis or at 0, or no convergence"
    return sign_by_newton(whole, function, on_fail, why, 2)[..., :n, n:] * size


def logarithm(a: Any, function: str, on_fail: str) -> Any:
    """The principal logarithm."""
    one, count = identity(shape_of(a)[-1], raw(a)), 0
    while count < _MOST_ROOTS and raw(a).size and np.nan_to_num(to_host(raw(_norm(a - one)))).max() > _NEAR:
        a, count = root_by_sign(a, function, on_fail), count + 1
    x = a - one
    terms = (w * solve(one + u * x, x, check_finite=False, on_fail="nan") for u, w in zip(_NODES, _WEIGHTS, strict=True))
    return 2.0**count * sum(terms)


def power(a: Any, function: str, on_fail: str, p: float) -> Any:
    """exp(p log(a))."""
    return expm(p * logarithm(a, function, on_fail))


__all__ = ["logarithm", "power", "root_by_sign", "sign_by_newton"]
