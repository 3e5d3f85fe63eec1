"""Each law fails on a rule that is known to be wrong; a law that cannot fail proves nothing."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse

import scigrad.numpy as snp
from scigrad import constant, differentiable, elementwise, linear, stop_gradient
from scigrad.autodiff_rules import ZERO
from scigrad.testing import OpSpec, assert_close, gradcheck, laws
from scigrad.testing.cases import SCALES


def samples(draw):
    yield "matrix and vector", (draw.well_conditioned(3), draw.array(3)), {}
    yield "adjoint", (draw.well_conditioned(3), draw.array(3)), {"adjoint": True}


def make_solve(forward_sign=1, conj=True, use_option=True, factors_constant=False):
    """x = a^-1 b (a^-H b with adjoint), with one fault at will."""

    def mh(a):
        return ZERO if a is ZERO else snp.conj(a.T) if conj else a.T

    @differentiable("a", "b", core={"a": 2, "b": 1})
    def solve(a, b, *, adjoint=False):
        return np.linalg.solve(np.conj(a.T) if adjoint else a, b)

    def again(call, a, b, adjoint):
        return solve(stop_gradient(a) if factors_constant else a, b, adjoint=adjoint)

    @solve.jvp
    def _(call, t):
        da = (t.a if t.a is ZERO else snp.conj(t.a.T)) if call.adjoint and use_option else t.a
        return again(call, call.a, t.b - forward_sign * (da @ call.out), call.adjoint)

    @solve.vjp
    def _(call, g):
        if conj:
            w = again(call, call.a, g, not call.adjoint)
        else:
            w = again(call, snp.conj(call.a), g, not call.adjoint)
        x = call.out

        def outer(u, v):
            return u[:, None] * snp.conj(v)[None, :]

        return {"b": w, "a": lambda: -outer(x, w) if call.adjoint else -outer(w, x)}

    return solve


def failing_laws(
    function, sample=samples, reference=None, names=("forward", "adjoint", "second_order")
):
    spec = OpSpec(function=function, samples=sample, reference=reference)
    failed = set()
    for name in names:
        try:
            laws.LAWS[name](spec, "numpy")
        except AssertionError:
            failed.add(name)
    return failed


def real_samples(draw):
    if not draw.is_complex:
        yield from samples(draw)


def test_the_right_rule_passes():
    assert failing_laws(make_solve()) == set()


@pytest.mark.parametrize(
    ("fault", "sample", "expected"),
    [
        ({"conj": False}, samples, {"adjoint"}),
        ({"forward_sign": -1}, samples, {"forward", "adjoint"}),
        ({"use_option": False}, samples, {"forward", "adjoint"}),
        ({"factors_constant": True}, samples, {"second_order"}),
    ],
    ids=["forgotten conj", "forward sign", "ignored option", "factors as constants"],
)
def test_a_wrong_solve_is_caught(fault, sample, expected):
    assert failing_laws(make_solve(**fault), sample) >= expected


def test_a_forward_rule_with_wrong_derivatives_is_caught():
    """Forward over forward and reverse over forward mode agree about it, and are both wrong."""
    square = differentiable("x")(lambda x: x * x)
    square.jvp(lambda call, t: 2 * stop_gradient(call.x) * t.x)
    square.vjp(lambda call, g: {"x": 2 * g * snp.conj(call.x)})
    assert failing_laws(square, vector) == {"second_order"}


def test_a_wrong_rule_within_another_function_is_caught_in_any_sample():
    """Second order of compositions is shown in one sample; a function that passes its arguments to
    a primitive with rules is none.
    """
    right, wrong = make_solve(), make_solve(factors_constant=True)

    def of_public_name(a, b, adjoint=False):
        return (wrong if adjoint else right)(a, b, adjoint=adjoint)

    assert failing_laws(of_public_name) == {"second_order"}


def test_a_forgotten_conj_needs_complex_samples():
    assert failing_laws(make_solve(conj=False), real_samples) == set()


def vector(draw):
    yield "vector", (draw.array(4),), {}


def test_a_wrong_partial_is_caught_forwards():
    f = elementwise(np.sin)
    f.partials(lambda call: (lambda: snp.sin(call.x),))
    # the law itself holds: both modes are wrong together
    assert failing_laws(f, vector) == {"forward"}


def test_a_wrong_value_is_caught():
    assert failing_laws(snp.sin, vector, np.cos, ("values",)) == {"values"}


def test_a_wrong_adjoint_is_caught():
    @linear("x")
    def shift(x):
        return np.roll(x, 1)

    shift.adjoint(lambda call, g: np.roll(g, 1))
    shift.batched(lambda call, batched: np.roll(call.x, 1, axis=1))
    # its second derivative is zero, and that is right
    assert failing_laws(shift, vector) == {"adjoint"}


def test_a_lost_dtype_is_caught():
    widen = linear("x")(lambda x: x * np.ones(4))
    widen.adjoint(lambda call, g: g)
    assert failing_laws(widen, vector, names=("single_precision",)) == {"single_precision"}


@pytest.mark.parametrize("fault", ["jvp", "vjp"])
def test_a_rule_that_squares_its_direction_is_caught(fault):
    """It is right but for directions whose square is 0 or infinite, as that of an iteration that
    takes norms.
    """
    same = differentiable("x", core={"x": 1})(lambda x: x * 1.0)

    def shown(mode, v):
        return (
            v * (snp.sum(abs(stop_gradient(v)) ** 2, axis=-1, keepdims=True) > 0)
            if mode == fault
            else v
        )

    same.jvp(lambda call, t: shown("jvp", t.x))
    same.vjp(lambda call, g: {"x": shown("vjp", g)})
    names = ("forward", "adjoint", "second_order", "batching", "linearity")
    assert failing_laws(same, vector, names=names) == {"linearity"}


def test_a_wrong_batching_rule_is_caught():
    @linear("x")
    def total(x):
        return np.sum(x)

    total.adjoint(lambda call, g: np.broadcast_to(g, call.x.shape))
    total.batched(lambda call, batched: np.sum(call.x, axis=-1) * 2)
    assert failing_laws(total, vector, names=("batching",)) == {"batching"}


@pytest.mark.parametrize("fault", ["vjp", "jvp"])
def test_a_rule_that_ignores_the_leading_axes_of_a_batch_is_caught(fault):
    """It is right for one call and for each call of a batch, but not for the call that runs the
    batch.
    """

    @differentiable("x", core={"x": 1})
    def length(x):
        return np.sqrt(np.sum(x * x, axis=-1))

    def shown(mode, out):  # [:, None] where there is one
        return out if mode == fault else out[..., None]

    length.jvp(
        lambda call, t: snp.sum(call.x * t.x, axis=-1 if fault != "jvp" else None) / call.out
    )
    length.vjp(lambda call, g: {"x": shown("vjp", g / call.out) * call.x})

    def square(draw):
        if not draw.is_complex:
            yield "as long as the batch", (draw.array(len(SCALES)),), {}

    assert failing_laws(
        length, square, names=("forward", "adjoint", "second_order", "batching")
    ) == {"batching"}


def test_a_batching_rule_that_drops_the_derivative_is_caught():
    same = linear("x")(lambda x: x * 1.0)
    same.adjoint(lambda call, g: g)
    same.batched(lambda call, batched: stop_gradient(call.x))
    assert failing_laws(same, vector, names=("forward", "adjoint", "second_order", "batching")) == {
        "batching"
    }


def test_a_value_that_overflows_under_a_transform_alone_is_caught():
    @linear("x")
    def total(x):
        return np.sum(x)

    total.adjoint(lambda call, g: np.broadcast_to(g, call.x.shape))
    total.batched(lambda call, batched: np.sum(call.x * 1e200, axis=-1) / 1e200)
    assert failing_laws(total, vector, names=("batching", "extreme")) == {"extreme"}


@pytest.mark.parametrize(
    "fault",
    [
        lambda x: np.where(np.isnan(x), 0, x),
        lambda x: x + 0 * np.sum(x, axis=0),
        lambda x: x / (2 if np.isnan(x).any() else 1),
    ],
    ids=["lost", "spread by a sum", "changes the others"],
)
def test_nan_that_does_not_stay_in_its_element_is_caught(fault):
    same = linear("x", core={"x": 1})(lambda x: fault(x) if x.ndim > 1 else x * 1.0)
    same.adjoint(lambda call, g: g)
    assert failing_laws(same, vector, names=("batching", "missing")) == {"missing"}


def test_nan_that_spreads_in_the_reverse_rule_is_caught():
    square = differentiable("x", core={"x": 1})(lambda x: x * x)
    square.jvp(lambda call, t: 2 * call.x * t.x)
    square.vjp(lambda call, g: {"x": 2 * g * snp.conj(call.x) + 0 * snp.sum(call.x)})
    assert failing_laws(square, vector, names=("batching", "missing")) == {"missing"}


def test_a_rule_that_computes_in_the_dtype_of_a_constant_is_caught():
    quotient = elementwise(lambda x, y: x / y)
    quotient.partials(lambda call: (lambda: 1 / call.y, lambda: -call.out / call.y))

    def both(draw):
        for name in ("int8", "uint8", "bool", "float16"):
            yield name, (draw.positive(3), draw.positive(3)), {}

    assert failing_laws(quotient, both, names=("adjoint", "narrow")) == {"narrow"}

    def wrapped(x, c):  # outside of a transform
        return x * (c * c if isinstance(x, np.ndarray) else c * (1.0 * c))

    assert failing_laws(wrapped, both, names=("adjoint", "narrow")) == {"narrow"}


def test_a_batch_that_wraps_small_integers_is_caught():
    @linear("x")
    def slopes(x):
        return np.diff(x.astype(float))

    slopes.adjoint(lambda call, g: -np.diff(np.pad(g, 1)))
    slopes.batched(lambda call, batched: np.diff(call.x, axis=-1) * 1.0)

    def unsigned(draw):
        for name in ("int8", "uint8"):
            yield name, (np.array([0.0, 2.0, 1.0]),), {}

    assert failing_laws(slopes, unsigned, names=("batching", "narrow")) == {"narrow"}


def test_a_wrong_shape_of_an_empty_batch_is_caught():
    same = linear("x")(lambda x: x * 1.0)
    same.adjoint(lambda call, g: g)
    same.batched(lambda call, batched: call.x * 1.0 if call.x.shape[0] else call.x[:, :1])
    assert failing_laws(same, vector, names=("shapes",)) == {"shapes"}


def test_a_host_array_from_device_data_is_caught():
    leaking = constant(lambda x: np.ones(4))
    spec = OpSpec(function=leaking, samples=vector)
    with pytest.raises(AssertionError, match="host array"):
        laws.LAWS["values"](spec, "device")


def test_a_missing_error_is_caught():
    spec = OpSpec(
        function=snp.sin,
        samples=vector,
        error_samples=lambda draw: [("fine input", (1.0,), {}, ValueError, "never")],
    )
    with pytest.raises(AssertionError, match="expected ValueError"):
        laws.LAWS["errors"](spec, "numpy")


def test_a_spec_without_samples_is_refused():
    with pytest.raises(AssertionError, match="no sample"):
        laws.LAWS["values"](OpSpec(function=snp.sin, samples=lambda draw: iter(())), "numpy")


@pytest.mark.fills_arrays
def test_a_rule_that_reads_what_was_filled_again_is_caught():
    kept = []

    @differentiable("x")
    def scaled(x, w):
        kept.append(w)  # the program's own array
        return x * w

    scaled.jvp(lambda call, t: t.x * call.w)
    scaled.vjp(lambda call, g: {"x": g * kept[-1]})

    def both(draw):
        if not draw.is_complex:
            yield "both", (draw.array(3), 1 + np.arange(3)), {}

    assert failing_laws(scaled, both, names=("adjoint", "refilled")) == {"refilled"}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            scipy.sparse.csr_array(np.diag([1.0, 2.0])),
            scipy.sparse.csr_array(np.array([[0, 1.0], [2.0, 0]])),
        ),
        ({"value": np.ones(2)}, {"gradient": np.ones(2)}),
        (((np.ones(2),),), (np.ones(2),)),
        ((None, np.ones(2)), (np.ones(2),)),
    ],
    ids=["places of a sparse array", "keys", "nesting", "a missing entry"],
)
def test_equal_numbers_in_other_places_do_not_agree(found, expected):
    with pytest.raises(AssertionError):
        assert_close(found, expected)


def test_what_agrees():
    assert_close((np.ones(2), [np.zeros(1)]), [np.ones(2), (np.zeros(1),)])
    unsorted = scipy.sparse.coo_array((np.array([1.0, 2.0]), ([1, 0], [0, 0])))
    assert_close({"a": unsorted}, {"a": unsorted.tocsr()})


@pytest.mark.parametrize(
    ("f", "args"),
    [(snp.sin, ((),)), (lambda x: np.arange(3), (np.ones(3),)), (lambda x: (), (np.ones(3),))],
)
def test_a_check_of_nothing_is_refused(f, args):
    with pytest.raises(TypeError, match="nothing to check"):
        gradcheck(f, *args)


def test_gradcheck_of_a_sparse_result_whose_values_scipy_orders_otherwise():
    a = scipy.sparse.csr_array(
        (np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), np.array([0, 2, 3]))
    )
    gradcheck(lambda a, x: a.tocoo() - (a.T * x).T, a, np.array([2.0, 3.0]))


DERIVATIVE_LAWS = [name for name in laws.LAWS if name not in laws.LAWS_OF_CONSTANTS]


@pytest.mark.parametrize("law", DERIVATIVE_LAWS)
@pytest.mark.parametrize(
    "args",
    [lambda draw: (np.arange(1, 4),), lambda draw: (draw.array(0),)],
    ids=["integer samples", "empty samples"],
)
def test_a_law_that_meets_nothing_to_vary_fails(law, args):
    spec = OpSpec(function=snp.sin, samples=lambda draw: iter([("constant", args(draw), {})]))
    with pytest.raises(AssertionError, match="could vary"):
        laws.LAWS[law](spec, "numpy")
    composed = dataclasses.replace(spec, function=lambda x: x + 1)
    with pytest.raises(laws.NothingVaries):
        laws.LAWS[law](composed, "numpy")


def test_an_argument_alone_is_part_of_the_second_order_law():
    @differentiable("a", "b")
    def product(a, b):
        return a * b

    # np.multiply does not know ZERO
    product.jvp(lambda call, t: np.multiply(t.a, call.b) + call.a * t.b)
    product.vjp(lambda call, g: {"a": g * call.b, "b": g * call.a})

    def both(draw):
        if not draw.is_complex:
            yield "both", (draw.array(2), draw.array(2)), {}

    with pytest.raises(TypeError, match="Zero"):
        laws.second_order(OpSpec(function=product, samples=both), "numpy")
