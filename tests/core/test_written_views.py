"""Views and copies of traced arrays that are written to: a view is right or refused, a copy has a
life of its own.
"""

import numpy as np
import pytest

from scigrad import InPlaceError, grad, jvp, vmap
from scigrad.testing import assert_close, gradcheck

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


VIEWS = {
    "slice": lambda x: x[:, 1:],
    "row": lambda x: x[0],
    "new axis": lambda x: x[None],
    "ellipsis": lambda x: x[...],
    "transpose": lambda x: x.T,
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "reshape": lambda x: x.reshape(-1),
    "ravel": lambda x: np.ravel(x),
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "squeeze": lambda x: np.squeeze(x[:1])[:],
    "flip": lambda x: np.flip(x, 1),
    "rot90": lambda x: np.rot90(x),
    "diagonal": lambda x: np.diagonal(x),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 2, 3)),
    "split": lambda x: np.split(x, 3, axis=1)[1],
    "iteration": lambda x: next(iter(x)),
    "view of a view": lambda x: x.T[1:][:, 0],
    "atleast_3d": lambda x: np.atleast_3d(x),
    "unstack": lambda x: np.unstack(x)[1],
    "meshgrid": lambda x: np.meshgrid(x[0], x[1], copy=False)[0],
}
COPIES = {
    "element": lambda x: x[0, 1],
    "integers": lambda x: x[[0, 1]],
    "mask": lambda x: x[X > 2],
    "copy": lambda x: x[0].copy(),
    "flatten": lambda x: x.flatten(),
    "arithmetic": lambda x: x + 0,
    "tile": lambda x: np.tile(x, 2),
    "repeat": lambda x: np.repeat(x, 2, axis=0),
    "roll": lambda x: np.roll(x, 1),
    "take": lambda x: np.take(x, [1, 0], axis=1),
    "tensordot": lambda x: np.tensordot(x, X, axes=([0], [0])),
    "kron": lambda x: np.kron(x, X),
    "meshgrid": lambda x: np.meshgrid(x[0], x[1])[0],
    "pad": lambda x: np.pad(x, 1),
    "linspace": lambda x: np.linspace(x[0], x[1], 3),
    "convolve": lambda x: np.convolve(x[0], X[1], "same"),
}
MODES = {
    "grad": lambda f: grad(lambda x: np.sum(f(x)))(X),
    "jvp": lambda f: jvp(f, (X,), (X,)),
    "vmap": lambda f: vmap(f)(np.stack([X, X])),
    "grad of grad": lambda f: grad(lambda x: np.sum(grad(lambda y: np.sum(f(y * 1)))(x)))(X),
    "vmap of grad": lambda f: vmap(grad(lambda x: np.sum(f(x))))(np.stack([X, X])),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_refused_once_its_array_has_changed(name, mode):
    def used_afterwards(x):
        x = x * 1
        y = VIEWS[name](x)
        x[0, 0] = 5.0
        return y * 2

    def used_before(x):
        x = x * 1
        y = VIEWS[name](x) * 2
        x[0, 0] = 5.0
        return y

    def written_to(x):
        y = VIEWS[name](x)
        y[...] = 0.0
        return y

    def added_to(x):
        y = VIEWS[name](x)
        y += 1.0
        return x * np.sum(y)

    MODES[mode](used_before)
    with pytest.raises(InPlaceError, match="changed in place afterwards"):
        MODES[mode](used_afterwards)
    with pytest.raises(InPlaceError, match="copy the view first"):
        MODES[mode](written_to)
    with pytest.raises(InPlaceError):
        MODES[mode](added_to)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", COPIES)
def test_a_copy_has_a_life_of_its_own(name, mode):
    def f(x):
        x = x * 1
        y = COPIES[name](x)
        x[0, 0] = 5.0
        y[...] = y * 2
        return y

    MODES[mode](f)


def nameless(x):
    y = (x * 2).reshape(3, 2)[1:][::-1]
    y[0, 0] = 5.0
    y[1] *= 3.0
    return np.sum(y**2)


def with_another_name(x):
    z = x * 2
    y = z.reshape(3, 2)
    y[0, 0] = 5.0
    return np.sum(y) + np.sum(z)


def with_another_view(x):
    z = x * 2
    y, other = z.reshape(3, 2), z[1:]
    del z
    y[0, 0] = 5.0
    return np.sum(y) + np.sum(other)


def in_a_list(x):
    z = [x * 2]
    y = z[0].T
    y[0, 0] = 5.0
    return np.sum(y) + np.sum(z[0])


@pytest.mark.parametrize("mode", MODES)
def test_a_view_of_what_has_no_other_name_may_be_written_to(mode):
    MODES[mode](nameless)
    for f in (with_another_name, with_another_view, in_a_list):
        with pytest.raises(InPlaceError):
            MODES[mode](f)


def test_the_derivative_of_a_nameless_view():
    gradcheck(nameless, X)
    assert_close(jvp(nameless, (X,), (X,))[0], nameless(X))
