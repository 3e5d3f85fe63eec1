"""No derivative passes through an element that the program leaves out, whatever the rules of the
calls before it say there.

The truth is the derivative of the same program on the other elements alone.
"""

import numpy as np
import pytest

from scigrad import (
    checkpoint,
    custom_rule,
    grad,
    hessian,
    jacrev,
    jvp,
    linearize,
    signal,
    special,
    vjp,
    vmap,
)
from scigrad import numpy as sp
from scigrad.testing import assert_close, device, make_array

# values at singular points warn
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

# name -> function, a point where its derivative is infinite or NaN, and points where it is not
REGULAR = np.array([0.3, 0.45, 0.7])
FUNCTIONS = {
    "sqrt": (np.sqrt, 0.0),
    "cbrt": (np.cbrt, 0.0),
    "log": (np.log, 0.0),
    "log2": (np.log2, 0.0),
    "log10": (np.log10, 0.0),
    "log1p": (np.log1p, -1.0),
    "reciprocal": (np.reciprocal, 0.0),
    "quotient": (lambda x: 2 / x, 0.0),
    "root": (lambda x: x**0.5, 0.0),
    "negative power": (lambda x: x**-1.5, 0.0),
    "power of itself": (lambda x: x**x, 0.0),
    "arcsin": (np.arcsin, 1.0),
    "arccos": (np.arccos, -1.0),
    "arctanh": (np.arctanh, 1.0),
    "exp": (np.exp, 1e4),
    "arccosh": (lambda x: np.arccosh(1 + x), 0.0),
    "sinh": (np.sinh, -1e4),
    "log of a negative number": (np.log, -1.0),
    "root of NaN": (np.sqrt, np.nan),
    "product with infinity": (lambda x: x * x, np.inf),
    "abs": (lambda x: abs(1 / x), 0.0),
    "square of abs": (lambda x: np.abs(np.log(x)) ** 2, 0.0),
    "hypot": (lambda x: np.hypot(1 / x, 1.0), 0.0),
    "composition": (lambda x: np.exp(-np.sqrt(np.log(1 / x)) * np.cos(x)), 0.0),
    "arctan2": (lambda x: np.arctan2(1 / x, x), 0.0),
    "gammaln": (special.gammaln, 0.0),
    "gamma": (special.gamma, -1.0),
    "psi": (special.psi, 0.0),
    "expi": (special.expi, 0.0),
    "exp1": (special.exp1, 0.0),
    "k0": (special.k0, 0.0),
    "y1": (special.y1, 0.0),
    "ellipk": (special.ellipk, 1.0),
    "ellipe": (special.ellipe, 1.0),
    "erfinv": (special.erfinv, 1.0),
    "ndtri": (special.ndtri, 0.0),
    "logit": (special.logit, 0.0),
    "spence": (special.spence, 0.0),
    "entr": (special.entr, 0.0),
    "xlogy": (lambda x: special.xlogy(x, x), 0.0),
    "sici": (lambda x: special.sici(x)[1], 0.0),
    "fresnel": (lambda x: special.fresnel(x)[0], np.inf),
}
KEEP = np.array([True, False, True, True])
PLACES = np.flatnonzero(KEEP)


def assigned(f, x):
    y = f(x) + 0 * x
    y[~KEEP] = 0.0
    return y[[0, 2, 3]]


# Every one returns the elements of f(x) at PLACES.
SELECTIONS = {
    "where": lambda f, x: np.where(KEEP, f(x), 0.0)[PLACES],
    "nested where": lambda f, x: np.where(KEEP, np.where(KEEP, f(x), x), np.where(KEEP, f(x), 1.0))[
        PLACES
    ],
    "mask": lambda f, x: f(x)[KEEP],
    "positions": lambda f, x: f(x)[PLACES],
    "elements": lambda f, x: np.stack([f(x)[i] for i in PLACES]),
    "slices": lambda f, x: np.concatenate([f(x)[:1], f(x)[2:]]),
    "reshaped": lambda f, x: f(x.reshape(2, 2)).T.ravel()[[0, 1, 3]],
    "take": lambda f, x: np.take(f(x), PLACES),
    "take_along_axis": lambda f, x: np.take_along_axis(f(x), PLACES, 0),
    "compress": lambda f, x: np.compress(KEEP, f(x)),
    "delete": lambda f, x: np.delete(f(x), 1),
    "select": lambda f, x: np.select([KEEP], [f(x)], 0.0)[PLACES],
    "choose": lambda f, x: np.choose(KEEP * 1, [0.0 * np.ones(4), f(x)])[PLACES],
    "split": lambda f, x: np.concatenate([np.split(f(x), 4)[i] for i in PLACES]),
    "diagonal": lambda f, x: np.concatenate(
        [np.diag(f(x.reshape(2, 2))), f(x.reshape(2, 2))[1:, 0]]
    )[[0, 2, 1]],
    "tril": lambda f, x: np.tril(f(x.reshape(2, 2))).ravel()[PLACES],
    "assignment": assigned,
    "roll": lambda f, x: np.roll(f(x), 2)[[2, 0, 1]],
    "sum": lambda f, x: np.sum(f(x) * np.ones((3, 1)), axis=0, where=KEEP)[PLACES] / 3,
    "product of matrices": lambda f, x: (np.ones((1, 1)) @ f(x).reshape(1, 4))[0, PLACES],
    "einsum": lambda f, x: np.einsum("i,i->i", f(x), np.ones(4))[PLACES],
    "checkpoint": lambda f, x: checkpoint(lambda x: np.where(KEEP, checkpoint(f)(x), 0.0))(x)[
        PLACES
    ],
    "vmap": lambda f, x: vmap(lambda t, keep: np.where(keep, f(t), 0.0))(x, KEEP)[PLACES],
}


def with_singular(x):
    return np.insert(REGULAR, 1, x)


USUAL = ("where", "mask", "elements", "assignment", "checkpoint", "vmap")
PAIRS = [
    (n, s)
    for n in FUNCTIONS
    for s in SELECTIONS
    if s in USUAL or n in ("sqrt", "log of a negative number", "composition")
]


@pytest.mark.parametrize(("name", "selection"), PAIRS)
def test_both_modes_are_those_of_the_other_elements(name, selection):
    function, singular = FUNCTIONS[name]
    x, select, g = with_singular(singular), SELECTIONS[selection], np.array([1.0, -2.0, 0.5])
    tangent = np.array([1.0, 3.0, -1.0, 2.0])
    out, pulled = vjp(lambda x: select(function, x), x)
    expected, pulled_alone = vjp(function, x[PLACES])
    assert_close(out, expected)
    assert_close(pulled(g)[0], np.insert(pulled_alone(g)[0], 1, 0.0))
    assert_close(
        jvp(lambda x: select(function, x), (x,), (tangent,))[1],
        jvp(function, (x[PLACES],), (tangent[PLACES],))[1],
    )
    assert_close(
        linearize(lambda x: select(function, x), x)[1](tangent),
        jvp(function, (x[PLACES],), (tangent[PLACES],))[1],
    )


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("selection", ["where", "mask", "vmap"])
def test_second_order(name, selection):
    function, singular = FUNCTIONS[name]
    x, select = with_singular(singular), SELECTIONS[selection]
    found = hessian(lambda x: np.sum(np.sin(select(function, x))))(x)
    expected = hessian(lambda x: np.sum(np.sin(function(x))))(x[PLACES])
    assert_close(found, np.insert(np.insert(expected, 1, 0.0, axis=0), 1, 0.0, axis=1))


# -- selections by value


X = np.array([0.0, 1.0, 4.0])
EXTREMES = {
    "clip": (lambda x: np.sum(np.clip(np.sqrt(x), 0.5, 9.0)), [0, 0.5, 0.25]),
    "maximum": (lambda x: np.sum(np.maximum(np.log(x), -0.5)), [0, 1, 0.25]),
    "fmax": (lambda x: np.sum(np.fmax(np.log(-x + 2), 0.1)), [-0.5, 0, 0]),
    "minimum": (lambda x: np.sum(np.minimum(1 / x, 2.0)), [0, -1, -1 / 16]),
    "max": (lambda x: np.max(np.sqrt(x)), [0, 0, 0.25]),
    "min along an axis": (lambda x: np.sum(np.min(np.stack([1 / x, x]), axis=0)), [1, 0, -1 / 16]),
    "sort": (lambda x: np.sum(np.sort(np.sqrt(x))[1:]), [0, 0.5, 0.25]),
    "median": (lambda x: np.median(np.sqrt(x)), [0, 0.5, 0]),
    "nan_to_num": (lambda x: np.sum(np.nan_to_num(1 / x, posinf=0.0)), [0, -1, -1 / 16]),
    "nansum": (lambda x: np.nansum(np.log(x - 0.5)), [0, 2, 2 / 7]),
    "nanmean": (
        lambda x: np.nanmean(np.sqrt(x - 0.5)) * 2,
        [0, 0.5 / np.sqrt(0.5), 0.5 / np.sqrt(3.5)],
    ),
    "nanmax": (lambda x: np.nanmax(np.arccosh(x + 0.5)), [0, 0, 1 / np.sqrt(4.5**2 - 1)]),
    "masked maximum": (lambda x: np.max(np.log(x), initial=-9.0, where=x > 0), [0, 0, 0.25]),
    "cumprod": (lambda x: np.cumprod(np.log(x)[1:])[0] + np.log(x)[2], [0, 1, 0.25]),
    "running product": (lambda x: np.sum(np.cumprod(np.sqrt(x)[::-1])[:2]), [0, 1, 0.5]),
    "filter": (
        lambda x: signal.lfilter([1.0, 2.0], [1.0, 0.5], np.sqrt(x)[::-1])[1],
        [0, 0.5, 0.375],
    ),
    "finite filter": (
        lambda x: signal.lfilter([1.0, 2.0], [1.0], np.sqrt(x)[::-1])[1],
        [0, 0.5, 0.5],
    ),
    "sections": (
        lambda x: signal.sosfilt([[1.0, 2, 0, 1, 0.5, 0]], np.sqrt(x)[::-1])[1],
        [0, 0.5, 0.375],
    ),
    "rows of a product": (
        lambda x: np.sum((np.diag(np.log(x)) + 1)[1:] @ np.ones(3)),
        [0, 1, 0.25],
    ),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_selections_by_value(name):
    f, expected = EXTREMES[name]
    expected = np.array(expected)
    assert_close(grad(f)(X), expected)
    assert_close(
        jvp(f, (X,), (np.array([1.0, 2.0, 3.0]),))[1], expected @ np.array([1.0, 2.0, 3.0])
    )


def test_the_middle_of_a_product_that_overflows():
    b = np.array([[1.0, np.inf], [2.0, 3.0]])
    for f in (
        lambda a: (a @ b)[:, 0],
        lambda a: sp.einsum("ij,jk->ik", a, b)[:, 0],
        lambda a: (b.T @ a.T)[0],
    ):
        assert_close(
            vjp(f, np.ones((2, 2)))[1](np.array([1.0, 3.0]))[0], np.array([[1.0, 2.0], [3.0, 6.0]])
        )
        assert_close(jvp(f, (np.ones((2, 2)),), (np.ones((2, 2)),))[1], np.array([3.0, 3.0]))


# -- constants among what varies: the same in forward mode


@pytest.mark.parametrize(
    "put",
    [
        lambda x: np.where(KEEP, x, 0.0),
        lambda x: np.concatenate([x[:1], np.zeros(1), x[2:]]),
        lambda x: np.stack([x[0], 0.0, x[2], x[3]]),
        lambda x: np.pad(x[:1], (0, 3)) + np.pad(x[2:], (2, 0)),
        lambda x: np.diag(x)[0] * [1.0, 0, 0, 0] + np.where(KEEP, x, 0.0) * [0.0, 0, 1, 1],
        lambda x: np.maximum(np.where(KEEP, x, -1.0), 0.0),
        lambda x: sp.set_at(x, 1, 0.0),
    ],
)
@pytest.mark.parametrize(
    "f", [np.sqrt, lambda x: np.log(np.sqrt(x)), lambda x: x**0.3, special.gammaln, special.k0]
)
def test_constants_at_singular_points(put, f):
    x, tangent = np.insert(REGULAR, 1, 0.2), np.array([1.0, 3.0, -1.0, 2.0])
    assert_close(put(x), np.where(KEEP, x, 0.0))
    slope = np.insert(vjp(f, REGULAR)[1](np.ones(3))[0], 1, 0.0)
    assert_close(jvp(lambda x: f(put(x)), (x,), (tangent,))[1], slope * tangent)
    assert_close(linearize(lambda x: f(put(x)), x)[1](tangent), slope * tangent)
    assert_close(vjp(lambda x: f(put(x)), x)[1](np.ones(4))[0], slope)
    second = vjp(grad(lambda x: np.sum(f(x))), REGULAR)[1](np.ones(3))[0]
    assert_close(hessian(lambda x: np.sum(f(put(x))))(x), np.diag(np.insert(second, 1, 0.0)))


# -- a zero that is computed is no absent element


def test_computed_zeros_remain():
    def slope(x):
        return special.logsumexp(np.stack([np.log(x), 0.0 * x]))

    assert grad(slope)(0.0) != 0  # 1 in truth: 0 times infinity is not 0
    assert np.isnan(grad(lambda x: np.sqrt(x) * 0.0)(0.0))
    # the value of log(x) * (x > 0) is NaN as well
    assert np.isnan(grad(lambda x: np.sum(np.sqrt(x) * (x > 0)))(X)[0])
    assert np.isinf(grad(lambda x: np.sum(np.where(x >= 0, np.sqrt(x), 0.0)))(X)[0])
    assert np.isinf(
        jvp(lambda x: np.sum(np.where(x >= 0, np.sqrt(x), 0.0)), (X,), (np.ones(3),))[1]
    )


# -- nested transforms


def branch(x):
    return np.where(x > 0, np.sqrt(x), 0.0)


def test_nested_transforms():
    first, second = np.array([0, 0.5, 0.25]), np.array([0, -0.25, -1 / 32])
    assert_close(vmap(grad(branch))(X), first)
    assert_close(grad(lambda x: np.sum(vmap(branch)(x)))(X), first)
    assert_close(grad(lambda x: np.sum(vmap(grad(branch))(x)))(X), second)
    assert_close(vmap(grad(grad(branch)))(X), second)
    assert_close(jvp(grad(lambda x: np.sum(branch(x))), (X,), (np.ones(3),))[1], second)
    assert_close(grad(lambda x: np.sum(jvp(branch, (x,), (np.ones(3),))[1]))(X), second)
    assert_close(jacrev(branch)(X), np.diag(first))
    assert_close(hessian(lambda x: np.sum(branch(x) ** 3))(X), np.diag([0, 0.75, 0.375]))
    assert_close(vmap(grad(grad(grad(branch))))(X), np.array([0, 3 / 8, 3 / 256]))
    for inner in (checkpoint(np.sqrt), checkpoint(lambda x: checkpoint(np.sqrt)(x) * 1.0)):
        f = checkpoint(lambda x, inner=inner: np.where(x > 0, inner(x), 0.0))
        assert_close(vmap(grad(f))(X), first)
        assert_close(vmap(grad(grad(f)))(X), second)
        assert_close(grad(lambda x, f=f: np.sum(vmap(f)(x)))(X), first)


def test_rules_of_users():
    root = custom_rule(
        np.sqrt,
        jvp=lambda args, out, t: t[0] / (2 * out),
        vjp=lambda args, out, g: (g / (2 * out),),
    )
    # each element by itself: the rule does not declare that elements are independent
    for t, slope in zip(X, [0, 0.5, 0.25], strict=True):
        assert_close(grad(lambda t: np.where(t > 0, root(t), 0.0))(t), slope)
    assert_close(vmap(grad(lambda t: np.where(t > 0, root(t), 0.0)))(X), np.array([0, 0.5, 0.25]))
    assert_close(
        grad(lambda x: np.sum(vmap(lambda t: np.where(t > 0, root(t), 0.0))(x)))(X),
        np.array([0, 0.5, 0.25]),
    )


def test_a_long_loop_of_rearrangements():
    def f(x):
        y = np.sqrt(x)
        for _ in range(3000):
            y = y[::-1]
        return np.sum(y[1:])

    assert_close(grad(f)(X), np.array([0, 0.5, 0.25]))
    assert_close(jvp(f, (X,), (np.ones(3),))[1], 0.75)


# -- a device, on which nobody looks


@pytest.mark.parametrize("name", ["sqrt", "log", "reciprocal", "composition"])
@pytest.mark.parametrize("selection", ["where", "mask", "elements"])
def test_on_a_device(name, selection):
    function, singular = FUNCTIONS[name]
    x, select = with_singular(singular), SELECTIONS[selection]
    expected = grad(lambda x: np.sum(select(function, x)))(x)
    before = device.sync_count
    g, keep, places = (
        make_array(x, "device"),
        make_array(KEEP, "device"),
        make_array(PLACES, "device"),
    )
    chosen = {
        "where": lambda x: np.where(keep, function(x), 0.0),
        "mask": lambda x: function(x)[places],
        "elements": function,
    }
    take = chosen[selection]
    found = grad(
        lambda x: np.sum(
            np.stack([take(x)[i] for i in PLACES]) if selection == "elements" else take(x)
        )
    )(g)
    assert device.sync_count == before
    assert_close(found, expected)
