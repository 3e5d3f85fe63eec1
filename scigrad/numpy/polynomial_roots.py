"""Conversions between a polynomial's coefficients, its roots and points on its graph."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import TracedValueError, concrete, differentiable, raw, warn
from scigrad.autodiff_rules.backends import library
from scigrad.typing import Array, ArrayLike

from .composition import numpy_composition
from .devices import is_batched, on_host, upload
from .diagonals import powers_of, vander
from .joining import assemble, atleast_1d
from .products import conjugate, matmul, matvec, outer, vecmat
from .reductions import inexact
from .shaping import reshape, transpose

__all__ = ["poly", "polyfit", "roots"]


@numpy_composition(np.roots)
def roots(p: ArrayLike) -> Array:
    """Return the zeros of a polynomial, see `numpy.roots`. A multiple zero has no derivative: under
    a transform a warning says so.
    """
    p = inexact(atleast_1d(assemble(p)))
    if p.ndim != 1:
        raise ValueError(f"Input must be a rank-1 array, not of shape {p.shape}.")
    return _roots(p)


@differentiable("p", core={"p": 1})
def _roots(p):
    if p.ndim == 1 and type(p) is np.ndarray:
        return np.roots(p)
    if p.ndim == 1:
        places = np.flatnonzero(on_host(p))
        p = p[places[0] :] if places.size else p[:0]
    # a batch, or a polynomial on a device: eigenvalues of companion matrices
    n = p.shape[-1] - 1
    companion = np.zeros_like(p, shape=(*p.shape[:-1], max(n, 0), max(n, 0)))
    if n > 0 and on_host(np.any(p[..., 0] == 0)):
        raise TracedValueError(
            "roots: a leading coefficient in the batch is 0, so that element has fewer zeros than "
            "the others."
        )
    # the ones beside trailing zeros are left out: zeros at 0 come last then, as in numpy.roots
    if n > 0:
        companion[..., np.arange(1, n), np.arange(n - 1)] = (
            np.cumsum(p[..., :1:-1] != 0, axis=-1) > 0
        )[..., ::-1]
        companion[..., 0, :] = -p[..., 1:] / p[..., :1]
    return np.linalg.eigvals(companion).astype(np.result_type(companion.dtype, np.complex64))


# p(z) = 0  =>  p'(z) dz + dp(z) = 0, for each element of a batch of zeros with the coefficients of
# its own


def _powers_and_slopes(call: Any) -> Any:
    n = call.p.shape[-1] - 1
    powers = powers_of(call.out, n + 1)
    slopes = matvec(powers[..., 1:], call.p[..., :-1] * upload(np.arange(n, 0, -1), call.p))
    _warn_if_multiple(*map(raw, (call.p, powers, slopes)))
    return powers, slopes


def _warn_if_multiple(p: Any, powers: Any, slopes: Any) -> None:
    """Warn where p'(z) keeps less than half of its digits, with z of error eps sum_k |p_k z^(n-k)|
    / |p'(z)|.
    """
    if library(p, slopes) != "numpy" or not slopes.size:  # a device would wait
        return
    curvature = np.arange(p.shape[-1] - 1, 1, -1) * np.arange(p.shape[-1] - 2, 0, -1)
    size, bent = (
        matvec(np.abs(powers), np.abs(p)),
        np.abs(matvec(powers[..., 2:], p[..., :-2] * curvature)),
    )
    if np.any(np.abs(slopes) ** 2 <= np.sqrt(np.finfo(slopes.dtype).eps) * size * bent):
        warn(
            "roots: two zeros of the polynomial are equal or nearly so; a multiple zero has no "
            "derivative, and that of near ones loses more than half of its digits. Symmetric "
            "functions of the zeros can be written with the coefficients.",
            RuntimeWarning,
        )


@_roots.jvp
def _(call, t):
    powers, slopes = _powers_and_slopes(call)
    return -matvec(powers, t.p) / slopes


@_roots.vjp
def _(call, g):
    powers, slopes = _powers_and_slopes(call)
    return {"p": -np.conjugate(vecmat(g / conjugate(slopes), powers))}


@numpy_composition(np.poly)
def poly(seq_of_zeros: ArrayLike) -> Any:
    """Return the coefficients of the polynomial with given zeros, or of the characteristic
    polynomial of a matrix, see `numpy.poly`.
    """
    zeros = inexact(atleast_1d(assemble(seq_of_zeros)))
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] > 0:
        zeros = np.linalg.eigvals(zeros)
    elif zeros.ndim != 1:
        raise ValueError(
            f"input must be 1d or non-empty square 2d array, not of shape {zeros.shape}."
        )
    if not zeros.shape[0]:
        return 1.0
    p = upload(np.ones(1, zeros.dtype), zeros)
    for n in range(zeros.shape[0]):
        p = np.pad(p, (0, 1)) - zeros[n] * np.pad(p, (1, 0))
    return np.real(p) if zeros.dtype.kind == "c" and _come_in_pairs(zeros) else p


def _come_in_pairs(zeros: Any) -> bool:
    """Return whether the values are real or conjugate pairs, for which NumPy returns real
    coefficients; under vmap False.
    """
    if is_batched(zeros):
        return False
    return _are_pairs(on_host(raw(zeros)))


@concrete
def _are_pairs(values: Any) -> bool:
    return bool(np.all(np.sort(values) == np.sort(np.conjugate(values))))


@numpy_composition(np.polyfit)
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | str = False,
) -> Any:
    """Return the coefficients of the polynomial that fits points in the sense of least squares, see
    `numpy.polyfit`.
    """
    x, y = assemble(x) + 0.0, assemble(y) + 0.0
    _check_points(x, y, deg, w)
    order = int(deg) + 1
    rcond = x.shape[0] * np.finfo(x.dtype).eps if rcond is None else rcond
    left, right = vander(x, order), y
    if w is not None:
        weight = reshape(assemble(w) + 0.0, (-1, 1))
        left, right = left * weight, right * (weight if y.ndim == 2 else weight[:, 0])
    scale = np.sqrt(np.sum(left * left, axis=0))
    left = left / scale
    c, residuals, rank, s = np.linalg.lstsq(left, right, rcond)
    c = transpose(transpose(c) / scale)
    if full:
        return c, residuals, rank, s, rcond
    if isinstance(rank, (int, np.integer, np.ndarray)) and rank != order:
        warn("Polyfit may be poorly conditioned", np.exceptions.RankWarning)
    if not cov:
        return c
    base = np.linalg.inv(matmul(transpose(left), left)) / outer(scale, scale)
    if cov == "unscaled":
        factor: Any = 1
    elif x.shape[0] <= order:
        raise ValueError(
            "the number of data points must exceed order to scale the covariance matrix"
        )
    else:
        factor = residuals / (x.shape[0] - order)
    return c, (base if y.ndim == 1 else base[:, :, None]) * factor


def _check_points(x: Any, y: Any, deg: int, w: Any) -> None:
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1 or not x.shape[0]:
        raise TypeError(
            "expected 1D vector for x" if x.ndim != 1 else "expected non-empty vector for x"
        )
    if y.ndim not in (1, 2):
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError(f"expected x and y to have same length, not {x.shape[0]} and {y.shape[0]}")
    if w is not None and assemble(w).shape != x.shape:
        raise TypeError("expected a 1-d array for weights, of the same length as y")
