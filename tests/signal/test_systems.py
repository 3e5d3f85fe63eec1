"""Linear systems as objects: their forms, their algebra, and their derivatives as containers."""

import operator
import pickle

import numpy as np
import pytest
import scipy.signal

import scigrad
from scigrad import grad, jvp, signal, vjp, vmap
from scigrad.testing import assert_close, gradcheck

A, B, C, D = (
    np.array([[-1.0, 0.4], [0.3, -2.0]]),
    np.array([[1.0], [0.5]]),
    np.array([[0.7, -0.2]]),
    np.array([[0.1]]),
)
FORMS = {
    "TransferFunction": ([1.0, 2.0], [1.0, 3.0, 2.5]),
    "ZerosPolesGain": ([-2.0], [-1.0, -3.0], 1.5),
    "StateSpace": (A, B, C, D),
}


def assert_same(found, expected):
    assert type(found).__name__ == type(expected).__name__
    assert (found.dt, found.inputs, found.outputs) == (
        expected.dt,
        expected.inputs,
        expected.outputs,
    )
    names = {"T": ("num", "den"), "Z": ("zeros", "poles", "gain"), "S": ("A", "B", "C", "D")}[
        type(found).__name__[0]
    ]
    for name in names:
        assert_close(
            np.sort_complex(np.ravel(getattr(found, name))),
            np.sort_complex(np.ravel(getattr(expected, name))),
            1e-9,
        )


# a strictly proper system has a numerator that begins with 0
@pytest.mark.filterwarnings("ignore:Badly conditioned")
@pytest.mark.parametrize("dt", [None, 0.1])
@pytest.mark.parametrize("name", FORMS)
def test_forms_become_each_other_as_scipy_s_do(name, dt):
    time = {} if dt is None else {"dt": dt}
    ours, theirs = (
        getattr(module, name)(*FORMS[name], **time) for module in (signal, scipy.signal)
    )
    assert_same(ours, theirs)
    for change in ("to_tf", "to_zpk", "to_ss"):
        assert_same(getattr(ours, change)(), getattr(theirs, change)())
    for other in FORMS:
        assert_same(getattr(signal, other)(ours), getattr(scipy.signal, other)(theirs))
    kind, number = (
        (signal.lti, scipy.signal.lti) if dt is None else (signal.dlti, scipy.signal.dlti)
    )
    assert_same(kind(*FORMS[name], **time), number(*FORMS[name], **time))
    assert isinstance(ours, kind)
    if dt is None:
        assert_same(ours.to_discrete(0.3), theirs.to_discrete(0.3))


@pytest.mark.parametrize(
    "other",
    [2.0, np.array([[3.0]]), signal.StateSpace(2 * A, B, -C, 3 * D)],
    ids=["number", "matrix", "system"],
)
@pytest.mark.parametrize(
    "operation",
    [operator.add, operator.sub, operator.mul, operator.truediv],
    ids=lambda f: f.__name__,
)
def test_algebra(operation, other):
    ours, theirs = signal.StateSpace(A, B, C, D), scipy.signal.StateSpace(A, B, C, D)
    twin = (
        scipy.signal.StateSpace(2 * A, B, -C, 3 * D)
        if isinstance(other, signal.StateSpace)
        else other
    )
    if operation is operator.truediv and not isinstance(other, float):
        with pytest.raises((TypeError, ValueError)):
            operation(ours, other)
        return
    assert_same(operation(ours, other), operation(theirs, twin))
    if operation is not operator.truediv:
        assert_same(operation(other, ours), operation(twin, theirs))


def test_a_system_is_a_container():
    def loss(system):
        return np.sum(system.step(T=np.linspace(0, 1, 4))[1] ** 2)

    system = signal.StateSpace(A, B, C, D)
    found = grad(loss)(system)
    assert type(found) is type(system)
    expected = grad(lambda *matrices: loss(signal.StateSpace(*matrices)), (0, 1, 2, 3))(A, B, C, D)
    assert_close((found.A, found.B, found.C, found.D), expected)
    gains = vmap(lambda c: (c * system).C)(np.array([1.0, 2.0]))
    assert_close(gains, np.stack([C, 2 * C]))


def test_a_traced_number_scales_a_system_from_both_sides():
    assert_close(grad(lambda c: np.sum((c * signal.StateSpace(A, B, C, D)).C))(2.0), np.sum(C))
    assert_close(grad(lambda c: np.sum((signal.StateSpace(A, B, C, D) * c).B))(2.0), np.sum(B))


def test_times_are_differentiable():
    u = np.array([0.3, -0.2, 0.5, 0.1])

    def response(scale):
        return signal.lsim((A, B, C, D), u, scale * np.arange(1.0, 5.0))[1]

    gradcheck(response, 0.3)


def test_scipy_s_own_systems_are_taken():
    theirs = scipy.signal.lti([1.0, 2.0], [1.0, 3.0, 2.0])
    assert_close(signal.bode(theirs, [1.0, 2.0]), scipy.signal.bode(theirs, [1.0, 2.0]), 1e-12)
    t = np.linspace(0, 1, 5)
    assert_close(signal.lsim(theirs, t, t)[1], scipy.signal.lsim(theirs, t, t)[1], 1e-12)
    out, tangent = jvp(lambda u: signal.lsim(theirs, u, t)[1], (t,), (t,))
    assert_close(out, tangent)


@pytest.mark.parametrize(
    "make", [lambda: signal.lti(1.0), lambda: signal.dlti([1], [1], [1], [1], [1])]
)
def test_a_wrong_number_of_parts(make):
    with pytest.raises(ValueError, match="2, 3 or 4 arguments"):
        make()


def test_systems_of_different_times_do_not_join():
    one, other = (signal.StateSpace(A, B, C, D, dt=dt) for dt in (0.1, 0.2))
    with pytest.raises(TypeError, match="different `dt`"):
        one + other
    with pytest.raises(TypeError, match="Cannot add"):
        one + signal.StateSpace(A, B, C, D)


def test_placed_poles():
    A2 = np.array([[0.3, 1.0], [-1.2, 0.5]])
    found, expected = (module.place_poles(A2, B, [-1.0, -2.0]) for module in (signal, scipy.signal))
    assert_close(
        (found.gain_matrix, found.computed_poles), (expected.gain_matrix, expected.computed_poles)
    )
    gains = jvp(lambda A: signal.place_poles(A, B, [-1.0, -2.0]), (A2,), (A2,))[0]
    assert_close(gains.gain_matrix, expected.gain_matrix, 1e-9)
    gradcheck(
        lambda A, B, p: signal.place_poles(A, B, p).gain_matrix, A2, B, np.array([-1.0, -2.0])
    )
    gradcheck(lambda A, B: signal.place_poles(A, B, [-1 + 2j, -1 - 2j]).gain_matrix, A2, B)
    with pytest.raises(ValueError, match="poles"):
        signal.place_poles(A2, B, [-1.0, -2.0, -3.0])
    with pytest.raises(scigrad.MissingRule, match="several inputs"):
        grad(lambda A: np.sum(signal.place_poles(A, np.eye(2), [-1.0, -2.0]).gain_matrix))(A2)
    expected = scipy.signal.place_poles(A2, np.eye(2), [-1.0, -2.0]).gain_matrix
    # a value it has
    assert_close(
        vjp(lambda A: signal.place_poles(A, np.eye(2), [-1.0, -2.0]).gain_matrix, A2)[0], expected
    )


def test_a_number_is_the_initial_state_of_all_states():
    t = np.linspace(0, 1, 4)
    found = signal.lsim((A, B, C, D), t, t, X0=0.5)[1], signal.dlsim((A, B, C, D, 1), t, x0=1)[1]
    expected = (
        scipy.signal.lsim((A, B, C, D), t, t, X0=0.5)[1],
        scipy.signal.dlsim((A, B, C, D, 1), t, x0=1)[1],
    )
    assert_close(found, expected, 1e-12)


def test_a_namespace_among_the_arguments():
    assert_close(signal.iirnotch(0.3, 5.0, xp=np), scipy.signal.iirnotch(0.3, 5.0), 1e-15)


def test_systems_can_be_pickled():
    parts = {
        signal.TransferFunction: ([1.0], [1.0, 2.0]),
        signal.ZerosPolesGain: ([], [-1.0], 2.0),
        signal.StateSpace: ([[-1.0]], [[1.0]], [[1.0]], [[0.0]]),
    }
    for kind, given in parts.items():
        for one in (kind(*given), kind(*given, dt=0.5), signal.lti(*given), signal.dlti(*given)):
            again = pickle.loads(pickle.dumps(one))
            assert type(again) is type(one)
            assert again.dt == one.dt
            np.testing.assert_array_equal(again.to_ss().A, one.to_ss().A)
