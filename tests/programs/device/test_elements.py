"""Rules of elementwise functions on a device are one kernel, and what is no function of single
elements, or depends on values, is called as it is.
"""

import numpy as np
import pytest

from scigrad import elementwise, grad, special
from scigrad.numpy.devices import constant_beside, place_beside
from scigrad.programs.device import elements

cupy = pytest.importorskip("cupy", reason="these are rules of CuPy arrays")

VALUES = np.linspace(0.3, 2.0, 400).reshape(4, 100)


@elementwise
def of_all(x):
    return x * x


@of_all.partials
def _(call):
    return (lambda: 2 * call.x + 0 * np.sum(call.x),)  # a sum over all elements is none


@elementwise
def branching(x):
    return x * x


@branching.partials
def _(call):
    return (lambda: 2 * call.x if np.any(call.x > 0) else 0 * call.x,)


@pytest.mark.parametrize("f", [of_all, branching])
def test_what_is_no_function_of_elements_is_called(f):
    x = cupy.asarray(VALUES)
    found = grad(lambda x: np.sum(f(x)))(x)
    np.testing.assert_allclose(found.get(), 2 * VALUES, rtol=1e-15)


def test_signs_of_zero_and_many_numbers():
    x = cupy.asarray(VALUES)
    for number in [0.0, -0.0, *np.linspace(1.0, 3.0, 20).tolist()]:
        found = grad(lambda x, number=number: np.sum(np.arctan2(x, number)))(x).get()
        expected = grad(lambda x, number=number: np.sum(np.arctan2(x, number)))(VALUES)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_broadcast_arguments_and_dtypes():
    x, row = cupy.asarray(VALUES.astype(np.float32)), cupy.asarray(VALUES[0] * (1 + 2j))

    def loss(x, row):
        return np.sum(np.abs(np.sin(x) * row) ** 1.5)

    given = VALUES.astype(np.float32), VALUES[0] * (1 + 2j)
    for found, expected in zip(grad(loss, (0, 1))(x, row), grad(loss, (0, 1))(*given), strict=True):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found.get(), expected, rtol=1e-5)


@elementwise
def by_table(x):
    return x * x


@by_table.partials
def _(call):
    def slope():
        at = np.array([[1.0], [-1.0]], like=call.x) if type(call.x) is np.ndarray else pairs
        values = special.gammainc(2.5, call.x + at * 0.125)
        return np.sum(at * values, axis=0) + np.max(values, axis=0)

    return (slope,)


@elementwise
def of_neighbors(x):
    return x * x


@of_neighbors.partials
def _(call):
    return (lambda: 2 * call.x + 0 * np.flip(call.x, axis=-1),)


pairs = cupy.asarray([[1.0], [-1.0]])
ROW = VALUES[0]


def test_several_numbers_of_an_element_and_their_sums_are_in_its_kernel():
    found = grad(lambda x: np.sum(by_table(x)))(cupy.asarray(ROW))
    expected = grad(lambda x: np.sum(by_table(x)))(ROW)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-14)
    assert elements.in_one_kernel(lambda x: [np.sum(x * pairs, axis=0)], "sum", [cupy.ones(3)])


def test_other_elements_are_none_of_the_kernel():
    found = grad(lambda x: np.sum(of_neighbors(x)))(cupy.asarray(ROW))
    np.testing.assert_allclose(found.get(), 2 * ROW, rtol=1e-15)
    given = [cupy.asarray(ROW)]
    for key, f in {"flip": np.flip, "roll": lambda x: np.roll(x, 1), "cumsum": np.cumsum}.items():
        assert elements.in_one_kernel(lambda x, f=f: [x * f(x) + 1], key, given) is None
    sums = elements.in_one_kernel(lambda x: [np.sum(x * pairs, axis=1) + x], "rows", given)
    assert sums is None


@pytest.mark.parametrize("name", ["betainc", "zeta", "gammainc", "digamma"])
def test_derivatives_by_differences_and_integrals(name):
    f, count = getattr(special, name), {"betainc": 3, "digamma": 1}.get(name, 2)
    given = [np.linspace(*ends, 40) for ends in ((1.5, 4.0), (0.7, 3.0), (0.1, 0.9))[:count]]
    slopes = grad(lambda *x: np.sum(f(*x)), tuple(range(count)))
    for found, expected in zip(slopes(*map(cupy.asarray, given)), slopes(*given), strict=True):
        np.testing.assert_allclose(found.get(), expected, rtol=1e-10)


def test_constants_are_sent_once_and_what_a_caller_gets_is_its_own():
    values, x = np.arange(5.0), cupy.ones(1)
    first = constant_beside(values, x)
    assert constant_beside(values.copy(), x) is first
    assert constant_beside(values.astype(np.float32), x.astype(np.float32)) is not first
    place_beside(values, x)[:] = 0
    np.testing.assert_array_equal(place_beside(values, x).get(), values)
