"""Cosine and sine transforms for libraries with types II and III only, unnormalized (CuPy).

Types I and IV are composed of a Fourier transform of the extended or rotated sequence (S. A.
Martucci, IEEE Trans. Signal Processing 42 (1994) 1038-1051, for the extensions); norm and
orthogonalization are factors.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import backends

from .transform import library_function, opposite, resize_all, scale_ends

INVERSE_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}
_NONE, _FIRST, _LAST, _BOTH = (False, False), (True, False), (False, True), (True, True)
# The ends that L and R (see the docstring of cosine_sine.py) scale, by family and type.
ENDS = {
    ("dct", 1): (_BOTH, _BOTH),
    ("dct", 2): (_FIRST, _NONE),
    ("dct", 3): (_NONE, _FIRST),
    ("dct", 4): (_NONE, _NONE),
    ("dst", 1): (_NONE, _NONE),
    ("dst", 2): (_LAST, _NONE),
    ("dst", 3): (_NONE, _LAST),
    ("dst", 4): (_NONE, _NONE),
}


def transform_on_gpu(
    name: str, x: Any, type: int, lengths: Any, axes: Sequence[int], norm: Any, orthogonalize: Any
) -> Any:
    """Compute dct, idct, dst or idst along axes, of lengths None or given."""
    if type not in INVERSE_TYPE:
        raise ValueError(f"{name}: invalid type {type!r}, should be 1, 2, 3 or 4")
    norm = opposite(opposite(norm))  # checks it; None becomes "backward"
    if lengths is not None:
        shape = list(x.shape)
        for n, axis in zip(lengths, axes, strict=True):
            if n < 1:
                raise ValueError(f"{name}: invalid number of data points ({n}) specified")
            shape[axis] = n
        x = resize_all(x, tuple(shape), axes)
    if x.dtype.kind == "c":
        real, imaginary = (
            transform_on_gpu(name, part, type, None, axes, norm, orthogonalize)
            for part in (x.real, x.imag)
        )
        return real + 1j * imaginary
    x = x.astype(
        np.result_type(x.dtype, np.float32) if x.dtype.kind == "f" else np.float64, copy=False
    )
    if name.startswith("i"):
        type, norm = INVERSE_TYPE[type], opposite(norm)
    if orthogonalize is None:
        orthogonalize = norm == "ortho"
    for axis in axes:
        x = _transform_axis(name.removeprefix("i"), x, type, axis, norm, orthogonalize)
    return x


def _transform_axis(
    family: str, x: Any, type: int, axis: int, norm: str, orthogonalize: bool
) -> Any:
    left, right = ENDS[family, type] if orthogonalize else (_NONE, _NONE)
    n = x.shape[axis] + {("dct", 1): -1, ("dst", 1): 1}.get((family, type), 0)
    if n == 0:
        raise RuntimeError("dct: type 1 needs at least two entries along the axis")
    x = scale_ends(x, math.sqrt(2.0), axis, *right) if any(right) else x
    if type in (2, 3):
        y = library_function(family)(x, type=type, axis=axis)
    else:
        y = np.moveaxis(
            {1: _type_1, 4: _type_4}[type](family, np.moveaxis(x, axis, -1)), -1, axis
        ).astype(x.dtype)
    y = scale_ends(y, math.sqrt(0.5), axis, *left) if any(left) else y
    return y * {"backward": 1.0, "ortho": 1 / math.sqrt(2 * n), "forward": 0.5 / n}[norm]


def _type_1(family: str, x: Any) -> Any:
    """Compute type I: the Fourier transform of the even extension is real, that of the odd one
    (zeros between) imaginary.
    """
    if family == "dct":
        return library_function("rfft")(np.concatenate((x, x[..., -2:0:-1]), axis=-1)).real
    zero = np.zeros_like(x[..., :1])
    return -library_function("rfft")(np.concatenate((zero, x, zero, -x[..., ::-1]), axis=-1)).imag[
        ..., 1:-1
    ]


def _type_4(family: str, x: Any) -> Any:
    """Compute type IV by (2k + 1)(2j + 1) = 4jk + 2j + (2k + 1): a transform of twice the length
    between two rotations.
    """
    n = x.shape[-1]
    j = backends.namespace(backends.library(x)).arange(n)
    rotated = (x * np.exp(-0.5j * math.pi / n * j)).astype(np.result_type(x.dtype, np.complex64))
    y = library_function("fft")(rotated, 2 * n)[..., :n] * np.exp(
        -0.25j * math.pi / n * (2 * j + 1)
    )
    return 2 * y.real if family == "dct" else -2 * y.imag


__all__ = ["ENDS", "INVERSE_TYPE", "transform_on_gpu"]
