"""Windows under the names of scipy.signal.windows, differentiable in their shape parameters.

    windows.gaussian(M, std, sym=True)

A window without a shape parameter has nothing to differentiate: `windows.hann` and its like are SciPy's own functions.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from scigrad.autodiff_rules import MissingRule, kernel
from scigrad.autodiff_rules.public_names import public_names
from scigrad.numpy.composition import is_traced

from .window_shapes import get_window, in_their_precision, shaped

if TYPE_CHECKING:  # SciPy's own, without a parameter to differentiate; found when asked for
    from scipy.signal.windows import (
        barthann,
        bartlett,
        blackman,
        blackmanharris,
        bohman,
        boxcar,
        cosine,
        flattop,
        hamming,
        hann,
        lanczos,
        nuttall,
        parzen,
        triang,
    )

_NOT_OF_THE_SHAPE = ("M", "sym", "xp", "device")
_DESCRIBED = {
    "M": "int\n    Number of samples.",
    "beta": "float\n    Shape: 0 is rectangular, larger values have lower side lobes and a wider main lobe.",
    "std": "float\n    Standard deviation in samples.",
    "p": "float\n    Half of the exponent: 1 is the Gaussian window, 1/2 the Laplacian.",
    "sig": "float\n    Standard deviation in samples.",
    "a": "(k,) array_like\n    Coefficients of the cosines.",
    "alpha": "float\n    Weight of the constant, or the part of a tapered window that is tapered.",
    "at": "float\n    Attenuation of the side lobes in dB.",
    "center": "float, optional\n    Position of the maximum in samples; by default the middle.",
    "tau": "float\n    Decay in samples.",
    "nbar": "int\n    Number of nearly constant side lobes beside the main lobe.",
    "sll": "float\n    Level of the side lobes below the main lobe in dB.",
    "norm": "bool\n    Whether the middle of the window is 1.",
    "sym": "bool\n    Whether the window is symmetric, for the design of filters, or periodic, for spectra.",
    "xp, device": "optional\n    As in SciPy, where nothing is traced.",
}


_TEMPLATE = """{summary}

Parameters
----------
{parameters}

Returns
-------
ndarray
    Window of shape (M,), differentiable to any order in the parameters that are floats.

See scipy.signal.windows.{name}.
"""


def _documented(function: Any) -> str:
    names = [{"xp": "xp, device"}.get(name, name) for name in inspect.signature(function).parameters if name != "device"]
    parameters = "\n".join(f"{name} : {_DESCRIBED[name]}" for name in names)
    return _TEMPLATE.format(summary=function.__doc__, parameters=parameters, name=function.__name__)


def _window(function: Any) -> Any:
    """The function of this signature: SciPy's window where nothing is traced, otherwise the shape of that name."""
    name, signature = function.__name__, inspect.signature(function)

    @functools.wraps(function)
    def window(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        of_the_shape = {n: value for n, value in given.arguments.items() if n not in _NOT_OF_THE_SHAPE}
        if not is_traced(of_the_shape.values()):
            return in_their_precision(kernel(f"signal.windows.{name}")(*args, **kwargs), of_the_shape)
        return shaped(name, given.arguments["M"], given.arguments["sym"], *of_the_shape.values())

    window.__doc__ = _documented(function)
    return window


@_window
def kaiser(M, beta, sym=True, *, xp=None, device=None):
    """Kaiser window, I0(beta sqrt(1 - t^2)) / I0(beta) for -1 <= t <= 1."""


@_window
def kaiser_bessel_derived(M, beta, *, sym=True, xp=None, device=None):
    """Kaiser-Bessel derived window, whose squares at distance M/2 add up to 1; M is even."""


@_window
def gaussian(M, std, sym=True, *, xp=None, device=None):
    """Gaussian window, exp(-n^2 / (2 std^2)) at distance n from its middle."""


@_window
def general_gaussian(M, p, sig, sym=True, *, xp=None, device=None):
    """Generalised Gaussian window, exp(-|n / sig|^(2 p) / 2) at distance n from its middle."""


@_window
def general_cosine(M, a, sym=True):
    """Weighted sum of cosines: the sum over k of a[k] cos(k t) for -pi <= t <= pi."""


@_window
def general_hamming(M, alpha, sym=True, *, xp=None, device=None):
    """Generalised Hamming window, alpha - (1 - alpha) cos(t) for 0 <= t <= 2 pi."""


@_window
def chebwin(M, at, sym=True, *, xp=None, device=None):
    """Dolph-Chebyshev window, all of whose side lobes are `at` dB below the main lobe."""


@_window
def exponential(M, center=None, tau=1.0, sym=True, *, xp=None, device=None):
    """Exponential (Poisson) window, exp(-|n - center| / tau)."""


@_window
def tukey(M, alpha=0.5, sym=True, *, xp=None, device=None):
    """Tukey window: constant in the middle, and half a period of a cosine along alpha/2 of it at each end."""


@_window
def taylor(M, nbar=4, sll=30, norm=True, sym=True, *, xp=None, device=None):
    """Taylor window, the narrowest main lobe for `nbar` nearly constant side lobes `sll` dB below it."""


def dpss(M, NW, Kmax=None, sym=True, norm=None, return_ratios=False, *, xp=None, device=None):
    """Discrete prolate spheroidal sequences, SciPy's own: not differentiable in the bandwidth NW."""
    if is_traced([NW]):
        raise MissingRule("dpss: no derivative in the bandwidth NW yet. Pass stop_gradient(NW).")
    placed = {name: value for name, value in (("xp", xp), ("device", device)) if value is not None}
    return kernel("signal.windows.dpss")(M, NW, Kmax, sym, norm, return_ratios, **placed)


__all__ = [
    "barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "cosine", "flattop", "hamming", "hann", "lanczos",
    "nuttall", "parzen", "triang",
]  # fmt: skip
_SCIPYS = tuple(__all__)
__all__ += [
    "chebwin", "dpss", "exponential", "gaussian", "general_cosine", "general_gaussian", "general_hamming", "get_window", "kaiser",
    "kaiser_bessel_derived", "taylor", "tukey",
]  # fmt: skip

__getattr__, __dir__ = public_names(__name__, __all__, _SCIPYS)
