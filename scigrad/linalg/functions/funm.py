"""Functions of a matrix, given by their values at complex numbers."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.typing import Array, ArrayLike, OnFail

from ..eigenvalues.general import eig
from ..foundation.failures import each
from ..foundation.lapack import host
from ..foundation.matrices import is_complex, is_host, is_moderate
from ..systems.solve import solve
from .frechet import append_estimate, as_square, check_square
from .schur_basis import function_of, is_real, keep_single
from .schur_parlett import SchurParlett, VariedFunction, numbers_of

_INACCURATE = 1000  # in units of the rounding: where SciPy warns


def funm(
    A: ArrayLike, func: Callable[..., Any], disp: bool = True, *, on_fail: OnFail = "raise"
) -> Array:
    """Compute a function of a matrix from its values at complex numbers.

    ``f(A) = V f(w) V^-1``, and the limit of this at Jordan blocks.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    func : callable
        Function of an array of complex numbers, element by element.
    disp : bool, optional
        Whether a warning is printed if the estimated error is large (nothing is printed under a
        transform). If false, the estimate is returned.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    F : (..., n, n) ndarray
        Function of `A`, real if `A` is real and the imaginary part is rounding error. Always
        complex on a GPU.
    errest : (...) ndarray
        Only with ``disp=False``: SciPy's estimate of the relative error in the 1-norm.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, -1 for a matrix with NaN or infinities, 1 where `F` is not
        finite.

    Raises
    ------
    ValueError
        If `A` is not square, or holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a derivative is required where `func` is not analytic in a neighborhood of an
        eigenvalue. (For simple real eigenvalues of a real matrix it is enough that `func` is
        differentiable on the real line.) On a GPU, and where `func` depends on a traced value, also
        for a Jordan block.
    scigrad.MissingKernel
        If the estimate of the error is required on a GPU.

    Warns
    -----
    scipy.linalg.LinAlgWarning
        If `A` is nearly defective, on a GPU or where `func` depends on a traced value.

    Notes
    -----
    The Schur-Parlett algorithm with blocks of nearby eigenvalues (Davies and Higham 2003), where
    `scipy.linalg.funm` divides by their differences. Derivatives of any order follow from the same
    algorithm on block matrices. It evaluates `func` at and around the eigenvalues, so that `func`
    itself need not be differentiable by scigrad. On a GPU, and for derivatives with respect to
    values in `func`, values and derivatives come from `eig`. For Hermitian matrices use
    `funm_herm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: np.trace(linalg.funm(a, np.exp)))(
    ...         np.array([[0.0, 1.0], [0.0, 0.0]])
    ...     ).round(12)
    ... )
    [[1. 0.]
     [1. 1.]]
    """
    try:
        if (
            is_host(A)
            and np.size(A)
            and on_fail == "raise"
            and (np.ndim(A) < 2 or is_moderate(np.asarray(A)))
        ):
            return _of_host(A, func, disp)
        a = check_square("funm", A, on_fail, "expected square array_like input")
        form, on_device = (
            functools.partial(SchurParlett, func=func),
            lambda a, *_: _by_eigenvectors(a, func),
        )
        value = function_of(a, "funm", form, on_device, on_fail)
    except VariedFunction:
        a = as_square("funm", "A", A, "expected square array_like input")
        value = _by_eigenvectors(a, func)
    return append_estimate(a, value, on_fail, disp, lambda: _error_estimate(a, func))


def _of_host(a: Any, func: Any, disp: bool) -> Any:
    """Return SciPy's value and estimate, or ours for matrices where its estimate is large."""
    found, estimate = host("funm")(a, numbers_of(func), False)
    found, estimate = np.asarray(found), np.asarray(estimate, float)
    limit = _INACCURATE * np.finfo(found.dtype).eps
    for index in np.argwhere(~(estimate <= limit)):
        index = tuple(index)
        form = SchurParlett(np.asarray(a)[index], 1, func)
        if form.exact:
            found = found.astype(np.result_type(found, keep_single(form.value, found)))
            found[index], estimate[index] = form.value, form.estimate()
        if disp and not estimate[index] <= limit:
            print(
                "funm result may be inaccurate, approximate err =",
                1 if estimate[index] == 1 else estimate[index],
            )
    return found if disp else (found, estimate[()])


def _by_eigenvectors(a: Any, func: Any) -> Any:
    """Compute func(a) from the eigenvectors of a, by functions that have derivatives: func(w) may
    be traced, and a on a GPU.
    """
    if shape_of(a)[-1] == 0 or 0 in shape_of(a):
        return a
    w, v = eig(a)
    w = w.astype(np.result_type(w, 1j))
    f = func(w)[..., None, :] * v
    value: Any = solve(v.mT, f.mT, assume_a="gen")
    value = value.mT
    if not is_complex(a) and library(raw(a)) == "numpy" and is_real(raw(value)):
        value = np.real(value)
    return value


@constant(core={"a": 2})
def _error_estimate(a, func):
    return each("funm", lambda a: (_of_host(a, func, False)[1],), a)[0][0]


__all__ = ["funm"]
