"""Windows under the names of scipy.signal.windows, differentiable in their shape parameters.

    windows.gaussian(M, std, sym=True)

A window without a shape parameter has nothing to differentiate: `windows.hann` and its like are
SciPy's own functions.

The formulas are SciPy's, arranged such that every derivative exists where the window is smooth in
the parameter: factors without the parameter are computed separately, and no square root or power
has the argument 0.
"""

import math
import operator
from functools import reduce
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import scigrad.numpy as np
from scigrad.autodiff_rules import space, stop_gradient
from scigrad.autodiff_rules.backends import namespace
from scigrad.autodiff_rules.messages.public_names import public_names
from scigrad.fft import fft
from scigrad.linalg import eigh_tridiagonal
from scigrad.numpy.devices import place_beside
from scigrad.numpy.joining import assemble
from scigrad.special import i0
from scigrad.typing import Array, ArrayLike, Value

from .foundation.composition import refuse_if
from .foundation.window_shapes import get_window, positions, window

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


@window("ksr")
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
    n = positions(M, beta)
    # The root is in the precision of n, and symmetric to the last digit.
    root = np.sqrt(1 - ((2 * n - M + 1) / (M - 1)) ** 2)
    return i0(beta * root) / i0(beta * np.ones_like(n[:1]))


@window("kbd")
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
    refuse_if(M % 2, "Kaiser-Bessel Derived windows are only defined for even number of points")
    total = np.cumsum(kaiser(M // 2 + 1, beta))
    half = np.sqrt(total[:-1] / total[-1])
    return np.concatenate([half, half[::-1]])


@window("gauss gss")
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
    return np.exp(-(((positions(M, std) - (M - 1) / 2) / std) ** 2) / 2)


@window("general_gauss ggs")
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
    distance = abs(positions(M, p, sig) - (M - 1) / 2)
    power = (np.where(distance == 0, 1, distance) / abs(sig)) ** (2 * p)
    return np.where(distance == 0, 1, np.exp(-power / 2))


@window()
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
    a = assemble(a)
    n = positions(M, a)
    order = namespace(space(a).library).arange(a.shape[0], dtype=n.dtype)
    return np.cos((2 * n / (M - 1) - 1)[:, None] * np.pi * order) @ a


@window()
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
    return alpha - (1 - alpha) * np.cos(2 * np.pi * positions(M, alpha) / (M - 1))


@window("cheb")
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
    # The window is the Fourier transform of a Chebyshev polynomial, which is
    # cosh(order arccosh x) outside -1 <= x <= 1.
    n, order, middle = positions(M, at), M - 1, M // 2
    x = np.cosh(np.arccosh(10 ** (abs(at) / 20)) / order) * np.cos(np.pi * n / M)
    outside = abs(x) > 1
    far, near = np.where(outside, abs(x), 2), np.where(outside, 0, x)
    sign = np.where(n > M / 2, (-1) ** order, 1).astype(n.dtype)
    p = np.where(outside, sign * np.cosh(order * np.arccosh(far)), np.cos(order * np.arccos(near)))
    spectrum = np.real(fft(p if M % 2 else p * np.exp(1j * np.pi / M * n)))
    w = spectrum[1 - M % 2 : middle + 1]
    w = np.concatenate([w[M % 2 :][::-1], w])
    return w / np.max(w)


@window("poisson")
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
    n = positions(M, center, tau)
    return np.exp(-abs(n - ((M - 1) / 2 if center is None else center)) / tau)


@window("tuk")
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
    n = positions(M, alpha)
    from_end = np.minimum(n, M - 1 - n) * 2 / (M - 1)
    ratio = np.minimum(from_end / np.where(alpha <= 0, 1, np.minimum(alpha, 1)), 1)
    return np.where(alpha <= 0, 1, (1 - np.cos(np.pi * ratio)) / 2)


@window("taylorwin")
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
    a2 = (np.arccosh(10 ** (sll / 20)) / np.pi) ** 2
    s2 = nbar**2 / (a2 + (nbar - 0.5) ** 2)

    def coefficient(m: int) -> Any:
        zeros = (1 - m**2 / s2 / (a2 + (k - 0.5) ** 2) for k in range(1, nbar))
        others = math.prod(1 - m**2 / k**2 for k in range(1, nbar) if k != m)
        return (-1) ** (m + 1) * reduce(operator.mul, zeros) / (2 * others)

    def shape(x: Any) -> Any:
        return 1 + 2 * sum(
            coefficient(m) * np.cos(2 * np.pi * m * (x - M / 2 + 0.5) / M) for m in range(1, nbar)
        )

    n = positions(M, sll)
    return shape(n) / shape(n[:1] * 0 + (M - 1) / 2) if norm else shape(n)


@window()
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
    n = positions(M, NW)
    v = _prolate_sequences(n, NW, Kmax or 1, norm or ("approximate", 2)[bool(Kmax)])
    first = 0 if Kmax is None else slice(None)
    out: Value = (v[first], _concentrations(v, NW)[first]) if return_ratios else v[first]
    return out


def _prolate_sequences(n: Any, NW: Any, Kmax: int, norm: Any) -> Any:
    """Return the eigenvectors of a tridiagonal matrix (doi 10.1002/j.1538-7305.1978.tb02104.x,
    section 2.6).
    """
    length = n.size
    refuse_if((NW <= 0) | (length / 2 <= NW), "NW must be positive and less than M/2.")
    diagonal = ((length - 1) / 2 - n) ** 2 * np.cos(2 * np.pi * NW / length)
    beside_it = n[1:] * (length - n[1:]) / 2
    found: Any = eigh_tridiagonal(
        diagonal, beside_it, select="i", select_range=(length - Kmax, length - 1)
    )
    windows = found[1].T[::-1]
    fixed, even = stop_gradient(windows), place_beside(np.arange(Kmax)[:, None] % 2 == 0, n)
    large = fixed * fixed > max(1e-7, 1 / length)
    # SciPy's signs: of the sum, or of the first lobe
    lobe = np.where(even == 1, 1, large * (np.cumsum(large, axis=-1) == 1))
    windows = np.where(np.sum(fixed * lobe, axis=-1, keepdims=True) < 0, -windows, windows)
    if norm in (None, 2):
        return windows
    windows = windows / np.max(windows)
    if length % 2 == 0 and norm == "approximate":
        return windows * length**2 / (length**2 + NW)
    if length % 2 == 0:  # the maximum lies between two samples
        turns = np.exp(1j * np.pi * (1 - 1 / length) * n[1 : length // 2 + 1])
        spectrum = np.fft.rfft(windows[0])
        windows = (
            windows * length / (np.real(spectrum[0]) + 2 * np.sum(np.real(spectrum[1:] * turns)))
        )
    return windows


def _concentrations(windows: Any, NW: Any) -> Any:
    """Return the part of the energy of sequences that is in the band."""
    length = windows.shape[-1]
    lags, band = np.arange(length), NW / length
    products = np.fft.irfft(abs(np.fft.rfft(windows, 2 * length)) ** 2)[..., :length]
    weights = (
        np.sinc(2 * band * place_beside(lags, windows))
        * 2
        * band
        * place_beside(2.0 - (lags == 0), windows)
    )
    return products @ weights / products[..., 0]


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
