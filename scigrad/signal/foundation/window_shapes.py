"""get_window, and the declaration of a window that is differentiable in its parameters: the
formulas are in windows.py.
"""

import functools
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import MissingRule, Traced, kernel, space
from scigrad.autodiff_rules.backends import namespace
from scigrad.autodiff_rules.containers import flatten
from scigrad.numpy.devices import constant_beside
from scigrad.typing import Array, Documented

from .composition import is_plain, own_function, refuse_if

# The windows by their names, those of SciPy's get_window; `window` fills it.
_windows: dict[str, Callable[..., Any]] = {}
_NOT_OF_THE_SHAPE = ("M", "sym", "xp", "device")


@own_function()
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
        return kernel("signal.get_window")(window, Nx, fftbins=fftbins, xp=xp, device=device)
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
    if name not in _windows:
        raise MissingRule(
            f"get_window: '{name}' has no derivative in its parameters. Pass "
            "stop_gradient(parameter)."
        )
    return _windows[name](Nx, *parameters, sym=symmetric)


def window(aliases: str = "") -> Callable[[Documented], Documented]:
    """Declare a window that `get_window` knows by its name and these aliases.

    The body of the function is the symmetric window, for parameters that are traced or on a device;
    a periodic one is cropped. For plain parameters SciPy's function is called.
    """

    def declare(shape: Any) -> Any:
        name, signature = shape.__name__, inspect.signature(shape)

        @functools.wraps(shape)
        def either(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            parameters = {n: v for n, v in given.arguments.items() if n not in _NOT_OF_THE_SHAPE}
            if is_plain(parameters):
                return kernel(f"signal.windows.{name}")(*args, **kwargs)
            return _cropped(shape, given.arguments["M"], given.arguments["sym"], parameters)

        declared = own_function()(either)
        for alias in [name, *aliases.split()]:
            _windows[alias] = _windows[alias.replace("_", " ")] = declared
        return declared

    return declare


def _cropped(shape: Any, count: Any, symmetric: bool, parameters: dict[str, Any]) -> Any:
    refuse_if(count != int(count) or count < 0, "Window length M must be a non-negative integer")
    if count < 2:
        given = flatten(parameters)[0]
        return (
            positions(count, *given) * 0
            + 1
            + sum(np.sum(p) * 0 for p in given if isinstance(p, Traced))
        )
    wide = {
        name: p.astype(np.float64) if hasattr(p, "dtype") and p.dtype.char not in "fdFD" else p
        for name, p in parameters.items()
    }
    out = shape(count + (not symmetric), **wide)
    return (out[0][..., :count], *out[1:]) if isinstance(out, tuple) else out[..., :count]


def window_beside(window: Any, count: int, like: Any, fftbins: bool = True) -> Any:
    """Return a window on the device and in the precision of an array; one with traced parameters as
    it is.
    """
    values = get_window(window, count, fftbins)
    return constant_beside(values, like) if type(values) is np.ndarray else values


def positions(length: int, *parameters: Any) -> Any:
    """Return 0, 1, ... on the device of the parameters, in their common dtype."""
    spaces = [space(p) for p in parameters if hasattr(p, "dtype")]
    dtype = np.float32 if all(s.dtype == np.float32 for s in spaces) else np.float64
    return namespace(spaces[0].library).arange(length, dtype=dtype)


_PLAIN: dict[str, Any] = {
    "chebwin": 50.0,
    "cheb": 50.0,
    "general_cosine": np.ones(1),
    "general cosine": np.ones(1),
}

__all__ = ["get_window"]
