"""Transforms inside transforms: every pair, the triples of grad, jvp and vmap, and values captured
from outside.
"""

import itertools
from collections import namedtuple

import numpy as np
import pytest

import scigrad
from scigrad import grad, jvp, vjp, vmap
from scigrad.testing import assert_close

X = np.array([0.4, -0.7, 1.1])
STEP = 2.0**-7


def smooth(x):
    """A real loss that mixes its entries, so that no derivative is diagonal."""
    return np.sum(np.sin(x) * x) + x[0] * x[1] * x[2]


# Each transform as a map of functions R^3 -> R to functions R^3 -> R, so that they can be nested at
# will.
TRANSFORMS = {
    "grad": lambda f: lambda x: np.sum(grad(f)(x) * X),
    "jvp": lambda f: lambda x: jvp(f, (x,), (X,))[1],
    "vjp": lambda f: lambda x: np.sum(vjp(f, x)[1](1.0)[0] * X),
    "linearize": lambda f: lambda x: scigrad.linearize(f, x)[1](X),
    "jacfwd": lambda f: lambda x: np.sum(scigrad.jacfwd(f)(x) * X),
    "jacrev": lambda f: lambda x: np.sum(scigrad.jacrev(f)(x) * X),
    "hvp": lambda f: lambda x: np.sum(scigrad.hvp(f, (x,), (X,))[1] * X),
    "hessian": lambda f: lambda x: X @ scigrad.hessian(f)(x) @ X,
    "vmap": lambda f: lambda x: np.sum(vmap(f)(np.stack([x, 2 * x])) * np.array([1.0, 0.5])),
    "checkpoint": lambda f: lambda x: scigrad.checkpoint(f)(x),
    "value_and_grad": lambda f: lambda x: np.sum(scigrad.value_and_grad(f)(x)[1] * X),
}


def derivative(f, order):
    """The derivative of f along X by central differences of order 8, applied `order` times."""
    weights = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
    if order == 0:
        return f
    inner = derivative(f, order - 1)
    return lambda x: (
        sum(w * (inner(x + k * STEP * X) - inner(x - k * STEP * X)) for k, w in weights) / STEP
    )


ORDER = {"vmap": 0, "checkpoint": 0, "hvp": 2, "hessian": 2}


def truth(names):
    """The same nest with finite differences in place of derivatives; vmap is its own loop."""
    f = smooth
    for name in names:
        f = _looped(f) if name == "vmap" else derivative(f, ORDER.get(name, 1))
    return f


def _looped(f):
    return lambda x: f(x) + 0.5 * f(2 * x)


def nest(names):
    f = smooth
    for name in names:
        f = TRANSFORMS[name](f)
    return f


@pytest.mark.parametrize("names", list(itertools.product(TRANSFORMS, repeat=2)), ids="-".join)
def test_pairs(names):
    order = sum(ORDER.get(name, 1) for name in names)
    assert_close(nest(names)(X), truth(names)(X), 10.0 ** (-9 + 1.5 * order))


@pytest.mark.parametrize(
    "names", list(itertools.product(["grad", "jvp", "vmap"], repeat=3)), ids="-".join
)
def test_triples(names):
    order = sum(ORDER.get(name, 1) for name in names)
    assert_close(nest(names)(X), truth(names)(X), 10.0 ** (-9 + 1.5 * order))


def test_a_value_captured_from_an_outer_transform_is_not_confused_with_the_inner_one():
    # d/dx [x * d/dy (x + y)] at 1 is 1; a system that mixes up the two perturbations says 2.
    assert grad(lambda x: x * grad(lambda y: x + y)(1.0))(1.0) == 1.0
    assert jvp(lambda x: x * jvp(lambda y: x + y, (1.0,), (1.0,))[1], (1.0,), (1.0,))[1] == 1.0
    assert grad(lambda x: x * jvp(lambda y: x * y, (1.0,), (1.0,))[1])(3.0) == 6.0
    assert jvp(lambda x: x * grad(lambda y: x * y)(1.0), (3.0,), (1.0,))[1] == 6.0


def test_a_pullback_is_differentiable_in_its_cotangent():
    out, pullback = vjp(np.sin, X)
    assert_close(grad(lambda g: np.sum(pullback(g)[0]))(np.ones(3)), np.cos(X))
    assert_close(vmap(lambda g: pullback(g)[0])(np.eye(3)), np.diag(np.cos(X)))
    assert out.shape == (3,)


def test_vmap_axes_and_captured_values():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    assert_close(vmap(lambda x, y: x @ y, in_axes=(0, None))(a, b), a @ b)
    assert_close(vmap(lambda x: x @ b)(a), a @ b)
    assert_close(vmap(lambda x: x * 2, in_axes=1, out_axes=1)(a), a * 2)
    assert_close(vmap(lambda x: x * 2, in_axes=-1)(a), a.T * 2)
    assert_close(vmap(lambda x: (x, 1.0), out_axes=(1, 0))(a)[1], np.ones(2))
    assert_close(
        vmap(vmap(lambda x, y: x * y, in_axes=(None, 0)), in_axes=(0, None))(b, b), np.outer(b, b)
    )
    assert_close(vmap(lambda d: d["x"] + d["y"])({"x": a, "y": 2 * a}), 3 * a)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: vmap(np.sin)(1.0), "in_axes=0"),
        (lambda: vmap(np.add)(np.ones(2), np.ones(3)), "sizes"),
        (lambda: vmap(np.sin, in_axes=(0, 0))(np.ones(2)), "one entry for each of the 1"),
        (lambda: vmap(np.sin, in_axes=None)(np.ones(2)), "sizes"),
        (lambda: vmap(np.sin, out_axes=None)(np.ones(2)), "out_axes"),
        (lambda: vmap(np.sin, fallback="python"), "fallback"),
    ],
)
def test_vmap_refuses(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_branching_on_a_batched_value_raises_with_advice():
    with pytest.raises(scigrad.TracedValueError, match="where"):
        vmap(lambda x: x if x > 0 else -x)(X)
    assert grad(lambda x: x if x > 0 else -x)(-2.0) == -1.0


def test_a_missing_batching_rule_loops_only_when_asked():
    @scigrad.differentiable("x")
    def rowwise(x):
        return x * 2

    rowwise.jvp(lambda call, t: t.x * 2)
    rowwise.vjp(lambda call, g: {"x": g * 2})
    with pytest.raises(scigrad.MissingRule, match="loop"):
        vmap(rowwise)(X)
    assert_close(vmap(rowwise, fallback="loop")(X), 2 * X)
    assert_close(vmap(grad(rowwise), fallback="loop")(X), np.full(3, 2.0))


def test_vmap_axes_are_containers_like_what_they_describe():
    Pair = namedtuple("Pair", "a b")
    a, b = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    given = {"a": a, "b": (b, None)}
    assert_close(vmap(lambda d: d["a"] + d["b"][0], in_axes=({"a": 0, "b": None},))(given), a + b)
    assert_close(vmap(lambda p: p.a * p.b, in_axes=(Pair(0, None),))(Pair(a, b)), a * b)
    assert_close(
        vmap(lambda p: p[0]["x"] * p[1], in_axes=(({"x": 1}, 0),))(({"x": a}, b)), a.T * b[:, None]
    )
    assert_close(
        vmap(lambda x: {"a": x, "b": 2 * x}, out_axes={"a": 1, "b": 0})(a), {"a": a.T, "b": 2 * a}
    )
    assert_close(vmap(lambda x: Pair(x, 1.0), out_axes=Pair(1, None))(a), Pair(a.T, 1.0))
    assert_close(vmap(np.sin, in_axes=np.int64(1))(a), np.sin(a.T))
    for axes in ((0,), {"a": 0}, 1.5):
        with pytest.raises(ValueError, match="does not fit"):
            vmap(lambda p: p[0], in_axes=(axes,))((a, b))
        with pytest.raises(ValueError, match="does not fit"):
            vmap(lambda x: (x, x), out_axes=axes)(a)
