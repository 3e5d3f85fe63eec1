"""The principal logarithm of a matrix, and its powers with any real exponent."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced

from ..foundation import failures
from ..foundation.lapack import host
from ..foundation.matrices import is_complex
from ..systems.inverse import inv
from .branch_cut import refuse_on_cut
from .device_functions import logarithm, power
from .expm import expm
from .frechet import GIVEN, answered, checked, matrix_function
from .inverse_scaling import SlopeOfLogarithm, SlopeOfPower
from .power import matrix_power
from .schur_basis import OnHost, exponent_of_size, in_double, is_real, schur_basis
from .schur_parlett import SchurParlett

_FEW = 64
_WIDE = 64  # ratio of eigenvalues beyond which squaring cancels digits of derivatives, for p > 1


class Logarithm:
    """The logarithm of one matrix."""

    def __init__(self, a: Any, copies: int) -> None:
        self.basis = schur_basis(in_double(a), True, copies)
        self.value = self.basis.back(host("logm")(self.basis.t))
        self.known = copies, not is_complex(a)
        self.real = not is_complex(a) and is_real(self.value)
        if self.real:
            self.value = self.value.real

    @functools.cached_property
    def slope(self) -> SlopeOfLogarithm:
        refuse_on_cut(self.basis, *self.known)
        return SlopeOfLogarithm(self.basis.t, self.known[0])

    def derivative(self, e: Any) -> Any:
        found = self.basis.back(self.slope.derivative(self.basis.to(e)))
        return found.real if self.real and not is_complex(e) else found


class Power:
    """a^p for one matrix and a p that is no integer."""

    def __init__(self, a: Any, copies: int, p: float) -> None:
        self.a = a = in_double(a)
        self.p = p
        denominator = p.as_integer_ratio()[1]
        exponent = exponent_of_size(a, denominator if denominator <= _FEW else 1)
        self.size, self.size_of_power = 2.0**exponent, np.exp2(exponent * p)
        self.basis = schur_basis(a / self.size, True, copies)
        self.known = copies, not is_complex(a)
        self.value = self.basis.back(host("fractional_matrix_power")(self.basis.t, p)) * self.size_of_power

    @functools.cached_property
    def slope(self) -> Callable[[Any], Any]:
        refuse_on_cut(self.basis, *self.known)
        copies, sizes = self.known[0], np.abs(np.diagonal(self.basis.t))
        if self.p > 1 and sizes.max() > _WIDE * sizes.min() > 0:
            return SchurParlett(self.a / self.size, copies, lambda x: x**self.p).derivative
        inner = SlopeOfPower(self.basis.t, copies, self.p)
        return lambda e: self.basis.back(inner.derivative(self.basis.to(e)))

    def derivative(self, e: Any) -> Any:
        return self.slope(e / self.size) * self.size_of_power


_METHODS = {mark: OnHost("logm", Logarithm, mark, logarithm("logm", mark)) for mark in (False, True)}


def logm(A, disp=GIVEN, *, on_fail="raise"):
    """Compute the principal logarithm of a matrix.

    ``exp(logm(A)) = A``, with the imaginary parts of the eigenvalues of the logarithm in (-pi, pi].

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    disp : bool, optional
        Deprecated, as in SciPy.

    Returns
    -------
    log : (..., n, n) ndarray
        Logarithm, complex where `A` has a negative eigenvalue.
    errest : (...) ndarray
        Only with ``disp=False``: ``|exp(log) - A| / |A|`` in the 1-norm.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, -1 for a matrix with NaN or infinities, 1 where the logarithm is not finite.

    Raises
    ------
    ValueError
        If `A` is not square, or holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a derivative is required where it does not exist, see `sqrtm`.

    Warns
    -----
    RuntimeWarning, UserWarning
        If the result may be inaccurate, or `A` is singular or nearly so, as in SciPy.

    Notes
    -----
    Derivatives by inverse scaling and squaring, from the Schur decomposition of the value. The result keeps the precision of `A`,
    where `scipy.linalg.logm` returns double precision.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.logm(a)))(np.diag([2.0, 4.0])).round(12))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    a = checked("logm", A, on_fail, disp=disp)
    log = matrix_function(a, _METHODS[on_fail != "raise"])
    estimate = ()
    if disp is not GIVEN and not disp:
        size = lambda x: np.max(np.sum(np.abs(x), axis=-2), axis=-1)  # noqa: E731
        estimate = (size(expm(log) - a) / size(a),)
    return answered(a, log, on_fail, *estimate)


def fractional_matrix_power(A, t, *, on_fail="raise"):
    """Compute a real power of a matrix, A^t = exp(t log(A)).

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    t : float
        Exponent.

    Returns
    -------
    X : (..., n, n) ndarray
        Power, complex where `A` has eigenvalues that are not positive, NaN where a negative power does not exist.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, -1 for a matrix with NaN or infinities, 1 where `X` is not finite.

    Raises
    ------
    ValueError
        If `A` is not square, or holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a derivative is required where it does not exist, see `sqrtm`.

    Notes
    -----
    Differentiable in `A`, and in `t` as ``exp(t log(A))``, which is real where it can be. An integer `t` is handed to
    `matrix_power`. The result keeps the precision of `A`, where `scipy.linalg.fractional_matrix_power` returns double precision.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.diag([1.0, 4.0])
    >>> print(grad(lambda a: np.trace(linalg.fractional_matrix_power(a, 1.5)))(a).round(12))
    [[1.5 0. ]
     [0.  3. ]]
    """
    # SciPy keeps the precision of no array but these, and powers of truth values or small integers are no numbers' powers.
    if type(A) is np.ndarray and not isinstance(t, Traced) and on_fail == "raise" and A.size and A.dtype.char in "dDgGlq":
        return host("fractional_matrix_power")(A, t)
    a = checked("fractional_matrix_power", A, on_fail)
    if isinstance(t, Traced):
        found = expm(t * logm(a, on_fail=on_fail if on_fail == "raise" else "nan"))
    elif (p := float(failures.to_host(t))).is_integer():
        known = inv(a, on_fail="nan", check_finite=False) if p < 0 and on_fail != "raise" else None
        found = matrix_power(a, int(p)) if known is None else matrix_power(known, -int(p))
    else:
        name, mark = "fractional_matrix_power", on_fail != "raise"
        found = matrix_function(a, OnHost(name, functools.partial(Power, p=p), mark, power(name, mark, p)))
    return answered(a, found, on_fail)


__all__ = ["fractional_matrix_power", "logm"]
