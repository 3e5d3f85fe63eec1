"""Roots, powers and the logarithm of a matrix. Eigenvalues on the negative real axis are points
without derivatives.

The principal branch jumps there. In a complex matrix one such eigenvalue is enough. In a real one a
simple negative eigenvalue stays on the axis, on the same side of the cut, and the function is
smooth among real matrices; but two equal ones can become a complex pair, whose members lie on
different sides. This holds also for two that are equal up to rounding.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, raw, shape_of
from scigrad.typing import Array, ArrayLike, OnFail

from ..foundation import failures
from ..foundation.lapack import host, triangular_solution
from ..foundation.matrices import column_norm, identity, is_complex, is_host, is_moderate, native
from ..systems.solve import inv
from .expm import expm
from .frechet import GIVEN, append_estimate, as_square, check_square
from .schur_basis import Form, NoDerivative, function_of, is_real, triangular_sylvester
from .schur_parlett import SchurParlett
from .sign import logarithm, root_by_sign

_FEW = 64  # the largest denominator of an exponent for which a power of 2 is a power of 2
# ratios of eigenvalues beyond which SciPy's powers lose digits of derivatives, for p > 1 and others
_WIDE, _WIDEST = 64, 2.0**64


class Principal(Form):
    """Function with the cut of the logarithm, by a `kernel` for triangular matrices; with p the
    power p.
    """

    kernel: Callable[..., Any]
    p: float
    size: float
    size_of_value: Any
    value: Any

    def __init__(self, a: Any, copies: int, kernel: Callable[[Any], Any], p: float = 0.0) -> None:
        # a multiple of the denominator: multiplied by 2 to such a power, a matrix divided by its
        # size is the same to the last bit
        step = denominator if (denominator := p.as_integer_ratio()[1]) <= _FEW else 1
        exponent = (
            min(max(step * round(int(np.frexp(np.abs(a).max(initial=0.0))[1]) / step), -960), 960)
            if p
            else 0
        )
        self.kernel, self.size, self.size_of_value, self.p = (
            kernel,
            2.0**exponent,
            np.exp2(exponent * p),
            p,
        )
        super().__init__(a / self.size, copies)
        self.value = self.value * self.size_of_value

    def of(self, t: Any) -> Any:
        return self.kernel(t)

    def derivative(self, e: Any) -> Any:
        return super().derivative(e / self.size) * self.size_of_value

    def has_real_value(self) -> bool:
        # SciPy's powers stay complex
        return super().has_real_value() if not self.p else not is_complex(self.value)

    def slope(self, e: Any) -> Any:
        sizes = np.abs(np.diagonal(self.basis.t))
        if self.p and sizes.max() > (_WIDE if self.p > 1 else _WIDEST) * sizes.min():
            return SchurParlett(self.basis.t, self.copies, lambda x: x**self.p).derivative(e)
        return super().slope(e)

    def refuse(self) -> None:
        w, error = self.own_eigenvalues()
        left = np.real(w) < 0
        if not w.all():
            raise NoDerivative("it is singular")
        if not self.is_real and (left & (np.abs(np.imag(w)) <= error)).any():
            raise NoDerivative(
                "an eigenvalue is on the negative real axis, where the principal branch jumps"
            )
        if self.is_real and (left & (self.meeting() & left).any(axis=1)).any():
            raise NoDerivative(
                "it has a repeated eigenvalue on the negative real axis, the branch cut, where the "
                "function is not differentiable"
            )


class Root(Principal):
    """The square root r. From r r = a follows r L + L r = e."""

    def __init__(self, a: Any, copies: int) -> None:
        super().__init__(a, copies, _triangular_root, 0.5)

    def has_real_value(self) -> bool:
        return is_real(self.value)

    def slope(self, e: Any) -> Any:
        return triangular_sylvester(self.triangular, -self.triangular, e)


def _triangular_root(t: Any) -> Any:
    """Return the square root of a triangular matrix by columns (Bjorck and Hammarling 1983, Linear
    Algebra Appl. 52/53, 127-140), exact where eigenvalues are of very different size, where SciPy's
    is not.
    """
    roots = np.emath.sqrt(np.diagonal(t))
    r, sums = np.diag(roots), roots[:, None] + roots
    for j in range(1, len(t)):
        if sums.all():
            r[:j, j] = triangular_solution(r[:j, :j] + r[j, j] * np.eye(j), t[:j, j])
            continue
        # a root without a derivative, if all that is divided by 0 is 0
        for i in reversed(range(j)):
            rest = t[i, j] - r[i, i + 1 : j] @ r[i + 1 : j, j]
            r[i, j] = rest / sums[i, j] if sums[i, j] else rest * np.inf if rest else 0
    return r


# -- the public functions


def _kernel_is_right(a: Any) -> bool:
    """Return whether SciPy's kernel is correct for this matrix."""
    if type(a) is not np.ndarray or a.ndim < 2 or not a.size:
        return True
    quasi_triangular = not a[..., -1, 0].any() and not np.tril(a, -2).any() and np.tril(a, -1).any()
    return is_moderate(a) and bool(a.dtype.kind == "c" or a.shape[-1] < 3 or not quasi_triangular)


def sqrtm(
    A: ArrayLike, disp: bool = GIVEN, blocksize: int = GIVEN, *, on_fail: OnFail = "raise"
) -> Array:
    """Compute the principal square root of a matrix.

    ``R R = A``, with the eigenvalues of R in the right half-plane.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    disp : bool, optional
        Deprecated, as in SciPy.
    blocksize : int, optional
        Deprecated, as in SciPy.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    R : (..., n, n) ndarray
        Square root, complex where `A` has a negative eigenvalue.
    errest : (...) ndarray
        Only with ``disp=False``: ``|R R - A|^2 / |A|`` in the Frobenius norm.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, -1 for a matrix with NaN or infinities, 1 where `R` is not
        finite.

    Raises
    ------
    ValueError
        If `on_fail` is unknown.
    numpy.linalg.LinAlgError
        If `A` is not square, or a derivative is required where it does not exist, up to rounding:
        `A` is singular, a complex `A` has an eigenvalue on the negative real axis, or a real `A`
        has two equal ones there. On a GPU for any eigenvalue of `A` there or at 0.

    Warns
    -----
    scipy.linalg.LinAlgWarning
        If `A` is singular or ill conditioned.

    Notes
    -----
    The derivative ``L = R'`` solves ``R L + L R = A'``, and `A_bar` the adjoint equation. Both use
    the Schur decomposition of the value. See `scipy.linalg.sqrtm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.sqrtm(a)))(np.diag([1.0, 4.0])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    if is_host(A) and on_fail == "raise" and _kernel_is_right(A):
        given = {k: v for k, v in (("disp", disp), ("blocksize", blocksize)) if v is not GIVEN}
        found = host("sqrtm")(native(A), **given)
        if disp is not GIVEN or np.isfinite(found).all():
            return found
        root = sqrtm(A, on_fail="nan")  # SciPy 1.18 divides 0 by 0 at equal zeros
        return root if np.isfinite(root).all() else found
    a = check_square("sqrtm", A, on_fail, None, disp=disp, blocksize=blocksize)
    root = function_of(a, "sqrtm", Root, root_by_sign, on_fail)
    size = lambda x: np.sqrt(np.sum(np.abs(x) ** 2, axis=(-2, -1)))  # noqa: E731
    return append_estimate(a, root, on_fail, disp, lambda: size(root @ root - a) ** 2 / size(a))


_LOGARITHM = functools.partial(Principal, kernel=lambda t: host("logm")(t))


def logm(A: ArrayLike, disp: bool = GIVEN, *, on_fail: OnFail = "raise") -> Array:
    """Compute the principal logarithm of a matrix.

    ``exp(logm(A)) = A``, with the imaginary parts of the eigenvalues of the logarithm in (-pi, pi].

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
    log : (..., n, n) ndarray
        Logarithm, complex where `A` has a negative eigenvalue.
    errest : (...) ndarray
        Only with ``disp=False``: ``|exp(log) - A| / |A|`` in the 1-norm.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, -1 for a matrix with NaN or infinities, 1 where the
        logarithm is not finite.

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
    Derivatives by inverse scaling and squaring, from the Schur decomposition of the value. The
    result keeps the precision of `A`, where `scipy.linalg.logm` returns double precision.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.logm(a)))(np.diag([2.0, 4.0])).round(12))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    a = check_square("logm", A, on_fail, "expected a square matrix", disp=disp)
    log = function_of(a, "logm", _LOGARITHM, logarithm, on_fail)
    return append_estimate(
        a, log, on_fail, disp, lambda: column_norm(expm(log) - a) / column_norm(a)
    )


def fractional_matrix_power(A: ArrayLike, t: float, *, on_fail: OnFail = "raise") -> Array:
    """Compute a real power of a matrix, A^t = exp(t log(A)).

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    t : float
        Exponent.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    X : (..., n, n) ndarray
        Power, complex where `A` has eigenvalues that are not positive, NaN where a negative power
        does not exist.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, -1 for a matrix with NaN or infinities, 1 where `X` is not
        finite.

    Raises
    ------
    ValueError
        If `A` is not square, or holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a derivative is required where it does not exist, see `sqrtm`.

    Notes
    -----
    Differentiable in `A`, and in `t` as ``exp(t log(A))``, which is real where it can be. An
    integer `t` is handed to `matrix_power`, and integers that `vmap` hides are powers by squaring,
    too. The result keeps the precision of `A`, where `scipy.linalg.fractional_matrix_power` returns
    double precision.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.diag([1.0, 4.0])
    >>> print(grad(lambda a: np.trace(linalg.fractional_matrix_power(a, 1.5)))(a).round(12))
    [[1.5 0. ]
     [0.  3. ]]
    """
    # SciPy keeps the precision of no array but these, and powers of truth values or small integers
    # are no numbers' powers.
    if (
        type(A) is np.ndarray
        and not isinstance(t, Traced)
        and on_fail == "raise"
        and A.size
        and A.dtype.char in "dDgGlq"
    ):
        return host("fractional_matrix_power")(A, t)
    a = check_square("fractional_matrix_power", A, on_fail, "expected a square matrix")
    if isinstance(t, Traced) and t.dtype.kind in "biu":
        found = _integer_powers(a, t, "nan" if on_fail != "raise" else on_fail)
    elif isinstance(t, Traced):
        found = expm(t * logm(a, on_fail=on_fail if on_fail == "raise" else "nan"))
    elif (p := float(failures.to_host(t))).is_integer():
        known = inv(a, on_fail="nan", check_finite=False) if p < 0 and on_fail != "raise" else None
        found = matrix_power(a, int(p)) if known is None else matrix_power(known, -int(p))
    else:
        form = functools.partial(
            Principal, kernel=lambda t: host("fractional_matrix_power")(t, p), p=p
        )
        found = function_of(
            a, "fractional_matrix_power", form, lambda *given: expm(p * logarithm(*given)), on_fail
        )
    return append_estimate(a, found, on_fail)


def _integer_powers(a: Any, n: Any, on_fail: str) -> Any:
    """Return powers with an exponent for each member of a batch, which vmap hides, by squares, of
    which each takes its own.
    """
    n, one = n.astype(np.int64), identity(shape_of(a)[-1], raw(a))
    exponents, size = failures.to_host(raw(n)), np.abs(n)
    if (exponents < 0).any():
        negative = (n < 0)[..., None, None]
        a = np.where(
            negative, inv(np.where(negative, a, one), on_fail=on_fail, check_finite=False), a
        )
    power = np.zeros_like(a) + one
    for bit in range(int(np.abs(exponents).max(initial=0)).bit_length()):
        a = a @ a if bit else a
        power = np.where((size // 2**bit % 2 == 1)[..., None, None], power @ a, power)
    return power


def matrix_power(a: ArrayLike, n: int) -> Array:
    """Raise a square matrix to an integer power.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    n : int
        Exponent. 0 gives the identity.

    Returns
    -------
    power : (..., n, n) ndarray
        Power of `a`.

    Raises
    ------
    numpy.linalg.LinAlgError
        If `a` is not square, or is singular and n < 0.
    TypeError
        If `n` is not an integer.

    Notes
    -----
    By repeated squaring, so that it is differentiable at any rank, and through the inverse for n <
    0. See `numpy.linalg.matrix_power`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.matrix_power(a, 3)))(np.diag([1.0, 2.0])))
    [[ 3.  0.]
     [ 0. 12.]]
    """
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(
            f"matrix_power: exponent must be an integer, not {n!r}; fractional_matrix_power takes "
            "any."
        ) from None
    if is_host(a):
        return np.linalg.matrix_power(a, n)
    a = as_square("matrix_power", "a", a)
    if n < 0:
        a, n = inv(a, check_finite=False), -n
    power: Any = None
    while n:
        if n & 1:
            power = a if power is None else power @ a
        n >>= 1
        a = a @ a if n else a
    return np.zeros_like(a) + identity(shape_of(a)[-1], raw(a)) if power is None else power


__all__ = ["fractional_matrix_power", "logm", "matrix_power", "sqrtm"]
