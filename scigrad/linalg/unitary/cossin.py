"""The cosine-sine decomposition of a partitioned unitary matrix."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, constant, raw, shape_of, stop_gradient
from scigrad.typing import Array, ArrayLike, Value

from ..foundation.failures import each
from ..foundation.lapack import host, refuse_unfit
from ..foundation.matrices import (
    as_array,
    as_matrix,
    identity,
    is_host,
    mH,
    refuse_nonfinite,
    same_precision,
)
from ..singular_values.svd_rules import singular_values
from .qr_rules import mark_undetermined

FACTORS = (
    "cossin: the unitary factors have no derivative here. The angles and the middle factor have "
    "(in forward mode with compute_u=False, compute_vh=False), and so have svd and polar of the "
    "blocks of the matrix."
)


def cossin(
    X: ArrayLike | tuple[Any, ...],
    p: int | None = None,
    q: int | None = None,
    separate: bool = False,
    swap_sign: bool = False,
    compute_u: bool = True,
    compute_vh: bool = True,
) -> tuple[Array, Array, Array]:
    """Compute the cosine-sine decomposition of a unitary matrix in four blocks.

    ``x = u cs v^H``, where the first block of x is p x q.

    Parameters
    ----------
    X : (..., m, m) array_like or tuple
        Unitary matrix, or batch of matrices, or its blocks ``(x11, x12, x21, x22)`` without `p` and
        `q`.
    p, q : int, optional
        Numbers of rows and columns of the first block.
    separate : bool, optional
        Whether ``(u1, u2), theta, (v1h, v2h)`` are returned.
    swap_sign : bool, optional
        Whether the negative sines are in the lower left block.
    compute_u, compute_vh : bool, optional
        Whether these factors are computed. Otherwise they are empty arrays.

    Returns
    -------
    u, cs, vh : (..., m, m) ndarray
        Block diagonal unitary matrices, and between them the real matrix of the cosines and sines
        of theta, which ascends.

    Raises
    ------
    ValueError
        If the blocks do not form a square matrix, `p` or `q` is out of range, or an array holds NaN
        or infinity.
    scigrad.GaugeError
        If a derivative of `u` or `vh` is required.

    Notes
    -----
    The derivative along x' is that along ``(x - x x'^H x) / 2``, which keeps x unitary. theta and
    `cs` are differentiable (in forward mode with ``compute_u=False, compute_vh=False``), at equal
    angles too: theta_i is the angle of the point (c_i, s_i), singular values of x11 and x21. Where
    theta_i is 0 or pi / 2 it has the subgradient of minimum norm, 0. See `scipy.linalg.cossin`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import jvp, linalg
    >>> turn = lambda t: np.stack(
    ...     [np.stack([np.cos(t), -np.sin(t)]), np.stack([np.sin(t), np.cos(t)])]
    ... )
    >>> middle = lambda t: linalg.cossin(turn(t), 1, 1, compute_u=False, compute_vh=False)[1]
    >>> cs = jvp(middle, (0.5,), (1.0,))[1]
    >>> print(cs.round(3) + 0)
    [[-0.479 -0.878]
     [ 0.878 -0.479]]
    """
    parts = tuple(X) if isinstance(X, (tuple, list)) else (X,)
    lead = [x.shape[:-2] for x in parts if hasattr(x, "shape")]
    # SciPy stacks blocks, or fails to
    if is_host(*parts) and not any(0 in size or (separate and size) for size in lead):
        return host("cossin")(X, p, q, separate, swap_sign, compute_u, compute_vh)
    x, p, q = _whole(X, p, q)
    refuse_nonfinite("cossin", True, X=x)
    parts = _factor_blocks(
        x, p, q, bool(separate), bool(swap_sign), bool(compute_u), bool(compute_vh)
    )
    k = len(parts) // 2
    u, middle, vh = parts[:k], parts[k], parts[k + 1 :]
    if isinstance(x, Traced):
        u = [mark_undetermined(x, y, FACTORS) if compute_u else y for y in u]
        vh = [mark_undetermined(x, y, FACTORS) if compute_vh else y for y in vh]
        # the same matrix, whose derivative keeps it unitary
        angles = _angles(1.5 * x - 0.5 * (x @ mH(x) @ x), p, q)
        change = angles - stop_gradient(angles)
        middle = (
            middle + change
            if separate
            else middle @ _turn(shape_of(x)[-1], p, q, bool(swap_sign), change)
        )
    out: Value = (tuple(u), middle, tuple(vh)) if separate else (u[0], middle, vh[0])
    return out


def _whole(given: Any, p: Any, q: Any) -> tuple[Any, int, int]:
    """Return the matrix, and the numbers p and q of rows and columns of its first block."""
    if p or q:
        p, q = (1 if n is None else int(n) for n in (p, q))
        x = as_matrix("cossin", "X", given)
        if not 0 < min(p, q) <= max(p, q) < shape_of(x)[-1]:
            refuse_unfit("cossin", np.eye(shape_of(x)[-1]), p, q)
        return x, p, q
    if len(given) != 4:
        refuse_unfit("cossin", [np.eye(1)] * len(given))
    blocks = [as_array("cossin", f"X[{i}]", given[i]) for i in range(4)]
    blocks = same_precision(*(x[(None,) * (2 - x.ndim)] if x.ndim < 2 else x for x in blocks))
    shapes = [shape_of(x)[-2:] for x in blocks]
    (p, q), (below, right) = shapes[0], shapes[3]
    if (
        shapes[1:3] != [(p, right), (below, q)]
        or 0 in (p, q, below, right)
        or p + below != q + right
    ):
        refuse_unfit("cossin", [np.zeros(shape) for shape in shapes])
    a, b, c, d = blocks
    return (
        np.concatenate([np.concatenate([a, b], axis=-1), np.concatenate([c, d], axis=-1)], axis=-2),
        p,
        q,
    )


def _angles(x: Any, p: int, q: int) -> Any:
    """Return theta from singular values of the first column of blocks, in which ones and zeros
    surround the cosines and sines.
    """
    m = shape_of(x)[-1]
    r = min(p, q, m - p, m - q)
    ones, more = min(p, q) - r, min(m - p, q) - r
    c, s = (
        singular_values(block, 8 * m * float(np.finfo(x.dtype).eps))
        for block in (x[..., :p, :q], x[..., p:, :q])
    )
    return np.arctan2(s[..., more : more + r][..., ::-1], c[..., ones : ones + r])


def _turn(m: int, p: int, q: int, swap_sign: bool, d: Any) -> Any:
    """Return the rotation that adds d to the angles of the middle factor, by which it is multiplied
    from the right.
    """
    r = shape_of(d)[-1]
    # ones in x11 come before the angles; those of the other blocks before their second columns
    first = min(p, q) - r
    second = first + min(m - p, q) + min(m - p, m - q) - r
    one = identity(m, raw(d))
    x, y, cosine, sine = (
        one[first : first + r],
        one[second : second + r],
        np.cos(d)[..., None] - 1,
        np.sin(d)[..., None],
    )
    plane = x.mT @ (sine * y)
    return (
        one
        + x.mT @ (cosine * x)
        + y.mT @ (cosine * y)
        + (1 if swap_sign else -1) * (plane - plane.mT)
    )


@constant(core={"x": 2})
def _factor_blocks(x, p, q, separate, swap_sign, compute_u, compute_vh):
    """Return u, cs, v^H; with `separate` u1, u2, theta, v1^H, v2^H."""

    def one(x: Any) -> tuple[Any, ...]:
        u, middle, vh = host("cossin")(x, p, q, separate, swap_sign, compute_u, compute_vh)
        return (*u, middle, *vh) if separate else (u, middle, vh)

    return tuple(each("cossin", one, x)[0])


__all__ = ["cossin"]
