"""Partial fractions: a rational function as a sum of its poles, and back."""

import math
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import raw
from scigrad.numpy import take
from scigrad.numpy.devices import on_host, place_beside, upload
from scigrad.typing import Array, ArrayLike

from ..filters.recursive_response import ones
from ..foundation.composition import floating, number, refuse_if, scipy_composition
from .conversions import drop_leading_zeros, leading_zeros, polynomial

_CHOICES = {
    "max": "max",
    "maximum": "max",
    "min": "min",
    "minimum": "min",
    "avg": "avg",
    "mean": "avg",
}


def _group_roots(p: Any, tol: float, rtype: str) -> tuple[list[Any], list[int]]:
    """Return the distinct roots and how often they occur."""
    refuse_if(
        rtype not in _CHOICES,
        "`rtype` must be one of {'max', 'maximum', 'min', 'minimum', 'avg', 'mean'}",
    )
    values = on_host(number(p, "The grouping of roots"))
    left, roots, counts = list(range(len(values))), [], []
    while left:
        group = [i for i in left if abs(values[i] - values[left[0]]) <= tol]
        left = [i for i in left if i not in group]
        choice = {"max": np.argmax, "min": np.argmin}.get(_CHOICES[rtype])
        roots.append(
            np.mean(take(p, np.array(group), axis=0))
            if choice is None
            else p[group[int(choice(values[group]))]]
        )
        counts.append(len(group))
    return roots, counts


@scipy_composition()
def unique_roots(p: ArrayLike, tol: float = 1e-3, rtype: str = "min") -> tuple[Array, Array]:
    """Return the distinct roots of a list, and how often each occurs.

    Parameters
    ----------
    p : (n,) array_like
        Roots.
    tol : float, optional
        Distance up to which poles are one multiple pole.
    rtype : {"avg", "min", "max"}, optional
        Choice of the pole that stands for them.

    Returns
    -------
    unique : (m,) ndarray
        Distinct roots.
    multiplicity : (m,) ndarray of int
        How often they occur, which is constant.

    Raises
    ------
    ValueError
        If `rtype` is unknown, or a denominator is 0.
    TracedValueError
        If the poles are elements of a batch.

    Notes
    -----
    A pole that is multiple by rounding only has no derivative: the result is infinite. Poles are in
    the order of SciPy.

    This is `scipy.signal.unique_roots`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda p: signal.unique_roots(p, rtype="avg")[0][0])(np.array([1.0, 1.0, 3.0])))
    [0.5 0.5 0. ]
    """
    (p,) = floating(p)
    roots, counts = _group_roots(p, tol, rtype)
    return np.stack(roots), upload(np.array(counts), p)


def _taylor(c: Any, at: Any, count: int) -> list[Any]:
    """Return the first Taylor coefficients of a polynomial at a point."""
    degree = c.shape[0] - 1
    weights = [[math.comb(degree - i, k) for i in range(degree + 1 - k)] for k in range(count)]
    return [
        np.polyval(c[: degree + 1 - k] * place_beside(w, c), at) if w else 0 * at
        for k, w in enumerate(weights)
    ]


def _residues(numerator: Any, roots: list[Any], counts: list[int], one: Any) -> list[Any]:
    """Return the residues of numerator / prod (s - root)^count, by power series at each root."""
    found = []
    for i, (root, count) in enumerate(zip(roots, counts, strict=True)):
        others = polynomial(
            [r for j, r in enumerate(roots) if j != i for _ in range(counts[j])], one
        )
        above, below, series = _taylor(numerator, root, count), _taylor(others, root, count), []
        for m in range(count):
            series.append((above[m] - sum(below[m - j] * series[j] for j in range(m))) / below[0])
        found += series[::-1]
    return found


def _sort_roots(roots: list[Any], counts: list[int]) -> tuple[list[Any], list[int]]:
    sizes = [float(abs(on_host(raw(root)))) for root in roots]
    order = sorted(range(len(roots)), key=sizes.__getitem__)
    return [roots[i] for i in order], [counts[i] for i in order]


def _divided(b: Any, a: Any) -> Any:
    """Return the polynomial part and the remainder."""
    return np.polydiv(b, a) if b.shape[0] >= a.shape[0] else (0 * b[:0], b)


def _arguments(b: Any, a: Any) -> Any:
    b, a = (np.reshape(v, (-1,)) for v in floating(b, a))
    dtype = np.result_type(b.dtype, a.dtype)
    refuse_if(leading_zeros(a) == a.shape[0], "Denominator `a` is zero.")
    return b.astype(dtype), a.astype(dtype)


def _listed(roots: list[Any], counts: list[int]) -> list[Any]:
    return [root for root, count in zip(roots, counts, strict=True) for _ in range(count)]


@scipy_composition()
def residue(
    b: ArrayLike, a: ArrayLike, tol: float = 1e-3, rtype: str = "avg"
) -> tuple[Array, Array, Array]:
    """Return the partial fractions of a rational function.

    These are ``r/(s - p)``, ``r/(s - p)^2`` and so on.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    tol : float, optional
        Distance up to which poles are one multiple pole.
    rtype : {"avg", "min", "max"}, optional
        Choice of the pole that stands for them.

    Returns
    -------
    r : (n,) ndarray
        Residues; those of a multiple pole by increasing powers of its fraction.
    p : (n,) ndarray
        Poles.
    k : ndarray
        Coefficients of the polynomial part.

    Raises
    ------
    ValueError
        If `rtype` is unknown, or a denominator is 0.
    TracedValueError
        If the poles are elements of a batch.

    Notes
    -----
    A pole that is multiple by rounding only has no derivative: the result is infinite. Poles are in
    the order of SciPy.

    This is `scipy.signal.residue`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda b: signal.residue(b, [1.0, 3.0, 2.0])[0][0].real)(
    ...         np.array([1.0, 4.0])
    ...     ).round(6)
    ... )
    [-1.  1.]
    """
    b, a = map(drop_leading_zeros, _arguments(b, a))
    roots, counts = _sort_roots(*_group_roots(np.roots(a), tol, rtype))
    k, rest = _divided(b, a)
    return (
        np.stack(_residues(rest, roots, counts, ones(roots[0], (1,)))) / a[0],
        np.stack(_listed(roots, counts)),
        k,
    )


@scipy_composition()
def residuez(
    b: ArrayLike, a: ArrayLike, tol: float = 1e-3, rtype: str = "avg"
) -> tuple[Array, Array, Array]:
    """Return the partial fractions of a rational function of 1/z.

    These are ``r/(1 - p/z)``, ``r/(1 - p/z)^2`` and so on.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    tol : float, optional
        Distance up to which poles are one multiple pole.
    rtype : {"avg", "min", "max"}, optional
        Choice of the pole that stands for them.

    Returns
    -------
    r : (n,) ndarray
        Residues; those of a multiple pole by increasing powers of its fraction.
    p : (n,) ndarray
        Poles.
    k : ndarray
        Coefficients of the polynomial part.

    Raises
    ------
    ValueError
        If `rtype` is unknown, or a denominator is 0.
    TracedValueError
        If the poles are elements of a batch.

    Notes
    -----
    A pole that is multiple by rounding only has no derivative: the result is infinite. Poles are in
    the order of SciPy.

    This is `scipy.signal.residuez`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda b: signal.residuez(b, [1.0, -3.0, 2.0])[0][0].real)(
    ...         np.array([1.0, 4.0])
    ...     ).round(6)
    ... )
    [-1. -1.]
    """
    b, a = (drop_leading_zeros(v[::-1]) for v in _arguments(b, a))
    refuse_if(leading_zeros(a[::-1]), "First coefficient of determinant `a` must be non-zero.")
    roots, counts = _sort_roots(*_group_roots(np.roots(a[::-1]), tol, rtype))
    k, rest = _divided(b, a)
    powers = place_beside(np.concatenate([np.arange(1, count + 1) for count in counts]), a)
    p = np.stack(_listed(roots, counts))
    r = np.stack(_residues(rest, [1 / root for root in roots], counts, ones(roots[0], (1,))))
    return r * (-p) ** powers / a[0], p, k[::-1]


def _recombine(r: Any, p: Any, k: Any, tol: float, rtype: str, inverted: bool) -> Any:
    """Return numerator and denominator; their coefficients begin with the power 0 if `inverted`."""
    refuse_if(
        rtype not in _CHOICES,
        "`rtype` must be one of {'max', 'maximum', 'min', 'minimum', 'avg', 'mean'}",
    )
    r, p, k = (np.reshape(v, (-1,)) for v in floating(r, p, k))
    k = k[::-1][leading_zeros(k[::-1]) :][::-1] if inverted else k[leading_zeros(k) :]
    roots, counts = _runs(p, tol)
    one = ones(p, (1,))
    denominator, terms = polynomial(_listed(roots, counts), one), []
    for i, count in enumerate(counts):
        for power in range(1, count + 1):
            rest = [count - power if j == i else c for j, c in enumerate(counts)]
            terms.append(r[len(terms)] * polynomial(_listed(roots, rest), one))
    if k.shape[0]:
        terms.append(np.convolve(k, denominator))
    width = max(term.shape[0] for term in terms)
    pads = [(0, width - t.shape[0]) if inverted else (width - t.shape[0], 0) for t in terms]
    return sum(np.pad(term, pad) for term, pad in zip(terms, pads, strict=True)), denominator


def _runs(p: Any, tol: float) -> tuple[list[Any], list[int]]:
    """Return the first pole of each run of equal ones, and its length."""
    values = on_host(number(p, "The grouping of poles"))
    starts = [0]
    for i in range(1, len(values)):
        if not abs(values[i] - values[starts[-1]]) <= tol:
            starts.append(i)
    return [p[i] for i in starts], np.diff([*starts, len(values)]).tolist()


@scipy_composition()
def invres(
    r: ArrayLike, p: ArrayLike, k: ArrayLike, tol: float = 1e-3, rtype: str = "avg"
) -> tuple[Array, Array]:
    """Return the rational function with given partial fractions.

    Parameters
    ----------
    r : (n,) array_like
        Residues; those of a multiple pole by increasing powers of its fraction.
    p : (n,) array_like
        Poles; equal ones side by side.
    k : (m,) array_like
        Coefficients of the polynomial part.
    tol : float, optional
        Distance up to which poles are one multiple pole.
    rtype : {"avg", "min", "max"}, optional
        Choice of the pole that stands for them.

    Returns
    -------
    b, a : ndarray
        Numerator and denominator.

    Raises
    ------
    ValueError
        If `rtype` is unknown, or a denominator is 0.
    TracedValueError
        If the poles are elements of a batch.

    Notes
    -----
    A pole that is multiple by rounding only has no derivative: the result is infinite. Poles are in
    the order of SciPy.

    This is `scipy.signal.invres`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda p: signal.invres([1.0, 2.0], p, [])[0][1])(np.array([3.0, 4.0])))
    [-2. -1.]
    """
    return _recombine(r, p, k, tol, rtype, False)


@scipy_composition()
def invresz(
    r: ArrayLike, p: ArrayLike, k: ArrayLike, tol: float = 1e-3, rtype: str = "avg"
) -> tuple[Array, Array]:
    """Return the rational function of 1/z with given partial fractions.

    Parameters
    ----------
    r : (n,) array_like
        Residues; those of a multiple pole by increasing powers of its fraction.
    p : (n,) array_like
        Poles; equal ones side by side.
    k : (m,) array_like
        Coefficients of the polynomial part.
    tol : float, optional
        Distance up to which poles are one multiple pole.
    rtype : {"avg", "min", "max"}, optional
        Choice of the pole that stands for them.

    Returns
    -------
    b, a : ndarray
        Numerator and denominator.

    Raises
    ------
    ValueError
        If `rtype` is unknown, or a denominator is 0.
    TracedValueError
        If the poles are elements of a batch.

    Notes
    -----
    A pole that is multiple by rounding only has no derivative: the result is infinite. Poles are in
    the order of SciPy.

    This is `scipy.signal.invresz`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda p: signal.invresz([1.0, 2.0], p, [])[0][1])(np.array([3.0, 4.0])))
    [-2. -1.]
    """
    return _recombine(r, p, k, tol, rtype, True)


__all__ = ["invres", "invresz", "residue", "residuez", "unique_roots"]
