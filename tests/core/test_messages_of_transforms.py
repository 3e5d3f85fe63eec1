"""What transforms say of functions and arguments that they cannot take, under the user's
own names.
"""

import numpy as np
import pytest

import scigrad
from scigrad import TracedValueError, eval_shape, grad, jvp, vjp, vmap

X = np.array([1.0, 2.0, 3.0, 4.0])


def test_every_transform_explains():
    def store(x):
        out = np.zeros(4)
        out[0] = x[0]
        return out

    runs = [
        lambda: jvp(store, (X,), (X,)),
        lambda: vjp(store, X),
        lambda: scigrad.jacobian(store)(X),
        lambda: vmap(store)(X[None]),
        lambda: eval_shape(store, X),
    ]
    for run in runs:
        with pytest.raises(TracedValueError, match=r"^out\[i\] = x"):
            run()


# -- transforms made of others


def test_a_transform_is_named_as_the_user_called_it():
    z = X + 1j
    with pytest.raises(
        TypeError, match=r"^hessian of a function with complex input.*argnums=\(0, 1\)"
    ):
        scigrad.hessian(lambda z: np.sum(np.abs(z) ** 2))(z)
    with pytest.raises(TypeError, match=r"^jacfwd of.*scigrad\.jacobian\(f, complex_mode="):
        scigrad.jacfwd(np.square)(z)
    with pytest.raises(TypeError, match=r"^hvp: .*not a ndarray.*Write hvp\("):
        scigrad.hvp(lambda x: np.sum(x**3), X, X)
    with pytest.raises(TypeError, match=r"^hessian: argument 0 is 3"):
        scigrad.hessian(lambda x: x**2)(3)


@pytest.mark.parametrize("name", ["jacobian", "jacfwd", "jacrev"])
def test_outputs_that_are_steps_are_refused(name):
    for steps in (lambda x: x > 1, np.argsort, lambda x: (2 * x, np.sum(x > 1))):
        with pytest.raises(
            TypeError,
            match=rf"^{name} needs outputs that vary smoothly, .* of dtype (bool|int64), a "
            r"comparison",
        ):
            getattr(scigrad, name)(steps)(X)


# -- arguments that are integers


def test_an_integer_in_a_container_is_named_by_its_place():
    with pytest.raises(
        TypeError, match=r"argument 0\['n'\]\[1\] is 3, a Python int.*Write 3\.0 if it varies"
    ):
        grad(lambda p: p["a"])({"a": 1.0, "n": [2.0, 3]})
    with pytest.raises(TypeError, match=r"argument 1\['k'\] has dtype int64"):
        grad(lambda x, p: p["k"], argnums=1)(1.0, {"k": np.arange(3)})
    with pytest.raises(TypeError, match=r"argument 0 is 3, a Python int"):
        grad(lambda x: x)(3)


@pytest.mark.parametrize("f", [lambda x: x**2, lambda x: x / 2, lambda x: -x, lambda x: x.sum()])
def test_a_list_is_no_array(f):
    for call in (
        lambda: scigrad.jvp(f, ([1.0, 2.0],), ([1.0, 0.0],)),
        lambda: scigrad.grad(f)((1.0, 2.0)),
    ):
        with pytest.raises(
            TypeError,
            match=r"'(list|tuple)'.*a container of separate arrays; pass numpy\.array\(x\)",
        ):
            call()
