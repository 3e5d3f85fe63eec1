"""What transforms return: functions that can be pickled and used as methods, arrays that are the
user's own to write into.
"""

import copy
import functools
import inspect
import pickle

import numpy as np
import pytest

import scigrad
from scigrad import (
    checkpoint,
    custom_rule,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
    vmap,
)
from scigrad.testing import assert_close

X = np.array([0.4, 0.9, 1.6])


def loss(x, power=2):
    """A loss."""
    return np.sum(np.sin(x) ** power)


def rule(args, out, g):
    return (g * np.cos(args[0]),)


FUNCTIONS = {
    "grad": grad(loss),
    "grad with options": grad(loss, (0,), convention="jax"),
    "value_and_grad": value_and_grad(loss),
    "hessian": hessian(loss),
    "jacobian": jacobian(np.sin),
    "jacobian, complex": jacobian(np.sin, complex_mode="real"),
    "jacfwd in chunks": jacfwd(np.sin, chunk_size=2),
    "vmap": vmap(loss),
    "vmap of grad": vmap(grad(np.square), in_axes=0, fallback="loop"),
    "checkpoint": checkpoint(loss),
    "gradient of a checkpoint": grad(checkpoint(loss)),
    "custom_rule": custom_rule(np.sin, vjp=rule),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_pickled(name):
    f = FUNCTIONS[name]
    x = X + 0.5j if "complex" in name else X
    for same in (pickle.loads(pickle.dumps(f)), copy.deepcopy(f)):
        assert_close(same(x), f(x), 0)
        assert same.__name__ == f.__name__


def test_names_and_signatures_are_those_of_the_function():
    f = grad(loss)
    assert (f.__name__, f.__doc__, inspect.unwrap(f)) == ("loss", "A loss.", loss)
    assert inspect.signature(f) == inspect.signature(vmap(hessian(loss))) == inspect.signature(loss)
    assert "gradient" in repr(f)
    assert "loss" in repr(f)


def test_methods():
    class Model:
        scale = 3.0

        @functools.partial(vmap, in_axes=(None, 0))
        def scaled(self, x):
            return self.scale * x

        @checkpoint
        def total(self, x):
            return self.scale * np.sum(x)

    assert_close(Model().scaled(X), 3 * X)
    assert_close(grad(Model().total)(X), np.full(3, 3.0))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x,
        lambda x: x[::-1],
        lambda x: (x, x),
        lambda x: np.broadcast_to(x[0], (2,)),
        lambda x: np.zeros(2) + np.floor(x[0]),
        lambda x: x.reshape(3, 1).T,
        lambda x: x + 1,
    ],
)
@pytest.mark.parametrize("transform", ["jvp", "vmap", "linearize", "jacobian"])
def test_results_may_be_written_into(f, transform):
    x, t = np.stack([X, 2 * X]), np.ones((2, 3))
    before = x.copy(), t.copy()
    out = {
        "jvp": lambda: jvp(lambda x: vmap(f)(x), (x,), (t,)),
        "vmap": lambda: vmap(f)(x),
        "linearize": lambda: [linearize(f, x[0])[0], linearize(f, x[0])[1](t[0])],
        "jacobian": lambda: jacobian(f)(x[0]),
    }[transform]()
    arrays = scigrad.autodiff_rules.containers.flatten(out)[0]
    for i, array in enumerate(arrays):
        array[...] = i
    for i, array in enumerate(arrays):
        assert np.all(array == i), "two results share memory"
    assert_close((x, t), before, 0)


def test_jvp_of_the_identity_gives_arrays_of_its_own():
    t = np.ones(3)
    for array in jvp(lambda x: x, (X,), (t,)):
        assert array.flags.writeable
        assert not np.shares_memory(array, X)
        assert not np.shares_memory(array, t)


def test_the_basis_of_a_jacobian_is_built_by_chunks(monkeypatch):
    sizes = []
    eye = np.eye

    def noted(*args, **kwargs):
        sizes.append(eye(*args, **kwargs).shape)
        return eye(*args, **kwargs)

    monkeypatch.setattr(np, "eye", noted)
    x = np.linspace(0, 1, 7)
    for transform in (jacfwd, scigrad.jacrev):
        for chunk, expected in (
            (1, [(1, 7)] * 7),
            (3, [(3, 7), (3, 7), (1, 7)]),
            (None, [(7, 7)]),
            (9, [(7, 7)]),
            ("auto", [(2, 7)] * 3 + [(1, 7)]),
        ):
            sizes.clear()
            assert_close(transform(np.sin, chunk_size=chunk)(x), np.diag(np.cos(x)))
            assert sizes == expected
    assert jacfwd(np.sin, chunk_size=1)(np.empty(0)).shape == (0, 0)
    assert jacobian(lambda x: np.zeros((0, 2)) + x, chunk_size=1)(np.ones(2)).shape == (0, 2, 2)


def test_results_without_axes_are_numbers():
    for x in (0.5, np.float64(0.5), np.array(0.5)):
        for found in (
            *value_and_grad(lambda x: np.sin(x) * x)(x),
            *value_and_grad(lambda x: np.reshape(x, (1,)).reshape(()))(x),
            *jvp(lambda x: np.reshape(x, (1,)).reshape(()), (x,), (1.0,)),
            *vjp(lambda x: np.reshape(x, (1,)).reshape(()), x)[1](1.0),
            jacobian(lambda x: x**2)(x),
            jacrev(lambda x: x**2)(x),
            hessian(lambda x: x**2)(x),
        ):
            assert type(found) is np.float64
    assert type(grad(np.sin)(np.array(0.5, np.float32))) is np.float32
