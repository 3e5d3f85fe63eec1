"""The principal logarithm of a matrix, and its powers with any real exponent.

The Frechet derivative by inverse scaling and squaring (Al-Mohy, Higham and Relton 2013, SIAM J. Sci. Comput. 35(4), C394-C410),
in the Schur basis: log(t) = 2^s log(t^(1/2^s)), where each square root r of the chain has the derivative that solves
r x + x r = e, and near 1 the logarithm is the integral from 0 to 1 of x (1 + u x)^-1 du, by a Gauss rule.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced
from scigrad.numpy.call_stack import warn

from ..foundation import failures
from ..foundation.lapack import host
from ..foundation.matrices import finite, is_complex, is_host
from ..systems.inverse import inv
from .device_functions import logarithm, power
from .expm import expm
from .frechet import as_square, block_size, blocks, matrix_function
from .power import matrix_power
from .schur_basis import NoDerivative, OnHost, commutator_solution, exponent_of_size, schur_basis
from .sqrtm import failure_codes

_GIVEN = np._NoValue
_NEAR = 0.25  # |x| up to which the rule has all digits: below theta_7 of the paper's table 2.1
_NODES, _WEIGHTS = (0.5 + 0.5 * np.polynomial.legendre.leggauss(8)[0], 0.5 * np.polynomial.legendre.leggauss(8)[1])
_MOST_ROOTS = 100
_FEW = 64
_NEGLIGIBLE = {"F": 1e3 * np.finfo("f").eps, "D": 1e6 * np.finfo("d").eps}


class SlopeOfLogarithm:
    """The derivative of log(t) for a triangular t without eigenvalue 0."""

    def __init__(self, t: Any) -> None:
        diagonal = np.diagonal(t)
        if not diagonal.all():
            raise NoDerivative("it is singular")
        if not is_complex(t) and (diagonal < 0).any():
            t = t.astype(np.result_type(t, 1j))
        self.roots = []
        one = np.eye(len(t))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SciPy spoke of the matrix itself
            while np.abs(t - one).sum(axis=0).max() > _NEAR and len(self.roots) < _MOST_ROOTS:
                t = host("sqrtm")(t)
                self.roots.append(t)
        self.rest = t - one

    def derivative(self, e: Any) -> Any:
        for r in self.roots:
            e = commutator_solution(r, e)
        one, solve = np.eye(len(self.rest)), host("solve_triangular")
        near = np.zeros(e.shape, np.result_type(e, self.rest))
        for u, w in zip(_NODES, _WEIGHTS, strict=True):
            factor = one + u * self.rest
            near += w * solve(factor, solve(factor, e).T, trans="T").T
        return 2.0 ** len(self.roots) * near


class Logarithm:
    """The logarithm of one matrix."""

    def __init__(self, a: Any) -> None:
        self.basis = schur_basis(in_double(a), True)
        self.value = self.basis.back(host("logm")(self.basis.t))
        self.real = not is_complex(a) and is_real(self.value)
        if self.real:
            self.value = self.value.real

    @functools.cached_property
    def slope(self) -> SlopeOfLogarithm:
        return SlopeOfLogarithm(self.basis.t)

    def derivative(self, e: Any) -> Any:
        found = self.basis.back(self.slope.derivative(self.basis.to(e)))
        return found.real if self.real and not is_complex(e) else found


def in_double(a: Any) -> Any:
    """SciPy's kernels compute in double precision, and judge the result by it."""
    return a.astype("D" if is_complex(a) else "d", copy=False)


def is_real(value: Any) -> bool:
    """SciPy's judgement of the result for a real matrix."""
    return not is_complex(value) or np.allclose(value.imag, 0, atol=_NEGLIGIBLE[value.dtype.char])


class Power:
    """a^p for one matrix and a p that is no integer. SciPy's kernel takes [[t, e], [0, t]] as it is: no logarithm in between,
    which far from normal matrices would lose digits."""

    def __init__(self, a: Any, p: float) -> None:
        a, self.p = in_double(a), p
        denominator = p.as_integer_ratio()[1]
        exponent = exponent_of_size(a, denominator if denominator <= _FEW else 1)
        self.size, self.size_of_power = 2.0**exponent, 2.0 ** (exponent * p)
        self.basis = schur_basis(a / self.size, True)
        self.value = self.basis.back(host("fractional_matrix_power")(self.basis.t, p)) * self.size_of_power

    def derivative(self, e: Any) -> Any:
        t, e = self.basis.t, self.basis.to(e / self.size)
        if not np.diagonal(t).all():
            raise NoDerivative("it is singular")
        size = block_size(t, e)
        found = host("fractional_matrix_power")(blocks(t.astype(np.result_type(t, e)), size * e, None), self.p)
        return self.basis.back(found[: len(t), len(t) :] / size) * self.size_of_power


_METHODS = {mark: OnHost("logm", Logarithm, mark, logarithm("logm", mark)) for mark in (False, True)}


def logm(A, disp=_GIVEN, *, on_fail="raise"):
    """The principal logarithm of a matrix: exp(logm(A)) = A, with the imaginary parts of its eigenvalues in (-pi, pi].

    Parameters
    ----------
    A : (..., n, n) square matrix or batch of matrices
    disp : deprecated, as in SciPy
    on_fail : as sqrtm

    Returns
    -------
    log : (..., n, n), complex where A has a negative eigenvalue
    errest : with disp=False, |exp(log) - A| / |A| in the 1-norm
    info : with on_fail="info", as sqrtm

    Raises
    ------
    ValueError : A is not square, or holds NaN or infinity
    numpy.linalg.LinAlgError : a derivative at a singular matrix, where there is none; on a GPU as sqrtm

    Warns
    -----
    RuntimeWarning, UserWarning : the result may be inaccurate, A is singular or nearly so; as in SciPy

    Notes
    -----
    Derivatives by inverse scaling and squaring, from the Schur decomposition of the value. See scipy.linalg.logm; of single
    precision it makes double, we do not.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.logm(a)))(np.diag([2.0, 4.0])).round(12))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    given = {} if disp is _GIVEN else {"disp": disp}
    if type(A) is np.ndarray and on_fail == "raise" and A.size and A.dtype.char not in "efF":
        return host("logm")(A, **given)
    failures.check_policy("logm", on_fail)
    if given:
        warn("logm: The `disp` argument is deprecated and will be removed in SciPy 1.18.0.", DeprecationWarning)
    a = _checked("logm", A, on_fail)
    log = matrix_function(a, _METHODS[on_fail != "raise"])
    found = (log,)
    if given and not disp:
        size = lambda x: np.max(np.sum(np.abs(x), axis=-2), axis=-1)  # noqa: E731
        found += (size(expm(log) - a) / size(a),)
    if on_fail == "info":
        found += (failure_codes(a, log),)
    return found if len(found) > 1 else log


def _checked(function: str, a: Any, on_fail: str) -> Any:
    a = as_square(function, "A", a, "expected a square matrix")
    if on_fail == "raise" and is_host(a):
        finite(function, "A", a)
    return a


def fractional_matrix_power(A, t, *, on_fail="raise"):
    """A matrix to a real power, A^t = exp(t log(A)).

    Parameters
    ----------
    A : (..., n, n) square matrix or batch of matrices
    t : real number
    on_fail : as sqrtm

    Returns
    -------
    X : (..., n, n), complex where A has eigenvalues that are not positive; NaN where a negative power does not exist
    info : with on_fail="info", as sqrtm

    Raises
    ------
    ValueError : A is not square, or holds NaN or infinity
    numpy.linalg.LinAlgError : a derivative at a singular matrix, where there is none; on a GPU as sqrtm

    Differentiable in A, and in t, then as exp(t log(A)), which is real where it can be. An integer t is matrix_power's, a
    polynomial in A or its inverse. See scipy.linalg.fractional_matrix_power; of single precision it makes double, we do not.
    """
    if type(A) is np.ndarray and not isinstance(t, Traced) and on_fail == "raise" and A.size and A.dtype.char not in "efF":
        return host("fractional_matrix_power")(A, t)
    failures.check_policy("fractional_matrix_power", on_fail)
    a = _checked("fractional_matrix_power", A, on_fail)
    if isinstance(t, Traced):
        found = expm(t * logm(a, on_fail=on_fail if on_fail == "raise" else "nan"))
    elif t == int(t):
        known = inv(a, on_fail="nan", check_finite=False) if t < 0 and on_fail != "raise" else None
        found = matrix_power(a, int(t)) if known is None else matrix_power(known, -int(t))
    else:
        name, mark, p = "fractional_matrix_power", on_fail != "raise", float(t)
        found = matrix_function(a, OnHost(name, functools.partial(Power, p=p), mark, power(name, mark, p)))
    return (found, failure_codes(a, found)) if on_fail == "info" else found


__all__ = ["fractional_matrix_power", "logm"]
