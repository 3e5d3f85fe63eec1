"""Ellipsoidal harmonics, products of Lame functions (DLMF 29.12), differentiated numerically."""

from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import stop_gradient
from scigrad.typing import Array, ArrayLike

from .convenience import gauss
from .machinery.numerical_partial import numerical_partial
from .machinery.ufuncs import no_ufunc, read_arguments


def _numerical(position: int) -> Any:
    def partial(h2: Any, k2: Any, n: Any, p: Any, s: Any, *signs: Any) -> Any:
        # products of roots alone may not depend on h or k
        roots = np.less(n, 2) | np.equal(n, 2) & np.greater(p, 2)
        at = (h2, k2, n, p, s, *signs[:-1])
        far = stop_gradient(s) ** 2 > 1e5 * stop_gradient(k2)  # it is nearly s^n
        return numerical_partial(
            ellip_harm, position, *at, scale=_branch_scale(h2, k2, s), constant=roots, straight=far
        )

    return partial


def _branch_scale(*args: Any) -> Any:
    """Return half of the distance of s to the branch points h and k, and of the parameters to each
    other.
    """
    h2, k2, s = map(stop_gradient, args)
    apart = np.minimum(np.abs(np.abs(s) - np.sqrt(h2)), np.abs(np.abs(s) - np.sqrt(k2)))
    return np.minimum(apart, np.minimum(np.abs(k2 - h2), h2)) / 2


@no_ufunc(_numerical(0), _numerical(1), None, None, _numerical(4), None, None)
def ellip_harm(
    h2: ArrayLike,
    k2: ArrayLike,
    n: int,
    p: ArrayLike,
    s: ArrayLike,
    signm: Literal[1, -1] = 1,
    signn: Literal[1, -1] = 1,
) -> Array:
    """Compute the ellipsoidal harmonic function of the first kind.

    ``E_n^p(s)`` (DLMF 29.12). h2, k2 and s are differentiated numerically.

    Parameters
    ----------
    h2, k2 : array_like
        Squares of the foci, ``0 < h2 < k2``.
    n : int
        Degree of the harmonic, at least 0.
    p : array_like of ints
        Order, 1 to 2 n + 1.
    s : array_like
        Coordinate.
    signm, signn : {1, -1}, optional
        Signs of the roots ``sqrt(s^2 - h2)`` and ``sqrt(s^2 - k2)``.

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
    This is `scipy.special.ellip_harm`.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.ellip_harm(5.0, 8.0, 2, 1, 2.5).round(9),
    ...     grad(special.ellip_harm, 4)(5.0, 8.0, 2, 1, 2.5).round(9),
    ... )
    -0.416666667 5.0
    """
    ...


# F(s) = (2 n + 1) E(s) int_s^inf dt/(E(t)^2 sqrt((t^2 - h2)(t^2 - k2))), and with t = k/sin(theta)
# the roots do no harm.
def ellip_harm_2(h2: ArrayLike, k2: ArrayLike, n: int, p: ArrayLike, s: ArrayLike) -> Array:
    """Compute the ellipsoidal harmonic function of the second kind.

    ``F_n^p(s)`` for ``s^2 > k2``, by quadrature of 64 nodes over `ellip_harm`. It is differentiable
    in the same arguments as `ellip_harm`.

    Parameters
    ----------
    h2, k2 : array_like
        Squares of the foci, ``0 < h2 < k2``.
    n : int
        Degree of the harmonic, at least 0.
    p : array_like of ints
        Order, 1 to 2 n + 1.
    s : array_like
        Coordinate.

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
    This is `scipy.special.ellip_harm_2`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.ellip_harm_2(5.0, 8.0, 2, 1, 4.0).round(9),
    ...     grad(special.ellip_harm_2, 4)(5.0, 8.0, 2, 1, 4.0).round(9),
    ... )
    0.028495698 -0.03268245
    """
    h2, k2, n, p, s = read_arguments(h2, k2, n, p, s)
    first = ellip_harm(h2, k2, n, p, s)
    rank = max(map(np.ndim, (h2, k2, n, p, s)))
    nodes, weights = (v.reshape(-1, *[1] * rank) / 2 for v in (1 + gauss(64)[0], gauss(64)[1]))
    # E(t) is about t^n, and t is 1e4 at the first node
    h2, k2, s = (v * np.float64(1) for v in (h2, k2, s))
    k = np.sqrt(k2)
    end = np.arcsin(k / s)
    sine = np.sin(end * nodes)
    e = ellip_harm(h2, k2, n, p, k / sine)
    total = np.sum(weights / (e * e * np.sqrt(k2 - h2 * sine * sine)), axis=0)
    return (2 * np.asarray(n) + 1).astype(first.dtype) * first * (end * total).astype(first.dtype)


__all__ = ["ellip_harm", "ellip_harm_2"]
