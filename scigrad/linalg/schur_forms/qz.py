"""Generalized Schur forms of a pair, a = q s z^H and b = q p z^H, with unitary q, z and triangular
s, p.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import Traced, constant, differentiable, materialize, shape_of
from scigrad.typing import Array, ArrayLike, Gauge, OnFail

from ..foundation.failures import append_info, each, refuse_gauge, resolve_gauge
from ..foundation.lapack import host, may_overwrite, scipys
from ..foundation.matrices import (
    check_matrices,
    diagonal,
    frobenius,
    is_complex,
    power_of_two,
    same_precision,
)
from .schur import OUTPUTS, SORTS
from .schur_rules import equal, pair_with_rules


def qz(
    A: ArrayLike,
    B: ArrayLike,
    output: Literal["real", "complex"] = "real",
    lwork: int | None = None,
    sort: None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    gauge: Gauge | None = None,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array, Array, Array]:
    """Compute the generalized Schur form of a pair of matrices, a = q s z^H and b = q p z^H.

    Parameters
    ----------
    A, B : (..., n, n) array_like
        Square matrices, or batches of matrices, whose batch axes broadcast.
    output : {"real", "complex"}, optional
        "real" gives real matrices with 2 x 2 blocks on the diagonal of s for pairs of complex
        eigenvalues.
    lwork : int, optional
        Size of the work array of LAPACK. Ignored inside a transform, for batches and on a GPU.
    sort : None, optional
        Not supported, use `ordqz`.
    overwrite_a, overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phases of the columns of `q` and `z`, the rotation
        inside of a block, or the basis of equal eigenvalues. "check", the default, raises
        GaugeError; "project" drops that part of the cotangent and reads nothing back from a GPU;
        "trust" does neither.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    s, p : (..., n, n) ndarray
        Triangular matrices. The diagonal of `p` is not negative.
    q, z : (..., n, n) ndarray
        Unitary matrices.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If shapes do not fit, options are unknown, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If the iteration does not converge.
    scigrad.GaugeError
        Under a transform, see `gauge`.

    Notes
    -----
    With ``x = q^H a' z`` and ``y = q^H b' z``: ``q' = q k`` and ``z' = z m``, where
    ``k s - s m = x`` and ``k p - p m = y`` below the diagonal. See `scipy.linalg.qz`.

    On a GPU there is no such algorithm, see `scigrad.on_host`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> def last(a):
    ...     s, p, _, _ = linalg.qz(a, np.eye(2))
    ...     return s[1, 1] / p[1, 1]
    >>> print(grad(last)(np.array([[1.0, 2.0], [0.0, 3.0]])))
    [[0. 0.]
     [1. 1.]]
    """
    if A.__class__ is np.ndarray is B.__class__ and A.size and B.size and on_fail == "raise":
        memory = may_overwrite(overwrite_a), may_overwrite(overwrite_b)
        found = scipys(
            "qz", (A, B, output, lwork, sort, *memory, check_finite), overwrite_a or overwrite_b
        )
        if found is not None:
            return tuple(found)
    if sort is not None:
        raise ValueError(
            "qz: the 'sort' input of qz() has to be None, as in SciPy; use ordqz instead."
        )
    s, p, q, z, _, info = _pair_form("qz", A, B, output, None, check_finite, gauge, on_fail)
    return append_info((s, p, q, z), info, on_fail)


def ordqz(
    A: ArrayLike,
    B: ArrayLike,
    sort: Literal["lhp", "rhp", "iuc", "ouc"] | Callable[..., Any] = "lhp",
    output: Literal["real", "complex"] = "real",
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    gauge: Gauge | None = None,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Compute the generalized Schur form of a pair of matrices with selected eigenvalues first.

    Parameters
    ----------
    A, B : (..., n, n) array_like
        Square matrices, or batches of matrices, whose batch axes broadcast.
    sort : {"lhp", "rhp", "iuc", "ouc"} or callable, optional
        Eigenvalues that come first: in the left or right half-plane, inside or outside of the unit
        circle, or where a function of (alpha, beta) is true.
    output : {"real", "complex"}, optional
        "real" gives real matrices with 2 x 2 blocks on the diagonal of s for pairs of complex
        eigenvalues.
    overwrite_a, overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on what the matrices leave open, as in `qz`.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    s, p : (..., n, n) ndarray
        Triangular matrices.
    alpha, beta : (..., n) ndarray
        Eigenvalues ``alpha / beta``.
    q, z : (..., n, n) ndarray
        Unitary matrices.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If shapes do not fit, options are unknown, an array holds NaN or infinity, or the pair is
        too ill conditioned to be sorted.
    numpy.linalg.LinAlgError
        If the iteration does not converge.
    scigrad.GaugeError
        Under a transform, see `gauge`.

    Notes
    -----
    Derivatives as for `qz`. In a block of order 2 the common scale of alpha and beta is open. On a
    GPU there is no such algorithm, see `scigrad.on_host`. See `scipy.linalg.ordqz`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> def first(a):
    ...     _, _, alpha, beta, _, _ = linalg.ordqz(a, np.eye(2), sort="ouc")
    ...     return np.real(alpha[0] / beta[0])
    >>> print(grad(first)(np.array([[0.5, 2.0], [0.0, 3.0]])).round(12) + 0.0)
    [[0.  0. ]
     [0.8 1. ]]
    """
    if A.__class__ is np.ndarray is B.__class__ and A.size and B.size and on_fail == "raise":
        memory = may_overwrite(overwrite_a), may_overwrite(overwrite_b)
        found = scipys(
            "ordqz", (A, B, sort, output, *memory, check_finite), overwrite_a or overwrite_b
        )
        if found is not None:
            return tuple(found)
    if not callable(sort) and sort not in SORTS:
        raise ValueError(
            f"ordqz: sort parameter must be a function or one of {SORTS}, not {sort!r}."
        )
    s, p, q, z, (alpha, beta), info = _pair_form(
        "ordqz", A, B, output, sort, check_finite, gauge, on_fail
    )
    if isinstance(s, Traced):
        alpha, beta = _eigenvalues(s, p, alpha, beta, resolve_gauge("ordqz", gauge))
    return append_info((s, p, alpha, beta, q, z), info, on_fail)


def _eigenvalues(s: Any, p: Any, alpha: Any, beta: Any, gauge: str) -> tuple[Any, Any]:
    """Return alpha and beta for traced forms, from their diagonals. In a 2 x 2 block alpha and beta
    are multiples of x and det p, where x^2 - (a h + d e - c f) x + det s det p = 0 with the blocks
    [[a, b], [c, d]] of s and [[e, f], [0, h]] of p.
    """
    own = diagonal(s) + 0j, diagonal(p)
    if is_complex(s):
        return own
    s, p = s / power_of_two(s), p / power_of_two(p)
    (a, d), (e, h) = ((diagonal(x)[..., :-1], diagonal(x)[..., 1:]) for x in (s, p))
    b, c, joined = diagonal(s, 1), diagonal(s, -1), np.abs(diagonal(s, -1)) > 0  # not of NaN
    half, product = (a * h + d * e - c * diagonal(p, 1)) / 2, e * h
    root = np.sqrt(np.where(joined, (a * d - b * c) * product - half**2, 1))
    half, root, product, inside = (
        _at_both(np.where(joined, x, 0)) for x in (half, root, product, 1)
    )
    x, inside = half + 1j * np.sign(np.imag(alpha) * product) * root, inside > 0
    return _up_to_scale(
        np.where(inside, x, own[0]), np.where(inside, product, own[1]), alpha, beta, inside, gauge
    )


def _at_both(x: Any) -> Any:
    """Return the numbers (..., n - 1) of 2 x 2 blocks at both of their eigenvalues, as (..., n)."""
    lead = [(0, 0)] * (len(shape_of(x)) - 1)
    return np.pad(x, [*lead, (0, 1)]) + np.pad(x, [*lead, (1, 0)])


def _pair_form(function, a, b, output, sort, check_finite, gauge, on_fail):
    gauge = resolve_gauge(function, gauge)
    a, b = (
        check_matrices(function, name, x, check_finite, on_fail) for name, x in (("A", a), ("B", b))
    )
    if output not in OUTPUTS:
        raise ValueError(
            f"{function}: argument output must be 'real' or 'complex', not {output!r}."
        )
    if shape_of(a)[-1] != shape_of(b)[-1]:
        raise ValueError(
            f"{function}: array dimensions must be square and agree, not {shape_of(a)} and "
            f"{shape_of(b)}."
        )
    a, b = same_precision(a, b)
    if output in ("complex", "c") or is_complex(a) or is_complex(b):
        a, b = (
            x if is_complex(x) else x.astype("F" if x.dtype.char == "f" else "D") for x in (a, b)
        )
    s, p, q, z, alpha, beta, info = _factor_pair(a, b, function, sort, on_fail)
    if isinstance(a, Traced) or isinstance(b, Traced):
        same = equal(s, p, gauge)
        s, p, q, z = pair_with_rules(a, b, s, p, q, z, same, same, gauge, function)
    return s, p, q, z, (alpha, beta), info


@constant(core={"a": 2, "b": 2})
def _factor_pair(a, b, function, sort, on_fail):
    found, info = each(function, lambda a, b: _one(a, b, sort), a, b, on_fail=on_fail, argument="A")
    return (*found, info)


def _one(a: Any, b: Any, sort: Any) -> tuple[Any, ...]:
    """Return s, p, q, z, alpha and beta of one pair on the host."""
    if not a.size:
        return a, a, a, a, np.diagonal(a) + 0j, np.diagonal(a)
    if sort is None:
        s, p, q, z = host("qz")(a, b, check_finite=False)
        return s, p, q, z, np.diagonal(s) + 0j, np.diagonal(p)
    s, p, alpha, beta, q, z = host("ordqz")(a, b, sort, check_finite=False)
    return s, p, q, z, alpha, beta


@differentiable("x", "y", core={"x": 1, "y": 1, "alpha": 1, "beta": 1, "inside": 1})
def _up_to_scale(x, y, alpha, beta, inside, gauge):
    """Return alpha and beta, equal to x and y up to a common scale in blocks, which the algorithm
    chooses; it is constant here.
    """
    del x, y, inside, gauge
    return alpha, beta


def _scales(call: Any) -> Any:
    return (
        np.where(call.inside, z / np.where(call.inside, x, 1), 1)
        for z, x in zip(call.out, (call.x, call.y), strict=True)
    )


@_up_to_scale.jvp
def _(call, t):
    of_alpha, of_beta = _scales(call)
    return of_alpha * t.x, of_beta * t.y


@_up_to_scale.vjp
def _(call, g):
    (alpha, beta), g = call.out, [materialize(*pair) for pair in zip(g, call.out, strict=True)]
    size = np.where(call.inside, np.hypot(np.abs(alpha), beta), 1)
    alpha, beta = (np.where(call.inside, x / size, 0) for x in (alpha, beta))
    along = np.real(np.conjugate(alpha) * g[0]) + beta * g[1]
    if call.gauge == "check":
        norm = np.hypot(*(frobenius(x[..., None, :]) for x in g))
        refuse_gauge(
            along[..., None, :],
            call.inside[..., None, :],
            norm,
            SCALE,
            lambda _, j: f"alpha[{j}] and beta[{j}]",
        )
    of_alpha, of_beta = _scales(call)
    return {
        "x": np.conjugate(of_alpha) * (g[0] - along * alpha),
        "y": of_beta * (g[1] - along * beta),
    }


SCALE = (
    "ordqz: the loss depends on the common scale of {what}, which the algorithm chooses for "
    "complex eigenvalues of the real form, so it has no derivative here. Write it with alpha / "
    "beta, take output='complex', or pass gauge='project' to drop that part."
)

__all__ = ["ordqz", "qz"]
