"""Frequencies of a spectrum, their order, and lengths that transform fast."""

import importlib
import operator
from types import ModuleType
from typing import Any

from scigrad.autodiff_rules import Traced
from scigrad.numpy.composition import linear_in_array
from scigrad.typing import Array, ArrayLike, Axes

from .transform import call_library


def fftfreq(
    n: int, d: float = 1.0, *, xp: ModuleType | None = None, device: object | None = None
) -> Array:
    """Return the frequencies of the entries of `fft`.

    ``[0, 1, ..., (n-1)//2, -(n//2), ..., -1] / (d n)``, as `scipy.fft.fftfreq`.

    Parameters
    ----------
    n : int
        Number of samples.
    d : float, optional
        Spacing of the samples.
    xp : array_namespace, optional
        Library of the result, by default NumPy.
    device : object, optional
        Device of the result.

    Returns
    -------
    (n,) ndarray
        Frequencies in cycles per unit of `d`.

    Notes
    -----
    Differentiable in `d`.

    Examples
    --------
    >>> from scigrad import fft, grad
    >>> print(grad(lambda d: fft.fftfreq(4, d)[1])(0.5))  # -1 / (n d^2)
    -1.0
    """
    return _frequencies("fftfreq", n, d, xp, device)


def rfftfreq(
    n: int, d: float = 1.0, *, xp: ModuleType | None = None, device: object | None = None
) -> Array:
    """Return the frequencies of the entries of `rfft`.

    ``[0, 1, ..., n//2] / (d n)``, as `scipy.fft.rfftfreq`.

    Parameters
    ----------
    n : int
        Number of samples.
    d : float, optional
        Spacing of the samples.
    xp : array_namespace, optional
        Library of the result, by default NumPy.
    device : object, optional
        Device of the result.

    Returns
    -------
    (n//2 + 1,) ndarray
        Frequencies in cycles per unit of `d`.

    Notes
    -----
    Differentiable in `d`.

    Examples
    --------
    >>> from scigrad import fft, grad
    >>> print(grad(lambda d: fft.rfftfreq(4, d)[2])(0.5))
    -2.0
    """
    return _frequencies("rfftfreq", n, d, xp, device)


def _frequencies(name: str, n: Any, d: Any, xp: Any, device: Any) -> Any:
    find = getattr(importlib.import_module("scipy.fft"), name)
    if isinstance(d, Traced):
        return find(n, xp=xp, device=device) / d
    return find(n, 1.0 * d, xp=xp, device=device)  # n times a small integer would wrap


@linear_in_array("x")
def fftshift(x: ArrayLike, axes: Axes | None = None) -> Array:
    """Shift frequency zero to the middle of the spectrum.

    See `scipy.fft.fftshift`.

    Parameters
    ----------
    x : array_like
        Input.
    axes : int or sequence of ints, optional
        Axes to shift, by default all.

    Returns
    -------
    ndarray
        Entries of `x` in the new order.

    Raises
    ------
    IndexError
        If an axis does not exist.

    Notes
    -----
    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: fft.fftshift(x)[0])(np.array([1.0, 2.0, 3.0])))
    [0. 0. 1.]
    """
    return call_library("fftshift", x, axes)


@linear_in_array("x")
def ifftshift(x: ArrayLike, axes: Axes | None = None) -> Array:
    """Undo `fftshift`, from which it differs for odd lengths.

    See `scipy.fft.ifftshift`.

    Parameters
    ----------
    x : array_like
        Input.
    axes : int or sequence of ints, optional
        Axes to shift, by default all.

    Returns
    -------
    ndarray
        Entries of `x` in the new order.

    Raises
    ------
    IndexError
        If an axis does not exist.

    Notes
    -----
    Derivatives: linear in x; forward and reverse mode, any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import fft, grad
    >>> print(grad(lambda x: fft.ifftshift(x)[0])(np.array([1.0, 2.0, 3.0])))
    [0. 1. 0.]
    """
    return call_library("ifftshift", x, axes)


@fftshift.adjoint
def _(call, g):
    return ifftshift(g, call.axes)


@ifftshift.adjoint
def _(call, g):
    return fftshift(g, call.axes)


fftshift.batch_axis("x", "axes")
ifftshift.batch_axis("x", "axes")


def next_fast_len(target: int, real: bool = False) -> int:
    """Return the smallest length from `target` on that transforms fast on the CPU.

    See `scipy.fft.next_fast_len`.

    Parameters
    ----------
    target : int
        Length to start from.
    real : bool, optional
        Whether the transform is one of real numbers.

    Returns
    -------
    int
        Length, a product of small primes.

    Examples
    --------
    >>> from scigrad import fft
    >>> fft.next_fast_len(97), fft.prev_fast_len(97)
    (98, 96)
    """
    return importlib.import_module("scipy.fft").next_fast_len(_known(target), real)


def prev_fast_len(target: int, real: bool = False) -> int:
    """Return the largest length up to `target` that transforms fast on the CPU.

    See `scipy.fft.prev_fast_len`.

    Parameters
    ----------
    target : int
        Length to start from.
    real : bool, optional
        Whether the transform is one of real numbers.

    Returns
    -------
    int
        Length, a product of small primes.

    Examples
    --------
    >>> from scigrad import fft
    >>> fft.prev_fast_len(97)
    96
    """
    return importlib.import_module("scipy.fft").prev_fast_len(_known(target), real)


def _known(target: Any) -> Any:
    # operator.index refuses a traced number, and says why
    return operator.index(target) if isinstance(target, Traced) else target


# integers of integers: nothing to differentiate
next_fast_len.is_constant = prev_fast_len.is_constant = True

__all__ = ["fftfreq", "fftshift", "ifftshift", "next_fast_len", "prev_fast_len", "rfftfreq"]
