"""Derivatives are those of the values: not finite where these are, and of an order or count that is
rounded, those of the rounded one.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from scigrad import MissingRule, grad, jvp, special
from scigrad.autodiff_rules.partials import Elementwise

FUNCTIONS = {
    id(f): f for f in map(special.__dict__.get, special.__all__) if isinstance(f, Elementwise)
}.values()
# numbers inside and outside of domains, and beside poles
POOL = [
    -20.3, -7, -3, -2.5, -1.7, -1.4, -1, -0.5, -0.18, 0, 0.18, 0.3, 0.5, 0.7, 0.95, 1, 1.3, 1.9, 2,
    2.7, 3, 5, 9.3, 14, 24, 60.5,
]  # fmt: skip
UNROUNDED = [-1.7, -0.9, -0.5, -0.1, 0.1, 0.5, 0.9, 1.5, 2.7, 4.2]
WHOLE = {"eval_hermite", "eval_hermitenorm"}  # the first argument of which is an integer
COUNT = 60

pytestmark = pytest.mark.filterwarnings(
    "ignore:floating point number truncated",
    "ignore:non-integer arg n is deprecated",
    "ignore:abs. a second derivative",
)


def arguments(function: Elementwise, choices: Callable[[int], list[float]]) -> list[Any]:
    """Return arrays for the arguments without a default."""
    rng = np.random.default_rng(17)
    given = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    args: list[Any] = [rng.choice(choices(i), COUNT) for i in range(len(given))]
    return [args[0].astype(int), *args[1:]] if function.__name__ in WHOLE else args


def outputs(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


def along(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: jvp(f, (x,), (np.ones_like(x),))[1]


def differentiable(function: Elementwise, args: list[Any]) -> Iterator[tuple[int, Any, Any]]:
    """Yield the positions that have derivatives, the function of the argument there, and its
    tangents.
    """
    for i, x in enumerate(args):
        if x.dtype.kind == "i":
            continue
        f = lambda x, i=i: function(*args[:i], x, *args[i + 1 :])  # noqa: E731
        try:
            # SciPy's ufuncs never warn, nor do derivatives; products of complex infinities do
            with np.errstate(all="ignore" if function.__name__ == "kelvin" else "raise"):
                forward = outputs(along(f)(x))
        except MissingRule:
            continue
        yield i, f, forward


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@np.errstate(all="ignore")
def test_no_derivative_is_finite_where_the_value_is_nan(function):
    """At some poles it is infinite. Elements that have a value would take most of the time."""
    args = arguments(function, lambda i: POOL)
    undefined = np.any([np.isnan(value) for value in outputs(function(*args))], axis=0)
    args = [x[undefined] for x in args]
    for i, f, forward in differentiable(function, args) if undefined.any() else ():
        twice = outputs(along(along(f))(args[i]))
        for k, value in enumerate(outputs(function(*args))):
            reverse = grad(lambda x, k=k, f=f: np.sum(np.real(outputs(f(x))[k])))(args[i])
            for slope in (forward[k], reverse, twice[k]):
                wrong = np.isnan(value) & np.isfinite(np.broadcast_to(slope, np.shape(value)))
                where = [[float(a[j]) for a in args] for j in np.flatnonzero(wrong)[:3]]
                assert not wrong.any(), (i, k, where)


def quotients(f: Callable[[Any], Any], x: np.ndarray, step: float) -> list[np.ndarray]:
    """Return central differences of order 4 of all outputs."""
    at = [outputs(f(x + k * step)) for k in (1, -1, 2, -2)]
    return [(8 * (a - b) - (c - d)) / (12 * step) for a, b, c, d in zip(*at, strict=True)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@np.errstate(all="ignore")
def test_rounded_orders_are_rounded_in_derivatives(function):
    args = arguments(function, lambda i: POOL)
    rules = [i for i, *_ in differentiable(function, args)]
    if len(rules) == len(args) or function.__name__ in WHOLE:
        return  # no argument is rounded
    args = arguments(function, lambda i: [0.02, 0.18, 0.4, 0.7, 0.95] if i in rules else UNROUNDED)
    for i, f, slopes in differentiable(function, args):
        near, nearer = quotients(f, args[i], 1e-3), quotients(f, args[i], 3e-4)
        for value, slope, a, b in zip(outputs(f(args[i])), slopes, near, nearer, strict=True):
            size = np.abs(a) + 1e-3 * np.abs(value)
            wrong = (np.abs(a - b) < 1e-6 * size) & (np.abs(slope - a) > 1e-4 * size)
            where = [[float(v[j]) for v in args] for j in np.flatnonzero(wrong)[:3]]
            assert not wrong.any(), (i, where, slope[wrong][:3], a[wrong][:3])
