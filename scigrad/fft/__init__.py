"""Discrete Fourier, cosine and sine transforms: scipy.fft with derivatives.

`numpy.fft` on traced arrays works as it stands; for calls of `scipy.fft` write `with scipy.fft.set_backend(scigrad.fft):`.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from scigrad.autodiff_rules.public_names import public_names

from .complex import fft, fft2, fftn, ifft, ifft2, ifftn
from .cosine_sine import dct, dctn, dst, dstn, idct, idctn, idst, idstn
from .frequencies import fftfreq, fftshift, ifftshift, next_fast_len, prev_fast_len, rfftfreq
from .hankel import fht, fhtoffset, ifht
from .hermitian import hfft, hfft2, hfftn, ihfft, ihfft2, ihfftn
from .interception import register
from .nonuniform import nufft, nufft1, nufft2, nufft3
from .real import irfft, irfft2, irfftn, rfft, rfft2, rfftn

if TYPE_CHECKING:  # SciPy's own configuration, which our kernels follow; found when asked for: scipy.fft loads late
    from scipy.fft import get_workers, register_backend, set_backend, set_global_backend, set_workers, skip_backend

__all__ = [
    "dct", "dctn", "dst", "dstn", "fft", "fft2", "fftfreq", "fftn", "fftshift", "fht", "fhtoffset", "get_workers", "hfft",
    "hfft2", "hfftn", "idct", "idctn", "idst", "idstn", "ifft", "ifft2", "ifftn", "ifftshift", "ifht", "ihfft", "ihfft2",
    "ihfftn", "irfft", "irfft2", "irfftn", "next_fast_len", "nufft", "nufft1", "nufft2", "nufft3", "prev_fast_len",
    "register_backend", "rfft", "rfft2", "rfftfreq", "rfftn", "set_backend", "set_global_backend", "set_workers", "skip_backend",
]  # fmt: skip

_CONFIGURATION = ("get_workers", "register_backend", "set_backend", "set_global_backend", "set_workers", "skip_backend")

register(globals())

# scipy.fft's protocol for backends: every call is ours, and what we leave to scipy.fft does not come back.
__ua_domain__ = "numpy.scipy.fft"
__getattr__, __dir__ = public_names(__name__, __all__, _CONFIGURATION)


def __ua_function__(method: Any, args: Any, kwargs: Any) -> Any:
    function = globals().get(method.__name__)
    if function is None:
        return NotImplemented
    with importlib.import_module("scipy.fft").skip_backend(sys.modules[__name__]):
        return function(*args, **kwargs)
