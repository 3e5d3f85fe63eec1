"""Squares of functions with a kink: |z|^2, norm(x)^2, hypot^2, std^2 are smooth where |z|, norm(x),
... are not.
"""

import tracemalloc
from typing import Any

import numpy as np
import pytest

import scigrad as sg
from scigrad import fft, linalg

X = np.array([0.3, -0.7])
# Each function of a vector of two, and the smooth function that it is.
SQUARES: dict[str, tuple[Any, Any]] = {
    "abs**2": (lambda x: np.sum(np.abs(x) ** 2), lambda x: np.sum(x * x)),
    "abs**2.0": (lambda x: np.sum(abs(x) ** 2.0), lambda x: np.sum(x * x)),
    "abs**4": (lambda x: np.sum(np.abs(x) ** 4), lambda x: np.sum(x * x * x * x)),
    "abs**-2, away from 0": (
        lambda x: np.sum(np.abs(x + 3) ** -2),
        lambda x: np.sum(1 / ((x + 3) * (x + 3))),
    ),
    "square": (lambda x: np.sum(np.square(np.abs(x))), lambda x: np.sum(x * x)),
    "itself times itself": (
        lambda x: (lambda y: np.sum(y * y))(np.abs(x)),
        lambda x: np.sum(x * x),
    ),
    "two moduli": (lambda x: np.sum(np.abs(x) * np.abs(x)), lambda x: np.sum(x * x)),
    "fabs": (lambda x: np.sum(np.fabs(x) ** 2), lambda x: np.sum(x * x)),
    "float_power": (lambda x: np.sum(np.float_power(np.abs(x), 2)), lambda x: np.sum(x * x)),
    "a modulus of a modulus": (
        lambda x: np.sum(np.abs(-2 * np.abs(x)) ** 2),
        lambda x: 4 * np.sum(x * x),
    ),
    "a multiple": (
        lambda x: np.sum((np.abs(x) / 2 * np.arange(1, 3)) ** 2),
        lambda x: np.sum((x * np.arange(1, 3) / 2) ** 2),
    ),
    "a multiple that varies": (
        lambda x: np.sum((np.abs(x) * np.exp(x)) ** 2),
        lambda x: np.sum((x * np.exp(x)) ** 2),
    ),
    "a part": (lambda x: np.abs(x)[1] ** 2, lambda x: x[1] * x[1]),
    "another shape": (lambda x: np.sum(np.abs(x).reshape(2, 1).T ** 2), lambda x: np.sum(x * x)),
    "a row": (lambda x: np.sum(np.abs(x)[None, :] ** 2), lambda x: np.sum(x * x)),
    "rolled": (
        lambda x: np.sum(np.roll(np.abs(x), 1) ** 2 * [1, 2]),
        lambda x: 2 * x[0] * x[0] + x[1] * x[1],
    ),
    "shifted": (
        lambda x: np.sum(np.fft.fftshift(np.abs(x)) ** 2 * [1, 2]),
        lambda x: 2 * x[0] * x[0] + x[1] * x[1],
    ),
    "shifted back": (
        lambda x: np.sum(fft.ifftshift(x=abs(x[:, None]), axes=0) ** 2),
        lambda x: np.sum(x * x),
    ),
    "padded": (
        lambda x: np.sum(np.pad(np.abs(x), 2) ** 2 * [9, 9, 1, 2, 9, 9]),
        lambda x: x[0] * x[0] + 2 * x[1] * x[1],
    ),
    "padded by itself": (
        lambda x: np.sum(np.pad(np.abs(x), 1, "wrap") ** 2),
        lambda x: 2 * np.sum(x * x),
    ),
    "triangle": (
        lambda x: np.sum(np.triu(np.abs(x)) ** 2),
        lambda x: x[0] * x[0] + 2 * x[1] * x[1],
    ),
    "on a diagonal": (lambda x: np.sum(np.diag(np.abs(x), 1) ** 2), lambda x: np.sum(x * x)),
    "framed": (
        lambda x: np.sum(np.pad(np.abs(x), 1, constant_values=(2.0, 3.0)) ** 2),
        lambda x: np.sum(x * x) + 13,
    ),
    "stacked": (
        lambda x: np.sum(np.stack([np.abs(x), x, [3, 4]], 1) ** 2),
        lambda x: 2 * np.sum(x * x) + 25,
    ),
    "joined": (
        lambda x: np.sum(np.concatenate([np.abs(x), 3 * x[:1]]) ** 2),
        lambda x: np.sum(x * x) + 9 * x[0] * x[0],
    ),
    "in rows": (
        lambda x: np.sum(np.vstack([np.hypot(x, 0), x, np.ones(2)]) ** 2),
        lambda x: 2 * np.sum(x * x) + 2,
    ),
    "taken": (lambda x: np.sum(np.take(np.abs(x), [1, 1]) ** 2), lambda x: 2 * x[1] * x[1]),
    "norm": (lambda x: np.linalg.norm(x) ** 2, lambda x: np.sum(x * x)),
    "norm along an axis": (
        lambda x: np.sum(linalg.norm(x[:, None], axis=0, keepdims=True) ** 2),
        lambda x: np.sum(x * x),
    ),
    "Frobenius": (
        lambda x: linalg.norm(np.outer([1, 2], x), "fro") ** 2,
        lambda x: 5 * np.sum(x * x),
    ),
    "norm of moduli": (lambda x: linalg.norm(np.abs(x)) ** 2, lambda x: np.sum(x * x)),
    "scaled norm": (lambda x: (linalg.norm(x) / 3) ** 2, lambda x: np.sum(x * x) / 9),
    "hypot": (lambda x: np.hypot(x[0], x[1]) ** 2, lambda x: np.sum(x * x)),
    "hypot of hypot": (
        lambda x: np.hypot(np.hypot(x[0], x[1]), 2 * x[1]) ** 2,
        lambda x: x[0] * x[0] + 5 * x[1] * x[1],
    ),
    "std": (lambda x: np.std(x) ** 2, np.var),
    "nanstd": (lambda x: np.nanstd(x) ** 2, np.var),
    "spectrum": (lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2), lambda x: 2 * np.sum(x * x)),
    "complex": (lambda x: np.sum(np.abs(x[0] + 1j * x[1]) ** 2), lambda x: np.sum(x * x)),
    "a multiple that vanishes": (
        lambda x: (np.abs(x[1] - 0.8) * x[0]) ** 2,
        lambda x: (x[1] - 0.8) * (x[1] - 0.8) * x[0] * x[0],
    ),
    "a multiple by 0": (
        lambda x: (np.hypot(x[1], 1) * x[0]) ** 2,
        lambda x: (x[1] * x[1] + 1) * x[0] * x[0],
    ),
    "a quotient that vanishes": (
        lambda x: (x[0] / np.abs(x[1] + 2)) ** 2,
        lambda x: x[0] * x[0] / ((x[1] + 2) * (x[1] + 2)),
    ),
    "minus times minus": (lambda x: (lambda y: np.sum(y * y))(-np.abs(x)), lambda x: np.sum(x * x)),
    "masked": (
        lambda x: np.sum(np.where(x < 0.5, np.abs(x), 0) ** 2),
        lambda x: np.sum(np.where(x < 0.5, x * x, 0)),
    ),
    "small integers": (
        lambda x: np.sum((np.abs(x) * np.array([200, 3], np.uint8)) ** 2),
        lambda x: (x * x) @ [4e4, 9],
    ),
    "hypot with integers": (
        lambda x: np.sum(np.hypot(x, np.array([200, 3], np.uint8)) ** 2),
        lambda x: np.sum(x * x) + 40009,
    ),
}
POINTS = {"at the kink": np.zeros(2), "on one axis": np.array([0.0, 0.8]), "beside it": X}


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("name", SQUARES)
def test_a_square_is_smooth_to_every_order(name: str, point: str) -> None:
    kinked, smooth = SQUARES[name]
    x = POINTS[point]
    np.testing.assert_allclose(sg.grad(kinked)(x), sg.grad(smooth)(x), rtol=1e-13, atol=1e-15)
    truth = sg.hessian(smooth)(x)
    for hessian in (
        sg.hessian,
        lambda f: sg.jacrev(sg.jacrev(f)),
        lambda f: sg.jacfwd(sg.jacfwd(f)),
        _of_reverse_over_forward,
    ):
        np.testing.assert_allclose(hessian(kinked)(x), truth, rtol=1e-12, atol=1e-14)
    batch = np.stack([x, X])
    np.testing.assert_allclose(
        sg.vmap(sg.hessian(kinked))(batch),
        sg.vmap(sg.hessian(smooth))(batch),
        rtol=1e-12,
        atol=1e-14,
    )
    third = sg.jacfwd(sg.hessian(smooth))(x)
    np.testing.assert_allclose(sg.jacfwd(sg.hessian(kinked))(x), third, rtol=1e-11, atol=1e-13)


def _of_reverse_over_forward(f: Any) -> Any:
    return sg.jacrev(sg.jacfwd(f))


def test_a_function_that_vmap_maps_knows_the_squares() -> None:
    def loss(z: Any) -> Any:
        return np.sum(sg.vmap(lambda row: np.abs(row) ** 2)(z))

    np.testing.assert_allclose(sg.hessian(loss)(np.zeros((2, 1))).reshape(2, 2), 2 * np.eye(2))


def test_the_square_is_of_the_value_that_the_modulus_was_taken_of() -> None:
    def overwritten(x: Any) -> Any:
        z = 1 * x
        y = np.abs(z)
        z[0] = 5.0
        return np.sum(y**2)

    np.testing.assert_array_equal(sg.grad(overwritten)(X), 2 * X)
    np.testing.assert_array_equal(sg.hessian(overwritten)(np.zeros(2)), 2 * np.eye(2))


def test_what_is_written_into_a_modulus_counts() -> None:
    def refilled(x: Any) -> Any:
        y = np.abs(x)
        y[0] = 3 * x[1]
        y += 1
        return np.sum(y**2)

    np.testing.assert_allclose(sg.grad(refilled)(X), [0, 6 * (3 * X[1] + 1) + 2 * (X[1] - 1)])


def test_two_moduli_of_different_arrays_are_no_square() -> None:
    def product(x: Any) -> Any:
        return np.abs(x[0]) * np.abs(x[1])

    np.testing.assert_allclose(sg.hessian(product)(X), [[0, -1], [-1, 0]])


def test_plus_times_minus_is_no_square() -> None:
    def product(x: Any) -> Any:
        y = np.abs(x)
        return +y * -y

    assert sg.value_and_grad(product)(0.5) == (-0.25, -1.0)


def test_odd_powers_keep_their_kink() -> None:
    assert sg.grad(lambda x: np.abs(x) ** 3)(-2.0) == -12.0
    assert sg.grad(sg.grad(lambda x: np.abs(x) ** 3))(0.0) == 0.0
    assert sg.grad(lambda x: np.abs(x) ** 1)(0.0) == 0.0
    np.testing.assert_array_equal(
        sg.hessian(lambda x: np.sum(np.abs(x)))(np.zeros(2)), np.zeros((2, 2))
    )


@pytest.mark.parametrize("unit", [1e-30, 1e30])
def test_a_scaled_square_stays_in_range(unit: float) -> None:
    x = np.array([3, 4], np.float32) * np.float32(unit)  # float32 cannot hold its squares

    def loss(x: Any) -> Any:
        return np.sum((np.abs(x) / np.float32(unit)) ** 2)

    value, gradient = sg.value_and_grad(loss)(x)
    assert value.dtype == np.float32
    assert value == pytest.approx(25, rel=1e-6)
    np.testing.assert_allclose(gradient * np.float32(unit), [6, 8], rtol=1e-6)


def test_the_dtype_is_the_one_that_numpy_computes() -> None:
    def dtype(x: Any, exponent: Any) -> Any:
        return sg.eval_shape(lambda x: np.abs(x) ** exponent, x).dtype

    for exponent in (2, 2.0, np.float32(2), np.float64(2), np.float64(4)):
        x = np.ones(2, np.float32)
        assert dtype(x, exponent) == (np.abs(x) ** exponent).dtype


def test_a_long_product_of_moduli_neither_recurses_nor_forgets_its_first_derivative() -> None:
    def loss(x: Any) -> Any:
        y = np.abs(x)
        for _ in range(3000):
            y = y * 1.0
        return np.sum(y**2)

    np.testing.assert_allclose(sg.grad(loss)(X), 2 * X)


def test_lists_beside_a_modulus() -> None:
    np.testing.assert_allclose(
        sg.grad(lambda x: np.sum(np.multiply(np.abs(x), [1, 2])))(X), [1, -2]
    )
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(np.outer([1, 2], x)))(X), [3, 3])


def _view_of_what_changes(x: Any, power: Any) -> Any:
    y = np.abs(x)
    part = y[:1]
    y[0] = 3 * x[1]
    return np.sum(power(part))


def _changed_through_a_view(x: Any, power: Any) -> Any:
    y = np.abs(x)
    part = y[:1]
    part += 1
    return np.sum(power(y))


@pytest.mark.parametrize("power", [lambda y: y**2, lambda y: y**4, np.square, lambda y: y * y])
@pytest.mark.parametrize("function", [_view_of_what_changes, _changed_through_a_view])
def test_squares_of_what_changes_through_a_view(function: Any, power: Any) -> None:
    step = 1e-6 * np.eye(2)
    slopes = [(function(X + s, power) - function(X - s, power)) / 2e-6 for s in step]
    np.testing.assert_allclose(sg.grad(function)(X, power), slopes, rtol=1e-7)


@pytest.mark.fills_arrays
def test_a_plain_array_that_is_filled_again_does_not_change_the_square() -> None:
    def reused(x: Any) -> Any:
        index, factor = np.array([0, 1]), np.array([0.0, 2.0])
        y = np.abs(x)[index] * factor
        index[:], factor[:] = 0, 5
        return np.sum(y**2)

    assert sg.value_and_grad(reused)(X)[0] == pytest.approx(4 * X[1] ** 2)
    assert sg.jvp(reused, (X,), (np.ones(2),)) == pytest.approx((4 * X[1] ** 2, 8 * X[1]))


def test_integers_keep_their_own_powers() -> None:
    """Under vmap integers are traced, too."""
    n = np.array([1, -2, 100], np.int8)
    for function in (
        lambda n: np.abs(n) ** 4,
        lambda n: np.abs(n) ** 2,
        lambda n: np.abs(n / 2).astype(int) ** 2,
    ):
        found = sg.vmap(function)(n)
        np.testing.assert_array_equal(found, function(n))
        assert found.dtype == function(n).dtype
    with pytest.raises(ValueError, match="negative integer powers"):
        sg.vmap(lambda n: np.abs(n) ** -2)(n)
    assert sg.value_and_grad(lambda x: np.hypot(x, np.int64(4_000_000_000)) ** 2)(3.0) == (
        1.6e19,
        6.0,
    )
    np.testing.assert_allclose(sg.grad(lambda x: np.sum(np.hypot(x, [3, 4]) ** 2))(X), 2 * X)


@pytest.mark.parametrize(
    "select",
    [
        lambda y: y[1:],
        lambda y: y[np.array([False, True])],
        lambda y: np.where([False, True], y, 0),
    ],
)
@pytest.mark.parametrize("dtype", [float, complex])
def test_an_infinity_that_is_left_out_has_the_gradient_zero(select: Any, dtype: Any) -> None:
    x = np.array([np.inf, 3.0], dtype)
    np.testing.assert_array_equal(sg.grad(lambda x: np.sum(select(np.abs(x)) ** 2))(x), [0, 6])


def test_what_out_leaves_as_it_was_is_no_modulus() -> None:
    def partly(x: Any) -> Any:
        y = 1.0 * x
        sg.numpy.abs(x, out=y, where=np.array([True, False]))
        return np.sum(y**3 * y**2)

    np.testing.assert_allclose(sg.grad(partly)(-np.ones(2)), [-5, 5])


@pytest.mark.parametrize(
    "step",
    [
        lambda y: y * 1.5,
        lambda y: np.abs(y * 0.9),
        lambda y: (y / 2) * (y / 3),
        lambda y: np.hypot(y, 1),
    ],
)
def test_what_is_remembered_stays_small(step: Any) -> None:
    """However long a loop runs: its steps are not kept, and the square takes no more time at the
    end.
    """

    def last(x: Any, count: int) -> Any:
        y = np.abs(x)
        for _ in range(count):
            y = step(y)
        return np.sum(y**2)

    x = np.full(10000, 0.5)
    short, long = (_peak(lambda n=n: sg.jvp(lambda x: last(x, n), (x,), (x,))) for n in (30, 90))
    assert long < 1.1 * short < 60 * x.nbytes


def _peak(run: Any) -> int:
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
