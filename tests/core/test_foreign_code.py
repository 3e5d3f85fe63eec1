"""Functions with stated rules that run code in C, which takes plain arrays alone: one element at a
time where that was asked for, and in jacobian.
"""

import math

import numpy as np
import pytest
import scipy.optimize

import scigrad
from scigrad import checkpoint, custom_rule, grad, implicit, jacobian, jvp, vmap
from scigrad.testing import assert_close

X = np.array([0.4, 0.9, 1.6])
BATCH = np.stack([X, 2 * X])


def in_c(function):
    """A function of arrays that asks for the memory of its argument, as code in C does."""

    def run(x):
        return np.array([function(v) for v in memoryview(x)])

    return run


sine, cosine, same = in_c(math.sin), in_c(math.cos), in_c(float)
RULES = {
    "jvp": lambda args, out, t: cosine(args[0]) * same(t[0]),
    "vjp": lambda args, out, g: (cosine(args[0]) * same(g),),
}
q = custom_rule(sine, **RULES)


def test_vmap_with_a_loop():
    assert_close(vmap(q, fallback="loop")(BATCH), np.sin(BATCH))
    assert_close(vmap(grad(lambda x: np.sum(q(x))), fallback="loop")(BATCH), np.cos(BATCH))
    assert_close(vmap(lambda x: jvp(q, (x,), (X,))[1], fallback="loop")(BATCH), np.cos(BATCH) * X)
    assert_close(grad(lambda x: np.sum(vmap(q, fallback="loop")(x)))(BATCH), np.cos(BATCH))
    pairs = vmap(
        vmap(lambda x, y: q(x) * q(y), (None, 0), fallback="loop"), (0, None), fallback="loop"
    )
    assert_close(pairs(BATCH, BATCH), np.sin(BATCH)[:, None] * np.sin(BATCH))
    for call in (q, lambda x: scigrad.grad(lambda x: np.sum(q(x)))(x)):
        with pytest.raises(
            TypeError,
            match=r"not 'Traced'\n(in run.*\n)?run is given the whole batch; vmap\(f, fallback=",
        ):
            vmap(call)(BATCH)


@pytest.mark.parametrize("modes", [("jvp",), ("vjp",), ("jvp", "vjp")])
@pytest.mark.parametrize("out", [1, 3, 5])
def test_jacobian_takes_the_mode_that_there_is(modes, out):
    f = custom_rule(sine, **{mode: RULES[mode] for mode in modes})
    matrix = np.arange(3.0 * out).reshape(out, 3)
    for chunk in (None, 1, 2):
        assert_close(jacobian(lambda x: matrix @ f(x), chunk_size=chunk)(X), matrix * np.cos(X))


def test_a_missing_mode_names_the_function():
    def response(time, signal):
        return time * signal

    f = custom_rule(response, vjp=lambda args, out, g: (g * args[1], g * args[0]))
    with pytest.raises(
        scigrad.MissingRule, match="response: no forward rule with respect to argument 'signal'"
    ):
        scigrad.jacfwd(lambda s: f(X, s))(X)


def test_a_forward_rule_in_c_has_no_transpose():
    with pytest.raises(
        scigrad.MissingRule, match=r"run: its forward rule does not take traced tangents.*vjp="
    ):
        grad(lambda x: np.sum(custom_rule(sine, jvp=RULES["jvp"])(x)))(X)


def test_an_implicit_function_solved_by_scipy():
    def solve(a):
        return np.array(scipy.optimize.brentq(lambda x: x**3 + x - a, -10, 10, xtol=1e-14))

    root = implicit(
        lambda x, a: x**3 + x - a, solve, lambda matvec, b, *, adjoint, x, theta: b / (3 * x**2 + 1)
    )
    slopes = 1 / (3 * np.array([root(a) for a in X]) ** 2 + 1)
    assert_close(vmap(grad(root), fallback="loop")(X), slopes)
    assert_close(jacobian(lambda a: vmap(root, fallback="loop")(a))(X), np.diag(slopes))


def test_what_takes_batches_is_not_run_by_elements():
    runs = []

    def f(x):
        runs.append(x)
        return np.sin(x)

    jacobian(checkpoint(f))(X)
    assert len(runs) == 2


def test_jacobian_of_a_function_without_a_batching_rule():
    @scigrad.differentiable("x")
    def doubled(x):
        return x * 2

    doubled.jvp(lambda call, t: doubled(t.x))
    doubled.vjp(lambda call, g: {"x": doubled(g)})
    assert_close(jacobian(doubled)(X), 2 * np.eye(3))
    assert_close(scigrad.jacrev(doubled)(X), 2 * np.eye(3))
