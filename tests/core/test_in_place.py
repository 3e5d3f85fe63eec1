"""x[i] = v on traced arrays: functional, right under views or an error; and what may not be stored
in plain arrays.
"""

import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import InPlaceError, TracedValueError, grad, jvp, vmap
from scigrad.testing import assert_close, gradcheck, gradgradcheck

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
ONES = np.ones(3)


def assign(index, value):
    """A function of x and v that changes a copy of x in place."""

    def f(x, v):
        y = x + 0 * np.sum(v)
        y[index] = value(x, v) if callable(value) else value
        return y

    return f


CASES = {
    "an element": ((0, 1), lambda x, v: v),
    "a row": (1, lambda x, v: v * x[0]),
    "broadcast into columns": ((slice(None), slice(None, None, 2)), lambda x, v: v),
    "a column of length one": ((slice(None), [0]), lambda x, v: x[:, 1:2] ** 2),
    "reversed": ((Ellipsis, slice(None, None, -1)), lambda x, v: x * v),
    "a mask": (X > 2.5, lambda x, v: v * x[0, 0]),
    "integers": ((np.array([0, 1, 1]), np.array([2, 0, 1])), lambda x, v: x[0] * v),
    "a number": ((slice(None), 1), 7.0),
    "a list of traced numbers": (0, lambda x, v: [v, 2.0, x[1, 1]]),
    "everything": (Ellipsis, lambda x, v: x * x * v),
    "nothing": ((slice(0, 0), 1), lambda x, v: v),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", [float, complex])
def test_assignment_is_right_in_every_mode(case, dtype):
    index, value = CASES[case]
    f, x, v = (
        assign(index, value),
        X.astype(dtype) * (1 + 0.3j if dtype is complex else 1),
        dtype(1.5),
    )
    v = np.asarray(v)
    gradcheck(f, x, v)
    gradgradcheck(f, x, v)
    batch = np.stack([x, 2 * x, x - 1]), np.stack([v, v + 1, v * 2])
    assert_close(vmap(f)(*batch), np.stack([f(*row) for row in zip(*batch, strict=True)]))
    assert_close(vmap(lambda x: f(x, v))(batch[0]), np.stack([f(row, v) for row in batch[0]]))
    assert_close(vmap(lambda v: f(x, v))(batch[1]), np.stack([f(x, row) for row in batch[1]]))


def test_of_a_repeated_index_the_last_value_counts():
    index = np.array([0, 2, 0])
    x, back = (
        X[0],
        grad(lambda v: np.sum(snp.set_at(X[0], index, v) * np.array([1.0, 10.0, 100.0]))),
    )
    assert_close(back(np.ones(3)), np.array([0.0, 100.0, 1.0]))
    assert_close(snp.set_at(x, index, np.array([7.0, 8.0, 9.0])), np.array([9.0, 2.0, 8.0]))


def test_an_argument_may_be_changed():
    def f(x):
        x[0] = x[1] * x[2]
        x[1:] *= 2
        x += 1
        return np.sum(x**2)

    def pure(x):
        return (x[1] * x[2] + 1) ** 2 + np.sum((2 * x[1:] + 1) ** 2)

    x = np.array([1.0, 2.0, 3.0])
    assert_close(grad(f)(x), grad(pure)(x))
    assert_close(x, np.array([1.0, 2.0, 3.0]))  # the caller's array is untouched
    assert_close(jvp(grad(f), (x,), (ONES,)), jvp(grad(pure), (x,), (ONES,)))
    assert_close(
        grad(lambda x: np.sum(np.sin(grad(f)(x))))(x),
        grad(lambda x: np.sum(np.sin(grad(pure)(x))))(x),
    )
    rows = np.stack([x, x + 1])
    assert_close(vmap(grad(f))(rows), vmap(grad(pure))(rows))
    assert_close(
        grad(lambda r: np.sum(vmap(f)(r)))(rows), grad(lambda r: np.sum(vmap(pure)(r)))(rows)
    )


def test_a_change_inside_does_not_reach_the_array_outside():
    def f(x):
        def inner(y):
            y[0] = 0.0
            return np.sum(y**2)

        return np.sum(grad(inner)(x)) + x[0]

    assert_close(grad(f)(ONES), np.array([1.0, 2.0, 2.0]))


def test_a_change_outside_does_not_reach_what_an_inner_transform_recorded():
    def f(x):
        x = x * 1

        def inner(y):
            z = y * x
            x[0] = 5.0
            return np.sum(z)

        return np.sum(grad(inner)(ONES))

    assert_close(grad(f)(np.array([1.0, 2.0, 3.0])), ONES)


def test_results_of_a_transform_can_be_assigned_to():
    def f(x):
        g = grad(lambda y: np.sum(np.reshape(y, (3, 1)) ** 2))(x)
        g[0] = 0.0
        b = vmap(lambda row: row[::-1])(np.stack([x, x]))
        b[0] = 1.0
        return np.sum(g) + np.sum(b)

    assert_close(grad(f)(ONES), np.array([1.0, 3.0, 3.0]))


def test_a_traced_value_is_not_stored_in_a_plain_array():
    def store(index, value):
        def f(x):
            out = np.zeros(3)
            out[index] = value(x)
            return np.sum(out)

        return f

    for mode in (
        grad,
        lambda f: lambda x: vmap(f)(np.stack([x, x])),
        lambda f: lambda x: jvp(f, (x,), (x,)),
    ):
        for f in (
            store(slice(None), lambda x: x[0]),
            store(0, lambda x: x[0, 0]),
            store(0, lambda x: np.sum(x)),
        ):
            with pytest.raises((TracedValueError, ValueError)) as caught:
                mode(f)(np.ones((3, 3)))
            error = (
                caught.value
                if isinstance(caught.value, TracedValueError)
                else caught.value.__cause__
            )
            assert isinstance(error, TracedValueError)
            assert "stack" in str(error)
    with pytest.raises(TracedValueError):
        grad(lambda x: np.sum(np.add.at(np.zeros(3), [0], x)))(ONES)


def test_values_that_do_not_fit_are_refused():
    def f(value, index=0):
        def g(x):
            x[index] = value
            return np.sum(x)

        return grad(g)(ONES)

    with pytest.raises(TypeError, match="imaginary part"):
        f(1j)
    with pytest.raises(TypeError, match="imaginary part"):
        f(np.array([1j, 2j, 3j]), slice(None))
    with pytest.raises(ValueError, match="broadcast"):
        f(np.ones(2), slice(None))
    with pytest.raises(IndexError, match="out of bounds"):
        f(1.0, 3)
    with pytest.raises(TypeError, match="drop its derivative"):
        grad(lambda x: np.sum(snp.set_at(np.arange(3), 0, x)))(1.0)
    with pytest.raises(InPlaceError, match="inner transform"):
        grad(lambda x: np.sum(vmap(lambda v: x.__setitem__(0, v))(ONES)))(ONES)


def test_the_dtype_of_the_array_stays():
    x = np.ones(3, np.float32)

    def f(x):
        x[0] = np.float64(3.0) * np.sum(x)
        assert x.dtype == np.float32
        return np.sum(x)

    assert grad(f)(x).dtype == np.float32


def test_masks_and_positions_may_be_batched():
    rows = np.array([[1.0, -2.0, 3.0], [-1.0, 5.0, -6.0]])
    where = np.array([2, 0])

    def clipped(x):
        x[x < 0] = 0.0
        return x

    def moved(x, i):
        y = x * 1
        y[i] = x[i - 1] * 10
        y[[0, 1], ...] += 1
        return y

    assert_close(vmap(clipped)(rows), np.maximum(rows, 0))
    assert_close(
        vmap(moved)(rows, where), np.stack([moved(x, i) for x, i in zip(rows, where, strict=True)])
    )
    assert_close(
        grad(lambda r: np.sum(vmap(moved)(r, where) ** 2))(rows),
        np.stack(
            [
                grad(lambda x, i=i: np.sum(moved(x, i) ** 2))(x)
                for x, i in zip(rows, where, strict=True)
            ]
        ),
    )
    with pytest.raises(TracedValueError, match="number of elements that depends"):
        vmap(lambda x: np.sum(x[x < 0]))(rows)
    with pytest.raises(TracedValueError, match=r"scigrad\.numpy\.where"):
        vmap(lambda x: x.__setitem__(x < 0, ONES[:2]))(rows)
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 3"):
        vmap(moved)(rows, where + 1)


WRITERS = {
    "copyto": lambda x, v: np.copyto(x, v, where=X > 2),
    "copyto everywhere": lambda x, v: np.copyto(x, v[:, :1]),
    "fill_diagonal": lambda x, v: np.fill_diagonal(x, v[0, 0]),
    "fill_diagonal with values": lambda x, v: np.fill_diagonal(x, v[0]),
    "place": lambda x, v: np.place(x, X > 1, v[0, :2]),
    "put": lambda x, v: np.put(x, [0, -1, 0], v[1, :2]),
    "put, wrapped": lambda x, v: np.put(x, [7, -9], v[1], mode="wrap"),
    "put_along_axis": lambda x, v: np.put_along_axis(x, np.array([[2], [0]]), v[:, :1], 1),
    "putmask": lambda x, v: np.putmask(x, X > 2, v[0, :2]),
    "add.at": lambda x, v: np.add.at(x, ([0, 0, 1], [1, 1, 2]), v[0]),
}


@pytest.mark.parametrize("name", WRITERS)
def test_numpy_s_functions_that_write_in_place(name):
    def f(x, v):
        y = (
            x + 0 * np.sum(v)
            if not isinstance(x, np.ndarray) or not isinstance(v, np.ndarray)
            else x.copy()
        )
        WRITERS[name](y, v)
        return y

    v = X * 0.7 + 1
    assert_close(jvp(f, (X, v), (X, v))[0], f(X, v))
    gradcheck(f, X, v)
    gradgradcheck(f, X, v)
    rows = np.stack([X, X - 3]), np.stack([v, v * 2])
    assert_close(vmap(f)(*rows), np.stack([f(*row) for row in zip(*rows, strict=True)]))


def test_a_tall_matrix_takes_its_diagonal_again_and_again():
    tall = np.arange(10.0).reshape(5, 2)

    def f(x):
        x = x * 1
        np.fill_diagonal(x, x[0, 1] * 2, wrap=True)
        return x

    assert_close(jvp(f, (tall,), (tall,))[0], f(tall))
    gradcheck(f, tall)
