"""Functions of cupyx.signal, against loops and sums written with NumPy."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def filtered(b, x, axis=-1, zi=None):
    return scipy.signal.lfilter(b, 1.0, x, axis, *([] if zi is None else [zi]))


def filtered_twice(b, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    return scipy.signal.filtfilt(b, 1.0, x, axis, padtype, padlen, method, irlen)


def shifted(x, freq, fs):
    return np.asarray(x) * np.exp(-2j * np.pi * np.asarray(freq) / fs * np.arange(np.shape(x)[-1]))


def channels(x, h, n_chans):
    """Block after block of n_chans samples, each channel with its own taps."""
    x, h = np.asarray(x), np.asarray(h)
    count = len(h) // n_chans
    register, columns = np.zeros((n_chans, count), np.result_type(x, h)), []
    for start in range(0, len(x) // n_chans * n_chans, n_chans):
        register = np.concatenate(
            [x[start : start + n_chans][::-1, None], register[:, :-1]], axis=1
        )
        sums = [
            register[m] @ h[: count * n_chans].reshape(count, n_chans)[:, m] for m in range(n_chans)
        ]
        turns = np.exp(2j * np.pi / n_chans * np.outer(np.arange(n_chans), np.arange(n_chans)))
        columns.append(turns @ np.array(sums))
    return np.stack(columns, axis=1)


def compressed(x, template, normalize=False, window=None, nfft=None):
    x, template = np.asarray(x), np.asarray(template)
    nfft = x.shape[-1] if nfft is None else nfft
    if window is not None:
        template = template * scipy.signal.get_window(window, template.size, False)
    template = template / np.linalg.norm(template) if normalize else template
    padded = np.concatenate([template, np.zeros(nfft - template.size)])
    x = np.pad(x[:, :nfft], ((0, 0), (0, max(nfft - x.shape[1], 0))))
    return np.stack([x @ np.conj(np.roll(padded, k)) for k in range(nfft)], axis=-1)


def doppler(x, window=None, nfft=None):
    x = np.asarray(x)
    window = 1 if window is None else window(np.fft.fftfreq(len(x)))[:, None]
    return np.fft.fft(x * window, nfft, axis=0)


def thresholds(array, guard_cells, reference_cells, pfa=1e-3):
    x, guard, reference = (
        np.asarray(array),
        np.atleast_1d(guard_cells),
        np.atleast_1d(reference_cells),
    )
    out = np.zeros(x.shape, np.result_type(x, np.float16) if x.dtype.kind == "f" else float)
    for place in np.ndindex(x.shape):
        around = [
            cell
            for cell in np.ndindex(*(2 * (guard + reference) + 1))
            if np.any(abs(np.array(cell) - guard - reference) > guard)
        ]
        cells = [tuple(np.array(place) + cell - guard - reference) for cell in around]
        if all(0 <= i < n for cell in cells for i, n in zip(cell, x.shape, strict=True)):
            out[place] = (
                np.mean([x[cell] for cell in cells]) * len(cells) * (pfa ** (-1 / len(cells)) - 1)
            )
    return out, x > out


def beam(x, sv, calc_cov=True):
    covariance = np.cov(x) if calc_cov else np.asarray(x)
    weights = np.linalg.inv(covariance) @ sv
    return weights / (np.conj(sv) @ weights)


def with_state(draw):
    yield "from rest", (draw.array(3), draw.array(2, 7)), {}
    yield "from a state", (draw.array(3), draw.array(2, 7), -1, draw.array(2, 2)), {}


def twice(draw):
    yield "odd", (draw.array(3), draw.array(12)), {}
    yield "along axis 0", (draw.array(2), draw.array(6, 2), 0, "even", 3), {}


def shifts(draw):
    yield "two signals", (draw.array(2, 5), np.array(0.3, draw.real_dtype), 2.0), {}


def divided(draw):
    yield "three channels", (draw.array(13), draw.array(7), 3), {}


def pulses(draw):
    yield "two pulses", (draw.array(2, 6), draw.array(4)), {}
    yield "norm, window, longer", (draw.array(2, 5), draw.array(4), True, "hann", 7), {}


def shifts_of_pulses(draw):
    yield "three pulses", (draw.array(3, 4),), {}
    yield "window, longer", (draw.array(3, 2), lambda f: 1 + f * f, 5), {}


def powers(draw):
    if not draw.is_complex:
        yield "one axis", (draw.positive(11), 1, 2, np.array(0.1, draw.real_dtype)), {}
        yield "two axes", (draw.positive(6, 7), (0, 1), (1, 2)), {}


def powers_errors(draw):
    yield "too small", (np.ones(6), 1, 2), {}, ValueError, "too small"


def sensors(draw):
    yield "signals", (draw.array(2, 5), draw.array(2)), {}
    yield (
        "a covariance",
        (draw.array(2, 2) + 3 * np.eye(2, dtype=draw.dtype), draw.array(2), False),
        {},
    )


def sensors_errors(draw):
    yield (
        "more sensors than samples",
        (np.ones((3, 2)), np.ones(3)),
        {},
        ValueError,
        "at least as many columns",
    )


specs = [
    OpSpec(function=signal.firfilter, reference=filtered, samples=with_state),
    OpSpec(
        function=signal.firfilter2,
        reference=filtered_twice,
        samples=twice,
    ),
    OpSpec(function=signal.freq_shift, reference=shifted, samples=shifts),
    OpSpec(function=signal.channelize_poly, reference=channels, samples=divided),
    OpSpec(
        function=signal.pulse_compression,
        reference=compressed,
        samples=pulses,
        known_failures={("extreme", "any"): "the norm of NumPy and CuPy underflows, ours does not"},
    ),
    OpSpec(function=signal.pulse_doppler, reference=doppler, samples=shifts_of_pulses),
    OpSpec(
        function=signal.ca_cfar, reference=thresholds, samples=powers, error_samples=powers_errors
    ),
    OpSpec(function=signal.mvdr, reference=beam, samples=sensors, error_samples=sensors_errors),
]
