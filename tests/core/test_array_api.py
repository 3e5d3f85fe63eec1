"""scigrad.numpy as an Array API namespace (2024.12): every name, and every function on traced
arrays as on plain ones.
"""

import numpy as np
import pytest

import scigrad.numpy as xp
from scigrad import grad, jvp, vmap
from scigrad.autodiff_rules.containers import flatten
from scigrad.testing import assert_close

UNARY = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "conj", "cos", "cosh", "exp",
    "expm1", "floor", "imag", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2",
    "logical_not", "negative", "positive", "real", "reciprocal", "round", "sign", "signbit", "sin",
    "sinh", "sqrt", "square", "tan", "tanh", "trunc",
]  # fmt: skip
BINARY = [
    "add", "atan2", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal",
    "hypot", "less", "less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor",
    "maximum", "minimum", "multiply", "nextafter", "not_equal", "pow", "remainder", "subtract",
]  # fmt: skip
INTEGER = [
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
]
NAMES = {
    "constants": "e inf nan newaxis pi",
    "creation": "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid "
    "ones ones_like tril triu zeros zeros_like",
    "dtypes": (
        "bool complex64 complex128 float32 float64 int8 int16 int32 int64 uint8 uint16 "
        "uint32 uint64"
    ),
    "dtype functions": "astype can_cast finfo iinfo isdtype result_type",
    "elementwise": " ".join((*UNARY, *BINARY, *INTEGER, "clip")),
    "indexing": "take take_along_axis",
    "linear algebra": "matmul matrix_transpose tensordot vecdot",
    "manipulation": "broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims "
    "repeat reshape roll squeeze stack tile unstack",
    "searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "sets": "unique_all unique_counts unique_inverse unique_values",
    "sorting": "argsort sort",
    "statistics": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "utility": "all any diff",
    "inspection": "__array_api_version__ __array_namespace_info__",
}
LINALG = (
    "cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank "
    "matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm"
)
FFT = "fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq rfftn"
ARRAY = (
    "dtype device mT ndim shape size T to_device __abs__ __add__ __and__ __array_namespace__ "
    "__bool__ __complex__ __dlpack__ __dlpack_device__ __eq__ __float__ __floordiv__ __ge__ "
    "__getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__ __lt__ __matmul__ __mod__ "
    "__mul__ __ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __setitem__ __sub__ __truediv__ "
    "__xor__ __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __ipow__ __imod__ __imatmul__ "
    "__iand__ __ior__ __ixor__ __ilshift__ __irshift__ __radd__ __rsub__ __rmul__ __rtruediv__ "
    "__rfloordiv__ __rpow__ __rmod__ __rmatmul__ __rand__ __ror__ __rxor__ __rlshift__ __rrshift__"
)
X = np.array([[0.7, -0.4, 0.2], [0.1, 0.9, -0.6]])
POSITIVE = np.abs(X) + 0.5


def traced(f, *args):
    """f on arrays that forward mode follows: its value, all boxes taken off."""
    return jvp(
        lambda *a: tuple(y for y in flatten(f(*a))[0]),
        args,
        tuple(np.ones_like(a) for a in args),
        allow_constant=True,
    )[0]


@pytest.mark.parametrize("category", NAMES)
def test_every_name_of_the_standard_is_there(category):
    assert [name for name in NAMES[category].split() if not hasattr(xp, name)] == []


def test_extensions_are_there():
    assert [name for name in LINALG.split() if not hasattr(xp.linalg, name)] == []
    assert [name for name in FFT.split() if not hasattr(xp.fft, name)] == []


def test_version_and_information():
    assert xp.__array_api_version__ == np.__array_api_version__
    assert (
        xp.__array_namespace_info__().default_dtypes()
        == np.__array_namespace_info__().default_dtypes()
    )


def test_traced_arrays_have_what_the_standard_asks():
    seen = []
    grad(
        lambda x: (
            seen.append([name for name in ARRAY.split() if not hasattr(type(x), name)]) or xp.sum(x)
        )
    )(X)
    assert seen == [[]]


def test_traced_arrays_know_their_namespace():
    def f(x):
        assert x.__array_namespace__() is xp
        assert x.__array_namespace__(api_version="2024.12") is xp
        assert x.device == "cpu"
        assert x.to_device("cpu") is x
        return xp.sum(x)

    grad(f)(X)


@pytest.mark.parametrize("name", UNARY)
def test_elementwise_of_one_array(name):
    f = getattr(xp, name)
    x = POSITIVE + 1 if name == "acosh" else POSITIVE if name.startswith(("log", "sqrt")) else X
    assert_close(traced(f, x), (getattr(np, name)(x),))
    assert_close(vmap(f)(x), getattr(np, name)(x))


@pytest.mark.parametrize("name", BINARY)
def test_elementwise_of_two_arrays(name):
    f, reference = getattr(xp, name), getattr(np, name)
    assert_close(traced(f, POSITIVE, X[:1]), (reference(POSITIVE, X[:1]),))
    assert_close(vmap(f, in_axes=(0, None))(POSITIVE, X[0]), reference(POSITIVE, X[0]))


@pytest.mark.parametrize("name", INTEGER)
def test_bits_under_vmap(name):
    x = np.array([[1, 2, 7], [4, 0, 3]])
    args = (x,) if name == "bitwise_invert" else (x, np.array([1, 0, 2]))
    axes = (0,) if len(args) == 1 else (0, None)
    assert_close(vmap(getattr(xp, name), in_axes=axes)(*args), getattr(np, name)(*args))


# Calls as the standard writes them, with all of its keywords that NumPy has.
CALLS = {
    "astype": lambda xp, x: xp.astype(x, xp.float32, copy=True),
    "asarray": lambda xp, x: xp.asarray(x, dtype=xp.complex128),
    "clip": lambda xp, x: xp.clip(x, min=-0.3, max=0.5),
    "concat": lambda xp, x: xp.concat([x, x], axis=1),
    "concat flattened": lambda xp, x: xp.concat([x, x], axis=None),
    "count_nonzero": lambda xp, x: xp.count_nonzero(x > 0, axis=0, keepdims=True),
    "cumulative_prod": lambda xp, x: xp.cumulative_prod(x, axis=1, include_initial=True),
    "cumulative_sum": lambda xp, x: xp.cumulative_sum(x, axis=0, include_initial=True),
    "diff": lambda xp, x: xp.diff(x, axis=1, n=1, prepend=x[:, :1], append=x[:, :1]),
    "expand_dims": lambda xp, x: xp.expand_dims(x, axis=1),
    "flip": lambda xp, x: xp.flip(x, axis=1),
    "full_like": lambda xp, x: xp.full_like(x, 2.0),
    "linspace": lambda xp, x: xp.linspace(x[0, 0], x[1, 1], 4, endpoint=False),
    "matmul": lambda xp, x: xp.matmul(x, xp.matrix_transpose(x)),
    "max": lambda xp, x: xp.max(x, axis=(0, 1), keepdims=True),
    "mean": lambda xp, x: xp.mean(x, axis=0, keepdims=True),
    "meshgrid": lambda xp, x: xp.meshgrid(x[0], x[1], indexing="ij"),
    "min": lambda xp, x: xp.min(x, axis=1),
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, -1),
    "ones_like": lambda xp, x: xp.ones_like(x, dtype=xp.float32),
    "permute_dims": lambda xp, x: xp.permute_dims(x, (1, 0)),
    "prod": lambda xp, x: xp.prod(x, axis=1, dtype=xp.complex128),
    "repeat": lambda xp, x: xp.repeat(x, 2, axis=0),
    "reshape": lambda xp, x: xp.reshape(x, (3, 2), copy=True),
    "roll": lambda xp, x: xp.roll(x, 1, axis=1),
    "round": lambda xp, x: xp.round(x),
    "searchsorted": lambda xp, x: xp.searchsorted(xp.sort(x[0]), x[1], side="right"),
    "sort": lambda xp, x: xp.sort(x, axis=0, stable=True),
    "squeeze": lambda xp, x: xp.squeeze(x[:, :1], axis=1),
    "stack": lambda xp, x: xp.stack([x, x], axis=-1),
    "std": lambda xp, x: xp.std(x, axis=1, correction=1.0),
    "take": lambda xp, x: xp.take(x, xp.asarray([2, 0]), axis=1),
    "take_along_axis": lambda xp, x: xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1),
    "tensordot": lambda xp, x: xp.tensordot(x, x, axes=((1,), (1,))),
    "tile": lambda xp, x: xp.tile(x, (2, 1)),
    "tril": lambda xp, x: xp.tril(x, k=1),
    "triu": lambda xp, x: xp.triu(x, k=-1),
    "unique_all": lambda xp, x: tuple(xp.unique_all(x)),
    "unstack": lambda xp, x: xp.unstack(x, axis=1),
    "var": lambda xp, x: xp.var(x, axis=None, correction=0.0, keepdims=True),
    "vecdot": lambda xp, x: xp.vecdot(x, x, axis=-1),
    "where": lambda xp, x: xp.where(x > 0, x, 0.0),
    "zeros_like": lambda xp, x: xp.zeros_like(x),
    "newaxis": lambda xp, x: x[:, xp.newaxis, ...],
    "mask": lambda xp, x: x[x > 0],
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_the_standard(name):
    call = CALLS[name]
    expected = flatten(call(np, X))[0]
    assert_close(traced(lambda x: call(xp, x), X), tuple(expected))
    assert_close(
        traced(lambda x: call(np, x), X) if name not in ("asarray", "astype") else tuple(expected),
        tuple(expected),
    )
    assert [x.dtype for x in traced(lambda x: call(xp, x), X)] == [x.dtype for x in expected]


def test_python_numbers_keep_the_precision():
    for f in (
        lambda x: x + 1.0,
        lambda x: 2 * x,
        lambda x: x**2,
        lambda x: 1.0 / x,
        lambda x: x - True,
    ):
        value, tangent = jvp(f, (X.astype(np.float32),), (X.astype(np.float32),))
        assert value.dtype == tangent.dtype == np.float32


def test_questions_about_dtypes():
    def f(x):
        assert xp.isdtype(x.dtype, "real floating")
        assert xp.result_type(x, np.complex64) == np.complex128
        assert xp.can_cast(x, np.complex128)
        assert xp.finfo(x).eps == xp.finfo(np.float64).eps == np.finfo(float).eps
        assert xp.iinfo(np.int8).max == 127
        assert np.may_share_memory(x, x)
        assert not np.may_share_memory(x, X)
        return xp.sum(x)

    grad(f)(X)


def test_generic_code_is_differentiable():
    def softmax(x):
        xp = x.__array_namespace__()
        z = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
        return z / xp.sum(z, axis=-1, keepdims=True)

    t = np.cos(X)
    value, tangent = jvp(softmax, (X,), (t,))
    assert_close(value, softmax(X))
    assert_close(tangent, value * (t - np.sum(value * t, axis=-1, keepdims=True)))


def test_fourier_transforms_of_traced_arrays():
    assert_close(grad(lambda x: xp.sum(xp.abs(xp.fft.fft(x)) ** 2))(X[0]), 2 * 3 * X[0])


def test_linear_algebra_of_traced_arrays():
    a = np.array([[2.0, 0.3], [0.1, 1.5]])
    assert_close(grad(lambda a: xp.linalg.det(a))(a), np.linalg.det(a) * np.linalg.inv(a).T)
