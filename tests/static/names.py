# pyright: reportUnnecessaryTypeIgnoreComment=true, reportCallIssue=true
"""Public names as an editor sees them, which `make types` holds: ours before SciPy's, with
parameters, and no misspelt ones.

A comment that ignores an error is an error itself where there is none to ignore.
"""

from inspect import signature
from typing import TYPE_CHECKING

import scigrad
from scigrad import linalg, signal, special
from scigrad import numpy as np
from scigrad.signal import windows

if TYPE_CHECKING:  # nothing runs
    # A wrong keyword is seen only where the parameters are known.
    special.jv(2.0, 1.0, out=np.zeros(()), where=True, dtype=float)
    special.jv(2.0, 1.0, axis=3)  # pyright: ignore[reportCallIssue]
    special.bdtri(1, 2, probability=0.5)  # pyright: ignore[reportCallIssue]
    signal.butter(2, 0.1, kind="low")  # pyright: ignore[reportCallIssue]
    windows.kaiser(8, betas=2.0)  # pyright: ignore[reportCallIssue]
    np.trapezoid([1.0], dy=1.0)  # pyright: ignore[reportCallIssue]

    scigrad.grda  # pyright: ignore[reportAttributeAccessIssue]  # noqa: B018
    linalg.sovle  # pyright: ignore[reportAttributeAccessIssue]  # noqa: B018
    special.jvv  # pyright: ignore[reportAttributeAccessIssue]  # noqa: B018
    signal.buter  # pyright: ignore[reportAttributeAccessIssue]  # noqa: B018
    windows.kaizer  # pyright: ignore[reportAttributeAccessIssue]  # noqa: B018

    # Functions that are SciPy's own are known too.
    shown = signature(special.comb), signature(signal.argrelmax), windows.hann(4)
