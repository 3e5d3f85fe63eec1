"""Designs of finite impulse responses."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def inner(f):
    """Frequencies between 0 and the highest one, which may not vary."""

    def call(numtaps, freq, gain, **kwargs):
        ends = freq[:1] * 0, freq[:1] * 0 + kwargs.get("fs", 2) / 2
        return f(numtaps, np.concatenate([ends[0], freq, ends[1]]), gain, **kwargs)

    call.__name__, call.__module__ = f.__name__, "scigrad.signal"
    return call


def sampled(draw):
    if not draw.is_complex:
        freq, gain = (
            np.array([0.1875, 0.6875], draw.dtype),
            np.array([1.0, 0.9, 0.3, 0.2], draw.dtype),
        )
        yield "odd", (7, freq, gain), {}
        yield "another window in Hz", (7, 10 * freq, gain), {"window": ("kaiser", 3.0), "fs": 20.0}
        yield (
            "no window, of a number of frequencies",
            (5, freq, gain),
            {"window": None, "nfreqs": 9},
        )


def zero_gains(draw):
    if not draw.is_complex:
        freq = np.array([0.0, 0.2, 0.62, 1.0], draw.dtype)
        jump = np.array([0.0, 0.4, 0.4, 1.0], draw.dtype)
        yield "even", (6, freq, np.array([1.0, 0.9, 0.3, 0.0], draw.dtype)), {}
        yield (
            "type III",
            (7, freq, np.array([0.0, 0.9, 0.3, 0.0], draw.dtype)),
            {"antisymmetric": True},
        )
        yield (
            "type IV",
            (6, freq, np.array([0.0, 0.9, 0.3, 0.4], draw.dtype)),
            {"antisymmetric": True},
        )
        yield "a jump", (7, jump, np.array([1.0, 0.9, 0.3, 0.1], draw.dtype)), {}


def jumps(draw):
    """Constant frequencies."""
    if not draw.is_complex:
        gain = np.array([1.0, 0.9, 0.3, 0.1], draw.dtype)
        yield "a jump", (7,), {"freq": np.array([0.0, 0.4, 0.4, 1.0], draw.dtype), "gain": gain}


def sampled_errors(draw):
    yield "ends", (5, [0.1, 1.0], [1.0, 1.0]), {}, ValueError, "start with 0"
    yield "lengths", (5, [0.0, 1.0], [1.0, 1.0, 1.0]), {}, ValueError, "same length"
    yield "decreasing", (5, [0.0, 0.6, 0.3, 1.0], np.ones(4)), {}, ValueError, "nondecreasing"
    yield "gain", (6, [0.0, 1.0], [1.0, 1.0]), {}, ValueError, "zero gain"
    yield "frequencies", (6, [0.0, 1.0], [1.0, 0.0]), {"nfreqs": 5}, ValueError, "less than nfreqs"


def squares(draw):
    if not draw.is_complex:
        bands, desired = (
            np.array([0.05, 0.3, 0.5, 0.9], draw.dtype),
            np.array([1.0, 0.8, 0.1, 0.3], draw.dtype),
        )
        yield "two bands", (7, bands, desired), {}
        yield (
            "weights in Hz",
            (5, 10 * bands, desired),
            {"weight": np.array([2.0, 1.0], draw.dtype), "fs": 20.0},
        )


def square_errors(draw):
    yield "even", (6, [0.0, 1.0], [1.0, 1.0]), {}, ValueError, "odd"
    yield "pairs", (5, [0.0, 0.5, 1.0], [1.0, 1.0, 1.0]), {}, ValueError, "pairs"
    yield "overlap", (5, [0.0, 0.5, 0.4, 1.0], np.ones(4)), {}, ValueError, "overlap|nondecreasing"
    yield (
        "weights",
        (5, [0.0, 0.5, 0.6, 1.0], np.ones(4)),
        {"weight": [1.0]},
        ValueError,
        "same size",
    )


def of_edge(f):
    """The band edge as a positional argument, which varies."""

    def call(fc, *args, **kwargs):
        return f(*args, fc=fc, **kwargs)

    call.__name__, call.__module__ = f.__name__, "scigrad.signal"
    return call


def edges(draw):
    if not draw.is_complex:
        edge = np.array(0.4, draw.dtype)
        yield "product", (edge, (5, 4), ("hamming", "hann")), {}
        yield "circular", (edge, (5, 4), "hamming"), {"circular": True}


def edge_errors(draw):
    yield "size", (0.4, (3,), "hamming"), {}, ValueError, "hsize"
    yield "windows", (0.4, (3, 3), ("hamming",)), {}, ValueError, "window must be"
    yield "no edge", (None, (3, 3), "hamming"), {"circular": True}, ValueError, "fc"


def of_half(f):
    """The first half of symmetric taps, with an odd number of them, or an even one."""

    def call(h, even=False, **kwargs):
        return f(np.concatenate([h, h[::-1] if even else h[-2::-1]]), **kwargs)

    call.__name__, call.__module__ = f.__name__, "scigrad.signal"
    return call


def symmetric(draw):
    if not draw.is_complex:
        h = np.array([0.4, 1.1, 2.9], draw.dtype)
        yield "odd", (h,), {"n_fft": 64}
        yield "all taps", (h,), {"n_fft": 63, "half": False}
        yield (
            "Hilbert",
            (np.array([0.02, 0.17, 0.43], draw.dtype),),
            {"method": "hilbert", "n_fft": 64},
        )


def symmetric_and_even(draw):
    yield from symmetric(draw)
    if not draw.is_complex:  # its response is 0 at fs/2
        yield "even", (np.array([0.4, 1.1], draw.dtype),), {"n_fft": 64, "even": True}


def symmetric_errors(draw):
    yield "complex", (np.ones(2, complex),), {}, ValueError, "Complex"
    yield "short", (np.ones(1),), {}, ValueError, "at least 2"
    yield "method", (np.ones(2),), {"method": "best"}, ValueError, "method must be"
    yield "length", (np.ones(3),), {"n_fft": 3}, ValueError, "n_fft"


def constant_edges(draw):
    if not draw.is_complex:
        yield "product", ((5, 4), ("hamming", "hann")), {"fc": np.array(0.4, draw.dtype)}


def constant_taps(draw):
    if not draw.is_complex:
        yield "odd", (), {"h": np.array([0.4, 1.1, 2.9, 1.1, 0.4], draw.dtype)}


def spec(name, samples, wrapped=lambda f: f, **given):
    functions = (wrapped(getattr(module, name)) for module in (signal, scipy.signal))
    return OpSpec(
        **dict(zip(("function", "reference"), functions, strict=True)), samples=samples, **given
    )


SINGULAR = {
    (
        "extreme",
        "numpy",
    ): "SciPy falls back to least squares where the system of equations is singular"
}


specs = [
    spec("firwin2", zero_gains, gradient_samples=jumps, error_samples=sampled_errors),
    spec("firwin2", sampled, wrapped=inner),
    spec("firls", squares, error_samples=square_errors, known_failures=SINGULAR),
    spec("firwin_2d", constant_edges),
    spec("minimum_phase", constant_taps),
    spec("firwin_2d", edges, wrapped=of_edge, error_samples=edge_errors),
    spec(
        "minimum_phase",
        symmetric_and_even,
        gradient_samples=symmetric,
        wrapped=of_half,
        error_samples=symmetric_errors,
    ),
]
