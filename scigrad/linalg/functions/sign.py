"""The sign of a matrix; on a device, which has no Schur decomposition, root, logarithm and powers
are composed of it.

On the host the derivative takes the Schur form with the eigenvalues to the right of the imaginary
axis first,

    t = [[t1, c], [0, t2]]   =>   sign(t) = [[1, x], [0, -1]]   with   t1 x - x t2 = 2 c

(Higham 2008, Functions of Matrices, algorithm 5.5). It takes longer than Newton's iteration, and
needs no inverse, so that rows and columns may be of very different size. On a device the sign is
the limit of that iteration (section 5.5 there)

    x <- (m x + x^-1 / m) / 2

with factors m that accelerate it, on which the limit does not depend.

sign([[0, a], [1, 0]]) holds the square root of a in its upper right block (the same book, theorem
5.2; Denman and Beavers 1976). Repeated roots bring a matrix so close to 1 that a Gauss rule gives
the logarithm (Cheng, Higham, Kenney and Laub 2001, SIAM J. Matrix Anal. Appl. 22(4), 1112-1125).
The iteration in real arithmetic does not converge for eigenvalues on the negative real axis; they
raise, where a matrix on the host has complex results. The device is synchronized once a step for
the test of convergence.
"""

import functools
from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of, stop_gradient
from scigrad.typing import Array, ArrayLike, OnFail

from ..foundation import failures
from ..foundation.failures import to_host
from ..foundation.lapack import host
from ..foundation.matrices import column_norm, identity, is_host, largest, power_of_two
from ..systems.solve import inv, solve
from .frechet import GIVEN, append_estimate, blocks, check_square
from .schur_basis import NoDerivative, function_of
from .schur_parlett import SchurParlett, Series

_WHY = "it has an eigenvalue on the imaginary axis"


def signm(A: ArrayLike, disp: bool = GIVEN, *, on_fail: OnFail = "raise") -> Array:
    """Compute the sign of a matrix, S = A (A^2)^(-1/2).

    Its eigenvalues are 1 and -1 where those of `A` lie to the right and to the left of the
    imaginary axis.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    disp : bool, optional
        Deprecated, as in SciPy.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    S : (..., n, n) ndarray
        Sign of `A`.
    errest : (...) ndarray
        Only with ``disp=False``: ``|P P - P|`` in the 1-norm for the projector
        ``P = (S S + S) / 2``.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, -1 for a matrix with NaN or infinities, 1 where there is no
        sign.

    Raises
    ------
    ValueError
        If `A` is not square, or holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a derivative is required where `A` has an eigenvalue on the imaginary axis, up to 1e-8 of
        its size. On a GPU also for the value, where SciPy rounds the sign of such an eigenvalue to
        0.

    Notes
    -----
    Derivatives by Newton's iteration, on the host from the Schur form where the inverses of the
    iteration would lose digits. See `scipy.linalg.signm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: linalg.signm(a)[0, 1])(np.diag([1.0, -3.0])).round(12) + 0.0)
    [[0.  0.5]
     [0.  0. ]]
    """
    if is_host(A) and on_fail == "raise" and np.size(A):
        return host("signm")(A, **({} if disp is GIVEN else {"disp": disp}))
    a = check_square("signm", A, on_fail, "expected square array_like input", disp=disp)
    form = functools.partial(SignBySchur, mark=on_fail != "raise")
    sign = function_of(
        a / power_of_two(a), "signm", form, functools.partial(sign_by_newton, why=_WHY), on_fail
    )
    projector = (sign @ sign + sign) / 2
    return append_estimate(
        a, sign, on_fail, disp, lambda: column_norm(projector @ projector - projector)
    )


# -- on the host


# distance from the axis, relative to the eigenvalue, that Newton's iteration resolves
_NEAR_AXIS = 1e-8
# distance, relative to the matrix, up to which an eigenvalue may be on the axis but for rounding
_IN_DOUBT = 1e-3


class SignBySchur(SchurParlett):
    """A form, as schur_basis.py describes it."""

    value: Any
    series: list[Series | None]

    def __init__(self, a: Any, copies: int, mark: bool) -> None:
        super().__init__(a, copies, lambda w: np.sign(np.real(w)))
        try:
            self.refuse()
        except NoDerivative:
            self.value = np.full_like(a, np.nan) if mark else host("signm")(a)

    def groups(self, w: Any) -> Any:
        self.series = [Series(0, 1.0, np.ones(1)), Series(0, 1.0, -np.ones(1))]
        return 1 * (np.real(w) < 0)

    def refuse(self) -> None:
        w, error = self.own_eigenvalues()
        t = self.basis.t[: len(w), : len(w)]
        size = np.abs(t).max(initial=0)
        on_axis = np.abs(w.real) <= _NEAR_AXIS * np.abs(w)
        if not self.was_triangular():  # rounding has moved them, several together further than one
            for i in np.flatnonzero(~on_axis & (np.abs(w.real) <= _IN_DOUBT * size)):
                distance = np.linalg.svd(t - 1j * w[i].imag * np.eye(len(t)), compute_uv=False)[-1]
                on_axis[i] = distance <= error[i]
        if on_axis.any():
            raise NoDerivative(_WHY)


# -- on a device


# eigenvalues that are farther than 1e-8 of their size from the axis need fewer steps; rounding
# drives one that is on the axis off, but later
_STEPS = 30
_SLOW = 1e-2  # a relative change from which Newton's iteration converges by itself
_DONE = 1e-9  # a step that changes so little leaves an error of its square
_NEAR = 0.25  # |x - 1| from which the rule with 8 nodes has all digits
# on (0, 1)
_NODES, _WEIGHTS = ((np.polynomial.legendre.leggauss(8) + np.array([[1.0], [0.0]])) / 2).tolist()
_MOST_ROOTS = 100


def sign_by_newton(a: Any, function: str, on_fail: str, why: str, parts: int = 1) -> Any:
    """Return the sign of a. Where it is not defined, an error names `function` and its argument,
    one of `parts` x `parts` blocks of a, unless `on_fail` asks for NaN.
    """
    if not raw(a).size:
        return a
    x, change, last, singular = a, _norm(a) * 0 + np.inf, np.inf, None
    for _ in range(_STEPS):
        inverse = inv(x, on_fail="nan", check_finite=False)
        size, size_of_inverse = _norm(x), _norm(inverse)
        if singular is None:  # an eigenvalue that is 0 up to rounding would get a sign too
            singular = ~(size * size_of_inverse * np.finfo(a.dtype).eps * shape_of(a)[-1] < 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = np.where(change > _SLOW, np.sqrt(size_of_inverse / size), 1).astype(size.dtype)
            new = (scale * x + inverse / scale) / 2
            change = _norm(new - x) / _norm(new)
        # `initial` is the answer for an empty batch
        x, worst = new, np.nan_to_num(to_host(raw(change))).max(initial=0)
        if worst <= _DONE or (worst <= _SLOW and worst > last / 2):
            break
        last = worst
    failed = singular | ~(change <= _SLOW)
    if on_fail == "raise":
        *lead, m, n = raw(a).shape
        codes = raw(failed[..., 0, 0] & ~failures.not_finite(a))
        failures.raise_first(function, "A", (*lead, m // parts, n // parts), codes, "no value", why)
    return x * np.where(failed, np.nan, 1).astype(size.dtype)


def _norm(x: Any) -> Any:
    return largest(np.abs(stop_gradient(x)).sum(axis=-2, keepdims=True), (-2, -1), True)


def root_by_sign(a: Any, function: str, on_fail: str) -> Any:
    """Return the principal square root, for matrices without eigenvalues on the negative real
    axis.
    """
    n, size = shape_of(a)[-1], np.exp2(np.round(np.log2(power_of_two(a)) / 2))
    whole = blocks(None, a / size / size, identity(n, raw(a)))
    why = "it has an eigenvalue on the negative real axis or at 0, or no convergence"
    return sign_by_newton(whole, function, on_fail, why, 2)[..., :n, n:] * size


def logarithm(a: Any, function: str, on_fail: str) -> Any:
    """Return the principal logarithm."""
    one, count = identity(shape_of(a)[-1], raw(a)), 0
    while (
        count < _MOST_ROOTS
        and raw(a).size
        and np.nan_to_num(to_host(raw(_norm(a - one)))).max() > _NEAR
    ):
        a, count = root_by_sign(a, function, on_fail), count + 1
    x = a - one
    terms = (
        w * solve(one + u * x, x, check_finite=False, on_fail="nan")
        for u, w in zip(_NODES, _WEIGHTS, strict=True)
    )
    return 2.0**count * sum(terms)


__all__ = ["signm"]
