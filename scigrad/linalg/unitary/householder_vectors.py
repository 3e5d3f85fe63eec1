"""The derivatives of Householder vectors v and of tau, by way of the orthonormal columns q that they make.

From q = e - v t v_1^H (see qr.householder_product), e the first k columns of the identity, v_1 the first k rows of v, follows

    e - q = v m,    m = t v_1^H upper triangular with the diagonal tau:

v and m are the factors of an LU factorisation without interchanges (Ballard, Demmel, Grigori, Jacquelin, Knight and Nguyen 2015,
Reconstructing Householder vectors from tall-skinny QR, Journal of Parallel and Distributed Computing 85, 3-31). With
x = -v_1^-1 q_1' and l the strict lower triangle of x m^-1:  v_1' = v_1 l,  m' = x - l m (upper triangular),
v_2' = -(q_2' + v_2 m') m^-1,  tau' = diag m'. There is no derivative where a tau is 0: LAPACK leaves a column that is 0 below its
diagonal as it is, and gives its neighbours the opposite sign. The last column of a square matrix has no neighbours; of m only
what stands before the last diagonal element is needed then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import GaugeError, differentiable, raw, shape_of

from ..foundation.matrices import identity, is_host, mH
from ..systems.solve import triangular_solver


@differentiable("q")
def attached_vectors(q, v, tau):
    """The strict lower triangle of v, and tau, with their derivatives in q."""
    del q
    return v, tau


attached_vectors.batch_leading(q=2, v=2, tau=1)


class _Rule:
    """v_1, v_2 and m of one call, and how to solve with them."""

    def __init__(self, call: Any) -> None:
        below, _ = call.out
        m, self.k = shape_of(below)[-2:]
        eye = identity(self.k, raw(below))
        self.top, self.below = below[..., : self.k, :] + eye, below[..., self.k :, :]
        _refuse_zeros(raw(call.tau), m == self.k)
        self.by_top = triangular_solver("qr", self.top, True)
        self.m = np.triu(self.by_top(eye - call.q[..., : self.k, :]))
        last = eye * eye[-1:] if m == self.k else 0 * eye
        self.by_m = triangular_solver("qr", self.m * np.real(1 - last) + last, False)

    def over_m(self, x: Any) -> Any:
        """x m^-1."""
        return mH(self.by_m(mH(x), True))


def _refuse_zeros(tau: Any, square: bool) -> None:
    needed = tau[..., :-1] if square else tau
    if is_host(tau) and (needed == 0).any():
        *index, column = (int(i) for i in np.argwhere(needed == 0)[0])
        where = f" at batch index {tuple(index)}" if index else ""
        raise GaugeError(
            f"qr: tau[{column}]{where} is 0: that column was zero below its diagonal already, and its vector jumps when it "
            "gets others, so mode='raw' has no derivative here. mode='economic' has one."
        )


@attached_vectors.jvp
def _(call, t):
    rule = _Rule(call)
    x = -rule.by_top(t.q[..., : rule.k, :])
    low = np.tril(rule.over_m(x), -1)
    dm = np.triu(x - low @ rule.m)
    dv = rule.top @ low
    if shape_of(rule.below)[-2]:
        dv = np.concatenate([dv, -rule.over_m(t.q[..., rule.k :, :] + rule.below @ dm)], axis=-2)
    return np.tril(dv, -1), np.diagonal(dm, axis1=-2, axis2=-1)


__all__ = ["attached_vectors"]
