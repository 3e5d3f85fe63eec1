"""Views and copies of traced arrays that are written to: a view shows its array, a copy has a life
of its own.
"""

import functools

import numpy as np
import pytest

from scigrad import InPlaceError, grad, jvp, vmap
from scigrad.testing import assert_close, gradcheck, gradgradcheck

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
# NumPy copies an array in Fortran's order, and shows the elements of one in C's.
BY_ORDER = {"reshape", "ravel"}
SHOWN_TWICE = {"broadcast_to", "meshgrid"}


def used_after_a_change(view, x):
    x = x * 1
    y = view(x)
    x[0, 0] = 5 * x[0, 1]
    return y * x[0, 2]


def used_before_a_change(view, x):
    x = x * 1
    y = view(x) * 2
    x[0, 0] = 5.0
    return y


def changed_in_turns(view, x):
    x = x * 1
    y, before = view(x), x[:, ::-1][0]
    first = (0,) * y.ndim
    y[first] = x[1, 2] ** 2
    x[0] *= 2.0
    y += 1.0
    y[...] = y * y
    x += before[0]
    return np.sum(x * x) + np.sum(y) + y[first] * before


def check_as_in_numpy(f, x):
    """Compare values with those of NumPy's own arrays, and derivatives with differences."""
    assert_close(jvp(f, (x,), (x,))[0], f(x))
    assert_close(vmap(f)(np.stack([x, 2 * x])), np.stack([f(x), f(2 * x)]))
    gradcheck(f, x)
    gradgradcheck(f, x)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_shows_what_its_array_shows(name):
    check_as_in_numpy(functools.partial(used_before_a_change, VIEWS[name]), X)
    if name in BY_ORDER:
        with pytest.raises(InPlaceError, match="order of the array in memory"):
            grad(lambda x: np.sum(used_after_a_change(VIEWS[name], x)))(X)
    else:
        check_as_in_numpy(functools.partial(used_after_a_change, VIEWS[name]), X)


@pytest.mark.parametrize("name", VIEWS)
def test_what_is_assigned_to_a_view_stands_in_its_array(name):
    f = functools.partial(changed_in_turns, VIEWS[name])
    if name in BY_ORDER | SHOWN_TWICE:
        refusal = "more than once" if name in SHOWN_TWICE else "its order in memory"
        with pytest.raises(InPlaceError, match=refusal):
            grad(lambda x: np.sum(f(x)))(X)
    elif name != "diagonal":  # it is read-only in NumPy
        check_as_in_numpy(f, X)


def test_the_imaginary_part_of_real_numbers_is_read_only():
    def f(x):
        x.imag[0] = 1.0
        return x.sum()

    with pytest.raises(InPlaceError, match="imaginary part of real"):
        grad(f)(X)


@pytest.mark.parametrize("part", ["real", "imag"])
def test_parts_of_complex_arrays_are_views(part):
    def f(x):
        z = x * (1 + 2j)
        w = getattr(z[0], part)
        w[1:] = x[1, :2] ** 2
        z[0, 0] = x[1, 1] * 3j
        w *= 2
        return np.sum(z.real**3 + z.imag**2) + np.sum(w)

    check_as_in_numpy(f, X)


def test_a_view_outside_of_an_inner_transform_is_no_way_out_of_it():
    def f(x):
        x = x * 1
        row = x[0]
        with pytest.raises(InPlaceError, match="inner transform"):
            grad(lambda y: (row.__setitem__(0, y), y)[1])(1.0)
        return np.sum(row)

    assert_close(grad(f)(X), np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]))


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_has_a_life_of_its_own(name):
    def f(x):
        x = x * 1
        y = COPIES[name](x)
        x[0, 0] = 5.0
        y[...] = y * 2
        return np.sum(y) + x

    check_as_in_numpy(f, X)


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


def in_a_list(x):
    z = [x * 2]
    y = z[0].ravel()
    y[0] = 5.0
    return np.sum(y) + np.sum(z[0])


def test_a_reshaped_array_without_another_name_may_be_written_to():
    check_as_in_numpy(nameless, X)
    for f in (with_another_name, in_a_list):
        with pytest.raises(InPlaceError):
            grad(f)(X)
