"""Structured matrices: the errors and warnings of traced arguments, what is passed on from SciPy,
predicates under transforms.
"""

import numpy as np
import pytest
import scipy.linalg

from scigrad import DeviceMismatch, grad, jvp, linalg, vmap
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host

rng = np.random.default_rng(2)


@pytest.mark.parametrize("r", [None, np.arange(3.0)])
def test_hankel_flattens_with_a_warning(r):
    c = np.arange(4.0).reshape(2, 2)
    with pytest.warns(FutureWarning, match="treated as a batch"):
        expected = scipy.linalg.hankel(c, r)
    with pytest.warns(FutureWarning, match="treated as a batch"):
        value, tangent = jvp(lambda c: linalg.hankel(c, r), (c,), (c,))
    assert_close(value, expected)
    assert_close(tangent, linalg.hankel(c.ravel(), None if r is None else 0 * r))


REFUSED = {
    "companion": [(np.ones(1),), (np.arange(3.0),)],
    "fiedler_companion": [(np.arange(3.0),)],
    "leslie": [(np.ones(3), np.ones(3)), (np.ones(1), np.ones(0))],
    "khatri_rao": [(np.ones(3), np.ones(3)), (np.ones((2, 3)), np.ones((2, 2)))],
    "convolution_matrix": [(np.ones(3), 0), (np.ones(0), 2), (np.ones(2), 2, "wrap")],
    "clarkson_woodruff_transform": [(np.ones(3), 2)],
}


@pytest.mark.parametrize(
    ("name", "args"), [(name, args) for name, rows in REFUSED.items() for args in rows]
)
def test_traced_arguments_are_refused_as_plain_ones(name, args):
    with pytest.raises((ValueError, IndexError)):
        getattr(linalg, name)(*args)
    with pytest.raises(ValueError, match=name):
        jvp(lambda a: getattr(linalg, name)(a, *args[1:]), (args[0],), (args[0],))


def test_lists_of_traced_values():
    found = grad(lambda x: np.sum(linalg.toeplitz([x, 2 * x, 1.0]) * np.arange(9).reshape(3, 3)))(
        1.0
    )
    assert_close(found, 12.0 + 2 * (1 + 5 + 3 + 7))
    found = vmap(lambda x: linalg.block_diag(x, [[1.0, x]]))(np.array([1.0, 2.0]))
    assert_close(found, np.stack([linalg.block_diag(x, [[1.0, x]]) for x in (1.0, 2.0)]))


def test_unread_entries_get_zero():
    c, r = rng.standard_normal(3), rng.standard_normal(4)
    for function in (linalg.toeplitz, linalg.hankel):
        assert grad(lambda r, function=function: np.sum(function(c, r) ** 2))(r)[0] == 0


def test_the_adjoint_at_a_size_where_a_loop_would_show():
    c, r, g = rng.standard_normal(300), rng.standard_normal(400), rng.standard_normal((300, 400))
    found = grad(lambda c, r: np.sum(g * linalg.toeplitz(c, r)), argnums=(0, 1))(c, r)
    assert_close(found[0], np.array([np.trace(g, -k) for k in range(300)]), 1e-12)
    assert_close(found[1][1:], np.array([np.trace(g, k) for k in range(1, 400)]), 1e-12)


def test_what_is_passed_on_is_scipy_s():
    passed_on = set(linalg.__all__) - set(vars(linalg))
    assert {"LinAlgWarning", "dft", "hilbert", "get_lapack_funcs"} <= passed_on
    for name in (*passed_on, "LinAlgError"):
        assert getattr(linalg, name) is getattr(scipy.linalg, name)


@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_predicates_of_batches_and_of_traced_arrays(backend):
    batch = np.stack([np.eye(3), np.tri(3), np.triu(np.tri(3, k=1))])
    a = make_array(batch, backend)
    assert [x.tolist() for x in to_host(linalg.bandwidth(a))] == [[0, 2, 0], [0, 0, 1]]
    assert to_host(linalg.issymmetric(a)).tolist() == [True, False, False]
    assert [x.tolist() for x in to_host(vmap(linalg.bandwidth)(a))] == [[0, 2, 0], [0, 0, 1]]
    assert to_host(vmap(linalg.ishermitian)(a)).tolist() == [True, False, False]
    gradient = to_host(grad(lambda a: np.sum(a * linalg.issymmetric(a)[:, None, None]))(a))
    assert gradient.sum(axis=(1, 2)).tolist() == [9, 0, 0]


def test_a_predicate_decides_a_branch():
    def f(a):
        return (
            np.trace(a) if linalg.issymmetric(a) and linalg.bandwidth(a)[0] == 0 else np.sum(a**2)
        )

    assert_close(grad(f)(np.eye(2)), np.eye(2))
    assert_close(grad(f)(np.ones((2, 2))), 2 * np.ones((2, 2)))


def test_an_empty_batch_keeps_its_shape():
    assert (
        linalg.fiedler(np.zeros((0, 3))).shape
        == (0, 3, 3)
        == vmap(linalg.fiedler)(np.zeros((0, 3))).shape
    )


@pytest.mark.parametrize("blocks", [(np.eye(2), np.ones(2)), (np.ones(2), np.eye(2))])
def test_blocks_of_two_libraries_are_refused(blocks):
    with pytest.raises(DeviceMismatch, match=r"block_diag: argument 'arrs\[0\]'"):
        linalg.block_diag(make_array(blocks[0], "device"), blocks[1])
