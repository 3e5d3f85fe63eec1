"""Spheroidal wave functions and their characteristic values (DLMF chapter 30).

The second derivative in x comes from the differential equation; c is differentiated numerically.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import stop_gradient

from .numerical_partial import numerical_partial, solutions
from .ufuncs import corrected, guarded, row


def _safe(m: Any, n: Any, c: Any) -> Any:
    """Return whether SciPy's functions stay within their tables of coefficients."""
    return (m + n + 2 * c <= 200) & (c >= -10)


_TEXT = """Compute the {summary}.

Of order m and degree n >= m, which are integers; nan where ``m + n + 2 c > 200`` or ``c < -10``.
{given}

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
    {coordinate}.

At {point}: {value}, derivative {slope} in {argument}.
"""


_NUMERICAL = "c is differentiated numerically."
_DOUBT = (
    " Nan where the values of SciPy contradict the Wronskian with the first kind, as they "
    "do for small c x."
)


def _named(function: Any, name: str, **text: Any) -> Any:
    function.__name__, function.__doc__ = name, _TEXT.format(**text)
    return function


def _characteristic(name: str, shape: str, **text: Any) -> Any:
    def f(m, n, c):
        """Return nothing: the values are the library's."""
        ...

    text |= {
        "summary": f"characteristic value of {shape} spheroidal wave functions",
        "given": _NUMERICAL,
    }
    text |= {"argument": "c", "coordinate": ""}
    _named(f, name, point="1, 2, 1.4", **text)

    def partial(m: Any, n: Any, c: Any, out: Any) -> Any:
        # even in c; SciPy's values at c < 0 are others, and no nodes beside them
        side = np.where(stop_gradient(c) < 0, -1, 1)
        return numerical_partial(lambda m, n, c: declared(m, n, side * np.abs(c)), 2, m, n, c)

    declared = row(None, None, partial, instead=guarded(name, _safe))(f)
    return declared


pro_cv = _characteristic("pro_cv", "prolate", value=6.825183428, slope=1.157845049)
obl_cv = _characteristic("obl_cv", "oblate", value=5.144966656, slope=-1.243082718)


# (1 - x^2) y'' = 2 x y' - (cv - s c^2 x^2 - m^2/(1 - x^2)) y with s = 1 for prolate functions and
# -1 for oblate ones (DLMF 30.2.1); oblate radial functions take i x there.


def _second(sign: int, radial: bool) -> Any:
    def angular(m: Any, c: Any, cv: Any, x: Any, out: Any) -> Any:
        w = 1 - x * x
        return (2 * x * out[1] - (cv - sign * (c * x) ** 2 - m * m / w) * out[0]) / w

    def of_radius(m: Any, c: Any, cv: Any, x: Any, out: Any) -> Any:
        w = x * x - sign
        return (-2 * x * out[1] + (cv - (c * x) ** 2 + sign * m * m / w) * out[0]) / w

    return of_radius if radial else angular


def _kernel(name: str, sign: int) -> Any:
    """Return the kernel with nan for functions of the second kind that have not the Wronskian of
    theirs (DLMF 30.11).
    """
    kernels = guarded(name, _safe)
    if "rad2" not in name:
        return kernels
    values, first = (guarded(of, _safe)["numpy"] for of in (name, name.replace("rad2", "rad1")))

    def wrong(*args: Any) -> Any:
        """The Wronskian of both kinds is not that of the differential equation, to 1e-6."""
        (f, slope), (g, other), x = first(*args), values(*args), args[-1]
        with np.errstate(all="ignore"):
            return ~(np.abs((f * other - slope * g) * args[2] * (x * x - sign) - 1) < 1e-6)

    return kernels | corrected(values, wrong, lambda *args: (np.nan, np.nan))


def _coordinate(kind: str, sign: int) -> str:
    """Describe the argument x."""
    if "radial" not in kind:
        return "Angular coordinate, -1 < x < 1"
    return "Radial coordinate, larger than 1" if sign == 1 else "Radial coordinate, at least 0"


def _twins(name: str, kind: str, c: float, x: float, cv: float, **text: Any) -> tuple[Any, Any]:
    """Declare a function and the one that takes the characteristic value as well, with an example
    at c, x and cv.
    """

    def f(m, n, c, x):
        """Return nothing: the values are the library's."""
        ...

    def f_cv(m, n, c, cv, x):
        """Return nothing: the values are the library's."""
        ...

    shape, sign, of = ("prolate", 1, pro_cv) if name.startswith("pro") else ("oblate", -1, obl_cv)
    second, text["argument"] = _second(sign, "radial" in kind), "x"
    text["coordinate"] = _coordinate(kind, sign)
    summary = f"{shape} spheroidal {kind}"
    doubt = _DOUBT if "rad2" in name else ""
    _named(
        f,
        name,
        summary=f"{summary} and its derivative",
        given=_NUMERICAL + doubt,
        point=f"1, 2, {c}, {x}, output 0",
        **text,
    )
    given = (
        f"cv is ``{of.__name__}(m, n, c)``, held constant: only x is differentiated; "
        f"`{name}` has a derivative in c too."
    )
    text |= {"point": f"1, 2, {c}, {cv}, {x}, output 0", "given": given + doubt}
    _named(f_cv, f"{name}_cv", summary=f"{summary} for a given characteristic value", **text)
    first = lambda *args: args[-1][1]  # noqa: E731
    slope, slope_cv = (
        lambda m, n, c, x, out: second(m, c, of(m, n, c), x, out),
        lambda m, n, *args: second(m, *args),
    )
    plain = solutions(
        2, first, slope, scale=lambda x: 1 / np.maximum(np.abs(x), 1), instead=_kernel(name, sign)
    )
    of_value = row(
        *((*[None] * 4, partial) for partial in (first, slope_cv)),
        instead=_kernel(f"{name}_cv", sign),
    )
    return plain(f), of_value(f_cv)


_FIRST, _SECOND = "radial function of the first kind", "radial function of the second kind"

pro_ang1, pro_ang1_cv = _twins(
    "pro_ang1",
    "angular function of the first kind",
    1.4,
    0.3,
    6.82518342811,
    value=0.847969767,
    slope=2.476853387,
)
obl_ang1, obl_ang1_cv = _twins(
    "obl_ang1",
    "angular function of the first kind",
    1.4,
    0.3,
    5.14496665624,
    value=0.869611266,
    slope=2.686158142,
)
pro_rad1, pro_rad1_cv = _twins(
    "pro_rad1", _FIRST, 3.0, 3.0, 9.5559983984, value=-0.045204286, slope=0.343013499
)
obl_rad1, obl_rad1_cv = _twins(
    "obl_rad1", _FIRST, 3.0, 5.0, 1.8215414358, value=-0.02276338, slope=0.186466632
)
pro_rad2, pro_rad2_cv = _twins(
    "pro_rad2", _SECOND, 3.0, 3.0, 9.5559983984, value=-0.109078731, slope=-0.094043945
)
obl_rad2, obl_rad2_cv = _twins(
    "obl_rad2", _SECOND, 3.0, 5.0, 1.8215414358, value=-0.062104957, slope=-0.054473924
)

__all__ = [
    "obl_ang1", "obl_ang1_cv", "obl_cv", "obl_rad1", "obl_rad1_cv", "obl_rad2", "obl_rad2_cv",
    "pro_ang1", "pro_ang1_cv", "pro_cv", "pro_rad1", "pro_rad1_cv", "pro_rad2", "pro_rad2_cv",
]  # fmt: skip
