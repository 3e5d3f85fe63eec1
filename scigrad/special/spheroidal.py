"""Spheroidal wave functions and their characteristic values (DLMF chapter 30).

The second derivative in x comes from the differential equation; c is differentiated numerically.
"""

from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import stop_gradient
from scigrad.typing import Array, ArrayLike, Documented, UfuncOptions

from .machinery.numerical_partial import numerical_partial, solutions
from .machinery.ufuncs import corrected_kernel, guarded_kernel, row


def _safe(m: Any, n: Any, c: Any) -> Any:
    """Return whether SciPy's functions stay within their tables of coefficients."""
    return (m + n + 2 * c <= 200) & (c >= -10)


def _characteristic(function: Documented) -> Documented:
    """Declare a characteristic value, by its name."""

    def partial(m: Array, n: Array, c: Array, out: Array) -> Array:
        # even in c; SciPy's values at c < 0 are others, and no nodes beside them
        side = np.where(stop_gradient(c) < 0, -1, 1)
        return numerical_partial(lambda m, n, c: declared(m, n, side * np.abs(c)), 2, m, n, c)

    name = function.__name__
    declared: Any = row(None, None, partial, instead=guarded_kernel(name, _safe))(function)
    return declared


@_characteristic
def pro_cv(m: ArrayLike, n: ArrayLike, c: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the characteristic value of prolate spheroidal wave functions.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. c is differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
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
    This is `scipy.special.pro_cv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in c; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.pro_cv(1, 2, 1.4).round(9), grad(special.pro_cv, 2)(1, 2, 1.4).round(9))
    6.825183428 1.157845049
    """
    ...


@_characteristic
def obl_cv(m: ArrayLike, n: ArrayLike, c: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the characteristic value of oblate spheroidal wave functions.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. c is differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
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
    This is `scipy.special.obl_cv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in c; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.obl_cv(1, 2, 1.4).round(9), grad(special.obl_cv, 2)(1, 2, 1.4).round(9))
    5.144966656 -1.243082718
    """
    ...


# (1 - x^2) y'' = 2 x y' - (cv - s c^2 x^2 - m^2/(1 - x^2)) y with s = 1 for prolate functions and
# -1 for oblate ones (DLMF 30.2.1); oblate radial functions take i x there.


def _second(sign: int, radial: bool) -> Any:
    def angular(m: Array, c: Array, cv: Array, x: Array, out: Array) -> Array:
        w = 1 - x * x
        return (2 * x * out[1] - (cv - sign * (c * x) ** 2 - m * m / w) * out[0]) / w

    def of_radius(m: Array, c: Array, cv: Array, x: Array, out: Array) -> Array:
        w = x * x - sign
        return (-2 * x * out[1] + (cv - (c * x) ** 2 + sign * m * m / w) * out[0]) / w

    return of_radius if radial else angular


def _wronskian_kernel(name: str, sign: int) -> Any:
    """Return the kernel with nan for functions of the second kind that have not the Wronskian of
    theirs (DLMF 30.11).
    """
    kernels = guarded_kernel(name, _safe)
    if "rad2" not in name:
        return kernels
    values, first = (
        guarded_kernel(of, _safe)["numpy"] for of in (name, name.replace("rad2", "rad1"))
    )

    def wrong(*args: Any) -> Any:
        """Return where the Wronskian of both kinds is not that of the differential equation, to
        1e-6.
        """
        (f, slope), (g, other), x = first(*args), values(*args), args[-1]
        with np.errstate(all="ignore"):
            return ~(np.abs((f * other - slope * g) * args[2] * (x * x - sign) - 1) < 1e-6)

    return kernels | corrected_kernel(values, wrong, lambda *args: (np.nan, np.nan))


def _first(*args: Any) -> Any:
    return args[-1][1]


def _function(sign: int, radial: bool) -> Any:
    """Declare a function whose characteristic value belongs to c."""
    of, second = {1: pro_cv, -1: obl_cv}[sign], _second(sign, radial)

    def declare(function: Documented) -> Documented:
        return solutions(
            2,
            _first,
            lambda m, n, c, x, out: second(m, c, of(m, n, c), x, out),
            scale=lambda x: 1 / np.maximum(np.abs(x), 1),
            instead=_wronskian_kernel(function.__name__, sign),
        )(function)

    return declare


def _function_of_value(sign: int, radial: bool) -> Any:
    """Declare a function that takes the characteristic value as well, a constant."""
    second = _second(sign, radial)

    def declare(function: Documented) -> Documented:
        return row(
            *((*[None] * 4, partial) for partial in (_first, lambda m, n, *args: second(m, *args))),
            instead=_wronskian_kernel(function.__name__, sign),
        )(function)

    return declare


@_function(1, radial=False)
def pro_ang1(
    m: ArrayLike, n: ArrayLike, c: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the prolate spheroidal angular function of the first kind and its derivative.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. c is differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    x : array_like
        Angular coordinate, -1 < x < 1.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.pro_ang1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in c and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.pro_ang1(1, 2, 1.4, 0.3)[0].round(9),
    ...     grad(lambda x: special.pro_ang1(1, 2, 1.4, x)[0])(0.3).round(9),
    ... )
    0.847969767 2.476853387
    """
    ...


@_function_of_value(1, radial=False)
def pro_ang1_cv(
    m: ArrayLike,
    n: ArrayLike,
    c: ArrayLike,
    cv: ArrayLike,
    x: ArrayLike,
    /,
    **options: Unpack[UfuncOptions],
) -> tuple[Array, ...]:
    """Compute the prolate angular function of the first kind for a given characteristic value.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. cv is ``pro_cv(m, n, c)``, held constant: only x is differentiated; `pro_ang1` has
    a derivative in c too.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    cv : array_like
        Characteristic value.
    x : array_like
        Angular coordinate, -1 < x < 1.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.pro_ang1_cv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.pro_ang1_cv(1, 2, 1.4, 6.82518342811, 0.3)[0].round(9),
    ...     grad(lambda x: special.pro_ang1_cv(1, 2, 1.4, 6.82518342811, x)[0])(0.3).round(9),
    ... )
    0.847969767 2.476853387
    """
    ...


@_function(-1, radial=False)
def obl_ang1(
    m: ArrayLike, n: ArrayLike, c: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the oblate spheroidal angular function of the first kind and its derivative.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. c is differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    x : array_like
        Angular coordinate, -1 < x < 1.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.obl_ang1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in c and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.obl_ang1(1, 2, 1.4, 0.3)[0].round(9),
    ...     grad(lambda x: special.obl_ang1(1, 2, 1.4, x)[0])(0.3).round(9),
    ... )
    0.869611266 2.686158142
    """
    ...


@_function_of_value(-1, radial=False)
def obl_ang1_cv(
    m: ArrayLike,
    n: ArrayLike,
    c: ArrayLike,
    cv: ArrayLike,
    x: ArrayLike,
    /,
    **options: Unpack[UfuncOptions],
) -> tuple[Array, ...]:
    """Compute the oblate angular function of the first kind for a given characteristic value.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. cv is ``obl_cv(m, n, c)``, held constant: only x is differentiated; `obl_ang1` has
    a derivative in c too.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    cv : array_like
        Characteristic value.
    x : array_like
        Angular coordinate, -1 < x < 1.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.obl_ang1_cv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.obl_ang1_cv(1, 2, 1.4, 5.14496665624, 0.3)[0].round(9),
    ...     grad(lambda x: special.obl_ang1_cv(1, 2, 1.4, 5.14496665624, x)[0])(0.3).round(9),
    ... )
    0.869611266 2.686158142
    """
    ...


@_function(1, radial=True)
def pro_rad1(
    m: ArrayLike, n: ArrayLike, c: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the prolate spheroidal radial function of the first kind and its derivative.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. c is differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    x : array_like
        Radial coordinate, larger than 1.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.pro_rad1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in c and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.pro_rad1(1, 2, 3.0, 3.0)[0].round(9),
    ...     grad(lambda x: special.pro_rad1(1, 2, 3.0, x)[0])(3.0).round(9),
    ... )
    -0.045204286 0.343013499
    """
    ...


@_function_of_value(1, radial=True)
def pro_rad1_cv(
    m: ArrayLike,
    n: ArrayLike,
    c: ArrayLike,
    cv: ArrayLike,
    x: ArrayLike,
    /,
    **options: Unpack[UfuncOptions],
) -> tuple[Array, ...]:
    """Compute the prolate radial function of the first kind for a given characteristic value.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. cv is ``pro_cv(m, n, c)``, held constant: only x is differentiated; `pro_rad1` has
    a derivative in c too.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    cv : array_like
        Characteristic value.
    x : array_like
        Radial coordinate, larger than 1.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.pro_rad1_cv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.pro_rad1_cv(1, 2, 3.0, 9.5559983984, 3.0)[0].round(9),
    ...     grad(lambda x: special.pro_rad1_cv(1, 2, 3.0, 9.5559983984, x)[0])(3.0).round(9),
    ... )
    -0.045204286 0.343013499
    """
    ...


@_function(-1, radial=True)
def obl_rad1(
    m: ArrayLike, n: ArrayLike, c: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the oblate spheroidal radial function of the first kind and its derivative.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. c is differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    x : array_like
        Radial coordinate, at least 0.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.obl_rad1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in c and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.obl_rad1(1, 2, 3.0, 5.0)[0].round(9),
    ...     grad(lambda x: special.obl_rad1(1, 2, 3.0, x)[0])(5.0).round(9),
    ... )
    -0.02276338 0.186466632
    """
    ...


@_function_of_value(-1, radial=True)
def obl_rad1_cv(
    m: ArrayLike,
    n: ArrayLike,
    c: ArrayLike,
    cv: ArrayLike,
    x: ArrayLike,
    /,
    **options: Unpack[UfuncOptions],
) -> tuple[Array, ...]:
    """Compute the oblate radial function of the first kind for a given characteristic value.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. cv is ``obl_cv(m, n, c)``, held constant: only x is differentiated; `obl_rad1` has
    a derivative in c too.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    cv : array_like
        Characteristic value.
    x : array_like
        Radial coordinate, at least 0.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.obl_rad1_cv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.obl_rad1_cv(1, 2, 3.0, 1.8215414358, 5.0)[0].round(9),
    ...     grad(lambda x: special.obl_rad1_cv(1, 2, 3.0, 1.8215414358, x)[0])(5.0).round(9),
    ... )
    -0.02276338 0.186466632
    """
    ...


@_function(1, radial=True)
def pro_rad2(
    m: ArrayLike, n: ArrayLike, c: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the prolate spheroidal radial function of the second kind and its derivative.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. c is differentiated numerically. Nan where the values of SciPy contradict the
    Wronskian with the first kind, as they do for small c x.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    x : array_like
        Radial coordinate, larger than 1.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.pro_rad2`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in c and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.pro_rad2(1, 2, 3.0, 3.0)[0].round(9),
    ...     grad(lambda x: special.pro_rad2(1, 2, 3.0, x)[0])(3.0).round(9),
    ... )
    -0.109078731 -0.094043945
    """
    ...


@_function_of_value(1, radial=True)
def pro_rad2_cv(
    m: ArrayLike,
    n: ArrayLike,
    c: ArrayLike,
    cv: ArrayLike,
    x: ArrayLike,
    /,
    **options: Unpack[UfuncOptions],
) -> tuple[Array, ...]:
    """Compute the prolate radial function of the second kind for a given characteristic value.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. cv is ``pro_cv(m, n, c)``, held constant: only x is differentiated; `pro_rad2` has
    a derivative in c too. Nan where the values of SciPy contradict the Wronskian with the first
    kind, as they do for small c x.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    cv : array_like
        Characteristic value.
    x : array_like
        Radial coordinate, larger than 1.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.pro_rad2_cv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.pro_rad2_cv(1, 2, 3.0, 9.5559983984, 3.0)[0].round(9),
    ...     grad(lambda x: special.pro_rad2_cv(1, 2, 3.0, 9.5559983984, x)[0])(3.0).round(9),
    ... )
    -0.109078731 -0.094043945
    """
    ...


@_function(-1, radial=True)
def obl_rad2(
    m: ArrayLike, n: ArrayLike, c: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the oblate spheroidal radial function of the second kind and its derivative.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. c is differentiated numerically. Nan where the values of SciPy contradict the
    Wronskian with the first kind, as they do for small c x.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    x : array_like
        Radial coordinate, at least 0.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.obl_rad2`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in c and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.obl_rad2(1, 2, 3.0, 5.0)[0].round(9),
    ...     grad(lambda x: special.obl_rad2(1, 2, 3.0, x)[0])(5.0).round(9),
    ... )
    -0.062104957 -0.054473924
    """
    ...


@_function_of_value(-1, radial=True)
def obl_rad2_cv(
    m: ArrayLike,
    n: ArrayLike,
    c: ArrayLike,
    cv: ArrayLike,
    x: ArrayLike,
    /,
    **options: Unpack[UfuncOptions],
) -> tuple[Array, ...]:
    """Compute the oblate radial function of the second kind for a given characteristic value.

    Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or
    ``c < -10``. cv is ``obl_cv(m, n, c)``, held constant: only x is differentiated; `obl_rad2` has
    a derivative in c too. Nan where the values of SciPy contradict the Wronskian with the first
    kind, as they do for small c x.

    Parameters
    ----------
    m : array_like of ints
        Order, at least 0.
    n : array_like of ints
        Degree, at least m.
    c : array_like
        Half of the distance of the foci times the wave number.
    cv : array_like
        Characteristic value.
    x : array_like
        Radial coordinate, at least 0.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.obl_rad2_cv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.obl_rad2_cv(1, 2, 3.0, 1.8215414358, 5.0)[0].round(9),
    ...     grad(lambda x: special.obl_rad2_cv(1, 2, 3.0, 1.8215414358, x)[0])(5.0).round(9),
    ... )
    -0.062104957 -0.054473924
    """
    ...


__all__ = [
    "obl_ang1", "obl_ang1_cv", "obl_cv", "obl_rad1", "obl_rad1_cv", "obl_rad2", "obl_rad2_cv",
    "pro_ang1", "pro_ang1_cv", "pro_cv", "pro_rad1", "pro_rad1_cv", "pro_rad2", "pro_rad2_cv",
]  # fmt: skip
