"""The law of arrays that are made while a transform runs and filled then: they are arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import backends, jvp, raw
from scigrad.numpy.fillable import fillable

from .arrays import assert_close
from .cases import DOUBLE, over_varying_cases
from .gradcheck import directions
from .hard_arguments import value_or_error
from .opspec import Case, OpSpec


def filling(spec: OpSpec, backend: str) -> None:
    """Check that a function of arrays which a program has filled, with numbers or with traced
    values, is what it is of others.
    """

    def check(_: Case, f: Callable[..., Any], x: Any) -> None:
        tangents = directions("tangent", tuple(x))
        expected = value_or_error(lambda: jvp(f, x, tangents))
        found = value_or_error(lambda: jvp(lambda *x: f(*map(_array_of, x)), x, tangents))
        _assert_same(found, expected, spec, "of filled arrays")
        found = value_or_error(lambda: jvp(lambda one: f(*map(_array_of, x)), (1.0,), (1.0,))[0])
        _assert_same(found, expected[0], spec, "of arrays filled with numbers")

    only_real = spec.cases(np.float64, gradient=True)
    over_varying_cases(spec, backend, check, (np.float64,) if only_real else DOUBLE)


def _array_of(x: Any) -> Any:
    if not getattr(x, "shape", ()) or backends.library(raw(x)) != "numpy":
        return x  # arrays on a device are made `like` another one, which is traced
    out = fillable(np.zeros(x.shape, x.dtype))
    out[...] = x
    return out


def _assert_same(found: Any, expected: Any, spec: OpSpec, what: str) -> None:
    if isinstance(found, Exception):
        raise found
    assert_close(found, expected, max(spec.tolerance, 1e-13), what)
