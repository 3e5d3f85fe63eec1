"""Windows under the names of scipy.signal.windows, differentiable in their shape parameters.

    windows.gaussian(M, std, sym=True)

A window without a shape parameter has nothing to differentiate: `windows.hann` and its like are
SciPy's own functions.
"""

import functools
import inspect
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, cast

from scigrad.autodiff_rules import kernel
from scigrad.autodiff_rules.messages.public_names import public_names
from scigrad.typing import Array, ArrayLike, Documented

from .foundation import window_shapes as shapes
from .foundation.composition import is_plain, keep_precision
from .foundation.window_shapes import get_window

if TYPE_CHECKING:  # SciPy's own, without a parameter to differentiate; found when asked for
    from scipy.signal.windows import (
        barthann,
        bartlett,
        blackman,
        blackmanharris,
        bohman,
        boxcar,
        cosine,
        flattop,
        hamming,
        hann,
        lanczos,
        nuttall,
        parzen,
        triang,
    )  # fmt: skip

_NOT_OF_THE_SHAPE = ("M", "sym", "xp", "device")


def _window(shape: Documented) -> Documented:
    """Return the function of this signature: SciPy's window for plain parameters of the host, or
    else the shape of that name.
    """
    function: Any = shape
    name, signature = function.__name__, inspect.signature(function)

    @functools.wraps(function)
    def window(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        of_the_shape = {
            n: value for n, value in given.arguments.items() if n not in _NOT_OF_THE_SHAPE
        }
        if is_plain(of_the_shape):
            return keep_precision(kernel(f"signal.windows.{name}")(*args, **kwargs), of_the_shape)
        return shapes.shaped(
            name, given.arguments["M"], given.arguments["sym"], *of_the_shape.values()
        )

    return cast(Documented, window)


@_window
def kaiser(
    M: int,
    beta: float,
    sym: bool = True,
    *,
    xp: ModuleType | None = None,
    device: object | None = None,
) -> Array:
    """Return a Kaiser window.

    ``I0(beta sqrt(1 - t^2)) / I0(beta)`` for -1 <= t <= 1.

    Parameters
    ----------
    M : int
        Number of samples.
    beta : float
        Shape: 0 is a rectangular window, larger values have lower side lobes and a wider main lobe.
    sym : bool, optional
        Whether the window is symmetric, for the design of filters, or periodic, for spectra.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain parameters.

    Returns
    -------
    (M,) ndarray
        Window, in single precision if all parameters given as arrays are.

    Raises
    ------
    ValueError
        If `M` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.windows.kaiser`, differentiable in its float parameters, to any order
    where the window is smooth.

    Examples
    --------
    >>> from scigrad import grad
    >>> from scigrad.signal import windows
    >>> print(grad(lambda beta: windows.kaiser(5, beta)[0])(2.0).round(6))  # -I1(beta) / I0(beta)^2
    -0.306097
    """
    ...


@_window
def kaiser_bessel_derived(
    M: int,
    beta: float,
    *,
    sym: bool = True,
    xp: ModuleType | None = None,
    device: object | None = None,
) -> Array:
    """Return a Kaiser-Bessel derived window.

    Square roots of the cumulative sums of a Kaiser window: squares at the distance M/2 add up to 1.

    Parameters
    ----------
    M : int
        Number of samples, even.
    beta : float
        Shape: 0 is a rectangular window, larger values have lower side lobes and a wider main lobe.
    sym : bool, optional
        Whether the window is symmetric, for the design of filters, or periodic, for spectra.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain parameters.

    Returns
    -------
    (M,) ndarray
        Window, in single precision if all parameters given as arrays are.

    Raises
    ------
    ValueError
        If `M` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.windows.kaiser_bessel_derived`, differentiable in its float parameters, to
    any order where the window is smooth.

    Examples
    --------
    >>> from scigrad import grad
    >>> from scigrad.signal import windows
    >>> print(grad(lambda beta: windows.kaiser_bessel_derived(4, beta)[0])(2.0).round(6))
    -0.089834
    """
    ...


@_window
def gaussian(
    M: int,
    std: float,
    sym: bool = True,
    *,
    xp: ModuleType | None = None,
    device: object | None = None,
) -> Array:
    """Return a Gaussian window.

    ``exp(-n^2 / (2 std^2))`` at the distance n from the middle.

    Parameters
    ----------
    M : int
        Number of samples.
    std : float
        Standard deviation in samples.
    sym : bool, optional
        Whether the window is symmetric, for the design of filters, or periodic, for spectra.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain parameters.

    Returns
    -------
    (M,) ndarray
        Window, in single precision if all parameters given as arrays are.

    Raises
    ------
    ValueError
        If `M` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.windows.gaussian`, differentiable in its float parameters, to any order
    where the window is smooth.

    Examples
    --------
    >>> from scigrad import grad
    >>> from scigrad.signal import windows
    >>> print(grad(lambda std: windows.gaussian(3, std)[0])(2.0).round(6))  # exp(-1/8) / 8
    0.110312
    """
    ...


@_window
def general_gaussian(
    M: int,
    p: float,
    sig: float,
    sym: bool = True,
    *,
    xp: ModuleType | None = None,
    device: object | None = None,
) -> Array:
    """Return a generalized Gaussian window.

    ``exp(-|n / sig|^(2 p) / 2)`` at the distance n from the middle.

    Parameters
    ----------
    M : int
        Number of samples.
    p : float
        Half of the exponent: 1 is the Gaussian window, 1/2 the Laplacian.
    sig : float
        Standard deviation in samples.
    sym : bool, optional
        Whether the window is symmetric, for the design of filters, or periodic, for spectra.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain parameters.

    Returns
    -------
    (M,) ndarray
        Window, in single precision if all parameters given as arrays are.

    Raises
    ------
    ValueError
        If `M` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.windows.general_gaussian`, differentiable in its float parameters, to any
    order where the window is smooth.

    Examples
    --------
    >>> from scigrad import grad
    >>> from scigrad.signal import windows
    >>> print(
    ...     grad(lambda p: windows.general_gaussian(3, p, 2.0)[0])(1.0).round(6)
    ... )  # exp(-1/8) log(2) / 4
    0.152925
    """
    ...


@_window
def general_cosine(M: int, a: ArrayLike, sym: bool = True) -> Array:
    """Return a weighted sum of cosines.

    ``sum_k a[k] cos(k t)`` for -pi <= t <= pi.

    Parameters
    ----------
    M : int
        Number of samples.
    a : (k,) array_like
        Coefficients of the cosines.
    sym : bool, optional
        Whether the window is symmetric, for the design of filters, or periodic, for spectra.

    Returns
    -------
    (M,) ndarray
        Window, in single precision if all parameters given as arrays are.

    Raises
    ------
    ValueError
        If `M` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.windows.general_cosine`, differentiable in its float parameters, to any
    order where the window is smooth.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> from scigrad.signal import windows
    >>> print(grad(lambda a: windows.general_cosine(3, a)[0])(np.array([0.5, 0.5])).round(6))
    [ 1. -1.]
    """
    ...


@_window
def general_hamming(
    M: int,
    alpha: float,
    sym: bool = True,
    *,
    xp: ModuleType | None = None,
    device: object | None = None,
) -> Array:
    """Return a generalized Hamming window.

    ``alpha - (1 - alpha) cos(t)`` for 0 <= t <= 2 pi.

    Parameters
    ----------
    M : int
        Number of samples.
    alpha : float
        Weight of the constant.
    sym : bool, optional
        Whether the window is symmetric, for the design of filters, or periodic, for spectra.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain parameters.

    Returns
    -------
    (M,) ndarray
        Window, in single precision if all parameters given as arrays are.

    Raises
    ------
    ValueError
        If `M` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.windows.general_hamming`, differentiable in its float parameters, to any
    order where the window is smooth.

    Examples
    --------
    >>> from scigrad import grad
    >>> from scigrad.signal import windows
    >>> print(grad(lambda alpha: windows.general_hamming(3, alpha)[0])(0.54).round(6))
    2.0
    """
    ...


@_window
def chebwin(
    M: int,
    at: float,
    sym: bool = True,
    *,
    xp: ModuleType | None = None,
    device: object | None = None,
) -> Array:
    """Return a Dolph-Chebyshev window.

    All of its side lobes are `at` dB below the main lobe.

    Parameters
    ----------
    M : int
        Number of samples.
    at : float
        Attenuation of the side lobes in dB.
    sym : bool, optional
        Whether the window is symmetric, for the design of filters, or periodic, for spectra.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain parameters.

    Returns
    -------
    (M,) ndarray
        Window, in single precision if all parameters given as arrays are.

    Raises
    ------
    ValueError
        If `M` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.windows.chebwin`, differentiable in its float parameters, to any order
    where the window is smooth.

    Examples
    --------
    >>> from scigrad import grad
    >>> from scigrad.signal import windows
    >>> print(grad(lambda at: windows.chebwin(5, at)[0])(60.0).round(6))
    -0.00127
    """
    ...


@_window
def exponential(
    M: int,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    *,
    xp: ModuleType | None = None,
    device: object | None = None,
) -> Array:
    """Return an exponential (Poisson) window.

    ``exp(-|n - center| / tau)``.

    Parameters
    ----------
    M : int
        Number of samples.
    center : float, optional
        Position of the maximum in samples, by default the middle.
    tau : float, optional
        Decay in samples.
    sym : bool, optional
        Whether the window is symmetric, for the design of filters, or periodic, for spectra.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain parameters.

    Returns
    -------
    (M,) ndarray
        Window, in single precision if all parameters given as arrays are.

    Raises
    ------
    ValueError
        If `M` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.windows.exponential`, differentiable in its float parameters, to any order
    where the window is smooth.

    Examples
    --------
    >>> from scigrad import grad
    >>> from scigrad.signal import windows
    >>> print(grad(lambda tau: windows.exponential(3, tau=tau)[0])(2.0).round(6))  # exp(-1/2) / 4
    0.151633
    """
    ...


@_window
def tukey(
    M: int,
    alpha: float = 0.5,
    sym: bool = True,
    *,
    xp: ModuleType | None = None,
    device: object | None = None,
) -> Array:
    """Return a Tukey (tapered cosine) window.

    Half a period of a cosine along ``alpha/2`` of the length at each end, and 1 between.

    Parameters
    ----------
    M : int
        Number of samples.
    alpha : float, optional
        Part of the window that is tapered.
    sym : bool, optional
        Whether the window is symmetric, for the design of filters, or periodic, for spectra.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain parameters.

    Returns
    -------
    (M,) ndarray
        Window, in single precision if all parameters given as arrays are.

    Raises
    ------
    ValueError
        If `M` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.windows.tukey`, differentiable in its float parameters, to any order
    where the window is smooth.

    Examples
    --------
    >>> from scigrad import grad
    >>> from scigrad.signal import windows
    >>> print(grad(lambda alpha: windows.tukey(9, alpha)[1])(0.5).round(6))
    -1.570796
    """
    ...


@_window
def taylor(
    M: int,
    nbar: int = 4,
    sll: float = 30,
    norm: bool = True,
    sym: bool = True,
    *,
    xp: ModuleType | None = None,
    device: object | None = None,
) -> Array:
    """Return a Taylor window.

    It has the narrowest main lobe for `nbar` nearly constant side lobes `sll` dB below it.

    Parameters
    ----------
    M : int
        Number of samples.
    nbar : int, optional
        Number of nearly constant side lobes beside the main lobe.
    sll : float, optional
        Level of the side lobes below the main lobe in dB.
    norm : bool, optional
        Whether the middle of the window is 1.
    sym : bool, optional
        Whether the window is symmetric, for the design of filters, or periodic, for spectra.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain parameters.

    Returns
    -------
    (M,) ndarray
        Window, in single precision if all parameters given as arrays are.

    Raises
    ------
    ValueError
        If `M` is not a nonnegative integer.

    Notes
    -----
    This is `scipy.signal.windows.taylor`, differentiable in its float parameters, to any order
    where the window is smooth.

    Examples
    --------
    >>> from scigrad import grad
    >>> from scigrad.signal import windows
    >>> print(grad(lambda sll: windows.taylor(5, sll=sll)[0])(30.0).round(6))
    -0.016338
    """
    ...


def dpss(
    M: int,
    NW: float,
    Kmax: int | None = None,
    sym: bool = True,
    norm: Literal[2, "approximate", "subsample"] | None = None,
    return_ratios: bool = False,
    *,
    xp: ModuleType | None = None,
    device: object | None = None,
) -> Array:
    """Return discrete prolate spheroidal sequences.

    They have the largest part of their energy in a band, of all sequences of M samples.

    Parameters
    ----------
    M : int
        Number of samples.
    NW : float
        Half of the bandwidth, times the number of samples.
    Kmax : int, optional
        Number of sequences, by default one, without an axis for it.
    sym : bool, optional
        Whether the window is symmetric, for the design of filters, or periodic, for spectra.
    norm : {2, "approximate", "subsample"}, optional
        Normalization, as in SciPy.
    return_ratios : bool, optional
        Whether to return the concentrations too.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain parameters.

    Returns
    -------
    v : (M,) or (Kmax, M) ndarray
        Sequences.
    r : float or (Kmax,) ndarray
        Concentrations in the band, only with `return_ratios`.

    Raises
    ------
    ValueError
        If NW or Kmax is not between 0 and M/2 or M.

    Notes
    -----
    This is `scipy.signal.windows.dpss`, differentiable in its float parameters, to any order
    where the window is smooth.

    Examples
    --------
    >>> from scigrad import grad
    >>> from scigrad.signal import windows
    >>> print(grad(lambda NW: windows.dpss(3, NW)[0])(1.0).round(6))
    -0.374514
    """
    if not is_plain(NW):
        length, rule = M + (not sym), norm or ("approximate", 2)[bool(Kmax)]
        v = shapes.dpss(shapes.positions([NW], length), length, NW, Kmax or 1, rule)
        r = shapes.concentrations(v, NW)
        v, r = (v[0, :M], r[0]) if Kmax is None else (v[:, :M], r)
        out: Any = (v, r) if return_ratios else v
        return out
    return keep_precision(
        kernel("signal.windows.dpss")(M, NW, Kmax, sym, norm, return_ratios, xp=xp, device=device),
        NW,
    )


__all__ = [
    "barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "cosine", "flattop",
    "hamming", "hann", "lanczos", "nuttall", "parzen", "triang",
]  # fmt: skip
_SCIPYS = tuple(__all__)
__all__ += [
    "chebwin", "dpss", "exponential", "gaussian", "general_cosine", "general_gaussian",
    "general_hamming", "get_window", "kaiser", "kaiser_bessel_derived", "taylor", "tukey",
]  # fmt: skip

if not TYPE_CHECKING:  # type checkers report a misspelt name only if there is no __getattr__
    __getattr__, __dir__ = public_names(__name__, __all__, _SCIPYS)
