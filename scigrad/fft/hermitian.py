"""Transforms of Hermitian-symmetric signals, which have real spectra: rfft and irfft with the directions exchanged.

What the host has goes to the engine at once, which spares a conjugated copy and refuses in SciPy's words.
"""

from __future__ import annotations

import numpy as np

from scigrad.autodiff_rules import Traced, backends

from .dask_arrays import is_dask
from .real import irfft, irfftn, rfft, rfftn
from .transform import opposite, values


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Fourier transform of a signal given by its half: hfft(x, n) = n irfft(conj(x), n). Real. See scipy.fft.hfft."""
    if type(x) is np.ndarray or _is_plain(x):
        return values("hfft", x, n, axis, norm, overwrite_x, workers, plan)
    return irfft(np.conj(x), n, axis, opposite(norm), overwrite_x, workers, plan=plan)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of hfft: ihfft(x, n) = conj(rfft(x, n)) / n of a real array. See scipy.fft.ihfft."""
    if type(x) is np.ndarray or _is_plain(x):
        return values("ihfft", x, n, axis, norm, overwrite_x, workers, plan)
    return np.conj(rfft(x, n, axis, opposite(norm), overwrite_x, workers, plan=plan))


def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """hfft along the last of several axes, fft along the others. See scipy.fft.hfftn."""
    if type(x) is np.ndarray or _is_plain(x):
        return values("hfftn", x, s, axes, norm, overwrite_x, workers, plan)
    return irfftn(np.conj(x), s, axes, opposite(norm), overwrite_x, workers, plan=plan)


def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """Inverse of hfftn. See scipy.fft.ihfftn."""
    if type(x) is np.ndarray or _is_plain(x):
        return values("ihfftn", x, s, axes, norm, overwrite_x, workers, plan)
    return np.conj(rfftn(x, s, axes, opposite(norm), overwrite_x, workers, plan=plan))


def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """hfftn along two axes, the last two by default. See scipy.fft.hfft2."""
    return hfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """ihfftn along two axes, the last two by default. See scipy.fft.ihfft2."""
    return ihfftn(x, s, axes, norm, overwrite_x, workers, plan=plan)


def _is_plain(x):
    return not isinstance(x, Traced) and backends.library(x) == "numpy" and not is_dask(x)


__all__ = ["hfft", "hfft2", "hfftn", "ihfft", "ihfft2", "ihfftn"]
