"""Non-uniform transforms: every type, dimension, sign and order; strengths, points and both in
batches; against direct sums.
"""

import numpy as np

from scigrad import fft
from scigrad.testing import OpSpec

FINE = 1e-12


def coordinates(points):
    points = np.stack(points, -1) if isinstance(points, tuple) else np.asarray(points)
    return points[:, None] if points.ndim == 1 else points


def grid(modes, modeord):
    modes = np.atleast_1d(modes)
    axes = [np.arange(-(n // 2), (n + 1) // 2) for n in modes]
    axes = [np.fft.ifftshift(k) for k in axes] if modeord else axes
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(modes))


def waves(points, targets, isign):
    """exp(i s w_k . x_j), (..., m, k)."""
    return np.exp(1j * isign * (points @ np.swapaxes(targets, -1, -2)))


def direct1(c, points, modes, eps=None, isign=1, modeord=0, workers=None):
    points = coordinates(points)
    f = np.einsum("...j,...jk->...k", c, waves(points, grid(modes, modeord), isign))
    return f.reshape(*f.shape[:-1], *np.atleast_1d(modes))


def direct2(f, points, eps=None, isign=-1, modeord=0, workers=None):
    points = coordinates(points)
    d = points.shape[-1]
    modes = f.shape[f.ndim - d :]
    flat = np.reshape(f, (*f.shape[: f.ndim - d], int(np.prod(modes))))
    return np.einsum("...k,...jk->...j", flat, waves(points, grid(modes, modeord), isign))


def direct3(c, points, targets, eps=None, isign=1, workers=None):
    return np.einsum("...j,...jk->...k", c, waves(coordinates(points), coordinates(targets), isign))


def direct(x, points, type=1, modes=None, targets=None, isign=None, **options):
    isign = isign or (1, -1, 1)[type - 1]
    return direct1(x, points, modes, isign=isign) if type == 1 else direct2(x, points, isign=isign)


def gradients1(draw):
    yield "one dimension", (draw.array(5), draw.real(5), 4), {"eps": FINE}
    yield (
        "two dimensions, negative sign, order of fft",
        (draw.array(4), draw.real(4, 2), (3, 2)),
        {"eps": FINE, "isign": -1, "modeord": 1},
    )
    yield (
        "three dimensions, strengths in a batch",
        (draw.array(2, 3), draw.real(3, 3), (2, 3, 2)),
        {"eps": FINE},
    )
    yield "points in a batch", (draw.array(3), draw.real(2, 3, 1), 3), {"eps": FINE}
    yield "both in batches", (draw.array(3, 1, 3), draw.real(2, 3, 1), 3), {"eps": FINE}
    if draw.is_complex:
        yield "real strengths", (draw.real(3), draw.real(3), 4), {"eps": FINE, "modeord": 1}


def samples1(draw):
    yield from gradients1(draw)
    yield (
        "coordinates apart",
        (draw.array(4), (draw.real(4), draw.real(4)), (3, 5)),
        {"eps": FINE, "workers": 2},
    )
    yield "no points", (draw.array(0), draw.real(0, 2), (2, 3)), {}
    yield "no modes", (draw.array(3), draw.real(3), 0), {}
    yield "an empty batch", (draw.array(0, 3), draw.real(3, 2), (2, 2)), {}
    yield "one mode, one point", (draw.array(1), draw.real(1), 1), {"eps": FINE}


def gradients2(draw):
    yield "one dimension", (draw.array(4), draw.real(5)), {"eps": FINE}
    yield (
        "two dimensions, positive sign, order of fft",
        (draw.array(3, 2), draw.real(4, 2)),
        {"eps": FINE, "isign": 1, "modeord": 1},
    )
    yield (
        "three dimensions, coefficients in a batch",
        (draw.array(2, 2, 3, 2), draw.real(3, 3)),
        {"eps": FINE},
    )
    yield "points in a batch", (draw.array(3), draw.real(2, 3, 1)), {"eps": FINE}
    yield "both in batches", (draw.array(3, 1, 3), draw.real(2, 4, 1)), {"eps": FINE}
    if draw.is_complex:
        yield "real coefficients", (draw.real(4), draw.real(3)), {"eps": FINE, "modeord": 1}


def samples2(draw):
    yield from gradients2(draw)
    yield (
        "coordinates apart",
        (draw.array(3, 5), (draw.real(4), draw.real(4))),
        {"eps": FINE, "workers": 2},
    )
    yield "no points", (draw.array(2, 3), draw.real(0, 2)), {}
    yield "no modes", (draw.array(0), draw.real(3)), {}
    yield "an empty batch", (draw.array(0, 2, 2), draw.real(3, 2)), {}


def gradients3(draw):
    yield "one dimension", (draw.array(5), draw.real(5), draw.real(4)), {"eps": FINE}
    yield (
        "two dimensions, negative sign",
        (draw.array(4), draw.real(4, 2), draw.real(3, 2)),
        {"eps": FINE, "isign": -1},
    )
    yield "strengths in a batch", (draw.array(2, 3), draw.real(3), draw.real(2)), {"eps": FINE}
    yield (
        "points and targets in batches",
        (draw.array(3), draw.real(2, 3, 1), draw.real(3, 1, 2, 1)),
        {"eps": FINE},
    )
    if draw.is_complex:
        yield "real strengths", (draw.real(3), draw.real(3), draw.real(4)), {"eps": FINE}


def samples3(draw):
    yield from gradients3(draw)
    yield (
        "three dimensions, strengths in a batch",
        (draw.array(2, 3), draw.real(3, 3), draw.real(2, 3)),
        {"eps": FINE},
    )
    yield (
        "coordinates apart",
        (draw.array(4), (draw.real(4), draw.real(4)), (draw.real(3), draw.real(3))),
        {"eps": FINE, "workers": 2},
    )
    yield "no points", (draw.array(0), draw.real(0, 2), draw.real(3, 2)), {}
    yield "no targets", (draw.array(3), draw.real(3), draw.real(0)), {}


def by_type(draw):
    yield "type 1", (draw.array(4), draw.real(4)), {"modes": 5, "eps": FINE}
    yield "type 2", (draw.array(5), draw.real(4), 2), {"isign": 1, "eps": FINE}


def bad1(draw):
    c, x = np.ones(3), np.ones(3)
    yield (
        "one strength too many",
        (np.ones(4), x, 5),
        {},
        ValueError,
        r"nufft1: c of shape \(4,\).*\(3, 1\)",
    )
    yield (
        "modes on one axis of two",
        (c, np.ones((3, 2)), 5),
        {},
        ValueError,
        r"points of shape \(3, 2\) have 2.*on 1 axes",
    )
    yield (
        "four dimensions",
        (c, np.ones((3, 4)), (1, 1, 1, 1)),
        {},
        ValueError,
        r"shape \(3, 4\).*one to three",
    )
    yield (
        "coordinates of two shapes",
        (c, (x, np.ones(2)), (2, 2)),
        {},
        ValueError,
        "arrays of one shape",
    )
    yield "complex points", (c, x + 1j, 5), {}, TypeError, "points must be real.*complex128"
    yield "strings", (np.array(["a", "b", "c"]), x, 5), {}, TypeError, "c has dtype <U1"
    yield "a negative number of modes", (c, x, -1), {}, ValueError, "modes are"
    yield "eps", (c, x, 5), {"eps": 0}, ValueError, "eps is a relative error"
    yield "isign", (c, x, 5), {"isign": 0}, ValueError, "isign must be 1 or -1, not 0"
    yield "modeord", (c, x, 5), {"modeord": 2}, ValueError, "modeord must be 0"
    yield "workers", (c, x, 5), {"workers": 0}, ValueError, "workers must be"
    yield "batches", (np.ones((2, 3)), np.ones((4, 3, 1)), 5), {}, ValueError, "do not broadcast"


def bad2(draw):
    yield (
        "too few axes",
        (np.ones(3), np.ones((4, 2))),
        {},
        ValueError,
        r"f of shape \(3,\) has fewer axes.*2 coordinates",
    )
    yield "a number", (np.ones(3), 1.0), {}, ValueError, r"points has shape \(\)"


def bad3(draw):
    yield (
        "targets",
        (np.ones(3), np.ones((3, 2)), np.ones(4)),
        {},
        ValueError,
        r"targets of shape \(4, 1\) have 1 coord.*have 2",
    )
    yield (
        "complex targets",
        (np.ones(3), np.ones(3), np.ones(3) * 1j),
        {},
        TypeError,
        "targets must be real",
    )


def bad_type(draw):
    x = np.ones(3)
    yield "type", (x, x, 4), {}, ValueError, "type must be 1, 2 or 3"
    yield "no modes", (x, x), {}, ValueError, "type 1 needs modes="
    yield "targets of type 2", (x, x, 2), {"targets": x}, ValueError, "type 2 has no targets="


def size1(draw, n):
    return (draw.array(n), draw.uniform(-np.pi, np.pi, n), n), {}


def size2(draw, n):
    return (draw.array(n), draw.uniform(-np.pi, np.pi, n)), {}


def size3(draw, n):
    return (draw.array(n), draw.uniform(-np.pi, np.pi, n), draw.uniform(-n / 2, n / 2, n)), {}


specs = [
    OpSpec(
        function=fft.nufft1,
        reference=direct1,
        samples=samples1,
        gradient_samples=gradients1,
        error_samples=bad1,
        size=size1,
    ),
    OpSpec(
        function=fft.nufft2,
        reference=direct2,
        samples=samples2,
        gradient_samples=gradients2,
        error_samples=bad2,
        size=size2,
    ),
    OpSpec(
        function=fft.nufft3,
        reference=direct3,
        samples=samples3,
        gradient_samples=gradients3,
        error_samples=bad3,
        size=size3,
    ),
    OpSpec(function=fft.nufft, reference=direct, samples=by_type, error_samples=bad_type),
]
