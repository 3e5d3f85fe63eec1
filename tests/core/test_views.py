"""A result is written to, or its array is changed after it was taken: as in NumPy, where both may
share memory, or an error.

The programs run on plain arrays and on traced ones; the derivative is compared with differences of
the plain program.
"""

import copy

import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import InPlaceError, MissingRule, TracedValueError, grad, jvp, vmap

sliding_window_view = np.lib.stride_tricks.sliding_window_view
ALL = np.ones((3, 3), bool)
FUNCTIONS = [
    np.conj, np.conjugate, np.real, np.imag, np.real_if_close, np.positive, np.asarray, snp.asarray,
    snp.array, snp.asanyarray, snp.ascontiguousarray, snp.asfortranarray, np.asarray_chkfinite,
    np.ravel, np.squeeze, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.transpose,
    np.matrix_transpose, np.linalg.matrix_transpose, np.diagonal, np.diag, np.diagflat,
    np.linalg.diagonal, np.nan_to_num, np.rot90, np.flip, np.fliplr, np.flipud, np.copy, np.block,
    np.vstack, np.triu, np.tril, np.round, np.sort, np.sort_complex, np.fft.fftshift,
    np.fft.ifftshift, np.ones_like, np.cumsum, np.trapezoid,
]  # fmt: skip
OPERATIONS = {
    **{f"{f.__module__}.{f.__name__}": f for f in FUNCTIONS},
    # the array itself, or another dtype or layout
    "x.conj": lambda x: x.conj(),
    "x.conjugate": lambda x: x.conjugate(),
    "x.T.conj": lambda x: x.T.conj(),
    "row.conj": lambda x: x[0].conj(),
    "x.real": lambda x: x.real,
    "x.imag": lambda x: x.imag,
    "+x": lambda x: +x,
    "array, no copy": lambda x: snp.array(x, copy=None),
    "array ndmin": lambda x: snp.array(x, ndmin=3),
    "array ndmin, no copy": lambda x: snp.array(x, copy=None, ndmin=3),
    "array F": lambda x: snp.array(x, copy=None, order="F"),
    "asarray copy": lambda x: snp.asarray(x, copy=True),
    "asarray F": lambda x: snp.asarray(x, order="F"),
    "asarray dtype": lambda x: snp.asarray(x, dtype=x.dtype),
    "ascontiguousarray T": lambda x: snp.ascontiguousarray(x.T),
    "array like": lambda x: np.array(x, like=x),
    "asarray like": lambda x: np.asarray(x, like=x),
    "array like, no copy": lambda x: np.array(x, copy=None, like=x),
    "array like, ndmin": lambda x: np.array(x, ndmin=3, like=x),
    "ascontiguousarray like": lambda x: np.ascontiguousarray(x, like=x),
    "require": lambda x: np.require(x, requirements="C"),
    "nan_to_num, no copy": lambda x: np.nan_to_num(x, copy=False),
    "astype": lambda x: x.astype(x.dtype),
    "astype, no copy": lambda x: x.astype(x.dtype, copy=False),
    "np.astype": lambda x: np.astype(x, x.dtype),
    "np.astype, no copy": lambda x: np.astype(x, x.dtype, copy=False),
    "view": lambda x: x.view(),
    "x.copy": lambda x: x.copy(),
    "copy.copy": lambda x: copy.copy(x),
    "x.flatten": lambda x: x.flatten(),
    "x.flat[:]": lambda x: x.flat[:],
    # shapes and orders of axes
    "ravel F": lambda x: np.ravel(x, "F"),
    "ravel T": lambda x: x.T.ravel(),
    "reshape": lambda x: np.reshape(x, (1, -1)),
    "reshape same": lambda x: x.reshape(x.shape),
    "reshape copy": lambda x: np.reshape(x, -1, copy=True),
    "reshape F": lambda x: np.reshape(x, -1, order="F"),
    "reshape T": lambda x: x.T.reshape(-1),
    "squeeze one": lambda x: np.squeeze(x[None]),
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "atleast_2d row": lambda x: np.atleast_2d(x[0]),
    "atleast several": lambda x: np.atleast_1d(x, x)[0],
    "broadcast_to": lambda x: np.broadcast_to(x, x.shape),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, x[0])[0],
    "broadcast_arrays one": lambda x: np.broadcast_arrays(x)[0],
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "swapaxes same": lambda x: x.swapaxes(0, 0),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "permute_dims": lambda x: np.permute_dims(x, (0, 1)),
    "moveaxis": lambda x: np.moveaxis(x, 0, 0),
    "rollaxis": lambda x: np.rollaxis(x, 1),
    "rollaxis same": lambda x: np.rollaxis(x, 0),
    "new axis": lambda x: x[:, None],
    # parts
    "x[...]": lambda x: x[...],
    "x[:]": lambda x: x[:],
    "x[()]": lambda x: x[()],
    "mask": lambda x: x[ALL],
    "integers": lambda x: x[[0, 1]],
    "x.diagonal": lambda x: x.diagonal(),
    "diag of diag": lambda x: np.diag(np.diag(x)),
    "split": lambda x: np.split(x, 3)[0],
    "split whole": lambda x: np.split(x, 1)[0],
    "hsplit": lambda x: np.hsplit(x, 3)[0],
    "array_split": lambda x: np.array_split(x, 2)[0],
    "vsplit": lambda x: np.vsplit(x, 3)[0],
    "dsplit": lambda x: np.dsplit(x[None], 3)[0],
    "unstack": lambda x: np.unstack(x)[0],
    "next": lambda x: next(iter(x)),
    "list": lambda x: list(x)[1],
    "trim_zeros": lambda x: np.trim_zeros(x[0]),
    "take": lambda x: np.take(x, 0, 0),
    "compress": lambda x: np.compress([True] * 3, x, 0),
    "delete": lambda x: np.delete(x, [], 0),
    "delete slice": lambda x: np.delete(x, slice(0, 1), 0),
    "extract": lambda x: np.extract(ALL, x),
    "take_along_axis": lambda x: np.take_along_axis(x, np.array([[0], [1], [0]]), 1),
    "sliding": lambda x: sliding_window_view(x, (2, 2), writeable=True),
    "sliding, read only": lambda x: sliding_window_view(x, 2, 0),
    # moved and joined
    "rot90 by 0": lambda x: np.rot90(x, 0),
    "rot90 twice": lambda x: np.rot90(x, 2),
    "flip nothing": lambda x: np.flip(x, ()),
    "roll": lambda x: np.roll(x, 1),
    "roll by 0": lambda x: np.roll(x, 0),
    "roll axis": lambda x: np.roll(x, 1, 0),
    "tile": lambda x: np.tile(x, 1),
    "repeat": lambda x: np.repeat(x, 1),
    "repeat axis": lambda x: np.repeat(x, 1, 0),
    "resize": lambda x: np.resize(x, x.shape),
    "append": lambda x: np.append(x, x[:0], 0),
    "stack": lambda x: np.stack([x]),
    "concatenate": lambda x: np.concatenate([x]),
    "block [x]": lambda x: np.block([x]),
    "block [[x]]": lambda x: np.block([[x]]),
    "hstack": lambda x: np.hstack([x]),
    "dstack": lambda x: np.dstack([x]),
    "column_stack": lambda x: np.column_stack([x]),
    "fftshift nothing": lambda x: np.fft.fftshift(x, axes=()),
    "meshgrid": lambda x: np.meshgrid(x[0])[0],
    "meshgrid view": lambda x: np.meshgrid(x[0], copy=False)[0],
    "meshgrid sparse": lambda x: np.meshgrid(x[0], x[1], sparse=True)[0],
    "meshgrid sparse view": lambda x: np.meshgrid(x[0], x[1], sparse=True, copy=False)[0],
    "triu all": lambda x: np.triu(x, -5),
    **{
        f"pad {mode} by 0": lambda x, mode=mode: np.pad(x, 0, mode)
        for mode in ("constant", "edge", "empty", "reflect", "wrap")
    },
    # chosen, reduced over nothing, to the power 1
    "choose": lambda x: np.choose(np.zeros((3, 3), int), [x]),
    "select": lambda x: np.select([ALL], [x]),
    "where": lambda x: np.where(True, x, x),
    "clip": lambda x: np.clip(x.real, -9, 9),
    "x.clip": lambda x: x.real.clip(-9, 9),
    "sum of one": lambda x: np.sum(x[None], 0),
    "sum of none": lambda x: np.sum(x, axis=()),
    "mean": lambda x: np.mean(x, axis=()),
    "max": lambda x: np.max(x[None].real, 0),
    "median": lambda x: np.median(x[None].real, 0),
    "diff by 0": lambda x: np.diff(x, 0),
    "subtract.reduce": lambda x: np.subtract.reduce(x[None]),
    "add.reduceat": lambda x: np.add.reduceat(x, [0, 1, 2]),
    "subtract.accumulate": lambda x: np.subtract.accumulate(x[None]),
    "matrix_power 1": lambda x: np.linalg.matrix_power(x, 1),
    "polyder by 0": lambda x: np.polyder(x[0], 0),
    "polyadd": lambda x: np.polyadd(x[0], [0]),
    "abs": lambda x: np.abs(x.real),
    "polymul": lambda x: np.polymul(x[0], [1.0]),
    "apply_along_axis": lambda x: np.apply_along_axis(lambda r: r, 0, x),
    "piecewise": lambda x: np.piecewise(x, [ALL], [lambda r: r]),
    "kron": lambda x: np.kron(x, np.ones((1, 1))),
    # einsum of one array
    **{
        f"einsum {s}": lambda x, s=s: np.einsum(s, x)
        for s in ("ii->i", "ij->ji", "ij->ij", "ij", "ji", "...", "ij->i", "ii")
    },
    "einsum lists": lambda x: np.einsum(x, [0, 1], [1, 0]),
    "einsum optimize": lambda x: np.einsum("ij->ji", x, optimize=True),
    "einsum batch": lambda x: np.einsum("...ii->...i", x[None]),
    "einsum scalar": lambda x: np.einsum(",ij->ij", 1.0, x),
}


def write(x, y):
    y[...] = 7.0


def write_first(x, y):
    y[(0,) * y.ndim] = 5.0


def multiply(x, y):
    y *= 3.0


def multiply_array(x, y):
    x *= 2.0


def write_array(x, y):
    x[0] = -1.0


CHANGES = (write, write_first, multiply, multiply_array, write_array)


def program(operation, change):
    def run(x):
        x = x * 1.0
        y = operation(x)
        change(x, y)
        return x, y * 1.0

    return run


def outcome(call):
    try:
        return call()
    except (InPlaceError, TracedValueError, MissingRule, ValueError, TypeError) as error:
        return error


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_change_shows_where_numpy_shows_it_or_raises(name, kind):
    rng = np.random.default_rng(7)
    x, t = (
        rng.normal(size=(3, 3)) + 1j * (kind == "complex") * rng.normal(size=(3, 3))
        for _ in range(2)
    )
    x, t = (x, t) if kind == "complex" else (x.real, t.real)
    for change in CHANGES:
        run = program(OPERATIONS[name], change)
        expected, found = (
            outcome(lambda run=run: run(x)),
            outcome(lambda run=run: jvp(run, (x,), (t,))),
        )
        if isinstance(expected, Exception) or isinstance(found, Exception):
            continue
        slope = [(a - b) / 2e-5 for a, b in zip(run(x + 1e-5 * t), run(x - 1e-5 * t), strict=True)]
        for a, b in zip((*expected, *slope), (*found[0], *found[1]), strict=True):
            np.testing.assert_allclose(b, a, atol=1e-8, err_msg=change.__name__)


def test_what_can_be_followed_is_followed():
    def conjugates(p):
        w = p * 1.0
        c = w.conj()
        w *= 2
        return np.sum(c * w)

    def own_copies(p):
        w = np.array(p, like=p) + np.block(p)
        a, b = np.broadcast_arrays(w * 1, p * 1)
        a[0] = 5.0
        e = np.einsum("ij,jk->ik", w, p)
        e[0] = 1.0
        return np.sum(a * b) + np.sum(e)

    np.testing.assert_allclose(grad(conjugates)(np.array([1.0, 2.0])), [8.0, 16.0])
    assert jvp(own_copies, (np.eye(2),), (np.eye(2),))[0] == own_copies(np.eye(2))
    assert vmap(own_copies)(np.ones((2, 2, 2)))[0] == own_copies(np.ones((2, 2)))


def test_a_view_that_shows_an_element_twice_is_never_written_to():
    for operation in (
        lambda x: sliding_window_view(x * 2, 2, writeable=True),
        lambda x: np.broadcast_arrays(x * 2, np.ones((3, 3)))[0][1:],
        lambda x: np.meshgrid(x * 2, x, copy=False)[0],
    ):
        with pytest.raises(InPlaceError):
            grad(lambda x, operation=operation: np.sum(program(operation, write_first)(x)[1]))(
                np.ones(3)
            )


@pytest.mark.parametrize(
    "scalar",
    [lambda x: np.sum(x), lambda x: x[1], lambda x: x[0] * x[1], lambda x: np.einsum("i,i", x, x)],
)
def test_a_scalar_keeps_its_value_when_another_name_for_it_is_increased(scalar):
    def f(x):
        s = scalar(x)
        t = s
        t += 1
        t *= x[0]
        return s * t

    def pure(x):
        return scalar(x) * (scalar(x) + 1) * x[0]

    x = np.array([1.5, 2.0])
    assert jvp(f, (x,), (x,))[0] == f(x)
    np.testing.assert_allclose(grad(f)(x), grad(pure)(x))
    np.testing.assert_allclose(vmap(grad(f))(np.stack([x, x])), np.stack([grad(pure)(x)] * 2))
    np.testing.assert_allclose(
        grad(lambda x: np.sum(grad(f)(x)))(x), grad(lambda x: np.sum(grad(pure)(x)))(x)
    )


def test_an_array_without_axes_is_changed_in_place():
    def f(x):
        total = np.zeros_like(x)  # an array in NumPy too
        other = total
        other += x
        return total * x

    assert grad(f)(3.0) == 6.0


@pytest.mark.parametrize("name", ["shape", "dtype", "T", "mT"])
def test_an_attribute_that_is_assigned_to_says_what_to_write(name):
    for transform in (
        grad,
        lambda f: lambda x: vmap(f)(np.stack([x, x])),
        lambda f: lambda x: jvp(f, (x,), (x,)),
    ):
        with pytest.raises(
            AttributeError,
            match=rf"^x\.{name} = value on a traced array cannot be followed: .*write x",
        ):
            transform(lambda x: setattr(x, name, 1.0))(np.ones(3))


def test_numpy_s_astype():
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(
        grad(lambda p: np.sum(np.astype(p, float, copy=False) ** 2))(x), 2 * x
    )
    assert jvp(lambda p: np.astype(p, np.float32), (x,), (x,))[1].dtype == np.float32
