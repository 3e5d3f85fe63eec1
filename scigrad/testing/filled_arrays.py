"""The law of arrays that are made while a transform runs and filled then: they are arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import backends, jvp, raw
from scigrad.numpy.fillable import fillable

from .arrays import assert_close
from .cases import DOUBLE, over_varying_cases
from .gradcheck import directions
from .opspec import Case, OpSpec


def filling(spec: OpSpec, backend: str) -> None:
    """Check that a function of arrays which a program has filled, with numbers or with traced
    values, is what it is of others.
    """

    def check(_: Case, f: Callable[..., Any], x: Any) -> None:
        tangents, rtol = directions("tangent", tuple(x)), max(spec.tolerance, 1e-13)
        expected = jvp(f, x, tangents)
        found = jvp(lambda *x: f(*map(_array_of, x)), x, tangents)
        assert_close(found, expected, rtol, "of filled arrays")
        found = jvp(lambda one: f(*map(_array_of, x)), (1.0,), (1.0,), allow_constant=True)[0]
        assert_close(found, expected[0], rtol, "of arrays filled with numbers")

    only_real = spec.cases(np.float64, gradient=True)
    over_varying_cases(spec, backend, check, (np.float64,) if only_real else DOUBLE)


def _array_of(x: Any) -> Any:
    if not getattr(x, "shape", ()) or backends.library(raw(x)) != "numpy":
        return x  # arrays on a device are made `like` another one, which is traced
    out = fillable(np.zeros(x.shape, x.dtype))
    out[...] = x
    return out
