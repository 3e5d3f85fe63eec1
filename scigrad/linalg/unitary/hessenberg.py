"""The Hessenberg form, a = q h q^H with unitary q, whose first column is e_1, and h zero below the
subdiagonal.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, Traced, constant, differentiable, raw, shape_of
from scigrad.typing import Array, ArrayLike, Gauge, OnFail

from ..foundation import failures
from ..foundation.failures import (
    append_info,
    each,
    refuse_gauge,
    refuse_second,
    resolve_gauge,
    varies,
)
from ..foundation.lapack import host, may_overwrite, scipys
from ..foundation.matrices import (
    antihermitian,
    check_matrices,
    diagonal,
    frobenius,
    is_diagonal,
    largest,
    mH,
)


def hessenberg(
    a: ArrayLike,
    calc_q: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    gauge: Gauge | None = None,
    on_fail: OnFail = "raise",
) -> Array:
    """Compute the Hessenberg form of a matrix, a = q h q^H.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    calc_q : bool, optional
        Whether `q` is returned.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phases of the columns of `q` (complex matrices
        only), or on anything below a 0 on the subdiagonal of `h`. "check", the default, raises
        GaugeError; "project" drops that part of the cotangent and reads nothing back from a GPU;
        "trust" does neither.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    h : (..., n, n) ndarray
        Hessenberg matrix, zero below the subdiagonal.
    q : (..., n, n) ndarray
        Unitary matrix. Only with `calc_q`; the identity for n < 3.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If `a` is not square, or holds NaN or infinity.
    scigrad.GaugeError
        Under a transform, see `gauge`.

    Notes
    -----
    With ``x = q^H a' q``: ``q' = q k`` and ``h' = x - k h + h k``, where k is antihermitian, has
    first column 0, and makes h' vanish below the subdiagonal. This is a recursion over the columns,
    each divided by an element of the subdiagonal. On a GPU there is no such algorithm, see
    `scigrad.on_host`. See `scipy.linalg.hessenberg`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: np.trace(linalg.hessenberg(a)))(np.arange(9.0).reshape(3, 3)).round(12)
    ...     + 0
    ... )
    [[1. 0. 0.]
     [0. 1. 0.]
     [0. 0. 1.]]
    """
    if a.__class__ is np.ndarray and a.size and on_fail == "raise":
        found: Any = scipys(
            "hessenberg", (a, calc_q, may_overwrite(overwrite_a), check_finite), overwrite_a
        )
        if found is not None:  # below order 3 SciPy's q is in double precision whatever a is
            if calc_q:
                found = found[0], found[1].astype(found[0].dtype, copy=False)
            return found
    gauge, a = (
        resolve_gauge("hessenberg", gauge),
        check_matrices("hessenberg", "a", a, check_finite, on_fail),
    )
    h, q, info = _reduce_to_hessenberg(a, on_fail)
    if isinstance(a, Traced):
        h, q = (a, q) if shape_of(a)[-1] < 3 else _hessenberg_with_rules(a, h, q, gauge)
    return append_info((h, q) if calc_q else h, info, on_fail)


@constant(core={"a": 2})
def _reduce_to_hessenberg(a, on_fail):
    (h, q), info = each(
        "hessenberg",
        lambda a: tuple(host("hessenberg")(a, True, check_finite=False)),
        a,
        on_fail=on_fail,
    )
    return np.array(h), q.astype(h.dtype), info  # below order 3 h is a itself


# -- derivatives: with k = l - l^H and l strictly lower triangular, l h - h l = x below the
# subdiagonal


@differentiable("h", "x", core={"h": 2, "x": 2})
def _recursion(h, x, adjoint=False):
    """Solve for l, strictly lower triangular and 0 in the first column, l h - h l = x below the
    subdiagonal; or for y, 0 but there, y h^H - h^H y = x where l is not 0. Where the subdiagonal is
    0 it finds 0.
    """
    h = np.triu(h, -1)
    n = h.shape[-1]
    lead = np.broadcast_shapes(h.shape[:-2], x.shape[:-2])
    out = np.zeros((*lead, n, n), np.result_type(h.dtype, x.dtype), like=x)
    below, vanishes = diagonal(h, -1)[..., :-1], _is_reduced(h)
    factors = np.where(vanishes, 0, 1 / np.where(vanishes, 1, below))
    for j in reversed(range(n - 2)) if adjoint else range(n - 2):
        i, k = slice(j + 2, n), slice(j + 1, n)
        if adjoint:
            known = (
                out[..., i, k] @ np.conjugate(h[..., j + 1, k, None])
                - mH(h[..., i, i]) @ out[..., i, j + 1, None]
            )
            out[..., i, j] = (x[..., i, j + 1] - known[..., 0]) * np.conjugate(
                factors[..., j, None]
            )
        else:
            known = (
                out[..., i, : j + 1] @ h[..., : j + 1, j, None]
                - h[..., i, k] @ out[..., k, j, None]
            )
            out[..., i, j + 1] = (x[..., i, j] - known[..., 0]) * factors[..., j, None]
    return out


@_recursion.jvp
def _(call, t):
    if t.h is ZERO:
        return _recursion(call.h, t.x, call.adjoint)
    dh = mH(np.triu(t.h, -1)) if call.adjoint else np.triu(t.h, -1)
    return _recursion(call.h, t.x - (call.out @ dh - dh @ call.out), call.adjoint)


@_recursion.vjp
def _(call, g):
    y = _recursion(call.h, g, not call.adjoint)
    left, right = (call.out, mH(y)) if call.adjoint else (y, mH(call.out))
    return {"x": y, "h": lambda: np.triu(left @ right - right @ left, -1)}


def _is_reduced(h: Any) -> Any:
    """Return a mask (..., n - 2) of where the subdiagonal, but for its last element, is 0 up to
    rounding.
    """
    below = np.abs(diagonal(h, -1))[..., :-1]  # the last one divides nothing
    return below <= 4 * h.shape[-1] * np.finfo(h.dtype).eps * largest(h, (-2, -1), True)[..., 0]


@differentiable("a", core={"a": 2, "h": 2, "q": 2})
def _hessenberg_with_rules(a, h, q, gauge):
    del a, gauge
    return h, q


@_hessenberg_with_rules.jvp
def _(call, t):
    h, q = call.out
    _refuse_undetermined(call)
    x = mH(q) @ t.a @ q
    low = _recursion(h, x)
    k = low - mH(low)
    return np.triu(x - k @ h + h @ k, -1), q @ k


# In reverse mode the cotangent of h is taken as that of a full matrix, as in triangular_forms.py.
@_hessenberg_with_rules.vjp
def _(call, g):
    h, q = call.out
    h_bar, q_bar = g
    _refuse_undetermined(call)
    moment = antihermitian(mH(q) @ q_bar - h_bar @ mH(h) + mH(h) @ h_bar)
    if call.gauge == "check":
        norm = (0 if q_bar is ZERO else frobenius(q_bar)) + (
            0 if h_bar is ZERO else 2 * frobenius(h_bar) * frobenius(h)
        )
        phases = is_diagonal(h)
        phases[0, 0] = False  # the first column is e_1
        refuse_gauge(moment, phases, norm, REVERSE, lambda i, j: f"the phase of column {i}")
    return {"a": q @ (h_bar + _recursion(h, 2 * moment, True)) @ mH(q)}


def _refuse_undetermined(call: Any) -> None:
    h = raw(call.out[0])
    if call.gauge != "check":
        return
    if (where := failures.to_host(_is_reduced(h))).any():
        j = failures.first_place(where)[-1]
        raise GaugeError(
            f"hessenberg: element ({j + 1}, {j}) on the subdiagonal is 0, up to rounding; what "
            "stands beyond it depends on the direction in which the matrix changes, so there is "
            "no derivative here. gauge='trust' says that the loss does not depend on it (as the "
            "trace of a power of h); gauge='project' drops that part."
        )
    # by the factor by which the recursion magnifies a right-hand side and its relative error
    if varies(call.a):
        probe = np.tril(np.ones_like(h), -1)
        refuse_second(
            "hessenberg",
            frobenius(_recursion(h, probe)) * frobenius(h) / np.maximum(frobenius(probe), 1),
        )


REVERSE = (
    "hessenberg: the loss depends on {what} of q, which the matrix does not determine, so it has "
    "no derivative here. Write it with quantities that do not depend on the phases (|h|, |q|, q "
    "f(h) q^H), or pass gauge='project' to drop that part."
)

__all__ = ["hessenberg"]
