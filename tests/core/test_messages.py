"""What is said where NumPy or SciPy meet a traced value that they cannot take: the cause, and the name of what to use."""

import importlib
import math
import operator

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.special
import scipy.stats

import scigrad
from scigrad import MissingRule, TracedValueError, eval_shape, grad, jvp, vjp, vmap

X = np.array([1.0, 2.0, 3.0, 4.0])
EYE = scipy.sparse.csc_array(np.eye(4))


def under_grad(use):
    return grad(lambda x: np.sum(use(x)))(X)


def added_in_place(x):
    y = np.zeros(4)
    y += x
    return y


# -- plain arrays

PLAIN = {
    "an element": lambda x: np.zeros(4).__setitem__(0, x[0]),
    "an element of a matrix": lambda x: np.zeros((2, 2)).__setitem__((0, 1), x[0] * x[1]),
    "an element by flat": lambda x: np.zeros(4).flat.__setitem__(0, x[0]),
    "a slice": lambda x: np.zeros(4).__setitem__(slice(0, 1), x[0]),
    "fill": lambda x: np.zeros(4).fill(x[0]),
    "asarray": np.asarray,
    "r_": lambda x: np.r_[x, 1.0],
    "c_": lambda x: np.c_[x, x],
    "full": lambda x: np.full(3, x[0]),
    "nditer": np.nditer,
}


@pytest.mark.parametrize("use", PLAIN.values(), ids=PLAIN.keys())
def test_a_plain_array_that_should_hold_a_traced_value_says_what_to_write(use):
    for culprit in ("out\\[i\\] = x", "y \\+= x", "asarray", "numpy.r_", "numpy.full", "numpy.nditer", "zeros_like"):
        with pytest.raises(TracedValueError, match=culprit):
            under_grad(use)


@pytest.mark.parametrize("use", [added_in_place, lambda x: np.add(x, 1, out=np.zeros(4))], ids=["+=", "out="])
def test_a_plain_array_that_should_receive_a_result_says_so(use):
    with pytest.raises(TracedValueError, match=r"out=y, or y \+= x.*zeros_like"):
        under_grad(use)


def test_every_transform_explains():
    def store(x):
        out = np.zeros(4)
        out[0] = x[0]
        return out

    runs = [lambda: jvp(store, (X,), (X,)), lambda: vjp(store, X), lambda: scigrad.jacobian(store)(X),
            lambda: vmap(store)(X[None]), lambda: eval_shape(store, X)]  # fmt: skip
    for run in runs:
        with pytest.raises(TracedValueError, match="preallocated"):
            run()


def test_errors_of_the_user_s_own_stay_as_they_are():
    def failing(x):
        raise ValueError("setting an array element with a sequence.")

    with pytest.raises(ValueError, match="setting an array element") as caught:
        grad(failing)(X)
    assert type(caught.value) is ValueError
    with pytest.raises(TypeError, match=r"^mine$") as caught:
        grad(lambda x: scipy.optimize.brentq(lambda t: raising(TypeError("mine")), 0.0, 1.0, args=()))(X)
    assert type(caught.value) is TypeError


def raising(error):
    raise error


# -- functions of SciPy's

SCIPY = {
    "scipy.linalg.solve": (lambda x: scipy.linalg.solve(np.eye(4), x), "Use scigrad.linalg.solve"),
    "scipy.linalg.cho_factor": (lambda x: scipy.linalg.cho_factor(x[0] * np.eye(4)), "Use scigrad.linalg.cho_factor"),
    "scipy.linalg.lstsq": (lambda x: scipy.linalg.lstsq(np.eye(4), x), "Use scigrad.linalg.lstsq"),
    "scipy.signal.lfilter": (lambda x: scipy.signal.lfilter([1.0], [1.0, 0.5], x), "Use scigrad.signal.lfilter"),
    "scipy.signal.firwin": (lambda x: scipy.signal.firwin(5, x[0]), "Use scigrad.signal.firwin"),
    "scipy.special.logsumexp": (scipy.special.logsumexp, "Use scigrad.special.logsumexp"),
    "scipy.fft.dct": (scipy.fft.dct, r"Use scigrad.fft.dct, or scipy.fft.set_backend\(scigrad.fft\)"),
    "scipy.sparse.csr_array": (lambda x: scipy.sparse.csr_array((x, range(4), range(5))), "Use scigrad.sparse.csr_array"),
    "scipy.sparse.coo_array": (lambda x: scipy.sparse.coo_array((x, (range(4), range(4)))), "Use scigrad.sparse.coo_array"),
    "scipy.sparse.diags_array": (lambda x: scipy.sparse.diags_array(x), "Use scigrad.sparse.diags_array"),
    "scipy.sparse.linalg.spsolve": (lambda x: scipy.sparse.linalg.spsolve(EYE, x), "Use scigrad.sparse.linalg.spsolve"),
    "scipy.sparse.linalg.cg": (lambda x: scipy.sparse.linalg.cg(EYE, x), "Use scigrad.sparse.linalg.cg"),
    "scipy.sparse.kron": (lambda x: scipy.sparse.kron(x[None], np.eye(2)), "custom_rule"),
    "scipy.sparse.csc_array.multiply": (lambda x: EYE.multiply(x), r"Use an operator, A @ x or A \* x"),
    "scipy.sparse.csc_array.__eq__": (lambda x: operator.eq(EYE, x), "Use an operator"),
    "scipy.integrate.quad": (lambda x: scipy.integrate.quad(lambda t: x[0] * t, 0, 1), "scigrad.implicit"),
    "scipy.integrate.solve_ivp": (lambda x: scipy.integrate.solve_ivp(lambda t, y: -y, (0, 1), x), "scigrad has no solve_ivp"),
    "scipy.optimize.brentq": (lambda x: scipy.optimize.brentq(lambda t: t - x[0], 0, 9), "scigrad.implicit"),
    "scipy.stats.norm_gen.pdf": (scipy.stats.norm.pdf, "custom_rule"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "use", "advice"), [(name, *row) for name, row in SCIPY.items()], ids=SCIPY.keys())
def test_a_function_of_scipy_s_is_named_with_what_to_use_instead(name, use, advice):
    with pytest.raises(TracedValueError, match=f"(?s)^{name} cannot take a traced value.*{advice}"):
        under_grad(use)


def test_a_method_in_c_says_so():
    with pytest.raises(TracedValueError, match="plain NumPy array"):
        under_grad(scipy.sparse.linalg.splu(EYE).solve)


def test_number_functions_of_python_s():
    with pytest.raises(TracedValueError, match=r"numpy\.sin"):
        under_grad(lambda x: math.sin(x[0]))


def test_functions_without_a_rule():
    with pytest.raises(MissingRule, match=r"numpy\.union1d was called.*scigrad has none of that name yet"):
        under_grad(lambda x: np.union1d(x, x))
    with pytest.raises(MissingRule, match=r"scipy\.special\.jv was called"):
        under_grad(lambda x: scipy.special.jv(1, x))


# -- arguments that are integers


def test_an_integer_in_a_container_is_named_by_its_place():
    with pytest.raises(TypeError, match=r"argument 0\['n'\]\[1\] is 3, a Python int.*Write 3\.0 if it varies"):
        grad(lambda p: p["a"])({"a": 1.0, "n": [2.0, 3]})
    with pytest.raises(TypeError, match=r"argument 1\['k'\] has dtype int64"):
        grad(lambda x, p: p["k"], argnums=1)(1.0, {"k": np.arange(3)})
    with pytest.raises(TypeError, match=r"argument 0 is 3, a Python int"):
        grad(lambda x: x)(3)


# -- names that are not there


@pytest.mark.parametrize("room", ["linalg", "fft", "special", "sparse", "signal", "sparse.linalg"])
def test_a_name_of_scipy_s_that_a_room_has_not_yet(room):
    ours, theirs = importlib.import_module(f"scigrad.{room}"), importlib.import_module(f"scipy.{room}")
    for name in theirs.__all__:
        if not callable(getattr(theirs, name)) or hasattr(ours, name):  # ours, or SciPy's own passed on
            continue
        with pytest.raises(AttributeError, match=rf"no attribute '{name}' yet.*docs/planned\.txt"):
            getattr(ours, name)
    close = ours.__all__[0]
    with pytest.raises(AttributeError, match=rf"no attribute '{close}x'\. Did you mean '{close}'"):
        getattr(ours, close + "x")
    with pytest.raises(AttributeError, match=r"no attribute 'completely_other'$"):
        ours.completely_other  # noqa: B018
    assert not hasattr(ours, "__wrapped__")
