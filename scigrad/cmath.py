"""Python's functions of complex numbers, differentiable.

    from scigrad import cmath
    grad(lambda x: abs(cmath.sqrt(x - 4)))(3.0)

Plain numbers are left to the functions of Python's own module, with their values and errors; traced
ones raise the same errors. As there, an argument is one number and the result is complex, also that
of a real one.
"""

import cmath
from cmath import e, inf, infj, nan, nanj, pi, tau
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced

from .math import Function, is_close, take_traced, truth_of

__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "e", "exp", "inf", "infj",
    "isclose", "isfinite", "isinf", "isnan", "log", "log10", "nan", "nanj", "phase", "pi", "polar",
    "rect", "sin", "sinh", "sqrt", "tan", "tanh", "tau",
]  # fmt: skip


def _take_complex(original: Function, ours: Function) -> Function:
    return take_traced(original, ours, complex)


def _log(z: Any, *base: Any) -> Any:
    values = [np.log(x if isinstance(x, Traced) else complex(x)) for x in (z, *base)]
    return values[0] / values[1] if base else values[0]


def _polar(z: Any) -> Any:
    return np.abs(z), np.angle(z)


def _rect(r: Any, phi: Any) -> Any:
    return r * np.cos(phi) + 1j * (r * np.sin(phi))


acos, acosh = (
    _take_complex(cmath.acos, np.arccos),
    _take_complex(cmath.acosh, np.arccosh),
)
asin, asinh = (
    _take_complex(cmath.asin, np.arcsin),
    _take_complex(cmath.asinh, np.arcsinh),
)
atan, atanh = (
    _take_complex(cmath.atan, np.arctan),
    _take_complex(cmath.atanh, np.arctanh),
)
cos, cosh = _take_complex(cmath.cos, np.cos), _take_complex(cmath.cosh, np.cosh)
sin, sinh = _take_complex(cmath.sin, np.sin), _take_complex(cmath.sinh, np.sinh)
tan, tanh = _take_complex(cmath.tan, np.tan), _take_complex(cmath.tanh, np.tanh)
exp, sqrt = _take_complex(cmath.exp, np.exp), _take_complex(cmath.sqrt, np.sqrt)
log, log10 = _take_complex(cmath.log, _log), _take_complex(cmath.log10, np.log10)
phase, polar = _take_complex(cmath.phase, np.angle), _take_complex(cmath.polar, _polar)
rect = take_traced(cmath.rect, _rect)
isfinite, isinf, isnan = (
    _take_complex(cmath.isfinite, truth_of(np.isfinite)),
    _take_complex(cmath.isinf, truth_of(np.isinf)),
    _take_complex(cmath.isnan, truth_of(np.isnan)),
)
isclose = _take_complex(cmath.isclose, is_close)
