"""Arrays of torch's and JAX's, which follow none of NumPy's protocols: refused with the way to
convert them.

Neither library is needed: the stand-ins have the names, the dtypes and the attributes of the
arrays.
"""

import numpy as np
import pytest

import scigrad
from scigrad import MissingKernel, fft, grad, jvp, linalg, signal, sparse, special, vjp, vmap


class TorchType:
    """torch.float64, which is no dtype of NumPy's."""


class Tensor:
    """What is common to both: an array without __array_ufunc__ and __array_function__."""

    def __init__(self, a):
        self.a = np.asarray(a)

    shape = property(lambda self: self.a.shape)
    ndim = property(lambda self: self.a.ndim)
    dtype = property(lambda self: TorchType())

    def __len__(self):
        return len(self.a)

    def __getitem__(self, index):
        return type(self)(self.a[index])

    def __array__(self, dtype=None, copy=None):
        return self.a

    def __mul__(self, other):
        return NotImplemented


class ArrayImpl(Tensor):
    dtype = property(lambda self: self.a.dtype)


TorchType.__module__ = Tensor.__module__ = "torch"
ArrayImpl.__module__ = "jaxlib._jax"

X, A = np.array([1.0, 2.0]), np.array([[1.1, 0.1], [0.1, 1.1]])
CALLS = {
    "grad": lambda kind: grad(lambda x: np.sum(np.sin(x)))(kind(X)),
    "jvp": lambda kind: jvp(np.sin, (kind(X),), (X,)),
    "a tangent": lambda kind: jvp(np.sin, (X,), (kind(X),)),
    "a cotangent": lambda kind: vjp(np.sin, X)[1](kind(X)),
    "vmap": lambda kind: vmap(np.sin)(kind(X)),
    "eval_shape": lambda kind: scigrad.eval_shape(np.sin, kind(X)),
    "an operand": lambda kind: grad(lambda x: np.sum(x * kind(X)))(X),
    "an operand on the left": lambda kind: grad(lambda x: np.sum(kind(X) * x))(X),
    "an argument": lambda kind: grad(lambda x: np.sum(np.multiply(kind(X), x)))(X),
    "a result": lambda kind: grad(lambda x: kind(1.0), allow_constant=True)(X),
    "solve": lambda kind: linalg.solve(kind(A), X),
    "solve, the right-hand side": lambda kind: linalg.solve(A, kind(X)),
    "solve, traced": lambda kind: grad(lambda a: np.sum(linalg.solve(a, kind(X))))(A),
    "expm": lambda kind: linalg.expm(kind(A)),
    "fft": lambda kind: fft.fft(kind(X)),
    "erf": lambda kind: special.erf(kind(X)),
    "logsumexp": lambda kind: special.logsumexp(kind(X)),
    "lfilter": lambda kind: signal.lfilter([1.0, 0.5], [1.0, 0.2], kind(X)),
    "csr_array": lambda kind: sparse.csr_array((kind(X), [0, 1], [0, 1, 2])),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_it_is_refused_with_the_way_to_convert_it(call):
    with pytest.raises(
        MissingKernel,
        match=r"one of torch's \(Tensor\).*numpy\.asarray\(x\) \(x\.detach\(\).*cupy\.from_dlpack",
    ):
        call(Tensor)
    with pytest.raises(
        MissingKernel,
        match=r"one of jax's \(ArrayImpl\).*numpy\.asarray\(x\) on the host, cupy\.from_dlpack",
    ):
        call(ArrayImpl)
    call(lambda x: np.asarray(Tensor(x)))  # what is advised


def test_what_is_no_array_of_theirs_is_left_alone():
    class Size(tuple):
        __slots__ = ()

    Size.__module__ = "torch"  # the shape of a tensor
    np.testing.assert_array_equal(grad(lambda x: np.sum(np.reshape(x, Size((1, 2)))))(X), [1, 1])


# -- their attributes, asked of a traced array


@pytest.mark.parametrize(("name", "text"),
[("at", r"scigrad\.numpy\.set_at\(x, i, v\)"), ("detach", r"scigrad\.stop_gradient"),
                                            ("other",
                                            r"attributes of numpy\.ndarray")])  # fmt: skip
def test_an_attribute_of_theirs_is_answered_with_what_to_write(name, text):
    def use(x):
        return getattr(x, name)

    for run in (lambda: grad(use)(X), lambda: jvp(use, (X,), (X,)), lambda: vmap(use)(X)):
        with pytest.raises(
            AttributeError, match=rf"^a traced array has no attribute '{name}'\. .*{text}"
        ):
            run()
    np.testing.assert_array_equal(
        grad(lambda x: np.sum(scigrad.numpy.set_at(x, 0, 3.0) ** 2))(X), [0, 4]
    )
    with pytest.raises(AttributeError, match=r"^'list' object has no attribute 'at'$"):
        grad(lambda x: [x].at)(X)
