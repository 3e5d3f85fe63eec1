"""A recursive filter fitted to a heartbeat: second-order sections that remove the hum of the mains.

An electrocardiogram with 50 Hz hum and its third harmonic added goes through a cascade of
second-order sections

    y[n] = b0 x[n] + b1 x[n-1] + b2 x[n-2] - a1 y[n-1] - a2 y[n-2]

and the coefficients are fitted so that the output is the recording without hum. The frequencies of
the hum are not given: at the start the filter passes everything. Two heartbeats are used for the
fit, the third for the test.

The same is then done with four numbers instead of ten coefficients: the frequencies and qualities
of two notches, through the design of the filter by `iirnotch`.

Both are small programs, which are called some hundred times: `jit` records them, and the demo
prints what that saves.

Recording: `pywt.data.ecg` of PyWavelets, 1024 samples, in units of the recorder. No sampling rate
comes with it; at the 360 Hz of the MIT-BIH arrhythmia database the recording's own faint hum sits
at 60 Hz, that of the American mains.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pywt.data

from scigrad.demo import picture
from scigrad.demo.descent import (
    Outcome,
    console,
    descend,
    gradient_check,
    print_what_is_saved,
    record_gradient,
)
from scigrad.signal import iirnotch, sosfilt

TITLE = "Recursive filter: removing the mains hum from a heartbeat"

RATE = 360.0  # samples a second
HUM = {50.0: 60.0, 150.0: 20.0}  # amplitude [recorder units] of each frequency [Hz]
FITTED, TESTED = slice(180, 680), slice(680, None)  # after half a second for the filter to settle
FIRST_POLES = 40.0, 120.0  # the poles and the notches at the start [Hz]
FIRST_QUALITY = 1.0  # the notches are wide enough to reach the hum


def read_heartbeat() -> np.ndarray:
    recording = pywt.data.ecg().astype(float)
    return recording - np.median(recording)


def hum(samples: int) -> np.ndarray:
    """Return the mains: 50 Hz and its third harmonic."""
    time = np.arange(samples) / RATE
    return np.sum(
        [
            size * np.sin(2 * np.pi * frequency * time + frequency)
            for frequency, size in HUM.items()
        ],
        axis=0,
    )


def own_noise(recording: np.ndarray) -> float:
    """Estimate the standard deviation of the recording's own noise, from its second differences;
    the median ignores the beats.
    """
    return float(np.median(np.abs(np.diff(recording, 2))) / 0.6745 / np.sqrt(6.0))


def sections(parameters: np.ndarray) -> np.ndarray:
    """Return rows (b0, b1, b2, 1, a1, a2) from rows of five free numbers; for all of them the
    filter is stable.

    The poles of z^2 + a1 z + a2 lie inside the unit circle exactly when |a2| < 1 and |a1| < 1 + a2.
    """
    b0, b1, b2, u, v = parameters.T
    a2 = np.tanh(u)
    a1 = (1.0 + a2) * np.tanh(v)
    return np.stack([b0, b1, b2, np.ones(len(parameters)), a1, a2], axis=1)


def identity_filter() -> np.ndarray:
    """Return parameters of sections whose zeros cancel their poles: the output is the input."""
    radius, angle = 0.9, 2 * np.pi * np.array(FIRST_POLES) / RATE
    a1, a2 = -2 * radius * np.cos(angle), np.full(angle.shape, radius**2)
    return np.stack(
        [np.ones(angle.shape), a1, a2, np.arctanh(a2), np.arctanh(a1 / (1 + a2))], axis=1
    )


def notch_design(parameters: np.ndarray) -> Any:
    """Return frequencies [Hz] and qualities of notches from rows of two free numbers."""
    return RATE / 2 / (1 + np.exp(-parameters[:, 0])), np.exp(parameters[:, 1])


def notches(parameters: np.ndarray) -> np.ndarray:
    """Return the sections (b0, b1, b2, 1, a1, a2) of the notches."""
    return np.stack(
        [
            np.concatenate(iirnotch(*notch, fs=RATE))
            for notch in zip(*notch_design(parameters), strict=True)
        ]
    )


def first_notches() -> np.ndarray:
    """Return parameters of wide notches away from the hum."""
    share = np.array(FIRST_POLES) / (RATE / 2)
    return np.stack(
        [np.log(share / (1 - share)), np.full(share.shape, np.log(FIRST_QUALITY))], axis=1
    )


def objective(
    parameters: np.ndarray, heard: np.ndarray, clean: np.ndarray, filter_of: Any = sections
) -> Any:
    """Return the mean square error of the output in the heartbeats for the fit."""
    return np.mean((sosfilt(filter_of(parameters), heard) - clean)[FITTED] ** 2)


def demonstrate(folder: Path, steps: int = 200) -> Outcome:
    """Add hum, fit the filter to two heartbeats, then its design, test both on the third, and draw
    `ecg_filter.png`.
    """
    clean = read_heartbeat()
    heard = clean + hum(clean.size)
    loss = partial(objective, heard=heard, clean=clean)
    start = identity_filter()

    def misfit(_: np.ndarray, value: float) -> float:
        """Return the root mean square error [recorder units]."""
        return np.sqrt(value)

    check = partial(gradient_check, step=1e-4, differentiate=record_gradient)
    fit = partial(descend, steps=steps, misfit=misfit, differentiate=record_gradient)
    error, descent = check(loss, start), fit(loss, start)
    print_what_is_saved(loss, descent.x)
    design_loss, wide = partial(loss, filter_of=notches), first_notches()
    error, design = max(error, check(design_loss, wide)), fit(design_loss, wide)
    print_what_is_saved(design_loss, design.x)
    found = ", ".join(
        f"{f:.2f} Hz (Q {q:.0f})" for f, q in zip(*notch_design(design.x), strict=True)
    )
    console.print(f"  notches found    {found}   misfit {design.misfit[-1]:.3g}")
    cascades, noise_level = (
        (sections(start), sections(descent.x), notches(design.x)),
        own_noise(clean),
    )
    filtered, windows = sosfilt(cascades[1], heard), (FITTED, TESTED)
    path = folder / "ecg_filter.png"
    picture.ecg_filter(
        clean, heard, filtered, cascades, found, RATE, windows, descent, noise_level, path
    )
    return Outcome(error, descent, noise_level, "recorder units rms", str(path))
