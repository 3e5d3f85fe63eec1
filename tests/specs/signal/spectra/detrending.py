"""detrend."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def trends(draw):
    for kind in ("linear", "constant"):
        yield f"{kind}", (draw.array(2, 5),), {"type": kind}
        yield f"{kind} along axis 0", (draw.array(4, 2),), {"type": kind, "axis": 0}
    yield "parts", (draw.array(9),), {"bp": [3, 5]}


def trend_errors(draw):
    yield "kind", (np.ones(4),), {"type": "cubic"}, ValueError, "Trend type"
    yield "breakpoint", (np.ones(4),), {"bp": 9}, ValueError, "Breakpoints"


specs = [
    OpSpec(
        function=signal.detrend,
        reference=scipy.signal.detrend,
        samples=trends,
        error_samples=trend_errors,
    ),
]
