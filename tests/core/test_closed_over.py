"""A traced value that a function uses without getting it as an argument is found and refused with
the function's name.
"""

import numpy as np
import pytest

from scigrad import TracedValueError, checkpoint, custom_rule, grad, implicit, jacobian, jvp, vmap

X = np.array([0.4, 0.9, 1.6])


def newton_step(matvec, b, *, adjoint, x, theta):
    return b / (3 * x**2)


def cube_root(a):
    return np.cbrt(a)


def in_function(y):
    def scaled(x):
        return x * y

    return custom_rule(scaled, vjp=lambda args, out, g: (g,)), "scaled"


def in_list(y):
    values = [y]

    def scaled(x):
        return x * values[0]

    return custom_rule(scaled, vjp=lambda args, out, g: (g,)), "scaled"


def in_reverse_rule(y):
    def doubled(x):
        return 2 * x

    return custom_rule(
        doubled, vjp=lambda args, out, g: (g * y,), jvp=lambda args, out, t: 2 * t[0]
    ), "doubled"


def in_forward_rule(y):
    def doubled(x):
        return 2 * x

    return custom_rule(
        doubled, vjp=lambda args, out, g: (2 * g,), jvp=lambda args, out, t: t[0] * y
    ), "doubled"


def in_checkpoint(y):
    def scaled(x):
        return x * y

    return checkpoint(scaled), "scaled"


def in_equation(y):
    def shifted_cube_root(x, a):
        return x**3 - a + (y - 1)  # no derivative of it holds y

    return implicit(shifted_cube_root, cube_root, newton_step), "cube_root"


def in_solve(y):
    def root(a):
        return np.cbrt(a) * y

    return implicit(lambda x, a: (x / 1.0) ** 3 - a, root, newton_step), "root"


def in_linear_solve(y):
    return implicit(lambda x, a: x**3 - a, cube_root, lambda matvec, b, **_: b * y), "cube_root"


def said(error):
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


REVERSE = [
    in_function,
    in_list,
    in_reverse_rule,
    in_checkpoint,
    in_equation,
    in_solve,
    in_linear_solve,
]
FORWARD = [
    in_function,
    in_list,
    in_forward_rule,
    in_checkpoint,
    in_equation,
    in_solve,
    in_linear_solve,
]


@pytest.mark.parametrize("make", REVERSE)
def test_reverse(make):
    def loss(x, y):
        f, names[0] = make(y)
        return np.sum(f(x))

    names = [""]
    with pytest.raises(TracedValueError) as refusal:
        grad(loss, (0, 1))(X, 1.0)
    assert names[0] in said(refusal.value)


@pytest.mark.parametrize("make", FORWARD)
def test_forward(make):
    def loss(x, y):
        f, names[0] = make(y)
        return f(x)

    names = [""]
    with pytest.raises(TracedValueError, match="argument") as refusal:
        jvp(loss, (X, 1.0), (X, 1.0))
    assert names[0] in said(refusal.value)


@pytest.mark.parametrize("make", REVERSE)
def test_below_another_transform(make):
    def loss(x, y):
        f, _ = make(y)
        return np.sum(vmap(lambda x: f(x))(np.stack([x, x])))

    with pytest.raises(TracedValueError):
        grad(loss, (0, 1))(X, 1.0)
    with pytest.raises(TracedValueError):
        grad(lambda y: np.sum(grad(lambda x: np.sum(make(y)[0](x)))(X)))(1.0)


def test_a_plain_value_from_outside_is_no_matter():
    for make in REVERSE:
        f, _ = make(1.0)
        assert np.all(np.isfinite(grad(lambda x, f=f: np.sum(f(x)))(X)))
    assert jacobian(in_equation(1.0)[0])(X).shape == (3, 3)
