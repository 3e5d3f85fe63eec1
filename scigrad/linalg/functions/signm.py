"""The sign of a matrix."""

from __future__ import annotations

import functools

import numpy as np

from ..foundation.lapack import host
from ..foundation.matrices import is_host, power_of_two
from .device_functions import sign_by_newton
from .frechet import GIVEN, answered, checked
from .schur_basis import function_of
from .sign_by_schur import SignBySchur

_WHY = "it has an eigenvalue on the imaginary axis"


def signm(A, disp=GIVEN, *, on_fail="raise"):
    """Compute the sign of a matrix, S = A (A^2)^(-1/2).

    Its eigenvalues are 1 and -1 where those of `A` lie to the right and to the left of the imaginary axis.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    disp : bool, optional
        Deprecated, as in SciPy.

    Returns
    -------
    S : (..., n, n) ndarray
        Sign of `A`.
    errest : (...) ndarray
        Only with ``disp=False``: ``|P P - P|`` in the 1-norm for the projector ``P = (S S + S) / 2``.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, -1 for a matrix with NaN or infinities, 1 where there is no sign.

    Raises
    ------
    ValueError
        If `A` is not square, or holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a derivative is required where `A` has an eigenvalue on the imaginary axis, up to 1e-8 of its size. On a GPU also for
        the value, where SciPy rounds the sign of such an eigenvalue to 0.

    Notes
    -----
    Derivatives by Newton's iteration, on the host from the Schur form where the inverses of the iteration would lose digits. See
    `scipy.linalg.signm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: linalg.signm(a)[0, 1])(np.diag([1.0, -3.0])).round(12) + 0.0)
    [[0.  0.5]
     [0.  0. ]]
    """
    given = {} if disp is GIVEN else {"disp": disp}
    if is_host(A) and on_fail == "raise" and np.size(A):
        return host("signm")(A, **given)
    a = checked("signm", A, on_fail, "expected square array_like input", disp=disp)
    form = functools.partial(SignBySchur, mark=on_fail != "raise")
    sign = function_of(a / power_of_two(a), "signm", form, functools.partial(sign_by_newton, why=_WHY), on_fail)
    estimate = ()
    if given and not disp:
        projector = (sign @ sign + sign) / 2
        estimate = (np.max(np.sum(np.abs(projector @ projector - projector), axis=-2), axis=-1),)
    return answered(a, sign, on_fail, *estimate)


__all__ = ["signm"]
