"""What the forms of a primitive allow: several outputs, containers, a forward rule alone; and what
they refuse.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.special

import scigrad.numpy as snp
from scigrad import (
    MissingRule,
    TracedValueError,
    check_writes,
    constant,
    differentiable,
    elementwise,
    grad,
    hessian,
    jacobian,
    jvp,
    linear,
    linearize,
    vjp,
    vmap,
)  # fmt: skip
from scigrad.autodiff_rules import ZERO
from scigrad.testing import assert_close, gradcheck

X = np.array([0.3, 0.7, 1.4])
A = np.array([[2.0, 0.5, 0.1], [0.3, 1.5, 0.2], [0.0, 0.4, 3.0]])


# -- several outputs of an elementwise function


@elementwise(outputs=2)
def sine_integrals(x):
    return scipy.special.sici(x)


@sine_integrals.partials
def _(call):
    return (lambda: np.sin(call.x) / call.x,), (lambda: np.cos(call.x) / call.x,)


@elementwise(outputs=2)
def polar(x, y):
    return np.hypot(x, y), np.arctan2(y, x)


@polar.partials
def _(call):
    r = call.out[0]
    return (lambda: call.x / r, lambda: call.y / r), (lambda: -call.y / r**2, lambda: call.x / r**2)


def test_an_elementwise_function_with_several_outputs():
    gradcheck(lambda x: sine_integrals(x), X)
    # the other output has no cotangent
    gradcheck(lambda x: np.sum(sine_integrals(x)[1] ** 2 * x), X)
    hessian_by_scipy = np.diag((X * np.cos(X) - np.sin(X)) / X**2)
    assert_close(hessian(lambda x: np.sum(sine_integrals(x)[0]))(X), hessian_by_scipy, 1e-12)
    assert_close(vmap(lambda x: sine_integrals(x)[1])(X), scipy.special.sici(X)[1], 1e-14)


@pytest.mark.parametrize("kernel", [lambda x, out: 1 / x, lambda _x: 1.0])
def test_a_partial_derivative_in_the_place_of_the_function_is_refused(kernel):
    with pytest.raises(TypeError, match=r"call\.out and call\.saved.*with @f\.partials"):
        elementwise(kernel)


def test_several_outputs_of_several_arguments_that_broadcast():
    y = np.array([[0.5], [2.0]])
    gradcheck(lambda x, y: polar(x, y), X, y)
    found = vjp(polar, X, y)[1]((np.ones((2, 3)), np.zeros((2, 3))))
    assert [c.shape for c in found] == [(3,), (2, 1)]
    complex_way = lambda x: np.log(x + 1j * 0.5)  # noqa: E731  (its imaginary part is the angle)
    assert_close(jacobian(lambda x: polar(x, 0.5)[1])(X), np.imag(jacobian(complex_way)(X)), 1e-12)


def test_a_missing_partial_of_one_output_is_named():
    @elementwise(outputs=2)
    def both(x, order):
        return x * order, x + order

    both.partials(lambda call: ((lambda: call.order, None), (1, None)))
    assert_close(grad(lambda x: np.sum(both(x, 2.0)[0]))(X), 2 + 0 * X)
    with pytest.raises(MissingRule, match=r"both.*order"):
        grad(lambda n: np.sum(both(X, n)[0]))(2.0)


# -- a forward rule alone


@differentiable("a", "b", core={"a": 2, "b": 2})
def sandwich(a, b):
    return a @ np.linalg.inv(b) @ a


@sandwich.jvp
def _(call, t):
    a, inverse = call.a, np.linalg.inv(call.b)
    return t.a @ inverse @ a + a @ inverse @ t.a - a @ inverse @ t.b @ inverse @ a


def test_the_reverse_rule_is_the_transpose_of_the_forward_rule():
    b = A.T + np.eye(3)
    gradcheck(sandwich, A, b)
    gradcheck(sandwich, A + 0.3j, b * (1 - 0.2j))
    # a real argument beside a complex one keeps a real cotangent
    gradcheck(lambda a: sandwich(a, b + 1j), A)
    gradcheck(vmap(sandwich), np.stack([A, 2 * A]), np.stack([b, b + 1]))
    truth = hessian(lambda b: np.sum((A @ np.linalg.inv(b) @ A) ** 2))(b)
    assert_close(hessian(lambda b: np.sum(sandwich(A, b) ** 2))(b), truth, 1e-12)


def test_a_forward_rule_that_calls_its_function_with_a_tangent_needs_a_reverse_rule():
    @differentiable("a", "b")
    def quotient(a, b):
        return np.linalg.solve(a, b)

    quotient.jvp(lambda call, t: quotient(call.a, t.b - t.a @ call.out))
    with pytest.raises(MissingRule, match=r"quotient.vjp"):
        grad(lambda a: np.sum(quotient(a, X)))(A)


def test_a_reverse_rule_alone_has_no_forward_mode():
    @differentiable("x")
    def cube(x):
        return x**3

    cube.vjp(lambda call, g: {"x": 3 * g * call.x**2})
    with pytest.raises(MissingRule, match=r"cube.*forward"):
        jvp(cube, (X,), (X,))


def test_a_kernel_that_returns_a_number_of_pythons():
    @differentiable("x")
    def length(x):
        return math.hypot(*x)

    length.jvp(lambda call, t: call.x @ t.x / call.out)
    x, t = np.array([3.0, 4.0]), np.array([1.0, 2.0])
    assert_close(jvp(length, (x,), (t,))[1], 11 / 5)
    assert_close(linearize(length, x)[1](t), 11 / 5)
    assert_close(grad(length)(x), x / 5)


def test_zero_in_a_function_that_is_not_linear_in_it_raises():
    assert snp.multiply(ZERO, X) is ZERO
    assert snp.divide(ZERO, X) is ZERO
    for use in (
        lambda: snp.maximum(ZERO, X),
        lambda: snp.divide(X, ZERO),
        lambda: snp.hypot(X, ZERO),
        lambda: snp.exp(ZERO),
    ):
        with pytest.raises(TypeError, match="of ZERO"):
            use()


# -- containers


@dataclass
class Pair:
    first: np.ndarray
    rest: list


@differentiable("x")
def split(x):
    return {"sine": np.sin(x), "powers": [x**2, (x**3, Pair(x**4, [x**5]))]}


@split.jvp
def _(call, t):
    x, d = call.x, t.x
    return {
        "sine": np.cos(x) * d,
        "powers": [2 * x * d, (3 * x**2 * d, Pair(4 * x**3 * d, [5 * x**4 * d]))],
    }


def test_outputs_are_any_container():
    def loss(x):
        out = split(x)
        square, (cube, pair) = out["powers"]
        return np.sum(out["sine"] * cube + square * pair.first + pair.rest[0])

    expected = np.cos(X) * X**3 + np.sin(X) * 3 * X**2 + 6 * X**5 + 5 * X**4
    assert_close(grad(loss)(X), expected, 1e-12)
    assert_close(jvp(loss, (X,), (X,))[1], X @ expected, 1e-12)
    assert_close(
        vmap(lambda x: split(x)["powers"][1][1].rest[0])(X) if split.batch_rule else X**5,
        X**5,
        1e-14,
    )
    assert_close(np.diag(hessian(lambda x: np.sum(split(x)["powers"][0]))(X)), 2 + 0 * X, 1e-12)


@differentiable("system", "x")
def respond(system, x, *, kind):
    numerator, denominator = system["coefficients"]
    return x * numerator[0] / denominator + numerator[1]


@respond.jvp
def _(call, t):
    (n, d), x = call.system["coefficients"], call.x
    (tn, td) = t.system["coefficients"] if t.system else ([t.x * 0, t.x * 0], t.x * 0)
    return t.x * n[0] / d + x * tn[0] / d - x * n[0] / d**2 * td + tn[1]


def test_traced_values_in_containers_among_the_arguments():
    def f(n0, n1, d, x):
        return respond({"coefficients": ([n0, n1], d)}, x, kind="rational")

    gradcheck(f, X, X + 1, X + 2, X**2)
    gradcheck(lambda d: f(2.0, np.ones(3), d, X), X + 2)
    gradcheck(lambda x: f(2.0, np.ones(3), X + 2, x), X)
    batch = np.stack([X + 2, X + 3])
    respond.batched(lambda call, batched: respond(call.system, call.x, kind=call.kind))
    assert_close(
        vmap(lambda d: f(2.0, 1.0, d, X))(batch),
        np.stack([f(2.0, 1.0, d, X) for d in batch]),
        1e-14,
    )


def test_the_cotangent_of_a_linear_function_of_a_container():
    @linear("parts")
    def joined(parts):
        return np.concatenate([parts["a"], 2 * parts["b"]])

    joined.adjoint(lambda call, g: {"a": g[:3], "b": 2 * g[3:]})
    gradcheck(lambda a, b: joined({"a": a, "b": b}), X, X)


# -- what a kernel or a rule closes over


def test_a_kernel_that_closes_over_a_traced_value_is_refused_by_name():
    def loss(y):
        @differentiable("x")
        def scaled(x):
            return x * y

        scaled.jvp(lambda call, t: t.x * y)
        return np.sum(scaled(y + 1))

    with pytest.raises(TracedValueError, match="scaled"):
        grad(loss)(X)
    with pytest.raises(TracedValueError, match="scaled"):
        jvp(loss, (X,), (X,))


def test_a_rule_that_closes_over_a_traced_value_is_refused():
    def loss(y):
        @differentiable("x")
        def same(x):
            return x * 1.0

        same.jvp(lambda call, t: t.x * y)
        same.vjp(lambda call, g: {"x": g * y})
        return np.sum(same(y))

    with pytest.raises(TracedValueError, match="closes over"):
        grad(loss)(X)


@pytest.mark.parametrize(
    "use", [lambda x: x + 1, np.sum, lambda x: x[0], lambda x: A @ x, lambda x: np.linalg.norm(x)]
)
@pytest.mark.parametrize(
    "transform", [grad, lambda f: lambda x: jvp(f, (x,), (x,)), lambda f: vmap(f)]
)
def test_a_value_that_has_left_its_transform_is_refused_where_it_is_used(transform, use):
    kept = []

    def f(x):
        kept.append(x)
        return np.sum(x * x)

    transform(f)(A if transform not in (grad,) else X)
    with pytest.raises(TracedValueError, match="after its transform"):
        use(kept[0])
    with pytest.raises(TracedValueError, match="after its transform"):
        grad(lambda x: np.sum(x * kept[0]))(X)


# -- arrays that a graph keeps


def test_a_buffer_that_is_filled_again_raises_under_check_writes():
    def refilled(x):
        w = np.ones(3)
        total = np.sum(w * x)
        w[:] = 2.0
        return total + np.sum(w * x)

    for transform in (grad, lambda f: vmap(grad(f)), lambda f: hessian(f)):
        with check_writes(), pytest.raises(ValueError, match="read-only"):
            transform(refilled)(A if transform not in (grad,) else X)


def test_views_and_memory_are_given_back_when_the_graph_is_released():
    buffer = np.zeros(6)
    w = buffer[::2]
    with check_writes():
        out, pullback = vjp(lambda x: w * x, X)
        with pytest.raises(ValueError, match="read-only"):
            buffer[0] = 1.0
        assert_close(pullback(X)[0], w * X, 1e-15)
        del pullback
        buffer[0] = 1.0
        assert w[0] == 1.0
        gradient = grad(lambda x: np.sum(w * x))(X)
        gradient[0] = w[1] = 5.0
    out[0] = 3.0


def test_memory_of_another_library_is_left_writeable_since_nobody_could_unlock_it():
    w = np.from_dlpack(np.ones(3))
    for kept in (w, w[::-1]):
        with check_writes():
            gradient = grad(lambda x, kept=kept: np.sum(kept * x))(X)
        assert_close(gradient, np.ones(3))
        kept[0] = 1.0


def test_positions_of_peaks_are_constant_and_their_values_vary():
    """A function whose number of results depends on the data: it returns positions, and values are
    taken by indexing.
    """

    @constant(data_dependent_shape=True)
    def peak_positions(x):
        return np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] > x[2:])) + 1

    def heights(x):
        return x[peak_positions(x)]

    x = np.array([0.0, 2.0, 1.0, 3.0, 1.0, 0.5, 0.7, 0.1])
    expected = np.array([0.0, 4.0, 0.0, 6.0, 0.0, 0.0, 1.4, 0.0])
    assert_close(grad(lambda x: np.sum(heights(x) ** 2))(x), expected)
    assert_close(jvp(heights, (x,), (expected,))[1], expected[[1, 3, 6]])
    assert_close(hessian(lambda x: np.sum(heights(x) ** 2))(x), np.diag((expected > 0) * 2.0))
    for fallback in (None, "loop"):
        with pytest.raises(
            TracedValueError, match="peak_positions: the shape of the result depends on the data"
        ):
            vmap(heights, fallback=fallback)(np.stack([x, -x]))
    for name in ("nonzero", "unique"):
        with pytest.raises(
            TracedValueError, match=f"{name}: the shape of the result depends on the data"
        ):
            grad(lambda x, name=name: np.sum(vmap(lambda v: getattr(np, name)(v)[0])(x)))(
                np.stack([x, -x])
            )


def test_an_array_of_two_recordings_is_locked_until_both_are_released():
    w = np.ones(3)
    with check_writes():
        first, second = vjp(lambda x: w * x, X)[1], vjp(lambda x: w * x, X)[1]
        del first
        with pytest.raises(ValueError, match="read-only"):
            w[:] = 5.0
        assert_close(second(np.ones(3))[0], np.ones(3), 1e-15)
        del second
        w[:] = 5.0
