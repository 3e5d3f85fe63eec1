"""softmax and log_softmax of values far apart, graphs of a million nodes."""

import numpy as np
import scipy.sparse

from scigrad import grad, sparse, vmap
from scigrad.testing import assert_close


def test_softmax_of_values_far_apart():
    a = scipy.sparse.csr_array(
        ([0.0, -2000.0, 3000.0, -np.inf], [0, 2, 0, 1], [0, 2, 4, 4]), shape=(3, 3)
    )
    assert sparse.softmax(a).data.tolist() == [1, 0, 1, 0]
    assert sparse.log_softmax(a).data.tolist() == [0, -2000, 0, -np.inf]
    assert grad(lambda a: sparse.log_softmax(a).data[1])(a).data.tolist() == [-1, 1, 0, 0]


def test_attention_over_the_edges_of_a_large_graph():
    n, draw = 1_000_000, np.random.default_rng(3)
    rows = np.repeat(np.arange(n), 2)
    edges = scipy.sparse.csr_array(
        (np.ones(2 * n), (rows, (rows + np.tile([1, 7], n)) % n)), shape=(n, n)
    )
    q, k = draw.normal(size=(2, n, 3))

    def loss(q):
        return (sparse.softmax(sparse.sampled_matmul(edges, q, k.T)) @ k).sum()

    found, tangent, step = grad(loss)(q), draw.normal(size=q.shape), 1e-6
    assert_close(
        (found * tangent).sum(),
        (loss(q + step * tangent) - loss(q - step * tangent)) / (2 * step),
        rtol=1e-5,
    )


def test_batches_of_both():
    draw = np.random.default_rng(5)
    pattern = scipy.sparse.random_array((6, 5), density=0.5, rng=draw, format="csc")
    x, y = draw.normal(size=(3, 6, 2)), draw.normal(size=(3, 2, 5))

    def values(x, y):
        return sparse.log_softmax(sparse.sampled_matmul(pattern, x, y), axis=0).data

    assert_close(
        vmap(values)(x, y), np.stack([values(*pair) for pair in zip(x, y, strict=True)]), rtol=1e-13
    )
