"""The recurrence of a linear system in discrete time, x[i] = A x[i-1] + v[i] from x[0] = v[0].

Its derivatives are recurrences again: forward x' = A x' + (v' + A' x[i-1]); backward, with w = A^H
w + g run from the last sample to the first, v_bar = w and A_bar = sum_i w[i] x[i-1]^H.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import differentiable


@differentiable("a", "v", core={"a": 2, "v": 2})
def recurrence(a: Any, v: Any) -> Any:
    """Return the states (..., n, m) of the recurrence with matrix a (..., m, m) and inputs v (...,
    n, m).
    """
    a = np.swapaxes(a, -1, -2)
    shape = (*np.broadcast_shapes(a.shape[:-2], v.shape[:-2]), *v.shape[-2:])
    x = np.broadcast_to(v, shape).astype(np.result_type(a.dtype, v.dtype))
    # What BLAS flags in products of infinities depends on the processor.
    with np.errstate(invalid="ignore"):
        for i in range(1, shape[-2]):
            x[..., i, :] += (x[..., i - 1, None, :] @ a)[..., 0, :]
    return x


@recurrence.jvp
def _(call: Any, t: Any) -> Any:
    return recurrence(call.a, t.v + _behind(call.out) @ _transposed(t.a))


@recurrence.vjp
def _(call: Any, g: Any) -> Any:
    w = recurrence(_transposed(call.a.conj()), g[..., ::-1, :])[..., ::-1, :]
    return {"v": w, "a": lambda: _transposed(w) @ _behind(call.out).conj()}


def _behind(x: Any) -> Any:
    """Return x one step later, from 0."""
    return np.concatenate([0 * x[..., :1, :], x[..., :-1, :]], axis=-2)


def _transposed(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


__all__ = ["recurrence"]
