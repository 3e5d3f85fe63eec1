"""The principal logarithm of a matrix, and its powers with any real exponent."""

from __future__ import annotations

import functools

import numpy as np

from scigrad.autodiff_rules import Traced

from ..foundation import failures
from ..foundation.lapack import host
from ..systems.solve import inv
from .branch_cut import Principal
from .device_functions import logarithm, power
from .expm import expm
from .frechet import GIVEN, answered, checked
from .power import matrix_power
from .schur_basis import function_of

_LOGARITHM = functools.partial(Principal, kernel=lambda t: host("logm")(t))


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
    log = function_of(a, "logm", _LOGARITHM, logarithm, on_fail)
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
        form = functools.partial(Principal, kernel=lambda t: host("fractional_matrix_power")(t, p), p=p)
        found = function_of(a, "fractional_matrix_power", form, functools.partial(power, p=p), on_fail)
    return answered(a, found, on_fail)


__all__ = ["fractional_matrix_power", "logm"]
