"""The shapes of SciPy's windows, differentiable in their parameters, and get_window.

The formulas are SciPy's, arranged such that every derivative exists where the window is smooth in
the parameter: factors without the parameter are computed separately, and no square root or power
has the argument 0.
"""

import math
import operator
from functools import reduce
from types import ModuleType
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import MissingRule, Traced, kernel, space, stop_gradient
from scigrad.autodiff_rules.backends import namespace
from scigrad.fft import fft
from scigrad.linalg import eigh_tridiagonal
from scigrad.numpy.devices import place_beside
from scigrad.numpy.joining import assemble
from scigrad.special import i0
from scigrad.typing import Array

from .composition import is_plain, keep_precision, refuse_if


def get_window(
    window: str | float | tuple[Any, ...],
    Nx: int,
    fftbins: bool = True,
    *,
    xp: ModuleType | None = None,
    device: object | None = None,
) -> Array:
    """Return a window of a given name and length.

    See `scipy.signal.get_window`.

    Parameters
    ----------
    window : str, float or tuple
        Name, ``(name, parameter, ...)``, or the `beta` of a Kaiser window; names as in SciPy.
    Nx : int
        Number of samples.
    fftbins : bool, optional
        Whether the window is periodic, for spectra, or symmetric, for the design of filters.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain parameters.

    Returns
    -------
    (Nx,) ndarray
        Window, in single precision if all parameters given as arrays are.

    Raises
    ------
    ValueError
        If the name is unknown or the window does not take such parameters.
    MissingRule
        If an array is a parameter of a window that does not vary with it.

    Notes
    -----
    Differentiable in the parameters of kaiser (at beta = 0 too, to every order),
    kaiser_bessel_derived, gaussian, general_gaussian, general_hamming, general_cosine, exponential,
    tukey, taylor (in sll), chebwin and dpss. At the ends of its flat part tukey has only one
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     round(
    ...         float(
    ...             grad(lambda std: np.sum(signal.get_window(("gaussian", std), 9)))(np.array(2.0))
    ...         ),
    ...         6,
    ...     )
    ... )
    2.064236
    """
    if is_plain(window):
        return keep_precision(
            kernel("signal.get_window")(window, Nx, fftbins=fftbins, xp=xp, device=device), window
        )
    if not isinstance(window, tuple):
        window = ("kaiser", window)
    name, *parameters = window
    symmetric = not fftbins
    for suffix, meaning in (("_symmetric", True), ("_periodic", False)):
        if name.endswith(suffix):
            name, symmetric = name.removesuffix(suffix), meaning
    # SciPy's function, with plain parameters, checks the name, the number of parameters, Nx and
    # fftbins.
    kernel("signal.get_window")(
        (name, *(p if is_plain(p) else _PLAIN.get(name, 1.0) for p in parameters)), Nx, fftbins
    )
    return shaped(name, Nx, symmetric, *parameters)


def shaped(name: str, count: int, symmetric: bool, *parameters: Any) -> Any:
    """Return the window of that name with `count` samples, and parameters that are traced or on a
    device.
    """
    if name not in _SHAPES:
        raise MissingRule(
            f"get_window: '{name}' has no derivative in its parameters. Pass "
            "stop_gradient(parameter)."
        )
    refuse_if(count != int(count) or count < 0, "Window length M must be a non-negative integer")
    if count < 2:
        return (
            positions(parameters, count) * 0
            + 1
            + sum(np.sum(p) * 0 for p in parameters if isinstance(p, Traced))
        )
    length = count if symmetric else count + 1
    wide = [
        p.astype(np.float64) if getattr(p, "dtype", None) == np.float16 else p for p in parameters
    ]
    return _SHAPES[name](positions(wide, length), length, *wide)[:count]


def window_beside(window: Any, count: int, like: Any, fftbins: bool = True) -> Any:
    """Return a window on the device and in the precision of an array; one with traced parameters as
    it is.
    """
    values = get_window(window, count, fftbins)
    return place_beside(values, like) if type(values) is np.ndarray else values


def positions(parameters: Any, length: int) -> Any:
    """Return 0, 1, ... on the device of the parameters, in their common dtype."""
    spaces = [space(p) for p in parameters if hasattr(p, "dtype")]
    dtype = np.float32 if all(s.dtype == np.float32 for s in spaces) else np.float64
    return namespace(spaces[0].library).arange(length, dtype=dtype)


# -- the shapes: n = 0, ..., length - 1


def kaiser(n: Any, length: int, beta: Any) -> Any:
    # In the precision of n, and symmetric to the last digit.
    return i0(beta * np.sqrt(1 - ((2 * n - length + 1) / (length - 1)) ** 2)) / i0(
        beta * np.ones_like(n[:1])
    )


def kaiser_bessel_derived(n: Any, length: int, beta: Any) -> Any:
    refuse_if(
        length % 2, "Kaiser-Bessel Derived windows are only defined for even number of points"
    )
    total = np.cumsum(kaiser(n[: length // 2 + 1], length // 2 + 1, beta))
    half = np.sqrt(total[:-1] / total[-1])
    return np.concatenate([half, half[::-1]])


def gaussian(n: Any, length: int, std: Any) -> Any:
    return np.exp(-(((n - (length - 1) / 2) / std) ** 2) / 2)


def general_gaussian(n: Any, length: int, p: Any, sig: Any) -> Any:
    distance = abs(n - (length - 1) / 2)
    power = (np.where(distance == 0, 1, distance) / abs(sig)) ** (2 * p)
    return np.where(distance == 0, 1, np.exp(-power / 2))


def general_hamming(n: Any, length: int, alpha: Any) -> Any:
    return alpha - (1 - alpha) * np.cos(2 * np.pi * n / (length - 1))


def general_cosine(n: Any, length: int, a: Any) -> Any:
    a = assemble(a)
    order = namespace(space(a).library).arange(a.shape[0], dtype=n.dtype)
    return np.cos((2 * n / (length - 1) - 1)[:, None] * np.pi * order) @ a


def exponential(n: Any, length: int, center: Any = None, tau: Any = 1.0) -> Any:
    return np.exp(-abs(n - ((length - 1) / 2 if center is None else center)) / tau)


def tukey(n: Any, length: int, alpha: Any = 0.5) -> Any:
    """Return half a period of a cosine along alpha/2 of the length at each end, and 1 between."""
    from_end = np.minimum(n, length - 1 - n) * 2 / (length - 1)
    ratio = np.minimum(from_end / np.where(alpha <= 0, 1, np.minimum(alpha, 1)), 1)
    return np.where(alpha <= 0, 1, (1 - np.cos(np.pi * ratio)) / 2)


def taylor(n: Any, length: int, nbar: int = 4, sll: Any = 30, norm: bool = True) -> Any:
    a2 = (np.arccosh(10 ** (sll / 20)) / np.pi) ** 2
    s2 = nbar**2 / (a2 + (nbar - 0.5) ** 2)

    def coefficient(m: int) -> Any:
        zeros = (1 - m**2 / s2 / (a2 + (k - 0.5) ** 2) for k in range(1, nbar))
        others = math.prod(1 - m**2 / k**2 for k in range(1, nbar) if k != m)
        return (-1) ** (m + 1) * reduce(operator.mul, zeros) / (2 * others)

    def shape(x: Any) -> Any:
        return 1 + 2 * sum(
            coefficient(m) * np.cos(2 * np.pi * m * (x - length / 2 + 0.5) / length)
            for m in range(1, nbar)
        )

    return shape(n) / shape(n[:1] * 0 + (length - 1) / 2) if norm else shape(n)


def chebwin(n: Any, length: int, at: Any) -> Any:
    """Return the Fourier transform of a Chebyshev polynomial, which is cosh(order arccosh x)
    outside -1 <= x <= 1.
    """
    order = length - 1
    x = np.cosh(np.arccosh(10 ** (abs(at) / 20)) / order) * np.cos(np.pi * n / length)
    outside = abs(x) > 1
    far, near = np.where(outside, abs(x), 2), np.where(outside, 0, x)
    sign = np.where(n > length / 2, (-1) ** order, 1).astype(n.dtype)
    p = np.where(outside, sign * np.cosh(order * np.arccosh(far)), np.cos(order * np.arccos(near)))
    middle = length // 2
    w = np.real(fft(p if length % 2 else p * np.exp(1j * np.pi / length * n)))[
        1 - length % 2 : middle + 1
    ]
    w = np.concatenate([w[length % 2 :][::-1], w])
    return w / np.max(w)


def dpss(n: Any, length: int, NW: Any, Kmax: int = 1, norm: Any = "approximate") -> Any:
    """Return the eigenvectors of a tridiagonal matrix (doi 10.1002/j.1538-7305.1978.tb02104.x,
    section 2.6).
    """
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


def concentrations(windows: Any, NW: Any) -> Any:
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


_SHAPES = {
    alias: shape
    for shape, aliases in {
        kaiser: "kaiser ksr",
        kaiser_bessel_derived: "kaiser_bessel_derived kbd",
        gaussian: "gaussian gauss gss",
        general_gaussian: "general_gaussian general_gauss ggs",
        general_hamming: "general_hamming",
        general_cosine: "general_cosine",
        exponential: "exponential poisson",
        tukey: "tukey tuk",
        taylor: "taylor taylorwin",
        chebwin: "chebwin cheb",
        (lambda n, length, NW: dpss(n, length, NW)[0]): "dpss",
    }.items()
    for alias in aliases.split()
}
_SHAPES |= {alias.replace("_", " "): shape for alias, shape in _SHAPES.items()}
_PLAIN: dict[str, Any] = {
    "chebwin": 50.0,
    "cheb": 50.0,
    "general_cosine": np.ones(1),
    "general cosine": np.ones(1),
}

__all__ = ["get_window"]
