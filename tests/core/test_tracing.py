"""What a traced value answers and refuses; memory, threads, and exceptions inside a transform."""

import copy
import dataclasses
import gc
import operator
import pickle
import sys
import threading
import tracemalloc
import weakref

import numpy as np
import pytest
import scipy.sparse

import scigrad
from scigrad import eval_shape, grad, jvp, vjp, vmap
from scigrad.autodiff_rules.boxes import Batched, Dual, Recorded
from scigrad.testing import assert_close, gradcheck

X = np.array([0.4, 0.9, 1.6])


def under_grad(use):
    """Run `use` on a traced array; what it returns must not matter."""

    def loss(x):
        use(x)
        return np.sum(x)

    return grad(loss)(X)


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda x: np.asarray(x), "plain NumPy array"),
        (lambda x: np.array([x[0], x[1]]), "stack"),
        (lambda x: np.zeros(3).__setitem__(0, x[0]), "numpy.stack"),
        (lambda x: np.zeros(3).__setitem__(slice(None), x), "numpy.stack"),
        (lambda x: float(x[0]), "stop_gradient"),
        (lambda x: int(x[0]), "stop_gradient"),
        (lambda x: complex(x[0]), "stop_gradient"),
        (lambda x: np.sin(x, out=np.zeros(3)), "without out="),
        (lambda x: range(x[0]), "stop_gradient"),
    ],
    ids=[
        "asarray",
        "array of scalars",
        "store a scalar",
        "store an array",
        "float",
        "int",
        "complex",
        "out=",
        "index",
    ],
)
def test_losing_the_derivative_raises_at_once(use, text):
    with pytest.raises(scigrad.TracedValueError, match=text):
        under_grad(use)


def test_a_function_without_a_rule_raises_and_is_named():
    with pytest.raises(scigrad.MissingRule, match=r"numpy.*histogram2d"):
        under_grad(lambda x: np.histogram2d(x, x))


def test_scipy_sparse_on_the_left_asks_the_traced_value():
    for kind in (
        scipy.sparse.csr_array,
        scipy.sparse.csr_matrix,
        scipy.sparse.csc_array,
        scipy.sparse.coo_array,
    ):
        a = kind(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0]]))
        assert_close(grad(lambda x, a=a: np.sum((a @ x) ** 2))(X), 2 * a.T @ (a @ X))
        assert_close(jvp(lambda x, a=a: a @ x, (X,), (X,))[1], a @ X)


def test_concrete_control_flow_works_and_comparisons_are_plain():
    seen = []

    def f(x):
        seen.append(type(x > 0))
        return np.sum(x) if x[0] > 0 else -np.sum(x)

    assert_close(grad(f)(X), np.ones(3))
    assert seen == [np.ndarray]


def test_an_exception_leaves_no_state_behind():
    def failing(x):
        raise RuntimeError("inside")

    for transform in (grad(failing), lambda x: jvp(failing, (x,), (x,)), vmap(failing)):
        with pytest.raises(RuntimeError, match="inside"):
            transform(X)
    assert type(np.sin(X)) is np.ndarray
    assert_close(grad(lambda x: np.sum(np.sin(x)))(X), np.cos(X))


def test_eight_threads_do_not_disturb_each_other():
    def loss(x, k):
        return np.sum(np.sin(x * k)) * grad(lambda y: np.sum(y * x**2) / k)(x)[0]

    expected = [grad(loss)(X, float(k)) for k in range(1, 9)]
    failures = []
    barrier = threading.Barrier(8)

    def work(k):
        barrier.wait()
        for _ in range(60):
            found = grad(loss)(X, float(k))
            if not np.array_equal(found, expected[k - 1]):
                failures.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_thread_started_inside_a_transform_sees_its_traced_values():
    def loss(x):
        results = []
        thread = threading.Thread(
            target=lambda: results.append(grad(lambda y: np.sum(np.sin(y) * x))(x))
        )
        thread.start()
        thread.join()
        return np.sum(results[0])

    # sum(cos(x) x) as a function of x through both of its roles
    assert_close(grad(loss)(X), np.cos(X) - X * np.sin(X))


def test_the_graph_is_freed_as_the_reverse_pass_runs():
    size = 200_000  # 1.6 MB an array

    def chain(x):
        for _ in range(20):
            x = np.sin(x)
        return np.sum(x)

    grad(chain)(np.ones(8))
    gc.collect()
    tracemalloc.start()
    try:
        out, pullback = vjp(chain, np.ones(size), keep=False)
        tracemalloc.reset_peak()
        held = tracemalloc.get_traced_memory()[0]
        pullback(1.0)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    array = size * 8
    assert held > 18 * array, "the graph of 20 sines keeps their inputs"
    assert peak < held + 5 * array, "the reverse pass adds a few arrays, not one for each step"
    assert after < 3 * array, "and leaves nothing"
    assert np.isfinite(out)


def test_linear_functions_do_not_keep_their_inputs_alive():
    kept = []

    def f(x):
        y = x * 1.0
        kept.append(weakref.ref(y._value))
        return np.sum(np.reshape(y, (3, 1)))

    _, pullback = vjp(f, X)
    gc.collect()
    assert kept[0]() is None or kept[0]().base is None
    assert_close(pullback(1.0)[0], np.ones(3))


def test_eval_shape_computes_nothing():
    big = scigrad.autodiff_rules.Space((100_000, 100_000), np.dtype(np.float32))
    found = eval_shape(lambda x: {"y": np.sum(np.sin(x) @ x.T, axis=0)[None, :]}, big)
    assert found["y"].shape == (1, 100_000)
    assert found["y"].dtype == np.float32
    assert eval_shape(lambda x: np.abs(x * 1j), 2.0).dtype == np.float64
    with pytest.raises(scigrad.TracedValueError, match="where"):
        eval_shape(lambda x: x if x > 0 else -x, 2.0)


def test_augmented_assignment_to_a_part():
    def through(x):
        y = x * 1.0
        y[1:] *= x[0]
        y[:2] += y[1:]
        return np.sum(y * y)

    gradcheck(through, X)
    assert_close(vmap(grad(through))(np.stack([X, 2 * X]))[1], grad(through)(2 * X))

    def named(x):
        y = x * 1.0
        z = y[1:]
        z *= 2
        return y

    gradcheck(named, X)
    assert_close(vmap(named)(np.stack([X, 2 * X]))[1], named(2 * X))


def test_a_value_kept_from_an_inner_transform_is_refused_in_the_outer_one():
    # Its derivative is lost: until it is refused, the gradient of the outer function silently is 0.
    def leaking(run):
        def outer(x):
            kept = []
            run(lambda y: (kept.append(x * y), np.sum(x * y))[1])
            return np.sum(kept[0])

        return outer

    for run in (lambda f: grad(f)(X), lambda f: jvp(f, (X,), (X,)), lambda f: vmap(f)(X)):
        for transform in (grad, vmap, lambda f: lambda x: jvp(f, (x,), (x,))):
            with pytest.raises(scigrad.TracedValueError, match="after its transform"):
                transform(leaking(run))(X)


def test_threads_may_meet_a_dataclass_for_the_first_time_together():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    failures = []
    try:
        for _ in range(20):
            model = dataclasses.make_dataclass("Model", ["weight"])(X)
            barrier = threading.Barrier(8)

            def work(model=model, barrier=barrier):
                try:
                    barrier.wait()
                    grad(lambda m: np.sum(m.weight))(model)
                except ValueError as error:
                    failures.append(error)

            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures


@pytest.mark.parametrize(
    "name",
    [
        "fft.fft",
        "fft.irfftn",
        "special.gammaln",
        "special.digamma",
        "special.logsumexp",
        "stop_gradient",
    ],
)
def test_functions_are_pickled_and_copied_by_name(name):
    function = operator.attrgetter(name)(scigrad)
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function


@pytest.mark.parametrize("kind", [Recorded, Dual, Batched])
def test_the_public_names_of_traced_arrays_are_those_of_ndarray(kind):
    """Other libraries find out by such a name what they were given, as astropy does by `value`, and
    take what it holds.
    """
    public = {name for name in dir(kind) if not name.startswith("_")}
    assert public <= set(dir(np.ndarray))
