"""What functions with stated rules take and return beside arrays: keyword arguments, strings,
functions, integers.
"""

import functools
import operator
from collections import namedtuple

import numpy as np
import pytest

import scigrad
from scigrad import checkpoint, custom_rule, grad, implicit, jvp, vmap
from scigrad.autodiff_rules import ZERO
from scigrad.testing import assert_close, gradcheck

X = np.array([0.4, 0.9, 1.6])
FUNCTIONS = {"sin": (np.sin, np.cos), "exp": (np.exp, np.exp)}


def scaled(x, kind="sin", scale=1.0, power=1, *, shift=0.0):
    return FUNCTIONS[kind][0](x) * scale**power + shift


def with_defaults(args, defaults=("sin", 1.0, 1)):
    return (*args, *defaults[len(args) - 1 :])


def scaled_forward(args, out, t, shift=0.0):
    x, kind, scale, power = with_defaults(args)
    of_x, _, of_scale, _ = with_defaults(t, (ZERO,) * 3)
    value, slope = FUNCTIONS[kind]
    return slope(x) * scale**power * of_x + value(x) * power * scale ** (power - 1) * of_scale


def scaled_reverse(args, out, g, shift=0.0):
    x, kind, scale, power = with_defaults(args)
    value, slope = FUNCTIONS[kind]
    return (
        g * slope(x) * scale**power,
        None,
        np.sum(g * value(x)) * power * scale ** (power - 1),
        None,
    )[: len(args)]


STATED = custom_rule(scaled, jvp=scaled_forward, vjp=scaled_reverse)


@pytest.mark.parametrize("f", [STATED, checkpoint(scaled)], ids=["custom_rule", "checkpoint"])
def test_keyword_arguments_vary_and_strings_pass(f):
    for call in (
        lambda x, s: f(x, "exp", s, 2),
        lambda x, s: f(x, kind="exp", scale=s, power=2),
        lambda x, s: f(x, power=3, scale=s, shift=0.5),
        lambda x, s: f(scale=s, x=x),
    ):
        gradcheck(call, X, 1.3)
        assert_close(
            vmap(call, in_axes=(0, None))(np.stack([X, 2 * X]), 1.3),
            np.stack([call(X, 1.3), call(2 * X, 1.3)]),
        )
    assert_close(f(X, shift=0.5), np.sin(X) + 0.5)
    with pytest.raises(TypeError, match="unexpected keyword"):
        grad(lambda x: np.sum(f(x, wrong=1)))(X)
    with pytest.raises(scigrad.TracedValueError, match=r"scaled.*argument"):
        grad(lambda s: np.sum(f(X, shift=s)))(0.5)


Result = namedtuple("Result", "values label function count")


def described(x, function):
    return Result(function(x), "label", function, 3)


@pytest.mark.parametrize(
    "f",
    [
        checkpoint(described),
        custom_rule(
            described,
            jvp=lambda args, out, t: Result(np.cos(args[0]) * t[0], "label", out.function, 3),
            vjp=lambda args, out, g: (g.values * np.cos(args[0]), None),
        ),
    ],
    ids=["checkpoint", "custom_rule"],
)
def test_constants_in_the_output(f):
    def values(x):
        out = f(x, np.sin)
        assert (out.label, out.function) == ("label", np.sin)
        return out.values * out.count

    gradcheck(values, X)
    assert_close(
        vmap(grad(lambda x: np.sum(values(x))))(np.stack([X, 2 * X])),
        3 * np.cos(np.stack([X, 2 * X])),
    )
    assert f(X, np.sin).label == "label"


def test_implicit_takes_a_function_and_options_of_the_solver():
    seen = []

    def solve(a, function, *, steps=50):
        seen.append(steps)
        x = np.ones_like(a)
        for _ in range(steps):
            x = x - (function(x) - a) / (3 * x**2)
        return x

    root = implicit(
        lambda x, a, function: function(x) - a,
        solve,
        lambda matvec, b, *, adjoint, x, theta: b / (3 * x**2),
    )
    gradcheck(lambda a: root(a, lambda x: x**3, steps=60), X)
    gradcheck(lambda a: root(function=lambda x: x**3, a=a), X)
    assert {50, 60} == set(seen)


def test_a_partial_function_may_be_given_a_rule():
    f = custom_rule(functools.partial(operator.mul, 2.0), vjp=lambda args, out, g: (2 * g,))
    assert_close(grad(lambda x: np.sum(f(x)))(X), np.full(3, 2.0))
    with pytest.raises(scigrad.MissingRule, match="forward"):
        jvp(f, (X,), (X,))


def test_a_container_argument_of_a_batch_that_is_differentiated():
    """The batch rule calls the function again with a container that holds traced values of the next
    level.
    """
    product = custom_rule(
        lambda d, b: d["a"] * b,
        jvp=lambda args, out, t: t[0]["a"] * args[1],
        vjp=lambda args, out, g: ({"a": g * args[1]}, None),
    )
    x = np.arange(6.0).reshape(2, 3)

    def loss(x):
        return np.sum(vmap(lambda v: product({"a": v}, np.array([1.0, 2.0, 3.0])) ** 2)(x))

    np.testing.assert_allclose(grad(loss)(x), 2 * x * np.array([1.0, 4.0, 9.0]))
    np.testing.assert_allclose(
        jvp(loss, (x,), (x,))[1], np.sum(2 * x**2 * np.array([1.0, 4.0, 9.0]))
    )
