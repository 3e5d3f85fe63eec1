"""Whoever asks for the derivative of a result that does not depend on an argument is warned."""

import inspect
import threading
import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

import scigrad.numpy as snp
from scigrad import (
    DoesNotDependWarning,
    checkpoint,
    constant,
    custom_rule,
    elementwise,
    grad,
    hessian,
    hvp,
    implicit,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    linearize,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)
from scigrad.testing import OpSpec, laws

X, PAIR = np.array([0.4, 0.9, 1.6]), {"a": np.ones(2), "b": 2.0}


def bisection(a):
    """The square root of a, by comparisons."""
    low, high = 0.0, 2.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if middle**2 > a else (middle, high)
    return low


def bisection_by_signs(a):
    low, high = 0.0, 2.0
    for _ in range(40):
        middle = (low + high) / 2
        same = np.sign(middle**2 - a) == np.sign(high**2 - a)
        low, high = (low, middle) if same else (middle, high)
    return low


def golden_section(a):
    ratio, (low, high) = (np.sqrt(5.0) - 1) / 2, (0.0, 3.0)
    for _ in range(40):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if (left - a) ** 2 < (right - a) ** 2 else (left, high)
    return low


def newton_from_the_solution(a):
    x = np.sqrt(2.0)
    while abs(x**2 - a) > 1e-12:
        x = x - (x**2 - a) / (2 * x)
    return x


def nelder_mead(a):
    return scipy.optimize.minimize(
        lambda z: float(stop_gradient((z[0] - a) ** 2)), [0.5], method="Nelder-Mead"
    ).x[0]


class Model:
    """Keeps its last result, by the values of the argument."""

    point, result = None, 0.0

    def __call__(self, x):
        if self.point is None or not np.array_equal(self.point, x):
            self.point, self.result = x, np.sum(x**2)
        return self.result


def kept_result(x):
    model = Model()
    model(np.asarray(X))  # a run before
    return model(x)


LOST = {
    "a constant": (lambda x: 3.0, X),
    "an array of zeros": (lambda x: np.sum(snp.zeros(3)), X),
    "a bisection": (bisection, 1.7),
    "a bisection by signs": (bisection_by_signs, 1.7),
    "a golden section": (golden_section, 1.7),
    "Newton's method from the solution": (newton_from_the_solution, 2.0),
    "a result that an object keeps": (kept_result, X),
    "a table": (lambda x: np.array([1.0, 2.0])[np.argmax(x > 0.5)], X),
    "signs": (lambda x: np.sum(np.sign(x)), X),
    "no leaf of a container": (lambda p: 3.0, PAIR),
    "a pattern": (lambda a: float(a.nnz), scipy.sparse.csr_array(np.eye(2))),
    "vmap inside": (lambda x: np.sum(vmap(lambda y: 2 * y)(X)), X),
    "a checkpoint": (checkpoint(lambda x: 3.0), X),
    "a function of jit": (jit(lambda x: 3.0), X),
    "brentq": (lambda a: scipy.optimize.brentq(lambda x: 1.0 if x**2 > a else -1.0, 0, 2), 1.7),
}


@pytest.mark.parametrize("name", LOST)
def test_a_gradient_that_was_lost(name):
    f, x = LOST[name]
    with pytest.warns(DoesNotDependWarning, match="argument 0") as caught:
        grad(f)(x)
    grad(f, allow_constant=True)(x)
    # a program is recorded twice
    assert len({str(warning.message) for warning in caught}) == 1
    assert caught[0].filename == __file__ or name == "a function of jit"


ONES = np.ones(3)
TRANSFORMS = {
    "grad": lambda f, **options: grad(f, **options)(X),
    "value_and_grad": lambda f, **options: value_and_grad(f, **options)(X),
    "vmap of grad": lambda f, **options: vmap(grad(f, **options))(np.ones((2, 3))),
    "jit of grad": lambda f, **options: jit(grad(f, **options))(X),
    "vjp": lambda f, **options: vjp(f, X, **options)[1](1.0),
    "jvp": lambda f, **options: jvp(f, (X,), (ONES,), **options),
    "linearize": lambda f, **options: linearize(f, X, **options),
    "jacobian": lambda f, **options: jacobian(f, **options)(X),
    "jacobian, real": lambda f, **options: jacobian(f, complex_mode="real", **options)(X + 0j),
    "jacfwd": lambda f, **options: jacfwd(f, **options)(X),
    "jacrev": lambda f, **options: jacrev(f, **options)(X),
    "hessian": lambda f, **options: hessian(f, **options)(X),
    "hvp": lambda f, **options: hvp(f, (X,), (ONES,), **options),
    "grad of grad": lambda f, **options: grad(lambda t: grad(lambda s: f(s * X))(t), **options)(
        2.0
    ),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_every_transform_warns_at_the_user_s_line(name):
    line = inspect.getsourcelines(TRANSFORMS[name])[1]
    with pytest.warns(
        DoesNotDependWarning, match=r"does not depend on argument 0 \('.'\)"
    ) as caught:
        TRANSFORMS[name](lambda x: 3.0)
    assert {(w.filename, w.lineno) for w in caught} == {(__file__, line)}
    TRANSFORMS[name](lambda x: 3.0, allow_constant=True)


def test_arguments_asked_for_by_number_are_named():
    def f(x, unused, y):
        return np.sum(x * y)

    with pytest.warns(DoesNotDependWarning, match=r"on argument 1 \('unused'\): "):
        grad(f, (0, 1, 2))(X, X, X)
    with pytest.warns(DoesNotDependWarning, match=r"on argument 1 \('unused'\): "):
        jacobian(f, (1, 2))(X, X, X)
    with pytest.warns(DoesNotDependWarning, match=r"on argument 1 \('unused'\): "):
        vjp(f, X, X, X, argnums=1)[1](1.0)
    with pytest.warns(DoesNotDependWarning, match=r"on argument 0 \('x'\) and 2 \('y'\): "):
        grad(lambda x, u, y: np.sum(u), (0, 1, 2))(X, X, X)


@elementwise
def without_a_rule(x):
    return np.sin(x)


without_a_rule.partials((lambda x, out: np.zeros_like(x),))


@constant
def step(x):
    return np.where(x > 1, 1.0, 0.0)


root = implicit(
    lambda x, a: x**2 - a,
    lambda a: np.sqrt(a),
    lambda matvec, b, *, adjoint, x, theta: b / matvec(np.ones_like(x)),
)
MEANT = {
    "an argument among all": lambda: vjp(lambda t, y: 2 * y, 0.0, X)[1](ONES),
    "an argument among all, forward": lambda: jvp(lambda t, y: 2 * y, (0.0, X), (1.0, X)),
    "a leaf of a container": lambda: grad(lambda p: np.sum(p["a"]))(PAIR),
    "an output among several": lambda: jacobian(lambda x: (x, np.ones(2)))(X),
    "no elements": lambda: grad(lambda x: np.sum(x) + 3.0)(np.ones(0)),
    "integers": lambda: jvp(np.argmax, (X,), (X,)),
    **{
        f"rounding by {f.__name__}": lambda f=f: grad(lambda x: np.sum(f(x)))(X)
        for f in (np.floor, np.ceil, np.rint, np.trunc, np.round)
    },
    "stop_gradient": lambda: grad(lambda x: np.sum(stop_gradient(x)))(X),
    "a factor that is stopped": lambda: grad(lambda x, y: x * stop_gradient(y), (0, 1))(1.0, 2.0),
    "a function declared constant": lambda: grad(lambda x: np.sum(step(x)))(X),
    "a partial derivative of 0": lambda: grad(lambda x: np.sum(without_a_rule(x)))(X),
    "a power of 0": lambda: grad(lambda x: x**0)(2.0),
    "a rule without a cotangent": lambda: grad(
        custom_rule(lambda x: 3.0, vjp=lambda args, out, g: (None,))
    )(2.0),
    "hessian of a linear function": lambda: hessian(np.sum)(X),
    "hvp of a linear function": lambda: hvp(np.sum, (X,), (X,)),
    "grad of grad": lambda: grad(grad(lambda x: 3 * x))(2.0),
    "grad of jvp": lambda: grad(lambda x: jvp(np.sum, (x,), (ONES,))[1])(X),
    "a mixed derivative of a sum": lambda: grad(lambda a: grad(lambda x: a + x)(2.0))(1.0),
    "hessian of a sum": lambda: hessian(lambda x, y: np.sum(x**2) + np.sum(y), (0, 1))(X, X),
    "a checkpoint beside others": lambda: grad(lambda x: x + checkpoint(lambda y: 3.0)(x))(1.0),
    "implicit": lambda: (grad(root)(4.0), jvp(root, (4.0,), (1.0,))),
    "a search on plain numbers": lambda: scipy.optimize.minimize(
        value_and_grad(lambda x: np.sum(x**2)), X, jac=True
    ),
}


@pytest.mark.parametrize("name", MEANT)
def test_what_is_meant_warns_nobody(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MEANT[name]()


def test_threads_do_not_hide_the_warning_of_another():
    found, inside, done = [], threading.Event(), threading.Event()

    def other():
        def f(x):
            inside.set()
            done.wait(10)
            return x

        grad(f)(1.0)

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait(10)
    with pytest.warns(DoesNotDependWarning):
        found.append(grad(lambda x: 3.0)(1.0))
    done.set()
    thread.join()


def test_the_laws_see_a_rule_that_is_not_there():
    def of_plain_values(x):
        return np.sin(stop_gradient(x)) if isinstance(x, np.ndarray) else np.sin(X)

    def samples(draw):
        yield "vector", (X,), {}

    spec = OpSpec(function=of_plain_values, reference=np.sin, samples=samples)
    with pytest.raises((AssertionError, DoesNotDependWarning)):
        laws.forward(spec, "numpy")
