"""Text that the functions of this room share: arguments described by their names, options of a ufunc, rows of tables."""

from __future__ import annotations

from typing import Any


def arguments(*args: Any, **options: Any) -> None:
    """Describe every argument by its name; functions take from here what their signature has.

    Parameters
    ----------
    x, y, t, u, phi, theta : array_like
        Real argument.
    z, w : array_like
        Real or complex argument.
    a, b, c, p, q, r, s, h, g : array_like
        Parameter.
    alpha, beta, lmbda : array_like
        Parameter.
    m : array_like
        Parameter.
    v : array_like
        Order.
    n, k : array_like of ints
        Degree or order.
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


def ufunc_options() -> None:
    """Notes of the functions that are ufuncs in SciPy.

    Notes
    -----
    This is `scipy.special.{name}`, with its options on plain arrays.
    """


def row(summary: str, formula: str, at: tuple[Any, ...], shown: str, argnum: int = 0) -> str:
    """Return the docstring of a function that is a row of a table: what is not said here comes from `arguments`.

    Parameters
    ----------
    summary : str
        One sentence in the imperative.
    formula : str
        Definition, with its number in the DLMF.
    at : tuple
        Arguments of the example.
    shown : str
        Value and derivative there, rounded to nine digits, as `print` shows them.
    argnum : int, optional
        Argument that the example differentiates with respect to.

    Returns
    -------
    str
        Docstring, in which ``{name}`` stands for the name of the function.
    """
    point, position = ", ".join(map(repr, at)), f", {argnum}" if argnum else ""
    return (
        f"{summary}\n\n{formula}\n\nExamples\n--------\n>>> from scigrad import grad, special\n"
        f">>> print(special.{{name}}({point}).round(9), grad(special.{{name}}{position})({point}).round(9))\n{shown}\n"
    )


__all__ = ["arguments", "row", "ufunc_options"]
