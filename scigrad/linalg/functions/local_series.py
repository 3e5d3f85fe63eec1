"""Taylor series of an analytic function, given by its values only, around many centres at once.

The coefficients are Fourier coefficients of the numbers on circles (Lyness and Moler 1967, SIAM J. Numer. Anal. 4(2), 202-210).
Their error is that of rounding the largest number, divided by the radius to their order; so each is taken from the circle that
suits it best (Bornemann 2011, Found. Comput. Math. 11, 1-63, on the choice of the circles). Where a function is not analytic, its
Fourier coefficients of negative order do not vanish, which bounds the radius and detects functions without a series.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

COUNT = 64  # coefficients of a series
_ROUGH, _FINE = 32, 256  # points on a circle
_LEAST, _MOST = -13, 22  # the powers of 4 between which rough circles lie, in units of `sizes` and of `reach`
_FINE_RADII = 2.0 ** np.arange(-3, 5.5, 0.5)  # in units of the largest circle that was good
_DIGITS = {_ROUGH: 1e-12, _FINE: 1e-13}
_EPSILON = np.finfo(float).eps


class Series(NamedTuple):
    """f(centre + radius x) = sum_k coefficients[k] x^k."""

    centre: complex
    radius: float
    coefficients: Any


def lengths(func: Callable[[Any], Any], centres: Any, sizes: Any, reach: float) -> Any:
    """Return the radius around each centre within which a polynomial of degree 15 equals f to 12 digits; 0 where f is not
    analytic."""
    radii = _rough_radii(sizes, reach)
    count = _first_bad(_circles(func, centres, radii, _ROUGH))
    return np.where(count > 0, radii[np.arange(len(centres)), count - 1], 0.0)


def local_series(func: Callable[[Any], Any], centres: Any, sizes: Any, reach: float) -> list[Series | None]:
    """The series around each centre, or None. Circles are small compared to `sizes`, and reach far beyond `reach`."""
    radii = _rough_radii(sizes, reach)
    rough = _circles(func, centres, radii, _ROUGH)
    counts = _first_bad(rough)
    further = radii[np.arange(len(centres)), np.maximum(counts - 1, 0)][:, None] * _FINE_RADII
    fine = _circles(func, centres, further, _FINE)
    more = _first_bad(fine)
    found: list[Series | None] = []
    for i, centre in enumerate(centres):
        if not (counts[i] and more[i]):
            found.append(None)
            continue
        radius = further[i, more[i] - 1]
        parts = [_candidates(rough, radii, i, counts[i], radius), _candidates(fine, further, i, more[i], radius)]
        coefficients, errors = (np.concatenate(x) for x in zip(*parts, strict=True))
        best = coefficients[np.argmin(errors, axis=0), np.arange(COUNT)]
        found.append(Series(complex(centre), float(radius), best))
    return found


def _rough_radii(sizes: Any, reach: float) -> Any:
    more = np.log2(reach / sizes.min(initial=reach)) / 2
    return sizes[:, None] * 4.0 ** np.arange(_LEAST, _MOST + np.ceil(more))


class Circles(NamedTuple):
    """For each centre and radius: Fourier coefficients, what those of negative order are at most, and how much that may be."""

    fourier: Any
    noise: Any
    limit: Any


def _circles(func: Callable[[Any], Any], centres: Any, radii: Any, points: int) -> Circles:
    turn = np.exp(2j * np.pi * np.arange(points) / points)
    centres = centres[:, None]
    with np.errstate(all="ignore"):
        y = numbers(func, (centres[..., None] + radii[..., None] * turn).ravel()).reshape((*radii.shape, points))
        largest = np.abs(y).max(axis=-1)
        fourier = np.fft.fft(np.where(np.isfinite(largest)[..., None], y, 0)) / points
        size = np.abs(fourier)
        # f is wrong by the rounding of its argument too
        limit = _DIGITS[points] * largest + 64 * _EPSILON * np.abs(centres) / radii * size[..., 1 : points // 2].max(axis=-1)
        noise = np.maximum(size[..., points // 2 :].max(axis=-1), _EPSILON * largest)
    return Circles(fourier, np.where(np.isfinite(largest), noise, np.inf), limit)


def _first_bad(circles: Circles) -> Any:
    good = circles.noise <= circles.limit
    return np.argmin(np.append(good, np.zeros((len(good), 1), bool), axis=1), axis=1)


def _candidates(circles: Circles, radii: Any, i: int, count: int, radius: float) -> tuple[Any, Any]:
    """Coefficients of x^k, in units of `radius`, from each of the first `count` circles, and their errors."""
    known = min(circles.fourier.shape[-1] // 2, COUNT)
    order = np.arange(known)
    found, errors = np.zeros((count, COUNT), complex), np.full((count, COUNT), np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        ratios = (radius / radii[i, :count, None]) ** order
        errors[:, :known] = np.nan_to_num(circles.noise[i, :count, None] * ratios, nan=np.inf)
        found[:, :known] = circles.fourier[i, :count, :known] * ratios
    return found, errors


def numbers(func: Callable[[Any], Any], z: Any) -> Any:
    """func at complex numbers; NaN where it has none."""
    try:
        return func(z)
    except (ArithmeticError, ValueError):
        if len(z) == 1:
            return np.full(1, np.nan, complex)
        return np.concatenate([numbers(func, z[i : i + 1]) for i in range(len(z))])


__all__ = ["COUNT", "Series", "lengths", "local_series", "numbers"]
