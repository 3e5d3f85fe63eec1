"""The windows by their own names."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec

from .foundation.window_shapes import DIVIDED

KNOWN = {"tukey": {("extreme", "numpy"): DIVIDED}}
SHAPES = {
    "kaiser": (3.0,),
    "kaiser_bessel_derived": (4.0,),
    "gaussian": (1.5,),
    "general_gaussian": (1.3, 2.0),
    "chebwin": (60.0,),
    "general_hamming": (0.6,),
    "general_cosine": (np.array([0.5, 0.4, 0.1]),),
    "exponential": (None, 2.0),
    "tukey": (0.45,),
    "taylor": (4, 33.0),
    "dpss": (2.3,),
}


def own_name(name):
    def samples(draw):
        if draw.is_complex:
            return
        parameters = [
            np.array(p, draw.dtype) if isinstance(p, (float, np.ndarray)) else p
            for p in SHAPES[name]
        ]
        yield "symmetric", (8, *parameters), {}
        if name != "kaiser_bessel_derived":
            yield "periodic", (7, *parameters), {"sym": False}
        if name not in ("kaiser_bessel_derived", "dpss"):
            yield "one sample", (1, *parameters), {}
        if name == "dpss":
            for norm in (2, "approximate", "subsample"):
                yield f"three, {norm}", (8, *parameters, 3), {"norm": norm, "return_ratios": True}

    def errors(draw):
        yield "negative length", (-1, *SHAPES[name]), {}, ValueError, "non-negative integer"

    return OpSpec(
        function=getattr(signal.windows, name),
        reference=getattr(scipy.signal.windows, name),
        samples=samples,
        error_samples=None if name in ("kaiser_bessel_derived", "dpss") else errors,
        known_failures=KNOWN.get(name, {}),
    )


specs = [
    *map(own_name, SHAPES),
]
