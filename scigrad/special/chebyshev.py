"""Chebyshev polynomials of the third and fourth kind (DLMF 18.3), which SciPy lacks, as Jacobi
polynomials.
"""

from typing import Any

from scigrad.typing import Array, ArrayLike

from .beta import binom
from .machinery.ufuncs import read_arguments
from .orthogonal_polynomials import eval_jacobi


def _jacobi(n: Any, x: Any, alpha: float, shifted: bool) -> Any:
    """Return P_n^(alpha, -alpha) by its value at 1 for alpha = -1/2."""
    n, x = read_arguments(n, x)
    p = eval_jacobi(n, alpha, -alpha, 2.0 * x - 1 if shifted else x)
    return p / binom(n - 0.5, n).astype(p.dtype)


def eval_chebyv(n: ArrayLike, x: ArrayLike) -> Array:
    """Evaluate the Chebyshev polynomial of the third kind.

    ``cos((n + 1/2) theta)/cos(theta/2)`` where ``cos(theta) = x``. Derivatives are those of
    `eval_jacobi`.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.

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
    PyTorch has it as ``torch.special.chebyshev_polynomial_v``.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.eval_chebyv(3, 0.4).round(9), grad(special.eval_chebyv, 1)(3, 0.4).round(9))
    -0.728 -3.36
    """
    return _jacobi(n, x, -0.5, shifted=False)


def eval_chebyw(n: ArrayLike, x: ArrayLike) -> Array:
    """Evaluate the Chebyshev polynomial of the fourth kind.

    ``sin((n + 1/2) theta)/sin(theta/2)`` where ``cos(theta) = x``. Derivatives are those of
    `eval_jacobi`.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.

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
    PyTorch has it as ``torch.special.chebyshev_polynomial_w``.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.eval_chebyw(3, 0.4).round(9), grad(special.eval_chebyw, 1)(3, 0.4).round(9))
    -1.448 3.04
    """
    return _jacobi(n, x, 0.5, shifted=False)


def eval_sh_chebyv(n: ArrayLike, x: ArrayLike) -> Array:
    """Evaluate the shifted Chebyshev polynomial of the third kind.

    ``cos((n + 1/2) theta)/cos(theta/2)`` where ``cos(theta) = 2 x - 1``. Derivatives are those of
    `eval_jacobi`.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.

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
    PyTorch has it as ``torch.special.shifted_chebyshev_polynomial_v``.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_sh_chebyv(3, 0.4).round(9),
    ...     grad(special.eval_sh_chebyv, 1)(3, 0.4).round(9),
    ... )
    1.576 -2.88
    """
    return _jacobi(n, x, -0.5, shifted=True)


def eval_sh_chebyw(n: ArrayLike, x: ArrayLike) -> Array:
    """Evaluate the shifted Chebyshev polynomial of the fourth kind.

    ``sin((n + 1/2) theta)/sin(theta/2)`` where ``cos(theta) = 2 x - 1``. Derivatives are those of
    `eval_jacobi`.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.

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
    PyTorch has it as ``torch.special.shifted_chebyshev_polynomial_w``.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.eval_sh_chebyw(3, 0.4).round(9),
    ...     grad(special.eval_sh_chebyw, 1)(3, 0.4).round(9),
    ... )
    -0.104 -9.28
    """
    return _jacobi(n, x, 0.5, shifted=True)


__all__ = ["eval_chebyv", "eval_chebyw", "eval_sh_chebyv", "eval_sh_chebyw"]
