"""Calls of scipy.special's own ufuncs with traced values, such as `scipy.special.gammaln(x)` in the
code of a user.
"""

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules.trace import late_interception


def find(function: Any) -> Callable[..., Any] | None:
    """Return our function for a ufunc of scipy.special, or None; called once for each ufunc that
    NumPy's protocol meets.
    """
    theirs = sys.modules.get("scipy.special")
    if (
        theirs is None
        or not isinstance(function, np.ufunc)
        or getattr(theirs, function.__name__, None) is not function
    ):
        return None
    return getattr(importlib.import_module("scigrad.special"), function.__name__, None)


late_interception.append(find)
