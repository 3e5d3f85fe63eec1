"""Tests of numpy.r_ and numpy.c_, the arrays joined in brackets, against NumPy's own on plain
arrays.
"""

import numpy
import pytest

from scigrad import jacobian
from scigrad import numpy as np

X, Y = numpy.array([1.0, 2.0, 3.0]), numpy.array([4.0, -1.0, 0.5])
JOINED = {
    "numbers": lambda xp, x: xp.r_[x, 1.0, x[0]],
    "ranges": lambda xp, x: xp.r_[0:2, x, -1:1:5j],
    "one": lambda xp, x: xp.r_[x],
    "rows": lambda xp, x: xp.r_[x[None], numpy.ones((2, 3))],
    "columns": lambda xp, x: xp.c_[x, Y, 2 * x],
    "beside a matrix": lambda xp, x: xp.c_[numpy.ones((3, 2)), x],
    "lists": lambda xp, x: (
        xp.r_[[1.0, 2.0], [x[1], x[0]]] if xp is np else xp.r_[[1.0, 2.0], xp.stack([x[1], x[0]])]
    ),
}


@pytest.mark.parametrize("f", JOINED.values(), ids=JOINED.keys())
def test_values_and_derivatives(f):
    numpy.testing.assert_array_equal(f(np, X), f(numpy, X), strict=True)
    # the elements are affine in x, with small integers
    columns = [f(numpy, X + e) - f(numpy, X) for e in numpy.eye(3)]
    numpy.testing.assert_allclose(
        jacobian(lambda x: f(np, x))(X), numpy.stack(columns, -1), rtol=1e-14
    )


def test_directives():
    numpy.testing.assert_array_equal(
        np.r_["-1", X[None], Y[None]], numpy.r_["-1", X[None], Y[None]]
    )
    with pytest.raises(ValueError, match=r"r_ takes no directive beside traced values\. Use"):
        jacobian(lambda x: np.r_["0,2", x, Y])(X)
