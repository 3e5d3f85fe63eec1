"""Conversions between polynomials, zeros and poles, and second-order sections."""

import warnings
from functools import reduce
from typing import Any, Literal

import scigrad.numpy as np
from scigrad.autodiff_rules import constant as constant_rule
from scigrad.autodiff_rules import kernel, raw
from scigrad.numpy import take
from scigrad.numpy.devices import on_host, place_beside, upload
from scigrad.typing import Array, ArrayLike

from ..filters.recursive_response import ones
from ..foundation.composition import floating, refuse_if, scipy_composition, vectors


def polynomial(roots: Any, one: Any) -> Any:
    """Return the monic polynomial with given zeros; `one` is its first coefficient."""
    total = one
    for root in roots:
        total = np.pad(total, (0, 1)) - root * np.pad(total, (1, 0))
    return total


@scipy_composition()
def zpk2tf(z: ArrayLike, p: ArrayLike, k: float) -> tuple[Array, Array]:
    """Return the polynomials with given zeros and poles.

    Parameters
    ----------
    z, p : (k,) array_like
        Zeros and poles.
    k : float
        Gain.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Notes
    -----
    Under `vmap` complex roots give complex polynomials. Elsewhere those of conjugate pairs are
    real, as in SciPy, and the derivative is that of their real part: a direction that separates a
    pair would add an imaginary part, which they cannot hold.

    This is `scipy.signal.zpk2tf`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda p: signal.zpk2tf([], p, 1.0)[1][2])(np.array([2.0, 3.0])))
    [3. 2.]
    """
    z, p, k = floating(z, p, k)
    if z.ndim > 1:  # a numerator for each output
        gains = np.broadcast_to(np.reshape(k, (-1,)), z.shape[:1])
        return np.stack([zpk2tf(z[i], p, gains[i])[0] for i in range(z.shape[0])]), zpk2tf(
            z[0], p, gains[0]
        )[1]
    z, p = (np.reshape(v, (-1,)) for v in (z, p))
    return np.poly(z) * k if z.shape[0] else np.reshape(k, (-1,)), np.poly(p) if p.shape[
        0
    ] else ones(k, (1,))


@scipy_composition()
def tf2zpk(b: ArrayLike, a: ArrayLike) -> tuple[Array, Array, float]:
    """Return zeros, poles and gain of a rational function.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.

    Returns
    -------
    z : (m,) ndarray
        Zeros.
    p : (n,) ndarray
        Poles.
    k : float
        Gain.

    Notes
    -----
    A multiple root has no derivative: the result is infinite. Under `vmap` zeros and poles are
    complex, real ones too.

    This is `scipy.signal.tf2zpk`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda a: signal.tf2zpk([1.0], a)[1][0].real)(np.array([1.0, -5.0, 6.0])).round(6)
    ... )
    [-9. -3. -1.]
    """
    b, a = normalize(b, a)
    return np.roots(b), np.roots(a), b[0]


@scipy_composition()
def sos2tf(sos: ArrayLike) -> tuple[Array, Array]:
    """Return the polynomials of a cascade of second-order sections.

    Parameters
    ----------
    sos : (n_sections, 6) array_like
        Second-order sections, each (b0, b1, b2, 1, a1, a2).

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Notes
    -----
    This is `scipy.signal.sos2tf`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda sos: signal.sos2tf(sos)[0][1])(np.array([[1.0, 2.0, 0.0, 1.0, 0.0, 0.0]]))
    ... )
    [[0. 1. 0. 0. 0. 0.]]
    """
    (sos,) = floating(sos)
    return tuple(
        reduce(np.convolve, map(drop_leading_zeros, sos[:, part]))
        for part in (slice(3), slice(3, 6))
    )


@scipy_composition()
def sos2zpk(sos: ArrayLike) -> tuple[Array, Array, float]:
    """Return zeros, poles and gain of a cascade of second-order sections.

    Parameters
    ----------
    sos : (n_sections, 6) array_like
        Second-order sections, each (b0, b1, b2, 1, a1, a2).

    Returns
    -------
    z : (m,) ndarray
        Zeros.
    p : (n,) ndarray
        Poles.
    k : float
        Gain.

    Notes
    -----
    A multiple root has no derivative: the result is infinite.

    This is `scipy.signal.sos2zpk`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> sos = np.array([[1.0, -5.0, 6.0, 1.0, 0.0, -4.0]])
    >>> print(grad(lambda sos: signal.sos2zpk(sos)[0][0].real)(sos).round(6))
    [[-9. -3. -1.  0.  0.  0.]]
    """
    (sos,) = floating(sos)
    rows: list[Any] = [tf2zpk(sos[i, :3], sos[i, 3:]) for i in range(sos.shape[0])]
    z, p = (
        np.concatenate([np.pad(row[j] + 0j, (0, 2 - row[j].shape[0])) for row in rows])
        for j in (0, 1)
    )
    gain: Any = np.prod(np.stack([row[2] for row in rows]))
    return z, p, gain


@constant_rule(core={"z": 1, "p": 1})
def _pair_roots(z, p, pairing, analog):
    """Return for each section the places of its two zeros and two poles; roots beyond the given
    ones are 0, or absent.

    The pairing is SciPy's; its sections are split into their roots again, of which each is the
    nearest one that is left.
    """
    home, z, p = z, on_host(z), on_host(p)
    if z.ndim > 1 or p.ndim > 1:
        lead = np.broadcast_shapes(z.shape[:-1], p.shape[:-1])
        given = (
            np.broadcast_to(v, (*lead, v.shape[-1])).reshape(int(np.prod(lead)), v.shape[-1])
            for v in (z, p)
        )
        count = (max(z.shape[-1], p.shape[-1], 1) + 1) // 2
        rows = [_pair_roots.kernel(*pair, pairing, analog) for pair in zip(*given, strict=True)]
        return upload(np.reshape(rows, (*lead, count, 4)).astype(int), home)
    sos = kernel("signal.zpk2sos")(z, p, 1.0, pairing, analog=analog)
    halves, beyond = [], np.full(2, 1e300 if analog or pairing == "minimal" else 0.0)
    for roots, columns in ((z, slice(3)), (p, slice(3, 6))):
        left = np.concatenate([roots, np.full(2 * len(sos) - len(roots), beyond[0])])
        own = []
        for section in sos[:, columns]:
            for root in np.concatenate([np.roots(section), beyond])[:2]:
                own.append(int(np.argmin(abs(left - root))))
                left[own[-1]] = np.inf
        halves.append(np.reshape(own, (-1, 2)))
    return upload(np.concatenate(halves, axis=1), home)


def sections_of(z: Any, p: Any, k: Any, pairing: Any, analog: bool) -> Any:
    """Return second-order sections of traced zeros and poles, paired as SciPy pairs their
    values.
    """
    places, minimal = _pair_roots(z, p, pairing, analog), analog or pairing == "minimal"
    count = places.shape[0]
    halves = []
    for roots, columns in ((z, places[:, :2]), (p, places[:, 2:])):
        more = place_beside(np.ones(2 * count - roots.shape[0]), roots)
        # roots of the factors (1, -root), and of (0, 1) if there is none
        padded = np.concatenate([roots + 0j, -more if minimal else 0 * more])
        present = np.concatenate(
            [place_beside(np.ones(roots.shape[0]), roots), 0 * more if minimal else more]
        )
        (first, one), (second, other) = (
            [take(v, columns[:, i], axis=0) for v in (padded, present)] for i in (0, 1)
        )
        halves += [
            one * other + 0 * np.real(first),
            -np.real(other * first + one * second),
            np.real(first * second),
        ]
    gain = np.concatenate([np.reshape(k, (1,)), ones(k, (count - 1,))])
    return np.stack([h * gain if i < 3 else h for i, h in enumerate(halves)], axis=1)


@scipy_composition()
def zpk2sos(
    z: ArrayLike,
    p: ArrayLike,
    k: float,
    pairing: Literal["nearest", "keep_odd", "minimal"] | None = None,
    *,
    analog: bool = False,
) -> Array:
    """Return second-order sections with given zeros and poles.

    Parameters
    ----------
    z, p : (k,) array_like
        Zeros and poles.
    k : float
        Gain.
    pairing : {"nearest", "keep_odd", "minimal"}, optional
        Rule by which zeros join poles.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.

    Returns
    -------
    (n_sections, 6) ndarray
        Sections, each (b0, b1, b2, 1, a1, a2).

    Raises
    ------
    ValueError
        If complex roots do not come in conjugate pairs, or the pairing is unknown.

    Notes
    -----
    Zeros and poles are paired by their values, which is constant.

    This is `scipy.signal.zpk2sos`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda p: signal.zpk2sos([], p, 1.0)[0, 5])(np.array([0.5, 0.25])))
    [0.25 0.5 ]
    """
    z, p, k = floating(z, p, k)
    return sections_of(z, p, k, pairing, analog)


@scipy_composition()
def tf2sos(
    b: ArrayLike,
    a: ArrayLike,
    pairing: Literal["nearest", "keep_odd", "minimal"] | None = None,
    *,
    analog: bool = False,
) -> Array:
    """Return second-order sections of a rational function.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    pairing : {"nearest", "keep_odd", "minimal"}, optional
        Rule by which zeros join poles.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.

    Returns
    -------
    (n_sections, 6) ndarray
        Sections, each (b0, b1, b2, 1, a1, a2).

    Raises
    ------
    ValueError
        If the coefficients are complex, or the pairing is unknown.

    Notes
    -----
    This is `scipy.signal.tf2sos`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.tf2sos([1.0], a)[0, 5])(np.array([1.0, -0.75, 0.125])).round(6))
    [-0.125  0.     1.   ]
    """
    z, p, k = tf2zpk(b, a)
    return sections_of(z, p, k, pairing, analog)


__all__ = ["normalize", "sos2tf", "sos2zpk", "tf2sos", "tf2zpk", "zpk2sos", "zpk2tf"]


@scipy_composition()
def normalize(b: ArrayLike, a: ArrayLike) -> tuple[Array, Array]:
    """Divide numerator and denominator by the first coefficient of the denominator that is not 0.

    Parameters
    ----------
    b : (n,) or (m, n) array_like
        Numerator, or one for each output.
    a : (k,) array_like
        Denominator.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Raises
    ------
    ValueError
        If the denominator is 0, or an argument has too many axes.

    Warns
    -----
    BadCoefficients
        If the first coefficients of the numerator are below 1e-14; they are left out.

    Notes
    -----
    This is `scipy.signal.normalize`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda a: signal.normalize([1.0, 3.0], a)[0][1])(np.array([2.0, 5.0])))
    [-0.75  0.  ]
    """
    rows = isinstance(b, (list, tuple)) and b and np.ndim(b[0])
    b, a = floating(align_rows(b) if rows else b, a)
    b, a = np.reshape(b, (1, -1)) if b.ndim < 2 else b, *vectors(a)
    refuse_if(
        a.ndim != 1 or b.ndim != 2,
        f"Denominator must be rank-1 and numerator rank-1 or rank-2, not {a.shape} and {b.shape}.",
    )
    first = leading_zeros(a)
    refuse_if(first == a.shape[0], "Denominator must have at least on nonzero element.")
    a = a[first:]
    b, a = b / a[0], a / a[0]
    if absent := leading_zeros(b, 1e-14):
        from scipy.signal import BadCoefficients

        text = "Badly conditioned filter coefficients (numerator): the results may be meaningless"
        warnings.warn(text, BadCoefficients, stacklevel=4)
        b = b[:, min(absent, b.shape[1] - 1) :]
    return b[0] if b.shape[0] == 1 else b, a


def leading_zeros(x: Any, bound: float = 0.0) -> int:
    """Return the number of first entries along the last axis that vanish everywhere, in all
    elements of a batch.
    """
    sizes = on_host(raw(abs(x)))
    present = (
        np.any(~(np.reshape(sizes, (-1, sizes.shape[-1])) <= bound), axis=0)
        if sizes.size
        else np.ones(1, bool)
    )
    return int(np.argmax(present)) if np.any(present) else x.shape[-1]


def drop_leading_zeros(c: Any) -> Any:
    """Return a polynomial without the zeros before its first coefficient."""
    return c[min(leading_zeros(c), c.shape[0] - 1) :]


def align_rows(rows: Any) -> Any:
    """Return polynomials as the rows of a matrix, with zeros before the shorter ones."""
    rows = floating(*rows)
    width = max(row.shape[-1] for row in rows)
    return np.stack([np.pad(row, (width - row.shape[-1], 0)) for row in rows])
