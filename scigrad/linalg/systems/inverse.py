"""The inverse."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import differentiable, raw

from ..foundation import failures
from ..foundation.factors import (
    SMALL,
    Factors,
    Inverted,
    apply,
    assumed,
    factorize,
    failure_codes,
    fitting,
    warn_if_ill_conditioned,
)
from ..foundation.lapack import PivotedLU, followed, host, one_norm
from ..foundation.matrices import checked, identity, mH, native

_STRUCTURES = (None, "general", "gen", "diagonal", "upper triangular", "lower triangular", "pos", "sym", "her")
_EXACT = (None, "general", "gen", "pos", "sym", "her")  # SciPy leaves a's other entries where it read only some


def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False, on_fail="raise"):
    """Compute the inverse of a matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    assume_a : str, optional
        Structure of the matrix, as in `solve`.
    lower : bool, optional
        Whether the lower triangle is read, with the structures that store one triangle.

    Returns
    -------
    inverse : (..., n, n) ndarray
        Inverse of `a`.
    info : ndarray of ints
        Only with ``on_fail="info"``, as for `solve`.

    Raises
    ------
    ValueError
        If `a` is not square, or holds NaN or infinity.
    KeyError
        If the structure is unknown, as in SciPy.
    numpy.linalg.LinAlgError
        If `a` is singular.

    Notes
    -----
    With ``x = a^-1``: ``x' = -x a' x`` and ``a_bar = -x^H g x^H``, on the part of `a` that is read. See `scipy.linalg.inv`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.inv(a)))(np.array([[2.0, 1.0], [1.0, 1.0]])))
    [[-2.  3.]
     [ 3. -5.]]
    """
    plain = type(a) is np.ndarray and on_fail == "raise" and assume_a in _EXACT
    # NumPy's kernel is three times faster for small ones in a batch, but rounds in another way, which single precision shows
    if plain and (a.ndim == 2 or (a.ndim > 2 and (a.shape[-1] > SMALL or a.dtype.char in "fF"))):
        try:
            return host("inv")(native(a), followed(overwrite_a), check_finite, assume_a=assume_a, lower=lower)
        except np.linalg.LinAlgError:
            if overwrite_a:
                raise  # a is overwritten
    if assume_a not in _STRUCTURES:
        raise KeyError(f"inv: {assume_a!r} is not a recognized matrix structure; known are {_STRUCTURES}.")
    a = checked("inv", "a", a, check_finite, on_fail)
    whole, *kind = assumed(a, assume_a, lower)
    factors = factorize("inv", raw(whole), *kind, on_fail)
    inverse = _inverse(whole, factors)
    return (inverse, failure_codes(whole, whole, factors)) if on_fail == "info" else inverse


@differentiable("a")
def _inverse(a, factors):
    fits = fitting(factors, a) or factors
    solvers = getattr(fits.solver, "solvers", (fits.solver,))
    if isinstance(fits.solver, Inverted):
        inverse = fits.solver.inverse.reshape(a.shape)
        return inverse if fits.info is None else failures.marked_nan(inverse, fits.info, 2)
    if fits.info is not None or not all(isinstance(solver, PivotedLU) for solver in solvers):
        return apply(fits, a, identity(a.shape[-1], a))
    return np.stack([solver.inverse() for solver in solvers]).reshape(a.shape) if a.ndim > 2 else fits.solver.inverse()


_inverse.batch_leading(a=2)


def inverse_by(a: Any, factors: Factors, function: str = "") -> Any:
    """The inverse by the factors of one matrix that are there already; for a function with the warning that `inv` would give."""
    inverse = _inverse(a, factors)
    if function:
        warn_if_ill_conditioned(function, raw(a), (), 1 / (one_norm(raw(a)) * one_norm(raw(inverse))))
    return inverse


# a x = 1  =>  a' x + a x' = 0
@_inverse.jvp
def _(call, t):
    return -(call.out @ t.a @ call.out)


@_inverse.vjp
def _(call, g):
    x = mH(call.out)
    return {"a": -(x @ g @ x)}


__all__ = ["inv"]
