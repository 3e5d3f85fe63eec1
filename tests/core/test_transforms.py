"""jvp, vjp, grad and their options, on every kind of container."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse

import scigrad
from scigrad import grad, hvp, jacobian, jacrev, jvp, linearize, value_and_grad, vjp
from scigrad.testing import assert_close, gradcheck, gradgradcheck

Pair = namedtuple("Pair", "first second")


@dataclass
class Model:
    weight: np.ndarray
    offset: float


X = np.array([0.3, -1.2, 2.0])


def test_value_and_gradient_of_plain_numpy():
    value, gradient = value_and_grad(lambda x: np.sum(np.sin(x) * x))(X)
    assert_close(value, np.sum(np.sin(X) * X))
    assert_close(gradient, np.cos(X) * X + np.sin(X))


@pytest.mark.parametrize(
    "container",
    [
        (X, 2.0),
        [X, 2.0],
        {"a": X, "b": 2.0},
        Pair(X, 2.0),
        Model(X, 2.0),
        {"deep": [(X,), {"b": 2.0}]},
    ],
    ids=["tuple", "list", "dict", "named tuple", "dataclass", "nested"],
)
def test_containers_keep_their_structure(container):
    leaves, tree = scigrad.autodiff_rules.containers.flatten(container)

    def loss(c):
        x, y = scigrad.autodiff_rules.containers.flatten(c)[0]
        return np.sum(x**2) * y

    gradient = grad(loss)(container)
    assert type(gradient) is type(container)
    found, other = scigrad.autodiff_rules.containers.flatten(gradient)
    assert other == tree
    assert_close(found, [2 * leaves[0] * 2.0, np.sum(leaves[0] ** 2)])
    gradcheck(loss, container)


def test_argnums_has_aux_and_keyword_arguments():
    def f(x, n, y, *, scale):
        return scale * np.sum(x * y) ** n, {"seen": x * 2}

    (value, aux), (gx, gy) = value_and_grad(f, argnums=(0, 2), has_aux=True)(X, 2, X + 1, scale=3.0)
    s = np.sum(X * (X + 1))
    assert_close(value, 3 * s**2)
    assert_close([gx, gy], [6 * s * (X + 1), 6 * s * X])
    assert type(aux["seen"]) is np.ndarray
    assert_close(grad(f, -1, has_aux=True)(X, 2, X, scale=1.0)[0], 2 * np.sum(X * X) * X)
    with pytest.raises(TypeError, match="argnums=3"):
        grad(f, 3)(X, 2, X, scale=1.0)
    with pytest.raises(TypeError, match="pair"):
        grad(lambda x: np.sum(x), has_aux=True)(X)


def test_gradient_of_a_complex_argument_is_the_direction_of_steepest_ascent():
    z = X + 1j * X[::-1]
    gradient = grad(lambda z: np.sum(np.abs(z) ** 2))(z)
    assert_close(gradient, 2 * z)
    assert_close(grad(lambda z: np.sum(np.abs(z) ** 2), convention="jax")(z), 2 * np.conj(z))
    assert np.sum(np.abs(z - 0.1 * gradient) ** 2) < np.sum(np.abs(z) ** 2)
    with pytest.raises(ValueError, match="convention"):
        grad(lambda z: 0.0, convention="torch")


def test_real_inputs_get_real_cotangents_and_single_precision_stays():
    gradient = grad(lambda x: np.real(np.sum(x * (1 + 2j))))(X)
    assert gradient.dtype == np.float64
    x = X.astype(np.float32)
    value, gradient = value_and_grad(lambda x: np.sum(np.exp(x) * 2.0))(x)
    assert value.dtype == gradient.dtype == np.float32
    out, tangent = jvp(lambda x: x * 2.5, (x,), (X,))
    assert out.dtype == tangent.dtype == np.float32


def test_several_outputs():
    def f(x):
        return {"square": x**2, "sum": np.sum(x), "constant": 3.0}

    out, pullback = vjp(f, X)
    (cotangent,) = pullback({"square": np.ones(3), "sum": 2.0, "constant": 7.0})
    assert_close(cotangent, 2 * X + 2)
    assert out["constant"] == 3.0
    _, tangent = jvp(f, (X,), (np.ones(3),))
    assert_close([tangent["square"], tangent["sum"], tangent["constant"]], [2 * X, 3.0, 0.0])
    rows = jacrev(f)(X)
    assert_close(
        [rows["square"], rows["sum"], rows["constant"]], [np.diag(2 * X), np.ones(3), np.zeros(3)]
    )


def test_pullback_can_be_called_again_unless_it_was_released():
    _, pullback = vjp(np.sin, X)
    assert_close(pullback(np.ones(3)), pullback(np.ones(3)))
    _, once = vjp(np.sin, X, keep=False)
    assert_close(once(np.ones(3))[0], np.cos(X))
    with pytest.raises(RuntimeError, match="keep=False"):
        once(np.ones(3))


def test_linearize_runs_the_function_once():
    runs = []

    def f(x, y):
        runs.append(1)
        return np.sin(x) * y

    out, pushforward = linearize(f, X, 2.0)
    assert_close(out, np.sin(X) * 2)
    for t in (np.ones(3), X):
        assert_close(pushforward(t, 0.5), jvp(f, (X, 2.0), (t, 0.5))[1])
    assert len(runs) == 3  # one for linearize, one for each jvp


def test_hessian_vector_product():
    def f(x):
        return np.sum(x**3) + x[0] * x[1]

    gradient, product = hvp(f, (X,), (np.ones(3),))
    assert_close(gradient, grad(f)(X))
    assert_close(product, scigrad.hessian(f)(X) @ np.ones(3))
    gradgradcheck(f, X)


def test_jacobians_agree_and_chunks_change_nothing():
    def f(x, y):
        return np.sin(x)[:, None] * y

    y = np.array([1.0, 2.0])
    expected = np.einsum("i,j,ik->ijk", np.cos(X), y, np.eye(3))
    for transform in (scigrad.jacfwd, scigrad.jacrev, jacobian):
        for chunk in (None, 1, 2, 100):
            assert_close(transform(f, chunk_size=chunk)(X, y), expected)
    both = jacobian(f, argnums=(0, 1))(X, y)
    assert [block.shape for block in both] == [(3, 2, 3), (3, 2, 2)]
    with pytest.raises(ValueError, match="chunk_size"):
        jacobian(f, chunk_size=0)


def test_jacobian_of_real_input_and_complex_output():
    def f(x):
        return np.exp(1j * x)

    expected = np.diag(1j * np.exp(1j * X))
    assert_close(scigrad.jacfwd(f)(X), expected)
    assert_close(scigrad.jacrev(f)(X), expected)


def test_jacobian_of_complex_input():
    z = X + 0.5j
    with pytest.raises(TypeError, match="complex_mode"):
        jacobian(np.sin)(z)
    assert_close(jacobian(np.sin, complex_mode="holomorphic")(z), np.diag(np.cos(z)))
    dz, dconj = jacobian(lambda z: z * np.conj(z) ** 2, complex_mode="wirtinger")(z)
    assert_close([dz, dconj], [np.diag(np.conj(z) ** 2), np.diag(2 * z * np.conj(z))])
    with pytest.raises(ValueError, match="not holomorphic"):
        jacobian(np.conj, complex_mode="holomorphic")(z)
    block = jacobian(np.conj, complex_mode="real")(z)
    assert block.shape == (2, 3, 2, 3)
    assert_close(block[0, :, 0], np.eye(3))
    assert_close(block[1, :, 1], -np.eye(3))
    assert_close(block[0, :, 1], np.zeros((3, 3)))


def test_a_kink_has_the_minimum_norm_subgradient():
    assert grad(np.abs)(0.0) == 0.0
    assert_close(grad(lambda z: np.sum(np.abs(z)))(np.zeros(2, complex)), np.zeros(2, complex))


def test_a_function_that_ignores_its_input_has_the_zero_gradient():
    assert_close(grad(lambda x: 3.0, allow_constant=True)(X), np.zeros(3))
    assert_close(jvp(lambda x: 3.0, (X,), (X,), allow_constant=True)[1], 0.0)


@pytest.mark.parametrize(
    ("f", "args", "error", "text"),
    [
        (lambda x: x * 1j, (1.0,), TypeError, "real loss"),
        (lambda x: x > 1, (2.0,), TypeError, "bool.*smooth"),
        (lambda x: np.argmax(x), (X,), TypeError, "int64.*softmax"),
        (lambda x: np.sum(x > 0), (X,), TypeError, "int64"),
        (lambda x: 3, (X,), TypeError, "3.0"),
        (lambda x: x, (X,), TypeError, "one real number"),
        (lambda x: (np.sum(x), x), (X,), TypeError, "2 arrays.*has_aux=True"),
        (lambda x: [], (X,), TypeError, "no array"),
        (lambda x: (x, x), (1.0,), TypeError, "2 arrays"),
        (lambda x: np.sum(x), (np.arange(3),), TypeError, "int64, which has no derivative"),
        (lambda x: x, (True,), TypeError, "bool"),
        (lambda x: x, ("text",), TypeError, "str"),
    ],
)
def test_bad_losses_and_inputs(f, args, error, text):
    with pytest.raises(error, match=text):
        grad(f)(*args)


def test_bad_tangents_and_cotangents():
    with pytest.raises(ValueError, match="shape"):
        jvp(np.sin, (X,), (np.ones(2),))
    with pytest.raises(TypeError, match="real"):
        jvp(np.sin, (X,), (1j * X,))
    with pytest.raises(ValueError, match="structure"):
        jvp(np.sin, (X,), ((X,),))
    with pytest.raises(ValueError, match="structure"):
        vjp(np.sin, X)[1]((X,))
    with pytest.raises(ValueError, match="shape"):
        vjp(np.sin, X)[1](np.ones(4))


@pytest.mark.parametrize("argnums", [(0, 0), (1, -1), 1.0, "x", 2])
def test_argnums_names_different_arguments(argnums):
    with pytest.raises(TypeError, match="argnums"):
        grad(lambda x, y: np.sum(x * y), argnums)(X, X)


def test_argnums_may_be_any_integer():
    assert_close(grad(lambda x, y: np.sum(x * y**2), np.int64(1))(X, X), 2 * X * X)


@pytest.mark.parametrize(
    "call",
    [
        lambda: jvp(np.sin, X, X),
        lambda: jvp(np.sin, X[:1], X[:1]),
        lambda: jvp(np.multiply, (X, X), (X,)),
        lambda: linearize(np.multiply, X, X)[1](X),
    ],
)
def test_primals_and_tangents_are_tuples_of_one_length(call):
    with pytest.raises(TypeError, match="one entry for each argument"):
        call()


@pytest.mark.parametrize(
    "out", ["text", object(), (x for x in "ab")], ids=["str", "object", "generator"]
)
def test_what_is_no_array_cannot_be_differentiated(out):
    for transform in (
        grad,
        jacobian,
        lambda f: lambda x: jvp(f, (x,), (x,)),
        lambda f: lambda x: vjp(f, x),
    ):
        with pytest.raises(TypeError, match="neither an array nor a number"):
            transform(lambda x: out)(X)


def test_results_are_arrays_of_their_own():
    first, second = grad(lambda x, y: np.sum(np.sin(x + y)), (0, 1))(X, X)
    assert not np.shares_memory(first, second)
    g = np.ones(3)
    assert not np.shares_memory(vjp(lambda x: x, X)[1](g)[0], g)
    for constant in (
        scigrad.hessian(np.sum)(X),
        jacrev(lambda x: np.ones(2), allow_constant=True)(X),
        scigrad.vmap(lambda x: 1.0)(X),
    ):
        assert constant.flags.writeable


def test_what_is_written_into_inputs_and_outputs_later_does_not_reach_the_graph():
    x = X.copy()
    out, pullback = vjp(lambda x: np.exp(x) * x, x)
    value, pushforward = linearize(np.exp, x)
    out *= 0
    value *= 0
    x *= 0
    assert_close(pullback(np.ones(3))[0], np.exp(X) * (1 + X))
    assert_close(pushforward(np.ones(3)), np.exp(X))


@pytest.mark.parametrize(
    "odd", [np.eye(2).view(np.matrix), np.ma.masked_array(np.eye(2))], ids=["matrix", "masked"]
)
def test_matrices_and_masked_arrays_are_refused(odd):
    for call in (grad(lambda x: np.mean(x * x)), scigrad.vmap(lambda x: x * x)):
        with pytest.raises(TypeError, match="Convert it"):
            call(odd)
    for use in (lambda x: x * odd, lambda x: np.multiply(odd, x)):
        with pytest.raises(TypeError, match="Convert it"):
            jvp(use, (np.eye(2),), (np.eye(2),))


def test_a_sparse_array_in_another_format_keeps_it():
    found = grad(lambda a: np.sum(a @ X))(scipy.sparse.dia_array(np.eye(3)))
    assert found.format == "dia"
    assert_close(found.toarray(), np.diag(X))


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (np.log, 0.0),
        (scigrad.special.logit, 0.0),
        (np.arcsinh, 0.5),
        (lambda z: np.abs(np.log(z)), 2j),
    ],
)
def test_a_python_number_is_differentiated_as_an_array_is(f, x):
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(grad(f)(x), grad(f)(np.asarray(x)))
        np.testing.assert_array_equal(jvp(f, (x,), (1.0,)), jvp(f, (np.asarray(x),), (1.0,)))


def test_a_python_number_does_not_widen_single_precision():
    x = X.astype(np.float32)
    value, gradient = value_and_grad(lambda c: np.sum(c * x))(2.0)
    assert value.dtype == np.float32
    assert_close(gradient, np.float64(np.sum(x)), 1e-6)


def test_hvp_takes_tuples():
    with pytest.raises(TypeError, match="tuples with one entry"):
        hvp(lambda x: x**2, 2.0, 1.0)
