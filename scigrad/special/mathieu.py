"""Mathieu functions and their characteristic values (DLMF chapter 28); q is differentiated
numerically.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .numerical_partial import numerical_partial, solutions
from .ufuncs import guarded, row

_DEGREE = math.pi / 180


def _safe(m: Any, q: Any) -> Any:
    """Return whether SciPy's functions survive; for nan they end the process, and their time grows
    with m.
    """
    return (np.abs(m) <= 1e6) & (np.abs(q) <= 1e6)


_VALUE = """Compute the characteristic value of the {parity} solutions of Mathieu's equation.

``{letter}_m(q)`` (DLMF 28.2), nan where m or ``|q|`` is above 1e6. The order m is an integer; q is
differentiated numerically.

Parameters
----------
m : array_like of ints
    Order of the solution, at least {least}.
q : array_like
    Parameter of Mathieu's equation.

At 2, 1.7: {value}, derivative {slope} in q.
"""


def _characteristic(name: str, **text: Any) -> Any:
    def value(m, q):
        """Return nothing: the values are the library's."""
        ...

    value.__name__, value.__doc__ = name, _VALUE.format(**text)
    declared = row(
        None, lambda m, q, out: numerical_partial(declared, 1, m, q), instead=guarded(name, _safe)
    )(value)
    return declared


mathieu_a = _characteristic(
    "mathieu_a", parity="even", letter="a", least=0, value=4.913472737, slope=0.848544144
)
mathieu_b = _characteristic(
    "mathieu_b", parity="odd", letter="b", least=1, value=3.762103053, slope=-0.276520054
)

_SOLUTION = """Compute the {kind} and its derivative{unit}.

``{symbol}(x, q)`` (DLMF {section}), nan where m or ``|q|`` is above 1e6. It satisfies
``{equation}`` with the value of `{of}`; the order m is an integer, q is differentiated numerically.

Parameters
----------
m : array_like of ints
    Order of the function, at least {least}.
q : array_like
    Parameter of Mathieu's equation{sign}.
x : array_like
    {argument}.

At 2, 1.7, {point}, output 0: {value}, derivative {slope} in x.
"""


def _solution(name: str, of: Any, second: Callable[..., Any], degree: float, **text: Any) -> Any:
    """Declare y and y' with y'' = second(a, q, x) y, where x is in units of `degree`."""

    def solution(m, q, x):
        """Return nothing: the values are the library's."""
        ...

    solution.__name__, solution.__doc__ = (
        name,
        _SOLUTION.format(of=of.__name__, least=int(of is mathieu_b), **text),
    )

    slopes = (
        lambda m, q, x, out: degree * out[1],
        lambda m, q, x, out: degree * second(of(m, q), q, degree * x) * out[0],
    )
    return solutions(1, *slopes, instead=guarded(name, _safe))(solution)


def _angular(name: str, of: Any, **text: Any) -> Any:
    text |= {"unit": " by radians, for x in degrees", "argument": "Angle in degrees", "sign": ""}
    text |= {"section": "28.2", "equation": "y'' = -(a - 2 q cos 2x) y", "point": 33.0}
    return _solution(name, of, lambda a, q, x: 2 * q * np.cos(2 * x) - a, _DEGREE, **text)


def _radial(name: str, of: Any, **text: Any) -> Any:
    text |= {"unit": "", "argument": "Radial coordinate", "sign": ", at least 0"}
    text |= {"section": "28.20", "equation": "y'' = (a - 2 q cosh 2x) y", "point": 0.4}
    return _solution(name, of, lambda a, q, x: a - 2 * q * np.cosh(2 * x), 1, **text)


_EVEN, _ODD = "even modified Mathieu function of the", "odd modified Mathieu function of the"

mathieu_cem = _angular(
    "mathieu_cem",
    mathieu_a,
    kind="even Mathieu function",
    symbol="ce_m",
    value=0.754593587,
    slope=-0.021018768,
)
mathieu_sem = _angular(
    "mathieu_sem",
    mathieu_b,
    kind="odd Mathieu function",
    symbol="se_m",
    value=0.799658574,
    slope=0.019808929,
)
mathieu_modcem1 = _radial(
    "mathieu_modcem1",
    mathieu_a,
    kind=f"{_EVEN} first kind",
    symbol="Mc_m^{(1)}",
    value=0.468975051,
    slope=0.198261132,
)
mathieu_modcem2 = _radial(
    "mathieu_modcem2",
    mathieu_a,
    kind=f"{_EVEN} second kind",
    symbol="Mc_m^{(2)}",
    value=-0.59670854,
    slope=1.105209457,
)
mathieu_modsem1 = _radial(
    "mathieu_modsem1",
    mathieu_b,
    kind=f"{_ODD} first kind",
    symbol="Ms_m^{(1)}",
    value=0.261144812,
    slope=0.641846644,
)
mathieu_modsem2 = _radial(
    "mathieu_modsem2",
    mathieu_b,
    kind=f"{_ODD} second kind",
    symbol="Ms_m^{(2)}",
    value=-0.64117102,
    slope=0.861921412,
)

__all__ = [
    "mathieu_a", "mathieu_b", "mathieu_cem", "mathieu_modcem1", "mathieu_modcem2",
    "mathieu_modsem1", "mathieu_modsem2", "mathieu_sem",
]  # fmt: skip
