"""Losses of equal eigenvalues on the diagonal of a triangular form, or of a pair of forms, that gauge="check" accepts.

The rules take the cotangent of a form as that of a full matrix. An eigenvalue s / p of multiplicity k has k null vectors v of
the pair at it, or is joined by a Jordan block and has no derivative. A change p v x v^H of s changes it like the matrix x, so a
loss of the forms alone, which has to be a symmetric function of eigenvalues, has there a gradient (p v)^H s_bar v that is a
multiple of the identity. One form is a pair with p = 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import GaugeError, constant
from scigrad.autodiff_rules.batching import aligned

from ..foundation.failures import to_host
from ..foundation.lapack import host


@constant
def blocks(t):
    """Return whether (i, j) lies in a 2 x 2 block on the diagonal of t, off the diagonal."""
    joined = np.zeros(t.shape, bool)
    i = np.arange(t.shape[-1] - 1)
    joined[..., i + 1, i] = np.diagonal(t, -1, -2, -1) != 0
    return joined | joined.mT


blocks.batch_leading(t=2)


@constant
def refuse_repeated(*matrices, alone, texts, choice):
    """Raise GaugeError with the first text where equal eigenvalues are joined by a Jordan block, with the second where the loss
    of the forms `alone` is not symmetric in them. `matrices`: the forms, as many gradients, and which eigenvalues are equal."""
    *values, together = map(to_host, matrices)
    lead = np.broadcast_shapes(*(x.shape[:-2] for x in (*values, together)))
    *values, together = (np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (*values, together))
    repeated = (together & ~blocks(values[0]) & ~np.eye(together.shape[-1], dtype=bool)).any(axis=-1)
    for index in map(tuple, np.argwhere(repeated.any(axis=-1))):
        here = [x[index] for x in values]
        for members in np.unique(together[index][repeated[index]], axis=0) if np.isfinite(here).all() else ():
            _check(here[: len(here) // 2], here[len(here) // 2 :], members, alone, texts, choice)


@refuse_repeated.batched
def _(call, batched):
    refuse_repeated(*aligned(call.matrices, batched.matrices), alone=call.alone, texts=call.texts, choice=call.choice)


def _check(forms: list[Any], gradients: list[Any], members: Any, alone: bool, texts: tuple[str, str], choice: Any) -> None:
    n, eps = len(members), np.finfo(forms[0].dtype).eps
    s, p = (x / (np.linalg.norm(x) or 1) for x in (forms[0], forms[1] if len(forms) == 2 else np.eye(n)))
    i = int(np.argmax(members))
    own = slice(i, i + 2 if s[i + 1, i] else i + 1)  # the last one has an equal one before it
    c, d = host("eigvals")(s[own, own], p[own, own], homogeneous_eigvals=True)[:, 0]
    _, sizes, vh = np.linalg.svd((d * s - c * p) / (np.hypot(abs(c), abs(d)) or 1))
    k = int(members.sum()) // (own.stop - own.start)
    if sizes[-k] > 100 * n * eps:
        raise GaugeError(texts[0])
    v = vh[-k:].conj().T
    left, gradient = max(((p @ v, gradients[0]), (s @ v, gradients[-1])), key=lambda pair: np.linalg.norm(pair[0]))
    change = left.conj().T @ gradient @ v
    rest = np.abs(change - np.trace(change) / k * np.eye(k)).max()
    if alone and rest > 100 * np.sqrt(eps) * max(np.abs(x).max() for x in gradients) * np.linalg.norm(left):
        first, second = np.flatnonzero(members)[:2]
        raise GaugeError(texts[1].format(what=choice(second, first)))


__all__ = ["blocks", "refuse_repeated"]
