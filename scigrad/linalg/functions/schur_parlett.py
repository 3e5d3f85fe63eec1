"""Any function of one matrix on the host, by the blocks of its Schur form: the Schur-Parlett
algorithm (Davies and Higham 2003, SIAM J. Matrix Anal. Appl. 25(2), 464-485).

    t = [[t1, c], [0, t2]]   =>   f(t) = [[f(t1), x], [0, f(t2)]]
    with   t1 x - x t2 = f(t1) c - c f(t2)

This loses the digits that are lost in the differences of eigenvalues. Therefore eigenvalues that
are close to each other are gathered in one block, whose f is a Taylor series around their mean. The
threshold is the length on which f is a polynomial of moderate degree.

The derivative L(t, e) is the upper right block of f([[t, e], [0, t]]) (Mathias 1996), whose
eigenvalues, groups and series are those of t. A simple eigenvalue stands there twice, and needs a
series too.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import Traced

from ..eigenvalues.hermitian_function import nth_derivative
from ..foundation.lapack import host, routine
from .schur_basis import Form, NoDerivative, is_real, triangular_sylvester

_SPREAD = 0.5  # the part of a series' radius that a group may fill: 64 terms have all digits there
_NARROWER = 4  # the part of the distance at which a group that has no series is split
_LEAST_SIZE = 2.0**-128  # the smallest size of an eigenvalue, relative to the matrix
_SYMMETRIC = 1e-10  # a relative difference of f(conj(w)) and conj(f(w)) that is rounding
_EPSILON = np.finfo(float).eps


class VariedFunction(Exception):
    """func holds a value that is being differentiated."""


class SchurParlett(Form):
    """Function of one matrix. Of each of its eigenvalues `copies` stem from derivatives."""

    func: Callable[..., Any]
    given: Callable[..., Any]
    exact: bool
    value: Any
    at_w: Any
    reach: Any
    scale: Any

    def __init__(self, a: Any, copies: int, func: Callable[[Any], Any]) -> None:
        self.given, self.func, self.exact = func, numbers_of(func), True
        self.labels: Any = None
        self.series: list[Series | None] = []
        try:
            super().__init__(a, copies)
        except NoDerivative:
            # equal eigenvalues where func is not analytic: SciPy leaves out what it cannot divide
            self.value, self.exact = np.array(host("funm")(a, func, False)[0]), False
            self.decide()

    def of(self, t: Any) -> Any:
        if self.labels is None:
            self.w: Any = np.diagonal(t).astype(complex)
            self.scale, self.reach, self.at_w = (
                np.abs(t).max(),
                max(np.abs(t).max(), 1.0),
                self.func(self.w),
            )
            self.labels = self.groups(self.w)
        count = len(t) // len(self.w)
        t, q, labels = _contiguous(t, np.tile(self.labels, count))
        return q @ self._of_triangular(t, labels, count * self.copies) @ q.conj().T

    def estimate(self) -> float:
        """Return SciPy's estimate of the error, with the differences that were divided by."""
        t, _, labels = _contiguous(self.basis.t, self.labels)
        apart = labels[:, None] != labels
        least = min(
            np.abs(np.subtract.outer(np.diagonal(t), np.diagonal(t)))[apart].min(initial=np.inf),
            abs(t[0, 0]) or np.inf,
        )
        return min(1.0, max(_EPSILON, _EPSILON / least * np.abs(np.triu(t, 1)).sum(axis=0).max()))

    def has_real_value(self) -> bool:
        """Return whether f(conj(w)) = conj(f(w)), as for real functions: f of a real matrix is real
        then.
        """
        mirrored: Any = np.where(self.w.imag == 0, self.at_w, self.func(self.w.conj())).conj()
        return bool(
            (np.abs(self.at_w - mirrored) <= _SYMMETRIC * np.abs(self.at_w)).all()
        ) or is_real(self.value)

    # -- groups of eigenvalues that are near each other

    def groups(self, w: Any) -> Any:
        """Return a number for each eigenvalue, the same for those in one block."""
        distinct, place = np.unique(w, return_inverse=True)
        near = (
            lengths(self.func, distinct, self._sizes(distinct), self.reach)
            if len(distinct) > 1
            else np.zeros(1)
        )
        labels = np.zeros(len(distinct), int)
        self._gather(distinct, near, np.arange(len(distinct)), labels)
        return labels[place]

    def _gather(self, w: Any, near: Any, members: Any, labels: Any) -> None:
        for group in _connected(w[members], near[members]):
            group = members[group]
            found = None
            if len(group) > 1:
                center = w[group].mean()
                (found,) = self._series_around(np.array([center]))
                if found is None or np.abs(w[group] - center).max() > _SPREAD * found.radius:
                    self._gather(w, near / _NARROWER, group, labels)
                    continue
            labels[group] = len(self.series)
            self.series.append(found)

    def _sizes(self, w: Any) -> Any:
        return np.maximum(np.abs(w), _LEAST_SIZE * (self.scale or 1.0))

    def _series_around(self, centers: Any) -> list[Series | None]:
        return local_series(self.func, centers, self._sizes(centers), self.reach)

    # -- the function of triangular matrices whose eigenvalues are in order

    def _of_triangular(self, t: Any, labels: Any, copies: int) -> Any:
        starts = np.flatnonzero(np.append(True, labels[1:] != labels[:-1]))
        self._know(labels[starts][np.diff(np.append(starts, len(t))) > 1])
        return self._of_groups(t, labels, starts, copies)

    def _of_groups(self, t: Any, labels: Any, starts: Any, copies: int) -> Any:
        if len(starts) == 1:
            return self._of_group(t, labels[0], copies)
        k = starts[len(starts) // 2]
        half = len(starts) // 2
        first = self._of_groups(t[:k, :k], labels[:k], starts[:half], copies)
        second = self._of_groups(t[k:, k:], labels[k:], starts[half:] - k, copies)
        f = np.zeros_like(t)
        f[:k, :k], f[k:, k:] = first, second
        f[:k, k:] = triangular_sylvester(
            t[:k, :k], t[k:, k:], first @ t[:k, k:] - t[:k, k:] @ second
        )
        return f

    def _of_group(self, t: Any, label: int, copies: int) -> Any:
        series, one = self.series[label], np.eye(len(t))
        if series is None or len(t) == 1:
            return self.at_w[np.argmax(self.labels == label)] * one
        x = (t - series.center * one) / series.radius
        size, rest = np.abs(x).sum(axis=0).max(), np.abs(series.coefficients)
        for k in range(len(rest) - 2, -1, -1):
            rest[k] += size * rest[k + 1]  # a bound of the terms from k on, divided by x^k
        f, power, small = series.coefficients[0] * one, one, 0
        for c, left in zip(series.coefficients[1:], rest[1:], strict=True):
            power = power @ x
            f = f + c * power
            small = (
                small + 1
                if (_by_copy(power, copies) * left <= _EPSILON / 4 * _by_copy(f, copies)).all()
                else 0
            )
            if small > 1:
                break
        return f

    def _know(self, labels: Any) -> None:
        """Find the series of those groups in `labels` that have none yet."""
        labels = [int(x) for x in labels if self.series[x] is None]
        if not labels:
            return
        centers = np.array([self.w[self.labels == x].mean() for x in labels])
        for label, found in zip(labels, self._series_around(centers), strict=True):
            self.series[label] = self._on_the_line(label) if found is None else found

    def _on_the_line(self, label: int) -> Series:
        """Return the series of a simple real eigenvalue of a real matrix, which stays real, so that
        a function of real numbers is enough.
        """
        center = self.w[np.argmax(self.labels == label)]
        w = self.own_eigenvalues()[0]
        alone = not self.meeting()[np.argmin(np.abs(w - center))].any()
        if not (self.is_real and alone and not center.imag):
            raise NoDerivative(f"the function is not analytic around its eigenvalue {center:.6g}")
        at = np.array([center])
        orders = range((2 * self.copies).bit_length())
        values = [nth_derivative(self.given, k, "funm")(at)[0] / factorial(k) for k in orders]
        return Series(center, 1.0, np.array(values, complex))


def _contiguous(t: Any, labels: Any) -> tuple[Any, Any, Any]:
    """Return t', q and the labels in the order of t', for t = q t' q^H with the eigenvalues of one
    label side by side in t'.
    """
    t, q = np.array(t, complex, order="F"), np.eye(len(t), dtype=complex, order="F")
    places = np.array([np.flatnonzero(labels == x).mean() for x in labels])
    wanted = labels[np.lexsort((labels, places))]
    now, move = list(labels), routine("trexc", "D")
    for i, label in enumerate(wanted):
        j = now.index(label, i)
        if j > i:
            t, q, _ = move(t, q, j + 1, i + 1, overwrite_a=True, overwrite_q=True)
            now.insert(i, now.pop(j))
    return t, q, wanted


def _by_copy(x: Any, copies: int) -> Any:
    """Return the largest elements of the blocks that belong to one pair of copies: orders of
    derivatives are of very different size.
    """
    n = len(x) // copies
    return np.abs(x).reshape(copies, n, copies, n).max(axis=(1, 3))


def _connected(w: Any, near: Any) -> list[Any]:
    """Return the indices of numbers that are linked by steps no longer than both ends allow, an
    array for each group.
    """
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(np.abs(w[:, None] - w) <= np.minimum(near[:, None], near))
    return [np.flatnonzero(labels == k) for k in range(count)]


def numbers_of(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def numbers(z: Any) -> Any:
        y = func(z)
        if isinstance(y, Traced):
            raise VariedFunction
        if np.shape(y) != z.shape:
            raise TypeError(
                f"funm: func must work element by element, but makes shape {np.shape(y)} of shape "
                f"{z.shape}."
            )
        return np.asarray(y, complex)

    return numbers


# -- Taylor series of an analytic function, given by its values only, around many centers at once
#
# The coefficients are Fourier coefficients of the numbers on circles (Lyness and Moler 1967, SIAM
# J. Numer. Anal. 4(2), 202-210). Their error is that of rounding the largest number, divided by the
# radius to their order; so each is taken from the circle that suits it best (Bornemann 2011, Found.
# Comput. Math. 11, 1-63, on the choice of the circles). Where a function is not analytic, its
# Fourier coefficients of negative order do not vanish, which bounds the radius and detects
# functions without a series.


COUNT = 64  # coefficients of a series
_ROUGH, _FINE = 32, 256  # points on a circle
# the powers of 4 between which rough circles lie, in units of `sizes` and of `reach`
_LEAST, _MOST = -13, 22
_FINE_RADII = 2.0 ** np.arange(-3, 5.5, 0.5)  # in units of the largest circle that was good
_DIGITS = {_ROUGH: 1e-12, _FINE: 1e-13}


class Series(NamedTuple):
    """f(center + radius x) = sum_k coefficients[k] x^k."""

    center: complex
    radius: float
    coefficients: Any


def lengths(func: Callable[[Any], Any], centers: Any, sizes: Any, reach: float) -> Any:
    """Return the radius around each center within which a polynomial of degree 15 equals f to 12
    digits; 0 where f is not analytic.
    """
    radii = _rough_radii(sizes, reach)
    count = _first_bad(_circles(func, centers, radii, _ROUGH))
    return np.where(count > 0, radii[np.arange(len(centers)), count - 1], 0.0)


def local_series(
    func: Callable[[Any], Any], centers: Any, sizes: Any, reach: float
) -> list[Series | None]:
    """Return the series around each center, or None. Circles are small compared to `sizes`, and
    reach far beyond `reach`.
    """
    radii = _rough_radii(sizes, reach)
    rough = _circles(func, centers, radii, _ROUGH)
    counts = _first_bad(rough)
    further = radii[np.arange(len(centers)), np.maximum(counts - 1, 0)][:, None] * _FINE_RADII
    fine = _circles(func, centers, further, _FINE)
    more = _first_bad(fine)
    found: list[Series | None] = []
    for i, center in enumerate(centers):
        if not (counts[i] and more[i]):
            found.append(None)
            continue
        radius = further[i, more[i] - 1]
        parts = [
            _candidates(rough, radii, i, counts[i], radius),
            _candidates(fine, further, i, more[i], radius),
        ]
        coefficients, errors = (np.concatenate(x) for x in zip(*parts, strict=True))
        best = coefficients[np.argmin(errors, axis=0), np.arange(COUNT)]
        found.append(Series(complex(center), float(radius), best))
    return found


def _rough_radii(sizes: Any, reach: float) -> Any:
    more = np.log2(reach / sizes.min(initial=reach)) / 2
    return sizes[:, None] * 4.0 ** np.arange(_LEAST, _MOST + np.ceil(more))


class Circles(NamedTuple):
    """For each center and radius: Fourier coefficients, what those of negative order are at most,
    and how much that may be.
    """

    fourier: Any
    noise: Any
    limit: Any


def _circles(func: Callable[[Any], Any], centers: Any, radii: Any, points: int) -> Circles:
    turn = np.exp(2j * np.pi * np.arange(points) / points)
    centers = centers[:, None]
    with np.errstate(all="ignore"):
        y = numbers(func, (centers[..., None] + radii[..., None] * turn).ravel()).reshape(
            (*radii.shape, points)
        )
        largest = np.abs(y).max(axis=-1)
        fourier = np.fft.fft(np.where(np.isfinite(largest)[..., None], y, 0)) / points
        size = np.abs(fourier)
        # f is wrong by the rounding of its argument too
        limit = _DIGITS[points] * largest + 64 * _EPSILON * np.abs(centers) / radii * size[
            ..., 1 : points // 2
        ].max(axis=-1)
        noise = np.maximum(size[..., points // 2 :].max(axis=-1), _EPSILON * largest)
    return Circles(fourier, np.where(np.isfinite(largest), noise, np.inf), limit)


def _first_bad(circles: Circles) -> Any:
    good = circles.noise <= circles.limit
    return np.argmin(np.append(good, np.zeros((len(good), 1), bool), axis=1), axis=1)


def _candidates(circles: Circles, radii: Any, i: int, count: int, radius: float) -> tuple[Any, Any]:
    """Return coefficients of x^k, in units of `radius`, from each of the first `count` circles, and
    their errors.
    """
    known = min(circles.fourier.shape[-1] // 2, COUNT)
    order = np.arange(known)
    found, errors = np.zeros((count, COUNT), complex), np.full((count, COUNT), np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        ratios = (radius / radii[i, :count, None]) ** order
        errors[:, :known] = np.nan_to_num(circles.noise[i, :count, None] * ratios, nan=np.inf)
        found[:, :known] = circles.fourier[i, :count, :known] * ratios
    return found, errors


def numbers(func: Callable[[Any], Any], z: Any) -> Any:
    """Return func at complex numbers; NaN where it has none."""
    try:
        return func(z)
    except (ArithmeticError, ValueError):
        if len(z) == 1:
            return np.full(1, np.nan, complex)
        return np.concatenate([numbers(func, z[i : i + 1]) for i in range(len(z))])


__all__ = ["SchurParlett", "VariedFunction", "numbers_of"]
