"""Orthogonal polynomials, of real degree where SciPy takes one (DLMF chapter 18).

The derivative of each in x is a polynomial of its family or a Gegenbauer one, one degree lower: no
quotient by 1 - x^2. Degrees and parameters are differentiated numerically.

For degrees that are floating-point numbers SciPy's values lose digits between the zeros, from
n = 10 on, and have none left at 55. There ours are angles, steps along the differential equation
(`gauss_by_steps`), which take milliseconds, or hyp1f1; nan for other degrees above 1e4.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np

from scigrad.typing import Array, ArrayLike, UfuncOptions

from .beta import binom
from .hypergeometric import gauss_by_steps, hyp2f1
from .machinery.numerical_partial import numerical_partial, pole_distance
from .machinery.ufuncs import corrected_kernel, library_values, row


def _of_real_degree(
    name: str,
    slope: Any,
    inside: Callable[..., Any],
    low: float = -1.0,
    width: float = 2.0,
    above: float = -np.inf,
    lossy: Any = None,
    ends: Sequence[float] = (np.nan,),
    poles: Callable[..., Sequence[Any]] = lambda *_: (),
) -> Any:
    """Declare a polynomial by its slope; the degree and parameters before x are differentiated
    numerically, one for each end.

    Where x is that end, the polynomial does not depend on that argument, nor does it on parameters
    where its degree is 0. A function of real degree has poles where those of degree and parameters
    are 0, -1, -2, ... `inside` returns it in an interval, by the part of this below x, or where
    `lossy`. Of whole degrees SciPy's recurrence keeps all digits, of floats its series does not.
    """

    def by(i: int, end: float) -> Any:
        def partial(n: Any, *args: Any) -> Any:
            constant = (args[-2] == end) | (n == 0) & (i > 0)
            near = functools.reduce(np.minimum, map(pole_distance, poles(n, *args[:-2])), 1.0)
            entire = (near == 0) | (n == np.rint(n)) & (i > 0)
            return numerical_partial(
                globals()[name], i, n, *args[:-1], constant=constant,
                straight=np.less(n, 2) & (i > 0), scale=np.where(entire, 1.0, near),
            )  # fmt: skip

        return partial

    def between(*args: Any) -> Any:
        """Return where the degree is a floating-point number, and x lies between the ends."""
        x = args[-1]
        return (x > low) & (x < low + width) & (args[0] > above)

    def better(n: Any, *args: Any) -> Any:
        whole = (n == np.rint(n)) & (n < 1e6)
        degree = np.where(whole, n, 0).astype(np.int64)
        out = np.asarray(library_values(name, degree, *args))
        if not whole.all():
            n, *parameters, x = (v[~whole] for v in (n, *args))
            out[~whole] = inside(n, *parameters, (x - low) / width)
        return [out]

    return row(
        *map(by, range(len(ends)), ends),
        slope,
        instead=corrected_kernel(name, lossy or between, better, of_real=True),
    )


def _lowered(n: Any, f: Callable[[Any], Any]) -> Any:
    """Return f(n - 1), or 0 for n = 0."""
    constant = np.equal(n, 0)
    return np.where(constant, 0.0, f(np.where(constant, 0, n - 1)))


def _lowered_gegenbauer(n: Any, alpha: float, x: Any) -> Any:
    """Return C_(n-1)^(alpha) for alpha = 1.5 or 2, of negative degrees by reflection."""
    low = n < 1 - alpha
    at = np.where(low, 2 - 2 * alpha - n, n)
    at = np.where(at == -1, 0, at)  # U_(-1) is 0
    found = _lowered(at, lambda k: eval_gegenbauer(k, alpha, x))
    return np.where(low & (alpha == 2), -found, found)


def _angle(w: Any) -> Any:
    """Return arccos(2 w - 1)."""
    return 2 * np.arctan2(np.sqrt(1 - w), np.sqrt(w))


def _cosine_form(n: Any, w: Any) -> Any:
    """Return T_n(2 w - 1)."""
    return np.cos(n * _angle(w))


def _sine_form(n: Any, w: Any) -> Any:
    """Return U_n(2 w - 1)."""
    return np.sin((n + 1) * _angle(w)) / (2 * np.sqrt(w * (1 - w)))


def _gauss_form(n: Any, b: Any, c: Any, w: Any) -> Any:
    steps = gauss_by_steps(-n, b, c, w)  # nan for c <= -10
    return np.where(c > -10, steps, hyp2f1(np.where(c > -10, np.nan, -n), b, c, 1 - w))


def _legendre_form(n: Any, w: Any) -> Any:
    return _gauss_form(n, n + 1, 1.0, w)


def _laguerre_form(n: Any, alpha: Any, x: Any) -> Any:
    """Return L_n^(alpha) by SciPy's hyp1f1, which has the digits that its polynomials lack."""
    return binom(n + alpha, n) * library_values("hyp1f1", -n, alpha + 1, x)


def _jacobi_form(n: Any, alpha: Any, beta: Any, w: Any) -> Any:
    return binom(n + alpha, n) * _gauss_form(n, n + alpha + beta + 1, alpha + 1, w)


@_of_real_degree(
    "eval_chebyt",
    lambda n, x, out: n * _lowered(n, lambda k: eval_chebyu(k, x)),
    _cosine_form,
    above=5,
    ends=(1,),
)
def eval_chebyt(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Evaluate the Chebyshev polynomial of the first kind.

    ``T_n(x)`` (DLMF 18.5.1). The derivative in x is ``n U_{n-1}(x)``; the degree n is
    differentiated numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_chebyt`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.eval_chebyt(3, 0.4).round(9), grad(special.eval_chebyt, 1)(3, 0.4).round(9))
    -0.944 -1.08
    """
    ...


@_of_real_degree(
    "eval_chebyu",
    lambda n, x, out: 2 * _lowered_gegenbauer(n, 2.0, x),
    _sine_form,
)
def eval_chebyu(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Evaluate the Chebyshev polynomial of the second kind.

    ``U_n(x)`` (DLMF 18.5.2). The derivative in x is ``2 C_{n-1}^{(2)}(x)``; the degree n is
    differentiated numerically. On the host values of real degree for ``|x| < 1`` are
    ``sin((n + 1) arccos(x))/sqrt(1 - x^2)``.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_chebyu`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.eval_chebyu(3, 0.4).round(9), grad(special.eval_chebyu, 1)(3, 0.4).round(9))
    -1.088 -0.16
    """
    ...


@_of_real_degree(
    "eval_chebyc",
    lambda n, x, out: n * _lowered(n, lambda k: eval_chebyu(k, x / 2)),
    lambda n, w: 2 * _cosine_form(n, w),
    -2,
    4,
    above=5,
    ends=(2,),
)
def eval_chebyc(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Evaluate the Chebyshev polynomial of the first kind on [-2, 2].

    ``2 T_n(x/2)``. The derivative in x is ``n S_{n-1}(x)``; the degree n is differentiated
    numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_chebyc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.eval_chebyc(3, 0.4).round(9), grad(special.eval_chebyc, 1)(3, 0.4).round(9))
    -1.136 -2.52
    """
    ...


@_of_real_degree(
    "eval_chebys",
    lambda n, x, out: _lowered_gegenbauer(n, 2.0, x / 2),
    _sine_form,
    -2,
    4,
)
def eval_chebys(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Evaluate the Chebyshev polynomial of the second kind on [-2, 2].

    ``U_n(x/2)``. The derivative in x is ``C_{n-1}^{(2)}(x/2)``; the degree n is differentiated
    numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_chebys`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.eval_chebys(3, 0.4).round(9), grad(special.eval_chebys, 1)(3, 0.4).round(9))
    -0.736 -1.52
    """
    ...


@_of_real_degree(
    "eval_sh_chebyt",
    lambda n, x, out: 2 * n * _lowered(n, lambda k: eval_chebyu(k, 2 * x - 1)),
    _cosine_form,
    0,
    1,
    ends=(1,),
)
def eval_sh_chebyt(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Evaluate the shifted Chebyshev polynomial of the first kind.

    ``T_n(2 x - 1)``. The derivative in x is ``2 n U_{n-1}(2 x - 1)``; the degree n is
    differentiated numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_sh_chebyt`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_sh_chebyt(3, 0.4).round(9),
    ...     grad(special.eval_sh_chebyt, 1)(3, 0.4).round(9),
    ... )
    0.568 -5.04
    """
    ...


@_of_real_degree(
    "eval_sh_chebyu",
    lambda n, x, out: 4 * _lowered_gegenbauer(n, 2.0, 2 * x - 1),
    _sine_form,
    0,
    1,
)
def eval_sh_chebyu(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Evaluate the shifted Chebyshev polynomial of the second kind.

    ``U_n(2 x - 1)``. The derivative in x is ``4 C_{n-1}^{(2)}(2 x - 1)``; the degree n is
    differentiated numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_sh_chebyu`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_sh_chebyu(3, 0.4).round(9),
    ...     grad(special.eval_sh_chebyu, 1)(3, 0.4).round(9),
    ... )
    0.736 -6.08
    """
    ...


@_of_real_degree(
    "eval_legendre", lambda n, x, out: _lowered_gegenbauer(n, 1.5, x), _legendre_form, ends=(1,)
)
def eval_legendre(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Evaluate the Legendre polynomial.

    ``P_n(x)`` (DLMF 18.5.8). The derivative in x is ``C_{n-1}^{(3/2)}(x)``; the degree n is
    differentiated numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_legendre`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_legendre(3, 0.4).round(9), grad(special.eval_legendre, 1)(3, 0.4).round(9)
    ... )
    -0.44 -0.3
    """
    ...


@_of_real_degree(
    "eval_sh_legendre",
    lambda n, x, out: 2 * _lowered_gegenbauer(n, 1.5, 2 * x - 1),
    _legendre_form,
    0,
    1,
    ends=(1,),
)
def eval_sh_legendre(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Evaluate the shifted Legendre polynomial.

    ``P_n(2 x - 1)``. The derivative in x is ``2 C_{n-1}^{(3/2)}(2 x - 1)``; the degree n is
    differentiated numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_sh_legendre`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_sh_legendre(3, 0.4).round(9),
    ...     grad(special.eval_sh_legendre, 1)(3, 0.4).round(9),
    ... )
    0.28 -2.4
    """
    ...


@_of_real_degree(
    "eval_laguerre",
    lambda n, x, out: -_lowered(n, lambda k: eval_genlaguerre(k, 1.0, x)),
    lambda n, x: _laguerre_form(n, 0.0, x),
    0,
    1,
    lossy=lambda n, x: n > 3,
    ends=(0,),
)
def eval_laguerre(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Evaluate the Laguerre polynomial.

    ``L_n(x)`` (DLMF 18.5.12). The derivative in x is ``-L_{n-1}^{(1)}(x)``; the degree n is
    differentiated numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_laguerre`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_laguerre(3, 0.4).round(9), grad(special.eval_laguerre, 1)(3, 0.4).round(9)
    ... )
    0.029333333 -1.88
    """
    ...


@_of_real_degree(
    "eval_genlaguerre",
    lambda n, alpha, x, out: -_lowered(n, lambda k: eval_genlaguerre(k, alpha + 1, x)),
    _laguerre_form,
    0,
    1,
    lossy=lambda n, alpha, x: n > 3,
    ends=(np.nan, np.nan),
    poles=lambda n, alpha: [n + alpha + 1],
)
def eval_genlaguerre(
    n: ArrayLike, alpha: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Evaluate the generalized Laguerre polynomial.

    ``L_n^{(alpha)}(x)`` (DLMF 18.5.12). The derivative in x is
    ``-L_{n-1}^{(alpha+1)}(x)``; n and alpha are differentiated numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    alpha : array_like
        Parameter of the weight x^alpha exp(-x), alpha > -1.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_genlaguerre`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_genlaguerre(3, 1.5, 0.4).round(9),
    ...     grad(special.eval_genlaguerre, 2)(3, 1.5, 0.4).round(9),
    ... )
    3.761833333 -6.155
    """
    ...


@_of_real_degree(
    "eval_gegenbauer",
    lambda n, alpha, x, out: 2 * alpha * _lowered(n, lambda k: eval_gegenbauer(k, alpha + 1, x)),
    lambda n, alpha, w: binom(n + 2 * alpha - 1, n) * _gauss_form(n, n + 2 * alpha, alpha + 0.5, w),
    ends=(np.nan, np.nan),
    poles=lambda n, alpha: [n + 2 * alpha],
)
def eval_gegenbauer(
    n: ArrayLike, alpha: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Evaluate the Gegenbauer polynomial.

    ``C_n^{(alpha)}(x)`` (DLMF 18.5.9). The derivative in x is
    ``2 alpha C_{n-1}^{(alpha+1)}(x)``; n and alpha are differentiated numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    alpha : array_like
        Parameter of the weight (1 - x^2)^(alpha - 1/2), alpha > -1/2.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_gegenbauer`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_gegenbauer(3, 1.5, 0.4).round(9),
    ...     grad(special.eval_gegenbauer, 2)(3, 1.5, 0.4).round(9),
    ... )
    -1.88 0.9
    """
    ...


@_of_real_degree(
    "eval_jacobi",
    lambda n, alpha, beta, x, out: (
        (n + alpha + beta + 1) / 2 * _lowered(n, lambda k: eval_jacobi(k, alpha + 1, beta + 1, x))
    ),
    _jacobi_form,
    ends=(np.nan, -1, 1),
    poles=lambda n, alpha, beta: [n + alpha + 1],
)
def eval_jacobi(
    n: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    x: ArrayLike,
    /,
    **options: Unpack[UfuncOptions],
) -> Array:
    """Evaluate the Jacobi polynomial.

    ``P_n^{(alpha,beta)}(x)`` (DLMF 18.5.7). The derivative in x is
    ``(n + alpha + beta + 1)/2 P_{n-1}^{(alpha+1,beta+1)}(x)``; the other arguments are
    differentiated numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    alpha : array_like
        Exponent of 1 - x in the weight, larger than -1.
    beta : array_like
        Exponent of 1 + x in the weight, larger than -1.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_jacobi`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_jacobi(3, 1.5, 0.7, 0.4).round(9),
    ...     grad(special.eval_jacobi, 3)(3, 1.5, 0.7, 0.4).round(9),
    ... )
    -0.692616 2.51658
    """
    ...


@_of_real_degree(
    "eval_sh_jacobi",
    lambda n, p, q, x, out: (
        (n + p)
        * _lowered(n, lambda k: eval_jacobi(k, p - q + 1, q, 2 * x - 1))
        / binom(2 * n + p - 1, n)
    ),
    lambda n, p, q, w: _jacobi_form(n, p - q, q - 1, w) / binom(2 * n + p - 1, n),
    0,
    1,
    ends=(np.nan, np.nan, np.nan),
    poles=lambda n, p, q: [n + p - q + 1, n + p],
)
def eval_sh_jacobi(
    n: ArrayLike, p: ArrayLike, q: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Evaluate the shifted Jacobi polynomial.

    ``n! Gamma(n + p)/Gamma(2 n + p) P_n^{(p-q,q-1)}(2 x - 1)``. The derivative in x is
    ``(n + p) P_{n-1}^{(p-q+1,q)}(2 x - 1)/binom(2 n + p - 1, n)``; the other arguments are
    differentiated numerically.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    p : array_like
        Parameter of the weight (1 - x)^(p - q) x^(q - 1) on [0, 1]; p > q - 1.
    q : array_like
        Exponent of x in the weight plus 1; q > 0.
    x : array_like
        Points of evaluation, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_sh_jacobi`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_sh_jacobi(3, 2.5, 1.7, 0.4).round(9),
    ...     grad(special.eval_sh_jacobi, 3)(3, 2.5, 1.7, 0.4).round(9),
    ... )
    0.009767832 -0.089230769
    """
    ...


@row(None, lambda n, x, out: 2 * n * _lowered(n, lambda k: eval_hermite(k, x)))
def eval_hermite(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Evaluate the physicist's Hermite polynomial.

    ``H_n(x)`` (DLMF 18.5.13). The derivative in x is ``2 n H_{n-1}(x)``; the degree n is an
    integer.

    Parameters
    ----------
    n : array_like of ints
        Degree of the polynomial, at least 0.
    x : array_like
        Points of evaluation, real.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_hermite`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.eval_hermite(3, 0.4).round(9), grad(special.eval_hermite, 1)(3, 0.4).round(9))
    -4.288 -8.16
    """
    ...


@row(None, lambda n, x, out: n * _lowered(n, lambda k: eval_hermitenorm(k, x)))
def eval_hermitenorm(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Evaluate the probabilist's Hermite polynomial.

    ``He_n(x)`` (DLMF 18.5.13). The derivative in x is ``n He_{n-1}(x)``; the degree n is an
    integer.

    Parameters
    ----------
    n : array_like of ints
        Degree of the polynomial, at least 0.
    x : array_like
        Points of evaluation, real.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.eval_hermitenorm`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_hermitenorm(3, 0.4).round(9),
    ...     grad(special.eval_hermitenorm, 1)(3, 0.4).round(9),
    ... )
    -1.136 -2.52
    """
    ...


def assoc_laguerre(x: ArrayLike, n: ArrayLike, k: ArrayLike = 0.0) -> Array:
    """Evaluate the generalized Laguerre polynomial.

    `eval_genlaguerre` with the arguments in another order.

    Parameters
    ----------
    x : array_like
        Points of evaluation.
    n : array_like
        Degree of the polynomial.
    k : array_like
        Order, larger than -1 for orthogonal polynomials.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.assoc_laguerre`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.assoc_laguerre(0.4, 3, 1.5).round(9),
    ...     grad(special.assoc_laguerre)(0.4, 3, 1.5).round(9),
    ... )
    3.761833333 -6.155
    """
    return eval_genlaguerre(n, k, x)


__all__ = [
    "assoc_laguerre", "eval_chebyc", "eval_chebys", "eval_chebyt", "eval_chebyu", "eval_gegenbauer",
    "eval_genlaguerre", "eval_hermite", "eval_hermitenorm", "eval_jacobi", "eval_laguerre",
    "eval_legendre", "eval_sh_chebyt", "eval_sh_chebyu", "eval_sh_jacobi", "eval_sh_legendre",
]  # fmt: skip
