"""What the laws cannot say of array functions: indices under vmap, other names for the same
function, costs.
"""

import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import TracedValueError, grad, jvp, vjp, vmap
from scigrad.autodiff_rules import graph
from scigrad.autodiff_rules.recording import Arguments
from scigrad.autodiff_rules.transforms import Recording
from scigrad.testing import assert_close, device, gradcheck, make_array

RNG = np.random.default_rng(20240501)
X = RNG.standard_normal((4, 2, 3, 5))
X += 0.2 * np.sign(X)  # away from 0, where masks change
ROWS, COLUMNS = RNG.integers(-2, 2, (4, 6)), RNG.integers(-3, 3, (4, 6))

READS = {
    "first axis": lambda x, i, j: x[i],
    "second axis": lambda x, i, j: x[:, j],
    "both": lambda x, i, j: x[i, j],
    "separated": lambda x, i, j: x[i, :, j],
    "a number": lambda x, i, j: x[i[0]],
    "numbers around a slice": lambda x, i, j: x[i[0], ::-1, j[0]],
    "new axis": lambda x, i, j: x[None, :, j],
    "ellipsis": lambda x, i, j: x[..., j],
    "beside an integer": lambda x, i, j: x[1, :, j],
    "behind an integer": lambda x, i, j: x[1, j],
    "beside a plain array": lambda x, i, j: x[i, np.array([[0], [1]])],
    "take": lambda x, i, j: np.take(x, j, 1),
    "take, clipped": lambda x, i, j: np.take(x, 5 * j, -1, mode="clip"),
    "take_along_axis": lambda x, i, j: np.take_along_axis(
        x, np.broadcast_to(j[:2, None, None], (2, 1, 5)), 1
    ),
    "roll": lambda x, i, j: np.roll(x, j[0], 1),
    "twice": lambda x, i, j: x[i][:, j],
}
WRITES = {
    "a constant": lambda x, i, j: snp.set_at(x, i, 1.5),
    "columns": lambda x, i, j: snp.set_at(x, (slice(None), j), x[:, :1] * 2),
    "separated": lambda x, i, j: snp.set_at(x, (i, slice(None), j), x[0, :, 0]),
    "in a view": lambda x, i, j: snp.set_at(
        x, (slice(1, None), j, slice(None, None, 2)), x[0, :1, ::2] * 3
    ),
    "an element": lambda x, i, j: snp.set_at(x, (i[0], j[0]), x[0, 0]),
    "repeated": lambda x, i, j: snp.set_at(x, i, np.stack([x[0] * k for k in range(6)])),
    "add": lambda x, i, j: snp.add_at(x, i, x[0]),
    "add in a view": lambda x, i, j: snp.add_at(x, (slice(None), j, slice(1, 3)), x[:, :1, :2]),
    "a mask": lambda x, i, j: snp.set_at(x, x > 0, 2.0),
    "a mask of rows": lambda x, i, j: snp.set_at(x, i[:2] > 0, x[0]),
}


@pytest.mark.parametrize("batched", [True, False], ids=["array batched", "array shared"])
@pytest.mark.parametrize("name", [*READS, *WRITES])
def test_indices_may_differ_between_the_elements_of_a_batch(name, batched):
    function = {**READS, **WRITES}[name]
    x, axes = (X, (0, 0, 0)) if batched else (X[0], (None, 0, 0))

    def value_and_pulled(x, i, j):
        out, back = vjp(lambda x: function(x, i, j), x)
        return out, back(np.cos(out))[0]

    expected = [value_and_pulled(X[k] if batched else x, ROWS[k], COLUMNS[k]) for k in range(4)]
    assert_close(
        vmap(value_and_pulled, in_axes=axes)(x, ROWS, COLUMNS),
        tuple(map(np.stack, zip(*expected, strict=True))),
    )

    def loss(x):
        return np.sum(np.sin(vmap(function, in_axes=axes)(x, ROWS, COLUMNS)))

    gradcheck(grad(loss), x + 0.01)


def test_indices_at_two_levels():
    def outer(i):
        return vmap(lambda j: snp.take(X[0, 0], i, 0)[j] * snp.getitem(X[0, 1], (i, j)))(
            np.arange(5)
        )

    expected = [X[0, 0, i, :] * X[0, 1, i, :] for i in range(3)]
    assert_close(vmap(outer)(np.arange(3)), np.stack(expected))


def test_a_plain_array_is_not_indexed_by_a_traced_position():
    with pytest.raises(TracedValueError, match=r"scigrad\.numpy\.take"):
        vmap(lambda i: X[0][i])(np.arange(2))


ALIASES = {
    "matmul": lambda x: np.linalg.matmul(x, x),
    "outer": lambda x: np.linalg.outer(x[0], x[1]),
    "tensordot": lambda x: np.linalg.tensordot(x, x, axes=1),
    "vecdot": lambda x: np.linalg.vecdot(x, x, axis=0),
    "cross": lambda x: np.linalg.cross(x, x[::-1]),
    "trace": lambda x: np.linalg.trace(x, offset=1),
    "diagonal": lambda x: np.linalg.diagonal(x),
    "matrix_transpose": lambda x: np.linalg.matrix_transpose(x),
    "ufunc vecdot": lambda x: np.vecdot(x, x, axis=0),
    "ufunc vecdot, kept": lambda x: snp.vecdot(x, x, axis=0, keepdims=True),
    "sliding windows": lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2), (0, 1)),
    "sliding windows of one axis": lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, -1),
}


@pytest.mark.parametrize("name", ALIASES)
def test_the_same_functions_under_other_names_of_numpy(name):
    x = X[0, :, :, :3].sum(0)
    assert_close(jvp(ALIASES[name], (x,), (x,))[0], ALIASES[name](x))
    gradcheck(ALIASES[name], x)


def test_the_order_of_products_follows_from_shapes():
    a, b = X[0, 0], X[1, 0].T
    found = []
    vmap(lambda a: found.append(np.einsum_path("ij,jk,kl", a, b, a)) or a)(a[None])
    assert found == [np.einsum_path("ij,jk,kl", a, b, a)]


def test_a_batch_of_products_with_one_matrix_is_one_product():
    """The cotangent of a matrix shared by a batch is summed inside a product, not over a batch of
    matrices.
    """
    x, y = RNG.standard_normal((50, 2, 3)), RNG.standard_normal((3, 4))
    pullback = vjp(lambda y: snp.matmul(x, y), y)[1]
    recording = Recording(pullback, Arguments("vjp", (np.ones((50, 2, 4)),), None), {})
    assert [
        kept[2].shape
        for _, primitive, kept, _ in graph.sort_nodes(recording.nodes)
        if primitive is snp.matmul
    ] == [(3, 4)]


def test_bincount_of_traced_weights_refuses_what_numpy_refuses():
    for numbers, error in (
        ([0, -1], ValueError),
        ([[0, 1]], ValueError),
        (np.array([0.5, 1]), TypeError),
    ):
        with pytest.raises(error):
            grad(lambda w, numbers=numbers: np.sum(np.bincount(numbers, w)))(
                np.ones(np.shape(numbers))
            )
    assert jvp(lambda w: np.bincount([], w, 2), (np.ones(0),), (np.ones(0),))[0].tolist() == [0, 0]
    with pytest.raises(TracedValueError, match="bincount"):
        vmap(lambda i: np.bincount(i, minlength=3))(np.array([[0, 1], [1, 1]]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.linspace(x, 1, 3),
        lambda x: np.linspace(0.5, x, 3),
        lambda x: np.linspace(x, np.float64(1), 3),
        lambda x: np.linspace(x, np.array([1, 2]), 3),
        lambda x: np.logspace(x, 2, 3),
        lambda x: np.geomspace(1, x, 3),
        lambda x: np.histogram_bin_edges(np.real(x), 3),
        lambda x: np.histogram(np.real(x), 3, (-2, 5))[1],
    ],
)
def test_python_numbers_do_not_widen_a_sequence(function, dtype):
    x = np.array([0.3, 0.9], dtype)
    out = vjp(function, x)[0]
    assert out.dtype == function(x).dtype
    np.testing.assert_allclose(out, function(x), rtol=1e-5)


def test_a_sequence_from_a_number_to_an_array_on_a_device():
    x = device.wrap(np.array([0.5, 2.0]))
    for function in (
        lambda x: np.linspace(0, x, 3),
        lambda x: np.linspace(x, 1, 3),
        lambda x: np.geomspace(1, x, 3),
    ):
        assert_close(device.unwrap(vjp(function, x)[0]), function(np.array([0.5, 2.0])))


def test_reductions_of_nothing_but_an_initial_value():
    for function in (
        lambda x: np.max(x, initial=0.5),
        lambda x: np.min(x, axis=1, initial=2.0),
        lambda x: np.max(x, 1, None, True, 3.0),
        lambda x: np.cumulative_sum(x, axis=1, include_initial=True),
        lambda x: np.cumulative_prod(x, axis=-1, include_initial=True),
    ):
        x = np.zeros((2, 0))
        assert_close(vjp(function, x)[0], function(x))
        assert_close(vmap(function)(x[None])[0], function(x))


@pytest.mark.parametrize("function", [np.median, np.nanmedian])
def test_an_infinity_above_the_median_stays_out_of_it(function):
    inf = np.inf
    for x in (
        [1.0, 2.0, inf],
        [-inf, 1.0, 2.0, inf],
        [1.0, inf, inf, inf],
        [3.0, 1.0],
        [-inf, 1.0, 2.0],
        [1.0, inf],
    ):
        x = np.array(x)
        assert_close(vjp(function, x)[0], function(x))
        assert_close(vmap(function)(x[None])[0], function(x))
    assert_close(grad(function)(np.array([1.0, 2.0, inf])), np.array([0.0, 1.0, 0.0]))


def test_polynomials_with_rows_of_coefficients():
    p, x = RNG.standard_normal((3, 2)), RNG.standard_normal((4, 2))
    gradcheck(np.polyval, p, x)
    assert_close(vmap(np.polyval, (0, None))(np.stack([p, 2 * p]), x)[1], np.polyval(2 * p, x))


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_last_of_several_values_remains_whatever_the_order_of_the_index_in_memory(
    order, device
):
    given = np.array([[1.0, 2.0], [3.0, 4.0]], order=order), np.array([[0, 1], [1, 0]], order=order)
    kept = np.array([[4.0, 0.0], [0.0, 3.0]])
    values, i = make_array(given, device)

    def assigned(v):
        return snp.set_at(snp.zeros_like(v), (i, i), v)

    assert_close(jvp(assigned, (values,), (values,)), (kept, kept))
    assert_close(
        grad(lambda v: snp.sum(assigned(v) ** 2))(values), np.array([[0.0, 0.0], [6.0, 8.0]])
    )
