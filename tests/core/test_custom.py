"""Rules that users state: custom_rule, implicit, checkpoint, stop_gradient, and what happens
without a rule.
"""

import numpy as np
import pytest

import scigrad
from scigrad import checkpoint, custom_rule, grad, implicit, jvp, stop_gradient, vmap
from scigrad.testing import assert_close, gradcheck, gradgradcheck

X = np.array([0.4, 0.9, 1.6])


def make_cube():
    return custom_rule(
        lambda x: x**3,
        jvp=lambda args, out, t: 3 * args[0] ** 2 * t[0],
        vjp=lambda args, out, g: (3 * args[0] ** 2 * g,),
    )


def test_custom_rule_in_both_modes_at_second_order_and_batched():
    cube = make_cube()
    gradcheck(cube, X)
    gradgradcheck(cube, X)
    assert_close(
        vmap(grad(lambda x: np.sum(cube(x))))(np.stack([X, 2 * X])), 3 * np.stack([X, 2 * X]) ** 2
    )
    assert_close(vmap(cube)(np.stack([X, 2 * X])), np.stack([X, 2 * X]) ** 3)


def test_custom_rule_with_containers_and_constants():
    f = custom_rule(
        lambda p, n: {"y": p["a"] * p["b"] ** n},
        jvp=lambda args, out, t: {
            "y": t[0]["a"] * args[0]["b"] ** args[1]
            + args[0]["a"] * args[1] * args[0]["b"] ** (args[1] - 1) * t[0]["b"]
        },
        vjp=lambda args, out, g: (
            {
                "a": g["y"] * args[0]["b"] ** args[1],
                "b": g["y"] * args[0]["a"] * args[1] * args[0]["b"],
            },
            None,
        ),
    )
    gradcheck(lambda p: f(p, 2), {"a": X, "b": X + 1})
    gradcheck(lambda b: f({"a": np.ones(3), "b": b}, 2), X)


def test_a_forward_rule_alone_serves_both_modes():
    f = custom_rule(lambda x: x**2, jvp=lambda args, out, t: 2 * args[0] * t[0])
    gradcheck(f, X)
    gradcheck(lambda z: f(z) * z, X + 1j)


def test_a_missing_mode_raises_and_names_the_function():
    def only_reverse(x):
        return x * 2

    f = custom_rule(only_reverse, vjp=lambda args, out, g: (2 * g,))
    assert_close(grad(lambda x: np.sum(f(x)))(X), 2 + 0 * X)
    with pytest.raises(scigrad.MissingRule, match=r"only_reverse.*forward"):
        jvp(f, (X,), (X,))
    with pytest.raises(TypeError, match="jvp="):
        custom_rule(only_reverse)


def test_custom_rule_refuses_a_traced_value_from_outside():
    def loss(y):
        return np.sum(custom_rule(lambda x: x * y, vjp=lambda args, out, g: (g,))(X))

    with pytest.raises(scigrad.TracedValueError, match="argument"):
        grad(lambda y: loss(y) + y)(2.0)


def test_vjp_rule_must_answer_for_every_argument():
    f = custom_rule(lambda x, y: x * y, vjp=lambda args, out, g: (g,))
    with pytest.raises(ValueError, match="2 cotangents"):
        grad(lambda x: np.sum(f(x, x)))(X)


def test_an_equation_of_another_shape_is_refused_by_name():
    two = implicit(lambda x, a: np.stack([x - a, x]), lambda a: a, lambda matvec, b, **_: b)
    for transform in (grad, lambda f: lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(
            ValueError,
            match=r"implicit: the value of the equation must have shape \(\), not \(2,\)",
        ):
            transform(two)(1.0)


def test_implicit_gives_both_modes_any_order_and_batches():
    def equation(x, a):
        return x**3 + a * x - 1.0

    def newton(a):
        x = np.ones_like(a)
        for _ in range(60):
            x = x - equation(x, a) / (3 * x**2 + a)
        return x

    def diagonal_solve(matvec, b, *, adjoint, x, theta):
        return b / (3 * x**2 + theta[0])

    root = implicit(equation, newton, diagonal_solve)
    assert_close(equation(root(X), X) + 1.0, np.ones(3))
    gradcheck(root, X)
    gradgradcheck(root, X)
    assert_close(vmap(root)(np.stack([X, 2 * X])), np.stack([root(X), root(2 * X)]))


def test_checkpoint_recomputes_instead_of_keeping():
    runs = []

    def f(x, y):
        runs.append(1)
        return np.sin(x) * y

    gradient = grad(lambda x, y: np.sum(checkpoint(f)(x, y)), (0, 1))(X, 2.0)
    assert len(runs) == 2
    assert_close(gradient, (np.cos(X) * 2, np.sum(np.sin(X))))
    gradgradcheck(checkpoint(f), X, 2.0)


def test_stop_gradient():
    assert_close(grad(lambda x: np.sum(x * stop_gradient(x)))(X), X)
    assert_close(jvp(lambda x: x * stop_gradient(x), (X,), (np.ones(3),))[1], X)
    assert_close(vmap(lambda x: stop_gradient(x) * 2)(X), 2 * X)
    assert float(stop_gradient(1.5)) == 1.5


def test_forms_refuse_what_was_not_declared():
    with pytest.raises(TypeError, match="no argument"):
        scigrad.linear("y")(lambda x: x)

    @scigrad.linear("x")
    def scale(x, factor=2.0):
        return x * factor

    scale.adjoint(lambda call, g: g * call.factor)
    gradcheck(scale, X)
    with pytest.raises(scigrad.MissingRule, match="factor"):
        grad(lambda c: np.sum(scale(X, c)))(2.0)
    with pytest.raises(scigrad.MissingRule, match="factor"):
        jvp(lambda c: scale(X, c), (2.0,), (1.0,))
    with pytest.raises(TypeError, match="unexpected keyword"):
        grad(lambda x: np.sum(scale(x, wrong=1)))(X)
    with pytest.raises(TypeError, match="too many"):
        grad(lambda x: np.sum(scale(x, 1, 2)))(X)


def test_a_container_with_numbers_that_do_not_vary_keeps_its_derivative():
    def loss(model):
        return np.sum(model["weight"] ** model["power"])

    model = {"weight": X, "power": 2, "name": "quadratic"}

    def given(f):
        return lambda x: f({**model, "weight": x})

    assert_close(grad(given(checkpoint(loss)))(X), 2 * X)
    assert_close(jvp(given(checkpoint(loss)), (X,), (X,))[1], np.sum(2 * X * X))
    root = implicit(
        lambda x, model: x ** model["power"] - model["weight"],
        lambda model: model["weight"] ** (1 / model["power"]),
        lambda matvec, b, *, adjoint, x, theta: b / (2 * x),
    )
    gradcheck(given(root), X)


def test_what_a_rule_returns_is_held_to_shape_and_structure():
    a = np.arange(6.0).reshape(2, 3)
    transposed = custom_rule(lambda x: np.sum(x), vjp=lambda args, out, g: (g * np.ones((3, 2)),))
    with pytest.raises(ValueError, match=r"\(2, 3\), not \(3, 2\)"):
        grad(transposed)(a)
    scalar = custom_rule(lambda x: x * 2, vjp=lambda args, out, g: g * 2)
    with pytest.raises(ValueError, match="tuple of 1 cotangents"):
        grad(scalar)(1.0)
    short = custom_rule(lambda p, y: p[0] * p[1] * y, vjp=lambda args, out, g: ((g,), g))
    with pytest.raises(ValueError, match="structure"):
        grad(lambda p: np.sum(short(p, X)))((X, X))
    renamed = custom_rule(
        lambda x: {"a": x, "b": x}, jvp=lambda args, out, t: {"b": t[0], "c": t[0]}
    )
    with pytest.raises(ValueError, match="structure"):
        jvp(renamed, (X,), (X,))
    wide = custom_rule(lambda x: x**2, vjp=lambda args, out, g: (np.ones(3),))
    # a broadcast argument would have the sum
    with pytest.raises(ValueError, match=r"\(\), not \(3,\)"):
        grad(wide)(2.0)
    narrow = custom_rule(lambda x: x * 2, jvp=lambda args, out, t: np.ones(2))
    with pytest.raises(ValueError, match=r"\(3,\), not \(2,\)"):
        jvp(narrow, (X,), (X,))


def test_stop_gradient_of_a_container():
    assert_close(grad(lambda x: np.sum(x * stop_gradient({"a": (x, None)})["a"][0]))(X), X)


@pytest.mark.parametrize("cotangent", [np.ones((2, 3)), np.ones(2)])
def test_a_cotangent_of_another_shape_names_the_rule_and_the_argument(cotangent):
    def weighted(x, y):
        return x * y

    f = custom_rule(weighted, vjp=lambda args, out, g: (g * args[1], cotangent))
    with pytest.raises(
        ValueError, match=r"argument 1 that a vjp returns must have shape \(3,\)"
    ) as caught:
        grad(lambda x, y: np.sum(f(x, y)), argnums=(0, 1))(np.ones(3), np.ones(3))
    assert any("weighted" in note for note in caught.value.__notes__)
    f = custom_rule(weighted, jvp=lambda args, out, t: np.ones(2))
    with pytest.raises(
        ValueError, match=r"a tangent computed by a rule must have shape \(3,\)"
    ) as caught:
        jvp(f, (np.ones(3), np.ones(3)), (np.ones(3), np.ones(3)))
    assert any("weighted" in note for note in caught.value.__notes__)
