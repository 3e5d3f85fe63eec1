"""Equiripple filters: their derivatives from the alternation of the error.

At the optimum the weighted error has the size delta, with alternating signs, at as many points as
there are unknowns: edges of bands, and stationary points f inside. For taps h of amplitude A(f; h)
these equations hold, which determine h, delta and f:

    A(f_i; h) - D(f_i) = s_i delta / W(f_i),        A'(f_j; h) = 0 inside of bands.
"""

from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import MissingRule, implicit, kernel, stop_gradient
from scigrad.linalg import solve
from scigrad.numpy.devices import on_host, place_beside
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import floating, number, scipy_composition


def _basis(f: Any, numtaps: int, odd: bool) -> tuple[Any, Any, Any]:
    """Return the amplitudes at frequencies f of the taps of the first half, their slopes and their
    curvatures.
    """
    m = (numtaps - 1) / 2 - np.arange(numtaps // 2 if odd else (numtaps + 1) // 2)
    turns, weight = place_beside(2 * np.pi * m, f), place_beside(np.where(m == 0, 1, 2), f)
    angle = f[..., None] * turns
    first, second = (np.sin(angle), np.cos(angle)) if odd else (np.cos(angle), -np.sin(angle))
    return first * weight, second * weight * turns, -first * weight * turns**2


def _alternation(
    taps: Any, bands: Any, desired: Any, weight: Any, odd: bool
) -> list[tuple[float, int, int]]:
    """Return frequency, band and sign of the extreme errors; the first or last one of a band has
    the frequency of its edge.
    """
    count = taps.size // 2 if odd else (taps.size + 1) // 2
    found: list[tuple[float, int, float]] = []
    for k, (low, high) in enumerate(bands.reshape(-1, 2)):
        f = np.linspace(low, high, 32 * taps.size + 1)
        error = weight[k] * (_basis(f, taps.size, odd)[0] @ taps[:count] - desired[k])
        size = np.pad(abs(error), 1, constant_values=-1)
        for i in np.flatnonzero((size[1:-1] > size[:-2]) & (size[1:-1] >= size[2:])):
            if found and found[-1][2] * error[i] > 0:
                if abs(error[i]) <= abs(found[-1][2]):
                    continue
                found.pop()
            found.append((float(f[i]), k, float(error[i])))
    while len(found) > count + 1:
        found.pop(0 if abs(found[0][2]) < abs(found[-1][2]) else -1)
    if len(found) < count + 1:
        raise MissingRule(
            "remez: the exchange did not converge (the error does not alternate at the extremal "
            "frequencies), so there is no derivative. Increase maxiter or grid_density."
        )
    return [(f, k, 1 if error > 0 else -1) for f, k, error in found]


@scipy_composition()
def remez(
    numtaps: int,
    bands: ArrayLike,
    desired: ArrayLike,
    *,
    weight: ArrayLike | None = None,
    type: str = "bandpass",
    maxiter: int = 25,
    grid_density: int = 16,
    fs: float | None = None,
) -> Array:
    """Design a finite impulse response with the least maximum of the error.

    This is the exchange algorithm of Remez.

    Parameters
    ----------
    numtaps : int
        Number of taps.
    bands : (2 k,) array_like
        First and last frequency of each band.
    desired : (k,) array_like
        Response in each band.
    weight : (k,) array_like, optional
        Weights of the bands.
    type : {"bandpass", "differentiator", "hilbert"}, optional
        Kind of the filter.
    maxiter : int, optional
        Most iterations.
    grid_density : int, optional
        Density of the frequencies at which SciPy computes the error.
    fs : float, optional
        Sampling frequency, by default 1.

    Returns
    -------
    (numtaps,) ndarray
        Taps.

    Raises
    ------
    ValueError
        If the kind is unknown or the bands are invalid.
    MissingRule
        If an argument is traced and the filter is a differentiator, or the error does not
        alternate.

    Notes
    -----
    SciPy's values, which are those of its grid of frequencies; the derivatives are those of the
    continuous problem. They change by a jump where other frequencies become extreme.

    This is `scipy.signal.remez`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda d: signal.remez(3, [0.0, 0.1, 0.3, 0.5], d)[1])(np.array([1.0, 0.0])).round(
    ...         6
    ...     )
    ... )
    [0.361803 0.638197]
    """
    if type == "differentiator":
        raise MissingRule(
            "remez: no derivative of differentiators. Use firls, or type='bandpass' or 'hilbert'."
        )
    bands, desired = floating(bands, desired)
    bands = bands / (1 if fs is None else fs)
    (weight,) = floating(0 * desired + 1 if weight is None else weight)
    values = [np.asarray(on_host(number(v, "remez")), float) for v in (bands, desired, weight)]
    given = {"type": type, "maxiter": maxiter, "grid_density": grid_density, "fs": 1.0}
    taps = kernel("signal.remez")(numtaps, *values[:2], weight=values[2], **given)
    edges, odd = values[0], type == "hilbert"
    if odd:  # the sign of an antisymmetric response is a convention
        turn = (
            1
            if np.sum(_basis(edges[:1] + edges[1:2], numtaps, odd)[0] @ taps[: numtaps // 2])
            * values[1][0]
            > 0
            else -1
        )
        desired, values[1] = desired * turn, values[1] * turn
    half = numtaps // 2 if odd else (numtaps + 1) // 2
    c = _taps(_alternation(taps, edges, *values[1:], odd), edges, taps, odd)(
        bands, desired, weight
    )[:half]
    h = np.concatenate(
        [c, 0 * c[:1], -c[::-1]]
        if odd and numtaps % 2
        else [c, -c[::-1] if odd else c[numtaps // 2 - 1 :: -1]]
    )
    return h + (place_beside(taps, h) - stop_gradient(h))


def _taps(
    points: list[tuple[float, int, int]], edges: np.ndarray, taps: np.ndarray, odd: bool
) -> Any:
    """Return the function from bands, responses and weights to the solution of the equations: taps,
    delta, frequencies.
    """
    places, of_band, signs = (np.array(column) for column in zip(*points, strict=True))
    half, on_edge = len(points) - 1, [next(iter(np.flatnonzero(edges == f)), None) for f in places]
    inside = np.array([i for i, edge in enumerate(on_edge) if edge is None], int)

    def parts(x: Any, bands: Any, weight: Any) -> Any:
        """Return the taps, the amplitudes with their derivatives by the frequencies, and the
        weighted signs of the error.
        """
        free = iter(x[half + 1 :])
        f = np.stack([next(free) if edge is None else bands[edge] for edge in on_edge])
        return x[:half], _basis(f, taps.size, odd), place_beside(signs, x) / weight[of_band]

    def equation(x: Any, bands: Any, desired: Any, weight: Any) -> Any:
        c, (amplitude, slope, _), sign = parts(x, bands, weight)
        return np.concatenate(
            [amplitude @ c - desired[of_band] - sign * x[half], (slope @ c)[inside]]
        )

    def linear_solve(_: Any, b: Any, *, adjoint: bool, x: Any, theta: Any) -> Any:
        c, (amplitude, slope, curvature), sign = parts(x, theta[0], theta[2])
        at_free = place_beside(np.eye(len(points))[:, inside], x)
        above = np.concatenate([amplitude, -sign[:, None], (slope @ c)[:, None] * at_free], axis=1)
        below = np.concatenate(
            [slope[inside], 0 * slope[inside, :1], ((curvature @ c)[:, None] * at_free)[inside]],
            axis=1,
        )
        matrix = np.concatenate([above, below])
        return solve(matrix.T if adjoint else matrix, b)

    def start(*theta: Any) -> Any:
        x = place_beside(np.concatenate([taps[:half], [0.0], places[inside]]), theta[0])
        # Newton's method, from SciPy's solution on a grid; delta is linear in the equations
        for _ in range(8):
            x = x - linear_solve(None, equation(x, *theta), adjoint=False, x=x, theta=theta)
        return x

    return implicit(equation, start, linear_solve)


__all__ = ["remez"]
