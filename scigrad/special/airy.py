"""Airy functions (DLMF chapter 9) and parabolic cylinder functions (chapter 12), with their derivatives as outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .bessel_orders import on_the_real_line
from .numerical_partial import numerical_partial
from .ufuncs import row


@row((lambda z, out: out[1],), (lambda z, out: z * out[0],), (lambda z, out: out[3],), (lambda z, out: z * out[2],))
def airy(z):
    """Compute the Airy functions and their derivatives.

    ``Ai(z), Ai'(z), Bi(z), Bi'(z)``, real or complex. ``Ai'' = z Ai``, and so for Bi (DLMF 9.2.1).

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.airy(0.5)[0].round(9), grad(lambda z: special.airy(z)[0])(0.5).round(9))
    0.231693606 -0.224910533
    """


@row(
    (lambda z, out: out[1] + np.sqrt(z) * out[0],),
    (lambda z, out: z * out[0] + np.sqrt(z) * out[1],),
    (lambda z, out: on_the_real_line("airye", z, out[3] - _growth(z) * out[2]),),
    (lambda z, out: on_the_real_line("airye", z, z * out[2] - _growth(z) * out[3]),),
)
def airye(z):
    """Compute the scaled Airy functions and their derivatives.

    ``Ai(z)`` and ``Ai'(z)`` times ``exp(2/3 z^(3/2))``, for z >= 0 if real, ``Bi(z)`` and ``Bi'(z)`` times
    ``exp(-|Re(2/3 z^(3/2))|)``. The last two are differentiable for real z.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.airye(0.5)[0].round(9), grad(lambda z: special.airye(z)[0])(0.5).round(9))
    0.293277159 -0.077312894
    """


def _growth(x: Any) -> Any:
    """The derivative of |Re(2/3 x^(3/2))| for real x, 0 on the left."""
    return np.sqrt(np.maximum(x, 0))


def _second_derivative(v: Any, x: Any, out: Any) -> Any:
    return (x * x / 4 - v - 0.5) * out[0]


@row(
    (lambda v, x, out: numerical_partial(lambda v, x: pbdv(v, x)[0], 0, v, x), lambda v, x, out: out[1]),
    (lambda v, x, out: numerical_partial(lambda v, x: pbdv(v, x)[1], 0, v, x), _second_derivative),
)
def pbdv(v, x):
    """Compute the parabolic cylinder function D and its derivative.

    ``D_v(x), D_v'(x)``. ``D'' = (x^2/4 - v - 1/2) D`` (DLMF 12.2.2); v is differentiated numerically.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.pbdv(1.5, 0.5)[0].round(9), grad(lambda x: special.pbdv(1.5, x)[0])(0.5).round(9))
    -0.062125635 1.219584078
    """


@row(
    (lambda v, x, out: numerical_partial(lambda v, x: pbvv(v, x)[0], 0, v, x), lambda v, x, out: out[1]),
    (lambda v, x, out: numerical_partial(lambda v, x: pbvv(v, x)[1], 0, v, x), _second_derivative),
)
def pbvv(v, x):
    """Compute the parabolic cylinder function V and its derivative.

    ``V_v(x), V_v'(x)``. ``V'' = (x^2/4 - v - 1/2) V`` (DLMF 12.2.2); v is differentiated numerically.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.pbvv(1.5, 0.5)[0].round(9), grad(lambda x: special.pbvv(1.5, x)[0])(0.5).round(9))
    -0.649908252 -0.084776671
    """


@row((None, lambda a, x, out: out[1]), (None, lambda a, x, out: (a - x * x / 4) * out[0]))
def pbwa(a, x):
    """Compute the parabolic cylinder function W and its derivative.

    ``W(a, x), W'(a, x)``. ``W'' = (a - x^2/4) W`` (DLMF 12.14.2). SciPy's values are too
    noisy for a numerical derivative in a, which has no rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.pbwa(1.5, 0.5)[0].round(9), grad(lambda x: special.pbwa(1.5, x)[0])(0.5).round(9))
    0.366458828 -0.40345524
    """


__all__ = ["airy", "airye", "pbdv", "pbvv", "pbwa"]
