"""Sparse arrays made of diagonals: formats, and that a traced one is what SciPy makes of the same
values.
"""

import numpy as np
import pytest
import scipy.sparse

from scigrad import grad, sparse, stop_gradient
from scigrad.testing import assert_close

SIDE, MIDDLE = np.array([1.0, -0.5]), np.array([2.0, 3.0, 0.0])


def test_the_format_of_plain_diagonals_is_scipy_s():
    for name, kind in (("diags_array", scipy.sparse.dia_array), ("diags", scipy.sparse.dia_matrix)):
        made = getattr(sparse, name)([SIDE, MIDDLE], offsets=[1, 0])
        assert type(made) is kind
        assert made.toarray().tolist() == [[2, 1, 0], [0, 3, -0.5], [0, 0, 0]]
    assert sparse.diags_array([1, 2], dtype=None).dtype.kind == "i"


@pytest.mark.parametrize("form", [None, "csr", "csc", "coo"])
@pytest.mark.parametrize("name", ["diags_array", "diags"])
def test_a_traced_one_stores_its_zeros_and_is_csr_if_nothing_else_was_asked(name, form):
    def loss(side, middle):
        a = getattr(sparse, name)([side, 2.0 * middle, side], offsets=[-1, 0, 1], format=form)
        assert (a.format, a.nnz, a.shape) == (form or "csr", 7, (3, 3))
        product = a * a if name == "diags" else a @ a
        assert_close(stop_gradient(product.toarray()), dense @ dense)
        return np.sum(np.sin(product.toarray()))

    dense = np.diag(SIDE, -1) + np.diag(2 * MIDDLE) + np.diag(SIDE, 1)
    by_hand = grad(
        lambda s, m: np.sum(
            np.sin(np.linalg.matrix_power(np.diag(s, -1) + np.diag(2 * m) + np.diag(s, 1), 2))
        ),
        (0, 1),
    )
    for found, expected in zip(
        grad(loss, (0, 1))(SIDE, MIDDLE), by_hand(SIDE, MIDDLE), strict=True
    ):
        assert_close(found, expected)


def test_a_list_of_traced_numbers_is_one_diagonal():
    assert grad(lambda x: sparse.diags_array([x, 2 * x], offsets=1).toarray()[1, 2])(1.5) == 2


def test_none_is_no_diagonal():
    for diagonals in ([[None]], [None, SIDE], [SIDE, None]):
        with pytest.raises(TypeError, match="a diagonal is None"):
            sparse.diags(diagonals, list(range(len(diagonals))))
    with pytest.raises(TypeError, match="a diagonal is None"):
        grad(lambda x: sparse.diags_array([x, None], offsets=[0, 1]).sum())(MIDDLE)


def test_subscripts_are_for_annotations():
    assert sparse.csr_array[np.float64].__origin__ is sparse.csr_array
    assert isinstance(sparse.diags_array([MIDDLE], offsets=[0], format="csr"), sparse.csr_array)
