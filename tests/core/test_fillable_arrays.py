"""Arrays that are made while a transform runs and receive traced values, against NumPy's own.

Each program runs on plain arrays, where its arrays are NumPy's, and under the transforms; the
derivatives are compared with differences of the plain program.
"""

import pickle
import threading

import numpy as onp
import pytest
import scipy.linalg
import scipy.sparse

import scigrad
from scigrad import InPlaceError, TracedValueError, grad, hessian, jit, jvp, linalg, sparse, vmap
from scigrad import numpy as np
from scigrad.testing import assert_close, gradcheck, gradgradcheck

pytestmark = pytest.mark.fills_arrays
X = onp.array([1.0, 2.0, 3.0])


def elements(x):
    out = np.zeros(4)
    for i in range(3):
        out[i + 1] = out[i] + x[i] ** 2
    return out


def matrix(x):
    a = np.eye(3) * 2.0
    a[0, 1:] = x[:2]
    a[2] += x
    a[[0, 1], [2, 0]] = x[1:] * 3
    return linalg.solve(a, np.arange(3.0))


def masks(x):
    out = np.full((2, 3), 0.5)
    out[out > 0.3] += np.concatenate([x, x * x])
    out[:, [True, False, True]] *= 2
    np.add.at(out, ([0, 0], [1, 1]), x[:2])
    return out


def views(x):
    w = np.ones((3, 3))
    row, column, last = w[0], w[:, 1], w[0][1:][::-1]
    row[1] = x[0]
    column *= x
    last += row[:2]
    w[2] = 7.0
    diagonal = w.ravel()[::4]
    diagonal[1] = x[2]
    return w * column


def parts(x):
    z = np.zeros(3, complex)
    z.real = x
    z.imag[1:] = x[:2] ** 2
    z.flat = z[::-1]
    return np.abs(z) ** 2


def given_out(x):
    out, total = np.empty(3), np.zeros(())
    np.multiply(x, 2.0, out=out)
    np.sum(out, out=total)
    return np.sin(out, out=out) * total


def of_lists(x):
    v, w = np.array([1.0, 2.0, 3.0]), np.asarray([[0.0, 1.0], [2.0, 3.0]])
    v[0] = x[1]
    w[1] = v[:2]
    np.copyto(v, x, where=[False, True, True])
    return np.outer(v, w[1])


def like_others(x):
    u = np.zeros_like(onp.ones(2))
    v = np.full_like(x, 2.0)
    u[...] = x[1:]
    v[1:] -= u
    return v


def again_and_again(x):
    w, total = np.ones(200), 0.0
    for i in range(3):
        w[:] = i
        w[:3] += x
        total = total + np.sum(w * w)
    return total


def numbers_first(x):
    w = np.zeros(300)
    y = w[:3] * x
    w[:3] = 5.0
    w += 1.0
    half = w[:3]
    w[0] = 2.0
    return y + half * x


def in_fortran_s_order(x):
    a = np.zeros((2, 3), order="F")
    flat, shown = a.ravel(), a.ravel("F")
    flat[0] = 9.0
    shown[1] = x[0]
    a[0, 0] = x[1]
    return a + np.sum(flat) + np.sum(shown)


def kept_in_a_list(x):
    rows = [np.zeros(3) for _ in range(2)]
    for i, row in enumerate(rows):
        row[i:] = x[i:]
    return np.stack(rows) @ np.array(rows).T


PROGRAMS = (
    elements, matrix, masks, views, parts, given_out, of_lists, like_others, again_and_again,
    numbers_first, in_fortran_s_order, kept_in_a_list,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_a_program_computes_what_it_does_with_numpy_s_arrays(f):
    assert_close(jvp(f, (X,), (X,))[0], f(X))
    assert_close(vmap(f)(onp.stack([X, 2 * X])), onp.stack([f(X), f(2 * X)]))
    assert_close(jit(f)(X), f(X))
    gradcheck(f, X)
    gradgradcheck(f, X)
    assert_close(
        jit(grad(lambda x: np.sum(f(x) ** 2)))(2 * X), grad(lambda x: np.sum(f(x) ** 2))(2 * X)
    )


def test_arrays_outside_of_transforms_and_in_other_threads_are_numpy_s():
    def kinds(x):
        found.append(type(np.zeros(2)))
        thread = threading.Thread(target=lambda: found.append(type(np.zeros(2))))
        thread.start()
        thread.join()
        return x

    found = [type(np.zeros(2)), type(np.array([1.0]))]
    grad(kinds)(1.0)
    assert found[0] is found[1] is found[3] is onp.ndarray
    assert found[2] is not onp.ndarray
    assert type(np.zeros(2)) is onp.ndarray


def test_what_holds_numbers_is_taken_for_them():
    def f(x):
        w = np.array([2.0, 3.0])
        assert float(w[0]) == 2.0
        assert int(np.ones(1)[0]) == 1
        assert w.tolist() == [2.0, 3.0]
        assert list(w) == [2.0, 3.0]
        assert onp.asarray(w).sum() == 5.0
        assert repr(w) == "array([2., 3.])"
        assert onp.spacing(w)[0] == onp.spacing(2.0)
        assert w.strides == (8,)
        assert w.view(complex)[0] == 2 + 3j
        assert scipy.linalg.expm(np.zeros((2, 2)))[0, 0] == 1.0
        assert pickle.loads(pickle.dumps(onp.asarray(w))).shape == (2,)
        assert onp.allclose(onp.polyfit(w, w, 1), [1.0, 0.0])
        return x * w[1] if w[0] > 1 else x

    assert grad(f)(1.0) == 3.0


def test_results_and_auxiliary_values_are_numpy_s():
    def f(x):
        out = np.zeros(2)
        out[0] = x
        return np.sum(out), {"traced": out, "plain": np.ones(2), "object": [np.zeros(1)[:]]}

    _, aux = grad(f, has_aux=True)(2.0)
    assert type(aux["traced"]) is type(aux["plain"]) is type(aux["object"][0]) is onp.ndarray
    assert_close(aux["traced"], onp.array([2.0, 0.0]))
    out, tangent = jvp(lambda x: np.ones(2), (X,), (X,), allow_constant=True)
    assert type(out) is type(tangent) is onp.ndarray
    assert type(vmap(lambda x: np.ones(2))(X)) is onp.ndarray


def test_the_memory_that_numpy_was_given_stays_shared_or_the_write_is_refused():
    def f(x, value):
        w = np.zeros(3)
        given = onp.asarray(w)
        w[0] = 1.0
        given[1] = 2.0
        w[2] = value(x)
        return np.sum(w * x) + given.sum() * x[0]

    assert_close(grad(f)(X, lambda x: 3.0), X * [1, 1, 1] * 0 + [7.0, 2.0, 3.0])
    with pytest.raises(InPlaceError, match="whose memory NumPy has been given"):
        grad(f)(X, lambda x: x[0])

    def released(x):
        w = np.zeros(3)
        assert onp.asarray(w).sum() == 0
        w[0] = x[1]
        return np.sum(w)

    assert_close(grad(released)(X), onp.array([0.0, 1.0, 0.0]))


def test_what_an_array_cannot_hold_is_refused():
    with pytest.raises(TypeError, match="imaginary part"):
        grad(lambda x: np.zeros(2).__setitem__(0, 1j * x))(1.0)
    with pytest.raises(TracedValueError, match="would become a plain NumPy array"):
        grad(lambda x: np.zeros(2, int).__setitem__(0, x))(1.0)
    with pytest.raises(IndexError):
        grad(lambda x: np.zeros(2).__setitem__(5, x))(1.0)


def test_an_array_of_an_outer_transform_keeps_no_value_of_an_inner_one():
    def f(x):
        out = np.zeros(2)

        def inner(y):
            out[0] = y
            return y * x

        slope = grad(inner)(3.0)
        return slope + np.sum(out)

    with pytest.raises(TracedValueError, match="after its transform"):
        grad(f)(1.0)


def test_nested_transforms_fill_the_arrays_of_each():
    def f(x):
        out = np.zeros(3)
        for i in range(3):
            out[i] = grad(lambda y, i=i: np.sum(elements(y) * x[i]))(x)[i]
        return np.sum(out * out)

    assert_close(hessian(f)(X), hessian(lambda x: np.sum((np.array([6, 4, 2]) * x * x) ** 2))(X))


def test_containers_and_loops_take_them():
    def f(x):
        w = np.zeros(3)
        w[1:] = x[:2]
        a = sparse.csr_array((w, ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
        _, ys = scigrad.scan(lambda c, v: (c + v * w, np.sum(c)), np.zeros(3), x)
        v = scigrad.checkpoint(lambda u: u * u)(w)
        assert scigrad.stop_gradient(w).shape == (3,)
        plain = scipy.sparse.csr_array(onp.diag(X))
        return np.sum(a @ x) + np.sum(ys * ys) + np.sum(v) + np.sum(plain @ w) + onp.diag(X)[0] @ w

    gradcheck(f, X)
    assert_close(vmap(f)(onp.stack([X, 2 * X])), onp.stack([f(X), f(2 * X)]))
