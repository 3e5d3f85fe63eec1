"""Nodes and weights of Gauss's quadrature that depend on real parameters (DLMF 3.5): those of
Jacobi and Laguerre, and their kin.

A node is a zero of the polynomial, so that the implicit function theorem gives its derivatives, and
a weight is a function of its node.
"""

import functools
import math
import operator
from typing import Any

import numpy as np

from scigrad.autodiff_rules import elementwise, kernel
from scigrad.typing import Array

from .beta import beta as beta_function
from .gamma import gamma, gammaln
from .machinery.ufuncs import Ufunc, if_traced, like
from .orthogonal_polynomials import eval_genlaguerre, eval_jacobi


def _zero_of(polynomial: Ufunc, roots: str) -> Any:
    """Declare the i-th zero of a polynomial as a function of its two parameters."""

    @elementwise
    def node(n, a, b, i):
        zeros = functools.cache(lambda *parameters: kernel(f"special.{roots}")(n, *parameters)[0])
        parameters = (a, b)[: polynomial.arity - 2]
        values = np.vectorize(lambda i, *given: zeros(*given)[int(i)], otypes=[float])(
            i, *parameters
        )
        return like(parameters, values)[()]

    @node.partials
    def _(call: Any) -> Any:
        n, *parameters, x = call.n, *(call.a, call.b)[: polynomial.arity - 2], call.out
        *slopes, by_x = (
            functools.partial(p, n, *parameters, x, 0.0 * x) for p in polynomial.closed[1:]
        )
        shares = [lambda slope=slope: -slope() / by_x() for slope in slopes]
        return (None, *shares, *[None] * (3 - len(shares)))

    return node


_jacobi_node, _laguerre_node = (
    _zero_of(eval_jacobi, "roots_jacobi"),
    _zero_of(eval_genlaguerre, "roots_genlaguerre"),
)


def _by_x(polynomial: Ufunc, *args: Any) -> Any:
    return polynomial.closed[-1](*args, 0.0).astype(args[-1].dtype)


def _as_double(x: Any) -> Any:
    """Return x in double precision, unless it is in single: sums of small integers and truth values
    wrap.
    """
    return x.astype(np.float64) if getattr(x, "dtype", np.dtype(np.float32)) != np.float32 else x


def _jacobi(n: Any, alpha: Any, beta: Any) -> tuple[Any, Any, Any]:
    """Return the nodes, the weights Gamma(n+alpha+1) Gamma(n+beta+1)
    2^(alpha+beta+1)/(Gamma(n+alpha+beta+1) n! (1-x^2) P'(x)^2), and their sum.
    """
    n, alpha, beta = operator.index(n), _as_double(alpha), _as_double(beta)
    x, total = _jacobi_node(n, alpha, beta, np.arange(n)), alpha + beta + 1
    size = (
        gammaln(n + alpha + 1)
        + gammaln(n + beta + 1)
        - gammaln(n + total)
        - math.lgamma(n + 1)
        + total * math.log(2)
    )
    slope = _by_x(eval_jacobi, n, alpha, beta, x)
    return (
        x,
        np.exp(size) / ((1 - x * x) * slope * slope),
        2**total * beta_function(alpha + 1, beta + 1),
    )


def _laguerre(n: Any, alpha: Any) -> tuple[Any, Any, Any]:
    """Return the nodes, the weights Gamma(n+alpha+1)/(n! x L'(x)^2), and their sum."""
    n, alpha = operator.index(n), _as_double(alpha)
    x = _laguerre_node(n, alpha, 0.0, np.arange(n))
    slope = _by_x(eval_genlaguerre, n, alpha, x)
    return (
        x,
        np.exp(gammaln(n + alpha + 1) - math.lgamma(n + 1)) / (x * slope * slope),
        gamma(alpha + 1),
    )


@if_traced
def roots_jacobi(n: int, alpha: float, beta: float, mu: bool = False) -> tuple[Array, Array]:
    """Compute the nodes and weights of Gauss-Jacobi quadrature.

    For the weight function ``(1 - x)^alpha (1 + x)^beta`` on (-1, 1).

    Parameters
    ----------
    n : int
        Number of nodes.
    alpha, beta : float
        Parameter of the weight function.
    mu : bool, optional
        Whether to return the sum of the weights.

    Returns
    -------
    x : (n,) ndarray
        Nodes.
    w : (n,) ndarray
        Weights.
    mu : float
        Sum of the weights. Only with `mu`.

    Raises
    ------
    ValueError
        If n is not a positive integer, or a parameter is outside of its domain.

    Notes
    -----
    This is `scipy.special.roots_jacobi`. Nodes and weights are differentiable in the parameters.

    Examples
    --------
    >>> from scigrad import jacobian, special
    >>> print(jacobian(lambda alpha: special.roots_jacobi(3, alpha, 0.5)[0])(1.5).round(9))
    [-0.04338818 -0.12916865 -0.15556817]
    """
    return _jacobi(n, alpha, beta)[: 3 if mu else 2]


@if_traced
def roots_gegenbauer(n: int, alpha: float, mu: bool = False) -> tuple[Array, Array]:
    """Compute the nodes and weights of Gauss-Gegenbauer quadrature.

    For the weight function ``(1 - x^2)^(alpha - 1/2)`` on (-1, 1).

    Parameters
    ----------
    n : int
        Number of nodes.
    alpha : float
        Parameter of the weight function.
    mu : bool, optional
        Whether to return the sum of the weights.

    Returns
    -------
    x : (n,) ndarray
        Nodes.
    w : (n,) ndarray
        Weights.
    mu : float
        Sum of the weights. Only with `mu`.

    Raises
    ------
    ValueError
        If n is not a positive integer, or a parameter is outside of its domain.

    Notes
    -----
    This is `scipy.special.roots_gegenbauer`. Nodes and weights are differentiable in the
    parameters.

    Examples
    --------
    >>> from scigrad import jacobian, special
    >>> print(jacobian(lambda alpha: special.roots_gegenbauer(3, alpha)[0])(1.5).round(9))
    [ 0.09352195  0.         -0.09352195]
    """
    return _jacobi(n, _as_double(alpha) - 0.5, _as_double(alpha) - 0.5)[: 3 if mu else 2]


@if_traced
def roots_genlaguerre(n: int, alpha: float, mu: bool = False) -> tuple[Array, Array]:
    """Compute the nodes and weights of generalized Gauss-Laguerre quadrature.

    For the weight function ``x^alpha exp(-x)`` on (0, inf).

    Parameters
    ----------
    n : int
        Number of nodes.
    alpha : float
        Parameter of the weight function.
    mu : bool, optional
        Whether to return the sum of the weights.

    Returns
    -------
    x : (n,) ndarray
        Nodes.
    w : (n,) ndarray
        Weights.
    mu : float
        Sum of the weights. Only with `mu`.

    Raises
    ------
    ValueError
        If n is not a positive integer, or a parameter is outside of its domain.

    Notes
    -----
    This is `scipy.special.roots_genlaguerre`. Nodes and weights are differentiable in the
    parameters.

    Examples
    --------
    >>> from scigrad import jacobian, special
    >>> print(jacobian(lambda alpha: special.roots_genlaguerre(3, alpha)[0])(1.5).round(9))
    [0.58231604 1.00607918 1.41160478]
    """
    return _laguerre(n, alpha)[: 3 if mu else 2]


@if_traced
def roots_sh_jacobi(n: int, p1: float, q1: float, mu: bool = False) -> tuple[Array, Array]:
    """Compute the nodes and weights of shifted Gauss-Jacobi quadrature.

    For the weight function ``(1 - x)^(p1 - q1) x^(q1 - 1)`` on (0, 1).

    Parameters
    ----------
    n : int
        Number of nodes.
    p1, q1 : float
        Parameter of the weight function.
    mu : bool, optional
        Whether to return the sum of the weights.

    Returns
    -------
    x : (n,) ndarray
        Nodes.
    w : (n,) ndarray
        Weights.
    mu : float
        Sum of the weights. Only with `mu`.

    Raises
    ------
    ValueError
        If n is not a positive integer, or a parameter is outside of its domain.

    Notes
    -----
    This is `scipy.special.roots_sh_jacobi`. Nodes and weights are differentiable in the parameters.

    Examples
    --------
    >>> from scigrad import jacobian, special
    >>> print(jacobian(lambda p1: special.roots_sh_jacobi(3, p1, 1.5)[0])(2.5).round(9))
    [-0.02625673 -0.07586123 -0.0845487 ]
    """
    x, weights, total = _jacobi(n, _as_double(p1) - _as_double(q1), _as_double(q1) - 1)
    return ((x + 1) / 2, weights * 0.5 ** _as_double(p1), total * 0.5 ** _as_double(p1))[
        : 3 if mu else 2
    ]


j_roots, cg_roots, la_roots, js_roots = (
    roots_jacobi,
    roots_gegenbauer,
    roots_genlaguerre,
    roots_sh_jacobi,
)

__all__ = [
    "cg_roots", "j_roots", "js_roots", "la_roots", "roots_gegenbauer", "roots_genlaguerre",
    "roots_jacobi", "roots_sh_jacobi",
]  # fmt: skip
