"""Rules of elementwise functions on a device are one kernel, and what is no function of single
elements, or depends on values, is called as it is.
"""

import numpy as np
import pytest

from scigrad import elementwise, grad

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
