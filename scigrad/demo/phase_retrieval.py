"""Phase retrieval: a complex field from the brightness of its diffraction patterns alone.

A detector far behind an object counts photons. It measures |F(z)|^2, where F is the Fourier
transform of the complex field z that leaves the object; the phase is lost. Four patterns with four
masks m in the beam determine it:

    minimize  2 sum_m sum_k ( |F(m z)|_k - sqrt(counts)_mk )^2

over the complex field z, up to a global phase.

The square root of a Poisson count has a standard deviation close to 1/2 whatever its mean, so this
is least squares in units of the noise. The unknown is a complex array and its gradient is one too:
dL/dRe(z) + i dL/dIm(z).

The object: the official U.S. Navy portrait of Grace Hopper (public domain), `grace_hopper.jpg` of
matplotlib's sample data. Its brightness is the amplitude of the field and its warmth (red minus
blue) the phase.
"""

from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data
from PIL import Image

from scigrad.demo import picture
from scigrad.demo.descent import Outcome, descend, gradient_check
from scigrad.fft import fftn

TITLE = "Phase retrieval: a photograph from four diffraction patterns without phase"

PHOTONS = 1000.0  # that leave the object per pixel, on average, for each pattern


def read_photograph(size: int) -> np.ndarray:
    """Return the portrait, square, `size` pixels a side: red, green and blue in [0, 1]."""
    with Image.open(str(get_sample_data("grace_hopper.jpg", asfileobj=False))) as image:
        square = image.convert("RGB").crop((0, 20, 512, 532)).resize((size, size))
    return np.asarray(square) / 255.0


def field_of(photograph: np.ndarray) -> np.ndarray:
    """Return the complex field: amplitude from brightness, phase [rad] from warmth, `PHOTONS`
    photons per pixel.
    """
    red, _, blue = np.moveaxis(photograph, -1, 0)
    field = (0.1 + photograph.mean(axis=-1)) * np.exp(2j * (red - blue))
    return field * np.sqrt(PHOTONS / np.mean(np.abs(field) ** 2))


def punched_masks(size: int, random: np.random.Generator) -> np.ndarray:
    """Return two random patterns of holes, and for each the pattern where hole and card are
    swapped: each pixel is seen twice.
    """
    first, second = random.integers(0, 2, (2, size, size)).astype(float)
    return np.stack([first, 1 - first, second, 1 - second])


def amplitudes(field: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the amplitude at every detector pixel for every mask, on a grid that samples the
    brightness, not the field, in full.
    """
    detector = tuple(2 * n for n in field.shape)
    return np.abs(fftn(masks * field, s=detector, axes=(1, 2), norm="ortho"))


def objective(field: np.ndarray, masks: np.ndarray, measured: np.ndarray) -> float:
    """Return half the sum of squared residuals in units of the noise (1/2)."""
    return 2.0 * np.sum((amplitudes(field, masks) - measured) ** 2)


def without_global_phase(field: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the field times a global phase, which the patterns do not determine, for comparison
    with the truth.
    """
    return field * np.exp(-1j * np.angle(np.vdot(truth, field)))


def demonstrate(folder: Path, size: int = 256, steps: int = 150) -> Outcome:
    """Count photons behind four masks, recover the field from random noise, and draw
    `phase_retrieval.png`.
    """
    random = np.random.default_rng(2)
    photograph = read_photograph(size)
    truth = field_of(photograph)
    masks = punched_masks(size, random)
    measured = np.sqrt(random.poisson(amplitudes(truth, masks) ** 2))
    loss = partial(objective, masks=masks, measured=measured)
    start = np.sqrt(PHOTONS / 2) * (
        random.standard_normal((size, size)) + 1j * random.standard_normal((size, size))
    )

    def misfit(field: np.ndarray, value: float) -> float:
        """Return the reduced chi-square: the mean square in units of the noise, for each
        measurement more than there are unknowns.
        """
        return 2 * value / (measured.size - 2 * field.size)

    error = gradient_check(loss, start)
    descent = descend(loss, start, steps=steps, misfit=misfit, tolerance=1e-6)
    found, noise_level = without_global_phase(descent.x, truth), 2 * loss(truth) / measured.size
    path = folder / "phase_retrieval.png"
    picture.phase_retrieval(
        photograph, truth, masks, measured, start, found, descent, noise_level, path
    )
    return Outcome(error, descent, noise_level, "(reduced chi-square)", str(path))
