"""Text that the functions of this room share: arguments described by their names, options of a
ufunc, examples in one line.
"""

import inspect
import re
from typing import Any


def arguments(*args: Any, **options: Any) -> None:
    """Describe the arguments that many functions have; these take from here what their signature
    has.

    Parameters
    ----------
    df, dfn, dfd : array_like
        Degrees of freedom.
    nc : array_like
        Noncentrality.
    std : array_like
        Standard deviation.
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
    """
    ...


def of_degree() -> None:
    """Describe the arguments of polynomials of real degree.

    Parameters
    ----------
    n : array_like
        Degree, any real number.
    x : array_like
        Points of evaluation, real or complex.
    """
    ...


def several_outputs() -> None:
    """Results of the functions with several outputs.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.
    """
    ...


def ufunc_options() -> None:
    """Notes of the functions that are ufuncs in SciPy.

    Notes
    -----
    This is `scipy.special.{name}`, with its options on plain arrays.
    """
    ...


def scipys() -> None:
    """Notes of the functions that are no ufuncs in SciPy.

    Notes
    -----
    This is `scipy.special.{name}`.
    """
    ...


_POINT = re.compile(
    r"^At (.+?)(?:, output (\d))?: (\S+), derivative (\S+?)(?: in (\w+))?\.$", re.MULTILINE
)


def with_example(function: Any) -> Any:
    """Make an example of the line "At 0.5: 0.424436384, derivative 0.575563616." of a docstring.

    Arguments are separated by commas, numbers rounded to nine digits; the derivative is in the
    first argument unless the line ends with another one, as in "At 2, 1.5: 0.232087679, derivative
    0.225398834 in x."; of several outputs one is shown, as in "At 0.5, output 0: 0.231693606,
    derivative -0.224910533.".
    """
    text = inspect.cleandoc(function.__doc__ or "")
    if found := _POINT.search(text):
        point, output, value, derivative, name = found.groups()
        names = function.__code__.co_varnames
        at = names.index(name) if name else 0
        args = [*point.split(", ")[:at], names[at], *point.split(", ")[at + 1 :]]
        f = f"lambda {names[at]}: special.{{name}}({', '.join(args)})"
        if output:
            take, at_point = f"[{output}]", point.split(", ")[at]
            shown, use = (
                f"special.{{name}}({point}){take}.round(9), grad({f}{take})({at_point}).round(9)",
                "grad",
            )
        elif "j" in value:  # grad takes real functions
            shown, use = (
                f"*(v.round(9) for v in jvp({f}, ({point.split(', ')[at]},), (1.0,)))",
                "jvp",
            )
        else:
            argnum, use = f", {at}" if at else "", "grad"
            shown = (
                f"special.{{name}}({point}).round(9), "
                f"grad(special.{{name}}{argnum})({point}).round(9)"
            )
        example = (
            f">>> from scigrad import {use}, special\n>>> print({shown})\n{value} {derivative}"
        )
        function.__doc__ = _POINT.sub(lambda _: f"Examples\n--------\n{example}", text)
    return function


__all__ = ["arguments", "scipys", "several_outputs", "ufunc_options", "with_example"]
