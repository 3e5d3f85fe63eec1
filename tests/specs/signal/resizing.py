"""resize, against loops over the new samples."""

import numpy as np

from scigrad import signal
from scigrad.testing import OpSpec

KERNELS = {
    "linear": lambda t: max(1 - t, 0),
    "cubic": lambda t: (
        1 - 2.5 * t**2 + 1.5 * t**3
        if t < 1
        else 2 - 4 * t + 2.5 * t**2 - 0.5 * t**3
        if t < 2
        else 0
    ),
    "lanczos": lambda t: np.sinc(t) * np.sinc(t / 3) if t < 3 else 0,
}


def sample(line, i, size, method, antialias, align):
    """Sample i of a line that gets another size."""
    n = len(line)
    scale = (n - 1) / max(size - 1, 1) if align == "corners" else n / size
    if method == "area":
        start, stop = i * n / size, (i + 1) * n / size
        return sum(v * max(min(stop, j + 1) - max(start, j), 0) for j, v in enumerate(line)) / (
            stop - start
        )
    middle = i * scale if align == "corners" else (i + 0.5) * scale - 0.5
    if method == "nearest":
        return line[min(max(int(np.floor(middle + 0.5)), 0), n - 1)]
    width = max(scale, 1) if antialias else 1
    weights = [KERNELS[method](abs(j - middle) / width) for j in range(n)]
    return sum(w * v for w, v in zip(weights, line, strict=True)) / sum(weights)


def resized(x, shape, method="linear", antialias=True, align="centers"):
    x = np.asarray(x) * (1.0 if np.asarray(x).dtype.kind in "iub" else np.ones((), x.dtype))
    sizes = (shape,) if isinstance(shape, int) else shape
    for axis, size in enumerate(sizes, x.ndim - len(sizes)):
        lines = np.moveaxis(x, axis, 0)
        x = np.moveaxis(
            np.stack([sample(lines, i, size, method, antialias, align) for i in range(size)]),
            0,
            axis,
        )
    return x


def samples(draw):
    for method in ("nearest", "linear", "cubic", "lanczos", "area"):
        yield f"{method}, smaller and larger", (draw.array(2, 7, 3), (4, 5), method), {}
    yield "corners", (draw.array(5), 8), {"align": "corners"}
    yield "corners, smaller", (draw.array(7), 3, "cubic", False, "corners"), {}
    yield "aliased", (draw.array(9), 4, "linear", False), {}
    yield "of one sample", (draw.array(1), 3, "lanczos"), {}


def errors(draw):
    yield "too many sizes", (np.ones(3), (2, 2)), {}, ValueError, "sizes of the last axes"
    yield "no samples", (np.ones(3), 0), {}, ValueError, "positive sizes"
    yield "method", (np.ones(3), 2, "best"), {}, ValueError, "method='best'"


specs = [OpSpec(function=signal.resize, reference=resized, samples=samples, error_samples=errors)]
