"""Losses of equal eigenvalues on the diagonal of a triangular form, or of a pair of forms, that gauge="check" accepts.

The rules take the cotangent of a form as that of a full matrix. In a form that is reordered so that equal eigenvalues come first,
their block t is a multiple of the identity (of a real form with 2 x 2 blocks: its square is a combination of t and 1), or they
are joined by a Jordan block and have no derivatives. A loss of the form alone has to be a symmetric function of them, and its
gradient there a polynomial in t^H. For a pair s, p this holds for the block of s p^-1, or of p s^-1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from scigrad.autodiff_rules import GaugeError, constant
from scigrad.autodiff_rules.batching import aligned

from ..foundation.failures import to_host
from ..foundation.gauge import above_rounding
from ..foundation.lapack import routine
from ..foundation.matrices import frobenius


@constant
def refuse_repeated(*matrices, alone, texts, choice):
    """Raise GaugeError with the first text where equal eigenvalues are joined by a Jordan block, with the second where the loss
    of the forms `alone` is not symmetric in them. `matrices`: the forms, as many gradients, and which eigenvalues are equal."""
    *values, together = map(to_host, matrices)
    forms = len(values) // 2
    lead = np.broadcast_shapes(*(x.shape[:-2] for x in (*values, together)))
    if not (together & ~_blocks(values[0]) & ~np.eye(together.shape[-1], dtype=bool)).any():
        return
    *values, together = (np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (*values, together))
    for index in np.ndindex(lead):
        here = [x[index] for x in values]
        for members in _groups(here[0], together[index]):
            _check(here[:forms], here[forms:], members, alone, texts, choice)


@refuse_repeated.batched
def _(call, batched):
    refuse_repeated(*aligned(call.matrices, batched.matrices), alone=call.alone, texts=call.texts, choice=call.choice)


def _blocks(t: Any) -> Any:
    """Return whether (i, j) lies in a 2 x 2 block, off the diagonal."""
    joined = np.zeros(t.shape, bool)
    i = np.arange(t.shape[-1] - 1)
    joined[..., i + 1, i] = np.diagonal(t, -1, -2, -1) != 0
    return joined | joined.mT


def _groups(t: Any, together: Any) -> Iterator[Any]:
    """Return which members each group of equal eigenvalues has, but those of one block alone."""
    repeated = together & ~_blocks(t) & ~np.eye(len(t), dtype=bool)
    yield from np.unique(together[repeated.any(axis=-1)], axis=0)


def _check(forms: list[Any], gradients: list[Any], members: Any, alone: bool, texts: tuple[str, str], choice: Any) -> None:
    if not all(np.isfinite(x).all() for x in (*forms, *gradients)):
        return
    k = int(members.sum())
    moved, left, right = _reordered(forms, members)
    leading = [x[:k, :k] for x in moved]
    bars = [left[:, :k].conj().T @ x @ right[:, :k] for x in gradients]
    t, t_bar, size = _quotient(leading, bars, [frobenius(x) for x in forms])
    order = 2 if leading[0][1, 0] != 0 else 1
    if above_rounding(*_characteristic(t, order, size)).any():
        raise GaugeError(texts[0])
    first, second = np.flatnonzero(members)[:2]
    most = max(np.abs(x).max() for x in gradients)
    if alone and np.abs(t_bar).max() > 100 * np.finfo(t.dtype).eps ** 0.5 * most and not _is_polynomial(t, t_bar, size):
        raise GaugeError(texts[1].format(what=choice(second, first)))


def _reordered(forms: list[Any], members: Any) -> tuple[Any, Any, Any]:
    """The forms with some eigenvalues first, and the bases on their left and on their right."""
    char, eye = forms[0].dtype.char, np.eye(len(members), dtype=forms[0].dtype)
    if len(forms) == 1:
        t, z, *_ = routine("trsen", char)(members, forms[0], eye, job="N")
        return [t], z, z
    s, p, *_, q, z, _, _, _, _, _ = routine("tgsen", char)(members, *forms, eye, eye, ijob=0)
    return [s, p], q, z


def _characteristic(t: Any, order: int, size: Any) -> tuple[Any, Any]:
    """The characteristic polynomial of the first block at t, 0 where all blocks are alike, and its norm."""
    eye = np.eye(len(t))
    if order == 1:
        return t - np.trace(t) / len(t) * eye, size
    (a, b), (c, d) = t[:2, :2]
    return t @ t - (a + d) * t + (a * d - b * c) * eye, size * size


def _quotient(leading: list[Any], bars: list[Any], sizes: list[Any]) -> tuple[Any, Any, Any]:
    """The matrix whose eigenvalues are equal, the gradient in it, and the norm that its rounding is measured by."""
    if len(leading) == 1:
        return leading[0], bars[0], sizes[0]
    units = [x / (size or 1) for x, size in zip(leading, sizes, strict=True)]
    smallest = [np.abs(np.linalg.det(x)) for x in units]
    over = int(smallest[0] > smallest[1])  # 1: p s^-1
    inverse = np.linalg.pinv(leading[1 - over])
    return leading[over] @ inverse, bars[over] @ units[1 - over].conj().T, sizes[over] * np.linalg.norm(inverse)


def _is_polynomial(t: Any, g: Any, size: Any) -> bool:
    """Return whether g is a polynomial in t^H; t deviates from a multiple of the identity by more than rounding, or is one."""
    n = len(t)
    step = t.conj().T - np.trace(t).conj() / n * np.eye(n)
    largest_step = np.abs(step).max()
    step = step / largest_step if largest_step > 64 * n * np.finfo(t.dtype).eps * size else 0 * step
    powers = [np.eye(n, dtype=np.result_type(t, g))]
    for _ in range(n - 1):
        powers.append(powers[-1] @ step)
    basis, scale = np.stack([x.ravel() for x in powers], axis=1), np.abs(g).max()
    target = g.ravel() / (scale or 1)
    rest = target - basis @ np.linalg.lstsq(basis, target, rcond=1e-10)[0]
    return bool(np.abs(rest).max() <= 100 * np.sqrt(np.finfo(t.dtype).eps))


__all__ = ["refuse_repeated"]
