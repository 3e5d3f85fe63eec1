"""Exponentials times vectors for any range of t, and beside NaN in another element of a batch."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

from scigrad import grad, sparse, vmap
from scigrad.testing import assert_close

DRAW = np.random.default_rng(4)
A, B = DRAW.normal(size=(5, 5)), DRAW.normal(size=(5, 2))
# SciPy's are right for the first and the last
RANGES = [(0, 1, 3), (1, 0, 3), (1, 1, 2), (0, -1, 4), (-1, 1, 5), (-2, -1, 3), (10, 10.1, 3)]
RANGES += [(0.5, 1, 4)]


@pytest.mark.parametrize(("start", "stop", "num"), RANGES)
@pytest.mark.parametrize(
    ("kind", "size"),
    [
        (np.asarray, 1),
        (np.asarray, 4),
        (scipy.sparse.csr_array, 1),
        (scipy.sparse.linalg.aslinearoperator, 1),
    ],
)
@pytest.mark.filterwarnings("ignore:Trace of LinearOperator")
def test_a_range_of_t_may_begin_and_end_anywhere(kind, start, stop, num, size):
    a = size * A
    for endpoint in (True, False):
        times = np.linspace(start, stop, num, endpoint=endpoint)
        expected = np.stack([scipy.linalg.expm(t * a) @ B for t in times])

        def values(b, endpoint=endpoint):
            return sparse.linalg.expm_multiply(kind(a), b, start, stop, num, endpoint)

        for found in (values(B), vmap(values)(B[None])[0]):
            for row, truth in zip(found, expected, strict=True):
                assert_close(row, truth, rtol=1e-7)  # exp(40 A) is ill-conditioned
        if kind is not scipy.sparse.linalg.aslinearoperator:
            assert_close(
                grad(lambda b: values(b)[-1, 0, 0])(B)[:, 0],
                scipy.linalg.expm(times[-1] * a)[0],
                rtol=1e-7,
            )


def test_a_range_of_t_needs_both_ends():
    for limits in ({"start": 0.0}, {"stop": 1.0}, {"num": 3}):
        with pytest.raises(ValueError, match="expm_multiply: a range of t needs both"):
            sparse.linalg.expm_multiply(A, B, **limits)


def test_nan_in_one_element_of_a_batch_takes_no_steps_from_the_others():
    batch, products = np.stack([np.nan * A, 20 * A]), []

    def exponential(a):
        def product(v, a):
            products.append(v)
            return a @ v

        operator = sparse.linalg.linear_operator(product, a, shape=(5, 5))
        return sparse.linalg.expm_multiply(operator, B, traceA=0.0)

    found = vmap(exponential)(batch)
    assert np.isnan(found[0]).all()
    assert_close(found[1], scipy.linalg.expm(20 * A) @ B, rtol=1e-9)
    of_both = len(products)
    vmap(exponential)(batch[1:])
    assert of_both <= 2 * (len(products) - of_both)
