"""Other libraries' transforms called on traced values: numpy.fft's through NumPy's protocol,
scipy.fft's through a backend.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules.messages.errors import unsupported_ufunc_use
from scigrad.autodiff_rules.trace import interception
from scigrad.typing import Array

from .arguments import lengths_and_axes

_LENGTHS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_SHAPES = ("fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn")


def register_numpy_functions(ours: dict[str, Any]) -> None:
    """Register our functions for calls of numpy.fft's with traced arrays, by NumPy's signatures."""
    for name in _LENGTHS:
        interception[getattr(np.fft, name)] = _of_length(name, ours[name])
    for name in _SHAPES:
        default, along = (
            (-2, -1) if name.endswith("2") else None,
            None if "r" in name else ours[name[:-1]],
        )
        interception[getattr(np.fft, name)] = _of_shape(name, ours[name], default, along)
    interception[np.fft.fftshift], interception[np.fft.ifftshift] = (
        ours["fftshift"],
        ours["ifftshift"],
    )


def _of_length(name: str, ours: Callable[..., Any]) -> Callable[..., Any]:
    def call(
        a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Array | None = None
    ) -> Any:
        if out is not None:
            raise unsupported_ufunc_use(name, "out=")
        return ours(a, n, axis, norm)

    return call


def _of_shape(
    name: str, ours: Callable[..., Any], default: Any, along: Callable[..., Any] | None
) -> Callable[..., Any]:
    def call(
        a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Array | None = None
    ) -> Any:
        if out is not None:
            raise unsupported_ufunc_use(name, "out=")
        # SciPy refuses a repeated axis
        if along and axes is not None and len({axis % a.ndim for axis in axes}) < len(axes):
            pairs = zip(*lengths_and_axes(a.shape, s, axes), strict=True)
            return functools.reduce(
                lambda x, pair, along=along: along(x, *pair, norm), reversed(list(pairs)), a
            )
        return ours(a, s, axes, norm)

    return call


__all__ = ["register_numpy_functions"]
