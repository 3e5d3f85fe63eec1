"""Cosine and sine transforms: all four types, norms, with and without orthogonalisation, cropped
and padded.
"""

import numpy as np
import scipy.fft

from scigrad import fft
from scigrad.testing import OpSpec

NORMS = (None, "ortho", "forward")


def one_axis(draw):
    for type in (1, 2, 3, 4):
        for norm in NORMS:
            yield f"type {type}, {norm}", (draw.array(4), type), {"norm": norm}
        yield f"type {type}, orthogonalized", (draw.array(5), type), {"orthogonalize": True}
        yield (
            f"type {type}, ortho but not orthogonalized",
            (draw.array(3), type),
            {"norm": "ortho", "orthogonalize": False},
        )
    yield "cropped", (draw.array(2, 5), 2, 4), {}
    yield "padded, axis 0", (draw.array(3, 2), 3, 5, 0, "ortho"), {}
    yield "workers, overwrite_x", (draw.array(2, 4),), {"workers": 2, "overwrite_x": False}


def several_axes(draw):
    for type in (1, 2, 3, 4):
        yield f"type {type}", (draw.array(3, 2), type), {}
    yield "type 2, ortho", (draw.array(2, 3),), {"norm": "ortho"}
    yield "type 1, orthogonalized", (draw.array(2, 3), 1), {"orthogonalize": True}
    yield "s and axes", (draw.array(2, 3, 2), 3, (3, 2), (0, 1)), {"norm": "forward"}
    yield "s without axes", (draw.array(2, 3), 2, (4,)), {}


def bad(draw):
    yield "type", (np.ones((2, 3)), 5), {}, ValueError, r"invalid D[CS]T type.*\(2, 3\)"
    yield "norm", (np.ones(3),), {"norm": "unit"}, ValueError, "Invalid norm value 'unit'"
    yield "axis", (np.ones(3),), {"axis": 1}, IndexError, r"axis is out of range.*\(3,\)"


def by_parts(function):
    """SciPy's transform of real and imaginary part: of complex x it forgets `orthogonalize`
    (1.17).
    """

    def reference(x, *args, **kwargs):
        if np.iscomplexobj(x):
            return function(x.real, *args, **kwargs) + 1j * function(x.imag, *args, **kwargs)
        return function(x, *args, **kwargs)

    return reference


def spec(name, samples, errors=None):
    reference = by_parts(getattr(scipy.fft, name))
    return OpSpec(
        function=getattr(fft, name),
        reference=reference,
        samples=samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.real(n),), {}),
    )


specs = [
    *(spec(name, one_axis, bad) for name in ("dct", "idct", "dst", "idst")),
    *(spec(name, several_axes) for name in ("dctn", "idctn", "dstn", "idstn")),
]
