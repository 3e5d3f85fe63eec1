"""Operators, methods and attributes of traced arrays: those of NumPy's arrays."""

import copy

import numpy as np
import pytest

import scigrad.numpy as snp
from scigrad import TracedValueError, jvp, vmap
from scigrad.testing import assert_close

X = np.array([0.7, -0.4, 0.2, 1.1])
A = np.array([[0.7, -0.4, 0.2], [0.1, 0.9, -0.6]])


def value(f, *args):
    """What f returns for traced arguments, unboxed."""
    return jvp(f, args, tuple(np.ones_like(a) for a in args))[0]


def refused(f, *args, error=TracedValueError, text=""):
    with pytest.raises(error, match=text):
        jvp(f, args, args)


# -- operators


OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "divmod": lambda a, b: divmod(a, b)[1],
    "<": lambda a, b: 1.0 * (a < b),
    "<=": lambda a, b: 1.0 * (a <= b),
    "==": lambda a, b: 1.0 * (a == b),
    "!=": lambda a, b: 1.0 * (a != b),
    ">": lambda a, b: 1.0 * (a > b),
    ">=": lambda a, b: 1.0 * (a >= b),
}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize(
    "other", [1.5, 2, np.float32(0.5), np.array([0.5, 1.0, 2.0]), [0.5, 1.0, 2.0]], ids=str
)
def test_operators(name, other):
    f = OPERATORS[name]
    a = A + 2
    assert_close(
        vmap(lambda a: f(a, other))(a),
        f(a, np.asarray(other) if isinstance(other, list) else other),
    )
    assert_close(
        vmap(lambda a: f(other, a))(a),
        f(np.asarray(other) if isinstance(other, list) else other, a),
    )


def test_unary_operators():
    assert_close(vmap(lambda a: (-a, +a, abs(a)))(A), (-A, +A, abs(A)))
    n = np.array([[1, 2], [3, 4]])

    def bits(n):
        return ~n, n & 1, n | 4, n ^ 3, n << 1, n >> 1, 7 & n

    assert_close(vmap(bits)(n), bits(n))


def test_in_place_operators():
    def f(x):
        y = x * 1
        z = y
        y += 1
        y *= x
        y -= 2 * x
        y /= 3
        y **= 2
        assert z is y
        return y

    assert_close(value(f, X), (((X + 1) * X - 2 * X) / 3) ** 2)
    refused(lambda x: x.__iadd__(np.ones((2, 4))), X, error=ValueError, text="shape")
    refused(lambda x: x.__imul__(1j), X, error=TypeError, text="complex128")
    value32 = value(lambda x: x.__iadd__(np.ones(4)), X.astype(np.float32))
    assert value32.dtype == np.float32


def test_foreign_operands_answer_themselves():
    class Other:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

        __rmatmul__ = __radd__

    def f(x):
        assert x + Other() == "mine"
        assert x @ Other() == "mine"
        assert x.__mul__(Other()) is NotImplemented
        assert x.__mul__("text") is NotImplemented
        return x

    value(f, X)


def test_not_hashable():
    refused(lambda x: {x: 1}, X, error=TypeError, text="no hash")


# -- methods and attributes

METHODS = {
    "all": lambda a: a.all(axis=0),
    "any": lambda a: a.any(),
    "argmax": lambda a: a.argmax(axis=1),
    "argmin": lambda a: a.argmin(),
    "argsort": lambda a: a.argsort(axis=0),
    "astype": lambda a: a.astype(np.float32),
    "clip": lambda a: a.clip(-0.3, 0.5),
    "conj": lambda a: a.conj(),
    "conjugate": lambda a: a.conjugate(),
    "copy": lambda a: a.copy(),
    "cumprod": lambda a: a.cumprod(1),
    "cumsum": lambda a: a.cumsum(axis=0),
    "diagonal": lambda a: a.diagonal(),
    "dot": lambda a: a.dot(a.T),
    "flatten": lambda a: a.flatten("F"),
    "item": lambda a: a.item(1, 2),
    "item of one": lambda a: a[:1, :1].item(),
    "item by position": lambda a: a.item(4),
    "max": lambda a: a.max(axis=1),
    "mean": lambda a: a.mean(axis=0, keepdims=True),
    "min": lambda a: a.min(),
    "prod": lambda a: a.prod(axis=-1),
    "ravel": lambda a: a.ravel(),
    "repeat": lambda a: a.repeat(2, axis=1),
    "reshape": lambda a: a.reshape(3, 2),
    "reshape of a tuple": lambda a: a.reshape((-1,), order="F"),
    "round": lambda a: a.round(1),
    "searchsorted": lambda a: a[0].searchsorted(a[1]),
    "squeeze": lambda a: a[:1].squeeze(0),
    "std": lambda a: a.std(axis=1, ddof=1),
    "sum": lambda a: a.sum((0, 1)),
    "swapaxes": lambda a: a.swapaxes(0, 1),
    "take": lambda a: a.take([0, 2], axis=1),
    "trace": lambda a: a.trace(),
    "transpose": lambda a: a.transpose(1, 0),
    "transpose of nothing": lambda a: a.transpose(),
    "var": lambda a: a.var(),
    "nonzero": lambda a: a.nonzero()[1],
    "T": lambda a: a.T,
    "mT": lambda a: a.mT,
    "real": lambda a: a.real,
    "imag": lambda a: a.imag,
    "nbytes": lambda a: a.nbytes,
    "itemsize": lambda a: a.itemsize,
    "len": len,
    "iter": lambda a: list(a)[1],
    "flat": lambda a: list(a.flat)[4] + a.flat[1],
    "compress": lambda a: a.compress([True, False, True], axis=1),
    "contains": lambda a: 0.9 in a,
    "view": lambda a: a.view(),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    f = METHODS[name]
    assert_close(value(f, A), f(A))


def test_methods_in_place():
    def f(x):
        y, z, w = x * 1, x * 1, x * 1
        y.sort()
        z.partition(1)
        w.fill(x[0])
        return snp.stack([y, np.sort(z), w])

    assert_close(value(f, X), np.stack([np.sort(X), np.sort(X), np.full(4, X[0])]))


@pytest.mark.parametrize("name", ["tobytes", "dumps", "setflags", "resize", "__dlpack__"])
def test_methods_that_would_lose_the_derivative(name):
    refused(lambda x: getattr(x, name)(), X, text=name)


def test_view_as_another_dtype():
    refused(lambda x: x.view(np.int64), X, error=TypeError, text="astype")


@pytest.mark.parametrize("dtype", [str, "S4", [("a", float), ("b", float)], "datetime64[s]"])
def test_dtypes_without_derivatives_are_refused(dtype):
    for f in (lambda x: x.astype(dtype), lambda x: snp.array([x, x], dtype=dtype)):
        with pytest.raises(TracedValueError, match="dtype"):
            jvp(f, (np.ones(2),), (np.ones(2),))
