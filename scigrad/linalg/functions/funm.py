"""Any function of a matrix, given for numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, kernel, raw
from scigrad.autodiff_rules.backends import library

from ..foundation.lapack import host
from ..foundation.matrices import is_complex, is_host
from ..spectra.eig import eig
from ..systems.solve import solve
from .frechet import as_square
from .logm import is_real


def funm(A, func, disp=True):
    """A function of a matrix, f(A) = V f(w) V^-1.

    Parameters
    ----------
    A : (..., n, n) square matrix or batch of matrices
    func : function of an array of complex numbers, element by element; for derivatives, written with functions that have them
    disp : print a warning if the estimated error is large; False: return the estimate. Under a transform nothing is printed

    Returns
    -------
    F : (..., n, n), real if A is and the imaginary part is that of rounding; always complex on a GPU
    errest : with disp=False, SciPy's estimate of the relative error in the 1-norm

    Raises
    ------
    ValueError : A is not square, or holds NaN or infinity
    numpy.linalg.LinAlgError : under a transform, A has a Jordan block, up to rounding; expm, logm, sqrtm, signm and
        fractional_matrix_power have derivatives there
    scigrad.MissingKernel : the estimate of the error, on a GPU

    Warns
    -----
    scipy.linalg.LinAlgWarning : under a transform, A is nearly defective

    Notes
    -----
    SciPy's value comes from a Schur decomposition, derivatives come from eig: right where A has all its eigenvectors, with equal
    eigenvalues too. funm_herm is better for Hermitian matrices. See scipy.linalg.funm.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.funm(a, np.sin)))(np.diag([0.0, np.pi])).round(12))
    [[ 1.  0.]
     [ 0. -1.]]
    """
    if is_host(A) and np.size(A):
        found = host("funm")(A, func, disp)
        return tuple(found) if isinstance(found, list) else found  # a list for batches
    a = as_square("funm", "A", A, "expected square array_like input")
    if a.size == 0:
        return a if disp else (a, np.zeros(a.shape[:-2], like=raw(a)))
    w, v = eig(a)
    f = _row(func(w)) * v
    value = _transposed(solve(_transposed(v), _transposed(f), assume_a="gen"))
    if not is_complex(a) and library(raw(a)) == "numpy" and is_real(raw(value)):
        value = np.real(value)
    return value if disp else (value, _error_estimate(a, func))


def _row(x: Any) -> Any:
    return x[..., None, :]


def _transposed(x: Any) -> Any:
    return x.mT


@constant
def _error_estimate(a, func):
    if library(a) != "numpy":
        return kernel("linalg.funm")(a, func, False)[1]
    found = [host("funm")(a[index], func, False)[1] for index in np.ndindex(a.shape[:-2])]
    return np.array(found).reshape(a.shape[:-2])[()]


_error_estimate.batch_leading(a=2)


__all__ = ["funm"]
