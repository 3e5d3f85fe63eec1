"""Filters and spectra, and two loops of small steps."""

from typing import Any

import numpy as np

from benchmarks.gpu.programs import kalman, lorenz, model, python_loop, runge_kutta

from . import Arrays, Workload, normal, uniform


def convolution(lib: Any, x: Any, h: Any, w: Any) -> Any:
    return lib.np.sum(lib.signal.fftconvolve(x, h) ** 2 * w)


def _convolution_by_hand(lib: Any, x: Any, h: Any, w: Any) -> Any:
    import scipy.fft

    n, fft = scipy.fft.next_fast_len(len(w), True), lib.fft
    p, q = fft.rfft(x, n), fft.rfft(h, n)
    y = fft.irfft(p * q, n)[: len(w)]
    g = fft.rfft(2 * y * w, n)
    slopes = fft.irfft(g * q.conj(), n)[: len(x)], fft.irfft(g * p.conj(), n)[: len(h)]
    return lib.np.sum(y * y * w), *slopes


def _convolved(dtype: str) -> Arrays:
    def arrays(small: bool) -> Any:
        n, m = (1000, 100) if small else (10**7, 10**4)
        found = normal(n), normal(m, seed=1), uniform(0, 1, n + m - 1, seed=2)
        return [x.astype(dtype) for x in found]

    return arrays


def filtered(lib: Any, b: Any, a: Any, x: Any, w: Any) -> Any:
    return lib.np.sum(lib.signal.lfilter(b, a, x) * w)


def _filtered_by_hand(lib: Any, b: Any, a: Any, x: Any, w: Any) -> Any:
    xp, lfilter, n = lib.np, lib.signal.lfilter, x.shape[-1]
    y = lfilter(b, a, x)
    one = xp.zeros_like(a)
    one[:1] = xp.ones(1)
    v = lfilter(one, a, xp.ascontiguousarray(w[..., ::-1]))[..., ::-1]
    slope, of_b, of_a = xp.zeros_like(x), [], []
    for k in range(len(a)):
        of_b.append(xp.sum(v[..., k:] * x[..., : n - k]))
        of_a.append(-xp.sum(v[..., k:] * y[..., : n - k]))
        slope[..., : n - k] += b[k] * v[..., k:]
    return xp.sum(y * w), xp.stack(of_b), xp.stack(of_a), slope


def _recursive(shape: tuple[int, ...], order: int, tiny: tuple[int, ...]) -> Arrays:
    def arrays(small: bool) -> Any:
        import scipy.signal

        design: Any = scipy.signal.butter(order, 0.3)
        own = tiny if small else shape
        return *design, normal(*own, seed=50), uniform(0, 1, *own, seed=51)

    return arrays


def in_sections(lib: Any, sections: Any, x: Any, w: Any) -> Any:
    return lib.np.sum(lib.signal.sosfilt(sections, x) * w)


def _sections(shape: tuple[int, ...], tiny: tuple[int, ...]) -> Arrays:
    def arrays(small: bool) -> Any:
        import scipy.signal

        own = tiny if small else shape
        sections: Any = scipy.signal.butter(8, 0.2, output="sos")
        return sections, normal(*own, seed=50), uniform(0, 1, *own, seed=51)

    return arrays


def short_time(lib: Any, x: Any, w: Any, _: Any) -> Any:
    return lib.np.sum(lib.np.abs(lib.signal.stft(x, nperseg=256)[2]) ** 2 * w)


def _short_time_by_hand(lib: Any, x: Any, w: Any, window: Any) -> Any:
    xp, fft, n, frames = lib.np, lib.fft, x.size, w.shape[-1]
    padded = xp.zeros((frames + 1) * 128, x.dtype)
    padded[128 : 128 + n] = x
    steps = 128 * x.itemsize, x.itemsize
    parts = xp.lib.stride_tricks.as_strided(padded, (frames, 256), steps) * window
    f = fft.rfft(parts, axis=1)
    value = xp.sum((f.real**2 + f.imag**2) * w.T)
    f *= w.T
    f[:, 0] *= 2
    f[:, -1] *= 2
    g = fft.irfft(f, 256, axis=1, norm="forward") * window
    slope = xp.zeros((frames + 1, 128), x.dtype)
    slope[:-1] += g[:, :128]
    slope[1:] += g[:, 128:]
    return value, slope.ravel()[128 : 128 + n]


def _spectral(dtype: str) -> Arrays:
    def arrays(small: bool) -> Any:
        n = 2000 if small else 10**7
        window = np.hanning(257)[:-1]
        weights = uniform(0, 1, 129, -(-n // 128) + 1, seed=59)
        found = normal(n, seed=58), weights, window / window.sum()
        return [x.astype(dtype) for x in found]

    return arrays


def density(lib: Any, x: Any, w: Any) -> Any:
    return lib.np.sum(lib.signal.welch(x, nperseg=256)[1] ** 2 * w)


def resampled(lib: Any, x: Any, w: Any) -> Any:
    return lib.np.sum(lib.signal.resample_poly(x, 3, 2) ** 2 * w)


def _lines(n: int, tiny: int, weights: Any) -> Arrays:
    def arrays(small: bool) -> Any:
        size = tiny if small else n
        return normal(size, seed=59), uniform(0, 1, weights(size), seed=60)

    return arrays


def in_plane(lib: Any, x: Any, h: Any, w: Any) -> Any:
    return lib.np.sum(lib.signal.fftconvolve(x, h, mode="valid") ** 2 * w)


def _planes(small: bool) -> Any:
    n, m = (20, 5) if small else (2048, 31)
    size = n - m + 1
    return normal(n, n), normal(m, m, seed=1), uniform(0, 1, size, size, seed=2)


class _Steps:
    """What the loops of `programs` ask of a library."""

    def __init__(self, lib: Any) -> None:
        self.xp, self.solve, self.scan = lib.np, lib.linalg.solve, python_loop


WORKLOADS = {
    "fftconvolve": Workload(
        "1e7 * 1e4, by both", convolution, _convolved("d"), 2, _convolution_by_hand, ("jax",)
    ),
    "fftconvolve, single": Workload(
        "1e7 * 1e4, by both", convolution, _convolved("f"), 2, _convolution_by_hand, ("jax",)
    ),
    **{
        name: Workload(
            f"order {order}, by b, a and x", filtered, _recursive(shape, order, tiny), 3,
            _filtered_by_hand, (),
        )
        for name, shape, tiny, order in (
            ("lfilter 1e6", (10**6,), (500,), 8),
            ("lfilter 256 x 1e5", (256, 10**5), (3, 300), 8),
            ("lfilter 256 x 1e4", (256, 10**4), (3, 200), 4),
        )
    },
    "sosfilt 1e6": Workload(
        "order 8, by sections and x", in_sections, _sections((10**6,), (500,)), 2, None, ()
    ),
    "sosfilt 256 x 1e5": Workload(
        "order 8", in_sections, _sections((256, 10**5), (3, 300)), 2, None, ()
    ),
    "stft": Workload(
        "power, 1e7", short_time, _spectral("d"), 1, _short_time_by_hand, ("jax",)
    ),
    "stft, single": Workload(
        "power, 1e7", short_time, _spectral("f"), 1, _short_time_by_hand, ("jax",)
    ),
    "welch": Workload("1e7", density, _lines(10**7, 2000, lambda n: 129), 1, None, ("jax",)),
    "resample_poly": Workload(
        "1e6, up 3, down 2", resampled, _lines(10**6, 1000, lambda n: -(-n * 3 // 2)), 1, None, ()
    ),
    "convolve 2048^2 * 31^2": Workload("valid, by both", in_plane, _planes, 2, None, ("jax",)),
    "Kalman filter": Workload(
        "200 steps", lambda lib, *x: kalman(_Steps(lib), *x),
        lambda small: model(200)(40 if small else 1), 3, None, (),
    ),
    "Runge-Kutta": Workload(
        "100 steps, 1,000 states", lambda lib, *x: runge_kutta(_Steps(lib), *x),
        lambda small: lorenz(20 if small else 1), 2, None, (),
    ),
}  # fmt: skip
