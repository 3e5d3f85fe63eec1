"""Discrete Fourier, cosine and sine transforms: scipy.fft with derivatives.

Calls of `numpy.fft` with traced arrays come here by NumPy's protocol. For calls of `scipy.fft`
write `with scipy.fft.set_backend(scigrad.fft):`. Functions that SciPy lacks are marked with a star.

Transforms
    fft, ifft, fft2, ifft2, fftn, ifftn
    rfft, irfft, rfft2, irfft2, rfftn, irfftn: of real arrays
    hfft, ihfft, hfft2, ihfft2, hfftn, ihfftn: of Hermitian arrays
    dct, idct, dctn, idctn, dst, idst, dstn, idstn
    fht, ifht, fhtoffset
    nufft*, nufft1*, nufft2*, nufft3*: at any points
Frequencies, order and lengths
    fftfreq, rfftfreq, fftshift, ifftshift, next_fast_len, prev_fast_len
Settings of scipy.fft
    get_workers, set_workers, register_backend, set_backend, set_global_backend, skip_backend
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from scigrad.autodiff_rules.messages.public_names import collect_names, public_names

from .complex import *
from .cosine_sine import *
from .frequencies import *
from .hankel import *
from .hermitian import *
from .interception import register_numpy_functions as _register
from .nonuniform import *
from .real import *

# SciPy's own configuration, which our kernels follow; found when asked for: scipy.fft loads late
if TYPE_CHECKING:
    from scipy.fft import (
        get_workers,
        register_backend,
        set_backend,
        set_global_backend,
        set_workers,
        skip_backend,
    )

__all__ = [
    "get_workers",
    "register_backend",
    "set_backend",
    "set_global_backend",
    "set_workers",
    "skip_backend",
]
_SCIPYS = tuple(__all__)
__all__ += collect_names(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

_register(globals())

# scipy.fft's protocol for backends. A function that is not ours is left to scipy.fft, for which
# this backend is skipped.
__ua_domain__ = "numpy.scipy.fft"
if not TYPE_CHECKING:  # type checkers report a misspelt name only if there is no __getattr__
    __getattr__, __dir__ = public_names(__name__, __all__, _SCIPYS)


def __ua_function__(method: Any, args: Any, kwargs: Any) -> Any:
    function = globals().get(method.__name__)
    if function is None:
        return NotImplemented
    with importlib.import_module("scipy.fft").skip_backend(sys.modules[__name__]):
        return function(*args, **kwargs)
