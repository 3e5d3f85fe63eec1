"""scipy.special's own ufuncs called on traced values: `scipy.special.gammaln(x)` in a user's function works as it stands."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules.trace import late_interception


def find(function: Any) -> Callable[..., Any] | None:
    """Our function for a ufunc of scipy.special, if there is one; asked once for each ufunc that NumPy's protocol meets."""
    theirs = sys.modules.get("scipy.special")
    if theirs is None or not isinstance(function, np.ufunc) or getattr(theirs, function.__name__, None) is not function:
        return None
    return getattr(importlib.import_module("scigrad.special"), function.__name__, None)


late_interception.append(find)

__all__ = ["find"]
