"""NumPy's extras: the order of products, errors of traced arguments, numpy.linalg's own functions
on traced arrays.
"""

import itertools

import numpy as np
import pytest

from scigrad import grad, jvp, linalg, vmap
from scigrad.linalg.products import _splits
from scigrad.testing import assert_close

rng = np.random.default_rng(4)


def cost(splits, sizes, i, j):
    if i == j:
        return 0
    k = splits[i, j]
    return (
        cost(splits, sizes, i, k)
        + cost(splits, sizes, k + 1, j)
        + sizes[i] * sizes[k + 1] * sizes[j + 1]
    )


def all_costs(sizes):
    """The costs of all orders, by taking any one product first."""
    if len(sizes) == 2:
        return [0]
    found = []
    for k in range(1, len(sizes) - 1):
        found += [
            sizes[k - 1] * sizes[k] * sizes[k + 1] + rest
            for rest in all_costs(sizes[:k] + sizes[k + 1 :])
        ]
    return found


def test_the_order_of_products_is_the_cheapest():
    for sizes in itertools.product((1, 3, 10), repeat=5):
        assert cost(_splits(sizes), sizes, 0, len(sizes) - 2) == min(all_costs(list(sizes)))


REFUSED = [
    (linalg.cross, (np.ones(2), np.ones(2)), ValueError),
    (linalg.outer, (np.ones((2, 2)), np.ones(2)), ValueError),
    (linalg.tensorinv, (np.ones((2, 2)), 0), ValueError),
    (linalg.tensorinv, (np.ones((2, 2, 3)), 2), np.linalg.LinAlgError),
    (linalg.tensorsolve, (np.ones((2, 3)), np.ones(2)), np.linalg.LinAlgError),
    (linalg.tensorsolve, (np.zeros((2, 2)), np.ones(2)), np.linalg.LinAlgError),
]


@pytest.mark.parametrize(("function", "args", "exception"), REFUSED)
def test_traced_arguments_are_refused_as_numpy_refuses_plain_ones(function, args, exception):
    with pytest.raises(exception):
        getattr(np.linalg, function.__name__)(*args)
    with pytest.raises(exception, match=r"\w+: "):
        jvp(lambda a: function(a, *args[1:]), (args[0],), (args[0],))


def test_multi_dot_of_traced_arrays_refuses_what_numpy_refuses():
    a = np.ones((2, 2))
    for others, exception in (
        ([], ValueError),
        ([np.ones(2), a], np.linalg.LinAlgError),
        ([np.ones((3, 2))], ValueError),
    ):
        with pytest.raises(exception):
            grad(lambda a, others=others: np.sum(linalg.multi_dot([a, *others])))(a)


@pytest.mark.parametrize("name", ["tensorsolve", "tensorinv", "cross", "outer", "vecdot"])
def test_numpy_s_own_functions_on_traced_arrays(name):
    arguments = {
        "tensorsolve": (rng.standard_normal((2, 2, 4)), rng.standard_normal((2, 2))),
        "tensorinv": (rng.standard_normal((2, 2, 4)),),
        "cross": (rng.standard_normal((2, 3)), rng.standard_normal(3)),
        "outer": (rng.standard_normal(2), rng.standard_normal(3)),
        "vecdot": (rng.standard_normal((2, 3)), rng.standard_normal(3)),
    }[name]

    def gradients(module):
        every = tuple(range(len(arguments)))
        return grad(lambda *args: np.sum(getattr(module, name)(*args) ** 2), argnums=every)(
            *arguments
        )

    for one, other in zip(gradients(np.linalg), gradients(linalg), strict=True):
        assert_close(one, other, 1e-14)


def test_vmap_of_a_chain():
    a, v = rng.standard_normal((3, 2, 2)), rng.standard_normal(2)
    assert_close(
        vmap(lambda a: linalg.multi_dot([v, a, a, v]))(a),
        np.array([v @ x @ x @ v for x in a]),
        1e-13,
    )
