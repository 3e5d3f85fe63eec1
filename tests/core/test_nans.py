"""`debug_nans` names the call, the argument and the line where a value, a tangent or a cotangent
becomes NaN.
"""

import threading

import numpy as np
import pytest

from scigrad import debug_nans, grad, hvp, jacrev, jvp, linalg, linearize, vmap
from scigrad import numpy as snp
from scigrad.autodiff_rules import graph
from scigrad.autodiff_rules.boxes import Dual, Recorded
from scigrad.testing import make_array


def zero_times_infinity(x):
    return snp.sum(snp.sqrt(x) * 0.0)


AT_ZERO = np.array([1.0, 0.0])
CASES = {
    "cotangent": (lambda: grad(zero_times_infinity)(AT_ZERO), "the cotangent of 'x' in sqrt"),
    "tangent": (
        lambda: jvp(zero_times_infinity, (AT_ZERO,), (AT_ZERO + 1,)),
        "the tangent of multiply",
    ),
    "linearized": (
        lambda: linearize(zero_times_infinity, AT_ZERO)[1](AT_ZERO + 1),
        "the tangent in multiply",
    ),
    "value": (lambda: grad(lambda x: snp.sum(snp.log(x - 1)))(AT_ZERO), "the value of log"),
    "input": (lambda: grad(np.sum)(AT_ZERO * np.nan), "the value of an input"),
    "batch": (
        lambda: vmap(grad(zero_times_infinity))(np.stack([AT_ZERO + 1, AT_ZERO])),
        "the cotangent of 'x' in sqrt",
    ),
    "of a batch": (
        lambda: grad(lambda x: snp.sum(vmap(lambda y: snp.sqrt(y) * 0.0)(x)))(AT_ZERO),
        "the cotangent of 'x' in sqrt",
    ),
    "second order": (
        lambda: hvp(lambda x: snp.sum(x**1.5) * 0.0, (AT_ZERO,), (AT_ZERO + 1,)),
        "the tangent of multiply",
    ),
    "several results": (
        lambda: grad(lambda a: linalg.eigh(a)[0][0] * np.nan)(np.eye(2)),
        "the value of multiply",
    ),
}


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize("name", CASES)
def test_where_nan_arises_is_named(name):
    call, text = CASES[name]
    call()
    with (
        debug_nans(),
        pytest.raises(FloatingPointError, match=f"^{text} is NaN, on the host.*test_nans.py, line"),
    ):
        call()
    call()


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_the_device_is_named():
    with (
        debug_nans(),
        pytest.raises(FloatingPointError, match=r"is NaN, on scigrad\.testing\.device"),
    ):
        grad(zero_times_infinity)(make_array(AT_ZERO, "device"))


def test_finite_programs_are_unchanged():
    a = np.array([[2.0, 1.0], [1.0, 3.0]])

    def loss(a):
        w, v = linalg.eigh(a)
        return snp.sum((v * snp.log(w)) @ v.T) ** 2

    with debug_nans(), debug_nans():
        found = grad(loss)(a), hvp(loss, (a,), (a,))[1], jacrev(linalg.inv)(a)
    for x, expected in zip(
        found, (grad(loss)(a), hvp(loss, (a,), (a,))[1], jacrev(linalg.inv)(a)), strict=True
    ):
        np.testing.assert_array_equal(x, expected)


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_other_threads_and_later_calls_are_not_looked_at():
    found = []
    with debug_nans():
        thread = threading.Thread(target=lambda: found.append(grad(zero_times_infinity)(AT_ZERO)))
        thread.start()
        thread.join()
    assert np.isnan(found[0][1])
    assert not graph.watchers
    assert (
        Recorded.__init__.__module__ == Dual.__init__.__module__ == "scigrad.autodiff_rules.boxes"
    )
